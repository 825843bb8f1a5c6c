"""What Bengio and Mariethoz (2004) say, beside what two models of the report say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from configs.papers.epc_authentication.pair import Pair
from configs.papers.paper import Claim, read_claims
from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import EER, MIN_HTER, TARGET_FAR, TARGET_FRR, WEIGHTED_ERROR
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AP_11PT, AUC
from reporting.core.measures.threshold import HTER
from reporting.core.measures.threshold import WEIGHTED_ERROR as COST
from reporting.document import numbers
from reporting.document.charts.captions import percent
from reporting.document.frames.epc import EPC
from reporting.features.epc.chart import expected_rates
from reporting.features.epc.exact_frames import EXPECTED
from reporting.features.further_tests.formulas import Outcome, proportion_z

FOOTNOTE = (0.110, 0.107, 63573)
"""Footnote 2: two equal error rates, a posteriori, and the claims made of each system."""
LEVEL = 0.95
HALF_UNIT = 0.0005
"""What three printed decimals leave open."""

HALF_SUMS = ((0.1125, 0.112), (0.1135, 0.114))
"""Half the sum of a printed FAR and FRR, and the HTER that is printed beside."""
TOLERANCE = 6e-4

AIM = 0.05
"""The rate aimed at where one has to stand for all."""

MOST_BY_CHANCE = 0.5
"""Share of the targets that may fall outside their prediction bands before dev and test are called unlike."""

CLAIMS = read_claims(Path(__file__).parent)
NO_EER = "no thresholds at equal error rates in this report"
TWO_TARGETS = "no thresholds aim at a FAR and at a FRR in this report"
NO_CURVE = "no EPC of the weighted error in this report"


def claims_of(pair: Pair) -> tuple[Claim, ...]:
    """Return every statement with the finding, in the paper's order."""
    return tuple(judge(pair) for judge in JUDGES)


def _det_misleads(pair: Pair) -> Claim:
    before, after = pair.gap(oracle(EER)), pair.gap(EER)
    ours, holds = NO_EER, None
    if before is not None and after is not None:
        ours = f"a posteriori {pair.hters(oracle(EER))}; a priori {pair.hters(EER)}"
        holds = before * after < 0
    return CLAIMS["det_misleads"].found(ours, holds)


def _footnote(pair: Pair) -> Claim:
    one, other, n = FOOTNOTE
    found = two_rates(one, other, n)
    least, most = (two_rates(one + d, other - d, n) for d in (HALF_UNIT, -HALF_UNIT))
    ours = (
        f"z = {numbers.fixed(found.statistic, 2)}, two-sided {numbers.equation(found.p)}"
        f" ({numbers.p_value(least.p)} to {numbers.p_value(most.p)}),"
        f" one-sided {numbers.p_value(found.p / 2)}"
    )
    return CLAIMS["footnote_2"].found(ours, found.p < 1 - LEVEL)


def two_rates(one: float, other: float, n: int) -> Outcome:
    """Test two error rates of ``n`` trials each as the paper does: pooled two-proportion z."""
    return proportion_z((one * n, 0, n, 0), (other * n, 0, n, 0))


def _class_error(pair: Pair) -> Claim:
    said, agree = [], []
    for criterion in pair.criteria:
        row, theirs = pair.hter_headline(criterion), pair.class_error(criterion)
        if row is not None and row.p_value is not None and theirs.p == theirs.p:
            agree.append((theirs.p < 1 - LEVEL) == (row.p_value < 1 - LEVEL))
            said.append(
                f"{pair.view.terms.criterion(criterion)}: class error {numbers.equation(theirs.p)},"
                f" HTER {numbers.equation(row.p_value)}"
            )
    ours = "; ".join(said) or "no comparison of both in this report"
    return CLAIMS["class_error"].found(ours, all(agree) if agree else None)


def _optimistic(pair: Pair) -> Claim:
    gains = _gains(pair, EER)
    if gains is None:
        return CLAIMS["optimistic"].found(NO_EER, None)
    ours = f"a posteriori less a priori: {_lower(pair, gains)}"
    least = _gains(pair, MIN_HTER)
    if least is not None:
        ours = f"{ours}; the least HTER: {_lower(pair, least)}"
    return CLAIMS["optimistic"].found(ours, all(gain > 0 for gain in gains))


def _gains(pair: Pair, criterion: Criterion) -> list[float] | None:
    """HTER a priori less a posteriori, of both models."""
    if criterion not in pair.criteria:
        return None
    found = [[pair.rates(model, at) for at in (criterion, oracle(criterion))] for model in pair.models]
    return [before.hter - after.hter for before, after in found if before is not None and after is not None]


def _lower(pair: Pair, gains: list[float]) -> str:
    return f"{pair.each(pair.hter.value(-gain) for gain in gains)} {pair.hter.difference_unit}".rstrip()


def _two_criteria(pair: Pair) -> Claim:
    if len(pair.criteria) < 2:
        return CLAIMS["two_criteria"].found("only one of the two criteria in this report", None)
    differ = any(pair.rates(model, EER) != pair.rates(model, MIN_HTER) for model in pair.models)
    ours = f"HTER a priori by EER {pair.hters(EER)}; by least HTER {pair.hters(MIN_HTER)}"
    return CLAIMS["two_criteria"].found(ours, differ)


def _rounding(pair: Pair) -> Claim:
    ours = "; ".join(numbers.fixed(half, 4) for half, _ in HALF_SUMS) + f" (within {TOLERANCE:g} of it)"
    holds = all(abs(half - shown) <= TOLERANCE for half, shown in HALF_SUMS)
    return CLAIMS["rounding"].found(ours, holds)


def _frr_curve(pair: Pair) -> Claim:
    frame = frr_on_dev(pair)
    if frame.is_empty():
        return CLAIMS["frr_curve"].found(TWO_TARGETS, None)
    near = frame.sort((pl.col("alpha") - AIM).abs(), "alpha")["alpha"][0]
    found = {row["model"]: row for row in frame.filter(alpha=near).to_dicts()}
    said = [
        pair.each(percent(found[model][how]) for model in pair.models) for how in ("printed", "corrected")
    ]
    # Judged where it is shown: the corrected formula comes as near to α as dev can.
    holds = all(abs(row["printed"] - near) <= abs(row["corrected"] - near) + 1e-9 for row in found.values())
    ours = f"FRR on dev at α = {near:g}: {said[0]}; by |α − FRR|: {said[1]}"
    return CLAIMS["frr_curve"].found(ours, holds)


def frr_on_dev(pair: Pair) -> pl.DataFrame:
    """FRR on dev of both models over alpha, by eq. (6) as printed and as corrected; empty without targets.

    Columns model, alpha, printed, corrected.
    """
    expected = pair.view.results.frame(EXPECTED)
    ours = pair.view.part(expected).filter(pl.col("model").is_in(pair.models)).drop_nulls("expected")
    far = ours.filter(criterion=str(TARGET_FAR), rate="far").select("model", "alpha", far="expected")
    frr = ours.filter(criterion=str(TARGET_FRR), rate="frr").select("model", "alpha", corrected="expected")
    curve = pair.view.part(pair.view.results.frame(EPC))
    hter = curve.filter(criterion=str(TARGET_FAR), measure=str(HTER)).select("model", "alpha", "value_dev")
    # The curve holds the HTER of dev; less its half of FAR that is the other half.
    printed = hter.join(far, ["model", "alpha"]).with_columns(printed=2 * pl.col("value_dev") - pl.col("far"))
    both = printed.join(frr, ["model", "alpha"]).drop_nulls()
    complete = both.group_by("alpha").len().filter(pl.col("len") == 2)["alpha"]
    return both.filter(pl.col("alpha").is_in(complete.to_list())).select(
        "model", "alpha", "printed", "corrected"
    )


def _along_costs(pair: Pair) -> Claim:
    shares = first_lower(pair)
    if shares is None:
        return CLAIMS["along_costs"].found(NO_CURVE, None)
    before, after = shares
    name = pair.view.names[pair.first]
    ours = f"{name} costs less at {share_text(after)} of the α a posteriori, at {share_text(before)} a priori"
    return CLAIMS["along_costs"].found(ours, (before - 0.5) * (after - 0.5) < 0)


def first_lower(pair: Pair) -> tuple[float, float] | None:
    """Share of the α inside (0, 1) at which the first model has the lower αFAR + (1 - α)FRR.

    A priori, then a posteriori; None without the curve.
    """
    frame = pair.view.part(pair.view.results.frame(EPC)).filter(
        pl.col("alpha").is_between(0, 1, closed="none"), criterion=str(WEIGHTED_ERROR), measure=str(COST)
    )
    one, other = (frame.filter(model=model).select("alpha", "value", "value_oracle") for model in pair.models)
    both = one.join(other, "alpha").drop_nulls()
    if both.is_empty():
        return None
    lower = (both[name] < both[f"{name}_right"] for name in ("value", "value_oracle"))
    before, after = (float(one.sum()) / both.height for one in lower)
    return before, after


def _aimed(pair: Pair) -> Claim:
    shares = expected_rates(pair.view)
    if not shares:
        return CLAIMS["aimed"].found(TWO_TARGETS, None)
    by_rate = {
        rate: pair.each(share_text(of.get(key, 0.0)) for key in pair.models) for rate, of in shares.items()
    }
    said = [f"outside the band of {rate.upper()}: {text}" for rate, text in by_rate.items()]
    # Neighbouring targets share their errors: more than the 1 - level of them may lie outside by chance.
    outside = any(of.get(key, 0.0) > MOST_BY_CHANCE for of in shares.values() for key in pair.models)
    return CLAIMS["aimed"].found(f"targets {'; '.join(said)}", outside)


def share_text(share: float) -> str:
    """Print a share in whole percent."""
    return f"{numbers.percent(share, 0)}%"


def _area(pair: Pair) -> Claim:
    found = [(_swept(pair, model, AP_11PT), _swept(pair, model, AUC)) for model in pair.models]
    known = [(ap, auc) for ap, auc in found if ap is not None and auc is not None]
    if len(known) < 2:
        return CLAIMS["area"].found("not both measured in this report", None)
    ap, auc = pair.view.printing(AP_11PT), pair.view.printing(AUC)
    said = pair.each(f"{ap.value(one)} against {auc.value(other)}" for one, other in known)
    same = all(abs(one - other) < 10**-auc.decimals for one, other in known)
    return CLAIMS["area"].found(said, same)


def _swept(pair: Pair, model: str, measure: Measure) -> float | None:
    row = pair.view.metric(model, measure, None)
    return None if row is None else row.value


JUDGES: tuple[Callable[[Pair], Claim], ...] = (
    _optimistic,
    _det_misleads,
    _footnote,
    _class_error,
    _two_criteria,
    _rounding,
    _along_costs,
    _frr_curve,
    _aimed,
    _area,
)
