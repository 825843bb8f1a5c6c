"""Statistical reports on binary decisions, from a table of trials.

Conventions, everywhere: a trial is accepted when ``score >= threshold``; higher scores favour the
target; FAR and FRR are errors; thresholds run from -inf (accept all) to +inf (reject all, even a score
of +inf). Thresholds are chosen on *dev* and judged on *test* (a priori); a choice on *test* is
called a posteriori. Ties are grouped before anything is counted, counts are integers, and nothing
depends on the order of rows. An undefined number is null with a status, never 0 or NaN.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.2.0"

_HOMES = {
    "trial_table": "reporting.app.api.tables",
    "to_pandas": "reporting.app.api.tables",
    "read_trials": "reporting.app.api.answers",
    "cuts": "reporting.app.api.answers",
    "roc": "reporting.app.api.answers",
    "epc": "reporting.app.api.answers",
    "metrics": "reporting.app.api.answers",
    "compare": "reporting.app.api.answers",
    "fit": "reporting.app.api.answers",
    "plan": "reporting.app.api.planned",
    "plot": "reporting.app.api.pictures",
    "make_report": "reporting.app.api.reports",
    "from_predictions": "reporting.app.api.estimators",
    "from_estimators": "reporting.app.api.estimators",
    "from_cross_validate": "reporting.app.api.estimators",
    "check_report": "reporting.app.run.check",
    "load_thresholds": "reporting.features.handover.handed",
    "read_plan": "reporting.app.config.read",
    "compose": "reporting.features.compose",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reporting' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
