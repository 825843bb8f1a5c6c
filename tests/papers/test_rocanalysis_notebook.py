"""The notebook of the walk-through: it is clean, it runs from top to bottom, and its numbers are near theory.

Its cells are plain Python, so they run one after the other in one namespace of a new process; a kernel
would bring some forty further packages and sockets for nothing that is tested here. What a cell ends on
is shown as a notebook would show it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from paper_results import PAPERS
from scipy import stats
from sklearn.metrics import roc_auc_score

from configs.papers.rocanalysis.data import trials as drawn

NOTEBOOK = PAPERS / "rocanalysis" / "rocanalysis.ipynb"

RUNNER = """
import ast, json, sys
cells = json.load(open(sys.argv[1], encoding="utf-8"))["cells"]
space = {}
shown = []
for cell in cells:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]), cell["id"])
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell["id"], "exec"), space)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), cell["id"], "eval"), space)
        how = getattr(value, "_repr_html_", None) or getattr(value, "_repr_mimebundle_", None)
        shown.append([cell["id"], len(str(how() if how else repr(value)))])
frames = {k: v.to_dicts() for k, v in space.items() if type(v).__name__ == "DataFrame" and v.height < 100}
heights = {k: space[k].height for k in ("trials", "r", "cuts")}
specs = {k: v.to_dict(validate=False) for k, v in space.items() if k.endswith("_plot")}
kept = {"frames": frames, "heights": heights, "shown": shown, "plo": space["plo"]}
kept["titles"] = {k: len(json.dumps(v)) for k, v in specs.items()}
print(json.dumps(kept, default=str))
"""


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    return dict(json.loads(NOTEBOOK.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def ran() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, str(NOTEBOOK)],
        capture_output=True,
        text=True,
        check=False,
        cwd=NOTEBOOK.parent,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


def value(ran: dict[str, Any], frame: str, row: int = 0) -> float:
    return float(ran["frames"][frame][row]["value"])


def test_it_is_a_notebook_without_outputs_and_traces(notebook: dict[str, Any]) -> None:
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) > 20
    for cell in notebook["cells"]:
        assert cell["metadata"] == {}
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@pytest.mark.parametrize(
    "call",
    [
        "eer(tar, non)", "r = roc(tar, non)", "eerch(r)", "plot(r)", "detplot(r)", "auc(r)",
        "d = DCF(0.01, 1, 10)", "plo(d)", "dcf(tar, non, d=d)", "dcf(tar, non, d=d, thres=0)",
        "mindcf(r, d=d)", "dcf(tar, non, d=d, norm=true)", "apeplot(r)", "cllr(tar, non)",
        "mincllr(tar, non)", "nbeplot(r)", "llrplot(r)",
    ],
)  # fmt: skip
def test_every_call_of_the_readme_heads_a_cell(notebook: dict[str, Any], call: str) -> None:
    heads = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    assert any(f"`{call}`" in "".join(cell["source"]).splitlines()[0] for cell in heads)


def test_every_cell_runs_and_shows_something(notebook: dict[str, Any], ran: dict[str, Any]) -> None:
    assert all(length > 3 for _, length in ran["shown"])
    silent = 2  # imports, and the function that puts theory beside
    assert len(ran["shown"]) == sum(cell["cell_type"] == "code" for cell in notebook["cells"]) - silent
    assert set(ran["titles"]) == {"roc_plot", "det_plot", "ape_plot", "nbe_plot", "llr_plot"}


def test_the_numbers_are_near_their_theory(ran: dict[str, Any]) -> None:
    assert ran["heights"]["trials"] == 101_000
    assert ran["plo"] == pytest.approx(-2.292534757140544, abs=1e-14)
    for frame, known, within in (
        ("eer", stats.norm.cdf(-1), 0.03),
        ("eerch", stats.norm.cdf(-1), 0.03),
        ("mindcf", 0.0715810522, 0.01),
        ("cllr", 0.5140558458670648, 0.05),
        ("doubled", 0.62, 0.08),
    ):
        assert value(ran, frame) == pytest.approx(known, abs=within), frame
    assert value(ran, "areas", 0) == pytest.approx(stats.norm.cdf(2**0.5), abs=0.02)
    assert value(ran, "areas", 1) == pytest.approx(stats.norm.cdf(-(2**0.5)), abs=0.02)
    assert value(ran, "dcf", 0) == pytest.approx(0.0715810522, abs=0.01)
    assert value(ran, "dcf", 1) == pytest.approx(1.09 * stats.norm.cdf(-1), abs=0.02)
    for row in ran["frames"]["scan"]:
        assert row["normalised"] == pytest.approx(row["theory, normalised"], abs=0.06), row
        assert row["dcf"] == pytest.approx(row["normalised"] * min(row["prior"], 1 - row["prior"]))
    assert sum(row["inside"] for row in ran["frames"]["sure"]) >= 3


def test_what_the_readme_says_of_the_numbers(ran: dict[str, Any]) -> None:
    assert ran["heights"]["r"] < ran["heights"]["cuts"] / 10
    assert value(ran, "dcf", 0) < value(ran, "dcf", 1)
    assert value(ran, "mindcf") <= value(ran, "dcf", 0)
    rows = {row["measure"]: row["value"] for row in ran["frames"]["cllr"]}
    assert rows["mincllr"] < rows["mincllr(laplace=true)"] < rows["cllr"]
    assert value(ran, "doubled", 1) == pytest.approx(rows["mincllr"], abs=1e-12)
    assert ran["frames"]["compared"][0]["ci_low"] > 0


def test_it_draws_the_scores_of_the_example(ran: dict[str, Any]) -> None:
    rows = drawn().filter(model="calibrated", split="test")
    area = roc_auc_score(rows["label"].to_numpy() == "target", rows["score"].to_numpy())
    # The example rounds to six decimals, which moves a pair or two.
    assert value(ran, "areas", 0) == pytest.approx(area, abs=1e-6)
