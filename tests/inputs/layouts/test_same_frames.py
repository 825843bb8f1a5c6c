"""The same few tied trials in every layout that can carry them give the same frames, byte for byte."""

from __future__ import annotations

import functools
import gzip
import io

import polars as pl
import pytest
from build import FAST, built_from

SCORES = {
    "dev": {"A": [2.5, 1.0, 1.0, 0.5, -1.0, 1.0], "B": [1.0, 3.0, 0.5, 1.0, 0.5, 0.25]},
    "test": {"A": [0.5, 2.5, 1.0, 1.0, 0.5, -2.0], "B": [3.0, 1.0, 1.0, 0.25, 2.0, 0.25]},
}
ENROLLED = ["s1", "s2", "s1", "s2", "s2", "s1"]
HEARD = ["s1_u1", "s2_u2", "s2_u3", "s1_u4", "s3_u5", "s3_u6"]
"""An utterance names its speaker before the underscore; two of the six are those enrolled."""
GENDER = ["f", "m", "f", "m", "f", "m"]


def long_table() -> pl.DataFrame:
    rows = [
        (model, split, f"{one} {other}", int(other.startswith(one)), score, one, other, gender)
        for split, by_model in SCORES.items()
        for model, scores in by_model.items()
        for one, other, gender, score in zip(ENROLLED, HEARD, GENDER, scores, strict=True)
    ]
    names = ["model", "split", "trial", "label", "score", "enroll", "test", "gender"]
    return pl.DataFrame(rows, names, orient="row").sample(fraction=1, shuffle=True, seed=3)


def wide_table() -> pl.DataFrame:
    return long_table().pivot("model", index=["split", "trial", "label", "enroll", "gender"], values="score")


def keys() -> pl.DataFrame:
    return long_table().select("split", "trial", "label", "enroll", "gender").unique(maintain_order=True)


def write_text(path, rows, separator=" "):
    """Write lines of fields, shuffled in a way of their own, with blanks where a file may have them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [separator.join(map(str, row)) for row in rows]
    text = ("\n".join(lines[1::2] + lines[0::2]) + "\n").encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def write_table(path, rows):
    """Write fields between tabs, the header first."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join("\t".join(row) for row in rows))


def each_part():
    """Model, split and rows of the long table."""
    for (model, split), part in sorted(long_table().partition_by("model", "split", as_dict=True).items()):
        yield model, split, part


def each_split():
    for (split,), part in sorted(long_table().filter(model="A").partition_by("split", as_dict=True).items()):
        yield split, part


def long_parquet(folder):
    long_table().write_parquet(folder / "t.parquet")
    return "{source: t.parquet}"


def wide_csv(folder):
    wide_table().write_csv(folder / "t.csv")
    return "{source: t.csv, layout: wide, scores: [A, B]}"


def wide_parquet(folder):
    wide_table().rename({"A": "system A"}).write_parquet(folder / "t.parquet")
    return "{source: t.parquet, layout: wide, scores: {A: system A, B: B}}"


def wide_by_what_is_left(folder):
    for (split,), part in wide_table().partition_by("split", as_dict=True).items():
        part.drop("split").write_csv(folder / f"{split}.csv")
    return "{source: '{split}.csv', layout: wide}"


def keyed_csv(folder):
    keys().write_csv(folder / "keys.csv")
    long_table().select("trial", "split", "model", "score").write_csv(folder / "scores.csv")
    return "{keys: keys.csv, source: scores.csv, layout: keyed}"


def keyed_in_many_files(folder):
    (folder / "keys").mkdir()
    for (split,), part in keys().partition_by("split", as_dict=True).items():
        part.drop("split").write_parquet(folder / "keys" / f"{split}.parquet")
    for model, split, part in each_part():
        (folder / model).mkdir(exist_ok=True)
        part.select("score", "trial").write_csv(folder / model / f"{split}.csv")
    return "{keys: 'keys/{split}.parquet', source: '{model}/{split}.csv', layout: keyed}"


def bob_in_four(folder):
    for model, split, part in each_part():
        rows = [(one, other.split("_")[0], other, score) for one, other, score in part.select("enroll", "test", "score").rows()]  # fmt: skip
        write_text(folder / model / f"scores-{split}", rows)
    return "{source: '{model}/scores-{split}', layout: bob}"


def bob_in_five(folder):
    for model, split, part in each_part():
        rows = [(one, one, other.split("_")[0], other, score) for one, other, score in part.select("enroll", "test", "score").rows()]  # fmt: skip
        write_text(folder / model / f"scores-{split}.gz", rows, separator="\t ")
    return "{source: '{model}/scores-{split}.gz', layout: bob}"


def kaldi(folder):
    for split, part in each_split():
        rows = [(*pair, "target" if y else "nontarget") for *pair, y in part.select("enroll", "test", "label").rows()]  # fmt: skip
        write_text(folder / split / "trials", rows)
    for model, split, part in each_part():
        write_text(folder / model / f"{split}.txt", part.select("enroll", "test", "score").rows())
    return "{keys: '{split}/trials', source: '{model}/{split}.txt', layout: kaldi}"


def nist(folder):
    for split, part in each_split():
        rows = [
            ("modelid", "segmentid", "side", "targettype", "gender"),
            *((one, other, "a", "target" if y else "nontarget", gender) for one, other, y, gender in part.select("enroll", "test", "label", "gender").rows()),
        ]  # fmt: skip
        write_table(folder / "keys" / f"{split}.tsv", rows)
    for model, split, part in each_part():
        rows = [(one, other, "a", str(score)) for one, other, score in part.select("enroll", "test", "score").rows()]  # fmt: skip
        write_table(folder / f"{model}_{split}.tsv", [("modelid", "segmentid", "side", "LLR"), *rows])
    return "{keys: 'keys/{split}.tsv', source: '{model}_{split}.tsv', layout: nist}"


def voxsrc(folder):
    for split, part in each_split():
        write_text(folder / "lists" / f"{split}.txt", part.select("label", "enroll", "test").rows())
    for model, split, part in each_part():
        columns = ["score", "enroll", "test"] if model == "A" else ["enroll", "test", "score"]
        write_text(folder / f"{model}_{split}.txt", part.select(columns).rows())
    return "{keys: 'lists/{split}.txt', source: '{model}_{split}.txt', layout: voxsrc}"


def asvspoof(folder):
    for split, part in each_split():
        rows = [(one, f"{one}~{other}", "-", "A07", "bonafide" if y else "spoof") for one, other, y in part.select("enroll", "test", "label").rows()]  # fmt: skip
        write_text(folder / "protocols" / f"{split}.txt", rows)
    for model, split, part in each_part():
        rows = [
            (f"{one}~{other}", score) for one, other, score in part.select("enroll", "test", "score").rows()
        ]
        write_text(folder / f"{model}.{split}.txt", rows)
    return "{keys: 'protocols/{split}.txt', source: '{model}.{split}.txt', layout: asvspoof}"


KEPT = [wide_csv, wide_parquet, keyed_csv, keyed_in_many_files, bob_in_four, kaldi, voxsrc]
CLUSTERED = {
    wide_csv: "enroll",
    keyed_in_many_files: "enroll",
    bob_in_five: "claimed_id",
    asvspoof: "speaker",
}
BROKEN_DOWN = {wide_by_what_is_left: "enroll", keyed_csv: "enroll", nist: "modelid"}


def frames_of(folder, layout, *overrides):
    """Write the table in a layout and return the bytes of every frame of its report."""
    folder.mkdir()
    (folder / "report.yaml").write_text(f"trials: {layout(folder)}\n")
    frames = built_from(folder / "report.yaml", *FAST, *overrides).frames
    return {name: as_bytes(frame) for name, frame in frames.items()}


def as_bytes(frame):
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def long_frames(tmp_path_factory):
    """Returns the frames of the long table, computed once for each set of overrides."""

    @functools.cache
    def of(*overrides):
        return frames_of(tmp_path_factory.mktemp("long") / "it", long_parquet, *overrides)

    return of


@pytest.mark.parametrize("layout", KEPT)
def test_a_layout_gives_the_frames_of_the_long_table(tmp_path, layout, long_frames):
    assert frames_of(tmp_path / "it", layout) == long_frames()


@pytest.mark.parametrize(("layout", "column"), CLUSTERED.items())
def test_clusters_come_from_the_columns_of_a_layout(tmp_path, layout, column, long_frames):
    found = frames_of(tmp_path / "it", layout, f"trials.columns.cluster={column}")
    assert found == long_frames("trials.columns.cluster=enroll")


@pytest.mark.parametrize(("layout", "column"), BROKEN_DOWN.items())
def test_breakdowns_come_from_the_columns_of_a_layout(tmp_path, layout, column, long_frames):
    found = frames_of(tmp_path / "it", layout, f"trials.columns.cluster={column}", "by=[gender]")
    assert found == long_frames("trials.columns.cluster=enroll", "by=[gender]")
