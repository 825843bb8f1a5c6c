"""Plans held against simulation: at the planned size, how often the test succeeds and how wide the interval is.

    python -m tests.research.studies.planned [RUNS]

writes ``planned.md``. Sizes are those of ``reporting plan``; data are drawn as the plan presumes, and judged by
the intervals and tests that a report makes of them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta, binom, norm

import reporting
from reporting.base.arrays import FloatArray
from reporting.core.stats import intervals
from reporting.core.stats.effective_size import VERY_FEW, EffectiveRate
from reporting.core.stats.intervals import logit_interval, wilson
from reporting.core.stats.paired import score_reach
from reporting.core.stats.readers import _spread
from reporting.features.planning.questions import plan_question
from reporting.features.planning.readers import variances_of
from reporting.features.planning.sample_plan import SamplePlan
from tests.proportions import clopper_pearson

Draw = Callable[[np.random.Generator, SamplePlan, int], FloatArray]
"""Successes or widths of so many runs at the size of a plan."""


@dataclass(frozen=True)
class Planned:
    """A question with its options, and what is drawn and judged; ``slow`` has fewer runs."""

    key: str
    given: Mapping[str, Any]
    draw: Draw
    slow: float = 1.0
    exact: Callable[[SamplePlan], float] | None = None
    """The exact power at the planned size, where the plan prints less."""

    @property
    def plan(self) -> SamplePlan:
        return plan_question(self.key, self.given)

    def runs(self, seed: int, runs: int) -> FloatArray:
        return self.draw(np.random.default_rng(seed), self.plan, max(200, round(runs * self.slow)))


def rate_widths(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    n, rate = plan.n_trials or 0, plan.given["rate"]
    counts = rng.binomial(n, rate, runs)
    widths = {}
    for k in np.unique(counts):
        few = min(k, n - k) <= VERY_FEW
        low, high = (clopper_pearson if few else wilson)(int(k), n, plan.level)
        widths[k] = high - low
    return np.array([widths[k] for k in counts])


def clustered_widths(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """Errors of clusters are beta-binomial; the design effect is estimated as a report does (methods 8.4)."""
    g, m, rate, icc = plan.n_clusters or 0, plan.given["per_cluster"], plan.given["rate"], plan.given["icc"]
    shape = (1 - icc) / icc
    widths = []
    for _ in range(runs):
        k = rng.binomial(m, beta.rvs(rate * shape, (1 - rate) * shape, size=g, random_state=rng))
        n, p = g * m, k.sum() / (g * m)
        variance = ((k - p * m) ** 2).sum() / n**2 * g / (g - 1)
        effect = max(1.0, variance / (p * (1 - p) / n))
        low, high = EffectiveRate(p, n / effect, g - 1, k.sum() <= VERY_FEW).limits(plan.level)
        widths.append(high - low)
    return np.array(widths)


def bound_is_shown(plan: SamplePlan, errors: int) -> bool:
    n = plan.n_trials or 0
    return errors < n and beta.ppf(plan.level, errors + 1, n - errors) <= plan.given["bound"]


def fixed_is_excluded(plan: SamplePlan, errors: int) -> bool:
    low, high = clopper_pearson(errors, plan.n_trials or 0, plan.level)
    return not low <= plan.given["against"] <= high


OneRate = Callable[[SamplePlan, int], bool]
"""Whether so many errors are enough."""


def one_rate(succeeds: OneRate, rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    counts = rng.binomial(plan.n_trials or 0, plan.given["rate"], runs)
    enough = {k: float(succeeds(plan, int(k))) for k in np.unique(counts)}
    return np.array([enough[k] for k in counts])


def power_of_one_rate(succeeds: OneRate, plan: SamplePlan) -> float:
    """The exact power of this very size; that of the plan is the least of it and every larger one."""
    n = plan.n_trials or 0
    chance = binom.pmf(np.arange(n + 1), n, plan.given["rate"])
    likely = np.flatnonzero(chance > 1e-12)
    return float(sum(chance[k] for k in likely if succeeds(plan, int(k))))


def paired_rates(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """The test of a difference D with its plug-in error (methods 8.4); at a margin by score limits."""
    given, n = plan.given, plan.n_trials or 0
    rate, other = given["rate"], given["rate"] + given.get("difference", 0.0)
    both = rate * other + given["correlation"] * math.sqrt(rate * (1 - rate) * other * (1 - other))
    counts = rng.multinomial(n, [other - both, rate - both, 1 - other - rate + 2 * both], runs)
    x, m = counts[:, 0] - counts[:, 1], counts[:, 0] + counts[:, 1]
    se = np.sqrt(m - x**2 / n) / n
    if "margin" in given:
        reach = [score_reach(k / n, of / n**2, 1 / n, 1 - plan.level) for k, of in zip(x, m, strict=True)]
        return (x / n + np.array(reach) < given["margin"]).astype(float)
    return (np.abs(x / n) > norm.ppf((1 + plan.level) / 2) * se).astype(float)


def scores(
    rng: np.random.Generator, plan: SamplePlan, runs: int, areas: tuple[float, ...], r: float
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Areas and their placements (runs, N1 + N0) of normal scores with a correlation within either class."""
    n1, n0 = plan.n_target or 0, plan.n_nontarget or 0
    common = rng.normal(size=(runs, n1 + n0)) * math.sqrt(r)
    found, placed = [], []
    for area in areas:
        score = common + math.sqrt(1 - r) * rng.normal(size=common.shape)
        score[:, :n1] += math.sqrt(2) * norm.ppf(area)
        wins = score[:, :n1, None] > score[:, None, n1:]
        placed.append(np.concatenate([wins.mean(axis=2), wins.mean(axis=1)], axis=1))
        found.append(wins.mean(axis=(1, 2)))
    return found, placed


def delong_se(placed: FloatArray, n1: int) -> FloatArray:
    """DeLong's standard error in every run."""
    n0 = placed.shape[1] - n1
    return np.asarray(
        np.sqrt(placed[:, :n1].var(axis=1, ddof=1) / n1 + placed[:, n1:].var(axis=1, ddof=1) / n0)
    )


def in_chunks(draw: Draw, rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    return np.concatenate([draw(rng, plan, min(100, runs - at)) for at in range(0, runs, 100)])


def _auc_widths(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    (areas,), (placed,) = scores(rng, plan, runs, (plan.given["auc"],), 0.0)
    errors = delong_se(placed, plan.n_target or 0)
    limits = [logit_interval(a, se, plan.level) for a, se in zip(areas, errors, strict=True)]
    return np.array([high - low for low, high in limits])


def _auc_against(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """Whether the interval of a report excludes the fixed value."""
    (areas,), (placed,) = scores(rng, plan, runs, (plan.given["auc"],), 0.0)
    errors, fixed = delong_se(placed, plan.n_target or 0), plan.given["against"]
    limits = [logit_interval(a, se, plan.level) for a, se in zip(areas, errors, strict=True)]
    return np.array([float(not low <= fixed <= high) for low, high in limits])


def _rank_sum(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """The rank sum test: A against 1/2, with the variance that it then has."""
    (areas,), _ = scores(rng, plan, runs, (plan.given["auc"],), 0.0)
    n1, n0 = plan.n_target or 0, plan.n_nontarget or 0
    z = (areas - 0.5) / math.sqrt((n1 + n0 + 1) / (12 * n1 * n0))
    return (np.abs(z) > norm.ppf((1 + plan.level) / 2)).astype(float)


def _two_aucs(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """DeLong's test of a difference, or of non-inferiority."""
    given = plan.given
    areas = given["auc"], given["auc"] - given.get("difference", 0.0)
    found, placed = scores(rng, plan, runs, areas, given["score_correlation"])
    d, se = found[0] - found[1], delong_se(placed[0] - placed[1], plan.n_target or 0)
    if "margin" in given:
        return (d + norm.ppf(plan.level) * se < given["margin"]).astype(float)
    return (np.abs(d) > norm.ppf((1 + plan.level) / 2) * se).astype(float)


auc_widths, auc_against, rank_sum, two_aucs = (
    partial(in_chunks, draw) for draw in (_auc_widths, _auc_against, _rank_sum, _two_aucs)
)


def report_widths(measure: str, rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """Intervals of a report: 199 resamples of normal scores at the number's expected value."""
    given, n1, n0 = plan.given, plan.n_target or 0, plan.n_nontarget or 0
    shift = (
        -2 * norm.ppf(given["eer"])
        if plan.question == "eer"
        else norm.ppf(given["at_specificity"]) + norm.ppf(given["sensitivity"])
    )
    label = np.arange(n1 + n0) < n1
    widths = []
    for _ in range(runs):
        score = rng.normal(size=n1 + n0) + shift * label
        table = reporting.trial_table(label, score, split=["test"] * (n1 + n0))
        row = reporting.metrics(table, [measure], [], significance={"replicates": 199}).row(0, named=True)
        widths.append(row["ci_high"] - row["ci_low"])
    return np.array(widths)


def report_differences(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """A report's test of two EERs: 199 resamples of normal scores with a correlation within either class."""
    given, n1, n0, r = plan.given, plan.n_target or 0, plan.n_nontarget or 0, plan.given["score_correlation"]
    label = np.arange(n1 + n0) < n1
    rates = given["eer"], given["eer"] + given["difference"]
    found = []
    for _ in range(runs):
        common = math.sqrt(r) * rng.normal(size=n1 + n0)
        models = {
            name: common + math.sqrt(1 - r) * rng.normal(size=n1 + n0) - 2 * norm.ppf(rate) * label
            for name, rate in zip("AB", rates, strict=True)
        }
        table = reporting.trial_table(label, models, split=["test"] * (n1 + n0))
        settings = {"significance": {"replicates": 199}}
        row = reporting.compare(table, measures=["eer_rocch"], criteria=[], **settings).row(0, named=True)
        found.append(float(row["p_value"] < 1 - plan.level))
    return np.array(found)


def over_readers(rng: np.random.Generator, plan: SamplePlan, runs: int) -> FloatArray:
    """Differences of readers with these variances; what they share through the cases is taken as known."""
    given, r = plan.given, plan.n_readers or 0
    variances = variances_of(given)
    times = (plan.n_trials or 0) / given["pilot_cases"]
    own, shared = variances.between + variances.own / times, variances.shared / times
    differences = given["difference"] + rng.normal(size=(runs, r)) * math.sqrt(own)
    differences += rng.normal(size=(runs, 1)) * math.sqrt(shared)
    between = differences.var(axis=1, ddof=1) / r
    spread = _spread(between + shared, (between, r - 1))
    p = [
        intervals.normal_p(d, se, df)
        for d, se, df in zip(differences.mean(axis=1), spread.se, spread.df, strict=True)
    ]
    return (np.array(p) < 1 - plan.level).astype(float)


def of_one_rate(given: Mapping[str, Any], succeeds: OneRate) -> Planned:
    return Planned("rate", given, partial(one_rate, succeeds), exact=partial(power_of_one_rate, succeeds))


VAN_DYKE = {
    "difference": 0.0438, "readers": 6, "var_tr": 0.00020040252, "error_variance": 0.00080228827,
    "cov1": 0.00034661371, "cov2": 0.00034407483, "cov3": 0.00023902837, "pilot_cases": 114,
}  # fmt: skip
PAIRED = {"auc": 0.8, "difference": 0.05, "score_correlation": 0.6}

PLANNED = (
    Planned("rate", {"rate": 0.01, "width": 0.0075}, rate_widths),
    Planned("rate", {"rate": 0.002, "width": 0.004}, rate_widths),
    Planned("rate", {"rate": 0.05, "width": 0.05}, rate_widths),
    Planned("rate", {"rate": 0.05, "width": 0.03, "per_cluster": 20, "icc": 0.1}, clustered_widths),
    Planned("rate", {"rate": 0.05, "width": 0.08, "per_cluster": 30, "icc": 0.1}, clustered_widths),
    of_one_rate({"rate": 0.005, "bound": 0.01}, bound_is_shown),
    of_one_rate({"rate": 0.02, "against": 0.01}, fixed_is_excluded),
    of_one_rate({"rate": 0.9, "against": 0.95}, fixed_is_excluded),
    Planned("rate", {"rate": 0.02, "difference": 0.01, "correlation": 0.3}, paired_rates),
    Planned("rate", {"rate": 0.002, "difference": 0.004, "correlation": 0.2}, paired_rates),
    Planned("rate", {"rate": 0.02, "margin": 0.01, "correlation": 0.4}, paired_rates),
    Planned("auc", {"auc": 0.7, "width": 0.14}, auc_widths),
    Planned("auc", {"auc": 0.9, "width": 0.1, "ratio": 3}, auc_widths),
    Planned("auc", {"auc": 0.7, "power": 0.8}, rank_sum),
    Planned("auc", {"auc": 0.8, "against": 0.75}, auc_against),
    Planned("auc", {"auc": 0.9, "against": 0.8, "ratio": 2}, auc_against),
    Planned("auc", PAIRED, two_aucs),
    Planned("auc", PAIRED | {"ratio": 4}, two_aucs),
    Planned("auc", {"auc": 0.9, "difference": 0.05, "score_correlation": 0.3}, two_aucs),
    Planned("auc", {"auc": 0.8, "margin": 0.05, "score_correlation": 0.6}, two_aucs),
    Planned("auc", PAIRED | {"method": "obuchowski"}, two_aucs),
    Planned("auc", {"auc": 0.7, "width": 0.14, "method": "obuchowski"}, auc_widths),
    Planned("auc", {"auc": 0.7, "width": 0.14, "method": "hanley_mcneil"}, auc_widths),
    Planned("eer", {"eer": 0.05, "width": 0.02, "ratio": 4}, partial(report_widths, "eer_rocch"), 0.2),
    Planned("eer", {"eer": 0.1, "difference": 0.03, "score_correlation": 0.6}, report_differences),
    Planned(
        "sensitivity",
        {"sensitivity": 0.8, "at_specificity": 0.9, "width": 0.1},
        partial(report_widths, "sensitivity_at(specificity=0.9)"),
        0.2,
    ),
    Planned("readers", VAN_DYKE, over_readers),
)


def row(planned: Planned, seed: int, runs: int) -> str:
    """One line of the table: the command, the size, what was planned and what was drawn."""
    plan, values = planned.plan, planned.runs(seed, runs)
    size = ", ".join(
        f"{n:,} {name.removeprefix('n_')}" for name, n in plan.size._asdict().items() if n is not None
    )
    reached = f"{plan.planned.reached or 0.0:.4f}"
    if planned.exact:
        reached = f"at least {reached}, here {planned.exact(plan):.4f}"
    error = values.std(ddof=1) / math.sqrt(len(values))
    command = plan.command.removeprefix("reporting plan ")
    return f"| `{command}` | {size} | {plan.goal} | {reached} | {values.mean():.4f} | {error:.4f} | {len(values)} |"


HEAD = """# Plans against simulation

`python -m tests.research.studies.planned {runs}`. Data are drawn as the plan presumes, at its size, and judged by the intervals
and tests of a report: the share of runs whose test succeeds, or the mean width of the interval, with its Monte Carlo
error. "planned" is what `reporting plan` prints; of one rate against a bound or a fixed value it is the least power of
this size and every larger one, because exact power runs in teeth: at this very size ("here") it is higher. Rows with
`--method` show what published variances cost.

| reporting plan | size | | planned | simulated | error | runs |
|---|---|---|--:|--:|--:|--:|
"""


def main(runs: int) -> None:
    """Write the table."""
    lines = [row(planned, seed, runs) for seed, planned in enumerate(PLANNED)]
    text = HEAD.format(runs=runs) + "\n".join(lines) + "\n"
    (Path(__file__).parent / "planned.md").write_text(text)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
