"""The rows of a trial table, scanned lazily into the columns of the contract.

Keys, splits, labels, clusters, strata and breakdowns come out as text whatever the file's type (``007``
stays ``007``), breakdowns under names of their own (``by gender``), so that a column may serve twice;
the score comes out as Float64 with ``is_number`` (false for text that is not a number) and
``score_text``. What a query does not select is never read.

Columns of the table are chosen ``by_name``, here and in the layouts: as plain texts, ``*`` and ``^a$`` are
patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import IO, cast

import polars as pl
from polars.exceptions import PolarsError
from polars.selectors import by_name

from reporting.base.provenance import IN_MEMORY, Digest, InputFile, input_file
from reporting.errors import DataError, instead, listed, quoted, refuse, with_code
from reporting.inputs.clusters import CLUSTERS, cluster_of, read_clusters
from reporting.inputs.dates import IN_DATA
from reporting.inputs.files import UNREADABLE, cause, first_line, open_file
from reporting.inputs.layouts.catalogue import LAYOUTS
from reporting.inputs.layouts.raw import LayoutRows, Raw, is_plain, path_values, source_name
from reporting.inputs.layouts.tables import COUNT, check_counts, written_out
from reporting.inputs.spec import (
    ATTEMPT,
    BREAKDOWN,
    DEFAULTS,
    FALSE_WORDS,
    OUTSIDE,
    PREDICTED,
    SPOOF,
    ZERO_EFFORT,
    File,
    InMemory,
    Source,
    TrialSpec,
    readable,
)
from reporting.inputs.unpacked import check_unpacked
from reporting.inputs.values import is_number, number, stated


class Scan:
    """The rows of a trial table: every source is opened once, and read when a query asks for it.

    What is opened stays with this process; another one that gets the table opens the sources itself.
    """

    def __init__(self, spec: TrialSpec, opened: LayoutRows | None = None) -> None:
        self.spec = spec
        self._opened = opened
        self._seen: dict[int, frozenset[str]] = {}
        self._states: dict[File, tuple[int, int, int] | None] = {}

    def __getstate__(self) -> dict[str, object]:
        return {"spec": self.spec, "_opened": None, "_seen": self._seen, "_states": {}}

    @property
    def opened(self) -> LayoutRows:
        """The rows under the table's own names, as its layout gives them."""
        if self._opened is None:
            check_unpacked(self._files, self.spec.unpacked_limit, self.spec.written.sheet)
            self._states = {source: _state(source) for source in self._files}
            self._opened = LAYOUTS[self.spec.layout](self.spec)
        return self._opened

    def with_spec(self, spec: TrialSpec) -> Scan:
        """Return the same rows, whose columns and values have other names."""
        scan = Scan(spec, self.opened)
        scan._states = self._states
        return scan

    @cached_property
    def pieces(self) -> list[Raw]:
        """The rows of every source in our words; DataError lists missing columns of every file."""
        faults: list[str] = []
        pieces = []
        schemas = [(raw.name, raw.rows.collect_schema()) for raw in self.opened.pieces]
        for raw, (_, schema) in zip(self.opened.pieces, schemas, strict=True):
            missing = _column_faults(raw, self.spec, schema)
            faults += missing
            if not missing:
                rows = _in_our_words(self._kept(raw.rows, schema), schema, self.spec, self._clusters)
                pieces.append(replace(raw, rows=rows))
        faults += _two_names(self.spec, schemas)
        refuse(faults)
        columns = [set(piece.rows.collect_schema().names()) for piece in pieces]
        for piece, names in zip(pieces, columns, strict=True):
            if names != columns[0]:
                as_texts = {f"{name}_text" for name in CLUSTERS}
                odd = listed(sorted((names ^ columns[0]) - as_texts))
                raise DataError(f"{piece.name}: column {odd} is in some of the files and not in others")
        return pieces

    def rows(self, model: str | None = None) -> pl.LazyFrame:
        """Return all rows of all sources as one lazy frame, counted rows written out.

        With ``model``, those of the sources that may hold its rows: others may be left out, and need not be.
        """
        if model is None:
            return self._together(range(len(self.pieces)))
        wanted = [at for at in range(len(self.pieces)) if self._may_hold(at, model)]
        return self._together(wanted or [0], model)

    def _may_hold(self, at: int, model: str) -> bool:
        if at in self._seen:
            return model in self._seen[at]
        return self.pieces[at].model in (None, model)

    def _together(
        self, pieces: Iterable[int], model: str | None = None, *, named: bool = False
    ) -> pl.LazyFrame:
        rows = [self._piece(at, model) for at in pieces]
        if named:
            rows = [
                piece.with_columns(pl.lit(at).alias(PIECE)) for at, piece in zip(pieces, rows, strict=True)
            ]
        together = pl.concat(rows, how="vertical")
        rows_of_runs = written_out(together.filter(self.used) if self.spec.values.unused else together)
        return _averaged(rows_of_runs) if self.spec.runs == "epoch" else rows_of_runs

    @property
    def used(self) -> pl.Expr:
        """Which rows are not of a split that is left out."""
        unused = self.spec.values.unused
        return ~pl.col("split").is_in(unused).fill_null(value=False) if unused else pl.lit(value=True)

    def _piece(self, at: int, model: str | None) -> pl.LazyFrame:
        """Return the rows of a source; with ``model`` others may be left out.

        Models that are categories become text, which hides them from the statistics by which a reader leaves
        out whole groups of rows: it is asked before they do.
        """
        raw, column = self.opened.pieces[at].rows, self.spec.column("model")
        if model is None or (schema := raw.collect_schema()).get(column) != pl.Categorical:
            return self.pieces[at].rows
        rows = self._kept(raw.filter(by_name(column) == model), schema)
        return _in_our_words(rows, schema, self.spec, self._clusters)

    def _kept(self, raw: pl.LazyFrame, schema: pl.Schema) -> pl.LazyFrame:
        """Return the rows of a source that are not left out; those without a value stay."""
        if self.spec.left_out is None:
            return raw
        column, value = self.spec.left_out
        return raw.filter(_text(column, schema).ne_missing(pl.lit(value)))

    def values_of(self, column: str) -> list[str]:
        """Return the values of a column of the table as texts, sorted; DataError where there is none."""
        schemas = [(raw, raw.rows.collect_schema()) for raw in self.opened.pieces]
        held = sorted({name for _, schema in schemas for name in schema})
        if lacking := [raw.name for raw, schema in schemas if column not in schema]:
            raise DataError(f"{lacking[0]}: there is no column {quoted(column)}{instead(column, held)}")
        texts = [raw.rows.select(_text(column, schema).alias("text")) for raw, schema in schemas]
        return pl.concat(texts).drop_nulls().unique().sort("text").collect()["text"].to_list()

    @cached_property
    def _clusters(self) -> pl.DataFrame | None:
        return read_clusters(self.spec)

    def by_file(
        self, query: Callable[[pl.LazyFrame], pl.LazyFrame], *, shows_models: bool = False
    ) -> pl.DataFrame:
        """Run a query on the rows of one source after the other, and return all results together.

        Memory holds the columns of one large file at a time. A query that ``shows_models`` finds a column
        ``piece`` and returns it with every model there: ``rows`` then reads no other source for a model.
        """
        results = []
        for pieces in self._batches():
            result = query(self._together(pieces, named=shows_models)).collect(engine="streaming")
            if shows_models and self.spec.runs != "epoch":
                held = result.drop_nulls("model").group_by(PIECE).agg(pl.col("model").unique())
                self._seen |= dict.fromkeys(pieces, frozenset())
                self._seen |= {at: frozenset(models) for at, models in held.iter_rows()}
            results.append(result)
        return pl.concat(results)

    def _batches(self) -> list[list[int]]:
        """Split the pieces: one is read once, small ones together, and all where items are averaged."""
        if self.spec.runs == "epoch":
            return [list(range(len(self.pieces)))]
        batches: list[list[int]] = []
        size = 0
        for at, piece in enumerate(self.pieces):
            size += piece.size
            if not batches or (piece.size and size > AT_ONCE):
                batches.append([])
                size = piece.size
            batches[-1].append(at)
        return batches

    def check(self) -> None:
        """Raise DataError for rules of the layout that rows in long form no longer show; may take a pass."""
        pieces = self.pieces
        refuse(self.opened.faults())
        try:
            check_counts(self.spec, pieces)
        except (PolarsError, OSError) as error:
            raise self.unreadable(error) from None

    @cached_property
    def digests(self) -> dict[Source, InputFile]:
        """Every source with the digest of what it holds, keys first."""
        return {source: _input(source, self.spec) for source in readable(self.spec.inputs)}

    def check_unchanged(self) -> None:
        """Digest every source; DataError where a file is no longer what was opened."""
        with suppress(OSError):  # it is gone
            assert self.digests is not None
        changed = [file for file in self._files if self._states.get(file) != _state(file)]
        if changed:
            names = listed(source_name(file) for file in changed)
            raise DataError(f"{names}: changed while it was read; run again once it stays as it is")

    @property
    def _files(self) -> list[File]:
        return [source for source in readable(self.spec.inputs) if isinstance(source, File)]

    @property
    def inputs(self) -> tuple[InputFile, ...]:
        """Every input, keys first; parts of one origin once."""
        return tuple(dict.fromkeys(self.digests.values()))

    def files_of(self, model: str) -> list[File] | None:
        """Return the files that a model's rows follow from; None where some are not in files."""
        pieces = [piece for at, piece in enumerate(self.pieces) if self._may_hold(at, model)]
        alone = [piece.source for piece in pieces if piece.source is not None]
        sources = alone if len(alone) == len(pieces) else readable(self.spec.inputs)
        sources = [*sources, *readable(self.spec.cluster_files)]
        files = [source for source in sources if isinstance(source, File)]
        return list(dict.fromkeys(files)) if len(files) == len(sources) else None

    def has_column(self, name: str) -> bool:
        """Return whether any source has one of our columns, or whatever the table calls it."""
        return any(self.spec.has(name, raw.rows.collect_schema()) for raw in self.opened.pieces)

    def unreadable(self, error: Exception) -> DataError:
        """Return the error that names the file which breaks a query over all of them."""
        for piece in self.pieces:
            try:
                piece.rows.select(pl.all().count()).collect(engine="streaming")
            except UNREADABLE as its_own:
                if piece.source is None:
                    return DataError(f"{piece.name}: cannot be read: {first_line(its_own)}")
                return DataError(
                    f"{source_name(piece.source)}: cannot be read: {cause(piece.source, its_own)}"
                )
        return DataError(f"the trial table cannot be read: {first_line(error)}")


PIECE = "piece"
"""The column that names the piece of each row."""
AT_ONCE = 2**24
"""Bytes of files up to which several are read together."""


AS_TEXT = ("score_text", "label_text", *(f"{name}_text" for name in CLUSTERS))
"""Columns that show what a row has, where a message needs it."""


def _averaged(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return one row per model and item: the mean of its scores over runs, added from the lowest up.

    Whatever else differs between the rows of an item leaves several of it, which are refused later.
    """
    names = rows.collect_schema().names()
    texts = [name for name in names if name in AS_TEXT]
    of_run = ["run", "score", "is_number", *texts, *[PIECE] * (PIECE in names)]
    items = rows.group_by([name for name in names if name not in of_run]).agg(
        pl.lit(DEFAULTS["run"]).alias("run"),
        pl.col("score").filter(pl.col("score").is_not_nan()).sort().mean(),
        pl.col("is_number").all(),
        pl.col(texts).min(),
        *[pl.col(PIECE).min()] * (PIECE in names),
    )
    return items.select(names)


def _without_split(spec: TrialSpec, schema: pl.Schema) -> str:
    if spec.runs == "fold":
        return (
            "; with trials.runs: fold each fold's thresholds are chosen on its own dev rows: name such a"
            " column in trials.columns.split; or, where no fold has dev rows, leave trials.runs out and write"
            f" thresholds: {{policy: kfold, column: {spec.column('run')}}}"
        )
    columns = [name for name in ("trial", "cluster") if spec.has(name, schema)]
    policies = listed(spec.policies_without_dev(columns))
    return (
        "; thresholds are chosen on its dev rows: name such a column in trials.columns.split, or let"
        f" thresholds.policy do without ({policies}), or give thresholds in criteria:"
        " fixed(threshold=0.5), or an a posteriori threshold, oracle(best(measure=youden)), which is"
        " optimistic"
    )


def _by_path(spec: TrialSpec) -> str:
    endings = {"".join(source.path.suffixes) for source in spec.sources if isinstance(source, File)}
    if len(spec.sources) < 2 or len(endings) != 1 or spec.layout != "long":
        return ""
    return f"; where every file is one model's, write source: '{{model}}{endings.pop()}'"


def _column_faults(raw: Raw, spec: TrialSpec, schema: pl.Schema) -> list[str]:
    needed = [*spec.required, *(name for name in spec.columns if name not in spec.required)]
    needed_columns = {spec.column(name) for name in needed}
    needed += [
        name
        for name in (*spec.breakdowns, *spec.kept)
        if name not in spec.from_labels and spec.column(name) not in needed_columns
    ]
    held = schema.names()
    if spec.layout == "wide" and raw.source is not None:  # the layout made some of the columns
        held = [*open_file(raw.source, spec.reading).collect_schema(), *path_values(raw.source)]
    alike = [each for each in readable(spec.inputs) if raw.source and each.name == raw.source.name]
    # A source is called by its whole path where another has the same name.
    by_path = isinstance(raw.source, File) and len(alike) > 1
    where = f"{raw.source.path} ({raw.name})" if by_path else raw.name  # type: ignore[union-attr]
    file = source_name(raw.source) if spec.layout == "wide" and raw.source is not None else where
    faults = [
        f"{file}: {spec.called(name)} is missing{instead(spec.column(name), held)}"
        f"{_without_split(spec, schema) if name == 'split' else ''}"
        f"{_by_path(spec) if name == 'model' else ''}"
        for name in needed
        if not spec.has(name, schema)
    ]
    faults = with_code("TR603", faults)
    faults += [
        f"{where}: {spec.called(name)} holds {schema[spec.column(name)]};"
        " expected text, numbers or true and false"
        for name in (*spec.wanted, COUNT)
        if spec.has(name, schema) and not is_plain(schema[spec.column(name)])
    ]
    return faults


def _two_names(spec: TrialSpec, schemas: Iterable[tuple[str, pl.Schema]]) -> Iterator[str]:
    """Yield the columns whose values would get other texts in other files: 7 and 7.0, or two time zones."""
    for name in spec.wanted:
        column, first = spec.column(name), dict[str, tuple[str, pl.DataType]]()
        for source, schema in schemas:
            if column in schema and name not in ("label", "score"):
                kind = schema[column]
                # How values of a type look as text, where others hold the same value.
                as_text = str(kind) if kind.is_temporal() and kind != pl.Date else "plain"
                first.setdefault("decimals" if kind.is_float() else as_text, (source, kind))
        if len(first) > 1:
            (source, kind), (other, its) = list(first.values())[:2]
            yield (
                f"{spec.called(name)} holds {kind} in {source} and {its} in {other}, where one value would"
                " get two names; save it with one type"
            )


def _in_our_words(
    raw: pl.LazyFrame, schema: pl.Schema, spec: TrialSpec, clusters: pl.DataFrame | None
) -> pl.LazyFrame:
    texts = _texts(schema, spec)
    columns = [
        (stated(text) if name in CLUSTERS else text).alias(name)
        for name, text in texts.items()
        if name not in ("label", "score", PREDICTED)
    ]
    named = {name: texts[name] for name in CLUSTERS if name in texts}
    if spec.names_clusters:
        columns = [column for column in columns if column.meta.output_name() not in named]
        columns += [cluster_of(text, spec, clusters).alias(name) for name, text in named.items()]
    columns += [text.alias(f"{name}_text") for name, text in named.items()]
    # What describes one class may be empty elsewhere.
    of_one_class = [name for name in spec.breakdowns if spec.column(name) in spec.one_class]
    columns = [
        column.fill_null("") if column.meta.output_name() in of_one_class else column for column in columns
    ]
    if spec.has_labels:
        label = _event(texts["label"], spec)
        if schema[spec.column("label")] != pl.Boolean:  # which has no words for a missing value
            label = stated(label, spec.values.labels)
        columns += [label.alias("label"), texts["label"].alias("label_text")]
        if spec.from_labels:
            # Of which kind a non-target is; empty for targets and rows without a label.
            neither = label.is_in(spec.values.target) | label.is_null()
            is_spoof = pl.when(label.is_in(spec.values.spoof)).then(pl.lit(SPOOF))
            kind = is_spoof.when(neither).then(pl.lit("")).otherwise(pl.lit(ZERO_EFFORT))
            columns.append(kind.alias(BREAKDOWN + ATTEMPT))
    else:
        columns.append(pl.lit(spec.values.target[0]).alias("label"))
    if spec.has_predicted:
        columns.append(stated(texts[PREDICTED], spec.values.labels).alias(PREDICTED))
    columns += [
        pl.lit(value).alias(name)
        for name, value in (DEFAULTS | {"split": spec.values.test}).items()
        if not spec.has(name, schema)
    ]
    score = spec.column("score")
    as_text = by_name(score).cast(pl.String).alias("score_text")
    rows = raw.select(*columns, *_score(score, schema), as_text)
    if not spec.has_predicted:
        return rows
    # The difference is exact for scores from 1/2 to 1, so ties stay ties.
    is_target = pl.col(PREDICTED).is_in(spec.values.target)
    return rows.with_columns(pl.when(is_target).then("score").otherwise(1 - pl.col("score")).alias("score"))


def _texts(schema: pl.Schema, spec: TrialSpec) -> dict[str, pl.Expr]:
    """Return the columns that are read as texts, by our names; of dates the split that they are in."""
    texts = {
        name: _text(spec.column(name), schema) for name in (*spec.wanted, COUNT) if spec.has(name, schema)
    }
    if spec.values.dates and "split" in texts:
        texts["split"] = _set_of_date(texts["split"], spec)
    return texts


def _set_of_date(text: pl.Expr, spec: TrialSpec) -> pl.Expr:
    """Return the split of a row's date; what is no date, or less exact than the ranges, stays."""
    dev, test = spec.values.dates or (None, None)
    exact = max(each.digits for each in (dev, test) if each is not None)
    digits = text.str.strip_chars().str.replace_all(r"[-/]", "").str.extract(r"^(\d{4,8})")
    is_date = text.str.contains(IN_DATA) & (digits.str.len_chars() >= exact)
    of_dev = dev.holds(digits) if dev else pl.lit(value=False)
    of_test = test.holds(digits) if test else pl.lit(value=True)
    words = pl.when(of_dev).then(pl.lit(spec.values.dev)).when(of_test).then(pl.lit(spec.values.test))
    return pl.when(is_date).then(words.otherwise(pl.lit(OUTSIDE))).otherwise(text)


def _event(text: pl.Expr, spec: TrialSpec) -> pl.Expr:
    """Return the label that an observed number makes; what is no number stays, and is no label."""
    if spec.values.event is None:
        return text
    bound, threshold = spec.values.event
    observed = number(text)
    holds = {
        "above": observed > threshold,
        "at_least": observed >= threshold,
        "below": observed < threshold,
        "at_most": observed <= threshold,
    }[bound]
    is_known = observed.is_not_null() & observed.is_not_nan()
    words = pl.when(holds).then(pl.lit(spec.values.target[0])).otherwise(pl.lit(FALSE_WORDS[0]))
    return pl.when(is_known).then(words).otherwise(text)


def _text(column: str, schema: pl.Schema) -> pl.Expr:
    # A cast that changes nothing would still hide the column from the reader's row-group statistics.
    if schema[column].is_float():  # NaN is no name
        return by_name(column).fill_nan(None).cast(pl.String)
    return by_name(column) if schema[column] == pl.String else by_name(column).cast(pl.String)


def _score(column: str, schema: pl.Schema) -> tuple[pl.Expr, pl.Expr]:
    if schema[column].is_numeric():
        return by_name(column).cast(pl.Float64).alias("score"), pl.lit(True).alias("is_number")
    text = by_name(column).cast(pl.String)
    return number(text).alias("score"), is_number(text).alias("is_number")


def _state(file: File) -> tuple[int, int, int] | None:
    """What changes with a file: its place on the disk, its size, its time; None where it is gone."""
    try:
        status = file.path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def inputs_of(spec: TrialSpec) -> tuple[InputFile, ...]:
    """Return every input of a fetched spec, keys first; parts of one origin once."""
    return Scan(spec).inputs


def _input(source: Source, spec: TrialSpec) -> InputFile:
    if not isinstance(source, InMemory):
        return source.origin or input_file(source.path, source.name)
    # What is read of the table, under our names and sorted, has one digest in any order of rows and columns.
    each = replace(spec, sources=(source,), keys=(), runs="seed" if spec.runs == "epoch" else spec.runs)
    rows = Scan(each).rows().drop("is_number", "score_text")
    rows = rows.drop([f"{name}_text" for name in ("label", *CLUSTERS)], strict=False)
    digest = Digest()
    rows.sort(rows.collect_schema().names()).collect().write_csv(cast("IO[bytes]", digest))
    return digest.of_input(IN_MEMORY)
