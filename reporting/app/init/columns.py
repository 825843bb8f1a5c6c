"""Which column of a sample has which role: by what people call it, checked against what it holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

import polars as pl

from reporting.base.legible import counted
from reporting.base.records import dataclass
from reporting.errors import listed, quoted
from reporting.inputs.layouts.raw import is_plain
from reporting.inputs.values import are_numbers, number, stated

COLUMN_WORDS: Mapping[str, tuple[str, ...]] = {
    "split": ("split", "set", "partition", "subset", "fold", "part", "phase"),
    "label": (
        "gold", "goldlabel", "goldstandard", "truth", "groundtruth", "gt", "true", "truelabel", "trueclass",
        "actual", "observed", "obs", "ytrue", "ytest", "label", "labels", "target", "y", "class", "genuine",
        "key", "istarget", "targettype", "outcome", "diagnosis", "disease", "same", "match", "bonafide",
    ),
    "model": (
        "model", "system", "algorithm", "classifier", "method", "detector", "matcher", "modelname", "engine",
        "approach", "forecaster",
    ),
    "score": (
        "score", "scores", "llr", "loglr", "log10lr", "log10llr", "llr10",
        "yscore", "yprob", "yproba", "prob", "proba", "probability", "probabilities", "logit",
        "prediction", "predictions", "pred", "ypred", "similarity", "distance", "confidence", "decision",
        "rating",
    ),
    "run": ("run", "seed", "repetition", "repeat", "replicate", "reader", "rater", "observer", "fold"),
    "dataset": ("dataset", "corpus", "database", "testset", "evalset", "evaluationset", "benchmark"),
    "cluster": (
        "cluster", "speaker", "spk", "subject", "client", "patient", "person", "user", "individual",
        "identity", "participant", "writer", "donor",
    ),
    "trial": (
        "trial", "utt", "utterance", "id", "pair", "image", "segment", "file", "filename", "path", "sample",
        "case", "item", "index", "row", "rownumber", "rowindex", "key", "uuid", "recording", "respondent",
        "document", "question", "task", "problem", "instance", "prompt",
    ),
    "stratum": ("stratum", "strata"),
    "count": ("count", "n", "freq", "frequency"),
}  # fmt: skip
"""By our name of the column, the words for it, the likeliest first."""

DECISION_WORDS = (
    "prediction", "predictions", "predicted", "predict", "pred", "preds", "ypred", "hat", "yhat", "decision",
    "decisions", "decided", "scored", "output", "outputs", "into", "guess", "guessed", "classified",
    "assigned",
)  # fmt: skip
"""Words in the name of a column that a system wrote: it is never the label."""
OF_TRUTH_AND_SCORE = "predictionmargin"
"""What Weka saves with a prediction: the lead of the true class, which is unknown beforehand."""
SAVED_BY_SPSS = re.compile(r"(pre|pgr)_\d+", re.IGNORECASE)

DEV = ("dev", "development", "devel", "val", "valid", "validation", "tune", "tuning", "calibration")
TEST = ("test", "eval", "evaluation", "tst", "testing", "heldout")
TRAIN = ("train", "training", "trn")
SPLITS = (*DEV, *TEST, *TRAIN)

PAIRS = (
    ("target", "nontarget"), ("tgt", "non"), ("target", "impostor"), ("genuine", "impostor"),
    ("genuine", "imposter"), ("genuine", "fake"), ("genuine", "forgery"), ("client", "impostor"),
    ("bonafide", "spoof"), ("bonafide", "attack"), ("real", "attack"), ("mated", "nonmated"),
    ("match", "nonmatch"), ("match", "mismatch"), ("same", "different"), ("positive", "negative"),
    ("pos", "neg"), ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("1", "0"), ("1", "-1"),
    ("10", "-10"), ("malignant", "benign"), ("diseased", "healthy"), ("disease", "healthy"),
    ("sick", "healthy"), ("abnormal", "normal"), ("case", "control"), ("spam", "ham"),
    ("relevant", "irrelevant"),
)  # fmt: skip
"""Labels of targets and of non-targets that go together."""
CLASSES = frozenset(word for pair in PAIRS for word in pair if len(word) > 2) | frozenset(
    f"{word}s" for pair in PAIRS for word in pair if word.isalpha() and len(word) > 3
)
"""Words of the names of files that hold the trials of one class, in the plural too."""
BARE_PAIRS = (
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("t", "f"),
    ("1", "0"),
    ("1", "-1"),
    ("10", "-10"),
)
"""Those of them that any column of two values may hold."""


FILLERS = ("id", "ids", "idx", "no", "nr", "number", "name", "code")
"""Words of a column's name that say nothing of what it names."""


def plain(text: str) -> str:
    """Return the letters and digits of a name, in small letters; a sign before a digit stays.

    The number that Weka writes before a class, as in ``2:yes``, is left out.
    """
    return re.sub(r"(?!-\d)[\W_]+", "", re.sub(r"^\d+:(?=[^\W\d])", "", text.strip())).lower()


def class_word(text: str) -> str:
    """Return a label plainly, one in the plural as its singular: ``Impostors`` is impostor."""
    word = plain(text)
    return word[:-1] if word in CLASSES and word[:-1] in CLASSES else word


def class_pair(labels: Sequence[str]) -> tuple[str, str] | None:
    """Return the labels of targets and of non-targets where two words go together; else None."""
    by_word = {class_word(text): text for text in labels}
    pair = next((pair for pair in PAIRS if by_word.keys() == set(pair)), None)
    return (by_word[pair[0]], by_word[pair[1]]) if pair and len(labels) == 2 else None


def words(name: str) -> tuple[str, ...]:
    """Split a name into its words: ``testSpeaker_id`` is test, speaker, id."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(word.lower() for word in re.findall(r"[A-Za-z]+|\d+", parted))


def has_word(name: str, known: Collection[str]) -> bool:
    """Return whether one of the words of a name is among known ones."""
    return not set(words(name)).isdisjoint(known)


def is_decision(name: str) -> bool:
    """Return whether a column is the work of a system by its name: a prediction, a decision, an output."""
    return has_word(name, DECISION_WORDS) or bool(SAVED_BY_SPSS.fullmatch(name.strip()))


def rank(name: str, role: str) -> int | None:
    """Return how well a name suits a role, 0 best; None where it does not.

    The name itself comes before one that holds the word among others.
    """
    known = COLUMN_WORDS[role]
    if role == "label" and is_decision(name):
        return None
    if role == "score" and plain(name) == OF_TRUTH_AND_SCORE:
        return None
    if name == role and role != "label":
        return 0
    if plain(name) in known:
        return 1 + known.index(plain(name))
    bare = "".join(word for word in words(name) if word not in FILLERS)
    if bare in known:
        return 50 + known.index(bare)
    # "n", "y", "id" and the like among other words say too little.
    places = [known.index(word) for word in words(name) if word in known and (len(word) > 2 or word == "id")]
    return AMONG_OTHERS + min(places) if places else None


AMONG_OTHERS = 100
"""From here on a name only holds a word of the role among others."""
FEW = 20
"""Values beyond which a column does not distinguish labels or splits."""
MANY_MODELS = 200
OPTIONAL = ("dataset", "run", "cluster", "stratum")
"""Our columns that a table need not have; where one is left empty here and there, it is something else."""


NESTED = "lists or objects"
"""The kind of a column of JSON values."""


@dataclass(frozen=True, eq=False)
class SampleColumn:
    """A column of the sample, as text and as numbers."""

    name: str
    text: pl.Series
    target: str | None = None
    """Which of its values is that of targets, where the user names one."""

    @cached_property
    def numbers(self) -> pl.Series:
        """Its values as numbers; null where there is none."""
        return self.text.to_frame("it").select(number(pl.col("it")).fill_nan(None)).to_series()

    @cached_property
    def values(self) -> list[str]:
        """What occurs in it, sorted, nothing left out but what is empty, or means that there is no value."""
        return self.stated.unique().drop_nulls().sort().to_list()

    @cached_property
    def stated(self) -> pl.Series:
        """What it holds, null where a text means that there is no value."""
        return self.text.to_frame("it").select(stated(pl.col("it"))).to_series()

    @cached_property
    def is_numeric(self) -> bool:
        """Return whether all it holds are numbers."""
        return are_numbers(self.text) and self.numbers.count() > 0

    @cached_property
    def is_fractional(self) -> bool:
        """Return whether some of its numbers are no whole ones."""
        return self.is_numeric and bool((self.numbers.is_finite() & (self.numbers % 1 != 0)).any())

    @cached_property
    def is_decided(self) -> bool:
        """Return whether all it holds is 0 and 1, as decisions are."""
        return self.is_numeric and set(self.numbers.drop_nulls().unique()) == {0, 1}

    @property
    def n_missing(self) -> int:
        """How many rows have nothing in it; NaN and its like are nothing where it is numeric."""
        return (self.numbers if self.is_numeric else self.stated).null_count()

    @property
    def summary(self) -> str:
        """Its values in a comment."""
        if len(self.values) > FEW:
            return counted(len(self.values), "value")
        return f"{counted(len(self.values), 'value')}: {listed(map(quoted, self.values), 5)}"

    @property
    def kind(self) -> str:
        """Its kind in a message."""
        if len(self.values) == 2:
            return f"two values, {listed(map(quoted, self.values))}"
        if self.is_fractional:
            return "fractions"
        if self.text.str.contains(r"^\s*[\[{]").all():
            return NESTED
        return "whole numbers" if self.is_numeric else "text"


def columns_of(sample: pl.DataFrame) -> list[SampleColumn]:
    """Return the columns that have a name and hold plain values."""
    plain = [name for name, kind in sample.schema.items() if name and is_plain(kind)]
    # Polars takes the name ^a$ of a series for a pattern.
    return [SampleColumn(name, sample[name].alias("it").cast(pl.String)) for name in plain]


def rows_of(columns: Collection[SampleColumn]) -> pl.DataFrame:
    """Return the rows of columns as texts, under their names."""
    return pl.DataFrame({column.name: column.text for column in columns})


def suits(column: SampleColumn, role: str) -> bool:
    """Return whether what a column holds can be what its name suggests."""
    n = len(column.values)
    if role in OPTIONAL and column.name != role and column.n_missing:
        return False
    if role == "split":
        return n <= FEW and (
            column.name == "split" or any(value.lower() in SPLITS for value in column.values)
        )
    if role == "label":
        return 1 <= n <= FEW and not column.is_fractional
    if role == "score":
        return column.is_numeric and (n > 2 or column.is_fractional or column.name == "score")
    if role == "model" and {value.lower() for value in column.values} in ({"true", "false"}, {"0", "1"}):
        return False
    if role in ("model", "dataset", "run", "stratum"):
        return 1 <= n <= MANY_MODELS and not column.is_fractional
    if role == "count":
        return column.is_numeric and not column.is_fractional and bool((column.numbers >= 0).all())
    return n > 1 and not column.is_fractional


def named(columns: Collection[SampleColumn], role: str) -> list[SampleColumn]:
    """Return the columns whose name and values suit a role, the likeliest first."""
    ranked = [(at, column) for column in columns if (at := rank(column.name, role)) is not None]
    return [column for _, column in sorted(ranked, key=lambda each: each[0]) if suits(column, role)]


Roles = Mapping[str, SampleColumn]
"""By our name of a column."""
Given = Mapping[str, Sequence[str]]
"""By our name, the columns that the user names: two clusters of pairs, several scores, else one."""
MOST_TRIED = 8
"""Columns that are tried as part of a key."""
OF_STRATA = re.compile("strat|sdmvstra|ststr|^v02[23]$", re.IGNORECASE)
"""In names of the strata that survey files hold (NHANES, GSS, BRFSS, DHS)."""
REGIONS = ("region", "province", "state", "district", "county", "canton")
WITHIN = ("model", "run", "dataset", "split")
"""What distinguishes rows of one trial."""


def roles_of(columns: Sequence[SampleColumn], given: Given = MappingProxyType({})) -> dict[str, SampleColumn]:
    """Find the columns of a long, wide, key or score table, other than those given; a column serves once."""
    by_name = {column.name: column for column in columns}
    roles = {role: by_name[names[0]] for role, names in given.items()}
    scores = given.get("score", ())
    columns = [column for column in columns if column.name not in scores or column is roles["score"]]
    for role in ("split", "label", "model", "score", "dataset", "cluster"):
        likely = named(unclaimed(columns, roles), role)
        if likely and role not in roles:
            roles[role] = likely[0]
    if "split" not in roles:
        several = [column for column in unclaimed(columns, roles) if len(column.values) > 1]
        likely = [each for each in several if all(value.lower() in SPLITS for value in each.values)]
        roles |= {"split": likely[0]} if likely else {}
    if "label" not in given and (
        "label" not in roles or (rank(roles["label"].name, "label") or 0) >= AMONG_OTHERS
    ):
        roles |= _label_by_contents(columns, roles)
    trial = _trial(columns, roles).get("trial") if "model" in roles else None
    if trial is not None and "model" not in given and labels_differ(roles, trial):
        del roles["model"]  # one side of pair trials: an enrolled speaker's model
    if "score" not in roles and "model" in roles:
        roles |= score_by_contents(columns, roles)
    roles |= _run(columns, roles)
    roles |= _trial(columns, roles)
    cluster = roles.get("cluster")
    if (
        cluster
        and "cluster" not in given
        and "trial" not in roles
        and is_key([*_key_columns(roles), cluster])
    ):
        roles["trial"] = roles.pop("cluster")  # one trial a person
    # Strata, and in a table without trial keys the numbers of trials.
    optional = {"stratum"} if "trial" in roles else {"stratum", "count"}
    further = {role: named(unclaimed(columns, roles), role) for role in optional - given.keys()}
    return roles | {role: some[0] for role, some in further.items() if some}


def _label_by_contents(columns: Sequence[SampleColumn], roles: Roles) -> dict[str, SampleColumn]:
    """The column of two values that has no other use; of several the one that scores separate best."""
    two = label_candidates(columns, roles)
    scores = _numbers(columns, {**roles, **{str(at): column for at, column in enumerate(two)}})
    # Words for targets and non-targets, and for little else, come first; what scores separate without an
    # error may be a decision at a threshold.
    separation = {column.name: _separation(column, scores) for column in two}
    best = max(
        two,
        key=lambda column: (
            says_classes(column),
            rank(column.name, "label") is not None,
            separation[column.name] < 0.5,
            separation[column.name],
        ),
        default=None,
    )
    # Texts, three or more, in each of which the names of several columns of numbers end.
    names = [column.name for column in columns if column.is_numeric]
    for column in columns:
        is_text = 2 < len(column.values) <= FEW and not column.is_numeric and not is_decision(column.name)
        if is_text and min(sum(name.endswith(value) for name in names) for value in column.values) > 1:
            return {"label": column}
    return {"label": best} if best is not None else {}


def says_classes(column: SampleColumn) -> bool:
    """Return whether its two values are words for targets and non-targets, and for little else."""
    return {*map(plain, column.values)} in [set(pair) for pair in PAIRS if pair not in BARE_PAIRS]


def label_candidates(columns: Sequence[SampleColumn], roles: Roles) -> list[SampleColumn]:
    """Return the columns of two values that could be the label: it, and those without a role.

    What a system wrote, and weights of rows, are none of them by their names.
    """
    label = roles.get("label")
    free = [column for column in columns if column not in roles.values() and not is_weight(column)]
    return [
        column
        for column in columns
        if (column in free or column is label)
        and len(column.values) == 2
        and not column.is_fractional
        and not is_decision(column.name)
    ]


def _separation(label: SampleColumn, scores: Sequence[SampleColumn]) -> float:
    """Return how far from 1/2 the area under the ROC is, for the best column of scores."""
    of_each = []
    for column in scores:
        rows = pl.DataFrame({"score": column.numbers, "first": label.stated == label.values[0]})
        rows = rows.filter(pl.col("score").is_finite() & pl.col("first").is_not_null())
        ranks = rows["score"].rank("average")
        n, first = rows.height, int(rows["first"].sum())
        if 0 < first < n:
            of_first = float(ranks.filter(rows["first"]).sum())
            area = (of_first - first * (first + 1) / 2) / (first * (n - first))
            of_each.append(abs(area - 0.5))
    return max(of_each, default=0.0)


def score_by_contents(columns: Sequence[SampleColumn], roles: Roles) -> dict[str, SampleColumn]:
    """Return the column of numbers without a role, by its role; of several the one that labels move most."""
    numbers = _numbers(columns, roles)
    if not numbers:
        return {}
    label = roles.get("label")
    if label is None or len(label.values) != 2:
        return {"score": numbers[0]}
    return {"score": max(numbers, key=lambda column: _separation(label, [column]))}


def _numbers(columns: Sequence[SampleColumn], roles: Roles) -> list[SampleColumn]:
    """Return the columns of numbers that have no role and no name of a key.

    Fractions, else decisions of 0 and 1, else all.
    """
    numbers = [
        column
        for column in unclaimed(columns, roles)
        if suits(column, "score")
        and plain(column.name) != OF_TRUTH_AND_SCORE
        and not (is_named_key(column) or is_row_number(column))
    ]
    numbers = [column for column in numbers if not is_weight(column)] or numbers
    decided = [each for each in unclaimed(columns, roles) if is_decision(each.name) and each.is_decided]
    return [column for column in numbers if column.is_fractional] or decided or numbers


WEIGHTS = {"weight", "weights", "wt", "wgt", "pweight"}
"""Words in the name of a column with a weight for each row."""


def is_weight(column: SampleColumn) -> bool:
    """Return whether a column of numbers of at least 0 has the name of weights of rows."""
    return has_word(column.name, WEIGHTS) and column.is_numeric and not (column.numbers < 0).any()


def is_named_key(column: SampleColumn) -> bool:
    """Return whether a column without fractions has a name of trials or clusters, or one such as no or id."""
    return not column.is_fractional and (
        has_word(column.name, FILLERS)
        or any(rank(column.name, role) is not None for role in ("trial", "cluster"))
    )


FEWEST_COUNTED = 5
"""Rows from which numbers that go up by one are no chance."""


def is_row_number(column: SampleColumn) -> bool:
    """Return whether a column counts the rows of its table, one after the other."""
    if not column.is_numeric or column.n_missing or len(column.text) < FEWEST_COUNTED:
        return False
    return bool((column.numbers.diff().drop_nulls() == 1).all())


def texts_of(roles: Roles, *names: str) -> list[pl.Series]:
    """Return the texts of the columns of roles that there are, under our names."""
    return [roles[name].text.alias(name) for name in names if name in roles]


def labels_differ(roles: Roles, trial: SampleColumn) -> bool:
    """Return whether most of what occurs several times in a column has more than one label."""
    if "label" not in roles:
        return False
    rows = pl.DataFrame(texts_of({**roles, "trial": trial}, "dataset", "split", "trial", "label"))
    by_trial = rows.group_by(pl.exclude("label")).agg(pl.len().alias("n"), pl.col("label").n_unique())
    several = by_trial.filter(pl.col("n") > 1)["label"] > 1
    return len(several) > 0 and int(several.sum()) * 2 > len(several)


def _run(columns: Sequence[SampleColumn], roles: Roles) -> dict[str, SampleColumn]:
    """Runs repeat trials: a column that does not distinguish rows of a trial is none."""
    if "run" in roles:
        return {}
    for column in named(unclaimed(columns, roles), "run"):
        if column.name == "run" or ((rank(column.name, "run") or 0) < 100 and len(column.values) > 1):
            trial = _trial(columns, {**roles, "run": column}).get("trial")
            if column.name == "run" or (trial and _repeats(column, trial, roles)):
                return {"run": column}
    return {}


def _repeats(run: SampleColumn, trial: SampleColumn, roles: Roles) -> bool:
    """Return whether trials have rows of several runs: folds that part trials among them are none."""
    is_of_trial = run.n_missing == 0 and belongs_to_trials(run, {**roles, "trial": trial})
    return not is_of_trial and not is_key([*_key_columns(roles), trial])


def _trial(columns: Sequence[SampleColumn], roles: Roles) -> dict[str, SampleColumn]:
    """The likeliest name whose values are unique; else values that are, and that models share.

    Else the likeliest name, first one whose values do not recur with both labels.
    """
    if "trial" in roles:
        return {}
    free = [column for column in unclaimed(columns, roles) if column.n_missing == 0]
    likely = named(free, "trial")
    within = _key_columns(roles)
    for column in likely:
        if is_key([*within, column]):
            return {"trial": column}
    by_contents = [column for column in free if not column.is_fractional and is_key([*within, column])]
    shared = [column for column in by_contents if _is_shared(roles.get("model"), column)]
    if shared:
        return {"trial": shared[0]}
    named_so = [column for column in likely if (rank(column.name, "trial") or 0) < AMONG_OTHERS]
    of_one = [column for column in named_so if not labels_differ(roles, column)]
    return {"trial": (of_one or named_so)[0]} if named_so else {}


def _key_columns(roles: Roles) -> list[SampleColumn]:
    return [roles[name] for name in WITHIN if name in roles]


def is_key(columns: Collection[SampleColumn]) -> bool:
    """Return whether no two rows of the sample agree in all the columns."""
    rows = pl.DataFrame([column.text.alias(str(at)) for at, column in enumerate(columns)])
    return not rows.is_duplicated().any()


def _is_shared(model: SampleColumn | None, trial: SampleColumn) -> bool:
    """Return whether every model has the trials of the others, but for what the sample leaves out."""
    if model is None or len(model.values) < 2:
        return True
    rows = pl.DataFrame({"model": model.text, "trial": trial.text})
    by_trial = rows.group_by("trial").agg(pl.col("model").n_unique())["model"]
    return int((by_trial > 1).sum()) > len(by_trial) // 2


def shares_nothing(model: SampleColumn, trial: SampleColumn) -> bool:
    """Return whether no value of a column of trials occurs with two of the other."""
    rows = pl.DataFrame({"model": model.text, "trial": trial.text})
    return bool((rows.group_by("trial").agg(pl.col("model").n_unique())["model"] == 1).all())


def like_stratum(columns: Sequence[SampleColumn], *, weighted: bool) -> SampleColumn | None:
    """Return a column that may be the strata of a survey by its name; regions of ``weighted`` rows."""
    likely = [column for column in columns if OF_STRATA.search(column.name)]
    likely += [column for column in columns if weighted and has_word(column.name, REGIONS)]
    return next((column for column in likely if suits(column, "stratum") and len(column.values) > 1), None)


def unclaimed(columns: Sequence[SampleColumn], roles: Roles) -> list[SampleColumn]:
    """Return the columns that have no role."""
    return [column for column in columns if column not in roles.values()]


def score_columns(columns: Sequence[SampleColumn], roles: Roles) -> list[SampleColumn]:
    """Return the columns of scores of a table without models: by name, else all fractions, else numbers."""
    free = [column for column in columns if column not in roles.values() or column is roles.get("score")]
    by_name = named(free, "score")
    if by_name:
        return sorted(by_name, key=lambda column: [each.name for each in columns].index(column.name))
    return _numbers(free, {name: column for name, column in roles.items() if name != "score"})


def missing_key(columns: Sequence[SampleColumn], roles: Roles) -> dict[str, SampleColumn]:
    """Return the columns, one or two, that distinguish rows of the same key, by what they may be; or none."""
    key = [*_key_columns(roles), roles["trial"]]
    free = [
        column for column in unclaimed(columns, roles) if len(column.values) > 1 and not column.is_fractional
    ]
    some = sorted(free, key=lambda column: rank(column.name, "run") is None)[:MOST_TRIED]
    for further in [*((column,) for column in some), *combinations(some, 2)]:
        if is_key([*key, *further]):
            return _named_roles(
                further, roles, is_caret={"rowIndex", "Resample"} <= {it.name for it in columns}
            )
    return {}


MODALITIES = ("modality", "modalities", "treatment")
"""Words in the name of a column of what readers read with: the models of a reader study."""
TUNED = (
    "mtry", "config", "cp", "lambda", "alpha", "sigma", "cost", "decay", "size", "depth", "trees", "ntree",
    "eta", "penalty", "mixture", "neighbors", "gamma",
)  # fmt: skip
"""Words in the name of a column of tuning values: each is a model of its own."""


def _named_roles(further: Sequence[SampleColumn], roles: Roles, is_caret: bool) -> dict[str, SampleColumn]:
    """Repetitions by their name, or numbers, are runs; others the model, where none is known, or datasets.

    In predictions of R's caret, every column of numbers that distinguishes rows holds tuning values.
    """
    further_roles: dict[str, SampleColumn] = {}
    for column in further:
        is_tuned = has_word(column.name, TUNED) or (is_caret and column.is_numeric)
        is_run = not is_tuned and (rank(column.name, "run") is not None or column.is_numeric)
        likely = ("run", "model", "dataset") if is_run else ("model", "dataset", "run")
        taken = {*roles, *further_roles, *(["model"] if is_named_key(column) else [])}
        role = next((role for role in likely if role not in taken), None)
        further_roles |= {role: column} if role else {}
    return further_roles


def belongs_to_trials(column: SampleColumn, roles: Roles) -> bool:
    """Return whether a column has one value for each trial of the sample, in all models."""
    rows = pl.DataFrame([*texts_of(roles, "dataset", "split", "trial"), column.text.alias("it")])
    several = rows.group_by(pl.exclude("it")).agg(pl.col("it").n_unique())["it"]
    return column.n_missing == 0 and bool((several == 1).all())


def second_cluster(columns: Sequence[SampleColumn], roles: Roles) -> SampleColumn | None:
    """Return the other cluster of a pair trial: a column whose name shares the word for it."""
    likely = named(unclaimed(columns, roles), "cluster")
    wanted = _without_sides(roles["cluster"].name)
    return next((column for column in likely if _without_sides(column.name) == wanted), None)


TIMES = ("date", "datetime", "time", "timestamp", "day", "week", "month")
"""Words in the name of a column that orders rows by time."""
COVARIATES = ("race", "ethnicity", "sex", "gender", "age", "education", "religion", "occupation", "marital")
"""Words in the name of a column of what kind people are, not of who they are."""
LIKE_CLUSTERS = (
    "speaker", "subject", "patient", "client", "customer", "user", "source", "person", "donor", "account",
    "session",
    *TIMES,
)  # fmt: skip
"""Words in the name of a column whose values may be clusters."""
FEWEST_CLUSTERS = 5
TRIALS_OF_CLUSTER = 1.5
"""Trials of a value, on average, from which it repeats."""


def like_cluster(columns: Sequence[SampleColumn], roles: Roles) -> SampleColumn | None:
    """Return the column without a role whose values repeat among trials, by its name or of most values.

    Numbers repeat as ages and counts do, so that only a name makes them clusters.
    """
    label = roles["label"].text.alias("label")
    # Without a key a row is a trial.
    trials = pl.DataFrame(texts_of(roles, "dataset", "split", "trial"))
    n_trials = trials.n_unique() if "trial" in roles else len(label)
    likely = [
        column
        for column in unclaimed(columns, roles)
        if FEWEST_CLUSTERS <= len(column.values) <= n_trials / TRIALS_OF_CLUSTER
        and (
            not column.is_numeric
            or (
                (is_named_key(column) or has_word(column.name, LIKE_CLUSTERS))
                and bool(column.text.str.contains(r"^\s*[-+]?\d+\s*$").all())
            )
        )
        and not has_word(column.name, COVARIATES)
        # Nor is it one where every label has one value of its own.
        and not pl.DataFrame([column.text, label]).n_unique() == len(column.values) == label.n_unique()
        and (belongs_to_trials(column, roles) if "trial" in roles else not column.n_missing)
    ]
    return max(
        likely,
        key=lambda column: (has_word(column.name, LIKE_CLUSTERS), len(column.values)),
        default=None,
    )


SIDES = (
    "a", "b", "1", "2", "enroll", "enrol", "enrolment", "test", "ref", "reference", "probe", "model",
    "segment", "left", "right", "first", "second", "claimed", "real", "true", "claim", "x", "y",
)  # fmt: skip
"""What distinguishes the two clusters of a pair trial by their names."""


def _without_sides(name: str) -> tuple[str, ...]:
    return tuple(word for word in words(name) if word not in SIDES)


def breakdowns(columns: Sequence[SampleColumn], roles: Roles) -> list[SampleColumn]:
    """Return the columns by which trials could be grouped; without keys of trials each row is one."""
    by_row = "trial" not in roles
    return [
        column
        for column in unclaimed(columns, roles)
        if 1 < len(column.values) <= FEW
        and not column.is_fractional
        and not is_weight(column)
        and (column.n_missing == 0 if by_row else belongs_to_trials(column, roles))
    ]
