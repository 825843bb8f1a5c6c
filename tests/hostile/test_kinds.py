"""Three kinds of trials whose labels and attacks are named by anybody, and costs that nobody should ask for."""

from __future__ import annotations

import json

import polars as pl
import pytest
from command import reporting

from reporting.core.engine.parts import group_name
from tests.hostile.ending import faults_of_report
from tests.hostile.texts import PAYLOADS

KINDS = {"target": PAYLOADS["script"], "nontarget": PAYLOADS["tex shell"], "spoof": PAYLOADS["formula"]}
ATTACKS = [PAYLOADS[kind] for kind in ("image", "markdown", "tex signs")]


def write(folder, measures=("adcf", "minadcf"), **keys):
    rows = [
        {"model": model, "split": split, "trial": i, "score": (i * 7 + at) % 5 + 3 * (kind == "target")}
        | {"label": name, "attack": ATTACKS[i // 3 % 3] if kind == "spoof" else None}
        for at, model in enumerate("ab")
        for split in ("dev", "test")
        for i, (kind, name) in enumerate([*KINDS.items()] * 12)
    ]
    pl.DataFrame(rows).write_parquet(folder / "trials.parquet")
    config = {
        "trials": {"source": "trials.parquet", "values": KINDS},
        "by": [{"attack": "spoof"}],
        "measures": list(measures),
        "significance": {"replicates": 99},
        "curves": [],
        "epc": "none",
        "report": {"formats": ["html", "latex", "markdown"]},
    }
    (folder / "report.yaml").write_text(json.dumps(config | keys))


def test_names_of_kinds_and_attacks_are_texts(tmp_path):
    write(tmp_path, primary={"measure": "adcf", "criterion": "min_adcf"}, criteria=["min_adcf"])
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(faults_of_report(tmp_path / "out")) == []
    groups = set(pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet")["group"])
    assert groups == {
        "",
        "attempt=spoof",
        "attempt=zero-effort",
        *(group_name(("attack",), (name,)) for name in ATTACKS),
    }


@pytest.mark.parametrize(
    ("measure", "fault"),
    [
        ("adcf(p_spoof=nan)", "p_spoof"),
        ("adcf(p_spoof=0)", "p_spoof"),
        ("adcf(p_spoof=1e400)", "p_spoof"),
        ("adcf(p_nontarget=0.5,p_spoof=0.5)", "p_nontarget + p_spoof must be below 1, found 1"),
        ("adcf(c_fa=-1)", "c_fa"),
        ("adcf(c_fa=1.000000001,c_spoof=1.000000003,p_spoof=0.049999999)", "cannot be mixed as"),
        ("spoofing_error(spoof_share=1.5)", "spoof_share"),
        ("spoofing_error(spoof_share=<script>)", "spoof_share"),
        ("tdcf(asv_miss=2,asv_fa=0,asv_spoof_fa=1)", "asv_miss"),
    ],
)
def test_costs_without_a_meaning_end_with_one_message(tmp_path, measure, fault):
    write(tmp_path, [measure])
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: ")
    assert fault in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()
