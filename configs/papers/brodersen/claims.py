"""What Brodersen et al. claim, held against the simulations, the sample and the formulas themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from configs.papers.brodersen.estimators import Law
from configs.papers.brodersen.sample import COUNTED, Sample, Simulated, same_order
from configs.papers.paper import Claim, read_claims
from reporting.base.arrays import FloatArray
from reporting.document import numbers
from reporting.document.words.phrases import listing
from reporting.features.curves.roc import Accepted, counts_between
from reporting.features.fits.binormal import precision_at_z

NOISE = 3.0
"""Differences below so many standard errors are not told apart."""
FEW = 0.05
"""Up to this share targets are few: five in a hundred."""
HALF = 0.5
AT = np.array([0.1, 0.5, 0.9])
"""The recalls at which equation (7) is tried."""
FIGURE_ALPHA = 0.4
"""The share of targets of Figure 1."""
CLAIMS = read_claims(Path(__file__).parent)
ANCHORED = ("step", "trapezoid", "davis_goadrich")


def claims(found: list[Sample], simulated: Simulated, law: Law) -> list[Claim]:
    """Return every claim with its verdict."""
    return [
        imprecise(simulated),
        imbalance(simulated),
        least_biased(simulated, ANCHORED),
        least_biased(simulated, ("open_trapezoid",)),
        smaller_error(simulated, ANCHORED, few=True),
        smaller_error(simulated, ANCHORED, few=False),
        smaller_error(simulated, ("open_trapezoid",), few=True),
        hits(law),
        equation_7(law, FIGURE_ALPHA),
        *invariance(found),
        *discoveries(found),
        variances(simulated),
    ]


def imprecise(simulated: Simulated) -> Claim:
    """The root mean squared error of every counted area, in shares of the true area, at few and at half."""

    def relative(name: str, alpha: float) -> tuple[float, float]:
        truth = _known(simulated, alpha, name, "truth")
        return _known(simulated, alpha, name, "rmse") / truth, _known(
            simulated, alpha, name, "rmse_se"
        ) / truth

    pairs = [(relative(name, FEW), relative(name, HALF)) for name in COUNTED]
    holds = all(few - half > NOISE * math.hypot(se, se_half) for (few, se), (half, se_half) in pairs)
    few, half = ([pair[at][0] for pair in pairs] for at in (0, 1))
    ours = f"error {_range(few)} of the true area at α = {_share(FEW)}, {_range(half)} at {_share(HALF)}"
    return CLAIMS["imprecise"].found(ours, holds)


def imbalance(simulated: Simulated) -> Claim:
    """Bias of the binormal area with equal classes, at each share but one half, and there."""
    others = [alpha for alpha in simulated.alphas if alpha != HALF]
    biased = [alpha for alpha in others if _biased(simulated, alpha, "binormal")]
    at_half = not _biased(simulated, HALF, "binormal")
    bias, se = (_known(simulated, HALF, "binormal", name) for name in ("bias", "bias_se"))
    ours = (
        f"binormal biased at {len(biased)} of {len(others)} other shares; at ½ bias"
        f" {signed(bias, 4)} (standard error {numbers.fixed(se, 4)})"
    )
    return CLAIMS["imbalance"].found(ours, at_half and len(biased) == len(others))


def least_biased(simulated: Simulated, rivals: Sequence[str]) -> Claim:
    """Shares at which no rival is nearer to the truth than the alpha-binormal area, beyond noise."""
    lost = []
    for alpha in simulated.alphas:
        own, se = (_known(simulated, alpha, "alpha_binormal", name) for name in ("bias", "bias_se"))
        for name in (*rivals, "binormal"):
            bias, other_se = (_known(simulated, alpha, name, key) for key in ("bias", "bias_se"))
            if abs(own) - abs(bias) > NOISE * math.hypot(se, other_se):
                lost.append(f"at α = {_share(alpha)} {signed(own, 3)} against {signed(bias, 3)}")
    count = len(simulated.alphas)
    ours = f"no other nearer beyond noise at any of {count} shares" if not lost else listing(lost, most=3)
    return CLAIMS["least_bias" if rivals == ANCHORED else "least_bias_open"].found(ours, not lost)


def smaller_error(simulated: Simulated, rivals: Sequence[str], few: bool) -> Claim:
    """Whether the alpha-binormal area has the smaller root mean squared error, beyond noise."""
    shares = [alpha for alpha in simulated.alphas if alpha <= FEW or not few]
    better = [a for a in shares if all(_smaller(simulated, a, "alpha_binormal", name) for name in rivals)]
    holds = bool(shares) and better == shares
    if few:
        own = numbers.fixed(_known(simulated, FEW, "alpha_binormal", "rmse"), 3)
        others = [numbers.fixed(_known(simulated, FEW, name, "rmse"), 3) for name in rivals]
        ours = f"error {own} against {listing(others)} at α = {_share(FEW)}"
    else:
        where = listing(_share(alpha) for alpha in better) or "none"
        ours = f"smaller beyond noise at {len(better)} of {len(shares)} shares: {where}"
    among_few = "smaller_error_few" if rivals == ANCHORED else "smaller_error_few_open"
    return CLAIMS[among_few if few else "smaller_error"].found(ours, holds)


def hits(law: Law) -> Claim:
    """The TPR at t = 0 by the printed words and by the law of the targets."""
    printed, right = float(ndtr(-law.mean / law.sd)), float(ndtr(law.mean / law.sd))
    return CLAIMS["hits"].found(
        numbers.fixed(right, 3), abs(printed - right) < 5e-4, numbers.fixed(printed, 3)
    )


def equation_7(law: Law, alpha: float) -> Claim:
    """Precision at three recalls by equation (7) as printed and as corrected."""
    printed = printed_precision(AT, law, alpha)
    right = precision_at_z(-ndtri(AT), *law.curve, alpha)
    three, four = (
        "; ".join(numbers.fixed(float(value), n) for value in row) for row, n in ((printed, 3), (right, 4))
    )
    same = bool(np.all(np.abs(printed - right) < 5e-4))
    return CLAIMS["equation_7"].found(four, same, three, alpha=_share(alpha))


def printed_precision(tpr: FloatArray, law: Law, alpha: float) -> FloatArray:
    """alpha TPR / (alpha TPR + (1 - alpha) (1 - q)), q the targets' quantile at 1 - TPR: (7) as printed."""
    quantile = law.mean + law.sd * ndtri(1 - tpr)
    return np.asarray(alpha * tpr / (alpha * tpr + (1 - alpha) * (1 - quantile)))


def invariance(found: list[Sample]) -> list[Claim]:
    """AUC of two models of one order, by the fit to moments and by that to ranks."""
    pair = same_order(found)
    judged = []
    for fit, key in (("binormal", "invariance"), ("binormal_ordinal", "invariance_ranks")):
        values = [one.fits.get(fit, {}).get("auc") for one in pair] if pair else []
        known = [value for value in values if value is not None]
        if len(known) < 2:
            judged.append(CLAIMS[key].found("no such pair of fits in this report", None))
            continue
        ours = " and ".join(numbers.fixed(value, 4) for value in known)
        holds = abs(known[0] - known[1]) < 5e-5
        judged.append(CLAIMS[key].found(ours, holds))
    return judged


def discoveries(found: list[Sample]) -> list[Claim]:
    """Areas under precision and under the false discovery rate over recall, both along the curve."""
    if not found:
        return []
    recall, precision = recall_precision(found[0])
    area, false = (float(np.trapezoid(y, recall)) for y in (precision, 1 - precision))
    return [
        CLAIMS["discoveries"].found(
            f"{numbers.fixed(area, 3)} and {numbers.fixed(false, 3)}", abs(area - false) < 5e-4
        )
    ]


def variances(simulated: Simulated) -> Claim:
    """Bias with both divisors of the variances."""
    biases = [_known(simulated, FEW, name, "bias") for name in ("alpha_binormal", "alpha_binormal_ddof1")]
    ours = f"bias at α = {_share(FEW)}: {signed(biases[0], 3)} over n, {signed(biases[1], 3)} over n − 1"
    return CLAIMS["variances"].found(ours, None)


def recall_precision(sample: Sample, points: int = 2000) -> tuple[FloatArray, FloatArray]:
    """Recall and precision along the curve of the trials; between corners the counts run straight."""
    n_target, n_nontarget = sample.sizes
    corner = Accepted((n_target - sample.misses[::-1]).astype(float), sample.false_alarms[::-1].astype(float))
    within = np.arange(1, points) / points
    path = counts_between(corner, true_positives=within * n_target)
    path = counts_between(path, accepted=within * (n_target + n_nontarget))
    accepted = path.true_positives + path.false_alarms
    precision = path.true_positives[1:] / accepted[1:]
    return path.true_positives / n_target, np.concatenate((precision[:1], precision))


def signed(value: float, decimals: int) -> str:
    """Print a difference with its sign."""
    text = numbers.fixed(value, decimals)
    return text if text.startswith(numbers.MINUS) else f"+{text}"


def _known(simulated: Simulated, alpha: float, estimator: str, name: str) -> float:
    value = simulated.number(alpha, estimator, name)
    return math.nan if value is None else value


def _biased(simulated: Simulated, alpha: float, estimator: str) -> bool:
    bias, se = (_known(simulated, alpha, estimator, name) for name in ("bias", "bias_se"))
    return abs(bias) > NOISE * se


def _smaller(simulated: Simulated, alpha: float, estimator: str, other: str) -> bool:
    own, se = (_known(simulated, alpha, estimator, name) for name in ("rmse", "rmse_se"))
    rmse, other_se = (_known(simulated, alpha, other, name) for name in ("rmse", "rmse_se"))
    return rmse - own > NOISE * math.hypot(se, other_se)


def _range(shares: Sequence[float]) -> str:
    low, high = numbers.percent(min(shares), 0), numbers.percent(max(shares), 0)
    return f"{low}\u202f%" if low == high else f"{low} to {high}\u202f%"


def _share(alpha: float) -> str:
    return numbers.significant(alpha, 3).rstrip("0") if alpha % 1 else numbers.fixed(alpha, 0)
