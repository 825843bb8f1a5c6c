"""The layout ``asvspoof``: protocols and scores of countermeasures, ASVspoof challenges 2019 and 2021.

A line of a protocol is a trial: ``speaker utterance environment attack bonafide|spoof`` (2019; the
environment is ``-`` for logical access), ``speaker utterance codec transmission attack bonafide|spoof trim
subset`` (2021, logical access), or the 13 fields of 2021's deepfakes: ``speaker utterance codec corpus attack
bonafide|spoof trim subset vocoder`` and four that are not kept. Score files have lines ``utterance score``,
or ``utterance attack bonafide|spoof score``. Bona fide speech is the target. All fields of the protocol
serve clusters and breakdowns by the names above.
"""

from __future__ import annotations

from reporting.trials.layouts.lines import cut
from reporting.trials.layouts.raw import Opened
from reporting.trials.layouts.renamed import renamed
from reporting.trials.spec import Source, TrialSpec

TRIAL = ("utterance",)
PHYSICAL = ("speaker", "utterance", "environment", "attack", "label")
LOGICAL = ("speaker", "utterance", "codec", "transmission", "attack", "label", "trim", "subset")
DEEPFAKE = ("speaker", "utterance", "codec", "corpus", "attack", "label", "trim", "subset", "vocoder")
PROTOCOLS = (PHYSICAL, LOGICAL, (*DEEPFAKE, "", "", "", ""))
SCORES = (("utterance", "score"), ("utterance", "attack", "label", "score"))
WORDS = {"bonafide": "target", "spoof": "nontarget"}


def asvspoof_keys(spec: TrialSpec, source: Source) -> Opened:
    """Open a protocol."""
    return renamed(spec, cut(source, PROTOCOLS), TRIAL, label="label", words=WORDS)


def asvspoof_scores(spec: TrialSpec, source: Source) -> Opened:
    """Open a file of scores, with the label where it has one."""
    lines = cut(source, SCORES)
    label = "label" if "label" in lines.shape else None
    return renamed(spec, lines, TRIAL, label=label, score="score", words=WORDS)
