"""The layout ``kaldi``: trials and scores as the recipes of the Kaldi toolbox write them.

Key files, ``trials`` there, have lines ``enroll test target|nontarget``; score files ``enroll test score``.
Columns for clusters and breakdowns: enroll, test.
"""

from __future__ import annotations

from reporting.trials.layouts.lines import cut
from reporting.trials.layouts.raw import Opened
from reporting.trials.layouts.renamed import renamed
from reporting.trials.spec import Source, TrialSpec

TRIAL = ("enroll", "test")


def kaldi_keys(spec: TrialSpec, source: Source) -> Opened:
    """Open a list of trials."""
    return renamed(spec, cut(source, [(*TRIAL, "label")]), TRIAL, label="label")


def kaldi_scores(spec: TrialSpec, source: Source) -> Opened:
    """Open a file of scores."""
    return renamed(spec, cut(source, [(*TRIAL, "score")]), TRIAL, score="score")
