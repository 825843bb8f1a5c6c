"""Ten leaderboards of the shapes of public ones: sizes, clusters, sources, ties and numbers of systems.

Their results are made by a seed: no system of a public leaderboard is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from reporting.base.contents import Contents, Named
from reporting.base.records import dataclass

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

REPOSITORIES = {
    "django": 231,
    "sympy": 75,
    "sphinx": 44,
    "matplotlib": 34,
    "scikit-learn": 32,
    "astropy": 22,
    "xarray": 22,
    "pytest": 19,
    "pylint": 10,
    "requests": 8,
    "seaborn": 2,
    "flask": 1,
}
"""The 500 issues of SWE-bench Verified."""
SUCCESS = "primary: {measure: recall, criterion: fixed(threshold=0.5)}"


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Named):
    """A leaderboard that is audited: the public ones that it is like, how it is made, and its question.

    ``sizes`` are the trials of every cluster, of both splits where there is ``dev``. ``sources`` belong to
    whole clusters where ``source_of`` is "cluster", to single trials where it is "trial", and to trials of
    one class where it is "target" or "nontarget".
    """

    title: str
    like: str
    primary: str
    cluster: str
    source: str
    sources: Sequence[str]
    source_of: str
    sizes: Callable[[np.random.Generator], Indices]
    systems: int
    best: float
    """How far targets are from non-targets for the best system; where all are targets, from failing."""
    apart: float
    """How much less that is for the last system."""
    targets: float = 0.5
    of_cluster: float = 0.3
    """The standard deviation of what a system finds hard in a cluster."""
    of_source: float = 0.2
    digits: int | None = 3
    """To how many digits scores are rounded; None where they are decisions."""
    dev: bool = False
    vocabulary: str = "detection"
    crossed: bool = False
    """Whether trials are of two clusters each."""

    @property
    def units(self) -> list[str]:
        """The columns of clusters."""
        return [self.cluster, f"{self.cluster}_b"] if self.crossed else [self.cluster]

    @property
    def shape(self) -> str:
        """How many scores of what it has, in a few words."""
        table = self.table()
        n, clusters = len(table) // self.systems, table[self.cluster].n_unique()
        scores = {None: "decisions", 1: "scores of one digit"}.get(self.digits, "scores")
        plural = {"repository": "repositories"}.get(self.cluster, f"{self.cluster}s")
        split = ", half of them development" if self.dev else ""
        return f"{scores} of {self.systems} systems on {n:,} trials of {clusters} {plural}{split}"

    @property
    def config(self) -> str:
        """The config of its report."""
        cluster = f"[{', '.join(self.units)}]" if self.crossed else self.cluster
        return (
            f"title: {self.title}\n"
            f"trials: {{source: trials.parquet, columns: {{cluster: {cluster}}}}}\n"
            f"{self.primary}\n"
            "significance: {replicates: 399}\n"
            f"report: {{vocabulary: {self.vocabulary}}}\n"
        )

    def table(self) -> pl.DataFrame:
        """Return its trials."""
        draw = np.random.default_rng([40, *map(ord, self.key)])
        sizes = self.sizes(draw)
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        n = len(cluster)
        other = draw.integers(0, len(sizes), n) if self.crossed else cluster
        target = draw.random(n) < self.targets
        if self.crossed:
            other = np.where(target, cluster, other)
        source = self._source(draw, cluster, target)
        scores = self._scores(draw, cluster, other, source, target)
        columns = {
            "label": np.where(target, "target", "nontarget"),
            "trial": [f"t{number:05d}" for number in range(n)],
            self.cluster: _names(self.cluster, cluster),
            **({f"{self.cluster}_b": _names(self.cluster, other)} if self.crossed else {}),
            **({"split": np.where(cluster < len(sizes) // 2, "dev", "test")} if self.dev else {}),
        }
        whole = pl.DataFrame(columns)
        if self.source != self.cluster:
            names = [None if at < 0 else self.sources[int(at)] for at in source]
            whole = whole.with_columns(pl.Series(self.source, names, dtype=pl.String))
        else:
            whole = whole.with_columns(pl.Series(self.cluster, [self.sources[int(at)] for at in cluster]))
        models = _names("system", np.arange(1, self.systems + 1))
        return pl.concat(
            whole.with_columns(model=pl.lit(model), score=pl.Series(row))
            for model, row in zip(models, scores, strict=True)
        )

    def _source(self, draw: np.random.Generator, cluster: Indices, target: npt.NDArray[np.bool_]) -> Indices:
        """Return which source each trial is of, -1 for those of none."""
        if self.source == self.cluster:
            return cluster
        clusters = int(cluster.max()) + 1
        if self.source_of == "cluster":
            return draw.permutation(np.arange(clusters) % len(self.sources))[cluster]
        drawn = draw.integers(0, len(self.sources), len(cluster))
        has = {"trial": np.full(len(cluster), fill_value=True), "target": target, "nontarget": ~target}
        return np.where(has[self.source_of], drawn, -1)

    def _scores(
        self,
        draw: np.random.Generator,
        cluster: Indices,
        other: Indices,
        source: Indices,
        target: npt.NDArray[np.bool_],
    ) -> Floats:
        """Return the scores of every system: what is hard for all, and what is hard for each alone."""
        n, clusters, all_targets = len(cluster), int(cluster.max()) + 1, self.targets == 1
        hard = draw.normal(0, 0.6, n) + draw.normal(0, self.of_cluster, clusters)[cluster]
        side = np.where(target, 0.5, -0.5) if not all_targets else np.ones(n)
        # The best ones are near one another, as at the top of most leaderboards.
        quality = self.best - self.apart * np.linspace(0, 1, self.systems) ** 1.5
        scores = np.zeros((self.systems, n))
        for at, d in enumerate(draw.permutation(quality)):
            of_cluster = draw.normal(0, self.of_cluster, clusters)
            of_source = np.append(draw.normal(0, self.of_source, len(self.sources)), 0.0)
            ease = d + of_source[source]
            scores[at] = side * ease + hard + (of_cluster[cluster] + of_cluster[other]) / 2
            scores[at] += draw.normal(0, 0.8, n)
        return (scores > 0).astype(float) if self.digits is None else np.round(scores, self.digits)


def _names(what: str, numbers: Indices) -> list[str]:
    return [f"{what} {number:02d}" for number in numbers]


def _alike(clusters: int, each: int) -> Callable[[np.random.Generator], Indices]:
    """Return what makes clusters of one size."""
    return lambda draw: np.full(clusters, each)


def _uneven(clusters: int, mean: float, spread: float) -> Callable[[np.random.Generator], Indices]:
    """Return what makes clusters of log-normal sizes, one trial at least."""
    return lambda draw: np.maximum(
        1, np.round(mean * draw.lognormal(-(spread**2) / 2, spread, clusters))
    ).astype(int)


LEADERBOARDS = Contents(
    "leaderboard",
    [
        Leaderboard(
            key="countermeasures",
            title="Spoofing countermeasures by attack",
            like="ASVspoof 2019 LA: 71,237 trials, 13 attacks, ranked by EER",
            primary="primary: {measure: eer_rocch}",
            cluster="speaker",
            sizes=_alike(48, 70),
            source="attack",
            sources=[f"A{number:02d}" for number in range(7, 20)],
            source_of="nontarget",
            targets=0.1,
            systems=12,
            best=4.2,
            apart=2.0,
            of_source=0.7,
        ),
        Leaderboard(
            key="verification",
            title="Speaker verification, both speakers of a trial",
            like="VoxCeleb1-O: 37,720 trials of 40 speakers, half of them targets, ranked by EER",
            primary="primary: {measure: eer_rocch}",
            cluster="speaker",
            crossed=True,
            sizes=_alike(40, 75),
            source="sex",
            sources=["f", "m"],
            source_of="cluster",
            systems=10,
            best=4.4,
            apart=1.6,
            of_cluster=0.4,
        ),
        Leaderboard(
            key="issues",
            title="Issues resolved, by repository",
            like="SWE-bench Verified: 500 issues of 12 repositories (231 of Django), resolved or not",
            primary=SUCCESS,
            vocabulary="evals",
            cluster="repository",
            sizes=lambda draw: np.array(list(REPOSITORIES.values())),
            source="repository",
            sources=list(REPOSITORIES),
            source_of="cluster",
            targets=1,
            systems=20,
            best=0.85,
            apart=0.9,
            digits=None,
        ),
        Leaderboard(
            key="questions",
            title="Multiple choice by subject",
            like="MMLU: 14,042 questions of 57 subjects in four fields, right or wrong",
            primary=SUCCESS,
            vocabulary="evals",
            cluster="subject",
            sizes=_uneven(57, 45, 0.6),
            source="field",
            sources=["humanities", "social sciences", "STEM", "other"],
            source_of="cluster",
            targets=1,
            systems=15,
            best=1.1,
            apart=0.8,
            of_cluster=0.25,
            of_source=0.1,
            digits=None,
        ),
        Leaderboard(
            key="faces",
            title="Face verification with few errors",
            like="LFW: 6,000 pairs, half of them of one person, the best above 99.8%",
            primary="primary: {measure: hter, criterion: min_hter}",
            vocabulary="biometrics",
            dev=True,
            cluster="person",
            sizes=_uneven(900, 5, 0.8),
            source="group",
            sources=["A", "B", "C", "D"],
            source_of="cluster",
            systems=10,
            best=6.0,
            apart=1.2,
            of_cluster=0.4,
        ),
        Leaderboard(
            key="slides",
            title="Tumours by hospital",
            like="CAMELYON17: 100 patients of 5 hospitals in each of two sets, several slides each",
            primary="primary: {measure: auc}",
            vocabulary="medical",
            cluster="patient",
            sizes=_alike(100, 5),
            source="hospital",
            sources=["H1", "H2", "H3", "H4", "H5"],
            source_of="cluster",
            targets=0.35,
            systems=9,
            best=2.6,
            apart=1.2,
            of_cluster=0.5,
            of_source=0.4,
        ),
        Leaderboard(
            key="payments",
            title="Fraud by merchant, scores that tie",
            like="IEEE-CIS fraud: 590,540 transactions, 3.5% of them fraud",
            primary='primary: {measure: frr, criterion: "target_far(far=0.01,how=at_most)"}',
            dev=True,
            cluster="merchant",
            sizes=_uneven(400, 20, 1.2),
            source="channel",
            sources=["web", "app", "phone"],
            source_of="trial",
            targets=0.035,
            systems=8,
            best=4.2,
            apart=1.0,
            digits=1,
        ),
        Leaderboard(
            key="spam",
            title="Spam by sender",
            like="TREC 2007 spam: 75,419 messages, two thirds of them spam; some senders write very much",
            primary="primary: {measure: auc}",
            vocabulary="ml",
            cluster="sender",
            sizes=_uneven(300, 12, 1.5),
            source="language",
            sources=["en", "de", "es", "zh"],
            source_of="trial",
            targets=0.66,
            systems=12,
            best=4.0,
            apart=1.2,
            of_cluster=0.6,
            digits=1,
        ),
        Leaderboard(
            key="deepfakes",
            title="Deepfakes by generator",
            like="FaceForensics++: 1,000 videos, each with fakes of four generators, ranked by AUC",
            primary="primary: {measure: auc}",
            cluster="video",
            sizes=_alike(250, 5),
            source="generator",
            sources=["face swap", "reenactment", "texture", "lips"],
            source_of="target",
            targets=0.8,
            systems=10,
            best=2.8,
            apart=1.4,
            of_cluster=0.4,
            of_source=0.7,
        ),
        Leaderboard(
            key="keywords",
            title="Keyword spotting by speaker",
            like="Speech Commands: 11,005 test recordings of a keyword or not, by hundreds of speakers",
            primary='primary: {measure: frr, criterion: "target_far(far=0.02,how=at_most)"}',
            dev=True,
            cluster="speaker",
            sizes=_uneven(240, 20, 0.7),
            source="noise",
            sources=["quiet", "street", "kitchen"],
            source_of="trial",
            targets=0.3,
            systems=10,
            best=3.8,
            apart=1.2,
            of_cluster=0.5,
        ),
    ],
)
