"""The trials that every layout writes, and what a right report says of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Trial:
    """One trial: whether it is a target, what two models give it, and what describes it."""

    key: str
    target: bool
    ours: float
    base: float
    speaker: str
    site: str
    age: int

    @property
    def word(self) -> str:
        """Return ``yes`` for a target."""
        return "yes" if self.target else "no"

    @property
    def decided(self) -> bool:
        """Return what the first model decides at one half."""
        return self.ours >= 0.5


@cache
def trials(n: int = 180, seed: int = 7, prefix: str = "t") -> tuple[Trial, ...]:
    """Return probabilities of two decimals, with ties; every third trial is a target."""
    draw = random.Random(seed)

    def probability(target: bool, shift: float) -> float:
        return round(min(0.99, max(0.01, draw.gauss(0.62 if target else 0.40, 0.17) + shift)), 2)

    return tuple(
        Trial(
            f"{prefix}{i:04d}",
            target := i % 3 == 0,
            probability(target, 0.03 if target else -0.03),
            probability(target, 0.0),
            f"s{i % 20:02d}",
            ("north", "south")[i // 3 % 2],
            draw.randint(20, 89),
        )
        for i in range(n)
    )


def area(targets: list[float], others: list[float]) -> float:
    """Return the share of pairs in which the target scores higher, ties counting one half."""
    won = sum((a > b) + 0.5 * (a == b) for a in targets for b in others)
    return won / (len(targets) * len(others))


@cache
def areas(*models: str, n: int = 180, seed: int = 7) -> tuple[float, ...]:
    """Return the area of each model, by pairs."""
    of = trials(n, seed)
    return tuple(
        area([getattr(t, m) for t in of if t.target], [getattr(t, m) for t in of if not t.target])
        for m in models
    )
