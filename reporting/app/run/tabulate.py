"""Counted trials as a table that may leave the house: sums over trials, without their keys and order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import polars as pl

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass, replace
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Key
from reporting.core.counts.ranks import Ranks
from reporting.inputs import bundle
from reporting.inputs.spec import BREAKDOWN
from reporting.inputs.table import TrialTable


@dataclass(frozen=True)
class Naming:
    """What clusters are called in the bundle: as in the table, or by digests of a salt and their name."""

    names: bundle.Names = "digests"
    salt: str = ""

    def of(self, names: pl.Series) -> pl.Series:
        """Return what these are called."""
        if self.names == "names":
            return names
        return pl.Series([self.digest(name) for name in names], dtype=pl.String)

    def digest(self, name: str) -> str:
        """SHA-256 of the salt, a zero byte and the name."""
        return hashlib.sha256(f"{self.salt}\0{name}".encode(errors="surrogateescape")).hexdigest()

    @property
    def check(self) -> str | None:
        """Distinguishes other salts, and of this one gives no more than a word to try guesses on."""
        return None if self.names == "names" else self.digest("")[:8]


def bundle_of(
    table: TrialTable,
    counts: Counts,
    form: bundle.Form,
    naming: Naming,
    version: str,
    *,
    blocks: bool = False,
) -> bundle.Bundle:
    """Sum the trials of a table into a bundle; the same trials in any row order give the same one.

    ``blocks``: by the blocks of their keys, too, as joint patterns always are; not where there are clusters.
    """
    spec = table.spec
    assert spec.coarse is not None
    columns, scores = 1 + spec.has_pairs, sorted(set(table.tally.select("model", "run").iter_rows()))
    clusters = bundle.Clusters(columns, naming.names, spec.pools, naming.check) if table.has_cluster else None
    about = bundle.About(
        form=form,
        bits=spec.coarse,
        scores=tuple(scores),
        breakdowns=spec.attributes,
        clusters=clusters,
        policy=spec.thresholds.policy,
        missing=spec.missing,
        unlabelled=spec.unlabelled,
        read=tuple(bundle.Read(**row) for row in table.tally.iter_rows(named=True)),
        content="",
        version=version,
        blocks=(blocks or form == "patterns") and table.has_trial and not table.has_cluster,
        turned=tuple(sorted(spec.negated & {model for model, _ in scores})),
    )
    tabulate = _cuts if form == "cuts" else _patterns
    rows = bundle.summed(about, pl.concat(list(tabulate(about, counts, _Texts(table, about, naming)))))
    return bundle.Bundle(replace(about, content=bundle.content_of(rows)), rows)


class _Texts:
    """What the codes of trials mean in a bundle."""

    def __init__(self, table: TrialTable, about: bundle.About, naming: Naming) -> None:
        self.naming = naming
        columns = [name for name in ("cluster", "cluster_b") if name in bundle.shared_columns(about)]
        self.of_clusters = {table.spec.column(name) for name in columns}
        self.clusters: dict[str, pl.Series] = {}
        if columns:
            clusters = table.rows.select(columns).unique().collect(engine="streaming")
            alone = table.spec.pools == "two"
            for name in columns:
                side = [clusters[each].rename("") for each in ([name] if alone else columns)]
                self.clusters[name] = naming.of(pl.concat(side).unique().sort())

    def of(self, ranks: Ranks) -> dict[str, pl.Series]:
        """Return the texts by column, in the order of their codes; those of clusters are one everywhere."""
        texts = {}
        for name, attribute in ranks.attributes.items():
            values = pl.Series(attribute.values, dtype=pl.String)
            texts[BREAKDOWN + name] = self.naming.of(values) if name in self.of_clusters else values
        return texts | self.clusters


def _cuts(about: bundle.About, counts: Counts, texts: _Texts) -> Iterator[pl.DataFrame]:
    for (dataset, split), ranks in counts.ranks.items():
        trials = _trials(about, ranks)
        for (model, run), rank in ranks.rank.items():
            counted = _counted(trials.with_columns(key=pl.Series(rank)))
            score = counts.cuts[Key(model, run, dataset, split)].score
            whose = {"model": model, "run": run, "dataset": dataset, "split": split}
            yield _named(about, counted, texts.of(ranks), {"key": score}, whose)


def _patterns(about: bundle.About, counts: Counts, texts: _Texts) -> Iterator[pl.DataFrame]:
    keys = dict(zip(bundle.key_columns(about), about.scores, strict=True))
    for (dataset, split), ranks in counts.ranks.items():
        trials = _trials(about, ranks)
        by_key = {column: pl.Series(ranks.rank[whose]) for column, whose in keys.items()}
        scores = {
            column: counts.cuts[Key(model, run, dataset, split)].score
            for column, (model, run) in keys.items()
        }
        where = {"dataset": dataset, "split": split}
        counted = _counted(trials.with_columns(**by_key))
        yield _named(about, counted, texts.of(ranks), scores, where)


def _trials(about: bundle.About, ranks: Ranks) -> pl.DataFrame:
    codes = {
        "label": ranks.label,
        "cluster": ranks.unit_a,
        "cluster_b": ranks.unit_b,
        bundle.BLOCK: ranks.block,
    }
    codes |= {BREAKDOWN + name: attribute.code for name, attribute in ranks.attributes.items()}
    return pl.DataFrame({name: codes[name] for name in ["label", *bundle.shared_columns(about)]})


def _counted(trials: pl.DataFrame) -> pl.DataFrame:
    return trials.group_by(trials.columns).agg(pl.len().cast(pl.Int64).alias(bundle.NUMBER))


def _named(
    about: bundle.About,
    counted: pl.DataFrame,
    texts: Mapping[str, pl.Series],
    scores: Mapping[str, FloatArray],
    constants: Mapping[str, str],
) -> pl.DataFrame:
    """Turn codes into texts and ranks into scores."""
    coded = [name for name in bundle.shared_columns(about) if name != bundle.BLOCK]
    columns = {name: texts[name].gather(counted[name]) for name in coded}
    columns |= {name: pl.Series(score).gather(counted[name]) for name, score in scores.items()}
    named = counted.with_columns(**columns, **{name: pl.lit(text) for name, text in constants.items()})
    return named.select(bundle.schema_of(about).names())
