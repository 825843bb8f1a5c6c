"""How often the limits of a curve hold the truth: at a point, and at all points of the curve together.

    python -m tests.research.studies.along [--runs N] [--part epc|roc|few]

Scores are normal, d' 2 unless said; targets are a fifth of the trials where these come in clusters. Thresholds
come from a development set and are taken as fixed; the truth is that of the same thresholds in infinitely many
trials. 299 replicates. ``few`` has bands by standard errors where the report leaves them out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from reporting.base.arrays import FloatArray
from reporting.core.criteria.rates import WEIGHTED_ERROR
from reporting.core.engine.model_runs import ModelRuns
from reporting.core.engine.sample import Question, sample
from reporting.core.engine.study import EpcPlan
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.settings import Inference
from reporting.core.stats.roc_bands import Kind
from reporting.features.curves import bands
from reporting.features.curves.bands import LEAST_ERRORS, band_frame, difference_frame
from reporting.features.curves.formulas import SUP_T_RANGE
from reporting.features.epc.limits import limits_along
from tests.research.studies.comparing import Record
from tests.research.studies.models import Drawn, Scored, clusters, runs, study_of, two_models

LEVEL, REPLICATES, D_PRIME, ALPHAS = 0.95, 299, 2.0, 51
SHOWN = 0.02, 0.1, 0.5, 0.9, 0.98
MEASURES = "weighted_error", "hter"
DEV_CLUSTERS, IN_CLUSTER = 40, (20, 5)
KINDS: tuple[Kind, ...] = ("fixed_width", "sup_t", "vertical", "threshold")


class Design(NamedTuple):
    """Test and development sets of one kind."""

    name: str
    trials: Callable[[np.random.Generator], tuple[Scored, Scored]]
    d_prime: float = D_PRIME


def independent(n_nontarget: int, n_target: int, d_prime: float = D_PRIME) -> Design:
    """So many independent trials; the development set has 170 and 115."""
    name = f"{n_nontarget} non-targets, {n_target} targets"
    name += "" if d_prime == D_PRIME else f", d' {d_prime:g}"
    sizes, both = ((n_nontarget, n_target), (170, 115)), (d_prime, d_prime)

    def trials(rng: np.random.Generator) -> tuple[Scored, Scored]:
        test, dev = (two_models(rng, *of, both) for of in sizes)
        return test, dev

    return Design(name, trials, d_prime)


def clustered(g: int, share: float = 0.3) -> Design:
    """G clusters of 20 non-targets and 5 targets, which share so much of the variance."""

    def trials(rng: np.random.Generator) -> tuple[Scored, Scored]:
        dev = clusters(rng, DEV_CLUSTERS, *IN_CLUSTER, first=g, share=share)
        return clusters(rng, g, *IN_CLUSTER, share=share), dev

    return Design(f"{g} clusters, {share} of the variance", trials)


DESIGNS = (
    independent(150, 130),
    independent(50, 50),
    independent(1000, 200),
    *map(clustered, (6, 10, 20, 40)),
    clustered(20, 0.1),
    clustered(40, 0.1),
)
FEW = (
    independent(15, 15),
    independent(30, 30),
    independent(50, 50, 3.3),
    independent(100, 100, 4.0),
    independent(40, 400, 4.0),
)


EPC = EpcPlan((WEIGHTED_ERROR,), tuple(map(read_measure, MEASURES)), ALPHAS)


def reports(design: Design, n_runs: int, kind: Kind = "none") -> Iterator[Drawn]:
    """Yield simulated reports."""
    inference = Inference(replicates=REPLICATES, level=LEVEL, bands=kind, comparisons="given_thresholds")
    study = study_of(("hter",), ("min_hter",), inference, None if kind != "none" else EPC)
    for rng, own in runs(study, sum(map(ord, design.name)), 0, n_runs):
        test, dev = design.trials(rng)
        yield Drawn(test, own, dev)


def covered(limits: tuple[FloatArray, FloatArray], truth: FloatArray) -> FloatArray:
    """1 where the truth lies within the limits, 0 where not or where there are none."""
    low, high = limits
    return np.asarray((low <= truth + 1e-12) & (truth <= high + 1e-12), dtype=np.float64)


def along_alpha(design: Design, n_runs: int) -> Record:
    """Return the coverage of the EPC of both measures, at single alphas and as a band, and its width."""
    found: dict[str, list[float]] = {}
    for drawn in reports(design, n_runs):
        model = drawn.models[0]
        ((criterion, operation),) = model.along.items()
        alpha, threshold = operation.chosen.alpha, operation.chosen.threshold
        assert alpha is not None
        far, frr = ndtr(-threshold), ndtr(threshold - design.d_prime)
        for measure in EPC.measures:
            weight = alpha if measure.key == "weighted_error" else np.full(len(alpha), 0.5)
            truth = weight * far + (1 - weight) * frr
            question = Question(measure, criterion, along=True)
            rows = limits_along(sample(ModelRuns((model,)), question, drawn.resampling, drawn.study))
            low, high, band_low, band_high = np.array(rows, dtype=np.float64).T
            at_points = covered((low, high), truth)
            record = {f"{a}": at_points[round(a * (ALPHAS - 1))] for a in SHOWN}
            record["band"] = covered((band_low, band_high), truth).min()
            record["width"] = float(np.mean(band_high - band_low) / np.mean(high - low))
            for name, value in record.items():
                found.setdefault(f"{measure.key} {name}", []).append(float(value))
    return {name: float(np.mean(values)) for name, values in found.items()}


def along_roc(design: Design, n_runs: int) -> Record:
    """Return the coverage of every kind of band of a ROC, and of the difference of two models.

    Of bands at one point, the mean over the points.
    """
    found: dict[str, list[float]] = {}
    for kind in KINDS:
        for drawn in reports(design, n_runs, kind):
            asked = drawn.part, drawn.resampling, drawn.study, kind
            rows = band_frame(*asked).filter(model="a")
            p_fa, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
            inside = (p_fa >= SUP_T_RANGE[0]) & (p_fa <= SUP_T_RANGE[1])
            if kind == "threshold":
                threshold = rows["threshold"].to_numpy()
                inside &= np.isfinite(threshold)
                truth = ndtr(threshold - design.d_prime)
            else:
                truth = ndtr(-ndtri(p_fa) - design.d_prime)
            at_points = covered((low, high), truth)[inside]
            simultaneous = kind in ("fixed_width", "sup_t")
            if len(at_points):  # bands of few errors are left out
                found.setdefault(kind, []).append(
                    float(at_points.min() if simultaneous else at_points.mean())
                )
            if kind == "sup_t":
                apart = difference_frame(*asked)
                limits = apart["band_low"].to_numpy(), apart["band_high"].to_numpy()
                found.setdefault("difference", []).append(covered(limits, np.zeros(len(apart))).min())
    return {name: float(np.mean(values)) for name, values in found.items()}


def table(of: Callable[[Design, int], Record], n_runs: int, designs: Sequence[Design]) -> Iterator[str]:
    """Yield the lines of a table, a design each."""
    for number, design in enumerate(designs):
        record = of(design, n_runs)
        if not number:
            yield f"| | {' | '.join(record)} |"
            yield f"|---|{'--:|' * len(record)}"
        yield f"| {design.name} | {' | '.join(f'{value:.3f}' for value in record.values())} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--part", choices=("epc", "roc", "few"))
    parser.add_argument("--design", type=int, nargs="*")
    asked = parser.parse_args()
    parts = {"epc": (along_alpha, DESIGNS), "roc": (along_roc, DESIGNS), "few": (along_roc, FEW)}
    for name in [asked.part] if asked.part else parts:
        bands.LEAST_ERRORS = 0 if name == "few" else LEAST_ERRORS
        made, designs = parts[name]
        print(f"\n{name}\n")
        chosen = range(len(designs)) if asked.design is None else asked.design
        for line in table(made, asked.runs, [designs[at] for at in chosen]):
            print(line, flush=True)
