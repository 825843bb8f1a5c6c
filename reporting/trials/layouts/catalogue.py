"""The layouts of trial tables, by the word the config uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.trials.layouts.counts import count_rows
from reporting.trials.layouts.keyed import Keyed, table_keys, table_scores
from reporting.trials.layouts.raw import Raw
from reporting.trials.layouts.tables import long_rows, wide_rows
from reporting.trials.layouts.text_formats import (
    asvspoof_keys,
    asvspoof_scores,
    bob_rows,
    check_bob,
    kaldi_keys,
    kaldi_scores,
    nist_keys,
    nist_scores,
    voxsrc_keys,
    voxsrc_scores,
)
from reporting.trials.spec import Layout, TrialSpec

KEYED: Mapping[Layout, Keyed] = {
    "keyed": Keyed(table_keys, table_scores),
    "kaldi": Keyed(kaldi_keys, kaldi_scores),
    "nist": Keyed(nist_keys, nist_scores),
    "voxsrc": Keyed(voxsrc_keys, voxsrc_scores),
    "asvspoof": Keyed(asvspoof_keys, asvspoof_scores),
}

LAYOUTS: Mapping[Layout, Callable[[TrialSpec], list[Raw]]] = {
    "long": long_rows,
    "wide": wide_rows,
    "bob": bob_rows,
    "counts": count_rows,
    **{name: keyed.rows for name, keyed in KEYED.items()},
}
"""How the sources of each layout become rows in long form."""

CHECKS: Mapping[Layout, Callable[[TrialSpec], None]] = {
    "bob": check_bob,
    **{name: keyed.check for name, keyed in KEYED.items()},
}
"""Rules of a layout's own, which its rows in long form can no longer show; a pass over the sources."""
