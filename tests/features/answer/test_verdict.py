"""The verdict's sentences against the numbers they were made from."""

import dataclasses
import math
import re

import polars as pl
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from reading import column, table
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.costs import MINDCF
from reporting.core.measures.sweep import AUC, EER_ROCCH
from reporting.core.measures.threshold import FRR, HTER
from reporting.document import numbers
from reporting.document.frames.comparisons import COMPARISONS, STANDING
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.oriented import primary_rows
from reporting.document.words.view import views
from reporting.features.answer.verdict import verdict
from reporting.features.compose import compose

pytestmark = pytest.mark.usefixtures("undrawn")

HOSTILE = ("<b>&amp;</b>", "$\\alpha_1$ {x} %", "a, b. has the lowest", "x\n\ny", "{name}")
SLOW = few(20)


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


def members(results):
    rows = results.frame(STANDING)
    return {model for model, inside in rows.select("model", "may_be_best").rows() if inside}


def names(text):
    return set(re.findall(r"sys\d", text))


@SLOW
@given(worlds())
def test_the_headline_says_what_the_frames_decide_and_the_value_is_the_extreme(world):
    results = simulate(world)
    report, values = compose(results), primary_values(results)
    text, lines = report.headline, " ".join(report.answer)
    word = "highest" if world.primary.better == "higher" else "lowest"
    best = (max if word == "highest" else min)(values.values())
    leaders = {key for key, value in values.items() if math.isclose(value, best, rel_tol=1e-12)}
    assert report.verdict.startswith(" ".join((text, lines)))
    if len(values) == 1:
        assert re.fullmatch(rf"sys0: {re.escape(views(results)[0].terms.measure(world.primary))} .*\.", text)
        assert word not in text + lines
        return
    if world.baseline is None:
        # Of two models their own two-sided test decides.
        pair = len(values) == 2 and len(leaders) == 1
        inside = (leaders if "is best." in text else set(values)) if pair else members(results)
        out = set(values) - inside
        if len(inside) == 1:
            assert text == f"{inside.pop()} is best."
            assert lines.startswith("Its ")
            return
        first = text.split(";")[0]
        assert names(first) >= leaders
        assert ("not shown to beat" in first) <= (names(first) == inside)
        assert ("ruled out." in text) == bool(out)
        assert ("can be ruled out" in text) == (not out and leaders != inside and len(values) > 2)
        assert ("tied" in text) == (len(leaders) > 1)
        assert ("tied" in text) or re.search(rf"(?:^|led by ){min(leaders)} (?:looks best )?\(", text)
        if len(leaders) > 1:  # no one of them has it alone
            assert "Their " in lines
            assert f"has the {word}" not in lines
            return
    said = re.search(rf"(sys\d) has the {word} .*? on the test set: ", lines)
    assert said is not None
    assert said.group(1) in leaders


@SLOW
@given(worlds().filter(lambda world: world.baseline and len(world.models) > 1))
def test_against_a_baseline_the_headline_repeats_the_adjusted_decisions(world):
    results = simulate(world)
    rows = results.frame(COMPARISONS).filter(pl.col("p_adjusted").is_not_null())
    text = compose(results).headline
    sense = 1 if world.primary.better == "higher" else -1
    for row in rows.iter_rows(named=True):
        better = row["difference"] * sense > 0
        word = "inconclusive" if row["p_adjusted"] > 0.05 else "better" if better else "worse"
        clauses = [each for each in text.split(";") if row["model"] in each.replace("baseline sys0", "")]
        if word == "inconclusive":
            assert not re.search("better|worse", " ".join(clauses))
        else:
            assert word in (" ".join(clauses) or text)
            assert "shown to differ" not in text


@SLOW
@given(worlds())
def test_better_and_worse_are_said_of_adjusted_decisions_alone(world):
    results = simulate(world)
    rows = results.frame(COMPARISONS).filter(pl.col("p_adjusted").is_not_null())
    decided = bool(rows["p_adjusted"].is_between(0, 0.05).any())
    report = compose(results)
    for text in all_texts(report):
        assert not re.search(
            r"\b(superior|inferior|outperform\w*|(?<!not )shown to(?! differ))\b", text, re.I
        ), text
        if re.search(r"\b(is|are) (better|worse) than\b", text):
            assert decided
            assert world.baseline is not None
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
def test_every_number_of_the_answer_stands_in_the_summary_table(world):
    report = compose(simulate(world))
    found = table(report, "summary")
    cells = {text for row in found.rows for cell in row for text in (cell.text, cell.beneath)}
    lines = " ".join((report.headline, *report.answer))
    intervals = re.findall(r"CI ([^\s,;)]+)(?: (lower|higher))? to ([^\s,;)]+)(?: (lower|higher))?", lines)
    for near, first, far, side in intervals:
        ends = (signed(near, first or side), signed(far, side))
        assert "[{}, {}]".format(*(ends if first or side != "lower" else ends[::-1])) in cells
    for number, side in re.findall(
        r"(?<![\w.])(\d+\.\d+)(?=%| \(| percentage| lower than| higher than)"
        r"(?:(?: percentage points)? (lower|higher) than)?",
        lines,
    ):
        assert signed(number, side) in cells
    for p in re.findall(r"p [=<] \.\d+", lines):
        assert any(cell.endswith(p) for cell in cells) or "p < .001 where none" in found.drawn_notes[0]


def signed(number, side):
    """A difference as a table prints it, from a sentence that has its side in words."""
    return f"−{number}" if side == "lower" and float(number) else number


def test_the_pattern_with_a_baseline():
    text = verdict(simulate(World(models=("TC1", "TC5", "TC6"), baseline="TC1", step=0.8, cluster="speaker")))
    assert re.fullmatch(
        r"TC6 and TC5 are better than the baseline TC1\. TC6 has the lowest half total error rate \(HTER\) on the test"
        r" set: [\d.]+% \(95% CI [\d.]+ to [\d.]+, not corrected for picking the best of three\), at thresholds"
        r" set on the development set \(minimum HTER\)\. The"
        r" baseline TC1 has [\d.]+% \(95% CI [\d.]+ to [\d.]+\)\. TC6 is [\d.]+ percentage points lower than TC1"
        r" \(95% CI [\d.]+ to [\d.]+ lower, adjusted p < \.001\)\. Its test: p < \.001, adjusted < \.001 for 2"
        r" comparisons, .*",
        text,
    )


def test_the_pattern_without_a_baseline():
    text = verdict(simulate(World(models=("TC1", "TC5", "TC6"), step=0.8, cluster="speaker")))
    assert re.fullmatch(
        r"TC6 is best\. Its half total error rate \(HTER\) on the test set is [\d.]+% \(95% CI [\d.]+ to [\d.]+\), at"
        r" thresholds set on the development set \(minimum HTER\)\. The other two are ruled out as best \(95%"
        r" confidence\)\. TC5 is [\d.]+ percentage points higher than TC6 \(95% CI [\d.]+ to [\d.]+ higher\)\. A model"
        r" is ruled out as best if its p is at most \.05 \(multiple comparisons with the best, one-sided; .*\): TC5 .*",
        text,
    )


def standing(results, **inside):
    """The results with this set of models that may be the best."""
    rows = results.frame(STANDING).with_columns(
        may_be_best=pl.col("model").replace_strict(inside, return_dtype=pl.Boolean)
    )
    return results.with_frames({STANDING: rows})


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ((False, False, True), "c is best."),
        ((False, True, True), "c looks best but is not shown to beat b; a is ruled out."),
        ((True, True, True), "c looks best but no model can be ruled out as best."),
        ((None, True, True), "c looks best but no model can be ruled out as best."),
        ((False, True, None), "c looks best but is not shown to beat b; a is ruled out."),
    ],
)
def test_the_models_that_may_be_the_best_are_the_headline(inside, said):
    results = simulate(World(models=("a", "b", "c"), primary=AUC, step=1.0, strength=1.0, pictures=False))
    results = standing(results, **dict(zip("abc", inside, strict=True)))
    assert re.sub(r" \(0\.\d+\)", "", compose(results).headline) == said
    bold = [row[0].text for row in table(compose(results), "summary").rows if any(cell.bold for cell in row)]
    assert bold == (["c"] if said == "c is best." else [])


def test_many_models_are_counted():
    results = simulate(World(models=tuple(f"m{n}" for n in range(9)), step=0.0, pictures=False))
    inside = {f"m{n}": n > 2 for n in range(9)}
    first = views(results)[0].ranked[0]
    said = compose(standing(results, **{**inside, first: True})).headline
    assert re.fullmatch(
        r"(Six|Seven) of nine models may be best, led by m\d \([\d.]+%\); the other \w+ are ruled out\.", said
    )


def test_two_models_without_a_baseline_have_one_test():
    results = simulate(World(models=("a", "b"), step=0.02, n_target=40, n_nontarget=40))
    said = compose(results)
    looks = r"([ab]) looks best \([\d.]+%\) but is not shown to beat (?!\1)[ab] \([\d.]+%\)\."
    assert re.fullmatch(looks, said.headline)
    (row,) = primary_rows(views(results)[0])
    # Its two-sided p stands with the difference, in the table and in the full text; no other p does.
    p = numbers.equation(row.p_value)
    assert re.search(
        rf"[ab] is .* (?:lower|higher) than [ab] \(95% CI .*, {re.escape(p)}\)\.$", said.answer[1]
    )
    assert [m.group() for m in re.finditer(r"p [=<] [.\d]+", " ".join(said.answer))] == [p]
    assert f"The two-sided p-value of their difference is {numbers.p_value(row.p_value)} (" in verdict(
        results
    )
    assert "Ruled out as best if p ≤ .05 (two-sided, of the difference)." in table(said, "summary").notes


def test_an_interval_that_seems_to_say_something_else_is_explained():
    results = simulate(World(models=("a", "b"), step=1.0, strength=1.0, pictures=False))
    asked = (pl.col("measure") == "hter") & (pl.col("criterion") == "min_hter")
    wide = results.frame(COMPARISONS).with_columns(
        ci_low=pl.when(asked).then(-0.5).otherwise("ci_low"),
        ci_high=pl.when(asked).then(0.5).otherwise("ci_high"),
    )
    said = compose(results.with_frames({COMPARISONS: wide}))
    assert said.headline == "b is best."
    assert said.answer[-1].endswith("the test decides (p < .001); the two rest on different methods.")
    notes = table(said, "summary").notes
    assert [note for note in notes if note in said.answer[-1]]
    assert "includes 0" not in verdict(results)


def test_a_measure_without_thresholds_has_no_percentage_points():
    text = verdict(simulate(World(primary=AUC, step=1.0)))
    assert re.match(r"TC2 is best\. Its area under the ROC curve \(AUC\) on the test set is 0\.\d+ \(", text)
    assert "fixed" not in text
    assert "points" not in text
    assert re.search(r"TC1 is 0\.\d+ lower than TC2 \(95% CI 0\.\d+ to 0\.\d+ lower, p", text)


def test_a_single_model_is_reported_alone():
    said = compose(simulate(World(models=("only",))))
    assert re.fullmatch(r"only: HTER [\d.]+%\.", said.headline)
    assert re.fullmatch(
        r"Its half total error rate \(HTER\) on the test set is [\d.]+% \(95% CI [\d.]+ to [\d.]+\), at thresholds"
        r" set on the development set \(minimum HTER\)\.",
        *said.answer,
    )
    for text in all_texts(table(said, "summary")):
        assert "best" not in text.replace("lower is better", "")


def test_equal_models_are_tied_and_identical_ones_said_to_be():
    results = simulate(World(models=("a", "b"), same_scores=True))
    said = compose(results)
    assert re.fullmatch(r"a and b are tied at HTER [\d.]+%\.", said.headline)
    assert not [line for line in said.answer if "identical" in line]
    alike = results.frame(COMPARISONS).with_columns(flags=pl.lit(["identical_decisions"]))
    assert (
        compose(results.with_frames({COMPARISONS: alike})).answer[0] == "They decide every trial identically."
    )


def test_those_behind_a_tie_are_named():
    results = simulate(World(models=("a", "b", "c"), pictures=False, step=1.0))
    value = max(primary_values(results).values())
    for last, said in ((False, "; c is ruled out"), (True, "; no model can be ruled out as best")):
        metrics = results.frame(METRICS).with_columns(
            value=pl.when(pl.col("model") == "c").then(value + 0.1).otherwise(value)
        )
        tied = standing(results.with_frames({METRICS: metrics}), a=True, b=True, c=last)
        assert re.fullmatch(rf"a and b are tied at HTER [\d.]+%{said}\.", compose(tied).headline)


def test_datasets_get_one_verdict_each_in_text_order():
    text = verdict(simulate(World(datasets=("vox-O", "vox-H"))))
    assert [m.group(1) for m in re.finditer(r"On (vox-\w): TC\d (?:is|looks) best", text)] == [
        "vox-H",
        "vox-O",
    ]
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
    best = f"b has the {primary.best} {primary.label}"
    assert text.startswith(f"{best} on these trials; the models were not compared.")
    assert f"The {primary.label} of a is undefined: the set or group has no targets." in text
    nothing = results.frame(METRICS).with_columns(
        value=pl.lit(None, pl.Float64), status=pl.lit("no_nontargets")
    )
    text = verdict(results.with_frames({METRICS: nothing}))
    assert (
        f"{primary.label} is undefined for every model. The reason: the set or group has no non-targets."
        in text
    )
    compose(results.with_frames({METRICS: nothing}))


def test_equal_values_that_are_not_compared_have_no_single_leader():
    results = simulate(World(primary=AUC, models=("a", "b")))
    metrics = results.frame(METRICS).with_columns(value=pl.lit(1.0))
    nothing = dict.fromkeys(
        ("difference", "ci_low", "ci_high", "p_value", "p_adjusted"), pl.lit(None, pl.Float64)
    )
    rows = results.frame(COMPARISONS).with_columns(**nothing, status=pl.lit("degenerate"))
    text = verdict(results.with_frames({METRICS: metrics, COMPARISONS: rows, STANDING: STANDING.empty}))
    assert re.match(
        r"(a and b|b and a) have the highest AUC on these trials; the models were not compared\. Their ", text
    )


def test_without_trial_keys_models_are_not_compared():
    results = simulate(World())
    undefined = {
        name: pl.lit(None, pl.Float64)
        for name in ("difference", "ci_low", "ci_high", "p_value", "p_adjusted")
    }
    rows = results.frame(COMPARISONS).with_columns(**undefined, status=pl.lit("no_trial_key"))
    said = compose(results.with_frames({COMPARISONS: rows, STANDING: STANDING.empty}))
    assert re.fullmatch(
        r"TC\d has the lowest HTER on these trials; the models were not compared\.", said.headline
    )
    snapshot("answer/verdict_without_trial_keys_models_are_not_compared", said.answer[-1])
    assert [column.title for column in table(said, "summary").columns] == [
        "model",
        "",
        "HTER",
        "false alarms + misses",
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_pass_unchanged_as_plain_text(name):
    results = simulate(World(models=("k1", "k2"), names={"k2": name}, step=1.5, baseline="k1"))
    report = compose(results)
    assert report.headline.startswith(f"{name} is better than the baseline k1 (")
    assert f" {name} has the lowest" in report.verdict
    assert name in [cell.text for cell in column(table(report, "summary"), "model")]
    assert any(name in text for text in all_texts(report.sections[1]))


def test_equal_printed_names_are_told_apart_by_their_keys():
    results = simulate(World(models=("k1", "k2"), names={"k1": "same", "k2": "same"}, step=1.0))
    assert verdict(results).startswith("same (k2) is best.")


def test_few_clusters_are_said_in_the_same_sentence():
    results = simulate(World(models=("TC1", "TC2"), baseline="TC1", step=0.8, cluster="speaker"))
    assert "only" not in verdict(results)
    flagged = results.frame(COMPARISONS).with_columns(
        flags=pl.lit(["few_clusters"]), n_units=pl.lit(4, pl.Int64)
    )
    few = results.with_frames({COMPARISONS: flagged})
    assert "(only 4 speakers: CI and p-value are approximate)." in verdict(few)
    sizes = few.frame(TRIALS).with_columns(
        n_clusters=pl.lit(4, pl.Int64), effective_clusters=pl.lit(1.6), largest_cluster=pl.lit(0.75)
    )
    unequal = "4 speakers count as 1.6 of equal size, and the largest has 75% of the trials of a class"
    assert f"({unequal}: CI and p-value are approximate)." in verdict(few.with_frames({TRIALS: sizes}))


def test_measures_at_their_own_best_cut_are_marked_a_posteriori():
    optimised = {EER_ROCCH: True, AUC: False}
    optimised |= {MEASURES[name]: True for name in ("ks", "max_f1", "mindcf")}
    # Nothing is optimised where a rate, or the number of the highest scores, is fixed.
    fixed = ("frr_at_far", "sensitivity_at", "zero_fmr", "eer_interp", "precision_at", "lift_at", "recall_at")
    optimised |= {MEASURES[name]: False for name in fixed}
    for measure, marked in optimised.items():
        text = verdict(simulate(World(primary=measure)))
        assert ("at the best threshold of the test set itself (optimistic)" in text) == marked


def test_where_a_value_is_ideal_the_nearest_to_it_leads():
    slope = MEASURES["calibration_slope"]
    assert [slope.loss(v) for v in (0.265, 0.571, 1.2)] == pytest.approx([0.735, 0.429, 0.2])
    assert slope.best == "nearest to 1"
    assert MEASURES["auc"].loss(0.9) < MEASURES["auc"].loss(0.8)
    assert MEASURES["hter"].loss(0.1) < MEASURES["hter"].loss(0.2)
