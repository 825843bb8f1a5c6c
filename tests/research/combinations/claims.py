"""Sentences of a report against the design of the frames they speak of: ``contradicted(folder)`` names those.

A claim is a pattern and the condition under which a report may say so. Conditions are read off frames and the
config alone: nothing here asks the rooms that write sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from reporting.document.words.codes import CI_METHODS
from reporting.document.words.terms import VOCABULARIES

Row = dict[str, Any]
CHOSEN_BY_NOBODY = ("fixed(", "bayes")
"""How names of criteria begin whose thresholds no data choose."""
DRAWN = {"percentile", "centred", "basic", "studentized", "bca", "normal", "t", "logit_normal", "log_normal"}
DRAWN |= {"logit_t", "log_t", "best_cut", "best_cut_clustered", "held_cut", "lowered"}
"""How an interval is made that rests on resamples."""


@dataclass(frozen=True)
class Said:
    """A text of a report, and the block it is of."""

    block: str
    text: str


@dataclass(frozen=True)
class Design:
    """What a report was asked, and what its frames hold of it."""

    config: Mapping[str, Any]
    frames: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return 1 - float(self.config["significance"]["level"])

    @property
    def clustered(self) -> bool:
        """Whether clusters are resampled."""
        of_trials = any(row["n_clusters"] is not None for row in self.frames["trials"])
        return of_trials and self.config["significance"]["unit"] != "trial"

    @property
    def cluster_names(self) -> Sequence[str]:
        """What the config calls a cluster."""
        return self.config.get("trials", {}).get("clusters", {}).get("name") or ()

    @property
    def threshold_word(self) -> str:
        """What a threshold is called."""
        return VOCABULARIES[self.config["report"]["vocabulary"]].threshold

    @cached_property
    def trial_words(self) -> set[str]:
        """What trials are called, one and many."""
        spoken = VOCABULARIES[self.config["report"]["vocabulary"]]
        return {spoken.trial, spoken.trials}

    def primary(self, frame: str) -> list[Row]:
        """Return the rows of a frame about the primary question, of whole test sets."""
        asked = self.config["primary"]
        at = {None, asked["criterion"]}
        averaged = self.config.get("averaged_over")
        rows = [
            row
            for row in self.frames.get(frame, ())
            if row["split"] == "test" and row["measure"] == asked["measure"] and row["criterion"] in at
        ]
        means = [row for row in rows if row["group"] and not row["group_columns"]]
        return means if averaged and means else [row for row in rows if not row["group"]]

    @property
    def values(self) -> list[Row]:
        """The rows of ``metrics`` that answer the primary question and have limits."""
        rows = [row for row in self.primary("metrics") if row["ci_method"] is not None]
        means = [row for row in rows if row["run"] == "mean"]
        with_means = {(row["model"], row["dataset"]) for row in means}
        return means + [
            row for row in rows if row["run"] != "mean" and (row["model"], row["dataset"]) not in with_means
        ]

    @property
    def tests(self) -> list[Row]:
        """The rows of ``comparisons`` of the primary question that have a p-value."""
        return [row for row in self.primary("comparisons") if row["p_value"] is not None]

    def swapped(self) -> list[Row]:
        """Return the rows of ``comparisons`` that are permutation tests."""
        return [row for row in self.frames.get("comparisons", ()) if row["p_method"] == "swap"]


Holds = Callable[[re.Match[str], Design], bool]


class Claim(NamedTuple):
    """What a text says, where it may be said, and the condition; ``block`` begins the name of its block."""

    pattern: str
    holds: Holds
    block: str = ""


def _studied(found: re.Match[str], design: Design) -> bool:
    """The named tables are like every table of the primary question."""
    kinds = re.findall(
        r"([\d,]+) targets and ([\d,]+) non-targets"
        r"( drawn independently| in (\d+) clusters of equal size| of (\d+) paired members)",
        found[0],
    )
    trials = [row for row in design.frames["trials"] if row["split"] == "test" and not row["group"]]
    paired = isinstance(design.config["trials"]["columns"].get("cluster"), list)
    plain = design.config.get("averaged_over") is None and not design.config["trials"].get("weights")
    for row in design.values:
        unit = "trial" if row["unit"] != "cluster" else "pair" if paired else "cluster"
        equal = all(
            each["effective_clusters"] is None or each["effective_clusters"] > each["n_clusters"] - 1.5
            for each in trials
        )
        plain = plain and row["run"] != "mean" and row["inference"] != "procedure"
        plain = plain and (unit != "cluster" or equal)
        for n_target, n_nontarget, how, clusters, members in kinds:
            sizes = ((n_target, row["n_target"]), (n_nontarget, row["n_nontarget"]))
            near = all(0.5 <= int(n.replace(",", "")) / max(1, its) <= 2 for n, its in sizes)
            n_units = int(clusters or members or 0)
            of_units = not n_units or 2 / 3 - 1e-9 <= n_units / max(1, row["n_units"] or 0) <= 1.5 + 1e-9
            same = {"trial": "independently", "cluster": "clusters", "pair": "members"}[unit] in how
            plain = plain and near and of_units and same
    return plain and bool(kinds)


def _unit(word: str, design: Design, rows: Sequence[Row]) -> bool:
    """The word for what is drawn is that of trials, of clusters or of a column's values, as the rows say."""
    means = [bool(row["group"]) and not row["group_columns"] for row in rows]
    if word.startswith("values of "):
        return any(means)
    units = {row["unit"] for row, mean in zip(rows, means, strict=True) if not mean}
    names_clusters = any(word.startswith(name) for name in design.cluster_names)
    return (word in design.trial_words and "trial" in units) or (
        (names_clusters or word not in design.trial_words) and "cluster" in units
    )


def _resampled(found: re.Match[str], design: Design) -> bool:
    rows = [row for row in (*design.values, *design.tests) if row["replicates"]]
    return bool(rows) and _unit(found["unit"], design, rows)


def _methods(found: re.Match[str], design: Design) -> bool:
    """Methods that are named are those of the rows, and resamples are named only where one rests on them."""
    ways = found["ways"].replace(design.threshold_word, "threshold")
    named = {
        key for key, method in CI_METHODS.items() if re.search(rf"(^| and |, ){re.escape(method.name)}", ways)
    }
    its = {row["ci_method"] for row in design.values}
    longer = {key for key in named - its if any(CI_METHODS[key].name in CI_METHODS[own].name for own in its)}
    drawn = "resamples" not in found["ways"] or any(
        row["ci_method"] in DRAWN or (row["ci_method"] in named and row["replicates"])
        for row in design.values
    )
    return bool(named & its) and named - its <= longer and drawn


def _agrees(row: Row, alpha: float) -> bool:
    if None in (row["ci_low"], row["ci_high"], row["p_value"]):
        return True
    return bool((row["ci_low"] > 0 or row["ci_high"] < 0) == (row["p_value"] <= alpha))


def _chosen(row: Row) -> bool:
    return row["criterion"] is not None and not row["criterion"].startswith(CHOSEN_BY_NOBODY)


def _is_held(row: Row) -> bool:
    """Whether limits take a threshold as fixed that data chose: those in closed form do."""
    given = row["inference"] == "given_thresholds" or not row["replicates"]
    return row["ci_method"] is not None and _chosen(row) and given


def _held(found: re.Match[str], design: Design) -> bool:
    return any(map(_is_held, design.values))


def _again(found: re.Match[str], design: Design) -> bool:
    frames = (design.frames.get(name, ()) for name in ("comparisons", "ranking", "winners"))
    rows = (*design.values, *design.tests, *chain.from_iterable(frames))
    of_curves = (
        row["band_low"] is not None and row["inference"] == "procedure"
        for row in design.frames.get("epc", ())
    )
    return any(of_curves) or any(row["inference"] == "procedure" and row["replicates"] for row in rows)


def _without_a_test(found: re.Match[str], design: Design) -> bool:
    """Whether a dataset has no p-value of the headline."""
    tested = {
        row["dataset"] for row in design.tests if row["family"] == "primary" and row["p_value"] is not None
    }
    return any(row["dataset"] not in tested for row in design.frames["trials"])


def _population(found: re.Match[str], design: Design) -> bool:
    whom = re.sub(r" and new readers$", "", found["whom"].partition(",")[0])
    if design.config.get("averaged_over") is not None:
        return whom.startswith("new values of ")
    if design.clustered:
        return not any(whom.startswith(f"new {word} ") for word in design.trial_words)
    declared = any(row["n_clusters"] is not None for row in design.frames["trials"])
    return any(
        whom.startswith(f"new {word} {'of these' if declared else 'like these'}")
        for word in design.trial_words
    )


def _all_shared(found: re.Match[str], design: Design) -> bool:
    rows = [row for row in design.frames["trials"] if not row["group"]]
    dev = {row["n_clusters"] for row in rows if row["split"] == "dev"}
    shared = {row["shared_clusters"] for row in rows if row["split"] == "test"}
    return bool(dev & shared - {None, 0})


def _few(found: re.Match[str], design: Design) -> bool:
    flagged = (row for frame in ("comparisons", "tests") for row in design.frames.get(frame, ()))
    paired_by_trial = (
        design.config["trials"].get("paired", True) is True or "count" not in design.config["trials"]
    )
    return paired_by_trial and any("few_discordant" in (row["flags"] or ()) for row in flagged)


ONE_SIDED = re.compile(
    r"far|frr|recall|specificity|npv|false_omission_rate|lr_\w+|precision|fdr|lift|number_needed_to_evaluate"
    r"|acceptance_rate|rejection_rate|weighted_error\(alpha=[01]\)"
)


def _traded(found: re.Match[str], design: Design) -> bool:
    asked = design.config["primary"]
    return bool(ONE_SIDED.match(asked["measure"])) and not asked["criterion"].startswith("fixed(")


CLAIMS: Mapping[str, Claim] = {
    "coverage is that of tables like this one": Claim(
        r"In simulated tables of .* contained the true .*", _studied
    ),
    "a CI excludes 0 exactly where p is small": Claim(
        r"excludes 0 exactly where p",
        lambda found, design: all(
            _agrees(row, design.alpha) for row in design.tests if row["p_method"] == "swap"
        ),
    ),
    "scores are exchanged by trial or by cluster": Claim(
        r"scores swapped (?P<unit>.+?) by (?P=unit) [\d,]+ times",
        lambda found, design: _unit(found["unit"], design, design.swapped()),
    ),
    "chance decides for every trial or cluster": Claim(
        r"chance decides for every (?P<unit>.+?)(?: of both sets)? whether",
        lambda found, design: _unit(found["unit"], design, design.swapped()),
    ),
    "resamples are of trials, clusters or values": Claim(
        r"[\d,]+ resamples of (?P<unit>[^,;.)]+)", _resampled, "summary"
    ),
    "methods of CIs are those of the rows": Claim(r"^CIs of [^:]+: (?P<ways>.+)\.$", _methods, "summary"),
    "thresholds are fixed": Claim(r"^CIs of .*thresholds fixed", _held, "summary"),
    "thresholds are treated as fixed": Claim(r"treat the threshold as fixed", _held, "Primary analysis."),
    "other thresholds are treated as fixed": Claim(
        r"treat the threshold as fixed",
        lambda found, design: any(map(_is_held, design.frames["metrics"])),
        "Secondary analyses.",
    ),
    "thresholds are re-selected": Claim(r"re-selected in each|reset each time", _again),
    "whom inference is about": Claim(r"refer to (?P<whom>new [^.]+)\.", _population),
    "no clusters are declared": Claim(
        r"because no cluster column was declared",
        lambda found, design: all(row["n_clusters"] is None for row in design.frames["trials"]),
    ),
    "trials are taken as independent": Claim(
        r"were treated as independent\.", lambda found, design: not design.clustered, "Primary analysis."
    ),
    "clusters are resampled together": Claim(
        r"are resampled together|: each is resampled|are resampled, and the weight",
        lambda found, design: design.clustered,
    ),
    "all clusters of dev are in test": Claim(r"of the development set are also in the test set", _all_shared),
    "few trials are decided differently": Claim(r"(?<!show, )disagrees? on fewer than 10", _few),
    "nothing is compared": Claim(
        r"on these .*; the models were not compared|Differences between models were not tested",
        _without_a_test,
    ),
    "what is not compared is said of these trials": Claim(
        r"the models were not compared",
        lambda found, design: "on these" in found.string or "looks best" in found.string,
    ),
    "p-values are adjusted over a family": Claim(
        r"p-values are adjusted over (?P<n>\d+) comparisons",
        lambda found, design: any(row["family_size"] == int(found["n"]) for row in design.tests),
    ),
    "a rate is bought with the other one": Claim(r"which do not hold .*a model may lead", _traded),
}
"""The claims of a report and their conditions."""


def contradicted(folder: Path) -> list[str]:
    """Return every sentence of the report in a folder that its frames contradict."""
    if not (folder / "report.json").is_file():
        return []
    frames = {path.stem: pl.read_parquet(path).to_dicts() for path in sorted(folder.glob("frames/*.parquet"))}
    config = json.loads((folder / "manifest.json").read_text())["config"]
    report = json.loads((folder / "report.json").read_text())
    return list(false_claims(texts(report), Design(config, frames)))


def false_claims(every: Sequence[Said], design: Design) -> Iterator[str]:
    """Yield the texts that claim what the design does not hold, each once for each claim."""
    for name, claim in CLAIMS.items():
        for said in every:
            if said.block.startswith(claim.block):
                for found in re.finditer(claim.pattern, said.text):
                    if not claim.holds(found, design):
                        yield f"{name}: {said.block}: {said.text[max(0, found.start() - 60) : found.end() + 60]}"


def texts(report: Mapping[str, Any]) -> list[Said]:
    """Return every text of a report: its answer, paragraphs, cautions, captions and notes."""
    answer = [Said("answer", text) for text in (report["headline"], *report["answer"], report["verdict"])]
    return [*answer, *_texts(report["sections"])]


def _texts(block: Any) -> Iterator[Said]:
    if isinstance(block, list):
        for each in block:
            yield from _texts(each)
    elif isinstance(block, dict):
        if block.get("kind") in ("prose", "caution"):
            yield Said(block["title"], block["text"])
        if block.get("kind") in ("table", "figure"):
            notes = (*block.get("notes", ()), *block.get("drawn_notes", ()))
            yield from (Said(block["name"], text) for text in (block["caption"], *notes) if text)
        for value in block.values():
            yield from _texts(value)
