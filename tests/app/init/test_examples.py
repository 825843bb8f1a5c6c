"""Every example is recognised, and the config that is written passes the check."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.app.config.document import read_document
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.base.legible import counted
from tests.app.init.examples import EXAMPLES

LABELS = {"values": {"target": "genuine", "nontarget": "impostor"}}
SAID = {
    "parquet": {"source": "trials.parquet", "columns": {"label": "target", "model": "system", "cluster": "speaker"}},
    "scikit_learn": {"source": "forest.csv", "layout": "wide", "scores": {"forest": "y_prob"}, "columns": {"label": "y_true", "trial": "id"}},
    "wide": {"source": "w.csv", "layout": "wide", "scores": ["A", "B", "C"], "columns": {"label": "y", "trial": "utt", "cluster": "speaker"}, **LABELS},
    "files_of_models": {"source": "{model}-{split}.csv", "columns": {"cluster": "speaker"}, "values": {"test": "eval"}},
    "keyed": {"source": "{model}.tsv", "keys": "keys.csv", "layout": "keyed", "columns": {"cluster": "speaker"}},
    "kaldi": {"source": "scores/{model}/{split}", "keys": "keys/{split}/trials", "layout": "kaldi"},
    "voxsrc": {"source": "{model}_{split}.txt", "keys": "{split}.keys", "layout": "voxsrc"},
    "bob": {"source": "{model}/scores-{split}", "layout": "bob"},
    "nist": {"source": "{model}_{split}.tsv", "keys": "{split}_key.tsv", "layout": "nist"},
    "asvspoof": {"source": "cm/{model}.{split}.txt", "keys": "protocols/ASVspoof2019.LA.cm.{split}.trl.txt", "layout": "asvspoof", "values": {"test": "eval"}},
    "lake": {"source": "lake", "columns": {"cluster": "speaker"}},
    "counts": {"source": "counts.parquet", "layout": "counts"},
    "sqlite": {"source": "sqlite:///lab.db", "table": "of 2026", "columns": {"cluster": "speaker"}},
}  # fmt: skip
"""What the config says under trials."""


def start(folder: Path, arguments: list[str]) -> tuple[str, Path]:
    """Write the config of an example; what was said of it, and the config."""
    table = arguments.pop() if "--table" in arguments else None
    config = folder / "report.yaml"
    return write_starter([one for one in arguments if one != "--table"], config, table=table), config


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_is_recognised_and_passes_the_check(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    said, config = start(tmp_path, EXAMPLES[name](tmp_path))
    faults: list = []
    document = read_document(config, faults).plain()
    assert not faults
    assert document["trials"] == SAID[name]
    assert document.get("thresholds") == ({"policy": "kfold"} if name == "scikit_learn" else None)
    assert "\n? " not in said or name in ("kaldi", "voxsrc", "bob", "nist", "asvspoof")
    models = {"parquet": 3, "wide": 3, "counts": 3, "sqlite": 3, "scikit_learn": 1}.get(name, 2)
    found = check_report(config)
    assert f"{counted(models, 'model')} (" in found
    assert "24 trials (8 targets" in found


def test_the_trials_of_evalita(shared, tmp_path):
    config = tmp_path / "report.yaml"
    said = write_starter([str(shared / "data/ru2009.parquet")], config)
    assert "\n? " not in said
    assert check_report(config).startswith(
        "24,852 rows, 6 models (TC1, TC2, TC3, TC4, TC5, TC6): dev 2,071 trials (1,271 targets, 100 speakers)"
    )
