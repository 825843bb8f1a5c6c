"""The stratified bootstrap distribution of a paired difference without Monte Carlo error (methods 8.6)."""

from __future__ import annotations

import numpy as np

from reporting.core.stats.paired import Discordant


def exact_distribution(d: Discordant) -> tuple[np.ndarray, np.ndarray]:
    """Support (2 N0 N1 D*, integers, ascending) and probabilities of the HTER difference."""
    far = class_difference(d.nontarget_10, d.nontarget_01, d.n_nontarget)
    frr = class_difference(d.target_01, d.target_10, d.n_target)
    x, px = far
    y, py = frr
    lattice = (x[:, None] * d.n_target + y[None, :] * d.n_nontarget).ravel()
    support, at = np.unique(lattice, return_inverse=True)
    return support, np.bincount(at, weights=np.outer(px, py).ravel())


def class_difference(plus: int, minus: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Support and pmf of (#plus - #minus) when n trials are drawn with replacement."""
    size = 2 * n + 1
    z = np.exp(-2j * np.pi * np.arange(size) / size)
    transform = (plus / n * z + minus / n / z + (n - plus - minus) / n) ** n
    pmf = np.fft.ifft(transform).real
    support = np.arange(-n, n + 1)
    return support, np.clip(pmf[support % size], 0, None)
