"""Costs above that of a decision without scores are named below the table of operating points."""

import pytest
from build import build
from reading import section

from reporting.features.compose import compose

DCF = "dcf(p_target=0.01)"
CONFIG = (
    f"epc: none\ncurves: []\nprimary: {{measure: {DCF}, criterion: min_{DCF}}}\nmeasures: [{DCF}, hter]\n"
)


def rows(moved: float):
    """Non-targets of the first model lie higher on test by so much; those of the second do not."""
    return [
        {"model": model, "split": split, "trial": f"{split}{n}", "label": n % 2 == 0, "score": score}
        for split in ("dev", "test")
        for n in range(60)
        for model in ("a", "b")
        for score in [
            n / 60 + 5 * (n % 2 == 0) + (moved if (model, split, n % 2) == ("a", "test", 1) else 0.0)
        ]
    ]


@pytest.mark.parametrize(("moved", "named"), [(0.0, False), (5.5, True)])
def test_costs_above_those_of_no_scores_are_named(tmp_path, moved, named):
    """At p_target .01 one false alarm of 30 costs 3.3 times as much as to reject all."""
    results = build(tmp_path, rows(moved), CONFIG, "significance.replicates=39").results
    table = next(
        b for b in section(compose(results), "operating-points").blocks if b.name == "operating_points_1"
    )
    note = "Accepting or rejecting every trial, whichever costs less, gives DCF (prior 1%) 1.0. That of a is higher."
    assert (note in table.notes) == named, table.notes
