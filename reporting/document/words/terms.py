"""One table of terms: what each field calls the same things. Sentences are built from it.

A sentence takes a term where it is written; a finished text is never searched for words, so that a name
of the user's stays as it is, whatever it is made of.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.document.words.parameters import criterion_text, measure_text, rule_text


@dataclass(frozen=True)
class Terms:
    """The words of one field; the defaults are those of detection."""

    far: str = "FAR"
    far_name: str = "false acceptance rate"
    roc_far: str = "false acceptance rate"
    """The same along the axis of a ROC."""
    frr: str = "FRR"
    frr_name: str = "false rejection rate"
    hter: str = "HTER"
    hter_name: str = "half total error rate"
    false_acceptance: str = "false acceptance"
    false_rejection: str = "false rejection"
    hit_rate: str = "hit rate"
    tpr: str = "TPR"
    hits: str = "hits"
    false_alarm: str = "false alarm"
    false_alarms: str = "false alarms"
    miss: str = "miss"
    misses: str = "misses"
    trial: str = "trial"
    """One thing that every model judges."""
    trials: str = "trials"
    trial_is: str = "one thing judged once by every model"
    """What one is, in the glossary."""
    threshold_is: str = "the score at which acceptance begins"
    """What a threshold is, in the glossary."""
    to_accept: str = "that should be accepted"
    """Which trials targets are, in the glossary."""
    to_reject: str = "that should be rejected"
    """Which trials non-targets are, in the glossary."""
    were_accepted: str = "that are accepted"
    """Of trials, that their score reaches the threshold."""
    were_rejected: str = "that are rejected"
    """Of trials, that their score is below the threshold."""
    shared_source: str = "a person or session"
    """What may contribute several of them, which then depend on one another."""
    target: str = "target"
    targets: str = "targets"
    a_target: str = "a target"
    target_score: str = "target score"
    target_scores: str = "target scores"
    nontarget: str = "non-target"
    nontargets: str = "non-targets"
    a_nontarget: str = "a non-target"
    nontarget_score: str = "non-target score"
    nontarget_scores: str = "non-target scores"
    share: str = "share of targets"
    nontarget_share: str = "share of non-targets"
    counts_correct: bool = False
    """Whether the field reports specificity and sensitivity, and not the rates of errors."""
    accepted: str = "accepted"
    """What becomes of a trial whose score reaches the threshold."""
    threshold: str = "threshold"
    thresholds: str = "thresholds"
    precision: str = "precision"
    precision_name: str = "precision"
    recall: str = "recall"
    prior: str = "prior"
    a_priori: str = "set on development"
    """What a threshold is that was chosen before test was seen, and a value at it."""
    a_posteriori: str = "tuned on test"
    """What it is where it was chosen on test."""
    hindsight: str = "optimistic"
    """What follows in parentheses wherever a threshold was chosen on test."""
    weighted: bool = False
    """Whether rates are those of weighted trials."""

    @cached_property
    def _mine(self) -> Mapping[str, str]:
        """My word by that of detection, and a few phrases that only look like terms."""
        usual = Terms()
        return {
            getattr(usual, field.name): getattr(self, field.name)
            for field in dataclasses.fields(Terms)
            if field.name not in _OWN_PLACE
        }

    def say(self, text: str) -> str:
        """Word a constant text of the program's own, which is written in the words of detection.

        It takes templates before anything is filled in, never a text that holds a name of the user's.
        """
        return _KNOWN.sub(lambda match: self._mine.get(match[0], match[0]), text)

    def title(self, name: str) -> str:
        """Return the title of an axis; a Greek letter stays small, because its upper case is another."""
        return capitalised(self.legend(name))

    def legend(self, name: str) -> str:
        """Return the words next to a line, or of an entry of a legend."""
        return TITLES[name].format_map(vars(self))

    def measure(self, measure: Measure) -> str:
        """Return the printed name of a measure: ``precision at 10% prevalence``."""
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
    *("accepted", "counts_correct", "weighted"),
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

_KNOWN = re.compile(
    "|".join(
        rf"(?<![\w={{-]){re.escape(word)}(?![\w-])"
        for word in sorted({*_NO_TERMS, *Terms()._mine}, key=len, reverse=True)
    )
)

DETECTION = Terms()

POSITIVES = Terms(
    far="FPR",
    far_name="false positive rate",
    roc_far="false positive rate",
    frr="FNR",
    frr_name="false negative rate",
    false_acceptance="false positives",
    false_rejection="false negatives",
    hit_rate="true positive rate",
    tpr="TPR",
    hits="true positives",
    false_alarm="false positive",
    false_alarms="false positives",
    miss="false negative",
    misses="false negatives",
)
"""Words of every field that speaks of false positives and false negatives."""
VOCABULARIES: Mapping[str, Terms] = {
    "detection": DETECTION,
    "biometrics": Terms(
        far="FMR",
        far_name="false match rate",
        roc_far="false match rate",
        frr="FNMR",
        frr_name="false non-match rate",
        false_acceptance="false matches",
        false_rejection="false non-matches",
        hit_rate="true match rate",
        tpr="TMR",
        hits="true matches",
        false_alarm="false match",
        false_alarms="false matches",
        miss="false non-match",
        misses="false non-matches",
        trial_is="one comparison of a sample with a reference",
        threshold_is="the score at which acceptance begins: a match",
        target="genuine trial",
        targets="genuine trials",
        a_target="a genuine trial",
        target_score="genuine score",
        target_scores="genuine scores",
        nontarget="impostor trial",
        nontargets="impostor trials",
        a_nontarget="an impostor trial",
        nontarget_score="impostor score",
        nontarget_scores="impostor scores",
        share="share of genuine trials",
        a_priori="a priori",
        a_posteriori="a posteriori",
        hindsight="a posteriori, optimistic",
        nontarget_share="share of impostor trials",
    ),
    "pad": Terms(
        far="APCER",
        far_name="attack presentation classification error rate",
        roc_far="attack presentation classification error rate",
        frr="BPCER",
        frr_name="bona fide presentation classification error rate",
        hter="ACER",
        hter_name="average classification error rate",
        false_acceptance="successful attacks",
        false_rejection="rejected bona fide presentations",
        hit_rate="bona fide acceptance rate",
        tpr="1 − BPCER",
        hits="accepted bona fide presentations",
        false_alarm="successful attack",
        false_alarms="successful attacks",
        miss="rejected bona fide presentation",
        misses="rejected bona fide presentations",
        trial="presentation",
        trials="presentations",
        trial_is="one presentation to the sensor, bona fide or an attack",
        threshold_is="the score at which acceptance begins: classified as bona fide",
        target="bona fide presentation",
        targets="bona fide presentations",
        a_target="a bona fide presentation",
        target_score="bona fide score",
        target_scores="bona fide scores",
        nontarget="attack presentation",
        nontargets="attack presentations",
        a_nontarget="an attack presentation",
        nontarget_score="attack score",
        nontarget_scores="attack scores",
        share="share of bona fide presentations",
        nontarget_share="share of attack presentations",
    ),
    "forensic": replace(
        POSITIVES,
        trial_is="one comparison of a questioned with a known item, judged once by every model",
        threshold_is="the score from which the evidence supports the same source",
        to_accept="whose two items have the same source",
        to_reject="whose two items have different sources",
        were_accepted="whose evidence supports the same source",
        were_rejected="whose evidence supports different sources",
        target="same-source trial",
        targets="same-source trials",
        a_target="a same-source trial",
        target_score="same-source score",
        target_scores="same-source scores",
        nontarget="different-source trial",
        nontargets="different-source trials",
        a_nontarget="a different-source trial",
        nontarget_score="different-source score",
        nontarget_scores="different-source scores",
        share="share of same-source trials",
        nontarget_share="share of different-source trials",
    ),
    "medical": replace(
        POSITIVES,
        roc_far="1 − specificity",
        hter="balanced error",
        hter_name="balanced error rate",
        hit_rate="sensitivity",
        tpr="sensitivity",
        trial="patient",
        trials="patients",
        trial_is="one patient, or one finding, judged once by every model",
        threshold_is="the score at which a test becomes positive",
        to_accept="whose test should be positive",
        to_reject="whose test should be negative",
        were_accepted="whose test is positive",
        were_rejected="whose test is negative",
        shared_source="a person, reader or site",
        target="patient with the condition",
        targets="patients with the condition",
        a_target="a patient with the condition",
        target_score="score with the condition",
        target_scores="scores with the condition",
        nontarget="patient without the condition",
        nontargets="patients without the condition",
        a_nontarget="a patient without the condition",
        nontarget_score="score without the condition",
        nontarget_scores="scores without the condition",
        share="prevalence",
        prior="prevalence",
        counts_correct=True,
        accepted="positive",
        threshold="cutoff",
        thresholds="cutoffs",
        nontarget_share="share without the condition",
        precision="PPV",
        precision_name="positive predictive value",
        recall="sensitivity",
    ),
    "ir": Terms(
        far="fall-out",
        far_name="fall-out",
        roc_far="fall-out",
        frr="miss rate",
        frr_name="miss rate",
        hter="balanced error",
        hter_name="balanced error rate",
        false_acceptance="fall-out",
        false_rejection="misses",
        hit_rate="recall",
        tpr="recall",
        hits="relevant items retrieved",
        false_alarm="false positive",
        false_alarms="false positives",
        miss="miss",
        misses="misses",
        trial="item",
        trials="items",
        trial_is="a document or another thing judged for one query",
        threshold_is="the score from which an item is retrieved",
        to_accept="that should be retrieved",
        to_reject="that should not be retrieved",
        were_accepted="that are retrieved",
        were_rejected="that are not retrieved",
        shared_source="a query",
        target="relevant item",
        targets="relevant items",
        a_target="a relevant item",
        target_score="relevant score",
        target_scores="relevant scores",
        nontarget="non-relevant item",
        nontargets="non-relevant items",
        a_nontarget="a non-relevant item",
        nontarget_score="non-relevant score",
        nontarget_scores="non-relevant scores",
        share="share of relevant items",
        nontarget_share="share of non-relevant items",
    ),
    "ml": replace(
        POSITIVES,
        hter="balanced error",
        hter_name="balanced error rate",
        trial="example",
        trials="examples",
        threshold_is="the score from which an example is called positive",
        to_accept="that should be called positive",
        to_reject="that should be called negative",
        were_accepted="that are called positive",
        were_rejected="that are called negative",
        shared_source="a person or source",
        target="positive",
        targets="positives",
        a_target="a positive",
        target_score="positive score",
        target_scores="positive scores",
        nontarget="negative",
        nontargets="negatives",
        a_nontarget="a negative",
        nontarget_score="negative score",
        nontarget_scores="negative scores",
        share="share of positives",
        nontarget_share="share of negatives",
    ),
    "evals": Terms(
        far="false success rate",
        far_name="false success rate",
        roc_far="false success rate",
        frr="failure rate",
        frr_name="failure rate",
        hter="balanced error",
        hter_name="balanced error rate",
        false_acceptance="false successes",
        false_rejection="failures",
        hit_rate="success rate",
        tpr="success rate",
        hits="solved items",
        false_alarm="false success",
        false_alarms="false successes",
        miss="unsolved item",
        misses="unsolved items",
        trial="item",
        trials="items",
        trial_is="one task of a benchmark, attempted by every model",
        threshold_is="the score from which an item is solved",
        to_accept="that should be solved",
        to_reject="that should be refused",
        were_accepted="that are solved",
        were_rejected="that are not solved",
        shared_source="a source document or family of tasks",
        target="item to solve",
        targets="items to solve",
        a_target="an item to solve",
        target_score="score of an item to solve",
        target_scores="scores of items to solve",
        nontarget="item to refuse",
        nontargets="items to refuse",
        a_nontarget="an item to refuse",
        nontarget_score="score of an item to refuse",
        nontarget_scores="scores of items to refuse",
        share="share of items to solve",
        nontarget_share="share of items to refuse",
        recall="success rate",
    ),
}
"""The terms by the word of ``report.vocabulary``."""


@cache
def terms(vocabulary: str, *, weighted: bool = False) -> Terms:
    """Return the terms of a vocabulary, and whether rates are weighted."""
    return replace(VOCABULARIES[vocabulary], weighted=weighted) if weighted else VOCABULARIES[vocabulary]


TITLES: Mapping[str, str] = {
    "far": "{far_name} (%)",
    "frr": "{frr_name} (%)",
    "roc_far": "{roc_far} (%)",
    "hits": "{hit_rate} (%)",
    "equal_rates": "{far} = {frr}",
    "recall": "{recall} (%)",
    "precision": "{precision} (%)",
    "precision_and_recall": "{precision} and {recall} (%)",
    "far_and_frr": "{far} and {frr} (%)",
    "precision_gain": "precision gain (%)",
    "recall_gain": "recall gain (%)",
    "false_discovery": "false discovery rate, 1 − {precision} (%)",
    "targets": "{targets}",
    "nontargets": "{nontargets}",
    "share": "{share}",
    "nontarget_share": "{nontarget_share}",
    "observed_share": "observed frequency of {targets} (%)",
    "accepted": "share of {trials} accepted (%)",
    "above": "share of {trials} above (%)",
    "found": "{targets} found, {recall} (%)",
    "lift": "lift, {precision} / {share}",
    "weight_of_misses": "weight of {misses}: effective {prior} of {targets} (%)",
    "net_benefit": "net benefit ({targets} per 100 {trials})",
    "standardised_benefit": "standardised net benefit (% of the {share})",
    "benefit_difference": "difference in net benefit ({targets} per 100 {trials})",
    "standardised_difference": "difference in standardised net benefit (% of the {share})",
    "bayes": "α, the weight of {false_acceptance}",
    "spoofing_error": "α, the weight of {false_acceptance}",
    "weighted_error": "α, the weight of {false_acceptance}",
    "cost_ratio": "{false_acceptance} : {false_rejection} (cost ratio)",
    "prior_at_equal_costs": "prior of {targets} at equal costs (%)",
    "normalised_cost": "normalised cost on test",
    "precision_recall": "α, the weight of {precision}",
    "target_far": "{far} targeted on development",
    "target_frr": "{frr} targeted on development",
    "expected_far": "{far} targeted on development (%)",
    "expected_frr": "{frr} targeted on development (%)",
    "obtained_far": "{far} obtained on test (%)",
    "obtained_frr": "{frr} obtained on test (%)",
    "false_alarms": "{false_alarms}",
    "misses": "{misses}",
    "short_far": "{far} (%)",
    "short_frr": "{frr} (%)",
    "coverage": "share of {trials} decided (%)",
    "risk": "wrong decisions among them (%)",
    "discarded_frr": "{targets} discarded (%)",
    "discarded_far": "{nontargets} discarded (%)",
}
"""Titles by name; an axis begins with an upper-case letter, a guide or a legend does not."""
