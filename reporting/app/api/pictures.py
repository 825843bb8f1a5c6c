"""The report's pictures as Altair charts, of a trial table or of a frame that is there already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import polars as pl

from reporting import __version__
from reporting.app.api.answers import epc_frame, metrics_frame
from reporting.app.api.arguments import as_text, flag_of, shown_value
from reporting.app.api.query import asking, plain_keys, plan_for
from reporting.base.provenance import Provenance
from reporting.core.engine.study import Study
from reporting.document.blocks import Figure, Spec
from reporting.document.charts.picture import curve_picture
from reporting.document.frames.contract import KEY
from reporting.document.frames.fit_curves import FIT_CURVES
from reporting.document.frames.results import Results
from reporting.document.frames.roc import BANDS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.errors import ConfigError, DataError, did_you_mean, listed
from reporting.features.catalogue import CURVES
from reporting.features.frames import FRAMES
from reporting.features.pictures import figures_before_curves
from reporting.render.fragment import drawn_alone

KINDS: tuple[str, ...] = ("epc", *CURVES)
DRAWABLE = {
    name: FRAMES[name].frame
    for name in ("roc", "epc", "pr", "cost", "cross_entropy", "histogram", "reliability", "decision")
    if name in FRAMES
}
"""The frames that hold all of a picture."""


def plot(trials: Any, kind: str = "roc", /, *, intervals: bool = True, **config: Any) -> Any:
    """Draw a picture of the report and return it as an Altair chart; several are stacked.

    ``kind`` is ``epc`` or a word of the config's ``curves``: roc, det, pr, ape, ... ``trials`` is a trial
    table, or a frame of ``reporting.roc`` or ``reporting.epc``, or one of a report's folder ``frames/``,
    which is drawn as it is: without what other frames hold, such as chosen points and bands.
    ``intervals=False`` leaves bands out, which saves the bootstrap.

    A notebook shows it as SVG, without the network; ``alt.renderers.enable`` chooses another way, and
    ``chart.save("chart.html", inline=True)`` writes a page with tooltips that needs no network either.

    DataError where there is nothing to draw, with the reason.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ConfigError(
            f"kind (reporting.plot): {shown_value(kind)} is no picture"
            f"{did_you_mean(CURVES.meant(as_text(kind)), KINDS)} (allowed: {listed(KINDS, 30)})"
        )
    intervals, config = flag_of(intervals, "intervals", "reporting.plot"), {**plain_keys("plot", config)}
    config.setdefault("curves", [] if kind == "epc" else [kind])
    if kind != "epc":
        config["epc"] = "none"
    name = None  # of a frame of the contract
    if isinstance(trials, pl.DataFrame):
        name = next((name for name, drawn in DRAWABLE.items() if drawn.holds(trials)), None)
    results = _of_trials(trials, config, intervals) if name is None else _of_frame(trials, name, kind, config)
    return _chart(kind, results)


def _of_trials(trials: Any, config: Mapping[str, Any], intervals: bool) -> Results:
    with asking("plot", trials, config, needs_dev=config.get("epc") != "none") as query:
        study = query.study
        frames = query.frames(*(FRAMES[name].frame for name in {"roc", *study.curve_frames}))
        if study.epc is not None:
            alone = replace(study, measures=(), criteria=(), curves=())
            frames["epc"] = epc_frame(replace(query, study=alone), intervals=intervals)
            frames["expected"] = query.frame(FRAMES["expected"].frame)
        if intervals and study.bands != "none":
            alone = replace(study, measures=(), criteria=(), epc=None)
            frames["bands"] = replace(query, study=alone).frame(BANDS)
        if study.fits:
            frames["fit_curves"] = query.frame(FIT_CURVES)
        frames["metrics"] = metrics_frame(replace(query, study=replace(study, epc=None)), intervals=False)
        frames["trials"] = replace(query, study=replace(study, by=())).frame(TRIALS)
        facts = {"dev_of": query.table.dev_of, "weights": query.table.spec.weights}
        return _results(study, query.table.models, frames, **facts)


def _of_frame(frame: pl.DataFrame, name: str, kind: str, config: Mapping[str, Any]) -> Results:
    frame = pl.concat([pl.DataFrame(schema=DRAWABLE[name].schema), frame], how="diagonal")
    needed = "epc" if kind == "epc" else CURVES[kind].frame
    if name != needed:
        raise DataError(
            f"trials (reporting.plot): {kind!r} is drawn of the frame {needed!r}, found {name!r};"
            " a trial table is drawn as any picture"
        )
    if name == "epc":
        curve_keys = {key: frame[column].unique().sort().to_list() for key, column in _EPC_KEYS.items()}
        config = {**config, "epc": curve_keys | {"alphas": max(2, frame["alpha"].n_unique())}}
    study = plan_for("plot", pl.DataFrame(), config).study
    keys = frame.select(pl.col(list(KEY))).unique().filter(group="")
    trials = pl.concat([pl.DataFrame(schema=TRIALS.schema), keys], how="diagonal").with_columns(
        pl.col(pl.Int64).fill_null(0)
    )
    models = frame["model"].unique().sort().to_list()
    return _results(study, models, {name: frame, "trials": trials})


_EPC_KEYS = {"criteria": "criterion", "measures": "measure"}


def _results(study: Study, models: list[str], frames: dict[str, pl.DataFrame], **facts: Any) -> Results:
    nowhere = Provenance(__version__, (), (), study.inference.seed, "")
    ordered = tuple(study.in_order(models))
    return Results(study=study, models=ordered, cluster=None, provenance=nowhere, frames=frames, **facts)


def _chart(kind: str, results: Results) -> Any:
    draw = figures_before_curves if kind == "epc" else curve_picture(CURVES[kind]).blocks
    blocks = [block for view in views(results) for block in draw(view)]
    specs = [block.spec for block in blocks if isinstance(block, Figure)]
    if not specs:
        why = next((block.text for block in blocks if hasattr(block, "text")), "")
        raise DataError(
            f"kind (reporting.plot): there is no {kind!r} to draw"
            + (f": {why}" if why else "; it needs targets and non-targets on test")
        )
    if len(specs) == 1:
        return OfflineLayers.from_dict(specs[0], validate=False)
    return OfflineStack.from_dict(_stack(specs), validate=False)


class _Offline:
    """A chart that a notebook shows without the network.

    Altair's own way loads its scripts from another machine; whoever has chosen a renderer gets that one.
    """

    def _repr_mimebundle_(self, *include: Any, **exclude: Any) -> Any:
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*include, **exclude)  # type: ignore[misc]
        return {"image/svg+xml": drawn_alone(self.to_dict(validate=False)), "text/plain": type(self).__name__}  # type: ignore[attr-defined]


class OfflineLayers(_Offline, alt.LayerChart):
    """A picture as a chart."""


class OfflineStack(_Offline, alt.VConcatChart):
    """Several pictures, one above the other, as a chart."""


def _stack(specs: Sequence[Mapping[str, Any]]) -> Spec:
    """Put pictures one above the other; what holds for the whole page is written once."""
    top = {"$schema", "config", "background", "params", "datasets", "usermeta"}
    return {
        **{key: specs[0][key] for key in ("$schema", "config", "background")},
        # A selection names the view it belongs to, and no two pictures share a name.
        "params": [param for spec in specs for param in spec.get("params", [])],
        "datasets": {name: rows for spec in specs for name, rows in spec["datasets"].items()},
        "vconcat": [{key: value for key, value in spec.items() if key not in top} for spec in specs],
        "resolve": {"scale": dict.fromkeys(("color", "strokeDash"), "independent")},
    }
