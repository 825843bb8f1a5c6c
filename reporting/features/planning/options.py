"""What can be given to a plan: each option with its meaning, and what it may be."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reporting.base.contents import Contents, Named
from reporting.base.records import dataclass
from reporting.errors import ConfigError, did_you_mean, listed, quoted

Given = Mapping[str, Any]
"""Options by name, as read; what is not given is missing."""

LONGEST = 200
"""Characters of a text that can be given."""
MOST = 10**12
"""The largest number of trials that can be given."""


@dataclass(frozen=True, kw_only=True)
class PlanOption(Named):
    """One option: its help, and which values it takes.

    A number lies strictly between ``low`` and ``high``, or may also be one of them (``closed``); a ``whole``
    one counts something; ``words`` are the only values of an option that has some. ``1%`` is 0.01.
    """

    help: str
    low: float = 0.0
    high: float = 1.0
    closed: bool = False
    whole: bool = False
    words: tuple[str, ...] = ()
    flag: bool = False
    text: bool = False
    synonyms: tuple[str, ...] = ()

    @property
    def switch(self) -> str:
        """The option on the command line."""
        return "--" + self.key.replace("_", "-")

    def read(self, given: Any, where: str) -> Any:
        """Return the value that is given, from a text or a number; ConfigError for any other."""
        if self.flag:
            if isinstance(given, bool):
                return given
            raise ConfigError(f"{where}: expected True or False, found {_shown(given)}")
        if self.text or self.words:
            return self._word(given, where)
        return self._number(given, where)

    def _word(self, given: Any, where: str) -> str:
        if not isinstance(given, str) or not given.strip():
            raise ConfigError(f"{where}: expected text, found {_shown(given)}")
        if not self.words and len(given) > LONGEST:
            raise ConfigError(f"{where}: expected at most {LONGEST} characters, found {len(given):,}")
        if not self.words:
            return given.strip()
        word = given.strip().lower().replace("-", "_")
        if word not in self.words:
            guess = did_you_mean(word, self.words)
            raise ConfigError(f"{where}: {quoted(given)} is unknown{guess} (allowed: {listed(self.words)})")
        return word

    def _number(self, given: Any, where: str) -> float | int:
        number = _as_number(given)
        kind = "a whole number" if self.whole else "a number"
        if number is None or not math.isfinite(number) or (self.whole and number != int(number)):
            raise ConfigError(f"{where}: expected {kind}{self._range}, found {_shown(given)}")
        inside = self.low <= number <= self.high if self.closed else self.low < number < self.high
        if not inside:
            raise ConfigError(f"{where}: {_shown(given)} is not {self._range.strip()}")
        return int(number) if self.whole else number

    @property
    def _range(self) -> str:
        if math.isinf(self.high):
            return f" {'of at least' if self.closed else 'above'} {self.low:g}"
        if self.high == MOST:
            return f" from {self.low:g} to {MOST:,}"
        before, after = ("from", "to") if self.closed else ("between", "and")
        return f" {before} {self.low:g} {after} {self.high:g}"


def _as_number(given: Any) -> float | None:
    """Read a number, or a text of one, which may end in a percent sign; None for anything else."""
    if isinstance(given, bool):
        return None
    if isinstance(given, str):
        text = given.strip()
        percent, text = text.endswith("%"), text.removesuffix("%")
        if not text.isascii() or "_" in text:
            return None
        try:
            return float(text) / (100 if percent else 1)
        except ValueError:
            return None
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return None


def _shown(given: Any) -> str:
    if isinstance(given, str):
        return quoted(given)
    return f"{given!r}" if isinstance(given, int | float) and abs(given) < 1e300 else type(given).__name__


def _option(key: str, count: int | None = None, **fields: Any) -> PlanOption:
    """Return an option as the file has it; ``count`` is the least of one that counts something."""
    values: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in fields.items()
    }
    if count is not None:
        values |= {"low": count, "high": MOST, "closed": True, "whole": True}
    return PlanOption(key=key, **values)


_READ = tomllib.loads(Path(__file__).with_name("options.toml").read_text("utf-8"))
OPTIONS = Contents("option", [_option(key, **fields) for key, fields in _READ.items()])
