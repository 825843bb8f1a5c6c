"""Several runs of a model: repetitions on the same trials, or folds with a dev of their own."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tables import GOOD, counted
from snapshot import snapshot

from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.core.counts.cuts import Key, count_cuts
from reporting.features.trials_frame import trial_rows
from reporting.inputs.spec import ThresholdPlan, TrialSpec
from reporting.inputs.table import read_trials

DEV, TEST = ("all", "dev"), ("all", "test")
KEPT = ("model", "run", "split", "rows_read", "rows_dropped", "n_missing", "n_unlabelled", "n_target", "n_nontarget")  # fmt: skip


def of(model, run):
    """The rows of one model of the good table as a run of some model."""
    good = pl.DataFrame(GOOD).filter(pl.col("model") == model)
    return good.with_columns(pl.lit(run).alias("run"))


def repeated():
    """Model a with runs 10 and 9, model b with run x."""
    return pl.concat([of("a", "10"), of("b", "9").with_columns(model=pl.lit("a")), of("b", "x")])


def changed(frame, row, **cells):
    """Change cells of the row of a (model, run, trial)."""
    model, run, trial = row
    at = (pl.col("model") == model) & (pl.col("run") == run) & (pl.col("trial") == trial)
    assert frame.filter(at).height == 1
    put = {name: pl.when(at).then(pl.lit(value)).otherwise(pl.col(name)) for name, value in cells.items()}
    return frame.with_columns(**put)


def without(frame, model, run, trial):
    at = (pl.col("model") == model) & (pl.col("run") == run) & (pl.col("trial") == trial)
    assert frame.filter(at).height
    return frame.filter(~at)


def save(folder, frame, shuffled=None):
    path = folder / "trials.parquet"
    if shuffled is not None:
        frame = frame.sample(fraction=1, shuffle=True, seed=shuffled)
    frame.write_parquet(path)
    return path


@pytest.mark.parametrize("runs", ["seed", "reader"])
@pytest.mark.parametrize("shuffled", [None, 1, 2])
def test_every_run_has_cuts_and_ranks_on_the_same_trials(tmp_path, count, runs, shuffled):
    table, counts = count(TrialSpec((save(tmp_path, repeated(), shuffled),), runs=runs))
    test = counts.ranks[TEST]
    assert (counts.folds, counts.fold_dev) == ({}, {})
    assert set(test.rank) == {("a", "10"), ("a", "9"), ("b", "x")}
    assert test.rank["a", "10"].tolist() == [2, 0, 1, 0]
    assert test.rank["a", "9"].tolist() == test.rank["b", "x"].tolist() == [0, 1, 2, 3]
    assert test.label.tolist() == [True, True, False, False]
    assert test.fold is None
    assert counts.cuts[Key("a", "10", *TEST)].score.tolist() == [2, 3, 5]
    assert counts.cuts[Key("a", "10", *TEST)].n_target.tolist() == [1, 0, 1]
    assert counts.cuts[Key("a", "9", *DEV)].score.tolist() == [1, 2, 3, 4]
    assert len(counts.cuts) == 6
    assert counts.ranks_of(Key("a", "9", *DEV)) is counts.ranks[DEV]
    assert table.models == ["a", "b"]


def test_what_was_read_is_told_of_every_run(tmp_path, count):
    frame = changed(repeated(), ("a", "9", "t5"), score="NaN")
    table, counts = count(TrialSpec((save(tmp_path, frame),), missing="drop", attributes=("cond",)))
    rows = [tuple(getattr(row, name) for name in KEPT) for row in trial_rows(table, counts)]
    assert rows == [
        ("a", "10", "dev", 4, 0, 0, 0, 2, 2),
        ("a", "10", "test", 4, 1, 0, 0, 1, 2),
        ("a", "9", "dev", 4, 0, 0, 0, 2, 2),
        ("a", "9", "test", 4, 1, 1, 0, 1, 2),
        ("b", "x", "dev", 4, 0, 0, 0, 2, 2),
        ("b", "x", "test", 4, 1, 0, 0, 1, 2),
    ]
    assert table.tally_by([]).equals(table.tally)
    assert table.tally_by(["cond"])["rows_read"].sum() == 24


@pytest.mark.parametrize("policy", ["kfold", "leave_one_client_out", "split_clients"])
def test_folds_and_halves_are_the_same_for_every_run(tmp_path, count, policy):
    cluster = pl.Series(["A", "B", "C", "D"] * 6)
    label = pl.Series((["1"] * 4 + ["0"] * 4) * 3)
    frame = repeated().drop("split").with_columns(cluster=cluster, label=label)
    _, counts = count(TrialSpec((save(tmp_path, frame, 4),), thresholds=ThresholdPlan(policy, folds=2)))
    alone = frame.filter(pl.col("run") == "x")
    (tmp_path / "alone").mkdir()
    _, one = count(TrialSpec((save(tmp_path / "alone", alone),), thresholds=ThresholdPlan(policy, folds=2)))
    for place, ranks in one.ranks.items():
        assert set(counts.ranks[place].rank) == {("a", "10"), ("a", "9"), ("b", "x")}
        assert counts.ranks[place].label.tolist() == ranks.label.tolist()
        np.testing.assert_array_equal(counts.ranks[place].fold, ranks.fold)


NUMBERS = "2 targets and 1 non-target, where the other models and runs have 2 and 2; without a trial key the numbers must agree"


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (without(repeated(), "a", "9", "t6"), ["model 'a', run '9' in split test: its trials differ from those of the other models and runs: 1 missing, first 't6'; trials.missing: shared compares the trials that all have"]),
        (changed(repeated(), ("b", "x", "t6"), trial="t9"), ["model 'b', run 'x' in split test: its trials differ from those of the other models and runs: 1 missing, first 't6'; 1 not in the other models and runs, first 't9'; trials.missing: shared compares the trials that all have"]),
        (changed(repeated(), ("a", "9", "t2"), label="0"), ["column 'label' (the label): 1 trial of model 'a', run '9' in split dev disagrees with the other models and runs; first 't2'"]),
        (changed(repeated(), ("a", "9", "t2"), cluster="D"), ["column 'cluster' (the cluster): 1 trial of model 'a', run '9' in split dev disagrees with the other models and runs; first 't2'"]),
        (changed(repeated(), ("a", "9", "t2"), trial="t1"), ["column 'trial' (the trial): one key occurs more than once for model 'a', run '9' in split dev: 't1'"]),
        (changed(repeated(), ("a", "10", "t2"), trial="t1"), ["column 'trial' (the trial): one key occurs more than once for model 'a', run '10' in split dev: 't1'"]),
        (repeated().filter((pl.col("run") != "10") | (pl.col("split") == "test")), ["model 'a', run '10' has no rows in split dev: the table has none"]),
        (repeated().filter((pl.col("run") != "9") | (pl.col("split") == "test")), ["model 'a', run '9' in split dev: its trials differ from those of the other models and runs: 4 missing, first 't1', 't2', 't3'; trials.missing: shared compares the trials that all have"]),
        (without(repeated(), "a", "9", "t7").drop("trial", "cluster"), [f"model 'a', run '9' in split test: {NUMBERS}"]),
    ],
)  # fmt: skip
def test_runs_must_hold_the_same_trials(tmp_path, faults, frame, told):
    assert faults(TrialSpec((save(tmp_path, frame),))) == told
    if "trial" in frame.columns:
        assert faults(TrialSpec((save(tmp_path, frame, 5),))) == told


def test_runs_without_trial_keys_are_counted(tmp_path, count):
    _, counts = count(TrialSpec((save(tmp_path, repeated().drop("trial", "cluster")),)))
    assert not counts.ranks[TEST].paired
    assert len(counts.ranks[TEST].rank) == 3


def test_a_model_may_have_one_run_of_any_name(tmp_path):
    frame = pl.concat([of("a", "10"), of("b", "x")])
    _, counts = counted(TrialSpec((save(tmp_path, frame),)))
    assert set(counts.ranks[TEST].rank) == {("a", "10"), ("b", "x")}


FOLD_OF = {"t5": "9", "t6": "10", "t7": "10", "t8": "9"}


def folded():
    """Two folds of two models: test trials t5 and t8 in fold 9, t6 and t7 in fold 10; dev in both."""
    parts = []
    for model in ("a", "b"):
        for number, fold in enumerate(("9", "10")):
            dev = of(model, fold).filter(pl.col("split") == "dev")
            score = (pl.col("score").cast(pl.Int64) + 10 * number).cast(pl.String)
            dev = dev.filter(pl.col("trial") != ("t2" if fold == "10" else "")).with_columns(score=score)
            test = of(model, fold).filter(pl.col("split") == "test")
            mine = pl.col("trial").replace_strict(FOLD_OF, return_dtype=pl.String) == fold
            parts += [dev, test.filter(mine)]
    return pl.concat(parts)


def fold_spec(path, **settings):
    return TrialSpec((path,), runs="fold", **settings)


@pytest.mark.parametrize("shuffled", [None, 1, 2])
def test_test_trials_of_all_folds_are_judged_together(tmp_path, count, shuffled):
    _, counts = count(fold_spec(save(tmp_path, folded(), shuffled)))
    test = counts.ranks[TEST]
    assert counts.folds == {"all": ("10", "9")}
    assert test.fold.tolist() == [1, 0, 0, 1]
    assert test.fold.dtype == np.int64
    assert set(test.rank) == {("a", "pooled"), ("b", "pooled")}
    assert test.rank["a", "pooled"].tolist() == [2, 0, 1, 0]
    assert test.label.tolist() == [True, True, False, False]
    assert set(counts.ranks) == {TEST}
    assert counts.cuts[Key("a", "pooled", *TEST)].score.tolist() == [2, 3, 5]


@pytest.mark.parametrize("shuffled", [None, 1, 2])
def test_every_fold_has_a_dev_of_its_own(tmp_path, count, shuffled):
    _, counts = count(fold_spec(save(tmp_path, folded(), shuffled)))
    assert counts.cuts[Key("a", "9", *DEV)].score.tolist() == [0, 1, 2, 4]
    assert counts.cuts[Key("a", "10", *DEV)].score.tolist() == [10, 12, 14]
    assert set(counts.cuts) == {
        Key(model, run, *place)
        for model in ("a", "b")
        for run, place in (("pooled", TEST), ("9", DEV), ("10", DEV))
    }
    nine, ten = (counts.ranks_of(Key("b", run, *DEV)) for run in ("9", "10"))
    assert (nine.label.tolist(), ten.label.tolist()) == ([True, True, False, False], [True, False, False])
    assert nine.rank["b", "9"].tolist() == [2, 3, 0, 1]
    assert ten.rank["b", "10"].tolist() == [2, 0, 1]
    assert (nine.fold, nine.unit_a.tolist()) == (None, [0, 0, 1, 1])
    assert counts.ranks_of(Key("a", "pooled", *TEST)) is counts.ranks[TEST]
    assert counts.ranks_of(Key("a", "11", *DEV)) is None
    assert counts.dev_of == {"all": "all"}
    assert counts.n_clusters == {TEST: 2}


def test_what_was_read_is_told_of_the_pool_and_of_every_dev(tmp_path, count):
    frame = changed(folded(), ("a", "9", "t3"), score="NaN")
    frame = changed(frame, ("b", "10", "t6"), label=None)
    spec = fold_spec(save(tmp_path, frame), missing="drop", unlabelled="drop", attributes=("gender",))
    table, counts = count(spec)
    rows = [tuple(getattr(row, name) for name in KEPT) for row in trial_rows(table, counts)]
    assert rows == [
        ("a", "10", "dev", 3, 0, 0, 0, 1, 2),
        ("a", "9", "dev", 4, 1, 1, 0, 2, 1),
        ("a", "pooled", "test", 4, 1, 0, 0, 1, 2),
        ("b", "10", "dev", 3, 0, 0, 0, 1, 2),
        ("b", "9", "dev", 4, 1, 0, 0, 2, 1),
        ("b", "pooled", "test", 4, 1, 0, 1, 1, 2),
    ]
    assert table.tally_by([]).equals(table.tally)
    found = table.tally_by(["gender"]).filter(model="a", split="test").select("run", "by gender", "rows_read")
    assert found.rows() == [("pooled", "f", 2), ("pooled", "m", 2)]


def test_folds_are_numbered_within_their_dataset(tmp_path, count):
    more = folded().filter((pl.col("split") == "test") & (pl.col("run") == "9"))
    frame = pl.concat([folded().with_columns(dataset=pl.lit("o")), more.with_columns(dataset=pl.lit("p"))])
    _, counts = count(fold_spec(save(tmp_path, frame)))
    assert counts.dev_of == {"o": "o", "p": "o"}
    assert counts.folds == {"o": ("10", "9"), "p": ("9",)}
    assert counts.ranks["p", "test"].fold.tolist() == [0, 0]
    assert set(counts.fold_dev) == {("o", "9"), ("o", "10")}


HALF = "; with trials.runs: fold, the thresholds of a fold are chosen on its dev rows and evaluated on its test rows"
IS_DEV, NINE = pl.col("split") == "dev", pl.col("run") == "9"


def moved(frame, model):
    """Put trial t5 of one model into the other fold."""
    return frame.with_columns(
        run=pl.when((pl.col("model") == model) & (pl.col("trial") == "t5"))
        .then(pl.lit("10"))
        .otherwise(pl.col("run"))
    )


def again(frame, model, run):
    """Give test trial t5 of one model to a further fold."""
    row = frame.filter(pl.col("model") == model, pl.col("trial") == "t5").with_columns(run=pl.lit(run))
    return pl.concat([frame, row])


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (again(folded(), "a", "10"), ["column 'run' (the fold): 1 trial of model 'a' in split test occurs in more than one fold; first 't5', in '10', '9'"]),
        (again(folded(), "b", "10"), ["column 'run' (the fold): 1 trial of model 'b' in split test occurs in more than one fold; first 't5', in '10', '9'"]),
        (again(folded(), "b", "9"), ["column 'trial' (the trial): one key occurs more than once for model 'b' in split test: 't5'"]),
        (moved(folded(), "b"), ["column 'run' (the fold): 1 trial of model 'b' in split test disagrees with the other models; first 't5'"]),
        (without(folded(), "b", "9", "t5"), ["model 'b' in split test: its trials differ from those of the other models: 1 missing, first 't5'"]),
        (without(folded(), "b", "9", "t1"), ["model 'b' in split dev of fold '9': its trials differ from those of the other models: 1 missing, first 't1'"]),
        (changed(folded(), ("a", "10", "t1"), label="0"), ["split dev of fold '10': no targets; a threshold cannot be chosen there"]),
        (changed(folded(), ("b", "10", "t1"), label="0"), ["column 'label' (the label): 1 trial of model 'b' in split dev of fold '10' disagrees with the other models; first 't1'"]),
        (folded().filter((pl.col("model") == "a") | ~NINE), ["column 'run' (the run): model 'b' has folds '10', model 'a' '10', '9'; trials.runs: fold needs the same in all models"]),
        (folded().filter(NINE), ["column 'run' (the run): one fold found ('9'); trials.runs: fold needs at least two"]),
        (folded().with_columns(pl.col("run").replace("9", "pooled")), ["column 'run' (the run): 'pooled' is what all folds together are called; rename the fold"]),
        (folded().filter(~NINE | ~IS_DEV), [f"column 'run' (the run): fold '9' has rows in split test and none in split dev{HALF}"]),
        (folded().filter(~NINE | IS_DEV), [f"column 'run' (the run): fold '9' has rows in split dev and no test rows{HALF}"]),
        (folded().drop("trial", "cluster"), ["trials.runs: fold needs a trial key; name it in trials.columns"]),
        (folded().drop("split"), ["trials.parquet: column 'split' (the split) is missing (found: model, trial, label, score, gender, cond, cluster, run); with trials.runs: fold each fold's thresholds are chosen on its own dev rows: name such a column in trials.columns.split; or, where no fold has dev rows, leave trials.runs out and write thresholds: {policy: kfold, column: run}"]),
        (folded().drop("run"), ["trials.runs: fold needs a run column (column 'run'); name it in trials.columns"]),
    ],
)  # fmt: skip
def test_each_broken_rule_of_folds_has_one_message(tmp_path, faults, frame, told):
    assert faults(fold_spec(save(tmp_path, frame))) == told
    assert faults(fold_spec(save(tmp_path, frame, 6))) == told


def test_a_dataset_without_the_dev_of_a_fold_is_told(tmp_path, faults):
    lacking = folded().filter(~NINE | ~IS_DEV).with_columns(dataset=pl.lit("o"))
    more = folded().with_columns(dataset=pl.lit("p"))
    path = save(tmp_path, pl.concat([lacking, more]))
    start = "column 'run' (the run): fold '9' has rows in dataset "
    assert faults(fold_spec(path)) == [f"{start}'o', split test and none in dataset 'o', split dev{HALF}"]
    assert faults(fold_spec(path, thresholds=ThresholdPlan(from_dataset={"p": "o"}))) == [
        f"{start}'o', split test and none in dataset 'o', split dev{HALF}",
        f"{start}'p', split test and none in dataset 'o', split dev{HALF}",
    ]


@pytest.mark.parametrize("policy", ["train", "split_clients", "leave_one_client_out", "kfold", "cv_test"])
def test_folds_choose_on_their_own_dev_alone(tmp_path, faults, policy):
    assert faults(fold_spec(save(tmp_path, folded()), thresholds=ThresholdPlan(policy))) == [
        "trials.runs: with fold, each fold's thresholds are chosen on its own dev rows, so thresholds.policy"
        f" must be dev, found '{policy}'"
    ]


def test_a_stratum_that_weighs_nothing_is_blamed_in_its_own_fold(tmp_path, faults):
    target_of_ten = (pl.col("run") == "10") & (pl.col("label") == "1") & IS_DEV
    frame = folded().with_columns(stratum=pl.when(target_of_ten).then(pl.lit("off")).otherwise(pl.lit("on")))
    weights = {"on": 1, "off": 0}
    snapshot(
        "inputs/runs_a_stratum_that_weighs_nothing_is_blamed_in_its_own_fold",
        "\n".join(faults(fold_spec(save(tmp_path, frame), weights=weights))),
    )
    # Fold 10 loses its only target for good, and what weighs nothing stands in fold 9.
    off = (pl.col("run") == "9") & (pl.col("trial") == "t1")
    frame = folded().with_columns(
        stratum=pl.when(off).then(pl.lit("off")).otherwise(pl.lit("on")),
        label=pl.when(target_of_ten).then(pl.lit("0")).otherwise(pl.col("label")),
    )
    assert faults(fold_spec(save(tmp_path, frame), weights=weights)) == [
        "split dev of fold '10': no targets; a threshold cannot be chosen there"
    ]


scores = st.lists(st.integers(0, 3).map(float), min_size=12, max_size=12)


@settings(max_examples=20)
@given(st.lists(scores, min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_a_run_among_others_counts_as_it_does_alone(columns, random):
    rows = [
        {"model": "m", "run": f"r{k}", "split": "dev" if i < 6 else "test", "trial": f"t{i:02}", "label": i % 2, "score": score}
        for k, column in enumerate(columns)
        for i, score in enumerate(column)
    ]  # fmt: skip
    random.shuffle(rows)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trials.parquet"
        pl.DataFrame(rows).write_parquet(path)
        counts = count_trials(read_trials(TrialSpec((path,))), SerialExecutor())
    for k, column in enumerate(columns):
        for place, part in ((DEV, column[:6]), (TEST, column[6:])):
            alone, rank = count_cuts(np.array(part), np.array([False, True] * 3))
            found = counts.cuts[Key("m", f"r{k}", *place)]
            for name in ("score", "n_target", "n_nontarget", "hull"):
                np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
            np.testing.assert_array_equal(counts.ranks[place].rank["m", f"r{k}"], rank)


@settings(max_examples=20)
@given(scores, st.lists(scores, min_size=3, max_size=3), st.permutations(range(12)), st.randoms())
def test_folds_pool_to_the_table_without_them(test, devs, order, random):
    """Whatever the fold of a trial, the pool is the table of all test trials; every dev counts alone."""
    fold = [position % 3 for position in order]
    rows = [
        {"model": "m", "run": f"f{fold[i]}", "split": "test", "trial": f"t{i:02}", "label": i % 2, "score": score}
        for i, score in enumerate(test)
    ] + [
        {"model": "m", "run": f"f{k}", "split": "dev", "trial": f"t{i:02}", "label": i % 2, "score": score}
        for k, dev in enumerate(devs)
        for i, score in enumerate(dev)
    ]  # fmt: skip
    random.shuffle(rows)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trials.parquet"
        pl.DataFrame(rows).write_parquet(path)
        counts = count_trials(read_trials(fold_spec(path)), SerialExecutor())
    label = np.array([False, True] * 6)
    assert counts.ranks[TEST].fold.tolist() == fold
    for key, column in [
        (Key("m", "pooled", *TEST), test),
        *((Key("m", f"f{k}", *DEV), dev) for k, dev in enumerate(devs)),
    ]:
        alone, rank = count_cuts(np.array(column), label)
        for name in ("score", "n_target", "n_nontarget", "hull"):
            np.testing.assert_array_equal(getattr(counts.cuts[key], name), getattr(alone, name))
        np.testing.assert_array_equal(counts.ranks_of(key).rank[key.model, key.run], rank)
        np.testing.assert_array_equal(counts.ranks_of(key).label, label)
