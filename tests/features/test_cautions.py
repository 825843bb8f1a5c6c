"""Cautions: what, how bad, what follows; the gravest first, of the primary question, each once."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from build import build
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.engine.study import Primary, ThresholdPlan
from reporting.core.measures.calibration import CLLR
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import FAR, FRR, HTER
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.frames.trials import TRIALS
from reporting.document.words.codes import FLAGS
from reporting.document.words.view import views
from reporting.features.catalogue import CURVES
from reporting.features.cautions import cautions
from reporting.features.drift.frame import DRIFT

pytestmark = pytest.mark.usefixtures("undrawn")

FIVE = tuple(f"TC{number}" for number in range(1, 6))
CLUSTERED = World(models=FIVE, cluster="speaker")
AT_THRESHOLDS = pl.col("false_alarms").is_not_null()


def plain(world=CLUSTERED):
    """Results without few errors."""
    return changed(simulate(world), METRICS, AT_THRESHOLDS, false_alarms=100, misses=100)


def raised(results):
    return [caution for view in views(results) for caution in cautions(view)]


def titled(results, title):
    found = [caution for caution in raised(results) if caution.title == title]
    assert len(found) <= 1, found
    return found[0] if found else None


def with_flag(results, contract, flag, where):
    frame = results.frame(contract)
    flags = pl.when(where).then(pl.lit([flag], pl.List(pl.String))).otherwise("flags")
    return results.with_frames({contract: frame.with_columns(flags=flags)})


def changed(results, contract, where, **columns):
    frame = results.frame(contract)
    values = {
        name: pl.when(where).then(pl.lit(value, frame.schema[name])).otherwise(name)
        for name, value in columns.items()
    }
    return results.with_frames({contract: frame.with_columns(**values)})


def asked(results, **fields):
    return dataclasses.replace(results, study=dataclasses.replace(results.study, **fields))


def test_a_plain_report_of_clusters_has_no_cautions():
    assert raised(plain()) == []


def test_every_caution_has_a_title_and_sentences():
    results = simulate(World(models=FIVE, decimals=0))
    for flag in FLAGS:
        for contract in (METRICS, COMPARISONS):
            for caution in raised(with_flag(results, contract, flag, pl.lit(value=True))):
                for text in (caution.title, caution.text):
                    assert text[0].isupper()
                    assert text[-1] == "."
                    assert "{" not in text


ON_TC2 = (pl.col("model") == "TC2") & (pl.col("split") == "test")
PRIMARY = ON_TC2 & (pl.col("measure") == "hter") & (pl.col("criterion") == "min_hter")


@pytest.mark.parametrize(
    ("flag", "title", "text", "grave"),
    [
        (
            "tiny_dev",
            "Little development data.",
            "The development set has fewer than 10 trials of a class for TC2, so the chosen thresholds are"
            " imprecise.",
            True,
        ),
        (
            "tied_cut",
            "Tied thresholds.",
            "For TC2 several thresholds were equally good on the development set; the tie-breaking rule decided.",
            False,
        ),
        (
            "few_clusters",
            "Few clusters.",
            "There are only 50 speakers, so bootstrap intervals and p-values are approximate.",
            True,
        ),
        (
            "redrawn_empty_class",
            "Small classes.",
            "A resample could miss a class entirely; such resamples were redrawn, or sampling was stratified"
            " by class.",
            False,
        ),
    ],
)
def test_flags_of_values_become_one_caution_of_the_primary_question(flag, title, text, grave):
    results = changed(plain(), METRICS, pl.lit(value=True), n_units=50)
    caution = titled(with_flag(results, METRICS, flag, PRIMARY), title)
    assert (caution.text, caution.grave) == (text, grave)
    everywhere = titled(with_flag(results, METRICS, flag, pl.lit(value=True)), title)
    assert everywhere.text == text.replace("for TC2", "for all models").replace("For TC2", "For all models")
    elsewhere = titled(with_flag(results, METRICS, flag, ON_TC2 & (pl.col("measure") == "auc")), title)
    assert elsewhere is not None
    assert not elsewhere.grave


@pytest.mark.parametrize(
    ("flag", "title", "text", "grave"),
    [
        (
            "identical_decisions",
            "Identical decisions.",
            "TC2 and TC1 make identical decisions (or rankings) on every trial, so their difference on these is"
            " exactly zero; its CI shows how far they may differ on others.",
            True,
        ),
        (
            "few_discordant",
            "Few disagreements.",
            "TC2 and TC1 disagree on fewer than 10 targets or non-targets; tests of their difference are"
            " approximate.",
            False,
        ),
        (
            "ci_p_disagree",
            "CI and p-value disagree.",
            "For TC2 and TC1 the CI and the p-value disagree about zero: a borderline result.",
            True,
        ),
    ],
)
def test_flags_of_comparisons_name_the_pair_and_count_other_measures(flag, title, text, grave):
    results = simulate(World(models=FIVE, baseline="TC1", cluster="speaker"))
    of_pair = pl.col("model") == "TC2"
    hter = of_pair & (pl.col("measure") == "hter")
    first = titled(with_flag(results, COMPARISONS, flag, hter), title)
    assert (first.text, first.grave) == (text, grave)
    also = titled(with_flag(results, COMPARISONS, flag, of_pair), title)
    assert also.text.startswith(text + " This also holds for ")
    assert also.text.endswith(" other measures.")
    only = titled(with_flag(results, COMPARISONS, flag, of_pair & (pl.col("measure") == "auc")), title)
    assert (only.text, only.grave) == (text + " This concerns AUC only.", False)


def test_several_pairs_are_named_and_many_are_counted():
    results = simulate(World(models=FIVE, baseline="TC1", cluster="speaker"))
    hter = pl.col("measure") == "hter"
    two = titled(
        with_flag(results, COMPARISONS, "few_discordant", hter & pl.col("model").is_in(["TC2", "TC3"])),
        "Few disagreements.",
    )
    assert two.text.startswith("2 pairs (TC2 and TC1; TC3 and TC1) disagree on")
    every = titled(with_flag(results, COMPARISONS, "few_discordant", hter), "Few disagreements.")
    assert every.text.startswith("All 4 pairs disagree on")


def few(results, **errors):
    """Results in which TC2 makes so many errors at the primary threshold."""
    return changed(results, METRICS, ON_TC2 & (pl.col("criterion") == "min_hter"), **errors)


def test_few_errors_are_counted_with_their_rate_and_interval():
    results = plain()
    assert titled(results, "Few errors.") is None
    caution = titled(few(results, false_alarms=3), "Few errors.")
    (row,) = (row for row in views(results)[0].metrics if _is(row, FAR))
    printed = views(results)[0].printing(FAR)
    value, span = printed.value_with_unit(row.value), printed.span(row.ci_low, row.ci_high)
    assert caution.text == (
        f"The false acceptance rate (FAR) of TC2 rests on only 3 false alarms ({value}, 95% CI {span})."
        " With fewer than 30 errors a rate can easily be off by a third or more."
    )
    assert caution.grave
    one = titled(few(results, false_alarms=1, misses=12), "Few errors.")
    assert "on only 1 false alarm (" in one.text
    assert "; also few errors: TC2 (12 misses)." in one.text


def _is(row, measure):
    there = "TC2", "test", str(measure), "min_hter"
    return (row.model, row.split, row.measure, row.criterion) == there


def test_few_errors_of_models_by_rank_and_at_other_thresholds_are_counted():
    results = plain()
    assert views(results)[0].ranked[:2] == ["TC5", "TC4"]
    many = changed(results, METRICS, pl.col("criterion") == "min_hter", false_alarms=29, misses=30)
    text = titled(many, "Few errors.").text
    assert text.startswith("The false acceptance rate (FAR) of TC5 rests on only 29 false alarms (")
    assert (
        "; also few errors: TC4 (29 false alarms), TC3 (29 false alarms), TC2 (29 false alarms) and 1 more."
        in text
    )
    elsewhere = changed(few(results, misses=7), METRICS, ON_TC2 & (pl.col("criterion") == "eer"), misses=9)
    assert titled(elsewhere, "Few errors.").text.endswith(
        " Also few errors: TC2 (9 misses) at thresholds set on the development set (EER)."
    )
    alone = changed(results, METRICS, ON_TC2 & (pl.col("criterion") == "eer"), misses=9)
    assert titled(alone, "Few errors.") is None


def test_a_kind_of_error_that_the_primary_measure_does_not_count_is_left_out():
    results = few(plain(), false_alarms=3, misses=100)
    of_frr = asked(results, primary=dataclasses.replace(results.study.primary, measure=FRR))
    assert titled(of_frr, "Few errors.") is None


def test_no_error_at_all_is_a_bound_not_few_errors():
    results = few(plain(), false_alarms=0)
    assert titled(results, "Few errors.") is None
    # 1 - .05^(1/50)
    row = results.frame(METRICS).filter(ON_TC2, split="test", measure="far", criterion="min_hter")
    assert titled(results, "No errors.").text == (
        "At the chosen threshold TC2 makes no false alarm among 700 non-targets; the true rate may still be as"
        f" high as {100 * row['ci_high'][0]:.2f}% (95% CI), or as high as 5.82% if errors come from few speakers"
        " (one-sided 95% bound for 50 speakers)."
    )
    # 1 - .05^(1/700)
    alone = results.with_frames({METRICS: results.frame(METRICS).with_columns(unit=pl.lit("trial"))})
    assert titled(alone, "No errors.").text.endswith(
        " as high as 0.43% (one-sided 95% bound, for independent trials)."
    )
    medical = asked(results, vocabulary="medical")
    assert "no false positive among 700 patients without the condition;" in titled(medical, "No errors.").text


def test_only_the_auc_speaks_of_chance():
    """A partial area of .49 called an AUC of .61 worse than chance."""
    results = plain()
    partial = with_flag(results, METRICS, "below_chance", ON_TC2 & (pl.col("measure") != "auc"))
    assert titled(partial, "Worse than chance.") is None
    below = changed(
        results, METRICS, ON_TC2 & (pl.col("measure") == "auc"), value=0.38, ci_low=0.3, ci_high=0.45
    )
    caution = titled(below, "Worse than chance.")
    assert caution.text.startswith("TC2 (AUC 0.38")
    assert caution.text.endswith(
        ") ranks worse than chance. Scores were not inverted: if lower ones favour a target, give the model 'higher_is: nontarget' under models; or they are the column of the other class."
    )
    assert not caution.grave
    first = changed(results, METRICS, (pl.col("model") == "TC5") & (pl.col("measure") == "auc"), value=0.38)
    assert titled(first, "Worse than chance.").grave


def test_without_an_auc_the_roc_tells_reversed_scores():
    """Reversed polarity, told by the ROC where the AUC was not asked for."""
    results = simulate(World(strength=-2.0, step=0.0, measures=(FAR, FRR, HTER), cluster="speaker"))
    assert "auc" not in set(results.frame(METRICS)["measure"])
    caution = raised(results)[0]
    assert caution.title == "Worse than chance."
    assert caution.grave
    asked_for = simulate(World(strength=-2.0, step=0.0, measures=(FAR, FRR, HTER, AUC), cluster="speaker"))
    assert titled(asked_for, caution.title).text[:9] == caution.text[:9]
    bare = results.with_frames({ROC: results.frame(ROC).clear()})
    assert titled(bare, "Worse than chance.") is None


def test_constant_scores():
    results = changed(plain(), TRIALS, ON_TC2, n_distinct=1)
    caution = titled(results, "Constant scores.")
    assert caution.grave
    snapshot("features/cautions_constant_scores", caution.text)


def of_scores(folder, score, n=40, keys=""):
    """Two models on n trials, a quarter of them targets; the second has the scores."""
    rows = [
        {"model": model, "split": split, "trial": f"{split}{i}", "label": i % 4 == 0, "score": float(value)}
        for split in ("dev", "test")
        for i in range(n)
        for model, value in (("first", (i * 7) % n + 9 * (i % 4 == 0)), ("second", score(i)))
    ]
    return build(folder, rows, f"epc: none\n{keys}").results


def test_decisions_instead_of_scores(tmp_path):
    found = titled(of_scores(tmp_path, lambda i: i % 3 == 0), "Decisions instead of scores.")
    assert found.text.startswith("The test scores of second have two values only, as decisions have.")
    assert (found.grave, found.code) == (True, "TR323")


@pytest.mark.parametrize("higher_is", ["target", "nontarget"])
def test_a_fixed_threshold_on_another_scale(tmp_path, higher_is):
    keys = f"primary: {{measure: hter, criterion: fixed(threshold=10)}}\nmodels: {{second: {{higher_is: {higher_is}}}}}\n"
    found = titled(of_scores(tmp_path, lambda i: 100 + i % 17, keys=keys), "Threshold outside the scores.")
    snapshot("features/cautions_a_fixed_threshold_on_another_scale", found.text)
    assert (found.grave, found.code) == (True, "TR331")
    within = of_scores(tmp_path, lambda i: i % 17, keys=keys)
    assert titled(within, "Threshold outside the scores.") is None


@pytest.mark.parametrize(("score", "n"), [(lambda i: i % 3, 40), (lambda i: i % 2, 8), (lambda i: 0, 40)])
def test_three_scores_few_trials_and_constant_scores_are_no_decisions(tmp_path, score, n):
    assert titled(of_scores(tmp_path, score, n), "Decisions instead of scores.") is None


@pytest.mark.parametrize(
    ("primary", "best"),
    [
        ("{measure: f1}", "best(measure=f1)"),
        ("{measure: 'dcf(p_target=0.01)'}", "best(measure=dcf(p_target=0.01))"),
        ("{measure: f1, criterion: min_hter}", None),
        ("{measure: f1, criterion: best(measure=f1)}", None),
        ("{measure: hter}", None),
        ("{measure: youden}", None),
        ("{measure: precision}", None),
        ("{measure: auc}", None),
    ],
)
def test_a_measure_at_the_thresholds_of_another_for_want_of_a_criterion(tmp_path, primary, best):
    results = of_scores(tmp_path, lambda i: (i * 11) % 40, keys=f"primary: {primary}\n")
    found = titled(results, "No criterion named.")
    assert (found is not None) is (best is not None)
    if best:
        assert found.grave
        assert f"criterion: '{best}'" in found.text


def by_hand(i):
    """10 targets at 10, one of them at 1; 30 non-targets at 0, two of them at 5."""
    return (1 if i == 4 else 10) if i % 4 == 0 else 5 if i in (1, 2) else 0


@pytest.mark.parametrize(
    ("keys", "texts", "grave"),
    [
        (
            "measures: [eer]\nprimary: {measure: 'mindcf(p_target=0.5)'}\n",
            ["rests on few errors", "second (2 false alarms and 0 misses)"],
            True,
        ),
        # The edge of the hull from (0, 1/10) to (2/30, 0) meets FAR = FRR at .04: 1.2 of 30 and .4 of 10.
        (
            "primary: {measure: eer}\n",
            ["EER rests on few errors", "second (1 false alarm and 0 misses)"],
            True,
        ),
        ("measures: [eer]\nprimary: {measure: auc}\n", ["EER rests on few errors"], False),
    ],
)
def test_few_errors_at_the_cut_of_a_measure_itself(tmp_path, keys, texts, grave):
    """At 1 both kinds cost least: FRR 0, FAR 2/30."""
    found = titled(of_scores(tmp_path, by_hand, keys=keys), "Few errors.")
    assert found.grave is grave
    assert "on the test set, at its own threshold" in found.text
    for text in texts:
        assert text in found.text


def test_thirty_errors_are_not_few(tmp_path):
    results = of_scores(
        tmp_path, lambda i: (i * 11) % 400, n=400, keys="measures: [eer]\nprimary: {measure: eer}\n"
    )
    rows = [row for row in METRICS.rows(results.frame(METRICS)) if row.split == "test"]
    assert all(row.value > 0.3 and "below_rule_of_30" not in row.flags for row in rows)
    assert titled(results, "Few errors.") is None


def test_likelihood_ratios_that_are_worse_than_none():
    world = dataclasses.replace(CLUSTERED, measures=(FAR, FRR, HTER, AUC))
    results = simulate(world)
    row = results.frame(METRICS).filter(ON_TC2, measure="auc").with_columns(measure=pl.lit(str(CLLR)))

    def said(value, low):
        worse = row.with_columns(
            value=pl.lit(value), ci_low=pl.lit(low, pl.Float64), ci_high=pl.lit(4.0), se=pl.lit(0.1)
        )
        return titled(
            results.with_frames({METRICS: pl.concat([results.frame(METRICS), worse])}),
            "Misleading likelihood ratios.",
        )

    assert said(0.8, 0.7) is None
    assert said(1.1, 0.9) is None
    caution = said(3.2, 2.6)
    assert caution.text.startswith("As log-likelihood ratios the scores of TC2 (Cllr 3.2")
    assert caution.text.endswith(
        "are worse than no scores (Cllr 1). Calibrate them before they are used as such."
    )
    assert said(3.2, None) is not None


def test_folds_that_flip_are_unstable_and_those_that_agree_are_not():
    """The folds of few distinct scores flip between two nearly equal thresholds."""
    results = plain()
    folds = {"folds": 10, "threshold_low": 0.31, "threshold_high": 0.52, "misses": 16, "false_alarms": 20}
    title = "Unstable thresholds."
    assert titled(few(results, **folds, between=6), title) is None
    caution = titled(few(results, **folds, between=45), title)
    assert caution.grave
    snapshot("features/cautions_folds_that_flip_are_unstable_and_those_that_agree_are_not", caution.text)


def test_thresholds_of_folds_do_not_print_alike():
    """1.000 to 1.000 is no span."""
    folds = {"folds": 10, "threshold_low": 0.99999, "threshold_high": 0.999993, "misses": 16}
    caution = titled(few(plain(), **folds, false_alarms=20, between=45), "Unstable thresholds.")
    assert " from 0.999990 to 0.999993; " in caution.text


def test_folds_of_few_distinct_scores_flip_between_equally_good_thresholds(tmp_path):
    """Of 0, 1 and 2 either upper cut errs in 35 % of both classes."""
    rng, rows = np.random.default_rng(5), []
    for i in range(400):
        score = rng.choice(3, p=(0.2, 0.3, 0.5) if i % 2 else (0.5, 0.3, 0.2))
        rows.append({"trial": str(i), "model": "a", "label": bool(i % 2), "score": float(score)})
    config = "measures: [hter]\ncriteria: [min_hter]\nepc: none\nthresholds: {policy: kfold, folds: 10}\n"
    caution = titled(build(tmp_path, rows, config).results, "Unstable thresholds.")
    assert caution.text.startswith("The 10 folds of a chose thresholds from 0.500 to 1.500; ")


def test_independence_is_stated_unless_clusters_are_resampled():
    caution = titled(simulate(World()), "Independence assumed.")
    assert caution.text.startswith("Trials were treated as independent because no cluster column was")
    assert not caution.grave
    clustered = simulate(World(cluster="speaker"))
    trial = dataclasses.replace(clustered.study.inference, unit="trial")
    ignored = titled(asked(clustered, inference=trial), "Independence assumed.")
    assert "although speakers are declared" in ignored.text
    assert ignored.grave


@pytest.mark.parametrize(
    ("cluster", "is_one_side"),
    [("enroll", True), ("enroll_speaker", True), ("test_speaker", True), ("probe", True), ("speaker", False)],
)
def test_a_cluster_of_one_side_of_pair_trials(cluster, is_one_side):
    """Trials that share the other side are no more independent than those of one cluster."""
    caution = titled(simulate(World(models=("a", "b"), cluster=cluster)), "Independence assumed.")
    assert (caution is not None) == is_one_side
    if caution is not None:
        assert f"only one of them ({cluster}) is resampled" in caution.text
        assert caution.text.endswith("Declare both columns as clusters.")


def test_an_empty_class_is_one_caution_naming_models_and_reason():
    results = simulate(dataclasses.replace(CLUSTERED, pictures=False))
    gone = (pl.col("split") == "test") & (pl.col("model") != "TC3") & (pl.col("measure") == "hter")
    lacking = changed(results, METRICS, gone, value=None, status="no_targets")
    caution = titled(lacking, "Undefined values.")
    assert caution.grave
    snapshot("features/cautions_an_empty_class_is_one_caution_naming_models_and_reason", caution.text)
    more = titled(
        changed(lacking, METRICS, ON_TC2 & (pl.col("measure") == "auc"), value=None, status="no_targets"),
        "Undefined values.",
    )
    assert more.text == caution.text + " This also holds for 1 other measure."


def test_different_shares_of_targets_name_both():
    results = changed(simulate(World(cluster="speaker")), TRIALS, pl.col("split") == "test", n_target=30)
    snapshot(
        "features/cautions_different_shares_of_targets_name_both",
        titled(results, "Class shares differ.").text,
    )


def test_groups_of_one_class_are_named():
    results = simulate(World(cluster="speaker", pictures=False))
    groups = [
        results.frame(TRIALS).with_columns(
            group=pl.lit(f"education={name}"),
            group_columns=pl.lit(["education"], pl.List(pl.String)),
            group_values=pl.lit([name], pl.List(pl.String)),
            n_target=pl.lit(n, pl.Int64),
        )
        for name, n in (("PhD", 0), ("BA", 12))
    ]
    found = results.with_frames({TRIALS: pl.concat([results.frame(TRIALS), *groups])})
    snapshot("features/cautions_groups_of_one_class_are_named", titled(found, "Groups of one class.").text)
    of_targets = changed(found, TRIALS, pl.lit(value=True), n_nontarget=0)
    assert "Groups of one class." not in [caution.title for caution in raised(of_targets)], "all are targets"


def test_tuned_on_test_comes_before_few_errors():
    results = few(plain(), false_alarms=3)
    cross = asked(results, thresholds=ThresholdPlan("cv_test"))
    assert [caution.title for caution in raised(cross)] == ["Tuned on test.", "Few errors."]
    oracle = dataclasses.replace(results.study.primary.criterion, oracle=True)
    tuned = asked(results, primary=Primary(HTER, oracle))
    assert raised(tuned)[0].title == "Tuned on test."


def drifted(results, *rates):
    """Results with rows of drift: model, rate, its value on dev and on test, adjusted p."""
    rows = [
        {
            "model": model, "run": "0", "dataset": "all", "split": "test", "group": "", "criterion": "min_hter",
            "rate": rate, "errors_dev": round(700 * dev), "trials_dev": 700, "errors": round(700 * test),
            "trials": 700, "rate_dev": dev, "rate_test": test, "design_effect": 1.0, "p_value": p / 4,
            "p_adjusted": p,
        }
        for model, rate, dev, test, p in rates
    ]  # fmt: skip
    return results.with_frames({DRIFT: DRIFT.build(rows)})


DIFFER = "Development and test differ."
FOLLOWS = "This is more than chance allows, so thresholds set on development need not suit the test set"
RINGS = "; rings in the DET curves show what a matched threshold would give."


def test_drift_names_the_leader_and_what_follows():
    results = plain()
    every = drifted(results, *((m, "frr", 0.2, 0.01, 0.001) for m in FIVE))
    value = {
        split: f"{views(results)[0].metric('TC5', HTER, results.study.primary.criterion, split).value:.4f}"
        for split in ("dev", "test")
    }
    first = raised(every)[0]
    assert (first.title, first.grave) == (DIFFER, True)
    assert value["test"] > value["dev"]
    assert first.text.startswith(
        "At the chosen thresholds error rates on test are not those on development: the false rejection rate"
        " (FRR) is lower for all five models (TC5: 20.00% on development, 1.00% on test). But the HTER of TC5 is"
        " higher on test: "
    )
    assert first.text.endswith(f"{FOLLOWS}{RINGS}")


@pytest.mark.parametrize(
    ("rates", "finding"),
    [
        (
            [("TC2", "far", 0.01, 0.2, 0.01), ("TC5", "far", 0.01, 0.012, 0.9)],
            "is higher for TC2 (1.0% on development, 20.0% on test). But the HTER of TC2 is lower on test: 8.14% on"
            " development, 6.55% on test.",
        ),
        (
            [("TC2", "far", 0.01, 0.2, 0.01), ("TC4", "frr", 0.01, 0.2, 0.01), ("TC1", "frr", 0.1, 0.1, 1.0)],
            "TC2 and TC4 make more errors on test than on development (TC4: ",
        ),
        (
            [("TC2", "far", 0.01, 0.2, 0.01), ("TC2", "frr", 0.2, 0.01, 0.01), ("TC5", "frr", 0.1, 0.1, 1.0)],
            "error rates on test are not those on development: the false acceptance rate (FAR) is higher for TC2 (1.0% on"
            " development, 20.0% on test) and the false rejection rate (FRR) is lower for TC2 (20.0% on development, 1.0% on test).",
        ),
        (
            [
                ("TC2", "far", 0.01, 0.2, 0.01),
                ("TC4", "far", 0.02, 0.3, 0.01),
                ("TC4", "frr", 0.3, 0.1, 0.01),
            ],
            "error rates on test are not those on development: the false acceptance rate (FAR) is higher for TC2 and TC4"
            " (TC4: 2.0% on development, 30.0% on test) and the false rejection rate (FRR) is lower for TC4"
            " (30.0% on development, 10.0% on test).",
        ),
    ],
)
def test_drift_in_one_direction_and_in_both(rates, finding):
    results = plain()
    intervals = results.frame(METRICS).with_columns(
        ci_low=pl.col("value") - 0.005, ci_high=pl.col("value") + 0.005
    )
    caution = titled(drifted(results.with_frames({METRICS: intervals}), *rates), DIFFER)
    text = caution.text.replace("1.00%", "1.0%")
    assert finding in text.replace("0.00%", "0.0%").replace("2.00%", "2.0%"), caution.text


def test_no_drift_without_a_small_adjusted_p_and_no_rings_without_a_picture():
    results = plain()
    assert titled(drifted(results, ("TC5", "far", 0.01, 0.02, 0.06)), DIFFER) is None
    caution = titled(
        asked(drifted(results, ("TC5", "far", 0.01, 0.2, 0.01)), curves=(CURVES["roc"],)), DIFFER
    )
    assert caution.text.endswith(RINGS.replace("DET", "ROC"))
    caution = titled(asked(drifted(results, ("TC5", "far", 0.01, 0.2, 0.01)), curves=()), DIFFER)
    assert caution.text.endswith(f"{FOLLOWS}.")


def test_hostile_names_are_printed_as_they_are():
    name = "{0} <b> $x$ target % false alarms"
    results = plain(dataclasses.replace(CLUSTERED, names={"TC2": name}))
    found = few(results, false_alarms=3)
    assert f"The false acceptance rate (FAR) of {name} rests on only 3" in titled(found, "Few errors.").text
    flagged = with_flag(asked(found, vocabulary="medical"), METRICS, "tied_cut", PRIMARY)
    assert f"For {name} several" in titled(flagged, "Tied thresholds.").text


def test_a_name_at_the_beginning_keeps_its_small_letter():
    world = World(models=("TC1", "TC2"), baseline="TC1", cluster="speaker", names={"TC2": "everything"})
    flagged = with_flag(simulate(world), COMPARISONS, "few_discordant", pl.col("measure") == "hter")
    assert titled(flagged, "Few disagreements.").text.startswith("everything and TC1 disagree on")


@pytest.mark.parametrize(
    ("effective", "largest", "count"),
    [
        (12.4, 0.22, "50 speakers count as 12 of equal size"),
        (
            3.92,
            0.5,
            "50 speakers count as 3.9 of equal size, and the largest has 50% of the trials of a class",
        ),
        (49.2, 0.03, "There are only 50 speakers"),
        (None, None, "There are only 50 speakers"),
    ],
)
def test_few_clusters_are_counted_by_how_unequal_they_are(effective, largest, count):
    results = changed(plain(), METRICS, pl.lit(value=True), n_units=50)
    sizes = {"n_clusters": 50, "effective_clusters": effective, "largest_cluster": largest}
    results = changed(results, TRIALS, pl.lit(value=True), **sizes)
    caution = titled(with_flag(results, METRICS, "few_clusters", PRIMARY), "Few clusters.")
    assert caution.text == f"{count}, so bootstrap intervals and p-values are approximate."


def test_an_item_is_solved_or_not_and_needs_no_score(tmp_path):
    rows = [
        {"model": model, "split": "test", "trial": f"t{i}", "label": True, "score": float(i % every == 0)}
        for i in range(40)
        for model, every in (("first", 2), ("second", 3))
    ]
    keys = "primary: {measure: recall, criterion: fixed(threshold=0.5)}\ncriteria: [fixed(threshold=0.5)]\n"
    keys += "thresholds: {policy: none}\nepc: none\ncurves: []\n"
    assert titled(build(tmp_path, rows, keys).results, "Decisions instead of scores.") is None
