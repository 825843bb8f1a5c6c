"""What the EPC paper says, held against the data: every verdict follows from numbers of the frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from configs.papers.epc_general.numbers import (
    Errors,
    Pair,
    along,
    apart,
    area_of,
    bias_of_f1,
    corners_of,
    errors_at,
    f1_over_dev,
    replicates_of,
    tuned,
)
from configs.papers.paper import Claim, read_claims
from reporting.core.criteria.catalogue import oracle, read_criterion
from reporting.core.criteria.rates import EER, MIN_HTER, WEIGHTED_ERROR
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import HTER
from reporting.document import numbers
from reporting.document.charts.captions import percent
from reporting.document.words.oriented import contrast
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView
from reporting.features.curves.roc_frame import PR

BREAK_EVEN = read_criterion("break_even(v1=precision,v2=recall)")
CLAIMS = read_claims(Path(__file__).parent)
NO_NUMBER = "none"
"""What the paper prints beside a statement in words."""
SAME = 1e-12
"""Numbers that differ by no more are equal."""


def claims(first: DatasetView, last: DatasetView, pair: Pair, equal: Pair | None = None) -> list[Claim]:
    """Return the claims in the paper's order; those that the report holds nothing for are left out.

    ``first`` is the authentication task and ``last`` the text task; ``equal`` names two models of one law.
    """
    found = [
        *_inequality(first, pair, errors=True),
        *_inequality(last, pair, errors=False),
        *_rounding(),
        *_attained(first, last, pair),
        *_maximised(last, pair),
        *_setting(first, pair),
        *_crossing(first, pair),
        *_unbiased(last, pair),
        *_mann_whitney(first, pair),
        *_integral(first, pair),
        *_exact(first, pair),
        *_attainable(last, pair),
        *_cells(),
        *_replicates(first, pair),
        *_one_sided(first, last, pair),
        *_shaded(first, equal),
    ]
    return [replace(claim, printed=claim.printed or NO_NUMBER) for claim in found]


def _inequality(view: DatasetView, pair: Pair, *, errors: bool) -> Iterator[Claim]:
    """Eq. (9): whether the order at the break-even points is that at the thresholds chosen on dev."""
    criterion = EER if errors else BREAK_EVEN
    sums = []
    for asked in (oracle(criterion), criterion):
        points = [errors_at(view, model, asked) for model in pair]
        sums.append([_sum(point, errors) for point in points if point is not None])
    best, chosen = sums
    if len(best) < 2 or len(chosen) < 2:
        return
    names = [view.names[model] for model in pair]
    what = "FAR + FRR" if errors else "precision + recall"
    said = [
        f"{' and '.join(percent(value) for value in two)} {where}"
        for two, where in ((best, "break-even on test"), (chosen, "at dev's thresholds"))
    ]
    swapped = (best[0] - best[1]) * (chosen[0] - chosen[1]) < 0
    yield CLAIMS["inequality_errors" if errors else "inequality_precision"].found(
        f"{view.where + ', ' if view.where else ''}{what} of {listing(names)}: {', '.join(said)}", swapped
    )


def _sum(point: Errors, errors: bool) -> float:
    return point.far + point.frr if errors else point.precision + point.recall


def _rounding() -> Iterator[Claim]:
    exact, printed = (0.1125, 0.1135), (0.112, 0.114)
    yield CLAIMS["rounding"].found(
        " and ".join(numbers.fixed(value, 4) for value in exact),
        all(abs(a - b) <= 6e-4 for a, b in zip(exact, printed, strict=True)),
    )


def _attained(first: DatasetView, last: DatasetView, pair: Pair) -> Iterator[Claim]:
    """Footnote 2: equality at break-even, compared as integers."""
    said, equal = [], []
    for view, criterion in ((first, EER), (last, BREAK_EVEN)):
        for model in pair:
            point = errors_at(view, model, oracle(criterion))
            if point is None:
                continue
            if criterion == EER:
                equal.append(point.false_alarms * point.n_target == point.misses * point.n_nontarget)
                two = ("FAR", point.far), ("FRR", point.frr)
            else:
                equal.append(point.false_alarms == point.misses)
                two = ("precision", point.precision), ("recall", point.recall)
            rates = ", ".join(f"{name} {numbers.percent(value, 2)}" for name, value in two)
            said.append(f"{view.names[model]} {rates}")
    if said:
        yield CLAIMS["attained"].found(f"{'; '.join(said)} (%)", all(equal))


def _maximised(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    found = f1_over_dev(view, pair[0])
    if found is not None:
        least, most = (numbers.fixed(value, 3) for value in found)
        yield CLAIMS["maximised"].found(
            f"the least F1 of {view.names[pair[0]]} on dev is {least}, the best {most}", found[0] == found[1]
        )


def _setting(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    """Section 4.1: alpha = 1/2 of eq. (10) against the equal error rate."""
    two = [(errors_at(view, m, MIN_HTER), errors_at(view, m, EER)) for m in pair]
    known = [(a, b) for a, b in two if a is not None and b is not None]
    if len(known) < 2:
        return
    said = [
        f"{view.names[m]} {numbers.significant(a.threshold, 3)} and {numbers.significant(b.threshold, 3)},"
        f" HTER {percent((a.far + a.frr) / 2)} and {percent((b.far + b.frr) / 2)}"
        for m, (a, b) in zip(pair, known, strict=True)
    ]
    yield CLAIMS["setting"].found(
        f"thresholds by both: {'; '.join(said)}", all(a.threshold == b.threshold for a, b in known)
    )


def _crossing(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    found = along(view, WEIGHTED_ERROR, HTER, pair)
    if found is None:
        return
    names = [view.names[model] for model in pair]
    lower = [int((found.difference < 0).sum()), int((found.difference > 0).sum())]
    shown = [int((found.shown & side).sum()) for side in (found.difference < 0, found.difference > 0)]
    said = [
        f"{name} has the lower HTER at {count} of {len(found.alpha)} α (shown at {sure})"
        for name, count, sure in zip(names, lower, shown, strict=True)
    ]
    yield CLAIMS["crossing"].found(", ".join(said), min(lower) > 0)


def _unbiased(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    point = errors_at(view, pair[0], BREAK_EVEN) or errors_at(view, pair[0], MIN_HTER)
    if point is None:
        return
    bias = bias_of_f1(point)
    yield CLAIMS["unbiased"].found(
        f"were the rates of {view.names[pair[0]]} in {numbers.count(point.n_target)} targets and"
        f" {numbers.count(point.n_nontarget)} non-targets the true ones, FAR, FRR and HTER had bias 0, F1 a"
        f" bias of {numbers.fixed(bias, 5)}",
        abs(bias) <= SAME,
    )


def _mann_whitney(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    rates, auc = corners_of(view, pair[0]), _auc(view, pair[0])
    if rates is None or auc is None:
        return
    area = 1 + float(np.trapezoid(rates[1], rates[0]))  # FAR falls along the corners
    yield CLAIMS["mann_whitney"].found(
        f"{view.names[pair[0]]}: {numbers.fixed(area, 6)} under the curve, {numbers.fixed(auc, 6)} by pairs",
        abs(area - auc) <= 1e-9,
    )


def _auc(view: DatasetView, model: str) -> float | None:
    row = view.metric(model, AUC, None)
    return None if row is None else row.value


def _integral(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    """Eq. (17): the integral of FRR over the FAR aimed at, on test itself."""
    e, auc = _posterior(view, pair[0], "target_far"), _auc(view, pair[0])
    if e is None or auc is None:
        return
    integral = 2 * e - 0.5
    yield CLAIMS["integral"].found(
        f"{view.names[pair[0]]} a posteriori: ∫ FRR dFAR = {numbers.fixed(integral, 4)}; AUC"
        f" {numbers.fixed(auc, 4)}, 1 − AUC {numbers.fixed(1 - auc, 4)}; of TPR over FPR the two integrals"
        f" are {numbers.fixed(1 - integral, 4)} and {numbers.fixed(integral, 4)}",
        abs(integral - auc) <= 1e-3,
    )


def _posterior(view: DatasetView, model: str, criterion: str) -> float | None:
    row = area_of(view, model, criterion, 0.0, 1.0)
    return None if row is None else row.value_oracle


def _exact(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    """Eqs. (17) and (18) against their finite-sample identity (methods 7.7)."""
    found = [_posterior(view, pair[0], name) for name in ("target_far", "target_frr")]
    rates, auc = corners_of(view, pair[0]), _auc(view, pair[0])
    point = errors_at(view, pair[0], MIN_HTER)
    if None in found or rates is None or auc is None or point is None:
        return
    far, frr = rates
    limit = (0.5 + 1 - auc) / 2
    ends = frr[far == 0].min() / (4 * point.n_nontarget), far[frr == 0].min() / (4 * point.n_target)
    gaps = [limit - e for e in found if e is not None]
    said = [
        f"along {name} {gap:.1e} below, the identity says {float(end):.1e}"
        for name, gap, end in zip(("FAR", "FRR"), gaps, ends, strict=True)
    ]
    yield CLAIMS["exact"].found(
        f"{view.names[pair[0]]} a posteriori: {'; '.join(said)}".replace("e-0", "e-").replace("-", "−"),
        all(abs(gap) <= SAME for gap in gaps),
    )


def _attainable(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    point = errors_at(view, pair[0], BREAK_EVEN)
    frame = view.results.frame(PR)
    if point is None or frame.is_empty():
        return
    least = view.part(frame).filter(split="test", model=pair[0])["precision"].min()
    if least is None:
        return
    yield CLAIMS["attainable"].found(
        f"no threshold of {view.names[pair[0]]} has a precision below {percent(float(str(least)))}",
        float(str(least)) <= SAME,
    )


def _cells() -> Iterator[Claim]:
    """Yield that on the table of outcomes: those of a trial under two models, which share its label."""
    outcomes = {"target": ("TP", "FN"), "nontarget": ("TN", "FP")}
    possible = {two for label in outcomes for two in product(outcomes[label], repeat=2)}
    every = {one for cells in outcomes.values() for one in cells}
    yield CLAIMS["outcomes"].found(
        f"it does; of the {len(every) ** 2} pairs of outcomes {len(possible)} can occur", None
    )


def _replicates(view: DatasetView, pair: Pair) -> Iterator[Claim]:
    """Yield those on where the replicates lie, and which interval is meant."""
    found = contrast(view, *pair)
    drawn = None if found is None else replicates_of(view, found.row)
    if found is None or drawn is None or found.value is None:
        return
    who = f"{view.names[found.row.model]} − {view.names[found.row.baseline]}"
    points = [numbers.percent(value, 2) for value in (found.row.difference, drawn.mean)]
    yield CLAIMS["empirical"].found(
        f"{who}, HTER: {points[0]} points on the trials, {points[1]} on average over the replicates", None
    )
    two = [numbers.bracket(*ends, 2, 100) for ends in (drawn.centred, drawn.percentile)]
    yield CLAIMS["centred"].found(
        f"{who}: centred {two[0]}, percentile {two[1]}; to the width of a bin"
        f" ({numbers.percent(drawn.width, 2)})",
        max(abs(a - b) for a, b in zip(drawn.centred, drawn.percentile, strict=True)) <= drawn.width,
    )


def _one_sided(first: DatasetView, last: DatasetView, pair: Pair) -> Iterator[Claim]:
    """Yield that on Figure 6: 95 % of the replicates on one side against a two-sided interval."""
    p = [
        found.p_percentile
        for view in dict.fromkeys((first, last))
        if (found := along(view, WEIGHTED_ERROR, HTER, pair)) is not None
    ]
    every = np.concatenate(p) if p else np.array([])
    if not np.isfinite(every).any():
        return
    level = 1 - first.study.inference.level
    one, two = int((every < 2 * level).sum()), int((every <= level).sum())
    yield CLAIMS["one_sided"].found(
        f"of {len(every)} α of eq. (10), {one} have more than {percent(1 - level)} of the replicates on one"
        f" side, {two} a two-sided p of at most {numbers.p_value(level)}",
        one == two,
    )


def _shaded(view: DatasetView, equal: Pair | None) -> Iterator[Claim]:
    """Yield that on Figure 8: shaded alphas of two models of one law."""
    held = None if equal is None else tuned(view, equal)
    if equal is None or held is None:
        return
    found = along(view, WEIGHTED_ERROR, HTER, equal)
    count = int(apart(held).sum())
    names = listing(view.names[model] for model in equal)
    said = f"{names}, one law: shaded at {count} of {len(held.alpha)} α"
    if found is not None and found.inference == "procedure":
        said += f"; by the band of the models at {int(found.shown.sum())} of {len(found.alpha)}"
    smallest = float(np.nanmin(held.p_percentile)) if np.isfinite(held.p_percentile).any() else math.nan
    yield CLAIMS["shaded"].found(
        said + ("" if math.isnan(smallest) else f"; smallest percentile p {numbers.p_value(smallest)}"),
        count == 0,
    )
