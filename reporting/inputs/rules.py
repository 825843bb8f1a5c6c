"""The row rules of the contract, checked in one streaming pass; faults carry counts and first bad rows."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator

import polars as pl

from reporting.errors import DataError, TooFewError, did_you_mean, instead, listed, quoted, refuse, with_code
from reporting.inputs.clusters import CLUSTERS, unknown
from reporting.inputs.files import UNREADABLE
from reporting.inputs.formats.numbers import EITHER_COMMA
from reporting.inputs.scan import PIECE, Scan
from reporting.inputs.spec import COLUMNS, PREDICTED, SAMPLED, TrialSpec

SHOWN = 3


def empty(name: str) -> pl.Expr:
    """Return which rows have nothing in a text column."""
    return pl.col(name).is_null() | (pl.col(name) == "")


EXACT = 2**53
"""The whole numbers up to it are all 64-bit floats; of those beyond, two may be one float."""
ROUNDED = (pl.col("score").abs() > EXACT) & (
    pl.col("score_text").str.contains(r"^\s*[+-]?[0-9]{16,}(\.[0-9]*)?\s*$")
    | (pl.col("score").is_infinite() & pl.col("score_text").str.contains("[0-9]"))
)
"""Scores written as whole numbers beyond that, or as numbers too large for a float."""
MISSING = pl.col("score").is_null() | pl.col("score").is_nan()


def survey(scan: Scan, half: pl.Expr | None = None) -> pl.DataFrame:
    """Count rows per model, run, dataset, split and label as in the table, file by file; sorted.

    Strata are separate too where they have weights, and predicted classes where they are declared. Further
    columns: rows, missing and infinite scores, scores that are not numbers, probabilities outside [0, 1],
    confidences outside [0.5, 1], and rows with an empty trial, cluster or breakdown. ``half`` is a split that
    takes the place of the table's own.
    """
    spec = scan.spec
    keys = ["model", "run", "dataset", "split", "label"] + ["stratum"] * bool(spec.weights)
    keys += [PREDICTED] * spec.has_predicted
    have = scan.rows().collect_schema().names()
    optional = [name for name in ("trial", "cluster", "cluster_b", SAMPLED, *spec.breakdowns) if name in have]
    counts = {
        "rows": pl.len(),
        "missing": (MISSING & pl.col("is_number")).sum(),
        "infinite": pl.col("score").is_infinite().sum(),
        "not_number": (~pl.col("is_number")).sum(),
        "beyond": (pl.col("score").abs() > EXACT).sum(),
        **{f"no_{name}": (empty(name) & spec.described(name)).sum() for name in optional},
    }
    if spec.probabilities:
        counts["improbable"] = _improbable(spec).sum()
    if spec.has_predicted:
        counts["unsure"] = _unsure(spec).sum()

    def count(rows: pl.LazyFrame) -> pl.LazyFrame:
        rows = rows if half is None else rows.with_columns(half)
        return rows.group_by(PIECE, *keys).agg(
            count.cast(pl.Int64).alias(name) for name, count in counts.items()
        )

    try:
        counted = scan.by_file(count, shows_models=True)
    except UNREADABLE as error:
        raise scan.unreadable(error) from None
    return counted.drop(PIECE).group_by(keys).agg(pl.all().sum()).sort(keys)


def _improbable(spec: TrialSpec) -> pl.Expr:
    outside = ~MISSING & ~pl.col("score").is_between(0, 1)
    return pl.col("model").is_in(sorted(spec.probabilities)) & outside


def _unsure(spec: TrialSpec) -> pl.Expr:
    """Confidences that no larger one of two probabilities can be; scores have been turned to the target."""
    is_target = pl.col(PREDICTED).is_in(spec.values.target)
    inside = pl.when(is_target).then(pl.col("score").is_between(0.5, 1)).otherwise(
        pl.col("score").is_between(0, 0.5)
    )  # fmt: skip
    return ~MISSING & ~empty(PREDICTED) & ~inside


def resolve_values(spec: TrialSpec, counted: pl.DataFrame) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts that mean target and non-target in this table.

    ``nontarget`` None takes the one other value that occurs; more than one is a DataError.
    """
    target, nontarget, spoof = spec.values.target, spec.values.nontarget, spec.values.spoof
    if nontarget is not None and nontarget != "rest":
        return target, (*nontarget, *spoof)
    known = (*target, *spoof)
    others = [text for text in counted["label"].unique().sort() if text is not None and text not in known]
    if nontarget is None and len(others) > 1:
        raise DataError(
            f"column {quoted(spec.column('label'))}: {len(others)} values besides the target"
            f" {listed(map(quoted, target))}: {listed(map(quoted, others))};"
            " name one as values.nontarget, or say 'rest'"
            + ("" if spoof else "; label attacks, next to zero-effort impostors, as values.spoof")
        )
    return target, (*others, *spoof)


def check_rows(scan: Scan, counted: pl.DataFrame, labels: tuple[str, ...]) -> None:
    """Raise one DataError with every broken row rule; legal tables pass silently."""
    if counted.is_empty():
        sources, column = listed(source.name for source in scan.spec.inputs), scan.spec.class_column
        why = "the trial table has no rows"
        if column is not None:
            target = listed(map(quoted, scan.spec.values.target))
            why = f"no row has the score of {target} in column {quoted(column)} (the class of a score)"
        raise TooFewError(f"{sources}: {why}")
    faults = [
        *_empty_faults(scan, counted),
        *with_code("TR604", _value_faults(scan, counted, labels)),
        *with_code("TR605", _score_faults(scan, counted)),
    ]
    refuse(faults)


EMPTY_GROUP = "empty (write a value there, such as unknown, or leave the column out of the breakdowns)"


def _empty_faults(scan: Scan, counted: pl.DataFrame) -> Iterator[str]:
    spec = scan.spec
    others = {spec.column(name) for name in spec.wanted if name not in spec.breakdowns}
    further = [name for name in spec.breakdowns if spec.column(name) not in others]
    texts = (name for name in COLUMNS if name not in ("label", "score"))
    of_one_class = [name for name in spec.breakdowns if spec.column(name) in spec.one_class]
    for name in dict.fromkeys((*texts, *further, *of_one_class)):
        if name in CLUSTERS and spec.names_clusters:
            yield from _without_cluster(scan, counted, name)
            continue
        if name in counted.columns:
            lacking = _rows(counted.filter(empty(name)))
        else:
            lacking = int(counted[f"no_{name}"].sum()) if f"no_{name}" in counted.columns else 0
        what = EMPTY_GROUP if name in spec.breakdowns else "empty"
        yield from _fault(scan, counted, name, lacking, empty(name) & spec.described(name), what)


def _without_cluster(scan: Scan, counted: pl.DataFrame, name: str) -> Iterator[str]:
    n = int(counted[f"no_{name}"].sum()) if f"no_{name}" in counted.columns else 0
    if n:
        text = f"{name}_text"
        names = scan.by_file(lambda rows: rows.filter(empty(name)).select(pl.col(text).unique()))
        yield unknown(scan.spec, name, n, _distinct(scan, text, empty(name), names[text].n_unique()))


def _value_faults(scan: Scan, counted: pl.DataFrame, labels: tuple[str, ...]) -> Iterator[str]:
    spec = scan.spec
    splits = (spec.values.dev, spec.values.test)
    named = "Map them: trials: {{values: {{{}: ..., {}: ...}}}}"
    of_splits = named.format("dev", "test") + ", or leave rows out with unused: [...]"
    if spec.values.dates:
        exact = max(each.digits for each in spec.values.dates if each)
        example = "2026-03-31"[: {4: 4, 6: 7}.get(exact, 10)]
        yield from _strange(
            scan, counted, "split", splits, (), f"Write dates such as {example}", lambda *_: "."
        )
    else:
        yield from _strange(scan, counted, "split", splits, splits, of_splits, _dates_as_splits)
    of_labels = named.format("target", "nontarget")
    nontarget = spec.values.nontarget if isinstance(spec.values.nontarget, tuple) else ()
    words = (*spec.values.target, *nontarget)
    yield from _strange(scan, counted, "label", labels, words, of_labels, _likely_label)
    if spec.has_predicted:
        yield from _strange(scan, counted, PREDICTED, labels, words, of_labels, _likely_label)
        yield from _fault(
            scan, counted, PREDICTED, _rows(counted.filter(empty(PREDICTED))), empty(PREDICTED), "empty"
        )
    yield from _idle_kinds(spec, counted, labels)
    if spec.weights:
        strata = tuple(spec.weights)
        name_them = "Name them in trials.weights.stratum"
        yield from _strange(scan, counted, "stratum", strata, strata, name_them)
        yield from _idle_weights(spec, counted)
    if spec.unlabelled == "error":
        lacking = pl.col("label").is_null()
        what = "without a label (trials.unlabelled: drop leaves them out)"
        yield from _fault(scan, counted, "label", _rows(counted.filter(lacking)), lacking, what)


def _idle_kinds(spec: TrialSpec, counted: pl.DataFrame, labels: tuple[str, ...]) -> Iterator[str]:
    """Kinds of non-targets without a row: three kinds are declared where there are two, most likely."""
    if not spec.values.spoof:
        return
    there = counted["label"].drop_nulls().unique().sort().to_list()
    zero_effort = [text for text in labels if text not in (*spec.values.target, *spec.values.spoof)]
    for name, texts in (("spoof", spec.values.spoof), ("nontarget", zero_effort)):
        if not set(texts) & set(there):
            what = "no row is a spoof" if name == "spoof" else "every non-target is a spoof"
            remedy = (
                "leave it out" if name == "spoof" else "name spoofs as values.nontarget, without values.spoof"
            )
            labels_there = listed(map(quoted, there))
            yield (
                f"trials.values.{name}: {what} in {spec.called('label')} (found: {labels_there});"
                f" where there are two kinds of trials only, {remedy}"
            )


def _idle_weights(spec: TrialSpec, counted: pl.DataFrame) -> Iterator[str]:
    strata = counted["stratum"].drop_nulls().unique().sort().to_list()
    for stratum in spec.weights:
        if stratum not in strata:
            yield (
                f"trials.weights.stratum: {quoted(stratum)} does not occur in {spec.called('stratum')}"
                f"{instead(stratum, strata)}"
            )


def _score_faults(scan: Scan, counted: pl.DataFrame) -> Iterator[str]:
    spec = scan.spec
    strange = int(counted["not_number"].sum())
    what = f"not numbers{_either_sign(scan) if strange else ''}"
    yield from _fault(scan, counted, "score", strange, ~pl.col("is_number"), what)
    if counted["beyond"].sum():
        rounded = sum(
            piece.rows.filter(scan.used).select(ROUNDED.sum()).collect(engine="streaming").item()
            for piece in scan.pieces
        )
        what = "beyond 2^53, where 64-bit floats no longer distinguish whole numbers; scale them down"
        yield from _fault(scan, counted, "score", rounded, ROUNDED, what)
    if spec.missing == "error":
        lacking = int(counted["missing"].sum())
        what = "missing or NaN (trials.missing: drop or reject allows them)"
        yield from _fault(scan, counted, "score", lacking, MISSING & pl.col("is_number"), what)
    if spec.probabilities:
        outside = int(counted["improbable"].sum())
        what = "outside [0, 1], though the scale of their model is probability"
        yield from _fault(scan, counted, "score", outside, _improbable(spec), what)
    if spec.has_predicted:
        what = (
            f"outside [0.5, 1], so they are no confidence in {spec.called(PREDICTED)} of two classes; where"
            " they are scores of the target, leave trials.columns.predicted out"
        )
        yield from _fault(scan, counted, "score", int(counted["unsure"].sum()), _unsure(spec), what)


def _either_sign(scan: Scan) -> str:
    """Ask for the decimal sign where numbers such as 1,234 do not show it."""
    either = ~pl.col("is_number") & pl.col("score_text").str.strip_chars().str.contains(EITHER_COMMA)
    rows = (piece.rows.filter(scan.used).select(either.any()) for piece in scan.pieces)
    if not any(row.collect(engine="streaming").item() for row in rows):
        return ""
    return (
        " (the comma of 1,234 may be a decimal sign or separate thousands: write trials.reading:"
        " {decimal: ','} or {decimal: '.'})"
    )


def _rows(some: pl.DataFrame) -> int:
    return int(some["rows"].sum())


def _strange(
    scan: Scan,
    counted: pl.DataFrame,
    name: str,
    known: tuple[str, ...],
    allowed: tuple[str, ...],
    remedy: str,
    guess_of: Callable[[Scan, str], str] | None = None,
) -> Iterator[str]:
    strange = ~empty(name) & ~pl.col(name).is_in(known)
    rows = counted.filter(strange)
    if not rows.is_empty():
        first, n, every = rows[name][0], _rows(rows), _rows(counted)
        guess = guess_of(scan, first) if guess_of else did_you_mean(first, allowed)
        some = f"all {every:,}" if n == every else f"{n:,} of {every:,}"
        yield (
            f"{scan.spec.called(name)}: {some} rows hold unknown values:"
            f" {_distinct(scan, name, strange, rows[name].n_unique())}{guess or '.'} {remedy}"
            + (f" (known: {listed(allowed, most=20)})" if allowed else "")
        )


def _dates_as_splits(scan: Scan, first: str) -> str:
    """Say how rows are split by their dates, else guess which split is meant."""
    if re.match(r"\d{4}[-/]?\d{2}", first):
        return ". These look like dates: write trials: {values: {dev: until 2026-03}}, for example."
    return did_you_mean(first, (scan.spec.values.dev, scan.spec.values.test))


CLEARLY = 0.1
"""How much more similar a label must be to a word of one class than to those of the other."""


def _likely_label(scan: Scan, label: str) -> str:
    """Guess which known label is meant: the same in other letter case, else by distance, within one class.

    A number is meant literally, and so is a word that is another with something before it: ``nontarget``.
    """
    values = scan.spec.values
    classes = [values.target, values.nontarget if isinstance(values.nontarget, tuple) else ()]
    word = _letters(label)
    same = [known for words in classes for known in words if _letters(known) == word]
    if same or not word.isalpha():
        return did_you_mean(label, same)
    alike = [
        [(difflib.SequenceMatcher(None, word, _letters(known)).ratio(), known) for known in words]
        for words in classes
    ]
    near = sorted((max(some) for some in alike if some), reverse=True)
    (best, known), second = near[0], near[1][0] if len(near) > 1 else 0.0
    opposite = word.endswith(_letters(known)) or _letters(known).endswith(word)
    return "" if opposite or best < second + CLEARLY else did_you_mean(label, [known])


def _letters(label: str) -> str:
    """Return a word in small letters without signs between them; what has no letters stays as it is."""
    joined = re.sub(r"[\s_-]+", "", label.lower())
    return joined if joined.isalpha() else label.strip().lower()


def _distinct(scan: Scan, name: str, bad: pl.Expr, n: int) -> str:
    shown: dict[str, str] = {}
    for piece in scan.pieces:
        rows = piece.rows.with_row_index("row", offset=1).filter(scan.used, bad)
        rows = rows.filter(~pl.col(name).is_in(list(shown)))
        texts = rows.group_by(name).agg(pl.col("row").min()).sort("row").head(SHOWN - len(shown)).collect()
        shown |= {text: f" (row {row} of {piece.name})" * piece.numbered for text, row in texts.rows()}
        if len(shown) == SHOWN:
            break
    values = ", ".join(f"{quoted(text)}{place}" for text, place in shown.items())
    return f"{values} and {n - len(shown)} more" if n > len(shown) else values


def _fault(scan: Scan, counted: pl.DataFrame, name: str, n: int, bad: pl.Expr, what: str) -> Iterator[str]:
    if n:
        yield (
            f"{scan.spec.called(name)}: {n} of {_rows(counted)} rows {what};"
            f" first {first_rows(scan, name, bad)}"
        )


def first_rows(scan: Scan, name: str, bad: pl.Expr) -> str:
    """Show the first bad rows, file by file: ``'tst' at row 17 of trials.csv``; rows count from 1.

    A row that was joined of several files, chosen by its class, or is one of a database, has no number: its
    trial is named.
    """
    shown: list[str] = []
    for piece in scan.pieces:
        schema, as_text = piece.rows.collect_schema(), f"{name}_text"
        by_trial = (piece.source is None or not piece.numbered) and "trial" in schema
        rows = (
            piece.rows.with_row_index("row", offset=1)
            .filter(scan.used, bad)
            .head(SHOWN - len(shown))
            .select(
                pl.col("trial" if by_trial else "row").alias("place"),
                pl.col(as_text if as_text in schema else name).alias("text"),
            )
            .collect()
        )
        shown += [
            (f"{quoted(text)} at " if text is not None else "")
            + (f"trial {quoted(place or '')}" if by_trial else f"row {place}" if piece.numbered else "a row")
            + f" of {piece.name}"
            for place, text in rows.rows()
        ]
        if len(shown) == SHOWN:
            break
    return ", ".join(shown)
