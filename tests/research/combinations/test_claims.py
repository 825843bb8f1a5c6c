"""Every claim of the table is kept by a true sentence and finds a contradiction that is planted.

That generated reports contradict none is tested with their laws (``test_combinations``, ``campaign``).
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.research.combinations.claims import CLAIMS, Design, Said, false_claims

Row = dict[str, Any]
CONFIG: Row = {
    "significance": {"level": 0.95, "unit": "auto"},
    "report": {"vocabulary": "detection"},
    "primary": {"measure": "hter", "criterion": "min_hter"},
    "trials": {"columns": {"cluster": "speaker"}},
}


def design(clusters: int | None = 20, config: Row | None = None, **changed: Any) -> Design:
    """Return the design of one model and one pair; ``changed`` are columns of any row that has them."""
    unit = "trial" if clusters is None else "cluster"
    place: Row = {"dataset": "all", "split": "test", "group": "", "group_columns": [], "flags": []}
    counts: Row = {"n_target": 100, "n_nontarget": 400}
    asked = {"measure": "hter", "criterion": "min_hter", "inference": "given_thresholds", "unit": unit}
    metrics = place | counts | asked | {"model": "A", "run": "0", "n_units": clusters or 500}
    metrics |= {"ci_method": "square_and_add", "replicates": None}
    tested = place | asked | {"inference": "procedure", "p_method": "swap", "replicates": 999}
    tested |= {
        "family": "primary",
        "p_value": 0.01,
        "ci_low": 0.1,
        "ci_high": 0.2,
        "family_size": 3,
        "n_units": clusters or 500,
    }
    sizes: Row = {"n_clusters": clusters, "effective_clusters": clusters and float(clusters)}
    trials = place | counts | sizes
    rows = {
        "metrics": [metrics],
        "comparisons": [tested],
        "trials": [
            trials | {"split": "dev", "shared_clusters": None},
            trials | {"shared_clusters": clusters},
        ],
    }
    known = {key for of in rows.values() for row in of for key in row}
    assert changed.keys() <= known
    frames = {
        name: [row | {key: value for key, value in changed.items() if key in row} for row in of]
        for name, of in rows.items()
    }
    return Design(CONFIG | (config or {}), frames)


TABLE = "In simulated tables of {} such CIs contained the true HTER in 95% of cases."
IN_CLUSTERS = TABLE.format("100 targets and 400 non-targets in 20 clusters of equal size")
UNCOMPARED = design(p_value=None)
SAMPLED = design(inference="procedure", ci_method="percentile", replicates=999)
BY_TRIAL = {"significance": {"level": 0.95, "unit": "trial"}}
TRADED = "FRR is the primary measure, at thresholds set on the development set (minimum HTER), which do not hold FAR: a model may lead"

PLANTED: tuple[tuple[str, str, Design, str, Design], ...] = (
    ("coverage is that of tables like this one", IN_CLUSTERS, design(), IN_CLUSTERS, design(clusters=6)),
    ("coverage is that of tables like this one", IN_CLUSTERS, design(), IN_CLUSTERS, design(effective_clusters=7.0)),
    ("coverage is that of tables like this one", IN_CLUSTERS, design(), TABLE.format("100 targets and 400 non-targets drawn independently"), design()),
    ("coverage is that of tables like this one", IN_CLUSTERS, design(), IN_CLUSTERS, design(n_target=900)),
    ("a CI excludes 0 exactly where p is small", "so it excludes 0 exactly where p ≤ .05.", design(), "so it excludes 0 exactly where p ≤ .05.", design(p_value=0.2)),
    ("scores are exchanged by trial or by cluster", "the models' scores swapped speaker by speaker 999 times", design(), "the models' scores swapped trial by trial 999 times", design()),
    ("chance decides for every trial or cluster", "chance decides for every speaker of both sets whether", design(), "chance decides for every trial of both sets whether", design()),
    ("resamples are of trials, clusters or values", "percentile bootstrap, 999 resamples of speakers.", SAMPLED, "percentile bootstrap, 999 resamples of trials.", SAMPLED),
    ("resamples are of trials, clusters or values", "percentile bootstrap, 999 resamples of speakers.", SAMPLED, "999 resamples of values of day.", SAMPLED),
    ("methods of CIs are those of the rows", "CIs of HTER: Wilson intervals of the error rates, combined.", design(), "CIs of HTER: percentile bootstrap.", design()),
    ("methods of CIs are those of the rows", "CIs of HTER: Wilson intervals of the error rates, combined.", design(), "CIs of HTER: Wilson intervals of the error rates, combined, 999 resamples of speakers.", design()),
    ("thresholds are fixed", "CIs of HTER: Wilson intervals of the error rates, combined, with thresholds fixed.", design(), "CIs of HTER: percentile bootstrap, with thresholds fixed.", SAMPLED),
    ("thresholds are treated as fixed", "they treat the threshold as fixed and", design(), "they treat the threshold as fixed and", SAMPLED),
    ("other thresholds are treated as fixed", "CIs at chosen thresholds treat the threshold as fixed", design(), "CIs at chosen thresholds treat the threshold as fixed", design(criterion="fixed(threshold=0.5)")),
    ("thresholds are re-selected", "the threshold is re-selected in each resample", SAMPLED, "the threshold is re-selected in each resample", design(inference="given_thresholds")),
    ("whom inference is about", "CIs refer to new speakers.", design(), "CIs refer to new trials like these.", design()),
    ("whom inference is about", "CIs refer to new trials like these.", design(clusters=None), "CIs refer to new trials of these speakers.", design(clusters=None)),
    ("whom inference is about", "CIs refer to new trials of these speakers, not to new speakers.", design(config=BY_TRIAL), "CIs refer to new speakers.", design(config=BY_TRIAL)),
    ("no clusters are declared", "because no cluster column was declared", design(clusters=None), "because no cluster column was declared", design()),
    ("trials are taken as independent", "Trials were treated as independent.", design(clusters=None), "Trials were treated as independent.", design()),
    ("clusters are resampled together", "All trials of one speaker are resampled together.", design(), "All trials of one speaker are resampled together.", design(clusters=None)),
    ("all clusters of dev are in test", "All 20 speakers of the development set are also in the test set", design(), "All 20 speakers of the development set are also in the test set", design(shared_clusters=19)),
    ("few trials are decided differently", "A and B disagree on fewer than 10 targets", design(flags=["few_discordant"]), "A and B disagree on fewer than 10 targets", design()),
    ("few trials are decided differently", "A and B disagree on fewer than 10 targets", design(flags=["few_discordant"]), "A and B disagree on fewer than 10 targets", design(flags=["few_discordant"], config={"trials": {"columns": {}, "count": "there", "paired": "blocks"}})),
    ("nothing is compared", "Differences between models were not tested.", UNCOMPARED, "Differences between models were not tested.", design()),
    ("what is not compared is said of these trials", "A has the lowest HTER on these trials; the models were not compared.", UNCOMPARED, "A has the lowest HTER; the models were not compared.", UNCOMPARED),
    ("p-values are adjusted over a family", "p-values are adjusted over 3 comparisons (Holm).", design(), "p-values are adjusted over 6 comparisons (Holm).", design()),
    ("a rate is bought with the other one", TRADED, design(config={"primary": {"measure": "frr", "criterion": "min_hter"}}), TRADED, design()),
)  # fmt: skip


def found(name: str, text: str, design: Design) -> list[str]:
    """Return the claims of a name that a text makes falsely, after it was seen to make them."""
    claim = CLAIMS[name]
    assert re.search(claim.pattern, text), text
    return [each for each in false_claims([Said(claim.block, text)], design) if each.startswith(f"{name}: ")]


@pytest.mark.parametrize(("name", "true", "of", "false", "but"), PLANTED)
def test_a_planted_contradiction_is_found(name: str, true: str, of: Design, false: str, but: Design) -> None:
    assert found(name, true, of) == []
    assert len(found(name, false, but)) == 1


def test_every_claim_has_a_planted_contradiction() -> None:
    assert {name for name, *_ in PLANTED} == {*CLAIMS}
