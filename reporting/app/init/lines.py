"""The lines of a config: keys with what was seen, written so that any name reads back the same.

Useful keys that are left at their defaults follow as comments.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from reporting.app.config.profiles import PROFILES
from reporting.app.config.schema import Config, ReportKeys
from reporting.app.config.study_keys import EpcKeys, PrimaryQuestion, SignificanceKeys, ThresholdsKeys
from reporting.app.config.trial_keys import TrialsKeys
from reporting.base.records import dataclass
from reporting.errors import one_line

WIDTH = 110
WORDS = ("null", "true", "false", "yes", "no", "on", "off", "y", "n")
"""What some reader of YAML would not take for text."""


@dataclass(frozen=True)
class Line:
    """A key of the config and its value; ``why`` is its comment.

    ``is_open``: only the user can know. ``is_offered``: written as a comment, to be uncommented.
    """

    trail: tuple[str, ...]
    value: Any
    why: str = ""
    is_open: bool = False
    is_offered: bool = False

    @property
    def key(self) -> str:
        """The key in a message."""
        return ".".join(self.trail)

    @property
    def shown(self) -> str:
        """The key with its value and its comment, for a terminal."""
        return f"  {self.key}: {flow(self.value)}" + (f"  ({self.why})" if self.why else "")


def column_line(
    ours: str, value: Any, why: str = "", is_open: bool = False, is_offered: bool = False
) -> Line:
    """Return the line that names one of our columns."""
    return Line(("trials", "columns", ours), value, why, is_open, is_offered)


def written(lines: Sequence[Line]) -> str:
    """Write lines as YAML; keys of one section come together, in the order of their first."""
    return "".join(f"{line}\n" for line in _block(lines, 0))


def _block(lines: Sequence[Line], depth: int) -> Iterator[str]:
    heads = list(dict.fromkeys(line.trail[depth] for line in lines))
    together = sorted(lines, key=lambda line: heads.index(line.trail[depth]))
    for head, group in groupby(together, key=lambda line: line.trail[depth]):
        below = list(group)
        indent = "  " * depth
        if len(below[0].trail) == depth + 1:
            for line in below:
                yield from _line(line, indent)
        elif all(line.is_offered for line in below):
            value = flow(nested(below, depth + 1))
            why = _of_each(below)
            merged = Line((head,), None, why, any(line.is_open for line in below), True)
            yield from _line(merged, indent, value)
        else:
            yield f"{indent}{flow(head)}:"
            yield from _block(below, depth + 1)


def _of_each(lines: Sequence[Line]) -> str:
    """Join the comments of keys on one line, each with its key where there are several."""
    by_key = dict.fromkeys((line.trail[-1], line.why) for line in lines if line.why)
    if len({line.trail[-1] for line in lines}) == 1:
        return "; ".join(dict.fromkeys(why for _, why in by_key))
    return "; ".join(f"{why} ({key})" for key, why in by_key)


def settled(lines: Sequence[Line]) -> Mapping[str, Any]:
    """Return the keys that lines set, guesses among them, as values."""
    return nested([line for line in lines if not line.is_offered], 0)


def nested(lines: Sequence[Line], depth: int) -> Mapping[str, Any]:
    """Return the values of lines by the keys of their trails from ``depth`` on."""
    by_key: dict[str, list[Line]] = {}
    for line in lines:
        by_key.setdefault(line.trail[depth], []).append(line)
    return {
        key: below[-1].value if len(below[-1].trail) == depth + 1 else nested(below, depth + 1)
        for key, below in by_key.items()
    }


def _line(line: Line, indent: str, value: str | None = None) -> Iterator[str]:
    mark = "# " if line.is_offered else ""
    text = f"{indent}{mark}{flow(line.trail[-1])}: {flow(line.value) if value is None else value}"
    comment = " ".join(part for part in ("?" * line.is_open, one_line(line.why)) if part)
    if not comment:
        yield text
    elif len(text) + len(comment) + 4 <= WIDTH:
        yield f"{text}  # {comment}"
    else:
        yield f"{indent}# {comment}"
        yield text


def flow(value: Any) -> str:
    """Write a value on one line of YAML.

    >>> flow({"A": ["no", "1e3", "x: #y"]})
    '{A: ["no", "1e3", "x: #y"]}'
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    # Bare where nothing could misread it, else in double quotes with JSON's escapes.
    if re.fullmatch(r"(?:\.{0,2}/)?[A-Za-z_](?:[\w./-]*\w)?", value, re.ASCII) and value.lower() not in WORDS:
        return value
    return f'"{"".join(map(_letter, value))}"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 1 << 16 else f"\\U{ord(letter):08x}"


SHOWN: tuple[tuple[tuple[str, ...], type[BaseModel], str, str], ...] = (
    (("trials",), TrialsKeys, "missing", "drop | reject"),
    (("trials",), TrialsKeys, "unlabelled", "drop"),
    (("trials",), TrialsKeys, "prevalence", "or a number: the share of targets where it is used"),
    ((), Config, "profile", f"{' | '.join(PROFILES)}: fills in keys that are left out"),
    (("primary",), PrimaryQuestion, "measure", "the question answered first"),
    (("primary",), PrimaryQuestion, "criterion", ""),
    ((), Config, "criteria", "how thresholds are set on the development set"),
    ((), Config, "measures", "'reporting measures' lists them all"),
    ((), Config, "curves", "and pr, ape, cost, decision, tippett, histogram, reliability, ..."),
    (("thresholds",), ThresholdsKeys, "policy", "where thresholds come from"),
    (("epc",), EpcKeys, "criteria", "expected performance curves; none leaves them out"),
    (("epc",), EpcKeys, "measures", ""),
    (("significance",), SignificanceKeys, "level", "intervals and tests"),
    (("significance",), SignificanceKeys, "replicates", "or a number of bootstrap resamples"),
    (("significance",), SignificanceKeys, "correction", ""),
    (("significance",), SignificanceKeys, "seed", ""),
    (("report",), ReportKeys, "formats", "and markdown, markdown-full, pdf, docx, xlsx, png"),
    (("report",), ReportKeys, "vocabulary", "biometrics | pad | forensic | medical | ir | ml | evals"),
)
"""Sections, the schema of each, a key of it, and what else it could be."""


def default_lines(given: Collection[tuple[str, ...]]) -> Iterator[Line]:
    """Yield every such key that is not given, nor its section, in the order of the schema."""
    for section, schema, key, why in SHOWN:
        trail = (*section, key)
        if trail not in given and section not in given:
            default = schema.model_fields[key].get_default(call_default_factory=True)
            yield Line(trail, default, why, is_offered=True)
