"""What a measure is: a frozen value whose metadata drives tables, tests, intervals and the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Status
from reporting.base.contents import Named, Value
from reporting.base.records import dataclass, field
from reporting.base.word_files import read_words
from reporting.core.stats.confusion import Share
from reporting.core.stats.skewness import MeanCosts
from reporting.core.stats.spoofing import Mix

Pair = tuple[float, float]
"""``(w_far, w_frr)``."""
Weights = Pair | Callable[..., Pair | list[Pair]]
"""The weights of a cost, or what gives them for the parameters of a measure: a list of those of all costs of
which it is the mean."""


def pairs_of(weights: Weights, arguments: dict[str, Value]) -> list[Pair]:
    """Return the weights of every cost of which a measure is the mean."""
    pairs = weights(**arguments) if callable(weights) else weights
    return pairs if isinstance(pairs, list) else [pairs]


@dataclass(frozen=True)
class LeastCost:
    """The cost w_far FAR + w_frr FRR whose least value over all thresholds a measure is, or follows from.

    ``weights`` are ``(w_far, w_frr)`` (``Weights``); None where the least cost is the equal error rate on the
    hull. ``cost`` takes the measure to it and ``value`` takes it back.
    """

    weights: Weights | None
    cost: Callable[[Any], Any] = np.asarray
    value: Callable[[Any], Any] = np.asarray


@dataclass(frozen=True)
class Optimum:
    """How a measure that is the best over thresholds is read without choosing anew.

    ``hold`` takes misses and false alarms of the trials at all thresholds, and the parameters, and returns
    what reads the measure off those of resamples with the threshold, hull or map of the trials.
    ``correction`` is how often the optimism that resamples show is taken off, and ``least_errors`` how many
    errors each class must have at the equal error rate: with fewer, the interval would not hold the truth
    often enough (``tests/research/studies``). A part of a function is another one when it comes back from a
    process: not compared.
    """

    hold: Callable[..., Callable[[Any, Any], Any]] = field(compare=False)
    correction: float
    least_errors: float = 0.0


HULL_CORRECTION = 2.2
"""Resamples repeat .45 of the optimism of what is read off a whole hull, over sizes, ties and clusters."""
LEAST_ERRORS = 7.0


Scale = Literal["score", "llr", "log10_llr", "probability", "logit"]
"""What a model's scores are, as its config has it."""
RATIOS = ("llr", "log10_llr")
"""The scales of log likelihood ratios."""
OF_PROBABILITIES = ("probability", "log_odds")
"""What measures of probabilities need."""


Loss = TypeVar("Loss", float, FloatArray)


@dataclass(frozen=True, kw_only=True, repr=False)
class Measure(Named):
    """A number to report: at a threshold, over the sweep of all thresholds, or of the scores themselves.

    ``formula`` takes, with any number of leading axes (resamples) and ``**parameters``,

    - ``threshold``: ``(misses, false_alarms, n_target, n_nontarget)``;
    - ``sweep``: ``(misses, false_alarms)`` at all thresholds along the last axis, accept all to reject all;
    - ``scores``: ``(score, n_target, n_nontarget)``: distinct scores in ascending order on the scale that
      ``needs`` names (shape (H,)), and the trials of each class at each of them (shape (..., H)).

    Undefined is NaN. ``weights`` are ``(w_far, w_frr)`` where the measure is that weighted sum.
    """

    label: str
    """The short printed name; parameters in braces are filled in: ``FRR at {far} FAR``."""
    name: str
    over: Literal["threshold", "sweep", "scores"]
    better: Literal["lower", "higher"]
    bounds: tuple[float, float] = (0.0, 1.0)
    ideal: float | None = None
    """The value of a perfect model, where neither direction is better; ``better`` then has no meaning."""
    printed_in: Literal["percent", "number"] = "percent"
    formula: Callable[..., Any]
    weights: Pair | Callable[..., Pair] | None = None
    needs: Literal["", "llr", "probability", "log_odds"] = ""
    """The scale without which a measure of the scores is undefined: natural-log likelihood ratios,
    probabilities of the target, or their log odds, which are exact where a probability rounds to 1."""
    on_runs: bool | Callable[..., bool] = True
    """Over the sweep: unchanged when neighbouring scores of one class are merged (truth-state runs)."""
    own_cut: bool = False
    """Read at the threshold that suits the judged split itself: a posteriori by construction."""
    unreached: Status = "degenerate"
    """Why it is undefined though both classes have trials."""
    least_cost: LeastCost | None = None
    """The cost that the best of all thresholds attains, where the value is one."""
    optimum: Optimum | None = None
    """What the value is the best of, where that is no weighted sum of both rates."""
    biased_upward: bool = False
    """Too high even where the truth is 0, such as a distance from what these very trials say is best."""
    smooth: bool = False
    """Read off a smooth curve over probabilities: of very many, resamples see neighbours merged."""
    skewed: bool = False
    """Whether few trials skew its resamples: their spread makes its interval, on a scale without bounds."""
    unknown_of_pairs: bool = False
    """Whether no interval of pair trials holds the truth often enough (``tests/research/studies``)."""
    bayes_costs: Weights | None = None
    """Those of Bayes decisions, of which the value is the mean: likelihood ratios are accepted from
    w_far / w_frr on."""
    mean_costs: Callable[..., MeanCosts] | None = None
    """What trials cost by their scores, on the scale that ``needs`` names, where the value is a mean cost."""
    highest: Callable[..., float] | None = None
    """Of how many of the highest scores the value is a share: of the number of trials and the parameters."""
    totals: bool | Callable[..., bool] = False
    """Whether it depends on how many trials there are, and not on their proportions alone."""
    counted: Share | None = None
    """The share of trials that the value is: it gives k and n of k of n trials."""
    of_area: tuple[float, float] | None = None
    """``(a, b)`` where the value is a + b AUC: its standard error is then known in closed form."""
    chance: float | Callable[..., float | None] | None = None
    """What scores that say nothing would have; below it they rank the wrong way. None: not known."""
    always_said: tuple[str, ...] = ()
    """Parameters that are printed even at their defaults."""
    offset: Callable[..., float] | None = None
    """What is added to ``w_far FAR + w_frr FRR``, the cost that no threshold moves; None: nothing."""
    mixed: Callable[..., Mix] | None = None
    """Where FAR is a mean of two rates: how much that of zero-effort trials counts, and that of spoofs."""
    swept: str = ""
    """The parameter that takes the EPC's own alpha where an EPC leaves it out."""
    synonyms: tuple[str, ...] = ()
    definition: str = ""
    source: str = ""

    @property
    def arguments(self) -> dict[str, Value]:
        """The parameters as keyword arguments of the formula; ``calibration`` acts on the scores instead."""
        return {name: value for name, value in super().arguments.items() if name != "calibration"}

    @property
    def calibration(self) -> str:
        """How scores are mapped before the formula sees them: ``none``, or by a map fitted on development."""
        return str(super().arguments.get("calibration", "none"))

    @property
    def of_grades(self) -> bool:
        """Whether it is a mean of the scores themselves: labels and thresholds have no part in it."""
        return self.mean_costs is not None and not self.needs

    @property
    def sees_runs(self) -> bool:
        """Whether scores may be merged into runs of one class first."""
        return self.on_runs(**self.arguments) if callable(self.on_runs) else self.on_runs

    @property
    def optimised(self) -> bool:
        """Whether the value is that of the threshold which is best on the judged split itself: optimistic."""
        return self.own_cut and (self.least_cost is not None or self.optimum is not None)

    @property
    def of_total(self) -> bool:
        """Whether it depends on how many trials there are."""
        return self.totals(**self.arguments) if callable(self.totals) else self.totals

    def below_chance(self, value: float) -> bool:
        """Return whether a value shows that the scores rank the classes the wrong way round."""
        chance = self.chance(**self.arguments) if callable(self.chance) else self.chance
        return chance is not None and value < chance

    def loss(self, value: Loss) -> Loss:
        """Return a number, or numbers, the lower the better the value: it ranks models."""
        if self.ideal is not None:
            return abs(value - self.ideal)
        return value if self.better == "lower" else -value

    @property
    def best(self) -> str:
        """What the best of several models has: the lowest, the highest, or the value nearest to the ideal."""
        if self.ideal is not None:
            return f"nearest to {self.ideal:g}"
        return "lowest" if self.better == "lower" else "highest"

    @property
    def mix(self) -> Mix | None:
        """How the rates of two kinds of non-targets are mixed; None where all are alike."""
        return None if self.mixed is None else self.mixed(**self.arguments)

    def linear(self) -> Pair | None:
        """Return ``(w_far, w_frr)`` of ``V = w_far FAR + w_frr FRR``, or None."""
        return None if self.offset or self.mixed else self.rate_weights()

    def rate_weights(self) -> Pair | None:
        """Return the same with an offset added, or with FAR that of a mix."""
        return self.weights(**self.arguments) if callable(self.weights) else self.weights

    @property
    def one_class(self) -> bool | None:
        """The label of the only trials that it counts: true targets, false non-targets; None of both."""
        if self.counted is not None and self.counted.whole in ("target", "nontarget"):
            return self.counted.whole == "target"
        far, frr = self.rate_weights() or (1.0, 1.0)
        return None if (far == 0) == (frr == 0) else frr != 0

    @property
    def constant(self) -> float:
        """What is added to the weighted sum of both rates."""
        return 0.0 if self.offset is None else self.offset(**self.arguments)


WORDS = read_words(Path(__file__).with_name("words.yaml")).plain()


def measure(key: str, /, **fields: Any) -> Measure:
    """Return a measure with its label, name, synonyms, definition and source (``words.yaml``)."""
    return Measure(key=key, **WORDS[key], **fields)
