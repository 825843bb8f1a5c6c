"""Small trials in every shape that is recognised: 24 trials a split, of 8 speakers, with ties."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import polars as pl

from reporting.app.run.counts import make_bundle


def long_table(
    models: Sequence[str] = ("A", "B", "C"), splits: Sequence[str] = ("dev", "test")
) -> pl.DataFrame:
    """One row a trial and model."""
    return pl.DataFrame(
        [
            {
                "model": model,
                "split": split,
                "trial": f"{split}-{i:02d}",
                "label": i % 3 == 0,
                "score": (i * (5 + at) % 7) / 4 + 1.25 * (i % 3 == 0),
                "speaker": f"s{i % 8}",
                "gender": "fm"[i % 2],
            }
            for at, model in enumerate(models)
            for split in splits
            for i in range(24)
        ]
    )


def wide_table(splits: Sequence[str] = ("dev", "test")) -> pl.DataFrame:
    """One row a trial, columns A, B, C."""
    index = ["split", "trial", "label", "speaker", "gender"]
    return long_table(splits=splits).pivot("model", index=index, values="score")


def parts() -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Model, split and rows of two models."""
    for (model, split), rows in long_table(("A", "B")).partition_by("model", "split", as_dict=True).items():
        yield str(model), str(split), rows


def lines(path: Path, rows: Sequence[Sequence[object]], separator: str = " ") -> None:
    """Write lines of fields."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows))


def pair(trial: str) -> tuple[str, str]:
    """An enrolled speaker and an utterance; the same of both where the trial is a target."""
    number = int(trial[-2:])
    enrolled = f"s{number % 8}"
    return enrolled, f"{enrolled if number % 3 == 0 else 'x'}_{trial}"


def parquet(folder: Path) -> list[str]:
    rows = long_table().rename({"model": "system", "label": "target"})
    rows.write_parquet(folder / "trials.parquet")
    return ["trials.parquet"]


def scikit_learn(folder: Path) -> list[str]:
    rows = long_table(("A",), ("test",)).select(
        pl.col("trial").alias("id"), pl.col("label").cast(pl.Int8).alias("y_true"), (pl.col("score") / 4).alias("y_prob")
    )  # fmt: skip
    rows.write_csv(folder / "forest.csv")
    return ["forest.csv"]


def wide(folder: Path) -> list[str]:
    rows = wide_table().rename({"trial": "utt", "label": "y"})
    rows.with_columns(pl.col("y").replace_strict({True: "genuine", False: "impostor"})).write_csv(
        folder / "w.csv"
    )
    return ["w.csv"]


def files_of_models(folder: Path) -> list[str]:
    for model, split, rows in parts():
        rows.drop("model", "split").write_csv(folder / f"{model}-{'eval' if split == 'test' else split}.csv")
    return ["."]


def keyed(folder: Path) -> list[str]:
    long_table(("A",)).drop("model", "score").write_csv(folder / "keys.csv")
    for model, rows in long_table(("A", "B")).partition_by("model", as_dict=True).items():
        rows.select("trial", "score").write_csv(folder / f"{model[0]}.tsv", separator="\t")
    return ["keys.csv", "A.tsv", "B.tsv"]


def kaldi(folder: Path) -> list[str]:
    for model, split, rows in parts():
        trials = rows.select("trial", "label", "score").rows()
        word = {True: "target", False: "nontarget"}
        lines(folder / f"keys/{split}/trials", [(*pair(trial), word[label]) for trial, label, _ in trials])
        lines(folder / f"scores/{model}/{split}", [(*pair(trial), score) for trial, _, score in trials])
    return ["keys", "scores"]


def voxsrc(folder: Path) -> list[str]:
    for model, split, rows in parts():
        trials = rows.select("trial", "label", "score").rows()
        lines(folder / f"{split}.keys", [(int(label), *pair(trial)) for trial, label, _ in trials])
        lines(folder / f"{model}_{split}.txt", [(score, *pair(trial)) for trial, _, score in trials])
    return ["*.keys", "*.txt"]


def bob(folder: Path) -> list[str]:
    for model, split, rows in parts():
        trials = [(pair(trial), score) for trial, score in rows.select("trial", "score").rows()]
        lines(folder / f"{model}/scores-{split}", [(a, b.partition("_")[0], b, s) for (a, b), s in trials])
    return ["A", "B"]


def nist(folder: Path) -> list[str]:
    key = [("modelid", "segmentid", "side", "targettype", "gender")]
    word = {True: "target", False: "nontarget"}
    for model, split, rows in parts():
        trials = [(*pair(t), "a", label, g, s) for t, label, g, s in rows.select("trial", "label", "gender", "score").rows()]  # fmt: skip
        lines(
            folder / f"{split}_key.tsv", [*key, *((*row[:3], word[row[3]], row[4]) for row in trials)], "\t"
        )
        header = [("modelid", "segmentid", "side", "LLR")]
        lines(folder / f"{model}_{split}.tsv", [*header, *((*row[:3], row[5]) for row in trials)], "\t")
    return ["dev_key.tsv", "test_key.tsv", "A_dev.tsv", "A_test.tsv", "B_dev.tsv", "B_test.tsv"]


def asvspoof(folder: Path) -> list[str]:
    word = {True: "bonafide", False: "spoof"}
    for model, split, rows in parts():
        trials = rows.select("trial", "label", "score", "speaker").rows()
        short = {"dev": "dev", "test": "eval"}[split]
        lines(folder / f"protocols/ASVspoof2019.LA.cm.{short}.trl.txt", [(s, t, "-", "-", word[label]) for t, label, _, s in trials])  # fmt: skip
        lines(folder / f"cm/{model}.{short}.txt", [(t, score) for t, _, score, _ in trials])
    return ["protocols", "cm"]


def lake(folder: Path) -> list[str]:
    for model, split, rows in parts():
        path = folder / f"lake/model={model}/split={split}/part.parquet"
        path.parent.mkdir(parents=True)
        rows.drop("model", "split").write_parquet(path)
    return ["lake"]


def counts(folder: Path) -> list[str]:
    long_table().write_parquet(folder / "t.parquet")
    config = folder / "counted.yaml"
    config.write_text("trials: {source: t.parquet, columns: {cluster: speaker}, coarse: 24}\nby: [gender]\n")
    make_bundle(config, folder / "counts.parquet")
    return ["counts.parquet"]


def sqlite(folder: Path) -> list[str]:
    rows = long_table().with_columns(pl.col("label").cast(pl.Int8))
    with closing(sqlite3.connect(folder / "lab.db")) as connection:
        connection.execute(f'CREATE TABLE "of 2026" ({", ".join(rows.columns)})')
        connection.executemany(f'INSERT INTO "of 2026" VALUES ({", ".join("?" * rows.width)})', rows.rows())
        connection.commit()
    return ["lab.db", "--table", "of 2026"]


EXAMPLES: dict[str, Callable[[Path], list[str]]] = {
    one.__name__: one
    for one in (
        parquet, scikit_learn, wide, files_of_models, keyed, kaldi, voxsrc, bob, nist, asvspoof, lake, counts, sqlite,
    )
}  # fmt: skip
