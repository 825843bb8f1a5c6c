"""Tables as people have them: each shape a frame, and how it is written."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from tests.app.init.examples import long_table, wide_table

Shape = Callable[[Path], list[str]]
"""Writes its files into a folder, and returns what ``init`` is shown."""


def plain(splits: Sequence[str] = ("test",)) -> pl.DataFrame:
    """A label and a score of one model, with a key."""
    return long_table(("A",), splits).select("trial", label=pl.col("label").cast(pl.Int8), score="score")


def csv(frame: pl.DataFrame, name: str = "t.csv", **form: str) -> Shape:
    """A table of text."""

    def write(folder: Path) -> list[str]:
        frame.write_csv(folder / name, **form)  # type: ignore[arg-type]
        return [name]

    return write


def text(frame: pl.DataFrame, change: Callable[[str], str], name: str = "t.csv", **form: str) -> Shape:
    """A table of text, changed after it was written."""

    def write(folder: Path) -> list[str]:
        out = io.StringIO()
        frame.write_csv(out, **form)  # type: ignore[call-overload]
        content = change(out.getvalue()).encode()
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return [name]

    return write


def binary(frame: pl.DataFrame, end: str) -> Shape:
    """A table in a file of types."""

    def write(folder: Path) -> list[str]:
        kinds = {"parquet": "parquet", "pq": "parquet", "arrow": "ipc", "feather": "ipc", "ndjson": "ndjson", "jsonl": "ndjson"}  # fmt: skip
        getattr(frame, f"write_{kinds[end]}")(folder / f"t.{end}")
        return [f"t.{end}"]

    return write


def parts(*frames: tuple[str, pl.DataFrame]) -> Shape:
    """Several files."""

    def write(folder: Path) -> list[str]:
        for name, frame in frames:
            frame.write_csv(folder / name)
        return [name for name, _ in frames]

    return write


LONG, WIDE = long_table(("A", "B")), wide_table()
TEST = long_table(("A", "B"), ("test",)).drop("split")
WIDE_TEST = wide_table(("test",)).drop("split")
PAIRS = LONG.drop("speaker").with_columns(
    enroll=pl.lit("s") + pl.col("trial").str.slice(-1), test=pl.lit("t") + pl.col("trial").str.slice(-1)
)


def labelled(target: object, other: object, kind: pl.DataType | None = None) -> pl.DataFrame:
    """Labels in other words."""
    words = pl.when("label").then(pl.lit(target)).otherwise(pl.lit(other))
    return LONG.with_columns(label=words.cast(kind) if kind else words)


SCORES = {
    f"score called {name}": csv(plain().rename({"score": name}).with_columns(pl.col(name) / 4))
    for name in ("p", "risk", "value", "cosine", "output", "x1", "Pr(Y=1)", "y_hat", "model_output", "0", "é")
}
LONG_SCORES = {
    f"long score called {name}": csv(LONG.rename({"score": name}))
    for name in ("p", "risk", "value", "cosine", "output")
}
NAMES = {
    f"{kind} called {name}": csv(frame.rename({"score": name}))
    for name in ("log10LR", "log10_lr", "llr10", "log10_llr", "llr", "loglr")
    for kind, frame in {"likelihood ratio": plain(), "long likelihood ratio": LONG, "test of ratio": TEST}.items()
} | {
    "likelihood ratios, some turned": csv(
        LONG.with_columns(pl.when(pl.col("model") == "A").then(-pl.col("score")).otherwise("score").alias("llr")).drop("score")
    ),
    "likelihood ratios of eleven models": csv(long_table([f"M{at:02d}" for at in range(11)]).rename({"score": "llr"})),
    "wide likelihood ratios": csv(WIDE.rename({"A": "llr_9", "B": "llr_10", "C": "llr_11"})),
    "likelihood ratios beside scores": csv(WIDE.rename({"A": "llr", "B": "score", "C": "score_c"})),
    "likelihood ratios counted": csv(LONG.group_by("model", "split", "label", "score").len("n").rename({"score": "llr"}).sort(pl.all())),
    **{
        f"{column} that may be clusters": csv(LONG.rename({"speaker": column}))
        for column in ("customer", "questioned_source", "session", "lot")
    },
    "whole numbers that may be clusters": csv(LONG.with_columns(account=pl.col("trial").str.slice(-2).cast(pl.Int64) % 6).drop("speaker")),
    "wide clusters in question": csv(WIDE_TEST.drop("trial").rename({"speaker": "customer"})),
    "clusters in question of many labels": csv(LONG.rename({"speaker": "customer"}).with_columns(label=pl.lit("k") + pl.col("trial").str.slice(-1))),
}  # fmt: skip
LABELS = {
    f"labels {name}": csv(frame)
    for name, frame in {
        "-1 and 1": labelled(1, -1),
        "-1.0 and 1.0": labelled(1.0, -1.0),
        "1.0 and 0.0": labelled(1.0, 0.0),
        "1 and 2": labelled(2, 1),
        "yes and no": labelled("yes", "no"),
        "Y and N": labelled("Y", "N"),
        "TRUE and FALSE": labelled("TRUE", "FALSE"),
        "Target and Nontarget": labelled("Target", "Nontarget"),
        "names": labelled("Dole", "Clinton"),
        "with blanks": labelled("bona fide", "spoofed speech"),
        "hostile": labelled("{x: #y}", "'"),
        "of three kinds": labelled("genuine", "zero effort").with_columns(
            pl.when(pl.col("trial").str.ends_with("1")).then(pl.lit("mask")).otherwise("label").alias("label")
        ),
        "lacking here and there": LONG.with_columns(
            pl.when(pl.int_range(pl.len()) != 5).then("label").alias("label")
        ),
    }.items()
}
DELIMITERS = {
    "semicolons": csv(LONG, separator=";"),
    "semicolons and decimal commas": text(
        LONG.with_columns(pl.col("score").cast(pl.String).str.replace(".", ",", literal=True)),
        str,
        separator=";",
    ),
    "semicolons of one model": csv(plain().with_columns(pl.col("score") / 4), separator=";"),
    "tabs in .csv": csv(LONG, separator="\t"),
    "bars": csv(LONG, separator="|"),
    "commas in .tsv": csv(LONG, "t.tsv"),
    "tabs": csv(LONG, "t.tsv", separator="\t"),
    "bare carriage returns": text(LONG, lambda it: it.replace("\n", "\r")),
    "bare carriage returns, packed": text(LONG, lambda it: it.replace("\n", "\r"), "t.csv.gz"),
    "semicolons and bare carriage returns": text(LONG, lambda it: it.replace("\n", "\r"), separator=";"),
    "carriage returns and line feeds": text(LONG, lambda it: it.replace("\n", "\r\n")),
    "a byte order mark": text(LONG, lambda it: "\ufeff" + it),
    "a byte order mark and semicolons": text(LONG, lambda it: "\ufeff" + it, separator=";"),
    "blank lines": text(LONG, lambda it: it.replace("\n", "\n\n")),
    "quotes": text(LONG, str, quote_style="always"),
    "no last line feed": text(LONG, lambda it: it.rstrip("\n")),
}
TYPES = {
    f"types in {end}": binary(LONG.with_columns(label=pl.col("label").cast(pl.Int8)), end)
    for end in ("parquet", "pq", "arrow", "feather", "ndjson", "jsonl")
} | {
    "categories": binary(LONG.with_columns(pl.col("model", "split", "trial").cast(pl.Categorical)), "parquet"),
    "an enumeration": binary(LONG.with_columns(pl.col("split").cast(pl.Enum(["dev", "test"]))), "parquet"),
    "small floats": binary(LONG.with_columns(pl.col("score").cast(pl.Float32)), "parquet"),
    "decimals": binary(LONG.with_columns(pl.col("score").cast(pl.Decimal(10, 4))), "parquet"),
    "whole scores": binary(LONG.with_columns((pl.col("score") * 4).cast(pl.Int32)), "arrow"),
    "float labels": binary(LONG.with_columns(pl.col("label").cast(pl.Float64)), "parquet"),
    "lists and dates beside": binary(
        LONG.with_columns(pl.lit([1, 2]).alias("frames"), pl.date(2026, 1, 1).alias("day")), "parquet"
    ),
    "NaN scores": binary(LONG.with_columns(pl.when(pl.int_range(pl.len()) == 3).then(float("nan")).otherwise("score").alias("score")), "parquet"),
}  # fmt: skip
LAYOUTS = {
    "long": csv(LONG),
    "wide": csv(WIDE),
    "wide, unknown names": csv(WIDE.rename({"A": "resnet", "B": "ecapa", "C": "x-vector"})),
    "long without key": csv(LONG.drop("trial")),
    "long without key or cluster": csv(LONG.drop("trial", "speaker")),
    "long without split": csv(TEST),
    "long without split and key": csv(TEST.drop("trial")),
    "long of one model without split and key": csv(TEST.filter(pl.col("model") == "A").drop("trial")),
    "wide without key": csv(WIDE.drop("trial")),
    "wide without split": csv(WIDE_TEST),
    "wide without split and key": csv(WIDE_TEST.drop("trial")),
    "wide without anything": csv(WIDE_TEST.drop("trial", "speaker", "gender")),
    "counted": csv(LONG.group_by("model", "split", "label", "score").len("n").sort(pl.all())),
    "counted without split": csv(TEST.group_by("model", "label", "score").len("n").sort(pl.all())),
    "counted with a cluster": csv(LONG.group_by("model", "split", "label", "score", "speaker").len("n").sort(pl.all())),
    "pairs": csv(PAIRS),
    "pairs without split": csv(PAIRS.filter(pl.col("split") == "test").drop("split")),
    "pairs of speakers without split": csv(
        PAIRS.filter(pl.col("split") == "test").drop("split").rename({"enroll": "enroll_speaker", "test": "test_speaker"})
    ),
    "pairs without key": csv(PAIRS.drop("trial")),
    "wide pairs without split and key": csv(
        WIDE_TEST.with_columns(enroll_spk=pl.lit("s") + pl.col("trial").str.slice(-1), test_spk="speaker").drop("trial", "speaker")
    ),
    "few speakers without split": csv(TEST.with_columns(speaker=pl.lit("s") + (pl.int_range(pl.len()) % 24 % 3).cast(pl.String))),
    "one speaker": csv(TEST.with_columns(speaker=pl.lit("s"))),
    "a speaker of each class": csv(TEST.with_columns(speaker=pl.when("label").then(pl.lit("a")).otherwise(pl.lit("b")))),
    "train and test": csv(long_table(("A", "B"), ("train", "test"))),
    "valid and eval": csv(long_table(("A", "B"), ("valid", "eval"))),
    "two splits of other names": csv(long_table(("A", "B"), ("first", "second"))),
    "three splits": csv(long_table(("A", "B"), ("train", "dev", "test"))),
    "a split of one value": csv(long_table(("A", "B"), ("dev",))),
    "several datasets": csv(pl.concat(LONG.with_columns(pl.lit(name).alias("corpus")) for name in ("x", "y"))),
    "datasets, one without dev": csv(
        pl.concat([LONG.with_columns(corpus=pl.lit("x")), long_table(("A", "B"), ("test",)).with_columns(corpus=pl.lit("y"))])
    ),
    "runs": csv(pl.concat(LONG.with_columns(pl.lit(seed).alias("seed")) for seed in (1, 2))),
    "readers": csv(pl.concat(LONG.with_columns(pl.lit(name).alias("reader")) for name in ("r1", "r2"))),
    "eleven models": csv(long_table([f"M{at:02d}" for at in range(11)])),
    "an index without a name": text(WIDE.with_row_index(), lambda it: it.removeprefix("index")),
    "an index of pandas": csv(LONG.with_row_index("Unnamed: 0")),
    "whole numbers for keys": csv(LONG.with_columns(trial=pl.col("trial").str.slice(-2).cast(pl.Int64))),
    "keys with zeros before": csv(LONG.with_columns(trial=pl.col("trial").str.slice(-2).str.zfill(4))),
    "repeated rows": csv(pl.concat([TEST, TEST.filter(pl.col("trial") < "test-03")])),
    "scores missing": csv(LONG.with_columns(pl.when(pl.int_range(pl.len()) != 4).then("score").alias("score"))),
    "scores missing in words": csv(LONG.with_columns(score=pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("NA")).otherwise(pl.col("score").cast(pl.String)))),
    "lower scores for targets": csv(LONG.with_columns(-pl.col("score"))),
    "a score that is always the same": csv(LONG.with_columns(score=pl.lit(0.5))),
    "decisions for scores": csv(LONG.with_columns(score=(pl.col("score") > 1).cast(pl.Int8))),
    "a gender that some rows lack": csv(LONG.with_columns(pl.when(pl.int_range(pl.len()) % 7 > 0).then("gender").alias("gender"))),
    "a speaker that some rows lack": csv(LONG.with_columns(pl.when(pl.int_range(pl.len()) % 7 > 0).then("speaker").alias("speaker"))),
    "a cluster that some rows lack": csv(LONG.rename({"speaker": "cluster"}).with_columns(pl.when(pl.int_range(pl.len()) % 7 > 0).then("cluster").alias("cluster"))),
    "a cluster without key": csv(LONG.rename({"speaker": "cluster"}).drop("trial")),
    "a cluster counted": csv(LONG.rename({"speaker": "cluster"}).group_by("model", "split", "label", "score", "cluster").len("n").sort(pl.all())),
    "keys that some rows lack": csv(LONG.with_columns(pl.when(pl.int_range(pl.len()) % 7 > 0).then("trial").alias("trial"))),
    "train and dev": csv(long_table(("A", "B"), ("train", "dev"))),
    "a set of one value": csv(long_table(("A", "B"), ("dev",)).rename({"split": "set"})),
    "few targets without key": csv(plain().drop("trial").head(9)),
    "two rows": csv(plain().filter(pl.col("trial").is_in(["test-00", "test-01"]))),
    "wide counted": csv(WIDE.drop("trial", "speaker").with_columns(count=2)),
    "a speaker that differs between models": csv(LONG.with_columns(speaker=pl.col("speaker") + pl.when(pl.col("trial") == "dev-01").then("model").otherwise(pl.lit("")))),
    "columns in capitals": csv(LONG.rename({name: name.upper() for name in LONG.columns})),
    "columns with blanks": csv(LONG.rename({"model": " The model ", "score": "Score (raw)", "label": "Is target?"})),
    "hostile columns": csv(LONG.rename({"model": "system: #1", "trial": "*", "speaker": "^spk$"})),
    "strata": csv(LONG.with_columns(stratum=pl.col("gender"))),
    "a count of other things": csv(LONG.with_columns(count=pl.int_range(pl.len()))),
    "files of models": parts(("A.csv", TEST.filter(pl.col("model") == "A").drop("model")), ("B.csv", TEST.filter(pl.col("model") == "B").drop("model"))),
    "files of splits": parts(("dev.csv", LONG.filter(pl.col("split") == "dev").drop("split")), ("test.csv", LONG.filter(pl.col("split") == "test").drop("split"))),
    "keys and scores": parts(("key.csv", LONG.filter(pl.col("model") == "A").drop("model", "score")), ("A.csv", LONG.filter(pl.col("model") == "A").select("trial", "score"))),
    "keys and scores of likelihood ratios": parts(("key.csv", LONG.filter(pl.col("model") == "A").drop("model", "score")), ("A.csv", LONG.filter(pl.col("model") == "A").select("trial", log10LR="score"))),
    "keys and scores with clusters in question": parts(("key.csv", LONG.filter(pl.col("model") == "A").drop("model", "score").rename({"speaker": "customer"})), ("A.csv", LONG.filter(pl.col("model") == "A").select("trial", "score"))),
    "keys and scores of an unknown name": parts(("key.csv", LONG.filter(pl.col("model") == "A").drop("model", "score")), ("A.csv", LONG.filter(pl.col("model") == "A").select("trial", cosine="score"))),
    "keys and scores with labels": parts(("key.csv", LONG.filter(pl.col("model") == "A").drop("model", "score")), ("A.csv", LONG.filter(pl.col("model") == "A").select("trial", "label", "score"))),
}  # fmt: skip
SHAPES: dict[str, Shape] = {**LAYOUTS, **NAMES, **LABELS, **SCORES, **LONG_SCORES, **DELIMITERS, **TYPES}
