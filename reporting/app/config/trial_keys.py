"""The keys under ``trials``: where the table is, and what its columns and values are called."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from reporting.app.config.places import FilePaths, Places
from reporting.app.config.sources import DATABASES
from reporting.base.contents import is_plain
from reporting.document.keys import DISTINCT, PLAIN, SCALAR, ConfigSection, Flag, Text, Words, fault
from reporting.errors import ConfigError, listed, quoted
from reporting.inputs import spec
from reporting.inputs.dates import DateRange, date_range, is_range
from reporting.inputs.formats.catalogue import READABLE

LEAST_SHARE = 1e-12


def _one_or_two(value: Any) -> Any:
    if isinstance(value, list) and len(value) != 2:
        raise fault(
            f"expected one column, or a list of two for pair trials, found a list of {len(value) or 'none'}"
        )
    if isinstance(value, dict):
        raise fault("expected one column, or a list of two for pair trials, found a mapping")
    return value


ClusterColumns = Annotated[
    Words,
    DISTINCT,
    BeforeValidator(_one_or_two),
    WithJsonSchema({"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 2, "maxItems": 2}]}),
]


NONE = "none"
"""Means that the table has no such column, though one is called so."""
NEEDED = ("model", "score")
"""Columns that every table has."""


class ColumnsKeys(ConfigSection):
    """Names of columns in the table, where they differ from the defaults; none: there is no such column."""

    model: Text | None = Field(default=None, description="the system under test")
    run: Text | None = Field(
        default=None, description="repetition of one model: seed, reader, fold or epoch (see trials.runs)"
    )
    dataset: Text | None = Field(default=None, description="evaluation set or condition with its own trials")
    split: Text | None = Field(default=None, description="dev or test")
    trial: Text | None = Field(default=None, description="key of the trial, the same in every model")
    label: Text | None = Field(
        default=None,
        description="target or non-target; none: every trial is a target, such as an item of a benchmark, and"
        " recall is the success rate",
    )
    score: Text | None = Field(default=None, description="higher scores favour the target")
    predicted: Text | None = Field(
        default=None,
        description="the class that was predicted, one of two, where the score is the confidence in it, from"
        " 0.5 to 1 (Weka, text classification of Hugging Face): the score of the target is then 1 - score"
        " where the other class was predicted; default: the score is the target's",
    )
    cluster: ClusterColumns | None = Field(
        default=None,
        description="resampling unit, such as subject, client or speaker; two columns for pair trials, such"
        " as [model_speaker, segment_speaker]",
    )
    stratum: Text | None = Field(
        default=None, description="class of rows that share one weight; used with trials.weights"
    )
    sampling_stratum: Text | None = Field(
        default=None,
        description="stratum of the sampling design: a part of the population of which a fixed number of"
        " clusters, or of trials, was drawn; limits are then made within strata",
    )
    count: Text | None = Field(
        default=None, description="number of trials that a row represents, in a table without trial keys"
    )

    def as_said(self) -> Mapping[str, Any]:
        """Return what was given, one cluster column as plain text."""
        given = self.model_dump(exclude_none=True)
        if self.cluster and len(self.cluster) == 1:
            given["cluster"] = self.cluster[0]
        return given

    def by_our_names(self) -> dict[str, str]:
        """Return the table's name of every column; the second cluster is ``cluster_b``."""
        given = self.model_dump(exclude_none=True)
        clusters = given.pop("cluster", [])
        named = given | dict(zip(("cluster", "cluster_b"), clusters, strict=False))
        return {name: column for name, column in named.items() if column != NONE or name in NEEDED}

    def without(self) -> frozenset[str]:
        """Return our names of the columns that the table does not have, though one may be called so."""
        given = self.as_said()
        return frozenset(name for name, column in given.items() if column == NONE and name not in NEEDED)


class EventKeys(ConfigSection):
    """Which observed numbers make a trial a target; exactly one of the bounds."""

    above: float | None = Field(default=None, description="more than this, such as 0 mm of rain")
    at_least: float | None = Field(default=None, description="this or more")
    below: float | None = Field(default=None, description="less than this")
    at_most: float | None = Field(default=None, description="this or less")

    @property
    def bound(self) -> tuple[spec.Bound, float]:
        """Return the bound that is given, and its threshold."""
        given = self.model_dump(exclude_none=True)
        return next((name, given[name]) for name in get_args(spec.Bound) if name in given)

    @model_validator(mode="after")
    def _is_one_bound(self) -> Self:
        given = self.model_dump(exclude_none=True)
        if len(given) != 1 or not math.isfinite(next(iter(given.values()))):
            raise fault(
                f"expected one of {listed(get_args(spec.Bound))} and a finite number, such as above: 0"
            )
        return self


class ValueNames(ConfigSection):
    """What labels and splits are called in the table."""

    target: Words | None = Field(
        default=None,
        description="label of targets; default: true, 1 or target (non-targets: false, 0, nontarget)",
    )
    nontarget: Words | None = Field(
        default=None,
        description="label of non-targets; if only target is given, exactly one other value may occur;"
        " rest: all other values",
    )
    spoof: Words | None = Field(
        default=None,
        description="label of spoofs (attacks), where non-targets are zero-effort impostors: a third kind of"
        " trials, as a-DCF has; spoofs are non-targets too",
    )
    event: EventKeys | None = Field(
        default=None,
        description="instead of target and nontarget, where the column of labels holds what was observed, a"
        " number: which numbers are targets, such as {above: 0} or {at_least: 1.0}",
    )
    dev: Text = Field(
        default="dev",
        description="the split on which thresholds are chosen; where the column of splits holds dates, which"
        " of them: 'until 2026-03' (a day, month or year, inclusive) or 'from 2026-01 until 2026-03'",
    )
    test: Text = Field(
        default="test",
        description="the split on which they are evaluated; where dev is a range of dates, the rest, or a"
        " range such as 'from 2026-04 until 2026-06', and rows of other dates are left out",
    )
    unused: Words | None = Field(
        default=None, description="splits whose rows are left out, such as train; default: none"
    )

    @field_validator("dev", "test", mode="before")
    @classmethod
    def _is_one(cls, given: Any) -> Any:
        if isinstance(given, list):
            raise fault(
                f"expected one split, found a list of {len(given)}; give the rows of both one name in a"
                " column of splits"
            )
        return given

    @field_validator("dev", "test")
    @classmethod
    def _is_range(cls, given: str) -> str:
        if is_range(given):
            try:
                date_range(given)
            except ValueError as error:
                raise fault(str(error)) from None
        return given

    @property
    def dates(self) -> tuple[DateRange | None, DateRange | None] | None:
        """The ranges of dates of both sets; None where splits have names."""
        both = [date_range(text) if is_range(text) else None for text in (self.dev, self.test)]
        return (both[0], both[1]) if any(both) else None

    def _check_dates(self) -> None:
        """Refuse names with ranges of dates, and ranges that share days."""
        if self.dates is None:
            return
        dev, test = self.dates
        if test is None and self.test not in ("test", "rest"):
            raise fault(
                f"dev is a range of dates: expected test to be rest, or another range, found {self.test!r}"
            )
        if dev is None and self.dev != "dev":
            raise fault(f"test is a range of dates: expected dev to be one too, found {self.dev!r}")
        if dev and test and dev.meets(test):
            raise fault(f"dev ({self.dev}) and test ({self.test}) have days in common")
        if self.unused:
            raise fault("'unused' names splits, and these are ranges of dates; other rows are left out")

    @model_validator(mode="after")
    def _can_be_told_apart(self) -> Self:
        if self.event and (self.target or self.nontarget or self.spoof):
            raise fault("'event' makes the labels of numbers; leave target, nontarget and spoof out")
        if self.nontarget and not self.target:
            raise fault("'nontarget' is given without 'target'; give both, or target alone")
        for word in self.target or ():
            if set(spellings([word])) & set(spellings(self.nontarget or [])):
                raise fault(f"{word!r} cannot be both target and nontarget")
        if self.spoof and not self.target:
            raise fault("'spoof' is given without 'target'; give target and nontarget too")
        for word in self.spoof or ():
            for name in ("target", "nontarget"):
                if set(spellings([word])) & set(spellings(getattr(self, name) or [])):
                    raise fault(f"{word!r} cannot be both {name} and spoof")
        self._check_dates()
        if self.dev == self.test:
            raise fault(f"{self.dev!r} cannot name both splits")
        for split in self.unused or ():
            if split in (self.dev, self.test):
                raise fault(f"{split!r} is {'dev' if split == self.dev else 'test'} and cannot be unused too")
        return self


def spellings(words: list[str]) -> tuple[str, ...]:
    """Add the texts under which a table may hold the same label: booleans and whole floats."""
    spelt: list[str] = []
    for word in words:
        same = [w for w in (*spec.TRUE_WORDS[:3], *spec.FALSE_WORDS[:3]) if w.lower() == word.lower()]
        if word not in same:
            same = [word, f"{word}.0"] if re.fullmatch(r"0|-?[1-9][0-9]*", word) else [word]
        spelt += [text for text in same if text not in spelt]
    return tuple(spelt)


def _one_group(pattern: str) -> str:
    from reporting.inputs.clusters import pattern_fault

    wrong = pattern_fault(pattern)
    if wrong:
        raise fault(wrong)
    return pattern


BOTH = ("cluster", "cluster_b")
"""Our columns of pair trials."""


class ReadingKeys(ConfigSection):
    """How files are written, where they do not show it themselves."""

    decimal: Literal[".", ","] | None = Field(
        default=None,
        description="decimal sign of all numbers in text; the other one separates thousands; default: what"
        " each column shows, and 1,234 shows neither",
    )
    header: Flag | None = Field(
        default=None,
        description="whether the first line of a text names the columns; default: what its lines show."
        " Without a header, columns are called 'column 1', 'column 2', ..., or score where there is one",
    )
    sheet: Text | None = Field(
        default=None,
        description="the sheet of a workbook, or the table of a file that holds several (a.csv of a .zip)",
    )


class ClustersKeys(ConfigSection):
    """What clusters of trials are, and how they are resampled."""

    name: Annotated[Words, DISTINCT, Field(max_length=2)] | None = Field(
        default=None,
        description="what a cluster is called in the report, such as speaker (printed as speakers); for"
        " pools: two, a list of two; default: the names of the columns",
    )
    file: FilePaths | None = Field(
        default=None,
        description="where the clusters of utterances are, relative to this file: one file or a list, with"
        " lines 'utterance speaker' as in Kaldi's utt2spk. Looked up is what trials.columns.cluster holds;"
        " without it the trial key, or enroll and test of the layouts kaldi and voxsrc. A speaker who is"
        " enrolled by name needs no line",
    )
    pattern: Annotated[Text, AfterValidator(_one_group)] | None = Field(
        default=None,
        description="instead of a file: a regular expression with one group, the cluster, searched in the"
        " same names, such as '^([^-]+)-'",
    )
    pools: spec.Pools = Field(
        default="one",
        description="for two cluster columns. one: both columns name members of one population, such as"
        " speakers; two: each column has its own population, such as persons and sensors, and equal names"
        " are unrelated",
    )


def _share_of_targets(value: Any) -> Any:
    if isinstance(value, dict):
        raise fault("a prevalence per dataset is not built yet (built: sample, or one number)")
    if value == "sample":
        return value
    try:
        share = float(value) if is_plain(str(value)) else math.nan
    except (TypeError, ValueError):
        share = math.nan
    if not LEAST_SHARE <= share <= 1 - LEAST_SHARE:
        shown = "a list" if isinstance(value, list) else quoted(str(value))
        raise fault(f"expected sample, or a number from 1e-12 to 1 - 1e-12, found {shown}")
    return share


Prevalence = Annotated[
    float | Literal["sample"],
    PlainValidator(_share_of_targets),
    WithJsonSchema({"anyOf": [{"const": "sample"}, {"type": "number", "minimum": 0, "maximum": 1}]}),
]


def _can_be_whole(texts: dict[str, str]) -> dict[str, str]:
    try:
        spec.whole_weights(texts)
    except ConfigError as error:
        raise fault(str(error)) from None
    return texts


class WeightsKeys(ConfigSection):
    """What rows weigh in rates: those of a stratum alike, or each its own weight."""

    stratum: Annotated[dict[str, Text], Field(min_length=1), AfterValidator(_can_be_whole)] | None = Field(
        default=None,
        description="the weight of every stratum: a number of at least 0; 0 leaves the stratum out",
    )
    column: Text | None = Field(
        default=None,
        description="the column with a weight of at least 0 for each row, such as that of a survey",
    )

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if (self.stratum is None) == (self.column is None):
            raise fault(
                "expected the weight of each stratum, such as {stratum: {north: 2, south: 1}}, or a column"
                " with a weight for each row, such as {column: weight}"
            )
        return self


def _by_model(value: Any) -> Any:
    """A column alone, or a list of columns, names the models too."""
    columns = [value] if isinstance(value, str) else value
    if isinstance(columns, list) and all(isinstance(column, str) for column in columns):
        return {column: column for column in columns}
    return value


ScoreColumns = Annotated[
    dict[str, Text],
    Field(min_length=1),
    BeforeValidator(_by_model),
    WithJsonSchema(
        {
            "anyOf": [
                SCALAR,
                {"type": "array", "items": SCALAR},
                {"type": "object", "additionalProperties": SCALAR},
            ]
        }
    ),
]


class TrialsKeys(ConfigSection):
    """The trial table."""

    # These come first: they decide how the paths of the others are read.
    layout: spec.Layout = Field(
        default="long",
        description="; ".join(f"{word}: {holds}" for word, holds in spec.LAYOUT_CONTENTS.items()),
    )
    columns: ColumnsKeys = Field(
        default_factory=ColumnsKeys, description="names of columns, where they differ"
    )
    values: ValueNames = Field(default_factory=ValueNames, description="names of labels and splits")
    source: Places = Field(
        description="where the scores are, relative to this file: a file, a folder of them, a pattern such as"
        " lake/**/*.parquet or scores/{model}-{split}.csv, or a list of these; or s3://bucket/key,"
        " postgresql://host/database, sqlite:///file, duckdb:///file, spark:///. Names of files end in"
        f" {READABLE}."
        " A placeholder {column} gives the value of a column for all rows of the"
        " file (a column name of the table, or a default one); a folder named column=value does the same."
        " Double a literal brace."
    )
    keys: Places | None = Field(
        default=None,
        description="where the labels are, written as source is; for layouts with key files. For resolved:"
        " where all items are listed, as lines, a JSON list or a table, if the files do not name them",
    )
    metric: str | dict[str, Text] | None = Field(
        default=None,
        min_length=1,
        description=f"for {', '.join(spec.METRICS)}: the metric that is the score, such as acc,"
        " 'exact_match,strict-match' or the name of a scorer; or a mapping from task to metric; default:"
        " the only one",
    )
    scores: ScoreColumns | None = Field(
        default=None,
        description="for wide: the columns of scores, or a mapping from model to column; default: all"
        " columns without another use",
    )
    table: Text | None = Field(default=None, description="for databases: the table or view to read")
    query: Text | None = Field(default=None, description="for databases: a query instead of a table")
    storage: dict[str, Text] = Field(
        default={},
        description="for s3://: how to reach it, such as endpoint_url and region; credentials belong in the"
        " environment",
    )
    reading: ReadingKeys = Field(default_factory=ReadingKeys)
    unpacked_limit: Annotated[int, Field(ge=1), PLAIN] = Field(
        default=spec.UNPACKED_LIMIT,
        description="megabytes that a packed file may hold once it is unpacked, of each file",
    )
    missing: Literal["error", "drop", "reject", "shared"] = Field(
        default="error",
        description="a score that is missing: an error; drop the trial over all models; reject it"
        " (failure to acquire: score -inf); or shared, which also drops trials that some model has no row of",
    )
    coarse: Annotated[int, Field(ge=spec.FEWEST_BITS, le=spec.MOST_BITS), PLAIN] | None = Field(
        default=None,
        description="keep only this many of the 64 bits of a score, rounding down: tables of counts then stay"
        " small; default: exact scores",
    )
    count: Literal["here", "there"] = Field(
        default="here",
        description="where trials are counted. here: their rows come to this machine; there: the engine at"
        " source checks and counts them, and counts alone come (duckdb://, postgresql://, spark://; needs"
        " coarse)",
    )
    paired: Flag | Literal["blocks"] = Field(
        default=True,
        description="for count: there: trials are counted by the scores that all models give them together,"
        " which comparisons by trials need; blocks counts each model alone, in 2,048 blocks of trials, which"
        " comparisons of independent trials need; false counts each model alone",
    )
    unlabelled: Literal["error", "drop"] = Field(default="error", description="a trial without a label")
    prevalence: Prevalence = Field(
        default="sample",
        description="share of targets for measures that depend on it: that of the sample, or a number."
        " Not built yet: a number per dataset.",
    )
    weights: WeightsKeys | None = Field(
        default=None, description="weights of strata, or of rows; default: every trial weighs 1"
    )
    clusters: ClustersKeys = Field(default_factory=ClustersKeys)
    runs: spec.Runs = Field(
        default="seed",
        description="what the runs of a model are. seed: repetitions of a model, such as trainings from"
        " other random seeds, all scoring the same trials; reader: those who scored the same trials with the"
        " model, such as the readers of a study; fold: folds of a cross-validation, each with test trials no"
        " other fold has, and dev rows of its own on which its thresholds are chosen; epoch: attempts at an"
        " item, whose scores are averaged first, however many an item has (mean_score and mean_cost)",
    )

    @model_validator(mode="after")
    def _shares_trials(self) -> Self:
        if self.missing == "shared" and (
            self.layout == "counts" or self.count == "there" or self.runs == "fold"
        ):
            raise fault(
                "missing: shared compares rows of models by their trials, which counts and folds do not keep;"
                " use drop, or a table of rows without runs: fold"
            )
        return self

    @model_validator(mode="after")
    def _averages_rows(self) -> Self:
        if self.runs == "epoch" and (self.layout == "counts" or self.count == "there" or self.weights):
            raise fault("runs: epoch averages the rows of each item, which counts and weights do not keep")
        return self

    @model_validator(mode="after")
    def _weighs_in_one_way(self) -> Self:
        if self.weights and self.weights.column and self.columns.stratum:
            raise fault(
                "weights.column weighs each row, so columns.stratum has no use; leave one of them out"
                " (strata of a sampling design are columns.sampling_stratum)"
            )
        return self

    @model_validator(mode="after")
    def _suits_its_layout(self) -> Self:
        if self.values.spoof and self.layout == "counts":
            raise fault("layout counts holds two classes; labels make spoofs, so leave values.spoof out")
        if self.values.spoof and not self.has_labels:
            raise fault("labels make spoofs, so 'columns.label' cannot be none where values.spoof names them")
        if self.values.spoof and self.weights:
            raise fault(
                "strata cannot have weights where values.spoof names a third kind of trials; leave one out"
            )
        if self.keys and self.layout in spec.KEYED and self.columns.trial == NONE:
            raise fault(f"layout {self.layout} joins on the trial, so 'columns.trial' cannot be none")
        if self.layout in spec.KEYED and self.layout not in spec.LABELLED and not self.keys:
            raise fault(f"layout {self.layout} needs 'keys': where the labels of its trials are")
        if self.layout not in (*spec.KEYED, "resolved") and self.keys:
            raise fault(
                f"'keys' belongs to the layouts {listed((*spec.KEYED, 'resolved'))};"
                f" this one is {self.layout}"
            )
        if self.layout not in spec.METRICS and self.metric:
            raise fault(f"'metric' belongs to the layouts {listed(spec.METRICS)}; this one is {self.layout}")
        if self.layout in spec.EVALS:
            self._refuse_labels()
        if self.values.event:
            self._check_event()
        if self.layout in spec.BY_CLASS:
            self._refuse_keys_of_trials()
        if self.layout != "keyed" and self.columns.score and self.columns.label == self.columns.score:
            raise fault(
                f"'columns.label' and 'columns.score' are both {quoted(self.columns.score)}: a column cannot"
                " be both, unless key files hold one and score files the other (layout keyed)"
            )
        if self.columns.predicted not in (None, NONE):
            self._check_predicted()
        if self.scores and self.layout != "wide":
            raise fault(f"'scores' belongs to the layout wide; this one is {self.layout}")
        places = [*self.source, *(self.keys or [])]
        if any(place.startswith(DATABASES) for place in places):
            if (self.table is None) == (self.query is None):
                raise fault("a database needs 'table' or 'query', one of them")
        elif self.table or self.query:
            raise fault("'table' and 'query' need a database as source")
        if self.storage and not any(place.startswith("s3://") for place in places):
            raise fault("'storage' needs a source s3://")
        return self

    @property
    def has_labels(self) -> bool:
        """Whether the table shows which trials are targets."""
        return self.layout not in spec.EVALS and self.columns.label != NONE

    def _refuse_labels(self) -> None:
        """Refuse columns that evaluation logs do not have, or that ``metric`` chooses."""
        if self.columns.label not in (None, NONE):
            raise fault(
                f"layout {self.layout} has no labels: every item is one to be solved; leave 'columns.label'"
                " out. A judge whose answers have a gold label is a classifier: use layout long for its table"
            )
        if self.columns.score is not None:
            metric = "; name the metric in 'metric'" if self.layout in spec.METRICS else ""
            raise fault(f"layout {self.layout} makes the score itself; leave 'columns.score' out{metric}")

    def _check_event(self) -> None:
        """Refuse an event where no column holds what was observed, or where it also holds classes."""
        if self.layout not in ("long", "wide", "keyed") or not self.has_labels:
            raise fault("'values.event' needs a table with a column of what was observed, as columns.label")
        if self.columns.predicted not in (None, NONE):
            raise fault(
                "'columns.predicted' names classes, and 'values.event' makes them of numbers; leave one out"
            )

    def _refuse_keys_of_trials(self) -> None:
        """Refuse columns that a table has not whose rows hold trials of both classes."""
        if self.values.spoof:
            raise fault(f"layout {self.layout} holds two classes; name spoofs among values.nontarget")
        without = ("label", "trial", "count", *["score"] * (self.layout == "classes"))
        for name in without:
            if getattr(self.columns, name) not in (None, NONE):
                what = "values.target and values.nontarget name the columns of its classes"
                raise fault(f"layout {self.layout} has no 'columns.{name}': {what}")

    def _check_predicted(self) -> None:
        """Refuse a predicted class where 1 - score is not the score of the other class."""
        key = "'columns.predicted'"
        if self.layout not in spec.TABLES or self.layout in spec.BY_CLASS:
            tables = listed(layout for layout in spec.TABLES if layout not in spec.BY_CLASS)
            raise fault(f"{key} belongs to the layouts {tables}; this one is {self.layout}")
        if not self.has_labels:
            raise fault(f"{key} needs labels, so 'columns.label' cannot be none")
        if self.layout == "wide" and len(self.scores or ()) != 1:
            raise fault(
                f"{key} names the class of one column of scores; name that column in 'scores',"
                " or write a row per trial and model (layout long)"
            )
        target, nontarget = len(self.values.target or ()), len(self.values.nontarget or ())
        in_two_columns = len(("truth", "predicted"))  # each may have words of its own
        if (
            self.values.spoof
            or self.values.nontarget == ["rest"]
            or max(target, nontarget) > in_two_columns
            or (nontarget and target != nontarget)
        ):
            raise fault(
                f"{key} needs two classes: of three or more, 1 - score is not the score of another one; show"
                " the probability of the target"
            )

    @field_validator("weights", mode="before")
    @classmethod
    def _by_stratum(cls, given: Any) -> Any:
        return {"column": given} if isinstance(given, str) else given

    @field_validator("clusters")
    @classmethod
    def _has_two_columns(cls, clusters: ClustersKeys, info: ValidationInfo) -> ClustersKeys:
        columns = info.data.get("columns")
        if clusters.file and clusters.pattern:
            raise fault("'file' and 'pattern' both say the clusters; give one of them")
        if info.data.get("layout") == "counts" and (clusters.file or clusters.pattern):
            raise fault("layout counts holds clusters already; leave 'file' and 'pattern' out")
        if len(clusters.name or ()) == len(BOTH) and clusters.pools == "one":
            raise fault("two names need pools: two; in one population both columns name the same thing")
        if clusters.pools == "two" and len(clusters.name or BOTH) != len(BOTH):
            raise fault("pools: two needs two names, one for each column, such as [person, sensor]")
        if clusters.pools == "two" and columns is not None and len(columns.cluster or []) != 2:
            raise fault(
                "pools: two needs two cluster columns, each with its own population; name both in"
                " trials.columns, such as cluster: [person, sensor], or leave it out"
            )
        return clusters
