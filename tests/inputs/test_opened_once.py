"""A run opens every source once, however many models, passes and breakdowns it has."""

from __future__ import annotations

import pickle
from collections import Counter

import polars as pl
import pytest
from small_tables import GOOD, counted, write

from reporting.inputs.formats import separated
from reporting.inputs.layouts import text_formats
from reporting.inputs.spec import File, TrialSpec

ROWS = pl.DataFrame(GOOD)


@pytest.fixture
def openings(monkeypatch):
    """Count how often each file is opened, by its name."""
    times: Counter[str] = Counter()

    def counting(module, function, name_of):
        plain = getattr(module, function)

        def opened(first, *others):
            times[name_of(first)] += 1
            return plain(first, *others)

        monkeypatch.setattr(module, function, opened)

    counting(separated, "_form_of", lambda path: path.name)
    counting(text_formats, "_lines", lambda source: source.path.name)
    return times


def long(folder):
    return TrialSpec((write(folder),), attributes=("gender",))


def dropping(folder):
    return TrialSpec((write(folder, score={0: ""}),), missing="drop")


def averaged(folder):
    return TrialSpec((write(folder, cluster=None),), attributes=("gender",), averaged_over="gender")


def keyed(folder):
    ROWS.filter(model="a").select("trial", "label", "split").write_csv(folder / "keys.csv")
    sources = []
    for model in "ab":
        path = folder / f"{model}.csv"
        ROWS.filter(model=model).select("trial", "score").write_csv(path)
        sources.append(File(path, (("model", model),)))
    return TrialSpec(tuple(sources), keys=(folder / "keys.csv",), layout="keyed")


def kaldi(folder):
    trials = ROWS.filter(model="a").with_columns(
        enroll=pl.lit("e"), label=pl.col("label").replace({"1": "target", "0": "nontarget"})
    )
    files = {}
    for split in ("dev", "test"):
        keys, scores = folder / f"keys-{split}", folder / f"a-{split}"
        mine = trials.filter(split=split)
        mine.select("enroll", "trial", "label").write_csv(keys, separator=" ", include_header=False)
        mine.select("enroll", "trial", "score").write_csv(scores, separator=" ", include_header=False)
        files[split] = File(keys, (("split", split),)), File(scores, (("model", "a"), ("split", split)))
    keys, scores = zip(*files.values(), strict=True)
    return TrialSpec(scores, keys=keys, layout="kaldi")


@pytest.mark.parametrize("spec_of", [long, dropping, averaged, keyed, kaldi])
def test_every_source_is_opened_once(tmp_path, openings, spec_of):
    spec = spec_of(tmp_path)
    table, _ = counted(spec)
    table.tally_by(spec.attributes)
    assert openings == {path.name: 1 for path in spec.files}


def test_a_table_that_is_sent_is_opened_where_it_is_read(tmp_path, openings):
    table, _ = counted(long(tmp_path))
    again = pickle.loads(pickle.dumps(table))
    assert openings["trials.csv"] == 1
    assert again.rows.collect().equals(table.rows.collect())
    assert openings["trials.csv"] == 2
