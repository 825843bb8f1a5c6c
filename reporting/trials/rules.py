"""The row rules of the contract, checked in one streaming pass; faults carry counts and first bad rows."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reporting.errors import DataError, did_you_mean, listed
from reporting.trials.files import scan, unreadable
from reporting.trials.spec import TrialSpec, Values

SHOWN = 3


def empty(name: str) -> pl.Expr:
    """Tell which rows have nothing in a text column."""
    return pl.col(name).is_null() | (pl.col(name) == "")


MISSING = pl.col("score").is_null() | pl.col("score").is_nan()


def survey(spec: TrialSpec, rows: pl.LazyFrame) -> pl.DataFrame:
    """Count rows per model, run, dataset, split and label as they stand in the table, sorted.

    Columns beside these keys: rows, missing and infinite scores, scores that are not numbers, and
    rows with an empty trial or cluster.
    """
    keys = ["model", "run", "dataset", "split", "label"]
    optional = [name for name in ("trial", "cluster") if name in rows.collect_schema()]
    try:
        counted = (
            rows.group_by(keys)
            .agg(
                pl.len().cast(pl.Int64).alias("rows"),
                (MISSING & pl.col("is_number")).sum().cast(pl.Int64).alias("missing"),
                pl.col("score").is_infinite().sum().cast(pl.Int64).alias("infinite"),
                (~pl.col("is_number")).sum().cast(pl.Int64).alias("not_number"),
                *(empty(name).sum().cast(pl.Int64).alias(f"no_{name}") for name in optional),
            )
            .collect(engine="streaming")
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(spec, error) from None
    return counted.sort(keys)


def resolve_values(spec: TrialSpec, counted: pl.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts that mean target and non-target in this table.

    ``nontarget`` None takes the one other value that occurs; more than one is a DataError.
    """
    target, nontarget = spec.values.target, spec.values.nontarget
    if nontarget is not None and nontarget != "rest":
        return target, tuple(nontarget)
    others = [text for text in counted["label"].unique().sort() if text is not None and text not in target]
    if nontarget is None and len(others) > 1:
        raise DataError(
            f"column {spec.column('label')!r}: {len(others)} values besides the target"
            f" {listed(map(repr, target))}: {listed(map(repr, others))};"
            " name one as values.nontarget, or say 'rest'"
        )
    return target, tuple(others)


def check_rows(spec: TrialSpec, counted: pl.DataFrame, labels: tuple[str, ...]) -> None:
    """Raise one DataError with every broken row rule; legal tables pass silently."""
    if counted.is_empty():
        raise DataError(f"{listed(path.name for path in spec.sources)}: the trial table has no rows")
    faults = [*_row_faults(spec, counted, labels)] or [*_design_faults(spec, counted)]
    if faults:
        raise DataError(*faults)


def _row_faults(spec: TrialSpec, counted: pl.DataFrame, labels: tuple[str, ...]) -> Iterator[str]:
    splits = (spec.values.dev, spec.values.test)
    for name in ("model", "run", "dataset", "split", "trial", "cluster"):
        if name in counted.columns:
            lacking = _rows(counted.filter(empty(name)))
        else:
            lacking = int(counted[f"no_{name}"].sum()) if f"no_{name}" in counted.columns else 0
        yield from _fault(spec, counted, name, lacking, empty(name), "empty")
    yield from _strange(spec, counted, "split", splits, splits)
    yield from _strange(spec, counted, "label", labels, _words(spec.values))
    if spec.unlabelled == "error":
        unlabelled = _rows(counted.filter(pl.col("label").is_null()))
        yield from _fault(
            spec,
            counted,
            "label",
            unlabelled,
            pl.col("label").is_null(),
            "empty (trials.unlabelled: drop leaves them out)",
        )
    yield from _fault(
        spec, counted, "score", int(counted["not_number"].sum()), ~pl.col("is_number"), "not numbers"
    )
    if spec.missing == "error":
        yield from _fault(
            spec,
            counted,
            "score",
            int(counted["missing"].sum()),
            MISSING & pl.col("is_number"),
            "missing or NaN (trials.missing: drop or reject allows them)",
        )


def _rows(some: pl.DataFrame) -> int:
    return int(some["rows"].sum())


def _words(values: Values) -> tuple[str, ...]:
    nontarget = values.nontarget if isinstance(values.nontarget, tuple) else ()
    return (*values.target, *nontarget)


def _strange(
    spec: TrialSpec, counted: pl.DataFrame, name: str, known: tuple[str, ...], allowed: tuple[str, ...]
) -> Iterator[str]:
    """Values outside the allowed ones, with the nearest guess for the first."""
    strange = ~empty(name) & ~pl.col(name).is_in(known)
    found = counted.filter(strange)
    if not found.is_empty():
        guess = did_you_mean(found[name][0].lower(), allowed)
        what = f"outside {{{listed(allowed, most=20)}}} (trials.values names them)"
        yield from _fault(spec, counted, name, _rows(found), strange, what, guess)


def _fault(
    spec: TrialSpec, counted: pl.DataFrame, name: str, n: int, bad: pl.Expr, what: str, guess: str = ""
) -> Iterator[str]:
    if n:
        yield (
            f"column {spec.column(name)!r} (the {name}): {n} of {_rows(counted)} rows {what};"
            f" first {first_rows(spec, name, bad)}{guess}"
        )


def first_rows(spec: TrialSpec, name: str, bad: pl.Expr) -> str:
    """Show the first bad rows, file by file: ``'tst' at row 17 of trials.csv``; rows count from 1."""
    shown: list[str] = []
    for path in spec.sources:
        alone = TrialSpec((path,), spec.columns, spec.values)
        found = (
            scan(alone)
            .with_row_index("row", offset=1)
            .filter(bad)
            .head(SHOWN - len(shown))
            .select("row", "score_text" if name == "score" else name)
            .collect()
        )
        shown += [
            (f"{text!r} at " if text is not None else "") + f"row {row} of {path.name}"
            for row, text in found.rows()
        ]
        if len(shown) == SHOWN:
            break
    return ", ".join(shown)


def _design_faults(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    """Empty splits, and more than one run."""
    runs = counted["run"].drop_nulls().unique().sort().to_list()
    if len(runs) > 1:
        yield (
            f"column {spec.column('run')!r} (the run): {len(runs)} runs found ({listed(runs)});"
            " more than one run of a model is not built yet"
        )
    splits = (("dev", spec.values.dev), ("test", spec.values.test))
    for (dataset,), part in counted.group_by("dataset", maintain_order=True):
        for split, word in splits:
            if word not in part["split"]:
                called = f" (called {word!r})" if word != split else ""
                yield (
                    f"column {spec.column('split')!r} (the split): dataset {dataset!r} has no {split} rows"
                    f"{called}; thresholds are chosen on dev and judged on test"
                )
