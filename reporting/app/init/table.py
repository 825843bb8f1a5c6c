"""A sample of a table: which column is which, and whether it can be trials at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import polars as pl

from reporting.app.init.class_labels import ONE_VS_REST, TWO, class_of_trials, label_of_classes
from reporting.app.init.columns import (
    DEV,
    MODALITIES,
    NESTED,
    TRAIN,
    Given,
    Roles,
    SampleColumn,
    class_pair,
    columns_of,
    has_word,
    is_decision,
    is_key,
    label_candidates,
    labels_differ,
    missing_key,
    plain,
    rank,
    roles_of,
    rows_of,
    score_by_contents,
    score_columns,
    unclaimed,
)
from reporting.app.init.evidence import (
    OF_TRUTH,
    LabelEvidence,
    evidence_of,
    is_largest,
    is_prediction,
    models_of_classes,
    names_class,
    of_predicted_class,
    one_model,
    questions_of_their_own,
    same_values,
)
from reporting.app.init.labels import KINDS, OF_SPOOFS, SPOOF, TARGET, higher_for, kind_lines, label_lines
from reporting.app.init.lines import Line, column_line
from reporting.base.legible import counted
from reporting.base.records import dataclass, field, replace
from reporting.errors import DataError, listed, quoted
from reporting.inputs.layouts.raw import is_plain
from reporting.inputs.spec import TRUE_WORDS

NEEDED = (
    "a trial table has a label of two values, such as target and nontarget, and a score, a number, higher for"
    " targets; one row per trial and model, where a column names the model, or one row per trial, with one"
    " column of scores per model"
)


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
    nested: tuple[str, ...] = ()
    """Its columns of lists and objects, which are not read."""

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
        """The columns of scores of a table that names no models.

        The probabilities of all classes come before the confidence in one of them, and before other names
        where they are called by their classes.
        """
        if "score" in self.given:
            return [column for column in self.columns if column.name in self.given["score"]]
        by_name = score_columns(self.columns, self.roles)
        if not self._may_have_classes:
            return by_name
        used = [column for role, column in self.roles.items() if role != "score"]
        label = self.roles["label"]
        classes = one_model([each for each in self.columns if each.is_fractional and each not in used], label)
        if not classes:
            return by_name
        largest = [column for column in by_name if column not in classes and is_largest(column, classes)]
        called = all(any(names_class(each.name, text) for each in classes) for text in label.values)
        if not (largest or called):
            return by_name
        return [*classes, *(column for column in by_name if column not in [*classes, *largest])]

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

    @cached_property
    def classes_of_row(self) -> tuple[SampleColumn, ...]:
        """The columns of scores of three classes or more, in a table of a row per model."""
        if not self.roles.keys() >= {"model", "label", "score"} or "score" in self.given:
            return ()
        classes = classes_of_row(self.columns, self.roles)
        return classes if len(classes) > TWO and self.roles["score"] in classes else ()

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
        if "label" in self.given or any(line.trail == ONE_VS_REST for line in self.notes):
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
        return kind_lines(label, scores[0], self.countermeasures[0]) if is_guess else lines


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
    of_one = class_of_trials(columns) if not given and target is None else None
    if of_one is not None:  # each label is of one class against the rest
        columns = of_one.among(columns)
    roles = roles_of(columns, given if of_one is None else {"label": [of_one.truth.name]})
    if "label" not in roles:
        roles |= label_of_classes(columns, roles)
    roles, notes = _with_whole_key(columns, roles, None if of_one is None else of_one.kind)
    if of_one is not None:
        notes = [*notes, of_one.line]
    if len(given.get("score", ())) > 1:  # each is of a model
        roles.pop("model", None)
    if "model" in roles and "score" not in roles:
        roles |= score_by_contents(columns, roles)
    if roles.keys() >= {"model", "label", "score"} and "score" not in given:
        classes = classes_of_row(columns, roles)
        roles |= {"score": _of_target(classes, roles["label"])} if roles["score"] in classes else {}
    notes += _misleading(samples, columns, roles)
    notes += _idle(columns, roles)
    nested = dict.fromkeys(
        name for each in samples for name, kind in each.schema.items() if not is_plain(kind)
    )
    table = SampleTable(name, columns, roles, rows.height, tuple(notes), given, tuple(nested))
    label = roles.get("label")
    if target is not None and label is not None and label.target is None:
        raise DataError(
            f"{name}: pos_label: {quoted(target)} is no label of column {quoted(label.name)}"
            f" (labels: {listed(map(quoted, label.values), 8)})"
        )
    return _turned_to_target(table) if "label" in given else _with_event(table)


def classes_of_row(columns: Sequence[SampleColumn], roles: Roles) -> tuple[SampleColumn, ...]:
    """Return the columns of scores that are the probabilities of the classes; a row is of one model."""
    numbers = [roles["score"], *(each for each in unclaimed(columns, roles) if each.is_fractional)]
    return one_model(numbers, roles["label"])


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
    """Return which of the probabilities of all classes is that of the target.

    By its name, else the one that is higher for targets than for others.
    """
    named = [line.value for line in label_lines(label) if line.trail == TARGET]
    target = named[0] if named else next((it for it in label.values if it in TRUE_WORDS), label.values[-1])
    mine = [column for column in classes if names_class(column.name, target)]
    if len(mine) == 1:
        return mine[0]
    return max(classes, key=lambda column: higher_for(target, label, column))


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
            yield column_line(
                ours, "none", f"{counted(column.n_missing, 'row has', 'rows have')} no {ours}: fill in?", True
            )
    split = roles.get("split")
    if split is not None and len(split.values) == 1 and split.values[0].lower() in (*DEV, *TRAIN):
        del roles["split"]
        if split.name == "split":
            why = f"{quoted(split.values[0])} is the only split: is it what is reported on?"
            yield column_line("split", "none", why, True)


def _with_whole_key(
    columns: Sequence[SampleColumn], by_name: Roles, kind: SampleColumn | None
) -> tuple[dict[str, SampleColumn], list[Line]]:
    """Where trials repeat, look for what else is part of their key, or for the class of a row, ``kind``."""
    roles = dict(by_name)
    if "trial" not in roles:
        return roles, []
    trial = roles["trial"]
    key = [roles[name] for name in ("model", "run", "dataset", "split") if name in roles]
    if is_key([*key, trial]):
        return roles, []
    if (kind := kind or _class_of_scores(columns, roles, [*key, trial])) is not None:
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
        return roles, [_no_key(trial, why)]
    if not further and (twice := _few_twice([*key, trial])):
        # Duplicates, and no key that is none: check names them.
        return roles, [column_line("trial", trial.name, f"{repeats}: {twice}", True)]
    if not further:
        del roles["trial"]
        why = f"{repeats}, and no column distinguishes such rows: what names a trial?"
        return roles, [_no_key(trial, why)]
    return _with_further(roles, further, repeats)


def _with_further(
    roles: dict[str, SampleColumn], further: dict[str, SampleColumn], repeats: str
) -> tuple[dict[str, SampleColumn], list[Line]]:
    """Add the columns that distinguish rows of a trial, and ask about them."""
    roles |= further
    if further.keys() == {"model", "dataset"} and not _are_crossed(*further.values()):
        names = listed(quoted(column.name) for column in further.values())
        raise DataError(
            f"{repeats}, but not within {names}: where both name a model, join them into one column, model;"
            " where one names datasets, each of them needs every model"
        )
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


def _are_crossed(first: SampleColumn, second: SampleColumn) -> bool:
    """Return whether each value of a column occurs with each one of another."""
    return rows_of([first, second]).unique().height == len(first.values) * len(second.values)


FEW_TWICE = 0.1
"""Share of rows up to which keys that occur more than once are duplicates."""


def _few_twice(key: Sequence[SampleColumn]) -> str:
    """Ask about the rows of keys that occur more than once, where they are few; else empty."""
    rows = rows_of(key)
    twice = rows.filter(rows.is_duplicated())
    if twice.height > FEW_TWICE * rows.height:
        return ""
    keys = twice[key[-1].name].unique(maintain_order=True)
    return (
        f"are rows of {listed(map(quoted, keys), 3)} duplicates? remove them, or name what distinguishes them"
    )


def _no_key(trial: SampleColumn, why: str) -> Line:
    """Return the question of a column that names no trials; one of our own name is read unless it is none."""
    is_named_so = trial.name == "trial"
    return column_line("trial", "none" if is_named_so else trial.name, why, True, not is_named_so)


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


OF_QUESTIONS = "columns are questions with an outcome each"
ROW_PER_QUESTION = (
    "not models of one outcome; write a row per question and trial (dataset, trial, label, score), or a table"
    " of each"
)


def check_trials(table: SampleTable) -> None:
    """Raise DataError where a table has no rows, no label or no score."""
    if not table.n_rows:
        raise DataError(f"{table.name}: it has no rows; {NEEDED}")
    by_name = any(rank(column.name, "score") is not None for column in table.scores)
    has_label = table.has_label and (
        by_name
        or "label" in table.given
        or bool(table.models_of_classes or table.classes_of_row)
        or len(table.of_classes) > TWO
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
    if len({*several.values()}) > 1:
        shown = listed((f"{quoted(score)} with {quoted(label)}" for score, label in several.items()), 3)
        raise DataError(f"{table.name}: {OF_QUESTIONS} ({shown}), {ROW_PER_QUESTION}")
    for score, predicted in table.confidences:
        if predicted is not None:  # of several scores
            raise DataError(
                f"{table.name}: no {quoted(score.name)} is below 0.5, and {quoted(predicted.name)} names a"
                f" class: it is the confidence in the class that was predicted, not in the target; write"
                " a row per trial and model with one column of both, or show the probability of one class"
                f" (found: {columns})"
            )


def _ways_out(table: SampleTable, has_label: bool) -> str:
    nested = [*table.nested, *(column.name for column in table.columns if column.kind == NESTED)]
    if nested:
        verb = "holds" if len(nested) == 1 else "hold"
        return f"; {listed(map(quoted, nested), 3)} {verb} lists or objects: write each value into a column"
    decisions = [
        quoted(column.name)
        for column in table.columns
        if len(column.values) == 2 and is_decision(column.name)
    ]
    if not has_label and decisions:
        return f"; {listed(decisions, 3)} is what a system decided, by its name, not the truth"
    if has_label and decisions and not table.scores:
        return f"; {listed(decisions, 3)} is a decision in words: write 1 where it is the target, else 0"
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
