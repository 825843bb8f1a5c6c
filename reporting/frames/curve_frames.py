"""The frames of the curves that a report asks for, of one dataset or group."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.scores import Scaled
from reporting.engine.operations import JudgedModel
from reporting.engine.parts import Part
from reporting.engine.scales import CALIBRATIONS, Scaling
from reporting.engine.study import Study
from reporting.frames.cost import cost_frame
from reporting.frames.decision import decision_frame
from reporting.frames.histogram import histogram_frame
from reporting.frames.pr import pr_frame
from reporting.frames.reliability import reliability_frame
from reporting.frames.roc import roc_frame
from reporting.stats.staircase import FloatArray

Sets = dict[Key, tuple[Cuts, Scaling]]


def curve_frames(part: Part, study: Study) -> dict[str, pl.DataFrame]:
    """Return ``roc`` and the frames of the other curves asked for, of dev and of test."""
    sets = {key: one for model in part.models for key, one in _sets(model)}
    cuts = {key: one for key, (one, _) in sets.items()}
    makers: dict[str, Callable[[], pl.DataFrame]] = {
        "pr": partial(pr_frame, cuts, study.threshold_at, study.prevalence),
        "cost": lambda: cost_frame(cuts, {key: _llrs(*one) for key, one in sets.items()}),
        "histogram": partial(histogram_frame, cuts),
        "reliability": lambda: reliability_frame(_probabilities(sets), level=study.inference.level),
        "decision": lambda: decision_frame(_probabilities(sets), study.prevalence),
    }
    wanted = {name: make() for name, make in makers.items() if name in study.curve_frames}
    return {"roc": roc_frame(cuts, study.threshold_at)} | wanted


def _sets(model: JudgedModel) -> list[tuple[Key, tuple[Cuts, Scaling]]]:
    """The trials of a model on dev and on test."""
    test = model.key, (model.test, model.scaling)
    if model.dev is None or model.dev_key is None:
        return [test]
    return [(model.dev_key, (model.dev, model.scaling)), test]


def _llrs(cuts: Cuts, scaling: Scaling) -> dict[str, Scaled] | None:
    """The scores as log likelihood ratios: as they are, where they are some, and as dev maps them."""
    found = {name: scaling.llr(cuts.score, name) for name in ("none", *CALIBRATIONS)}
    return {name: _scaled(cuts, llr) for name, llr in found.items() if llr is not None} or None


def _probabilities(sets: Sets) -> dict[Key, Scaled]:
    found = {key: (cuts, scaling.probability(cuts.score)) for key, (cuts, scaling) in sets.items()}
    return {key: _scaled(cuts, p) for key, (cuts, p) in found.items() if p is not None}


def _scaled(cuts: Cuts, value: FloatArray) -> Scaled:
    return Scaled(value, cuts.n_target, cuts.n_nontarget)
