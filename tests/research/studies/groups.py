"""Coverage and level of contrasts over groups: what ``features/groups/formulas`` promises, on simulated groups.

    python -m tests.research.studies.groups [--runs N]

Two models judge the same trials, and half of what makes them err they share. A trial is an error where its score
passes a threshold; under clusters an effect of the speaker is added, and a speaker has trials in one group or in
all of them. Values, intervals, draws of units and limits are the report's own (``MeasureByMember``); trials that
are independent are drawn by what happens to them, as many as there are. Of the second model the groups' rates
are the other way round, or the same: its rates also stand for FRR beside FAR in equalised odds and GARBE.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from reporting.core.counts.ranks import Attribute, Ranks
from reporting.core.engine.partition import Partition
from reporting.core.measures.threshold import FAR
from reporting.core.resampling.design import Design
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.units import Units, cluster_units, trial_units
from reporting.core.stats.effective_size import EffectiveRate
from reporting.features.groups.formulas import (
    Gap,
    against,
    difference_of_ranges,
    garbe,
    gini,
    gini_gap,
    larger_spread,
    largest_ratio,
    maximum,
    maximum_to_geometric_mean,
    minimum,
)
from reporting.features.groups.formulas import spread as range_of
from reporting.features.groups.members import MeasureByMember, MemberSample

LEVEL, REPLICATES = 0.95, 299
SHARED = 0.5
"""The part of a score's variance that both models have in common."""
EFFECT = 0.7
"""The standard deviation of what a speaker adds to a score."""


@dataclass(frozen=True)
class SimulatedDesign:
    """Groups: true rates, trials of each, the rates of the second model, and speakers, if there are any."""

    name: str
    rates: tuple[float, ...]
    trials: tuple[int, ...]
    second: tuple[float, ...]
    speakers: int = 0
    spanning: bool = False
    """Whether a speaker has trials in every group, or in one."""

    @property
    def group(self) -> Any:
        """The group of every trial."""
        return np.repeat(np.arange(len(self.rates)), self.trials)

    def unit(self) -> Any:
        """The speaker of every trial."""
        own = np.concatenate([np.arange(n) % self.speakers for n in self.trials])
        return own if self.spanning else own + self.speakers * self.group


class Simulated(NamedTuple):
    """Both models' errors (shape (N,)), their scores, and how often each pattern is drawn (shape (M, 4 G))."""

    errors: Sequence[Any]
    scores: Sequence[Any]
    drawn: Any


def simulate(design: SimulatedDesign, units: Units, rng: np.random.Generator) -> Simulated:
    """Return a table of trials, and its replicates."""
    group, n = design.group, sum(design.trials)
    shared, scores = rng.standard_normal(n), []
    for _ in range(2):
        score = math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * rng.standard_normal(n)
        scores.append(score + (EFFECT * rng.standard_normal(units.n_atoms)[units.of_trial]) * units.clustered)
    wide = math.sqrt(1 + EFFECT**2 * units.clustered)
    cuts = [-wide * ndtri(np.array(rates))[group] for rates in (design.rates, design.second)]
    errors = [score >= cut for score, cut in zip(scores, cuts, strict=True)]
    pattern = 4 * group + 2 * errors[0] + errors[1]
    if not units.clustered:
        counts = np.bincount(pattern, minlength=4 * len(design.rates))
        return Simulated(errors, scores, rng.multinomial(n, counts / n, REPLICATES))
    table = np.zeros((units.n_atoms, 4 * len(design.rates)))
    np.add.at(table, (units.of_trial, pattern), 1)
    weights = rng.multinomial(units.n_atoms, np.full(units.n_atoms, 1 / units.n_atoms), REPLICATES)
    return Simulated(errors, scores, (weights @ table).astype(np.int64))


def measured(
    design: SimulatedDesign, every: Partition, units: Units, table: Simulated, model: int
) -> MeasureByMember:
    """Return the rates of a model as a report has them."""
    by_group = table.drawn.reshape(REPLICATES, -1, 2, 2)
    wrong = by_group.sum(axis=2)[..., 1] if model else by_group.sum(axis=3)[..., 1]
    size = by_group.sum(axis=(2, 3))
    with np.errstate(invalid="ignore"):
        drawn = wrong / size
        rests = (wrong.sum(axis=1, keepdims=True) - wrong) / (size.sum(axis=1, keepdims=True) - size)

    def rate_of(members: Any) -> EffectiveRate:
        marks = table.errors[model][members].astype(float)
        if not units.clustered:
            return EffectiveRate(float(marks.mean()), float(len(marks)))
        counted = CountedTrials.among(np.ones(len(marks)), units.of(members), None)
        return counted.rate(marks, counted.correlation(table.scores[model][members]))

    def sampled(sets: list[Any], replicates: Any) -> MemberSample:
        rates = [rate_of(members) for members in sets]
        point = np.array([rate.rate for rate in rates])
        return MemberSample(FAR, point, replicates, lambda at, share: rates[at], units.clustered)

    members, outside = every.members, [every.rest(at) for at in range(every.n)]
    shared = every.shared(units)
    return MeasureByMember(sampled(members, drawn), sampled(outside, rests), [None] * every.n, shared)


STATISTICS: dict[str, Callable[[Any, float], Gap]] = {
    "largest": maximum,
    "smallest": minimum,
    "range": range_of,
    "ratio": largest_ratio,
    "largest / mean": maximum_to_geometric_mean,
    "Gini": gini_gap,
}


def true_statistics(rates: Any) -> dict[str, float]:
    """Return what the statistics estimate."""
    return {
        "largest": rates.max(),
        "smallest": rates.min(),
        "range": np.ptp(rates),
        "ratio": rates.max() / rates.min(),
        "largest / mean": rates.max() / math.exp(np.log(rates).mean()),
        "Gini": gini(rates),
    }


def covers(gap: Gap, truth: float) -> float:
    """Return whether limits hold a number, NaN where there are none; the last bits do not matter."""
    if math.isnan(gap.value):
        return math.nan
    return float(gap.low - 1e-9 <= truth <= gap.high + 1e-9)


def percentiles(values: Any, truth: float) -> float:
    """Return whether the percentile interval of replicates holds a number."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low - 1e-9 <= truth <= high + 1e-9)


def one_run(
    design: SimulatedDesign, every: Partition, units: Units, rng: np.random.Generator
) -> dict[str, float]:
    """Return what holds in one simulated table, by name."""
    table = simulate(design, units, rng)
    first, second = (measured(design, every, units, table, model) for model in (0, 1))
    groups, others = first.values, second.values
    rates, trials = np.array(design.rates), np.array(design.trials)
    rest = ((rates * trials).sum() - rates * trials) / (trials.sum() - trials)
    low, high = groups.joint(LEVEL)
    contrast = against(*first.against(None), LEVEL)
    truth, of_second = true_statistics(rates), true_statistics(np.array(design.second))
    gaps = {name: statistic(groups, LEVEL) for name, statistic in STATISTICS.items()}
    found = {name: covers(gap, truth[name]) for name, gap in gaps.items()}
    found["values"] = float(((low <= rates) & (rates <= high)).all())
    for name, (below, above), true in (
        ("differences", contrast.differences, rates - rest),
        ("ratios", contrast.ratios, rates / rest),
    ):
        found[name] = float(((below - 1e-9 <= true) & (true <= above + 1e-9)).all())
    found["equalised odds"] = covers(
        larger_spread([groups, others], LEVEL), max(truth["range"], of_second["range"])
    )
    found["GARBE"] = covers(garbe(groups, others, 0.5, LEVEL), 0.5 * (truth["Gini"] + of_second["Gini"]))
    gap = difference_of_ranges(groups, others, LEVEL, Design.of(units, LEVEL).factor)
    found["two models"] = covers(gap, truth["range"] - of_second["range"])
    found["a difference claimed"] = float(
        ((contrast.differences[0] > 0) | (contrast.differences[1] < 0)).any()
    )
    found["a range claimed"] = float(gaps["range"].low > 0)
    found["a Gini coefficient claimed"] = float(gaps["Gini"].low > 0)
    found["two ranges claimed to differ"] = float(gap.low > 0 or gap.high < 0)
    found["percentile: largest"] = percentiles(first.members.replicates.max(axis=1), truth["largest"])
    found["percentile: range"] = percentiles(np.ptp(first.members.replicates, axis=1), truth["range"])
    found["percentile: Gini"] = percentiles([gini(each) for each in first.members.replicates], truth["Gini"])
    found["bias: largest"] = gaps["largest"].value - truth["largest"]
    found["bias: range"] = gaps["range"].value - truth["range"]
    return found


def study(design: SimulatedDesign, runs: int) -> dict[str, float]:
    """Return the shares of runs in which each holds, and biases; undefined statistics are left out."""
    group, rng = design.group, np.random.default_rng([len(design.rates), sum(design.trials), design.speakers])
    label = np.zeros(len(group), dtype=bool)
    named = tuple(map(str, range(len(design.rates))))
    unit = design.unit().astype(np.uint32) if design.speakers else None
    ranks = Ranks(label, unit, {}, paired=True, attributes={"group": Attribute(named, group)})
    names = "all", "test"
    units = cluster_units([ranks], names)[0] if design.speakers else trial_units(label, names)
    every = Partition.of(ranks, ("group",))
    runs_done = [one_run(design, every, units, rng) for _ in range(runs)]
    return {name: float(np.nanmean([each[name] for each in runs_done])) for name in runs_done[0]}


EQUAL, UNEQUAL = (0.1,) * 4, (0.05, 0.08, 0.1, 0.2)
DESIGNS = [
    SimulatedDesign("4 groups of .1, 500 trials each", EQUAL, (500,) * 4, EQUAL),
    SimulatedDesign("8 groups of .1, 200 each", (0.1,) * 8, (200,) * 8, (0.1,) * 8),
    SimulatedDesign("5 groups of .02, 300 each (6 errors)", (0.02,) * 5, (300,) * 5, (0.02,) * 5),
    SimulatedDesign("4 groups of .1, 2000, 500, 200 and 60", EQUAL, (2000, 500, 200, 60), EQUAL),
    SimulatedDesign(".05, .08, .1, .2; 500, 200, 1000, 300", UNEQUAL, (500, 200, 1000, 300), UNEQUAL[::-1]),
    SimulatedDesign(
        ".02 three times, .08; 1000, 500, 300, 100",
        (0.02, 0.02, 0.02, 0.08),
        (1000, 500, 300, 100),
        (0.04,) * 4,
    ),
    SimulatedDesign("40 speakers in all 4 groups of .1", EQUAL, (400,) * 4, EQUAL, 40, True),
    SimulatedDesign("40 speakers in each of 4 groups of .1", EQUAL, (400,) * 4, EQUAL, 40),
    SimulatedDesign("40 speakers in all groups, .05 to .2", UNEQUAL, (400,) * 4, UNEQUAL[::-1], 40, True),
    SimulatedDesign("40 speakers in each group, .05 to .2", UNEQUAL, (400,) * 4, UNEQUAL[::-1], 40),
]
COVERAGE = [
    *("values", "differences", "ratios", "largest", "smallest", "range", "ratio", "largest / mean", "Gini"),
    *("equalised odds", "GARBE", "two models"),
]
LEVELS = [
    *("a difference claimed", "a range claimed", "a Gini coefficient claimed"),
    "two ranges claimed to differ",
]
OTHERS = ["percentile: largest", "percentile: range", "percentile: Gini", "bias: largest", "bias: range"]


def printed(title: str, names: Sequence[str], results: dict[SimulatedDesign, dict[str, float]]) -> None:
    """Print one table."""
    print(f"\n## {title}\n\n| | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    for design, of in results.items():
        print(f"| {design.name} | " + " | ".join(f"{of[name]:.3f}" for name in names) + " |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    with ProcessPoolExecutor(2) as pool:
        results = dict(zip(DESIGNS, pool.map(study, DESIGNS, [runs] * len(DESIGNS)), strict=True))
    printed("Coverage", COVERAGE, results)
    equal = {design: of for design, of in results.items() if design.rates == design.second}
    printed("Level: what is claimed though all groups are equal", LEVELS, equal)
    turned = {d: of for d, of in results.items() if sorted(d.rates) == sorted(d.second)}
    printed("Level: two models with the same range", LEVELS[-1:], turned)
    printed("What percentile intervals hold, and the bias of maxima", OTHERS, results)


if __name__ == "__main__":
    main()
