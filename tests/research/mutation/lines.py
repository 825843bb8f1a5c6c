"""A plugin of pytest: which lines of which modules each test runs, and how long it takes.

    python -m pytest -p lines --lines FILE ...

A test that failed or was skipped is left out; the cases of one function are taken together. What fixtures run
counts for every test of their file, since most are set up once.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

PACKAGE = str(Path("reporting").resolve()) + "/"


class Lines:
    """The lines that the running test has reached, those of all tests and of the fixtures of their files."""

    def __init__(self) -> None:
        self.reached: set[tuple[str, int]] = set()
        self.tests: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.fixtures: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self._ours: dict[CodeType, bool] = {}

    def call(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Follow the functions of the package, no others."""
        code = frame.f_code
        ours = self._ours.get(code)
        if ours is None:
            ours = self._ours[code] = code.co_filename.startswith(PACKAGE)
        return self.line if ours else None

    def line(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Remember a line."""
        self.reached.add((frame.f_code.co_filename, frame.f_lineno))
        return self.line

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """Follow the fixtures that a test is the first to want."""
        yield from self._followed(self.fixtures[_file(item.nodeid)])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Follow one test."""
        yield from self._followed(self.tests[_function(item.nodeid)])

    def _followed(self, lines: set[tuple[str, int]]) -> Generator[None, None, None]:
        self.reached = lines
        sys.settrace(self.call)
        yield
        sys.settrace(None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the seconds of one phase of a test."""
        self.seconds[_function(report.nodeid)] += report.duration
        if report.outcome != "passed":
            self.failed.add(_function(report.nodeid))

    def kept(self) -> dict[str, Any]:
        """Return what is written: seconds and lines by test."""
        result = {}
        for test in sorted(set(self.tests) - self.failed):
            files: dict[str, list[int]] = defaultdict(list)
            for path, line in sorted(self.tests[test] | self.fixtures[_file(test)]):
                files[path.removeprefix(PACKAGE)].append(line)
            result[test] = {"seconds": round(self.seconds[test], 3), "lines": files}
        return result


def _function(test: str) -> str:
    return test.split("[", 1)[0]


def _file(test: str) -> str:
    return test.split("::", 1)[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the file to write."""
    parser.addoption("--lines", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    """Follow the tests of this run."""
    config.pluginmanager.register(Lines(), "followed lines")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write what was seen."""
    seen = session.config.pluginmanager.get_plugin("followed lines")
    assert isinstance(seen, Lines)
    session.config.getoption("--lines").write_text(json.dumps(seen.kept()))
