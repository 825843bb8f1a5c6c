"""What a report asks: which models, measures, criteria and curves, and the one primary question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from reporting.base.records import dataclass, field, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.curves import Curve, Fit
from reporting.core.measures.costs import OperatingPoint
from reporting.core.measures.measure import Measure, Scale
from reporting.core.resampling.settings import Inference
from reporting.core.stats.roc_bands import Kind
from reporting.core.stats.spoofing import Mix
from reporting.core.stats.staircase import ThresholdAt, Ties
from reporting.inputs.spec import OneClass, Runs, ThresholdPlan


@dataclass(frozen=True)
class ModelEntry:
    """One model as the config names it: its key in the table, its printed name, what its scores mean."""

    key: str
    name: str
    scale: Scale = "score"
    higher_is: Literal["target", "nontarget"] = "target"


@dataclass(frozen=True)
class Primary:
    """The question the report answers first."""

    measure: Measure
    criterion: Criterion


@dataclass(frozen=True)
class EpcPlan:
    """Which Expected Performance Curves to compute: alphas are k/(n-1), k = 0..n-1."""

    criteria: tuple[Criterion, ...]
    measures: tuple[Measure, ...]
    alphas: int = 101
    bounds: tuple[float, float] = (0.0, 1.0)
    """The range of the curve's parameter over which areas are taken, as well as over [0, 1]."""


@dataclass(frozen=True)
class AcrossPlan:
    """Contrasts over the groups that columns of the table make."""

    columns: tuple[str, ...]
    measures: tuple[Measure, ...]
    """At the thresholds of the study's ``point_criterion``."""
    reference: tuple[str, ...] | None = None
    """The values of the group that the others are held against; None: each against all other trials."""
    alpha: float = 0.5
    """The weight of the FAR in GARBE."""


@dataclass(frozen=True)
class Study:
    """The whole question of a report, as values; ``models`` holds only those the config mentions."""

    title: str
    primary: Primary
    criteria: tuple[Criterion, ...]
    measures: tuple[Measure, ...]
    epc: EpcPlan | None
    curves: tuple[Curve, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    baseline: str | None = None
    ties: Ties = "balanced"
    threshold_at: ThresholdAt = "midpoint"
    inference: Inference = field(default_factory=Inference)
    vocabulary: str = "detection"
    thresholds: ThresholdPlan = field(default_factory=ThresholdPlan)
    operating_points: tuple[OperatingPoint, ...] = ()
    prevalence: float | None = None
    """The declared share of targets; None: that of the sample."""
    by: tuple[tuple[str, ...], ...] = ()
    """Breakdowns by columns of the table; several columns in one are a crossing."""
    one_class: Mapping[str, OneClass] = field(default_factory=dict)
    """Columns of breakdowns that describe the trials of one class: a group has all trials of the other."""
    across: tuple[AcrossPlan, ...] = ()
    """Groups whose values are contrasted."""
    runs: Runs = "seed"
    """What several runs of a model are."""
    turned: bool = False
    """Whether lower scores of every model without an entry in ``models`` favour the target."""
    cluster_names: tuple[str, ...] = ()
    """What one cluster is called, of two populations one of each; empty: as the columns are."""
    averaged_over: str | None = None
    """The column over whose values every measure is averaged."""
    fits: tuple[Fit, ...] = ()
    """The smooth curves that are fitted."""
    sections: tuple[str, ...] = ()
    """The sections that the config names: some frames are there for one of them alone."""
    question_keys: Mapping[str, Any] = field(default_factory=dict)
    """Values of the config's keys that belong to one question, by key."""
    implied: Criterion | None = None
    """The criterion that the config does not name, but that the primary question of the defaults needs."""
    criterion_unnamed: bool = field(default=False, compare=False)
    """Whether a primary measure at a threshold is named without its criterion."""
    profile: str | None = None
    """The guidance whose core set the report lays out."""
    unplaced: tuple[Criterion, ...] = ()
    """The criteria that are left out because there are no data to choose their thresholds on."""
    many: bool = False
    """Whether models are ranked instead of compared in pairs."""

    @property
    def ranked(self) -> bool:
        """Whether models are ranked, with limits of the ranks: very many, or where the config asks for it.

        Ranks are those of all trials: of means over a column there are none.
        """
        return self.averaged_over is None and (self.many or "ranking" in self.sections)

    @property
    def bands(self) -> Kind:
        """The kind of band of the curves of FAR and FRR; none where no such curve is drawn."""
        return self.inference.bands if any(curve.bands for curve in self.curves) else "none"

    def draws(self, word: str) -> bool:
        """Return whether the curve of a word is drawn."""
        return any(curve.key == word for curve in self.curves)

    @property
    def curve_frames(self) -> frozenset[str]:
        """The names of the frames that the curves are drawn from."""
        return frozenset(curve.frame for curve in self.curves)

    @property
    def point_criterion(self) -> Criterion | None:
        """The criterion of the primary question, or else the first: its points are drawn and watched."""
        if self.primary.measure.over == "threshold":
            return self.primary.criterion
        return self.criteria[0] if self.criteria else None

    def with_key(self, name: str, value: object) -> Study:
        """Return the study with the value of a key that belongs to one question."""
        return replace(self, question_keys={**self.question_keys, name: value})

    def measuring(self, values: Iterable[Measure | Criterion]) -> Study:
        """Return the study with further measures and criteria."""
        further = list(values)
        measures = (*self.measures, *(value for value in further if isinstance(value, Measure)))
        criteria = (*self.criteria, *(value for value in further if isinstance(value, Criterion)))
        return replace(self, measures=tuple(dict.fromkeys(measures)), criteria=tuple(dict.fromkeys(criteria)))

    def alone(self, *more: Criterion) -> Study:
        """Return the study of its primary question alone, at ``more`` criteria too; no groups, no curves."""
        return replace(
            self,
            measures=(self.primary.measure,),
            criteria=(self.primary.criterion, *more),
            operating_points=(),
            epc=None,
            curves=(),
            fits=(),
            by=(),
            across=(),
            sections=(),
        )

    def in_order(self, present: list[str]) -> list[str]:
        """Return the models found in the table, in the report's order: the config's, then by key."""
        declared = [entry.key for entry in self.models]
        return [key for key in declared if key in present] + sorted(
            (key for key in present if key not in declared), key=lambda key: key.encode()
        )

    @property
    def mixes(self) -> tuple[Mix, ...]:
        """How measures mix two kinds of non-targets, each once."""
        return _mixes((*self.measures, *(self.epc.measures if self.epc else ())))

    @property
    def mixes_of_criteria(self) -> tuple[Mix, ...]:
        """The same of the criteria."""
        return _mixes((*self.criteria, *(self.epc.criteria if self.epc else ())))

    def of_mix(self, mix: Mix | None) -> Study:
        """Return the study of the measures that mix kinds so, or not at all.

        Points and fits are those of two classes.
        """
        measures = tuple(measure for measure in self.measures if measure.mix == mix)
        epc = self.epc
        if epc is not None:
            epc = replace(epc, measures=tuple(measure for measure in epc.measures if measure.mix == mix))
        if mix is None:
            return replace(self, measures=measures, epc=epc)
        return replace(self, measures=measures, epc=epc, operating_points=(), fits=(), curves=())

    def one_class_of(self, columns: Iterable[str]) -> dict[str, OneClass]:
        """Return those of some columns that describe one class, each with that class."""
        return {column: self.one_class[column] for column in columns if column in self.one_class}

    def scale_of(self, key: str) -> Scale:
        """Return the scale of a model's scores."""
        return next((entry.scale for entry in self.models if entry.key == key), "score")

    @property
    def negated(self) -> frozenset[str]:
        """The models whose lower scores favour the target: the engine counts their negated scores."""
        return frozenset(entry.key for entry in self.models if entry.higher_is == "nontarget")

    def name_of(self, key: str) -> str:
        """Return the printed name of a model."""
        return next((entry.name for entry in self.models if entry.key == key), key)


def _mixes(values: Iterable[Measure | Criterion]) -> tuple[Mix, ...]:
    return tuple(dict.fromkeys(mix for value in values if (mix := value.mix) is not None))
