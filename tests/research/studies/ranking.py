"""Ranks of many models: how often anything false is shown, and how often all ranks lie within their limits.

    python -m tests.research.studies.ranking [RUNS]

writes ``ranking.md``. A run depends on its number alone, never on the processes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

import numpy as np
from scipy.stats import norm

from reporting.base.arrays import FloatArray
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.features.ranking.formulas import (
    RankedPairs,
    RankSets,
    rank_sets,
    ranked_pairs,
    shown_pairs,
)
from reporting.features.ranking.frame import degrees_of_freedom, ranked
from tests.research.studies.comparing import LEVEL, Record
from tests.research.studies.models import Drawn, Scored, labels, runs, study_of

SEED, CHUNK, REPLICATES = 91, 250, 399
EQUAL, HALVES, GROUPS = (2.0,) * 8, (2.0,) * 4 + (1.5,) * 4, (2.6, 2.2, 1.8, 1.4) * 2
SMALL, LARGE, DEV = (240, 60), (1000, 250), (240, 60)
"""Non-targets and targets."""
IN_CLUSTER = (8, 4)


@dataclass(frozen=True)
class Scenario:
    """What is simulated: the models' d', the trials, and the question."""

    name: str
    d_prime: tuple[float, ...] = EQUAL
    test: tuple[int, int] = SMALL
    n_clusters: int = 0
    """Of 8 non-targets and 4 targets each; 0: the trials of ``test`` are independent."""
    step: float = 0.0
    """To which scores are rounded, so that they tie; 0: they are not."""
    copies: int = 0
    """So many last models have the scores of the first ones."""
    measure: str = "hter"
    criterion: str = "min_hter"
    given: bool = False
    """Thresholds are half of d' and stay: errors alone are resampled, by the formulas of ``stats``."""

    @property
    def study(self) -> Study:
        """The question."""
        settings = Inference(replicates=REPLICATES, level=LEVEL, bands="none")
        return replace(study_of((self.measure,), (self.criterion,), settings), many=True)

    def scores(self, rng: np.random.Generator, sizes: tuple[int, int], first: int) -> Scored:
        """K models that share half of their noise; of clusters, 0.3 of all is that of a cluster's class."""
        k, g = len(self.d_prime), self.n_clusters
        label = np.tile(labels(*(IN_CLUSTER if g else sizes)), g or 1)
        score, unit = np.outer(self.d_prime, label), None
        if g:
            unit = np.repeat(np.arange(g), sum(IN_CLUSTER))
            effects = _sharing(rng, k, (2, g))[:, label.astype(int), unit]
            score = score + np.sqrt(0.3) * effects + np.sqrt(0.7) * _sharing(rng, k, label.shape)
        else:
            score = score + _sharing(rng, k, label.shape)
        if self.step:
            score = np.round(score / self.step) * self.step
        if self.copies:
            score[-self.copies :] = score[: self.copies]
        return Scored(label, score, None if unit is None else (unit + first).astype(np.uint32))

    def ranks(self, rng: np.random.Generator, study: Study) -> tuple[RankedPairs, RankSets, FloatArray]:
        """The pairs and the ranks of one run, and how bad the models truly are, the lower the better."""
        test, d = self.scores(rng, self.test, 0), np.array(self.d_prime)
        if self.copies:
            d[-self.copies :] = d[: self.copies]
        if self.given:
            return *self._of_errors(rng, test), -d
        drawn = Drawn(test, study, self.scores(rng, DEV, max(self.n_clusters, 1)))
        result = ranked(drawn.models, drawn.resampling, study)
        assert result is not None
        if result.joint.estimand != "given_thresholds":
            return result.pairs, result.sets, -d
        at = [float(model.single[study.primary.criterion].chosen.threshold[0]) for model in drawn.models]
        return result.pairs, result.sets, (norm.sf(at) + norm.cdf(at - d)) / 2

    def _of_errors(self, rng: np.random.Generator, test: Scored) -> tuple[RankedPairs, RankSets]:
        """HTER at given thresholds, units drawn with replacement."""
        wrong = (test.score >= np.array(self.d_prime)[:, None] / 2) != test.label
        unit = np.arange(len(test.label)) if test.unit is None else test.unit
        g = int(unit.max()) + 1
        drawn = rng.multinomial(g, np.full(g, 1 / g), REPLICATES)[:, unit].astype(float)
        drawn = np.vstack((np.ones(len(unit)), drawn))
        rates = [
            drawn[:, of] @ wrong[:, of].T / drawn[:, of].sum(axis=1, keepdims=True)
            for of in (test.label, ~test.label)
        ]
        loss, *losses = (rates[0] + rates[1]) / 2
        if test.unit is None:
            pairs = ranked_pairs(
                loss, np.array(losses), LEVEL, degrees_of_freedom(self.test[1] - 1, REPLICATES)
            )
        else:
            inflation = float(np.sqrt(g / (g - 1)))
            df = degrees_of_freedom(g - 1, REPLICATES)
            pairs = ranked_pairs(loss, np.array(losses), LEVEL, df, inflation, clustered=True)
        return pairs, rank_sets(pairs, len(loss), LEVEL)


def _sharing(rng: np.random.Generator, k: int, shape: tuple[int, ...]) -> FloatArray:
    """Standard normal noise of K models that share half of its variance."""
    common, own = rng.standard_normal(shape), rng.standard_normal((k, *shape))
    return np.asarray(np.sqrt(0.5) * (common + own))


AGAIN = (
    Scenario("8 equal, 300 trials"),
    Scenario("8 equal, 300 trials, scores in steps of 0.5, 3 copies", step=0.5, copies=3),
    Scenario("4 groups of 2 equal, 300 trials", d_prime=GROUPS),
    Scenario("8 equal, 40 clusters of 12 trials", n_clusters=40),
    Scenario("8 equal, 300 trials, AUC", measure="auc"),
    Scenario(
        "8 equal, 300 trials, FAR 5% on the development set (12 errors)", criterion="target_far(far=0.05)"
    ),
    Scenario("8 equal, 300 trials, FAR 1% on the development set (2 errors)", criterion="target_far"),
)
GIVEN = tuple(
    Scenario(name, given=True, **fields)
    for name, fields in {
        "8 equal, 300 trials": {},
        "24 equal, 300 trials": {"d_prime": EQUAL * 3},
        "24 equal, 1,250 trials": {"d_prime": EQUAL * 3, "test": LARGE},
        "24 equal, 300 trials, 12 copies": {"d_prime": EQUAL * 3, "copies": 12},
        "12 and 12 equal, 300 trials": {"d_prime": HALVES * 3},
        "12 and 12 equal, 1,250 trials": {"d_prime": HALVES * 3, "test": LARGE},
        "4 groups of 6 equal, 300 trials": {"d_prime": GROUPS * 3},
        "4 groups of 6 equal, 1,250 trials": {"d_prime": GROUPS * 3, "test": LARGE},
        "24 equal, 20 clusters of 12 trials": {"d_prime": EQUAL * 3, "n_clusters": 20},
        "24 equal, 100 clusters of 12 trials": {"d_prime": EQUAL * 3, "n_clusters": 100},
        "24 equal, 200 clusters of 12 trials": {"d_prime": EQUAL * 3, "n_clusters": 200},
        "24 equal, 400 clusters of 12 trials": {"d_prime": EQUAL * 3, "n_clusters": 400},
        "4 groups of 6 equal, 100 clusters": {"d_prime": GROUPS * 3, "n_clusters": 100},
    }.items()
)
SCENARIOS = (*GIVEN, *AGAIN)


def one(rng: np.random.Generator, study: Study, scenario: Scenario) -> Record:
    """Whether anything false is shown, whether all ranks are covered, and how wide their limits are."""
    pairs, sets, truth = scenario.ranks(rng, study)
    shown = shown_pairs(pairs, LEVEL)
    first_place = 1 + (truth < truth[:, None]).sum(axis=1)
    last_place = len(truth) - (truth > truth[:, None]).sum(axis=1)
    return {
        "false": float((truth[pairs.better] >= truth[pairs.worse])[shown].any()),
        "covered": float(((sets.low <= first_place) & (last_place <= sets.high)).all()),
        "best kept": float((sets.tier[truth == truth.min()] == 1).all()),
        "width": float((sets.high - sets.low).mean()),
        "tiers": float(sets.tier.max()),
    }


def records(scenario: Scenario, first: int, last: int) -> list[Record]:
    """The records of runs first to last - 1."""
    return [one(rng, study, scenario) for rng, study in runs(scenario.study, SEED, first, last)]


def collected(n: int) -> dict[Scenario, list[Record]]:
    """The records of n runs of every scenario."""
    found: dict[Scenario, list[Record]] = {}
    with ProcessPoolExecutor(2) as pool:
        for scenario in SCENARIOS:
            starts = range(0, n, CHUNK)
            chunks = pool.map(records, repeat(scenario), starts, (min(start + CHUNK, n) for start in starts))
            found[scenario] = [record for chunk in chunks for record in chunk]
            print(_line(scenario, found[scenario]), flush=True)
    return found


def _line(scenario: Scenario, of_scenario: Sequence[Record]) -> str:
    mean = {key: float(np.mean([record[key] for record in of_scenario])) for key in of_scenario[0]}
    shares = " | ".join(f"{mean[key]:.3f}" for key in ("false", "covered", "best kept"))
    chosen = "given" if scenario.given else "none" if scenario.measure == "auc" else "re-selected"
    return f"| {scenario.name} | {chosen} | {shares} | {mean['width']:.1f} | {mean['tiers']:.1f} |"


def written(found: Mapping[Scenario, Sequence[Record]]) -> str:
    """The figures as a table."""
    n = max(map(len, found.values()))
    head = f"""# Ranks of many models

`python -m tests.research.studies.ranking {n}`. Models that share half of their noise; dev 240/60 (non-targets/targets; of clusters,
as many others), {REPLICATES} replicates, {n} runs. *Anything false shown*: some model is shown to be better than one that is as good or
better (nominal at most .05, Monte Carlo error {np.sqrt(0.05 * 0.95 / n):.3f}). *All ranks covered*: all places that equally good models share lie
within the limits of each (nominal at least .95). *Best in tier 1*: all truly best models are. *Width*: mean of the upper
less the lower limit of a rank. At given thresholds the formulas of `features/ranking/formulas.py` take resampled errors; where
thresholds are chosen again everything between scores and ranks is the report's own.

| models | thresholds | anything false shown | all ranks covered | best in tier 1 | width | tiers |
|---|---|--:|--:|--:|--:|--:|"""
    return "\n".join([head, *(_line(*each) for each in found.items())]) + "\n"


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    Path(__file__).with_suffix(".md").write_text(written(collected(asked)))
