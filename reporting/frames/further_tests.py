"""The frame ``tests`` as a contract, beside those of ``frames/schemas.py``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from reporting.engine.contrasts import spread_of
from reporting.engine.model_runs import teams
from reporting.engine.operations import JudgedModel
from reporting.engine.resampling import Resampling, stream_names
from reporting.engine.study import Study
from reporting.engine.tested import GIVEN, Difference, PairedTest, Row, TestContext
from reporting.engine.values import defined
from reporting.execution import Executor
from reporting.frames.comparisons import model_pairs
from reporting.frames.contract import Frame, FrameRow
from reporting.frames.further_questions import equivalence, fragility, not_inferior, power
from reporting.measures.areas import AUC
from reporting.measures.measure import Measure
from reporting.measures.predictive import ERROR_RATE
from reporting.measures.rates import FAR, FRR
from reporting.significance.draws import stream
from reporting.significance.paired import decide_alike, discordant_flags
from reporting.significance.settings import Test
from reporting.stats import paired
from reporting.stats.paired import Discordant
from reporting.stats.permutation import (
    Swappable,
    area_difference,
    equal_curves,
    permutation_test,
    rate_difference,
)
from reporting.stats.placements import UNDEFINED, Wald, equal_areas, wald
from reporting.stats.staircase import BoolArray, FloatArray

TESTED = (
    "dataset",
    "split",
    "group",
    "test",
    "measure",
    "criterion",
    "inference",
    "model",
    "baseline",
    "part",
    "unit",
)
"""What is tested, on which trials (``part``: targets, nontargets, both), counted in which unit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TestRow(FrameRow):
    """A row of ``tests``."""

    dataset: str
    split: str
    group: str
    test: str
    measure: str | None
    criterion: str | None
    inference: str | None
    model: str | None
    baseline: str | None
    part: str | None
    unit: str
    n_units: int | None
    statistic: float | None
    df: float | None
    estimate: float | None
    se: float | None
    low: float | None
    high: float | None
    level: float | None
    p_value: float | None
    p_mid: float | None
    p_after: float | None
    margin: float | None
    power: float | None
    detectable: float | None
    times: float | None
    needed_targets: int | None
    needed_nontargets: int | None
    needed_units: int | None
    replicates: int | None
    mc_error: float | None
    n_models: int | None
    verdict: str | None
    status: str | None
    flags: list[str]


TESTS = Frame("tests", TestRow, TESTED)


CLASSES: tuple[tuple[str, paired.Trials, Measure], ...] = (
    ("targets", "target", FRR),
    ("nontargets", "nontarget", FAR),
    ("both", "all", ERROR_RATE),
)
"""The trials that errors are counted on, and what the rate of those errors is called."""


def further_test_rows(
    models: list[JudgedModel], drawn: Resampling, study: Study, pool: Executor
) -> list[Row]:
    """Return the rows of every test asked for on one dataset: of each pair, and of all models together.

    ``estimate`` is model minus baseline. Of independent trials the ``unit`` is trial, else cluster; tests
    that take trials as independent although clusters are declared are flagged. ``status`` says why a test
    is not there, or why a verdict cannot be turned. Nothing for groups. Methods 9, 10.
    """
    asked = study.inference.tests
    if not asked or not models or models[0].key.group:
        return []
    found = TestContext(tuple(teams(models)), drawn, study)
    rows = [row for test in asked if test in TOGETHER for row in TOGETHER[test](found)]
    pairs = range(len(model_pairs(models, study)))
    return rows + [row for made in pool.run(_rows_of, (models, drawn, study), pairs) for row in made]


def _rows_of(shared: tuple[list[JudgedModel], Resampling, Study], number: int) -> list[Row]:
    models, drawn, study = shared
    pair = model_pairs(models, study)[number]
    duel, asked = PairedTest(pair.ordered, drawn, study, pair=pair), study.inference.tests
    return [row for test in asked if test in IN_PAIRS for row in IN_PAIRS[test](duel)]


def _mcnemar(duel: PairedTest) -> Iterator[Row]:
    """McNemar's test on each class, and on both: the exact p, and the mid-p beside."""
    for part, trials, measure in CLASSES:
        row = duel.row("mcnemar", measure, GIVEN, part=part, flags=duel.declared)
        why = duel.refused(counted=True, decided=True)
        yield row | ({"status": why} if why else _mcnemar_of(duel, trials, measure))


def _mcnemar_of(duel: PairedTest, trials: paired.Trials, measure: Measure) -> Row:
    d = duel.discordant
    first, second = paired.discordant_errors(d, trials)
    exact, mid = (paired.mcnemar(first, second, mid=mid) for mid in (False, True))
    estimate = duel.signed(duel.observed(measure))
    made: Row = {"n_units": _size(d, trials), "status": duel.undefined(estimate)}
    if made["status"]:
        return made
    return made | {"statistic": exact.statistic, "estimate": estimate, "p_value": exact.p, "p_mid": mid.p}


def _size(d: Discordant, trials: paired.Trials) -> int:
    sizes = {"target": int(d.n_target), "nontarget": int(d.n_nontarget)}
    return sizes.get(trials, sum(sizes.values()))


def _null_z(duel: PairedTest) -> Iterator[Row]:
    """The z test of the primary measure, its variance taken under no difference."""
    row = duel.row("null_z", duel.study.primary.measure, duel.given, flags=duel.declared)
    why = duel.refused(counted=True, linear=True, decided=True)
    if why or duel.weights is None:
        yield row | {"status": why}
        return
    d = duel.discordant
    flags = [*duel.declared, *discordant_flags(d, duel.weights), *_alike(d)]
    made = _z(duel, paired.null_z(d, *duel.weights), duel.observed(duel.study.primary.measure))
    yield row | made | {"flags": sorted(flags)}


def _proportion_z(duel: PairedTest) -> Iterator[Row]:
    """The z test of two independent proportions on the classification error, as papers have it."""
    row = duel.row("proportion_z", ERROR_RATE, GIVEN, part="both", flags=duel.declared)
    why = duel.refused(counted=True, decided=True)
    if why:
        yield row | {"status": why}
        return
    d = duel.discordant
    made = paired.proportion_z(d.first, d.second)
    yield row | _z(duel, made, duel.observed(ERROR_RATE))


def _z(duel: PairedTest, made: paired.Outcome, estimate: float) -> Row:
    return {
        "estimate": defined(duel.signed(estimate)),
        "statistic": defined(duel.signed(made.statistic)),
        "p_value": defined(made.p),
        "status": duel.undefined(made.p),
    }


def _alike(d: Discordant) -> list[str]:
    return ["identical_decisions"] if decide_alike(d) else []


def _cochran(tested: TestContext) -> Iterator[Row]:
    """Cochran's Q over all models, on each class and on both."""
    if len(tested.models) < 2:
        return
    label = tested.drawn.ranks.label
    every = {"target": label, "nontarget": ~label, "all": np.ones(len(label), dtype=bool)}
    why = tested.refused(counted=True, decided=True)
    wrong = None if why else np.stack([tested.accepted(model) != label for model in tested.models], axis=1)
    for part, trials, measure in CLASSES:
        row = tested.row("cochran_q", measure, GIVEN, part=part, flags=tested.declared)
        row |= {"n_models": len(tested.models), "n_units": int(every[trials].sum())}
        yield row | ({"status": why} if wrong is None else _cochran_of(tested, wrong[every[trials]]))


def _cochran_of(tested: TestContext, wrong: BoolArray) -> Row:
    if not len(wrong):
        return {"status": tested.undefined(math.nan)}
    # Patterns of errors are few; trials may be millions.
    packed, count = np.unique(np.packbits(wrong, axis=1), axis=0, return_counts=True)
    made = paired.cochran_q(np.unpackbits(packed, axis=1)[:, : wrong.shape[1]], count)
    return {"statistic": made.statistic, "df": made.df, "p_value": made.p}


def _equal_areas(tested: TestContext) -> Iterator[Row]:
    """DeLong's test that all areas are equal; by replicates where trials depend or weigh differently.

    Of two models it is that of the pair.
    """
    if len(tested.models) < 3:
        return
    row = tested.row("delong", AUC, **_unit_of_areas(tested)) | {"n_models": len(tested.models)}
    values = [model.value(AUC) for model in tested.models]
    why = tested.refused() or next((value.status for value in values if value.status), None)
    closed = not _by_replicates(tested)
    if not why and not closed and any(AUC not in tested.drawn.sweeps[m.id] for m in tested.models):
        why = "not_measured"
    if why:
        yield row | {"status": why}
        return
    made = _in_closed_form(tested) if closed else _of_replicates(tested, [v.number for v in values])
    found = {"statistic": defined(made.statistic), "p_value": defined(made.p)}
    if found["p_value"] is None:
        yield row | {"status": "degenerate"}
        return
    replicates = None if closed else tested.study.inference.replicates
    yield row | found | {"df": made.df, "replicates": replicates}


def _by_replicates(tested: TestContext) -> bool:
    return tested.drawn.clustered or tested.drawn.ranks.weight is not None


def _unit_of_areas(tested: TestContext) -> Row:
    if not tested.drawn.clustered:
        return {"flags": tested.declared}
    units = tested.drawn.units
    return {"unit": units.name, "n_units": units.n_units, "flags": tested.drawn.flags}


def _in_closed_form(tested: TestContext) -> Wald:
    placed = np.stack([tested.drawn.placements(model) for model in tested.models])
    return equal_areas(placed, tested.drawn.ranks.label)


def _of_replicates(tested: TestContext, areas: list[float]) -> Wald:
    """Wald's test of every area less the first, by the covariance of its replicates."""
    drawn = [tested.drawn.sweeps[model.id][AUC] for model in tested.models]
    contrasts = [one - drawn[0] for one in drawn[1:]]
    if not np.isfinite(contrasts).all():
        return UNDEFINED
    factor = spread_of(tested.drawn, tested.study.inference.level).inflation ** 2
    # Not a matrix product: its last bits would depend on how many threads it takes.
    centred: list[FloatArray] = [one - one.mean() for one in contrasts]
    covariance = [[factor * float((a * b).sum()) / (len(a) - 1) for b in centred] for a in centred]
    return wald([area - areas[0] for area in areas[1:]], covariance)


def _delong(duel: PairedTest) -> Iterator[Row]:
    """DeLong's test of two areas, or Student's t by clusters."""
    row, found = duel.row("delong", AUC, **_unit_of_areas(duel)), duel.swept(AUC)
    yield row | _by_error(found, duel.study.inference.level)


def _by_error(found: Difference, level: float) -> Row:
    """z or t, its p and the interval dual to it."""
    if found.status is not None or math.isnan(found.p):
        return {"estimate": defined(found.point), "status": found.status or "degenerate"}
    limits = found.limits(level)
    return {
        "estimate": found.point,
        "se": found.se,
        "df": found.df,
        "statistic": found.point / found.se if found.se > 0 else 0.0,
        "low": limits.low if limits else None,
        "high": limits.high if limits else None,
        "level": level if limits else None,
        "p_value": found.p,
        "replicates": found.replicates,
    }


def _venkatraman(duel: PairedTest) -> Iterator[Row]:
    """The permutation test of equal ROC curves."""
    units, unit = duel.exchanged
    row = duel.row("venkatraman", None, **units)
    why = duel.refused(counted=True)
    if why:
        yield row | {"status": why}
        return
    first, second = (model.rank for model in duel.models)
    replicates, rng = duel.study.inference.replicates, _stream(duel, "venkatraman")
    made = equal_curves(first, second, duel.drawn.ranks.label, replicates, rng, unit.astype(np.uint32))
    status = duel.undefined(made.p)
    found = {"statistic": made.statistic, "p_value": made.p} | _monte_carlo(made.p, replicates)
    yield row | ({"status": status} if status else found)


def _permutation(duel: PairedTest) -> Iterator[Row]:
    """The permutation tests of the primary measure, by exchanging decisions, and of the AUC."""
    units, unit = duel.exchanged
    label, primary = duel.drawn.ranks.label, duel.study.primary.measure
    if primary != AUC:
        row = duel.row("permutation", primary, duel.given, **units)
        why = duel.refused(counted=True, linear=True, decided=True)
        if why or duel.weights is None:
            yield row | {"status": why}
        else:
            first, second = (duel.accepted(model) for model in duel.models)
            yield row | _permuted(duel, primary, rate_difference(first, second, label, unit, *duel.weights))
    row = duel.row("permutation", AUC, **units)
    why = duel.refused(counted=True) or duel.models[0].value(AUC).status
    if why:
        yield row | {"status": why}
        return
    first_rank, second_rank = (model.rank for model in duel.models)
    yield row | _permuted(duel, AUC, area_difference(first_rank, second_rank, label, unit))


def _permuted(duel: PairedTest, measure: Measure, statistic: Swappable) -> Row:
    replicates, rng = duel.study.inference.replicates, _stream(duel, "permutation", str(measure))
    made = permutation_test(statistic, replicates, rng)
    status = duel.undefined(made.p)
    if status:
        return {"status": status}
    found = {"estimate": duel.signed(made.statistic), "p_value": made.p}
    return found | _monte_carlo(made.p, replicates)


def _monte_carlo(p: float, replicates: int) -> Row:
    return {"replicates": replicates, "mc_error": math.sqrt(p * (1 - p) / replicates)}


def _stream(duel: PairedTest, *names: str) -> np.random.Generator:
    return stream(duel.study.inference.seed, *names, *stream_names(*duel.models))


TOGETHER: dict[Test, Callable[[TestContext], Iterator[Row]]] = {"cochran_q": _cochran, "delong": _equal_areas}
IN_PAIRS: dict[Test, Callable[[PairedTest], Iterator[Row]]] = {
    "mcnemar": _mcnemar,
    "null_z": _null_z,
    "proportion_z": _proportion_z,
    "delong": _delong,
    "venkatraman": _venkatraman,
    "permutation": _permutation,
    "equivalence": equivalence,
    "non_inferiority": not_inferior,
    "fragility": fragility,
    "power": power,
}
