"""The numbers of a report, computed again from its rows and its config by loops over trials.

Written from MEASURES.md, FRAMES.md and the guide, not from the program. ``disagreements`` counts how many numbers
it compared and returns those that differ. What it cannot know (random folds, resamples) it leaves out.
"""

from __future__ import annotations

import math
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.stats import beta, binom, kstat, norm
from scipy.stats import t as student

from tests.research.combinations import definitions as d

ROOT = Path(__file__).parents[3]
ALONG = {
    "weighted_error": "alpha", "precision_recall": "alpha", "target_far": "far", "target_frr": "frr",
    "weighted": "alpha", "spoofing_error": "alpha", "target": "value", "worst_far": "far",
}  # fmt: skip
KEY = ("model", "run", "dataset", "split", "group")


class Combination(Protocol):
    """A config, as parsed, and the rows it is about, under the canonical names of columns."""

    config: dict[str, Any]
    frame: pl.DataFrame
    hints: dict[str, str]
    """Of these, ``bits``: how many bits of a score bundles of counts keep."""


def disagreements(combination: Combination, report_folder: Path) -> tuple[int, list[str]]:
    """Return how many numbers of a report were compared, and those that differ."""
    check = Check(Oracle(combination.config, combination.frame, combination.hints.get("bits")), report_folder)
    check.every_frame()
    return sum(check.compared.values()), check.found


# --- names ------------------------------------------------------------------------------------------------


@cache
def defaults() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the parameters of every measure and criterion of MEASURES.md, as (section, name)."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    section = name = ""
    for line in (ROOT / "MEASURES.md").read_text().splitlines():
        line = line.replace("\\", "")
        if line.startswith("## "):
            section = line.split()[1].rstrip(":")
        elif line.startswith("### "):
            name = line[5:-1]
            found[section, name] = {}
        elif line.startswith("- parameters:"):
            for part in re.findall(r"(\w+) = (\S+) \(", line):
                found[section, name][part[0]] = number(part[1])
    return found


def number(text: str) -> Any:
    """Return a parameter as a number or a truth value where it is one."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


@cache
def parsed(text: str, section: str = "Measures") -> tuple[str, dict[str, Any]]:
    """Return a name and all its parameters: ``weighted(v1=precision,v2=f_beta(beta=2))``."""
    name, _, inside = text.replace(" ", "").partition("(")
    given: dict[str, Any] = {}
    depth, part = 0, ""
    for letter in inside[:-1] + "," if inside else "":
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            key, _, value = part.partition("=")
            given[key], part = number(value), ""
        else:
            part += letter
    known = next((v for (s, n), v in defaults().items() if n == name and s.startswith(section)), {})
    return name, {**known, **given}


# --- the table --------------------------------------------------------------------------------------------


@dataclass
class Rows:
    """Rows of one model, run, dataset and split, one a trial, and those that are not trials."""

    frame: pl.DataFrame
    read: int = 0
    unlabelled: int = 0
    missing: int = 0
    infinite: int = 0

    @property
    def score(self) -> np.ndarray:
        """Oriented scores."""
        return self.frame["_score"].to_numpy()

    @cached_property
    def trials(self) -> d.Trials:
        """Scores, classes, weights and spoofs."""
        f = self.frame
        return d.Trials(
            self.score,
            f["_target"].to_numpy(),
            f["_weight"].to_numpy(),
            f["_spoof"].to_numpy(),
        )


@dataclass
class Threshold:
    """What decides: one threshold, or one per fold."""

    source: str
    value: float | None = None
    of_fold: dict[str, float] = field(default_factory=dict)


class Oracle:
    """Numbers of a config and its rows."""

    def __init__(self, config: dict[str, Any], frame: pl.DataFrame, bits: str | None = None) -> None:
        self.config = config
        self.of_trials = config.get("trials") or {}
        of_bundles = bits if self.of_trials.get("layout") == "counts" else None
        self.bits = self.of_trials.get("coarse", of_bundles)
        self.thresholds = config.get("thresholds") or {}
        self.models = {str(k): v or {} for k, v in (config.get("models") or {}).items()}
        every = self.models.pop("*", {})
        if every and "model" in frame.columns:
            for model in frame["model"].unique():
                self.models[model] = {**every, **self.models.get(model, {})}
        self.given = frame.columns
        self.raw = self.prepared(frame)
        asked = config.keys() & {"thresholds", "primary", "criteria", "epc", "gates", "operating_points"}
        without = "split" not in frame.columns or (config.get("profile") == "stratos" and not asked)
        self.policy = self.thresholds.get("policy") or ("none" if without else "dev")
        self.cells: dict[tuple[str, ...], Rows] = {}
        self.chosen: dict[Any, Threshold | None] = {}
        self.tables: dict[Any, d.Table | None] = {}
        self.sweeps: dict[Any, d.Sweep] = {}
        self.runs_of = {
            m: sorted(self.raw.filter(pl.col("model") == m)["run"].unique())
            for m in self.raw["model"].unique()
        }

    # rows

    def prepared(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add what every row is: class, oriented score, weight, and why it is no trial."""
        columns = [c for c in frame.columns if c not in ("score", "count", "label")]
        frame = frame.with_columns(pl.col(c).cast(pl.String) for c in columns)
        for name, default in {"run": "0", "dataset": "all", "split": "test"}.items():
            if name not in frame.columns:
                frame = frame.with_columns(pl.lit(default).alias(name))
        frame = frame.filter(pl.col("split").is_in(["dev", "test"]))
        if self.of_trials.get("runs") == "epoch":
            item = [name for name in frame.columns if name not in ("run", "score")]
            mean = pl.col("score").cast(pl.Float64).fill_nan(None).mean()
            lacking = pl.col("score").cast(pl.Float64).fill_nan(None).is_null().sum()
            by_item = frame.group_by(item, maintain_order=True)
            frame = by_item.agg(mean, run=pl.lit("0"), _lacking=lacking)
        if "label" not in frame.columns:
            frame = frame.with_columns(label=pl.lit(True))
        for name, named in (self.of_trials.get("columns") or {}).items():
            if isinstance(named, str) and name in frame.columns and named not in frame.columns:
                frame = frame.with_columns(pl.col(name).alias(named))  # groups go by the name in the file
        kinds = [kind_of(label) for label in frame["label"]]
        turned = {m for m, s in self.models.items() if s.get("higher_is") == "nontarget"}
        score = frame["score"].cast(pl.Float64).fill_nan(None)
        frame = frame.with_columns(
            _kind=pl.Series(kinds, dtype=pl.String),
            _missing=score.is_null(),
            _score=pl.when(pl.col("model").is_in(list(turned))).then(-score).otherwise(score) + 0.0,
        )
        if self.bits is not None:
            frame = frame.with_columns(_score=floored(frame["_score"], int(self.bits)))
        return self.cleared(frame)

    def cleared(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Mark the rows that are trials, expand counted rows, and weigh them."""
        missing = self.of_trials.get("missing", "error")
        lost = frame["_missing"]
        if missing == "drop" and "trial" in frame.columns:
            keys = ["dataset", "split", "trial"]
            gone = frame.filter("_missing").select(keys).unique().with_columns(_gone=True)
            frame = frame.join(gone, on=keys, how="left", nulls_equal=True, maintain_order="left")
            lost = frame["_gone"].fill_null(False)
        if missing == "shared":
            held = frame.filter(~frame["_missing"] & frame["_kind"].is_not_null())
            runs = frame.group_by("dataset", "split").agg(pl.struct("model", "run").n_unique().alias("_runs"))
            keys = ["dataset", "split", "trial"]
            whole = held.group_by(keys).len("_held").join(runs, on=keys[:2], nulls_equal=True)
            whole = whole.filter(pl.col("_held") == pl.col("_runs")).select(*keys, _whole=True)
            frame = frame.join(whole, on=keys, how="left", nulls_equal=True, maintain_order="left")
            lost = ~frame["_whole"].fill_null(False)
        if missing == "reject":
            frame = frame.with_columns(pl.col("_score").fill_null(-math.inf))
            lost = pl.Series([False] * frame.height)
        frame = frame.with_columns(_trial=~lost & frame["_kind"].is_not_null())
        weight = self.weight_of(frame)
        if len({v for v in weight.values() if v > 0}) == 1:  # proportions alone: every trial is one
            weight = {k: float(v > 0) for k, v in weight.items()}
        if weight:
            by = pl.col("stratum").replace_strict(weight, default=1.0, return_dtype=pl.Float64)
            frame = frame.with_columns(_weight=by)
            frame = frame.with_columns(_trial=pl.col("_trial") & (pl.col("_weight") > 0))
        else:
            frame = frame.with_columns(_weight=pl.lit(1.0))
        frame = frame.with_columns(_target=pl.col("_kind") == "target", _spoof=pl.col("_kind") == "spoof")
        if "count" in frame.columns:
            frame = frame.filter(pl.col("count") > 0)
            many = frame["count"].to_numpy()
            frame = frame[np.repeat(np.arange(frame.height), many).tolist()]
        return frame

    def cell(self, model: str, run: str, dataset: str, split: str, group: str = "") -> Rows:
        """Return the trials of one cell."""
        key = (model, run, dataset, split, group)
        if key not in self.cells:
            self.cells[key] = self.made(*key)
        return self.cells[key]

    def lacks_before_counting(self, dataset: str, split: str) -> bool:
        """Whether counts come of trials of which some lack label or score: nobody knows of which group."""
        if self.of_trials.get("layout") != "counts" and self.of_trials.get("count") != "there":
            return False
        rows = self.raw.filter(dataset=dataset, **({"split": split} if self.has_splits else {}))
        return bool((rows["_missing"] | rows["_kind"].is_null()).any())

    def made(self, model: str, run: str, dataset: str, split: str, group: str) -> Rows:
        """Filter the table."""
        of = {"model": model, "dataset": dataset} | ({} if run == "pooled" else {"run": run})
        if self.has_splits:
            of["split"] = split
        rows = self.raw.filter(**of)
        of_group = [self.belongs(column, value) for column, value in parts_of(group.removeprefix("not "))]
        if group:
            inside = pl.all_horizontal(of_group)
            rows = rows.filter(~inside if group.startswith("not ") else inside)
        good = rows.filter("_trial")
        infinite = rows.filter(pl.col("_score").is_infinite() & ~pl.col("_missing")).height
        # Of means over epochs, the epochs that lack a score.
        missing = int(rows["_lacking" if "_lacking" in rows.columns else "_missing"].sum())
        return Rows(good, rows.height, rows["_kind"].is_null().sum(), missing, infinite)

    def belongs(self, column: str, value: str) -> pl.Expr:
        """Whether a row is of a group: of a column of one class, all trials of the other class are."""
        if column == "attempt" and "attempt" not in self.raw.columns:
            kind = "spoof" if value == "spoof" else "nontarget"
            return pl.col("_kind").is_in([kind, "target"])
        described = self.described.get(column)
        is_value = (pl.col(column) == value).fill_null(False)
        if described is None:
            return is_value
        if described == "target":
            return ~pl.col("_target") | is_value
        if described == "spoof":
            return pl.col("_target") | (pl.col("_spoof") & is_value)
        return pl.col("_target") | is_value

    @cached_property
    def described(self) -> dict[str, str]:
        """Columns that describe one class, with the class."""
        found: dict[str, str] = {}
        for entry in self.config.get("by") or []:
            for part in entry if isinstance(entry, list) else [entry]:
                if isinstance(part, dict):
                    found.update({str(k): str(v) for k, v in part.items()})
        return found

    @property
    def pools_runs(self) -> bool:
        """Whether runs are folds, with test trials of their own."""
        return self.of_trials.get("runs") == "fold" and "run" in self.given

    @cached_property
    def has_splits(self) -> bool:
        """Whether splits part the trials."""
        return self.policy in ("dev", "train", "cv_test", "none") and "split" in self.given

    # scales

    def scale(self, model: str) -> str:
        """Return the declared scale of a model."""
        return self.models.get(model, {}).get("scale", "score")

    @cached_property
    def weighted(self) -> bool:
        """Whether trials of some strata weigh more than others."""
        return len({v for v in self.weight_of(self.raw).values() if v > 0}) > 1

    @cached_property
    def sampled(self) -> bool:
        """Whether trials were drawn in several strata."""
        named = "sampling_stratum" in self.of_trials.get("columns", {})
        return named and self.raw.filter("_trial")["region"].n_unique() > 1

    def weight_of(self, frame: pl.DataFrame) -> dict[str, float]:
        """Return the weight of every stratum, or of every text in a column of weights."""
        weights = self.of_trials.get("weights") or {}
        if isinstance(weights, str) or "column" in weights:
            return {text: float(text) for text in frame["stratum"].drop_nulls().unique()}
        return {str(k): float(v) for k, v in (weights.get("stratum") or {}).items()}

    @property
    def prevalence(self) -> float | None:
        """Return the declared share of targets."""
        p = self.of_trials.get("prevalence", "sample")
        return None if p in (None, "sample") else float(p)

    def llr(self, model: str, score: np.ndarray) -> np.ndarray | None:
        """Return natural log likelihood ratios, or None where the scale does not give them."""
        scale, p = self.scale(model), self.prevalence
        if scale in ("llr", "log10_llr"):
            return score * (math.log(10) if scale == "log10_llr" else 1.0)
        if scale in ("probability", "logit") and p is not None:
            return self.odds(model, score) - math.log(p / (1 - p))
        return None

    def odds(self, model: str, score: np.ndarray) -> np.ndarray | None:
        """Return log odds of the stated probabilities, or None where the scale does not give them."""
        scale, p = self.scale(model), self.prevalence
        if scale == "logit":
            return score
        if scale == "probability":
            with np.errstate(divide="ignore"):
                return np.log(score) - np.log1p(-score)
        if scale in ("llr", "log10_llr") and p is not None:
            return self.llr(model, score) + math.log(p / (1 - p))
        return None

    def bayes(self, model: str, llr: float) -> float | None:
        """Return the score at a log likelihood ratio."""
        scale, p = self.scale(model), self.prevalence
        if scale == "llr":
            return llr
        if scale == "log10_llr":
            return llr / math.log(10)
        if p is not None and scale in ("logit", "probability"):
            # Logarithms of a cost ratio and of prior odds that cancel leave a last bit, and scores lie at 0.5.
            odds = round(llr + math.log(p / (1 - p)), 12)
            return odds if scale == "logit" else 1 / (1 + math.exp(-odds))
        return None

    def turned(self, model: str) -> bool:
        """Whether low scores favour the target."""
        return self.models.get(model, {}).get("higher_is") == "nontarget"

    # thresholds

    def threshold(
        self, criterion: str, model: str, run: str, dataset: str, split: str, group: str
    ) -> Threshold | None:
        """Return what decides the trials of a cell, None where nothing does."""
        whole = "" if not criterion.startswith("oracle(") else group
        key = (
            criterion,
            model,
            run,
            dataset,
            split if whole or criterion.startswith("oracle(") else "",
            whole,
        )
        if key not in self.chosen:
            self.chosen[key] = self.made_threshold(criterion, model, run, dataset, split, whole)
        return self.chosen[key]

    def made_threshold(
        self, criterion: str, model: str, run: str, dataset: str, split: str, group: str
    ) -> Threshold | None:
        """Choose it."""
        if criterion.startswith("oracle("):
            trials = self.cell(model, run, dataset, split, group).trials
            return self.on(trials, criterion[7:-1], "oracle", group)
        name, p = parsed(criterion, "Criteria")
        if name == "fixed":
            sign = -1 if self.turned(model) else 1
            return Threshold("fixed", sign * p["threshold"])
        if name == "bayes":
            value = self.bayes(model, d.bayes_threshold(p))
            return None if value is None else Threshold("bayes", value)
        if self.policy in ("dev", "train"):
            home = self.home(dataset)
            if name == "worst_far":
                return self.worst(p["far"], model, run, home)
            if run == "pooled" and name.startswith("guarantee") and self.cluster is not None:
                raise UnknownError("guarantee with clusters, several runs or folds")
            if run == "pooled":
                runs = self.raw.filter(model=model, dataset=dataset)["run"].unique()
                found = {
                    r: choose(self.cell(model, r, home, "dev").trials, criterion, self.thresholds)
                    for r in runs
                }
                return None if None in found.values() else Threshold("dev", None, found)
            if name.startswith("guarantee") and self.cluster is not None:
                return self.of_clusters(criterion, self.cell(model, run, home, "dev"))
            return self.on(self.cell(model, run, home, "dev").trials, criterion, "dev", "")
        if name.startswith("guarantee") and self.cluster is not None:
            raise UnknownError("guarantee with clusters, several runs or folds")
        if self.policy in ("leave_one_client_out", "cv_test", "kfold"):
            return self.across(criterion, model, run, dataset)
        return None

    def home(self, dataset: str) -> str:
        """Return the dataset whose development set is used: its own, one that is named, or the only one there is."""
        named = (self.thresholds.get("from") or {}).get(dataset)
        with_dev = self.raw.filter(split="dev")["dataset"].unique().to_list()
        alone = with_dev[0] if len(with_dev) == 1 and dataset not in with_dev else dataset
        return alone if named is None else str(named)

    def on(self, trials: d.Trials, criterion: str, source: str, group: str) -> Threshold | None:
        """Choose a threshold on some trials."""
        if parsed(criterion, "Criteria")[0] == "worst_far":
            raise UnknownError("worst_far of a test set")
        value = choose(trials, criterion, self.thresholds)
        return None if value is None else Threshold(source, value)

    @property
    def cluster(self) -> str | None:
        """Return the column of the clusters that trials are resampled by."""
        if (self.config.get("significance") or {}).get("unit") == "trial":
            return None
        named = (self.of_trials.get("columns") or {}).get("cluster")
        by_format = self.of_trials.get("layout") in ("bob", "kaldi", "nist", "voxsrc", "asvspoof")
        # Formats of text have no column of that name: their fields are clusters where a config names one.
        declared = "cluster" in self.given and named != "none" and not (by_format and named is None)
        column = "cluster" if declared else self.config.get("averaged_over")
        return None if column is None else str(column)

    def of_clusters(self, criterion: str, rows: Rows) -> Threshold | None:
        """Return the lowest (of misses: highest) threshold whose clusters with an error are few enough (Wilks)."""
        if "cluster_b" in self.given:
            raise UnknownError("guarantee with pairs")
        name, p = parsed(criterion, "Criteria")
        if name == "guarantee_precision":
            raise UnknownError("which trials of clusters are drawn")
        of_far = name == "guarantee"
        counts = ~rows.trials.target if of_far else rows.trials.target
        cluster = rows.frame[self.cluster].to_numpy()
        sizes = [int(np.sum(counts & (cluster == c))) for c in np.unique(cluster[counts])]
        limit = p["far" if of_far else "frr"] * (sum(sizes) / len(sizes)) / max(sizes)
        good = []
        for threshold, _ in d.cuts(rows.trials, self.thresholds.get("threshold_at", "midpoint")):
            accepted = d.accepted(rows.score, threshold)
            wrong = counts & (accepted if of_far else ~accepted)
            with_any = len(np.unique(cluster[wrong]))
            if binom.cdf(with_any, len(sizes), limit) <= 1 - p["confidence"]:
                good.append(threshold)
        return Threshold("dev", min(good) if of_far else max(good))

    def worst(self, far: float, model: str, run: str, dataset: str) -> Threshold | None:
        """Return the highest of the thresholds at which each attack is accepted within a limit."""
        rows = self.cell(model, run, dataset, "dev")
        found = [-math.inf]
        for group in self.attacks(rows.frame):
            trials = self.cell(model, run, dataset, "dev", group).trials
            cases = d.cuts(trials, self.thresholds.get("threshold_at", "midpoint"))
            found.append(min(t for t, table in cases if table.far <= far + d.SAME))
        return Threshold("dev", max(found))

    def attacks(self, frame: pl.DataFrame) -> list[str]:
        """Return the groups of the breakdowns that describe non-targets alone."""
        found = []
        for entry in self.config.get("by") or []:
            columns = entry if isinstance(entry, list) else [entry]
            if len(columns) == 1 and isinstance(columns[0], dict) and "target" not in columns[0].values():
                column = str(next(iter(columns[0])))
                kinds = frame.filter(~pl.col("_target"))[column].drop_nulls().unique()
                found += [f"{column}={value}" for value in kinds]
        return found

    def folds(self, frame: pl.DataFrame) -> pl.Series | None:
        """Return the fold of every trial where it is known: a named column, or clusters."""
        if self.pools_runs:
            return frame["run"]
        column = self.thresholds.get("column")
        if column is not None:
            return frame[str(column)]
        if self.policy in ("leave_one_client_out", "cv_test") and "cluster" in frame.columns:
            return frame["cluster"]
        return None

    def across(self, criterion: str, model: str, run: str, dataset: str) -> Threshold | None:
        """Choose a threshold for the trials of every fold on those of all others."""
        rows = self.cell(model, run, dataset, "test")
        fold = self.folds(rows.frame)
        if fold is None:
            raise UnknownError("folds at random")
        found = {}
        for value in fold.unique():
            others = rows.trials.only((fold != value).to_numpy())
            chosen = choose(others, criterion, self.thresholds)
            if chosen is None:
                return None
            found[value] = chosen
        return Threshold("cv", None, found)

    def accepted(self, rows: Rows, threshold: Threshold) -> np.ndarray:
        """Return which trials are accepted."""
        if threshold.value is not None:
            return d.accepted(rows.score, threshold.value)
        fold = self.folds(rows.frame)
        each = np.array([threshold.of_fold[f] for f in fold], dtype=float)
        return (rows.score >= each) & (each != math.inf)

    # values

    def value(self, measure: str, criterion: str | None, key: Sequence[str]) -> float | None:
        """Return a measure of a cell: of one run, or the mean over runs; a macro mean where the group is one."""
        model, run, dataset, split, group = key
        if run == "mean":
            values = [
                self.value(measure, criterion, (model, r, dataset, split, group))
                for r in self.runs(model, dataset)
            ]
            return None if not values or None in values else sum(values) / len(values)
        if group.startswith("mean("):
            return self.macro(measure, criterion, key)
        rows = self.cell(*key)
        if criterion is None:
            return self.without(measure, key)
        name, p = parsed(measure)
        table = self.table(criterion, key)
        if table is None or not len(rows.score):
            return None
        return d.value_at(table, name, p)

    def costs(self, measure: str, key: Sequence[str]) -> list[tuple[float, np.ndarray]]:
        """Return what trials cost of which a measure is the mean, by class with the weights of these means.

        Of all trials together, unless the config draws them by class or fixes the share of targets.
        """
        (name, p), t = parsed(measure), self.cell(*key).trials
        if p.get("calibration", "none") != "none":
            raise UnknownError(f"calibration={p['calibration']}")
        sign, share = np.where(t.target, -1.0, 1.0), float(np.mean(t.target))
        if name in d.OF_RATIOS:
            share = p.get("p_target", 0.5)
            llr = self.llr(key[0], t.score)
            assert llr is not None
            cost = d.softplus(sign * (llr + math.log(share / (1 - share)))) / math.log(2)
        elif name in ("mean_score", "mean_cost"):
            return [(1.0, (-1 if self.turned(key[0]) else 1) * t.score)]
        else:
            odds = self.odds(key[0], t.score)
            assert odds is not None
            cost = d.softplus(sign * odds) if name == "log_loss" else (d.expit(odds) - t.target) ** 2
            prevalence = p.get("prevalence", "sample")
            if prevalence == "sample" and (self.config.get("significance") or {}).get("stratify") != "label":
                return [(1.0, cost)]
            share = share if prevalence == "sample" else float(prevalence)
        return [(share, cost[t.target]), (1 - share, cost[~t.target])]

    def table(self, criterion: str, key: Sequence[str]) -> d.Table | None:
        """Return what a criterion's decisions come to in a cell."""
        place = (criterion, *key)
        if place not in self.tables:
            threshold, rows = self.threshold(criterion, *key), self.cell(*key)
            accepted = None if threshold is None else self.accepted(rows, threshold)
            self.tables[place] = None if accepted is None else rows.trials.decided(accepted)
        return self.tables[place]

    def dev_table(self, criterion: str, key: Sequence[str]) -> d.Table | None:
        """Return what a threshold comes to on the development trials, of the group where it is one."""
        threshold = self.threshold(criterion, *key)
        if threshold is None or threshold.value is None or not self.has_splits:
            return None
        model, run, dataset, _, group = key
        home = self.home(dataset)
        return self.cell(model, run, home, "dev", group).trials.at(threshold.value)

    def runs(self, model: str, dataset: str) -> list[str]:
        """Return the runs of a model."""
        return sorted(self.raw.filter(model=model, dataset=dataset)["run"].unique())

    def macro(self, measure: str, criterion: str | None, key: Sequence[str]) -> float | None:
        """Return the mean over the values of a column of the measure there, where it is defined."""
        found = self.by_value(measure, criterion, key)
        known = [v for v in found if v is not None]
        return sum(known) / len(known) if known else None

    def by_value(self, measure: str, criterion: str | None, key: Sequence[str]) -> list[float | None]:
        """Return the measure on every value of the column of a macro mean."""
        *rest, group = key
        column = group[5:-1]
        names = sorted(self.raw.filter(dataset=rest[2])[column].drop_nulls().unique())
        cells = [(*rest, f"{column}={escaped(name)}") for name in names]
        return [self.value(measure, criterion, cell) for cell in cells if len(self.cell(*cell).score)]

    def without(self, measure: str, key: Sequence[str]) -> float | None:
        """Return a measure that needs no threshold."""
        model, rows = key[0], self.cell(*key)
        name, p = parsed(measure)
        if p.get("calibration", "none") != "none":
            raise UnknownError(f"calibration={p['calibration']}")
        if name in ("ici", "e50", "e90", "emax", "eci"):
            raise UnknownError(name)
        t = rows.trials
        if not len(t.score):
            return None
        if name == "failure_to_acquire":
            return float(t.weight[t.score == -math.inf].sum() / t.weight.sum())
        if name in ("mean_score", "mean_cost"):
            if not np.isfinite(t.score).all():
                return None
            return float(np.average(t.score, weights=t.weight)) * (-1 if self.turned(model) else 1)
        if name in d.OVER_THE_SWEEP:
            sweep = self.sweeps.setdefault(tuple(key), d.Sweep(t))
            return d.value_over(sweep, name, p)
        try:
            if name == "det_slope":
                return d.det_slope(t)
            if name in d.OF_RATIOS:
                llr = self.llr(model, t.score)
                return None if llr is None else d.finite(d.OF_RATIOS[name](llr, t, p))
            odds = self.odds(model, t.score)
            if odds is None:
                return None
            prevalence = p.get("prevalence", "sample")
            return d.finite(d.OF_PROBABILITIES[name](odds, t, d.shares(t, prevalence), p))
        except d.UndefinedError:
            return None


class UnknownError(Exception):
    """A number that depends on what the oracle cannot know."""


def kind_of(label: Any) -> str | None:
    """Return target, nontarget or spoof, None of a row without a label."""
    if label is None or (isinstance(label, float) and math.isnan(label)):
        return None
    text = str(label).lower().removesuffix(".0")
    return {"true": "target", "1": "target", "false": "nontarget", "0": "nontarget"}.get(text, text)


def floored(score: pl.Series, bits: int) -> pl.Series:
    """Keep the first bits of every score, rounding down: of a negative one the others are set."""
    found = []
    for x in score:
        if x is None or math.isinf(x):
            found.append(x)
            continue
        (whole,) = struct.unpack("<Q", struct.pack("<d", x + 0.0))
        lost = (1 << (64 - bits)) - 1
        whole = whole | lost if whole >> 63 else whole & ~lost
        found.append(struct.unpack("<d", struct.pack("<Q", whole))[0])
    return pl.Series("score", found, dtype=pl.Float64)


def escaped(name: str) -> str:
    """Return a value as the name of a group has it."""
    return re.sub(r"([\\,=])", r"\\\1", name)


def parts_of(group: str) -> list[tuple[str, str]]:
    """Return the columns and values of a group's name, where a backslash goes before a comma or an equals sign."""
    found = []
    for part in re.split(r"(?<!\\),", group) if group else []:
        column, value = re.split(r"(?<!\\)=", part, maxsplit=1)
        found.append((re.sub(r"\\(.)", r"\1", column), re.sub(r"\\(.)", r"\1", value)))
    return found


# --- choosing ---------------------------------------------------------------------------------------------


def choose(trials: d.Trials, criterion: str, thresholds: Mapping[str, Any]) -> float | None:
    """Return the threshold that a criterion chooses on some trials, None where it chooses none."""
    name, p = parsed(criterion, "Criteria")
    if not trials.target.any() or trials.target.all():
        return None
    if name in ("min_adcf", "spoofing_error") and (
        not trials.spoof.any() or (trials.spoof | trials.target).all()
    ):
        return None
    cases = [Case(t, table) for t, table in d.cuts(trials, thresholds.get("threshold_at", "midpoint"))]
    best = least_of(cases, name, p, thresholds.get("ties", "balanced"))
    return best[0].threshold if best else None


@dataclass
class Case:
    """One threshold and what it comes to."""

    threshold: float
    table: d.Table

    @property
    def far(self) -> float:
        """False alarms / non-targets."""
        return self.table.far

    @property
    def frr(self) -> float:
        """Misses / targets."""
        return self.table.frr

    def of(self, measure: str) -> float | None:
        """Return a measure there, as if lower were better."""
        name, p = parsed(measure)
        value = d.value_at(self.table, name, p)
        return value if value is None or name not in d.HIGHER_IS_BETTER else -value

    def value(self, measure: str) -> float | None:
        """Return a measure there."""
        name, p = parsed(measure)
        return d.value_at(self.table, name, p)


def stretches(
    trials: d.Trials, criterion: str, thresholds: Mapping[str, Any], low: float, high: float
) -> Iterator[tuple[float, float, float]]:
    """Yield stretches of alpha with the threshold that is chosen on each.

    Where two thresholds are equally good lies between them; if none is better there, it is where they meet.
    """
    name, p = parsed(criterion, "Criteria")
    if (
        name not in ("weighted_error", "precision_recall", "target_far", "target_frr")
        or p.get("how", "nearest") != "nearest"
    ):
        raise UnknownError(f"areas of {name}")
    cases = [Case(t, table) for t, table in d.cuts(trials, thresholds.get("threshold_at", "midpoint"))]
    parameter, ties = ALONG[name], thresholds.get("ties", "balanced")

    def best(alpha: float) -> Case:
        return least_of(cases, name, {**p, parameter: alpha}, ties)[0]

    def terms(case: Case) -> tuple[float, float]:
        if name == "precision_recall":
            return -(case.value("precision") or 0.0), -(case.value("recall") or 0.0)
        return case.far, case.frr

    def meeting(one: Case, two: Case) -> float:
        (a1, b1), (a2, b2) = terms(one), terms(two)
        if name.startswith("target"):
            return (a1 + a2) / 2 if name == "target_far" else (b1 + b2) / 2
        return (b2 - b1) / ((a1 - b1) - (a2 - b2))

    def between(low: float, high: float, one: Case, two: Case) -> Iterator[tuple[float, float, float]]:
        if one.threshold == two.threshold or high - low < d.SAME:
            yield low, high, one.threshold
            return
        at = meeting(one, two)
        left, right = best(at - 1e-9), best(at + 1e-9)
        if left.threshold == one.threshold and right.threshold == two.threshold:
            yield low, at, one.threshold
            yield at, high, two.threshold
            return
        yield from between(low, at, one, left)
        yield from between(at, high, right, two)

    yield from between(low, high, best(low + 1e-9), best(high - 1e-9))


def plus(a: float | None, b: float | None) -> float | None:
    """Return a + b where both are known."""
    return None if a is None or b is None else a + b


Rate = Callable[[Case], float]


def weighed(
    cases: list[Case], of_alarm: float, of_miss: float, ties: str, far: Rate = lambda c: c.far
) -> list[Case]:
    """Minimise a weighted sum of the two rates; ties as methods 7.2 has them."""
    return d.least(
        cases,
        lambda c: of_alarm * far(c) + of_miss * c.frr,
        *among_equals(ties, lambda c: abs(of_alarm * far(c) - of_miss * c.frr), far),
    )


def costing_least(cases: list[Case], cost: Callable[[Case], float], ties: str) -> list[Case]:
    """Minimise a weighted sum of FRR and of what false alarms of any kind cost; ties as methods 7.2 has them."""
    of_miss = cost(max(cases, key=lambda c: c.threshold))
    frr, alarms = (lambda c: c.frr), (lambda c: cost(c) - of_miss * c.frr)
    apart = lambda c: abs(alarms(c) - of_miss * c.frr)  # noqa: E731
    rest = {"balanced": (apart, alarms, frr), "high": (alarms, frr), "low": (frr, alarms)}[ties]
    return d.least(cases, cost, *rest)


def among_equals(ties: str, apart: Rate, far: Rate = lambda c: c.far) -> tuple[Rate, ...]:
    """Return what decides among equally good thresholds: nearly equal errors, or the highest, or the lowest."""
    frr = lambda c: c.frr  # noqa: E731
    return {"balanced": (apart, far, frr), "high": (far, frr), "low": (frr, far)}[ties]


def least_of(cases: list[Case], name: str, p: dict[str, Any], ties: str) -> list[Case]:
    """Return the cases that a criterion finds best."""
    far, frr = (lambda c: c.far), (lambda c: c.frr)
    total, apart = (lambda c: c.far + c.frr), (lambda c: abs(c.far - c.frr))
    rest = among_equals(ties, apart)
    if name == "weighted_error":
        return weighed(cases, p["alpha"], 1 - p["alpha"], ties)
    if name == "min_hter":
        return weighed(cases, 0.5, 0.5, ties)
    if name == "min_dcf":
        return weighed(cases, p["c_fa"] * (1 - p["p_target"]), p["c_miss"] * p["p_target"], ties)
    if name == "eer":
        return d.least(cases, apart, total, far)
    if name in ("target_far", "target_frr"):
        one, other = (far, frr) if name == "target_far" else (frr, far)
        aim = p["far" if name == "target_far" else "frr"]
        if p["how"] == "at_most":
            cases = [c for c in cases if one(c) <= aim + d.SAME]
        return d.least(cases, lambda c: abs(one(c) - aim), one, other)
    if name in ("guarantee", "guarantee_frr"):
        return guaranteed(cases, name, p)
    if name == "guarantee_precision":
        return guaranteed_precision(cases, p)
    if name == "precision_recall":
        precision, recall = (lambda c: c.of("precision")), (lambda c: c.of("recall"))
        both = lambda c: weighted(p["alpha"], precision(c), recall(c))  # noqa: E731
        best = d.least(cases, both, precision if p["alpha"] < 0.5 else recall)
        return d.least(best, lambda c: c.threshold)
    if name == "best":
        return d.least(cases, lambda c: c.of(p["measure"]), *rest)
    if name == "weighted" and {p["v1"], p["v2"]} == {"precision", "recall"}:
        share = p["alpha"] if p["v1"] == "precision" else 1 - p["alpha"]
        return least_of(cases, "precision_recall", {"alpha": share}, ties)
    if name == "weighted" and (first := linear(p["v1"])) and (second := linear(p["v2"])):
        of_miss, of_alarm = (
            p["alpha"] * a + (1 - p["alpha"]) * b for a, b in zip(first, second, strict=True)
        )
        return weighed(cases, of_alarm, of_miss, ties)
    if name == "weighted":
        weights = p["alpha"], 1 - p["alpha"]

        def terms(c: Case) -> list[float | None]:
            return [scaled(w, c.value(v)) for w, v in zip(weights, (p["v1"], p["v2"]), strict=True)]

        total_of = lambda c: weighted(p["alpha"], c.of(p["v1"]), c.of(p["v2"]))  # noqa: E731
        return d.least(cases, total_of, *among_equals(ties, lambda c: differ(*terms(c))))
    if name == "break_even":
        gap = lambda c: differ(c.value(p["v1"]), c.value(p["v2"]))  # noqa: E731
        return d.least(cases, gap, lambda c: plus(c.of(p["v1"]), c.of(p["v2"])), total, far)
    if name == "target":
        return at_target(cases, p["measure"], p["value"], p["how"], total, far)
    if name == "spoofing_error":
        mixed = lambda c: d.value_at(c.table, name, {**p, "alpha": 1})  # noqa: E731
        return weighed(cases, p["alpha"], 1 - p["alpha"], ties, mixed)
    costs = {"min_adcf": "adcf", "min_tdcf": "tdcf"}
    if name in costs:
        given = {**p, "normalised": False}
        return costing_least(cases, lambda c: d.value_at(c.table, costs[name], given), ties)
    raise UnknownError(name)


def guaranteed(cases: list[Case], name: str, p: dict[str, Any]) -> list[Case]:
    """Return the case with most errors of a kind that so many trials allow (Wilks).

    With k errors the true rate is above the limit with the probability that a binomial of that rate is at most k.
    """
    of = (lambda t: t.false_alarms) if name == "guarantee" else (lambda t: t.misses)
    limit = p["far" if name == "guarantee" else "frr"]
    n = max(of(c.table) for c in cases)
    good = [c for c in cases if binom.cdf(of(c.table), n, limit) <= 1 - p["confidence"]]
    return d.least(
        good, lambda c: -of(c.table), (lambda c: c.frr) if name == "guarantee" else lambda c: c.far
    )


def guaranteed_precision(cases: list[Case], p: dict[str, Any]) -> list[Case]:
    """Return the last case from the strictest down until the false alarms of those accepted are too many.

    Cases count from the first that accepts so many that one may be a false alarm.
    """
    lowest = max(cases, key=lambda c: c.threshold)
    for case in sorted(cases, key=lambda c: -c.threshold):
        table = case.table
        m, rate = int(table.tp) + table.false_alarms, 1 - p["precision"]
        if m == 0 or binom.cdf(1, m, rate) > 1 - p["confidence"]:
            continue
        if binom.cdf(table.false_alarms, m, rate) > 1 - p["confidence"]:
            break
        lowest = case
    return [lowest]


def scaled(weight: float, value: float | None) -> float | None:
    """Return weight value where it is known."""
    return None if value is None else weight * value


def weighted(alpha: float, a: float | None, b: float | None) -> float | None:
    """Return alpha a + (1 - alpha) b where both are known."""
    return None if a is None or b is None else alpha * a + (1 - alpha) * b


def differ(a: float | None, b: float | None) -> float | None:
    """Return |a - b| where both are known."""
    return None if a is None or b is None else abs(a - b)


def at_target(
    cases: list[Case], measure: str, value: float, how: str, *rest: Callable[[Case], float]
) -> list[Case]:
    """Return the cases whose measure is nearest to a value, on the side asked for."""
    side = {"nearest": 0, "at_most": 1, "at_least": -1}[how]
    known = [c for c in cases if (v := c.value(measure)) is not None and side * (v - value) <= d.SAME]
    known = known or [c for c in cases if c.value(measure) is not None]
    return d.least(known, lambda c: differ(c.value(measure), value), lambda c: c.of(measure), *rest)


# --- the frames -------------------------------------------------------------------------------------------


class Check:
    """Frames of a report against the oracle."""

    def __init__(self, oracle: Oracle, folder: Path) -> None:
        self.oracle, self.folder = oracle, folder
        self.compared: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.found: list[str] = []

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a frame, none where the report lacks it."""
        path = self.folder / "frames" / f"{name}.parquet"
        if path.exists():
            yield from pl.read_parquet(path).iter_rows(named=True)

    def every_frame(self) -> None:
        """Compare all frames that the oracle knows."""
        if self.oracle.of_trials.get("layout") in ("inspect", "lm_eval") and "run" in self.oracle.given:
            return  # a log has runs of its own names
        if self.oracle.policy == "split_clients":  # halves of the clients are drawn at random
            return
        for name in (
            *(
                "trials",
                "metrics",
                "epc",
                "roc",
                "dcf",
                "comparisons",
                "group_metrics",
                "disparities",
                "net_benefit",
            ),
            *(
                "net_benefit_differences",
                "decision",
                "pr",
                "cost",
                "areas",
                "epc_steps",
                "standing",
                "ranking",
                "winners",
            ),
            *("expected", "worst", "histogram", "risks", "reliability", "disparity_comparisons", "transfer"),
        ):
            for row in self.rows(name):
                try:
                    getattr(self, name)(row)
                except UnknownError as reason:
                    self.left_out[f"{name} {reason}"] += 1
                except Exception as error:
                    error.add_note(f"in a row of {name}: {row}")
                    raise

    def same(
        self, kind: str, row: Mapping[str, Any], ours: Mapping[str, Any], tolerance: float = 1e-9
    ) -> None:
        """Compare some columns of a row."""
        for column, value in ours.items():
            theirs = row[column]
            self.compared[kind] += 1
            if not alike(theirs, value, tolerance):
                key = {k: v for k, v in row.items() if k in NAMES and v not in (None, "")}
                words = parsed(row["measure"])[0] if row.get("measure") else ""
                where = f"{kind} {column} {words}".strip()
                self.found.append(f"{where}: {key}: program {theirs!r}, oracle {value!r}")

    def trials(self, row: dict[str, Any]) -> None:
        """Counts of trials."""
        if row["run"] in ("mean", "pooled") or row["group"].startswith("mean("):
            return
        if row["split"] == "dev" and self.oracle.policy in ("cv_test", "none"):
            raise UnknownError("rows of a split that the policy does not use")
        cell = self.oracle.cell(*key_of(row))
        t = cell.trials
        target = int(t.target.sum())
        ours = {
            "n_target": target,
            "n_nontarget": len(t.score) - target,
            "n_unlabelled": cell.unlabelled,
            "n_missing": cell.missing,
            "rows_read": cell.read,
            "n_infinite": cell.infinite,
            "n_distinct": len(np.unique(t.score)),
            "prevalence": target / len(t.score) if len(t.score) else None,
        }
        if row["group"] and self.oracle.lacks_before_counting(row["dataset"], row["split"]):
            ours |= dict.fromkeys(("n_unlabelled", "n_missing", "n_infinite", "rows_read"))
        self.same("trials", row, ours)

    def metrics(self, row: dict[str, Any]) -> None:
        """Values, thresholds and errors of measures; closed intervals."""
        key, criterion = key_of(row), row["criterion"]
        if criterion is not None and row["run"] != "mean" and not row["group"].startswith("mean("):
            threshold = self.oracle.threshold(criterion, *key)
            if threshold is None:
                self.same(
                    "metrics", row, {"threshold": None, "misses": None, "false_alarms": None, "value": None}
                )
                return
            table = self.oracle.table(criterion, key)
            if row["threshold"] is None and self.oracle.value(row["measure"], criterion, key) is None:
                self.same("metrics", row, {"value": None})
                return
            ours: dict[str, Any] = {"misses": table.misses, "false_alarms": table.false_alarms}
            if threshold.value is not None:
                sign = -1 if self.oracle.turned(key[0]) else 1
                ours |= {"threshold": sign * threshold.value + 0.0, "threshold_source": threshold.source}
            else:
                ours |= {"folds": len(threshold.of_fold), "threshold": None}
                ours |= (
                    {"threshold_low": min(threshold.of_fold.values())}
                    if not self.oracle.turned(key[0])
                    else {}
                )
            self.same("metrics", row, ours)
        self.same("metrics", row, {"value": self.oracle.value(row["measure"], criterion, key)})
        self.interval(row, key)

    def interval(self, row: dict[str, Any], key: tuple[str, ...]) -> None:
        """Wilson's and Clopper and Pearson's limits of independent trials, and DeLong's standard error."""
        if row["unit"] != "trial" or row["run"] == "mean" or row["group"].startswith("mean("):
            return
        rows = self.oracle.cell(*key)
        trials = rows.trials
        if row["ci_method"] in ("wilson", "clopper_pearson") and row["criterion"] is not None:
            threshold = self.oracle.threshold(row["criterion"], *key)
            name, p = parsed(row["measure"])
            if p.get("prevalence", "sample") != "sample" or threshold is None:
                return
            part, whole = MARKS[name](trials.target, self.oracle.accepted(rows, threshold))
            if not trials.weight[whole].any():
                return
            k, n = effective(part[whole], trials.weight[whole], weighted=self.oracle.weighted)
            if self.oracle.sampled:
                # About that cluster alone, as if each of its trials had a weight.
                if "within_cluster" in row["flags"]:
                    return
                every = self.oracle.cell(*key[:4]).frame["region"].to_numpy()
                k, n = effective_in_strata(part, whole, trials.weight, rows.frame["region"].to_numpy(), every)
            limits = (wilson if row["ci_method"] == "wilson" else clopper_pearson)(k, n, row["level"])
            self.same("interval", row, dict(zip(("ci_low", "ci_high"), limits, strict=True)))
        if row["ci_method"] == "skewed_t":
            limits = skewed_t(self.oracle.costs(row["measure"], key), row["level"])
            most = 1.0 if row["measure"].startswith("brier") else math.inf
            least = -math.inf if row["measure"].startswith("mean_") else 0.0
            self.same("interval", row, {"ci_low": max(limits[0], least), "ci_high": min(limits[1], most)})
        if (
            row["ci_method"] in ("logit_delong", "delong")
            and row["measure"] == "auc"
            and row["value"] is not None
            and not self.oracle.weighted
        ):
            self.same("interval", row, {"se": math.sqrt(delong(trials, trials)) or None})
        if row["ci_method"] in ("newcombe", "newcombe_delong") and row["measure"] == "auc":
            limits = newcombe(trials, row["level"])
            self.same("interval", row, dict(zip(("ci_low", "ci_high"), limits, strict=True)), 1e-7)

    def roc(self, row: dict[str, Any]) -> None:
        """Counts and rates at corners of the curve."""
        if row["run"] == "mean":
            raise UnknownError("mean of curves")
        key = key_of(row)
        sign = -1 if self.oracle.turned(key[0]) else 1
        table = self.oracle.cell(*key).trials.at(sign * row["threshold"])
        rates = {"p_miss": rate(table.fn, table.tp), "p_fa": rate(table.fp, table.tn)}
        self.same("roc", row, {"misses": table.misses, "false_alarms": table.false_alarms} | rates)

    def epc(self, row: dict[str, Any]) -> None:
        """Values along alpha, on test, on the development set, and at the best threshold of test."""
        key, alpha = key_of(row), row["alpha"]
        if parsed(row["measure"])[0] == "spoofing_error" and alpha in (0, 1):
            raise UnknownError("mixes in which a kind has no part")
        criterion, measure = along(row["criterion"], alpha), at_alpha(row["measure"], alpha)
        ours: dict[str, Any] = {}
        ours["value"] = self.oracle.value(measure, criterion, key)
        if parsed(criterion, "Criteria")[0] != "bayes":
            ours["value_oracle"] = self.oracle.value(measure, f"oracle({criterion})", key)
        if row["run"] != "mean" and not row["group"].startswith("mean("):
            dev, (name, p) = self.oracle.dev_table(criterion, key), parsed(measure)
            ours["value_dev"] = None if dev is None else d.value_at(dev, name, p)
            threshold = self.oracle.threshold(criterion, *key)
            if threshold is not None and threshold.value is not None:
                sign = -1 if self.oracle.turned(key[0]) else 1
                table = self.oracle.table(criterion, key)
                ours |= {
                    "threshold": sign * threshold.value + 0.0,
                    "misses": table.misses,
                    "false_alarms": table.false_alarms,
                }
        self.same("epc", row, ours)

    def dcf(self, row: dict[str, Any]) -> None:
        """Least cost of an operating point."""
        points = [p for p in self.oracle.config.get("operating_points") or [] if isinstance(p, dict)]
        norm_of = next(
            (p.get("norm", "trivial") for p in points if str(p.get("name")) == row["name"]), "trivial"
        )
        p = {k: row[k] for k in ("p_target", "c_miss", "c_fa", "normalised")} | {"norm": norm_of}
        text = ",".join(f"{k}={str(v).lower() if isinstance(v, bool) else v}" for k, v in p.items())
        ours = {"minimum": self.oracle.value(f"mindcf({text})", None, key_of(row))}
        at = ",".join(f"{k}={v}" for k, v in p.items() if k in ("p_target", "c_miss", "c_fa"))
        criterion = f"bayes({at})" if row["threshold_source"] == "bayes" else f"min_dcf({at})"
        ours["actual"] = self.oracle.value(f"dcf({text})", criterion, key_of(row))
        self.same("dcf", row, ours)

    def comparisons(self, row: dict[str, Any]) -> None:
        """Differences of two models, each from its own cells."""
        criterion, measure = row["criterion"], row["measure"]
        if row["parameter"] is not None:
            criterion, measure = along(criterion, row["parameter"]), at_alpha(measure, row["parameter"])
        keys = [
            (m, self.run_of(m, row["dataset"]), row["dataset"], row["split"], row["group"])
            for m in (row["model"], row["baseline"])
        ]
        a: float | None
        b: float | None
        if row["group"].startswith("mean("):  # over the values where both are defined
            pairs = zip(*(self.oracle.by_value(measure, criterion, key) for key in keys), strict=True)
            both = [(a, b) for a, b in pairs if a is not None and b is not None]
            a, b = (sum(of) / len(of) for of in zip(*both, strict=True)) if both else (None, None)
        else:
            a, b = (self.oracle.value(measure, criterion, key) for key in keys)
        counted = (
            self.oracle.of_trials.get("layout") == "counts" or self.oracle.of_trials.get("count") == "there"
        )
        keyless = counted or "trial" not in self.oracle.given
        if keyless and row["status"] == "no_trial_key":
            a = None
        self.same("comparisons", row, {"difference": None if a is None or b is None else a - b})
        self.closed_test(row)

    def closed_test(self, row: dict[str, Any]) -> None:
        """The exact mid-p of paired decisions, DeLong's test, and the standard error over two crossed pools."""
        if row["group"].startswith("mean(") or row["parameter"] is not None:
            return
        both = [self.paired(row, row[who]) for who in ("model", "baseline")]
        if None in both:
            return
        (a, one), (b, two) = both
        if row["unit"] == "cluster":
            self.over_pools(row, (a, one), (b, two))
            return
        if row["p_method"] == "delong" and row["measure"] == "auc":
            variance = delong(a, a) + delong(b, b) - 2 * delong(a, b)
            if variance > 1e-15:
                z = row["difference"] / math.sqrt(variance)
                self.same("test", row, {"se": math.sqrt(variance), "p_value": 2 * norm.sf(abs(z))})
        if row["p_exact"] is not None:
            weights = linear(ERROR_OF.get(row["measure"], row["measure"]))
            if weights is None or one is None or two is None:
                raise UnknownError(f"mid-p of {row['measure']}")
            apart = [
                (int(np.sum(one & ~two & of)), int(np.sum(~one & two & of))) for of in (a.target, ~a.target)
            ]
            of_miss, of_alarm = weights
            scale = (
                of_miss / a.target.sum() if of_miss else 0.0,
                of_alarm / (~a.target).sum() if of_alarm else 0.0,
            )
            # A target that only the first accepts lowers its misses, a non-target raises its false alarms.
            p = exact_mid_p((apart[0][1], apart[0][0]), apart[1], scale)
            self.same("test", row, {"p_exact": p})

    def over_pools(self, row: dict[str, Any], *both: tuple[d.Trials, np.ndarray | None]) -> None:
        """The standard error of a difference in an area, or in errors at given thresholds, of two pools."""
        pools = (self.oracle.of_trials.get("clusters") or {}).get("pools", "one")
        asked = row["measure"] == "auc" or row["inference"] == "given_thresholds"
        weights = linear(ERROR_OF.get(row["measure"], row["measure"]))
        if pools != "two" or not asked or "identical_decisions" in row["flags"] or row["se"] is None:
            return
        target = both[0][0].target
        if row["measure"] == "auc":
            moved = [placed(trials) for trials, _ in both]
        elif weights is None or any(accepted is None for _, accepted in both):
            return
        else:
            moved = []
            for trials, accepted in both:
                wrong, part = accepted != trials.target, np.zeros(len(target))
                for of, weight in zip((target, ~target), weights, strict=True):
                    if weight:
                        part[of] = weight * (wrong[of] - wrong[of].mean()) / of.sum()
                moved.append(part)
        run = self.run_of(row["model"], row["dataset"])
        frame = self.oracle.cell(row["model"], run, row["dataset"], row["split"], row["group"]).frame
        frame = frame.sort("trial")
        variance = crossed(
            moved[0] - moved[1], frame["cluster"].to_numpy(), frame["cluster_b"].to_numpy(), target
        )
        if variance > 1e-12:
            self.same("test", row, {"se": math.sqrt(variance)})

    def paired(self, row: dict[str, Any], model: str) -> tuple[d.Trials, np.ndarray | None] | None:
        """Return the trials of a model by key, and which are accepted, None where there are several runs."""
        run = self.run_of(model, row["dataset"])
        key = (model, run, row["dataset"], row["split"], row["group"])
        if run == "mean" or "trial" not in self.oracle.given:
            return None
        rows = self.oracle.cell(*key)
        order = rows.frame["trial"].arg_sort().to_numpy()
        if not np.all(rows.trials.weight == 1):
            return None
        accepted = None
        if row["criterion"] is not None:
            threshold = self.oracle.threshold(row["criterion"], *key)
            if threshold is None:
                return None
            accepted = self.oracle.accepted(rows, threshold)[order]
        return rows.trials.only(order), accepted

    def run_of(self, model: str, dataset: str) -> str:
        """Return the only run, or mean."""
        runs = self.oracle.runs(model, dataset)
        if self.oracle.pools_runs:
            return "pooled"
        return runs[0] if len(runs) == 1 else "mean"

    def group_metrics(self, row: dict[str, Any]) -> None:
        """Values of a group and of what it is held against."""
        key = key_of(row)
        value, other = self.oracle.value(row["measure"], row["criterion"], key), self.other(row)
        ours: dict[str, Any] = {"value": value}
        takes_part = row["left_out"] is None and row["status"] is None and row["group"] != row["against"]
        if takes_part and value is not None and other is not None:
            ours |= {"other": other, "difference": value - other, "ratio": value / other if other else None}
        self.same("group_metrics", row, ours)

    def other(self, row: dict[str, Any]) -> float | None:
        """Return the measure in the rest of the trials, or in the reference group."""
        *place, group = key_of(row)
        return self.oracle.value(
            row["measure"],
            row["criterion"],
            (*place, "not " + group if row["against"] == "rest" else row["against"]),
        )

    @cached_property
    def groups(self) -> list[dict[str, Any]]:
        """Rows of group_metrics that take part."""
        return [row for row in self.rows("group_metrics") if row["left_out"] is None]

    def among(self, row: Mapping[str, Any], measure: str, model: str | None = None) -> dict[str, float]:
        """Return the values of the groups that take part, in a row of disparities."""
        found = {}
        for other in self.groups:
            same = all(other[k] == row[k] for k in ("dataset", "split", "group_columns", "criterion"))
            if same and other["model"] == (model or row["model"]) and other["measure"] == measure:
                found[other["group"]] = self.oracle.value(measure, row["criterion"], key_of(other))
        return found

    def disparities(self, row: dict[str, Any]) -> None:
        """Statistics over the groups that take part."""
        if row["value"] is None:
            return
        statistic, alpha = row["statistic"], row["alpha"]
        if statistic in ("equalised_odds", "garbe"):
            far, frr = (list(self.among(row, rate).values()) for rate in ("far", "frr"))
            if statistic == "garbe":
                ours = alpha * gini(far) + (1 - alpha) * gini(frr)
            else:
                ours = max(max(far) - min(far), max(frr) - min(frr))
        else:
            x = list(self.among(row, row["measure"]).values())
            if statistic == "maximum_to_geometric_mean":
                ours = max(x) / math.exp(sum(map(math.log, x)) / len(x)) if min(x) > 0 else None
            else:
                ours = {
                    "maximum": max,
                    "minimum": min,
                    "range": lambda x: max(x) - min(x),
                    "ratio": lambda x: max(x) / min(x),
                    "gini": gini,
                }[statistic](x)
        self.same("disparities", row, {"value": ours})

    def disparity_comparisons(self, row: dict[str, Any]) -> None:
        """Ranges of two models, and differences of one group in each."""
        if row["difference"] is None or row["statistic"] != "range":
            return
        both = [self.among(row, row["measure"], row[who]) for who in ("model", "baseline")]
        shared = both[0].keys() & both[1].keys()
        a, b = (max(x[g] for g in shared) - min(x[g] for g in shared) for x in both)
        self.same("disparity_comparisons", row, {"value": a, "value_baseline": b, "difference": a - b})

    def net_benefit(self, row: dict[str, Any]) -> None:
        """Benefit of accepting from a probability on."""
        if row["probability"] is None:
            return
        self.same("net_benefit", row, self.benefit(row))

    def net_benefit_differences(self, row: dict[str, Any]) -> None:
        """Benefit of a model less that of another."""
        if row["probability"] is None:
            return
        run = [self.run_of(row[who], row["dataset"]) for who in ("model", "baseline")]
        values = [
            self.benefit({**row, "model": row[who], "run": r})["net_benefit"]
            for who, r in zip(("model", "baseline"), run, strict=True)
        ]
        self.same("net_benefit_differences", row, {"difference": values[0] - values[1]})

    def decision(self, row: dict[str, Any]) -> None:
        """Benefit of accepting from a probability on."""
        self.same("decision", row, self.benefit(row))

    def benefit(self, row: dict[str, Any]) -> dict[str, float | None]:
        """Return TP / N - FP / N odds, and that of accepting all."""
        if row["run"] == "mean":
            raise UnknownError("mean of benefits")
        key, at = key_of(row), row["probability"]
        t = self.oracle.cell(*key).trials
        odds = self.oracle.odds(key[0], t.score)
        if odds is None or not len(t.score):
            return {"net_benefit": None}
        near = math.log(at / (1 - at)) if 0 < at < 1 else math.inf * (1 if at else -1)
        if self.oracle.scale(key[0]) == "probability":
            odds, near = t.score, at
        elif np.any((np.abs(odds - near) < 1e-12) & (odds != near)):
            odds = np.where(np.abs(odds - near) < 1e-12, near, odds)
        p = {"p_threshold": at, "prevalence": self.oracle.prevalence or "sample"}
        table = t.decided(odds >= near)
        share = self.oracle.prevalence or weight_of(t, t.target) / weight_of(t, t.weight > 0)
        unit = share if row.get("standardised") else 1.0
        return {
            "net_benefit": scaled(1 / unit, d.value_at(table, "net_benefit", p)),
            "treat_all": (share - (1 - share) * at / (1 - at)) / unit,
        }

    def pr(self, row: dict[str, Any]) -> None:
        """Points of precision and recall."""
        if row["run"] == "mean":
            raise UnknownError("mean of curves")
        key = key_of(row)
        sign = -1 if self.oracle.turned(key[0]) else 1
        t = self.oracle.cell(*key).trials
        table = t.at(sign * row["threshold"])
        p = {"prevalence": self.oracle.prevalence or "sample"}
        ours: dict[str, Any] = {
            "precision": d.value_at(table, "precision", p),
            "recall": d.value_at(table, "recall", {}),
        }
        if not self.oracle.weighted:
            ours["true_positives"] = int(t.target.sum()) - table.misses
            ours["false_alarms"] = table.false_alarms
        self.same("pr", row, ours)

    def standing(self, row: dict[str, Any]) -> None:
        """The value that is ranked."""
        self.same(
            "standing", row, {"value": self.oracle.value(row["measure"], row["criterion"], key_of(row))}
        )

    def ranking(self, row: dict[str, Any]) -> None:
        """The value that is ranked."""
        self.same("ranking", row, {"value": self.oracle.value(row["measure"], row["criterion"], key_of(row))})

    def winners(self, row: dict[str, Any]) -> None:
        """The value at one alpha."""
        criterion, measure = along(row["criterion"], row["alpha"]), at_alpha(row["measure"], row["alpha"])
        self.same("winners", row, {"value": self.oracle.value(measure, criterion, key_of(row))})

    def expected(self, row: dict[str, Any]) -> None:
        """A rate on the development set and on test at one threshold."""
        key, criterion = key_of(row), along(row["criterion"], row["alpha"])
        if key[1] in ("mean", "pooled"):
            raise UnknownError("several runs")
        dev = self.oracle.dev_table(criterion, key)
        test = self.oracle.table(criterion, key)
        if dev is None or test is None:
            return
        errors = (lambda t: t.false_alarms) if row["rate"] == "far" else (lambda t: t.misses)
        ours = {"expected": d.value_at(dev, row["rate"], {}), "obtained": d.value_at(test, row["rate"], {})}
        self.same("expected", row, ours | {"errors_dev": errors(dev), "errors": errors(test)})

    def worst(self, row: dict[str, Any]) -> None:
        """The error rate of an attack."""
        group = ",".join(f"{c}={v}" for c, v in zip(row["group_columns"], row["group_values"], strict=True))
        self.same(
            "worst",
            row,
            {"value": self.oracle.value(row["measure"], row["criterion"], (*key_of(row)[:4], group))},
        )

    def histogram(self, row: dict[str, Any]) -> None:
        """Left out: the edges are a choice of the program."""
        raise UnknownError("bins")

    risks = reliability = histogram

    def transfer(self, row: dict[str, Any]) -> None:
        """A threshold of one dataset on another's test."""
        if row["over"] != "threshold" or row["run"] in ("mean", "pooled"):
            raise UnknownError("areas and several runs")
        dev = self.oracle.cell(row["model"], row["run"], row["dev_dataset"], "dev").trials
        threshold = choose(dev, row["criterion"], self.oracle.thresholds) if len(dev.score) else None
        if threshold is None:
            raise UnknownError("no threshold")
        test = self.oracle.cell(row["model"], row["run"], row["test_dataset"], "test").trials
        name, p = parsed(row["measure"])
        self.same("transfer", row, {"value": d.value_at(test.at(threshold), name, p)})

    def areas(self, row: dict[str, Any]) -> None:
        """The integral of a measure over alpha, from stretch to stretch."""
        key = key_of(row)
        if key[1] in ("mean", "pooled") or key[4].startswith("mean("):
            raise UnknownError("several runs")
        if self.oracle.policy not in ("dev", "train"):
            raise UnknownError("folds")
        home = self.oracle.home(key[2])
        dev = self.oracle.cell(key[0], key[1], home, "dev").trials
        test = self.oracle.cell(*key).trials
        ours = {
            "area": self.area(dev, test, row),
            "value_oracle": self.area(test, test, row),
        }
        ours["mean"] = None if ours["area"] is None else ours["area"] / (row["high"] - row["low"])
        self.same("areas", row, ours)

    def area(self, dev: d.Trials, test: d.Trials, row: dict[str, Any]) -> float | None:
        """Integrate over the stretches of alpha; a measure is constant there, or linear in alpha."""
        if not dev.target.any() or dev.target.all():
            return None
        total = 0.0
        for low, high, threshold in stretches(
            dev, row["criterion"], self.oracle.thresholds, row["low"], row["high"]
        ):
            name, p = parsed(at_alpha(row["measure"], (low + high) / 2))
            value = d.value_at(test.at(threshold), name, p)
            if value is None:
                return None
            total += (high - low) * value
        return total

    def epc_steps(self, row: dict[str, Any]) -> None:
        """Errors on a stretch of alpha."""
        key, middle = key_of(row), (row["alpha_low"] + row["alpha_high"]) / 2
        criterion = along(row["criterion"], middle)
        if key[1] in ("mean", "pooled") or self.oracle.policy not in ("dev", "train"):
            raise UnknownError("several runs, folds")
        table, threshold = self.oracle.table(criterion, key), self.oracle.threshold(criterion, *key)
        sign = -1 if self.oracle.turned(key[0]) else 1
        ours = {
            "misses": table.misses,
            "false_alarms": table.false_alarms,
            "threshold": sign * threshold.value + 0.0,
        }
        self.same("epc_steps", row, ours)

    def cost(self, row: dict[str, Any]) -> None:
        """Bayes error rates along the prior."""
        if row["calibration"] != "none":
            raise UnknownError("calibration")
        odds = row["prior_log_odds"]
        ours = {"bayes_error": self.oracle.value(f"bayes_error(prior_log_odds={odds!r})", None, key_of(row))}
        p = f"p_target={1 / (1 + math.exp(-odds))!r},normalised=false"
        ours["min_bayes_error"] = self.oracle.value(f"mindcf({p})", None, key_of(row))
        self.same("cost", row, ours)


NAMES = (*KEY, "baseline", "measure", "criterion", "alpha", "parameter", "threshold", "name", "status", "inference", "probability")  # fmt: skip


def linear(measure: str) -> tuple[float, float] | None:
    """Return the weights of FRR and FAR in an error that is a weighted sum of them."""
    name, p = parsed(measure)
    if name == "weighted_error":
        return 1 - p["alpha"], p["alpha"]
    if name == "dcf":
        of_miss, of_alarm = p["c_miss"] * p["p_target"], p["c_fa"] * (1 - p["p_target"])
        unit = (of_miss if p["norm"] == "miss" else min(of_miss, of_alarm)) if p["normalised"] else 1
        return of_miss / unit, of_alarm / unit
    return {"frr": (1.0, 0.0), "far": (0.0, 1.0), "hter": (0.5, 0.5)}.get(name)


ERROR_OF = {"recall": "frr", "specificity": "far", "balanced_accuracy": "hter", "youden": "hter"}
Marks = np.ndarray
MARKS: Mapping[str, Callable[[Marks, Marks], tuple[Marks, Marks]]] = {
    "far": lambda y, a: (a, ~y),
    "frr": lambda y, a: (~a, y),
    "recall": lambda y, a: (a, y),
    "specificity": lambda y, a: (~a, ~y),
    "accuracy": lambda y, a: (a == y, y | ~y),
    "error_rate": lambda y, a: (a != y, y | ~y),
    "precision": lambda y, a: (y, a),
    "fdr": lambda y, a: (~y, a),
    "npv": lambda y, a: (~y, ~a),
    "false_omission_rate": lambda y, a: (y, ~a),
    "acceptance_rate": lambda y, a: (a, y | ~y),
    "rejection_rate": lambda y, a: (~a, y | ~y),
}
"""Which trials a share counts, and of which, by class and decision."""


def key_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return model, run, dataset, split and group."""
    return tuple(row[k] for k in KEY)


def rate(wrong: float, right: float) -> float | None:
    """Return the share of errors, None of no trials."""
    return wrong / (wrong + right) if wrong + right else None


def weight_of(t: d.Trials, which: np.ndarray) -> float:
    """Return the weight of some trials."""
    return float(t.weight[which].sum())


def along(criterion: str, alpha: float) -> str:
    """Return the criterion at a place on its curve."""
    name, _ = parsed(criterion, "Criteria")
    if name == "bayes":
        return f"bayes(p_target={1 - alpha!r})"
    parameter = ALONG[name]
    inside = criterion.partition("(")[2][:-1]
    kept = [
        part for part in re.split(r",(?![^(]*\))", inside) if part and not part.startswith(parameter + "=")
    ]
    return f"{name}({','.join([*kept, f'{parameter}={alpha!r}'])})"


def at_alpha(measure: str, alpha: float) -> str:
    """Return the measure, with the place on the curve where it is the weighted error of that place."""
    if measure in ("weighted_error", "spoofing_error"):
        return f"{measure}(alpha={alpha!r})"
    if measure.startswith("spoofing_error(") and "alpha" not in measure:
        return f"{measure[:-1]},alpha={alpha!r})"
    return measure


def alike(theirs: Any, ours: Any, tolerance: float) -> bool:
    """Whether two numbers are the same: both undefined, or within a relative tolerance of each other."""
    if theirs is None or ours is None or isinstance(theirs, str):
        return theirs == ours
    if math.isinf(theirs) or math.isinf(ours):
        return theirs == ours
    return abs(theirs - ours) <= tolerance * max(1.0, abs(theirs), abs(ours))


def gini(values: list[float]) -> float:
    """Return the mean absolute difference of two groups over twice their mean."""
    n = len(values)
    apart = sum(abs(a - b) for a in values for b in values)
    return apart / (2 * n * sum(values)) * n / (n - 1)


def effective(part: Marks, weight: np.ndarray, *, weighted: bool) -> tuple[float, float]:
    """Return how many of how many independent trials tell as much of a share.

    Of weighted trials those that have its variance, with n / (n - 1) as of a sample, and at most (sum w)^2 / sum w^2.
    """
    share, n = float(np.average(part, weights=weight)), float(len(part))
    if not weighted:
        return share * n, n
    nominal = float(weight.sum() ** 2 / (weight**2).sum())
    variance = float((weight**2 * (part - share) ** 2).sum() / weight.sum() ** 2) * n / max(n - 1, 1)
    size = min(nominal, share * (1 - share) / variance) if variance > 0 else nominal
    return share * size, size


def effective_in_strata(
    part: np.ndarray, whole: np.ndarray, weight: np.ndarray, stratum: np.ndarray, every: np.ndarray
) -> tuple[float, float]:
    """Return the same of trials that were drawn in strata, of which ``every`` has that of each trial drawn."""
    w = weight * whole
    share = float((w * part).sum() / w.sum())
    nominal = float(w.sum() ** 2 / (w**2).sum())
    z, variance = w * (part - share) / w.sum(), 0.0
    for name in np.unique(every):
        here, n = z[stratum == name], int((every == name).sum())
        whole_stratum = np.concatenate((here, np.zeros(n - len(here))))
        variance += n * float(np.var(whole_stratum, ddof=1))
    size = share * (1 - share) / variance if variance > 0 else nominal
    if min(share, 1 - share) * nominal <= 10:
        size = min(size, nominal)
    return share * size, size


def wilson(k: float, n: float, level: float) -> tuple[float, float]:
    """Return the rates p whose normal distance from k / n is at most that of the level."""
    z = norm.ppf((1 + level) / 2)
    middle, half = k + z * z / 2, z * math.sqrt(k * (n - k) / n + z * z / 4)
    return (middle - half) / (n + z * z), (middle + half) / (n + z * z)


def skewed_t(classes: Sequence[tuple[float, np.ndarray]], level: float) -> tuple[float, float]:
    """Return the values whose statistic, transformed by Hall's cubic, is at a quantile of Student's t.

    The statistic is skewed by its third cumulant over s^3, both of k-statistics.
    """
    value = sum(w * float(np.mean(cost)) for w, cost in classes)
    s = math.sqrt(sum(w**2 * float(kstat(cost, 2)) / len(cost) for w, cost in classes))
    g = sum(w**3 * float(kstat(cost, 3)) / len(cost) ** 2 for w, cost in classes) / s**3
    q = student.ppf((1 + level) / 2, min(len(cost) for _, cost in classes) - 1)

    def at(quantile: float) -> float:
        far = 10 + 10 * abs(quantile) + 10 / max(abs(g), 1e-3)
        return float(
            brentq(lambda x: x + g * x * x / 3 + g * g * x**3 / 27 + g / 6 - quantile, -far, far, xtol=1e-13)
        )

    return value - at(q) * s, value - at(-q) * s


def clopper_pearson(k: float, n: float, level: float) -> tuple[float, float]:
    """Return the exact limits of a rate."""
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(beta.ppf(tail, k, n - k + 1))
    return low, 1.0 if k == n else float(beta.ppf(1 - tail, k + 1, n - k))


def placements(t: d.Trials) -> tuple[np.ndarray, np.ndarray]:
    """Return how each target fares against all non-targets, and each non-target against all targets."""
    x, y = t.score[t.target], t.score[~t.target]
    wins = (x[:, None] > y) + (x[:, None] == y) / 2
    return wins.mean(axis=1), wins.mean(axis=0)


def delong(a: d.Trials, b: d.Trials) -> float:
    """Return the covariance of two AUCs."""
    (x1, y1), (x2, y2) = placements(a), placements(b)
    if min(len(x1), len(y1)) < 2:
        return math.nan
    return float(np.cov(x1, x2)[0, 1] / len(x1) + np.cov(y1, y2)[0, 1] / len(y1))


def newcombe(trials: d.Trials, level: float) -> tuple[float, float]:
    """Return the roots in A of (AUC - A)^2 = z^2 s(A)^2, with DeLong's variance where that is above s(AUC)^2.

    Multiplied by the denominators it is a polynomial of degree 4.
    """
    of_target, of_nontarget = placements(trials)
    area, sizes = float(of_target.mean()), (len(of_target), len(of_nontarget))
    n, z = sum(sizes) / 2 - 1, float(norm.ppf((1 + level) / 2))
    at = np.polynomial.Polynomial([0, 1])
    below = (2 - at) * (1 + at)
    above = at * (1 - at) * (below + n * (1 - at) * (1 + at) + n * at * (2 - at))
    own = above(area) / below(area) / math.prod(sizes)
    larger = max(1.0, delong(trials, trials) / own) if own > 0 and min(sizes) > 1 else 1.0
    roots = ((area - at) ** 2 * below - z * z * larger / math.prod(sizes) * above).roots()
    inside = roots.real[(abs(roots.imag) < 1e-7) & (roots.real > -1e-7) & (roots.real < 1 + 1e-7)]
    return float(inside.min()) if area > 0 else 0.0, float(inside.max()) if area < 1 else 1.0


def placed(trials: d.Trials) -> np.ndarray:
    """Return what every trial moves the AUC by."""
    of_target, of_nontarget = placements(trials)
    moved = np.zeros(len(trials.score))
    moved[trials.target] = (of_target - of_target.mean()) / len(of_target)
    moved[~trials.target] = (of_nontarget - of_nontarget.mean()) / len(of_nontarget)
    return moved


def crossed(psi: np.ndarray, first: np.ndarray, second: np.ndarray, target: np.ndarray) -> float:
    """Return the variance over two crossed pools, table by table: S_A + S_B - S_AB, or of what is left in."""
    (_, i), (_, j) = (np.unique(side, return_inverse=True) for side in (first, second))
    table, size = np.zeros((i.max() + 1, j.max() + 1)), np.zeros((i.max() + 1, j.max() + 1))
    classes = np.where(target, max(1, (~target).sum()), max(1, target.sum())).astype(float)
    np.add.at(table, (i, j), psi)
    np.add.at(size, (i, j), classes)
    p, q = (size.sum(axis=axis) / size.sum() for axis in (1, 0))
    f, g = (1 / (1 - 2 * (w**3).sum() / (w**2).sum() + (w**2).sum()) for w in (p, q))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    cells = f * g * ((table - np.outer(rows, q) - np.outer(p, columns)) ** 2).sum()
    pools = [s for s in (f * (rows**2).sum(), g * (columns**2).sum()) if s > cells]
    return float(sum(pools) + (1 - len(pools)) * cells)


def exact_mid_p(
    of_targets: tuple[int, int], of_others: tuple[int, int], weights: tuple[float, float]
) -> float:
    """Return the mid-p of two binomial differences weighed together (methods 9.2), 1 where neither can be other than 0."""
    (b1, c1), (b0, c0) = of_targets, of_others
    (m1, m0), (w1, w0) = (b1 + c1, b0 + c0), weights
    if not w1 * m1 + w0 * m0:
        return 1.0
    seen = abs(w1 * (b1 - c1) + w0 * (b0 - c0))
    total = 0.0
    for i in range(m1 + 1):
        for j in range(m0 + 1):
            value = abs(w1 * (2 * i - m1) + w0 * (2 * j - m0))
            mass = binom.pmf(i, m1, 0.5) * binom.pmf(j, m0, 0.5)
            total += mass if value > seen + d.SAME else mass / 2 if value > seen - d.SAME else 0.0
    return total
