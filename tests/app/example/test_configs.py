"""Every config that ships is executed, from the example command to the finished report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from reporting.app.example.catalogue import EXAMPLES

CONFIGS = Path(__file__).resolve().parents[3] / "configs"


def configs() -> list[Path]:
    """Return every file of a config; what is for clusters and papers has tests of its own."""
    others = ("clusters", "papers", "__pycache__")
    files = [path for path in CONFIGS.rglob("*") if path.is_file()]
    return [path for path in files if not {*path.relative_to(CONFIGS).parts} & {*others}]


def test_every_config_belongs_to_an_example() -> None:
    assert {str(path.relative_to(CONFIGS)) for path in configs()} == {
        name for example in EXAMPLES.values() for name in (example.config, *example.files)
    }


# periodic has tests of its own.
NAMES = [
    pytest.param(name, marks=pytest.mark.long if name == "vote_in_depth" else ())
    for name in EXAMPLES
    if name != "periodic"
]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_makes_its_report(example: Callable[[str], Path], name: str) -> None:
    config = example(name)
    assert config.read_bytes() == (CONFIGS / EXAMPLES[name].config).read_bytes()
    page = config.with_name("report") / "report.html"
    manifest = json.loads((page.parent / "manifest.json").read_text())
    assert manifest["program"] == "reporting"
    for made in manifest["outputs"]:
        assert (page.parent / made).stat().st_size > 0
    metrics = pl.read_parquet(page.parent / "frames" / "metrics.parquet")
    assert metrics.filter(split="test", measure="hter", group="")["value"].is_between(0.02, 0.4).all()
