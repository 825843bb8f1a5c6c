"""Alerts per day by hand: 8 of 10 targets and 9 of 90 non-targets are at or above the threshold."""

from __future__ import annotations

from pathlib import Path

import pytest
from build import build
from reading import every_block

from reporting.document.blocks import Table
from reporting.document.frames.metrics import METRICS
from reporting.errors import ConfigError
from reporting.features.alerts.frame import ALERTS
from reporting.features.compose import compose

CONFIG = """
trials: {source: trials.parquet%s}
primary: {measure: hter, criterion: "fixed(threshold=0.5)"}
criteria: ["fixed(threshold=0.5)", "fixed(threshold=2)"]
measures: [hter, acceptance_rate, recall, "dcf(p_target=%s,c_miss=48,c_fa=2,normalised=false)"]
curves: []
epc: none
thresholds: {policy: none}
alerts: %s
"""
MONEY = "{per_day: 1000, loss: 50, review: 2}"


def trials() -> list[dict[str, object]]:
    """One model; no trial has a score of 2 or more."""
    scores = [(1, s) for s in [1] * 8 + [0] * 2] + [(0, s) for s in [1] * 9 + [0] * 81]
    return [
        {"model": "rules", "split": "test", "trial": n, "label": label, "score": float(score)}
        for n, (label, score) in enumerate(scores)
    ]


def rows(folder: Path, plan: str = MONEY, prevalence: str = "") -> dict[tuple[str, str], object]:
    share = f", prevalence: {prevalence}" if prevalence else ""
    report = build(folder, trials(), CONFIG % (share, prevalence or "0.1", plan))
    return {(row.criterion, row.quantity): row for row in report.rows(ALERTS)} | {("", "report"): report}


def value(days: dict, quantity: str, threshold: str = "0.5") -> float | None:
    return days[f"fixed(threshold={threshold})", quantity].value


def test_a_day_at_the_share_of_the_test_set(tmp_path: Path) -> None:
    """17 of 100 raise an alert; 1000 a day have 100 targets: 80 x 50 - 170 x 2 = 3660."""
    days = rows(tmp_path)
    known = {"alert_rate": 0.17, "alerts": 170, "caught": 80, "precision": 8 / 17, "saved": 3660}
    assert {name: value(days, name) for name in known} == pytest.approx(known)


def test_a_day_at_another_share(tmp_path: Path) -> None:
    """1%: .01 x .8 + .99 x .1 = .107; 8 x 50 - 107 x 2 = 186."""
    days = rows(tmp_path, prevalence="0.01")
    known = {"alert_rate": 0.107, "alerts": 107, "caught": 8, "precision": 8 / 107, "saved": 186}
    assert {name: value(days, name) for name in known} == pytest.approx(known)


def test_limits_are_those_of_the_rates_and_of_the_cost(tmp_path: Path) -> None:
    days = rows(tmp_path)
    of = {row.measure: row for row in days["", "report"].rows(METRICS) if row.split == "test"}
    of |= {
        row.measure: row
        for row in days["", "report"].rows(METRICS)
        if row.criterion == "fixed(threshold=0.5)" and row.split == "test"
    }
    alerts, caught, saved = (days["fixed(threshold=0.5)", name] for name in ("alerts", "caught", "saved"))
    rate, recall = of["acceptance_rate"], of["recall"]
    (cost,) = (row for name, row in of.items() if name.startswith("dcf"))
    assert (alerts.ci_low, alerts.ci_high) == pytest.approx((1000 * rate.ci_low, 1000 * rate.ci_high))
    assert (caught.ci_low, caught.ci_high) == pytest.approx((100 * recall.ci_low, 100 * recall.ci_high))
    most = 1000 * 0.1 * 48
    assert (saved.ci_low, saved.ci_high) == pytest.approx(
        (most - 1000 * cost.ci_high, most - 1000 * cost.ci_low)
    )


def test_without_an_alert_nothing_is_saved_and_precision_is_undefined(tmp_path: Path) -> None:
    days = rows(tmp_path)
    assert [value(days, name, "2") for name in ("alerts", "caught", "saved")] == pytest.approx([0, 0, 0])
    assert days["fixed(threshold=2)", "precision"].value is None
    assert days["fixed(threshold=2)", "precision"].status


def test_the_table_prints_a_day(tmp_path: Path) -> None:
    report = compose(rows(tmp_path)["", "report"].results)
    (table,) = (each for each in every_block(report, Table) if each.name == "alerts")
    titles = [column.title for column in table.columns]
    assert titles == [
        "model",
        "alert rate",
        "alerts per day",
        "targets among them",
        "precision",
        "saved per day",
    ]
    assert [cell.text for cell in table.rows[0]] == ["rules", "17.0", "170", "80", "47.06", "3,660"]
    assert table.notes[0].endswith("10.00% of the trials are taken to be targets, as in the test set.")
    assert table.notes[1].endswith("less 2 for each alert; at most 4,800 per day.")


def test_a_group_has_no_day_of_its_own(tmp_path: Path) -> None:
    """Its share of the volume is not known."""
    grouped = [row | {"kind": "a" if at % 2 else "b"} for at, row in enumerate(trials())]
    report = build(tmp_path, grouped, CONFIG % ("", "0.1", MONEY) + "by: [kind]\n")
    assert {row.group for row in report.rows(METRICS)} > {""}
    assert {row.group for row in report.rows(ALERTS)} == {""}


def test_without_amounts_nothing_is_saved(tmp_path: Path) -> None:
    days = rows(tmp_path, "{per_day: 1000}")
    assert not [name for _, name in days if name == "saved"]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("{per_day: 1000, loss: 5}", "expected both loss and review, in one unit of money, or neither"),
        ("{per_day: 1000, loss: 5, review: 5}", "a loss of 5 is not worth a review of 5"),
        ("{per_day: 0}", "alerts.per_day"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, plan: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        rows(tmp_path, plan)
