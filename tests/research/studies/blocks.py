"""Large tables, whose units are drawn in blocks: standard errors beside those of units one by one; level; coverage.

    python -m tests.research.studies.blocks [--runs N ...] [--apart N ...] [--designs NAME ...] [--workers N]

writes ``blocks.md``. Scores are normal: d' is 2 for both models where the level is asked, else 2 and 2.05. Dev
and test are of one size. ``--apart`` runs are made with every unit drawn by itself, too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri

from reporting.core.criteria.rates import WEIGHTED_ERROR
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.pairs import difference
from reporting.core.engine.sample import Question, sample
from reporting.core.engine.study import EpcPlan, Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import pairs_of
from reporting.core.resampling import units
from reporting.core.resampling.settings import Inference
from reporting.features.epc.limits import limits_along
from tests.research.studies.comparing import Record
from tests.research.studies.models import Drawn, Scored, clusters, runs, study_of, two_models

LEVEL, REPLICATES, ALPHAS = 0.95, 499, 21
ALIKE, APART = (2.0, 2.0), (2.0, 2.05)
SWEEPS = "eer_rocch", "mindcf", "auc"
RARE = 1e-5
FILE = Path(__file__).with_suffix(".md")


class Design(NamedTuple):
    """Test and development sets of one kind; ``rare`` where a threshold is set at ten errors."""

    trials: Callable[[np.random.Generator, tuple[float, float]], Scored]
    rare: bool = False


def _shifted(drawn: Scored, d_prime: tuple[float, float]) -> Scored:
    return Scored(drawn.label, drawn.score + np.outer(np.subtract(d_prime, 2.0), drawn.label), drawn.unit)


def independent(n_nontarget: int, n_target: int) -> Callable[..., Scored]:
    """So many independent trials of each class."""
    return lambda rng, d_prime: two_models(rng, n_nontarget, n_target, d_prime)


DESIGNS = {
    "50,000 trials": Design(independent(22_500, 2_500)),
    "500,000 trials": Design(independent(225_000, 25_000)),
    "5,000 clusters of 5": Design(lambda rng, d: _shifted(clusters(rng, 5_000, 4, 1), d)),
    "10 errors in a million": Design(independent(1_000_000, 20_000), rare=True),
}


def study_for(design: Design) -> Study:
    """The question: HTER at the least HTER on dev, or FRR where ten in a million are accepted."""
    epc = EpcPlan((WEIGHTED_ERROR,), (read_measure("weighted_error"),), ALPHAS)
    asked = Inference(replicates=REPLICATES, level=LEVEL, bands="none")
    if design.rare:
        return study_of(("far", "frr"), (f"target_far(far={RARE})",), asked)
    return study_of(("hter", *SWEEPS), ("min_hter",), asked, epc)


def drawn_of(design: Design, rng: np.random.Generator, study: Study, d_prime: tuple[float, float]) -> Drawn:
    """One report; clusters of dev are other ones than those of test."""
    dev, test = (design.trials(rng, d_prime) for _ in range(2))
    if dev.unit is not None:
        dev = Scored(dev.label, dev.score, dev.unit + np.uint32(int(dev.unit.max()) + 1))
    return Drawn(test, study, dev)


def least_cost(d_prime: float) -> float:
    """The least normalised detection cost of normal scores, at the default costs."""
    measure = read_measure("mindcf")
    ((w_far, w_frr),) = pairs_of(measure.least_cost.weights, measure.arguments)  # type: ignore[union-attr, arg-type]
    found = minimize_scalar(
        lambda t: w_far * ndtr(-t) + w_frr * ndtr(t - d_prime), bounds=(-5, 9), method="bounded"
    )
    return float(found.fun) + measure.constant


def truths(d_prime: float) -> dict[str, float]:
    """What infinitely many trials have."""
    return {
        "hter": float(ndtr(-d_prime / 2)),
        "eer_rocch": float(ndtr(-d_prime / 2)),
        "mindcf": least_cost(d_prime),
        "auc": float(ndtr(d_prime / np.sqrt(2))),
    }


def covers(limits: tuple[float | None, float | None], truth: float) -> float:
    """1 where the truth lies within the limits."""
    low, high = limits
    return float(low is not None and high is not None and low <= truth <= high)


def one_run(name: str, number: int, *, alone: bool = False) -> Record:
    """Return what one report finds: rejections where models are alike, coverage and errors where not."""
    design = DESIGNS[name]
    study, found = study_for(design), Record()
    most_alone = units.MOST_ALONE
    units.MOST_ALONE = 10**9 if alone else most_alone  # type: ignore[misc]
    try:
        for d_prime in (ALIKE, APART):
            ((rng, own),) = runs(study, 7 if d_prime == ALIKE else 8, number, number + 1)
            found |= _found(design, drawn_of(design, rng, own, d_prime), d_prime)
    finally:
        units.MOST_ALONE = most_alone  # type: ignore[misc]
    return found


def _found(design: Design, drawn: Drawn, d_prime: tuple[float, float]) -> Record:
    found, level = Record(), d_prime == ALIKE
    (operation,) = drawn.models[0].single.values()
    first, second = ({} if design.rare else truths(d) for d in d_prime)
    for measure in [m for m in drawn.study.measures if m.over == "threshold"]:
        compared = drawn.difference(measure, operation.name, "procedure").tested()
        if level:
            found[f"{measure.key}: level"] = float((compared.p_value or 1.0) <= 1 - LEVEL)
        else:
            truth = _difference(design, measure.key, d_prime)
            found[f"{measure.key}: difference"] = covers((compared.low, compared.high), truth)
            found[f"{measure.key}: se of difference"] = compared.se
    if design.rare or level:
        return found
    for measure in [m for m in drawn.study.measures if m.over == "sweep"]:
        compared = difference(drawn.pair, Question(measure), drawn.resampling, drawn.study).tested()
        truth = first[measure.key] - second[measure.key]
        found[f"{measure.key}: difference"] = covers((compared.low, compared.high), truth)
        found[f"{measure.key}: se of difference"] = compared.se
        low, high = drawn.intervals()[str(measure), None]
        found[f"{measure.key}: one model"] = covers((low, high), first[measure.key])
    found["weighted_error: band"] = _band(drawn, d_prime[0])
    return found


def _difference(design: Design, key: str, d_prime: tuple[float, float]) -> float:
    if not design.rare:
        return truths(d_prime[0])[key] - truths(d_prime[1])[key]
    cut = float(ndtri(1 - RARE))
    return 0.0 if key == "far" else float(ndtr(cut - d_prime[0]) - ndtr(cut - d_prime[1]))


def _band(drawn: Drawn, d_prime: float) -> float:
    model = drawn.models[0]
    ((criterion, operation),) = model.along.items()
    alpha, threshold = operation.chosen.alpha, operation.chosen.threshold
    assert alpha is not None
    truth = alpha * ndtr(-threshold) + (1 - alpha) * ndtr(threshold - d_prime)
    question = Question(read_measure("weighted_error"), criterion, along=True)
    rows = limits_along(sample(ModelRuns((model,)), question, drawn.resampling, drawn.study))
    return min(covers((row.band_low, row.band_high), value) for row, value in zip(rows, truth, strict=True))


def table(records: dict[str, list[Record]], apart: dict[str, list[Record]]) -> Iterator[str]:
    """Yield the lines of ``blocks.md``."""
    yield "# Blocks of units in large tables"
    yield ""
    yield f"`python -m tests.research.studies.blocks`; {REPLICATES} replicates, nominal {LEVEL}."
    for name, found in records.items():
        yield f"\n## {name}, dev and test alike: {len(found)} runs\n"
        yield "| number | share, or mean | standard error | by blocks over one by one |"
        yield "|---|---|---|---|"
        for key in found[0]:
            values = np.array([record[key] for record in found])
            ratio = ""
            if key.endswith("se of difference") and apart.get(name):
                pairs = [(one[key], other[key]) for one, other in zip(found, apart[name], strict=False)]
                ratios = np.array([one / other for one, other in pairs])
                ratio = f"{ratios.mean():.4f} (error {ratios.std(ddof=1) / np.sqrt(len(ratios)):.4f}, {len(ratios)} runs)"
            yield f"| {key} | {values.mean():.5g} | {values.std(ddof=1) / np.sqrt(len(values)):.2g} | {ratio} |"


def main() -> None:
    """Run the study, and write its page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, nargs="+", default=[600, 250, 600, 120], help="of each design")
    parser.add_argument("--apart", type=int, nargs="+", default=[30, 4, 30, 0], help="of each design")
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=FILE)
    asked = parser.parse_args()
    records, apart = {}, {}
    with ProcessPoolExecutor(asked.workers) as pool:
        for name, n_runs, n_apart in zip(asked.designs, asked.runs, asked.apart, strict=True):
            records[name] = list(pool.map(partial(one_run, name), range(n_runs), chunksize=5))
            apart[name] = list(pool.map(partial(one_run, name, alone=True), range(n_apart)))
            asked.out.write_text("\n".join(table(records, apart)) + "\n", encoding="utf-8")
            print(f"{name}: {len(records[name])} runs", flush=True)


if __name__ == "__main__":
    main()
