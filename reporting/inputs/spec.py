"""The description of a trial table in a config: where it is, what its columns and values are called."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from reporting.base.provenance import InputFile
from reporting.base.records import dataclass, field, replace
from reporting.errors import ConfigError, quoted
from reporting.inputs.dates import DateRange
from reporting.inputs.formats.catalogue import Reading

if TYPE_CHECKING:  # a config is read without Polars
    import polars as pl


MOST_MULTIPLIED = 10**6
MOST_SHOWN = 10**12
MOST_WEIGHTED = 3 * 10**9
"""Weighted trials of one model in one split: products of two such numbers still fit 64 bits."""
DECIMAL = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
READ = re.compile(r"([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][-+]?[0-9]{1,2})?")
FAR_APART = (
    "the weights are too far apart or have too many digits: as whole numbers in the same proportions, the"
    f" largest may be at most {MOST_WEIGHTED}"
)


def whole_weights(texts: Mapping[str, str]) -> dict[str, int]:
    """Return whole weights in exactly the proportions of decimal texts; ConfigError where that fails.

    Every number is multiplied by the least common multiple of their denominators, at most 10^6, and
    divided by the greatest common divisor: ``{a: 1, b: 0.5}`` are 2 and 1. Rates do not depend on it.
    """
    weights = {stratum: _exact(stratum, text.strip()) for stratum, text in texts.items()}
    multiplier = math.lcm(*(weight.denominator for weight in weights.values()))
    if multiplier > MOST_MULTIPLIED:
        by = str(multiplier) if multiplier <= MOST_SHOWN else f"more than {MOST_SHOWN}"
        raise ConfigError(
            f"the weights become whole numbers only when multiplied by {by};"
            f" at most {MOST_MULTIPLIED}: round them to {len(str(MOST_MULTIPLIED)) - 1} decimals"
        )
    whole = {stratum: int(weight * multiplier) for stratum, weight in weights.items()}
    divisor = math.gcd(*whole.values())
    if divisor == 0:
        raise ConfigError("no stratum has a positive weight")
    if max(whole.values()) // divisor > MOST_WEIGHTED:
        raise ConfigError(FAR_APART)
    return {stratum: weight // divisor for stratum, weight in whole.items()}


def _exact(stratum: str, text: str) -> Fraction:
    if not DECIMAL.fullmatch(text):
        raise ConfigError(
            f"the weight of {quoted(stratum)} must be a number of at least 0, found {quoted(text)}"
        )
    if not READ.fullmatch(text):
        raise ConfigError(f"{FAR_APART}; the weight of {quoted(stratum)} is {quoted(text)}")
    return Fraction(text)


SAMPLED = "sampling_stratum"
"""The stratum of the sampling design from which a trial, or its cluster, was drawn; only where declared."""
COLUMNS = (
    *("model", "run", "dataset", "split", "trial", "label", "score", "cluster", "cluster_b", "stratum"),
    SAMPLED,
)
REQUIRED = ("model", "split", "label", "score")
DEFAULTS = {"run": "0", "dataset": "all"}
PREDICTED = "predicted"
"""The class that was predicted, where the score is the confidence in it: read only where it is declared."""
CALLED = {PREDICTED: "predicted class", SAMPLED: "sampling stratum"}
"""What messages call one of our columns, where that is not its name."""
BREAKDOWN = "by "
"""What the columns of breakdowns are called next to the roles: no name of a role has a blank in it."""
OWN_KEY = " row"
"""What the trial key is called where rows of layout wide are their own, though a column is called trial."""
FOLD = "fold"
"""What the run of a row is called next to the roles where runs are folds."""
POOLED = "pooled"
"""The run of test rows where runs are folds: their trials are judged together."""

FEWEST_BITS, MOST_BITS = 16, 63
"""Bits of a score that may be kept: from sign, exponent and 4 digits, to all but the last digit."""

TRUE_WORDS = ("true", "True", "TRUE", "1", "1.0", "target")
FALSE_WORDS = ("false", "False", "FALSE", "0", "0.0", "nontarget")

Policy = Literal["dev", "train", "split_clients", "leave_one_client_out", "kfold", "cv_test", "none"]
"""Where thresholds come from. ``train`` is ``dev`` whose trials the models were trained on;
``split_clients`` halves one set into both; ``none`` chooses no threshold; the others choose across
folds of test."""
ACROSS_FOLDS: tuple[Policy, ...] = ("leave_one_client_out", "kfold", "cv_test")
LEAVE_DEV_OUT: tuple[Policy, ...] = ("cv_test", "none")
"""Policies that have no use for ``dev`` rows."""

Runs = Literal["seed", "reader", "fold", "epoch"]
"""What a run is. ``seed`` and ``reader``: a repetition on the same trials. ``fold``: a part of the test
trials, with a dev of its own. ``epoch``: an attempt at an item, of which items may have different numbers."""
Pools = Literal["one", "two"]
"""Whether two cluster columns name members of one population, or of one each."""


OneClass = Literal["target", "nontarget", "spoof"]
"""The class whose trials a column describes, such as the attacks of non-targets; or one of its two kinds."""
ATTEMPT = "attempt"
"""The breakdown of non-targets that the labels make, where they name spoofs: zero-effort or spoof."""
ZERO_EFFORT, SPOOF = "zero-effort", "spoof"


Bound = Literal["above", "at_least", "below", "at_most"]
"""How an observed number makes an event: more than a threshold, at least as much, less, at most as much."""


Paired = bool | Literal["blocks"]
"""How models are paired in counts: jointly, not at all, or by blocks of trials."""


@dataclass(frozen=True)
class Values:
    """What labels and splits are called in the table; ``nontarget`` None: exactly one other value."""

    target: tuple[str, ...] = TRUE_WORDS
    nontarget: tuple[str, ...] | Literal["rest"] | None = FALSE_WORDS
    dev: str = "dev"
    test: str = "test"
    spoof: tuple[str, ...] = ()
    """Non-targets of another kind: attacks, where the others are zero-effort impostors."""
    unused: tuple[str, ...] = ()
    """Splits whose rows are left out."""
    dates: tuple[DateRange | None, DateRange | None] | None = None
    """Which dates in the column of splits are dev, and which test; None: no dev, or test is all others."""
    event: tuple[Bound, float] | None = None
    """Which numbers in the column of labels make a trial a target; None: labels are words."""

    @property
    def dated(self) -> tuple[str, str] | None:
        """Which dates are dev and which test, in words; None where splits have names."""
        if self.dates is None:
            return None
        dev, test = self.dates
        return dev.text if dev else "none", test.text if test else "all others"

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that have a name, which are labels even where they are a word for a missing value."""
        nontarget = self.nontarget if isinstance(self.nontarget, tuple) else ()
        return (*self.target, *nontarget, *self.spoof)


Layout = Literal[
    "long",
    "wide",
    "keyed",
    "classes",
    "histogram",
    "bob",
    "kaldi",
    "nist",
    "voxsrc",
    "asvspoof",
    "lm_eval",
    "inspect",
    "openai_evals",
    "helm",
    "resolved",
    "counts",
]
"""How rows are laid out: see ``LAYOUT_CONTENTS``."""
LAYOUT_CONTENTS: Mapping[Layout, str] = {
    "long": "one row per trial and model",
    "wide": "one row per trial, one column of scores per model",
    "keyed": "key files with the labels, and score files joined on the trial",
    "classes": "a column of scores for each class, which values.target and values.nontarget name",
    "histogram": "one row per score or bin, and such a column for each class with its number of trials",
    "bob": "score files of bob, in four or five columns, or its CSV",
    "kaldi": "trials and scores of Kaldi, WeSpeaker and SpeechBrain; labels in key files or with the scores",
    "nist": "keys and scores of NIST evaluations, in columns with names",
    "voxsrc": "lists of trials of VoxCeleb, and scores",
    "asvspoof": "protocols and scores of ASVspoof 2019, 2021 and 5",
    "lm_eval": "samples of the LM Evaluation Harness",
    "inspect": "logs of Inspect",
    "openai_evals": "logs of OpenAI Evals",
    "helm": "statistics of HELM, an instance each",
    "resolved": "lists of the items that each system resolved, such as SWE-bench",
    "counts": "files written by 'reporting counts', pooled",
}
"""What each layout holds, for readers. The text formats are keyed, but for ``bob``, and see ``LABELLED``."""
TABLES: tuple[Layout, ...] = ("long", "wide", "keyed", "classes", "histogram")
"""The layouts of tables, whose kinds are known by the ends of their names; other files have any names."""
BY_CLASS: tuple[Layout, ...] = ("classes", "histogram")
"""Those of them that have a column for each class, and none of labels."""
EVALS: tuple[Layout, ...] = ("lm_eval", "inspect", "openai_evals", "helm", "resolved")
"""The layouts of evaluation logs of language models, whose every item is a target."""
METRICS: tuple[Layout, ...] = ("lm_eval", "inspect", "openai_evals", "helm")
"""Those of them that hold several metrics."""
TEXTS: tuple[Layout, ...] = tuple(
    word for word in get_args(Layout) if word not in (*TABLES, *EVALS, "counts")
)
"""The layouts that are text formats of the field."""
KEYED: tuple[Layout, ...] = ("keyed", *(word for word in TEXTS if word != "bob"))
"""The layouts that have key files."""
LABELLED: tuple[Layout, ...] = ("kaldi", "asvspoof")
"""Those of them whose score files may hold the labels, and then need no key files."""


Dialect = Literal["duckdb", "postgres", "spark", "bigquery", "snowflake"]
"""The dialects of SQL in which trials can be counted where they are."""


@dataclass(frozen=True)
class File:
    """A file of rows."""

    path: Path
    path_values: tuple[tuple[str, str], ...] = ()
    """What its path gives of all its rows: names of the table's columns, and one text each."""
    origin: InputFile | None = None
    """What it was made from, where it is a copy made for this run; None: it is the input itself."""
    below: str = ""
    """Its path below the folder or pattern that named it, where that is more than its name."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.origin.name if self.origin else self.below or self.path.name


@dataclass(frozen=True)
class Remote:
    """Rows outside the file system, which become files before they are read; see ``trials.fetch``."""

    url: str
    """Without credentials."""
    query: str | None = None
    """What a database is asked; None for objects."""
    options: tuple[tuple[str, str], ...] = ()
    """How to reach it, without credentials."""

    @property
    def scheme(self) -> str:
        """The scheme of the address, such as s3 or postgresql."""
        return self.url.partition(":")[0]

    @property
    def name(self) -> str:
        """What messages and the report call it."""
        return self.url


@dataclass(frozen=True, eq=False)
class InMemory:
    """A table that was handed over as a frame, not as a file; ``name`` is what messages call it."""

    frame: pl.DataFrame
    name: str = "the table in memory"


Source = File | InMemory
"""Where rows are read from."""
AnySource = Path | Source | Remote
"""Where rows are, as a config names it."""


BETWEEN = ": "
"""Between a model and a class, where each class is read as a model of its own."""
OUTSIDE = "outside"
"""The split of rows whose date is of neither set."""


def readable(sources: Iterable[AnySource]) -> list[Source]:
    """Return the sources as read; remote ones must have become files before."""
    read: list[Source] = []
    for source in sources:
        if isinstance(source, Remote):
            raise TypeError(f"{source.name} has not been fetched")
        read.append(File(source) if isinstance(source, Path) else source)
    return read


@dataclass(frozen=True)
class ThresholdPlan:
    """Where thresholds come from: the policy, and for each dataset the one whose dev chooses.

    ``folds`` counts the folds of ``kfold``, unless ``column`` names the table's column of folds. A dataset
    not in ``from_dataset`` takes its own dev, or the only dev there is.
    """

    policy: Policy = "dev"
    from_dataset: Mapping[str, str] = field(default_factory=dict)
    folds: int = 10
    column: str | None = None


UNPACKED_LIMIT = 4096
"""The most megabytes of text that a packed file may hold, unless the config sets more."""


@dataclass(frozen=True)
class TrialSpec:
    """Everything ``read_trials`` needs. ``columns`` maps our names to the table's (only what differs).

    A ``cluster_b`` in it declares pair trials: each has a cluster in two columns.
    """

    sources: tuple[AnySource, ...]
    columns: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    """Our columns that the table does not have, though one may be called so."""
    values: Values = Values()
    missing: Literal["error", "drop", "reject", "shared"] = "error"
    unlabelled: Literal["error", "drop"] = "error"
    negated: frozenset[str] = frozenset()
    """Models whose higher scores favour the non-target; their scores change sign when read."""
    probabilities: frozenset[str] = frozenset()
    """Models whose scores are probabilities of the target."""
    attributes: tuple[str, ...] = ()
    """The table's columns that breakdowns need."""
    one_class: Mapping[str, OneClass] = field(default_factory=dict)
    """Those of them that describe the trials of one class; they may be empty elsewhere."""
    averaged_over: str | None = None
    """The one of them over whose values measures are averaged; also the cluster where none is there."""
    cluster_files: tuple[AnySource, ...] = ()
    """Files that say the cluster of what the cluster columns hold, a line each: see ``trials.clusters``."""
    cluster_pattern: str | None = None
    """A regular expression whose group is the cluster in what the cluster columns hold."""
    weights: Mapping[str, int] = field(default_factory=dict)
    """The weight of every stratum; empty: all trials weigh the same."""
    row_weights: bool = False
    """Whether the column of strata holds a weight for each row; ``weights`` then has its values once read."""
    thresholds: ThresholdPlan = ThresholdPlan()
    seed: int = 1
    """Of the halves and folds that a policy makes."""
    pools: Pools = "one"
    runs: Runs = "seed"
    class_column: str | None = None
    """The table's column of the class that the score of a row is of; rows of the target are the trials."""
    own_class: tuple[str, ...] | None = None
    """Spellings of the label of rows whose class is their trial's; None: labels are classes of trials."""
    of_each_class: bool = False
    """Whether rows of all classes are read, each class as a model of its own: ``model: class``."""
    run_folds: str | None = None
    """The table's column of the fold in which each run tested a trial; runs need not share it."""
    may_lack_split: bool = field(default=False, compare=False)
    """Whether a table without a column of splits means that no thresholds are chosen."""
    needs_dev: bool = True
    """False: a table of test rows alone is read too, and then no data choose its thresholds."""

    layout: Layout = "long"
    keys: tuple[AnySource, ...] = ()
    """The key files of the layout ``keyed``: the trials, their labels and any other columns."""
    of_scores: Mapping[str, str] = field(default_factory=dict)
    """What score files call a column whose name is another column's in the key files, by what it becomes."""
    scores: Mapping[str, str] = field(default_factory=dict)
    """The column of scores of every model, where the layout is ``wide``; empty: every column left over."""
    metric: str | Mapping[str, str] | None = None
    """The metric of an evaluation log that is the score, for all tasks or by task; None: the only one."""
    coarse: int | None = None
    """How many bits of a score are kept; None: all. See ``trials.coarse``."""
    written: Reading = field(default_factory=Reading)
    """How its files are written, where they do not show it."""
    unpacked_limit: int = field(default=UNPACKED_LIMIT, compare=False)
    """The most megabytes of text that a packed file may hold."""
    count_at: Literal["here", "there"] = "here"
    """Whether rows come here to be counted, or are counted where they are; see ``trials.pushdown``."""
    left_out: tuple[str, str] | None = None
    """A column of the table and its value whose rows are left out, such as those of one source."""
    paired: Paired = True
    """Whether rows that are counted there are counted by the scores that all models give a trial, or in
    blocks of trials."""

    @property
    def weighted(self) -> bool:
        """Return whether trials have weights."""
        return self.row_weights or bool(self.weights)

    @property
    def has_labels(self) -> bool:
        """Return whether the table shows which trials are targets; else every trial is one."""
        return "label" not in self.without and self.layout not in EVALS

    @property
    def inputs(self) -> tuple[Source | Remote, ...]:
        """All places that rows come from, keys first, and files of clusters last."""
        places = (*self.keys, *self.sources, *self.cluster_files)
        return tuple(File(source) if isinstance(source, Path) else source for source in places)

    def with_each_source(self, change: Callable[[AnySource], AnySource]) -> TrialSpec:
        """Return the spec with every place changed: sources, keys, files of clusters."""
        sources, keys, clusters = (
            tuple(map(change, places)) for places in (self.sources, self.keys, self.cluster_files)
        )
        return replace(self, sources=sources, keys=keys, cluster_files=clusters)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that are read."""
        return tuple(source.path for source in self.inputs if isinstance(source, File))

    def column(self, name: str) -> str:
        """Return what the table calls our column ``name``."""
        if name.startswith(BREAKDOWN):
            return name.removeprefix(BREAKDOWN)
        ours = "run" if name == FOLD else name
        return self.columns.get(ours, ours)

    def score_column(self, model: str) -> str:
        """Return what the table calls the column with a model's scores."""
        return self.scores.get(model, model) if self.layout == "wide" else self.column("score")

    def has(self, name: str, columns: Collection[str]) -> bool:
        """Return whether one of our columns is among those of a table, which go by its own names."""
        return name not in (*self.without, *self.from_labels) and self.column(name) in columns

    @property
    def reading(self) -> Reading:
        """How its files are read: as they show or the config states, and names as names."""
        return replace(self.written, names=self.names)

    @property
    def names(self) -> frozenset[str]:
        """The table's columns that hold names, such as keys and groups, and so no numbers."""
        ours = (name for name in COLUMNS if name not in ("label", "score") and name not in self.without)
        numbers = {self.column("label"), self.column("score"), *self.scores.values()}
        return frozenset((*map(self.column, ours), *self.further)) - numbers

    @property
    def further(self) -> tuple[str, ...]:
        """The table's columns of breakdowns, of a mean over groups, and of folds."""
        single = (self.averaged_over, self.thresholds.column, self.run_folds)
        return tuple(dict.fromkeys((*self.attributes, *(name for name in single if name is not None))))

    def called(self, name: str) -> str:
        """Name one of our columns in a message: ``column 'speaker' (the cluster)``."""
        if name == "score" and self.layout == "wide":
            return "the columns of scores (those in trials.scores, or else all that have no other use)"
        column = self.column(name)
        shown = f"column {quoted(self.of_scores.get(column, column))}"
        if not name.startswith(BREAKDOWN):
            sides = {"cluster": "first cluster", "cluster_b": "second cluster"} if self.has_pairs else {}
            sides |= {"stratum": "weight"} if self.row_weights else {}
            return f"{shown} (the {sides.get(name, CALLED.get(name, name))})"
        folds = dict.fromkeys((self.thresholds.column, self.run_folds), "the fold")
        uses = folds | {self.averaged_over: "averaged_over"}
        return f"{shown} ({uses.get(self.column(name), 'the breakdown')})"

    def described(self, name: str) -> pl.Expr:
        """Return which rows one of our columns describes: all, or those of the one class that it is of."""
        import polars as pl

        of_class = self.one_class.get(self.column(name)) if name.startswith(BREAKDOWN) else None
        if of_class is None:
            return pl.lit(value=True)
        if of_class == "spoof":
            return pl.col("label").is_in(self.values.spoof).fill_null(value=False)
        return (pl.col("label").is_in(self.values.target) == (of_class == "target")).fill_null(value=False)

    def policies_without_dev(self, columns: Collection[str]) -> list[Policy]:
        """Return the policies that a table of test rows alone can have, by our names of its columns.

        A pair trial has two clusters, which may fall on different sides; methods 7.10.
        """
        if self.has_pairs or not {"trial", "cluster"} & set(columns):
            return ["none"]
        by_cluster: list[Policy] = ["leave_one_client_out"] if "cluster" in columns else []
        return ["split_clients", "kfold", *by_cluster, "none"]

    @property
    def names_clusters(self) -> bool:
        """Return whether the clusters are what a file or a pattern makes of the cluster columns."""
        return bool(self.cluster_files) or self.cluster_pattern is not None

    @property
    def has_pairs(self) -> bool:
        """Return whether two cluster columns are declared."""
        return "cluster_b" in self.columns

    @property
    def has_strata(self) -> bool:
        """Return whether strata of the sampling design are declared."""
        return SAMPLED in self.columns

    @property
    def has_predicted(self) -> bool:
        """Return whether scores are the confidence in the class that was predicted."""
        return PREDICTED in self.columns

    @property
    def breakdowns(self) -> tuple[str, ...]:
        """What the columns of breakdowns are called next to the roles."""
        return (*(BREAKDOWN + name for name in self.attributes), *self.from_labels)

    @property
    def from_labels(self) -> tuple[str, ...]:
        """The breakdowns that are made of labels; no column of the table holds them."""
        return (BREAKDOWN + ATTEMPT,) if self.values.spoof else ()

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are read where the table has them, by our names.

        A stratum is read only for its weight, a second cluster and a sampling stratum only where declared.
        """
        wanted = {"stratum": self.weighted, "cluster_b": self.has_pairs, SAMPLED: self.has_strata}
        ours = (name for name in COLUMNS if wanted.get(name, True) and name not in self.without)
        return (*ours, *[PREDICTED] * self.has_predicted, *self.breakdowns, *self.kept)

    @property
    def kept(self) -> tuple[str, ...]:
        """What columns that runs need not share are called next to the roles."""
        name = BREAKDOWN + (self.run_folds or "")
        return (name,) if self.run_folds is not None and name not in self.breakdowns else ()

    @property
    def required(self) -> tuple[str, ...]:
        """Our columns that the table must have."""
        may_lack_dev = (not self.needs_dev or self.may_lack_split) and self.runs != "fold"
        without_split = (
            may_lack_dev
            or self.thresholds.policy == "split_clients"
            or self.thresholds.policy in (*ACROSS_FOLDS, "none")
        )
        left_out = {*["split"] * without_split, *["label"] * (not self.has_labels)}
        needed = tuple(name for name in REQUIRED if name not in left_out)
        return (*needed, "stratum") if self.weighted else needed
