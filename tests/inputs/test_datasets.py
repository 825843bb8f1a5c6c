"""Which dev chooses the thresholds of which dataset."""

import polars as pl
import pytest
from small_tables import counted, faults_of
from snapshot import snapshot

from reporting.errors import DataError
from reporting.inputs.design import dev_source
from reporting.inputs.scan import Scan
from reporting.inputs.spec import ThresholdPlan, TrialSpec, Values

DEV, TEST = "dev", "test"


def write(folder, *places):
    """Write two targets and two non-targets of two models in each (dataset, split)."""
    rows = [
        {
            "model": model,
            "dataset": dataset,
            "split": split,
            "trial": f"t{k}",
            "label": k % 2,
            "score": float(k),
        }
        for dataset, split in places
        for model in ("a", "b")
        for k in range(4)
    ]
    path = folder / "trials.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.parametrize(
    ("places", "said", "sources"),
    [
        ([("O", DEV), ("O", TEST)], {}, {"O": "O"}),
        ([("O", DEV), ("O", TEST), ("E", TEST), ("H", TEST)], {}, {"O": "O", "E": "O", "H": "O"}),
        ([("O", DEV), ("H", TEST)], {}, {"H": "O"}),
        ([("O", DEV), ("O", TEST), ("H", DEV), ("H", TEST)], {}, {"O": "O", "H": "H"}),
        ([("O", DEV), ("O", TEST), ("H", DEV), ("H", TEST)], {"H": "O"}, {"O": "O", "H": "O"}),
        ([("O", DEV), ("P", DEV), ("H", TEST)], {"H": "P"}, {"H": "P"}),
        ([("O", DEV), ("O", TEST), ("P", DEV)], {}, {"O": "O"}),
    ],
)
def test_a_dataset_takes_what_is_named_or_its_own_dev_or_the_only_one(tmp_path, places, said, sources):
    table, counts = counted(
        TrialSpec((write(tmp_path, *places),), thresholds=ThresholdPlan(from_dataset=said))
    )
    assert counts.dev_of == table.dev_of == sources
    assert set(counts.ranks) == set(places)


CALLED = "column 'split' (the split): dataset {!r} has no {} rows; thresholds are chosen on dev rows and evaluated on test rows"


@pytest.mark.parametrize(
    ("places", "said", "faults"),
    [
        ([("O", DEV)], {}, [CALLED.format("O", "test")]),
        ([("O", TEST)], {}, [CALLED.format("O", "dev")]),
        ([("O", DEV), ("P", DEV), ("H", TEST)], {}, [CALLED.format("H", "dev") + "; name the dataset to use in thresholds.from (with dev rows: O, P)"]),
        ([("vox-O", DEV), ("vox-H", TEST)], {"vox-H": "vox-Q"}, ["thresholds.from: 'vox-Q' is not a dataset of the trial table; did you mean 'vox-O'? (found: vox-H, vox-O)"]),
        ([("O", DEV), ("H", TEST)], {"X": "O", "H": "O"}, ["thresholds.from: 'X' is not a dataset of the trial table (found: H, O)"]),
        ([("O", DEV), ("H", TEST), ("E", TEST)], {"H": "E"}, ["thresholds.from: dataset 'E' has no dev rows, so 'H' cannot take its thresholds there (with dev rows: O)"]),
        ([("O", DEV), ("H", TEST)], {"O": "O"}, ["thresholds.from: dataset 'O' has no test rows, so it takes no thresholds"]),
    ],
)  # fmt: skip
def test_each_fault_has_one_message(tmp_path, places, said, faults):
    assert (
        faults_of(TrialSpec((write(tmp_path, *places),), thresholds=ThresholdPlan(from_dataset=said)))
        == faults
    )


def test_a_split_of_another_name_is_told(tmp_path):
    path = write(tmp_path, ("O", "TS2"))
    snapshot(
        "inputs/datasets_a_split_of_another_name_is_told",
        "\n".join(faults_of(TrialSpec((path,), values=Values(dev="TS1", test="TS2")))),
    )


def test_the_choice_needs_nothing_but_the_parts():
    spec = TrialSpec((), thresholds=ThresholdPlan(from_dataset={"H": "O"}))
    assert dev_source(Scan(spec), [("O", DEV), ("H", TEST), ("H", DEV)]) == {"H": "O"}
    assert dev_source(Scan(TrialSpec((), thresholds=ThresholdPlan("cv_test"))), [("H", TEST)]) == {}
    with pytest.raises(DataError, match="has no dev rows"):
        dev_source(Scan(TrialSpec(())), [("H", TEST)])


def test_an_empty_class_in_a_dev_that_serves_another_is_an_error(tmp_path):
    path = write(tmp_path, ("O", DEV), ("H", TEST))
    frame = pl.read_parquet(path).filter((pl.col("split") == TEST) | (pl.col("label") == 1))
    frame.write_parquet(path)
    snapshot(
        "inputs/datasets_an_empty_class_in_a_dev_that_serves_another_is_an_error",
        "\n".join(faults_of(TrialSpec((path,)))),
    )


def test_models_must_hold_the_same_trials_in_each_dataset(tmp_path):
    path = write(tmp_path, ("O", DEV), ("O", TEST), ("H", TEST))
    lacking = (pl.col("dataset") == "H") & (pl.col("model") == "b") & (pl.col("trial") == "t3")
    pl.read_parquet(path).filter(~lacking).write_parquet(path)
    snapshot(
        "inputs/datasets_models_must_hold_the_same_trials_in_each_dataset",
        "\n".join(faults_of(TrialSpec((path,)))),
    )


@pytest.mark.parametrize(("columns", "called"), [({}, "dataset"), ({"dataset": "set"}, "set")])
def test_a_choice_among_datasets_needs_their_column(tmp_path, columns, called):
    path = write(tmp_path, ("all", DEV), ("all", TEST))
    pl.read_parquet(path).rename({"dataset": "set"}).write_parquet(path)
    if columns:
        assert faults_of(TrialSpec((path,), columns, thresholds=ThresholdPlan(from_dataset={"x": "y"})))[
            0
        ].endswith("(found: all)")
    else:
        assert faults_of(TrialSpec((path,), thresholds=ThresholdPlan(from_dataset={"x": "y"}))) == [
            f"thresholds.from: the table has no dataset column (column {called!r}), so there is nothing to"
            " choose from; leave it out"
        ]


def test_a_dev_split_of_another_name_is_told_without_datasets(tmp_path):
    path = write(tmp_path, ("all", "TS2"))
    pl.read_parquet(path).drop("dataset").write_parquet(path)
    (fault,) = faults_of(TrialSpec((path,), values=Values(dev="TS1", test="TS2")))
    assert fault.startswith("the table has no dev rows (column 'split', called 'TS1')")
