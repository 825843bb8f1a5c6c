"""A population with the shapes of one report, and simulated tables drawn from it.

Whole clusters (trials where none are declared) are drawn with replacement, and a joint kernel is added to the
scores of all models. So a table keeps how models and trials of a cluster agree, how large clusters are and
what they hold, how many trials lack a score, and which clusters both sets share. Scores that repeat stay as
they are, so that decisions and grades remain such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray, RankArray
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Cuts, Key, count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.study import Study
from reporting.core.resampling.draws import stream
from reporting.core.stats.special import expit, logit, ndtri
from reporting.errors import DataError
from reporting.inputs.blocks import BlockArray, blocks_of
from reporting.inputs.design import DatasetSplit

ModelRun = tuple[str, str]
"""A model and its run."""

WIDTH, WIDTH_OF_CLUSTERS = 0.5, 1.0
"""Of the kernel, in standard deviations times n^(-1/5), within clusters and between them.

Half of Silverman's suffices to separate equal draws of trials, which are many. Clusters are few: with
half of it intervals of ten seem to cover by .02 less than they do (tests/research/studies/passport.md).
"""
REPEATED = 3
"""A score that so many trials of a set have is one of few values, and stays."""
POINTS = 100_000
"""A population is represented by about so many points."""
MOST_PER_TRIAL = 201
"""At most so many of them represent one trial."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """Trials as centres and the noise around them; scores are on a line without bounds.

    The variance of every class, between clusters and within, is that of the trials: centres are drawn
    together as the kernel spreads them.
    """

    centre: FloatArray
    """Shape (K, N)."""
    free: BoolArray
    """Which of them spread: shape (K, N)."""
    own: FloatArray
    """What turns standard normal noise of a trial into that of K models, by class: shape (2, K, K)."""
    shared: FloatArray
    """The same of the noise that the trials of a cluster and class share."""

    @classmethod
    def around(cls, score: FloatArray, label: BoolArray, unit: RankArray | None) -> Kernel:
        """Return the kernel of K models' scores (shape (K, N))."""
        free = np.isfinite(score) & ~np.array([_repeats(of) for of in score])
        centre, n_models = score.copy(), len(score)
        own, shared = np.zeros((2, n_models, n_models)), np.zeros((2, n_models, n_models))
        for of_class in (0, 1):
            members = np.flatnonzero(label == of_class)
            held = np.where(free[:, members], score[:, members], np.nan)
            if not np.isfinite(held).any():
                continue
            mean = _mean(held)
            if unit is None:
                of_unit, clusters = np.zeros_like(held), np.zeros((n_models, 0))
            else:
                _, code = np.unique(unit[members], return_inverse=True)
                groups = [held[:, code == number] for number in range(code.max() + 1)]
                clusters = np.column_stack([_mean(group)[:, 0] for group in groups]) - mean
                of_unit = clusters[:, code]
            within = held - mean - of_unit
            own[of_class], closer = _spread(within, WIDTH)
            shared[of_class], gathered = _spread(clusters, WIDTH_OF_CLUSTERS)
            placed = mean + gathered * of_unit + closer * within
            centre[:, members] = np.where(np.isfinite(placed), placed, score[:, members])
        return cls(centre, free, own, shared)

    def drawn(
        self, label: BoolArray, members: IntArray, unit: IntArray | None, rng: np.random.Generator
    ) -> FloatArray:
        """Return new scores of some trials (shape (K, n)); ``unit`` numbers their clusters from 0."""
        of_class = label[members].astype(int)
        noise = _noise(self.own, rng.standard_normal((len(self.centre), len(members))), of_class)
        if unit is not None:
            of_clusters = rng.standard_normal((2, len(self.centre), int(unit.max(initial=-1)) + 1))
            noise += _noise(self.shared, of_clusters[of_class, :, unit].T, of_class)
        return np.where(self.free[:, members], self.centre[:, members] + noise, self.centre[:, members])

    def spread_out(self, label: BoolArray, times: int) -> FloatArray:
        """Return every trial's scores at equally likely quantiles of its kernel: shape (K, N, times)."""
        variance = (self.own**2).sum(axis=2) + (self.shared**2).sum(axis=2)
        sd = np.sqrt(variance)[label.astype(int)].T * self.free
        at = ndtri((np.arange(times) + 0.5) / times)
        return np.asarray(self.centre[:, :, None] + sd[:, :, None] * at)


def _repeats(score: FloatArray) -> BoolArray:
    """Return which scores are values that repeat; all of them where most trials share theirs with another."""
    _, place, held = np.unique(score, return_inverse=True, return_counts=True)
    times = held[place]
    few = (times > 1).mean() > 0.5 if len(score) else True
    return np.full(len(score), fill_value=True) if few else times >= REPEATED


def _mean(held: FloatArray) -> FloatArray:
    """Return the mean of what is there (shape (K, 1)), 0 where nothing is."""
    there = np.isfinite(held)
    total = np.where(there, held, 0.0).sum(axis=1, keepdims=True)
    return np.asarray(total / np.maximum(there.sum(axis=1, keepdims=True), 1))


def _spread(deviations: FloatArray, of_silverman: float) -> tuple[FloatArray, FloatArray]:
    """Return the factor of a kernel for deviations (shape (K, n)), and what they shrink by, shape (K, 1)."""
    n_models, n = deviations.shape
    there = np.isfinite(deviations).all(axis=0)
    if there.sum() < 2:
        return np.zeros((n_models, n_models)), np.ones((n_models, 1))
    held = deviations[:, there]
    sd = held.std(axis=1)
    low, high = np.quantile(held, [0.25, 0.75], axis=1)
    robust = np.where(high > low, np.minimum(sd, (high - low) / 1.349), sd)
    width = of_silverman * n ** (-1 / 5) * robust
    # Clusters of several sizes, and the trials that every model scores, need not have the mean 0.
    off = held - held.mean(axis=1, keepdims=True)
    unit = off / np.where(sd > 0, sd, 1.0)[:, None]
    correlation = unit @ unit.T / held.shape[1]
    factor = np.linalg.cholesky(correlation + np.diag(1.0 + 1e-9 - np.diag(correlation)))
    share = np.divide(width, sd, out=np.zeros(n_models), where=sd > 0)
    return width[:, None] * factor, np.sqrt(1 - share**2)[:, None]


def _noise(factor: FloatArray, normal: FloatArray, of_class: IntArray) -> FloatArray:
    return np.asarray(np.where(of_class == 1, factor[1] @ normal, factor[0] @ normal))


@dataclass(frozen=True, eq=False)
class Scales:
    """The scale of every model's scores: a line without bounds, on which kernels are, and one for all."""

    scale: tuple[str, ...]
    sign: FloatArray
    """-1 where scores are counted with the other sign, shape (K,)."""
    known: tuple[FloatArray, ...] = ()
    """The scores of each model in all sets, in order."""
    place: tuple[FloatArray, ...] = ()
    """Their places among all trials, from 0 to 1."""

    def to_line(self, score: FloatArray) -> FloatArray:
        """Return scores (shape (K, ...)) on the line: log odds of probabilities."""
        return self._each(score, lambda p: np.asarray(logit(np.clip(p, 0, 1))))

    def from_line(self, line: FloatArray) -> FloatArray:
        """Return scores from the line."""
        return self._each(line, lambda odds: np.asarray(expit(odds)))

    def _each(self, values: FloatArray, turn: object) -> FloatArray:
        turned = values.copy()
        for at, (scale, sign) in enumerate(zip(self.scale, self.sign, strict=True)):
            if scale == "probability":
                turned[at] = sign * turn(sign * values[at])  # type: ignore[operator]
        return turned

    def of_trials(self, every: Sequence[FloatArray]) -> Scales:
        """Return the scales with the places of every model's scores among those of all sets."""
        known, place = [], []
        for scores in zip(*every, strict=True):
            pooled = np.concatenate(scores)
            distinct, held = np.unique(pooled[np.isfinite(pooled)], return_counts=True)
            below = np.cumsum(held) - held / 2
            known.append(distinct)
            place.append(below / max(int(held.sum()), 1))
        return replace(self, known=tuple(known), place=tuple(place))

    def placed(self, score: FloatArray) -> FloatArray:
        """Return scores (shape (K, n)) by their places: a scale that all models share, and the same order.

        Beyond the outermost scores of the trials places go on with their distance.
        """
        placed = score.copy()
        for at, (known, place) in enumerate(zip(self.known, self.place, strict=True)):
            inside, there = np.isfinite(score[at]), len(known) > 0
            if there:
                beyond = score[at] - np.clip(score[at], known[0], known[-1])
                placed[at] = np.interp(score[at], known, place) + np.where(inside, np.arctan(beyond), beyond)
        return placed


@dataclass(frozen=True, eq=False)
class World:
    """The population of a report: every set of its trials with a kernel, and what is drawn jointly."""

    counts: Counts
    study: Study
    models: tuple[ModelRun, ...]
    kernels: Mapping[DatasetSplit, Kernel]
    scales: Scales
    by_places: bool
    """Whether models exchange places of scores; else the scores themselves, as given thresholds need."""
    _population: dict[tuple[str, ModelRun, int | None], Cuts] = field(default_factory=dict)

    @property
    def places(self) -> list[DatasetSplit]:
        """Every dataset and split."""
        return sorted(self.counts.ranks)

    @property
    def named_folds(self) -> bool:
        """Whether a column names the fold of every trial: scores of one fold come from one training."""
        return self.study.thresholds.policy == "kfold" and self.study.thresholds.column is not None

    @cached_property
    def clusters(self) -> list[IntArray]:
        """The clusters that are drawn from each other: those that occur in the same sets, and named fold."""
        units = {place: ranks.unit_a for place, ranks in self.counts.ranks.items()}
        if any(unit is None for unit in units.values()):
            return []
        n = 1 + max(int(unit.max(initial=0)) for unit in units.values() if unit is not None)
        there = np.zeros((len(units), n), dtype=np.int64)
        for at, place in enumerate(self.places):
            fold = self.counts.ranks[place].fold
            there[at, units[place]] = 1 + fold if self.named_folds and fold is not None else 1
        patterns, which = np.unique(there.T, axis=0, return_inverse=True)
        return [np.flatnonzero(which.ravel() == number) for number, row in enumerate(patterns) if row.any()]

    def population(self, dataset: str, model: ModelRun, fold: int | None = None) -> Cuts:
        """Return the test trials of the population by score, those of one model, and of a named fold."""
        key = dataset, model, fold if self.named_folds else None
        if key not in self._population:
            place = dataset, "test"
            ranks, kernel = self.counts.ranks[place], self.kernels[place]
            times = int(np.clip(POINTS // max(ranks.n_trials, 1), 1, MOST_PER_TRIAL))
            every = self.scales.from_line(kernel.spread_out(ranks.label, times))
            here = np.full(ranks.n_trials, fill_value=True) if key[2] is None else ranks.fold == key[2]
            score = every[self.models.index(model)][here].ravel()
            weight = None if ranks.weight is None else np.repeat(ranks.weight[here], times)
            self._population[key] = count_cuts(score, np.repeat(ranks.label[here], times), weight)[0]
        return self._population[key]

    def table(self, number: int, *, exchanged: bool = False, more: Mapping[str, int] | None = None) -> Counts:
        """Return the counts of a simulated table.

        ``exchanged``: in every cluster, or trial, the models' scores are dealt to the models at random.
        ``more`` multiplies the number of clusters or trials of a split, dev or test.
        """
        seed = self.study.inference.seed
        rng = stream(seed, "passport", number)
        drawn = (
            {place: self._members(place, rng, more or {}) for place in self.places}
            if not self.clusters
            else self._of_clusters(rng, more or {})
        )
        cuts, ranks = dict[Key, Cuts](), dict[DatasetSplit, Ranks]()
        deal = self._deal(drawn, stream(seed, "passport", "deal", number)) if exchanged else {}
        for place, (members, unit) in drawn.items():
            kernel, of = self.kernels[place], self.counts.ranks[place]
            score = self.scales.from_line(kernel.drawn(of.label, members, unit, rng))
            if exchanged:
                score = self._exchanged(score, deal[place])
            label, weight = of.label[members], None if of.weight is None else of.weight[members]
            rank = {}
            for at, (model, run) in enumerate(self.models):
                key = Key(model, run, *place)
                cuts[key], rank[model, run] = count_cuts(score[at], label, weight)
            fold = self._folds(place, label, members, unit, stream(seed, "passport", "folds", number))
            ranks[place] = _ranks(of, label, unit, weight, rank, fold)
        return replace(self.counts, cuts=cuts, ranks=ranks, n_clusters={})

    def _folds(
        self,
        place: DatasetSplit,
        label: BoolArray,
        members: IntArray,
        unit: IntArray | None,
        rng: np.random.Generator,
    ) -> IntArray | None:
        """Return the fold of every drawn trial: its own where folds are named, else as the report deals.

        DataError where a class is in one fold alone, as in a report.
        """
        known, plan = self.counts.ranks[place].fold, self.study.thresholds
        if known is None:
            return None
        if self.named_folds:
            fold = known[members]
        elif unit is not None and plan.policy != "kfold":
            fold = unit
        else:
            of_each = np.arange(len(members)) if unit is None else unit
            fold = rng.permutation(np.arange(int(of_each.max(initial=-1)) + 1) % plan.folds)[of_each]
        _, fold = np.unique(fold, return_inverse=True)
        if any(len(np.unique(fold[label == of_class])) < 2 for of_class in (True, False)):
            raise DataError("a class of the simulated table is in one fold alone")
        return np.asarray(fold, dtype=np.int64)

    def _members(
        self, place: DatasetSplit, rng: np.random.Generator, more: Mapping[str, int]
    ) -> tuple[IntArray, None]:
        ranks, times = self.counts.ranks[place], more.get(place[1], 1)
        label, by_label = ranks.label, self.study.inference.stratify == "label"
        if not (by_label or self.named_folds):
            return rng.integers(0, len(label), times * len(label)), None
        stratum = label.astype(np.int64) if by_label else np.zeros(len(label), dtype=np.int64)
        if self.named_folds and ranks.fold is not None:
            stratum = stratum + 2 * ranks.fold
        strata = (np.flatnonzero(stratum == of) for of in np.unique(stratum))
        return np.concatenate([rng.choice(of, times * len(of)) for of in strata]), None

    def _of_clusters(
        self, rng: np.random.Generator, more: Mapping[str, int]
    ) -> dict[DatasetSplit, tuple[IntArray, IntArray]]:
        chosen = []
        for clusters in self.clusters:
            splits = {place[1] for place in self.places if clusters[0] in self._trials_of[place]}
            times = max(more.get(split, 1) for split in splits)
            chosen.append(rng.choice(clusters, times * len(clusters)))
        every, drawn = np.concatenate(chosen), {}
        for place in self.places:
            trials = self._trials_of[place]
            held = [trials.get(int(cluster), _NONE) for cluster in every]
            unit = np.repeat(np.arange(len(every)), [len(of) for of in held])
            drawn[place] = np.concatenate(held), unit
        return drawn

    @cached_property
    def _trials_of(self) -> dict[DatasetSplit, dict[int, IntArray]]:
        """The trials of every cluster in each set."""
        held = {}
        for place, ranks in self.counts.ranks.items():
            assert ranks.unit_a is not None
            order = np.argsort(ranks.unit_a, kind="stable")
            code, first = np.unique(ranks.unit_a[order], return_index=True)
            held[place] = dict(zip(code.tolist(), np.split(order, first[1:]), strict=True))
        return held

    @property
    def exchangeable(self) -> bool:
        """Whether every model has the same runs, and there are two models at least."""
        runs: dict[str, list[str]] = {}
        for model, run in self.models:
            runs.setdefault(model, []).append(run)
        return len(runs) > 1 and len({*map(tuple, runs.values())}) == 1

    def _deal(
        self, drawn: Mapping[DatasetSplit, tuple[IntArray, IntArray | None]], rng: np.random.Generator
    ) -> dict[DatasetSplit, IntArray]:
        """Return which model every model's scores come from, by trial: shape (models, n)."""
        n_models = len({model for model, _ in self.models})
        clusters = 1 + max(
            (int(unit.max(initial=-1)) for _, unit in drawn.values() if unit is not None), default=-1
        )
        of_clusters = rng.random((n_models, clusters)).argsort(axis=0)
        return {
            place: rng.random((n_models, len(members))).argsort(axis=0)
            if unit is None
            else of_clusters[:, unit]
            for place, (members, unit) in drawn.items()
        }

    def _exchanged(self, score: FloatArray, deal: IntArray) -> FloatArray:
        placed = self.scales.placed(score) if self.by_places else score
        by_model = placed.reshape(len(deal), -1, score.shape[1])
        return np.take_along_axis(by_model, deal[:, None, :], axis=0).reshape(score.shape)


_NONE: IntArray = np.zeros(0, dtype=np.int64)


def _ranks(
    of: Ranks,
    label: BoolArray,
    unit: IntArray | None,
    weight: IntArray | None,
    rank: Mapping[ModelRun, RankArray],
    fold: IntArray | None,
) -> Ranks:
    """Return the ranks of drawn trials, which are trials and clusters of their own."""
    n_units = 0 if unit is None else int(unit.max(initial=-1)) + 1
    return replace(
        of,
        label=label,
        unit_a=None if unit is None else unit.astype(np.uint32),
        weight=weight,
        rank=rank,
        fold=fold,
        attributes={},
        block=_blocks(len(label)),
        block_of_cluster=None if unit is None else _blocks(n_units)[unit],
    )


@cache
def _blocks(n: int) -> BlockArray:
    """Return the blocks of trials or clusters that are numbered."""
    return blocks_of(map(str, range(n)))


def world_of(counts: Counts, study: Study) -> World:
    """Return the population of a report's counts."""
    models = tuple(sorted({key.id for key in counts.cuts}))
    scales = Scales(
        tuple(study.scale_of(model) for model, _ in models),
        np.array([-1.0 if model in study.negated else 1.0 for model, _ in models]),
    )
    lines = {
        place: scales.to_line(
            np.stack([counts.cuts[Key(*model, *place)].score[ranks.rank[model]] for model in models])
        )
        for place, ranks in sorted(counts.ranks.items())
    }
    kernels = {
        place: Kernel.around(line, counts.ranks[place].label, counts.ranks[place].unit_a)
        for place, line in lines.items()
    }
    measure, criterion = study.primary.measure, study.primary.criterion
    given = measure.over == "threshold" and criterion.threshold is not None
    every = [scales.from_line(line) for line in lines.values()]
    by_places = not (given or measure.over == "scores")
    return World(counts, study, models, kernels, scales.of_trials(every), by_places)
