"""A combination written into a folder: its table as the config says that it is laid out, and the config."""

from __future__ import annotations

import gzip
import json
import math
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

Config = dict[str, Any]
WORDS = {
    "words": ("target", "nontarget"),
    "bool": ("true", "false"),
    "number": ("1", "0"),
    "float": ("1.0", "0.0"),
}
"""How a table may write labels that a config need not name."""
DATE = "2026-11-02T10-15-00"


def write(config: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    """Write the table, ``report.yaml``, and ``earlier.yaml`` where the history is to hold an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    trials = config["trials"]
    _write_clusters(trials, frame, folder)
    WRITERS[trials.get("layout", "long")](trials, frame, hints, folder)
    (folder / "report.yaml").write_text(_text(config))
    if "history" in config:
        _write_earlier(config, frame, hints, folder)
    if "folder" in config.get("run", {}):
        (folder / config["run"]["folder"]).mkdir(exist_ok=True)
    if "templates" in config.get("report", {}):
        _write_templates(folder / config["report"]["templates"])


def _text(config: Config) -> str:
    """Return a config as YAML, a top-level key a line."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in config.items())


def _write_earlier(config: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    """Write the run of a week before: half of its trials are others, and scores have moved."""
    trials = {key: value for key, value in config["trials"].items()
              if key not in ("keys", "scores", "table", "query", "metric", "count", "paired", "layout")}  # fmt: skip
    of_layout = config["trials"].get("layout", "long") not in ("long", "wide", "keyed")
    if of_layout:
        trials.pop("columns", None)
        trials.pop("values", None)
        if "by" in config and "label" not in frame.columns:
            frame = frame.with_columns(label=pl.lit("target"))
    moved = frame.with_columns(score=pl.when(pl.col("score") != 0.25).then("score").otherwise(0.5))
    if "trial" in frame.columns and not hints.get("pattern"):
        others = pl.col("trial").str.contains("[13579]$")
        moved = moved.with_columns(
            trial=pl.when(others).then(pl.lit("e") + pl.col("trial")).otherwise("trial")
        )
    if "clusters" in trials:
        trials["clusters"] = {key: value for key, value in trials["clusters"].items() if key != "file"}
    earlier = {**config, "trials": {**trials, "source": "earlier.parquet"}}
    earlier["history"] = {"store": config["history"]["store"], "as_of": "2026-01-05"}
    earlier["report"] = {**config.get("report", {}), "formats": ["json"]}
    earlier.pop("classes", None)
    earlier["gates"] = [gate for gate in config.get("gates", ()) if gate.get("against") != "reference"]
    _write_long(
        earlier["trials"],
        moved,
        {name: of for name, of in hints.items() if name not in ("kinds", "right")},
        folder,
    )
    (folder / "earlier.yaml").write_text(_text(earlier))


def _write_templates(folder: Path) -> None:
    (folder / "html").mkdir(parents=True, exist_ok=True)
    (folder / "sections").mkdir(exist_ok=True)
    (folder / "html" / "house.css").write_text("h1 {letter-spacing: 0.02em}\n")
    text = "title: Notes\nblocks:\n  - prose: \"{{ rows('trials', group='') | length }} lists of trials.\"\n"
    (folder / "sections" / "notes.yaml").write_text(text)


def names_of(trials: Config) -> dict[str, str]:
    """Return what a table calls its columns, by their canonical names."""
    given = dict(trials.get("columns", {}))
    clusters = given.pop("cluster", [])
    clusters = clusters if isinstance(clusters, list) else [clusters]
    named = given | dict(zip(("cluster", "cluster_b"), clusters, strict=False))
    return {ours: theirs for ours, theirs in named.items() if theirs != "none"}


def _sets(values: Config) -> pl.Expr:
    """Return what a table holds in place of the names of sets: others, or dates."""
    if " 20" not in str(values.get("dev")):
        return pl.col("split").replace({key: values[key] for key in ("dev", "test") if key in values})
    day = (pl.int_range(pl.len()) % 28 + 1).cast(pl.String).str.zfill(2)
    months = pl.col("split").replace({"dev": "2026-03-", "test": "2026-04-"})
    return pl.concat_str(months, day).alias("split")


def words_of(trials: Config, hints: dict[str, str]) -> dict[str, str]:
    """Return what the table writes for targets, non-targets and spoofs."""
    values = trials.get("values", {})
    usual = dict(zip(("target", "nontarget"), WORDS[hints.get("labels", "words")], strict=True))
    words = {
        kind: _first(values.get(kind, usual.get(kind, kind))) for kind in ("target", "nontarget", "spoof")
    }
    if "event" in values:
        is_more = {*values["event"]} <= {"above", "at_least"}
        words.update({"target": "2.5" if is_more else "1", "nontarget": "0" if is_more else "12"})
    if words["nontarget"] == "rest":
        words["nontarget"] = "another"
    return words


def as_written(trials: Config, frame: pl.DataFrame, hints: dict[str, str]) -> pl.DataFrame:
    """Return a canonical frame with the table's own names of columns, labels and splits."""
    values, words = trials.get("values", {}), words_of(trials, hints)
    clusters = trials.get("clusters", {})
    if "file" in clusters or "pattern" in clusters:
        frame = frame.drop("cluster", "cluster_b", strict=False)
    columns = [_sets(values)]
    if "label" in frame.columns:
        columns.append(pl.col("label").replace(words))
    frame = frame.with_columns(columns)
    if "until" in values.get("test", ""):
        frame = pl.concat([frame, frame.head(3).with_columns(split=pl.lit("2026-06-01"))])
    if "unused" in values:
        some = frame.head(3).with_columns(split=pl.lit(_first(values["unused"])))
        frame = pl.concat([frame, some])
    if "predicted" in trials.get("columns", {}) and "score" in frame.columns:
        frame = frame.with_columns(
            predicted=pl.when(pl.col("score") >= 0.5)
            .then(pl.lit(words["target"]))
            .otherwise(pl.lit(words["nontarget"])),
            score=pl.max_horizontal("score", 1 - pl.col("score")),
        )
    if hints.get("labels") == "bool" and "target" not in values and frame["label"].dtype == pl.String:
        frame = frame.with_columns(label=pl.col("label") == "true")
    if trials.get("columns", {}).get("label") == "none":
        frame = frame.drop("label")
    if hints.get("split") == "none":
        frame = frame.drop("split")
    return frame.rename(names_of(trials), strict=False)


def _first(word: Any) -> Any:
    return word[0] if isinstance(word, list) else word


def _write_clusters(trials: Config, frame: pl.DataFrame, folder: Path) -> None:
    """Write the file that says the cluster of every trial key."""
    file = trials.get("clusters", {}).get("file")
    for at, name in enumerate(file if isinstance(file, list) else [file] if file else []):
        pairs = frame.select("trial", "cluster").unique().sort("trial").rows()
        half = [
            pair
            for number, pair in enumerate(pairs)
            if not isinstance(file, list) or number % len(file) == at
        ]
        (folder / name).write_text("".join(f"{trial} {cluster}\n" for trial, cluster in half))


def _write_long(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    if "kinds" in hints:
        frame = pl.concat(
            frame.with_columns(
                (pl.col("score") if at == 0 else (1 - pl.col("score")) / max(at, 2)).alias("score"),
                pl.lit(label).alias("of_class"),
            )
            for at, label in enumerate(json.loads(hints["kinds"]))
        )
    table = as_written(trials, frame, hints)
    if "right" in hints:  # a label for each class: whether it is that of the trial
        label = pl.col(trials.get("columns", {}).get("label", "label"))
        is_right = (
            pl.when(label == pl.col("of_class")).then(pl.lit(hints["right"])).otherwise(pl.lit("other"))
        )
        table = table.with_columns(
            pl.when(label.is_null()).then(None).otherwise(is_right).alias(label.meta.output_name())
        )
    source = trials["source"]
    if isinstance(source, list):
        for at, name in enumerate(source):
            _write_file(table[at :: len(source)], folder / name)
    elif "://" in source:
        _write_database(trials, table, source, folder)
    elif "{" in source:
        _write_parts(table, source, folder)
    elif source == "lake":
        _write_parts(
            table,
            "lake/split={split}/part.parquet",
            folder,
            {"split": names_of(trials).get("split", "split")},
        )
    else:
        _write_file(table, folder / source)


def _write_parts(
    table: pl.DataFrame, template: str, folder: Path, names: dict[str, str] | None = None
) -> None:
    """Write a file for each value of the columns in a path; the file does not repeat them."""
    columns = [part.partition("}")[0] for part in template.split("{")[1:]]
    if names:
        columns = [names.get(column, column) for column in columns]
        for ours, theirs in names.items():
            template = template.replace(f"{ours}={{{ours}}}", f"{theirs}={{{theirs}}}")
    for values, part in table.partition_by(columns, as_dict=True, maintain_order=True).items():
        _write_file(part.drop(columns), folder / template.format(**dict(zip(columns, values, strict=True))))


def _write_file(table: pl.DataFrame, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    suffix = path.name.partition(".")[2]
    if suffix == "parquet":
        table.write_parquet(path)
    elif suffix == "arrow":
        table.write_ipc(path)
    elif suffix == "ndjson":
        finite = table.with_columns(pl.col(pl.Float64).cast(pl.String)) if _has_infinite(table) else table
        finite.write_ndjson(path)
    elif suffix == "imrmc":
        _write_reader_study(table, path)
    elif suffix == "xlsx":
        _write_workbook(table, path)
    elif suffix == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("notes.csv", "a,b\n1,2\n")
            archive.writestr("trials.csv", table.write_csv())
    else:
        separator = {"tsv": "\t", "txt": ";"}.get(suffix, ",")
        text = table.write_csv(separator=separator, decimal_comma=suffix == "txt")
        path.write_bytes(gzip.compress(text.encode(), mtime=0) if suffix.endswith("gz") else text.encode())


def _write_reader_study(table: pl.DataFrame, path: Path) -> None:
    """Write a line for the truth of each case, and one for each reading."""
    truths = table.select("case", "truth").unique(maintain_order=True).rows()
    readings = table.select("reader", "case", "modality", "score").rows()
    lines = ["A study", "BEGIN DATA:", *(f"-1,{case},0,{truth}" for case, truth in truths)]
    path.write_text("\n".join([*lines, *(",".join(map(str, row)) for row in readings)]) + "\n")


def _write_workbook(table: pl.DataFrame, path: Path) -> None:
    """Write a table into a sheet of its own, after one of notes."""
    from openpyxl import Workbook

    book = Workbook()
    book.active["A1"] = "Notes"
    sheet = book.create_sheet("trials")
    sheet.append(table.columns)
    for row in table.rows():
        sheet.append([str(value) if value in (math.inf, -math.inf) else value for value in row])
    book.save(path)


def _has_infinite(table: pl.DataFrame) -> bool:
    return any(column.is_infinite().any() for column in table.select(pl.col(pl.Float64)))


def _write_database(trials: Config, table: pl.DataFrame, source: str, folder: Path) -> None:
    path = folder / source.partition(":///")[2]
    path.unlink(missing_ok=True)
    if source.startswith("duckdb"):
        import duckdb

        with duckdb.connect(str(path)) as base:
            base.register("frame", table.to_arrow())
            base.execute("CREATE TABLE trials AS SELECT * FROM frame")
        return
    with sqlite3.connect(path) as base:
        names = ", ".join(f'"{name}"' for name in table.columns)
        base.execute(f"CREATE TABLE trials ({names})")
        marks = ", ".join("?" * table.width)
        base.executemany(f"INSERT INTO trials VALUES ({marks})", table.rows())
    base.close()


def _write_wide(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    """Write a row for each trial and run, and a column of scores for each model."""
    given = trials.get("scores")
    columns = given if isinstance(given, dict) else {}
    index = [name for name in frame.columns if name not in ("model", "score")]
    wide = frame.pivot("model", index=index, values="score", sort_columns=True)
    of_classes = [
        (pl.col(model) if at == 0 else (1 - pl.col(model)) / max(at, 2)).alias(f"{model}: {label}")
        for model in frame["model"].unique(maintain_order=True)
        for at, label in enumerate(json.loads(hints.get("classes", "[]")))
    ]
    wide = wide.with_columns(of_classes).rename(columns, strict=False)
    plain = {key: value for key, value in trials.items() if key != "scores"}
    _write_long(plain, wide, hints, folder)


def _write_keyed(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    """Write labels and whatever is said of trials into one file, the scores into others."""
    by_trial = [name for name in ("dataset", "split", "trial") if name in frame.columns]
    said = [name for name in frame.columns if name not in ("model", "run", "score")]
    keys = as_written(trials, frame.select(said).unique(by_trial, maintain_order=True), hints)
    _write_file(keys, folder / _first(trials["keys"]))
    held = [name for name in ("model", "run", *by_trial, "score") if name in frame.columns]
    if trials.get("missing") in ("drop", "reject"):  # a score that is missing may also lack its row
        frame = frame.filter(pl.col("score").is_not_null())
    plain = {key: value for key, value in trials.items() if key != "clusters"}
    _write_long(plain, frame.select(held), {**hints, "labels": "words"}, folder)


def _write_by_class(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    """Write a column for each class: of scores, of which the longer one fills the file, or of numbers."""
    by = [name for name in ("model", "split") if "{" + name in trials["source"]]
    parts = []
    for _, part in frame.partition_by(by, as_dict=True, maintain_order=True).items():
        sides = {label: part.filter(label=label) for label in ("target", "nontarget")}
        if trials["layout"] == "classes":
            scores = [
                rows["score"].repeat_by(rows["count"]).explode().alias(label) for label, rows in sides.items()
            ]
            n = max(map(len, scores))
            table = pl.DataFrame([each.extend_constant(None, n - len(each)) for each in scores])
        else:
            table = part.group_by("score").agg(
                (pl.col("count") * (pl.col("label") == label)).sum().alias(label) for label in sides
            )
        parts.append(table.with_columns(pl.lit(part[name][0]).alias(name) for name in by))
    _write_parts(pl.concat(parts), trials["source"], folder)


def _lines_of(template: str, rows: pl.DataFrame, line: Callable[[dict[str, Any]], str], folder: Path) -> None:
    """Write lines into the files that a path with placeholders names."""
    columns = [part.partition("}")[0] for part in template.split("{")[1:]]
    parts = rows.partition_by(columns, as_dict=True, maintain_order=True) if columns else {(): rows}
    for values, part in parts.items():
        path = folder / template.format(**dict(zip(columns, values, strict=True)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line(row)}\n" for row in part.iter_rows(named=True)))


def _once(frame: pl.DataFrame) -> pl.DataFrame:
    keys = [name for name in ("dataset", "split", "trial") if name in frame.columns]
    return frame.unique(keys, maintain_order=True)


def _write_kaldi(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    _lines_of(
        trials["keys"], _once(frame), lambda row: f"{row['cluster']} {row['trial']} {row['label']}", folder
    )
    _lines_of(trials["source"], frame, lambda row: f"{row['cluster']} {row['trial']} {row['score']}", folder)


def _write_voxsrc(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    is_target = {"target": 1, "nontarget": 0}
    _lines_of(
        trials["keys"],
        _once(frame),
        lambda row: f"{is_target[row['label']]} {row['cluster']} {row['trial']}",
        folder,
    )
    _lines_of(trials["source"], frame, lambda row: f"{row['score']} {row['cluster']} {row['trial']}", folder)


def _write_nist(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    further = [name for name in ("gender", "channel") if name in frame.columns]

    def with_head(
        template: str, rows: pl.DataFrame, named: list[str], line: Callable[[dict[str, Any]], str]
    ) -> None:
        _lines_of(template, rows, line, folder)
        head = "\t".join(["modelid", "segmentid", "side", *named])
        for path in folder.rglob(f"*{Path(template).suffix}"):
            if not path.read_text().startswith("modelid"):
                path.write_text(f"{head}\n{path.read_text()}")

    def key(row: dict[str, Any]) -> str:
        return "\t".join([row["cluster"], row["trial"], "a", row["label"], *(row[name] for name in further)])

    with_head(trials["keys"], _once(frame), ["targettype", *further], key)
    with_head(
        trials["source"], frame, ["LLR"], lambda row: f"{row['cluster']}\t{row['trial']}\ta\t{row['score']}"
    )


def _write_asvspoof(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    word = {"target": "bonafide", "nontarget": "spoof"}

    def key(row: dict[str, Any]) -> str:
        return f"{row['cluster']} {row['trial']} - {row.get('attack') or '-'} {word[row['label']]}"

    _lines_of(trials["keys"], _once(frame), key, folder)
    _lines_of(trials["source"], frame, lambda row: f"{row['trial']} {row['score']}", folder)


def _write_bob(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    def line(row: dict[str, Any]) -> str:
        real = row["cluster"] if row["label"] == "target" else f"{row['cluster']}x"
        return f"{row['cluster']} {real} {row['trial']} {row['score']}"

    _lines_of(trials["source"], frame, line, folder)


def _items(frame: pl.DataFrame) -> Iterator[tuple[str, dict[str, float]]]:
    for (model,), rows in frame.partition_by("model", as_dict=True, maintain_order=True).items():
        first = rows.filter(pl.col("run") == rows["run"].min()) if "run" in rows.columns else rows
        yield str(model), dict(first.sort("trial").select("trial", "score").iter_rows())


def _write_lm_eval(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    from tests.eval_logs import lm_eval

    scores = {(model, "task"): items for model, items in _items(frame)}
    lm_eval(folder / "logs", scores, metric="acc")


def _write_inspect(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    from tests.eval_logs import inspect_log, write_json

    for model, items in _items(frame):
        rows = frame.filter(pl.col("model") == model)
        epochs = [items]
        if "run" in frame.columns:
            runs = rows.partition_by("run", as_dict=True)
            epochs = [
                dict(runs[key].sort("trial").select("trial", "score").iter_rows()) for key in sorted(runs)
            ]
        write_json(folder / "logs" / f"{model}.json", inspect_log(model, "task", epochs))


def _write_resolved(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    from tests.eval_logs import swe_bench, write_json

    for model, items in _items(frame):
        write_json(folder / "logs" / f"{model}.json", swe_bench(items))


def _write_openai_evals(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    for model, items in _items(frame):
        head = {"spec": {"completion_fns": [model], "eval_name": "task"}}
        events = [
            {"sample_id": trial, "type": "match", "data": {"correct": score == 1}}
            for trial, score in items.items()
        ]
        lines = [json.dumps(each) for each in (head, *events, {"final_report": {}})]
        (folder / "logs").mkdir(exist_ok=True)
        (folder / "logs" / f"{model}.jsonl").write_text("\n".join(lines) + "\n")


def _write_helm(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    from tests.eval_logs import write_json

    for model, items in _items(frame):
        stats = [
            {
                "instance_id": trial,
                "train_trial_index": 0,
                "stats": [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": score}],
            }
            for trial, score in items.items()
        ]
        write_json(folder / "logs" / f"task:model={model}" / "per_instance_stats.json", stats)


def _write_counts(trials: Config, frame: pl.DataFrame, hints: dict[str, str], folder: Path) -> None:
    """Write what ``reporting counts`` makes of the table, at one site or at two."""
    from tests.command import reporting

    sources = trials["source"] if isinstance(trials["source"], list) else [trials["source"]]
    # Trials of each class are dealt in turn, so that every site has both.
    keys = (
        frame.select("label", "split", "trial")
        .unique("trial")
        .sort("split", "label", "trial")
        .with_row_index("at")
    )
    frame = frame.join(keys.select("trial", "at"), on="trial", how="left")
    for site, name in enumerate(sources):
        rows = frame.filter(pl.col("at") % len(sources) == site).drop("at")
        table = f"site{site}.parquet"
        about = {key: value for key, value in trials.items() if key not in ("layout", "source")}
        about = {"coarse": int(hints["bits"]), **about, "source": table}
        _write_long(about, rows, hints, folder)
        asked = json.loads(hints.get("config", "{}"))
        (folder / f"site{site}.yaml").write_text(_text({"trials": about, **asked}))
        paired = [hints["paired"]] if hints.get("paired") else []
        named = ["--clusters", "names"] if hints.get("named") else []
        ended = reporting(
            "counts", "-q", f"site{site}.yaml", "-o", name, "--salt", "x", *paired, *named, cwd=folder
        )
        if ended.returncode:
            raise NotCountedError(ended.stderr)


class NotCountedError(Exception):
    """The program refuses to count a table."""


WRITERS: dict[str, Callable[[Config, pl.DataFrame, dict[str, str], Path], None]] = {
    "long": _write_long,
    "wide": _write_wide,
    "keyed": _write_keyed,
    "classes": _write_by_class,
    "histogram": _write_by_class,
    "bob": _write_bob,
    "kaldi": _write_kaldi,
    "nist": _write_nist,
    "voxsrc": _write_voxsrc,
    "asvspoof": _write_asvspoof,
    "lm_eval": _write_lm_eval,
    "inspect": _write_inspect,
    "resolved": _write_resolved,
    "openai_evals": _write_openai_evals,
    "helm": _write_helm,
    "counts": _write_counts,
}
