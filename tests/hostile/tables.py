"""Tables of trials in every type, shape and format, under names that anybody may have written."""

from __future__ import annotations

import gzip
import math
import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.hostile.configs import TEXTS, ConfigWriter, Value, yaml_text

SUFFIXES = ("parquet", "parquet", "csv", "tsv", "ndjson", "arrow", "csv.gz", "ndjson.gz", "csv.zst")
ROLES = (
    "model",
    "split",
    "trial",
    "label",
    "score",
    "run",
    "dataset",
    "cluster",
    "stratum",
    "gender",
    "channel",
)
KEYS = ("model", "trial", "run", "dataset", "cluster", "gender", "channel", "stratum")
SCORES = ("few", "few", "ties", "equal", "continuous", "huge", "tiny", "infinite", "lacking", "probability", "negative zero",
          "whole", "largest", "opposite", "perfect", "near")  # fmt: skip


PATTERNS = ("^(.)", "(.*)", "([0-9]+)", "(a+)+$", "(", "^(?:x|(.+))$", "(\\s)", "(.)(.)")


class Written(NamedTuple):
    """A table that was written: the keys ``trials`` that read it, its models, and what it may be broken down by."""

    trials: dict[str, Value]
    models: tuple[str, ...]
    columns: tuple[str, ...]


def write_table(rng: random.Random, folder: Path) -> Written:
    """Write a table into a folder."""
    strange = rng.choice((0.0, 0.0, 0.0, 0.02, 0.1))
    rows = _rows(rng, strange)
    names = (
        {role: _name(rng, role) for role in rows[0]}
        if rng.random() < 0.4
        else {role: role for role in rows[0]}
    )
    if len(set(names.values())) < len(names):
        names = {role: role for role in rows[0]}
    frame = _frame(rng, rows, strange)
    trials = _columns(rng, names)
    if rng.random() < 0.1:
        frame, trials = _wide(frame, names, trials)
    trials["source"] = _write(rng, frame.rename(names, strict=False), folder)
    if rng.random() < 0.3:
        trials["missing"] = rng.choice(("drop", "reject", "error"))
        trials["unlabelled"] = rng.choice(("drop", "error"))
    if rng.random() < 0.1:
        trials["clusters"] = {"pattern": rng.choice(PATTERNS), "name": rng.choice(TEXTS) or "speaker"}
    if "run" in rows[0]:
        trials["runs"] = rng.choice(("seed", "reader", "fold"))
    if rng.random() < 0.05:
        trials["coarse"] = str(rng.choice((16, 20, 40, 63)))
    if "stratum" in rows[0] and rng.random() < 0.4:
        trials["weights"] = {
            "stratum": {
                str(value): rng.choice(("1", "1", "0.5", "0", "3", "1e-3"))
                for value in dict.fromkeys(r["stratum"] for r in rows)
            }
        }
    models = tuple(dict.fromkeys(str(row["model"]) for row in rows))
    return Written(
        trials, models, tuple(names[role] for role in ("gender", "channel", "cluster") if role in names)
    )


def write_config(rng: random.Random, table: Written, formats: list[str]) -> str:
    """Return the text of a config that asks a table for whatever a report can hold."""
    words = dict.fromkeys(("models", "baseline", "gates.model"), table.models)
    writer = ConfigWriter(rng, strange=0.0, words=words)
    some = writer.keys(
        rng.choice((0.1, 0.3)),
        ("curves", "thresholds", "primary", "criteria", "measures", "fits", "epc", "models", "baseline", "operating_points"),
    )  # fmt: skip
    config: dict[str, Value] = {"trials": table.trials} | some
    if rng.random() < 0.1:
        config["gates"] = [{"measure": "hter", "model": "*", "at_most": "0.3"}]
    config["significance"] = {"replicates": "99", "level": "0.9"} | writer.some("significance", 0.3)
    config["significance"] |= {"replicates": rng.choice(("99", "199")), "level": "0.9"}
    config["epc"] = "none" if rng.random() < 0.5 else _short(config.get("epc"))
    if table.columns and rng.random() < 0.5:
        one_class = {table.columns[0]: rng.choice(("nontarget", "target"))}
        config["by"] = rng.choice(
            (
                [table.columns[0]],
                list(table.columns),
                [list(table.columns)],
                [one_class],
                [[one_class, *table.columns[1:]]],
            )
        )
    if table.columns and rng.random() < 0.1:
        config["averaged_over"] = table.columns[-1]
    if table.columns and rng.random() < 0.3:
        reference = {"columns": table.columns[0], "reference": rng.choice(TEXTS) or "f", "measures": ["f1"]}
        config["across"] = rng.choice((table.columns[-1], [list(table.columns)], reference))
    if rng.random() < 0.3:
        costs = {
            "false_negative": rng.choice(("1e-9", "1", "1e9")),
            "review": rng.choice(("0", "0.1", "1e9")),
        }
        config["abstention"] = {"cost": costs, "capacity": rng.choice(("0", "0.1", "1"))}
    if rng.random() < 0.2:
        config["title"] = rng.choice(TEXTS)
    if rng.random() < 0.1:
        config["history"] = {"store": "store", "as_of": "2026-11-20"}
    config["report"] = {
        "formats": formats,
        "vocabulary": rng.choice(("detection", "medical", "ml", "ir", "biometrics", "pad")),
    }
    config["run"] = {"executor": "serial"}
    return yaml_text(config, rng)


def _short(epc: Value) -> Value:
    keys = epc if isinstance(epc, dict) else {}
    return {key: keys[key] for key in keys if key != "measures"} | {"alphas": "5"}


def _name(rng: random.Random, role: str) -> str:
    return role if rng.random() < 0.5 else rng.choice((*TEXTS, "", *ROLES)).replace("\ud800", "")[:2000]


def _rows(rng: random.Random, strange: float) -> list[dict[str, Any]]:
    """Return rows in our words: crossed models, runs, datasets and splits, with holes where ``strange``."""
    values = {
        "model": _some_names(rng, rng.choice((1, 2, 2, 3, 4, 12 if strange else 3))),
        "run": _some_names(rng, rng.choice((1, 2, 3))),
        "dataset": _some_names(rng, rng.choice((1, 2))),
    }
    roles = {
        role for role in ("run", "dataset", "cluster", "stratum", "gender", "channel") if rng.random() < 0.3
    }
    groups = {
        role: _some_names(rng, rng.randint(1, 4)) for role in ("cluster", "stratum", "gender", "channel")
    }
    splits = rng.choice((*[("dev", "test")] * 5, ("test",)))
    n, kind = rng.choice((2, 5, 8, 12, 12, 20, 20, 30)), rng.choice(SCORES)
    share = rng.choice((*[0.5] * 9, 0.2, 0.2, 0.0, 1.0))
    rows = []
    for split in splits:
        for dataset in values["dataset"] if "dataset" in roles else [None]:
            trials = _trials(rng, n, share, groups)
            for model in values["model"]:
                for run in values["run"] if "run" in roles else [None]:
                    for trial in trials:
                        row = {"model": model, "run": run, "dataset": dataset, "split": split, **trial}
                        row["score"] = _score(rng, kind, trial["label"])
                        rows.append(
                            {
                                key: row[key]
                                for key in row
                                if (key not in groups and key not in values) or key in roles or key == "model"
                            }
                        )
    if rng.random() < 0.1:
        for row in rows:
            row.pop("trial")
    rng.shuffle(rows)
    return rows[: rng.randint(1, len(rows))] if rng.random() < strange else rows


def _some_names(rng: random.Random, n: int) -> list[str]:
    plain = rng.random() < 0.5
    pool = [f"n{k}" for k in range(20)] if plain else TEXTS
    return rng.sample(pool, n)


def _trials(rng: random.Random, n: int, share: float, groups: dict[str, list[str]]) -> list[dict[str, Any]]:
    keys = [f"{i:03}" for i in range(n)] if rng.random() < 0.8 else rng.sample(TEXTS, n)
    classes = [int(rng.random() < share) for _ in keys]
    if 0 < share < 1 and n > 2:
        classes[:2] = [0, 1]
    return [
        {"trial": key, "label": label, **{role: rng.choice(words) for role, words in groups.items()}}
        for key, label in zip(keys, classes, strict=True)
    ]


def _score(rng: random.Random, kind: str, label: int) -> float | int | None:
    x = rng.gauss(label, 1)
    return {
        "few": lambda: float(rng.randint(0, 3) + label),
        "ties": lambda: round(x),
        "equal": lambda: 0.5,
        "continuous": lambda: x,
        "huge": lambda: x * 1e308 if abs(x) < 1.7 else math.copysign(1.7e308, x),
        "tiny": lambda: rng.randint(0, 3) * 5e-324,
        "infinite": lambda: rng.choice((math.inf, -math.inf, x)),
        "lacking": lambda: rng.choice((None, math.nan, x, x)),
        "probability": lambda: rng.choice((0.0, 1.0, rng.random(), 0.5)),
        "negative zero": lambda: rng.choice((0.0, -0.0)),
        "whole": lambda: 2**53 + rng.randint(0, 3),
        "largest": lambda: rng.choice((2**63 - 1, 2**63 - 2, -(2**63), 0)),
        "opposite": lambda: -x,
        "perfect": lambda: float(label),
        "near": lambda: 1.0 + rng.randint(0, 3) * 2**-52,
    }[kind]()


def _frame(rng: random.Random, rows: list[dict[str, Any]], strange: float) -> pl.DataFrame:
    """Return the rows as a frame, its columns in types that a program may write."""
    frame = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    for name in frame.columns:
        if rng.random() < strange:
            frame = frame.with_columns(_holes(rng, frame[name]))
        if rng.random() < strange or (name in ("label", "score") and rng.random() < 0.1):
            frame = frame.with_columns(_as_other(rng, frame[name]))
    return frame


def _holes(rng: random.Random, column: pl.Series) -> pl.Series:
    share = rng.choice((0.05, 0.5, 1.0))
    values = [None if rng.random() < share else value for value in column]
    if column.dtype == pl.String and rng.random() < 0.5:
        values = [rng.choice(("", " ", "NA")) if value is None else value for value in values]
    return pl.Series(column.name, values, column.dtype)


def _as_other(rng: random.Random, column: pl.Series) -> pl.Series:
    """Return the column in another type; as it was, where it cannot be."""
    codes = {value: k for k, value in enumerate(dict.fromkeys(column))}
    label = column.name == "label"
    number = [value if label or column.dtype.is_numeric() else codes[value] for value in column]
    day, moment = date(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)
    whole = [0 if x is None or not math.isfinite(x) else int(x) for x in number]
    options = (
        lambda: pl.Series(number, dtype=pl.Float32, strict=False),
        lambda: pl.Series(number, dtype=pl.Float64, strict=False),
        lambda: pl.Series(
            [x % 100 for x in whole], dtype=rng.choice((pl.Int8, pl.UInt8, pl.UInt64, pl.Int16))
        ),
        lambda: pl.Series(whole, dtype=pl.Int64, strict=False),
        lambda: pl.Series([Decimal(x % 10**9) / 100 for x in whole], dtype=pl.Decimal(20, 2)),
        lambda: pl.Series([None if x is None else str(x) for x in column], dtype=pl.String),
        lambda: pl.Series([None if x is None else ("target" if x else "nontarget") for x in number]),
        lambda: pl.Series([None if x is None else f" {x}" for x in column], dtype=pl.String),
        lambda: pl.Series([bool(x) for x in whole]),
        lambda: pl.Series([None if x is None else str(x) for x in column]).cast(pl.Categorical),
        lambda: pl.Series([day + timedelta(days=x % 9) for x in whole]),
        lambda: pl.Series([moment + timedelta(hours=x % 9) for x in whole]).dt.convert_time_zone(
            "Asia/Tokyo"
        ),
        lambda: pl.Series([timedelta(hours=x % 9) for x in whole]),
        lambda: pl.Series([[x] for x in whole], dtype=pl.List(pl.Int64), strict=False),
        lambda: pl.Series([{"x": x} for x in whole], strict=False),
        lambda: pl.Series([str(x).encode() for x in column], dtype=pl.Binary),
        lambda: pl.Series([None for _ in column], dtype=pl.Null),
    )
    mild = options[:9]
    try:
        return rng.choice(mild if rng.random() < 0.6 else options)().alias(column.name)
    except (pl.exceptions.PolarsError, OverflowError, TypeError, ValueError):
        return column


def _columns(rng: random.Random, names: dict[str, str]) -> dict[str, Value]:
    ours = [role for role in names if role not in ("gender", "channel")]
    said: dict[str, Value] = {role: names[role] for role in ours if names[role] != role}
    if "cluster" in names and "gender" in names and rng.random() < 0.3:
        said["cluster"] = [names["cluster"], names["gender"]]
    return {"columns": said} if said else {}


def _wide(
    frame: pl.DataFrame, names: dict[str, str], trials: dict[str, Value]
) -> tuple[pl.DataFrame, dict[str, Value]]:
    """Return the frame with a column of scores a model, where its models are few and told by texts."""
    index = [name for name in frame.columns if name not in ("model", "score")]
    clash = {*names.values()} & {*map(str, frame["model"])}
    if (
        frame["model"].dtype != pl.String
        or frame["model"].null_count()
        or clash
        or frame.select("model", *index).is_duplicated().any()
    ):
        return frame, trials
    try:
        wide = frame.pivot("model", index=index, values="score")
    except pl.exceptions.PolarsError:
        return frame, trials
    said = {role: name for role, name in trials.get("columns", {}).items() if role not in ("model", "score")}
    return wide, {"layout": "wide", "columns": said}


def _write(rng: random.Random, frame: pl.DataFrame, folder: Path) -> str:
    """Write the frame in a format that holds its types, else as Parquet; return the file's name."""
    suffix = rng.choice(SUFFIXES)
    stem = rng.choice(
        ("trials", "trials", "trials", "a b", "ü", "[x]", "t*", "{{x}}", "-q", "#1", "%41", "a'b")
    )
    path = folder / f"{stem.replace('{{', '{').replace('}}', '}')}.{suffix}"
    try:
        if suffix == "arrow":
            frame.write_ipc(path)
        elif suffix.startswith("ndjson"):
            path.write_bytes(_packed(frame.write_ndjson().encode(), suffix))
        elif suffix == "parquet":
            frame.write_parquet(path)
        elif suffix == "csv.zst":
            frame.write_csv(path, compression="zstd", check_extension=False)
        else:
            text = frame.write_csv(separator="\t" if suffix == "tsv" else ",")
            path.write_bytes(_packed(text.encode(), suffix))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        path.unlink(missing_ok=True)
        path = folder / "trials.parquet"
        frame.write_parquet(path)
        return path.name
    name = path.name.replace("{", "{{").replace("}", "}}") if "{" in path.name else path.name
    return rng.choice((name, name, name, "."))


def _packed(raw: bytes, suffix: str) -> bytes:
    return gzip.compress(raw, mtime=0) if suffix.endswith(".gz") else raw
