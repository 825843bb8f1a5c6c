"""The curves that a report may draw, each with a picture of two simulated systems."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import reporting
from docs.markdown import anchor, code, fields, heading, page, plain
from reporting.core.engine.curves import Curve
from reporting.features.catalogue import CURVES

LEAD = (
    "A word under `curves` of the config draws the picture; `reporting.plot(trials, WORD)` draws it in a"
    " notebook. The pictures show two simulated systems, A and B, on 600 trials. On a page their values"
    " appear under the pointer."
)
EPC = (
    "[Expected performance curves](../why.md) are always part of a report, unless the config has"
    " `epc: none`; their keys are under [`epc`](config.md#key-epc)."
)
BANDS = (
    "simultaneous bands for the whole curve by `significance.bands`: fixed width (default), `sup_t`, `sjr`,"
    " `vertical`, `threshold` or `none`; [their measured coverage](../methods.md#bands-of-roc-curves)"
)
NO_BANDS = "none for the curve; the dots have the intervals of their numbers in the tables"
SEED = 2
TRIALS = 600
SEPARATION = {"A": 1.6, "B": 2.2}
"""d': how far the means of the classes lie apart, in standard deviations."""
SHARE = 1 / 3
"""Of targets."""
OVER_FOLDS, FOLDS = "roc_mean", 5
"""The curve that needs trials in folds, and how many they are in."""


@dataclass(frozen=True)
class Drawing:
    """A picture of a report: its caption, and the SVG file."""

    caption: str
    svg: bytes


def pages(drawings: Mapping[str, Drawing]) -> dict[str, str]:
    """Return the page of all curves; one without a drawing is described in words alone."""
    return {"reference/curves.md": page(_lines(drawings))}


def picture_name(word: str) -> str:
    """Return the path of a picture from the page."""
    return f"curve_{word}.svg"


def _lines(drawings: Mapping[str, Drawing]) -> Iterator[str]:
    yield from heading(1, "Curves")
    yield from (LEAD, "", EPC, "")
    for curve in CURVES.values():
        yield from heading(2, code(curve.key), anchor("curve", curve.key))
        if (drawing := drawings.get(curve.key)) is not None:
            alt = plain(drawing.caption.partition(". ")[0])
            yield from (f"![{alt}]({picture_name(curve.key)})", "", plain(drawing.caption), "")
        yield from fields(_facts(curve))


def _facts(curve: Curve) -> Iterator[tuple[str, str]]:
    yield "drawn from", f"the frame [{code(curve.frame)}](frames.md#{anchor('frame', curve.frame)})"
    yield "intervals", BANDS if curve.bands else NO_BANDS


def drawings() -> dict[str, Drawing]:
    """Draw every curve in a report of two simulated systems; a mean over folds in one with folds."""
    one_training = [word for word in CURVES if word != OVER_FOLDS]
    folds = _trials().with_columns(fold=pl.int_range(pl.len()).mod(FOLDS).cast(pl.String))
    learning = {"folds": "fold", "training": TRIALS - TRIALS // FOLDS}
    return _drawn(one_training, _trials()) | _drawn([OVER_FOLDS], folds, learning=learning)


def _drawn(words: list[str], trials: pl.DataFrame, **more: Any) -> dict[str, Drawing]:
    with tempfile.TemporaryDirectory() as room:
        report = reporting.make_report(
            trials=trials,
            out=Path(room) / "report",
            title="Curves",
            models={model: {"scale": "logit"} for model in SEPARATION},
            curves=words,
            epc="none",
            significance={"replicates": 499},
            report={"formats": ["json"], "sections": ["summary", "curves"]},
            **more,
        )
        captions = dict(_captions(json.loads((report / "report.json").read_text(encoding="utf-8"))))
        names = {word: next(name for name in captions if name in (word, f"{word}_m1")) for word in words}
        return {
            word: Drawing(captions[name], (report / "figures" / f"{name}.svg").read_bytes())
            for word, name in names.items()
        }


def _trials() -> pl.DataFrame:
    draw = np.random.default_rng(SEED)
    target = np.arange(TRIALS) % round(1 / SHARE) == 0
    scores = {}
    for model, d in SEPARATION.items():
        x = d * target + draw.normal(0, 1, TRIALS)
        scores[model] = np.round(d * x - d * d / 2 + np.log(SHARE / (1 - SHARE)), 6)
    split = np.where(np.arange(TRIALS) < TRIALS / 2, "dev", "test")
    table: pl.DataFrame = reporting.trial_table(target, scores, split=split)
    return table


def _captions(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of figures with their captions."""
    if isinstance(value, dict):
        if "spec" in value and "caption" in value:
            yield value["name"], value["caption"]
        for each in value.values():
            yield from _captions(each)
    elif isinstance(value, list):
        for each in value:
            yield from _captions(each)
