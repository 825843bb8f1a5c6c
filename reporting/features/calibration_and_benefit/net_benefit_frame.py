"""The frames ``net_benefit`` and ``net_benefit_differences``: limits along threshold probabilities."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.codes import Status
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.counts.outcomes import bin_trials, pair_outcomes
from reporting.core.curves.scores import THRESHOLD_PROBABILITIES
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.probability_cells import NET_BENEFITS
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Statistic, design_of
from reporting.core.engine.study import Study
from reporting.core.resampling.bootstrap import pair_discordants
from reporting.core.stats.curve_limits import LeastLimits, Range
from reporting.core.stats.rates import net_benefit_of_rates, net_benefits, ratio
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.contract import KEY, Columns, Frame, KeyRow, PlaceRow, pair_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.limits import limits_of
from reporting.document.frames.recipe import curve_of
from reporting.features.calibration_and_benefit.calibration_frame import why_no_curve
from reporting.features.calibration_and_benefit.formulas import BenefitRates, least_paired_spread

SCALES = (False, True)
"""Of the two benefits that resamples are read for, whether they are standardised."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NetBenefitRow(KeyRow):
    """A row of ``net_benefit``."""

    probability: Annotated[float | None, "threshold probability; null without a curve"] = None
    standardised: Annotated[bool, "whether benefits are divided by the share of targets"]
    net_benefit: Annotated[float | None, "net benefit a trial; null without a curve"] = None
    treat_all: Annotated[float | None, "net benefit of accepting all; null without a curve"] = None
    ci_low: Annotated[float | None, "lower limit at this threshold probability; null without one"] = None
    ci_high: Annotated[float | None, "upper limit at this threshold probability; null without one"] = None
    band_low: Annotated[float | None, "lower limit for the whole curve; null without one"] = None
    band_high: Annotated[float | None, "upper limit for the whole curve; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without limits"] = None
    unit: Annotated[str | None, "what is resampled; null without limits"] = None
    status: Annotated[str | None, "why there is no curve; null where there is one"] = None


NET_BENEFIT = Frame("net_benefit", NetBenefitRow, (*KEY, "standardised", "probability"))


@dataclass(frozen=True, kw_only=True, slots=True)
class NetBenefitDifferenceRow(PlaceRow):
    """A row of ``net_benefit_differences``."""

    model: Annotated[str, "key of the model in the trial table"]
    baseline: Annotated[str, "key of the model it is compared with"]
    probability: Annotated[float | None, "threshold probability; null without a curve"] = None
    standardised: Annotated[bool, "whether benefits are divided by the share of targets"]
    difference: Annotated[
        float | None, "net benefit of the model less that of the baseline; null without"
    ] = None
    ci_low: Annotated[float | None, "lower limit at this threshold probability; null without one"] = None
    ci_high: Annotated[float | None, "upper limit at this threshold probability; null without one"] = None
    band_low: Annotated[float | None, "lower limit for the whole curve; null without one"] = None
    band_high: Annotated[float | None, "upper limit for the whole curve; null without one"] = None
    level: Annotated[float | None, "confidence level; null without limits"] = None
    replicates: Annotated[int | None, "bootstrap resamples drawn; null without limits"] = None
    unit: Annotated[str | None, "unit of inference, trial or cluster; null without any"] = None
    status: Annotated[str | None, "why there is no difference; null where there is one"] = None


NET_BENEFIT_DIFFERENCES = Frame(
    "net_benefit_differences",
    NetBenefitDifferenceRow,
    ("dataset", "split", "group", "model", "baseline", "standardised", "probability"),
)


def net_benefit_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the net benefits on test; a model without one has rows whose ``status`` has the reason."""
    yield NET_BENEFIT.of_columns(
        columns for model in judged.models for columns in _of_model(model, judged.drawn, judged.study)
    )


def net_benefit_differences_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the differences of every pair of models on test."""
    pairs = model_pairs(judged.models, judged.study)
    yield NET_BENEFIT_DIFFERENCES.of_columns(
        columns for pair in pairs for columns in _of_pair(pair, judged.drawn, judged.study)
    )


@dataclass(frozen=True, eq=False)
class DecidedModel:
    """What one model decides at every threshold probability (G of them)."""

    model: JudgedModel
    cuts: Cuts
    """The test trials by stated probability."""
    misses: IntArray
    false_alarms: IntArray
    """Weighted, as the totals of ``cuts`` are."""
    share: float
    """The share of targets that is declared, or that of the trials."""

    @classmethod
    def of(cls, model: JudgedModel, study: Study) -> DecidedModel | Status:
        """Return it, or why the model has no probabilities to decide by."""
        stated = model.scaling.probability(model.test.score)
        if stated is None or not all(model.test.trials):
            return why_no_curve(model)
        test = model.test
        cuts = Cuts(stated, test.n_target, test.n_nontarget, test.hull, test.raw)
        n_target, n_nontarget = cuts.totals
        share = n_target / (n_target + n_nontarget) if study.prevalence is None else study.prevalence
        at, staircase = cut_at(stated, THRESHOLD_PROBABILITIES), cuts.staircase
        return cls(model, cuts, staircase.misses[at], staircase.false_alarms[at], share)

    @property
    def benefits(self) -> FloatArray:
        """Net benefit and standardised net benefit (shape (2, G))."""
        errors = self.misses, self.false_alarms
        return net_benefits(*errors, *self.cuts.totals, THRESHOLD_PROBABILITIES, self.share)

    def rates(self, study: Study) -> BenefitRates:
        """The rates, with the trials that they are of."""
        n_target, n_nontarget = self.cuts.totals
        rates = ratio(self.misses, n_target), ratio(self.false_alarms, n_nontarget)
        declared = study.prevalence is not None
        return BenefitRates(*rates, *self.cuts.trials, self.share, declared, THRESHOLD_PROBABILITIES)

    def design_effect(self, drawn: Resampling, study: Study) -> float:
        """The design effect of its net benefits; 1 where trials are independent."""
        if not drawn.clustered:
            return 1.0
        replicates = drawn.sweeps[self.model.id][NET_BENEFITS][:, 0]
        replicates, design = design_of(drawn, study).reduced(replicates, self.benefits[0])
        return self.rates(study).design_effect(replicates, design.inflation)

    def least_spread_from(self, other: DecidedModel) -> FloatArray:
        """The least standard error of the difference from another model's net benefit (shape (G,))."""
        both, label = (self, other), self.model.ranks.label
        bins = [bin_trials(each.cuts, each.model.rank, THRESHOLD_PROBABILITIES) for each in both]
        at = [of.index(each.cuts, THRESHOLD_PROBABILITIES) for of, each in zip(bins, both, strict=True)]
        apart = pair_discordants(pair_outcomes(label, *bins), (at[0], at[1]))
        differ = (
            ratio(apart.target_10 + apart.target_01, apart.n_target),
            ratio(apart.nontarget_10 + apart.nontarget_01, apart.n_nontarget),
        )
        return least_paired_spread(*differ, *self.cuts.trials, self.share, THRESHOLD_PROBABILITIES)


def _of_model(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[Columns]:
    decided, keys = DecidedModel.of(model, study), model.key._asdict()
    if not isinstance(decided, DecidedModel):
        yield from (keys | {"standardised": scale, "status": decided} for scale in SCALES)
        return
    rates, effect = decided.rates(study), decided.design_effect(drawn, study)
    treat_all = net_benefit_of_rates(0.0, 1.0, decided.share, THRESHOLD_PROBABILITIES)

    def at_least(standardised: bool) -> LeastLimits:
        return lambda c, _: rates.limits(c, standardised=standardised, effect=effect)

    def possible(standardised: bool) -> Range:
        return lambda c: rates.range(c, standardised=standardised, effect=effect)

    for at, standardised in enumerate(SCALES):
        unit, of = (
            decided.share if standardised else 1.0,
            _benefit(ModelRuns((model,)), [decided], at, drawn, study),
        )
        curve: Columns = {
            "standardised": standardised,
            "probability": THRESHOLD_PROBABILITIES,
            "net_benefit": of.point,
            "treat_all": treat_all / unit,
        }
        floor, ranges = rates.least_spread / unit, (possible(standardised), at_least(standardised))
        yield keys | curve | limits_of(of, of.limits(floor, *ranges, one_sided=True))


def _benefit(
    system: ModelRuns, decided: Sequence[DecidedModel], at: int, drawn: Resampling, study: Study
) -> Statistic:
    """Return the net benefit along threshold probabilities, plain or standardised, of a mean over runs."""
    curves = ((of.benefits[at], drawn.sweeps[of.model.id][NET_BENEFITS][:, at]) for of in decided)
    return Statistic.over_runs(system, curves, drawn, study)


def _of_pair(pair: Pair, drawn: Resampling, study: Study) -> Iterator[Columns]:
    by_team = [[DecidedModel.of(run, study) for run in team.runs] for team in (pair.model, pair.baseline)]
    own, others = ([run for run in team if isinstance(run, DecidedModel)] for team in by_team)
    undecided = (run for team in by_team for run in team if not isinstance(run, DecidedModel))
    status = next(undecided, None) if drawn.ranks.paired else "no_trial_key"
    for at, standardised in enumerate(SCALES):
        keys = {**pair_of(pair), "standardised": standardised}
        if status is not None:
            yield keys | {"status": status}
            continue
        by_system = zip((pair.model, pair.baseline), (own, others), strict=True)
        first, second = (_benefit(system, decided, at, drawn, study) for system, decided in by_system)
        apart = first - second
        # Runs of other names belong together in no way: each is paired with each.
        both = zip(own, others, strict=True) if pair.run_pairs else itertools.product(own, others)
        floors = [mine.least_spread_from(other) for mine, other in both]
        floor = np.mean(floors, axis=0) / (own[0].share if standardised else 1.0)
        curve: Columns = {"probability": THRESHOLD_PROBABILITIES, "difference": apart.point}
        effect = max(run.design_effect(drawn, study) for run in (*own, *others))
        possible = partial(_widest, own[0].rates(study), standardised, effect)
        yield keys | curve | limits_of(apart, apart.limits(floor, possible))


def _widest(
    rates: BenefitRates, standardised: bool, effect: float, c: float
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest difference of two net benefits of one population."""
    least, most = rates.range(c, standardised=standardised, effect=effect)
    return least - most, most - least


RECIPES = (
    curve_of(NET_BENEFIT, net_benefit_of),
    curve_of(NET_BENEFIT_DIFFERENCES, net_benefit_differences_of),
)
