"""The ``comparisons`` frame: every difference between two models on test, with interval and p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag
from reporting.base.records import dataclass, replace
from reporting.core.engine.macro import MacroMean, macro_of
from reporting.core.engine.operations import JudgedModel, alphas, asked_criteria, dev_flags, why_unplaced
from reporting.core.engine.pairing import Pair, model_pairs
from reporting.core.engine.pairs import Difference, difference
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.sample import Question
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.paired import LimitsAt, PairedDifference, adjust
from reporting.core.resampling.settings import Estimand
from reporting.core.stats.special import ndtri
from reporting.document.frames.comparisons import COMPARISONS, ComparisonRow
from reporting.document.frames.contract import Columns, Group, group_of, place_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.features.comparisons.formulas import bonferroni, simultaneous, step_down


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DrawnComparison(ComparisonRow):
    """A row before it is corrected."""

    drawn: FloatArray | None = None
    """Not a column, as ``limits_at``: the differences in every replicate, for a joint correction."""
    limits_at: LimitsAt | None = None


@dataclass(frozen=True)
class Comparison:
    """One comparison to make: at a single threshold, over the sweep, or at one alpha of an EPC."""

    question: Question
    estimand: Estimand | None = None
    headline: bool = True
    """False for the other estimand, which is also shown."""
    at: int = 0
    """Which of the thresholds: the index of the alpha."""
    parameter: float | None = None
    """The alpha along an EPC."""


def comparison_rows(judged: JudgedPart) -> list[ComparisonRow]:
    """Return every comparison on one dataset or group; p-values are not yet adjusted."""
    models, study = judged.models, judged.study
    pairs = range(len(model_pairs(models, study)))
    by_pair = judged.pool.run(_pair_rows, (models, judged.drawn, study, group_of(judged.part)), pairs)
    return [row for rows in by_pair for row in rows]


def _pair_rows(
    shared: tuple[list[JudgedModel], Resampling, Study, Group], number: int
) -> list[DrawnComparison]:
    """Return the rows of one of the pairs."""
    models, drawn, study, group = shared
    pair, rows = model_pairs(models, study)[number], list[DrawnComparison]()
    for comparison in _comparisons(pair, drawn, study):
        if not drawn.ranks.paired:
            rows += [
                _row(pair, each, study, group, status="no_trial_key") for each in along(comparison, study)
            ]
            continue
        of = difference(pair, comparison.question, drawn, study, comparison.estimand)
        for each, answer in _answers(comparison, of, study):
            compared = pair.turned(answer).within(of.measure.bounds)
            tested = compared.p_value is not None
            columns = _answer(compared, study) | {
                "unit": drawn.units.name if tested else None,
                "n_units": drawn.units.n_units if tested else None,
                "flags": sorted({*compared.flags, *of.first.design.flags, *_dev_flags(pair, each, drawn)}),
            }
            row = _row(pair, each, study, group, **columns)
            rows.append(replace(row, drawn=None, limits_at=None) if row.family == "descriptive" else row)
    for measure in study.measures if drawn.ranks.paired else ():
        for criterion in asked_criteria(study) if measure.over == "threshold" else ():
            if pair.thresholds(criterion) == 1:
                rows.append(_unplaced(pair, Comparison(Question(measure, criterion)), study, group))
    return rows


def _unplaced(pair: Pair, comparison: Comparison, study: Study, group: Group) -> DrawnComparison:
    """Return the row of two models of which one has no threshold: never tested, it is in no family."""
    assert comparison.question.criterion is not None
    row = _row(pair, comparison, study, group, status=why_unplaced(comparison.question.criterion))
    return replace(row, family="descriptive")


def along(comparison: Comparison, study: Study) -> list[Comparison]:
    """Return a comparison at every alpha of its curve; one comparison where it has none."""
    if not comparison.question.along:
        return [comparison]
    return [replace(comparison, at=at, parameter=float(a)) for at, a in enumerate(alphas(study))]


def _answers(
    comparison: Comparison, of: Difference, study: Study
) -> Iterator[tuple[Comparison, PairedDifference]]:
    """Yield the answer at every alpha, each with its limits in the band of the curve; else the only one."""
    band = of.band() if comparison.question.along else None
    for each in along(comparison, study):
        answer = of.tested(each.at)
        if band is not None and not math.isnan(band.low[each.at]):
            answer = answer.banded(float(band.low[each.at]), float(band.high[each.at]))
        elif band is None:
            answer = _jointly(answer, of, study)
        yield each, answer


def _jointly(compared: PairedDifference, of: Difference | MacroMean, study: Study) -> PairedDifference:
    """Keep the resamples of a single comparison where the correction takes all of a family together."""
    if study.inference.correction != "maxt" or compared.p_value is None:
        return compared
    drawn = of.replicates.ravel()
    sd = float(np.std(drawn, ddof=1))
    if compared.low is None or compared.high is None or not sd > 0:
        return replace(compared, drawn=drawn)
    # Limits of the whole family reach beyond the normal ones as far as the member's own do.
    factor = (compared.high - compared.low) / 2 / (float(ndtri((1 + study.inference.level) / 2)) * sd)
    return replace(compared, drawn=compared.difference + factor * (drawn - compared.difference))


def _comparisons(pair: Pair, drawn: Resampling, study: Study) -> Iterator[Comparison]:
    """Yield every comparison of a pair, a curve as a whole."""
    yield from (Comparison(Question(measure)) for measure in study.measures if measure.over != "threshold")
    at_threshold = [measure for measure in study.measures if measure.over == "threshold"]
    model, baseline = pair.model.first, pair.baseline.first
    for criterion in model.single:
        if criterion not in study.criteria or pair.thresholds(criterion) < 2:
            continue
        first, *beside = _estimands(pair, Question(study.primary.measure, criterion), drawn, study)
        for estimand in (first, *beside):
            for measure in at_threshold:
                yield Comparison(Question(measure, criterion), estimand, headline=estimand == first)
    for criterion in model.along:
        if criterion in baseline.along:
            for measure in study.epc.measures if study.epc else ():
                question = Question(measure, criterion, along=True)
                yield Comparison(question, _estimands(pair, question, drawn, study)[0])


def _estimands(pair: Pair, question: Question, drawn: Resampling, study: Study) -> list[Estimand]:
    """Return the estimand of the headline, then the other one, where there is one."""
    of = difference(pair, question, drawn, study)
    # Systems with the thresholds of folds are not deployed: no question is about them.
    both = of.estimand == "procedure" and not of.first.across_folds
    return ["procedure", "given_thresholds"] if both else [of.estimand or "given_thresholds"]


def _row(pair: Pair, comparison: Comparison, study: Study, group: Group, /, **answer: Any) -> DrawnComparison:
    """The columns that do not depend on the answer, and those that do."""
    key, criterion = pair.model.key, comparison.question.criterion
    columns = {
        **place_of(key),
        "measure": str(comparison.question.measure),
        "criterion": None if criterion is None else str(criterion),
        "parameter": comparison.parameter,
        "model": key.model,
        "baseline": pair.baseline.key.model,
        "inference": comparison.estimand,
        "family": _family(comparison, key.group, study),
    }
    return DrawnComparison(**columns | group._asdict() | answer)


def macro_comparisons(judged: JudgedPart) -> Iterator[ComparisonRow]:
    """Yield the comparisons of macro means: the values of the column are the units."""
    part, study = judged.part, judged.study
    macro = judged.once(macro_of, part, study)
    for pair in model_pairs(part.models, study) if macro.means else ():
        first, second = (team.key.model for team in pair.ordered)
        for question, means in macro.means.items():
            comparison, criterion = Comparison(question), question.criterion
            if criterion is not None and pair.thresholds(criterion) < 2:
                if pair.thresholds(criterion) == 1:
                    yield replace(_unplaced(pair, comparison, study, group_of(part)), group=macro.group)
                continue
            of = means[first] - means[second]
            compared = _jointly(of.tested(), of, study)
            columns = _answer(pair.turned(compared).within(question.measure.bounds), study) | {
                "group": macro.group,
                "family": _family(comparison, "", study, of_means=True),
                "unit": of.design.unit,
                "n_units": of.n,
            }
            yield _row(pair, replace(comparison, estimand=of.estimand), study, group_of(part), **columns)


def _family(comparison: Comparison, group: str, study: Study, *, of_means: bool = False) -> str:
    """Alphas of an EPC are a curve, groups a breakdown, and the other estimand is an aside: no members.

    Nor is the first question of all trials, where the mean over the values of a column answers it, nor other
    questions of such means.
    """
    first = is_first(comparison.question, study)
    answers = first if of_means else not first or study.averaged_over is None
    if comparison.parameter is not None or group or not comparison.headline or not answers:
        return "descriptive"
    if study.inference.family == "all":
        return "all"
    return "primary" if first else "descriptive"


def is_first(question: Question, study: Study) -> bool:
    """Return whether a measure at a criterion's threshold, or over the sweep, is the first question."""
    primary = study.primary
    return question.measure == primary.measure and question.criterion in (None, primary.criterion)


def _answer(difference: PairedDifference, study: Study) -> Columns:
    """The columns that any answer has."""
    return {
        "difference": defined(difference.difference),
        "ci_low": difference.low,
        "ci_high": difference.high,
        "band_low": difference.band[0] if difference.band else None,
        "band_high": difference.band[1] if difference.band else None,
        "level": study.inference.level if difference.ci_method else None,
        "ci_method": difference.ci_method,
        "p_value": difference.p_value,
        "p_method": difference.p_method,
        "p_percentile": difference.p_percentile,
        "p_exact": difference.p_exact,
        "replicates": difference.replicates,
        "mc_error": difference.mc_error,
        "design_effect": difference.design_effect,
        "status": difference.status,
        "flags": sorted(difference.flags),
        "se": defined(difference.se) if difference.ci_method else None,
        "drawn": difference.drawn,
        "limits_at": difference.limits_at,
    }


def _dev_flags(pair: Pair, comparison: Comparison, drawn: Resampling) -> list[Flag]:
    runs = (*pair.model.runs, *pair.baseline.runs)
    chosen = [(run, comparison.question.operation(run)) for run in runs]
    coarse = comparison.estimand == "procedure" and any(run.id in drawn.coarse for run in runs)
    flags = [flag for run, of in chosen if of is not None for flag in dev_flags(run, of, comparison.at)]
    return [*flags, "coarse_dev"] if coarse else flags


def with_adjusted(rows: Iterable[ComparisonRow], study: Study) -> list[ComparisonRow]:
    """Adjust the p-values of the family over all datasets; the rest stays exploratory.

    With the correction ``none`` the frame has no adjusted p. Else limits hold for the whole family
    together: by ``maxt`` those of its single step, by others those of Bonferroni, so that what excludes 0
    has a single-step p-value of at most 1 - level, and an adjusted one that is no larger.
    """
    order = ("dataset", "group", "measure", "criterion", "model", "baseline")
    rows = sorted(rows, key=lambda row: [getattr(row, name) or "" for name in order])
    places = [
        place
        for place, row in enumerate(rows)
        if row.family != "descriptive" and row.status != "no_trial_key"
    ]
    members, correction = [rows[place] for place in places], study.inference.correction
    if correction == "maxt":
        adjusted = _adjusted_jointly(members, study.inference.level)
    else:
        p_values = adjust((row.p_value for row in members), correction)
        together = bonferroni(study.inference.level, max(1, len(members)))
        adjusted = [
            row if row.p_value is None or correction == "none" else _adjusted(row, p, together)
            for row, p in zip(members, p_values, strict=True)
        ]
    for place, row in zip(places, adjusted, strict=True):
        rows[place] = replace(row, correction=correction, family_size=len(members))
    return rows


def _adjusted(row: ComparisonRow, p_adjusted: float, together: float) -> ComparisonRow:
    """Return a row with its adjusted p, and with its limits at the level at which those of a family hold."""
    row = replace(row, p_adjusted=p_adjusted)
    limits_at = row.limits_at if isinstance(row, DrawnComparison) else None
    limits = limits_at and limits_at(together)
    return _banded(row, limits.low, limits.high) if limits else row


def _banded(row: ComparisonRow, low: float, high: float) -> ComparisonRow:
    """Return a row with limits over its family: never inside its own, and within what two values allow.

    Limits without an end, as of exchanges that speak against no difference, are left out.
    """
    if row.ci_low is not None and row.ci_high is not None:
        low, high = min(low, row.ci_low), max(high, row.ci_high)
    bounds = read_measure(row.measure).bounds
    widest = bounds[1] - bounds[0]
    low, high = max(low, -widest), min(high, widest)
    if math.isinf(low) or math.isinf(high):
        return row
    return replace(row, band_low=low, band_high=high)


def _adjusted_jointly(members: Sequence[ComparisonRow], level: float) -> list[ComparisonRow]:
    """Westfall and Young's step-down max-T, and the intervals of its single step (methods 10)."""
    rows = list(members)
    drawn = {
        place: row.drawn
        for place, row in enumerate(rows)
        if isinstance(row, DrawnComparison) and row.drawn is not None
    }
    if not drawn:
        return rows
    estimates = np.array([rows[place].difference for place in drawn])
    replicates = np.column_stack(list(drawn.values()))
    together = simultaneous(estimates, replicates, level)
    for at, (place, p) in enumerate(zip(drawn, step_down(estimates, replicates), strict=True)):
        row = rows[place]
        assert row.p_value is not None
        # The member's own p may come from another method: an adjusted p is never below it.
        row = replace(row, p_adjusted=None if np.isnan(p) else max(float(p), row.p_value))
        if together is not None and not math.isnan(together.low[at]):
            row = _banded(row, float(together.low[at]), float(together.high[at]))
        rows[place] = row
    return rows


RECIPES = (
    frame_of(
        COMPARISONS,
        comparison_rows,
        macro_comparisons,
        finish=with_adjusted,
        keeps_empty=True,
        under_noise=True,
        of="all measures",
    ),
)
