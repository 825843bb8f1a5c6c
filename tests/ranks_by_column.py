"""Trials with columns that part them, and the keys of a report on their members."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.core.counts.ranks import Attribute, Ranks

BOTH = "far", "frr", "hter", "accuracy", "precision", "'dcf(p_target=0.1)'"


RATES = {"far", "frr", "hter", "accuracy", "precision", "dcf(p_target=0.1)"}


FIXED = f"primary: {{measure: far, criterion: 'fixed(threshold=0)'}}\ncriteria: ['fixed(threshold=0)']\nmeasures: [{', '.join(BOTH)}]\n"


ACROSS = f"across: {{columns: group, measures: [{', '.join(BOTH)}]}}\n"


PLAIN = "epc=none", "thresholds.policy=none", "curves=[]", "significance.replicates=99"


def ranks_of(label: Any, **columns: Any) -> Ranks:
    """Return trials with these labels and columns."""
    attributes = {}
    for name, each in columns.items():
        values = tuple(sorted(set(each)))
        attributes[name] = Attribute(values, np.array([values.index(v) for v in each], dtype=np.uint32))
    return Ranks(np.array(label, dtype=bool), None, {}, paired=True, attributes=attributes)
