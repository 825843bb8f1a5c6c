"""A year of weekly runs through the gates: how often they cry wolf, and how soon they see one.

    python -m tests.research.studies.weekly [--seeds N] [--speakers]

Each week brings new trials on which the candidate of the week and a reference decide. The share of targets
and the scores drift, for both alike. Until a regression the two are exchangeable. The gate is "better",
undecided counts as passed: a run is held back only where the candidate is shown to be worse, which is the
hardest case for false alarms, because the truth stands on the bound. Everything from counted decisions to
verdicts is the program's own (``count_discordant``, ``look``, ``judge``), or equal to it (``evidence_of``).

Plain gates compare with the model of the last accepted run; always valid ones, whose evidence is about one
reference, with that of the first.

``--speakers``: weeks of 1,000 trials of 40 speakers, of whom some suit one model and some the other. They are
others in each week or the same, speak as often or by Zipf's law, and the gate bets on each of them once or
on their trials as if these were independent.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.core.stats.paired import Discordant
from reporting.features.gates.evidence import State, look
from reporting.features.gates.past import MODEL, OTHER, count_discordant, night_of, trials_of_night
from reporting.features.gates.verdict import GateCase, judge
from tests.research.studies.paired_counts import evidence_of

LEVEL = 0.95
ERROR = (1 - LEVEL) / 2
HTER = (0.5, 0.5)
TARGETS, NONTARGETS = 1000, 4000
D_PRIME, WORSE, RHO = 3.0, 2.75, 0.8
"""A regression of d' from 3 to 2.75 at one threshold: of HTER from 6.7 to 8.6 %, without drift."""
FIRST_BAD = 8


@dataclass(frozen=True)
class Year:
    """The outcomes of one simulated series of weeks, by gate: shape (weeks,) each."""

    plain: list[str]
    always: list[str]


def year(rng: np.random.Generator, weeks: int, first_bad: int | None) -> Year:
    """Run a series of weeks; from ``first_bad`` on, counted from 1, every candidate is worse."""
    state, plain, always = State(), [], []
    reference = D_PRIME
    drift = 0.0
    for week in range(1, weeks + 1):
        drift = 0.8 * drift + 0.1 * rng.standard_normal()
        candidate = WORSE if first_bad is not None and week >= first_bad else D_PRIME
        trials = week_of(rng, drift, (candidate, reference, D_PRIME))
        plain.append(verdict_once(trials[0]))
        if plain[-1] != "fail":
            reference = candidate
        state, outcome = verdict_always(trials[1], state)
        always.append(outcome)
    return Year(plain, always)


def week_of(rng: np.random.Generator, drift: float, d_primes: tuple[float, float, float]) -> list[Discordant]:
    """Return what the candidate and either reference decide on a week's trials, counted."""
    n_target = int(rng.binomial(TARGETS + NONTARGETS, TARGETS / (TARGETS + NONTARGETS) * math.exp(drift)))
    label = np.arange(TARGETS + NONTARGETS) < n_target
    common = math.sqrt(RHO) * rng.standard_normal(len(label)) + drift
    accepted = [
        common + math.sqrt(1 - RHO) * rng.standard_normal(len(label)) + d * label >= D_PRIME / 2
        for d in d_primes
    ]
    return [
        count_discordant(pl.DataFrame({"label": label, MODEL: accepted[0], OTHER: other}))
        for other in accepted[1:]
    ]


def verdict_once(d: Discordant) -> str:
    """The plain gate on one week."""
    return judge([GateCase(evidence_of(d, HTER), "below", 0.0, ERROR)])[0].outcome


def verdict_always(d: Discordant, state: State) -> tuple[State, str]:
    """The always valid gate after one more week."""
    ceiling = 1 / ERROR * (1 + 1e-9)
    seen = look(state, (), trials_of_night(d, HTER), "below", 0.0, ceiling)
    return seen.state, judge([GateCase(seen, "below", 0.0, ERROR)])[0].outcome


@dataclass(frozen=True)
class Found:
    """Shares over all seeds."""

    seeds: int
    false_week: dict[str, float]
    """A false fail in a null week."""
    undecided_week: dict[str, float]
    false_weeks_before: dict[str, float]
    """Any false fail before the regression."""
    false_year: dict[str, float]
    """Any false fail in 52 null weeks."""
    found_by: dict[str, list[float]]
    """Failed in the regression's first week, in its first two, and so on."""
    found_in_week: dict[str, float]


def study(seeds: int, weeks: int = 12, null_weeks: int = 52, seed: int = 7) -> Found:
    """Simulate so many series with a regression, and as many years without."""
    series = [year(np.random.default_rng([seed, k]), weeks, FIRST_BAD) for k in range(seeds)]
    years = [year(np.random.default_rng([seed, k, 1]), null_weeks, None) for k in range(seeds)]
    kinds = ("plain", "always")
    failed = {k: np.array([[o == "fail" for o in getattr(one, k)] for one in series]) for k in kinds}
    null = {k: np.array([getattr(one, k) for one in years]) for k in kinds}
    after = {k: f[:, FIRST_BAD - 1 :] for k, f in failed.items()}
    return Found(
        seeds=seeds,
        false_week={k: float((o == "fail").mean()) for k, o in null.items()},
        undecided_week={k: float((o == "undecided").mean()) for k, o in null.items()},
        false_weeks_before={k: float(f[:, : FIRST_BAD - 1].any(axis=1).mean()) for k, f in failed.items()},
        false_year={k: float((o == "fail").any(axis=1).mean()) for k, o in null.items()},
        found_by={
            k: [float(a[:, : n + 1].any(axis=1).mean()) for n in range(a.shape[1])] for k, a in after.items()
        },
        found_in_week={k: float(a[:, 0].mean()) for k, a in after.items()},
    )


def table(found: Found) -> str:
    """The figures as lines, shares in percent."""
    shares = [
        ("false fail, one null week", found.false_week),
        ("undecided, one null week", found.undecided_week),
        (f"any false fail, weeks 1 to {FIRST_BAD - 1}", found.false_weeks_before),
        ("any false fail, 52 null weeks", found.false_year),
        *(
            (f"regression failed by week {FIRST_BAD + n}", {k: by[n] for k, by in found.found_by.items()})
            for n in range(len(found.found_by["plain"]))
        ),
    ]
    head = f"{found.seeds} seeds, level {LEVEL}, d' {D_PRIME} to {WORSE} from week {FIRST_BAD}"
    lines = [f"{name:<36}{100 * by['plain']:>8.2f}{100 * by['always']:>14.2f}" for name, by in shares]
    for share in (0.5, 0.9):
        weeks = {k: 1 + sum(each < share for each in by) for k, by in found.found_by.items()}
        name = f"weeks until {100 * share:g} % have failed"
        lines.append(f"{name:<36}{weeks['plain']:>8}{weeks['always']:>14}")
    return "\n".join([head, f"{'(%)':<36}{'plain':>8}{'always valid':>14}", *lines])


SPEAKERS, OF_WEEK = 40, {True: 200, False: 800}
SHARED = 0.25
"""The share of the variance of scores that a speaker has."""


@dataclass(frozen=True)
class Speakers:
    """Who speaks in the weeks of a year: the same people or others, as often or by Zipf's law, or nobody."""

    same: bool = False
    zipf: bool = False
    alone: bool = False
    """Trials are independent."""

    def weeks(self, rng: np.random.Generator, weeks: int) -> Iterator[pl.DataFrame]:
        """Yield the trials of every week: label, cluster, and what two exchangeable models decide."""
        often = 1 / np.arange(1, SPEAKERS + 1) if self.zipf else np.ones(SPEAKERS)
        shared = 0.0 if self.alone else SHARED
        effect = self._effects(rng, shared)
        for week in range(weeks):
            if not self.same:
                effect = self._effects(rng, shared)
            label = np.repeat(list(OF_WEEK), list(OF_WEEK.values()))
            speaker = rng.choice(SPEAKERS, len(label), p=often / often.sum())
            trial = rng.standard_normal(len(label)) * math.sqrt((1 - shared) * 0.6)
            scores = 2.4 * label + effect[:, speaker] + trial
            scores = scores + rng.standard_normal((2, len(label))) * math.sqrt((1 - shared) * 0.4)
            names = [
                f"{at}" if self.alone else f"{0 if self.same else week} {who}"
                for at, who in enumerate(speaker)
            ]
            yield pl.DataFrame(
                {"label": label, "cluster": names, MODEL: scores[0] >= 1.2, OTHER: scores[1] >= 1.2}
            )

    def _effects(self, rng: np.random.Generator, shared: float) -> FloatArray:
        """How a speaker shifts the scores of both models, and of each, shape (2, speakers)."""
        of_both = rng.standard_normal(SPEAKERS) * math.sqrt(shared * 0.5)
        return np.asarray(of_both + rng.standard_normal((2, SPEAKERS)) * math.sqrt(shared * 0.5))


def wrong_verdicts(speakers: Speakers, seeds: int, *, by_cluster: bool, margin: float = 0.0) -> float:
    """Return the share of years of 52 weeks with a wrong verdict; the truth is a difference of 0.

    Beyond a margin of 0 either verdict is wrong; at another one, that the first model is worse by more.
    """
    wrong = 0
    for seed in range(seeds):
        state, seen = State(), set()
        for week in speakers.weeks(np.random.default_rng([11, seed]), 52):
            new = week.filter(~pl.col("cluster").is_in(list(seen))) if by_cluster else week
            seen |= set(new["cluster"]) if by_cluster else set()
            night = night_of(new, HTER, by_cluster)
            made = look(state, (), night, "below", margin, 1 / ERROR * (1 + 1e-9))
            state, outcome = made.state, judge([GateCase(made, "below", margin, ERROR)])[0].outcome
            if outcome == "fail" or (outcome == "pass" and margin == 0):
                wrong += 1
                break
    return wrong / seeds


KINDS = {
    "independent trials": Speakers(alone=True),
    "other speakers each week": Speakers(),
    "other speakers, Zipf": Speakers(zipf=True),
    "the same speakers": Speakers(same=True),
    "the same speakers, Zipf": Speakers(same=True, zipf=True),
}


def table_of_speakers(seeds: int) -> str:
    """Return the shares of years with a wrong verdict, in percent, by kind of week."""
    lines = [f"{seeds} years, level {LEVEL}: any wrong verdict in 52 weeks (%)"]
    lines.append(f"{'':<28}{'by cluster':>12}{'by trial':>12}")
    for name, kind in KINDS.items():
        shares = [wrong_verdicts(kind, seeds, by_cluster=by) for by in (True, False)]
        lines.append(f"{name:<28}{100 * shares[0]:>12.2f}{100 * shares[1]:>12.2f}")
    return "\n".join(lines)


def bounds(share: float, seeds: int) -> float:
    """A share and three Monte Carlo standard errors."""
    return share + 3 * math.sqrt(share * (1 - share) / seeds)


def main() -> None:
    """Print the table."""
    said = argparse.ArgumentParser(description=__doc__)
    said.add_argument("--seeds", type=int, default=500)
    said.add_argument("--speakers", action="store_true")
    asked = said.parse_args()
    print(table_of_speakers(asked.seeds) if asked.speakers else table(study(asked.seeds)))


if __name__ == "__main__":
    main()
