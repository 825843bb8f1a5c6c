"""Programs in R, which a test compares with; it is skipped where R or the package that it needs is missing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping

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


def from_survey(columns: Mapping[str, Iterable[object]], design: str, expression: str) -> list[float]:
    """Return the estimate and standard error of an expression about ``s``, a design of R's survey."""
    data = ",".join(f"{name}=c({','.join(map(str, values))})" for name, values in columns.items())
    program = (
        "suppressMessages(library(survey));"
        f"d <- data.frame({data}); s <- svydesign({design}, data=d);"
        f"e <- {expression}; cat(sprintf('%.15g', c(as.numeric(coef(e)), as.numeric(SE(e)))))"
    )
    return [float(text) for text in printed_by_r(program, "survey").split()]
