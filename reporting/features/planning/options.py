"""What can be given to a plan: each option with its meaning, and what it may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reporting.base.contents import Contents, Named
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


def _count(key: str, help: str, least: int = 1, *synonyms: str) -> PlanOption:
    return PlanOption(key=key, help=help, low=least, high=MOST, closed=True, whole=True, synonyms=synonyms)


OPTIONS = Contents(
    "option",
    [
        PlanOption(key="rate", help="Expected rate, such as 0.01 or 1%."),
        PlanOption(key="auc", help="Expected AUC; of two models that of the better one."),
        PlanOption(key="eer", help="Expected equal error rate.", high=0.5),
        PlanOption(key="sensitivity", help="Expected sensitivity."),
        PlanOption(key="at_specificity", help="Specificity at which the same data set the threshold."),
        PlanOption(key="width", help="Width of the confidence interval, from limit to limit."),
        PlanOption(
            key="within", help="Relative half-width of the interval: 0.3 is the rate ± 30%.", high=math.inf
        ),
        PlanOption(key="bound", help="Value that the upper limit of the rate must not exceed."),
        _count("errors", "Errors that may occur and still give the bound; without --rate. [default: 0]", 0),
        PlanOption(key="against", help="Fixed value that the number is tested against."),
        PlanOption(key="difference", help="Difference of two models to detect: the second is worse by it."),
        PlanOption(key="margin", help="Non-inferiority margin: the second model is not worse by it."),
        PlanOption(
            key="correlation",
            low=-1.0,
            closed=True,
            help="Correlation of the two models' values over samples; of rates that of their errors.",
        ),
        PlanOption(
            key="score_correlation",
            low=-1.0,
            closed=True,
            help="Correlation of the two models' scores within a class, instead of --correlation.",
        ),
        PlanOption(key="disagreement", help="Share of trials that exactly one of the two models gets wrong."),
        PlanOption(key="unpaired", flag=True, help="The two models see different trials, so many each."),
        PlanOption(key="power", help="Chance that the test succeeds. [default: 0.8]"),
        PlanOption(key="level", help="Confidence level; tests err with 1 - level. [default: 0.95]"),
        PlanOption(key="ratio", high=math.inf, help="Non-targets per target. [default: 1]"),
        PlanOption(key="prevalence", help="Share of targets, instead of --ratio."),
        _count("trials", "Trials at hand: report what they give."),
        _count("targets", "Targets at hand: report what they give.", 1, "cases"),
        _count("nontargets", "Non-targets at hand. [default: targets times --ratio]", 1, "controls"),
        _count(
            "per_cluster",
            "Trials of one subject, speaker or other cluster.",
            1,
            "per_subject",
            "per_speaker",
        ),
        _count("per_pair", "Trials of each pair of subjects, where all pairs of them are compared."),
        PlanOption(key="icc", closed=True, help="Correlation of two trials of one cluster, from 0 to 1."),
        PlanOption(
            key="design_effect",
            high=math.inf,
            help="Variance relative to independent trials, instead of --icc.",
        ),
        PlanOption(
            key="unit", text=True, help="What clusters are called, in the plural. [default: subjects]"
        ),
        PlanOption(
            key="method",
            words=("exact", "normal", "rule_of_3", "rule_of_30", "hanley_mcneil", "obuchowski"),
            help="Default, or a published formula by its name.",
        ),
        PlanOption(
            key="spread",
            high=math.inf,
            help="Standard deviation of non-target scores relative to targets. [default: 1]",
        ),
        _count("readers", "Readers who see every case.", 2),
        PlanOption(key="var_tr", closed=True, help="Variance of treatment by reader (Obuchowski, Rockette)."),
        PlanOption(key="error_variance", help="Variance of one reader's value over samples of cases."),
        PlanOption(key="cov1", low=-1.0, help="Covariance of two models read by the same reader."),
        PlanOption(key="cov2", low=-1.0, help="Covariance of two readers of the same model."),
        PlanOption(key="cov3", low=-1.0, help="Covariance of two readers of different models."),
        _count("pilot_cases", "Cases that the variances and covariances are of.", 2),
        PlanOption(key="model", text=True, help="Model of the pilot. [default: all that are compared]"),
    ],
)
