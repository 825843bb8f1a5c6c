"""One simulated comparison of two models: what every inference rejects, for all rows of methods (i)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.pairs import Difference
from reporting.core.engine.study import EpcPlan, Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.design import Design
from reporting.core.resampling.paired import compare_replicates
from reporting.core.resampling.settings import Inference
from reporting.core.stats.multiplicity import sup_t
from reporting.features.further_tests.formulas import null_z
from tests.research.studies.models import Drawn, study_of, two_models

Record = dict[str, float]

LEVEL = 0.95
BY_ITSELF = "weighted_error(alpha=0.8)"
ROWS = (
    ("hter", "min_hter"),
    ("hter", "eer"),
    (BY_ITSELF, BY_ITSELF),
    ("hter", BY_ITSELF),
    ("hter", "target_far"),
    ("frr", "target_far"),
    ("far", "eer"),
)
"""Measure and criterion of every row of methods, decision (i); ``target_far`` is at its default, .01."""

INFERENCES = ("given_z", "given_exact", "given_normal", "given_percentile", "percentile", "normal")
"""The first four at given thresholds, the last two of the procedure; ``normal`` is the headline."""

LARGE, SMALL, TEST = (2000, 500), (400, 100), (2000, 500)
"""Non-targets and targets."""


def comparing_study(replicates: int, criteria: tuple[str, ...] = ()) -> Study:
    """The question of methods, decision (i): all its criteria, or some of them."""
    asked = criteria or tuple(dict.fromkeys(criterion for _, criterion in ROWS))
    measures = tuple(dict.fromkeys(measure for measure, _ in ROWS))
    return study_of(measures, asked, Inference(replicates=replicates, level=LEVEL))


def rejections(
    rng: np.random.Generator, study: Study, dev: tuple[int, int], d_prime: tuple[float, float] = (2.0, 2.0)
) -> Record:
    """Compare two models once: 1 for every row and inference that rejects at .05, else 0."""
    drawn = Drawn(two_models(rng, *TEST, d_prime), study, two_models(rng, *dev, d_prime))
    found: Record = {}
    for criterion in map(str, study.criteria):
        for measure in study.measures:
            if (str(measure), criterion) in ROWS:
                given, procedure = (
                    drawn.difference(measure, criterion, e) for e in ("given_thresholds", "procedure")
                )
                p = p_values(given, procedure)
                found |= {f"{measure} @ {criterion}: {name}": float(p[name] < 1 - LEVEL) for name in p}
    return found


def p_values(given: Difference, procedure: Difference) -> dict[str, float]:
    """The p-value of every inference."""
    kept, again = given.tested(), procedure.tested()
    differences = given.replicates[:, 0]
    alike = kept.p_value == 1 and not differences.any()
    by_spread = compare_replicates(kept.difference, differences, Design(LEVEL), alike=alike)
    weights, observed = given.measure.linear(), given.observed()
    assert weights is not None
    assert observed is not None
    z = null_z(observed, *weights)
    named = zip(
        INFERENCES,
        (z.p, kept.p_exact, by_spread.p_value, kept.p_percentile, again.p_percentile, again.p_value),
        strict=True,
    )
    return {name: 1.0 if p is None else p for name, p in named}


FROM, TO, ALPHAS = 0.1, 0.9, 41
"""The range of alpha that is judged, and the points of the report's grid over [0, 1]."""


def along_study(replicates: int) -> Study:
    """HTER and the weighted error itself, along alpha."""
    criterion, measures = read_criterion("weighted_error"), ("hter", "weighted_error")
    epc = EpcPlan((criterion,), tuple(map(read_measure, measures)), ALPHAS)
    inference = Inference(replicates=replicates, level=LEVEL)
    return replace(study_of(measures, ("min_hter",), inference, epc), criteria=())


def shaded(rng: np.random.Generator, study: Study, dev: tuple[int, int]) -> Record:
    """Compare two models of one quality along alpha: the share of the grid flagged, and whether any is."""
    drawn = Drawn(two_models(rng, *TEST), study, two_models(rng, *dev))
    assert study.epc is not None
    (operation,) = drawn.models[0].along.values()
    found: Record = {}
    for estimand in ("given_thresholds", "procedure"):
        for measure in study.epc.measures:
            of = drawn.difference(measure, operation.name, estimand)
            flags = flagged(of, np.asarray(operation.chosen.alpha))
            found |= {f"{measure.key}, {estimand}: {name}": value for name, value in flags.items()}
    return found


def flagged(of: Difference, alpha: np.ndarray) -> Record:
    """Share of alphas flagged pointwise, and any alpha flagged, by percentile, headline and sup-t band."""
    inside = np.flatnonzero((alpha >= FROM - 1e-9) & (alpha <= TO + 1e-9))
    made = [of.tested(int(at)) for at in inside]
    percentile = np.array([one.p_percentile for one in made], dtype=float) < 1 - LEVEL
    headline = np.array([one.p_value for one in made], dtype=float) < 1 - LEVEL
    points = np.array([one.difference for one in made])
    band = sup_t(points, of.replicates[:, inside], LEVEL)
    whole = of.band()
    assert band is not None
    assert whole is not None
    beyond, of_report = ((one.low > 0) | (one.high < 0) for one in (band, whole))
    return {
        "share percentile": float(percentile.mean()),
        "share headline": float(headline.mean()),
        "any percentile": float(percentile.any()),
        "any headline": float(headline.any()),
        "any sup-t": float(beyond.any()),
        "any sup-t, grid [0, 1]": float(of_report.any()),
    }
