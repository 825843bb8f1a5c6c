"""The verdict's sentences against the numbers they were made from."""

import dataclasses
import math
import re

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated_results import World, simulate

from reporting.frames import COMPARISONS, METRICS, STANDING
from reporting.measures.catalogue import MEASURES
from reporting.measures.costs import MINDCF
from reporting.measures.sweep import AUC, EER_ROCCH
from reporting.measures.threshold import FRR, HTER
from reporting.report.numbers import MINUS
from reporting.sections.compose import compose
from reporting.sections.verdict import verdict

HOSTILE = ("<b>&amp;</b>", "$\\alpha_1$ {x} %", "a, b. has the lowest", "x\n\ny", "{name}")
SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def worlds():
    return st.builds(
        World,
        models=st.integers(1, 6).map(lambda n: tuple(f"sys{k}" for k in range(n))),
        baseline=st.sampled_from([None, "sys0"]),
        primary=st.sampled_from([HTER, AUC, EER_ROCCH, MINDCF, FRR]),
        n_target=st.integers(2, 80),
        n_nontarget=st.integers(2, 80),
        strength=st.floats(-1, 4),
        step=st.sampled_from([0.0, 0.1, 0.5]),
        decimals=st.integers(0, 2),
        seed=st.integers(0, 10_000),
        cluster=st.sampled_from([None, "speaker"]),
        alphas=st.just(3),
        pictures=st.just(False),
    )


def primary_values(results):
    asked = results.study.primary
    rows = results.frame(METRICS).filter(pl.col("split") == "test", pl.col("measure") == str(asked.measure))
    if asked.measure.over == "threshold":
        rows = rows.filter(pl.col("criterion") == str(asked.criterion))
    return dict(rows.select("model", "value").rows())


@SLOW
@given(worlds())
def test_the_verdict_names_the_extreme_and_the_sign_agrees(world):
    results = simulate(world)
    text, values = verdict(results), primary_values(results)
    best = (max if world.primary.better == "higher" else min)(values.values())
    leaders = [key for key, value in values.items() if math.isclose(value, best, rel_tol=1e-12)]
    if len(values) > 1:
        word = "highest" if world.primary.better == "higher" else "lowest"
        first = re.match(r"(?:At .*? chosen on dev, )?(.*?) (?:has|share) the (\w+) test ", text)
        assert first is not None
        assert re.findall(r"sys\d", first.group(1)) == sorted(leaders)
        assert first.group(2) == word
    else:
        assert "lowest" not in text
        assert "highest" not in text
    for found in re.finditer(r"(?:(sys\d)'s|Its) difference to (sys\d) is ([^ ;]+)", text):
        owner = found.group(1) or leaders[0]
        number = float(found.group(3).replace(MINUS, "-"))
        assert number * (values[owner] - values[found.group(2)]) >= 0


@SLOW
@given(worlds())
def test_no_sentence_of_a_report_ranks_models_beyond_the_observed(world):
    report = compose(simulate(world))
    for text in all_texts(report):
        assert not re.search(
            r"\b(better|worse|superior|inferior|outperform\w*|significant\w*)\b", text, re.I
        ), text
        assert "nan" not in text.lower().split()
        assert "None" not in text


def all_texts(value):
    """Every text of a report except specs and the sense in a column's head."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from all_texts(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in ("spec", "sense"):
                yield from all_texts(getattr(value, field.name))


@SLOW
@given(worlds())
def test_every_number_of_the_verdict_stands_in_the_summary_table(world):
    report = compose(simulate(world))
    cells = {cell.text for row in report.sections[0].blocks[0].rows for cell in row}
    sentence = report.verdict
    value = re.search(r"test .*?(?:, |of )([\d.]+)(?:\s%)? (\[.*?\])", sentence)
    if " share " not in sentence:
        assert value is not None
        assert {value.group(1), value.group(2)} <= cells
    for found in re.finditer(r"difference (?:to sys\d is )?([^\s;]+) (?:points )?(\[.*?\])", sentence):
        if world.baseline == "sys0" and "sys0" not in re.split(" has | share ", sentence)[0]:
            assert {found.group(1), found.group(2)} <= cells


def test_the_pattern_with_a_baseline():
    text = verdict(simulate(World(models=("TC1", "TC5", "TC6"), baseline="TC1", step=0.8, cluster="speaker")))
    assert re.fullmatch(
        r"At min-HTER thresholds chosen on dev, TC6 has the lowest test HTER, [\d.]+\s% \[[\d.]+, [\d.]+\]\. "
        r"Its difference to TC1 is −[\d.]+ points \[−[\d.]+, −[\d.]+\]; p < \.001, adjusted < \.001 over 2 "
        r"comparisons, speakers of dev and test resampled, thresholds chosen again\. "
        r"With 95 % confidence the lowest HTER is that of TC6; the other 2 models are ruled out\.",
        text,
    )


def test_without_a_baseline_the_lowest_meets_the_runner_up():
    results = simulate(World(models=("a", "b", "c"), step=0.6))
    ranked = sorted(primary_values(results).items(), key=lambda pair: pair[1])
    assert f"{ranked[0][0]} has the lowest" in verdict(results)
    assert re.search(rf"(difference to|differ from) {ranked[1][0]}\b", verdict(results))


def test_a_leading_baseline_meets_the_runner_up_with_its_own_sign():
    text = verdict(simulate(World(models=("a", "b", "c"), baseline="c", step=1.0, strength=1)))
    assert "c has the lowest" in text
    assert re.search(r"difference to b is −", text)


def test_a_difference_that_may_be_chance_is_called_not_shown():
    text = verdict(simulate(World(step=0.02, n_target=40, n_nontarget=40)))
    assert re.search(r"It is not shown to differ from TC\d: difference −?[\d.]+ points \[", text)


def test_a_measure_without_thresholds_has_no_tuned_systems():
    text = verdict(simulate(World(primary=AUC, step=1.0)))
    assert re.match(r"TC2 has the highest test AUC, 0\.\d+ \[", text)
    assert "tuned" not in text
    assert "points" not in text


def test_a_single_model_is_reported_alone():
    text = verdict(simulate(World(models=("only",))))
    assert re.fullmatch(
        r"At min-HTER thresholds chosen on dev, only has a test HTER of [\d.]+\s% \[[\d.]+, [\d.]+\]\.", text
    )


def test_equal_models_share_the_lowest():
    text = verdict(simulate(World(models=("a", "b"), same_scores=True)))
    assert re.fullmatch(
        r"At min-HTER thresholds chosen on dev, a and b share the lowest test HTER, [\d.]+\s%\."
        r" Both models may still be the one with the lowest HTER \(95 % confidence\)\.",
        text,
    )


def test_datasets_get_one_verdict_each_in_text_order():
    text = verdict(simulate(World(datasets=("vox-O", "vox-H"))))
    assert [m.group(1) for m in re.finditer(r"On (vox-\w), at min-HTER", text)] == ["vox-H", "vox-O"]
    assert "On all" not in verdict(simulate(World()))


@pytest.mark.parametrize("primary", [HTER, AUC])
def test_an_undefined_value_says_why(primary):
    results = simulate(World(primary=primary, models=("a", "b")))
    without = pl.when(pl.col("model") == "a")
    metrics = results.frame(METRICS).with_columns(
        value=without.then(None).otherwise("value"),
        status=without.then(pl.lit("no_targets")).otherwise("status"),
    )
    text = verdict(results.with_frames({METRICS: metrics}))
    assert "b has the" in text
    assert f"The {primary.label} of a is undefined: the split has no targets." in text
    nothing = results.frame(METRICS).with_columns(
        value=pl.lit(None, pl.Float64), status=pl.lit("no_nontargets")
    )
    text = verdict(results.with_frames({METRICS: nothing}))
    assert f"o model has a defined test {primary.label}: the split has no non-targets." in text
    compose(results.with_frames({METRICS: nothing}))


def test_without_trial_keys_the_difference_is_undefined():
    results = simulate(World())
    undefined = {name: pl.lit(None, pl.Float64) for name in ("difference", "ci_low", "ci_high", "p_value")}
    rows = results.frame(COMPARISONS).with_columns(**undefined, status=pl.lit("no_trial_key"))
    results = results.with_frames({COMPARISONS: rows})
    assert "is undefined: the table has no trial key" in verdict(results)
    cautions = [block.text for block in compose(results).sections[0].blocks[1:]]
    assert any(
        text.startswith("No comparison is defined, because the table has no trial key") for text in cautions
    )


def test_an_absent_comparison_leaves_the_first_sentence_alone():
    results = simulate(World())
    text = verdict(
        results.with_frames({COMPARISONS: results.frame(COMPARISONS).clear(), STANDING: STANDING.empty})
    )
    assert re.fullmatch(r"At .* has the lowest test HTER, [^;]*\]\.", text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_pass_unchanged_as_plain_text(name):
    results = simulate(World(models=("k1", "k2"), names={"k2": name}, step=1.5, baseline="k1"))
    report = compose(results)
    assert f", {name} has the lowest" in report.verdict
    assert name in [row[0].text for row in report.sections[0].blocks[0].rows]
    assert any(name in text for text in all_texts(report.sections[1]))


def test_equal_printed_names_are_told_apart_by_their_keys():
    results = simulate(World(models=("k1", "k2"), names={"k1": "same", "k2": "same"}, step=1.0))
    assert "same (k2) has the lowest" in verdict(results)


def test_few_clusters_are_said_in_the_same_sentence():
    results = simulate(World(models=("TC1", "TC2"), baseline="TC1", step=0.8, cluster="speaker"))
    assert "only" not in verdict(results)
    flagged = results.frame(COMPARISONS).with_columns(
        flags=pl.lit(["few_clusters"]), n_units=pl.lit(4, pl.Int64)
    )
    assert "(only 4 speakers: interval and p are rough)." in verdict(
        results.with_frames({COMPARISONS: flagged})
    )


def test_measures_at_their_own_best_cut_are_marked_a_posteriori():
    for measure, marked in ((EER_ROCCH, True), (AUC, False)):
        text = verdict(simulate(World(primary=measure)))
        assert text.startswith("At the best cut of test itself (a posteriori), ") == marked


def test_where_a_value_is_ideal_the_nearest_to_it_leads():
    slope = MEASURES["calibration_slope"]
    assert [slope.badness(v) for v in (0.265, 0.571, 1.2)] == pytest.approx([0.735, 0.429, 0.2])
    assert slope.best == "nearest to 1"
    assert MEASURES["auc"].badness(0.9) < MEASURES["auc"].badness(0.8)
    assert MEASURES["hter"].badness(0.1) < MEASURES["hter"].badness(0.2)
