"""New scores against thresholds that were handed over: what was expected, and whether they differ from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reporting.base.execution import SerialExecutor
from reporting.base.records import dataclass, replace
from reporting.core.counts.count import Counts, count_trials
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.error_rates import ErrorRates
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.scales import Scaling
from reporting.core.resampling.paired import adjust
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.core.stats.confusion import Share, acceptance_rate
from reporting.core.stats.drift import drift_tails
from reporting.core.stats.effective_size import EffectiveRate, square_and_add
from reporting.core.stats.special import kolmogorov
from reporting.core.stats.staircase import cut_at
from reporting.errors import DataError, listed, quoted
from reporting.features.handover.frame import RATES, trials_of
from reporting.features.handover.handed import HandedThreshold, Handover
from reporting.inputs.scan import Scan
from reporting.inputs.spec import File, ThresholdPlan, TrialSpec, Values
from reporting.inputs.table import TrialTable, read_trials

ALERTS, SCORES = "alert_rate", "scores"
PLACE = ("model", "run", "dataset", "criterion")


@dataclass(frozen=True, kw_only=True)
class ComparedRate:
    """One number of new trials against what was expected of it; null where there is none.

    ``scores`` is the largest difference between the shares of trials at least as high as a score.
    """

    of: HandedThreshold
    quantity: str
    expected: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None
    observed: float | None = None
    trials: int
    effective_trials: float
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    drifted: bool = False


@dataclass(frozen=True)
class DriftCheck:
    """All comparisons of new scores; ``drifted`` where one differs more than chance allows."""

    level: float
    labelled: bool
    unit: str
    vocabulary: str
    compared: tuple[ComparedRate, ...]

    @property
    def drifted(self) -> bool:
        """Whether any number differs by its adjusted p-value."""
        return any(each.drifted for each in self.compared)

    def to_dict(self) -> Mapping[str, object]:
        """Return what ``reporting drift --json`` prints."""
        return {
            "verdict": "drifted" if self.drifted else "valid",
            "level": self.level,
            "labelled": self.labelled,
            "unit": self.unit,
            "compared": [
                {name: getattr(each.of, name) for name in PLACE}
                | {name: value for name, value in vars(each).items() if name != "of"}
                for each in self.compared
            ],
        }


def check_scores(
    handed: Handover,
    files: Sequence[Path],
    *,
    model: str | None = None,
    criterion: str | None = None,
    dataset: str | None = None,
    independent: bool = False,
) -> DriftCheck:
    """Compare new scores with what was expected at the thresholds of these names.

    Without labels that is the share of accepted trials and the scores, with labels also FAR, FRR and
    precision; p-values are adjusted over all of them by Holm. DataError where files cannot be read alike.
    """
    wanted = handed.chosen(model, criterion, dataset, None)
    clustered = handed.unit == "cluster" and not independent
    spec = _of_one_model(_spec(handed, wanted, files, clustered), wanted)
    others = {name: called for name, called in spec.columns.items() if name != "label"}
    everyone = _NewTrials.counted(
        _read(replace(spec, columns=others, without=spec.without | {"label"}), clustered)
    )
    _refuse_further_runs(handed, wanted, everyone)
    labelled = None
    if everyone.table.scan.with_spec(spec).has_column("label"):
        table = _read(replace(spec, unlabelled="drop"), clustered)
        if (table.tally["rows_read"] > table.tally["n_unlabelled"]).any():
            labelled = _NewTrials.counted(table)
    compared: list[ComparedRate] = []
    for threshold in wanted:
        place = _dataset_of(threshold, wanted, everyone.table)
        compared += _compared(threshold, handed.level, everyone.at(threshold, place), [ALERTS])
        compared.append(_of_scores(threshold, everyone.at(threshold, place)))
        if labelled is not None:
            rates = [name for name in RATES if name != ALERTS]
            compared += _compared(threshold, handed.level, labelled.at(threshold, place), rates)
    unit = "cluster" if clustered else "trial"
    judged = _judged(compared, handed.level)
    return DriftCheck(handed.level, labelled is not None, unit, handed.vocabulary, judged)


def _judged(compared: Sequence[ComparedRate], level: float) -> tuple[ComparedRate, ...]:
    adjusted = iter(adjust([each.p_value for each in compared if each.p_value is not None], "holm"))
    error = round(1 - level, 12)
    with_p = (each if each.p_value is None else replace(each, p_adjusted=next(adjusted)) for each in compared)
    return tuple(
        replace(each, drifted=each.p_adjusted is not None and each.p_adjusted <= error) for each in with_p
    )


def _spec(
    handed: Handover, wanted: Sequence[HandedThreshold], files: Sequence[Path], clustered: bool
) -> TrialSpec:
    """Return how new scores are read: as the trials of the report, without its splits."""
    named, trials = {each.model for each in wanted}, handed.trials
    without = {*trials.without, "split", "stratum"}
    if not clustered:
        without |= {"cluster", "cluster_b"}
    nontarget = trials.nontarget
    return TrialSpec(
        sources=tuple(File(path) for path in files),
        layout=trials.layout,
        columns={name: called for name, called in trials.columns.items() if name not in without},
        scores={model: column for model, column in trials.scores.items() if model in named},
        without=frozenset(without),
        values=Values(
            target=tuple(trials.target),
            nontarget=tuple(nontarget) if isinstance(nontarget, list) else nontarget,
            spoof=tuple(trials.spoof),
            event=None if trials.event is None else (trials.event.bound, trials.event.number),
        ),
        missing=trials.missing,
        negated=frozenset(each.model for each in wanted if each.higher_is == "nontarget"),
        pools=trials.pools,
        cluster_pattern=trials.cluster_pattern if clustered else None,
        thresholds=ThresholdPlan("none"),
        may_lack_split=True,
        needs_dev=False,
    )


def _of_one_model(spec: TrialSpec, wanted: Sequence[HandedThreshold]) -> TrialSpec:
    """Return the spec of tables without a column of models, where thresholds are those of one."""
    several = len({each.model for each in wanted}) > 1
    if spec.layout != "long" or several or Scan(spec).has_column("model"):
        return spec
    named = ((spec.column("model"), wanted[0].model),)
    return spec.with_each_source(
        lambda source: replace(source, path_values=named) if isinstance(source, File) else source
    )


def _read(spec: TrialSpec, clustered: bool) -> TrialTable:
    table = read_trials(spec)
    if clustered and not table.has_cluster:
        raise DataError(
            f"{spec.called('cluster')} is not in the new scores: limits were set for clusters; add it, or"
            " take trials as independent with --independent"
        )
    return table


@dataclass(frozen=True, eq=False)
class _NewTrials:
    """New trials, counted."""

    table: TrialTable
    counts: Counts

    @classmethod
    def counted(cls, table: TrialTable) -> _NewTrials:
        return cls(table, count_trials(table, SerialExecutor()))

    def at(self, threshold: HandedThreshold, dataset: str) -> _NewRates:
        """Return the trials of the model of a threshold."""
        key = Key(threshold.model, threshold.run, dataset, "test")
        if key not in self.counts.cuts:
            of_model = sorted({each.run for each in self.counts.cuts if each.model == threshold.model})
            if not of_model:
                models = sorted({each.model for each in self.counts.cuts})
                raise DataError(
                    f"model {quoted(threshold.model)} has no new scores (found:"
                    f" {listed(map(quoted, models))}); name one that has with --model"
                )
            raise DataError(
                f"model {quoted(threshold.model)}: run {quoted(threshold.run)} has no new scores (found:"
                f" {listed(map(quoted, of_model))})"
            )
        return _NewRates(key, self.counts.cuts[key], self.counts.ranks[dataset, "test"])


def _refuse_further_runs(handed: Handover, wanted: Sequence[HandedThreshold], new: _NewTrials) -> None:
    """Raise DataError where a model that had one run in the report has several in the new scores."""
    for model in dict.fromkeys(each.model for each in wanted):
        there = sorted({key.run for key in new.counts.cuts if key.model == model})
        if len(there) > 1 and len({each.run for each in handed.thresholds if each.model == model}) == 1:
            raise DataError(
                f"model {quoted(model)} has {len(there)} runs in the new scores"
                f" (found: {listed(map(quoted, there))}) and had one in the report; keep the rows of the run"
                " that decides"
            )


@dataclass(frozen=True, eq=False)
class _NewRates:
    """The new trials of one model."""

    key: Key
    cuts: Cuts
    ranks: Ranks

    def rate(self, cut: int, share: Share) -> EffectiveRate:
        """Return a share of the trials where distinct scores from the ``cut``-th on are accepted."""
        ranks, names = self.ranks, (self.key.dataset, "new")
        if ranks.unit_a is None:
            units = trial_units(ranks.label, names, ranks.block, in_blocks=ranks.in_blocks)
        else:
            units = cluster_units([ranks], names)[0]
        model = JudgedModel(self.key, None, None, self.cuts, ranks, Scaling("score", None, None))
        return ErrorRates(ranks, units).at_cut(model, cut, share)


def _dataset_of(threshold: HandedThreshold, wanted: Sequence[HandedThreshold], table: TrialTable) -> str:
    """Return which dataset of the new scores is meant: that of its name, or the only one there is."""
    there = sorted(table.tally["dataset"].unique())
    if threshold.dataset in there:
        return threshold.dataset
    datasets = list(dict.fromkeys(each.dataset for each in wanted))
    if len(there) > 1 or len(datasets) > 1:
        raise DataError(
            f"dataset {quoted(threshold.dataset)} is not in the new scores (found:"
            f" {listed(map(quoted, there))}); name one that the file has, or whose thresholds are meant, with"
            " --dataset"
        )
    return str(there[0])


def _oriented(threshold: HandedThreshold, score: float) -> float:
    """Return a score as the engine counts it, where higher ones favour the target."""
    return score if threshold.higher_is == "target" else 0.0 - score


def _compared(
    threshold: HandedThreshold, level: float, new: _NewRates, rates: Sequence[str]
) -> Iterator[ComparedRate]:
    cut = int(cut_at(new.cuts.score, _oriented(threshold, threshold.threshold)))
    for name in rates:
        before, now = getattr(threshold.expected, name), new.rate(cut, RATES[name])
        row = ComparedRate(
            of=threshold,
            quantity=name,
            expected=before.value,
            expected_low=before.ci_low,
            expected_high=before.ci_high,
            observed=None if math.isnan(now.rate) else now.rate,
            trials=trials_of(new.cuts, cut, RATES[name]),
            effective_trials=now.size,
        )
        if before.value is None or row.observed is None or not (before.effective_trials > 0 and now.size > 0):
            yield row
            continue
        low, high = square_and_add([(1.0, now), (-1.0, before.rate)], level)
        yield replace(
            row,
            difference=now.rate - before.value,
            difference_low=low,
            difference_high=high,
            p_value=two_rates_p(before.rate, now),
        )


def two_rates_p(before: EffectiveRate, now: EffectiveRate) -> float:
    """Return the two-sided p-value of two rates of different trials, each of so many independent ones.

    Fisher's exact test, its tails those of Student's t where trials come in clusters. Methods 7.8.
    """
    tails = drift_tails(before.rate * before.size, before.size, now.rate * now.size, now.size)
    df = min((each.df for each in (before, now) if each.df is not None), default=None)
    return (tails if df is None else tails.student(df)).p


def _of_scores(threshold: HandedThreshold, new: _NewRates) -> ComparedRate:
    """Compare the scores of all trials at the kept ones: Kolmogorov and Smirnov's test, at those alone.

    P(K > D sqrt(n m / (n + m))), K Kolmogorov's; n and m are the fewest independent trials that those of
    each set are worth at a kept score. The largest difference at some scores is at most that at all, so that
    p is not too small.
    """
    row = ComparedRate(of=threshold, quantity=SCORES, trials=sum(new.cuts.trials), effective_trials=0.0)
    if not threshold.scores:
        return row
    cuts = [int(cut_at(new.cuts.score, _oriented(threshold, each.threshold))) for each in threshold.scores]
    now = [new.rate(cut, acceptance_rate) for cut in cuts]
    gaps = [rate.rate - each.accepted for rate, each in zip(now, threshold.scores, strict=True)]
    before, after = min(each.effective_trials for each in threshold.scores), min(rate.size for rate in now)
    widest = max(gaps, key=abs)
    if not (before > 0 and after > 0):
        return replace(row, difference=widest)
    p = float(kolmogorov(abs(widest) * math.sqrt(before * after / (before + after))))
    return replace(row, effective_trials=after, difference=widest, p_value=p)
