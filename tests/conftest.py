"""What all tests share: the data beside the checkout, the outside programs, and no silent skip in CI.

With REPORTING_REQUIRE_ALL=1 a test that would skip because something is missing fails instead.
"""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings

ROOT = Path(__file__).resolve().parents[1]
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
REQUIRE_ALL = os.environ.get("REPORTING_REQUIRE_ALL") == "1"

# The same examples each time, however busy the machine is; pytest --hypothesis-profile=long draws new ones.
settings.register_profile(
    "fixed",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "long", deadline=None, max_examples=300, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# Where many are to fail, none is made smaller, which takes minutes each.
settings.register_profile(
    "unshrunk",
    settings.get_profile("fixed"),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    report_multiple_bugs=False,
)
settings.load_profile("fixed")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data and figures beside the checkout."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("shared data are missing: there is no ../shared beside the checkout")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a headless browser."""
    return _program("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """One headless browser for all tests of a session: its driver runs once in a process."""
    driver = pytest.importorskip("playwright.sync_api")
    with driver.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=list(QUIET))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which checks pages, of the version that package-lock.json names."""
    path = ROOT / "tests" / "accessibility" / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip("axe-core is missing: npm ci --ignore-scripts --prefix tests/accessibility")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The config of an example by its name; its report, of few replicates, is in ``report`` beside it.

    It is made once for all workers of a session.
    """
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def config_of(name: str) -> Path:
        from command import reporting

        config = folder / name / "report.yaml"
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not config.with_name("report").exists():
                few = ("--set", "significance.replicates=199")
                for command in (("example", name, config.parent), ("run", "-q", config, *few)):
                    ended = reporting(*command)
                    assert (ended.returncode, ended.stderr) == (0, "")
        return config

    return config_of


@pytest.fixture(scope="session")
def pdflatex() -> str:
    """The path of pdflatex."""
    return _program("pdflatex")


def _program(*names: str) -> str:
    found = next((path for name in names if (path := shutil.which(name))), None)
    return found or pytest.skip(f"{names[0]} is missing")


SLOW = frozenset((ROOT / "tests" / "slow.txt").read_text(encoding="utf-8").split())
"""Tests that took two seconds or more on two busy cores, all cases of one together."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what ``make test`` leaves to .ci/run."""
    if item.nodeid in SLOW or item.nodeid.partition("[")[0] in SLOW:
        item.add_marker("slow")


LONGEST = (
    "house/test_deletable.py", "features/test_extension.py", "hostile/test_injection.py", "house/test_house.py",
    "research/combinations/", "papers/test_programs.py", "packaging/", "app/run/test_main_job.py", "base/execution/",
    "render/test_render_latex.py", "features/test_contradictions.py", "features/curves/test_charts.py",
    "research/studies/",
)  # fmt: skip
"""Files that take long, the longest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that no worker is left alone with one at the end."""
    places = {f"tests/{name}": place for place, name in enumerate(LONGEST)}

    def place_of(item: pytest.Item) -> int:
        return next((place for name, place in places.items() if item.nodeid.startswith(name)), len(places))

    items.sort(key=place_of)


gc.disable()  # while tests are collected: a third of that time


def pytest_collection_finish() -> None:
    """Spare the collector of garbage what all tests have imported: it stays."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test that something is missing for fail where everything is required."""
    return _required((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole module that skips itself."""
    return _required((yield))


def _required(report: Report) -> Report:
    if not (REQUIRE_ALL and report.skipped and isinstance(report.longrepr, tuple)):
        return report
    _, _, reason = report.longrepr
    if any(word in reason for word in MISSING):
        report.outcome = "failed"
        report.longrepr = f"REPORTING_REQUIRE_ALL=1, but: {reason}"
    return report


MISSING = ("missing", "not found", "not installed", "could not import", "No module named")
