"""The SQL that checks and counts trials where they are: one text, turned into the dialect of every engine.

The text is written in the dialect of DuckDB and parsed into a tree, from which sqlglot makes that of others.
Every statement begins with the same chain of tables: ``source`` is what the user names, ``trials`` its rows
in our words, ``kept`` those that no rule leaves out, with the score floored to its key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import polars as pl
import sqlglot
from sqlglot import exp

from reporting.base.records import dataclass
from reporting.inputs.clusters import CLUSTERS
from reporting.inputs.remote.address import select
from reporting.inputs.rules import EXACT, SHOWN
from reporting.inputs.spec import DEFAULTS, LEAVE_DEV_OUT, Dialect, Paired, Remote, TrialSpec
from reporting.inputs.values import missing_words

BASE = "duckdb"
"""The dialect that the text is written in."""
Kind = Literal["number", "whole number", "text", "truth value", "other"]
"""What a column holds, as far as statements depend on it."""
FRAMED: Mapping[Kind, pl.DataType] = {
    "truth value": pl.Boolean(),
    "whole number": pl.Int64(),
    "number": pl.Float64(),
}
"""What a column of an answer becomes in a frame; anything else becomes text."""
KEYS = ("model", "run", "dataset", "split", "label")
PLACE = ("dataset", "split")
BLOCKS_HELD = "blocks"
"""The column of an answer in which a row has its counts by block."""
EXAMPLES = 20
"""Rows that are looked at of those that break a rule."""
HUGE, SUBNORMAL = 2.0**500, 2.0**-1022
"""Sizes from which one is divided before it is multiplied, and below which steps are all alike."""
SOURCE = "source"
"""What the user's table or query is called in every statement."""


@dataclass(frozen=True)
class Statements:
    """What an engine computes of the trials of a spec; ``columns`` are those that its table has."""

    spec: TrialSpec
    dialect: Dialect
    select: str
    """The SELECT that gives the rows of the table, in the engine's own dialect."""
    columns: Mapping[str, Kind]
    target: tuple[str, ...] = ()
    """The texts that mean target, once they are known."""
    scored: tuple[tuple[str, str], ...] = ()
    """Every model with each of its runs, sorted, once they are known."""
    dropped: frozenset[str] = frozenset()
    """Why rows are dropped, as far as any are."""

    @property
    def has_trial(self) -> bool:
        """Return whether the table names its trials."""
        return self.spec.has("trial", self.columns)

    @property
    def shared(self) -> list[str]:
        """The columns that belong to a trial, whatever model scored it."""
        wanted = (name for name in ("cluster", "cluster_b") if name in self.spec.wanted)
        clusters = [name for name in wanted if self.spec.has(name, self.columns)]
        return [*clusters, *self.spec.breakdowns]

    def survey(self) -> str:
        """Count rows by model, run, dataset, split and label as in the table.

        Further columns: rows, scores that are missing, infinite, or whole numbers beyond 2^53,
        probabilities outside [0, 1], and rows without a trial, cluster or breakdown.
        """
        counted = {
            "rows": "COUNT(*)",
            "missing": _number_of("missing"),
            "infinite": _number_of(_is_infinite("score")),
            "beyond": _number_of(f"ABS(score) > {EXACT}") if self._whole_scores else "0",
            "improbable": _number_of(self._improbable) if self.spec.probabilities else "0",
            **{f"no_{name}": _number_of(f"COALESCE({_name(name)}, '') = ''") for name in self._texts},
        }
        keys = _names(KEYS)
        totals = ", ".join(f"CAST({count} AS BIGINT) AS {_name(name)}" for name, count in counted.items())
        return self._translated(f"SELECT {keys}, {totals} FROM trials GROUP BY {keys}", "trials")

    def agreement(self) -> str:
        """Count the trials whose keys repeat, that a model lacks, or of which models say different things."""
        own = {f"n {at}": self._rows_of(model, run) for at, (model, run) in enumerate(self.scored)}
        agreed = ["label", *self.shared]
        by_trial = ", ".join(
            [
                *(f"{_number_of(rows)} AS {_name(name)}" for name, rows in own.items()),
                *(f"MIN({_name(name)}) <> MAX({_name(name)}) AS {_name(name)}" for name in agreed),
            ]
        )
        faults = {
            "duplicates": " OR ".join(f"{_name(name)} > 1" for name in own),
            "lacking": " OR ".join(f"{_name(name)} = 0" for name in own),
            **{f"differing {name}": _name(name) for name in agreed},
        }
        counted = ", ".join(
            f"CAST(COALESCE({_number_of(fault)}, 0) AS BIGINT) AS {_name(name)}"
            for name, fault in faults.items()
        )
        key = _names([*PLACE, "trial"])
        return self._translated(
            f"SELECT {counted} FROM (SELECT {key}, {by_trial} FROM labelled GROUP BY {key}) AS by_trial",
            "labelled",
        )

    def counts(self, paired: Paired) -> str:
        """Count the trials as far as they can be ``paired``: jointly, by block, or each model alone."""
        paired = paired if self.has_trial and len(self.scored) > 1 else False
        if paired is True:
            return self._patterns()
        cell = ["model", "run", *PLACE, *self.shared, "label", "key"]
        return self._counted(cell, "keyed", by_block=paired == "blocks")

    def _patterns(self) -> str:
        keys = [f"key {at + 1}" for at in range(len(self.scored))]
        of_trial = [*self.shared, "label"]
        by_trial = ", ".join(
            [
                *(f"MIN({_name(name)}) AS {_name(name)}" for name in of_trial),
                *(
                    f"MAX(CASE WHEN {self._rows_of(model, run)} THEN {_name('key')} END) AS {_name(name)}"
                    for name, (model, run) in zip(keys, self.scored, strict=True)
                ),
            ]
        )
        trial = _names([*PLACE, "trial"])
        rows = f"(SELECT {trial}, {by_trial} FROM keyed GROUP BY {trial}) AS by_trial"
        return self._counted([*PLACE, *of_trial, *keys], rows, by_block=True)

    def _counted(self, columns: Sequence[str], rows: str, *, by_block: bool) -> str:
        """Count rows by columns, and those without clusters by the block of their trial.

        A text ``blocks`` holds what each block counts, parted by spaces: the three hexadecimal digits that
        count modulo 2^11 of the digest that ``blocks_of`` takes, and the number of trials.
        """
        cell = _names(columns)
        if not by_block or "cluster" in self.shared:
            return self._translated(f"SELECT {cell}, COUNT(*) AS n FROM {rows} GROUP BY {cell}", "keyed")
        key = _name("trial")
        if self.dialect == "postgres":
            key = f"CONVERT_TO({key}, 'UTF8')"
        dealt = f"SELECT *, SUBSTRING(MD5({key}), 6, 3) AS digits FROM {rows}{self._fence}"
        held = f"SELECT {cell}, digits, COUNT(*) AS n FROM ({dealt}) AS dealt GROUP BY {cell}, digits"
        blocks = f"ARRAY_TO_STRING(ARRAY_AGG(digits || CAST(n AS TEXT)), ' ') AS {BLOCKS_HELD}"
        totals = f"{cell}, CAST(SUM(n) AS BIGINT) AS n, {blocks}"
        return self._translated(f"SELECT {totals} FROM ({held}) AS held GROUP BY {cell}", "keyed")

    @property
    def named(self) -> list[str]:
        """The columns of rows that are shown as examples."""
        return ["model", "run", *PLACE, *self._texts, "label", "score"]

    def examples(self, labels: Sequence[str]) -> Iterator[str]:
        """Yield, for every rule of the rows, what returns a few rows that break it; ``labels`` are known."""
        splits = (self.spec.values.dev, self.spec.values.test)
        worded = self._worded()
        rules = [
            *(
                f"COALESCE({_name(name)}, '') = ''"
                for name in ("model", "run", *PLACE, *self._texts, "label")
            ),
            f"{_name('split')} NOT IN ({_texts(splits)})",
            f"{_name('label')} NOT IN ({_texts(labels)})",
            "missing",
            *([self._improbable] if self.spec.probabilities else []),
            *([f"ABS(score) > {EXACT}"] if self._whole_scores else []),
        ]
        for rule in rules:
            shown = ", ".join(
                f"{_name(f'{name}_text')} AS {_name(name)}" if name in worded else _name(name)
                for name in self.named
            )
            yield self._translated(
                f"SELECT {shown} FROM trials WHERE {rule} ORDER BY {_names(self.named)} LIMIT {EXAMPLES}",
                "trials",
            )

    def contradictions(self, fault: str) -> str:
        """Return the first trials of one fault that ``agreement`` counts, in the order of their keys."""
        having = {"duplicates": "MAX(times) > 1", "lacking": f"COUNT(*) < {len(self.scored)}"}.get(
            fault, "MIN(low) <> MAX(high)"
        )
        name = fault.removeprefix("differing ") if fault.startswith("differing ") else "label"
        trial = _names([*PLACE, "trial"])
        return self._translated(
            f"SELECT {trial} FROM (SELECT {trial}, {_name('model')}, {_name('run')}, COUNT(*) AS times,"
            f" MIN({_name(name)}) AS low, MAX({_name(name)}) AS high FROM labelled"
            f" GROUP BY {trial}, {_name('model')}, {_name('run')}) AS by_model"
            f" GROUP BY {trial} HAVING {having} ORDER BY {trial} LIMIT {SHOWN}",
            "labelled",
        )

    @property
    def _texts(self) -> list[str]:
        """The columns that may be there or not."""
        return ["trial"] * self.has_trial + self.shared

    @property
    def _improbable(self) -> str:
        models = _texts(self.spec.probabilities)
        return f"{_name('model')} IN ({models}) AND NOT missing AND NOT score BETWEEN 0 AND 1"

    @property
    def _whole_scores(self) -> bool:
        return self.columns.get(self.spec.column("score")) == "whole number"

    def _rows_of(self, model: str, run: str) -> str:
        return f"{_name('model')} = {_text(model)} AND {_name('run')} = {_text(run)}"

    def _translated(self, select: str, of: str) -> str:
        """Put the chain of tables up to ``of`` before a SELECT; return it in the engine's dialect."""
        chain = dict(self._chain())
        names = list(chain)[: list(chain).index(of) + 1]
        tables = ", ".join(f"{name} AS ({chain[name]}{self._fence})" for name in names)
        text = sqlglot.parse_one(f"WITH {tables} {select}", read=BASE).sql(dialect=self.dialect, pretty=True)
        own = "\n".join(f"  {line}" for line in self.select.splitlines())
        return text.replace("WITH ", f"WITH {SOURCE} AS (\n{own}\n), ", 1)

    @property
    def _fence(self) -> str:
        """Keep a table whole: PostgreSQL would write it into the next wherever a column of it is named."""
        return " OFFSET 0" if self.dialect == "postgres" else ""

    def _chain(self) -> Iterator[tuple[str, str]]:
        """Yield the tables that statements are made of, by name, each of the one before."""
        yield "trials", self._in_our_words()
        yield "kept", self._kept()
        named = ["model", "run", "dataset", *self._texts]
        negated = self.spec.negated
        turned = f" WHEN {_name('model')} IN ({_texts(negated)}) THEN -score" if negated else ""
        yield (
            "labelled",
            (
                f"SELECT {_names(named)},"
                f" CASE WHEN {_name('split')} = {_text(self.spec.values.dev)} THEN 'dev' ELSE 'test' END"
                f" AS {_name('split')},"
                f" CASE WHEN {_name('label')} IN ({_texts(self.target)}) THEN 1 ELSE 0 END"
                f" AS {_name('label')},"
                # Higher scores favour the target; a missing one that is rejected is -infinity.
                f" CASE WHEN missing THEN CAST('-inf' AS DOUBLE){turned} ELSE score END AS score FROM kept"
            ),
        )
        yield from _keyed([*named, "split", "label"], self.spec.coarse)

    def _in_our_words(self) -> str:
        """The rows of the table under our names; a score is a number, or missing."""
        texts = {name: self._column(name) for name in ("model", "run", *PLACE, *self._texts)}
        texts["label"] = _text(self.spec.values.target[0])
        for name, named in self._worded().items():
            text = texts[f"{name}_text"] = self._column(name)
            # NULL where it is a word for a missing value, as ``values.stated`` does.
            texts[name] = f"CASE WHEN TRIM({text}) NOT IN ({_texts(missing_words(named))}) THEN {text} END"
        columns = ", ".join(f"{text} AS {_name(name)}" for name, text in texts.items())
        number = f"CAST({_name(self.spec.column('score'))} AS DOUBLE)"
        # Of the engines, some hold NaN equal to itself and some apart from everything.
        missing = f"{number} IS NULL OR {number} = CAST('nan' AS DOUBLE) OR {number} <> {number}"
        unused = self.spec.values.unused
        used = f" WHERE NOT COALESCE({self._column('split')} IN ({_texts(unused)}), FALSE)" if unused else ""
        return (
            f"SELECT {columns}, {missing} AS missing, CASE WHEN NOT ({missing}) THEN {number} END AS score"
            f" FROM {SOURCE}{used}"
        )

    def _worded(self) -> Mapping[str, Sequence[str]]:
        """The columns in which some words mean that there is no value, each with the words that do not."""
        clusters = {name: () for name in CLUSTERS if name in self._texts}
        return clusters | ({"label": self.spec.values.labels} if self.spec.has_labels else {})

    def _column(self, name: str) -> str:
        if not self.spec.has(name, self.columns):
            return _text((DEFAULTS | {"split": self.spec.values.test})[name])
        return f"CAST({_name(self.spec.column(name))} AS TEXT)"

    def _kept(self) -> str:
        """The rows that are counted: of test alone where ``dev`` has no use, less those that are dropped."""
        conditions = []
        if self.spec.thresholds.policy in LEAVE_DEV_OUT:
            conditions.append(f"{_name('split')} = {_text(self.spec.values.test)}")
        reasons = {"unlabelled": f"{_name('label')} IS NULL", "missing": "missing"}
        lacking = " OR ".join(reasons[why] for why in sorted(self.dropped))
        if lacking and not self.has_trial:
            conditions.append(f"NOT ({lacking})")
        kept = f"SELECT * FROM trials{' WHERE ' * bool(conditions)}{' AND '.join(conditions)}"
        if not (lacking and self.has_trial):
            return kept
        trial = _names([*PLACE, "trial"])
        lacks = f"MAX(CASE WHEN {lacking} THEN 1 ELSE 0 END) OVER (PARTITION BY {trial}) AS lacks"
        return f"SELECT * FROM (SELECT *, {lacks} FROM ({kept}) AS counted) AS every WHERE lacks = 0"


def _keyed(columns: Sequence[str], bits: int | None) -> Iterator[tuple[str, str]]:
    """Yield the tables that floor a score to its top bits as ``values.coarse_key`` does, by arithmetic alone.

    Of a number whose leading bit is worth 2^e, a step is 2^(e - 52 + d) for d dropped bits. The size of a
    positive one is rounded down to whole steps; that of a negative one then takes all the dropped bits,
    step - 2^(e - 52), because its place in the order of all floats is rounded down. The leading bit of x is
    worth q - (1 - 2^-53) q for q = (2^52 + 1) x, each operation rounded (Rump, Ogita and Oishi 2008, Accurate
    floating-point summation, part I, algorithm 3.5). Everything else here is exact.
    """
    assert bits is not None
    named, dropped = _names(columns), 64 - bits
    yield (
        "sized",
        (
            f"SELECT {named}, score, CASE WHEN score <> 0 AND NOT {_is_infinite('score')} THEN ABS(score) END"
            " AS size FROM labelled"
        ),
    )
    yield (
        "multiplied",
        (
            f"SELECT {named}, score, size,"
            f" size * CASE WHEN size < {_double(HUGE)} THEN {_double(2.0**52 + 1)}"
            f" ELSE {_double((2.0**52 + 1) / HUGE)} END AS q FROM sized"
        ),
    )
    back = f"CASE WHEN size < {_double(HUGE)} THEN 1 ELSE {_double(HUGE)} END"
    leading = f"(q - {_double(1 - 2.0**-53)} * q) * {back}"
    yield (
        "weighed",
        (
            f"SELECT {named}, score, size, CASE WHEN size < {_double(SUBNORMAL)} THEN {_double(SUBNORMAL)}"
            f" ELSE {leading} END AS worth FROM multiplied"
        ),
    )
    yield (
        "stepped",
        (
            f"SELECT {named}, score, size, worth * {_double(2.0 ** (dropped - 52))} AS step,"
            f" worth * {_double(2.0**-52)} AS unit FROM weighed"
        ),
    )
    floored = "FLOOR(size / step) * step"
    yield (
        "keyed",
        (
            f"SELECT {named}, CASE WHEN score = 0 THEN CAST(0 AS DOUBLE) WHEN size IS NULL THEN score"
            f" WHEN score > 0 THEN {floored} ELSE -({floored} + (step - unit)) END AS {_name('key')}"
            " FROM stepped"
        ),
    )


def rows_of(remote: Remote, dialect: Dialect) -> str:
    """Return the SELECT of a place: the query of the user, or all rows of a table."""
    text = select(remote)
    return text if remote.query else sqlglot.parse_one(text, read=BASE).sql(dialect=dialect)


def _number_of(condition: str) -> str:
    """Count the rows of a condition; those where it is unknown do not count."""
    return f"SUM(CASE WHEN {condition} THEN 1 ELSE 0 END)"


def _is_infinite(score: str) -> str:
    return f"COALESCE(ABS({score}) = CAST('inf' AS DOUBLE), FALSE)"


def _double(value: float) -> str:
    return f"CAST({_text(repr(value))} AS DOUBLE)"


def _name(column: str) -> str:
    return exp.to_identifier(column, quoted=True).sql(dialect=BASE)


def _names(columns: Iterable[str]) -> str:
    return ", ".join(map(_name, columns))


def _text(text: str) -> str:
    return exp.Literal.string(text).sql(dialect=BASE)


def _texts(texts: Iterable[str]) -> str:
    return ", ".join(map(_text, sorted(texts)))
