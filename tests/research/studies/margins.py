"""How often a gate passes though the difference equals its margin, exactly, and how often where there is none.

    python -m tests.research.studies.margins

Of n trials of one class the first model alone errs on a, the second alone on b; a gate asks whether the
first is not worse by a margin. *Score* is the evidence of gates; *Wald* the estimate and its plug-in standard
error, without any disagreement the rule of 3. The largest chance of a wrong pass is over shares ``ALSO`` on
which the second alone errs. Nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from scipy.stats import binom, norm

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.paired import Discordant
from tests.research.studies.paired_counts import evidence_of

SIZES = 30, 50, 100, 200, 500, 1000
MARGINS = 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15
ALSO = 0.0, 0.01, 0.02, 0.05, 0.1
DISAGREE = 0.02, 0.1
"""Shares of trials on which models without a difference disagree."""
TAILS = 0.025, 0.05
RARE = 1e-9
FRR = 0.0, 1.0

Passes = Callable[[int, int, int, float, float], bool]
"""Whether a and b errors of n trials pass a margin at a tail."""


def by_score(a: int, b: int, n: int, margin: float, tail: float) -> bool:
    """Ask the evidence of a gate: its p at the margin."""
    evidence = evidence_of(Discordant(0, 0, b, a, n_target=n, n_nontarget=1), FRR)
    assert evidence is not None
    return evidence.upper(tail) < margin or (a < b and evidence.p_below(margin) <= tail)


def by_wald(a: int, b: int, n: int, margin: float, tail: float) -> bool:
    """Ask whether D + z SE is below the margin."""
    if not a + b:
        return -math.expm1(math.log(tail) / n) < margin
    return (a - b) / n + norm.isf(tail) * math.sqrt(a + b - (a - b) ** 2 / n) / n < margin


def most_errors(passes: Passes, n: int, margin: float, tail: float, b: int) -> int:
    """Return the most errors of the first that pass where the second has b; -1 where none do."""
    low, high = -1, n - b + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle, b, n, margin, tail) else (low, middle)
    return low


class Gate:
    """The errors that pass a margin at a tail, of n trials."""

    def __init__(self, passes: Passes, n: int, margin: float, tail: float) -> None:
        self.n, self.margin = n, margin
        likely = int(binom.isf(RARE, n, max(*ALSO, *DISAGREE)))
        self.b: IntArray = np.arange(likely + 1)
        self.most: IntArray = np.array([most_errors(passes, n, margin, tail, int(b)) for b in self.b])

    def passed(self, first: float, second: float) -> float:
        """Return the chance of a pass where the first alone errs on such a share, the second on another."""
        chance: FloatArray = binom.pmf(self.b, self.n, second)
        return float((chance * binom.cdf(self.most, self.n - self.b, first / (1 - second))).sum())

    @property
    def wrongly(self) -> float:
        """The largest chance of a pass where the difference equals the margin."""
        return max(self.passed(self.margin + also, also) for also in ALSO)


def lines(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """Yield the table, a row for each size and margin that the rule of 3 lets pass."""
    kinds = {"score": by_score, "Wald": by_wald}
    wrong = [f"{name}, of {tail:g}" for tail in TAILS for name in kinds]
    power = [f"{name}, {share:g} disagree" for share in DISAGREE for name in kinds]
    yield f"| trials | margin | {' | '.join(wrong + power)} |"
    yield f"|--:|--:|{'--:|' * len(wrong + power)}"
    for n in sizes:
        for margin in MARGINS:
            if -math.log(TAILS[0]) / n >= margin:
                continue
            gates = {tail: [Gate(passes, n, margin, tail) for passes in kinds.values()] for tail in TAILS}
            cells = [f"{gate.wrongly:.4f}" for tail in TAILS for gate in gates[tail]]
            cells += [
                f"{gate.passed(share / 2, share / 2):.3f}" for share in DISAGREE for gate in gates[TAILS[0]]
            ]
            yield f"| {n:,} | {margin:g} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in lines():
        print(line, flush=True)
