"""The layouts of trial tables, by the word the config uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.trials.layouts.long import long_rows
from reporting.trials.layouts.raw import Raw
from reporting.trials.spec import TrialSpec

LAYOUTS: Mapping[str, Callable[[TrialSpec], list[Raw]]] = {"long": long_rows}
"""How the sources of each layout become rows in long form."""
