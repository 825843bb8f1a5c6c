"""The frame ``tests``: every further test of two models, or of all together, and what is asked on from them.

On from a comparison: no real difference, how fragile, how many more trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.cache.cache import Arrays
from reporting.base.codes import Status
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.pairs import difference
from reporting.core.engine.resampling import Resampling, stream_names
from reporting.core.engine.sample import Question, Sample, sample
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import ERROR_RATE, FAR, FRR
from reporting.core.resampling.draws import stream
from reporting.core.resampling.paired import PairedDifference, decide_alike, discordant_flags
from reporting.core.resampling.settings import Estimand, Test
from reporting.core.stats import paired, planning
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.paired import Discordant, exact_p
from reporting.document.frames.contract import Columns, place_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.document.frames.tested import GIVEN, TestedModels, TestedPair
from reporting.document.frames.tests import TESTS, TestRow
from reporting.features.further_tests import formulas, permutation
from reporting.features.further_tests.equivalence import equivalence_level, non_inferiority, tost
from reporting.features.further_tests.fragility import Estimate as EstimateWithout
from reporting.features.further_tests.fragility import (
    flips_to_reverse,
    linear_units,
    units_to_reverse_verdict,
)

RESOLVED, UNRESOLVED = "different", "not_shown_different"

CLASSES: tuple[tuple[str, paired.Trials, Measure], ...] = (
    ("targets", "target", FRR),
    ("nontargets", "nontarget", FAR),
    ("both", "all", ERROR_RATE),
)
"""The trials that errors are counted on, and what the rate of those errors is called."""


def further_test_rows(judged: JudgedPart) -> list[TestRow]:
    """Return the rows of every requested test on one dataset: of each pair, and of all models together.

    ``estimate`` is model minus baseline. Of independent trials the ``unit`` is trial, else cluster; tests
    that take trials as independent although clusters are declared are flagged, and those that hold thresholds
    that their trials chose across folds. ``status`` has the reason why a test is not there, or why a verdict
    cannot be turned. Nothing for groups. Methods 9, 10.
    """
    models, study, tests = judged.models, judged.study, judged.study.inference.tests
    if not tests or not models or models[0].key.group:
        return []
    drawn = judged.drawn
    context = TestedModels(tuple(models_with_runs(models)), drawn, study)
    rows = [row for test in tests if test in TOGETHER for row in TOGETHER[test](context)]
    pairs = range(len(model_pairs(models, study)))
    of_pairs = judged.pool.run(_rows_of, (models, drawn, study), pairs)
    rows += [row for of_pair in of_pairs for row in of_pair]
    operations = {str(criterion): operation for criterion, operation in models[0].single.items()}
    across = {name for name, operation in operations.items() if operation.chosen.source == "cv"}
    return [
        replace(row, flags=sorted({*row.flags, "held_folds"}))
        if row.inference == GIVEN and row.criterion in across and row.p_value is not None
        else row
        for row in rows
    ]


def _rows_of(shared: tuple[list[JudgedModel], Resampling, Study], number: int) -> list[TestRow]:
    models, drawn, study = shared
    models_of_pair = model_pairs(models, study)[number]
    pair = TestedPair(models_of_pair.ordered, drawn, study, pair=models_of_pair)
    return [row for test in study.inference.tests if test in IN_PAIRS for row in IN_PAIRS[test](pair)]


Answer = Callable[[], Columns]


def _row(
    context: TestedModels,
    test: Test,
    measure: Measure | None,
    answer: Answer,
    inference: Estimand | None = None,
    needs: Mapping[str, bool] | None = None,
    **more: Any,
) -> TestRow:
    """Return what is asked with its answer, or why these models cannot be tested (``TestedModels.refused``).

    ``inference`` None: no threshold is involved; ``needs`` None: they are not single runs that are tested.
    """
    key, pair = context.models[0].key, context.pair
    columns: Columns = {"unit": "trial", "n_units": context.drawn.ranks.n_trials, "flags": context.declared}
    why = None if needs is None else context.refused(**needs)
    return TestRow(
        **place_of(key),
        test=test,
        measure=None if measure is None else str(measure),
        criterion=None if inference is None or context.criterion is None else str(context.criterion),
        inference=inference,
        model=pair.model.key.model if pair else None,
        baseline=pair.baseline.key.model if pair else None,
        **(columns | more | ({"status": why} if why else answer())),
    )


PAIRED: dict[str, bool] = {}
COUNTED = {"counted": True}
DECIDED = {"counted": True, "decided": True}
LINEAR = {"counted": True, "decided": True, "linear": True}


def _mcnemar(pair: TestedPair) -> Iterator[TestRow]:
    """McNemar's test on each class, and on both: the exact p, and the mid-p next to it."""
    for part, trials, measure in CLASSES:
        yield _row(
            pair, "mcnemar", measure, partial(_mcnemar_of, pair, trials, measure), GIVEN, DECIDED, part=part
        )


def _mcnemar_of(pair: TestedPair, trials: paired.Trials, measure: Measure) -> Columns:
    d = pair.discordant
    errors = paired.discordant_errors(d, trials)
    exact, mid = (formulas.mcnemar(*errors, mid=mid) for mid in (False, True))
    estimate = pair.signed(pair.observed(measure))
    n_units = {"target": d.n_target, "nontarget": d.n_nontarget}.get(trials, d.n_target + d.n_nontarget)
    answer: Columns = {"n_units": int(n_units), "status": pair.undefined(estimate)}
    if answer["status"]:
        return answer
    return answer | {"statistic": exact.statistic, "estimate": estimate, "p_value": exact.p, "p_mid": mid.p}


def _null_z(pair: TestedPair) -> Iterator[TestRow]:
    """The z test of the primary measure, its variance taken under no difference."""
    primary = pair.study.primary.measure

    def answer() -> Columns:
        d, weights = pair.discordant, pair.of_linear
        flags = [*pair.declared, *discordant_flags(d, weights), *_alike(d)]
        return _z(pair, formulas.null_z(d, *weights), primary) | {"flags": sorted(flags)}

    yield _row(pair, "null_z", primary, answer, pair.given, LINEAR)


def _proportion_z(pair: TestedPair) -> Iterator[TestRow]:
    """The z test of two independent proportions on the classification error, as papers have it."""

    def answer() -> Columns:
        d = pair.discordant
        return _z(pair, formulas.proportion_z(d.first, d.second), ERROR_RATE)

    yield _row(pair, "proportion_z", ERROR_RATE, answer, GIVEN, DECIDED, part="both")


def _z(pair: TestedPair, outcome: formulas.Outcome, measure: Measure) -> Columns:
    return {
        "estimate": defined(pair.signed(pair.observed(measure))),
        "statistic": defined(pair.signed(outcome.statistic)),
        "p_value": defined(outcome.p),
        "status": pair.undefined(outcome.p),
    }


def _alike(d: Discordant) -> list[str]:
    return ["identical_decisions"] if decide_alike(d) else []


def _cochran(context: TestedModels) -> Iterator[TestRow]:
    """Cochran's Q over all models, on each class and on both."""
    if len(context.models) < 2:
        return
    label = context.drawn.ranks.label
    every = {"target": label, "nontarget": ~label, "all": np.ones(len(label), dtype=bool)}
    for part, trials, measure in CLASSES:
        members = every[trials]
        more = {"part": part, "n_models": len(context.models), "n_units": int(members.sum())}
        yield _row(
            context, "cochran_q", measure, partial(_cochran_of, context, members), GIVEN, DECIDED, **more
        )


def _cochran_of(context: TestedModels, members: BoolArray) -> Columns:
    if not members.any():
        return {"status": context.undefined(math.nan)}
    label = context.drawn.ranks.label
    wrong = np.stack([(context.accepted(model) != label)[members] for model in context.models], axis=1)
    # Patterns of errors are few; trials may be millions.
    packed, count = np.unique(np.packbits(wrong, axis=1), axis=0, return_counts=True)
    outcome = formulas.cochran_q(np.unpackbits(packed, axis=1)[:, : wrong.shape[1]], count)
    return {"statistic": outcome.statistic, "df": outcome.df, "p_value": outcome.p}


def _equal_areas(context: TestedModels) -> Iterator[TestRow]:
    """DeLong's test that all areas are equal; by resamples where trials depend or weigh differently.

    Of two models it is that of the pair.
    """
    if len(context.models) < 3:
        return
    areas = [sample(team, Question(AUC), context.drawn, context.study) for team in context.models_with_runs]

    def answer() -> Columns:
        closed, label = context.drawn.by_placements(AUC), context.drawn.ranks.label
        why = next((status for of in areas if (status := of.status())), None)
        if why or not (closed or all(of.measured for of in areas)):
            return {"status": why or "not_measured"}
        if context.drawn.units.too_few_clusters:
            return {"status": "too_few_clusters"}
        chi2 = (
            formulas.equal_areas(np.stack([of.noise[0] for of in areas]), label)
            if closed
            else _of_replicates(areas)
        )
        if defined(chi2.p) is None:
            return {"status": "degenerate"}
        replicates = None if closed else context.study.inference.replicates
        statistic = defined(chi2.statistic)
        return {"statistic": statistic, "p_value": chi2.p, "df": chi2.df, "replicates": replicates}

    clustered = context.by_units if context.drawn.clustered else {}
    yield _row(context, "delong", AUC, answer, needs=PAIRED, n_models=len(context.models), **clustered)


def _of_replicates(areas: list[Sample]) -> formulas.ChiSquare:
    """Wald's test of every area less the first, by the covariance of its resamples."""
    first, *others = areas
    drawn = [of.design.jointly(of.column(0), of.point[0]) for of in areas]
    contrasts = [values - drawn[0] for values in drawn[1:]]
    if not np.isfinite(contrasts).all():
        return formulas.UNDEFINED
    factor = first.design.inflation**2
    # Not a matrix product: its last bits would depend on how many threads it takes.
    centred: list[FloatArray] = [contrast - contrast.mean() for contrast in contrasts]
    covariance = [[factor * float((a * b).sum()) / (len(a) - 1) for b in centred] for a in centred]
    return formulas.wald([float(of.point[0] - first.point[0]) for of in others], covariance)


def _delong(pair: TestedPair) -> Iterator[TestRow]:
    """DeLong's test of two areas, or Student's t by clusters."""

    def answer() -> Columns:
        level = pair.study.inference.level
        by_auc = difference(pair.pair, Question(AUC), pair.drawn, pair.study)
        areas = pair.pair.turned(by_auc.estimate()).tested(level)
        if areas.status is not None or areas.p_value is None:
            return {"estimate": defined(areas.difference), "status": areas.status or "degenerate"}
        columns = {
            name: getattr(areas, name) for name in ("se", "df", "low", "high", "p_value", "replicates")
        }
        return columns | {
            "estimate": areas.difference,
            "statistic": areas.difference / areas.se if areas.se > 0 else 0.0,
            "level": level if areas.ci_method else None,
        }

    yield _row(pair, "delong", AUC, answer, needs=PAIRED, **(pair.by_units if pair.drawn.clustered else {}))


def _venkatraman(pair: TestedPair) -> Iterator[TestRow]:
    units, unit = pair.exchanged
    (first, second), label = (model.rank for model in pair.models), pair.drawn.ranks.label

    def answer() -> Columns:
        def test(rng: np.random.Generator, replicates: int) -> formulas.Outcome:
            return permutation.equal_curves(first, second, label, replicates, rng, unit.astype(np.uint32))

        return _by_chance(pair, "venkatraman", ("venkatraman",), (first, second, label, unit), test)

    yield _row(pair, "venkatraman", None, answer, needs=COUNTED, **units)


def _permutation(pair: TestedPair) -> Iterator[TestRow]:
    """The permutation tests of the primary measure, by exchanging decisions, and of the AUC."""
    units, unit = pair.exchanged
    label, primary = pair.drawn.ranks.label, pair.study.primary.measure

    def of_rates() -> Columns:
        accepted = (pair.accepted(model) for model in pair.models)
        return _permuted(
            pair, primary, permutation.rate_difference, (*accepted, label, unit, *pair.of_linear)
        )

    def of_areas() -> Columns:
        if why := pair.models[0].value(AUC).status:
            return {"status": why}
        ranks = (model.rank for model in pair.models)
        return _permuted(pair, AUC, permutation.area_difference, (*ranks, label, unit))

    if primary != AUC:
        yield _row(pair, "permutation", primary, of_rates, pair.given, LINEAR, **units)
    yield _row(pair, "permutation", AUC, of_areas, needs=COUNTED, **units)


def _permuted(
    pair: TestedPair,
    measure: Measure,
    statistic: Callable[..., permutation.Swappable],
    given: tuple[Any, ...],
) -> Columns:
    def test(rng: np.random.Generator, replicates: int) -> formulas.Outcome:
        return permutation.permutation_test(statistic(*given), replicates, rng)

    answer = _by_chance(pair, f"permutation {measure}", ("permutation", str(measure)), given, test)
    statistic_of = answer.pop("statistic", None)
    return answer if statistic_of is None else answer | {"estimate": pair.signed(statistic_of)}


def _by_chance(
    pair: TestedPair,
    name: str,
    names: tuple[str, ...],
    given: tuple[Any, ...],
    test: Callable[[np.random.Generator, int], formulas.Outcome],
) -> Columns:
    """Return statistic and p of a test that draws, from what it is given; it is remembered."""
    settings, models = pair.study.inference, stream_names(*pair.models)
    follows_from = given, models, settings.seed, settings.replicates

    def make(_: Sequence[str]) -> Mapping[str, Arrays]:
        drawn = test(stream(settings.seed, *names, *models), settings.replicates)
        return {name: {"numbers": np.array(drawn, dtype=np.float64)}}

    numbers = pair.drawn.cache.fill(name, [name], lambda _: follows_from, make)[name]["numbers"]
    statistic, p = map(float, numbers)
    if status := pair.undefined(p):
        return {"status": status}
    mc_error = math.sqrt(p * (1 - p) / settings.replicates)
    return {"statistic": statistic, "p_value": p, "replicates": settings.replicates, "mc_error": mc_error}


def _of_headline(
    pair: TestedPair, test: Test, answer: Callable[[PairedDifference], Columns]
) -> Iterator[TestRow]:
    """Yield what is asked on from the headline comparison: the difference and its error, and the answer."""
    headline = pair.pair.turned(pair.headline.estimate())
    estimand, measure = pair.headline.estimand, pair.study.primary.measure
    wanted = pair.study.inference.comparisons if measure.over == "threshold" else None

    def answered() -> Columns:
        columns: Columns = {"estimate": defined(headline.difference)}
        if headline.status is not None:
            return columns | {"status": headline.status}
        flags = set(pair.headline.first.design.flags)
        if estimand is not None and pair.pair.alone:
            flags |= set(discordant_flags(pair.discordant, pair.weights or (1.0, 1.0)))
        if estimand == "procedure" and any(model.id in pair.drawn.coarse for model in pair.models):
            flags.add("coarse_dev")
        if headline.difference == 0 and headline.se == 0:
            flags.add("identical_decisions")
        error = {"se": defined(headline.se), "df": headline.df, "replicates": headline.replicates}
        return columns | error | {"flags": sorted(flags)} | answer(headline)

    yield _row(pair, test, measure, answered, estimand or wanted, **(pair.by_units | {"flags": []}))


def against_margin(test: Test, pair: TestedPair) -> Iterator[TestRow]:
    """The headline comparison against a margin, and the interval dual to that.

    ``equivalence``: two one-sided tests; ``non_inferiority``: one, that the model is not worse by the margin.
    """

    def answer(headline: PairedDifference) -> Columns:
        settings, measure = pair.study.inference, pair.study.primary.measure
        margin, level, both = settings.margin, settings.level, test == "equivalence"
        if margin is None:
            return {}
        if not both and measure.ideal is not None:
            return {"margin": margin, "status": "no_direction"}
        decide = tost if both else partial(non_inferiority, better=measure.better)
        against = decide(pair.headline.bounded(), margin, level)
        low, high = against.interval or (math.nan, math.nan)
        of_interval = equivalence_level(level) if both else level
        return {
            "low": defined(low),
            "high": defined(high),
            "level": of_interval if against.interval else None,
            "p_value": defined(against.p),
            "status": "degenerate" if math.isnan(against.p) else None,
            "margin": margin,
            "verdict": against.verdict,
        }

    yield from _of_headline(pair, test, answer)


def power(pair: TestedPair) -> Iterator[TestRow]:
    """The difference that the trials at hand can detect, and the multiple of them that can detect this one.

    ``times`` takes the observed difference for the true one, which it is not. Development and test grow
    alike, at their present ratio of classes.
    """

    def answer(headline: PairedDifference) -> Columns:
        wanted, level = pair.study.inference.power, pair.study.inference.level
        columns: Columns = {"power": wanted, "level": level}
        within = planning.detectable(headline.se, level, wanted, df=headline.df)
        if math.isnan(within):
            return columns | {"status": "degenerate"}
        point = 0.0 if abs(headline.difference) <= ZERO else headline.difference
        times = formulas.times_needed(point, headline.se, level, wanted, df=headline.df)
        columns |= {"detectable": within, "times": defined(times), "verdict": "no_difference"}
        if math.isfinite(times):
            columns["verdict"] = "more_needed" if times > 1 else "enough"
        n_units = pair.drawn.units.n_units
        if not times * n_units < planning.LARGEST:
            return columns
        columns["needed_units"] = formulas.needed(n_units, times)
        if not pair.drawn.clustered:  # independent trials: how many of either class
            n_target, n_nontarget = (formulas.needed(n, times) for n in pair.models[0].test.trials)
            columns |= {"needed_targets": n_target, "needed_nontargets": n_nontarget}
        return columns

    yield from _of_headline(pair, "power", answer)


def fragility(pair: TestedPair) -> Iterator[TestRow]:
    """How little turns the verdict at fixed thresholds: decisions, and clusters where they are declared."""
    primary = pair.study.primary.measure

    def answer(by: Callable[[TestedPair, float], Columns]) -> Columns:
        why = pair.undefined(pair.observed(primary))
        return {"status": why} if why else by(pair, round(1 - pair.study.inference.level, 12))

    row_of = partial(_row, pair, "fragility", primary, inference=pair.given, needs=LINEAR)
    yield row_of(answer=partial(answer, _by_decisions))
    if pair.drawn.clustered:
        yield row_of(answer=partial(answer, _by_clusters), **pair.by_units)


def _by_decisions(pair: TestedPair, alpha: float) -> Columns:
    """The exact mid-p test; ``statistic`` decisions must change, on so many trials of either class."""
    d, weights = pair.discordant, pair.of_linear
    flips, p = flips_to_reverse(d, *weights, alpha), exact_p(d, *weights, mid=True)
    answer: Columns = {
        "estimate": pair.signed(pair.observed(pair.study.primary.measure)),
        "p_value": p,
        "verdict": RESOLVED if p < alpha else UNRESOLVED,
        "flags": sorted([*pair.declared, *_alike(d)]),
    }
    if flips is None:
        return answer | {"status": "not_reversible"}
    on_classes = {"needed_targets": flips.target, "needed_nontargets": flips.nontarget}
    return answer | on_classes | {"statistic": flips.decisions, "p_after": defined(flips.p_after)}


def _by_clusters(pair: TestedPair, alpha: float) -> Columns:
    """Student's t by clusters; leaving out ``needed_units`` of the most influential ones turns it."""
    ranks = pair.drawn.ranks
    if ranks.unit_a is None or ranks.unit_b is not None:
        return {"status": "pair_trials"}
    _, unit = np.unique(ranks.unit_a, return_inverse=True)
    accepted = pair.accepted(pair.models[0]), pair.accepted(pair.models[1])
    by_units, influence, estimate = linear_by_units(ranks.label, accepted, unit, pair.of_linear)
    difference = pair.signed(by_units.difference)
    if by_units.status or not by_units.se > 0:
        return {"estimate": defined(difference), "status": by_units.status or "degenerate"}
    # By clusters and not by their bootstrap: the test that leaving out some of them can turn.
    p = by_units.tested(1 - alpha).p_value
    assert p is not None
    removal = units_to_reverse_verdict(influence, estimate, alpha)
    verdict = RESOLVED if p < alpha else UNRESOLVED
    answer: Columns = {"estimate": difference, "se": by_units.se, "df": by_units.df, "p_value": p}
    answer["verdict"] = verdict
    if removal is None:
        return answer | {"status": "not_reversible"}
    units = len(removal.units)
    return answer | {"statistic": units, "needed_units": units, "p_after": defined(removal.p)}


def linear_by_units(
    label: BoolArray, accepted: tuple[BoolArray, BoolArray], unit: IntArray, weights: tuple[float, float]
) -> tuple[PairedDifference, FloatArray, EstimateWithout]:
    """Return V(first) - V(second), V = w_far FAR + w_frr FRR, with its standard error by units.

    ``accepted``: which trials each model accepts; ``unit``: the unit of every trial (codes from 0). Also
    the influence of every unit, and the difference and its error without some of them (``linear_units``).
    """
    surplus = accepted[0].astype(np.int64) - accepted[1].astype(np.int64)
    sides = ((~label, 1), (label, -1))
    # Accepting alone is an error on a non-target and right on a target; whole numbers add up exactly.
    errors = np.array([np.bincount(unit, sign * surplus * of) for of, sign in sides]).astype(np.int64)
    sizes = np.array([np.bincount(unit, of) for of, _ in sides]).astype(np.int64)
    influence, estimate = linear_units(errors, sizes, np.array(weights))
    point, se, counted = estimate(np.ones(len(influence), dtype=bool))
    status: Status | None = "too_few_clusters" if counted.too_few else None
    return PairedDifference(point, se, counted.degrees_of_freedom, status=status), influence, estimate


TOGETHER: dict[Test, Callable[[TestedModels], Iterator[TestRow]]] = {
    "cochran_q": _cochran,
    "delong": _equal_areas,
}
IN_PAIRS: dict[Test, Callable[[TestedPair], Iterator[TestRow]]] = {
    "mcnemar": _mcnemar,
    "null_z": _null_z,
    "proportion_z": _proportion_z,
    "delong": _delong,
    "venkatraman": _venkatraman,
    "permutation": _permutation,
    "equivalence": partial(against_margin, "equivalence"),
    "non_inferiority": partial(against_margin, "non_inferiority"),
    "fragility": fragility,
    "power": power,
}


RECIPES = (frame_of(TESTS, further_test_rows, of="the primary measure"),)
