"""Where a few units are already drawn in blocks, generated reports of every design keep the laws."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.research.combinations.campaign import judged
from tests.research.combinations.generator import draw
from tests.research.combinations.test_planted import ALONE

SEEDS = 8, 17, 21, 42, 65, 78
"""Folds, clusters, pairs of them, weights, kinds, datasets, groups and runs are all among them."""
MORE = 18, 27, 33, 48


def in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw blocks of more than 30 units, and let replicates see few bins of them."""
    monkeypatch.setattr("reporting.inputs.blocks.BLOCKS", 24)
    for room in ("inputs.order", "core.resampling.units"):
        monkeypatch.setattr(f"reporting.{room}.MOST_ALONE", 30)
    for room in ("core.resampling.bins", "core.engine.resampling"):
        monkeypatch.setattr(f"reporting.{room}.EVEN", 6)


@pytest.mark.parametrize("seed", [*SEEDS, *(pytest.param(seed, marks=pytest.mark.long) for seed in MORE)])
def test_blocks_in_a_generated_report(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_small_blocks(monkeypatch)
    outcome = judged(seed, tmp_path, laws=True)
    assert (outcome.code in (0, 1, 2), outcome.faults) == (True, ())


def test_the_seeds_have_every_design_and_start_no_process() -> None:
    features = [{*draw(seed).features} for seed in SEEDS]
    assert not any(each & ALONE for each in features)
    held = set().union(*features)
    wanted = {"clusters", "two_clusters", "datasets", "run_folds", "kfold", "by_group", "spoofs", "weights"}
    wanted |= {"seeds", "readers", "epc", "gates"}
    assert wanted <= held, wanted - held
