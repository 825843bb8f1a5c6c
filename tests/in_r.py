"""Programs in R, which a test compares with; it is skipped where R or the package that it needs is missing."""

from __future__ import annotations

import shutil
import subprocess

import pytest


def printed_by_r(program: str, missing: str = "pROC", given: str | None = None) -> str:
    """Return what a program prints, ``given`` some text; ``missing`` names what it needs."""
    rscript = shutil.which("Rscript")
    ran = rscript and subprocess.run(
        [rscript, "-e", program], input=given, capture_output=True, text=True, check=False
    )
    if not ran or ran.returncode:
        pytest.skip(f"{missing} is missing")
    return ran.stdout
