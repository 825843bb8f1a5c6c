"""Noise added to the counts of a bundle, so that they hide every single score (differential privacy)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import product

import numpy as np
import opendp.prelude as dp
import polars as pl
from scipy.optimize import isotonic_regression

from reporting.base.arrays import IntArray
from reporting.errors import DataError
from reporting.inputs.bundle import NUMBER, PLACE, Bundle, Noise, Read, bin_keys, content_of, summed

dp.enable_features("contrib")


def noisy(bundle: Bundle, noise: Noise, turned: Collection[str]) -> Bundle:
    """Return the bundle with every bin of both classes of every set, and noise on each count.

    ``turned`` names the models whose keys are negated scores. Rows read are as many as the noisy counts say.
    The noise is random: whoever knows a seed could subtract it. DataError where two bins share a key.
    """
    about, grids = bundle.about, {}
    for model in about.models:
        grids[model] = bin_keys(noise, about.bits, turned=model in turned)
        if grids[model].n_unique() < noise.bins:
            raise DataError(
                f"--bins {noise.bins}: {about.bits} bits of a score do not separate so many bins from"
                f" {noise.low:g} to {noise.high:g}; raise trials.coarse, or use fewer bins"
            )
    cells = list(product(sorted({(read.dataset, read.split) for read in about.read}), (False, True)))
    counts = np.zeros((len(cells), len(about.scores), noise.bins), dtype=np.int64)
    whose = ["model", "run", *PLACE, "label"]
    for (model, run, *place, label), rows in bundle.rows.group_by(whose):
        key = rows["key"].to_numpy()
        at = np.clip(np.searchsorted(grids[str(model)], key, side="right") - 1, 0, None)
        cell = cells.index((tuple(place), label)), about.scores.index((str(model), str(run)))
        np.add.at(counts[cell], at, rows[NUMBER].to_numpy())
    possible = [possible_counts(of_class) for of_class in _with_noise(counts, noise.epsilon)]
    pieces = [
        pl.DataFrame({"key": grids[model], NUMBER: n}).with_columns(
            **{name: pl.lit(value) for name, value in zip(whose, (model, run, *place, label), strict=True)}
        )
        for (place, label), of_class in zip(cells, possible, strict=True)
        for (model, run), n in zip(about.scores, of_class, strict=True)
    ]
    rows = summed(about, pl.concat(pieces))
    sets = whose[:-1]
    read = rows.group_by(sets).agg(pl.col(NUMBER).sum()).sort(sets)
    rows_read = tuple(
        Read(model, run, dataset, split, n, 0, 0, 0) for model, run, dataset, split, n in read.iter_rows()
    )
    return Bundle(replace(about, read=rows_read, content=content_of(rows), noise=noise), rows)


def _with_noise(counts: IntArray, epsilon: float) -> IntArray:
    """Return counts (of any shape), each with discrete Laplace noise that hides one score by ``epsilon``."""
    space = dp.vector_domain(dp.atom_domain(T="i64"), size=counts.size), dp.l1_distance(T="i64")
    scale = 1 / epsilon
    while (mechanism := dp.m.make_laplace(*space, scale)).map(1) > epsilon:  # type: ignore[no-untyped-call]
        scale = float(np.nextafter(scale, np.inf))
    return np.array(mechanism(counts.ravel().tolist()), dtype=np.int64).reshape(counts.shape)


def possible_counts(counts: IntArray) -> IntArray:
    """Return possible numbers of trials near noisy counts of a class (shape (M, B)), lowest first.

    Each row has the same total, the mean of the noisy ones. Sums from the highest bin down are projected on
    the sequences that never fall and stay between 0 and that total (least squares), then rounded. Hay et al.
    2010, doi:10.14778/1920841.1920970.
    """
    totals = counts.sum(axis=1)
    total = max(0, round(float(totals.mean())))
    level = counts + (total - totals)[:, None] / counts.shape[1]
    beyond = np.cumsum(level[:, ::-1], axis=1)[:, :-1]
    fitted = [np.clip(isotonic_regression(row).x, 0, total) for row in beyond]
    ends = np.zeros((len(counts), 1)), np.full((len(counts), 1), float(total))
    whole = np.rint(np.hstack([ends[0], fitted, ends[1]])).astype(np.int64)
    return np.asarray(np.diff(whole, axis=1)[:, ::-1])
