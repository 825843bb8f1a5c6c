"""The site in its quick form, built once for all workers of a session."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from docs.build import build


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, without the reports of its gallery and with no snippet executed."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "llms.txt").exists():
            build(folder, quick=True)
    return folder
