"""What words of a report mean, for a terminal: codes, methods and questions; or all codes, a line each."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from contextlib import suppress

from reporting.app.handbook.catalogue import detail, entries
from reporting.base.extensions import attribute
from reporting.document.feature import Feature
from reporting.document.needs import TrialFacts
from reporting.document.words.codes import CI_METHODS, CORRECTIONS, P_METHODS, Code, formulas
from reporting.errors import ConfigError, UnknownNameError, did_you_mean, quoted
from reporting.features.catalogue import FEATURES
from reporting.features.codes import codes, find_code

KIND_TITLES = {
    "status": "Statuses: why a number is undefined",
    "flag": "Flags: what must be known of a number",
    "caution": "Cautions about the report",
    "gate": "Gates",
    "config error": "Errors of the config",
    "data error": "Errors of the trials",
    "output error": "Errors of the output",
    "program error": "Ends of the program",
}


def list_of_codes(width: int = 100) -> str:
    """Return all codes by topic, one line per code."""
    lines = []
    for kind, title in KIND_TITLES.items():
        lines += ["", title, ""]
        for code in codes().values():
            if code.kind == kind:
                summary = textwrap.shorten(f"{code.title}: {code.name}", width - 9, placeholder=" …")
                lines.append(f"  {code.key}  {summary}")
    return "\n".join(
        [
            *lines[1:],
            "",
            "`reporting explain CODE` describes one of them, by name too, and methods and questions.",
        ]
    )


METHODS = {
    "ci_methods": ("how an interval was made (ci_method)", CI_METHODS),
    "p_methods": ("how a p-value was made (p_method)", P_METHODS),
    "corrections": ("how p-values were adjusted (correction)", CORRECTIONS),
}
"""Words of frames that are no codes, with their meaning, by part of ``formulas``."""


def page_of(text: str, width: int = 100) -> str:
    """Return in full all that a word means; ConfigError with the nearest guess where that is nothing.

    It may be a code by number or name, a method, a question of a report, a section or curve of it, a measure,
    a criterion, a fit, a frame or one of its columns, or a key of the config.
    """
    word = text.strip().lower()
    # Packages are asked only for what is not the program's, as ``find_code`` does.
    pages = [(f"{word}:", facts) for facts in (_method(word), _question(word, FEATURES.own)) if facts]
    try:
        pages.insert(0, _code(find_code(text)))
    except UnknownNameError:
        if not pages:
            if facts := _question(word, FEATURES):
                return _page(f"{word}:", facts, width)
            with suppress(ConfigError):
                return detail(text, width)
            from reporting.app.handbook.frames import facts_of, names_of_frames
            from reporting.app.handbook.keys import facts_of_key, names_of_keys

            if facts := [*facts_of(word), *facts_of_key(word)]:
                return _page(f"{word}:", facts, width)
            nearest = _nearest(word, [*names_of_frames(), *names_of_keys()])
            raise UnknownNameError(
                f"{quoted(text)} is not a code, method, question, measure, frame, column or key{nearest};"
                " `reporting explain` lists the codes, `reporting measures` the measures"
            ) from None
    return "\n\n".join(_page(head, facts, width) for head, facts in pages)


def _nearest(word: str, others: Iterable[str]) -> str:
    names = [code.name for code in codes().values()]
    names += [key for _, methods in METHODS.values() for key in methods]
    names += [name for feature in FEATURES.values() for name in _words_of(feature)]
    names += [entry.name for entry in entries()]
    names += others
    return did_you_mean(word.upper(), codes()) or did_you_mean(word, names)


def _code(code: Code) -> tuple[str, list[tuple[str, str]]]:
    ignored = f'ignore: {{{code.key}: "your reason"}}' if code.can_be_ignored else "cannot be ignored"
    return f"{code.key}: {code.title}", [
        ("kind", f"{code.kind} {code.name}"),
        ("means", code.meaning),
        ("detected", code.detected),
        ("matters", code.matters),
        ("to do", code.remedy),
        ("to fold it away", ignored),
    ]


def _page(head: str, facts: Iterable[tuple[str, str]], width: int) -> str:
    lines = [head]
    for label, fact in facts:
        lines += textwrap.wrap(f"{label}: {fact}", width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _method(word: str) -> list[tuple[str, str]]:
    facts = []
    for part, (what, methods) in METHODS.items():
        for key, method in methods.items():
            if word in (key, method.name.lower()):
                of = formulas()[part][key]
                where = f"{of.section}, docs/pages/methods/{of.page}.md"
                facts += [(what, method.name), ("formula", of.formula), ("section", where)]
                facts += [("source", of.source)] if of.source else []
    return facts


NOTHING = TrialFacts(
    models=0,
    datasets=0,
    targets=0,
    nontargets=0,
    scores=0,
    has_dev=False,
    attempts=0,
    has_readers=False,
    crosses_folds=False,
    has_pairs=False,
    groups=(),
    in_unit_range=(),
    scales=frozenset(),
)
"""Trials that lack all that any question needs."""


def _words_of(feature: Feature) -> list[str]:
    return [feature.key, *(each.key for each in (*feature.sections, *feature.curves))]


def _question(word: str, features: Mapping[str, Feature]) -> list[tuple[str, str]]:
    for feature in features.values():
        if word in _words_of(feature):
            keys = attribute(feature.keys, "KEYS") if feature.keys else ()
            facts = {
                "question": feature.asks,
                "needs": "; ".join(feature.lacking(NOTHING)),
                "sections": ", ".join(f"{section.key} ({section.title})" for section in feature.sections),
                "keys": ", ".join(key.name for key in keys),
                "frames": ", ".join(recipe.key for recipe in feature.recipes()),
                "curves": ", ".join(curve.key for curve in feature.curves),
            }
            return [(label, fact) for label, fact in facts.items() if fact]
    return []
