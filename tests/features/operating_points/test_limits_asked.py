"""Whether each model keeps the rate that was asked for is read off its interval, and said in the answer."""

import re

import pytest
from build import build
from simulated_parts import rows_of

from reporting.document.frames.metrics import METRICS
from reporting.features.compose import compose

CONFIG = (
    "measures: [hter, far, frr]\nprimary: {measure: frr, criterion: 'CRITERION'}\ncurves: []\nepc: none\n"
)


def reported(tmp_path, criterion):
    results = build(
        tmp_path, rows_of(models=("a", "b", "c"), n=200), CONFIG.replace("CRITERION", criterion)
    ).results
    return results, [line for line in compose(results).answer if line.startswith("The limit of")]


@pytest.mark.parametrize(
    ("criterion", "rate"), [("target_far(far=0.1)", "far"), ("target_frr(frr=0.3)", "frr")]
)
def test_every_model_has_the_verdict_of_its_interval(tmp_path, criterion, rate):
    results, (line,) = reported(tmp_path, criterion)
    allowed = {"far": 0.1, "frr": 0.3}[rate]
    assert line.startswith(f"The limit of {100 * allowed:.0f}% {rate.upper()} is ")
    parts = dict(re.findall(r"(met by|undecided for|not met by) (.*?)(?=; |\.$)", line))
    rows = METRICS.rows(results.frame(METRICS).filter(split="test", measure=rate, group=""))
    rows = [row for row in rows if row.criterion.startswith(f"target_{rate}")]
    assert len(rows) == 3
    for row in rows:
        verdict = (
            "met by" if row.ci_high <= allowed else "not met by" if row.ci_low > allowed else "undecided for"
        )
        assert (
            f"{row.model} ({100 * row.value:.1f}%, 95% CI {100 * row.ci_low:.1f} to {100 * row.ci_high:.1f})"
            in parts[verdict]
        )


def test_nothing_is_said_where_no_limit_was_asked(tmp_path):
    assert reported(tmp_path, "min_hter")[1] == []
