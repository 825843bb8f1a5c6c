"""One table of terms: what each field calls the same things. Sentences are built from it.

A sentence takes a term where it is written; a finished text is never searched for words, so that a name
of the user's stays as it is, whatever it is made of.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from reporting.base.legible import counted
from reporting.base.records import dataclass, replace
from reporting.base.word_files import read_words
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.document.words.parameters import criterion_text, measure_text, rule_text
from reporting.errors import UnknownNameError, did_you_mean, instead, listed, quoted

Counts = Literal["trial", "target", "nontarget"]
"""What is counted in the words of a field."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The words of one field, as ``vocabularies.yaml`` has them."""

    far: str
    far_name: str
    roc_far: str
    """The same along the axis of a ROC."""
    frr: str
    frr_name: str
    hter: str
    hter_name: str
    false_acceptance: str
    false_rejection: str
    hit_rate: str
    tpr: str
    hits: str
    false_alarm: str
    false_alarms: str
    miss: str
    misses: str
    trial: str
    """One thing that every model judges."""
    trials: str
    trial_is: str
    """What one is, in the glossary."""
    threshold_is: str
    """What a threshold is, in the glossary."""
    to_accept: str
    """Which trials targets are, in the glossary."""
    to_reject: str
    """Which trials non-targets are, in the glossary."""
    were_accepted: str
    """Of trials, that their score reaches the threshold."""
    were_rejected: str
    """Of trials, that their score is below the threshold."""
    shared_source: str
    """What may contribute several of them, which then depend on one another."""
    target: str
    targets: str
    a_target: str
    target_score: str
    target_scores: str
    nontarget: str
    nontargets: str
    a_nontarget: str
    nontarget_score: str
    nontarget_scores: str
    share: str
    nontarget_share: str
    counts_correct: bool = False
    """Whether the field reports specificity and sensitivity, and not the rates of errors."""
    accepted: str
    """What becomes of a trial whose score reaches the threshold."""
    threshold: str
    thresholds: str
    precision: str
    precision_name: str
    recall: str
    prior: str
    a_priori: str
    """What a threshold is that was chosen before test was seen, and a value at it."""
    a_posteriori: str
    """What it is where it was chosen on test."""
    hindsight: str
    """What follows in parentheses wherever a threshold was chosen on test."""
    sensitivity_at: str = ""
    """What sensitivity at a specificity is called where a field names both by acceptance."""
    weighted: bool = False
    """Whether rates are those of weighted trials."""

    @cached_property
    def _mine(self) -> Mapping[str, str]:
        """My word by that of detection, and a few phrases that only look like terms."""
        return {getattr(DETECTION, name): getattr(self, name) for name in TERMS if name not in _OWN_PLACE}

    def say(self, text: str) -> str:
        """Word a constant text of the program's own, which is written in the words of detection.

        It takes templates before anything is filled in, never a text that holds a name of the user's.
        """
        return _KNOWN.sub(lambda match: self._mine.get(match[0], match[0]), text)

    def counted(self, kind: Counts, n: int) -> str:
        """Return a number of trials, or of those of a class: ``1 target``, ``1,200 targets``."""
        return counted(n, getattr(self, kind), getattr(self, f"{kind}s"))

    def fill(self, text: str, **facts: object) -> str:
        """Return a text with its slots filled: by facts, and by terms, as ``{trials}`` or ``{Trials}``."""
        return text.format_map({**vars(self), **self._capitalised, **facts})

    @cached_property
    def _capitalised(self) -> Mapping[str, str]:
        return {name: capitalised(getattr(self, name.lower())) for name in CAPITALISED}

    def title(self, name: str) -> str:
        """Return the title of an axis; a Greek letter stays small, because its upper case is another."""
        return capitalised(self.legend(name))

    def legend(self, name: str) -> str:
        """Return the words next to a line, or of an entry of a legend; UnknownNameError for others."""
        if name not in TITLES:
            own = name.capitalize()
            term = f"; the term is fill('{{{own}}}')" if own in CAPITALISED else ""
            raise UnknownNameError(f"{quoted(name)} is not a title{term}{instead(name, TITLES)}")
        return TITLES[name].format_map(vars(self))

    def measure(self, measure: Measure) -> str:
        """Return the printed name of a measure: ``precision at 10% prevalence``."""
        if measure.key == "sensitivity_at" and self.sensitivity_at:
            far = 100 * (1 - float(str(measure.arguments["specificity"])))
            # Its FAR is not to be worded again.
            return measure_text(replace(measure, label=self.sensitivity_at.format(far=f"{far:.4g}%")), str)
        return measure_text(measure, self.say)

    def name(self, measure: Measure) -> str:
        """Return the full name of a measure."""
        return self.precision_name if measure.key == "precision" else self.say(measure.name)

    def spelled(self, measure: Measure) -> str:
        """Return the full name of a measure with its short one: ``weighted false acceptance rate (FAR)``."""
        name, short = self.name(measure), self.measure(measure)
        return f"{'weighted ' * self.weighted}{name}{'' if short in name else f' ({short})'}"

    def criterion(self, criterion: Criterion) -> str:
        """Return the printed name of a criterion: ``minimum HTER``, ``FAR of at most 1%``."""
        return criterion_text(criterion, self.say)

    def rule(self, criterion: Criterion) -> str:
        """Return the rule of a criterion, to follow ``thresholds``: ``minimising HTER``."""
        return rule_text(criterion, self.say)


def with_article(word: str) -> str:
    """Return a term behind its article: ``an item``."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def capitalised(words: str) -> str:
    """Return words with an upper-case first letter, but for a symbol such as minDCF or a Greek letter."""
    first = words.split(" ")[0]
    is_symbol = not first[:1].isascii() or any(letter.isupper() for letter in first[1:])
    return words if is_symbol else f"{words[:1].upper()}{words[1:]}"


_OWN_PLACE = (
    *("accepted", "counts_correct", "sensitivity_at"),
    *("roc_far", "precision_name", "trial_is", "threshold_is", "shared_source"),
    *("to_accept", "to_reject", "were_accepted", "were_rejected"),
    *("a_priori", "a_posteriori", "hindsight"),
)
"""Terms that texts name, and never hold."""

_NO_TERMS = (
    "nearest to a target",
    "threshold probability",
    "average precision",
    "precision gain",
    "recall gain",
    "recall gains",
    "precision-recall-gain",
    "precision-recall",
)
"""Phrases that hold the letters of a term, but not the term."""


TERMS = tuple(field.name for field in dataclasses.fields(Terms) if field.name != "weighted")
CAPITALISED = tuple(name.capitalize() for name in TERMS if name not in ("counts_correct", "sensitivity_at"))
SLOTS = (*TERMS, *CAPITALISED)
"""What terms fill in a text."""


def read_vocabularies(file: Path) -> tuple[Mapping[str, Terms], Mapping[str, str]]:
    """Return the terms of each vocabulary, and titles in them; WordsError with the line at fault.

    What a vocabulary does not name is as in the shared terms that it is ``like``, or else as in detection.
    """
    whole = read_words(file).only(("shared", "vocabularies", "titles"), "part of a file of vocabularies")
    shared, every = whole["shared"].below(), whole["vocabularies"].below()
    usual = every["detection"].below()
    if lacking := [name for name in TERMS if name not in {*usual, "counts_correct"}]:
        raise every["detection"].fault(f"detection lacks {listed(lacking)}")
    named = {}
    for vocabulary, entry in every.items():
        own = dict(entry.only((*TERMS, "like"), "term"))
        like = own.pop("like", None)
        if like is not None and like.text() not in shared:
            raise like.fault(f"{quoted(like.text())} are no shared terms{did_you_mean(like.text(), shared)}")
        alike = shared[like.text()].only(TERMS, "term") if like else {}
        values: Mapping[str, Any] = {
            name: term.switch() if name == "counts_correct" else term.text()
            for name, term in {**usual, **alike, **own}.items()
        }
        named[vocabulary] = Terms(**values)
    return named, {name: entry.template(SLOTS) for name, entry in whole["titles"].below().items()}


VOCABULARIES, TITLES = read_vocabularies(Path(__file__).with_name("vocabularies.yaml"))
"""The terms by the word of ``report.vocabulary``, and titles by name.

The title of an axis begins with an upper-case letter, that of a guide or a legend does not.
"""
DETECTION = VOCABULARIES["detection"]

_KNOWN = re.compile(
    "|".join(
        rf"(?<![\w={{-]){re.escape(word)}(?![\w-])"
        for word in sorted({*_NO_TERMS, *DETECTION._mine}, key=len, reverse=True)
    )
)


@cache
def terms(vocabulary: str, *, weighted: bool = False) -> Terms:
    """Return the terms of a vocabulary, and whether rates are weighted."""
    return replace(VOCABULARIES[vocabulary], weighted=weighted) if weighted else VOCABULARIES[vocabulary]
