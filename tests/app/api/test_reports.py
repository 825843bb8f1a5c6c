"""Reports of tables in memory: the frames of the file's report, one digest, and what is refused."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import reporting
from reporting.app.config.read import plan_of, read_plan
from reporting.app.run.verify import verify
from reporting.document.blocks import Prose, Section
from reporting.errors import ConfigError, DataError, OutputError

SAID = {
    "baseline": "B",
    "primary": {"measure": "hter", "criterion": "min_hter"},
    "criteria": ["min_hter", "eer", "fixed(threshold=1)"],
    "measures": ["hter", "far", "frr", "auc", "eer_rocch"],
    "curves": ["roc", "det", "pr", "histogram", "roc_threshold", "pr_threshold", "nbe"],
    "epc": {
        "criteria": ["weighted_error", "target_far"],
        "measures": ["hter", "weighted_error"],
        "alphas": 5,
    },
    "significance": {"replicates": 99},
    "by": ["gender"],
    "report": {"formats": ["json"]},
}

LITTLE = {
    "by": ["gender"],
    "measures": ["hter"],
    "curves": [],
    "epc": "none",
    "significance": {"replicates": 99, "bands": "none"},
}


@pytest.fixture(scope="module")
def made(report, unrendered, tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "of memory"
    return reporting.make_report(trials=report.trials, out=out, **SAID)


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def test_the_frames_are_those_of_the_file_s_report(report, made):
    names = sorted(path.name for path in (report.folder / "frames").iterdir())
    assert sorted(path.name for path in (made / "frames").iterdir()) == names
    for name in names:
        assert (made / "frames" / name).read_bytes() == (report.folder / "frames" / name).read_bytes()


def test_the_manifest_names_the_content(report, made):
    said = manifest(made)
    assert said["config"]["trials"]["source"] == "in memory"
    assert said["config"] | {"trials": 0, "title": 0} == manifest(report.folder)["config"] | {
        "trials": 0,
        "title": 0,
    }
    assert said["config"]["title"] == "of memory"
    columns = ["model", "split", "trial", "by gender", "label", "run", "dataset", "score"]
    read = report.trials.with_columns(
        pl.lit("0").alias("run"), pl.lit("all").alias("dataset"), pl.col("label").cast(pl.String)
    ).rename({"gender": "by gender"})
    content = read.select(columns).sort(columns).write_csv().encode()
    assert said["inputs"] == [
        {"name": "in memory", "sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    ]


@pytest.mark.parametrize("change", ["order", "columns", "beside", "value"])
def test_the_digest_is_of_what_is_read(report, made, tmp_path, change):
    table = {
        "order": report.trials.sample(fraction=1, shuffle=True, seed=3),
        "columns": report.trials.select(reversed(report.trials.columns)),
        "beside": report.trials.with_columns(note=pl.lit("x")),
        "value": report.trials.with_columns(score=pl.col("score") + 1),
    }[change]
    out = reporting.make_report(trials=table, out=tmp_path / "out", **LITTLE)
    assert (manifest(out)["inputs"] == manifest(made)["inputs"]) == (change != "value")


def test_a_config_may_be_a_mapping_and_its_source_a_table(report, made, tmp_path):
    config = {
        **SAID,
        "title": "of memory",
        "trials": {"source": report.trials.rename({"model": "system"}), "columns": {"model": "system"}},
    }
    out = reporting.make_report(config, tmp_path / "out", ["significance.seed=2"])
    assert manifest(out)["config"]["significance"]["seed"] == 2
    assert_frame_equal(
        pl.read_parquet(out / "frames" / "roc.parquet"), pl.read_parquet(made / "frames" / "roc.parquet")
    )


def test_a_config_file_still_makes_its_report(report, tmp_path):
    config = report.folder.parent / "report.yaml"
    out = reporting.make_report(str(config), tmp_path / "out", ["epc=none"])
    assert manifest(out)["inputs"][0]["name"] == "trials.parquet"
    with pytest.raises(ConfigError, match="baseline .reporting.make_report.: the config file sets it"):
        reporting.make_report(config, tmp_path / "out", baseline="A")


def test_what_is_missing_is_told(report, tmp_path):
    with pytest.raises(ConfigError, match="expected labels and scores, a table, or a config file"):
        reporting.make_report(out=tmp_path / "out")
    with pytest.raises(ConfigError, match=r"trials \(reporting.make_report\): 'source' is missing"):
        reporting.make_report(trials={"columns": {}}, out=tmp_path / "out")
    with pytest.raises(DataError, match="the table has no dev rows"):
        reporting.make_report(trials=report.trials.filter(split="test"), out=tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError):
        reporting.make_report(trials=report.trials, out=tmp_path / "mine", **SAID)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_a_report_never_replaces_its_own_trials(report, tmp_path):
    out = reporting.make_report(trials=report.trials, out=tmp_path / "out", **LITTLE)
    report.trials.write_parquet(out / "trials.parquet")
    with pytest.raises(OutputError, match=r"holds trials.parquet"):
        reporting.make_report(trials=out / "trials.parquet", out=out, **LITTLE)


def test_values_mean_what_they_mean_in_a_file(report):
    """The plan of the file's keys as Python values is the file's plan."""
    path = report.folder.parent / "report.yaml"
    of_file = read_plan(path)
    said = {**SAID, "title": "Small", "trials": {"source": path.parent / "trials.parquet"}}
    of_values = plan_of(said, "here")
    assert of_values.study == of_file.study
    assert of_values.trials == of_file.trials
    assert of_values.report == of_file.report


def test_faults_of_values_are_told_all_at_once(report):
    said = {
        "trials": {"source": "none.csv", "values": {"target": 1, "nontarget": 1}},
        "baselin": "A",
        "epc": {"alphas": "x"},
    }
    with pytest.raises(ConfigError) as caught:
        plan_of(said, "here")
    assert [fault.partition(" (here)")[0] for fault in caught.value.faults] == [
        "baselin",
        "epc.alphas",
        "trials.source",
        "trials.values",
    ]


def test_the_report_of_a_table_is_rendered(tmp_path):
    """In a process of its own, with all its pictures."""
    code = (
        "import sys, reporting;"
        "trials = reporting.trial_table([1, 0] * 20, list(range(40)), split=['dev', 'dev', 'test', 'test'] * 10);"
        "print(reporting.make_report(trials=trials, out=sys.argv[1], curves=['roc'], epc='none',"
        " significance={'replicates': 99}))"
    )
    out = tmp_path / "Scores of a morning"
    done = subprocess.run([sys.executable, "-c", code, out], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, [f"Folder: {out}"]), done.stderr
    page = (out / "report.html").read_text()
    assert "<title>Scores of a morning" in page
    assert "in memory" in page
    for name, digest in manifest(out)["outputs"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest


def by_site(results):
    """A section of the caller's own, from a frame of his own."""
    rows = results.frames["sites"].rows()
    return Section("By site", "any", tuple(Prose(f"{site}: {n}") for site, n in rows)) if rows else None


SITES = pl.DataFrame({"site": ["north", "south"], "n": [3, 4]})


@pytest.fixture
def handed_in(report):
    return {"trials": report.trials, **LITTLE, "sections": [by_site], "frames": {"sites": SITES}}


def anchors(report):
    return [section.anchor for section in report.sections]


def test_a_section_and_a_frame_of_the_caller_stand_in_the_report(handed_in, unrendered, tmp_path):
    out = reporting.make_report(out=tmp_path / "out", **handed_in)
    with_it = unrendered[-1]
    assert anchors(with_it)[:2] == ["summary", "by-site"]
    assert [block.text for block in with_it.sections[1].blocks] == ["north: 3", "south: 4"]
    assert pl.read_parquet(out / "frames" / "sites.parquet").equals(SITES)
    assert manifest(out)["from_python"] == {"sections": ["by-site"], "frames": ["sites"]}
    # Without them everything else is as it was.
    bare = reporting.make_report(trials=handed_in["trials"], out=tmp_path / "bare", **LITTLE)
    assert unrendered[-1].sections[1:] == with_it.sections[2:]
    assert "from_python" not in manifest(bare)


def test_the_order_of_sections_names_that_of_the_caller(handed_in, unrendered, tmp_path):
    spec = {"report": {"sections": ["summary", "methods", "by-site"]}}
    reporting.make_report(out=tmp_path / "out", **handed_in, **spec)
    assert anchors(unrendered[-1]) == ["summary", "methods", "by-site"]
    spec = {"report": {"sections": ["summary", "by-sites"]}}
    with pytest.raises(ConfigError, match="'by-sites' is not a section; did you mean 'by-site'?"):
        reporting.make_report(out=tmp_path / "other", **handed_in, **spec)


def test_a_section_of_the_caller_with_nothing_to_say_is_left_out(handed_in, unrendered, tmp_path):
    reporting.make_report(out=tmp_path / "out", **handed_in | {"frames": {"sites": SITES.clear()}})
    assert "by-site" not in anchors(unrendered[-1])


def test_a_report_with_a_section_of_the_caller_is_verified_against_its_manifest_alone(report, tmp_path):
    config = tmp_path / "study.yaml"
    report.trials.write_parquet(tmp_path / "trials.parquet")
    config.write_text("trials: {source: trials.parquet}\ncurves: []\nepc: none\nreport: {formats: [json]}\n")
    overrides = ["significance.replicates=99", "significance.bands=none"]
    out = reporting.make_report(config, overrides=overrides, sections=[by_site], frames={"sites": SITES})
    assert out.folder == tmp_path / "study-report"
    verdict = verify(out.folder)
    assert (verdict.status, verdict.unknown) == (
        2,
        "the report has sections or frames from a Python program; run that program again to compare",
    )
    (out / "report.json").write_text("changed")
    assert verify(out.folder).status == 1


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"sections": [lambda results: None]}, "expected a function with a name, found '<lambda>'"),
        ({"sections": [functools.partial(by_site)]}, "expected a function with a name, found ''"),
        ({"sections": [by_site, by_site]}, "there is a section 'by-site' already; rename the function"),
        ({"frames": {"metrics": SITES}}, "there is a frame 'metrics' already; name it otherwise"),
        ({"frames": {"../x": SITES}}, "expected a name such as 'by_site' and a Polars frame"),
        ({"frames": {"sites": [1]}}, "expected a name such as 'by_site' and a Polars frame"),
    ],
)
def test_what_is_no_section_or_frame_is_refused(report, tmp_path, said, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        reporting.make_report(trials=report.trials, out=tmp_path / "out", **LITTLE, **said)
    assert not (tmp_path / "out").exists()


def test_a_section_may_not_take_the_name_of_ours(report, tmp_path):
    def since_last(results):
        return None

    with pytest.raises(ConfigError, match="there is a section 'since-last' already"):
        reporting.make_report(trials=report.trials, out=tmp_path / "out", **LITTLE, sections=[since_last])


@pytest.mark.parametrize(
    ("keys", "measure", "criterion"),
    [
        ({"measures": ["auc", "f1"], "criteria": ["eer"]}, "auc", None),
        ({"measures": ["f1", "auc"], "criteria": ["oracle(min_hter)", "eer"]}, "f1", "eer"),
        ({"measures": ["f1"]}, "f1", "min_hter"),
        ({"primary": "roc_auc_score"}, "auc", None),
        ({"measures": ["auc"], "primary": {"measure": "f1"}}, "f1", "min_hter"),
        ({"config": {"measures": ["auc"]}}, "hter", "min_hter"),
    ],
)
def test_the_first_measure_is_the_primary_one(keys, measure, criterion):
    scores = np.arange(40) % 7
    settings = {"epc": "none", "curves": [], "significance": {"replicates": 99}}
    if "config" in keys:
        table = reporting.trial_table([0, 1] * 20, scores, split=["dev", "dev", "test", "test"] * 10)
        report = reporting.make_report(trials=table, config={**settings, **keys["config"]})
    else:
        split = ["dev", "dev", "test", "test"] * 10
        report = reporting.make_report([0, 1] * 20, scores, split=split, **settings, **keys)
    primary = report._computed.results.study.primary
    assert str(primary.measure) == measure
    assert criterion is None or str(primary.criterion) == criterion


def test_cautions_come_with_their_codes_and_the_grave_ones_are_printed():
    report = reporting.make_report([0, 1] * 20, -(np.arange(40) % 2), measures=["auc"], curves=[], epc="none")
    codes = [caution.code for caution in report.cautions]
    assert "TR209" in codes
    assert "Worse than chance." in str(report)
    assert codes.index("TR209") < codes.index("TR302")
    assert "Independence assumed." not in str(report)
