"""Cuts of normal scores."""

from __future__ import annotations

import numpy as np

from reporting.core.counts.cuts import count_cuts


def cuts(n, digits=12):
    rng = np.random.default_rng(8)
    label = rng.random(n) < 0.2
    return count_cuts(np.round(rng.normal(size=n) + 1.5 * label, digits), label)[0]
