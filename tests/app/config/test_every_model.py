"""``models: {higher_is: nontarget}`` holds for every model whose own entry says nothing else."""

from __future__ import annotations

import json

import polars as pl
import pytest
from command import reporting
from polars.testing import assert_frame_equal

import reporting as api
from reporting.errors import ConfigError

ROWS = pl.DataFrame(
    [
        {"model": model, "split": split, "trial": f"{split}{at:02}", "label": at % 2, "score": float(-(at * step % 13) - 4 * (at % 2))}
        for model, step in (("a", 3), ("b", 5), ("c", 7))
        for split in ("dev", "test")
        for at in range(40)
    ]
)  # fmt: skip
KEYS = {"significance": {"replicates": 99}, "epc": "none", "curves": ["roc"], "measures": ["hter", "auc"]}
EACH = {model: {"higher_is": "nontarget"} for model in "abc"}
FORMS = {
    "alone": {"higher_is": "nontarget"},
    "a star": {"*": {"higher_is": "nontarget"}},
    "beside one of them": {"higher_is": "nontarget", "a": {"higher_is": "nontarget"}},
    "beside an entry on something else": {"higher_is": "nontarget", "a": {"scale": "score"}, "b": {}},
    "a star beside one": {"*": {"higher_is": "nontarget"}, "a": {"scale": "score"}},
}


@pytest.mark.parametrize("form", FORMS)
def test_all_frames_are_those_of_an_entry_each(form):
    of_each = api.make_report(ROWS, models=EACH, **KEYS).frames
    of_all = api.make_report(ROWS, models=FORMS[form], **KEYS).frames
    assert of_all.keys() == of_each.keys()
    for name, frame in of_each.items():
        assert_frame_equal(of_all[name], frame)


def test_an_entry_of_its_own_comes_first():
    other = ROWS.with_columns(score=pl.when(pl.col("model") == "b").then(-pl.col("score")).otherwise("score"))
    mixed = {"higher_is": "nontarget", "b": {"higher_is": "target"}}
    expected = {
        "b": {"higher_is": "target"},
        "a": {"higher_is": "nontarget"},
        "c": {"higher_is": "nontarget"},
    }
    for name in ("metrics", "comparisons"):
        of_all = api.make_report(other, models=mixed, **KEYS).frames[name]
        assert_frame_equal(
            of_all, api.make_report(other, models=expected, **KEYS).frames[name], check_row_order=False
        )


def test_a_step_of_a_report_takes_it_too():
    of_each = api.metrics(ROWS, "auc", models=EACH, intervals=False)
    assert_frame_equal(api.metrics(ROWS, "auc", models={"higher_is": "nontarget"}, intervals=False), of_each)


def test_the_manifest_makes_the_same_report(tmp_path):
    ROWS.write_csv(tmp_path / "t.csv")
    config = {
        "trials": {"source": "t.csv"},
        "models": {"higher_is": "nontarget"},
        **KEYS,
        "report": {"formats": ["json"]},
    }
    (tmp_path / "report.yaml").write_text(json.dumps(config))
    assert reporting("run", "report.yaml", cwd=tmp_path).returncode == 0
    end = reporting("verify", "report", cwd=tmp_path)
    assert end.returncode == 0, end.stderr
    kept = json.loads((tmp_path / "report" / "manifest.json").read_text())["config"]["models"]
    assert kept["*"]["higher_is"] == "nontarget"


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({"*": {"scale": "llr"}}, "expected higher_is alone"),
        ({"higher_is": "lower"}, "'lower' is not allowed"),
        (
            {"higher_is": "nontarget", "a": {"scale": "probability"}},
            "models.a.*higher_is: nontarget is not possible",
        ),
    ],
)
def test_what_cannot_hold_for_all(models, message):
    with pytest.raises(ConfigError, match=message):
        api.make_report(ROWS, models=models, **KEYS)
