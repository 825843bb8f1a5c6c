"""Bundles that are broken, foreign or do not go together: one message each."""

import json

import polars as pl
import pytest

from reporting.app.config.read import read_plan
from reporting.app.run.counts import make_bundle
from reporting.app.run.inputs import open_table
from reporting.app.run.tabulate import Naming
from reporting.errors import ConfigError, DataError
from reporting.inputs.bundle import METADATA, content_of
from tests.inputs.bundles.sites import SPEAKER_OF


def changed(path, rows=None, content=None, **said):
    """Write a bundle anew with other rows or another description; its digest then suits it."""
    about = json.loads(pl.read_parquet_metadata(path)[METADATA]) | said
    rows = pl.read_parquet(path) if rows is None else rows
    about["content"] = content or content_of(rows)
    rows.write_parquet(path, metadata={METADATA: json.dumps(about)})


def message(config):
    with pytest.raises((DataError, ConfigError)) as caught:
        open_table(read_plan(config))
    assert len(caught.value.faults) == 1
    return caught.value.faults[0]


@pytest.fixture
def bundle(sites):
    made = sites("trial", "speaker", "gender")
    name = made.bundles()[0]
    return made.folder / name, made.counted([name])


NUMBERS = pl.int_range(pl.len())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (pl.lit(-3).cast(pl.Int64).alias("n"), "rows hold less than one trial; first -3"),
        (pl.lit(0).cast(pl.Int64).alias("n"), "rows hold less than one trial; first 0"),
        ((pl.col("n") + 0.5).alias("n"), "column 'n' holds Float64; expected Int64"),
        (pl.lit(None, pl.Int64).alias("n"), "column 'n': 160 of 160 rows empty"),
        ((pl.col("key") + 1e-9).alias("key"), "keys are no scores floored to 17 bits"),
        (pl.lit(float("nan")).alias("key"), "keys are no scores floored to 17 bits; first nan"),
        (pl.lit("eval").alias("split"), "rows are neither dev nor test; first 'eval'"),
        (pl.col("model").replace("a", "x"), "model 'x', run '0', which its description does not name"),
        (pl.when(NUMBERS == 0).then(7).otherwise("n").alias("n"), "models differ in how many trials they have"),
        (pl.lit("t").alias("trial"), "column 'trial' belongs to no bundle of this form"),
    ],
)  # fmt: skip
def test_rows_that_are_no_counts_are_refused(bundle, change, told):
    path, config = bundle
    rows = pl.read_parquet(path)
    changed(path, rows.with_columns(change))
    said = message(config)
    assert path.name in said
    assert told.replace("160", str(rows.height)) in said


def _all(config):
    with pytest.raises(DataError) as caught:
        open_table(read_plan(config))
    return caught.value.faults


def test_counts_that_were_changed_later_are_refused(bundle):
    path, config = bundle
    about = json.loads(pl.read_parquet_metadata(path)[METADATA])
    changed(path, pl.read_parquet(path).with_columns(pl.col("n") * 2), about["content"])
    assert message(config) == f"{path.name}: its counts are not those it was written with"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"format": 4, "version": "9.0"}, "is a bundle of format 4, made by a newer version ('9.0'); this one reads up to 3"),
        ({"program": "other"}, "is no bundle of counts"),
        ({"bits": 99}, "the description of the bundle is damaged (bits: 99)"),
        ({"form": "else"}, "the description of the bundle is damaged (form: 'else')"),
        ({"read": []}, "its description does not say what was read of all its models"),
        ({"scores": "a"}, "the description of the bundle is damaged"),
    ],
)  # fmt: skip
def test_descriptions_that_cannot_be_read_are_refused(bundle, said, told):
    path, config = bundle
    changed(path, **said)
    assert message(config).startswith(f"{path.name}: {told}")


def test_a_parquet_file_that_is_no_bundle_is_refused(bundle):
    path, config = bundle
    pl.DataFrame({"model": ["a"]}).write_parquet(path)
    assert message(config) == (
        f"{path.name}: is no bundle of counts; layout counts reads what 'reporting counts' wrote"
    )


def test_half_a_bundle_is_refused(bundle):
    path, config = bundle
    path.write_bytes(path.read_bytes()[:-200])
    assert message(config).startswith(f"{path.name}: cannot be read as a bundle of counts: ")


def test_a_bundle_is_listed_once(bundle):
    path, config = bundle
    twice = config.with_name("twice.yaml")
    twice.write_text(config.read_text().replace(f"[{path.name}]", f"[{path.name}, {path.name}]"))
    assert "is listed twice" in message(twice)
    (path.parent / "copy.parquet").write_bytes(path.read_bytes())
    twice.write_text(config.read_text().replace(f"[{path.name}]", f"[{path.name}, copy.parquet]"))
    assert message(twice) == f"copy.parquet: holds the same counts as {path.name}; list it once"


@pytest.mark.parametrize(
    ("options", "said", "told"),
    [
        ({"paired": True}, "", "the form differ (patterns, not cuts)"),
        ({"overrides": ["trials.coarse=20"]}, "", "the bits of a key differ (20, not 17)"),
        ({"naming": Naming("names")}, "", "the names of clusters differ (as in the table, not as digests)"),
        ({"naming": Naming(salt="x")}, "", "the salt of cluster names differ"),
        ({"overrides": ["trials.missing=reject"]}, "", "missing differ (reject, not error)"),
        ({}, "by: [gender]", "the breakdowns differ ([gender], not [])"),
    ],
)  # fmt: skip
def test_bundles_that_were_counted_otherwise_are_not_added_up(sites, options, said, told):
    made = sites()
    one, other, _ = made.bundles(SPEAKER_OF)
    config = made.config("other", "source: site1.parquet, coarse: 17" + SPEAKER_OF, said)
    make_bundle(config, made.folder / other, **options)
    faults = _all(made.counted([one, other], SPEAKER_OF))
    assert f"{other}: cannot be added to {one}: {told}" in "\n".join(faults)


def test_bundles_of_other_models_are_not_added_up(sites):
    made = sites("speaker", "gender")
    names = made.bundles()
    rows = pl.read_parquet(made.folder / "site1.parquet").with_columns(pl.col("model").replace("b", "c"))
    rows.write_parquet(made.folder / "site1.parquet")
    make_bundle(made.folder / "site1.yaml", made.folder / names[1])
    assert message(made.counted(names[:2])) == (
        f"{names[1]}: cannot be added to {names[0]}: the models and runs differ ([a (0), c (0)], not [a (0), b (0)])"
    )


def test_no_file_of_another_kind_is_a_bundle(bundle):
    path, config = bundle
    pl.read_parquet(path).write_csv(path.with_name("b.csv"))
    other = config.with_name("csv.yaml")
    other.write_text(config.read_text().replace(path.name, "b.csv"))
    assert message(other).startswith("b.csv: cannot be read as a bundle of counts")
