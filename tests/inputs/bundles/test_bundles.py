"""What a bundle holds, how it is written, and what it keeps to itself."""

import hashlib
import json
import os

import polars as pl
import pytest

from reporting.app.run.counts import make_bundle
from reporting.app.run.tabulate import Naming
from reporting.errors import ConfigError, DataError, OutputError
from reporting.inputs.bundle import METADATA
from tests.inputs.bundles.sites import SPEAKER_OF, Sites

ROWS = [
    ("a", "dev", "t1", 1, 1.03, "ann"), ("a", "dev", "t2", 1, 1.0, "bob"), ("a", "dev", "t3", 0, -0.0, "ann"),
    ("b", "dev", "t1", 1, 5.0, "ann"), ("b", "dev", "t2", 1, 5.1, "bob"), ("b", "dev", "t3", 0, -1.0, "ann"),
    ("a", "test", "t4", 1, 2.0, "bob"), ("a", "test", "t5", 0, 0.0, "bob"), ("b", "test", "t4", 1, 3.0, "bob"),
    ("b", "test", "t5", 0, float("-inf"), "bob"),
]  # fmt: skip
BELOW = -1.0625 + 2**-52


@pytest.fixture
def small(tmp_path):
    names = ["model", "split", "trial", "label", "score", "speaker"]
    frame = pl.DataFrame(ROWS, names, orient="row")

    def made(trials=", coarse: 16", *said, rows=frame):
        rows.write_parquet(tmp_path / "t.parquet")
        return Sites(tmp_path, rows).config("small", f"source: t.parquet{trials}", *said)

    return made


def test_cuts_count_the_trials_of_every_model_at_each_key(small, tmp_path):
    out = make_bundle(small(), tmp_path / "c.parquet")
    assert pl.read_parquet(out).rows() == [
        ("a", "0", "all", "dev", False, 0.0, 1), ("a", "0", "all", "dev", True, 1.0, 2),
        ("a", "0", "all", "test", False, 0.0, 1), ("a", "0", "all", "test", True, 2.0, 1),
        ("b", "0", "all", "dev", False, BELOW, 1), ("b", "0", "all", "dev", True, 5.0, 2),
        ("b", "0", "all", "test", False, float("-inf"), 1), ("b", "0", "all", "test", True, 3.0, 1),
    ]  # fmt: skip


def test_patterns_count_the_trials_by_the_keys_of_all_models(small, tmp_path):
    out = make_bundle(small(), tmp_path / "c.parquet", paired=True)
    frame = pl.read_parquet(out)
    assert frame.columns == ["dataset", "split", "block", "label", "key 1", "key 2", "n"]
    assert frame.rows() == [
        ("all", "dev", 649, True, 1.0, 5.0, 1), ("all", "dev", 863, True, 1.0, 5.0, 1),
        ("all", "dev", 1197, False, 0.0, BELOW, 1), ("all", "test", 630, True, 2.0, 3.0, 1),
        ("all", "test", 1268, False, 0.0, float("-inf"), 1),
    ]  # fmt: skip


def test_clusters_stand_in_a_bundle_as_digests_or_by_name(small, tmp_path):
    config, out = small(", coarse: 16" + SPEAKER_OF), tmp_path / "c.parquet"
    assert set(pl.read_parquet(make_bundle(config, out, naming=Naming("names")))["cluster"]) == {"ann", "bob"}
    salted = set(pl.read_parquet(make_bundle(config, out, naming=Naming(salt="sea")))["cluster"])
    assert salted == {hashlib.sha256(f"sea\0{name}".encode()).hexdigest() for name in ("ann", "bob")}
    said = out.read_bytes()
    assert not any(word in said for word in (b"ann", b"bob", b"sea", b"t1"))


def test_a_breakdown_by_the_cluster_does_not_name_it(small, tmp_path):
    config = small(", coarse: 16" + SPEAKER_OF, "by: [speaker]")
    frame = pl.read_parquet(make_bundle(config, tmp_path / "c.parquet"))
    assert frame["by speaker"].to_list() == frame["cluster"].to_list()


@pytest.mark.parametrize("paired", [False, True])
def test_the_same_trials_in_any_order_give_the_same_bytes(small, tmp_path, paired):
    trials = ", coarse: 16" + SPEAKER_OF
    first = make_bundle(small(trials), tmp_path / "1.parquet", paired=paired).read_bytes()
    frame = pl.read_parquet(tmp_path / "t.parquet")
    for seed in (1, 2):
        shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
        again = make_bundle(small(trials, rows=shuffled), tmp_path / "2.parquet", paired=paired)
        assert again.read_bytes() == first


def test_the_description_says_how_it_was_made_and_what_it_is_good_for(small, tmp_path):
    out = make_bundle(small(", coarse: 16, missing: reject"), tmp_path / "c.parquet")
    said = json.loads(pl.read_parquet_metadata(out)[METADATA])
    assert (said["program"], said["kind"], said["format"], said["form"], said["bits"]) == (
        "reporting", "counts", 1, "cuts", 16,
    )  # fmt: skip
    assert said["scores"] == [["a", "0"], ["b", "0"]]
    assert (said["policy"], said["missing"], said["clusters"]) == ("dev", "reject", None)
    assert said["read"][0] == {
        "model": "a", "run": "0", "dataset": "all", "split": "dev", "rows_read": 3, "n_unlabelled": 0,
        "n_missing": 0, "n_infinite": 0,
    }  # fmt: skip
    assert said["supports"]["inferences"] == ["intervals of every model"]


def test_small_cells_are_told_and_refused_where_asked(small, tmp_path):
    told = []
    out = tmp_path / "c.parquet"
    make_bundle(small(), out, tell=told.append, paired=True)
    assert told == [
        "reading trials",
        "counting",
        "cell counts: 5 patterns, 5 of them with fewer than 5 trials",
    ]
    before = out.read_bytes()
    with pytest.raises(DataError, match=r"--least 2: joint patterns of several models .* leave --paired out"):
        make_bundle(small(), out, paired=True, least=2)
    with pytest.raises(DataError, match=r"--least 2: model 'a', all, dev: a class .* has 1 trial in all"):
        make_bundle(small(), out, least=2)
    make_bundle(small(), out, paired=True, least=1)
    assert out.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["c.parquet", "small.yaml", "t.parquet"]


@pytest.mark.parametrize(
    ("trials", "said", "message"),
    [
        ("", (), "trials.coarse .*small.yaml.: counts hold no exact scores"),
        (", coarse: 15", (), "trials.coarse .*15"),
        (", coarse: 16, columns: {stratum: speaker}, weights: {stratum: {ann: 1, bob: 2}}", (), "trials.weights"),
        (", coarse: 16, runs: fold", (), "trials.runs"),
        (", coarse: 16, values: {target: 1, nontarget: 0, spoof: 2}", (), "trials.values.spoof.* two classes"),
        (", coarse: 16", ("thresholds: {policy: split_clients}",), "'split_clients' halves"),
        (", layout: counts", (), "these are counts already"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused(small, tmp_path, trials, said, message):
    with pytest.raises(ConfigError, match=message):
        make_bundle(small(trials, *said), tmp_path / "c.parquet")


def test_patterns_need_a_trial_key(small, tmp_path):
    frame = pl.DataFrame(
        [row[:2] + row[3:5] for row in ROWS], ["model", "split", "label", "score"], orient="row"
    )
    with pytest.raises(DataError, match="--paired needs a trial key"):
        make_bundle(small(rows=frame), tmp_path / "c.parquet", paired=True)


def test_only_bundles_are_replaced(small, tmp_path):
    (tmp_path / "mine.parquet").write_text("mine")
    (tmp_path / "folder.parquet").mkdir()
    for name, message in (
        ("mine.parquet", "is not a count file"), ("folder.parquet", "is a folder"),
        ("t.parquet", "is read by this config"), ("c.csv", "ends in .parquet"),
    ):  # fmt: skip
        with pytest.raises(OutputError, match=message):
            make_bundle(small(), tmp_path / name)
    assert (tmp_path / "mine.parquet").read_text() == "mine"
