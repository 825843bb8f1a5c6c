"""Simulated results with the frames of every curve, made by the program's own frame functions."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping

import numpy as np
import polars as pl
import simulated_results
from scipy.special import expit
from simulated_results import World, simulate

from reporting.core.counts.cuts import Cuts, Key, count_cuts
from reporting.core.curves.scores import THRESHOLD_PROBABILITIES, Scaled
from reporting.core.engine.study import ModelEntry
from reporting.core.measures.measure import Scale
from reporting.core.stats.precision_bands import RECALLS, far_at_recall, precision_of
from reporting.core.stats.smooth_calibration import fit, table_of
from reporting.core.stats.staircase import cumulate
from reporting.document.charts.picture import curve_picture
from reporting.document.frames.histogram import HISTOGRAM, RISKS
from reporting.document.frames.precision_bands import PRECISION_BANDS
from reporting.document.frames.results import Results
from reporting.document.frames.roc import ROC
from reporting.features.calibration_and_benefit.calibration_frame import CALIBRATION
from reporting.features.calibration_and_benefit.formulas import decision_curve
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
)
from reporting.features.calibration_and_benefit.probability_frames import (
    DECISION,
    RELIABILITY,
    decision_frame,
    reliability_frame,
    risk_frame,
)
from reporting.features.catalogue import CURVES
from reporting.features.curves.roc_frame import PR, histogram_frame, pr_frame, roc_frame
from reporting.features.likelihood_ratios.frame import COST, CROSS_ENTROPY, cost_frame, cross_entropy_frame

WORDS = (
    "roc", "det", "pr", "ape", "nbe", "cross_entropy", "llr", "cost", "decision", "tippett", "histogram", "reliability",
    "f1", "prg", "fdr", "gain", "lift", "roc_error", "roc_log", "roc_threshold",
    "pr_threshold", "error_threshold",
    "calibration", "risk_distribution", "standardised_benefit", "benefit_difference",
    "standardised_difference", "pr_band",
)  # fmt: skip


def with_curves(world: World, curves: tuple[str, ...] = WORDS, scale: Scale = "llr") -> Results:
    """Return simulated results that asked for these pictures; scores are centred between the classes."""
    return in_curves(simulate(world), cuts_of(world), curves, scale)


def cuts_of(world: World) -> dict[Key, Cuts]:
    """The cuts behind simulated results."""
    found = {}
    for number, dataset in enumerate(world.datasets):
        every = simulated_results._all_cuts(world, np.random.default_rng([world.seed, number]))
        for (model, split), one in every.items():
            stairs = one.stairs
            counts = np.diff(stairs.misses), -np.diff(stairs.false_alarms)
            found[Key(model, "0", dataset, split)] = Cuts(one.distinct, *counts, stairs.hull)
    return found


def in_curves(
    results: Results, cuts: Mapping[Key, Cuts], curves: tuple[str, ...] = WORDS, scale: Scale = "llr"
) -> Results:
    """Return results with the frames of these cuts."""
    known = {key: Scaled(one.score, one.n_target, one.n_nontarget) for key, one in cuts.items()}
    stated = {key: one._replace(value=expit(one.value)) for key, one in known.items()}
    models = tuple(ModelEntry(key, results.study.name_of(key), scale) for key in results.models)
    ratios = {key: {"none": one} if scale == "llr" else None for key, one in known.items()}
    return dataclasses.replace(
        results,
        study=dataclasses.replace(
            results.study, curves=tuple(CURVES[word] for word in curves), models=models, epc=None
        ),
    ).with_frames(
        {
            ROC: roc_frame(dict(cuts), "midpoint"),
            PR: pr_frame(cuts, "midpoint"),
            COST: cost_frame(cuts, ratios),
            CROSS_ENTROPY: cross_entropy_frame(cuts, ratios),
            HISTOGRAM: histogram_frame(cuts),
            RELIABILITY: reliability_frame(stated if scale == "llr" else {}),
            DECISION: decision_frame(stated if scale == "llr" else {}),
            CALIBRATION: calibration_frame(stated if scale == "llr" else {}),
            RISKS: risk_frame(stated if scale == "llr" else {}),
            NET_BENEFIT: benefit_frame(stated if scale == "llr" else {}),
            NET_BENEFIT_DIFFERENCES: benefit_differences(stated if scale == "llr" else {}),
            PRECISION_BANDS: precision_frame(stated),
        }
    )


def calibration_frame(stated: Mapping[Key, Scaled]) -> pl.DataFrame:
    """Smooth curves on test, with limits a tenth and a fifth away."""
    return CALIBRATION.of_columns(key._asdict() | _smooth(one) for key, one in _of_two_classes(stated))


LIMITS = {"ci_low": -0.1, "ci_high": 0.1, "band_low": -0.2, "band_high": 0.2}


def _benefits(stated: Scaled) -> dict[bool, tuple[np.ndarray, np.ndarray]]:
    """Net benefit and that of treating all, as they are and standardised."""
    curve = decision_curve(stated)
    share = stated.n_target.sum() / (stated.n_target.sum() + stated.n_nontarget.sum())
    return {
        scaled: (curve.net_benefit / by, curve.treat_all / by) for scaled, by in ((False, 1), (True, share))
    }


def benefit_frame(stated: Mapping[Key, Scaled]) -> pl.DataFrame:
    """Net benefits on test, with limits a tenth and a fifth away."""
    return NET_BENEFIT.of_columns(
        key._asdict()
        | {
            "probability": THRESHOLD_PROBABILITIES,
            "standardised": scaled,
            "net_benefit": own,
            "treat_all": every,
        }
        | {name: own + by for name, by in LIMITS.items()}
        | {"level": 0.95, "unit": "trial"}
        for key, one in _of_two_classes(stated)
        for scaled, (own, every) in _benefits(one).items()
    )


def benefit_differences(stated: Mapping[Key, Scaled]) -> pl.DataFrame:
    """Differences of every two models on test, the later less the earlier, with the same limits."""
    pairs = itertools.combinations(_of_two_classes(stated), 2)
    return NET_BENEFIT_DIFFERENCES.of_columns(
        {"dataset": key.dataset, "split": "test", "group": "", "model": key.model, "baseline": base.model}
        | {"probability": THRESHOLD_PROBABILITIES, "standardised": scaled, "difference": difference}
        | {name: difference + by for name, by in LIMITS.items()}
        | {"level": 0.95, "unit": "trial"}
        for (base, other), (key, one) in pairs
        if base.dataset == key.dataset
        for scaled in (False, True)
        for difference in [_benefits(one)[scaled][0] - _benefits(other)[scaled][0]]
    )


def precision_frame(stated: Mapping[Key, Scaled]) -> pl.DataFrame:
    """Precisions on test along recall, with limits a tenth and a fifth away."""
    return PRECISION_BANDS.of_columns(
        key._asdict() | _precisions(one) for key, one in _of_two_classes(stated)
    )


def _precisions(stated: Scaled) -> dict[str, object]:
    order = np.argsort(stated.value, kind="stable")
    errors = cumulate(stated.n_target[order], stated.n_nontarget[order])
    n_target = int(errors[0][-1])
    far = far_at_recall(*errors, RECALLS)
    precision = precision_of(far, RECALLS, n_target / (n_target + int(errors[1][0])))
    moved = {name: np.clip(precision + by, 0, 1) for name, by in LIMITS.items()}
    return {"recall": RECALLS, "precision": precision, **moved, "level": 0.95, "unit": "trial"}


def _of_two_classes(stated: Mapping[Key, Scaled]) -> list[tuple[Key, Scaled]]:
    both = ((key, one) for key, one in stated.items() if one.n_target.any() and one.n_nontarget.any())
    return sorted(((key, one) for key, one in both if key.split == "test"), key=lambda each: each[0])


def _smooth(stated: Scaled) -> dict[str, object]:
    grid = np.unique(np.linspace(stated.value.min(), stated.value.max(), 11))
    frequency = fit(table_of(*stated)).at(grid)[0]
    moved = {name: np.clip(frequency + by, 0, 1) for name, by in LIMITS.items()}
    return {"probability": grid, "frequency": frequency, **moved, "level": 0.95, "unit": "trial"}


def replaced(results: Results, targets: list[float], nontargets: list[float]) -> Results:
    """Return the results with the same few scores in every model's curves."""
    score = np.array([*targets, *nontargets], dtype=np.float64)
    label = np.arange(len(score)) < len(targets)
    one = count_cuts(score, label)[0]
    cuts = {Key(model, "0", "all", split): one for model in results.models for split in ("dev", "test")}
    return in_curves(results, cuts, tuple(curve.key for curve in results.study.curves))


def picture(word, view):
    """Return the first figure of a word of ``curves``."""
    return curve_picture(CURVES[word]).figures(view)[0]
