"""What `table.py` times on arrays in memory: our functions, and what a user of each peer would write.

Every function times itself from arrays to answer, imports and reading left out, and returns its seconds and
one value on which both sides should agree.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import epc_against_bob
import inference
import numpy as np
import scipy.optimize  # noqa: F401  (what computes first pays for importing it)

from reporting.base.execution import ThreadExecutor
from reporting.core.counts.cuts import Cuts, count_cuts
from reporting.core.resampling.bootstrap import resample
from reporting.core.stats import sweep
from reporting.core.stats.placements import covariance, trial_placements
from reporting.core.stats.staircase import corners

Answer = tuple[float, float]
Z = 1.959963984540054


def write_arrays(folder: Path, n: int, models: int) -> None:
    """Write labels (a tenth are targets) and correlated scores: for us, and as plain bytes for R."""
    label, scores = inference.scores(n, 1, models)
    np.savez(folder / "scores.npz", label=label, scores=np.array(scores))
    label.astype(np.int32).tofile(folder / "label.bin")
    np.array(scores[:2]).tofile(folder / "scores.bin")


def _arrays(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    held = np.load(folder / "scores.npz")
    return held["label"], held["scores"]


def _timed(work: Callable[[], float]) -> Answer:
    start = time.perf_counter()
    value = float(work())
    return time.perf_counter() - start, value


def our_curves(folder: Path) -> Answer:
    """Counts at every score, ROC corners and AUC of every model; the mean AUC."""
    label, scores = _arrays(folder)
    return _timed(lambda: np.mean([_area(count_cuts(score, label)[0]) for score in scores]))


def _area(cuts: Cuts) -> float:
    errors = cuts.staircase
    corners(errors.misses, errors.false_alarms)
    return float(sweep.auc(errors.misses, errors.false_alarms))


def scikit_learn_curves(folder: Path) -> Answer:
    """roc_curve and roc_auc_score of every model; the mean AUC."""
    from sklearn.metrics import roc_auc_score, roc_curve

    label, scores = _arrays(folder)

    def work() -> float:
        for score in scores:
            roc_curve(label, score)
        return float(np.mean([roc_auc_score(label, score) for score in scores]))

    return _timed(work)


def our_bootstrap(folder: Path, replicates: int) -> Answer:
    """Replicates of the AUC of one model; their standard deviation."""
    label, scores = _arrays(folder)
    return _timed(lambda: _replicates(label, scores[:1], replicates)[0].std(ddof=1))


def _replicates(
    label: np.ndarray, scores: np.ndarray, replicates: int, measures: tuple[str, ...] = ("auc",)
) -> list[np.ndarray]:
    """AUCs of every model under the same resamples; counting and compiling belong to the time."""
    task = inference.whole_curves(label, list(scores), measures)
    with ThreadExecutor(os.cpu_count() or 1) as pool:
        drawn = resample(task, replicates, pool).sweeps
    return [next(iter(values.values())) for values in drawn.values()]


def scikit_learn_bootstrap(folder: Path, replicates: int) -> Answer:
    """The same by sklearn.utils.resample and roc_auc_score."""
    from sklearn.metrics import roc_auc_score
    from sklearn.utils import resample as resampled

    label, scores = _arrays(folder)

    def work() -> float:
        drawn = (resampled(label, scores[0], random_state=number) for number in range(replicates))
        return float(np.std([roc_auc_score(y, s) for y, s in drawn], ddof=1))

    return _timed(work)


def our_alphas(n: int, models: int) -> float:
    """Seconds of one replicate at 101 given thresholds a model."""
    task = inference.given_thresholds(n, models)
    with ThreadExecutor(inference.THREADS) as pool:
        return inference.per_replicate(lambda k: resample(task, k, pool), 1024) / 1000


def numpy_alphas(n: int, models: int) -> float:
    """The same by drawn rows."""
    replicate = inference.rows_given(n, models)
    return inference.per_replicate(lambda k: [replicate() for _ in range(k)], 20) / 1000


def our_delong(folder: Path) -> Answer:
    """The AUC of one model and its standard error by DeLong."""
    label, scores = _arrays(folder)
    return _timed(lambda: np.sqrt(_areas(label, scores[:1])[1][0, 0]))


def _areas(label: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """AUCs of some models and their DeLong covariance."""
    areas, placements = [], []
    for score in scores:
        cuts, rank = count_cuts(score, label)
        areas.append(_area(cuts))
        placements.append(trial_placements(cuts.n_target, cuts.n_nontarget, rank, label))
    return np.array(areas), covariance(np.array(placements), label)


def confidenceinterval_delong(folder: Path) -> Answer:
    """The same by confidenceinterval, whose interval is two standard errors of 1.96 wide."""
    from confidenceinterval import roc_auc_score

    label, scores = _arrays(folder)

    def work() -> float:
        _, (low, high) = roc_auc_score(label, scores[0], confidence_level=0.95, method="delong")
        return float((high - low) / 2 / Z)

    return _timed(work)


def confidenceinterval_bootstrap(folder: Path, replicates: int) -> Answer:
    """A percentile interval of the AUC by confidenceinterval, read as a standard error."""
    from confidenceinterval import roc_auc_score

    label, scores = _arrays(folder)

    def work() -> float:
        asked = {"confidence_level": 0.95, "method": "bootstrap_percentile", "n_resamples": replicates}
        _, (low, high) = roc_auc_score(label, scores[0], **asked, random_state=1)
        return float((high - low) / 2 / Z)

    return _timed(work)


def our_paired_delong(folder: Path) -> Answer:
    """DeLong's test of two AUCs on the same trials: z."""
    label, scores = _arrays(folder)

    def work() -> float:
        areas, spread = _areas(label, scores[:2])
        return float((areas[0] - areas[1]) / np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]))

    return _timed(work)


def our_paired_bootstrap(folder: Path, replicates: int, measures: tuple[str, ...]) -> Answer:
    """Measures of two models; the difference of their AUCs over the standard deviation of its replicates."""
    label, scores = _arrays(folder)

    def work() -> float:
        one, other = _replicates(label, scores[:2], replicates, measures)
        difference = _area(count_cuts(scores[0], label)[0]) - _area(count_cuts(scores[1], label)[0])
        return float(difference / (one - other).std(ddof=1))

    return _timed(work)


def proc(folder: Path, method: str, replicates: int) -> Answer:
    """The same two by pROC, which times itself in R."""
    script = Path(__file__).with_name("speed_pieces.R")
    words = ["Rscript", str(script), str(folder), method, str(replicates)]
    ran = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, value = map(float, ran.stdout.split())
    return seconds, value


def our_epc(folder: Path) -> Answer:
    """An EPC of 100 points; the mean HTER at inner alphas."""
    return _epc(folder, sys.executable, epc_against_bob.OURS, "ours.npy")


def bob_epc(folder: Path, python: str) -> Answer:
    """The same by bob.measure, in the interpreter that has it."""
    return _epc(folder, python, epc_against_bob.PEER, "bob.npy")


def _epc(folder: Path, python: str, script: str, name: str) -> Answer:
    seconds = epc_against_bob.run(python, script, folder / "epc.npz", folder / name)
    return seconds, float(np.atleast_2d(np.load(folder / name))[-1][1:-1].mean())


OURSELVES = ("floor", "imports", "proportion", "NumPy")


def missing(peer: str, bob: str | None) -> str | None:
    """Say why a peer is left out, or None where it is there."""
    if peer == "pROC":
        return _missing_in_r()
    if peer == "bob.measure":
        return None if bob else "name an interpreter that has it with --bob"
    module = {"scikit-learn": "sklearn"}.get(peer, peer)
    installed = peer in OURSELVES or importlib.util.find_spec(module) is not None
    return None if installed else "it is not installed"


def _missing_in_r() -> str | None:
    program = shutil.which("Rscript")
    if program is None:
        return "Rscript is missing"
    ran = subprocess.run([program, "-e", "library(pROC)"], capture_output=True, check=False)
    return "R lacks the package" if ran.returncode else None
