"""The tables of the study, with the figures of an independent simulation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tests.research.studies import coverage
from tests.research.studies.comparing import BY_ITSELF, INFERENCES, ROWS
from tests.research.studies.covering import COSTLY, FAR_OUT, NEAR
from tests.research.studies.depending import BETWEEN, FIXED
from tests.research.studies.figures import Figure, Rows, Table

SAID_LARGE = (
    (0.066, 0.020, 0.035),
    (0.051, 0.035, 0.051),
    (0.065, 0.026, 0.037),
    (0.307, 0.009, 0.033),
    (0.283, 0.022, 0.039),
    (0.318, 0.021, 0.039),
    (0.193, 0.038, 0.050),
)
SAID_SMALL = (
    (0.112, 0.029),
    (0.053, 0.041),
    (0.107, 0.027),
    (0.504, 0.037),
    (0.557, 0.071),
    (0.592, 0.071),
    (0.463, 0.041),
)
SAID_POWER = (
    (0.77, 0.70, 0.70),
    (0.75, 0.72, 0.75),
    (0.75, 0.68, 0.68),
    (None, 0.27, 0.37),
    (None, 0.54, 0.57),
    (None, 0.49, 0.54),
    (None, 0.47, 0.51),
)
"""Given thresholds z, percentile where it is printed, and normal, by the rows of methods, decision (i)."""

SIZE_BOUNDS, POWER_WITHIN = (0.025, 0.075), 0.03


def _compared(study: str, methods: Sequence[dict[str, float | None]], power: bool) -> Rows:
    """One row for every row of methods, decision (i), one column for every inference."""
    rows = []
    for (measure, criterion), said in zip(ROWS, methods, strict=True):
        cells = []
        for name in INFERENCES:
            printed = said.get(name)
            least, most = (-np.inf, np.inf)
            if name == "normal" and printed is not None:
                least, most = (printed - POWER_WITHIN, printed + POWER_WITHIN) if power else SIZE_BOUNDS
            cells.append(
                Figure(study, f"{measure} @ {criterion}: {name}", methods=printed, least=least, most=most)
            )
        rows.append((f"{measure} @ {criterion}", tuple(cells)))
    return tuple(rows)


THREE, TWO = ("given_z", "percentile", "normal"), ("given_z", "normal")
NAMED = (
    "given: null z",
    "given: exact mid-p",
    "given: bootstrap normal",
    "given: percentile",
    "procedure: percentile",
    "procedure: **normal**",
)


def _mean(study: str, key: str, methods: float | None = None) -> Figure:
    return Figure(study, key, methods=methods)


def _along() -> Rows:
    printed = {
        ("hter", "given_thresholds"): (0.306, None, 1.00, 0.98),
        ("hter", "procedure"): (0.013, 0.035, 0.12, 0.017),
        ("weighted_error", "given_thresholds"): (0.072, None, 0.48, 0.083),
        ("weighted_error", "procedure"): (0.026, None, 0.18, 0.033),
    }
    keys = ("share percentile", "share headline", "any percentile", "any sup-t", "any sup-t, grid [0, 1]")
    return tuple(
        (
            f"{measure}, {estimand}",
            tuple(
                _mean("along", f"{measure}, {estimand}: {key}", figure)
                for key, figure in zip(keys, (*said, None), strict=True)
            ),
        )
        for (measure, estimand), said in printed.items()
    )


CLUSTERS = (10, 20, 40)


def _by_g(*keys: str) -> Rows:
    return tuple((key, tuple(_mean(f"clusters {g}", key) for g in CLUSTERS)) for key in keys)


def _pairs() -> Rows:
    printed = {
        ("far", "iid"): (0.18, 0.31),
        ("far", "subsets"): (0.69, 0.80),
        ("far", "joint"): (0.97, 0.91),
        ("hter", "iid"): (0.90, 0.89),
        ("hter", "subsets"): (1.04, 0.94),
        ("hter", "joint"): (0.99, 0.92),
    }
    found = [
        (
            f"{measure}: {by}",
            (
                Figure("pairs", f"{measure}: {by} se", f"{measure}: value", ratio),
                _mean("pairs", f"{measure}: {by} t covers", coverage),
                _mean("pairs", f"{measure} @ {BETWEEN}: covered") if by == "joint" else None,
            ),
        )
        for (measure, by), (ratio, coverage) in printed.items()
    ]
    return (*found, ("auc: the report's interval", (None, None, _mean("pairs", "auc: covered"))))


def _singles() -> Rows:
    at = [(m, c) for c in (NEAR, FAR_OUT) for m in ("far", "frr", "hter", BY_ITSELF, "f1")]
    made = {"far": "Wilson", "frr": "Wilson", "auc": "logit DeLong"}
    names = [(f"{m} @ {c}", made.get(m, "percentile")) for m, c in at]
    names += [(m, made.get(m, "percentile")) for m in ("auc", "eer_rocch", "mindcf", COSTLY)]
    return tuple(
        (f"{name} ({how})", tuple(_mean(f"single {n}", f"{name}: covered") for n in (1200, 120)))
        for name, how in names
    )


def _chosen() -> Rows:
    printed = {("given", "E[V]"): (0.80, 0.93), ("procedure", "E[V]"): (0.98, 0.97)}
    return tuple(
        (
            f"hter @ {criterion}, {name}: covers {truth}",
            tuple(
                _mean(f"chosen {n}", f"hter @ {criterion}: {name} covers {truth}", said)
                for n, said in zip((50, 200), printed.get((name, truth), (None, None)), strict=True)
            ),
        )
        for criterion in ("min_hter", "eer")
        for name, truth in (("given", "E[V]"), ("procedure", "E[V]"), ("given", "V"))
    )


def _bands() -> Rows:
    printed = {
        "pointwise": (0.05, 0.48, None),
        "SJR": (1.00, 0.995, 0.40),
        "Working-Hotelling": (0.943, 0.95, 0.14),
        "FWB": (0.957, 0.965, 0.25),
        "sup-t": (0.933, 0.93, 0.27),
    }
    return tuple(
        (
            name,
            (
                _mean("bands 100/100", f"{name}: covers", small),
                _mean("bands 300/100", f"{name}: covers", large),
                _mean("bands 100/100", f"{name}: width", width),
            ),
        )
        for name, (small, large, width) in printed.items()
    )


def _levels() -> Rows:
    studies = {"level .001": (0.43, None), "level .01": (0.73, None)}
    rows = []
    for name, column in (("Wilson", 0), ("percentile", 1), ("hull", 1)):
        rows.append((name, tuple(_mean(s, f"{name} covers", said[column]) for s, said in studies.items())))
    ratio = tuple(Figure(study, "hull se", "value") for study in studies)
    return (*rows, ("hull SE / true SD", ratio))


COVERAGE = "Coverage of every measure"
COVERED, RARE = (0.93, 0.975), 0.995
WIDEST = 1.15


def _every_measure() -> Rows:
    """Coverage of every measure in every table, and the width where there are 200/1000 trials."""
    rows = []
    for measure in map(str, coverage.study("60/60", 2).measures):
        least, most = COVERED[0], RARE if measure in coverage.COSTS else COVERED[1]
        cells = [
            Figure(
                f"coverage {name}",
                f"{measure}: report covers",
                least=least,
                most=RARE if name == "rare costs" else most,
            )
            for name in coverage.KINDS
        ]
        width = f"{measure}: report width", f"{measure}: percentile width"
        ratio = Figure(f"coverage {coverage.WIDTHS_OF}", width[0], beside=width[1], most=WIDEST)
        rows.append((measure, (*cells, ratio)))
    return tuple(rows)


def _with(columns: tuple[str, ...], said: Iterable[Sequence[float | None]]) -> list[dict[str, float | None]]:
    return [dict(zip(columns, row, strict=True)) for row in said]


COLUMNS_G = tuple(f"G = {g}" for g in CLUSTERS)
SIZE = (
    "Share of runs rejected at .05 where both models are exchangeable; the headline must lie in .025 to .075."
)
TABLES = (
    Table("Size, dev 2000/500", SIZE, NAMED, _compared("size large", _with(THREE, SAID_LARGE), False)),
    Table("Size, dev 400/100", SIZE, NAMED, _compared("size small", _with(TWO, SAID_SMALL), False)),
    Table(
        "Power, dev 2000/500",
        "One model has d' 2.25; the headline must lie within .03 of methods, whose own figures, of 800 runs,"
        " have a Monte Carlo error of .015 to .018. All rows share their data: they err together. At given"
        " thresholds the share says little where the size is wrong.",
        NAMED,
        _compared("power", _with(THREE, SAID_POWER), True),
    ),
    Table(
        "Along alpha: exchangeable models flagged in [.1, .9]",
        "Pointwise by percentile p; by the headline (given thresholds: exact mid-p, procedure: normal); by the"
        " sup-t band over [.1, .9], and by the band that a report draws over its whole grid.",
        ("share, percentile", "share, headline", "any, percentile", "any, sup-t", "any, sup-t of [0, 1]"),
        _along(),
    ),
    Table(
        "Clusters: size",
        "Each cluster has 20 non-targets and 5 targets; .3 of the variance is the cluster's. t: with G - 1 and"
        " the factor G / (G - 1), as in a report; normal: the same replicates without either.",
        COLUMNS_G,
        _by_g(
            *(f"{q}: {by}" for q in ("hter @ fixed", "hter @ eer", "auc") for by in ("t", "normal")),
            "hter @ fixed: trials independent",
        ),
    ),
    Table(
        "Clusters: coverage of one model's intervals",
        "Percentile of the cluster bootstrap; AUC: logit with the clusters' standard error.",
        COLUMNS_G,
        _by_g(*(f"{m}: covered" for m in (f"far @ {FIXED}", f"hter @ {FIXED}", "auc", "eer_rocch"))),
    ),
    Table(
        "Pair trials of 40 speakers",
        "SE is the spread of the replicates; t: value ± t(G - 1) SE.",
        ("SE / true SD", "t covers", "the report's interval covers"),
        _pairs(),
    ),
    Table(
        "Pair trials: size",
        "HTER of two exchangeable models at a fixed threshold, joint-speaker bootstrap.",
        ("t, with factor", "normal"),
        (("hter @ fixed", tuple(_mean("pairs", f"hter @ fixed: {by}") for by in ("t", "normal"))),),
    ),
    Table(
        "Coverage: one model, independent trials",
        "d' 2, a sixth of the trials targets by chance.",
        ("1200 trials", "120 trials"),
        _singles(),
    ),
    Table(
        "Coverage: thresholds chosen on dev",
        "Test 1000/1000. E[V]: mean true HTER over dev sets; V: true HTER at the threshold at hand."
        " Those in brackets name no criterion and are shown with both.",
        ("dev 50/50", "dev 200/200"),
        _chosen(),
    ),
    Table(
        "ROC bands: the whole curve covered",
        "Targets N(1.5, 1), non-targets N(0, .7); FPR .01 to .99. The truth of those in brackets, and the sizes of"
        " their widths, are not known.",
        ("100/100", "300/100", "mean width, 100/100"),
        _bands(),
    ),
    Table(
        "FRR at a FAR chosen on the same trials",
        "d' 3. Percentile is the report's interval; hull: FRR ± z SE of methods 5.4.",
        ("10000/2000, FAR .001", "1000/300, FAR .01"),
        _levels(),
    ),
    Table(
        COVERAGE,
        "The share of tables whose interval holds the truth; none: the share of tables without an interval."
        " Measures at a threshold: at the log likelihood ratio 0, with rare costs at log 9.9. Counts are"
        " targets/non-targets, of each cluster; 40 speakers have 3 trials a pair, 100 have 1. 199 resamples."
        " To keep to: .93 to .975, at rare costs up to .995.",
        (*coverage.KINDS, f"width / percentile's, {coverage.WIDTHS_OF}"),
        _every_measure(),
    ),
)
