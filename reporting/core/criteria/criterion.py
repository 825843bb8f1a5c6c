"""What a criterion is: a frozen rule for a threshold, a priori on development or a posteriori on test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reporting.base.contents import Named, Value
from reporting.base.records import dataclass
from reporting.base.word_files import read_words
from reporting.core.stats.choice import Choice, Staircases
from reporting.core.stats.spoofing import Mix
from reporting.core.stats.staircase import FixedRate, Staircase, Ties
from reporting.core.stats.steps import Steps
from reporting.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Criterion(Named):
    """A rule that chooses one threshold of every row of counts, or one per value of its ``swept`` parameter.

    ``select`` takes ``(rows, ties, **parameters)``; a swept parameter may be an array. A criterion
    that needs no counts has ``threshold`` instead, which takes its parameters (and the swept one, which
    then replaces all of them) and returns thresholds on the scale that ``on`` names.
    """

    name: str
    label: str
    """The printed name; parameters in braces are filled in: ``FAR {how} {far}``."""
    rule: str = ""
    """The same to follow ``thresholds``: ``with FAR {how} {far}``."""
    always_said: tuple[str, ...] = ()
    """Parameters that are printed even at their defaults."""
    select: Callable[..., Choice] | None = None
    threshold: Callable[..., Any] | None = None
    on: Literal["dev", "llr", "score"] = "dev"
    """Where thresholds come from: the counts of the development set, the natural-log likelihood ratio
    scale, or the raw scores' scale."""
    exact_steps: Callable[..., Steps | None] | None = None
    """``(staircase, **parameters)`` without the swept one: the whole curve, where no grid is needed."""
    mixed: Callable[..., Mix] | None = None
    """Where FAR is a mean of two rates: how much that of zero-effort trials counts, and that of spoofs."""
    of_each: bool = False
    """Chosen on development for each group of a column that describes non-targets; the highest is used."""
    same_weights: bool = False
    """Holds only where all trials weigh the same."""
    whole_clusters: Literal["", "target", "nontarget", "drawn"] = ""
    """The class whose errors it counts by cluster, where clusters are declared; empty: by trial.

    ``select`` then takes ``share``, the mean size of a cluster divided by the largest size. ``drawn``: it
    sees one trial of each cluster, drawn so that every trial is as likely.
    """
    own_share: bool = False
    """Holds only for the share of targets that the development set has."""
    swept: str = ""
    """The parameter along which an Expected Performance Curve of this criterion runs."""
    oracle: bool = False
    """Chosen on the split on which it is judged: always printed "a posteriori"."""
    has_oracle: bool = True
    """Whether a choice on the judged split itself has a meaning."""
    definition: str = ""
    source: str = ""

    def __str__(self) -> str:
        name = super().__str__()
        return f"oracle({name})" if self.oracle else name

    def __repr__(self) -> str:
        return str(self)

    @property
    def mix(self) -> Mix | None:
        """How the rates of two kinds of non-targets are mixed; None where all are alike."""
        return None if self.mixed is None else self.mixed(**self.arguments)

    @property
    def needs_dev(self) -> bool:
        """Return whether data other than those it is judged on choose it."""
        return self.threshold is None and not self.oracle

    @property
    def fixed_rate(self) -> FixedRate | None:
        """Return the error rate at which it puts the threshold; None where it fixes none."""
        for name, of_targets in (("far", False), ("frr", True)):
            if name in self.arguments:
                return FixedRate(float(str(self.arguments[name])), of_targets)
        return None

    def choose(self, staircase: Staircase, ties: Ties, **swept: Any) -> Choice:
        """Return the chosen threshold of one staircase, or one per ``swept`` value; see ``choose_each``."""
        chosen = self.choose_each(Staircases.of(staircase), ties, **swept)
        shape = np.shape(swept[self.swept]) if self.swept in swept else ()
        return Choice(chosen.cut.reshape(shape), chosen.tied.reshape(shape))

    def choose_each(self, rows: Staircases, ties: Ties, **swept: object) -> Choice:
        """Return the chosen thresholds of every row; ``swept`` replaces parameters, by arrays for a curve."""
        if self.select is None:
            raise ConfigError(f"'{self}' has no threshold that is chosen on data")
        return self.select(rows, ties, **(self.arguments | swept))

    def steps(self, staircase: Staircase) -> Steps | None:
        """Return which threshold is chosen on which interval of the swept parameter; None if not exact."""
        if self.exact_steps is None:
            return None
        return self.exact_steps(staircase, **{k: v for k, v in self.arguments.items() if k != self.swept})

    def replaced(self) -> dict[str, tuple[Value, Value]]:
        """Return value and default of the parameters that a curve replaces: the swept one, or else all."""
        own = [p for p in self.parameters if p.name == self.swept]
        return {p.name: (p.value, p.default) for p in own or self.parameters}


WORDS = read_words(Path(__file__).with_name("words.yaml")).plain()


def criterion(key: str, /, **fields: Any) -> Criterion:
    """Return a criterion with its name, label, rule, definition and source (``words.yaml``)."""
    return Criterion(key=key, **WORDS[key], **fields)
