"""What a question needs of the trials: facts of a table, and the conditions that questions name."""

from __future__ import annotations

from collections.abc import Callable

from reporting.base.records import dataclass
from reporting.errors import listed, quoted


@dataclass(frozen=True, kw_only=True)
class TrialFacts:
    """What a table of trials holds, as far as it decides which questions it can answer."""

    models: int
    datasets: int
    targets: int
    """Target trials of the smallest test set."""
    nontargets: int
    scores: int
    """The most distinct scores of a model on a test set."""
    has_dev: bool
    """Whether thresholds come from a development set."""
    attempts: int
    """How often each model meets each trial: its runs."""
    has_readers: bool
    """Whether the runs of a model are readers."""
    crosses_folds: bool
    """Whether thresholds are chosen across folds of the test set."""
    has_pairs: bool
    """Whether it is known which rows of two models are one trial."""
    groups: tuple[str, ...]
    """Columns by which trials could be grouped, or are."""
    in_unit_range: tuple[str, ...]
    """Models whose scores all lie between 0 and 1 without being declared probabilities."""
    scales: frozenset[str]
    """The scales of the models."""
    several_labels: bool = False
    """Whether non-targets have any other labels, or several that are named."""


@dataclass(frozen=True)
class Need:
    """A condition on the trials: ``lacking`` returns what is missing, an empty text where it is met."""

    lacking: Callable[[TrialFacts], str]


FEW_SCORES = 2
MANY_MODELS = 3

BOTH_CLASSES = Need(lambda facts: "" if facts.targets and facts.nontargets else "targets and non-targets")
SCORES = Need(
    lambda facts: "" if facts.scores > FEW_SCORES else "scores of more than two values, not decisions"
)
TWO_MODELS = Need(lambda facts: "" if facts.models > 1 else "a second model")
THREE_MODELS = Need(lambda facts: "" if facts.models >= MANY_MODELS else "three models or more")
PAIRS = Need(
    lambda facts: "" if facts.has_pairs else "a column that names the trials, so that rows of two models pair"
)
THRESHOLDS = Need(
    lambda facts: (
        ""
        if facts.has_dev or facts.crosses_folds
        else "a development set to choose thresholds on, or a trial or cluster column for folds"
    )
)
DEV = Need(lambda facts: "" if facts.has_dev else "a development set of its own")
TWO_DATASETS = Need(lambda facts: "" if facts.datasets > 1 else "a second dataset (a column of datasets)")
READERS = Need(lambda facts: "" if facts.has_readers else "a column of readers (trials.runs: reader)")
ATTEMPTS = Need(
    lambda facts: (
        ""
        if facts.attempts > 1 and not facts.nontargets and not facts.has_readers and facts.has_pairs
        else "items that each model attempts several times (columns.run), all of them to be solved"
    )
)
TRAININGS = Need(
    lambda facts: (
        ""
        if facts.attempts > 1 and not facts.has_readers
        else "several trainings of each model (columns.run), or a column of the folds they were tested on"
    )
)
CLASSES = Need(
    lambda facts: "" if facts.several_labels else "labels of three classes or more, and scores of each class"
)
GROUPS = Need(lambda facts: "" if facts.groups else "a column that describes the trials, such as sex or site")
EARLIER_RUN = Need(lambda facts: "an earlier run (history in the config)")


def _probabilities(facts: TrialFacts) -> str:
    if facts.scales & {"probability", "logit"}:
        return ""
    if facts.in_unit_range:
        models = listed(map(quoted, facts.in_unit_range), 3)
        return f"scale: probability for {models}, if their scores between 0 and 1 are probabilities"
    return "scores that are probabilities"


PROBABILITIES = Need(_probabilities)
RATIOS = Need(
    lambda facts: (
        "" if facts.scales & {"llr", "log10_llr"} else "scores that are log likelihood ratios (scale: llr)"
    )
)
