"""The report of one small table, with which every function is compared."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from reporting.app.run import report as run_report
from reporting.document.blocks import Block, Figure, Report, Section

CONFIG = """\
    title: Small
    trials: {source: trials.parquet}
    baseline: B
    primary: {measure: hter, criterion: min_hter}
    criteria: [min_hter, eer, "fixed(threshold=1)"]
    measures: [hter, far, frr, auc, eer_rocch]
    curves: [roc, det, pr, histogram, roc_threshold, pr_threshold, nbe]
    epc: {criteria: [weighted_error, target_far], measures: [hter, weighted_error], alphas: 5}
    significance: {replicates: 99}
    by: [gender]
    report: {formats: [json]}
    """


def small_trials(splits: tuple[str, ...] = ("dev", "test"), n: int = 60) -> pl.DataFrame:
    """Two models whose scores have many ties; 1 in 3 trials is a target."""
    return pl.DataFrame(
        [
            {
                "model": model,
                "split": split,
                "trial": f"{i:02d}",
                "label": i % 3 == 0,
                "score": (i * (7 + shift) % 11) / 4 + (1.0 if i % 3 == 0 else 0.0) + shift / 8,
                "gender": "fm"[i // 3 % 2],
            }
            for shift, model in enumerate(("A", "B"))
            for split in splits
            for i in range(n + 5 * (split == "dev"))
        ]
    )


class Made(NamedTuple):
    """A finished report whose pictures were not rendered."""

    folder: Path
    trials: pl.DataFrame
    specs: dict[str, dict[str, Any]]
    """The specs of its figures, by name."""

    def frame(self, name: str) -> pl.DataFrame:
        """One of its frames."""
        return pl.read_parquet(self.folder / "frames" / f"{name}.parquet")


def figures(blocks: tuple[Block, ...]) -> dict[str, dict[str, Any]]:
    """The specs of figures by name, also of those in sections below."""
    found = {block.name: block.spec for block in blocks if isinstance(block, Figure)}
    below = [figures(block.blocks) for block in blocks if isinstance(block, Section)]
    return found | {name: spec for one in below for name, spec in one.items()}


@pytest.fixture(scope="module")
def unrendered() -> Iterator[list[Report]]:
    """Leave out the rendering, which takes nearly all of the time; the reports that would be rendered."""
    composed: list[Report] = []

    def keep(report: Report, *_: object, **__: object) -> dict[str, bytes]:
        composed.append(report)
        return {"report.json": b"{}"}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_report, "render_all", keep)
        yield composed


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, unrendered: list[Report]) -> Made:
    """The report a config file makes."""
    folder = tmp_path_factory.mktemp("interface")
    trials = small_trials()
    trials.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(textwrap.dedent(CONFIG))
    out = run_report.make_report(folder / "report.yaml", folder / "out")
    return Made(out, trials, figures(unrendered[-1].sections))
