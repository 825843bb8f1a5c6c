"""The layouts of trial tables, by the word the config uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.inputs.layouts.counts import count_rows
from reporting.inputs.layouts.evals import inspect_rows, lm_eval_rows
from reporting.inputs.layouts.keyed import Keyed, table_keys, table_scores
from reporting.inputs.layouts.raw import LayoutRows
from reporting.inputs.layouts.resolved import resolved_rows
from reporting.inputs.layouts.tables import long_rows, wide_rows
from reporting.inputs.layouts.text_formats import (
    asvspoof_keys,
    asvspoof_scores,
    bob_rows,
    kaldi_keys,
    kaldi_scores,
    nist_keys,
    nist_scores,
    voxsrc_keys,
    voxsrc_scores,
)
from reporting.inputs.spec import Layout, TrialSpec

LAYOUTS: Mapping[Layout, Callable[[TrialSpec], LayoutRows]] = {
    "long": long_rows,
    "wide": wide_rows,
    "keyed": Keyed(table_keys, table_scores).rows,
    "bob": bob_rows,
    "kaldi": Keyed(kaldi_keys, kaldi_scores).rows,
    "nist": Keyed(nist_keys, nist_scores).rows,
    "voxsrc": Keyed(voxsrc_keys, voxsrc_scores).rows,
    "asvspoof": Keyed(asvspoof_keys, asvspoof_scores).rows,
    "lm_eval": lm_eval_rows,
    "inspect": inspect_rows,
    "resolved": resolved_rows,
    "counts": count_rows,
}
"""How the sources of each layout are opened and become rows in long form."""
