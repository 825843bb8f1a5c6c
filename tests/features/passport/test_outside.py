"""A passport against what SciPy and statsmodels know of its population: kernels, coverage, size and power."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from build import build
from scipy import stats
from statsmodels.nonparametric.bandwidths import bw_silverman
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from reporting.base.execution import SerialExecutor
from reporting.core.stats.staircase import cut_at
from reporting.features.passport.frame import rows_of
from reporting.features.passport.simulate import simulated, simulation_of
from reporting.features.passport.world import world_of

AT_HALF = """
thresholds: {policy: none}
criteria: [fixed(threshold=0.5)]
primary: {measure: far, criterion: fixed(threshold=0.5)}
baseline: a
significance: {replicates: 99, stratify: label}
"""


def test_a_population_is_the_kernel_density_of_scipy(tmp_path: Path) -> None:
    """Its width is half of n^(-1/5) min(SD, IQR / 1.349), of which Silverman's rule has .9.

    Around the trials as they are a kernel would spread more than they do: they are drawn together as much.
    """
    draw = np.random.default_rng(8)
    score = draw.standard_t(4, (2, 60)) + np.array([[0.0], [1.5]])
    label = np.repeat([0, 1], 60)
    trial = [str(number) for number in range(120)]
    table = pl.DataFrame({"model": "a", "trial": trial, "label": label, "score": score.ravel()})
    built = build(tmp_path, table, AT_HALF.replace("baseline: a\n", ""))
    cuts = world_of(built.counts, built.study).population("all", ("a", "0"))
    for of_class, own in enumerate(score):
        width = 0.5 / 0.9 * bw_silverman(own)
        centre = own.mean() + np.sqrt(1 - width**2 / own.var()) * (own - own.mean())
        density = stats.gaussian_kde(centre, bw_method=width / centre.std(ddof=1))
        for threshold in (-1.0, 0.5, 2.0):
            misses, alarms = cuts.errors(cut_at(cuts.score, threshold))
            below = misses / cuts.trials[0] if of_class else 1 - alarms / cuts.trials[1]
            assert below == pytest.approx(density.integrate_box_1d(-np.inf, threshold), abs=0.003)


BOTH, FIRST, SECOND, N = 2, 9, 3, 40
"""Of N non-targets these are accepted by both models, by the first alone and by the second alone."""
TABLES = 400


def test_coverage_size_and_power_of_decisions_are_those_of_every_possible_table(tmp_path: Path) -> None:
    """Decisions have no kernel, so that simulated tables are multinomial: all are enumerated.

    Wilson's limits, of few errors Clopper and Pearson's, are those of statsmodels, and so is McNemar's exact p,
    here mid-p: half of the probability of what was seen is taken off on either side.
    """
    decided = [(1, 1)] * BOTH + [(1, 0)] * FIRST + [(0, 1)] * SECOND
    decided += [(0, 0)] * (N - len(decided)) + [(1, 1)] * 5
    columns = {"trial": [str(number) for number in range(N + 5)], "label": [0] * N + [1] * 5}
    table = pl.concat(
        pl.DataFrame({"model": model, **columns, "score": [float(each[at]) for each in decided]})
        for at, model in enumerate("ab")
    )
    built, pool = build(tmp_path, table, AT_HALF), SerialExecutor()
    simulation, observed = simulation_of(built.counts, built.study, pool)
    own, null = (simulated(replace(simulation, exchanged=which), 0, TABLES, pool) for which in (False, True))
    first, second, compared = rows_of(simulation, observed, own, null, None)

    for row, accepted in ((first, BOTH + FIRST), (second, BOTH + SECOND)):
        errors = np.arange(N + 1)
        low, high = np.transpose([limits(int(k)) for k in errors])
        held = (low <= accepted / N) & (accepted / N <= high)
        assert row.truth == pytest.approx(accepted / N)
        near(row.coverage, stats.binom(N, accepted / N).pmf(errors)[held].sum())
    counts = [(b, c) for b, c in product(range(N + 1), repeat=2) if b + c <= N]
    rejected = [(b, c) for b, c in counts if midp(b, c) <= 0.05]
    alone = (FIRST + SECOND) / 2
    for share, rates in ((compared.power, (FIRST, SECOND)), (compared.size, (alone, alone))):
        chances = stats.multinomial(N, [*(rate / N for rate in rates), 1 - sum(rates) / N])
        near(share, sum(chances.pmf([b, c, N - b - c]) for b, c in rejected))


def limits(errors: int) -> tuple[float, float]:
    few = min(errors, N - errors) <= 3
    return proportion_confint(errors, N, method="beta" if few else "wilson")  # type: ignore[no-any-return]


def midp(b: int, c: int) -> float:
    exact = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    seen = stats.binom(b + c, 0.5).pmf(b)
    return float(1.0 if b == c else exact - seen)


def near(share: float | None, exact: float) -> None:
    """A share of the tables lies within three Monte Carlo errors."""
    print(share, exact)
    assert share is not None
    assert abs(share - exact) < 3 * np.sqrt(exact * (1 - exact) / TABLES)
