"""The layouts of trial tables, by the word the config uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.inputs.layouts.classes import class_rows, histogram_rows
from reporting.inputs.layouts.counts import count_rows
from reporting.inputs.layouts.evals import eval_rows
from reporting.inputs.layouts.keyed import Keyed, table_keys, table_scores
from reporting.inputs.layouts.raw import LayoutRows
from reporting.inputs.layouts.resolved import resolved_rows
from reporting.inputs.layouts.tables import long_rows, wide_rows
from reporting.inputs.layouts.text_formats import TEXT_LAYOUTS, bob_rows
from reporting.inputs.spec import METRICS, Layout, TrialSpec

LAYOUTS: Mapping[Layout, Callable[[TrialSpec], LayoutRows]] = {
    "long": long_rows,
    "wide": wide_rows,
    "keyed": Keyed(table_keys, table_scores).rows,
    "classes": class_rows,
    "histogram": histogram_rows,
    "bob": bob_rows,
    **{word: layout.rows for word, layout in TEXT_LAYOUTS.items()},
    **dict.fromkeys(METRICS, eval_rows),
    "resolved": resolved_rows,
    "counts": count_rows,
}
"""How the sources of each layout are opened and become rows in long form."""
