"""Every measure that has an interval: how often the interval of a report holds the truth, table by table.

A cell of the study is a kind of table (``TABLES``); one run draws one of them and asks for every measure of
the catalogue. Run a cell, or some, in pieces that are kept:

    python -m tests.research.studies.run --studies "coverage 60/60" --share 0.2 --any-source --figures FILE

All cells together also write what the handbook says of them (``COVERED``).
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.engine.study import ModelEntry, Study
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.measures.measure import Measure
from reporting.core.resampling.settings import Inference
from reporting.core.stats.special import expit, logit
from reporting.core.stats.staircase import cumulate, cut_at
from tests.research.studies.comparing import LEVEL, Record
from tests.research.studies.figures import Figure, Table
from tests.research.studies.models import Drawn, Scored, labels, study_of

PREVALENCE = 0.5
FINE, WHOLE = np.linspace(-12, 15, 20_001), 10**9
COSTS = ("mindcf(p_target=0.01,c_miss=10)", "mindcf(p_target=0.01)", "dcf(p_target=0.01,c_miss=10)")
WITHOUT = (
    *("failure_to_acquire", "zero_fmr"),
    *("adcf", "minadcf", "spoofing_error", "tdcf", "mintdcf"),
)
"""Without spread here, and what every trial more makes lower; and costs of attacks: ``spoofing.py``."""


@dataclass(frozen=True)
class Kind:
    """Trials whose scores are likelihood ratios where classes spread alike: N(0, 1) and N(d', s) before.

    Trials are targets by chance, in so many of all on average. With ``clusters`` both counts are those of each of them, and .3 of the variance is that of a cluster's
    class; with ``speakers`` every ordered pair of them makes ``n_nontarget`` trials, of its own makes targets.
    """

    n_target: int = 0
    n_nontarget: int = 0
    d_prime: float = 2.0
    sd: float = 1.0
    grades: int = 0
    clusters: int = 0
    speakers: int = 0
    threshold: float = 0.0
    """Of the log likelihood ratio."""

    def llr(self, raw: FloatArray) -> FloatArray:
        """The log likelihood ratio of two normal classes of one spread."""
        return self.d_prime * raw - self.d_prime**2 / 2

    @property
    def edges(self) -> FloatArray:
        """The raw scores between grades, or between fine cells."""
        return np.linspace(-1, self.d_prime + 1, self.grades - 1) if self.grades else FINE

    @property
    def scores(self) -> FloatArray:
        """The score of every cell: of a grade, its middle."""
        step = self.edges[1] - self.edges[0]
        return self.llr(np.append(self.edges - step / 2, self.edges[-1] + step / 2))

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table of trials."""
        if self.speakers:
            return self._pairs(rng)
        label, unit = rng.random(self.n_nontarget + self.n_target) < self.share, None
        label[:2] = True, False
        noise = rng.standard_normal(len(label) * max(1, self.clusters))
        if self.clusters:
            label = np.tile(labels(self.n_nontarget, self.n_target), self.clusters)
            unit = np.repeat(np.arange(self.clusters, dtype=np.uint32), self.n_nontarget + self.n_target)
            effect = rng.standard_normal((2, self.clusters))[label.astype(int), unit]
            noise = np.sqrt(0.3) * effect + np.sqrt(0.7) * noise
        raw = np.where(label, self.d_prime + self.sd * noise, noise)
        score = self.scores[np.searchsorted(self.edges, raw)] if self.grades else self.llr(raw)
        return Scored(label, score[None], unit)

    def _pairs(self, rng: np.random.Generator) -> Scored:
        """A tenth of the variance is that of either speaker's role."""
        a, b = (np.repeat(grid.ravel(), self.n_nontarget) for grid in np.indices((self.speakers,) * 2))
        effects = np.sqrt(0.1) * rng.standard_normal((2, self.speakers))
        noise = effects[0, a] + effects[1, b] + np.sqrt(0.8) * rng.standard_normal(len(a))
        label = a == b
        score = self.llr(noise + self.d_prime * label)
        return Scored(label, score[None], a.astype(np.uint32), b.astype(np.uint32))

    @property
    def share(self) -> float:
        """The share of targets."""
        return self.n_target / (self.n_target + self.n_nontarget)

    @property
    def ratio(self) -> tuple[int, int]:
        """Targets to non-targets."""
        return (1, self.speakers - 1) if self.speakers else (self.n_target, self.n_nontarget)

    @property
    def trials(self) -> int:
        """How many trials a table has."""
        return self.n_nontarget * self.speakers**2 or sum(self.ratio) * max(1, self.clusters)

    def population(self) -> tuple[IntArray, IntArray]:
        """Targets and non-targets in every cell, of as many trials as make rounding nothing."""
        n_target, n_nontarget = self.ratio
        unit = WHOLE // max(n_target, n_nontarget)
        shares = (
            np.diff(ndtr((self.edges - centre) / spread), prepend=0, append=1)
            for centre, spread in ((self.d_prime, self.sd), (0.0, 1.0))
        )
        each = [
            np.round(share * unit * n).astype(np.int64) for share, n in zip(shares, self.ratio, strict=True)
        ]
        return each[0], each[1]


KINDS = {
    "60/60": Kind(60, 60),
    "60/300": Kind(60, 300),
    "200/1000": Kind(200, 1000),
    "1000/10000": Kind(1000, 10_000, 3.0),
    "rare costs": Kind(300, 3000, 3.0, threshold=math.log(9.9)),
    "five grades 60/60": Kind(60, 60, grades=5),
    "seven grades 100/100": Kind(100, 100, grades=7),
    "unequal variances 60/60": Kind(60, 60, sd=1.5),
    "10 clusters of 5/20": Kind(5, 20, clusters=10),
    "20 clusters of 5/20": Kind(5, 20, clusters=20),
    "40 speakers": Kind(n_nontarget=3, speakers=40),
    "100 speakers": Kind(n_nontarget=1, speakers=100),
}
"""By targets/non-targets; a cell of the study each."""
WIDTHS_OF = "200/1000"
"""Where widths are compared with those of percentiles."""
LEAST_RUNS = 50
"""With fewer intervals in a cell nothing is said of it."""


ROOT = Path(__file__).resolve().parents[3]
COVERED = ROOT / "reporting" / "document" / "words" / "covered.csv"


class Question(NamedTuple):
    """A measure, and the name of the criterion where it needs a threshold."""

    measure: str
    criterion: str | None


@cache
def study(name: str, replicates: int) -> Study:
    """Every measure of the catalogue at its defaults, and costs of rare targets."""
    asked = tuple(str(m) for m in MEASURES.values() if m.key not in WITHOUT)
    made = study_of(
        (*asked, *COSTS),
        (f"fixed(threshold={KINDS[name].threshold!r})",),
        Inference(replicates=replicates, level=LEVEL),
    )
    return replace(made, models=(ModelEntry("a", "a", scale="llr"),), prevalence=PREVALENCE, curves=())


@cache
def truths(name: str) -> dict[Question, float]:
    """Every measure of the population."""
    return dict(_truths(KINDS[name], study(name, 1)))


def _truths(kind: Kind, asked: Study) -> Iterator[tuple[Question, float]]:
    n_target, n_nontarget = kind.population()
    misses, alarms = cumulate(n_target, n_nontarget)
    (criterion,) = asked.criteria
    cut = cut_at(kind.scores, kind.threshold)
    for measure in asked.measures:
        arguments = measure.arguments
        if measure.over == "threshold":
            at = misses[cut], alarms[cut], misses[-1], alarms[0]
            number = float(measure.formula(*at, **arguments))
            number *= kind.trials / float(misses[-1] + alarms[0]) if measure.key == "chi_squared" else 1.0
            yield Question(str(measure), str(criterion)), number
        elif measure.over == "sweep":
            yield Question(str(measure), None), _over_sweep(measure, misses, alarms, kind)
        else:
            score = kind.scores
            if measure.needs == "probability":
                score = np.asarray(expit(score + logit(PREVALENCE)))
            number = float(measure.formula(score, n_target, n_nontarget, **arguments))
            yield Question(str(measure), None), number


def _over_sweep(measure: Measure, misses: IntArray, alarms: IntArray, kind: Kind) -> float:
    if measure.key == "precision_at":  # among k of so many trials
        share = float(measure.arguments["k"]) / kind.trials  # type: ignore[arg-type]
        measure = read_measure(f"precision_at_share(share={share!r})")
    return float(measure.formula(misses, alarms, **measure.arguments))


def covering(rng: np.random.Generator, asked: Study, name: str) -> Record:
    """Of every measure with an interval: whether it holds the truth, and how wide it is."""
    drawn, record = Drawn(KINDS[name].draw(rng), asked), {}
    made = {"report": drawn.intervals()}
    if name == WIDTHS_OF:
        made["percentile"] = drawn.asked(interval="percentile").intervals()
    for how, intervals in made.items():
        for (measure, criterion), truth in truths(name).items():
            low, high = intervals[measure, criterion]
            if low <= high and math.isfinite(truth):
                record[f"{measure}: {how} covers"] = float(low - 1e-9 <= truth <= high + 1e-9)
                record[f"{measure}: {how} width"] = high - low
    return record


def summary(records: Mapping[str, Sequence[Record]]) -> str:
    """The coverage of every measure in every kind of table, as the handbook and the reports read it."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("measure", "kind", "covered", "runs"))
    for measure in map(str, study("60/60", 2).measures):
        key = f"{measure}: report covers"
        for name in KINDS:
            held = [record[key] for record in records.get(f"coverage {name}", ()) if key in record]
            if len(held) >= LEAST_RUNS:
                table.writerow((measure, name, f"{np.mean(held):.3f}", len(held)))
    return text.getvalue()


REASONS = {
    "steps of few errors: FRR at a FAR, and the like, takes the values of few trials": (
        "frr_at_far", "far_at_frr", "sensitivity_at", "specificity_at", "recall_at", "eer_discrete",
    ),
    "nearly all of the few highest trials are targets: the exact interval of all or none holds more than it must": (
        "precision_at", "precision_at_share", "lift_at",
    ),
    "few trials make areas near their highest value skewed, beyond what a scale without bounds undoes": (
        "ap_step", "ap_dg", "ap_trapezoid", "ap_11pt", "break_even", "prg_area", "pauc", "pauc_tpr",
    ),
    "costs of errors that hardly occur: limits hold the cost of no error, or of ignoring the scores": (
        "mincprimary", "mindcf(p_target=0.01)", "mindcf(p_target=0.01,c_miss=10)", "cprimary",
        "dcf(p_target=0.01,c_miss=10)",
    ),
    "odds and ratios of counts that may be 0": ("lr_positive", "lr_negative", "odds_ratio"),
    "a fit that few trials leave loose": ("calibration_slope", "calibration_intercept", "oe_ratio"),
    "what these very trials say is best lies too far from the scores: the lower limit is corrected": (
        "calibration_loss", "calibration_error",
    ),
    "corrected for optimism, limits lie farther apart than percentiles, which hold the truth too rarely": (
        "auch", "h_measure", "mincllr", "minece", "max_f1", "max_mcc", "min_corner", "ks", "mindcf", "eer_rocch",
        "dprime",
    ),
}  # fmt: skip
"""Why coverage leaves its bounds, by measure; a report says of few errors and few clusters that they are few."""


def faults(tables: Sequence[Table], records: Mapping[str, Sequence[Record]]) -> list[str]:
    """Figures that leave their bounds by more than two Monte Carlo errors, grouped by the reason."""
    why = {measure: reason for reason, measures in REASONS.items() for measure in measures}
    grouped: dict[str, list[str]] = {}
    for table in tables:
        for measure, cells in table.rows:
            shown = [
                f"{figure.seen(records)[0]:.3f} ({column})"
                for column, figure in zip(table.columns, cells, strict=True)
                if figure is not None and figure.study in records and not _near(figure, records)
            ]
            if shown:
                reason = why.get(measure, "few trials or clusters")
                grouped.setdefault(reason, []).append(f"{measure} {', '.join(shown)}")
    return [f"- {reason}: {'; '.join(of)}." for reason, of in grouped.items()]


def _near(figure: Figure, records: Mapping[str, Sequence[Record]]) -> bool:
    """Whether a figure keeps to its bounds but for two errors, at least those of a coverage of .95."""
    value, error = figure.seen(records)
    least = 0.0 if figure.beside else math.sqrt(LEVEL * (1 - LEVEL) / len(records[figure.study]))
    slack = 2 * max(least, 0.0 if math.isnan(error) else error)
    return math.isnan(value) or figure.least - slack <= value <= figure.most + slack
