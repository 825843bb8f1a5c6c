"""A sample of a table: which column is which, whether it can be trials at all, and what the config must say.

That is what differs from the defaults, what labels and splits are called, where thresholds come from without
a development set, and what else could be given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import polars as pl

from reporting.app.config.study_keys import ThresholdsKeys
from reporting.app.init.columns import (
    DEV,
    FEW,
    MODALITIES,
    PAIRS,
    TEST,
    TIMES,
    TRAIN,
    Given,
    Roles,
    SampleColumn,
    belongs_to_trials,
    breakdowns,
    class_pair,
    columns_of,
    has_word,
    is_decision,
    is_key,
    is_weight,
    label_candidates,
    labels_differ,
    like_cluster,
    missing_key,
    plain,
    rank,
    roles_of,
    rows_of,
    score_by_contents,
    score_columns,
    second_cluster,
    texts_of,
    unclaimed,
    words,
)
from reporting.app.init.evidence import (
    OF_TRUTH,
    LabelEvidence,
    evidence_of,
    is_prediction,
    models_of_classes,
    names_class,
    of_predicted_class,
    one_model,
    questions_of_their_own,
    same_values,
)
from reporting.app.init.lines import Line, column_line
from reporting.app.init.look import MOST_ROWS
from reporting.core.engine.study import MOST_IN_PAIRS
from reporting.errors import DataError, listed, quoted
from reporting.inputs.folds import fold_codes
from reporting.inputs.spec import FALSE_WORDS, TRUE_WORDS, ThresholdPlan, TrialSpec
from reporting.inputs.values import coded

NEEDED = (
    "a trial table has a label of two values, such as target and nontarget, and a score, a number, higher for"
    " targets; one row per trial and model, where a column names the model, or one row per trial, with one"
    " column of scores per model"
)


TWO = 2
"""Labels beyond which a table of nameless numbers is one of something else: of classes and features."""


@dataclass(frozen=True, eq=False)
class SampleTable:
    """A sample with what is known of it."""

    name: str
    columns: tuple[SampleColumn, ...]
    roles: Roles
    n_rows: int
    notes: tuple[Line, ...] = ()
    """What its key leaves open."""
    given: Given = field(default_factory=dict)
    """The columns that the user names."""

    @cached_property
    def scores(self) -> list[SampleColumn]:
        """Its columns of scores: one where it names models, else one a model.

        Of the probabilities of all classes that of the target stays.
        """
        if "model" in self.roles:
            return [self.roles["score"]] if "score" in self.roles else []
        others = [*self.other_classes, *self.countermeasures]
        return [column for column in self.score_columns if column not in others]

    @cached_property
    def score_columns(self) -> list[SampleColumn]:
        """The columns of scores of a table that names no models."""
        if "score" in self.given:
            return [column for column in self.columns if column.name in self.given["score"]]
        return score_columns(self.columns, self.roles)

    @property
    def _may_have_classes(self) -> bool:
        return "model" not in self.roles and "label" in self.roles and "score" not in self.given

    @cached_property
    def of_classes(self) -> tuple[SampleColumn, ...]:
        """The columns of scores that are the probabilities of the classes, by one model."""
        return one_model(self.score_columns, self.roles["label"]) if self._may_have_classes else ()

    @cached_property
    def models_of_classes(self) -> dict[str, dict[str, SampleColumn]]:
        """The columns of scores of several models, by model and class."""
        return models_of_classes(self.score_columns, self.roles["label"]) if self._may_have_classes else {}

    @property
    def scores_of_target(self) -> dict[str, SampleColumn]:
        """Those of them that are of the target, by model."""
        label = self.roles["label"]
        return {model: _of_target(tuple(of.values()), label) for model, of in self.models_of_classes.items()}

    @cached_property
    def other_classes(self) -> list[SampleColumn]:
        """Those of them that are not of the target."""
        if self.models_of_classes:
            kept_ones = self.scores_of_target.values()
            of_models = (column for of in self.models_of_classes.values() for column in of.values())
            return [column for column in of_models if column not in kept_ones]
        if not self.of_classes:
            return []
        kept = _of_target(self.of_classes, self.roles["label"])
        return [column for column in self.of_classes if column is not kept]

    @cached_property
    def countermeasures(self) -> list[SampleColumn]:
        """Scores that separate spoofs from the rest, by their names, and are no rivals of the others.

        In a table of three kinds of trials.
        """
        label = self.roles.get("label")
        if label is None or len(label.values) != len(KINDS) or "score" in self.given:
            return []
        mine = [column for column in self.score_columns if has_word(column.name, OF_SPOOFS)]
        return mine if len(mine) < len(self.score_columns) else []

    @cached_property
    def evidence(self) -> LabelEvidence:
        """The evidence for its label."""
        if "label" in self.given:
            return LabelEvidence("certain")
        if "predicted" in self.roles:
            return self._evidence_beside(self.roles["predicted"])
        if self.confidences:
            score, label = self.confidences[0][0].name, self.roles["label"].name
            return LabelEvidence(
                "asked",
                f"no {quoted(score)} is below 0.5: is {quoted(label)} the truth, or the class of which it is"
                " the confidence?",
            )
        used = {self.roles[role] for role in ("count", "model", "run") if role in self.roles}
        others = [column for column in self.columns if column not in used]
        return evidence_of(self.roles["label"], others, label_candidates(self.columns, self.roles))

    def _evidence_beside(self, predicted: SampleColumn) -> LabelEvidence:
        """The evidence where another column seems to be the class in which the score is the confidence."""
        label = self.roles["label"]
        if is_prediction(predicted, label):
            return LabelEvidence("certain")
        names = f"{quoted(label.name)} and {quoted(predicted.name)}"
        return LabelEvidence(
            "asked",
            f"which of {names} is the truth, and which the class of which the score, never below 0.5, is the"
            " confidence? a guess",
        )

    @cached_property
    def confidences(self) -> list[tuple[SampleColumn, SampleColumn | None]]:
        """Scores that seem to be the confidence in the class that was predicted, and the column of it."""
        if "label" not in self.roles:
            return []
        return list(of_predicted_class(self.scores, self.columns, self.roles["label"]))

    @property
    def has_label(self) -> bool:
        """Return whether it has labels of trials."""
        return "label" in self.roles

    @property
    def splits(self) -> list[str]:
        """What it calls its splits; none where it has one alone, without a name."""
        return self.roles["split"].values if "split" in self.roles else []

    @property
    def label_lines(self) -> list[Line]:
        """What its labels mean."""
        scores, label = self.scores, self.roles["label"]
        lines = label_lines(label, scores[0] if scores else None)
        is_guess = self.countermeasures and any(line.value == "rest" for line in lines)
        return _kinds(label, scores[0], self.countermeasures[0]) if is_guess else lines


def table_of(
    name: str,
    samples: Sequence[pl.DataFrame],
    given: Given = MappingProxyType({}),
    target: str | None = None,
) -> SampleTable:
    """Look at samples of one table, whose files may hold different columns.

    ``given`` are the columns that the user names, ``target`` is the label of targets.
    """
    texts = [rows_of(columns_of(sample)) for sample in samples]
    rows = pl.concat(texts, how="diagonal")
    columns = tuple(replace(column, target=_same_value(target, column)) for column in columns_of(rows))
    roles, notes = _with_whole_key(columns, roles_of(columns, given))
    if len(given.get("score", ())) > 1:  # each is of a model
        roles.pop("model", None)
    if "model" in roles and "score" not in roles:
        roles |= score_by_contents(columns, roles)
    if roles.keys() >= {"model", "label", "score"} and "score" not in given:
        numbers = [roles["score"], *(each for each in unclaimed(columns, roles) if each.is_fractional)]
        classes = one_model(numbers, roles["label"])
        roles |= {"score": _of_target(classes, roles["label"])} if roles["score"] in classes else {}
    notes += _misleading(samples, columns, roles)
    notes += _idle(columns, roles)
    table = SampleTable(name, columns, roles, rows.height, tuple(notes), given)
    label = roles.get("label")
    if target is not None and label is not None and label.target is None:
        raise DataError(
            f"{name}: pos_label: {quoted(target)} is no label of column {quoted(label.name)}"
            f" (labels: {listed(map(quoted, label.values), 8)})"
        )
    return _turned_to_target(table) if "label" in given else _with_event(table)


def _same_value(value: str | None, column: SampleColumn) -> str | None:
    """Return how a column writes a value: 1 may be 1.0, and True true."""
    if value is None:
        return None
    forms = {value, value.lower(), f"{value}.0", value.removesuffix(".0")}
    return next((text for text in column.values if text in forms), None)


OBSERVED = (
    "obs", "observed", "observation", "measured", "rain", "rainfall", "precip", "precipitation", "snow",
    "snowfall", "hail", "mm", "inches", "amount", "damage", "loss",
)  # fmt: skip
"""Words in the name of a column of what was observed, of which an event can be made."""
EVENT = ("trials", "values", "event")


def _with_event(table: SampleTable) -> SampleTable:
    """Return the table with the event of an observed number as its label, where nothing else is named as one.

    Numbers of which some are 0 and the others more: whether there was any is asked about.
    """
    label = table.roles.get("label")
    if label is not None and rank(label.name, "label") is not None:
        return _turned_to_target(table)
    free = [column for column in table.columns if column.is_numeric and column not in table.roles.values()]
    observed = [
        column
        for column in free
        if has_word(column.name, OBSERVED) and column.numbers.min() == 0 and (column.numbers > 0).any()
    ]
    shares = [
        column
        for column in free
        if column.is_fractional and column.numbers.drop_nulls().is_between(0, 1).all()
    ]
    if len(observed) != 1 or not [column for column in shares if column is not observed[0]]:
        return _turned_to_target(table)
    (column,) = observed
    happened = pl.select(pl.when(column.numbers > 0).then(pl.lit("target")).otherwise(pl.lit("nontarget")))
    event = SampleColumn(column.name, happened.to_series().alias("it"))
    why = f"is a target a row with more than 0 in {quoted(column.name)}? or at_least: a threshold"
    columns = tuple(event if each is column else each for each in table.columns)
    notes = (*table.notes, Line(EVENT, {"above": 0}, why, True))
    return replace(table, columns=columns, roles={**table.roles, "label": event}, notes=notes)


def _turned_to_target(table: SampleTable) -> SampleTable:
    """Return the table with the target's score where its own is confidence in a predicted class."""
    if len(table.scores) != 1 or not table.confidences or table.confidences[0][1] is None:
        return table
    score, predicted = table.confidences[0]
    assert predicted is not None
    label = table.roles["label"]
    # Of Hugging Face, "label" is what was predicted: numbers next to its words are the truth.
    is_output = predicted.is_numeric and not label.is_numeric and plain(label.name) not in OF_TRUTH
    if is_output and "label" not in table.given and not is_decision(predicted.name):
        table = replace(table, roles={**table.roles, "label": predicted})
        predicted, label = label, predicted
    target = next((line.value for line in table.label_lines if line.trail == TARGET), None)
    if not same_values(predicted, label) and (pair := class_pair(predicted.values)):
        target = pair[0]
    is_target = predicted.text.is_in([target] if target else list(TRUE_WORDS))
    both = pl.DataFrame({"score": score.numbers, "target": is_target})
    turned = both.select(pl.when("target").then("score").otherwise(1 - pl.col("score")).cast(pl.String))
    its = SampleColumn(score.name, turned.to_series().alias("it"))
    columns = tuple(its if column is score else column for column in table.columns)
    roles = {role: its if column is score else column for role, column in table.roles.items()}
    return replace(table, columns=columns, roles={**roles, "predicted": predicted})


def _of_target(classes: Sequence[SampleColumn], label: SampleColumn) -> SampleColumn:
    """Return which of the probabilities of all classes is that of the target: by its name, else the last."""
    named = [line.value for line in label_lines(label) if line.trail == TARGET]
    target = named[0] if named else next((it for it in label.values if it in TRUE_WORDS), label.values[-1])
    mine = [column for column in classes if names_class(column.name, target)]
    return mine[0] if len(mine) == 1 else classes[-1]


def _misleading(
    samples: Sequence[pl.DataFrame], columns: Sequence[SampleColumn], roles: Roles
) -> Iterator[Line]:
    """Names that would be taken otherwise than they are meant, or for nothing."""
    several = len(roles["model"].values) > 1 if "model" in roles else False
    if "trial" not in roles and any("" in sample.columns for sample in samples):
        why = "a column without a name may name the trials: give it one, such as row"
        yield column_line("trial", "row", why, True, True)
    elif not roles.keys() & {"trial", "count"} and several:
        why = "nothing names the trials, so models cannot be compared: "
        why += (
            "which column does, or could?"
            if len(columns) > len(roles)
            else "if line 1 is one trial in all files, and so on, "
            "reporting.trial_table(targets=..., nontargets=...) in Python pairs them"
        )
        yield column_line("trial", "trial", why, True, True)
    if "trial" in roles and "count" in {column.name for column in columns}:
        why = "rows with a trial key are one trial each: is 'count' something else, or 'trial' no key?"
        yield column_line("count", "none", why, True)


def _idle(columns: Sequence[SampleColumn], roles: dict[str, SampleColumn]) -> Iterator[Line]:
    """Columns with names of roles that they cannot have; they lose their role."""
    by_name = {column.name: column for column in columns}
    for ours in ("trial", "run", "dataset", "cluster"):
        column = by_name.get(ours)
        if column is not None and column.n_missing and roles.get(ours) in (column, None):
            roles.pop(ours, None)
            yield column_line(ours, "none", f"{column.n_missing} rows have no {ours}: fill them in?", True)
    split = roles.get("split")
    if split is not None and len(split.values) == 1 and split.values[0].lower() in (*DEV, *TRAIN):
        del roles["split"]
        if split.name == "split":
            why = f"{quoted(split.values[0])} is the only split: is it what is reported on?"
            yield column_line("split", "none", why, True)


def _with_whole_key(
    columns: Sequence[SampleColumn], by_name: Roles
) -> tuple[dict[str, SampleColumn], list[Line]]:
    """Where trials repeat, look for what else is part of their key."""
    roles = dict(by_name)
    if "trial" not in roles:
        return roles, []
    trial = roles["trial"]
    key = [roles[name] for name in ("model", "run", "dataset", "split") if name in roles]
    if is_key([*key, trial]):
        return roles, []
    if (kind := _class_of_scores(columns, roles, [*key, trial])) is not None:
        why = f"{quoted(kind.name)} has the values of {quoted(roles['label'].name)}: a row for each class"
        return roles, [
            Line(("classes", "labels"), roles["label"].values, why),
            Line(("classes", "column"), kind.name),
        ]
    within = f" within {listed(quoted(column.name) for column in key)}" if key else ""
    repeats, further = f"{quoted(trial.name)} repeats{within}", missing_key(columns, roles)
    if labels_differ(roles, trial) and "model" not in roles:
        del roles["trial"]  # one side of pair trials; rows are trials
        if plain(trial.name) not in OF_ROWS:
            return roles, []
        why = f"{repeats}, with both labels: is it one side of pairs, or are labels wrong?"
        return roles, [column_line("trial", trial.name, why, True, True)]
    if not further:
        del roles["trial"]
        why = f"{repeats}, and no column distinguishes such rows: what names a trial?"
        is_named_so = trial.name == "trial"
        value = "none" if is_named_so else trial.name
        return roles, [column_line("trial", value, why, True, not is_named_so)]
    roles |= further
    if "model" in further and "run" in roles and has_word(further["model"].name, MODALITIES):
        return roles, []  # each reader reads each case with each of them
    names = listed(quoted(column.name) for column in further.values())
    return roles, [
        column_line(
            ours,
            column.name,
            f"{repeats}, but not within {names}: is {quoted(column.name)} the {ours}? a guess",
            True,
        )
        for ours, column in further.items()
    ]


def _class_of_scores(
    columns: Sequence[SampleColumn], roles: Mapping[str, SampleColumn], key: list[SampleColumn]
) -> SampleColumn | None:
    """Return the column of the class that a score is of: all of three labels or more, once a trial."""
    label = roles.get("label")
    if label is None or len(label.values) <= TWO:
        return None
    free = (column for column in columns if column not in roles.values())
    return next((each for each in free if same_values(each, label) and is_key([*key, each])), None)


OF_ROWS = ("id", "trial", "row", "index", "uuid", "case", "caseid", "rowid", "trialid")
"""Names of columns that name rows, and not what takes part in them."""


def check_trials(table: SampleTable) -> None:
    """Raise DataError where a table has no rows, no label or no score."""
    if not table.n_rows:
        raise DataError(f"{table.name}: it has no rows; {NEEDED}")
    by_name = any(rank(column.name, "score") is not None for column in table.scores)
    has_label = table.has_label and (
        by_name
        or "label" in table.given
        or bool(table.models_of_classes)
        or len(table.roles["label"].values) <= TWO
        or any(line.trail == SPOOF for line in table.label_lines)
    )
    lacking = ["label"] * (not has_label) + ["score"] * (not table.scores)
    columns = listed((f"{quoted(column.name)} ({column.kind})" for column in table.columns), 8)
    if lacking:
        raise DataError(
            f"{table.name}: no column can be the {' or the '.join(lacking)} (found: {columns})"
            f"{_ways_out(table, has_label)}; {NEEDED}"
        )
    several = questions_of_their_own(table.columns)
    if len(several) > 1:
        shown = listed((f"{quoted(score)} with {quoted(label)}" for score, label in several.items()), 3)
        raise DataError(
            f"{table.name}: its columns are questions with an outcome each ({shown}), not models of one"
            " outcome; write a row per question and trial (dataset, trial, label, score), or a table of each"
        )
    for score, predicted in table.confidences:
        if predicted is not None:  # of several scores
            raise DataError(
                f"{table.name}: no {quoted(score.name)} is below 0.5, and {quoted(predicted.name)} names a"
                f" class: it is the confidence in the class that was predicted, not in the target; write"
                " a row per trial and model with one column of both, or show the probability of one class"
                f" (found: {columns})"
            )


def _ways_out(table: SampleTable, has_label: bool) -> str:
    decisions = [
        quoted(column.name)
        for column in table.columns
        if len(column.values) == 2 and is_decision(column.name)
    ]
    if not has_label and decisions:
        return f"; {listed(decisions, 3)} is what a system decided, by its name, not the truth"
    outcomes = [
        quoted(column.name) for column in table.columns if {*column.values} <= {"0", "1", "0.0", "1.0"}
    ]
    if outcomes:
        return (
            f"; where every trial is an item to be solved, and {listed(outcomes, 3)} is whether it was,"
            " write trials.columns.label: none"
        )
    return ""


def target_rows(table: SampleTable) -> pl.Series:
    """Return which rows of a sample are targets, as far as its labels are known or guessed."""
    known = [line.value for line in table.label_lines if line.trail == TARGET]
    from_words = pl.Series(["true", "1", "1.0", "target"])
    text = table.roles["label"].text
    return text == known[0] if known else text.str.to_lowercase().is_in(from_words.implode())


def scores_by_model(table: SampleTable, models: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Return the finite scores of every model, and which are of targets.

    ``models`` maps the models of a wide table to their columns; empty: a column names them.
    """
    target = target_rows(table)
    if models:
        by_name = {column.name: column for column in table.columns}
        scores = {model: (by_name[column].numbers, target) for model, column in models.items()}
    elif "model" in table.roles:
        name, score = table.roles["model"], table.scores[0].numbers
        mine = {model: name.text == model for model in name.values}
        scores = {model: (score.filter(rows), target.filter(rows)) for model, rows in mine.items()}
    else:
        scores = {}
    by_model = {model: pl.DataFrame({"score": s, "target": t}) for model, (s, t) in scores.items()}
    return {model: rows.filter(pl.col("score").is_finite()) for model, rows in by_model.items()}


OTHERS = "all other values"
"""What is not named."""
TARGET, NONTARGET, SPOOF = (("trials", "values", kind) for kind in ("target", "nontarget", "spoof"))
KINDS = (TARGET, NONTARGET, SPOOF)
POLICY = ("thresholds", "policy")
PRIMARY = ("primary",)
FOLDS: int = ThresholdsKeys.model_fields["folds"].default


def label_lines(label: SampleColumn, score: SampleColumn | None = None) -> list[Line]:
    """Say which labels mean target and non-target; open where nothing but the scores shows it.

    Nothing where the engine knows the words itself.
    """
    labels = label.values
    if label.target is not None:
        others = [text for text in labels if text != label.target]
        return [
            Line(TARGET, label.target, "as given"),
            Line(NONTARGET, others[0] if len(others) == 1 else "rest", "" if len(others) == 1 else OTHERS),
        ]
    if set(labels) <= {*TRUE_WORDS, *FALSE_WORDS}:
        return []
    if known := class_pair(labels):
        return [Line(TARGET, known[0], "by its name"), Line(NONTARGET, known[1])]
    kinds = [_only(labels, known) for known in (TARGETS, NONTARGETS, SPOOFS)]
    if len(labels) == len(kinds) and all(kinds):
        of_three = zip(KINDS, kinds, strict=True)
        return [Line(trail, text, "by its name") for trail, text in of_three]
    target, why = _guess(label, score)
    others = [label_text for label_text in labels if label_text != target]
    lines = [Line(TARGET, target, f"which of {label.summary} is the target? {why}", is_open=True)]
    if len(others) > 1:
        return [*lines, Line(NONTARGET, "rest", OTHERS)]
    return [*lines, *(Line(NONTARGET, label_text) for label_text in others)]


OF_SPOOFS = ("cm", "countermeasure", "spoof", "spoofing", "antispoofing", "liveness", "pad")
"""Words in the name of a score that separates spoofs from the rest."""


def _kinds(label: SampleColumn, score: SampleColumn, countermeasure: SampleColumn) -> list[Line]:
    """Guess which of three labels are targets, impostors and spoofs, by both kinds of scores.

    Impostors have the lowest scores of verification, spoofs the lowest of the countermeasure.
    """
    of_score, of_spoofs = means_by_label(label, score), means_by_label(label, countermeasure)
    spoof = min(label.values, key=lambda text: of_spoofs.get(text, 0.0))
    left = sorted((text for text in label.values if text != spoof), key=lambda text: of_score.get(text, 0.0))
    why = (
        f"which of {label.summary} are targets, impostors and spoofs? guessed: impostors have the lowest"
        f" {quoted(score.name)}, spoofs the lowest {quoted(countermeasure.name)}"
    )
    return [
        Line(trail, text, why, True) for trail, text in zip(KINDS, (left[1], left[0], spoof), strict=True)
    ]


TARGETS, NONTARGETS = ({pair[at] for pair in PAIRS} for at in (0, 1))
SPOOFS = {"spoof", "spoofed", "attack", "fake", "deepfake", "presentationattack"}
"""Labels of attacks, among those of impostors."""


def _only(labels: Sequence[str], known: Collection[str]) -> str | None:
    """Return the one label that is among known words; those of attacks are no others."""
    mine = [
        text for text in labels if plain(text) in known and (known is SPOOFS or plain(text) not in SPOOFS)
    ]
    return mine[0] if len(mine) == 1 else None


def _guess(label: SampleColumn, score: SampleColumn | None) -> tuple[str, str]:
    """Guess the target: by a word, else by higher scores, which may be wrong."""
    likely = [text for text in label.values if plain(text) in TARGETS]
    unlikely = {text for text in label.values if plain(text) in NONTARGETS}
    if len(likely) == 1:
        return likely[0], "guessed by its name"
    means = means_by_label(label, score) if score else {}
    left = {text: mean for text, mean in means.items() if text not in unlikely} or means
    if left:
        return max(left, key=lambda text: left[text]), "guessed: its scores are the highest on average"
    return label.values[-1], "guessed"


def means_by_label(label: SampleColumn, score: SampleColumn) -> dict[str, float]:
    """Return the mean score of every label that has finite scores."""
    rows = pl.DataFrame({"label": label.stated, "score": score.numbers})
    rows = rows.filter(pl.col("score").is_finite() & pl.col("label").is_not_null())
    return dict(rows.group_by("label").agg(pl.col("score").mean()).sort("label").iter_rows())


def split_lines(
    splits: Collection[str],
    unit: str | None,
    *,
    can_part: bool,
    folds: int = FOLDS,
    rows: int = 0,
    of_readers: bool = False,
) -> Iterator[Line]:
    """Say which splits the two sets are, and where thresholds come from where there is no dev.

    ``unit`` is what a policy could part, such as trials, and ``folds`` into how many; None: rows have no
    names. ``can_part``: whether the table has one cluster a trial, or none; ``rows`` is how many there are.
    """
    dev, test, train = (
        sorted(
            (split for split in splits if split.lower() in known),
            key=lambda split: known.index(split.lower()),
        )
        for known in (DEV, TEST, TRAIN)
    )
    others = sorted(set(splits) - {*dev, *test, *train})
    if dev and train and not test and not others:
        test, dev = dev[:1], []  # judged on the development set, by what was trained on
    if train and test and not dev:
        yield from _named("dev", train[0], "what the models were trained on, by its name")
        yield Line(POLICY, "train", "there is no dev, but training data")
        dev = train[:1]
    elif not dev and len(others) == 2 and not test:
        yield Line(("trials", "values", "dev"), others[0], "which is dev, which test? a guess", is_open=True)
        yield Line(("trials", "values", "test"), others[1])
        return
    elif dev:
        yield from _named("dev", dev[0], "by its name")
    if test or others or (splits and not dev):
        yield from _named("test", (test or others)[0], "by its name" if test else "a guess", bool(not test))
    left = [*dev[1:], *test[1:], *(train if train[:1] != dev else ()), *others[0 if test else 1 :]]
    if left:
        what = f"rows of {listed(map(quoted, left))} are left out: or are they dev or test?"
        yield Line(("trials", "values", "unused"), left, what, is_open=True)
    if not dev:
        yield Line(PRIMARY, {"measure": "auc"}, "no dev rows: the AUC needs no threshold")
        if of_readers:
            why = "no dev rows: readers are compared by the AUC, which needs no threshold"
            yield Line(POLICY, "none", why)
            return
        yield _policy(unit, can_part, folds, rows)
        if 0 < folds < FOLDS and unit is not None and can_part:
            yield Line(("thresholds", "folds"), folds, f"more would need more {unit}")


def _named(ours: str, theirs: str, why: str, is_open: bool = False) -> Iterator[Line]:
    if theirs != ours:
        yield Line(("trials", "values", ours), theirs, why, is_open)


MANY_ROWS = 10_000
"""Rows from which folds are noticed in the time that a report takes."""


def _policy(unit: str | None, can_part: bool, folds: int, rows: int) -> Line:
    if unit is None or not can_part or not folds:
        why = f"no dev rows, and too few {unit} to choose them across folds"
        if unit is None:
            why = "there are no dev rows, and kfold needs a column that names trials or clusters"
        elif not can_part:
            why = "no dev rows, and trials of two clusters cannot be parted; name one for kfold"
        return Line(POLICY, "none", f"no thresholds: {why}", is_open=True)
    why = f"no dev rows: each fold of {unit} is judged by the others; or split_clients, cv_test"
    why += ", leave_one_client_out" if unit != "trials" else ""
    if rows >= MANY_ROWS:
        why += "; takes two to three times as long as none, which leaves AUC and curves"
    return Line(POLICY, "kfold", why)


DISTANCES = ("distance", "distances", "dist", "dissimilarity", "error", "loss")
"""Words in the name of scores that are lower for targets."""
READERS = ("reader", "rater", "observer")
LOG10_RATIO = re.compile(r"(^|_)log_?10_(llr|lr|log_lr)(_|$)")
LOG_RATIO = re.compile(r"(^|_)(llr|loglr|log_lr)(_|$)")
LLR_TEN = re.compile(r"(^|_)llr_10(_|$)")
LLR_NUMBER = re.compile(r"(^|_)llr_\d+(_|$)")
"""In the words of a column's name, joined by underscores: ``log10LR`` is log_10_lr."""


def table_lines(table: SampleTable, layout: str, model: str) -> list[Line]:
    """Write the keys that a table needs; ``model`` names the one that a table of layout wide may have."""
    clusters, has_pairs = _clusters(table, layout)
    lines: list[Line] = []
    models: dict[str, str] = {}
    if layout == "wide":
        models = {column.name: column.name for column in table.scores}
        if table.models_of_classes:
            models = {name: column.name for name, column in table.scores_of_target.items()}
        elif len(models) == 1:
            models = {model: table.scores[0].name}
        lines += _wide(table, models)
    lines += [*_columns(table, layout), *table.notes, *clusters, *_with_words_of_predicted(table)]
    has_clusters = bool(clusters) and not clusters[0].is_offered and clusters[0].value != "none"
    unit = "clusters" if has_clusters else "trials"
    has_units = "trial" in table.roles or (layout == "wide" and "count" not in table.roles)
    folds = _folds(table, table.roles.get("cluster" if has_clusters else "trial"))
    kinds = {"reader": READERS, "fold": ("fold",)}
    runs = [
        Line(("trials", "runs"), kind, f"column {quoted(table.roles['run'].name)}")
        for kind, known in kinds.items()
        if "run" in table.roles and has_word(table.roles["run"].name, known)
    ]
    lines += split_lines(
        table.splits,
        unit if has_units else None,
        can_part=not has_pairs,
        folds=folds,
        rows=table.n_rows,
        of_readers=any(line.value == "reader" for line in runs),
    )
    lines += [*runs, *_missing(table)]
    lines += model_lines(list(models) or (table.roles["model"].values if "model" in table.roles else []))
    scales = list(_scales(table, models))
    if any(line.trail == PRIMARY for line in scales):
        lines = [line for line in lines if line.trail != PRIMARY]
    lines += scales
    if not has_clusters:
        lines += _fixed_classes(table)
    return [
        *lines,
        *_several_classes(table, models),
        *_learning(table),
        *_weights(table),
        *_breakdowns(table),
    ]


FOLD_WORDS = ("fold", "folds", "kfold", "cv")
TRAINING_WORDS = ("seed", "training", "trainings", "retraining")
"""Words in the name of a column of the folds of a cross-validation, and of what trainings differ in."""


def _learning(table: SampleTable) -> Iterator[Line]:
    """Offer the question of the procedure that trains a model where folds or trainings are named."""
    free = (column for column in table.columns if column not in table.roles.values())
    fold = next((each for each in free if has_word(each.name, FOLD_WORDS) and len(each.values) > 1), None)
    if fold is not None and {"run", "trial"} & table.roles.keys():
        why = "the procedure that trains a model: trained anew on other trials"
        yield Line(("learning", "folds"), fold.name, why, is_offered=True)
    elif "run" in table.roles and has_word(table.roles["run"].name, TRAINING_WORDS):
        yield Line(
            ("learning",), True, "the procedure that trains a model: further trainings", is_offered=True
        )


def _several_classes(table: SampleTable, models: Mapping[str, str]) -> Iterator[Line]:
    """Ask about every class where models have a column for each; of a single model it is offered."""
    label, of_models = table.roles.get("label"), table.models_of_classes
    if label is None or len(label.values) <= TWO or not (of_models or len(table.of_classes) > TWO):
        return
    if not of_models:
        of_models = {next(iter(models)): dict(zip(label.values, table.of_classes, strict=True))}
    alone = len(of_models) == 1
    why = "every class against the rest, means over classes, and the confusion matrix"
    scores = {model: {value: of[value].name for value in label.values} for model, of in of_models.items()}
    yield Line(("classes", "labels"), label.values, why, is_offered=alone)
    yield Line(("classes", "scores"), scores, "the column of each class", is_offered=alone)


def _with_words_of_predicted(table: SampleTable) -> list[Line]:
    """Return what labels mean, with the words of the predicted class where these are others."""
    label, predicted = table.roles.get("label"), table.roles.get("predicted")
    if label is None or predicted is None or same_values(label, predicted):
        return table.label_lines
    of_label, of_predicted = class_pair(label.values), class_pair(predicted.values)
    if of_label is None or of_predicted is None:
        return table.label_lines
    why = f"of {quoted(label.name)} and {quoted(predicted.name)}"
    both = [[*each] for each in zip(of_label, of_predicted, strict=True)]
    return [Line(TARGET, both[0], why), Line(NONTARGET, both[1], why)]


LEAST_OF_CLASS = 20
"""Trials of a class below which equal numbers of both come about by chance."""
ROUND = 50
"""Numbers of trials are round that are a multiple of it."""


def _fixed_classes(table: SampleTable) -> Iterator[Line]:
    """Offer resamples by class where every model has equal or round numbers of both classes in each split.

    Drawn at random, such numbers vary, and measures that mix the classes (F1, precision, accuracy) then have
    CIs that are too wide.
    """
    if not table.has_label or table.n_rows >= MOST_ROWS or "count" in table.roles:
        return
    target = target_rows(table)
    parts = _parts(table, ("dataset", "split", "model", "run"), target.alias("target"))
    parts = [known for part in parts if len(known := part.drop_nulls("target"))]
    counts = {(int(part["target"].sum()), int((~part["target"]).sum())) for part in parts}
    if min((min(both) for both in counts), default=0) < LEAST_OF_CLASS:
        return
    equal = all(n == m for n, m in counts)
    if equal or all(n % ROUND == m % ROUND == 0 for n, m in counts):
        each = listed((f"{n:,} and {m:,}" for n, m in sorted(counts)), 2)
        why = (
            f"{'as many' if equal else 'round numbers of'} targets {'as' if equal else 'and'} non-targets"
            f" ({each}): if that is by design, resample the classes separately, or CIs of F1, precision and"
            " accuracy are too wide"
        )
        yield Line(("significance", "stratify"), "label", why, is_offered=True)


FEW_OF_CLASS = 5
"""Trials of a class below which rows without names might all fall into one fold."""


def _folds(table: SampleTable, unit: SampleColumn | None) -> int:
    """Return into how many folds trials or clusters go so that none holds all of a class; 0: none."""
    target = target_rows(table)
    if unit is None:
        return FOLDS if FEW_OF_CLASS <= target.sum() <= table.n_rows - FEW_OF_CLASS else 0
    label = target.fill_null(value=False).alias("label")
    parts = _parts(table, ("dataset", "model", "run"), unit.text.alias("unit"), label)
    most = min(FOLDS, *(part["unit"].n_unique() for part in parts))
    return next((n for n in range(most, 1, -1) if all(_can_fold(part, n) for part in parts)), 0)


def _parts(table: SampleTable, names: Sequence[str], *columns: pl.Series) -> list[pl.DataFrame]:
    """Return columns of the rows of each value of the roles ``names``."""
    roles = texts_of(table.roles, *names)
    rows = pl.DataFrame([*roles, *columns])
    return rows.partition_by([column.name for column in roles]) if roles else [rows]


def _can_fold(rows: pl.DataFrame, folds: int) -> bool:
    """Return whether every fold leaves targets and non-targets outside."""
    spec = TrialSpec((), thresholds=ThresholdPlan("kfold", folds=folds))
    unit = coded(rows["unit"])
    try:
        fold_codes(spec, ("all", "test"), rows["label"].to_numpy(), unit, None)
    except DataError:
        return False
    return True


def _wide(table: SampleTable, models: Mapping[str, str]) -> Iterator[Line]:
    yield Line(("trials", "layout"), "wide", "one row per trial, one column of scores per model")
    left = _other_numbers(table, list(models.values()))
    by_name = "score" in table.given or all(rank(column, "score") is not None for column in models.values())
    if len(models) == 1:
        score = table.scores[0].name
        why = f"the model's name is a guess{left}" if by_name else f"is {quoted(score)} the score?{left}"
        if table.of_classes:
            columns = listed((quoted(column.name) for column in table.of_classes), 3)
            why = f"{columns} add up to 1: classes of one model; is {quoted(score)} that of the target?"
            by_name = names_target(table, score)
        if table.countermeasures:
            others = listed(quoted(column.name) for column in table.countermeasures)
            why = (
                f"{others} separates spoofs from the rest and is no rival of {quoted(score)}: is there a"
                " joint score of both? it would be judged on all three kinds of trials"
            )
            by_name = False
        yield Line(("trials", "scores"), dict(models), why, is_open=not by_name)
    else:
        is_asked = not by_name and len(models) > MOST_IN_PAIRS
        why = "are these scores of models, all of them?" if is_asked else f"{len(models)} models"
        if any(line.trail == SPOOF for line in table.label_lines):
            is_asked = True
            why = (
                "rival systems, or speaker verification and countermeasure of one? its joint score is needed"
            )
        named = {name: column for name, column in models.items() if name != column}
        yield Line(("trials", "scores"), models if named else list(models), why + left, is_open=is_asked)


def names_target(table: SampleTable, score: str) -> bool:
    """Return whether a column is the probability of the target by its name."""
    lines = [line for line in table.label_lines if line.trail == TARGET]
    known = [line.value for line in lines if not line.is_open] if lines else TRUE_WORDS
    return any(names_class(score, target) for target in known)


def _other_numbers(table: SampleTable, scores: Collection[str]) -> str:
    free = unclaimed(table.columns, table.roles)
    of_classes = [*table.of_classes, *table.other_classes]
    others = [
        quoted(column.name)
        for column in free
        if column.is_numeric and column.name not in scores and column not in of_classes
    ]
    verb = "holds" if len(others) == 1 else "hold"
    return f"; not {listed(others, 3)}, which {verb} numbers too" if others else ""


def _columns(table: SampleTable, layout: str) -> Iterator[Line]:
    elsewhere = (
        {line.trail[-1] for line in table.notes}
        | {"cluster", "stratum"}
        | ({"score"} if layout == "wide" else set())
    )
    for ours, column in table.roles.items():
        doubt = _doubt(table, ours, column)
        if (column.name != ours or doubt or ours == "predicted") and ours not in elsewhere:
            why = OF_PREDICTED if ours == "predicted" else column.summary
            yield column_line(ours, column.name, doubt or why, bool(doubt))


OF_PREDICTED = (
    "the score is the confidence in this class: the target's is 1 - score where it is not the target"
)


def _doubt(table: SampleTable, ours: str, column: SampleColumn) -> str:
    """Ask about a label that may be none, and about a score that no name shows; else empty."""
    if ours in ("label", "predicted") and table.evidence.grade == "asked":
        return table.evidence.why
    if ours == "score" and "score" not in table.given and rank(column.name, "score") is None:
        return f"is {quoted(column.name)} the score?{_other_numbers(table, [column.name])}"
    return ""


def _clusters(table: SampleTable, layout: str) -> tuple[list[Line], bool]:
    """Say the clusters, where trials have keys and one cluster each, or two; report which.

    A row of layout wide is a trial of its own.
    """
    first = table.roles.get("cluster")
    alone = layout == "wide" and "trial" not in table.roles
    if first is None:
        return list(_proposed_cluster(table, alone)), False
    is_named_so = first.name == "cluster"
    if not alone and ("trial" not in table.roles or not belongs_to_trials(first, table.roles)):
        why = "resampled as one unit; needs a trial key, and one value a trial"
        value = "none" if is_named_so else first.name
        return [column_line("cluster", value, why, is_named_so, not is_named_so)], False
    second = second_cluster(table.columns, table.roles)
    if given := table.given.get("cluster"):
        second = next((column for column in table.columns if column.name in given[1:]), None)
    if second is not None and (alone or belongs_to_trials(second, table.roles)):
        why = f"pair trials; {first.summary}; both columns name members of one population"
        return [column_line("cluster", [first.name, second.name], why)], True
    return [column_line("cluster", first.name, f"resampled as one unit; {first.summary}")], False


def _proposed_cluster(table: SampleTable, alone: bool) -> Iterator[Line]:
    """Ask whether the values of a column are clusters: that they repeat does not show it."""
    if not table.has_label or "count" in table.roles or not (alone or "trial" in table.roles):
        return
    noted = {line.value for line in table.notes if isinstance(line.value, str)}
    scores = {column.name for column in table.scores}
    free = [column for column in table.columns if column.name not in noted | scores]
    time = next((each for each in free if has_word(each.name, TIMES) and len(each.values) > FEW), None)
    if (column := like_cluster(free, table.roles)) is not None:
        why = f"{quoted(column.name)}: {len(column.values):,} values repeat; are trials of one value alike?"
        yield column_line("cluster", column.name, why, True, True)
    elif time is not None:
        why = f"{quoted(time.name)}: are rows near in time alike? then name a column of days or weeks"
        yield column_line("cluster", time.name, why, True, True)


def _missing(table: SampleTable) -> Iterator[Line]:
    scores = sum(column.n_missing for column in table.scores)
    if scores:
        why = f"{scores} scores are missing: drop the trial for all models, or reject (failure to acquire)?"
        yield Line(("trials", "missing"), "drop", why, is_open=True)
    labels = table.roles["label"].n_missing if table.has_label else 0
    if labels:
        why = f"{labels} rows have no label: shall they be left out?"
        yield Line(("trials", "unlabelled"), "drop", why, is_open=True)


def model_lines(models: Sequence[str]) -> Iterator[Line]:
    """Offer a baseline."""
    if len(models) > 1:
        many = f"the {len(models)} models are ranked"
        without = many if len(models) > MOST_IN_PAIRS else f"all pairs of {listed(map(quoted, models), 5)}"
        yield Line(
            ("baseline",), models[0], f"compare the others with it; left out: {without}", is_offered=True
        )


def _scales(table: SampleTable, models: Mapping[str, str]) -> Iterator[Line]:
    """Say what scores are by their names, and offer what they may be: numbers cannot show it."""
    if not table.has_label:
        return
    by_model = scores_by_model(table, models)
    ratios: list[str] = []
    for at, (model, rows) in enumerate(by_model.items()):
        column = models.get(model) or table.scores[0].name
        ratio = _ratio(column, [each.name for each in table.scores])
        scale = "logit" if "logit" in words(column) else None
        if scale is None and rows.height and rows["score"].is_between(0, 1).all():
            scale = "probability"
        if ratio:
            ratios.append(model)
            why = "log10_llr: logarithm to base 10; llr: natural"
            yield Line(("models", model, "scale"), ratio, why, is_open=True)
        elif scale and at < MOST_IN_PAIRS and not _is_turned(rows):
            why = "score is the default; say a scale only where it is one"
            yield Line(("models", model, "scale"), scale, why, is_offered=True)
        if _is_turned(rows):
            # A distance, by its name too, is lower for targets; of anything else it is not known.
            is_distance = has_word(column, DISTANCES)
            why = "targets have lower scores: do higher scores favour non-targets?"
            trail = ("models", model, "higher_is")
            yield Line(trail, "nontarget", why, is_open=True, is_offered=not is_distance)
    if ratios and len(ratios) == len(by_model):
        yield Line(PRIMARY, {"measure": "cllr"}, "the cost of log likelihood ratios")
        yield Line(("curves",), ["tippett", "cross_entropy"], "of likelihood ratios; and roc, det, ape, ...")


def _ratio(column: str, scores: Sequence[str]) -> str | None:
    """Return the scale of log likelihood ratios that a column's name shows; None where it shows none."""
    name = "_".join(words(column))
    if LOG10_RATIO.search(name):
        return "log10_llr"
    if LLR_TEN.search(name):
        # llr_10 next to llr_9 is a tenth model.
        numbers = [each for each in scores if LLR_NUMBER.search("_".join(words(each)))]
        return "log10_llr" if numbers == [column] else "llr"
    return "llr" if LOG_RATIO.search(name) else None


def _is_turned(rows: pl.DataFrame) -> bool:
    """Return whether targets have clearly lower scores: by a quarter of the standard deviation."""
    target, others = rows.filter("target")["score"], rows.filter(~pl.col("target"))["score"]
    if not (len(target) and len(others)):
        return False
    low = target.to_numpy().mean() - others.to_numpy().mean()
    return bool(low < -rows["score"].to_numpy().std() / 4)


def _weights(table: SampleTable) -> Iterator[Line]:
    used = [*table.roles.values(), *table.scores]
    column = next((each for each in table.columns if is_weight(each) and each not in used), None)
    if "trial" in table.roles and "stratum" in table.roles:
        weights = dict.fromkeys(table.roles["stratum"].values, 1)
        why = f"what trials of each stratum weigh; column {quoted(table.roles['stratum'].name)}"
        yield Line(("trials", "weights", "stratum"), weights, why, is_offered=True)
    elif column is not None:
        why = "does a row count as much as its weight? rates are then those of a population"
        yield Line(("trials", "weights", "column"), column.name, why, is_open=True, is_offered=True)


def _breakdowns(table: SampleTable) -> Iterator[Line]:
    if "trial" not in table.roles:
        return
    likely = [column for column in breakdowns(table.columns, table.roles) if column not in table.scores]
    if likely:
        yield by_line([column.name for column in likely])


def by_line(columns: Sequence[str]) -> Line:
    """Offer breakdowns by columns."""
    return Line(("by",), list(columns), "breakdowns by columns; a list in it is a crossing", is_offered=True)
