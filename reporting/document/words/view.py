"""One dataset and run of the results: what a verdict, a table or a picture is about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import polars as pl

from reporting.base.legible import elided, elided_apart
from reporting.base.records import dataclass, field
from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import MEAN
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR, HTER
from reporting.document.blocks import HUES, in_context
from reporting.document.frames.comparisons import COMPARISONS, ComparisonRow
from reporting.document.frames.contract import Frame, R
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.terms import Terms, terms
from reporting.inputs.spec import LEAVE_DEV_OUT

ERROR_RATES = (FAR, FRR, HTER)
MEANS = ("mean over runs", "mean over readers")
LONGEST_SUFFIX = 40
"""Of the names of files."""
MOST_DRAWN = 50
"""Of more models than these a picture has the curves of the first in rank; frames and tables have all."""


@dataclass(frozen=True, eq=False)
class DatasetView:
    """The results of one dataset and run, over all groups.

    ``label`` distinguishes it from the other views of the report and is empty where there is only one;
    ``number`` counts from 0.
    """

    results: Results
    dataset: str
    run: str
    number: int
    label: str
    whole: bool = True
    """False for one run of several, next to the mean over them, which is what is compared."""
    peers: list[DatasetView] = field(default_factory=list)
    """All views of the report, this one among them."""

    @property
    def where(self) -> str:
        """Return the part of the label that is a place, such as a dataset; a mean over runs is none."""
        if self.run != MEAN:
            return self.label
        return self.label.removesuffix(self.mean_label).removesuffix(", ")

    @property
    def mean_label(self) -> str:
        """What the mean averages: runs or readers."""
        return MEANS[self.study.runs == "reader"]

    @property
    def study(self) -> Study:
        """The question the report answers."""
        return self.results.study

    @cached_property
    def names(self) -> dict[str, str]:
        """The printed name by model key, in the report's order; equal names get their key behind."""
        return elided_apart({key: self.study.name_of(key) for key in self.results.models})

    def sign(self, model: str) -> int:
        """Return -1 for a model whose lower scores favour the target, else 1."""
        return -1 if model in self.study.negated else 1

    @property
    def log10_factors(self) -> dict[str, float]:
        """What turns each model's scores into log10 LRs; empty unless all are likelihood ratios."""
        factors = {"llr": 1 / math.log(10), "log10_llr": 1.0}
        scales = {key: self.study.scale_of(key) for key in self.results.models}
        if not {*scales.values()} <= factors.keys():
            return {}
        return {key: factors[scale] for key, scale in scales.items()}

    @property
    def terms(self) -> Terms:
        """The terms the report speaks in."""
        return terms(self.study.vocabulary, weighted=self.results.weighted)

    def printing(self, measure: Measure) -> Printing:
        """Return how a measure is printed here: two digits of the typical error on test.

        Values and differences share their decimals, so that a reader's subtraction agrees; so do the two
        rates of errors and their mean, which share a row.
        """
        return self.printing_over([self], measure)

    @staticmethod
    def printing_over(views: Sequence[DatasetView], measure: Measure) -> Printing:
        """Return how a measure is printed where the values of several views share a column."""
        return Printing.of(measure, [error for view in views for error in view._errors(measure)])

    def _errors(self, measure: Measure) -> list[float | None]:
        """The standard errors of a measure's values and differences on test."""
        alike = {str(each) for each in (ERROR_RATES if measure in ERROR_RATES else (measure,))}
        every = [*self.metrics, *self.means.values()]
        values = [row for row in every if row.measure in alike and row.split == "test"]
        differences = [row for row in self.comparisons if row.measure in alike]
        rows: list[MetricRow | ComparisonRow] = [*values, *differences]
        return [standard_error(row.ci_low, row.ci_high, row.level) for row in rows]

    @cached_property
    def styles(self) -> dict[str, int]:
        """The style of every model: the finalists here in colour, the others in grey.

        A model has the same colour in every view, and in every report of the same models as far as there are
        hues. Where nothing ranks the models, such as in the picture of a single frame, all are in colour.
        """
        usual = styles_of(self.results.models, self.study.baseline)
        if not self.finalists:
            return usual
        ever = {model for view in self.peers or [self] for model in view.finalists}
        own = solid({model: style for model, style in usual.items() if model in ever})
        return {
            key: own[key] if key in self.finalists else in_context(own.get(key, style))
            for key, style in usual.items()
        }

    def unique_name(self, name: str) -> str:
        """Return a name for a figure or table that no other view uses: ``det_text``, ``det_run-1``."""
        if not self.label:
            return name
        return f"{name}_{_suffixes([each.label for each in self.peers])[self.number]}"

    def across_datasets(self, name: str) -> str:
        """Return a name for a table of all datasets that no other run uses: ``areas``, ``areas_run-1``."""
        runs = list(dict.fromkeys(each.run for each in self.peers))
        return (
            f"{name}_{_suffixes([f'run {run}' for run in runs])[runs.index(self.run)]}" if runs[1:] else name
        )

    def rows(self, frame: Frame[R], split: str | None = None) -> list[R]:
        """Return the rows of a result frame that belong here, those of one split where it is named."""
        rows = self.frame(frame)
        return frame.rows(rows if split is None else rows.filter(split=split))

    def frame(self, frame: Frame[Any]) -> pl.DataFrame:
        """Return the rows of a result frame that belong here, looked for once."""
        if frame.name not in self._frames:
            self._frames[frame.name] = self.part(self.results.frame(frame))
        return self._frames[frame.name]

    @cached_property
    def _frames(self) -> dict[str, pl.DataFrame]:
        return {}

    def part(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a data frame that belong here (comparisons have no run)."""
        here = (frame["dataset"] == self.dataset) & (frame["group"] == "")
        here = here & (frame["run"] == self.run) if "run" in frame.columns else here
        return frame if here.all() else frame.filter(here)

    @cached_property
    def metrics(self) -> list[MetricRow]:
        """The rows of ``metrics``."""
        return self.rows(METRICS)

    @cached_property
    def averaged(self) -> str:
        """The group whose rows answer the first question: the means over a column; empty: all trials."""
        group = f"mean({self.study.averaged_over})" if self.study.averaged_over else ""
        there = {"dataset": self.dataset, "run": self.run, "group": group}
        return group if group and len(self.results.frame(METRICS).filter(**there)) else ""

    @cached_property
    def means(self) -> dict[str, MetricRow]:
        """The means over a column that answer the first question, by model; empty where all trials do."""
        if not self.averaged:
            return {}
        there = {"dataset": self.dataset, "run": self.run, "group": self.averaged, "split": "test"}
        rows = METRICS.rows(self.results.frame(METRICS).filter(self._first, **there))
        return {row.model: row for row in rows}

    @property
    def question(self) -> tuple[str, str | None]:
        """Measure and criterion of the first question, as frames name them."""
        primary = self.study.primary
        return str(primary.measure), str(primary.criterion) if primary.measure.over == "threshold" else None

    @property
    def _first(self) -> pl.Expr:
        """Whether a row of ``metrics`` or ``comparisons`` is about the first question."""
        measure, criterion = self.question
        return (pl.col("measure") == measure) & pl.col("criterion").eq_missing(pl.lit(criterion, pl.String))

    @cached_property
    def comparisons(self) -> list[ComparisonRow]:
        """The rows of ``comparisons``, without those along the alphas of an EPC.

        Those of the first question are between means, where means answer it.
        """
        return COMPARISONS.rows(self._compared.filter(pl.col("parameter").is_null()))

    @property
    def _compared(self) -> pl.DataFrame:
        """Every comparison on test; a single run next to a mean over runs has none of its own."""
        frame, rows = self.results.frame(COMPARISONS), self.frame(COMPARISONS)
        if self.averaged:
            of_means = frame.filter(self._first, dataset=self.dataset, group=self.averaged)
            rows = pl.concat([rows.filter(~self._first | pl.col("parameter").is_not_null()), of_means])
        return rows.filter(pl.col("split") == "test") if self.whole else rows.clear()

    @cached_property
    def _by_estimand(self) -> dict[Compared, dict[str | None, ComparisonRow]]:
        rows: dict[Compared, dict[str | None, ComparisonRow]] = {}
        for row in self.comparisons:
            rows.setdefault(_compares(row), {})[row.inference] = row
        return rows

    @cached_property
    def headlines(self) -> list[ComparisonRow]:
        """The comparisons that answer first: with thresholds re-selected where development gives them."""
        return [rows.get("procedure", next(iter(rows.values()))) for rows in self._by_estimand.values()]

    def tuned(self, headline: ComparisonRow) -> ComparisonRow | None:
        """Return the same comparison of the two systems with thresholds fixed, where that is another one."""
        row = self._by_estimand[_compares(headline)].get("given_thresholds")
        return None if row is headline else row

    def along(self, criterion: Criterion, measure: Measure, model: str, other: str) -> pl.DataFrame:
        """Return the comparison of two models along the parameter of a criterion, whichever is the model."""
        pair = pl.col("model").is_in([model, other]) & pl.col("baseline").is_in([model, other])
        question = {"criterion": str(criterion), "measure": str(measure)}
        rows = self._compared.filter(pair, pl.col("parameter").is_not_null(), **question)
        return rows.sort("parameter")

    @cached_property
    def _by_question(self) -> dict[tuple[str, str, str, str | None], MetricRow]:
        """Every value here, and those on another dataset's development set, which chooses the thresholds."""
        dev, rows = self.results.dev_of.get(self.dataset, self.dataset), self.metrics
        if dev != self.dataset:
            there = {"dataset": dev, "run": self.run, "group": "", "split": "dev"}
            rows = [*rows, *METRICS.rows(self.results.frame(METRICS).filter(**there))]
        return {(row.model, row.split, row.measure, row.criterion): row for row in rows}

    def metric(
        self, model: str, measure: Measure, criterion: Criterion | None, split: str = "test"
    ) -> MetricRow | None:
        """Return one row of ``metrics``; the criterion does not matter for a measure over the sweep."""
        at = str(criterion) if measure.over == "threshold" else None
        return self._by_question.get((model, split, str(measure), at))

    def primary(self, model: str) -> MetricRow | None:
        """Return the row of ``metrics`` that answers the report's first question for a model."""
        pooled = self.metric(model, self.study.primary.measure, self.study.primary.criterion)
        return self.means.get(model) if self.averaged else pooled

    @cached_property
    def ranked(self) -> list[str]:
        """The models from the best primary value on, undefined ones last, ties in the report's order."""
        measure = self.study.primary.measure

        def place(model: str) -> float:
            row = self.primary(model)
            return math.inf if row is None or row.value is None else measure.loss(row.value)

        return sorted(self.results.models, key=place)

    @cached_property
    def drawn(self) -> list[str]:
        """The models with curves in pictures, in the report's order: of very many the first in rank."""
        first = {*self.ranked[:MOST_DRAWN], *self.finalists}
        return [model for model in self.results.models if model in first]

    @cached_property
    def finalists(self) -> tuple[str, ...]:
        """The first in rank and the model it is held against: the baseline, or else the next in rank."""
        defined = [key for key in self.ranked if (row := self.primary(key)) and row.value is not None]
        baseline = self.study.baseline
        second = defined[1:2] if baseline in (None, *defined[:1]) else [key for key in (baseline,) if key]
        return (*defined[:1], *second)

    def operating_point(self, model: str, criterion: Criterion) -> MetricRow | None:
        """Return any row with the error counts of a model on test at a criterion's threshold."""
        there = "test", model, str(criterion)
        rows = (row for row in self.metrics if (row.split, row.model, row.criterion) == there)
        return next((row for row in rows if row.misses is not None and row.false_alarms is not None), None)

    @property
    def most_nontargets(self) -> int:
        """The most non-targets a model has on test: no FAR but 0 is below one in so many."""
        return max((row.n_nontarget for row in self._tested), default=0)

    @property
    def most_targets(self) -> int:
        """The most targets a model has on test."""
        return max((row.n_target for row in self._tested), default=0)

    @property
    def _tested(self) -> list[TrialsRow]:
        """The trials on test, those of every run behind a mean."""
        return [row for run in (self.runs or [self]) for row in run.rows(TRIALS, "test")]

    @property
    def dev_left_out(self) -> int:
        """How many trials of a development set were left out, for a policy without use for one."""
        if self.study.thresholds.policy not in LEAVE_DEV_OUT:
            return 0
        rows = self.rows(TRIALS, "dev")
        return max((row.rows_read or 0 for row in rows if not row.n_target + row.n_nontarget), default=0)

    @property
    def runs(self) -> list[DatasetView]:
        """The single runs that a mean is over; none behind a single run."""
        if self.run != MEAN:
            return []
        return [peer for peer in self.peers if peer.dataset == self.dataset and peer.run != MEAN]

    def rates_at(self, model: str, criterion: Criterion) -> tuple[float | None, float | None]:
        """Return FAR and FRR of a model on test at a criterion's threshold; None where undefined or unknown.

        The frame's own values where they were requested; else errors over trials, which are the rates
        only where all trials weigh the same.
        """
        far, frr = (self.metric(model, measure, criterion) for measure in (FAR, FRR))
        if far is not None and frr is not None:
            return far.value, frr.value
        row = self.operating_point(model, criterion)
        if row is None or row.false_alarms is None or row.misses is None or self.results.weighted:
            return None, None
        p_fa = row.false_alarms / row.n_nontarget if row.n_nontarget else None
        return p_fa, row.misses / row.n_target if row.n_target else None

    @property
    def point_criterion(self) -> Criterion | None:
        """The criterion whose chosen points are drawn in the pictures."""
        return self.study.point_criterion

    def point_criteria(self) -> Sequence[tuple[Criterion, bool]]:
        """Return the criterion of the points and its a posteriori twin, each with whether it is the twin."""
        chosen = self.point_criterion
        if chosen is None:
            return ()
        if chosen.oracle or not chosen.has_oracle:
            return ((chosen, chosen.oracle),)
        return (chosen, False), (oracle(chosen), True)


def styles_of(models: Iterable[str], baseline: str | None) -> dict[str, int]:
    """Return the style in colour of every model: the baseline first, then in the report's order.

    No result has a say in it, so that a model keeps its colour from week to week.
    """
    first = sorted(models, key=lambda model: model != baseline)
    return {model: style for style, model in enumerate(first, start=1)}


def solid(styles: Mapping[str, int]) -> dict[str, int]:
    """Return the styles of models in colour: solid ones as long as there are hues, each its own."""
    hues = range(1, len(HUES) + 1)
    own: dict[str, int] = {}
    for model, style in styles.items():
        free = [hue for hue in hues if hue not in own.values()]
        usual = (style - 1) % len(HUES) + 1
        own[model] = usual if usual in free else next(iter(free), style)
    return own


Compared = tuple[str, str | None, str, str]


def _compares(row: ComparisonRow) -> Compared:
    """Return what a row of ``comparisons`` compares, under either estimand."""
    return row.measure, row.criterion, row.model, row.baseline


def views(results: Results) -> list[DatasetView]:
    """Return the views of a report, datasets and then runs in text order, means over runs first."""
    return results.once(_views, results)


def _views(results: Results) -> list[DatasetView]:
    trials, metrics = results.frame(TRIALS), results.frame(METRICS)
    on_test = _sets(trials.filter(trials["split"] == "test"))
    means = _sets(metrics.filter(metrics["run"] == MEAN))
    pairs = sorted([*means, *on_test], key=lambda pair: (pair[0].encode(), pair[1] != MEAN, pair[1].encode()))
    many_datasets = len({dataset for dataset, _ in pairs}) > 1
    many_runs = len({run for _, run in pairs}) > 1
    of_mean, readers = {dataset for dataset, _ in means}, results.study.runs == "reader"
    peers: list[DatasetView] = []
    for number, (dataset, run) in enumerate(pairs):
        of_run = MEANS[readers] if run == MEAN else f"{'reader' if readers else 'run'} {run}"
        parts = [dataset] * many_datasets + [of_run] * many_runs
        label = ", ".join(map(elided, parts))
        whole = run == MEAN or dataset not in of_mean
        peers.append(DatasetView(results, dataset, run, number, label, whole, peers))
    return peers


def _sets(rows: pl.DataFrame) -> set[tuple[str, str]]:
    return set(zip(rows["dataset"], rows["run"], strict=True))


def _suffixes(labels: Sequence[str]) -> list[str]:
    """Return a part of file names for each label, all apart; names before it end where an underscore is."""
    suffixes: list[str] = []
    for number, label in enumerate(labels, start=1):
        words = label.replace(MEANS[0], "mean").replace(MEANS[1], "mean").lower()
        suffix = re.sub(r"[^a-z0-9]+", "-", words).strip("-")[:LONGEST_SUFFIX].strip("-") or str(number)
        while suffix in suffixes:
            suffix = f"{suffix}-{number}"
        suffixes.append(suffix)
    return suffixes
