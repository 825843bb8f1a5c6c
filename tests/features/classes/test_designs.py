"""Classes without trials, differences of models, runs, clusters, and scores that are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
from reading import every_block

from reporting.core.resampling.design import Design
from reporting.core.stats.effective_size import wilson_limits
from reporting.document.blocks import Caution, Figure, Prose, Table
from reporting.document.frames.metrics import METRICS
from reporting.errors import DataError, ReportingError
from reporting.features.classes.frame import CALIBRATION, CLASSES, CONFUSION, DIFFERENCES, ClassRow
from reporting.features.classes.measured import OfClasses, over_readers, paired_readers
from reporting.features.compose import compose
from reporting.features.sections import SECTIONS
from tests.build import Built, build

LABELS = ("a", "b", "c")
CONFIG = """
trials:
  source: trials.parquet
  layout: wide
  scores: {m: m_a, n: n_a}
  values: {target: a, nontarget: rest}
MORE
thresholds: {policy: none}
primary: {measure: auc}
measures: [auc]
classes: {labels: [a, b, c], scores: "{model}_{class}"}
"""


def table(trials: int = 60, noise: float = 0.05, **columns: Any) -> pl.DataFrame:
    """Return trials of three classes and two models that differ by some noise, with ties."""
    draw = np.random.default_rng(8)
    truth = np.arange(trials) % 3
    logit = draw.normal(0, 1, (trials, 3)) + np.eye(3)[truth]
    scores = {}
    for model, more in (("m", 0.0), ("n", noise)):
        p = np.exp(logit + more * draw.normal(0, 1, (trials, 3)))
        p = np.round(p / p.sum(axis=1, keepdims=True), 2)
        scores |= {f"{model}_{label}": p[:, at] for at, label in enumerate(LABELS)}
    trial = [f"t{at:03}" for at in range(trials)]
    return pl.DataFrame({"trial": trial, "label": [LABELS[at] for at in truth], **scores, **columns})


def built_of(rows: pl.DataFrame, folder: Path, more: str = "", config: str = CONFIG) -> Built:
    return build(folder, rows, config.replace("MORE", more), "significance.replicates=199")


def by_name(built: Built, model: str = "m") -> dict[tuple[str, str, str | None], ClassRow]:
    rows = built.rows(CLASSES)
    return {(row.measure, row.average, row.label): row for row in rows if row.model == model}


def test_means_leave_out_a_class_without_trials(tmp_path: Path) -> None:
    rows = table().filter(pl.col("label") != "c")
    values = by_name(built_of(rows, tmp_path))
    empty = values["auc", "class", "c"]
    assert (empty.value, empty.ci_low, empty.status, empty.trials) == (None, None, "no_targets", 0)
    of_both = [values["auc", "class", label].value or 0.0 for label in "ab"]
    assert values["auc", "macro", None].value == pytest.approx(np.mean(of_both), abs=1e-12)
    assert {row.label for row in built_of(rows, tmp_path).rows(CONFUSION)} == {"a", "b"}


def test_a_group_of_one_class_has_limits_of_what_has_a_value(tmp_path: Path) -> None:
    rows = table(180).with_columns(
        site=pl.when(pl.col("label") == "a").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    config = CONFIG.replace('scores: "{model}', 'measures: [hter, jaccard], scores: "{model}')
    built = built_of(rows, tmp_path, "by: [site]", config)
    there = [row for row in built.rows(CLASSES) if row.group == "site=x" and row.model == "m"]
    for row in there:
        if row.measure in ("hter", "jaccard", "f1"):
            is_defined = row.value is not None
            assert (row.ci_low is not None, row.ci_high is not None) == (is_defined, is_defined), row
            assert is_defined or row.status in ("no_targets", "no_nontargets")
    # TP / (TP + FP + FN) of all pairs, n of 60 decisions right: n / (120 - n) rises with the share n / 60.
    of = {(row.measure, row.average): row for row in there if row.label is None}
    right, micro = of["accuracy", "micro"], of["jaccard", "micro"]
    for share, limit in (
        (right.value, micro.value),
        (right.ci_low, micro.ci_low),
        (right.ci_high, micro.ci_high),
    ):
        assert share is not None
        assert limit == pytest.approx(share / (2 - share), abs=0.03)


def test_differences_are_paired_over_trials(tmp_path: Path) -> None:
    built = built_of(table(), tmp_path)
    both = [by_name(built, model)["auc", "macro", None] for model in ("n", "m")]
    row = next(r for r in built.rows(DIFFERENCES) if (r.measure, r.average) == ("auc", "macro"))
    assert (row.model, row.baseline) == ("n", "m")
    assert row.difference == pytest.approx((both[0].value or 0) - (both[1].value or 0), abs=1e-12)
    assert row.ci_low is not None and row.ci_high is not None  # noqa: PT018
    # Models that share nearly all of their noise: the difference is known far better than either value.
    assert row.ci_high - row.ci_low < ((both[0].ci_high or 0) - (both[0].ci_low or 0)) / 3


def test_p_values_are_adjusted_over_the_pairs_of_models(tmp_path: Path) -> None:
    rows = table().with_columns(
        **{f"o_{label}": pl.col(f"m_{label}").shuffle(seed=2) for label in LABELS}  # unlike m and n
    )
    built = built_of(rows, tmp_path, config=CONFIG.replace("n: n_a", "n: n_a, o: o_a"))
    pairs = [row for row in built.rows(DIFFERENCES) if (row.measure, row.average) == ("auc", "macro")]
    p = sorted(row.p_value or 0 for row in pairs)
    stepped = np.minimum(np.maximum.accumulate([3 * p[0], 2 * p[1], p[2]]), 1)
    assert sorted(row.p_adjusted or 0 for row in pairs) == pytest.approx(stepped)
    assert {(row.correction, row.family_size) for row in pairs} == {("holm", 3)}


def test_two_equal_models_do_not_differ(tmp_path: Path) -> None:
    rows = built_of(table(noise=0.0), tmp_path).rows(DIFFERENCES)
    assert {(row.difference, row.p_value) for row in rows} == {(0.0, 1.0)}


def test_several_runs_are_averaged(tmp_path: Path) -> None:
    rows = table()
    other = rows.with_columns(pl.col("m_a").reverse(), run=pl.lit("2"))
    together = pl.concat([rows.with_columns(run=pl.lit("1")), other])
    runs = [
        by_name(built_of(part.drop("run"), tmp_path / name))
        for name, part in (("1", rows.with_columns(run=pl.lit("1"))), ("2", other))
    ]
    mean = by_name(built_of(together, tmp_path / "both"))
    for key in (
        ("auc", "macro", None),
        ("accuracy", "micro", None),
        ("recall", "class", "b"),
        ("auc", "micro", None),
    ):
        assert mean[key].value == pytest.approx(np.mean([of[key].value for of in runs]), abs=1e-12), key
    matrix = built_of(together, tmp_path / "both").rows(CONFUSION)
    assert sum(row.trials for row in matrix if row.model == "m") == 120
    assert {row.ci_low for row in matrix} == {None}


def test_a_trial_that_lacks_the_score_of_one_class_is_dropped(tmp_path: Path) -> None:
    rows = table()
    holed = rows.with_columns(n_c=pl.when(pl.col("trial") == "t004").then(None).otherwise("n_c"))
    first = by_name(built_of(holed, tmp_path / "holed", "  missing: drop"))
    other = by_name(built_of(rows.filter(pl.col("trial") != "t004"), tmp_path / "whole"))
    assert {key: (row.value, row.ci_low) for key, row in first.items()} == {
        key: (row.value, row.ci_low) for key, row in other.items()
    }


def test_clusters_are_resampled_whole(tmp_path: Path) -> None:
    """Trials that are written four times over, as clusters: limits are about those of single ones."""
    rows = table(90)
    four = pl.concat([rows.with_columns(pl.col("trial") + f"-{copy}", speaker="trial") for copy in range(4)])
    alone = by_name(built_of(rows, tmp_path / "alone"))
    config = CONFIG.replace("layout: wide", "layout: wide\n  columns: {cluster: speaker}")
    clustered = by_name(built_of(four, tmp_path / "four", config=config))
    for key in (
        ("auc", "macro", None),
        ("accuracy", "micro", None),
        ("auc", "class", "a"),
        ("f1", "macro", None),
    ):
        one, four_fold = alone[key], clustered[key]
        assert four_fold.value == pytest.approx(one.value, abs=1e-12)
        wide = [(row.ci_high or 0) - (row.ci_low or 0) for row in (one, four_fold)]
        assert 0.85 < wide[1] / wide[0] < 1.2, key


def test_a_long_table_gives_the_numbers_of_a_wide_one(tmp_path: Path) -> None:
    """A row for each trial, model and class: the rows of the target are the trials of the other questions."""
    rows = table()
    wide = built_of(rows, tmp_path / "wide")
    long = rows.unpivot(index=["trial", "label"], variable_name="name", value_name="score").with_columns(
        model=pl.col("name").str.slice(0, 1), kind=pl.col("name").str.slice(2)
    )
    config = """
    trials: {source: trials.parquet, values: {target: a, nontarget: rest}}
    thresholds: {policy: none}
    primary: {measure: auc}
    measures: [auc]
    classes: {labels: [a, b, c], column: kind}
    """
    built = built_of(
        long.drop("name").sample(fraction=1.0, shuffle=True, seed=3), tmp_path / "long", config=config
    )
    for name in ("classes", "class_differences", "confusion_matrix", "class_calibration", "metrics"):
        assert built.frames[name].equals(wide.frames[name], null_equal=True), name


def test_groups_are_reports_of_their_own_trials(tmp_path: Path) -> None:
    """Every number of a group, with its limits, is that of a table of the group alone."""
    site = ["north" if at % 5 < 3 else "south" for at in range(90)]
    rows = table(90, site=site)
    built = built_of(rows, tmp_path / "all", "by: [site]")
    for frame in (CLASSES, DIFFERENCES, CONFUSION, CALIBRATION):
        of_whole = built_of(rows, tmp_path / "whole").frames[frame.name]
        assert built.frames[frame.name].filter(group="").equals(of_whole, null_equal=True)
        for name in ("north", "south"):
            alone = built_of(rows.filter(site=name), tmp_path / name).frames[frame.name]
            own = built.frames[frame.name].filter(group=f"site={name}")
            assert len(own)
            assert own.drop("group").equals(alone.drop("group"), null_equal=True), (frame.name, name)
    section = SECTIONS["classes"].write(built.results)
    assert section is not None
    of = {block.name: block for block in section.blocks if isinstance(block, Table)}
    assert [title for _, title in of["classes_groups"].row_groups] == ["site=north", "site=south"]
    assert [title for _, title in of["classes_group_differences"].row_groups] == ["site=north", "site=south"]
    assert not any(
        "group" in name
        for name in of
        if name not in ("classes_groups", "classes_between_groups", "classes_group_differences")
    )


def test_a_group_of_one_class_has_no_areas(tmp_path: Path) -> None:
    rows = table().with_columns(
        kind=pl.when(pl.col("label") == "c").then(pl.lit("c")).otherwise(pl.lit("ab"))
    )
    built = built_of(rows, tmp_path, "by: [kind]")
    of_c = {
        (row.measure, row.average, row.label): row for row in built.rows(CLASSES) if row.group == "kind=c"
    }
    assert of_c["auc", "macro", None].value is None
    assert of_c["auc", "class", "c"].status == "no_nontargets"
    assert of_c["recall", "macro", None].value == of_c["recall", "class", "c"].value
    assert compose(built.results)


def one_vs_rest(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each trial, model and class, labelled 1 where it is the class of the trial, else 0."""
    long = rows.unpivot(index=["trial", "label"], variable_name="name", value_name="score").with_columns(
        model=pl.col("name").str.slice(0, 1), kind=pl.col("name").str.slice(2)
    )
    return long.drop("name").with_columns(label=(pl.col("label") == pl.col("kind")).cast(pl.Int64))


OF_ONE = """
trials: {source: trials.parquet, values: {target: a, nontarget: rest}}
thresholds: {policy: none}
primary: {measure: auc}
measures: [auc]
classes: {labels: [a, b, c], column: kind, one_vs_rest: 1}
"""


def test_a_table_of_one_class_against_the_rest_gives_the_numbers_of_a_wide_one(tmp_path: Path) -> None:
    rows = table()
    wide = built_of(rows, tmp_path / "wide")
    long = one_vs_rest(rows).sample(fraction=1.0, shuffle=True, seed=3)
    labels = {
        "numbers": pl.col("label"),
        "truths": pl.col("label") == 1,
        "decimals": pl.col("label").cast(pl.Float64),
    }
    for name, label in labels.items():
        config = OF_ONE.replace("one_vs_rest: 1", "one_vs_rest: true") if name == "truths" else OF_ONE
        built = built_of(long.with_columns(label=label), tmp_path / name, config=config)
        for frame in ("classes", "class_differences", "confusion_matrix", "class_calibration", "metrics"):
            assert built.frames[frame].equals(wide.frames[frame], null_equal=True), (name, frame)


def test_a_trial_of_two_classes_or_of_none(tmp_path: Path) -> None:
    long = one_vs_rest(table())
    of_first = pl.col("trial") == "t000"
    both = long.with_columns(label=pl.when(of_first).then(1).otherwise("label"))
    with pytest.raises(
        DataError, match="trial 't000' has the label '1' with 3 classes; a trial has one class"
    ):
        built_of(both, tmp_path / "both", config=OF_ONE).rows(CLASSES)
    with pytest.raises(DataError, match="no row has the label 'yes' .classes.one_vs_rest"):
        built_of(long, tmp_path / "yes", config=OF_ONE.replace("one_vs_rest: 1", "one_vs_rest: 'yes'")).rows(
            CLASSES
        )
    none = long.with_columns(label=pl.when(of_first).then(0).otherwise("label"))
    with pytest.raises(ReportingError, match="label"):
        built_of(none, tmp_path / "none", config=OF_ONE).rows(CLASSES)
    unlabelled = built_of(
        none, tmp_path / "dropped", config=OF_ONE.replace("rest}}", "rest}, unlabelled: drop}")
    )
    alone = built_of(table().filter(pl.col("trial") != "t000"), tmp_path / "alone")
    assert unlabelled.frames["classes"].equals(alone.frames["classes"], null_equal=True)


def test_a_bad_row_of_one_class_is_named_by_its_trial(tmp_path: Path) -> None:
    """Its number among the rows of its class is not its place in the file."""
    of_one = (pl.col("trial") == "t007") & (pl.col("kind") == "a")
    rows = one_vs_rest(table()).with_columns(score=pl.when(~of_one).then("score"))
    with pytest.raises(ReportingError, match="first trial 't007' of trials.parquet, trial 't007'"):
        built_of(rows, tmp_path, config=OF_ONE).rows(CLASSES)


def test_the_methods_say_how_classes_are_judged(tmp_path: Path) -> None:
    built = built_of(table(), tmp_path)
    section = SECTIONS["methods"].write(built.results)
    assert section is not None
    text = " ".join(block.text for block in section.blocks if isinstance(block, Prose))
    assert "Several classes: AUC and average precision are of each class against the rest" in text
    assert "weigh them by their trials (weighted)" in text


def test_the_confusion_matrix_has_the_digits_of_recall(tmp_path: Path) -> None:
    """Its diagonal is the recall of each class; without probabilities no column of calibration remains."""
    scores = table().with_columns(cs.float() * 2.0)
    section = SECTIONS["classes"].write(built_of(scores, tmp_path).results)
    assert section is not None
    of = {block.name: block for block in section.blocks if isinstance(block, Table)}
    recall = [column.title for column in of["classes_each"].columns].index("recall")
    printed = [row[recall].text for row in of["classes_each"].rows[:3]]
    diagonal = [row[1 + at].text.split(" ")[0] for at, row in enumerate(of["classes_matrix_1"].rows)]
    assert diagonal == printed
    assert not any("ECE" in note for block in of.values() for note in block.notes)


def test_named_measures_have_a_row_each(tmp_path: Path) -> None:
    """Those of probabilities are left out where scores are none; differences name the macro mean."""
    config = CONFIG.replace('"{model}_{class}"', '"{model}_{class}", measures: [npv, mcc, brier]')
    for scale, titles in ((1.0, ["NPV (%)", "MCC", "Brier score"]), (2.0, ["NPV (%)", "MCC"])):
        built = built_of(table().with_columns(cs.float() * scale), tmp_path / str(scale), config=config)
        section = SECTIONS["classes"].write(built.results)
        assert section is not None
        of = {block.name: block for block in section.blocks if isinstance(block, Table)}
        named = of["classes_named"]
        assert [column.title for column in named.columns] == [
            "measure",
            "macro",
            "weighted",
            "micro",
            *LABELS,
        ]
        assert [row[0].text for row in named.rows] == 2 * titles
        row = by_name(built, "m" if named.row_groups[0][1] == "m" else "n")["npv", "class", "b"]
        assert named.rows[0][5].order == row.value
        assert "macro MCC" in {cells[1].text for cells in of["classes_differences"].rows}
    assert by_name(built)["brier", "macro", None].status == "not_probability"


def test_equally_common_mistakes_are_all_named(tmp_path: Path) -> None:
    rows = table()
    predicted = [
        "a" if trial in ("t001", "t002") else label
        for trial, label in rows.select("trial", "label").iter_rows()
    ]
    right = {f"m_{label}": [float(each == label) for each in predicted] for label in LABELS}
    section = SECTIONS["classes"].write(
        built_of(rows.with_columns(pl.Series(k, v) for k, v in right.items()), tmp_path).results
    )
    assert section is not None
    titles = [block.title for block in section.blocks if isinstance(block, Figure)]
    assert "m most often mistakes b for a and c for a (5.0% of the class)" in titles


def test_classes_of_few_trials_are_cautioned_about(tmp_path: Path) -> None:
    """Resamples of few trials vary too little: means that have limits of them are named."""
    rows, rare = table(), "may be much too narrow: the test set has fewer than"
    few = pl.concat([rows.filter(label="c").head(5), rows.filter(pl.col("label") != "c")])
    asked = CONFIG + "significance: {interval: percentile}\n"
    (caution,) = [each for each in cautions_of(built_of(few, tmp_path / "few", config=asked)) if rare in each]
    assert caution.startswith("CIs of balanced accuracy and other macro means")
    assert "fewer than 20 trials of some classes (5 of c)" in caution
    assert not [
        each for each in cautions_of(built_of(rows, tmp_path / "twenty", config=asked)) if rare in each
    ]
    assert not [each for each in cautions_of(built_of(few, tmp_path / "rates")) if rare in each]
    very_few = few.slice(2)
    (caution,) = [each for each in cautions_of(built_of(very_few, tmp_path / "very_few")) if rare in each]
    assert caution.startswith("CIs of macro AP may be")
    assert "fewer than 5 trials of some classes (3 of c)" in caution


def test_limits_of_means_are_made_of_those_of_classes(tmp_path: Path) -> None:
    """Balanced accuracy: V -+ sqrt(sum of (p - Wilson's limit)^2) / 3, and of F1 Wilson's of its Jaccard index."""
    built = built_of(table(), tmp_path)
    values = by_name(built)
    each, mean = [values["recall", "class", label] for label in LABELS], values["recall", "macro", None]
    assert (mean.ci_method, {row.ci_method for row in each}) == ("square_and_add", {"wilson"})
    down = sum(((row.value or 0) - (row.ci_low or 0)) ** 2 for row in each) ** 0.5 / 3
    up = sum(((row.ci_high or 0) - (row.value or 0)) ** 2 for row in each) ** 0.5 / 3
    value = mean.value or 0
    assert (mean.ci_low, mean.ci_high) == pytest.approx((value - down, value + up), abs=1e-12)
    taken = {(row.label, row.predicted): row.trials for row in built.rows(CONFUSION) if row.model == "m"}
    right = taken["a", "a"]
    union = sum(n for (of, by), n in taken.items() if "a" in (of, by))
    low, high = wilson_limits(right / union, union, 1.959963984540054)
    of_a = values["f1", "class", "a"]
    assert of_a.value == pytest.approx(2 * right / (right + union))
    assert (of_a.ci_low, of_a.ci_high) == pytest.approx(
        (2 * low / (1 + low), 2 * high / (1 + high)), abs=1e-12
    )
    assert values["f1", "macro", None].ci_method == "classes_combined"


def cautions_of(built: Built) -> list[str]:
    return [each.text for each in every_block(compose(built.results), Caution)]


@pytest.mark.parametrize(
    ("ending", "heads"), [("", list("0123456789")), ("th kind", list(map(str, range(1, 11))))]
)
def test_columns_of_the_confusion_matrix_are_numbered_only_where_names_do_not_fit(
    tmp_path: Path, ending: str, heads: list[str]
) -> None:
    labels = [f"{digit}{ending}" for digit in range(10)]
    truth = np.arange(60) % 10
    scores = {f"m_{label}": (truth == (at // 2)).astype(float) for at, label in enumerate(labels)}
    rows = pl.DataFrame(
        {"trial": [f"t{at}" for at in range(60)], "label": [labels[at] for at in truth], **scores}
    )
    config = CONFIG.replace("[a, b, c]", str(labels)).replace("m: m_a, n: n_a", f"m: m_{labels[0]}")
    built = built_of(rows, tmp_path, config=config.replace("target: a", f"target: {labels[0]}"))
    matrix = next(each for each in every_block(compose(built.results), Figure) if "confusion" in each.name)
    assert [head for _, head in matrix.x_axis.ticks] == heads


def read_by(readers: int, noise: float = 1.0, trials: int = 90) -> pl.DataFrame:
    """Return trials of three classes that so many readers judge with either of two models."""
    draw = np.random.default_rng(3)
    truth = np.arange(trials) % 3
    shared = draw.normal(0, 1, (trials, 3)) + 1.2 * np.eye(3)[truth]
    of_readers = []
    for reader in range(readers):
        skill = np.array([0.3 + 0.9 * reader, 0.3 + 0.9 * (2 * reader % 5)])
        own = noise * skill[:, None, None] * draw.normal(0, 1, (2, trials, 3))
        columns = {
            f"{model}_{label}": np.round(shared[:, at] + own[of, :, at] + 0.3 * of * (truth == at), 2)
            for of, model in enumerate("mn")
            for at, label in enumerate(LABELS)
        }
        trial, label = [f"t{at:03}" for at in range(trials)], [LABELS[at] for at in truth]
        of_readers.append(pl.DataFrame({"trial": trial, "label": label, **columns, "run": f"r{reader}"}))
    return pl.concat(of_readers)


READERS = "  runs: reader\n  missing: drop\n"


def test_readers_of_a_class_are_those_of_the_same_question_of_two(tmp_path: Path) -> None:
    """AUC of class a against the rest: value, limits and the analysis of readers and cases of a plain report."""
    classes = by_name(built_of(read_by(4), tmp_path / "classes", READERS))["auc", "class", "a"]
    plain = CONFIG.partition("classes:")[0]
    (row,) = (
        row
        for row in built_of(read_by(4), tmp_path / "plain", READERS, plain).rows(METRICS)
        if (row.model, row.run, row.measure, row.split) == ("m", "mean", "auc", "test")
    )
    assert classes.value == pytest.approx(row.value, abs=1e-12)
    assert (classes.ci_low, classes.ci_high) == pytest.approx((row.ci_low, row.ci_high), abs=1e-12)


def test_means_over_readers_are_wider_than_those_of_these_very_readers(tmp_path: Path) -> None:
    """Readers differ by an error of their own, which seeds leave out; every mean has limits, each difference p."""
    readers, seeds = (
        built_of(read_by(5), tmp_path / how, READERS.replace("reader", how)) for how in ("reader", "seed")
    )
    compared = [
        ("auc", "macro", None),
        ("recall", "macro", None),
        ("f1", "macro", None),
        ("auc", "micro", None),
    ]
    for key in compared:
        wide, narrow = by_name(readers)[key], by_name(seeds)[key]
        assert wide.value == narrow.value
        assert wide.ci_high - wide.ci_low > 1.1 * (narrow.ci_high - narrow.ci_low)
    tested = {(row.measure, row.average): row for row in readers.rows(DIFFERENCES)}
    of_seeds = {(row.measure, row.average): row for row in seeds.rows(DIFFERENCES)}
    for measure, average, _ in compared:
        row, other = tested[measure, average], of_seeds[measure, average]
        assert row.difference == other.difference
        assert row.ci_low < row.difference < row.ci_high
        assert row.ci_high - row.ci_low > other.ci_high - other.ci_low
        assert 0 < row.p_value < 1
    calibrated = [row for row in readers.rows(CLASSES) if row.measure == "ece"]
    assert all(row.ci_low is None for row in calibrated)


def test_the_spread_over_readers_by_hand() -> None:
    """Values of 1, 2 and 6 whose noise is the same: S^2 / 3 = 7 / 3, and c the variance 2 of that noise.

    df = (7/3 + 2)^2 x 2 / (7/3)^2. Of readers that another model lacks both means vary.
    """
    noise = np.array([-1.0, 1.0, -1.0, 1.0, 2**0.5, -(2**0.5)]) * (2 * 5 / 8) ** 0.5
    readers = [OfClasses(np.asarray(value), noise) for value in (1.0, 2.0, 6.0)]
    design = Design(0.95)
    se, df = over_readers(readers, design=design)
    assert (se**2, df) == pytest.approx((13 / 3, 2 * 13**2 / 7**2), rel=1e-12)
    named = dict(zip("abc", readers, strict=True))
    (differences,) = paired_readers(named, dict(zip("abc", readers, strict=True)))
    assert [float(of.point) for of in differences.values()] == [0, 0, 0]
    apart = paired_readers(named, dict(zip("abd", readers, strict=True)))
    se, df = over_readers(*([*of.values()] for of in apart), design=design)
    assert (se**2, df) == pytest.approx((14 / 3, 4), rel=1e-12)  # the noise of the cases is shared
