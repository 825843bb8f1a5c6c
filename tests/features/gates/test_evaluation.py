"""Gates on small tables from their files to their rows: by hand, over nights, against earlier runs."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import GIVEN, collected, decided, gate, judged, kept, only, outcomes, patterns
from proportions import clopper_pearson
from scipy.special import ndtri
from scipy.stats import t as student_t

from reporting.core.measures.threshold import HTER
from reporting.core.resampling.paired import linear_difference
from reporting.core.resampling.settings import Inference
from reporting.core.stats.effective_size import wilson_limits
from reporting.document.frames.gates import GATES, held_back
from reporting.document.keys import HeldByTrials
from reporting.errors import ConfigError
from reporting.features.gates.betting import Capital, Night, log_e, log_e_above
from reporting.features.gates.keys import check_gates
from reporting.features.gates.past import MODEL, OTHER, CurrentRun, count_discordant, paired
from reporting.features.gates.verdict import gates_frame
from tests.research.studies.paired_counts import evidence_of

TARGETS, NONTARGETS = patterns(200, 12, 4), patterns(300, 20, 8, (0, 0))
ROWS = decided(TARGETS, NONTARGETS)
# FAR of a less that of b: 12 / 300; FRR: -8 / 200. HTER: 0.
SE = math.sqrt(28 / 300**2 + 16 / 200**2) / 2
# The limits of D = 0: r^2 = z^2 SE^2 + L^2 h^2, and of one more trial h = 1 / 400.


def test_a_comparison_by_hand(tmp_path):
    frame = judged(tmp_path, ROWS, gate(size=0.05), gate("superiority", 0.0, "far"))
    row = only(frame, gate="hter of a not worse than b by 0.05 at min_hter")
    assert frame.schema == GATES.schema
    assert row["estimate"] == pytest.approx(0)
    tail = row["p_value"] / 2
    assert ndtri(tail) ** 2 * SE**2 + (math.log(tail) / 400) ** 2 == pytest.approx(0.05**2)
    assert row["p_adjusted"] == pytest.approx(2 * row["p_value"])
    assert (row["reference"], row["needed"]) == (None, None)
    # Two gates; the FAR's is decided last, so that this one is tested at half the tail.
    assert row["ci_high"] == pytest.approx(math.hypot(ndtri(0.0125) * SE, math.log(0.0125) / 400))
    assert (row["outcome"], row["side"], row["bound"], row["n_gates"]) == ("pass", "below", 0.05, 2)
    assert row["ci_high"] < 0.05
    assert only(frame, kind="superiority")["outcome"] == "fail"
    assert held_back(frame)


def test_limits_of_one_model_by_hand(tmp_path):
    frame = judged(tmp_path, ROWS, gate("at_most", 0.2, "far"))
    row = only(frame)
    # a accepts 20 of 300 non-targets.
    assert row["estimate"] == pytest.approx(20 / 300)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(clopper_pearson(20, 300, 0.95))
    assert (row["outcome"], row["ci_method"], row["needed"]) == ("pass", "clopper_pearson", None)
    assert not held_back(frame)


def test_an_undecided_gate_counts_as_it_was_told_and_says_what_it_needs(tmp_path):
    frame = judged(tmp_path, ROWS, gate(size=0.01), gate(size=0.01, name="may", on_undecided="pass"))
    assert frame["outcome"].to_list() == ["undecided", "undecided"]
    assert dict(frame.select("gate", "counts_as").iter_rows())["may"] == "pass"
    row = only(frame, gate="may")
    assert (row["needed_unit"], row["unit"], row["n_units"]) == ("trial", "trial", 500)
    then = SE * math.sqrt(500 / (500 + row["needed"]))
    assert 0.01 / then == pytest.approx(2.2414 + 0.8416, rel=1e-2)  # a tail of 0.0125, a power of 0.8


def test_all_models_every_dataset_and_a_group(tmp_path):
    rows = [
        row
        for number, dataset in enumerate("xy")
        for row in decided(
            {(1, 1, 0): 30, (0, 1, 1): 6}, {(0, 1, 0): 5 + number, (0, 0, 0): 40}, "abc", dataset=dataset
        )
    ]
    frame = judged(
        tmp_path,
        rows,
        gate(models=("*",)),
        gate("at_most", 0.4, models=("*",), dataset="y"),
        config="by: [sex]",
    )
    assert [tuple(row) for row in frame.filter(kind="non_inferiority").select("model", "dataset").rows()] == [
        ("a", "x"), ("a", "y"), ("c", "x"), ("c", "y"),
    ]  # fmt: skip
    assert frame.filter(kind="at_most")["model"].to_list() == ["a", "b", "c"]
    assert set(frame["n_gates"]) == {7}
    grouped = only(judged(tmp_path, ROWS, gate(group="sex=f"), config="by: [sex]"))
    assert (grouped["group"], grouped["n_units"]) == ("sex=f", 250)
    with pytest.raises(
        ConfigError,
        match=r"gates\[0\].group: 'sex=ff' is not a group .*did you mean 'sex=f'.*found: sex=f, sex=m",
    ):
        judged(tmp_path, ROWS, gate(group="sex=ff"), config="by: [sex]")


def test_identical_models_are_not_worse(tmp_path):
    rows = decided({(1, 1): 900, (0, 0): 100}, {(0, 0): 1100})
    row = only(judged(tmp_path, rows, gate(size=0.01)))
    assert (row["outcome"], row["ci_method"], row["estimate"]) == ("pass", "score", 0.0)
    assert row["ci_high"] == pytest.approx(-math.log(0.025) / 2 / 1000)
    few = decided({(1, 1): 90, (0, 0): 10}, {(0, 0): 110})
    assert only(judged(tmp_path, few, gate(size=0.01)))["outcome"] == "undecided"


def test_an_area_and_what_cannot_be_judged(tmp_path):
    frame = judged(tmp_path, ROWS, gate("at_least", 0.7, "auc"), gate(measure="cllr"))
    area, cllr = only(frame, measure="auc"), only(frame, measure="cllr")
    assert (area["outcome"], area["ci_method"], area["side"]) == ("pass", "logit_delong", "above")
    assert (cllr["outcome"], cllr["status"], cllr["reason"], cllr["estimate"]) == (
        "undecided", "not_calibrated_scale", "not_calibrated_scale", None,
    )  # fmt: skip


def test_unknown_names_are_guessed():
    gates = gate(models=("TC7",), against="TC5"), gate("at_most", 0.1, models=("*",), dataset="vox")
    assert check_gates(gates, HeldByTrials(["TC5", "TC6"], ["vox-O"], clustered=True)) == [
        "gates[0].model: 'TC7' is not a model of the trial table; did you mean 'TC6'? (found: TC5, TC6)",
        "gates[1].dataset: 'vox' is not a dataset with test trials; did you mean 'vox-O'? (found: vox-O)",
    ]
    assert (
        check_gates(
            [gate(models=("*",), against="reference")], HeldByTrials(["TC5"], ["all"], clustered=True)
        )
        == []
    )
    assert check_gates([gate(models=("*",), against="a")], HeldByTrials(["a"], ["all"], clustered=True)) == [
        "gates[0].model: there is no model but 'a'"
    ]


NIGHTLY = gate(always_valid=True, size=0.0, name="nightly")
WORSE = patterns(100, 2, 8), patterns(150, 20, 4, (0, 0))


def test_looks_multiply_onto_what_the_history_holds(tmp_path):
    past, capital = [], (Capital(), Capital())
    for night in range(3):
        rows = decided(*WORSE, night=f"-{night}")
        frame = judged(tmp_path, rows, NIGHTLY, past=past)
        tonight = Night.of_trials((0.5, 0.5), ((20, 126, 4), (8, 90, 2)))
        ceiling = 40 * (1 + 1e-9)
        gained = float(log_e_above(tonight, 0.0)), float(log_e(tonight, 0.0))
        capital = tuple(one.after(g, ceiling) for one, g in zip(capital, gained, strict=True))
        row = only(frame)
        assert (row["e_pass"], row["e_fail"]) == pytest.approx([one.value for one in capital])
        assert (row["looks"], row["trials_used"], row["n_units"]) == (night + 1, 250 * (night + 1), 250)
        past.append(kept(f"run-{night}", frame, rows))
    assert row["outcome"] == "fail"
    again = only(judged(tmp_path, rows, NIGHTLY, past=past))
    same = ("e_pass", "e_fail", "looks", "trials_used", "outcome", "estimate", "ci_low", "ci_high")
    assert [again[name] for name in same] == [row[name] for name in same]
    # The errors of all nights: (20 - 4) / 150 of non-targets and (8 - 2) / 100 of targets more.
    assert row["estimate"] == pytest.approx((16 / 150 + 6 / 100) / 2)
    assert 0 < row["ci_low"] < row["estimate"] < row["ci_high"]


def test_only_new_trials_count_and_another_question_begins_anew(tmp_path):
    rows = decided(*WORSE)
    first = kept("one", judged(tmp_path, rows, NIGHTLY), rows)
    more = decided(*WORSE, night="-later")
    both = rows + [row for row in more if row["split"] == "test"]
    row = only(judged(tmp_path, both, NIGHTLY, past=[first]))
    assert (row["looks"], row["trials_used"], row["n_units"]) == (2, 500, 250)
    assert row["e_fail"] == only(judged(tmp_path, more, NIGHTLY, past=[first]))["e_fail"]
    other = gate(always_valid=True, size=0.01, name="nightly")
    assert only(judged(tmp_path, both, other, past=[first]))["looks"] == 1
    lost = type(first)("one", {"gates": first.frames["gates"]})
    assert only(judged(tmp_path, both, NIGHTLY, past=[lost]))["status"] == "no_outcomes"


def test_bytes_do_not_depend_on_the_order_of_rows(tmp_path):
    gates = gate(), NIGHTLY, gate("at_most", 0.2)
    rows = decided(*WORSE)
    assert judged(tmp_path, rows, *gates).equals(judged(tmp_path, rows[::-1], *gates))


def test_always_valid_limits_of_rates(tmp_path):
    row = only(judged(tmp_path, ROWS, gate("at_most", 0.2, "far", always_valid=True)))
    gained = float(log_e_above(Night.of_trials([1.0], [(20, 280, 0)]), 0.2))
    assert row["e_pass"] == pytest.approx(Capital().after(gained, 40 * (1 + 1e-9)).value)
    assert (row["outcome"], row["estimate"]) == ("pass", pytest.approx(20 / 300))
    assert row["ci_high"] < 0.2


def of_speakers(speakers, week, wrong=2):
    """Test trials of a week: three targets and five non-targets a speaker, some wrong for the first model."""
    rows = decided(patterns(4, 0, 0), patterns(4, 0, 0, (0, 0)))
    rows = [row | {"cluster": row["trial"]} for row in rows if row["split"] == "dev"]
    for speaker in speakers:
        for at in range(8):
            label = at < 3
            row = {"split": "test", "trial": f"{speaker}{at} {week}", "label": label, "cluster": speaker}
            row |= {"sex": "f", "score": float(label)}
            first = float(label) if at >= wrong else float(not label)
            rows += [row | {"model": "a", "score": first}, row | {"model": "b"}]
    return rows


def test_bets_are_on_clusters_and_on_each_once(tmp_path):
    """Speakers that come back say nothing new about other speakers, however many their trials."""
    rows = of_speakers("KLMN", 1)
    first = judged(tmp_path, rows, NIGHTLY)
    # Of every speaker two of three targets are wrong.
    tonight = Night.of_clusters((0.5, 0.5), [[0] * 4, [2] * 4], [[5] * 4, [3] * 4])
    ceiling = 40 * (1 + 1e-9)
    row = only(first)
    assert row["e_fail"] == pytest.approx(Capital().after(float(log_e(tonight, 0.0)), ceiling).value)
    assert (row["unit"], row["n_units"], row["trials_used"], row["looks"]) == ("cluster", 4, 32, 1)
    assert row["estimate"] == pytest.approx(1 / 3)
    past = [kept("one", first, rows)]
    again = of_speakers("KLMN", 2)
    same = only(judged(tmp_path, again, NIGHTLY, past=past))
    assert [same[name] for name in ("e_fail", "looks", "n_units", "reason")] == [row["e_fail"], 1, 0, "no_new_trials"]  # fmt: skip
    more = again + [row for row in of_speakers("PQ", 2, wrong=0) if row["split"] == "test"]
    frame = judged(tmp_path, more, NIGHTLY, past=past)
    later = only(frame)
    assert [later[name] for name in ("looks", "n_units", "trials_used")] == [2, 2, 48]
    assert later["estimate"] == pytest.approx(8 / 18 / 2)
    assert frame.equals(judged(tmp_path, more[::-1], NIGHTLY, past=past))
    # In the third week those of the second are no news either.
    past.append(kept("two", frame, more))
    assert only(judged(tmp_path, of_speakers("KPQ", 3), NIGHTLY, past=past))["n_units"] == 0


def test_bets_on_trials_of_clusters_are_asked_for(tmp_path):
    frame = judged(
        tmp_path, of_speakers("KLMN", 1), gate(always_valid=True, independent=True, name="nightly")
    )
    tonight, row = Night.of_trials((0.5, 0.5), ((0, 20, 0), (8, 4, 0))), only(frame)
    assert row["e_fail"] == pytest.approx(Capital().after(float(log_e(tonight, 0.02)), 40 * (1 + 1e-9)).value)
    assert (row["unit"], row["n_units"]) == ("trial", 32)


def test_trials_of_two_clusters_allow_no_bets(tmp_path):
    collector, models = collected(tmp_path, ROWS, NIGHTLY)
    frame = gates_frame(collector, models, CurrentRun(outcomes(ROWS), clustered=True, pairs=True))
    assert only(frame)["status"] == "clustered"


def test_bets_need_clusters_or_that_trials_are_said_to_be_independent():
    (said,) = check_gates([NIGHTLY], HeldByTrials(["a", "b"], ["all"], clustered=False))
    assert said.startswith("gates[0].always_valid: bets need clusters")
    assert check_gates([NIGHTLY], HeldByTrials(["a", "b"], ["all"], clustered=True)) == []
    free = gate(always_valid=True, independent=True)
    assert check_gates([free], HeldByTrials(["a", "b"], ["all"], clustered=False)) == []


TO_LAST = gate(against="reference", size=0.01, name="last")


def test_the_reference_is_the_last_accepted_run(tmp_path):
    good = decided({(1,): 400}, {(0,): 400}, "a")
    none = only(judged(tmp_path, good, TO_LAST))
    assert (none["status"], none["counts_as"]) == ("no_reference", "fail")
    first = kept("one", judged(tmp_path, good, TO_LAST), good)
    same = judged(tmp_path, good, TO_LAST, past=[first])
    assert only(same)["reference"] == "one"
    assert (only(same)["outcome"], only(same)["ci_method"]) == ("pass", "score")
    worse = decided({(1,): 360, (0,): 40}, {(0,): 400}, "a")
    failed = judged(tmp_path, worse, TO_LAST, past=[first])
    # 40 of 400 targets are missed that were not: 0.05 of HTER.
    assert only(failed)["estimate"] == pytest.approx(0.05)
    assert only(failed)["outcome"] == "fail"
    again = judged(tmp_path, worse, TO_LAST, past=[first, kept("two", failed, worse)])
    assert only(again)["reference"] == "one"
    assert only(again)["outcome"] == "fail"


def test_which_run_is_named_as_reference(tmp_path):
    """Only a gate against the reference has one, bets or not; without an accepted run none is named."""
    against = gate(against="reference", size=0.05, name="bets", always_valid=True)
    rows = decided({(1, 1): 400}, {(0, 0): 400})
    first = judged(tmp_path, rows, TO_LAST, against, NIGHTLY)
    assert first["reference"].to_list() == [None, None, None]
    past = [kept("one", first.with_columns(outcome=pl.lit("pass"), counts_as=pl.lit("pass")), rows)]
    later = judged(
        tmp_path, decided({(1, 1): 400}, {(0, 0): 400}, night="-2"), TO_LAST, against, NIGHTLY, past=past
    )
    assert dict(later.select("gate", "reference").iter_rows()) == {
        "last": "one",
        "bets": "one",
        "nightly": None,
    }


def test_a_gate_without_an_interval_shows_its_number(tmp_path):
    """All targets rank first: each resample has a sensitivity of 1, which says nothing of how far it may lie."""
    rows = decided({(1, 1): 12}, {(0, 0): 20})
    asked = gate(kind="at_least", size=0.5, measure="sensitivity_at")
    row = only(judged(tmp_path, rows, asked, config="measures: [sensitivity_at]"))
    assert (row["status"], row["outcome"], row["ci_low"]) == ("degenerate", "undecided", None)
    assert row["estimate"] == 1.0


def test_a_difference_that_no_interval_holds_is_degenerate(tmp_path):
    """Of EER it is not known how far one more disagreement moves it, that of F1 has a derivative."""
    rows = decided({(1, 1): 30, (0, 0): 10}, {(0, 0): 50})
    row = only(judged(tmp_path, rows, gate(measure="eer_rocch", size=0.1)))
    assert (row["status"], row["outcome"], row["ci_low"]) == ("degenerate", "undecided", None)
    row = only(judged(tmp_path / "f1", rows, gate(measure="f1", size=0.1)))
    # F1 = 60 / 70; without one of its 30 hits 58 / 69, and with a false alarm 60 / 71.
    step = (row["ci_high"] - row["ci_low"]) / 2 / -math.log(0.025)
    assert step == pytest.approx(60 / 70 - 58 / 69, rel=0.03)


def test_clusters_of_the_reference_are_its_units(tmp_path):
    """Clusters of one trial each, 20 of them targets: the variance of independent trials less D^2; t for z."""
    first, second = [True] * 30 + [False] * 70, [True] * 18 + [False] * 70 + [True] * 12
    columns = {"trial": range(100), "label": [i % 5 == 0 for i in range(100)], MODEL: first, OTHER: second}
    trials = pl.DataFrame(columns)

    def found(of, clustered, replicates=2000):
        today, inference = CurrentRun(None, clustered=clustered), Inference(replicates=replicates)
        return paired(of, ("all", "a"), HTER, today, inference)

    alone = trials.with_columns(cluster=pl.Series([bytes([i]) for i in range(100)]))
    loose, tied = (found(alone, clustered).evidence for clustered in (False, True))
    assert tied.estimate == pytest.approx(loose.estimate)
    plain = linear_difference(count_discordant(alone), (0.5, 0.5)).se
    assert tied.se == pytest.approx(plain * math.sqrt(20 / 19), rel=0.05)
    assert (tied.df, tied.step) == (19, loose.step)
    together = found(trials.with_columns(cluster=pl.Series([bytes([i % 50]) for i in range(100)])), True)
    assert (together.evidence.df, together.n_units, together.unit) == (9, 50, "cluster")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=4, max_size=60))
def test_decisions_held_against_a_reference_have_the_exact_test_of_their_counts(decided):
    """Independent trials: the p of every bound, and the limits, are those of the counted decisions."""
    label, first, second = (list(each) for each in zip(*decided, (False,) * 3, (True,) * 3, strict=True))
    columns = {"trial": range(len(label)), "label": label, MODEL: first, OTHER: second}
    trials = pl.DataFrame(columns, schema_overrides=dict.fromkeys(("label", MODEL, OTHER), pl.Boolean))
    found = paired(trials, ("all", "a"), HTER, CurrentRun(None), Inference(replicates=20)).evidence
    wanted = evidence_of(count_discordant(trials), (0.5, 0.5))
    assert found.estimate == pytest.approx(wanted.estimate, abs=1e-15)
    for bound in (-0.1037, 0.0, 0.2113):  # at a bound that is the estimate but for its last bit p jumps
        assert found.p_below(bound) == pytest.approx(wanted.p_below(bound), rel=1e-9)
    assert (found.lower(0.025), found.upper(0.025)) == pytest.approx(
        (wanted.lower(0.025), wanted.upper(0.025))
    )


def test_a_measure_that_is_no_sum_of_rates_is_paired_with_its_reference_too(tmp_path):
    """F1 of decisions that differ on 12 trials: the interval of the pair, as between two models."""
    rows = decided(TARGETS, NONTARGETS)
    asked = gate(measure="f1", against="reference", size=0.5)
    mine, theirs = ([{**row, "model": "a"} for row in rows if row["model"] == m] for m in ("a", "b"))
    accepted = judged(tmp_path, theirs, gate("at_least", 0.1, "f1", name="limit"))
    row = only(judged(tmp_path / "later", mine, asked, past=[kept("one", accepted, theirs)]))
    between = only(judged(tmp_path / "both", rows, gate(measure="f1", size=0.5)))
    assert row["estimate"] == between["estimate"]
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((between["ci_low"], between["ci_high"]))


def test_a_reference_on_other_trials_is_compared_by_its_value(tmp_path):
    def metrics(value, low, high):
        row = {
            "model": "a",
            "dataset": "all",
            "group": "",
            "split": "test",
            "measure": "hter",
            "criterion": "min_hter",
        }
        return pl.DataFrame([row | {"value": value, "ci_low": low, "ci_high": high, "level": 0.95}])

    rows = decided({(1,): 360, (0,): 40}, {(0,): 380, (1,): 20}, "a", night="-new")
    accepted = judged(tmp_path, rows, gate("at_most", 0.4, name="limit"))
    old = kept("old", accepted, decided({(1,): 9}, {(0,): 9}, "a"), metrics=metrics(0.07, 0.05, 0.09))
    row = only(judged(tmp_path, rows, TO_LAST, past=[old]))
    theirs = 0.02 / 1.959964
    assert row["estimate"] == pytest.approx(0.075 - 0.07)
    assert row["ci_method"] == "two_runs"
    mine = math.sqrt((0.1 * 0.9 + 0.05 * 0.95) / 400) / 2
    assert (row["ci_high"] - row["ci_low"]) / 2 / 1.959964 == pytest.approx(math.hypot(mine, theirs), rel=0.1)


def test_thresholds_chosen_again_are_the_default(tmp_path):
    rows = decided(TARGETS, NONTARGETS)
    row = only(judged(tmp_path, rows, gate(size=0.2), overrides=()))
    assert row["inference"] == "procedure"
    assert only(judged(tmp_path, rows, gate(size=0.2), overrides=(GIVEN,)))["inference"] == "given_thresholds"


def clean(per_cluster=100, runs=("0",), wrong=()):
    """100 speakers of 1 target and the rest non-targets; ``wrong`` are false alarms by run and place."""
    rng = np.random.default_rng(3)
    rows = []
    for split in ("dev", "test"):
        for i in range(100 * per_cluster):
            label = i % per_cluster == 0
            row = {"model": "a", "split": split, "trial": f"{split}{i}", "label": label}
            for run in runs:
                far = split == "test" and (run, i) in wrong
                score = float(label or far) + 0.1 * rng.random()
                rows.append(row | {"run": run, "speaker": f"s{i // per_cluster}", "score": score})
    return rows


CLUSTERS = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n"


@pytest.mark.parametrize("measure", ["far", "hter", "frr", "error_rate"])
def test_a_clean_run_of_a_hundred_clusters_passes(tmp_path, measure):
    collector, models = collected(tmp_path, clean(20), gate("at_most", 0.05, measure), config=CLUSTERS)
    row = only(gates_frame(collector, models, CurrentRun(None, clustered=True)))
    assert (row["outcome"], row["estimate"], row["unit"], row["n_units"]) == ("pass", 0.0, "cluster", 100)
    assert 0 == row["ci_low"] < row["ci_high"] < 0.05


def test_gates_see_the_intervals_of_the_report(tmp_path):
    rows = clean(20, wrong={("0", 1 + 20 * k) for k in range(8)})
    collector, models = collected(tmp_path, rows, gate("at_most", 0.05, "far"), config=CLUSTERS)
    row = only(gates_frame(collector, models, CurrentRun(None, clustered=True)))
    assert (row["ci_method"], row["outcome"]) == ("wilson_effective", "pass")
    # One false alarm each in eight clusters of 19: no more of them together than by chance.
    expected = wilson_limits(8 / 1900, 1900, student_t.ppf(0.975, 99))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(expected, rel=0.02)


def test_gates_of_several_runs_are_decided(tmp_path):
    """By the mean over the runs; where no run errs, by the interval of one."""
    runs = ("0", "1")
    columns = "trials: {source: trials.parquet, columns: {cluster: speaker, run: run}}\n"
    for wrong in (set(), {("1", 1 + 20 * k) for k in range(8)}):
        rows = clean(20, runs, wrong)
        collector, models = collected(tmp_path, rows, gate("at_most", 0.05, "far"), config=columns)
        row = only(gates_frame(collector, models, CurrentRun(None, clustered=True)))
        assert (row["outcome"], row["estimate"]) == ("pass", pytest.approx(len(wrong) / 2 / 1900))
        assert row["ci_high"] < 0.05
        assert row["ci_method"] == ("logit_t" if wrong else "korn_graubard")


def test_targets_of_one_cluster_leave_a_gate_on_false_alarms_alone(tmp_path):
    """Non-targets are of twenty clusters equally, targets count as fewer than two clusters."""
    rows = decided({(1, 1): 90, (0, 1): 10}, {(0, 0): 90, (1, 0): 10})
    for number, row in enumerate(rows):
        row["cluster"] = f"c{0 if row['label'] and number // 2 % 10 else number // 2 % 20}"
    asked = [gate("at_most", 0.9, "far"), gate("at_most", 0.9, "frr"), gate("at_most", 0.9)]
    config = "trials: {source: trials.parquet, columns: {cluster: cluster}}\n"
    frame = judged(tmp_path, rows, *asked, config=config)
    assert frame["outcome"].to_list() == ["pass", "undecided", "undecided"]
    assert frame["status"].to_list() == [None, "too_few_clusters", "too_few_clusters"]


@pytest.mark.parametrize("comparisons", ["procedure", "given_thresholds"])
def test_clusters_of_which_one_has_most_trials_decide_nothing(tmp_path, comparisons):
    """Fourteen clusters, one with three of four trials, count as fewer than two: whatever the bound.

    Exchanges of two models need no such number, and have limits.
    """
    rows = decided({(1, 1): 90, (0, 1): 10}, {(0, 0): 90, (1, 0): 10})
    for number, row in enumerate(rows):
        row["cluster"] = f"c{number // 2 % 13}" if number // 2 % 4 == 0 else "most"
    asked = [
        gate("at_most", 0.9),
        gate("at_least", 0.1, "auc"),
        gate("at_most", 0.9, "far"),
        gate("non_inferiority", 0.9),
        gate("superiority", 0.0, "auc"),
    ]
    config = "trials: {source: trials.parquet, columns: {cluster: cluster}}\n"
    frame = judged(
        tmp_path, rows, *asked, config=config, overrides=[f"significance.comparisons={comparisons}"]
    )
    assert frame["outcome"].to_list() == ["undecided"] * 5
    assert frame["estimate"].null_count() == 0
    exchanged = pl.lit(value=comparisons == "procedure") & (pl.col("kind") == "non_inferiority")
    frame, swapped = frame.filter(~exchanged), frame.filter(exchanged)
    assert swapped["status"].null_count() == swapped.height
    assert swapped["ci_low"].null_count() == 0
    assert set(frame["status"]) == set(frame["reason"]) == {"too_few_clusters"}
    assert frame.select("ci_low", "ci_high", "p_value").null_count().row(0) == (frame.height,) * 3
