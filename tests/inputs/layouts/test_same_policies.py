"""Missing scores, rows without a label, weights, runs and datasets: the same frames in every layout, byte for byte."""

from __future__ import annotations

import functools
import io
from itertools import product

import polars as pl
import pytest
from build import built_from

MODELS, RUNS, DATASETS = ("A", "B"), ("1", "2"), ("north", "south")
WORDS = ["NA", "", "NaN", "<NA>"]


@functools.cache
def rows() -> pl.DataFrame:
    """Twelve trials of each split and dataset, tied scores; some rows lack a label, some a score."""
    found = []
    for (d, dataset), (s, split), at in product(enumerate(DATASETS), enumerate(("dev", "test")), range(12)):
        label = None if at == 7 + d + s else at % 3 == 0
        for (m, model), (r, run) in product(enumerate(MODELS), enumerate(RUNS)):
            score = (at * (5 + 2 * m) % 7 + r + d) / 2 + 2 * (at % 3 == 0)
            lacks = (at + 3 * m + r + s) % 11 == 0
            found.append({
                "model": model, "run": run, "dataset": dataset, "split": split, "trial": f"t{at:02}",
                "label": None if label is None else int(label), "score": None if lacks else score,
                "speaker": f"s{at // 2}", "size": "big" if at % 4 == 0 else "small",
            })  # fmt: skip
    return pl.DataFrame(found).sample(fraction=1, shuffle=True, seed=2)


SAID = ["dataset", "split", "trial", "label", "speaker", "size"]


def worded(table: pl.DataFrame) -> pl.DataFrame:
    """Nulls in the words of various programs."""
    words = pl.Series("word", [WORDS[at % len(WORDS)] for at in range(len(table))])
    texts = [pl.col(name).cast(pl.String).fill_null(words).alias(name) for name in ("label", "score") if name in table.columns]  # fmt: skip
    return table.with_columns(texts)


def wide() -> pl.DataFrame:
    return rows().pivot("model", index=["run", *SAID], values="score")


def keys() -> pl.DataFrame:
    return rows().select(SAID).unique(maintain_order=True)


def long_parquet(folder):
    rows().write_parquet(folder / "t.parquet")
    return "source: t.parquet"


def long_csv(folder):
    worded(rows()).write_csv(folder / "t.csv")
    return "source: t.csv"


def long_with_semicolons(folder):
    commas = pl.col("score").str.replace(".", ",", literal=True)
    worded(rows()).with_columns(commas).write_csv(folder / "t.csv", separator=";")
    return "source: t.csv"


def long_ndjson(folder):
    rows().write_ndjson(folder / "t.ndjson")
    return "source: t.ndjson"


def long_arrow(folder):
    floats = rows().with_columns(
        pl.col("score").fill_null(float("nan")), pl.col("model", "split").cast(pl.Categorical)
    )
    floats.write_ipc(folder / "t.arrow")
    return "source: t.arrow"


def in_two_kinds(folder):
    worded(rows().filter(model="A")).write_csv(folder / "a.csv")
    rows().filter(model="B").write_parquet(folder / "b.parquet")
    return "source: [a.csv, b.parquet]"


def by_path(folder):
    for (model, split), part in rows().partition_by("model", "split", as_dict=True).items():
        (folder / split).mkdir(exist_ok=True)
        part.drop("model", "split").write_ndjson(folder / split / f"{model}.jsonl")
    return "source: '{split}/{model}.jsonl'"


def wide_csv(folder):
    wide().write_csv(folder / "t.csv", null_value="NA")
    return "source: t.csv, layout: wide, scores: [A, B]"


def wide_parquet(folder):
    wide().write_parquet(folder / "t.parquet")
    return "source: t.parquet, layout: wide, scores: [A, B]"


def keyed_without_rows(folder):
    """A trial without a score has no row, and no label beside it."""
    worded(keys()).write_csv(folder / "keys.csv")
    some = rows().drop_nulls("score").select("model", "run", "dataset", "split", "trial", "score")
    some.write_parquet(folder / "scores.parquet")
    return "keys: keys.csv, source: scores.parquet, layout: keyed"


def keyed_with_words(folder):
    keys().write_parquet(folder / "keys.parquet")
    for (model,), part in worded(rows()).partition_by("model", as_dict=True).items():
        part.select("run", "dataset", "split", "trial", "score").write_csv(folder / f"{model}.csv")
    return "keys: keys.parquet, source: '{model}.csv', layout: keyed"


LAYOUTS = (
    long_parquet, long_csv, long_with_semicolons, long_ndjson, long_arrow, in_two_kinds, by_path, wide_csv,
    wide_parquet, keyed_without_rows, keyed_with_words,
)  # fmt: skip
POLICIES = {
    "dropped": ("missing: drop, unlabelled: drop", ""),
    "rejected": ("missing: reject, unlabelled: drop", ""),
    "weighted": ("missing: drop, unlabelled: drop, weights: {stratum: {big: 3, small: 1}}", ", stratum: size"),
    "weighted, rejected": ("missing: reject, unlabelled: drop, weights: {stratum: {big: 0.5, small: 1}}", ", stratum: size"),
    "clusters": ("missing: drop, unlabelled: drop", ", cluster: speaker"),
}  # fmt: skip


def frames(folder, source: str, policy: str) -> dict[str, bytes]:
    further, columns = POLICIES[policy]
    (folder / "report.yaml").write_text(
        f"trials: {{{source}, {further}, columns: {{run: run{columns}}}}}\nepc: none\ncurves: [roc]\n"
        "measures: [hter, auc]\ncriteria: [min_hter]\nby: [size]\n"
    )
    built = built_from(folder / "report.yaml", "significance.replicates=99").frames
    written = {}
    for name, frame in built.items():
        frame.write_parquet(file := io.BytesIO())
        written[name] = file.getvalue()
    return written


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The frames of the long Parquet file, by policy, each made once."""

    @functools.cache
    def of(policy: str) -> dict[str, bytes]:
        folder = tmp_path_factory.mktemp("long")
        return frames(folder, long_parquet(folder), policy)

    return of


def pairs() -> list[object]:
    """Every layout under every policy; all but two of each take their time."""
    return [
        pytest.param(
            layout,
            policy,
            id=f"{layout.__name__}, {policy}",
            marks=() if (at - number) % len(POLICIES) in (0, 2) else pytest.mark.long,
        )
        for number, layout in enumerate(LAYOUTS[1:])
        for at, policy in enumerate(POLICIES)
    ]


@pytest.mark.parametrize(("layout", "policy"), pairs())
def test_every_layout_gives_the_same_frames(tmp_path, expected, layout, policy):
    found = frames(tmp_path, layout(tmp_path), policy)
    assert [name for name, frame in expected(policy).items() if found[name] != frame] == []
