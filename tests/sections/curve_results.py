"""Simulated results with the frames of every curve, made by the program's own frame functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import simulated_results
from scipy.special import expit
from simulated_results import World, simulate

from reporting.charts.picture import curve_picture
from reporting.counts.cuts import Cuts, Key, count_cuts
from reporting.curves.scores import Scaled
from reporting.engine.study import ModelEntry
from reporting.frames import COST, CROSS_ENTROPY, DECISION, HISTOGRAM, PR, RELIABILITY, ROC
from reporting.frames.results import Results
from reporting.frames.roc import pr_frame, roc_frame
from reporting.frames.scores import (
    cost_frame,
    cross_entropy_frame,
    decision_frame,
    histogram_frame,
    reliability_frame,
)
from reporting.measures.measure import Scale

WORDS = (
    "roc", "det", "pr", "ape", "nbe", "cross_entropy", "llr", "cost", "decision", "tippett", "histogram", "reliability",
    "f1", "prg", "fdr", "gain", "lift", "roc_error", "roc_log", "roc_threshold",
    "pr_threshold", "error_threshold",
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
        results, study=dataclasses.replace(results.study, curves=curves, models=models, epc=None)
    ).with_frames(
        {
            ROC: roc_frame(dict(cuts), "midpoint"),
            PR: pr_frame(cuts, "midpoint"),
            COST: cost_frame(cuts, ratios),
            CROSS_ENTROPY: cross_entropy_frame(cuts, ratios),
            HISTOGRAM: histogram_frame(cuts),
            RELIABILITY: reliability_frame(stated if scale == "llr" else {}),
            DECISION: decision_frame(stated if scale == "llr" else {}),
        }
    )


def replaced(results: Results, targets: list[float], nontargets: list[float]) -> Results:
    """Return the results with the same few scores in every model's curves."""
    score = np.array([*targets, *nontargets], dtype=np.float64)
    label = np.arange(len(score)) < len(targets)
    one = count_cuts(score, label)[0]
    cuts = {Key(model, "0", "all", split): one for model in results.models for split in ("dev", "test")}
    return in_curves(results, cuts, results.study.curves)


def picture(word, view):
    """Return the first figure of a word of ``curves``."""
    return curve_picture(word).figures(view)[0]
