"""The features of a combination: each adds to a design or to a config what suits what is there already.

A feature returns False where it does not suit, and then has changed nothing. Those of the table come first, in
the order of this file: later ones ask what earlier ones have made.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reporting.app.config.profiles import PROFILES
from tests.research.combinations import names
from tests.research.combinations.layouts import words_of
from tests.research.combinations.names import BUT_GRADES as MEASURES
from tests.research.combinations.names import LINEAR, MIXED
from tests.research.combinations.tables import Design

KEYED = ("keyed", "kaldi", "nist", "voxsrc", "asvspoof")
EVALS = ("lm_eval", "inspect", "resolved", "openai_evals", "helm")
TEXTS = ("bob", "kaldi", "nist", "voxsrc", "asvspoof")
QUERY = "SELECT * FROM trials"
ACROSS_FOLDS = ("leave_one_client_out", "kfold", "cv_test")


@dataclass
class Draft:
    """What a combination is made of, as far as it is drawn."""

    design: Design = field(default_factory=Design)
    config: dict[str, Any] = field(default_factory=lambda: {"trials": {"source": "trials.parquet"}})
    hints: dict[str, str] = field(default_factory=dict)
    features: list[str] = field(default_factory=list)

    @property
    def layout(self) -> str:
        return str(self.trials.get("layout", "long"))

    @property
    def trials(self) -> dict[str, Any]:
        trials: dict[str, Any] = self.config["trials"]
        return trials

    @property
    def policy(self) -> str:
        return str(self.config.get("thresholds", {}).get("policy", "dev"))

    @property
    def chooses(self) -> bool:
        """Whether thresholds are chosen at all."""
        return self.policy != "none" and not self.design.all_targets and not self.design.decisions

    @property
    def is_plain(self) -> bool:
        """Whether the table is one of rows that may hold anything of a trial."""
        return self.layout in ("long", "wide", "keyed") and not self.design.counted

    def sub(self, *path: str) -> dict[str, Any]:
        """Return the mapping at a place of the config, made where it is not there."""
        keys = self.config
        for name in path:
            keys = keys.setdefault(name, {})
        return keys

    def criterion(self, rng: random.Random) -> str:
        """Return a criterion that suits the table."""
        if not self.chooses:
            keys: tuple[str, ...] = ("fixed",) if self.design.all_targets else names.NEED_NO_DEV
        else:
            mixed = self.mixes
            keys = tuple(key for key in names.CRITERIA if mixed or key not in names.MIXED_CRITERIA)
            if mixed and rng.random() < 0.7:
                keys = names.MIXED_CRITERIA
            elif self.may_have_worst and rng.random() < 0.7:
                keys = ("worst_far",)
        key = rng.choice(keys)
        if key == "worst_far" and not self.may_have_worst:
            key = "target_far"
        return "fixed(threshold=0.5)" if self.design.all_targets else names.criterion(rng, key)

    def measure(
        self, rng: random.Random, over: str = "", mixed: bool = True, of: tuple[str, ...] = ()
    ) -> str:
        """Return a measure that suits the table, of one kind where one is asked for."""
        if self.design.all_targets:
            return "recall"
        with_mixed = mixed and self.mixes
        keys = [
            key
            for key in of or MEASURES
            if over in ("", MEASURES[key].over) and (with_mixed or key not in MIXED)
        ]
        if self.averaged:
            keys = [key for key in keys if key not in MIXED]
        if self.design.strata:
            keys = [key for key in keys if key not in names.OF_NUMBERS]
        if with_mixed and not of and rng.random() < 0.6:
            keys = [key for key in keys if key in MIXED] or keys
        return names.measure(rng, rng.choice(keys))

    @property
    def mixes(self) -> bool:
        """Whether costs of three kinds of trials are computed."""
        return self.design.spoofs and self.policy not in ACROSS_FOLDS and self.design.runs != "fold"

    @property
    def may_have_worst(self) -> bool:
        """Whether groups of non-targets are declared, of which a criterion may take the worst."""
        return self.policy == "dev" and "{'attack': 'nontarget'}" in str(self.config.get("by"))

    @property
    def has_criterion(self) -> bool:
        """Whether something chooses the thresholds of measures that name no criterion."""
        by_default = self.config.get("profile") != "stratos" and self.chooses
        if MEASURES[self.primary].over == "threshold":
            return True
        return bool(self.config.get("criteria", by_default))

    @property
    def primary(self) -> str:
        """The key of the primary measure."""
        by_default = self.config.get("profile") != "stratos"
        usual = "hter" if by_default and self.chooses else "auc"
        return str(self.config.get("primary", {}).get("measure", usual).partition("(")[0])

    @property
    def averaged(self) -> bool:
        return "averaged_over" in self.config

    @property
    def scored(self) -> bool:
        """Whether trials have labels of two classes, so that curves and areas mean something."""
        return not self.design.all_targets


Make = Callable[[random.Random, Draft], bool]


class Feature(NamedTuple):
    """Something that a report may be asked for, or a table may be."""

    name: str
    make: Make
    weight: float


FEATURES: dict[str, Feature] = {}


def feature(weight: float = 1.0) -> Callable[[Make], Make]:
    """Register a feature under the name of its function; ``weight``: how often it is drawn among all."""

    def register(make: Make) -> Make:
        FEATURES[make.__name__] = Feature(make.__name__, make, weight)
        return make

    return register


# Layouts, of which a table has one.


def _plain_so_far(draft: Draft) -> bool:
    return draft.layout == "long" and draft.trials["source"] == "trials.parquet"


@feature(0.8)
def wide(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.trials.update(
        {"layout": "wide", "source": rng.choice(("trials.csv", "trials.parquet", "trials.tsv"))}
    )
    draft.trials["scores"] = {model: f"score_{model}" for model in draft.design.models}
    if len(draft.design.models) > 1 and rng.random() < 0.4:
        draft.trials["scores"] = list(draft.design.models)
    elif rng.random() < 0.5:
        draft.trials["scores"] = "A"
        draft.design.models = ["A"]
    if rng.random() < 0.2:
        draft.trials.update(
            {"source": "sqlite:///trials.db"} | rng.choice(({"table": "trials"}, {"query": QUERY}))
        )
    return True


@feature(1.0)
def keyed(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.trials.update(
        {
            "layout": "keyed",
            "keys": rng.choice(("keys.csv", ["keys.csv"])),
            "source": rng.choice(("scores.csv", "{model}/scores.csv")),
        }
    )
    return True


def _text_layout(rng: random.Random, draft: Draft, layout: str, paths: tuple[str, str]) -> bool:
    if not _plain_so_far(draft):
        return False
    keys, source = paths
    draft.trials.update({"layout": layout, "source": source} | ({"keys": keys} if keys else {}))
    draft.design.clusters = 1
    cluster = {"bob": "claimed_id", "nist": "modelid", "asvspoof": "speaker"}.get(layout, "enroll")
    draft.hints["of layout"] = "x"
    if rng.random() < 0.8:
        draft.sub("trials", "columns")["cluster"] = cluster
    return True


@feature(0.4)
def bob(rng: random.Random, draft: Draft) -> bool:
    return _text_layout(rng, draft, "bob", ("", "{model}/scores-{split}"))


@feature(0.4)
def kaldi(rng: random.Random, draft: Draft) -> bool:
    return _text_layout(rng, draft, "kaldi", ("{split}/trials", "{model}/{split}.txt"))


@feature(0.4)
def nist(rng: random.Random, draft: Draft) -> bool:
    return _text_layout(rng, draft, "nist", ("keys/{split}.tsv", "{model}/{split}.tsv"))


@feature(0.4)
def voxsrc(rng: random.Random, draft: Draft) -> bool:
    return _text_layout(rng, draft, "voxsrc", ("lists/{split}.txt", "{model}/{split}.txt"))


@feature(0.5)
def asvspoof(rng: random.Random, draft: Draft) -> bool:
    made = _text_layout(rng, draft, "asvspoof", ("cm/{split}.txt", "{model}/{split}.txt"))
    if made:
        draft.design.columns = ("attack",)
    return made


def _evals(draft: Draft, layout: str, source: str) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.trials.update({"layout": layout, "source": source})
    _without_labels(draft)
    return True


def _without_labels(draft: Draft) -> None:
    draft.design.all_targets = draft.design.decisions = True
    draft.design.has_dev = False
    draft.hints["split"] = "none"
    draft.config["primary"] = {"measure": "recall", "criterion": "fixed(threshold=0.5)"}
    draft.config["criteria"] = ["fixed(threshold=0.5)"]
    draft.config["measures"] = ["recall"]


@feature(0.4)
def lm_eval(rng: random.Random, draft: Draft) -> bool:
    made = _evals(draft, "lm_eval", "logs/{model}/*.jsonl")
    if made and rng.random() < 0.7:
        draft.trials["metric"] = rng.choice(("acc", {"task": "acc"}))
    return made


@feature(0.5)
def inspect(rng: random.Random, draft: Draft) -> bool:
    made = _evals(draft, "inspect", "logs/*.json")
    if made and rng.random() < 0.7:
        draft.trials["metric"] = rng.choice(("match", {"task": "match"}))
    return made


@feature(0.6)
def resolved(rng: random.Random, draft: Draft) -> bool:
    return _evals(draft, "resolved", "logs/{model}.json")


@feature(0.6)
def no_label(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.sub("trials", "columns")["label"] = "none"
    _without_labels(draft)
    return True


@feature(0.5)
def counts(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft) or draft.design.all_targets:
        return False
    sources = ["a.counts.parquet", "b.counts.parquet"]
    draft.trials.update({"layout": "counts", "source": rng.choice((sources[:1], sources))})
    draft.hints |= {
        "paired": rng.choice(("", "--paired", "--blocks")),
        "named": rng.choice(("", "x")),
        "bits": rng.choice(("20", "40")),
    }
    return True


@feature(1.2)
def sqlite(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.trials["source"] = "sqlite:///trials.db"
    draft.trials.update(rng.choice(({"table": "trials"}, {"query": QUERY})))
    return True


@feature(1.3)
def count_there(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.trials.update(
        {"source": "duckdb:///trials.duckdb", "count": "there", "coarse": rng.choice((20, 40))}
    )
    draft.trials.update(rng.choice(({"table": "trials"}, {"query": QUERY})))
    if rng.random() < 0.8:
        draft.trials["paired"] = rng.choice((True, False, "blocks"))
    return True


@feature(1.5)
def other_file(rng: random.Random, draft: Draft) -> bool:
    if not _plain_so_far(draft):
        return False
    draft.trials["source"] = rng.choice(
        (
            *("trials.csv", "trials.tsv", "trials.ndjson", "trials.arrow", "trials.csv.gz", "{model}.csv"),
            *(["one.csv", "two.csv"], ["one.parquet"]),
            *(() if draft.hints.get("split") == "none" else ("{split}/{model}.parquet", "lake")),
        )
    )
    return True


@feature(0.6)
def unpacked_limit(rng: random.Random, draft: Draft) -> bool:
    draft.trials["unpacked_limit"] = rng.choice((1, 100))
    return True


@feature(1.6)
def counted(rng: random.Random, draft: Draft) -> bool:
    """Rows that represent several trials, and have no trial keys."""
    if draft.layout != "long" or draft.trials.get("count") == "there" or draft.design.all_targets:
        return False
    draft.design.counted = True
    if rng.random() < 0.6:
        draft.sub("trials", "columns")["count"] = "times"
    return True


# Models.


@feature(0.5)
def one_model(rng: random.Random, draft: Draft) -> bool:
    draft.design.models = ["A"]
    if isinstance(draft.trials.get("scores"), dict):
        draft.trials["scores"] = {"A": "score_A"}
    elif isinstance(draft.trials.get("scores"), list):
        draft.trials["scores"] = ["A"]
    return True


@feature(1.0)
def more_models(rng: random.Random, draft: Draft) -> bool:
    if len(draft.design.models) == 1 or "scores" in draft.trials:
        return False
    draft.design.models = ["A", "B", "C", "D"][: rng.choice((3, 3, 4))]
    return True


@feature(0.5)
def very_many_models(rng: random.Random, draft: Draft) -> bool:
    if len(draft.design.models) == 1 or "scores" in draft.trials:
        return False
    draft.design.models = [f"m{number:02}" for number in range(rng.choice((11, 12)))]
    if rng.random() < 0.5:
        draft.sub("significance")["pairs"] = rng.choice(("auto", "all"))
    return True


@feature(1.5)
def scales(rng: random.Random, draft: Draft) -> bool:
    if draft.design.decisions:
        return False
    one = rng.choice(("llr", "log10_llr", "probability", "logit"))
    some = rng.random()
    for model in draft.design.models:
        scale = one if some < 0.5 else rng.choice(("score", "llr", "log10_llr", "probability", "logit"))
        draft.design.scales[model] = scale
        draft.sub("models", model)["scale"] = scale
    return True


@feature(1.3)
def higher_is(rng: random.Random, draft: Draft) -> bool:
    for model in draft.design.models:
        if draft.design.scales.get(model) != "probability" and rng.random() < 0.6:
            turned = rng.random() < 0.7
            draft.sub("models", model)["higher_is"] = "nontarget" if turned else "target"
            draft.design.turned |= {model} if turned else set()
    return bool(draft.design.turned)


@feature(1.0)
def model_names(rng: random.Random, draft: Draft) -> bool:
    for model in reversed(draft.design.models):
        draft.sub("models", model)["name"] = rng.choice(
            (f"Model {model}", f"{model} <2> & 50%", f"{model}_größer")
        )
    return True


@feature(1.2)
def baseline(rng: random.Random, draft: Draft) -> bool:
    if len(draft.design.models) == 1:
        return False
    draft.config["baseline"] = rng.choice(draft.design.models)
    return True


# Where thresholds come from.


def _may_have_policy(draft: Draft) -> bool:
    return draft.is_plain and not draft.design.all_targets and "thresholds" not in draft.config


@feature(1.0)
def kfold(rng: random.Random, draft: Draft) -> bool:
    if not _may_have_policy(draft):
        return False
    draft.config["thresholds"] = {"policy": "kfold", "folds": rng.choice((2, 3, 4))}
    draft.design.has_dev = False
    return True


@feature(1.0)
def kfold_column(rng: random.Random, draft: Draft) -> bool:
    if not _may_have_policy(draft):
        return False
    draft.config["thresholds"] = {"policy": "kfold", "column": "fold"}
    if rng.random() < 0.3:
        draft.config["thresholds"]["folds"] = 5
    draft.design.has_dev = False
    draft.design.columns += ("fold",)
    return True


@feature(1.0)
def split_clients(rng: random.Random, draft: Draft) -> bool:
    if not _may_have_policy(draft):
        return False
    draft.config["thresholds"] = {"policy": "split_clients"}
    draft.design.has_dev = False
    return True


@feature(1.0)
def leave_one_client_out(rng: random.Random, draft: Draft) -> bool:
    if not _may_have_policy(draft):
        return False
    draft.config["thresholds"] = {"policy": "leave_one_client_out"}
    draft.design.has_dev = False
    draft.design.clusters = 1
    return True


@feature(1.0)
def cv_test(rng: random.Random, draft: Draft) -> bool:
    if not _may_have_policy(draft):
        return False
    draft.config["thresholds"] = {"policy": "cv_test", "folds": rng.choice((2, 3, 5))}
    draft.design.has_dev = rng.random() < 0.5
    return True


@feature(0.7)
def train(rng: random.Random, draft: Draft) -> bool:
    if draft.design.all_targets or "thresholds" in draft.config:
        return False
    draft.config["thresholds"] = {"policy": "train"}
    return True


@feature(0.9)
def no_thresholds(rng: random.Random, draft: Draft) -> bool:
    if draft.design.all_targets or "thresholds" in draft.config:
        return False
    draft.config["thresholds"] = {"policy": "none"}
    draft.design.has_dev = rng.random() < 0.3
    draft.config["criteria"] = [names.criterion(rng, rng.choice(names.NEED_NO_DEV))]
    if rng.random() < 0.3:
        draft.config["criteria"] = []
    return True


@feature(0.8)
def no_dev_column(rng: random.Random, draft: Draft) -> bool:
    """A table without a column of splits, which is read as policy none."""
    if draft.layout != "long" or draft.design.all_targets or "thresholds" in draft.config:
        return False
    if draft.trials["source"] == "lake" or "{split}" in draft.trials["source"]:
        return False
    draft.design.has_dev = False
    draft.hints["split"] = "none"
    draft.hints["no dev"] = "x"
    return True


@feature(1.2)
def stratos(rng: random.Random, draft: Draft) -> bool:
    """The core set for predicted probabilities; without any other question it chooses no thresholds."""
    if draft.design.decisions or "no dev" in draft.hints:
        return False
    for model in draft.design.models:
        scale = rng.choice(("probability", "logit"))
        draft.design.scales[model] = scale
        draft.sub("models", model)["scale"] = scale
        if scale == "probability" and draft.config["models"][model].get("higher_is"):
            draft.config["models"][model]["higher_is"] = "target"
            draft.design.turned.discard(model)
    draft.config["profile"] = "stratos"
    if "thresholds" not in draft.config:
        if rng.random() < 0.5:
            draft.hints["no dev"] = "x"
        else:
            draft.config["thresholds"] = {"policy": "dev"}
    return True


@feature(1.5)
def threshold_rules(rng: random.Random, draft: Draft) -> bool:
    if not draft.chooses or "no dev" in draft.hints:
        return False
    keys = {
        "threshold_at": rng.choice(("midpoint", "upper", "lower")),
        "ties": rng.choice(("balanced", "high", "low")),
    }
    draft.sub("thresholds").update({key: value for key, value in keys.items() if rng.random() < 0.7})
    return True


# Runs, datasets, clusters, groups, weights, kinds.


def _several_runs(rng: random.Random, draft: Draft, runs: str) -> bool:
    may = draft.is_plain or (draft.layout == "inspect" and runs == "seed")
    may = may or (draft.design.counted and runs != "fold")
    if not may or draft.design.runs:
        return False
    if runs == "fold" and (draft.policy != "dev" or not draft.design.has_dev or "no dev" in draft.hints):
        return False
    if runs == "fold" and draft.layout == "keyed":  # every run has a score for each trial of the keys
        return False
    draft.design.runs, draft.design.n_runs = runs, rng.choice((2, 2, 3))
    if runs != "seed" or rng.random() < 0.5:
        draft.trials["runs"] = runs
    return True


@feature(1.3)
def seeds(rng: random.Random, draft: Draft) -> bool:
    return _several_runs(rng, draft, "seed")


@feature(1.2)
def readers(rng: random.Random, draft: Draft) -> bool:
    return _several_runs(rng, draft, "reader")


@feature(1.5)
def run_folds(rng: random.Random, draft: Draft) -> bool:
    return _several_runs(rng, draft, "fold")


@feature(2.8)
def datasets(rng: random.Random, draft: Draft) -> bool:
    if not (draft.is_plain or draft.design.counted):
        return False
    draft.design.datasets = ["x", "y", "z"][: rng.choice((2, 2, 3))]
    draft.design.with_dev = list(draft.design.datasets)
    if draft.layout == "long" and rng.random() < 0.5:
        draft.sub("trials", "columns")["dataset"] = "condition"
    if draft.policy in ("dev", "train") and draft.design.has_dev:
        way = rng.random()
        if way < 0.3:  # the one development set serves all
            draft.design.with_dev = ["x"]
            if draft.design.runs == "fold":
                draft.design.with_dev = list(draft.design.datasets)
        elif way < 0.75 and draft.design.runs != "fold":
            last = draft.design.datasets[-1]
            draft.design.with_dev = draft.design.datasets[:-1]
            draft.sub("thresholds")["from"] = {last: rng.choice(draft.design.with_dev)}
            if "z" in draft.design.datasets and rng.random() < 0.5:
                draft.config["thresholds"]["from"]["y"] = "x"
    return True


@feature(2.5)
def clusters(rng: random.Random, draft: Draft) -> bool:
    if not (draft.is_plain or draft.layout == "counts") or draft.design.clusters:
        return draft.design.clusters == 1
    draft.design.clusters = 1
    return True


@feature(0.5)
def clusters_by_pattern(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or draft.trials.get("count") == "there" or draft.averaged:
        return False
    draft.design.clusters = 1
    draft.trials["clusters"] = {"pattern": "^([^-]+)-"}
    draft.hints["pattern"] = "x"
    return True


@feature(0.8)
def clusters_in_file(rng: random.Random, draft: Draft) -> bool:
    if (
        draft.layout not in ("long", "wide")
        or draft.design.counted
        or "clusters" in draft.trials
        or draft.trials.get("count") == "there"
    ):
        return False
    draft.design.clusters = 1
    draft.trials["clusters"] = {"file": rng.choice(("utt2spk", ["utt2spk"], ["one.txt", "two.txt"]))}
    return True


@feature(1.6)
def two_clusters(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or draft.policy not in ("dev", "train", "none") or "clusters" in draft.trials:
        return False
    draft.design.clusters, draft.design.pools = 2, rng.choice(("one", "two"))
    draft.sub("trials", "columns")["cluster"] = ["cluster", "cluster_b"]
    if draft.design.pools == "two" or rng.random() < 0.7:
        draft.sub("trials", "clusters")["pools"] = draft.design.pools
    return True


@feature(1.0)
def cluster_name(rng: random.Random, draft: Draft) -> bool:
    if not draft.design.clusters and draft.is_plain:
        draft.design.clusters = 1
    if not draft.design.clusters or draft.layout == "counts":
        return False
    two = draft.design.pools == "two"
    draft.sub("trials", "clusters")["name"] = (
        ["person", "sensor"] if two else rng.choice(("speaker", ["patient"]))
    )
    return True


@feature(1.8)
def by_group(rng: random.Random, draft: Draft) -> bool:
    if draft.layout == "asvspoof":
        draft.config["by"] = [rng.choice(("speaker", {"attack": "nontarget"}))]
        return True
    if not draft.is_plain and draft.layout not in ("counts", "nist"):
        return False
    draft.design.columns += ("gender", "channel") if rng.random() < 0.6 else ("gender",)
    options: list[Any] = [
        ["gender"],
        ["gender", "channel"],
        [["gender", "channel"]],
        ["gender", ["channel", "gender"]],
    ]
    alone = "channel" not in draft.design.columns
    draft.config["by"] = rng.choice(options[:1] if alone else options)
    if alone and rng.random() < 0.3:
        draft.config["by"] = [["gender"]]
    return True


@feature(2.0)
def spoofs(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or draft.design.all_targets or "no dev" in draft.hints:
        return False
    if draft.layout == "counts" or draft.trials.get("count") == "there":  # counts hold two classes
        return False
    draft.design.spoofs = True
    draft.sub("trials", "values").update(
        target="target", nontarget="nontarget", spoof=rng.choice(("spoof", ["spoof"]))
    )
    return True


@feature(2.2)
def by_class(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or draft.design.all_targets or "by" in draft.config:
        return False
    draft.design.columns += ("attack",)
    if not draft.design.spoofs and "no dev" not in draft.hints and rng.random() < 0.3:
        spoofs(rng, draft)
    entry = {"attack": "spoof" if draft.design.spoofs else "nontarget"}
    draft.config["by"] = [rng.choice((entry, [entry]))]
    if rng.random() < 0.3:
        draft.design.columns += ("gender",)
        draft.config["by"] = [rng.choice(([entry, "gender"], entry)), "gender"]
    if rng.random() < 0.4:
        draft.design.columns += ("channel",)
        of_target = {"channel": "target"}
        draft.config["by"].append(rng.choice((of_target, [of_target])))
    draft.design.columns = tuple(dict.fromkeys(draft.design.columns))
    return True


@feature(0.9)
def by_cluster(rng: random.Random, draft: Draft) -> bool:
    """A breakdown by the column that is the cluster."""
    if not draft.is_plain or draft.design.clusters == 2 or "clusters" in draft.trials or "by" in draft.config:
        return False
    draft.design.clusters = 1
    draft.config["by"] = ["cluster"]
    return True


@feature(3.2)
def across(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or not draft.scored:
        return False
    draft.design.columns = tuple(dict.fromkeys((*draft.design.columns, "gender", "site")))
    entries: list[Any] = [
        "gender",
        "site",
        ["gender", "site"],
        {"columns": "site"},
        {"columns": ["site", "gender"]},
    ]
    of_class = [entry for entry in draft.config.get("by", ()) if isinstance(entry, (dict, list))]
    text = str(of_class)
    first = rng.choice([entry for entry in entries if "gender" not in text or "gender" not in str(entry)])
    if rng.random() < 0.6:
        first = first if isinstance(first, dict) else {"columns": first}
        if rng.random() < 0.8:
            columns = first["columns"]
            reference = {"gender": "f", "site": "site 0"}
            one = reference[columns] if isinstance(columns, str) else [reference[each] for each in columns]
            first["reference"] = [one] if isinstance(one, str) and rng.random() < 0.3 else one
        if rng.random() < 0.6:
            first["measures"] = list(
                dict.fromkeys(draft.measure(rng, "threshold", mixed=False) for _ in range(2))
            )
        if rng.random() < 0.5:
            first["alpha"] = rng.choice((0, 0.3, 1))
        draft.config["across"] = rng.choice((first, [first]))
    else:
        draft.config["across"] = rng.choice((first if isinstance(first, (str, dict)) else [first], [first]))
    return True


@feature(1.0)
def averaged_over(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or draft.design.all_targets:
        return False
    if draft.design.runs and rng.random() < 0.8:  # means over runs of means are refused
        return False
    if "column" in draft.config.get("thresholds", {}) and not draft.design.clusters:
        return False
    column = (
        "cluster"
        if draft.design.clusters == 1 and "clusters" not in draft.trials and rng.random() < 0.4
        else "site"
    )
    if column == "site":
        draft.design.columns = tuple(dict.fromkeys((*draft.design.columns, "site")))
    draft.config["averaged_over"] = column
    return True


@feature(0.8)
def lone_group(rng: random.Random, draft: Draft) -> bool:
    """A class is missing in a group."""
    if not draft.design.columns and draft.is_plain and "by" not in draft.config:
        draft.design.columns = ("gender",)
        draft.config["by"] = ["gender"]
    columns = [name for name in draft.design.columns if name in ("gender", "channel", "site")]
    if not columns or draft.design.all_targets:
        return False
    draft.design.lone = rng.choice(columns)
    return True


@feature(1.4)
def weights(rng: random.Random, draft: Draft) -> bool:
    there = draft.trials.get("count") == "there"
    if not draft.is_plain or draft.design.spoofs or there:
        return False
    draft.design.strata = ("s", "t", "u")[: rng.choice((2, 3))]
    weighed = {name: rng.choice((1, 1, 0.5, 2, 3, 0.1)) for name in draft.design.strata}
    if rng.random() < 0.2:
        weighed[draft.design.strata[-1]] = 0
    draft.trials["weights"] = {"stratum": weighed}
    if rng.random() < 0.5:
        draft.sub("trials", "columns")["stratum"] = "phone"
    return True


@feature(0.9)
def missing(rng: random.Random, draft: Draft) -> bool:
    if draft.layout not in ("long", "wide", "keyed", "counts") or draft.design.decisions:
        return False
    draft.design.missing = rng.choice((0.03, 0.1))
    draft.trials["missing"] = rng.choice(("drop", "reject"))
    if draft.design.counted:
        draft.trials["missing"] = "reject"
    return True


@feature(0.7)
def infinite(rng: random.Random, draft: Draft) -> bool:
    if draft.design.decisions or draft.layout in ("nist",):
        return False
    draft.design.infinite = rng.choice((0.03, 0.15))
    return True


@feature(0.6)
def unlabelled(rng: random.Random, draft: Draft) -> bool:
    if not draft.is_plain or draft.design.all_targets or draft.design.counted:
        return False
    draft.design.unlabelled = 0.08
    draft.trials["unlabelled"] = "drop"
    return True


@feature(1.0)
def lacking(rng: random.Random, draft: Draft) -> bool:
    design = draft.design
    if len(design.models) == 1 or draft.layout != "long" or draft.trials.get("count") == "there":
        return False
    ways = ["run"] * (design.runs in ("seed", "reader")) + ["group"] * bool(
        {"gender", "channel"} & {*design.columns}
    )
    if rng.random() < 0.1 and design.datasets:
        ways = ["dataset"]
    if not ways and not design.runs:
        design.runs, design.n_runs = "seed", 2
        ways = ["run"]
    if not ways:
        return False
    design.lacking = rng.choice(ways)
    if design.lacking == "group":
        draft.trials["missing"] = rng.choice(("drop", "reject"))
    return True


@feature(0.8)
def few(rng: random.Random, draft: Draft) -> bool:
    """One or two targets."""
    if draft.policy in ACROSS_FOLDS or draft.design.runs == "fold" or draft.policy == "split_clients":
        return False
    if (
        draft.design.all_targets
        or draft.design.clusters
        or draft.layout == "counts"
        or draft.design.unlabelled
        or draft.design.missing
    ):
        return False
    draft.design.few = True
    return True


@feature(0.8)
def spelt_out(rng: random.Random, draft: Draft) -> bool:
    """Defaults that are written down."""
    draft.trials.setdefault("layout", "long")
    draft.trials.setdefault("missing", "error")
    draft.trials.setdefault("unlabelled", "error")
    if draft.trials["layout"] != "counts":
        draft.trials.setdefault("count", "here")
    return True


@feature(0.4)
def coarse_grid(rng: random.Random, draft: Draft) -> bool:
    """Very few distinct scores."""
    draft.design.grid = 1.0
    return True


# How the table says what it is.


@feature(0.9)
def coarse(rng: random.Random, draft: Draft) -> bool:
    if "coarse" in draft.trials:
        return False
    draft.trials["coarse"] = rng.choice((16, 20, 40, 63))
    return True


@feature(0.9)
def prevalence(rng: random.Random, draft: Draft) -> bool:
    draft.trials["prevalence"] = rng.choice(("sample", 0.01, 0.1, 0.5))
    return True


@feature(2.4)
def renamed(rng: random.Random, draft: Draft) -> bool:
    if draft.layout != "long" or "{" in str(draft.trials["source"]):
        return False
    theirs = {
        "model": "system", "run": "seed", "dataset": "condition", "split": "part", "trial": "pair", "label": "kind",
        "score": "value", "cluster": "speaker", "stratum": "phone", "count": "times",
    }  # fmt: skip
    columns = draft.sub("trials", "columns")
    there = {"model", "score"} | {"label"} * draft.scored if False else {"model", "score"}
    there |= {"label"} if draft.scored else set()
    there |= {"run"} if draft.design.runs else set()
    there |= {"dataset"} if draft.design.datasets else set()
    there |= {"split"} if draft.hints.get("split") != "none" and draft.trials["source"] != "lake" else set()
    there |= {"stratum"} if draft.design.strata else set()
    there |= {"count"} if draft.design.counted else {"trial"}
    if draft.design.clusters == 1 and "cluster" not in str(
        (draft.config.get("by"), draft.config.get("averaged_over"))
    ):
        there |= (
            {"cluster"}
            if "clusters" not in draft.trials or not {"file", "pattern"} & {*draft.trials["clusters"]}
            else set()
        )
    for name in sorted(there):
        if rng.random() < 0.6:
            columns.setdefault(name, theirs[name])
    return True


@feature(1.6)
def values(rng: random.Random, draft: Draft) -> bool:
    words = draft.sub("trials", "values")
    if draft.scored and draft.is_plain and not draft.design.spoofs:
        target, nontarget = rng.choice(
            (("yes", "no"), (["genuine"], ["impostor"]), ("1", "0"), ("hit", "rest"))
        )
        words["target"] = target
        if rng.random() < 0.7 or nontarget == "rest":
            words["nontarget"] = nontarget
    if draft.layout == "long" and "split" not in draft.hints and "split" not in str(draft.trials["source"]) and draft.trials["source"] != "lake":  # fmt: skip
        words.update(rng.choice(({}, {"dev": "tune"}, {"test": "eval"}, {"dev": "tune", "test": "eval"})))
        if rng.random() < 0.4 and draft.design.runs != "fold" and not draft.design.counted:
            words["unused"] = rng.choice(("train", ["train"]))
    if not words:
        del draft.trials["values"]
    return bool(words)


@feature(0.6)
def other_labels(rng: random.Random, draft: Draft) -> bool:
    """Labels as booleans or numbers, which no config need name."""
    if not draft.is_plain or not draft.scored or "values" in draft.trials:
        return False
    draft.hints["labels"] = rng.choice(("bool", "number", "float"))
    return True


# Questions.


@feature(1.0)
def title(rng: random.Random, draft: Draft) -> bool:
    draft.config["title"] = rng.choice(("A title", "50 % of <all> & more", "Größe_1 $x$"))
    return True


@feature(3.2)
def primary(rng: random.Random, draft: Draft) -> bool:
    if draft.design.all_targets or "no dev" in draft.hints:
        return False
    if not draft.chooses:
        over = rng.choice(("sweep", "scores", "threshold"))
    else:
        over = rng.choice(("threshold", "threshold", "sweep", "scores"))
    draft.config["primary"] = {"measure": draft.measure(rng, over)}
    if over == "threshold" and (not draft.chooses or rng.random() < 0.8):
        draft.config["primary"]["criterion"] = draft.criterion(rng)
    return True


@feature(4.0)
def criteria(rng: random.Random, draft: Draft) -> bool:
    if draft.design.all_targets or "no dev" in draft.hints:
        return False
    chosen = [draft.criterion(rng) for _ in range(rng.choice((1, 2, 3)))]
    if draft.chooses:
        plain = [one for one in chosen if one.partition("(")[0] not in names.WITHOUT_ORACLE]
        chosen += [f"oracle({plain[0]})"] if plain and rng.random() < 0.4 else []
        if draft.may_have_worst:
            chosen += [names.criterion(rng, "worst_far"), rng.choice(names.OTHERWISE)][: rng.randint(0, 2)]
    draft.config["criteria"] = list(dict.fromkeys(chosen))
    return True


@feature(9.0)
def measures(rng: random.Random, draft: Draft) -> bool:
    if draft.design.all_targets:
        return False
    chosen = [draft.measure(rng) for _ in range(rng.choice((2, 3, 4, 5)))]
    draft.config["measures"] = list(dict.fromkeys(chosen))
    return True


@feature(2.0)
def probability_measures(rng: random.Random, draft: Draft) -> bool:
    if draft.design.decisions:
        return False
    if not draft.design.scales:
        scale = rng.choice(("llr", "probability", "logit"))
        for model in draft.design.models:
            draft.design.scales[model] = scale
            draft.sub("models", model)["scale"] = scale
            if scale == "probability":
                draft.design.turned.discard(model)
                draft.config["models"][model].pop("higher_is", None)
    of = tuple(key for key in MEASURES if MEASURES[key].over == "scores")
    chosen = [draft.measure(rng, of=of) for _ in range(rng.choice((2, 3, 4)))]
    draft.config["measures"] = list(dict.fromkeys([*draft.config.get("measures", ()), *chosen]))
    return True


@feature(2.4)
def operating_points(rng: random.Random, draft: Draft) -> bool:
    own = {"name": "own", "p_target": rng.choice((0.01, 0.2))}
    for key, some in (
        ("c_miss", (1, 10)),
        ("c_fa", (1, 3)),
        ("normalised", (True, False)),
        ("norm", ("trivial", "miss")),
    ):
        if rng.random() < 0.5:
            own[key] = rng.choice(some)
    presets = rng.sample(names.PRESETS, rng.choice((1, 2, 3)))
    draft.config["operating_points"] = rng.choice(([*presets, own], presets, [own]))
    return True


@feature(5.0)
def curves(rng: random.Random, draft: Draft) -> bool:
    chosen = rng.sample(names.CURVES, rng.choice((1, 2, 4)))
    if len(draft.design.models) == 1:
        chosen = [curve for curve in chosen if "difference" not in curve]
    if "no dev" in draft.hints:
        chosen = [curve for curve in chosen if curve not in ("det",)]
    draft.config["curves"] = chosen
    return True


@feature(2.0)
def epc(rng: random.Random, draft: Draft) -> bool:
    if not draft.chooses or "no dev" in draft.hints or draft.design.decisions:
        return False
    keys: dict[str, Any] = {"alphas": rng.choice((3, 5, 11))}
    if rng.random() < 0.6:
        mixed = draft.mixes
        of = [key for key in names.SWEPT if mixed or key not in names.MIXED_CRITERIA]
        keys["criteria"] = [_swept(rng, key) for key in rng.sample(of, rng.choice((1, 2)))]
    if rng.random() < 0.6:
        keys["measures"] = list(
            dict.fromkeys(draft.measure(rng, "threshold") for _ in range(rng.choice((1, 2, 3))))
        )
    if rng.random() < 0.4:
        keys["bounds"] = rng.choice(([0.2, 0.8], [0, 0.5], [0.4, 1]))
    draft.config["epc"] = keys
    return True


def _swept(rng: random.Random, key: str) -> str:
    """Return a criterion whose own parameter is left out: the curve runs along it."""
    along = {"target_far": "far", "target_frr": "frr", "target": "value", "bayes": "p_target"}.get(
        key, "alpha"
    )
    of = {"bayes": ("c_miss", "c_fa", "p_target")}.get(key, (along,))
    return names.call(rng, key, {name: some for name, some in names.CRITERIA[key].items() if name not in of})


@feature(1.0)
def fits(rng: random.Random, draft: Draft) -> bool:
    if draft.design.all_targets:
        return False
    keys = rng.sample(list(names.FITS), rng.choice((1, 1, 2)))
    draft.config["fits"] = [names.call(rng, key, names.FITS[key]) for key in keys]
    return True


@feature(1.3)
def abstention(rng: random.Random, draft: Draft) -> bool:
    if draft.policy not in ("dev", "train", "split_clients") or not draft.chooses or "no dev" in draft.hints:
        return False
    cost: dict[str, Any] = {"review": rng.choice((0.1, 0.3))}
    for key in ("false_positive", "false_negative"):
        if rng.random() < 0.5:
            cost[key] = rng.choice((1, 2, 10))
    both = {"cost": cost, "capacity": rng.choice((0, 0.1, 0.5, 1))}
    draft.config["abstention"] = rng.choice((both, {"cost": cost}, {"capacity": both["capacity"]}))
    return True


# Inference.


@feature(1.5)
def intervals_by(rng: random.Random, draft: Draft) -> bool:
    draft.sub("significance")["interval"] = rng.choice(
        ("auto", "percentile", "centred", "basic", "studentized", "bca")
    )
    return True


@feature(1.2)
def estimands(rng: random.Random, draft: Draft) -> bool:
    for key in ("comparisons", "intervals"):
        if rng.random() < 0.8:
            draft.sub("significance")[key] = rng.choice(("procedure", "given_thresholds"))
    return True


@feature(1.6)
def units(rng: random.Random, draft: Draft) -> bool:
    significance = draft.sub("significance")
    if rng.random() < 0.7:
        clustered = draft.design.clusters and draft.layout != "counts"
        significance["unit"] = rng.choice(("auto", "trial", "cluster") if clustered else ("auto", "trial"))
    if rng.random() < 0.7:
        significance["stratify"] = rng.choice(("none", "label"))
    return True


@feature(1.2)
def corrections(rng: random.Random, draft: Draft) -> bool:
    significance = draft.sub("significance")
    significance["correction"] = rng.choice(("holm", "maxt", "bh", "none"))
    if rng.random() < 0.6:
        significance["family"] = rng.choice(("primary", "all"))
    if rng.random() < 0.4:
        significance["pairs"] = rng.choice(("auto", "all"))
    return True


@feature(1.0)
def level(rng: random.Random, draft: Draft) -> bool:
    draft.sub("significance")["level"] = rng.choice((0.8, 0.9, 0.95, 0.98))
    return True


@feature(1.8)
def bands(rng: random.Random, draft: Draft) -> bool:
    draft.sub("significance")["bands"] = rng.choice(
        ("fixed_width", "sup_t", "vertical", "threshold", "sjr", "none")
    )
    return True


@feature(3.0)
def tests(rng: random.Random, draft: Draft) -> bool:
    if len(draft.design.models) == 1 or draft.primary in MIXED:
        return False
    chosen = rng.sample(names.TESTS, rng.choice((1, 2, 4)))
    significance = draft.sub("significance")
    significance["tests"] = chosen
    if {"equivalence", "non_inferiority"} & {*chosen}:
        significance["margin"] = rng.choice((0.02, 0.1, 0.3))
    if "power" in chosen and rng.random() < 0.9:
        significance["power"] = rng.choice((0.7, 0.9))
    return True


@feature(1.6)
def random_numbers(rng: random.Random, draft: Draft) -> bool:
    significance = draft.sub("significance")
    significance["seed"] = rng.choice((0, 7, 2**40))
    if rng.random() < 0.5:
        significance["replicate_on"] = rng.choice(("auto", "scores", "bins"))
    return True


@feature(0.15)
def enough_replicates(rng: random.Random, draft: Draft) -> bool:
    draft.sub("significance")["replicates"] = "auto"
    draft.config["epc"] = "none"
    return True


# Gates and history.


def _bound(rng: random.Random, key: str) -> dict[str, Any]:
    offered = MEASURES[key]
    sides = (
        ("at_most", "at_least")
        if key in names.BOTH_SIDES
        else ("at_most" if offered.better == "lower" else "at_least",)
    )
    return {rng.choice(sides): rng.choice(offered.limits)}


@feature(3.5)
def gates(rng: random.Random, draft: Draft) -> bool:
    """Limits and comparisons, of all models, some, a group or a dataset."""
    if "no dev" in draft.hints:
        return False
    gates = draft.config.setdefault("gates", [])
    for _ in range(rng.choice((1, 2, 3))):
        gate = _gate(rng, draft)
        if gate is not None:
            gate["name"] = f"gate {len(gates)}"
            gates.append(gate)
    if not gates:
        del draft.config["gates"]
    return bool(gates)


def _gate(rng: random.Random, draft: Draft) -> dict[str, Any] | None:
    models = draft.design.models
    key = "recall" if draft.design.all_targets else rng.choice([key for key in MEASURES if key not in MIXED])
    if rng.random() < 0.5 and not draft.design.all_targets:
        key = rng.choice(LINEAR)
    at_threshold = MEASURES[key].over == "threshold"
    named = at_threshold and not draft.has_criterion
    if named and not draft.chooses:
        return None
    gate: dict[str, Any] = {"measure": names.measure(rng, key) if draft.scored else "recall"}
    if len(models) > 1 and rng.random() < 0.6 and key not in names.BOTH_SIDES:
        against = rng.choice(models)
        others = [model for model in models if model != against]
        gate |= {"model": rng.choice((others[:2], others[0])), "against": against}
        gate |= rng.choice(({"better": True}, {"better_by": 0.05}, {"not_worse_by": 0.1}))
    else:
        gate |= {"model": rng.choice(("*", models[0], models[:2]))} | _bound(rng, key)
    if at_threshold and (named or rng.random() < 0.4):
        criterion = draft.criterion(rng)
        mixed = criterion.partition("(")[0] in names.MIXED_CRITERIA
        gate["criterion"] = "min_hter" if mixed else criterion
    if draft.design.datasets and rng.random() < 0.8:
        gate["dataset"] = rng.choice(draft.design.datasets)
    if "gender" in draft.config.get("by", ()) and rng.random() < 0.5:
        gate["group"] = "gender=f"
    if rng.random() < 0.4:
        gate["level"] = rng.choice((0.8, 0.9))
    if rng.random() < 0.4:
        gate["on_undecided"] = rng.choice(("fail", "pass"))
    return gate


@feature(0.8)
def gate_of_dataset(rng: random.Random, draft: Draft) -> bool:
    """A gate of one of several datasets."""
    return _gate_of(rng, draft, "dataset", draft.design.datasets)


@feature(0.8)
def gate_of_group(rng: random.Random, draft: Draft) -> bool:
    """A gate of one group of a breakdown."""
    return _gate_of(rng, draft, "group", ["gender=f"] * ("gender" in draft.config.get("by", ())))


def _gate_of(rng: random.Random, draft: Draft, key: str, some: list[str]) -> bool:
    gate = _gate(rng, draft) if some and "no dev" not in draft.hints else None
    if gate is not None:
        draft.config.setdefault("gates", []).append(
            gate | {key: rng.choice(some), "name": f"gate of a {key}"}
        )
    return gate is not None


@feature(2.3)
def history(rng: random.Random, draft: Draft) -> bool:
    if draft.layout == "counts":
        return False
    keys = {"store": "store", "as_of": "2026-01-12"}
    if rng.random() < 0.4:
        keys["reference"] = "2026-01-05"
    if rng.random() < 0.5:
        keys["stale"] = rng.choice(("caution", "error"))
    draft.config["history"] = keys
    if rng.random() < 0.8 and "no dev" not in draft.hints:
        _gates_of_history(rng, draft)
    return True


def _gates_of_history(rng: random.Random, draft: Draft) -> None:
    """Add gates against the reference, and one that may be looked at every week."""
    gates = draft.config.setdefault("gates", [])
    keys = [
        key
        for key in MEASURES
        if key not in (*MIXED, *names.BOTH_SIDES)
        and (draft.has_criterion or MEASURES[key].over != "threshold")
    ]
    key = "recall" if draft.design.all_targets else rng.choice(keys)
    gate = {"measure": names.measure(rng, key) if draft.scored else key, "model": "*", "against": "reference"}
    gates.append(
        gate | rng.choice(({"better": True}, {"better_by": 0.02}, {"not_worse_by": 0.1})) | {"name": "past"}
    )
    if draft.chooses and MEASURES[draft.primary].over == "threshold" and draft.primary not in MIXED:
        gate = {"measure": names.measure(rng, rng.choice(LINEAR)), "model": rng.choice(draft.design.models)}
        against = [model for model in draft.design.models if model != gate["model"]]
        if against and rng.random() < 0.5:
            gate |= {"against": rng.choice(against), "not_worse_by": 0.1}
        else:
            gate["at_most"] = 0.6
        bets = dict.fromkeys(("always_valid", "independent"), rng.random() < 0.8)
        if bets["always_valid"] and draft.design.clusters and rng.random() < 0.7:
            bets = {"always_valid": True}
        gates.append(gate | bets | {"name": "always"})


# The report.


@feature(1.5)
def formats(rng: random.Random, draft: Draft) -> bool:
    some = [["html", "json"]] * 5 + [
        ["html", "latex", "markdown", "json"],
        ["markdown-full", "json"],
        ["latex"],
        list(names.FORMATS),
    ]
    draft.sub("report")["formats"] = rng.choice(some)
    return True


@feature(0.5)
def pdf(rng: random.Random, draft: Draft) -> bool:
    draft.sub("report")["formats"] = rng.choice((["pdf"], ["pdf", "json"], ["png", "json"]))
    return True


@feature(2.0)
def vocabulary(rng: random.Random, draft: Draft) -> bool:
    draft.sub("report")["vocabulary"] = rng.choice(names.VOCABULARIES)
    if rng.random() < 0.5:
        draft.sub("report")["interactive"] = rng.choice((True, False))
    return True


@feature(2.8)
def sections(rng: random.Random, draft: Draft) -> bool:
    chosen = rng.sample(names.SECTIONS, rng.choice((2, 4, 8)))
    draft.sub("report")["sections"] = rng.choice(
        (["summary", *chosen], [*chosen, "rest"], ["summary", *chosen, "rest"])
    )
    return True


@feature(0.8)
def templates(rng: random.Random, draft: Draft) -> bool:
    draft.sub("report")["templates"] = "house"
    sections = draft.sub("report").get("sections")
    if sections:
        sections.insert(1, "notes")
    return True


@feature(2.4)
def tables(rng: random.Random, draft: Draft) -> bool:
    """Tables for a paper."""
    if draft.design.all_targets:
        draft.sub("report")["tables"] = [{"columns": ["recall"], "ci": "beside"}]
        return True
    if not draft.chooses or "no dev" in draft.hints:
        return False
    named = not draft.has_criterion
    tables = []
    for number in range(rng.choice((1, 1, 2))):
        columns: list[Any] = [draft.measure(rng, "sweep" if named else "") for _ in range(rng.choice((1, 2)))]
        key = rng.choice([key for key in MEASURES if MEASURES[key].over == "threshold" and key not in MIXED])
        full = {"measure": names.measure(rng, key)}
        full |= {"criterion": draft.criterion(rng)} if named or rng.random() < 0.7 else {}
        full |= {"title": "Rate [%]"} if "criterion" not in full or rng.random() < 0.5 else {}
        full |= {"digits": rng.choice((0, 1, 4))} if rng.random() < 0.5 else {}
        columns = list({str(column): column for column in columns}.values())
        chosen = {"measure": "threshold", "criterion": draft.criterion(rng)}
        columns += rng.choice(([], ["threshold"] if not named else [], [full], [full], [chosen]))
        table: dict[str, Any] = {"columns": columns}
        options = {"caption": "Results.", "rows": rng.choice(("models", "datasets")), "bold_best": rng.choice((True, False)),
                   "ci": rng.choice(("beneath", "beside", "none")), "name": f"main_{number}"}  # fmt: skip
        tables.append(table | {key: value for key, value in options.items() if rng.random() < 0.5})
    draft.sub("report")["tables"] = tables
    return True


@feature(1.0)
def ignore(rng: random.Random, draft: Draft) -> bool:
    draft.config["ignore"] = dict.fromkeys(rng.sample(names.CODES, rng.choice((1, 3, 12))), "a pilot")
    return True


# Where work runs.


@feature(1.6)
def executor(rng: random.Random, draft: Draft) -> bool:
    draft.sub("run")["executor"] = rng.choice((*("thread", "auto") * 2, "process"))
    if rng.random() < 0.6:
        draft.sub("run")["workers"] = rng.choice((1, 2))
    return True


@feature(0.8)
def places(rng: random.Random, draft: Draft) -> bool:
    for key, value in (("folder", "work"), ("cache", "cache"), ("cache_limit", 10)):
        if rng.random() < 0.6:
            draft.sub("run")[key] = value
    return True


OF_PROFILES = {
    "primary": {"measure": "hter", "criterion": "min_hter"},
    "criteria": ["min_hter", "eer"],
    "measures": ["far", "frr", "hter", "eer_rocch", "auc", "mindcf"],
    "curves": ["roc", "det"],
    "epc": {},
}
"""Keys that profiles fill in, with the values that they have without one."""


def _profiled(rng: random.Random, draft: Draft) -> None:
    """Name a profile that fills in words and the order of sections, and nothing of the numbers."""
    draft.config["profile"] = rng.choice([name for name in PROFILES if name not in ("stratos", "grades")])
    for key, value in OF_PROFILES.items():
        draft.config.setdefault(key, value)
    draft.trials.setdefault("runs", "seed")


def settled(rng: random.Random, draft: Draft) -> None:
    """Settle what no feature has: few replicates, short curves, one format, one worker."""
    config, design = draft.config, draft.design
    significance = draft.sub("significance")
    least = {0.8: 9, 0.9: 19, 0.95: 39, 0.98: 99}[significance.get("level", 0.95)]
    significance.setdefault("replicates", max(least, rng.choice((49, 99))))
    if "epc" not in config and "no dev" not in draft.hints and config.get("profile") != "stratos":
        config["epc"] = "none" if not draft.chooses or rng.random() < 0.6 else {"alphas": rng.choice((3, 5))}
    if "curves" not in config and rng.random() < 0.5 and config.get("profile") != "stratos":
        config["curves"] = []
    if "formats" not in config.get("report", {}):
        draft.sub("report")["formats"] = rng.choice((["json"], ["html", "json"]))
    if draft.chooses and "no dev" not in draft.hints and "profile" not in config and rng.random() < 0.1:
        _profiled(rng, draft)
    draft.sub("run").setdefault("executor", "serial")
    if design.all_targets and ("gates" in config or rng.random() < 0.5):
        config["thresholds"] = {"policy": "none"}
    if draft.layout == "counts":
        known = ("by", "averaged_over", "across", "thresholds", "models")
        about = {key: config[key] for key in known if key in config}
        draft.hints["config"] = json.dumps(about)
    design.columns = tuple(dict.fromkeys(design.columns))
    more = random.Random(f"{rng.random()} more")
    if any("independent" in gate for gate in config.get("gates", ())) and more.random() < 0.2:
        draft.sub("run").update({"cache": "cache", "cache_limit": 10})  # too rare a pair
    _handed_over(random.Random(f"{rng.random()} handover"), draft)
    _all_turned(more, draft)
    _alerted(random.Random(f"{draft.config!r} alerts"), draft)
    _recomputed(random.Random(f"{draft.config!r} recompute"), draft)
    if not _reader_study(draft):
        _written(more, draft)
        _dated(more, draft)
        _passport(random.Random(f"{rng.random()} passport"), draft)
    _trained(random.Random(f"{draft.config!r} learning"), draft)
    _classed(random.Random(f"{draft.config!r} classes"), draft)
    _graded(random.Random(f"{draft.config!r} grades"), draft)
    _weighed(random.Random(f"{draft.config!r} weights"), draft)
    _shared(random.Random(f"{draft.config!r} shared"), draft)
    _sampled(random.Random(f"{draft.config!r} sampled"), draft)


OUTSIDE_STRATA = ("averaged_over", "across", "learning", "alerts", "classes", "abstention", "handover")
"""Keys of the config that are refused where trials are sampled in strata."""


def _sampled(rng: random.Random, draft: Draft) -> None:
    """Sample clusters, or trials, in two strata, where limits are computed within strata."""
    design, config, trials = draft.design, draft.config, draft.trials
    kept = draft.layout == "long" and draft.is_plain and trials.get("count") != "there" and not design.counted
    kept = (
        kept
        and design.clusters < 2
        and not design.spoofs
        and not {"file", "pattern"} & {*trials.get("clusters", {})}
    )
    kept = kept and trials.get("runs", "seed") == "seed" and draft.policy in ("dev", "train", "none")
    of_report = {"passport", "recompute"} & {*config.get("report", {})}
    if (
        not kept
        or of_report
        or {*OUTSIDE_STRATA} & {*config}
        or "guarantee" in str(config)
        or rng.random() > 0.4
    ):
        return
    config["significance"].pop("stratify", None)
    design.columns = tuple(dict.fromkeys((*design.columns, "region")))
    draft.sub("trials", "columns")["sampling_stratum"] = "region"


def _trained(rng: random.Random, draft: Draft) -> None:
    """Evaluate learning procedures: over folds, which may differ between runs, or over trainings."""
    design, value = draft.design, dict[str, Any]()
    if draft.averaged or design.runs == "reader" or design.counted or rng.random() > 0.3:
        return
    held = design.runs == "fold" or draft.config.get("thresholds", {}).get("column") is not None
    may = draft.is_plain and not design.all_targets and draft.trials.get("count") != "there"
    if may and not held and rng.random() < 0.7:
        value["folds"] = "fold"
        design.columns = tuple(dict.fromkeys((*design.columns, "fold")))
        design.moving = design.runs == "seed" and rng.random() < 0.6
    if (held or value) and rng.random() < 0.6:
        value["training"] = rng.choice((20, 400))
    draft.config["learning"] = value or True


def _alerted(rng: random.Random, draft: Draft) -> None:
    """Ask for alerts per day, of trials of two classes that thresholds are set for."""
    if draft.chooses and not draft.design.all_targets and rng.random() < 0.2:
        money = {"loss": rng.choice((20, 250)), "review": rng.choice((0.5, 4))}
        draft.config["alerts"] = {"per_day": rng.choice((50, 12000)), **rng.choice(({}, money))}


def _recomputed(rng: random.Random, draft: Draft) -> None:
    """Let the page hold counts, of trials of two classes; a number keeps small counts out."""
    if not draft.design.all_targets and rng.random() < 0.15:
        draft.sub("report")["recompute"] = rng.choice((True, True, 2, 5))


def _classed(rng: random.Random, draft: Draft) -> None:
    """Ask about every label as a class of its own, each with a column of scores."""
    values, design = draft.trials.get("values", {}), draft.design
    plain = draft.layout in ("wide", "long") and draft.trials.get("count") != "there"
    # A file of the FDA's program has two truths.
    imrmc = str(draft.trials.get("source")).endswith(".imrmc")
    plain = plain and not (design.counted or design.all_targets or imrmc)
    if not plain or "event" in values or "predicted" in draft.trials.get("columns", {}) or rng.random() < 0.3:
        return
    labels = list(words_of(draft.trials, draft.hints).values())[: 3 if design.spoofs else 2]
    if draft.layout == "long":
        if rng.random() < 0.2:
            draft.hints["kinds"] = json.dumps(labels)
            draft.config["classes"] = {"labels": labels, "column": "of_class"}
            source = draft.trials.get("source")
            if isinstance(source, str) and not {"{", ":"} & {*source} and rng.random() < 0.8:
                draft.config["classes"]["one_vs_rest"] = rng.choice((1, "right"))
                draft.hints["right"] = str(draft.config["classes"]["one_vs_rest"])
            _measured_of_classes(rng, draft)
        return
    draft.hints["classes"] = json.dumps(labels)
    by_model = {model: {of: f"{model}: {of}" for of in labels} for model in design.models}
    draft.config["classes"] = {"labels": labels, "scores": rng.choice(("{model}: {class}", by_model))}
    _measured_of_classes(rng, draft)


def _measured_of_classes(rng: random.Random, draft: Draft) -> None:
    if rng.random() < 0.5:
        draft.config["classes"]["measures"] = rng.sample(names.OF_CLASSES, rng.randint(1, 3))


def _graded(rng: random.Random, draft: Draft) -> None:
    """Compare means of the scores themselves: of items without labels, or beside other measures."""
    config, key = draft.config, rng.choice(names.OF_GRADES)
    if draft.trials.get("missing") == "reject":
        return
    others = {
        name: value for name, value in config.items() if name not in ("primary", "criteria", "measures")
    }
    if draft.design.all_targets and "recall" not in str(others) and rng.random() < 0.6:
        draft.design.decisions = draft.layout in ("resolved", "openai_evals")  # written as solved or not
        config["primary"], config["measures"] = {"measure": key}, [key]
        config.pop("criteria", None)
        if rng.random() < 0.4:
            config["profile"] = "grades"
        repeated = draft.layout == "long" and draft.is_plain and draft.design.runs in ("", "seed")
        if repeated and not {"weights", "count"} & {*draft.trials} and rng.random() < 0.7:
            draft.design.runs, draft.design.n_runs = "seed", rng.choice((2, 3))
            draft.trials["runs"] = "epoch"
            draft.design.lacking = rng.choice(("", "epochs", "epochs"))
            if draft.design.n_runs == 2:
                draft.design.missing, draft.trials["missing"] = 0.1, "drop"
    elif "measures" in config and not draft.design.all_targets and key not in config["measures"]:
        config["measures"] = [*config["measures"], *[key] * (rng.random() < 0.2)]


def _weighed(rng: random.Random, draft: Draft) -> None:
    """Weigh each row by a column, where strata have weights; one weight may be 0."""
    if draft.trials.get("weights") and rng.random() < 0.5:
        strata = rng.choice((("1", "0.5", "3"), ("2.25", "7", "0"), ("0.125", "1e1", "2.7")))
        draft.design.strata = strata[: len(draft.design.strata)]
        draft.trials.get("columns", {}).pop("stratum", None)
        draft.trials["weights"] = rng.choice(({"column": "stratum"}, "stratum"))


def _shared(rng: random.Random, draft: Draft) -> None:
    """Compare the trials that all models have, where trials have keys and rows are read."""
    kept = draft.layout in ("long", "wide") and draft.is_plain and draft.design.runs != "fold"
    kept = kept and draft.trials.get("count") != "there" and not draft.design.counted
    if kept and draft.trials.get("missing") == "drop":
        draft.trials["missing"] = rng.choice(("drop", "shared", "shared"))


def _handed_over(rng: random.Random, draft: Draft) -> None:
    """Hand thresholds over, where there is one for all trials and the test set is like new ones."""
    like_new = not draft.trials.get("weights") and not (draft.trials.get("clusters") or {}).get("file")
    like_new = like_new and draft.trials.get("prevalence", "sample") == "sample"
    if draft.policy not in ("dev", "train", "split_clients") or not draft.chooses or "no dev" in draft.hints:
        return
    if like_new and draft.trials.get("runs") != "fold" and rng.random() < 0.3:
        draft.config["handover"] = True


def _passport(rng: random.Random, draft: Draft) -> None:
    """Simulate a few tables, where such tables are simulated."""
    design, primary = draft.design, str(draft.config.get("primary", ""))
    simulated = draft.is_plain and not (draft.averaged or design.all_targets)
    simulated = simulated and draft.trials.get("count") != "there" and not design.spoofs
    dependent = any(key in primary for key in ("precision_at", "chi_squared"))
    if simulated and design.clusters < 2 and design.runs not in ("reader", "fold") and not dependent:
        draft.sub("report").update({"passport": rng.choice((10, 12))} if rng.random() < 0.1 else {})


def _written(rng: random.Random, draft: Draft) -> None:
    """Say of some files how they are written: with decimal commas, in a workbook, or by another program."""
    if draft.layout == "resolved" and rng.random() < 0.6:
        of_others = {"openai_evals": "logs/{model}.jsonl", "helm": "logs/*/per_instance_stats.json"}
        layout = rng.choice([*of_others])
        draft.trials.update({"layout": layout, "source": of_others[layout]})
    _by_class(rng, draft)
    _event(rng, draft)
    _confident(rng, draft)
    source = draft.trials["source"]
    if draft.layout not in ("long", "wide", "keyed") or not isinstance(source, str) or rng.random() > 0.3:
        return
    if source == "trials.parquet":
        draft.trials["source"] = source = rng.choice(("trials.xlsx", "trials.txt", "trials.csv"))
    if source == "trials.csv" and rng.random() < 0.3:
        draft.trials["source"] = source = "trials.zip"
    if source.endswith(".zip"):
        draft.trials["reading"] = {"sheet": "trials.csv"}
    elif source.endswith(".xlsx"):
        draft.trials["reading"] = {"sheet": "trials"}
    elif source.endswith(".txt"):
        draft.trials["reading"] = {"decimal": ","}
    elif source.endswith((".csv", ".tsv")):
        draft.trials["reading"] = rng.choice(({"decimal": "."}, {"header": True}))


def _event(rng: random.Random, draft: Draft) -> None:
    """Write what was observed in place of labels."""
    is_file = "://" not in str(draft.trials["source"]) and draft.trials.get("count") != "there"
    others = (
        "labels" in draft.hints
        or draft.design.spoofs
        or draft.design.all_targets
        or "history" in draft.config
    )
    named = {"target", "nontarget"} & {*draft.trials.get("values", {})}
    predicted = "predicted" in draft.trials.get("columns", {})
    if draft.layout not in ("long", "wide", "keyed") or not is_file or others or named or predicted:
        return
    if draft.scored and rng.random() < 0.12:
        event = rng.choice(({"above": 0}, {"at_least": 0.5}, {"below": 10}, {"at_most": 1.5}))
        draft.sub("trials", "values")["event"] = event


def _all_turned(rng: random.Random, draft: Draft) -> None:
    """Say of all models together that lower scores favour targets, where each says so."""
    models = draft.config.get("models", {})
    named = (
        draft.trials.get("count") != "there" and draft.layout != "counts" and "history" not in draft.config
    )
    if named and {*draft.design.models} == draft.design.turned and rng.random() < 0.5:
        for model in draft.design.models:
            del models[model]["higher_is"]
            if not models[model]:
                del models[model]
        models["*"] = {"higher_is": "nontarget"}


def _reader_study(draft: Draft) -> bool:
    """Write what readers scored as the FDA's program takes it, where such a file holds all that is asked."""
    design, trials = draft.design, draft.trials
    more = (
        "has_dev",
        "clusters",
        "datasets",
        "strata",
        "counted",
        "missing",
        "infinite",
        "unlabelled",
        "spoofs",
    )
    is_plain = design.runs == "reader" and draft.layout == "long" and draft.scored
    others = {*trials} - {"source", "runs", "prevalence", "coarse", "columns"}
    grouped = {"by", "across", "averaged_over", "history"} & {*draft.config} or "predicted" in trials.get(
        "columns", {}
    )
    lacks = [name for name in (*more, "lacking", "all_targets") if getattr(design, name)]
    if not is_plain or others or grouped or lacks or "column" in draft.config.get("thresholds", {}):
        return False
    trials["source"] = "trials.imrmc"
    trials["columns"] = {"run": "reader", "trial": "case", "model": "modality", "label": "truth"}
    draft.hints.update({"labels": "number", "split": "none"})
    return True


def _dated(rng: random.Random, draft: Draft) -> None:
    """Write dates in place of the names of sets."""
    source, values = str(draft.trials["source"]), draft.trials.get("values", {})
    has_names = "split" not in draft.hints and "{" not in source and source != "lake"
    others = {"dev", "test", "unused"} & {*values} or draft.trials.get("count") == "there"
    if (
        draft.layout == "long"
        and has_names
        and not others
        and "history" not in draft.config
        and rng.random() < 0.1
    ):
        ranges = (
            {"dev": "until 2026-03"},
            {"dev": "from 2025 until 2026-03-31", "test": "from 2026-04"},
            {"dev": "until 2026-03", "test": "from 2026-04-01 until 2026-05"},
        )
        draft.sub("trials", "values").update(rng.choice(ranges))


def _by_class(rng: random.Random, draft: Draft) -> None:
    """Write numbers of trials, or scores, of each class in a column of its own."""
    design, source = draft.design, draft.trials["source"]
    is_plain = draft.layout == "long" and source == "trials.parquet" and design.counted and draft.scored
    others = {"values", "missing", "unlabelled", "reading", "clusters", "weights"} & {*draft.trials}
    others |= {*draft.trials.get("columns", {})} - {"count"}
    has_more = design.columns or design.clusters or design.runs or design.datasets or design.missing
    if not is_plain or others or has_more or "history" in draft.config or draft.hints.get("labels"):
        return
    split = "" if draft.hints.get("split") == "none" else "-{split}"
    layout = rng.choice(("classes", "histogram"))
    draft.trials.pop("columns", None)
    draft.trials.update({"layout": layout, "source": f"{{model}}{split}.csv"})


def _confident(rng: random.Random, draft: Draft) -> None:
    """Write probabilities as the confidence in the class that is predicted at one half.

    Where labels and scores come in files of their own, both may have one name.
    """
    is_alone = draft.layout == "keyed" and not {"columns", "history"} & {*draft.trials, *draft.config}
    if is_alone and rng.random() < 0.4:
        draft.sub("trials", "columns").update({"label": "target", "score": "target"})
    scales = {draft.design.scales.get(model) for model in draft.design.models}
    nontarget = draft.trials.get("values", {}).get("nontarget", "")
    is_file = "://" not in str(draft.trials["source"]) and draft.trials.get("count") != "there"
    if draft.layout != "long" or scales != {"probability"} or not is_file or not draft.scored:
        return
    two = nontarget != "rest" and not draft.design.spoofs and "labels" not in draft.hints
    if two and not draft.design.turned and not draft.design.all_targets and rng.random() < 0.7:
        draft.sub("trials", "columns")["predicted"] = rng.choice(("predicted", "decided"))
        draft.design.confident = True
