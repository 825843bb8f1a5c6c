"""Every file of a report is held against its inputs; whatever was changed by hand is named."""

from __future__ import annotations

import json
import shutil
import sqlite3
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from snapshot import snapshot

from reporting.app import cli
from reporting.app.run.manifest import digest
from reporting.app.run.report import make_report
from reporting.app.run.verify import Verification, config_of, read_manifest, verify
from reporting.errors import OutputError

SMALL = """trials: {source: trials.csv}
measures: [hter, f1]
criteria: [min_hter]
curves: []
epc: none
significance: {replicates: 39}
run: {executor: serial}
"""
FULL = [
    "html",
    "json",
    "latex",
    "png",
    *(["pdf"] if find_spec("typst") else []),
    *(["docx", "xlsx"] if find_spec("xlsxwriter") else []),
]


def rows() -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"model": model, "split": split, "trial": i, "label": i % 2, "score": (i * 7919 % 23) + k + 9 * (i % 2)}
            for k, model in enumerate("ab") for split in ("dev", "test") for i in range(40)
        ]
    )  # fmt: skip


def written(folder: Path, formats: list[str], keys: str = SMALL, more: str = "") -> Path:
    rows().write_csv(folder / "trials.csv")
    config = folder / "weekly.yaml"
    config.write_text(f"{keys}report: {{formats: [{', '.join(formats)}]{more}}}\n")
    return config


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in all formats that speak here, as of another day."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1760000000")
        return make_report(written(folder, FULL, SMALL.replace("curves: []", "curves: [roc, det]")))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report that is made fast."""
    return make_report(written(tmp_path_factory.mktemp("plain"), ["json"]))


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    return copy(whole, tmp_path)


@pytest.fixture
def small(plain: Path, tmp_path: Path) -> Path:
    return copy(plain, tmp_path)


def copy(report: Path, to: Path) -> Path:
    shutil.copytree(report.parent, to / "here")
    return to / "here" / report.name


def kinds(verdict: Verification) -> dict[str, str]:
    """What is not the same, by name."""
    return {one.name: one.kind for one in (*verdict.inputs, *verdict.files) if one.kind != "same"}


def told(verdict: Verification, name: str) -> str:
    return next(one.detail for one in verdict.files if one.name == name)


def manifest_with(report: Path, **changes: object) -> None:
    path = report / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_an_untouched_report_follows_from_its_inputs_and_is_only_read(copied):
    before = contents(copied.parent)
    verdict = verify(copied)
    assert (verdict.status, kinds(verdict), verdict.notes) == (0, {}, [])
    names = {path.relative_to(copied).as_posix() for path in copied.rglob("*") if path.is_file()}
    assert {one.name for one in verdict.files} == names - {"timings.json"}
    assert [one.name for one in verdict.inputs] == ["input trials.csv"]
    assert contents(copied.parent) == before
    assert verdict.text() == f"verified: all {len(names) - 1} rebuilt files are identical"


def test_whatever_was_changed_by_hand_is_named_with_its_place(copied):
    html = (copied / "report.html").read_text()
    assert "as of 2025-10-09" in html
    (copied / "report.html").write_text(html.replace("as of 2025-10-09", "as of 2025-10-08"))
    metrics = copied / "frames" / "metrics.parquet"
    frame = pl.read_parquet(metrics)
    frame.with_columns(pl.Series("value", [0.125, *frame["value"][1:]])).write_parquet(metrics)
    said = json.loads((copied / "report.json").read_text())
    (copied / "report.json").write_text(json.dumps(said | {"title": "Better"}))
    (copied / "figures" / "roc.png").write_bytes(b"no picture")
    (copied / "more.txt").write_text("added")
    (copied / "empty").mkdir()
    (copied / "report.tex").unlink()
    (copied / "tables" / "data.csv").unlink()
    (copied / "tables" / "data.csv").symlink_to(copied / "tables" / "summary.csv")
    verdict = verify(copied)
    changed = ("report.html", "frames/metrics.parquet", "report.json", "figures/roc.png", "tables/data.csv")
    assert verdict.status == 1
    assert kinds(verdict) == dict.fromkeys(changed, "differs") | {
        "more.txt": "extra", "empty": "extra", "report.tex": "missing",
    }  # fmt: skip
    assert "2025-10-08" in told(verdict, "report.html")
    assert told(verdict, "report.html").startswith("line ")
    assert told(verdict, "frames/metrics.parquet").startswith("row 0 column value: '0.125'")
    assert told(verdict, "report.json") == "title: 'Better', 'weekly' when made again"
    assert told(verdict, "tables/data.csv") == "no plain file"
    assert "\nmissing report.tex\n" in verdict.text()


def test_a_number_forged_together_with_its_digest_does_not_come_out_again(small):
    path = small / "tables" / "summary.csv"
    path.write_text(path.read_text() + "c,0.0\n")
    outputs = json.loads((small / "manifest.json").read_text())["outputs"]
    manifest_with(small, outputs=outputs | {"tables/summary.csv": digest(path)})
    verdict = verify(small)
    assert kinds(verdict) == {"tables/summary.csv": "differs", "manifest.json": "differs"}
    assert told(verdict, "manifest.json").startswith("outputs.tables/summary.csv: ")


def test_a_manifest_of_another_seed_date_or_library_does_not_come_out_again(small):
    said = json.loads((small / "manifest.json").read_text())
    config = said["config"] | {"significance": said["config"]["significance"] | {"seed": 2}}
    manifest_with(small, config=config, as_of="2026-01-05", libraries=said["libraries"] | {"numpy": "1.0"})
    verdict = verify(small)
    found = kinds(verdict)
    assert {"manifest.json", "report.json", "frames/metrics.parquet"} <= set(found)
    first, *others = verdict.text().splitlines()
    assert first == f"version numpy: made with 1.0, now {said['libraries']['numpy']}"
    assert others[0].endswith("'2', '1' in the file); verifying with the recorded config")


def test_a_changed_input_is_named_and_nothing_is_made_from_it(small):
    path = small.parent / "trials.csv"
    path.write_text(path.read_text().replace("\na,dev,0,0,0\n", "\na,dev,0,0,1\n"))
    verdict = verify(small)
    assert (verdict.status, kinds(verdict)) == (1, {"input trials.csv": "differs"})
    assert "compared with the manifest only" in verdict.text()
    assert f"is {digest(path)[:12]}" in verdict.text()


def test_without_its_inputs_a_report_is_compared_with_its_manifest_alone(small):
    (small.parent / "trials.csv").unlink()
    verdict = verify(small)
    assert (verdict.status, kinds(verdict)) == (2, {})
    assert "cannot be verified: trials.source[0]" in verdict.text()
    assert verdict.text().splitlines()[-1].startswith("no difference found, but not everything")
    (small / "report.json").write_text("{}")
    verdict = verify(small)
    assert (verdict.status, kinds(verdict)) == (1, {"report.json": "differs"})


def test_a_report_made_elsewhere_with_overrides_is_verified_against_its_config(small, tmp_path):
    config, elsewhere = small.with_name("weekly.yaml"), tmp_path / "elsewhere"
    make_report(config, elsewhere, ["significance.seed=5"])
    assert verify(elsewhere).status == 0
    manifest_with(elsewhere, config_at="../gone.yaml")
    assert (verify(elsewhere).status, "--against" in verify(elsewhere).unknown) == (2, True)
    make_report(config, elsewhere, ["significance.seed=5"])
    assert verify(elsewhere, tmp_path / "nowhere.yaml").unknown.endswith("there is no such file")
    verdict = verify(elsewhere, config)
    assert verdict.status == 0
    snapshot(
        "run/verify_a_report_made_elsewhere_with_overrides_is_verified_against_its_config",
        "\n".join(verdict.notes),
    )


def test_the_manifest_has_the_way_to_the_config_and_no_path_of_the_machine(small, tmp_path):
    config, elsewhere = small.with_name("weekly.yaml"), tmp_path / "a" / "b" / "out"
    make_report(config, elsewhere)
    assert read_manifest(elsewhere)["config_at"] == "../../../here/weekly.yaml"
    assert str(tmp_path) not in (elsewhere / "manifest.json").read_text()
    assert config_of(elsewhere, read_manifest(elsewhere)) == config
    assert verify(elsewhere).status == 0
    moved = tmp_path / "moved"
    shutil.move(elsewhere, moved)
    assert verify(moved).status == 2
    assert verify(moved, config).status == 0


def test_a_way_through_the_root_is_none(small, tmp_path, monkeypatch):
    monkeypatch.setattr("os.path.commonpath", lambda paths: "/")
    make_report(small.with_name("weekly.yaml"), tmp_path / "far")
    assert "config_at" not in read_manifest(tmp_path / "far")


def test_a_report_of_report_yaml_needs_no_name(tmp_path):
    config = written(tmp_path, ["json"]).rename(tmp_path / "report.yaml")
    folder = make_report(config)
    assert folder == tmp_path / "report"
    assert config_of(folder, read_manifest(folder)) == config


def test_the_folder_of_the_inputs_serves_where_there_is_no_config(small):
    said = read_manifest(small)
    assert config_of(small, said) == small.with_name("weekly.yaml")
    assert config_of(small, said, small.parent).parent == small.parent
    gone = verify_without_config(small)
    assert (gone.status, gone.notes) == (1, [])


def verify_without_config(report: Path) -> Verification:
    """A changed input ends the comparison early."""
    report.with_name("weekly.yaml").unlink()
    report.with_name("trials.csv").write_text(rows().head(150).write_csv())
    return verify(report, report.parent)


def test_pictures_that_this_machine_draws_otherwise_are_verified_through_what_they_show(copied):
    drawn = [path for path in (copied / "figures").iterdir() if path.suffix in (".png", ".pdf")]
    assert len(drawn) > 2
    for path in drawn:
        path.write_bytes(path.read_bytes() + b" ")
    (copied / "figures" / "roc.svg").write_text("<svg/>")
    verdict = verify(copied)
    blamed = {"figures/roc.svg", "figures/roc.png", "figures/roc.pdf"}
    assert kinds(verdict) == {
        f"figures/{path.name}": "differs" if f"figures/{path.name}" in blamed else "redrawn" for path in drawn
    } | {"figures/roc.svg": "differs"}
    assert verdict.status == 1


def test_no_word_in_the_manifest_excuses_a_file(small):
    (small / "report.json").write_text("{}")
    manifest_with(small, verified_through={"report.json": "frames"})
    assert kinds(verify(small)) == {"report.json": "differs", "manifest.json": "differs"}
    (small.parent / "trials.csv").unlink()
    assert kinds(verify(small)) == {"report.json": "differs"}


def test_earlier_runs_are_an_input_and_verifying_is_not_remembered(tmp_path, monkeypatch):
    config = written(tmp_path, ["json"], SMALL + "history: {store: history}\n")
    for day in (1, 8):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(day * 86400))
        report = make_report(config, tmp_path / f"day-{day}")
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    before = contents(tmp_path / "history")
    verdict = verify(report, config)
    assert (verdict.status, kinds(verdict)) == (0, {})
    assert [one.name for one in verdict.inputs] == ["input history history", "input trials.csv"]
    assert contents(tmp_path / "history") == before
    (first, _) = sorted((tmp_path / "history" / "runs").iterdir())
    shutil.rmtree(first)
    assert kinds(verify(report, config)) == {"input history history": "missing"}


def test_models_come_again_in_the_order_of_the_report(tmp_path):
    config = written(tmp_path, ["json"], SMALL + "models: {b: {name: Ours}, a: {}}\n")
    assert verify(make_report(config), config).status == 0


def test_rows_of_a_database_are_fetched_again(tmp_path):
    config = written(tmp_path, ["json"], SMALL.replace("trials.csv", "sqlite:///t.db, table: trials"))
    frame = rows()
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("CREATE TABLE trials (model TEXT, split TEXT, trial TEXT, label TEXT, score REAL)")
        base.executemany("INSERT INTO trials VALUES (?, ?, ?, ?, ?)", frame.rows())
    base.close()
    report = make_report(config)
    assert verify(report).status == 0
    (tmp_path / "t.db").rename(tmp_path / "gone.db")
    verdict = verify(report)
    assert (verdict.status, kinds(verdict)) == (2, {})
    assert "t.db" in verdict.unknown


def test_a_changed_template_of_the_users_own_is_an_input(tmp_path):
    style = tmp_path / "house" / "html" / "house.css"
    style.parent.mkdir(parents=True)
    style.write_text("p { color: black }\n")
    report = make_report(written(tmp_path, ["html"], more=", templates: house"))
    style.write_text("p { color: white }\n")
    verdict = verify(report)
    assert kinds(verdict) == {"input template html/house.css": "differs"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("gone", r"no report found in .*: manifest.json is missing"),
        ("{", "not JSON"),
        ('["program"]', "not the manifest of a report"),
        ('{"program": "reporting"}', "an earlier version wrote it"),
        ({"outputs": ["a"]}, "outputs cannot be verified"),
        ({"as_of": "yesterday"}, "as_of is not a date: 'yesterday'"),
    ],
)
def test_what_is_no_report_is_told_in_one_line(tmp_path, change, message, plain):
    shutil.copy(plain / "manifest.json", tmp_path)
    if change == "gone":
        (tmp_path / "manifest.json").unlink()
    elif isinstance(change, dict):
        manifest_with(tmp_path, **change)
    else:
        (tmp_path / "manifest.json").write_text(change)
    with pytest.raises(OutputError, match=message) as caught:
        verify(tmp_path)
    assert len(caught.value.faults) == 1


def test_a_hostile_manifest_reads_no_file_outside_the_report(small, tmp_path):
    (tmp_path / "secret").write_text("s")
    outputs = {"../../secret": digest(tmp_path / "secret"), "a\x1b[31m": 1, "report.json": []}
    manifest_with(small, outputs=outputs, verified_through={"x": ["y"]}, inputs=[1, {"name": []}], config={})
    verdict = verify(small)
    assert kinds(verdict)["../../secret"] == "missing"
    assert verdict.status == 1
    assert "\x1b" not in verdict.text()


def test_the_command_exits_with_what_it_found(small, tmp_path, monkeypatch, capsys):
    def exits(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["reporting", "verify", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return int(str(ended.value.code))

    assert exits(tmp_path) == 2
    assert "error: " in capsys.readouterr().err
    (small.parent / "trials.csv").unlink()
    assert exits(small, "-q") == 2
    (small / "more").write_text("")
    assert exits(small, "-v") == 1
    said = capsys.readouterr().out
    assert "extra   more\n" in said
    assert "same    report.json\n" in said
