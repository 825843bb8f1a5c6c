"""Losses of models at several points, with ties."""

from __future__ import annotations

import numpy as np


def drawn(points=4, models=3, replicates=199, seed=1, digits=1):
    """Losses (A, K) and replicates (A, K, M) that points share in part; rounding makes ties."""
    rng = np.random.default_rng(seed)
    losses = np.round(rng.normal(size=(points, models)), digits)
    shared = rng.normal(size=(1, models, replicates))
    around = (shared + rng.normal(size=(points, models, replicates))) / 2
    return losses, np.round(losses[:, :, None] + around, digits)
