"""One simulated model: which of the report's intervals and bands hold the truth."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri

from reporting.base.arrays import FloatArray
from reporting.core.counts.cuts import count_cuts
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.curves.epc import choose
from reporting.core.engine.study import Study
from reporting.core.resampling.cell_tables import Summed, Weights, cells_of
from reporting.core.resampling.draws import blocks
from reporting.core.resampling.settings import Inference
from reporting.core.resampling.units import trial_units
from reporting.core.stats import roc_bands
from reporting.core.stats.intervals import Interval, normal, wilson
from reporting.core.stats.staircase import Staircase
from reporting.features.curves import formulas
from reporting.features.fits import binormal
from tests.research.studies.comparing import LEVEL, Record
from tests.research.studies.depending import covered, holds
from tests.research.studies.models import Drawn, Scored, labels, study_of

D_PRIME, SHARE = 2.0, 1 / 6
NEAR, FAR_OUT = "fixed(threshold=1)", "fixed(threshold=2)"
COSTLY = "mindcf(p_target=0.01,c_miss=10)"


def one_model(rng: np.random.Generator, label: np.ndarray, d_prime: float = D_PRIME) -> Scored:
    """Independent trials of one model: N(0, 1) for non-targets and N(d', 1) for targets."""
    return Scored(label, (rng.standard_normal(len(label)) + d_prime * label)[None])


def single_study(replicates: int) -> Study:
    """One measure of every row of methods, decision (viii)."""
    asked = ("far", "frr", "hter", "weighted_error(alpha=0.8)", "f1", "auc", "eer", "mindcf", COSTLY)
    return study_of(asked, (NEAR, FAR_OUT), Inference(replicates=replicates, level=LEVEL))


def single(rng: np.random.Generator, study: Study, n_trials: int) -> Record:
    """N trials, a sixth of them targets by chance; 1 for every interval that holds the truth."""
    label = rng.random(n_trials) < SHARE
    return covered(Drawn(one_model(rng, label), study), _truths())


@cache
def _truths() -> dict[tuple[str, str | None], float]:
    found: dict[tuple[str, str | None], float] = {("auc", None): float(ndtr(D_PRIME / np.sqrt(2)))}
    for name, t in ((NEAR, 1.0), (FAR_OUT, 2.0)):
        far, frr = float(ndtr(-t)), float(ndtr(t - D_PRIME))
        hits, alarms = SHARE * (1 - frr), (1 - SHARE) * far
        found |= {("far", name): far, ("frr", name): frr, ("hter", name): (far + frr) / 2}
        found["weighted_error(alpha=0.8)", name] = 0.8 * far + 0.2 * frr
        found["f1", name] = 2 * hits / (hits + alarms + SHARE)
    found |= {("eer_rocch", None): float(ndtr(-1)), ("mindcf", None): _least_cost(0.5, 1.0)}
    return found | {(COSTLY, None): _least_cost(0.01, 10.0)}


def _least_cost(p_target: float, c_miss: float) -> float:
    """The smallest normalised detection cost of any threshold."""
    of_miss, of_alarm = p_target * c_miss, 1 - p_target

    def cost(t: float) -> float:
        return float(of_miss * ndtr(t - D_PRIME) + of_alarm * ndtr(-t))

    return float(minimize_scalar(cost, bounds=(-5, 8), method="bounded").fun) / min(of_miss, of_alarm)


def chosen_study(replicates: int) -> Study:
    """HTER at thresholds chosen on dev."""
    inference = Inference(replicates=replicates, level=LEVEL, intervals="procedure")
    return study_of(("hter",), ("min_hter", "eer"), inference)


def chosen(rng: np.random.Generator, study: Study, n_dev: int) -> Record:
    """Dev and test of so many trials of either class: intervals of HTER for E[V] and for this V.

    E[V] is the mean over dev sets of the true HTER at the threshold chosen there.
    """
    test, dev = one_model(rng, labels(1000, 1000)), one_model(rng, labels(n_dev, n_dev))
    procedure = Drawn(test, study, dev)
    both = {"procedure": procedure, "given": procedure.asked(intervals="given_thresholds")}
    found: Record = {}
    for criterion, operation in procedure.models[0].single.items():
        own, mean = true_hter(operation.chosen.threshold)[0], expected_hter(str(criterion), n_dev)
        for name, drawn in both.items():
            interval = drawn.intervals()["hter", str(criterion)]
            found[f"hter @ {criterion}: {name} covers E[V]"] = holds(interval, mean)
            found[f"hter @ {criterion}: {name} covers V"] = holds(interval, own)
    return found


def true_hter(threshold: FloatArray) -> FloatArray:
    """HTER at thresholds, of infinitely many trials."""
    return np.asarray((ndtr(-threshold) + ndtr(threshold - D_PRIME)) / 2)


@cache
def expected_hter(criterion: str, n_dev: int, dev_sets: int = 5_000) -> float:
    """The mean of the true HTER over dev sets."""
    rng, label, read = np.random.default_rng(n_dev), labels(n_dev, n_dev), read_criterion(criterion)
    placed = np.empty(dev_sets)
    for at in range(dev_sets):
        cuts, _ = count_cuts(one_model(rng, label).score[0], label)
        placed[at] = choose(cuts, read, "balanced", "midpoint").threshold[0]
    return float(true_hter(placed).mean())


GRID = np.linspace(0.01, 0.99, 99)
A, B = 1.5, 0.7
"""Targets N(1.5, 1), non-targets N(0, .7): the curve Phi(A + B Phi^-1(x))."""


def band_study(replicates: int) -> Study:
    """Bands are drawn from replicates of the trials; of the study only the settings are used."""
    return study_of(("auc",), (NEAR,), Inference(replicates=replicates, level=LEVEL))


def banded(rng: np.random.Generator, study: Study, n_nontarget: int, n_target: int) -> Record:
    """1 for every band that holds the whole curve, and its mean width."""
    label = labels(n_nontarget, n_target)
    score = rng.standard_normal(len(label)) * np.where(label, 1.0, B) + A * label
    cuts, rank = count_cuts(score, label)
    misses, alarms = cuts.staircase.misses, cuts.staircase.false_alarms
    units = trial_units(label, ("all", "test"))
    cells = cells_of(units, label, None, rank, len(cuts.score))
    settings = study.inference
    more = [
        Summed(cells.resample(Weights(units.weights(weights)))).errors
        for number, size in blocks(settings.replicates)
        for weights, _ in units.pool.draw(settings.seed, number, size, size)
    ]
    drawn_misses, drawn_alarms = (np.concatenate(part) for part in zip(*more, strict=True))
    tpr = roc_bands.tpr_at(drawn_misses, drawn_alarms, GRID)
    distances = roc_bands.fwb_distances(misses, alarms, drawn_misses, drawn_alarms)
    estimate = roc_bands.tpr_at(misses, alarms, GRID)
    given = GRID, estimate, tpr, roc_bands.least_errors(estimate, n_target), LEVEL
    off = 0.5 / n_nontarget
    bands = {
        "pointwise": formulas.sup_t_band(*given, off=off, pointwise=True),
        "SJR": formulas.sjr_band(misses, alarms, GRID, LEVEL),
        "Working-Hotelling": _binormal_band(score, label),
        "FWB": formulas.fwb_band(misses, alarms, distances, GRID, LEVEL),
        "sup-t": formulas.sup_t_band(*given, off=off),
    }
    truth = ndtr(A + B * ndtri(GRID))
    found: Record = {}
    for name, band in bands.items():
        assert band is not None
        inside = (band.low <= truth + 1e-12) & (truth <= band.high + 1e-12)
        found |= {
            f"{name}: covers": float(inside.all()),
            f"{name}: width": float((band.high - band.low).mean()),
        }
    return found


def _binormal_band(score: FloatArray, label: np.ndarray) -> formulas.Band:
    """Working-Hotelling by moments, with their covariance (methods 12.2)."""
    targets, others = score[label], score[~label]
    n1, n0, s1, s0 = len(targets), len(others), targets.std(), others.std()
    a, b = (targets.mean() - others.mean()) / s1, s0 / s1
    v_a = 1 / n1 + b * b / n0 + a * a / (2 * n1)
    v_b = b * b * (1 / n1 + 1 / n0) / 2
    limits = binormal.working_hotelling_probits(ndtri(GRID), a, b, (v_a, v_b, a * b / (2 * n1)), LEVEL)
    return formulas.Band(GRID, *map(ndtr, limits))


def level_study(replicates: int, far: float) -> Study:
    """FRR at a FAR whose threshold comes from the same trials."""
    return study_of((f"frr_at_far(far={far})",), (NEAR,), Inference(replicates=replicates, level=LEVEL))


def at_level(rng: np.random.Generator, study: Study, n_nontarget: int, n_target: int) -> Record:
    """FRR at a FAR chosen on test, d' = 3: the report's percentile interval, Wilson's, and the hull's."""
    (measure,) = study.measures
    far = float(measure.arguments["far"])  # type: ignore[arg-type]
    truth = float(ndtr(-ndtri(far) - 3.0))
    drawn = Drawn(one_model(rng, labels(n_nontarget, n_target), 3.0), study)
    staircase = drawn.models[0].test.staircase
    value = drawn.models[0].value(measure).number
    se = hull_se(staircase, far)
    made: dict[str, Interval] = {
        "percentile": drawn.intervals()[str(measure), None],
        "Wilson": wilson(round(value * n_target), n_target, LEVEL),
        "hull": normal(value, se, LEVEL),
    }
    found = {f"{name} covers": holds(interval, truth) for name, interval in made.items()}
    return found | {"value": value, "hull se": se}


def hull_se(staircase: Staircase, far: float) -> float:
    """Standard error of FRR at FAR = x, 0 < x < 1, with the threshold read off the same trials; methods 5.4.

    sqrt(FRR (1 - FRR) / N1 + (f1 / f0)^2 x (1 - x) / N0), f1 / f0 the slope |dFRR / dFAR| of the hull there;
    at a vertex the mean of its two edges.
    """
    n1, n0 = staircase.n_target, staircase.n_nontarget
    alarms, misses = staircase.false_alarms[staircase.hull], staircase.misses[staircase.hull]
    wanted, slack = far * n0, 1e-12 * n0
    holds = (alarms[:-1] >= wanted - slack) & (alarms[1:] <= wanted + slack) & (alarms[:-1] > alarms[1:])
    slope = float((np.diff(misses)[holds] / n1 / (-np.diff(alarms)[holds] / n0)).mean())
    frr = staircase.misses[int(np.argmax(staircase.false_alarms <= wanted + slack))] / n1
    return float(np.sqrt(frr * (1 - frr) / n1 + slope**2 * far * (1 - far) / n0))
