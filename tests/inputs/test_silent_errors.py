"""What would give a wrong answer in silence: refused with one message, or a caution on the first page."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from command import Ended, reporting
from snapshot import snapshot

CONFIG = """\
trials: {{source: [{files}], columns: {{cluster: speaker}}}}
significance: {{replicates: 99, bands: none}}
curves: []
epc: none
criteria: {criteria}
by: [gender]
report: {{formats: [json]}}
"""
ROWS = pl.DataFrame(
    {
        "model": model,
        "split": split,
        "trial": f"t{i}",
        "label": i % 2,
        "score": (i * 7919 % 23) / 10 + i % 2 + nudge / 10,
        "speaker": i % 8,
        "gender": "fm"[i % 3 == 0],
    }
    for nudge, model in enumerate("ab")
    for split in ("dev", "test")
    for i in range(40)
)
DEV, TEST = (ROWS.filter(split=split) for split in ("dev", "test"))
SCORE, SPEAKER = pl.col("score"), pl.col("speaker")
ODD = pl.col("trial").str.ends_with("7")


def run(folder: Path, *frames: pl.DataFrame, criteria: str = "[min_hter]", kind: str = "parquet") -> Ended:
    """Make the report of tables, each in a file of its own."""
    names = [f"t{number}.{kind}" for number in range(len(frames))]
    for name, frame in zip(names, frames, strict=True):
        frame.write_parquet(folder / name) if kind == "parquet" else frame.write_csv(folder / name)
    (folder / "report.yaml").write_text(CONFIG.format(files=", ".join(names), criteria=criteria))
    return reporting("run", "-q", folder / "report.yaml", "-o", folder / "out")


def cautions(folder: Path) -> dict[str, str]:
    """Return the cautions of the report by their titles."""
    found: dict[str, str] = {}

    def look(value: object) -> None:
        if isinstance(value, dict):
            if value.get("kind") == "caution":
                found[value["title"]] = value["text"]
            value = list(value.values())
        if isinstance(value, list):
            for each in value:
                look(each)

    look(json.loads((folder / "out" / "report.json").read_text()))
    return found


def spelt(shape: str) -> pl.DataFrame:
    """Give some rows of every speaker the same name, written another way."""
    text = pl.format("spé{}", SPEAKER)
    other = {
        "space": text + " ",
        "no-break space": pl.format("spé{}\u00a0", SPEAKER),
        "composed": text.str.normalize("NFD"),
        "invisible": pl.format("sp\u200bé{}", SPEAKER),
    }[shape]
    return ROWS.with_columns(speaker=pl.when(ODD).then(other).otherwise(text))


@pytest.mark.parametrize("shape", ["space", "no-break space", "composed", "invisible"])
def test_clusters_that_print_alike_are_refused(tmp_path: Path, shape: str) -> None:
    ended = run(tmp_path, spelt(shape))
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: column 'speaker' (the cluster): ")
    assert " print alike (" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_models_that_print_alike_are_refused(tmp_path: Path) -> None:
    twin = ROWS.filter(model="a").with_columns(model=pl.lit("a "))
    ended = run(tmp_path, pl.concat([ROWS, twin]))
    assert (ended.returncode, ended.stderr.partition(" (they")[0]) == (
        2,
        "error: column 'model' (the model): 'a' and 'a ' print alike",
    )


def test_groups_that_print_alike_are_refused(tmp_path: Path) -> None:
    ended = run(tmp_path, ROWS.with_columns(gender=pl.when(ODD).then(pl.lit("f ")).otherwise(pl.lit("f"))))
    assert (ended.returncode, ended.stderr.partition(" (they")[0]) == (
        2,
        "error: column 'gender' (the breakdown): 'f' and 'f ' print alike",
    )


def test_clusters_that_differ_in_letter_case_alone_are_a_caution(tmp_path: Path) -> None:
    text = pl.format("spk{}", SPEAKER)
    rows = ROWS.with_columns(speaker=pl.when(ODD).then(text.str.to_uppercase()).otherwise(text))
    assert run(tmp_path, rows).returncode == 0
    snapshot(
        "inputs/silent_errors_clusters_that_differ_in_letter_case_alone_are_a_caution",
        cautions(tmp_path)["Letter case."],
    )


@pytest.mark.parametrize(
    ("dev", "test"),
    [
        (SPEAKER, SPEAKER.cast(pl.Float64)),
        (SPEAKER.cast(pl.String), SPEAKER.cast(pl.Float64)),
        (pl.datetime(2026, 1, 1) + pl.duration(hours=SPEAKER), pl.format("2026-01-01 0{}:00:00", SPEAKER)),
        (
            (pl.datetime(2026, 1, 1) + pl.duration(hours=SPEAKER)).dt.replace_time_zone("UTC"),
            (pl.datetime(2026, 1, 1) + pl.duration(hours=SPEAKER))
            .dt.replace_time_zone("UTC")
            .dt.convert_time_zone("Europe/Rome"),
        ),
    ],
    ids=["7 and 7.0", "text and 7.0", "time and text", "two time zones"],
)
def test_one_cluster_with_two_names_in_two_files_is_refused(
    tmp_path: Path, dev: pl.Expr, test: pl.Expr
) -> None:
    ended = run(tmp_path, DEV.with_columns(speaker=dev), TEST.with_columns(speaker=test))
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: column 'speaker' (the cluster) holds ")
    assert ended.stderr.endswith("where one value would get two names; save it with one type [TR601]\n")


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Int8, pl.UInt64], ids=str)
def test_one_cluster_with_one_name_is_one_whatever_its_type(tmp_path: Path, kind: type[pl.DataType]) -> None:
    same = ROWS.with_columns(speaker=SPEAKER.cast(pl.String).cast(kind))
    assert run(tmp_path, DEV, same.filter(split="test")).returncode == 0
    trials = pl.read_parquet(tmp_path / "out" / "frames" / "trials.parquet")
    assert trials.filter(group="")["n_clusters"].to_list() == [8] * 4


WHOLE = (SCORE * 10).cast(pl.Int64)


@pytest.mark.parametrize(
    ("score", "kind", "first"),
    [
        (2**53 + WHOLE, "parquet", "'9007199254741009'"),
        (2**53 + WHOLE, "csv", "'9007199254741009'"),
        (-(2**53) - WHOLE, "csv", "'-9007199254741009'"),
        (pl.lit(2**63, dtype=pl.UInt64) + WHOLE.cast(pl.UInt64), "parquet", "'9223372036854775808'"),
        (pl.when(ODD).then(pl.lit("1e400")).otherwise(SCORE.cast(pl.String)), "csv", "'1e400'"),
    ],
)
def test_scores_that_a_float_would_merge_are_refused(
    tmp_path: Path, score: pl.Expr, kind: str, first: str
) -> None:
    ended = run(tmp_path, ROWS.with_columns(score=score), kind=kind)
    assert ended.returncode == 2
    assert (
        "rows beyond 2^53, where 64-bit floats no longer distinguish whole numbers; scale them"
        in ended.stderr
    )
    assert f"first {first} at row" in ended.stderr


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_large_floats_whole_numbers_up_to_the_limit_and_infinities_are_scores(
    tmp_path: Path, kind: str
) -> None:
    score = pl.when(ODD).then(float("inf")).when(SCORE > 2).then(1e300).otherwise(SCORE)
    assert run(tmp_path, ROWS.with_columns(score=score), kind=kind).returncode == 0
    assert run(tmp_path, ROWS.with_columns(score=2**53 - WHOLE), kind=kind).returncode == 0


@pytest.mark.parametrize("negated", [False, True])
def test_an_infinite_threshold_that_rejects_infinite_scores_says_so(tmp_path: Path, negated: bool) -> None:
    """Non-targets of dev score +inf: no FAR of 0.1 % but by rejecting all."""
    infinite = pl.when(pl.col("trial").str.ends_with("8")).then(float("inf")).otherwise(SCORE)
    rows = ROWS.with_columns(score=-infinite if negated else infinite)
    criteria = "['target_far(far=0.001)']"
    if negated:
        criteria += "\nmodels: {a: {higher_is: nontarget}, b: {higher_is: nontarget}}"
    assert run(tmp_path, rows, criteria=criteria).returncode == 0
    snapshot(
        "inputs/silent_errors_an_infinite_threshold_that_rejects_infinite_scores_says_so",
        cautions(tmp_path)["Infinite scores."],
    )
    assert run(tmp_path, ROWS, criteria=criteria.partition("\n")[0]).returncode == 0
    assert "Infinite scores." not in cautions(tmp_path)


def test_decimals_with_a_comma_and_with_a_point_are_refused(tmp_path: Path) -> None:
    text = SCORE.round(2).cast(pl.String)
    some = pl.int_range(pl.len()) % 2 == 0
    comma = pl.when(some).then(text.str.replace(".", ",", literal=True)).otherwise(text)
    ended = run(tmp_path, ROWS.with_columns(score=comma), kind="csv")
    assert (ended.returncode, "rows not numbers; first '0,0' at row 1 of t0.csv" in ended.stderr) == (2, True)
