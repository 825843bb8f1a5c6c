"""The keys that a sample of a table needs, and those that it may have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from reporting.app.config.plan import MOST_IN_PAIRS
from reporting.app.init.class_labels import TWO
from reporting.app.init.columns import (
    AMONG_OTHERS,
    FEW,
    TIMES,
    SampleColumn,
    belongs_to_trials,
    breakdowns,
    class_pair,
    has_word,
    is_weight,
    like_cluster,
    like_stratum,
    rank,
    second_cluster,
    shares_nothing,
    unclaimed,
)
from reporting.app.init.evidence import names_class, same_values
from reporting.app.init.labels import NONTARGET, SPOOF, TARGET
from reporting.app.init.lines import Line, column_line
from reporting.app.init.scales import scale_lines
from reporting.app.init.splits import POLICY, PRIMARY, fixed_class_lines, most_folds, split_lines
from reporting.app.init.table import SampleTable
from reporting.base.legible import counted
from reporting.errors import listed, quoted
from reporting.inputs.spec import TRUE_WORDS

READERS = ("reader", "rater", "observer")


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
    folds = most_folds(table, table.roles.get("cluster" if has_clusters else "trial"))
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
    decided = [column.name for column in table.scores if column.is_decided]
    scales = list(decision_lines(lines)) if decided else list(scale_lines(table, models))
    if any(line.trail == PRIMARY for line in scales):
        lines = [line for line in lines if line.trail not in {each.trail for each in scales}]
    lines += scales
    if not has_clusters:
        lines += fixed_class_lines(table)
    return [
        *lines,
        *_several_classes(table, models),
        *_learning(table),
        *_weights(table),
        *_breakdowns(table, layout),
    ]


OF_DECISIONS = (
    "is {} a decision of 0 and 1? it is judged as it is; a score behind it shows other thresholds too"
)
"""The question about scores of two values."""


def decision_lines(lines: Collection[Line]) -> Iterator[Line]:
    """Say what decisions are judged by: a threshold between their two values; no other is chosen."""
    judged = {"measure": "balanced_accuracy", "criterion": "fixed(threshold=0.5)"}
    yield Line(PRIMARY, judged, "of the decisions, 0 and 1; or accuracy, f1, mcc, ...")
    if any(line.trail == POLICY for line in lines):
        yield Line(POLICY, "none", "decisions have no threshold to choose")


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


def _wide(table: SampleTable, models: Mapping[str, str]) -> Iterator[Line]:
    yield Line(("trials", "layout"), "wide", "one row per trial, one column of scores per model")
    names = [column.name for column in table.columns]
    if "model" in names and "model" not in models.values():
        free = "system" if "system" not in names else "system_of_scores"
        why = "is 'model' one side of pairs, such as an enrolled speaker? the same trials differ in the label"
        yield column_line("model", free, why, True)
    left = _other_numbers(table, list(models.values()))
    by_name = "score" in table.given or all(rank(column, "score") is not None for column in models.values())
    if len(models) == 1:
        score = table.scores[0].name
        why = f"the model's name is a guess{left}" if by_name else f"is {quoted(score)} the score?{left}"
        if table.of_classes:
            columns = listed((quoted(column.name) for column in table.of_classes), 3)
            why = f"{columns} add up to 1: classes of one model; is {quoted(score)} that of the target?"
            by_name = names_target(table, score)
        elif table.scores[0].is_decided and "score" not in table.given:
            why, by_name = OF_DECISIONS.format(quoted(score)), False
        elif by_name and (shares := _other_shares(table)):
            verb = "holds" if len(shares) == 1 else "hold"
            why = f"is {quoted(score)} alone the score of a model? {listed(shares, 3)} {verb} shares too"
            by_name = False
        if table.countermeasures:
            others = listed(quoted(column.name) for column in table.countermeasures)
            why = (
                f"{others} separates spoofs from the rest and is no rival of {quoted(score)}: is there a"
                " joint score of both? it would be judged on all three kinds of trials"
            )
            by_name = False
        yield Line(("trials", "scores"), dict(models), why, is_open=not by_name)
    else:
        is_asked = not by_name and (len(models) > MOST_IN_PAIRS or bool(left))
        why = "are these scores of models, all of them?" if is_asked else counted(len(models), "model")
        if not is_asked and "score" not in table.given and (doubt := _doubt_of_scores(table)):
            is_asked, why = True, doubt
        if any(line.trail == SPOOF for line in table.label_lines):
            is_asked = True
            why = (
                "rival systems, or speaker verification and countermeasure of one? its joint score is needed"
            )
        named = {name: column for name, column in models.items() if name != column}
        yield Line(("trials", "scores"), models if named else list(models), why + left, is_open=is_asked)


def _other_shares(table: SampleTable) -> list[str]:
    """Return the columns of shares next to a score that is one by a word among others of its name."""
    (score,) = table.scores
    if "score" in table.given or not _is_share(score) or (rank(score.name, "score") or 0) < AMONG_OTHERS:
        return []
    free = [
        each for each in unclaimed(table.columns, table.roles) if each not in [score, *table.other_classes]
    ]
    return [quoted(each.name) for each in free if _is_share(each) and not is_weight(each)]


def _is_share(column: SampleColumn) -> bool:
    """Return whether a column holds numbers between 0 and 1, and not these two alone."""
    return column.is_fractional and bool(column.numbers.drop_nulls().is_between(0, 1).all())


def _doubt_of_scores(table: SampleTable) -> str:
    """Ask about columns of scores that may be inputs of a model, or the other class; else empty."""
    shares = [quoted(each.name) for each in table.scores if _is_share(each)]
    others = [quoted(each.name) for each in table.scores if not _is_share(each)]
    decided = [quoted(each.name) for each in table.scores if each.is_decided]
    doubts = [OF_DECISIONS.format(listed(decided, 3))] if decided else []
    trained = [
        quoted(each.name) for each in table.scores if has_word(each.name, (*FOLD_WORDS, *TRAINING_WORDS))
    ]
    if len(trained) > 1:
        doubts.append(
            f"are {listed(trained, 3)} trainings of one model? then write a row per trial and training, with"
            " the column run"
        )
    if shares and others:
        verb, ask = ("is", "is it a score") if len(others) == 1 else ("are", "are they scores")
        scale = f"{verb} on another scale than {listed(shares, 2)}"
        doubts.append(f"{listed(others, 3)} {scale}: {ask} of a model too, or an input?")
    of_target = [each.name for each in table.of_classes if each in table.scores]
    if of_target and not names_target(table, of_target[0]):
        columns = listed((quoted(each.name) for each in table.of_classes), 3)
        doubts.append(f"{columns} add up to 1: is {quoted(of_target[0])} that of the target?")
    by_value = [
        [c.name for c in table.scores if names_class(c.name, text)] for text in table.roles["label"].values
    ]
    if len(by_value) == len(table.scores) == len({each[0] for each in by_value if len(each) == 1}):
        columns = listed((quoted(each[0]) for each in by_value), 3)
        doubts.append(
            f"are {columns}, called by the labels, of one model? then its score is their difference: write it"
            " into a column"
        )
    return "; ".join(doubts)


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
    """Ask about a label that may be none, a score that no name shows, and systems without a shared trial."""
    if ours in ("label", "predicted") and table.evidence.grade == "asked":
        return table.evidence.why
    if ours == "model" and "model" not in table.given and (trial := table.roles.get("trial")) is not None:
        return _doubt_of_systems(column, trial)
    if ours != "score" or "score" in table.given:
        return ""
    if table.classes_of_row:
        of_all = listed((quoted(each.name) for each in table.classes_of_row), 3)
        return (
            f"{of_all} add up to 1: is {quoted(column.name)} the column of the target? the question of all"
            " classes (key classes) takes a row for each class, or a column for each model and class"
        )
    if column.is_decided:
        return OF_DECISIONS.format(quoted(column.name))
    if rank(column.name, "score") is None:
        return f"is {quoted(column.name)} the score?{_other_numbers(table, [column.name])}"
    return ""


def _doubt_of_systems(model: SampleColumn, trial: SampleColumn) -> str:
    """Ask whether a column names systems, where no two of its values have a trial in common."""
    if len(model.values) < 2 or not shares_nothing(model, trial):
        return ""
    return (
        f"no value of {quoted(trial.name)} occurs with two of {quoted(model.name)}: does it name systems, or"
        " something of the trials, such as who was enrolled? of one system write model: none"
    )


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
    noun = first.name.removesuffix("_id")
    named = [Line(("trials", "clusters", "name"), noun, "what a page calls one", is_offered=True)]
    line = column_line("cluster", first.name, f"resampled as one unit; {first.summary}")
    return [line, *(named if noun not in ("", first.name) else [])], False


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
        why = (
            f"{counted(scores, 'score is', 'scores are')} missing: drop the trial for all models, or"
            " reject (failure to acquire)?"
        )
        yield Line(("trials", "missing"), "drop", why, is_open=True)
    labels = table.roles["label"].n_missing if table.has_label else 0
    if labels:
        why = f"{counted(labels, 'row has', 'rows have')} no label: shall they be left out?"
        yield Line(("trials", "unlabelled"), "drop", why, is_open=True)


def model_lines(models: Sequence[str]) -> Iterator[Line]:
    """Offer a baseline."""
    if len(models) > 1:
        many = f"the {len(models)} models are ranked"
        without = many if len(models) > MOST_IN_PAIRS else f"all pairs of {listed(map(quoted, models), 5)}"
        yield Line(
            ("baseline",), models[0], f"compare the others with it; left out: {without}", is_offered=True
        )


def _weights(table: SampleTable) -> Iterator[Line]:
    used = [*table.roles.values(), *table.scores]
    column = next((each for each in table.columns if is_weight(each) and each not in used), None)
    stratum = table.roles.get("stratum") or like_stratum(
        [each for each in table.columns if each not in used and each is not column],
        weighted=column is not None,
    )
    stratum = stratum if "trial" in table.roles else None
    if stratum is not None:
        why = f"was a fixed number of clusters, or trials, drawn from each {quoted(stratum.name)}?"
        why += " limits are then made within strata"
        yield Line(
            ("trials", "columns", "sampling_stratum"), stratum.name, why, is_open=True, is_offered=True
        )
    if stratum is not None and "stratum" in table.roles and column is None:
        weights = dict.fromkeys(stratum.values, 1)
        why = f"what trials of each stratum weigh; column {quoted(stratum.name)}"
        yield Line(("trials", "weights", "stratum"), weights, why, is_offered=True)
    elif column is not None:
        why = "does a row count as much as its weight? rates are then those of a population"
        yield Line(("trials", "weights", "column"), column.name, why, is_open=True, is_offered=True)


def _breakdowns(table: SampleTable, layout: str) -> Iterator[Line]:
    if "trial" not in table.roles and (layout != "wide" or "count" in table.roles):
        return
    likely = [column for column in breakdowns(table.columns, table.roles) if column not in table.scores]
    if likely:
        yield by_line([column.name for column in likely])


def by_line(columns: Sequence[str]) -> Line:
    """Offer breakdowns by columns."""
    return Line(("by",), list(columns), "breakdowns by columns; a list in it is a crossing", is_offered=True)
