"""The program of every paper: from its trials to the finished report, as ``make papers`` runs it, of few replicates."""

from __future__ import annotations

import ast
import functools
import io
import json
import runpy
import sys
from contextlib import redirect_stdout
from pathlib import Path

import polars as pl
import pytest
from paper_results import PAPERS, shipped

import reporting

SAYS = {
    "epc_authentication": ("Odyssey 2004", "paper_table_1"),
    "epc_general": ("ICML 2005 Workshop", "paper_shading_2_given"),
    "rocanalysis": ("ROCAnalysis.jl", "figures/rocanalysis_det.svg", "figures/rocanalysis_nbe.svg"),
    "hamel": ("Model Assessment with ROC Curves", "paper_bands_table"),
    "brodersen": (
        "10.1109/ICPR.2010.1036", "Figure 1a", "Figure 1b", "Figure 1c", "Figure 2",
        "tables/paper_areas.tex", "tables/paper_bias.tex", "tables/paper_rmse.tex",
    ),
}  # fmt: skip
"""What stands in each report: words and names of its page, and files."""


def test_every_paper_is_run() -> None:
    assert {path.parent.name for path in PAPERS.glob("*/page.py")} == set(SAYS)


EVERY_DAY = ("epc_authentication", "rocanalysis")


@pytest.fixture(
    scope="module",
    params=[pytest.param(paper, marks=() if paper in EVERY_DAY else pytest.mark.long) for paper in SAYS],
)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("papers") / request.param
    few = functools.partial(reporting.make_report, overrides=["significance.replicates=99"])
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        patch.setattr(reporting, "make_report", few)
        patch.setattr(sys, "argv", ["page", str(out)])
        runpy.run_module(f"configs.papers.{request.param}.page", run_name="__main__")
    assert printed.getvalue().splitlines()[-1] == str(out / "report" / "report.html")
    return request.param, out


def test_the_report_is_whole_and_has_the_page(made: tuple[str, Path]) -> None:
    paper, out = made
    report = out / "report"
    assert (out / "report.yaml").read_text() == shipped(paper)
    manifest = json.loads((report / "manifest.json").read_text())
    assert manifest["program"] == "reporting"
    assert manifest["from_python"]["sections"] == ["paper"]
    for name in manifest["outputs"]:
        assert (report / name).stat().st_size > 0
    metrics = pl.read_parquet(report / "frames" / "metrics.parquet")
    assert metrics.filter(split="test", measure="hter", group="")["value"].is_between(0.02, 0.4).all()
    text = (report / "report.json").read_text()
    assert [section["anchor"] for section in json.loads(text)["sections"][:2]] == ["summary", "paper"]
    assert 'id="paper"' in (report / "report.html").read_text()
    assert "tables/paper_claims.tex" in manifest["outputs"]
    for words in SAYS[paper]:
        assert words in text or words in manifest["outputs"], words
    if paper == "rocanalysis":
        assert (out / "rocanalysis.ipynb").is_file()
        test = metrics.filter(split="test")
        affine = test.filter(measure="cllr(calibration=affine)")["value"].to_list()
        assert affine[0] == pytest.approx(affine[1], abs=1e-9)
        assert test.filter(measure="cllr", model="doubled")["value"][0] > affine[0] + 0.05
    if paper == "brodersen":
        assert pl.read_parquet(report / "frames" / "ap_estimators.parquet").height == 14 * 7
        assert pl.read_parquet(report / "frames" / "fits.parquet")["fit"].n_unique() == 3


def test_papers_are_written_on_public_names() -> None:
    """They import no name and no module that begins with an underscore."""
    for path in PAPERS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "reporting":
                names = (*str(node.module).split("."), *(alias.name for alias in node.names))
                assert not [name for name in names if name.startswith("_")], f"{path}: {node.module}"
