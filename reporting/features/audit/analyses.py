"""The analyses of a leaderboard that can be defended, and the order of the models in each."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import get_args

from reporting.base.records import dataclass, field, replace
from reporting.core.criteria.catalogue import oracle
from reporting.core.engine.model_runs import MEAN
from reporting.core.engine.study import Study
from reporting.core.stats.staircase import Ties
from reporting.document.commands import Analyses
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.pairs import PAIRS, PairRow
from reporting.document.frames.ranking import RANKING, RankingRow
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import DatasetView, views
from reporting.errors import ConfigError, DataError

MOST = 500
"""More analyses than these are no audit that somebody reads."""
FRAMES = TRIALS, RANKING, PAIRS


@dataclass(frozen=True)
class Choices:
    """What one analysis chooses; ``unit`` is ``trial``, a column of clusters, or two that are crossed."""

    unit: str
    ties: Ties
    left_out: tuple[str, str] | None = None
    tuned_on: str = "dev"
    overrides: tuple[str, ...] = field(default=(), compare=False)

    @property
    def optimistic(self) -> bool:
        """Whether thresholds are tuned on the trials that judge them."""
        return self.tuned_on == "test"

    def differences(self, other: Choices) -> list[str]:
        """Return in words in what it differs from other choices."""
        texts = {
            f"units: {self.unit}": self.unit != other.unit,
            f"ties: {self.ties}": self.ties != other.ties,
            "without {} {}".format(*self.left_out or ("", "")): self.left_out != other.left_out,
            "tuned on the test set": self.optimistic and not other.optimistic,
        }
        return [text for text, differs in texts.items() if differs]


@dataclass(frozen=True, eq=False)
class AuditedAnalysis:
    """The models of one dataset in one analysis; ``rows`` are of those that have a rank, the best first."""

    choices: Choices
    view: DatasetView
    rows: Sequence[RankingRow]
    pairs: Mapping[tuple[str, str], PairRow]

    @property
    def leader(self) -> str:
        """The model with the best value."""
        return self.rows[0].model

    @property
    def limited(self) -> bool:
        """Whether ranks have limits."""
        return self.tiers > 0

    @property
    def tiers(self) -> int:
        """How many tiers there are; 0 where ranks have no limits."""
        return max((row.tier or 0 for row in self.rows), default=0)

    @property
    def first_tier(self) -> list[str]:
        """The models that none is significantly better than; empty where ranks have no limits."""
        return [row.model for row in self.rows if row.tier == 1]

    def lead(self, model: str) -> tuple[float | None, float | None, float | None]:
        """Return by how much a model is ahead of the best other one, with simultaneous limits.

        Negative where another is ahead. All are None where the model has no value or no other has one.
        """
        others = [row.model for row in self.rows if row.model != model]
        if not others or all(row.model != model for row in self.rows):
            return None, None, None
        rival = others[0]
        if (pair := self.pairs.get((model, rival))) is not None:
            return pair.behind, pair.behind_low, pair.behind_high
        if (pair := self.pairs.get((rival, model))) is not None:
            low, high = (None if end is None else -end for end in (pair.behind_high, pair.behind_low))
            return -pair.behind, low, high
        own, best = (next(row.value for row in self.rows if row.model == key) for key in (model, rival))
        ahead = (own or 0.0) - (best or 0.0)
        return (-ahead if self.view.study.primary.measure.better == "lower" else ahead), None, None


@dataclass(frozen=True, eq=False)
class DatasetAudit:
    """Every analysis of one dataset; the first is that of the config."""

    outcomes: Sequence[AuditedAnalysis]
    refused: Sequence[tuple[Choices, str]] = ()
    """Choices that cannot be analysed, with the reason."""

    @cached_property
    def defensible(self) -> list[AuditedAnalysis]:
        """Those that choose no threshold on the trials that judge it."""
        return [each for each in self.outcomes if not each.choices.optimistic]

    @property
    def by_unit(self) -> list[AuditedAnalysis]:
        """The analyses of all rows with ranks that have limits, one for each unit of resampling."""
        ties = self.own.choices.ties
        return [
            each
            for each in self.defensible
            if each.limited and each.choices.left_out is None and each.choices.ties == ties
        ]

    @property
    def own(self) -> AuditedAnalysis:
        """The analysis of the config."""
        return self.outcomes[0]

    @property
    def view(self) -> DatasetView:
        """The words and names of the config's own analysis."""
        return self.own.view


def choices_of(
    study: Study,
    own_units: Sequence[str],
    units: Sequence[str],
    sources: Sequence[tuple[str, str]],
    ties: Sequence[Ties] = (),
) -> list[Choices]:
    """Return every defensible analysis, the config's own first.

    ``own_units`` are the columns of clusters that the config names, ``units`` further ones, each alone or two
    as ``first,second``; ``sources`` are the values of columns that are left out, one at a time; ``ties`` are
    further rules for thresholds that tie.
    """
    clustered = own_units and study.inference.unit != "trial"
    own = Choices(",".join(own_units) if clustered else "trial", study.ties)
    columns = [",".join(own_units), *(own_units if len(own_units) > 1 else ()), *units]
    every_unit = dict.fromkeys([own.unit, "trial", *filter(None, columns)])
    every = [
        Choices(unit, rule, source, overrides=(*_unit(unit, own_units), f"thresholds.ties={rule}"))
        for unit, rule, source in itertools.product(every_unit, (own.ties, *ties), (None, *sources))
    ]
    if len(every) > MOST:
        raise ConfigError(
            f"audit: these make {len(every)} analyses, at most {MOST} are run; name fewer columns"
        )
    return every


def is_chosen(study: Study) -> bool:
    """Return whether the primary question has a threshold that development data choose."""
    return study.primary.measure.over == "threshold" and study.primary.criterion.needs_dev


def _unit(unit: str, own: Sequence[str]) -> tuple[str, ...]:
    """Return the overrides of a unit of resampling."""
    if unit == "trial":
        return ("significance.unit=trial",)
    columns = unit.split(",")
    texts = ", ".join(json.dumps(column) for column in columns)
    named = (
        () if columns == list(own) else (f"trials.columns.cluster={f'[{texts}]' if columns[1:] else texts}",)
    )
    # Two populations in the config, and their names, do not suit one column.
    alone = ("trials.clusters={}",) if len(own) > len(columns) else ()
    return *alone, *named, "significance.unit=cluster"


def audited(analyses: Analyses, units: Sequence[str], without: Sequence[str]) -> list[DatasetAudit]:
    """Return the audit of every dataset of a config, or of files of scores."""
    first = analyses((*FRAMES, METRICS))
    if first.study.averaged_over is not None:
        raise ConfigError("audit: means over a column have no ranks; leave averaged_over out")
    for column in dict.fromkeys(column for unit in units for column in unit.split(",")):
        analyses.values(column)  # a name that is misspelt is a fault, and no analysis that fails
    own_units = [column for column in (first.cluster, first.cluster_b) if column is not None]
    sources = [(column, value) for column in without for value in analyses.values(column)]
    every = choices_of(first.study, own_units, units, sources, _ties(analyses, first))
    audits: dict[str, list[AuditedAnalysis]] = {}
    results: dict[Choices, Results] = {every[0]: first}
    refused: list[tuple[Choices, str]] = []
    # The views of means over runs are known by their metrics.
    frames = (*FRAMES, METRICS) if first.frame(METRICS)["run"].eq(MEAN).any() else FRAMES
    # Those of the same rows follow one another, which are then read once.
    for choices in sorted(every[1:], key=lambda each: each.left_out or ("", "")):
        try:
            results[choices] = analyses(frames, choices.overrides, choices.left_out)
        except DataError as error:
            refused.append((choices, str(error)))
    for choices in filter(results.__contains__, every):
        for outcome in _outcomes(choices, results[choices]):
            audits.setdefault(outcome.view.dataset, []).append(outcome)
    for outcomes in audits.values():
        outcomes += _tuned_on_test(outcomes[0])
    kept = [
        DatasetAudit(outcomes, refused) for outcomes in audits.values() if outcomes[0].choices == every[0]
    ]
    if not kept:
        raise ConfigError("audit: no two models have a value in the primary measure, so none can be ranked")
    return kept


def _ties(analyses: Analyses, first: Results) -> list[Ties]:
    """Return the rules for thresholds that tie, other than the config's, that change a value."""
    values = first.frame(RANKING).select("dataset", "run", "model", "value")
    others: list[Ties] = [rule for rule in get_args(Ties) if rule != first.study.ties]
    rules: list[Ties] = []
    for rule in others if is_chosen(first.study) else ():
        ranked = analyses((RANKING,), [f"thresholds.ties={rule}"]).frame(RANKING)
        if not ranked.select(values.columns).equals(values):
            rules.append(rule)
    return rules


def _outcomes(choices: Choices, results: Results) -> Iterator[AuditedAnalysis]:
    for view in views(results):
        rows = [row for row in view.rows(RANKING, "test") if row.rank is not None]
        if view.whole and len(rows) > 1:
            pairs = {(row.model, row.other): row for row in view.rows(PAIRS)}
            yield AuditedAnalysis(choices, view, sorted(rows, key=lambda row: (row.rank, row.model)), pairs)


def _tuned_on_test(own: AuditedAnalysis) -> Iterator[AuditedAnalysis]:
    """Yield the order at thresholds that are chosen on the test set, if any are; it has no limits."""
    study = own.view.study
    if not (is_chosen(study) and study.primary.criterion.has_oracle):
        return
    question = str(study.primary.measure), str(oracle(study.primary.criterion))
    values = {
        row.model: row.value
        for row in own.view.rows(METRICS, "test")
        if (row.measure, row.criterion) == question and row.value is not None
    }
    sign = -1 if study.primary.measure.better == "higher" else 1
    rows = [
        replace(
            row,
            value=values[row.model],
            rank=1 + sum(sign * other < sign * values[row.model] for other in values.values()),
            rank_low=None,
            rank_high=None,
            tier=None,
            p_separated=None,
            band_low=None,
            band_high=None,
        )
        for row in own.rows
        if row.model in values
    ]
    if len(rows) > 1:
        choices = replace(own.choices, tuned_on="test")
        yield AuditedAnalysis(choices, own.view, sorted(rows, key=lambda row: (row.rank, row.model)), {})
