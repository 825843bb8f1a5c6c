"""The documented examples of pROC's ``power.roc.test``, run."""

from __future__ import annotations

import functools
import json

from in_r import printed_by_r

EXAMPLES = """
suppressMessages(library(pROC))
paired <- function(kappa) power.roc.test(
  list(A1 = sqrt(2) * qnorm(0.8), B1 = 1, A2 = sqrt(2) * qnorm(0.75), B2 = 1, rn = 0.6, ra = 0.6, delta = 0.05),
  power = 0.8, sig.level = 0.05, kappa = kappa)$ncases
cat(sprintf('{"power": %.10g, "ncases": %.10g, "paired 1": %.10g, "paired 3": %.10g}',
  power.roc.test(ncases = 41, ncontrols = 72, auc = 0.73)$power,
  power.roc.test(auc = 0.73, sig.level = 0.05, power = 0.95, kappa = 1.7)$ncases, paired(1), paired(3)))
"""


@functools.cache
def proc_examples() -> dict[str, float]:
    """Return what pROC computes; skips the test where it is missing."""
    return {name: float(value) for name, value in json.loads(printed_by_r(EXAMPLES)).items()}
