"""Where each model operates: thresholds chosen by every criterion on development, and errors on test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.codes import Flag, Status
from reporting.base.records import dataclass, field, replace
from reporting.base.remembering import keeps_latest
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.counts.outcomes import Bins, bin_trials
from reporting.core.counts.ranks import (
    Ranks,
    WholeClusters,
    cuts_counted,
    one_of_each_cluster,
    whole_clusters,
)
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.criteria.criterion import Criterion
from reporting.core.curves import epc
from reporting.core.curves.epc import ThresholdResult, Thresholds, along
from reporting.core.engine.scales import Scaling
from reporting.core.engine.study import Study
from reporting.core.engine.values import Value, value_over
from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.costs import OperatingPoint
from reporting.core.measures.measure import Measure
from reporting.core.resampling.bootstrap import ThresholdKey
from reporting.core.resampling.draws import stream
from reporting.core.stats.spoofing import Mix
from reporting.errors import ConfigError, DataError


@dataclass(frozen=True, eq=False)
class BinnedTrials:
    """Trials by bin, and which of the bins' thresholds each threshold of the operation is (shape (P,))."""

    bins: Bins
    index: IntArray

    def accepted(self, at: int = 0) -> BoolArray:
        """Return which trials are accepted at one of the operation's thresholds, shape (N,)."""
        return np.asarray(self.bins.of_trial > self.index[at])


MANY_TRIALS = 2**17
"""Test trials from which the bins that were looked at last are kept, and not all."""


@dataclass(frozen=True, eq=False)
class JudgedModel:
    """One model on one dataset and group: its thresholds, and its operations by criterion and along each EPC.

    ``dev`` is None where the policy chooses thresholds without one. A criterion that needs a scale the
    model does not have, or data that are not there, is in neither dictionary.
    """

    key: Key
    """The key of the test rows."""
    dev_key: Key | None
    """The key of the dev rows; None where another dataset, whose dev it is, has them."""
    dev: Cuts | None
    test: Cuts
    ranks: Ranks
    scaling: Scaling
    single: dict[Criterion, ThresholdResult] = field(default_factory=dict)
    along: dict[Criterion, ThresholdResult] = field(default_factory=dict)
    mixes: Mapping[Mix | None, Cuts] = field(default_factory=dict)
    """The thresholds of the same test trials as criteria see them, by how they mix kinds of non-targets."""

    def __getstate__(self) -> dict[str, object]:
        """Leave out what another process makes again sooner than it reads it."""
        return {name: value for name, value in vars(self).items() if name != "binned"}

    def at(self, chosen: ChosenThresholds, study: Study) -> JudgedModel:
        """Return the model with what it does at thresholds that are chosen."""

        def judged(thresholds: Thresholds) -> ThresholdResult:
            rules, best_on = (study.ties, study.threshold_at), self.mixes.get(thresholds.criterion.mix)
            if thresholds.by_fold:
                return epc.judge_across(thresholds, self.test, self.rank, self.ranks, *rules, best_on)
            return epc.judge(thresholds, self.dev, self.test, *rules, best_on)

        return replace(
            self,
            single={criterion: judged(thresholds) for criterion, thresholds in chosen.single.items()},
            along={criterion: judged(thresholds) for criterion, thresholds in chosen.along.items()},
        )

    @property
    def rank(self) -> RankArray:
        """The rank of every test trial among the distinct scores."""
        return self.ranks.rank[self.id]

    @property
    def id(self) -> tuple[str, str]:
        """The model and its run."""
        return self.key.id

    def place(self, operation: ThresholdResult) -> ThresholdKey:
        """Where the resamples of an operation are kept."""
        return self.id, operation.name

    @property
    def operations(self) -> list[ThresholdResult]:
        """Every operation of the model."""
        return [*self.single.values(), *self.along.values()]

    def operation(self, name: str) -> ThresholdResult:
        """Return the operation of that name."""
        return next(operation for operation in self.operations if operation.name == name)

    def binned(self, name: str) -> BinnedTrials:
        """Return the test trials binned by an operation's thresholds."""
        if self.ranks.n_trials >= MANY_TRIALS:
            return _latest_bins(self, name)
        if name not in self._binned:
            self._binned[name] = self._bin(self.operation(name))
        return self._binned[name]

    @cached_property
    def _binned(self) -> dict[str, BinnedTrials]:
        return {}

    def _bin(self, operation: ThresholdResult) -> BinnedTrials:
        if operation.chosen.by_fold:
            return self._bin_across(operation)
        bins = bin_trials(self.test, self.rank, operation.chosen.threshold)
        return BinnedTrials(bins, bins.index(self.test, operation.chosen.threshold))

    def _bin_across(self, operation: ThresholdResult) -> BinnedTrials:
        """Every trial by how many of its own fold's thresholds it passes; they move alike in all folds."""
        assert self.ranks.fold is not None
        order = _common_order(operation.chosen)
        score, of_trial = self.test.score[self.rank], np.zeros(len(self.rank), dtype=np.uint32)
        for fold, thresholds in enumerate(operation.chosen.threshold[:, order]):
            members = np.flatnonzero(self.ranks.fold == fold)
            passed = np.searchsorted(thresholds, score[members], side="right")
            # A threshold of +inf rejects even a score of +inf.
            of_trial[members] = np.minimum(passed, (thresholds < np.inf).sum())
        index = np.empty(len(order), dtype=np.int64)
        index[order] = np.arange(len(order))
        return BinnedTrials(Bins(np.arange(len(order)), of_trial), index)

    @cached_property
    def _values(self) -> dict[tuple[Measure, str], Value]:
        return {}

    def value(self, measure: Measure, split: str = "test") -> Value:
        """Return a measure over the sweep or of the scores, computed once."""
        question = measure, split
        if question not in self._values:
            cuts = self.test if split == "test" else self.dev
            assert cuts is not None
            self._values[question] = value_over(measure, cuts, self.scaling)
        return self._values[question]


@keeps_latest(8)
def _latest_bins(model: JudgedModel, name: str) -> BinnedTrials:
    """The bins looked at last: those of a baseline are looked at in every pair."""
    return model._bin(model.operation(name))


def _common_order(chosen: Thresholds) -> IntArray:
    """Return the order in which the thresholds of every fold ascend."""
    forward = np.arange(chosen.threshold.shape[1])
    for order in (forward, forward[::-1]):
        placed = chosen.threshold[:, order]
        if (placed[:, 1:] >= placed[:, :-1]).all():
            return order
    raise ConfigError(
        f"epc.criteria: along '{chosen.criterion}' the thresholds of different folds do not move alike,"
        " so no interval can be drawn; leave it out, or choose thresholds on a dev split"
    )


@dataclass(frozen=True, eq=False)
class ChosenThresholds:
    """The thresholds of one model on one dataset: of every criterion, and along each EPC.

    They are chosen on the whole dev set and hold for every group.
    """

    single: dict[Criterion, Thresholds]
    along: dict[Criterion, Thresholds]


def choose_all(
    key: Key,
    chosen_on: Mapping[Mix | None, Cuts],
    test: Mapping[Mix | None, tuple[Cuts, Ranks]],
    scaling: Scaling,
    study: Study,
    groups: Sequence[Cuts] = (),
    dev_ranks: Ranks | None = None,
) -> ChosenThresholds:
    """Choose every threshold of one model: on the development set, across folds of test, or without data.

    Development and test are given for every mix of non-targets that a criterion needs, and without one.
    ``groups`` are the development thresholds by what describes non-targets, for the criteria that choose on
    each, ``dev_ranks`` the development trials, for those that count by clusters.
    """

    def chosen(criterion: Criterion, alpha: FloatArray | None) -> Thresholds | None:
        if criterion.threshold is not None:
            return _placed(criterion, alpha, scaling)
        dev, (cuts, ranks) = chosen_on.get(criterion.mix), test[criterion.mix]
        _refuse_others(criterion, ranks, study)
        share = None
        try:
            if dev is None and ranks.fold is None:
                return None  # the policy chooses nothing
            if criterion.whole_clusters and ranks.unit_a is not None and study.inference.unit != "trial":
                chosen_among = ranks if dev is None else dev_ranks
                counted = _by_cluster(criterion, chosen_among, key.id, study.inference.seed)
                assert chosen_among is not None
                rank, label = chosen_among.rank[key.id], chosen_among.label
                share = counted.share
                if dev is None:
                    cuts = cuts_counted(cuts, rank, label, counted.counts)
                    ranks = replace(ranks, weight=counted.counts)
                else:
                    dev = cuts_counted(dev, rank, label, counted.counts)
            if criterion.of_each:
                return _highest(criterion, groups, study)
            if dev is None:
                rank = ranks.rank[key.id]
                rules = study.ties, study.threshold_at
                return epc.choose_across(cuts, rank, ranks, criterion, *rules, alpha, share)
            if criterion.mix and not all(dev.totals):
                raise DataError(f"'{criterion}' needs targets, zero-effort trials and spoofs on development")
            return epc.choose(dev, criterion, study.ties, study.threshold_at, alpha, share)
        except DataError as error:
            where = f"model {key.model!r}" + (f", dataset {key.dataset!r}" if key.dataset != "all" else "")
            raise DataError(*(f"{where}: {fault}" for fault in error.faults)) from None

    criteria = a_priori((*study.criteria, *point_criteria(study)))
    swept = study.epc.criteria if study.epc else ()
    return ChosenThresholds(
        {criterion: placed for criterion in criteria if (placed := chosen(criterion, None))},
        {criterion: placed for criterion in swept if (placed := chosen(criterion, alphas(study)))},
    )


def _refuse_others(criterion: Criterion, ranks: Ranks, study: Study) -> None:
    """Raise ConfigError for trials of which a criterion promises nothing."""
    if criterion.same_weights and ranks.weight is not None:
        raise ConfigError(
            f"'{criterion}' holds for trials that weigh the same; leave trials.weights and strata out"
        )
    if criterion.same_weights and ranks.noise is not None:
        raise ConfigError(f"'{criterion}' holds for counts without noise")
    if criterion.own_share and study.prevalence is not None:
        raise ConfigError(
            f"'{criterion}' holds for the share of targets of the development set; leave trials.prevalence"
            " out"
        )


def _by_cluster(
    criterion: Criterion, ranks: Ranks | None, model: tuple[str, str], seed: int
) -> WholeClusters:
    """Return the trials that choose a threshold, counted by cluster, where clusters are independent."""
    if ranks is None or criterion.whole_clusters == "":
        raise ConfigError(
            f"'{criterion}' is not available where clusters are declared and every fold has a development set"
            " of its own; leave columns.cluster out if trials are independent"
        )
    if ranks.unit_b is not None:
        raise ConfigError(
            f"'{criterion}' holds for independent trials or clusters, and trials of two clusters each are"
            " neither; use target_far or target_frr, which promise nothing"
        )
    if criterion.whole_clusters == "drawn":
        return one_of_each_cluster(ranks, stream(seed, "one trial of each cluster"))
    return whole_clusters(ranks, ranks.rank[model], criterion.whole_clusters)


def _highest(criterion: Criterion, groups: Sequence[Cuts], study: Study) -> Thresholds:
    """Return the highest of the thresholds that a criterion chooses on each group of the development set."""
    if not groups:
        raise ConfigError(
            f"'{criterion}' chooses on each group of non-targets of one development set: break down by what"
            " describes them, such as by: [{attack: nontarget}], with thresholds.policy dev"
        )
    chosen = (epc.choose(cuts, criterion, study.ties, study.threshold_at) for cuts in groups)
    return max(chosen, key=lambda thresholds: float(thresholds.threshold[0]))


def choose_by_fold(
    key: Key,
    devs: list[Cuts],
    test: Cuts,
    ranks: Ranks,
    scalings: dict[tuple[str, str], Scaling],
    study: Study,
) -> ChosenThresholds:
    """Choose every threshold of one model on the dev of each fold: shape (folds, P)."""
    scaling = scalings[key.id]
    whole: dict[Mix | None, tuple[Cuts, Ranks]] = {None: (test, ranks)}
    every = [choose_all(key, {None: dev}, whole, scaling, study) for dev in devs]
    return ChosenThresholds(
        {criterion: _stacked([of.single[criterion] for of in every]) for criterion in every[0].single},
        {criterion: _stacked([of.along[criterion] for of in every]) for criterion in every[0].along},
    )


def _stacked(chosen: list[Thresholds]) -> Thresholds:
    if chosen[0].source != "dev":
        return chosen[0]
    threshold = np.stack([of_fold.threshold for of_fold in chosen])
    return replace(chosen[0], threshold=threshold, tied=np.max([of_fold.tied for of_fold in chosen], axis=0))


def _placed(criterion: Criterion, alpha: FloatArray | None, scaling: Scaling) -> Thresholds | None:
    """Return thresholds that no data choose; None where the model's scale has no likelihood ratios."""
    assert criterion.threshold is not None
    arguments = criterion.arguments | along(criterion, alpha)
    wanted = np.atleast_1d(np.asarray(criterion.threshold(**arguments), dtype=np.float64))
    placed = scaling.threshold_of_llr(wanted) if criterion.on == "llr" else scaling.of_table(wanted)
    if placed is None:
        return None
    source = "bayes" if criterion.on == "llr" else "fixed"
    return Thresholds(criterion, alpha, source, placed, np.ones(len(placed), dtype=np.int64))


def why_unplaced(criterion: Criterion) -> Status:
    """Return why a criterion has no threshold: no data to choose it on, or no scale to put it on."""
    return "no_dev" if criterion.threshold is None else "not_calibrated_scale"


def a_priori(criteria: Iterable[Criterion]) -> tuple[Criterion, ...]:
    """Return criteria without their oracles, each once."""
    return tuple(dict.fromkeys(replace(criterion, oracle=False) for criterion in criteria))


def asked_criteria(study: Study) -> tuple[Criterion, ...]:
    """The criteria at whose thresholds the report answers: not those that it shows as oracles alone."""
    return tuple(criterion for criterion in a_priori(study.criteria) if criterion in study.criteria)


def alphas(study: Study) -> FloatArray:
    """The alphas of the Expected Performance Curves."""
    return epc.alpha_grid(study.epc.alphas if study.epc else 2)


SOURCES = {"dev": "min_dcf", "bayes": "bayes"}
"""Where the threshold of an actual cost comes from, and the criterion that places it there."""


def cost_criterion(point: OperatingPoint, source: str) -> Criterion:
    """Return the criterion that places the threshold of an operating point."""
    return CRITERIA[SOURCES[source]].at(p_target=point.p_target, c_miss=point.c_miss, c_fa=point.c_fa)


def point_criteria(study: Study) -> tuple[Criterion, ...]:
    """Return every criterion the study's operating points need."""
    return tuple(cost_criterion(point, source) for point in study.operating_points for source in SOURCES)


def cost(point: OperatingPoint) -> Measure:
    """Return the detection cost at a threshold."""
    return MEASURES["dcf"].at(**point.cost)


def minimum(point: OperatingPoint) -> Measure:
    """Return the least detection cost over all thresholds."""
    return MEASURES["mindcf"].at(**point.cost)


TINY_DEV = 10


def dev_flags(model: JudgedModel, operation: ThresholdResult, at: int = 0) -> list[Flag]:
    """Cautions about a threshold chosen on development: few trials of a class, or a tie at the optimum."""
    few = model.scaling.dev is not None and min(model.scaling.dev.trials) < TINY_DEV
    flags: list[Flag] = ["tiny_dev"] if few and operation.chosen.source == "dev" else []
    return flags + (["tied_cut"] if int(operation.chosen.tied[at]) > 1 else [])
