"""Bundles of counts: files of summed trials, opened, checked against their description, and added up.

The description records how a bundle was made, and so what can be computed from it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import IO, Any, Literal, cast

import polars as pl

from reporting.base.legible import counted
from reporting.base.provenance import Digest
from reporting.base.records import dataclass, replace
from reporting.errors import DataError, listed, quoted, refuse
from reporting.inputs.blocks import BLOCKS
from reporting.inputs.files import UNREADABLE, first_line
from reporting.inputs.formats.catalogue import word_of
from reporting.inputs.spec import (
    BREAKDOWN,
    FEWEST_BITS,
    MOST_BITS,
    SAMPLED,
    File,
    Pools,
    Source,
    TrialSpec,
    readable,
)
from reporting.inputs.values import coarse_key

PROGRAM = "reporting"
METADATA = "reporting.counts"
"""The key of the description in the Parquet file."""
FORMAT = 3
"""What a later version raises where this one could no longer read what it writes: 3 where counts name blocks,
2 where they have noise, which a reader of format 1 would take for trials; else 1."""

Form = Literal["cuts", "patterns"]
"""``cuts``: targets and non-targets of every model at every key; ``patterns``: trials by the keys that all
models together give them."""
Names = Literal["names", "digests"]
"""What clusters are called: as in the table, or by SHA-256 of a salt and that name."""
Pairing = Literal["trials", "clusters", "blocks", "none"]
"""What a bundle shows of pairs: which trials of two models are one, which cluster or block, or nothing."""


@dataclass(frozen=True)
class Clusters:
    """The clusters of a bundle: one column or two, and what their members are called."""

    columns: int
    names: Names
    pools: Pools
    salt: str | None = None
    """A short check that bundles were salted alike; None where names are plain."""


@dataclass(frozen=True)
class Read:
    """What was read of one model, run, dataset and split."""

    model: str
    run: str
    dataset: str
    split: str
    rows_read: int
    n_unlabelled: int
    n_missing: int
    n_infinite: int
    n_missing_target: int | None = 0
    """Of those without a score; None in files of versions that did not count classes."""
    n_missing_nontarget: int | None = 0


@dataclass(frozen=True)
class Noise:
    """Discrete Laplace noise on the counts of equal bins of scores, which is public."""

    epsilon: float
    """What one row of the table may change: every probability by a factor of at most exp(epsilon)."""
    low: float
    high: float
    """The range of scores that the bins part; the outer ones hold all beyond it."""
    bins: int = 64

    @property
    def faults(self) -> Iterator[str]:
        """What is wrong with it, each as what was found and what is allowed."""
        least, most = EPSILONS
        if not least <= self.epsilon <= most:
            yield f"epsilon is {self.epsilon:g}; from {least:g} to {most:g} is allowed"
        if not (math.isfinite(self.high - self.low) and self.low < self.high):
            yield f"the range is {self.low:g} to {self.high:g}; expected two finite numbers, rising"
        if not FEWEST_BINS <= self.bins <= MOST_BINS:
            yield f"there are {self.bins} bins; from {FEWEST_BINS} to {MOST_BINS} are allowed"


EPSILONS = 0.001, 100.0
FEWEST_BINS, MOST_BINS = 2, 4096

BY_CLASS = ("n_missing_target", "n_missing_nontarget")
"""What is known of trials without a score, and written where there are any."""


@dataclass(frozen=True)
class About:
    """The description of a bundle; what two bundles must share to be summed is in ``shared``."""

    form: Form
    bits: int
    scores: tuple[tuple[str, str], ...]
    """Every model with each of its runs, in the order of the key columns of patterns."""
    breakdowns: tuple[str, ...]
    clusters: Clusters | None
    policy: str
    """Compared with the config's, never obeyed."""
    missing: str
    unlabelled: str
    read: tuple[Read, ...]
    content: str
    """SHA-256 of the counts."""
    version: str
    """Of the program that made it."""
    least: int | None = None
    """Neighbouring scores were merged until no count was smaller; None: they were not merged."""
    noise: Noise | None = None
    """Noise on every count; None: counts are exact."""
    blocks: bool = False
    """Whether counts are by block, too: that of the key of a trial (``inputs/blocks.py``)."""
    turned: tuple[str, ...] | None = None
    """Models whose keys are negated scores (``higher_is: nontarget``); None: an earlier version, unknown."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models, sorted."""
        return tuple(dict.fromkeys(model for model, _ in self.scores))

    @property
    def pairing(self) -> Pairing:
        """What it holds of pairs, where breakdowns do not replace clusters."""
        if self.form == "patterns":
            return "trials"
        return "clusters" if self.clusters else "blocks" if self.blocks else "none"

    @property
    def shared(self) -> dict[str, object]:
        """What all bundles of one sum must say alike, by the word for it."""
        clusters, noise = self.clusters, self.noise
        named = clusters and ("as in the table" if clusters.names == "names" else "as digests")
        return {
            "the form": self.form,
            "the bits of a key": self.bits,
            "the bins of noisy counts": noise and f"{noise.bins} from {noise.low!r} to {noise.high!r}",
            "the models and runs": [f"{model} ({run})" for model, run in self.scores],
            "the breakdowns": list(self.breakdowns),
            "the blocks of trials": "counted" if self.blocks else None,
            "the columns of clusters": clusters.columns if clusters else 0,
            "the names of clusters": named,
            "the populations of clusters": clusters and clusters.pools,
            "the salt of cluster names": clusters and clusters.salt,
            "missing": self.missing,
            "unlabelled": self.unlabelled,
            "thresholds.policy": self.policy,
            "the models with higher_is: nontarget": None if self.turned is None else list(self.turned),
        }

    def to_json(self) -> str:
        """Return the description as text, the same for the same bundle."""
        written_as = FORMAT if self.blocks else 1 if self.noise is None else 2
        description = {"program": PROGRAM, "kind": "counts", "format": written_as, **asdict(self)}
        for key in ("noise", "turned"):
            if description[key] is None:
                del description[key]
        if not self.blocks:
            del description["blocks"]
        for read in description["read"]:
            if not read["n_missing"]:
                for key in BY_CLASS:
                    del read[key]
        description["supports"] = {key: list(words) for key, words in supports(self.pairing).items()}
        return json.dumps(description, sort_keys=True, ensure_ascii=False)


def supports(pairing: Pairing) -> Mapping[str, tuple[str, ...]]:
    """Return what can be computed from a bundle, and what cannot, in words for a reader."""
    measures = ("at thresholds", "over the sweep", "of calibration", "curves", "expected performance curves")
    of_one = ("intervals of every model",)
    if pairing == "trials":
        return {"measures": measures, "inferences": (*of_one, "comparisons by trials", "further tests")}
    if pairing == "blocks":
        return {"measures": measures, "inferences": (*of_one, "comparisons by blocks of trials")}
    by_cluster = ("comparisons by clusters", "further tests that exchange or resample clusters")
    if pairing == "clusters":
        return {"measures": measures, "inferences": (*of_one, *by_cluster)}
    return {"measures": measures, "inferences": of_one}


def read_about(name: str, text: str | None) -> About:
    """Read the description of the bundle ``name``; DataError where it is none, or of a later format."""
    try:
        description = json.loads(text or "null")
    except (ValueError, RecursionError):
        description = None
    if not isinstance(description, dict) or (description.get("program"), description.get("kind")) != (
        PROGRAM,
        "counts",
    ):
        raise DataError(f"{name}: is no bundle of counts; layout counts reads what 'reporting counts' wrote")
    written_as = description.get("format")
    if not isinstance(written_as, int) or written_as > FORMAT:
        raise DataError(
            f"{name}: is a bundle of format {written_as!r}, made by a newer version"
            f" ({description.get('version')!r}); this one reads up to {FORMAT}"
        )
    try:
        return _about(description)
    except (AttributeError, TypeError, ValueError) as error:
        raise DataError(f"{name}: the description of the bundle is damaged ({error})") from None


def _about(description: Mapping[str, Any]) -> About:
    """Return a description; ValueError and the like where it breaks a rule."""
    from pydantic import TypeAdapter, ValidationError

    for read in description.get("read", ()):
        for key in BY_CLASS if read.get("n_missing") else ():
            read.setdefault(key, None)
    try:
        about = TypeAdapter(About).validate_json(json.dumps(description), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        fault = "it is missing" if first["type"] == "missing" else f"{first['input']!r:.40}"
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {fault}") from None
    for fault in about.noise.faults if about.noise else ():
        raise ValueError(f"noise: {fault}")
    if not FEWEST_BITS <= about.bits <= MOST_BITS:
        raise ValueError(f"bits: {about.bits}")
    if about.clusters and about.clusters.columns not in (1, 2):
        raise ValueError(f"clusters.columns: {about.clusters.columns}")
    if any(n is not None and n < 0 for read in about.read for n in astuple(read)[4:]):
        raise ValueError("read: a number of rows is negative")
    if not about.scores or sorted(set(about.scores)) != list(about.scores):
        raise ValueError("scores: not sorted, or none")
    return about


PLACE = ("dataset", "split")
SPLITS = ("dev", "test")
NUMBER = "n"
"""The column with the number of trials that a row represents."""


@dataclass(frozen=True, eq=False)
class Bundle:
    """Counts with their description. ``rows`` has the columns of ``schema_of``, sorted, and each key once."""

    about: About
    rows: pl.DataFrame
    names: tuple[str, ...] = ()
    """The files it was summed from."""
    parts: tuple[Bundle, ...] = ()
    """What it was summed from."""

    def summed_by(self, keys: Sequence[str]) -> pl.DataFrame:
        """Return its rows with every one of these keys once, sorted."""
        return self.rows if self.rows.columns == [*keys, NUMBER] else sums(self.rows, keys)


BLOCK = "block"
"""The column of the block of a trial."""


def shared_columns(about: About) -> list[str]:
    """Return the columns that belong to a trial, whatever model scored it: clusters, breakdowns and block."""
    clusters = ["cluster", "cluster_b"][: about.clusters.columns] if about.clusters else []
    return [*clusters, *(BREAKDOWN + name for name in about.breakdowns), *([BLOCK] if about.blocks else [])]


def key_columns(about: About) -> list[str]:
    """Return the columns of scores: one, or of patterns one a model and run."""
    return ["key"] if about.form == "cuts" else [f"key {i + 1}" for i in range(len(about.scores))]


def schema_of(about: About) -> pl.Schema:
    """Return the columns of a bundle and their types."""
    whose = ["model", "run"] if about.form == "cuts" else []
    texts = [*whose, *PLACE, *shared_columns(about)]
    keys = key_columns(about)
    return pl.Schema(
        [
            *((name, pl.UInt16() if name == BLOCK else pl.String()) for name in texts),
            ("label", pl.Boolean()),
            *((name, pl.Float64()) for name in keys),
            (NUMBER, pl.Int64()),
        ]
    )


def uncountable(spec: TrialSpec) -> Iterator[tuple[str, str]]:
    """Yield what a bundle of counts cannot hold, each key of the config with the reason."""
    if spec.coarse is None and spec.layout != "counts":
        yield "trials.coarse", "counts hold no exact scores; set how many bits to keep, such as coarse: 24"
    if spec.weighted:
        yield "trials.weights", "counts of weighted strata are not supported; leave it out"
    if spec.has_strata:
        yield f"trials.columns.{SAMPLED}", "counts keep no strata; leave it out"
    if spec.values.spoof:
        yield "trials.values.spoof", "counts hold two classes; name spoofs among values.nontarget instead"
    if spec.runs == "fold":
        yield (
            "trials.runs",
            "each fold sets thresholds on its own trials, which counts do not separate; make the report from"
            " the trials themselves",
        )
    if spec.thresholds.policy == "split_clients":
        yield (
            "thresholds.policy",
            "'split_clients' halves the trials of each site differently; add a column split",
        )


def summed(about: About, rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with every key once, sorted: the same for the same trials in any order."""
    return sums(rows, [name for name in schema_of(about) if name != NUMBER])


def sums(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return rows with every key once, sorted."""
    texts = [name for name in keys if rows.schema[name] == pl.String]
    # As codes, many rows are sorted several times as fast.
    codes = rows.with_columns(
        pl.col(name).cast(pl.Enum(rows[name].drop_nulls().unique().sort())) for name in texts
    )
    summed = codes.group_by(keys).agg(pl.col(NUMBER).sum()).select(*keys, NUMBER).sort(keys)
    return summed.with_columns(pl.col(texts).cast(pl.String))


def content_of(rows: pl.DataFrame) -> str:
    """Return the SHA-256 of sorted counts, whatever the library that stores them."""
    digest = Digest()
    rows.write_csv(cast("IO[bytes]", digest))
    return digest.of_input("").sha256


def open_bundle(spec: TrialSpec) -> Bundle:
    """Open the bundles of a spec and add them up; DataError where one is broken or they do not fit."""
    faults: list[str] = []
    bundles: list[Bundle] = []
    for source in readable(spec.sources):
        try:
            bundles.append(open_bundle_file(source))
        except DataError as error:
            faults += error.faults
    if faults or (faults := list(_misfits(bundles))):
        raise DataError(*faults)
    if len(bundles) == 1:
        return bundles[0]
    merged = [bundle.about.least for bundle in bundles if bundle.about.least is not None]
    read = _added(bundle.about for bundle in bundles)
    about = replace(bundles[0].about, read=read, least=min(merged, default=None))
    rows = summed(about, pl.concat([bundle.rows for bundle in bundles]))
    return Bundle(about, rows, tuple(name for bundle in bundles for name in bundle.names), tuple(bundles))


def about_of(spec: TrialSpec) -> tuple[About, tuple[str, ...]]:
    """Read what the bundles of a spec say together, and their names; they were held together before."""
    sources = [source for source in readable(spec.sources) if isinstance(source, File)]
    described_as = [described(source.path, source.name) for source in sources]
    return replace(described_as[0], read=_added(described_as)), tuple(source.name for source in sources)


def open_bundle_file(source: Source) -> Bundle:
    """Open one bundle and check all it holds."""
    if not isinstance(source, File):
        raise DataError(f"{source.name}: layout counts reads the files that 'reporting counts' wrote")
    about, path = described(source.path, source.name), source.path
    try:
        rows = pl.read_parquet(path, glob=False)
    except UNREADABLE as error:
        raise DataError(f"{source.name}: cannot be read: {first_line(error)}") from None
    for check in CHECKS:
        refuse([f"{source.name}: {fault}" for fault in check(about, rows)])
    rows = rows.select(schema_of(about).names())
    # To see that counts are as written takes a fraction of the time that summing them again takes.
    if content_of(rows) != about.content and content_of(rows := summed(about, rows)) != about.content:
        raise DataError(f"{source.name}: its counts are not those it was written with")
    return Bundle(about, rows, (source.name,))


def unbundled(spec: TrialSpec) -> list[File]:
    """Return the files of a spec that are no bundles: results of the statements that count, most likely."""
    files = [source for source in spec.sources if isinstance(source, File)]
    return [file for file in files if word_of(file.name) == "csv" or not _has_description(file.path)]


def _has_description(path: Path) -> bool:
    try:
        return METADATA in pl.read_parquet_metadata(path)
    except UNREADABLE:
        return True  # whoever opens it reports what is wrong


def described(path: Path, name: str) -> About:
    """Read the description of a bundle; DataError where the file is none."""
    try:
        metadata = pl.read_parquet_metadata(path)
    except UNREADABLE as error:
        raise DataError(f"{name}: cannot be read as a bundle of counts: {first_line(error)}") from None
    return read_about(name, metadata.get(METADATA))


def _type_faults(about: About, rows: pl.DataFrame) -> Iterator[str]:
    expected = schema_of(about)
    for name, kind in expected.items():
        if name not in rows.schema:
            yield f"column {quoted(name)} is missing (found: {listed(rows.columns)})"
        elif rows.schema[name] != kind:
            yield f"column {quoted(name)} holds {rows.schema[name]}; expected {kind}"
    for name in rows.columns:
        if name not in expected:
            yield f"column {quoted(name)} belongs to no bundle of this form (expected: {listed(expected)})"


def _value_faults(about: About, rows: pl.DataFrame) -> Iterator[str]:
    if rows.is_empty():
        yield "it has no rows"
    for name in schema_of(about):
        lacking = rows[name].null_count()
        if lacking:
            yield f"column {quoted(name)}: {lacking} of {rows.height} rows empty"
    least, what = (1, "less than one trial") if about.noise is None else (0, "a negative number of trials")
    few = rows.filter(pl.col(NUMBER) < least)[NUMBER]
    if len(few):
        yield f"column {NUMBER!r}: {len(few)} of {rows.height} rows hold {what}; first {few[0]}"
    strange = rows.filter(~pl.col("split").is_in(SPLITS))["split"]
    if len(strange):
        yield (
            f"column 'split': {counted(len(strange), 'row is', 'rows are')} neither dev nor test;"
            f" first {quoted(strange[0])}"
        )
    if about.blocks and (beyond := rows.filter(pl.col(BLOCK) >= BLOCKS)[BLOCK]).len():
        yield (
            f"column {BLOCK!r}: {counted(len(beyond), 'row holds', 'rows hold')} no block below"
            f" {BLOCKS}; first {beyond[0]}"
        )
    yield from _key_faults(about, rows)


def _key_faults(about: About, rows: pl.DataFrame) -> Iterator[str]:
    for name in key_columns(about):
        floored = coarse_key(pl.col(name), about.bits)
        odd = rows.filter(pl.col(name).is_nan() | (pl.col(name) != floored))[name]
        if len(odd):
            yield (
                f"column {quoted(name)}: {len(odd)} of {rows.height} keys are no scores floored to"
                f" {about.bits} bits; first {odd[0]!r}"
            )


def _foreign(about: About, rows: pl.DataFrame) -> Iterator[str]:
    places = {(entry.dataset, entry.split) for entry in about.read}
    whose = {(entry.model, entry.run) for entry in about.read}
    if whose != set(about.scores) or not places.issuperset(rows.select(PLACE).unique().iter_rows()):
        yield "its description does not say what was read of all its models, datasets and splits"
    if about.form != "cuts":
        return
    present = set(rows.select("model", "run").unique().iter_rows())
    odd = [
        *(("which its description does not name", entry) for entry in sorted(present - set(about.scores))),
        *(("which has no rows", entry) for entry in sorted(set(about.scores) - present)),
    ]
    for what, (model, run) in odd[:1]:
        yield f"model {quoted(model)}, run {quoted(run)}, {what}"


def _unequal(about: About, rows: pl.DataFrame) -> Iterator[str]:
    """All models and runs have the same trials, so the same numbers of each class in every cell."""
    if about.form != "cuts":
        return
    cell = [*PLACE, *shared_columns(about), "label"]
    totals = rows.group_by("model", "run", *cell).agg(pl.col(NUMBER).sum())
    differ = totals.group_by(cell).agg(
        (pl.len() != len(about.scores)).alias("absent"), (pl.col(NUMBER).n_unique() > 1).alias("unequal")
    )
    n = differ.filter(pl.col("absent") | pl.col("unequal")).height
    if n:
        yield f"models differ in how many trials they have, in {n} of {differ.height} cells"


def bin_keys(noise: Noise, bits: int, *, turned: bool) -> pl.Series:
    """Return the key of every bin, rising; ``turned`` where lower scores favour the target."""
    low, high = (-noise.high, -noise.low) if turned else (noise.low, noise.high)
    edges = pl.Series("key", [low + (high - low) * at / noise.bins for at in range(noise.bins)])
    return edges.to_frame().select(coarse_key(pl.col("key"), bits))["key"]


def _binless(about: About, rows: pl.DataFrame) -> Iterator[str]:
    """Noisy counts have every bin of both classes of every set, so that no row reveals a trial."""
    if about.noise is None:
        return
    grids = [bin_keys(about.noise, about.bits, turned=turned).to_list() for turned in (False, True)]
    is_plain = about.form == "cuts" and not shared_columns(about) and about.least is None
    sets = ["model", "run", *PLACE]
    cells = rows.group_by(*sets, "label").agg(pl.col("key").sort()) if is_plain else rows.clear()
    if len(cells) != 2 * len(about.read) or any(keys not in grids for keys in cells["key"].to_list()):
        yield f"its noisy counts are not those of {about.noise.bins} bins for each class of every set"


CHECKS = _type_faults, _value_faults, _foreign, _unequal, _binless
"""What is reported of a broken bundle: the faults of the first of these that finds any."""


def _misfits(bundles: Sequence[Bundle]) -> Iterator[str]:
    first, *others = bundles
    for other in others:
        for word, value in first.about.shared.items():
            if other.about.shared[word] != value:
                yield (
                    f"{other.names[0]}: cannot be added to {first.names[0]}: {word} differ"
                    f" ({_shown(other.about.shared[word])}, not {_shown(value)})"
                )
    seen: dict[str, str] = {}
    for bundle in bundles:
        if bundle.about.content in seen:
            yield f"{bundle.names[0]}: holds the same counts as {seen[bundle.about.content]}; list it once"
        seen.setdefault(bundle.about.content, bundle.names[0])


def _shown(value: object) -> str:
    if isinstance(value, list):
        return f"[{listed(value)}]"
    return "none" if value is None else str(value)


def _added(abouts: Iterable[About]) -> tuple[Read, ...]:
    total: dict[tuple[str, ...], list[tuple[int | None, ...]]] = {}
    for about in abouts:
        for read in about.read:
            model, run, dataset, split, *counts = astuple(read)
            total.setdefault((model, run, dataset, split), []).append(tuple(counts))
    return tuple(
        Read(*key, *(None if None in column else sum(column) for column in zip(*rows, strict=True)))  # type: ignore[arg-type]
        for key, rows in sorted(total.items())
    )


@dataclass(frozen=True)
class Origin:
    """Where scores that are not exact come from: a table whose scores were floored, or bundles of counts."""

    bits: int
    """How many bits of a score are left."""
    bound: float | None
    """How far any AUC may lie from that of the exact scores; None where none is defined."""
    bundles: tuple[str, ...] = ()
    pairing: Pairing = "trials"
    """How bundles link pairs of models."""
    names: Names | None = None
    """What bundles call clusters; None where they have none."""
    least: int | None = None
    """Neighbouring scores of bundles were merged until no count was smaller; None: they were not merged."""
    noise: Added | None = None
    """The noise on the counts of bundles; None: they are exact."""


@dataclass(frozen=True)
class Added:
    """The noise on counts of bins, and how far it moves numbers: standard deviations."""

    epsilons: tuple[float, ...]
    """Those of the files, each once, rising."""
    bins: int
    of_trials: float
    """Of the number of trials of a class."""
    of_rate: float
    """Of a FAR or FRR on test, at most, over models and thresholds."""
