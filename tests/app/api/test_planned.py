"""Plans from Python: the same numbers as the command, by name."""

import json
import pickle
from xml.etree import ElementTree

import polars as pl
import pytest
from command import reporting as run

import reporting
from reporting.errors import ConfigError, OutputError


def test_the_same_as_the_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    plan = reporting.plan("auc", auc=0.8, against=0.75, ratio=1)
    printed = json.loads(
        run("plan", "auc", "--auc", ".8", "--against", ".75", "--ratio", "1", "--json").stdout
    )
    assert json.loads(json.dumps(plan.to_dict())) == printed
    assert run(*plan.command.split()[1:]).stdout.rstrip("\n") == str(plan) == repr(plan)
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_its_table_has_the_numbers_that_there_are():
    table = reporting.plan("rate", bound="1%").table()
    assert table.columns == ["wanted", "n_trials", "bound"]
    assert table.filter(pl.col("wanted") == 0.01)["n_trials"].item() == 299
    assert reporting.plan("far", bound=1e-4, per_pair=4).table().columns == [
        "wanted",
        "n_nontarget",
        "n_clusters",
        "bound",
    ]


@pytest.mark.parametrize("ending", ["html", "svg", "pdf", "png", "md"])
def test_files(tmp_path, ending):
    plan = reporting.plan("rate", rate=0.02, width=0.01)
    for _ in range(2):
        plan.save(tmp_path / f"plan.{ending}")
    content = (tmp_path / f"plan.{ending}").read_bytes()
    if ending == "html" or ending == "md":
        assert plan.sentence in content.decode()
    elif ending == "svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")
    else:
        assert content.startswith({"pdf": b"%PDF", "png": b"\x89PNG"}[ending])
    assert [path.name for path in tmp_path.iterdir()] == [f"plan.{ending}"]


def test_a_notebook_shows_sentence_and_picture():
    shown = reporting.plan("eer", eer=0.05, width=0.02)._repr_html_()
    assert "<svg" in shown
    assert "the 95% confidence interval of an EER of 5%" in shown


WRONG = {
    "a misspelt question": (lambda: reporting.plan("acu"), "reporting.plan: 'acu' is neither a question nor the path of a config; did you mean 'auc'?"),
    "a number": (lambda: reporting.plan(3), "reporting.plan: '3' is neither a question nor the path of a config"),
    "a misspelt option": (lambda: reporting.plan("auc", auk=0.8), "reporting.plan: 'auc' takes no 'auk'; did you mean 'auc'?"),
    "an option of another question": (lambda: reporting.plan("auc", eer=0.1), "reporting.plan: 'auc' takes no 'eer'"),
    "a value that is none": (lambda: reporting.plan("auc", auc=[0.8]), "auc (reporting.plan): expected a number between 0 and 1, found list"),
    "a switch that is none": (lambda: reporting.plan("auc", auc=0.8, unpaired=3), "unpaired (reporting.plan): expected True or False, found 3"),
    "true for a number": (lambda: reporting.plan("auc", auc=True), "auc (reporting.plan): expected a number between 0 and 1, found True"),
}  # fmt: skip


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_gets_a_sentence(call):
    ask, message = WRONG[call]
    with pytest.raises(ConfigError) as caught:
        ask()
    assert len(caught.value.faults) == 1
    assert message in caught.value.faults[0]


def test_a_file_that_cannot_be_written(tmp_path):
    plan = reporting.plan("rate", bound=0.01)
    with pytest.raises(OutputError, match="does not end in a known format"):
        plan.save(tmp_path / "plan")
    with pytest.raises(OutputError, match="cannot be written"):
        plan.save(tmp_path / "none" / "plan.svg")
