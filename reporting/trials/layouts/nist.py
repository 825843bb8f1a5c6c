"""The layout ``nist``: keys and scores of the NIST speaker recognition evaluations since 2016.

Both are separated by tabs and have a header. Key files hold modelid, segmentid (segment in 2016), side,
targettype (target or nontarget), and further columns such as gender, all of which serve clusters and
breakdowns; score files hold modelid, segmentid, side and LLR.
"""

from __future__ import annotations

from dataclasses import replace

from reporting.errors import DataError, did_you_mean, listed
from reporting.trials.layouts.lines import Lines, cut_at_tabs
from reporting.trials.layouts.raw import Opened, told
from reporting.trials.layouts.renamed import renamed
from reporting.trials.spec import Source, TrialSpec

TRIAL = ("modelid", "segmentid", "side")
OTHERWISE = {"segment": "segmentid"}
"""Names of other years."""


def nist_keys(spec: TrialSpec, source: Source) -> Opened:
    """Open a key file."""
    return renamed(spec, _table(source, (*TRIAL, "targettype")), TRIAL, label="targettype")


def nist_scores(spec: TrialSpec, source: Source) -> Opened:
    """Open a file of scores."""
    return renamed(spec, _table(source, (*TRIAL, "LLR")), TRIAL, score="LLR")


def _table(source: Source, needed: tuple[str, ...]) -> Lines:
    lines = cut_at_tabs(source)
    if "segmentid" not in lines.shape:
        lines = replace(lines, shape=tuple(OTHERWISE.get(name, name) for name in lines.shape))
    faults = [
        f"{told(source)}: column {name!r} is missing{did_you_mean(name, lines.shape)}"
        f" (found: {listed(lines.shape)}; expected is a header, and tabs between columns)"
        for name in needed
        if name not in lines.shape
    ]
    if faults:
        raise DataError(*faults)
    return lines
