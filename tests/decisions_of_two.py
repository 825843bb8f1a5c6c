"""Trial tables for tests of how models decide together: decisions by hand, and tied scores."""

import numpy as np
from build import trials_of

ASKED = "epc: none\nreport: {sections: [rest, agreement]}\n"
DEV = [f"{k} {model} dev {k} {k}" for k in (0, 1) for model in "ab"]
"""Puts both thresholds at 1/2, so that scores 0 and 1 are decisions."""
TARGETS = {(1, 1): 3, (1, 0): 2, (0, 1): 1, (0, 0): 1}
NONTARGETS = {(1, 1): 1, (1, 0): 1, (0, 1): 2, (0, 0): 4}
"""How many trials a and b accept."""


def decided(targets, nontargets):
    """Dev, and test trials by what a and b decide."""
    lines = [
        f"{label}{number}{pattern[0]}{pattern[1]} {model} test {label} {decision}"
        for label, patterns in ((1, targets), (0, nontargets))
        for pattern, count in patterns.items()
        for number in range(count)
        for model, decision in zip("ab", pattern, strict=True)
    ]
    return trials_of(*DEV, *lines)


def tied(models, n=60, seed=1):
    """Tied scores of models on dev and test; the first letter of a name decides which."""
    rows = []
    for split in ("dev", "test"):
        rng = np.random.default_rng([seed, split == "test"])
        label, shared = rng.random(n) < 0.4, rng.normal(size=n)
        label[:2] = True, False
        for model in models:
            own = np.random.default_rng([ord(model[0]), seed, split == "test"]).normal(size=n)
            score = np.round(shared + own + 1.2 * label)
            rows += [
                {"model": model, "split": split, "trial": f"t{i}", "label": bool(label[i]), "score": float(score[i])}
                for i in range(n)
            ]  # fmt: skip
    return rows
