"""The frame ``agreement``: a table by hand, laws on tied data, when it is there, and what is refused."""

from fractions import Fraction

import polars as pl
import pytest
from build import build
from decisions_of_two import ASKED, NONTARGETS, TARGETS, decided, tied

from reporting.document.frames.metrics import METRICS
from reporting.features.agreement.frame import AGREEMENT, AgreementRow


def counts(row):
    return row.both_right, row.model_right, row.other_right, row.neither_right


def test_two_models_by_hand(tmp_path):
    """a and b each accept 7 of 15 trials, 4 of them together, so that 113/225 is alike by chance."""
    built = build(tmp_path, decided(TARGETS, NONTARGETS), ASKED)
    (row,) = built.rows(AGREEMENT)
    alike, chance = Fraction(7 + 2, 15), Fraction(7 * 7 + 8 * 8, 15 * 15)
    kappa = (alike - chance) / (1 - chance)
    assert kappa == Fraction(11, 56)
    assert row == AgreementRow(
        dataset="all", split="test", group="", criterion="min_hter", model="a", other="b",
        both_right=3 + 4, model_right=2 + 2, other_right=1 + 1, neither_right=1 + 1,
        alike=pytest.approx(float(alike), abs=1e-15), kappa=pytest.approx(float(kappa), abs=1e-15),
    )  # fmt: skip


def test_the_first_model_is_the_earlier_one_in_the_report_whatever_the_baseline(tmp_path):
    rows = decided(TARGETS, NONTARGETS)
    config = ASKED + "models: {b: {}, a: {}}\nbaseline: a\n"
    (row,) = build(tmp_path, rows, config).rows(AGREEMENT)
    assert (row.model, row.other, counts(row)) == ("b", "a", (7, 2, 4, 2))
    assert row.kappa == pytest.approx(11 / 56, abs=1e-15)


def test_every_pair_has_a_row_also_beside_a_baseline(tmp_path):
    built = build(tmp_path, tied(("a", "b", "c")), ASKED + "baseline: b\n")
    assert [(row.model, row.other) for row in built.rows(AGREEMENT)] == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize("seed", range(4))
def test_a_model_agrees_wholly_with_itself(tmp_path, seed):
    built = build(tmp_path, tied(("a", "a again", "b"), seed=seed), ASKED)
    first, *_ = built.rows(AGREEMENT)
    assert (first.model, first.other) == ("a", "a again")
    assert (first.model_right, first.other_right, first.alike, first.kappa) == (0, 0, 1, 1)


@pytest.mark.parametrize("policy", ["dev", "kfold"])
def test_each_model_is_right_as_often_as_its_errors_say(tmp_path, policy):
    rows = [row for row in tied(("a", "b", "c")) if policy == "dev" or row["split"] == "test"]
    config = ASKED + "measures: [error_rate]\n" + f"thresholds: {{policy: {policy}}}\n"
    built = build(tmp_path, rows, config)
    wrong = {
        row.model: row.misses + row.false_alarms
        for row in built.rows(METRICS)
        if (row.split, row.measure, row.criterion) == ("test", "error_rate", "min_hter")
    }
    for row in built.rows(AGREEMENT):
        assert sum(counts(row)) == 60
        assert row.both_right + row.model_right == 60 - wrong[row.model]
        assert row.both_right + row.other_right == 60 - wrong[row.other]
        assert row.alike == pytest.approx((row.both_right + row.neither_right) / 60, abs=1e-15)


def test_two_models_that_reject_all_have_no_kappa(tmp_path):
    (row,) = build(tmp_path, decided({(0, 0): 2}, {(0, 0): 3}), ASKED).rows(AGREEMENT)
    assert (counts(row), row.alike, row.kappa, row.status) == ((3, 0, 0, 2), 1, None, "degenerate")


@pytest.mark.parametrize(
    ("sections", "there"), [("", False), ("report: {sections: [rest]}", False), (ASKED, True)]
)
def test_it_is_there_only_where_the_config_names_its_section(tmp_path, sections, there):
    config = sections if there else f"epc: none\n{sections}\n"
    frames = build(tmp_path, tied(("a", "b")), config).frames
    assert ("agreement" in frames) is there


def test_a_single_model_has_no_frame(tmp_path):
    assert "agreement" not in build(tmp_path, tied(("a",)), ASKED).frames


def refusal(folder, rows, config):
    (row,) = build(folder, rows, config).rows(AGREEMENT)
    assert (*counts(row), row.alike, row.kappa) == (None,) * 6
    return row.status


def test_what_cannot_be_counted_trial_by_trial_says_why(tmp_path):
    rows = pl.DataFrame(tied(("a", "b")))
    assert refusal(tmp_path / "key", rows.drop("trial"), ASKED) == "no_trial_key"
    again = pl.concat([rows.with_columns(run=pl.lit(run)) for run in ("1", "2")])
    runs = "trials: {source: trials.parquet, columns: {run: run}}\n"
    assert refusal(tmp_path / "runs", again, runs + ASKED) == "several_runs"


def test_a_group_has_a_row_of_its_own(tmp_path):
    rows = pl.DataFrame(tied(("a", "b"))).with_columns(
        site=pl.when(pl.col("trial").str.ends_with("1")).then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    every, *groups = build(tmp_path, rows, ASKED + "by: [site]\n").rows(AGREEMENT)
    assert [row.group for row in (every, *groups)] == ["", "site=x", "site=y"]
    assert counts(every) == tuple(map(sum, zip(*map(counts, groups), strict=True)))
