"""What trials are good for: how they are read, which questions they can answer, and what the others lack."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from reporting.app.config.plan import Plan
from reporting.app.config.read import plan_of
from reporting.app.init.lines import settled
from reporting.app.init.look import Draft
from reporting.app.init.starter import drafted, questions_of
from reporting.app.run.check import checked_trials
from reporting.base.legible import counted
from reporting.base.progress import Stages
from reporting.base.records import dataclass, field
from reporting.core.counts.count import Counts
from reporting.document.needs import TrialFacts
from reporting.errors import ReportingError, listed, one_line, quoted
from reporting.features.catalogue import FEATURES
from reporting.inputs.spec import FALSE_WORDS, LEAVE_DEV_OUT
from reporting.inputs.table import TrialTable

OUT = Path("report.yaml")


class SetSize(NamedTuple):
    """The trials of a dataset and split, and the independent units that they come from."""

    dataset: str
    split: str
    trials: int
    targets: int
    units: int
    unit: str


@dataclass(frozen=True)
class Diagnosis:
    """What trials are good for. ``faults`` are the reasons why no report can be made of them yet."""

    shown: tuple[str, ...]
    draft: Draft
    """How they are read."""
    sets: tuple[SetSize, ...] = ()
    cautions: tuple[str, ...] = ()
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Every question with what trials lack for it; nothing where they can answer it."""
    faults: tuple[str, ...] = ()

    @property
    def next(self) -> list[str]:
        """The commands that come next."""
        files = shlex.join(self.shown)
        last = "reporting check" if self.faults else "reporting run"
        return [f"reporting init {files} -o {OUT}", f"{last} {OUT}"]

    @property
    def answers(self) -> list[str]:
        """The questions that they can answer."""
        return [asks for asks, missing in self.missing.items() if not missing]

    @property
    def lacking(self) -> Mapping[str, Sequence[str]]:
        """The other questions, each with what is missing."""
        return {asks: missing for asks, missing in self.missing.items() if missing}

    def to_dict(self) -> Mapping[str, object]:
        """Return it as plain data."""
        questions = questions_of(self.draft.lines)
        return {
            "shown": self.shown,
            "seen": [text.strip() for text in self.draft.seen],
            "config": settled(self.draft.lines),
            "questions": [{"keys": keys, "question": why} for why, keys in questions.items()],
            "sets": [each._asdict() for each in self.sets],
            "cautions": self.cautions,
            "answers": self.answers,
            "lacking": self.lacking,
            "faults": self.faults,
            "next": self.next,
        }


class Cautions(Stages):
    """Stages that keep what looks wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def caution(self, message: str, code: str = "", *, also_quiet: bool = False) -> None:
        """Keep a caution."""
        self.kept.append(f"{message} [{code}]")


def diagnose(trials: Sequence[str], table: str | None = None) -> Diagnosis:
    """Read trials as ``init`` would, check them, and find the questions that they can answer.

    Nothing is written. ConfigError and DataError where they cannot be recognised at all; what a check
    finds wrong is in ``faults``.
    """
    draft, stages = drafted(trials, OUT, table), Cautions()
    shown = tuple(trials)
    try:
        with checked_trials(plan_of(settled(draft.lines), str(OUT)), stages) as read:
            offered = next((line.value for line in draft.lines if line.trail == ("by",)), ())
            facts = facts_of(read.plan, read.table, read.counts, offered)
            sets = tuple(_sets(read.table, read.counts))
    except ReportingError as error:
        return Diagnosis(shown, draft, faults=tuple(error.faults))
    missing = {feature.asks: feature.lacking(facts) for feature in FEATURES.values() if feature.asks}
    return Diagnosis(shown, draft, sets, tuple(stages.kept), missing)


def facts_of(plan: Plan, table: TrialTable, counts: Counts, groups: Sequence[str]) -> TrialFacts:
    """Return what a counted table holds; ``groups`` are columns that ``init`` would break it down by."""
    tests = {key: cuts for key, cuts in counts.cuts.items() if key.split == "test"}
    scales = {model: plan.study.scale_of(model) for model in table.models}
    policy = plan.study.thresholds.policy
    has_dev = any(key.split == "dev" for key in counts.cuts) and policy not in LEAVE_DEV_OUT
    in_unit_range = [
        model
        for model, scale in scales.items()
        if scale == "score"
        and all(
            len(cuts.score) and cuts.score[0] >= 0 and cuts.score[-1] <= 1
            for key, cuts in tests.items()
            if key.model == model
        )
    ]
    nontarget = table.spec.values.nontarget
    return TrialFacts(
        models=len(table.models),
        datasets=len({key.dataset for key in tests if key.dataset != "all"}) or 1,
        targets=min((cuts.trials[0] for cuts in tests.values()), default=0),
        nontargets=min((cuts.trials[1] for cuts in tests.values()), default=0),
        scores=max((len(cuts.score) for cuts in tests.values()), default=0),
        has_dev=has_dev,
        attempts=len({key.run for key in tests}) if table.spec.runs == "seed" else 1,
        has_readers=table.spec.runs == "reader" and len({key.run for key in tests}) > 1,
        crosses_folds=not has_dev and policy != "none",
        has_pairs=table.pairs_trials and all(ranks.paired for ranks in counts.ranks.values()),
        groups=tuple(groups),
        in_unit_range=tuple(in_unit_range),
        scales=frozenset(scales.values()),
        several_labels=nontarget not in (None, FALSE_WORDS) and (nontarget == "rest" or len(nontarget) > 1),
    )


def _sets(table: TrialTable, counts: Counts) -> Iterator[SetSize]:
    by_column = "pair member" if table.spec.has_pairs else table.spec.column("cluster")
    for place, ranks in sorted(counts.ranks.items()):
        units, unit = ranks.n_trials, "trial"
        if place in counts.n_clusters:
            units, unit = counts.n_clusters[place], by_column
        yield SetSize(*place, ranks.n_trials, int(ranks.label.sum()), units, unit)


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return a diagnosis as lines for a terminal."""
    return "\n".join(map(one_line, _lines(diagnosis)))


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield from diagnosis.draft.seen
    for line in diagnosis.draft.lines:
        if not (line.is_offered or line.is_open):
            yield line.shown
    if questions := questions_of(diagnosis.draft.lines):
        yield from ("", "To decide first:")
        yield from (f"  ? {listed(keys, 3)}: {why}" for why, keys in questions.items())
    if diagnosis.faults:
        yield from ("", "No report can be made of it yet:", *(f"  {fault}" for fault in diagnosis.faults))
    else:
        yield from ("", "Independent units:")
        for each in diagnosis.sets:
            where = each.split if each.dataset == "all" else f"{quoted(each.dataset)} {each.split}"
            units = "every trial is one" if each.unit == "trial" else counted(each.units, each.unit)
            yield f"  {where}: {counted(each.trials, 'trial')}, {counted(each.targets, 'target')}; {units}"
        yield from ("", "It can answer:", *(f"  {asks}" for asks in diagnosis.answers))
    together: dict[str, list[str]] = {}
    for asks, missing in diagnosis.lacking.items():
        together.setdefault("; ".join(missing), []).append(asks)
    for what, others in together.items():
        yield from ("", f"With {what}, also:", *(f"  {asks}" for asks in others))
    if diagnosis.cautions:
        yield from ("", *diagnosis.cautions)
    yield from ("", "Next:", *(f"  {command}" for command in diagnosis.next))
