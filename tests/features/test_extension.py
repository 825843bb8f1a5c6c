"""A package of somebody else answers a question: `tests/example_package` is one to start from."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).parents[1] / "example_package"
PAGE = ROOT / "docs" / "pages" / "guide" / "own_question.md"

CONFIG = """\
trials: {source: trials.csv}
primary: {measure: hter, criterion: "fixed(threshold=0.5)"}
criteria: ["fixed(threshold=0.5)"]
measures: [hter, prevalence_threshold]
curves: [predictive_value]
epc: none
thresholds: {policy: none}
significance: {replicates: 199}
report: {sections: [summary, near-threshold, rest]}
"""

# Of 9 targets and 36 non-targets: at 0.5 `wide` accepts 4 and 4, `narrow` 9 and 1.
WIDE = [0.55, 0.7, 0.8, 0.9, 0.45, 0.3, 0.3, 0.2, 0.1], [0.5, 0.5, 0.52, 0.6, *[0.48] * 4, *[0.25] * 28]
NARROW = [0.6, 0.61, 0.62, 0.63, 0.64, 0.65, 0.66, 0.67, 0.68], [0.9, 0.4, 0.39, 0.38, *[0.3] * 32]

Program = Callable[..., subprocess.CompletedProcess[str]]


def program(*arguments: object, site: Path | None, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the real program in a process that sees the packages of a folder."""
    path = os.pathsep.join(str(folder) for folder in (ROOT, site) if folder is not None)
    return subprocess.run(
        [sys.executable, "-m", "reporting", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "96"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip installed the package."""
    folder = tmp_path_factory.mktemp("installed") / "site"
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", *offline)
    subprocess.run([*pip, "--target", str(folder), str(SOURCE)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trials of two models, and a config that asks for all that the package brings."""
    folder = tmp_path_factory.mktemp("asked")
    rows = [
        {"trial": f"{label}{at}", "model": model, "split": "test", "label": label, "score": score}
        for model, sides in (("wide", WIDE), ("narrow", NARROW))
        for label, scores in zip((1, 0), sides, strict=True)
        for at, score in enumerate(scores)
    ]
    pl.DataFrame(rows).write_csv(folder / "trials.csv")
    (folder / "near.yaml").write_text(CONFIG)
    return folder


@pytest.fixture(scope="module")
def report(site: Path, folder: Path) -> Path:
    """The report of the config, with the package installed."""
    ended = program("run", "-q", "near.yaml", site=site, cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    return folder / "near-report"


@pytest.fixture
def near_threshold(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The package, imported here; only the installed one is known to the program."""
    monkeypatch.syspath_prepend(str(SOURCE))
    import near_threshold

    yield near_threshold
    for name in [name for name in sys.modules if name.partition(".")[0] == "near_threshold"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        ((5, 4, 9, 36), Fraction(1, 3)),  # TPR 4/9, FPR 1/9: (1/3) / (2/3 + 1/3)
        ((0, 1, 9, 36), Fraction(1, 7)),  # TPR 1, FPR 1/36: (1/6) / (1 + 1/6)
        ((0, 9, 9, 36), Fraction(1, 3)),
        ((0, 36, 9, 36), Fraction(1, 2)),  # accepts all
        ((3, 0, 9, 36), Fraction(0)),
        ((9, 7, 9, 36), Fraction(1)),  # accepts non-targets alone
    ],
)
def test_the_measure_is_its_fraction(
    near_threshold: ModuleType, counts: tuple[int, ...], value: Fraction
) -> None:
    assert near_threshold.prevalence_threshold(*counts) == pytest.approx(float(value), abs=1e-15)


@pytest.mark.parametrize("counts", [(9, 0, 9, 36), (0, 0, 0, 36), (0, 1, 9, 0)])
def test_the_measure_is_undefined(near_threshold: ModuleType, counts: tuple[int, ...]) -> None:
    assert np.isnan(near_threshold.prevalence_threshold(*counts))


def test_measures_lists_and_describes_it(site: Path, tmp_path: Path) -> None:
    listed = program("measures", site=site, cwd=tmp_path)
    assert re.search("prevalence_threshold +prevalence threshold; lower is better", listed.stdout)
    described = program("measures", "Screening Threshold", site=site, cwd=tmp_path)
    assert described.stdout.startswith("prevalence_threshold: prevalence threshold\n")
    assert "Balayla 2020" in described.stdout
    assert (listed.returncode, described.returncode) == (0, 0)


def test_check_accepts_the_config(site: Path, folder: Path) -> None:
    ended = program("check", "near.yaml", site=site, cwd=folder)
    assert (ended.returncode, ended.stdout) == (
        0,
        "90 rows, 2 models (narrow, wide): test 45 trials (9 targets)\n",
    )


def test_metrics_have_the_measure_with_an_interval(report: Path) -> None:
    rows = pl.read_parquet(report / "frames" / "metrics.parquet").filter(measure="prevalence_threshold")
    values = {row["model"]: row for row in rows.iter_rows(named=True)}
    assert values["wide"]["value"] == pytest.approx(1 / 3)
    assert values["narrow"]["value"] == pytest.approx(1 / 7)
    for row in values.values():
        assert 0 <= row["ci_low"] < row["value"] < row["ci_high"] <= 1
        assert row["ci_method"] == "percentile"


def test_the_frame_counts_the_nearest_twentieth(report: Path) -> None:
    # 5% of 45 trials are 2.25. Of `wide` 0.5, 0.5 and 0.52 are accepted nearest; 0.48 counts four times.
    frame = pl.read_parquet(report / "frames" / "near_threshold.parquet")
    columns = ["model", "threshold", *(name for name in frame.columns if name.endswith("targets"))]
    assert frame.select(columns).rows() == [("narrow", 0.5, 3, 0, 0, 3), ("wide", 0.5, 0, 3, 0, 4)]


def test_every_format_has_the_table(report: Path) -> None:
    page = (report / "report.html").read_text()
    assert '<section id="near-threshold"' in page
    assert "Trials near the threshold" in page
    blocks = list(_objects(json.loads((report / "report.json").read_text())))
    [table] = [each for each in blocks if each.get("name") == "near_threshold" and "rows" in each]
    assert [[cell["text"] for cell in row] for row in table["rows"]] == [
        ["narrow", "0.500", "3", "0", "0", "3"],
        ["wide", "0.500", "0", "3", "0", "4"],
    ]
    tex = (report / "tables" / "near_threshold.tex").read_text()
    assert r"narrow & 0.500 & 3 & 0 & 0 & 3 \\" in tex
    assert "tables/near_threshold" in (report / "report.tex").read_text()


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(each)


def test_the_report_has_the_picture(report: Path) -> None:
    svg = (report / "figures" / "predictive_value.svg").read_text()
    assert "Prevalence (%)" in svg
    assert "Prevalence threshold: narrow 14.3% and wide 33.3%." in (report / "report.html").read_text()


def test_the_report_has_the_caution(report: Path) -> None:
    assert "The share of targets in the test set, 20.0%" in _words((report / "report.html").read_text())


def test_the_caution_has_a_page_and_can_be_ignored(site: Path, folder: Path, tmp_path: Path) -> None:
    page = program("explain", "nt301", site=site, cwd=folder)
    assert page.returncode == 0
    assert page.stdout.startswith("NT301: Rare targets\n  kind: caution rare_targets\n")
    config = (folder / "near.yaml").read_text() + "ignore: {NT301: screening is done at other shares}\n"
    (folder / "ignoring.yaml").write_text(config)
    ended = program("run", "-q", "ignoring.yaml", site=site, cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    printed = _words((folder / "ignoring-report" / "report.html").read_text())
    assert "NT301" in printed.partition("gnored")[2]


def test_a_word_that_nothing_fills_is_refused_with_its_line(site: Path, folder: Path, tmp_path: Path) -> None:
    changed = tmp_path / "site"
    shutil.copytree(site, changed)
    words = next(changed.rglob("near_threshold/words.yaml"))
    words.write_text(words.read_text().replace("{test_share}", "{test_shere}"))
    ended = program("explain", "NT301", site=changed, cwd=folder)
    assert ended.returncode == 2
    assert f"{words}:6: nothing fills '{{test_shere}}'; did you mean 'test_share'?" in ended.stderr


def _words(page: str) -> str:
    """Return the words of a page without its markup."""
    return " ".join(re.sub(r"<[^>]*>", "", page).split())


def test_the_manifest_and_the_page_name_the_package(report: Path) -> None:
    assert json.loads((report / "manifest.json").read_text())["libraries"]["near-threshold"] == "1.0"
    assert "near-threshold 1.0" in _words((report / "report.html").read_text())


def test_the_report_is_verified_only_with_the_package(site: Path, report: Path) -> None:
    verified = program("verify", report, site=site, cwd=report.parent)
    assert verified.returncode == 0, verified.stdout
    without = program("verify", report, site=None, cwd=report.parent)
    assert without.returncode == 2
    assert "version near-threshold: made with 1.0, now not installed" in without.stdout + without.stderr


def test_without_the_package_the_config_is_refused(folder: Path) -> None:
    ended = program("check", "near.yaml", site=None, cwd=folder)
    assert (ended.returncode, ended.stdout) == (2, "")
    faults = ended.stderr.splitlines()
    assert [fault.partition(" (allowed: ")[0] for fault in faults] == [
        "error: measures[1] (near.yaml:4:18): 'prevalence_threshold' is not a measure",
        "error: curves[0] (near.yaml:5:10): 'predictive_value' is not allowed",
        "error: report.sections[1] (near.yaml:9:30): 'near-threshold' is not a section",
    ]


@pytest.mark.parametrize(
    ("override", "guess"),
    [
        ("measures=[prevalence_treshold]", "did you mean 'prevalence_threshold'?"),
        ("report.sections=[near_treshold]", "did you mean 'near-threshold'?"),
        ("curves=[predictive_values]", "predictive_value"),
    ],
)
def test_a_slip_is_answered_with_the_name_of_the_package(
    site: Path, folder: Path, override: str, guess: str
) -> None:
    ended = program("check", "near.yaml", "--set", override, site=site, cwd=folder)
    assert ended.returncode == 2
    assert guess in ended.stderr


def package(folder: Path, name: str, source: str) -> Path:
    """Put a module as an installed package with an entry point into a folder, and return the folder."""
    about = folder / "site" / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[trial_reporting.features]\n{name} = {name}:FEATURE\n")
    (folder / "site" / f"{name}.py").write_text(source)
    return folder / "site"


FROM = "from reporting.document.feature import Feature\n"
BROKEN = {
    "import nowhere_to_be_found": "No module named 'nowhere_to_be_found'",
    "1 / 0": "division by zero",
    "FEATURES = ()": "module 'broken' has no attribute 'FEATURE'",
    "FEATURE = print": "broken:FEATURE is not a Feature",
    f"{FROM}import reporting.features.sections": (
        "partially initialized module 'broken' has no attribute 'FEATURE' (most likely due to a circular"
        " import)"
    ),
}


@pytest.mark.parametrize("source", BROKEN)
def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path, folder: Path, source: str) -> None:
    site = package(tmp_path, "broken", source)
    for command in (("measures",), ("check", folder / "near.yaml")):
        ended = program(*command, site=site, cwd=tmp_path)
        assert (ended.returncode, ended.stdout, ended.stderr) == (
            2,
            "",
            f"error: the feature 'broken' of the package broken cannot be loaded: {BROKEN[source]}; update or"
            " uninstall broken [TR506]\n",
        )


@pytest.mark.parametrize(
    "command", [("--help",), ("--version",), ("run", "--help"), ("explain", "TR205"), ("example",)]
)
def test_what_needs_no_feature_works_with_a_package_that_cannot_be_loaded(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    site = package(tmp_path, "broken", next(iter(BROKEN)))
    ended = program(*command, site=site, cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")


LATER = {
    "frames=('broken.no_frame',)": "broken.no_frame:RECIPES cannot be loaded: No module named 'broken.no_frame'; 'broken' is not a package",
    "cautions=('broken:nothing',)": "broken:nothing cannot be loaded: module 'broken' has no attribute 'nothing'",
}


@pytest.mark.parametrize("fields", LATER)
def test_what_a_package_lacks_is_named_where_it_is_needed(tmp_path: Path, folder: Path, fields: str) -> None:
    site = package(tmp_path, "broken", f"{FROM}FEATURE = Feature(key='broken', {fields})")
    plain = ("--set", "curves=[]", "--set", "measures=[hter]", "--set", "report.sections=[summary]")
    out = ("--set", "significance.replicates=99", "--out", tmp_path / "out")
    ended = program("run", "-q", folder / "near.yaml", *plain, *out, site=site, cwd=tmp_path)
    assert ended.returncode == 2
    assert f"error: {LATER[fields]}; update or uninstall the package that brings it" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "out").exists()


MEASURE = "measures=(replace(HTER, key={!r}, label='mine'),)"
TAKEN = {
    MEASURE.format("hter"): "measures have the name 'hter'",
    MEASURE.format("h_ter"): "measures have the name 'h_ter'",
    MEASURE.format("sensitivity"): "measures have the name 'sensitivity'",
    "curves=(Curve(key='det', frame='roc', drawn_in='taken'),)": "curves have the name 'det'",
    "sections=(SectionSpec(key='costs', title='Mine', writer='taken:mine'),)": "sections have the name 'costs'",
    "sections=()": "features have the name 'agreement'",
}


@pytest.mark.parametrize("fields", TAKEN)
def test_a_name_that_exists_already_is_refused(tmp_path: Path, folder: Path, fields: str) -> None:
    key = "agreement" if fields == "sections=()" else "taken"
    source = (
        f"{FROM}from dataclasses import replace\n"
        "from reporting.core.engine.curves import Curve\n"
        "from reporting.core.measures.threshold import HTER\n"
        "from reporting.document.sections import SectionSpec\n"
        f"FEATURE = Feature(key={key!r}, {fields})\n"
    )
    ended = program("check", folder / "near.yaml", site=package(tmp_path, "taken", source), cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        2,
        "",
        f"error: two {TAKEN[fields]}; rename the one of the package that adds it (taken 1.0), or uninstall it"
        " [TR506]\n",
    )


def test_a_frame_of_a_name_that_exists_is_refused_also_where_no_key_asks_for_ours(
    tmp_path: Path, folder: Path
) -> None:
    site = package(tmp_path, "taken", f"{FROM}FEATURE = Feature(key='taken', frames=('taken_frame',))\n")
    (site / "taken_frame.py").write_text("from reporting.features.abstention.frame import RECIPES\n")
    plain = ("--set", "curves=[]", "--set", "measures=[hter]", "--set", "report.sections=[summary]")
    ended = program(
        "run", "-q", folder / "near.yaml", *plain, "--out", tmp_path / "out", site=site, cwd=tmp_path
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "error: two frames have the name 'abstention'; rename the one of the package" in ended.stderr
    assert not (tmp_path / "out").exists()


def test_the_guide_shows_the_code_of_the_package_and_what_it_prints(site: Path, tmp_path: Path) -> None:
    shown = re.findall(
        r"^```\{code-block\} \w+\n:caption: near_threshold/(\S+)\n(.*?)^```", PAGE.read_text(), re.M | re.S
    )
    assert len(shown) >= 4
    for name, excerpt in shown:
        source = (SOURCE / name.replace("\\", "")).read_text()
        for part in excerpt.split("...\n"):
            assert part.strip("\n") in source, f"{name}: {part}"
    [(command, printed)] = re.findall(
        r"^```sh\n\$ reporting (measures .*)\n(.*?)^```", PAGE.read_text(), re.M | re.S
    )
    assert program(*command.split(), site=site, cwd=tmp_path).stdout.startswith(printed.removesuffix("...\n"))
