"""What a command imports: it pays for what it uses."""

import subprocess
import sys

import pytest

TABLES, FORMULAS, SETTINGS = {"polars"}, {"numpy"}, {"pydantic"}
DRAWS = {"vl_convert", "jinja2", "pylatexenc", "reporting.features.compose", "reporting.document.charts"}
HEAVY = {
    *TABLES, *FORMULAS, *SETTINGS, *DRAWS, "scipy", "altair", "dask", "distributed", "obstore", "pandas", "patsy",
    "docx", "lxml", "xlsxwriter", "psycopg", "reporting.document.frames", "reporting.features.history.store", "rich",
    "scipy.optimize", "scipy.stats", "statsmodels", "typst",
}  # fmt: skip
PROGRAM = f"""
import sys
from reporting.app.cli import main
try:
    main()
except SystemExit as end:
    print(end.code or 0, *sorted({sorted(HEAVY)} & sys.modules.keys()), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A config and its trials."""
    folder = tmp_path_factory.mktemp("imports")
    lines = [
        f"{m},{s},{i},{i % 2},{(i * 7919 % 23) / 10 + i % 2}"
        for m in ("a", "b") for s in ("dev", "test") for i in range(40)
    ]  # fmt: skip
    (folder / "trials.csv").write_text("\n".join(["model,split,trial,label,score", *lines]) + "\n")
    (folder / "report.yaml").write_text("trials: {source: trials.csv}\nsignificance: {replicates: 39}\n")
    return folder


def imported(folder, *arguments):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    status, *modules = done.stderr.splitlines()[-1].split()
    assert status == "0", done.stderr
    return set(modules)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["init", "--help"], ["--version"]])
def test_help_needs_nothing(folder, arguments):
    assert imported(folder, *arguments) <= SETTINGS


def test_the_catalogue_of_measures_needs_formulas_alone(folder):
    assert imported(folder, "measures") - SETTINGS == FORMULAS
    assert imported(folder, "measures", "auc") - SETTINGS == FORMULAS


@pytest.mark.parametrize(
    "arguments", [["check", "-q", "report.yaml"], ["init", "trials.csv", "-o", "new.yaml", "--force"]]
)
def test_what_only_looks_at_trials_neither_solves_nor_draws(folder, arguments):
    assert imported(folder, *arguments) == FORMULAS | SETTINGS | TABLES


def test_a_report_needs_no_library_that_its_formats_and_numbers_do_not(folder):
    heavy = imported(folder, "run", "-q", "report.yaml")
    assert heavy >= FORMULAS | SETTINGS | TABLES | DRAWS
    assert not heavy & {
        "altair",
        "dask",
        "distributed",
        "pandas",
        "patsy",
        "scipy.optimize",
        "scipy.stats",
        "statsmodels",
    }
