"""The profile for predicted probabilities: its keys, its order, its numbers, its cautions, and what it refuses."""

import json
import re

import numpy as np
import polars as pl
import pytest
from build import build

from reporting.app.config.read import plan_of, read_plan
from reporting.core.measures.catalogue import MEASURES
from reporting.document.blocks import Figure, Prose, Section, Table
from reporting.document.words.view import views
from reporting.errors import ConfigError
from reporting.features.calibration_and_benefit.core_set import core_set
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
)
from reporting.features.cautions import cautions
from reporting.features.compose import compose
from reporting.features.operating_points.other_measures import other_measures
from reporting.features.pictures import curve_figures
from reporting.render.formats import render_all

MODELS = "models: {A: {scale: probability}, B: {scale: probability}}\n"
STRATOS = "profile: stratos\nthresholds: {policy: none}\n" + MODELS
FULL = "significance.replicates=199"


def rows(models="AB", n=120):
    rng = np.random.default_rng(7)
    odds = rng.normal(-1, 1.2, n)
    label = rng.random(n) < 1 / (1 + np.exp(-odds))
    label[:2] = True, False
    stated = {
        model: 1 / (1 + np.exp(-odds - rng.normal(0, 0.4 + number, n))) for number, model in enumerate(models)
    }
    return [
        {"trial": f"t{k}", "model": model, "label": int(label[k]), "score": round(float(p[k]), 4)}
        for model, p in stated.items()
        for k in range(n)
    ]


def results_of(tmp_path, text=STRATOS, *overrides, models="AB"):
    return build(tmp_path, rows(models), text, FULL, *overrides).results


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("stratos"))


def flat(section):
    for block in section.blocks:
        if isinstance(block, Section):
            yield from flat(block)
        else:
            yield block


@pytest.fixture
def plan(tmp_path):
    """Return the plan of some keys, about a table that is there."""
    (tmp_path / "trials.csv").touch()

    def made(trials=None, **keys):
        source = {"source": str(tmp_path / "trials.csv")}
        return plan_of({"trials": source | (trials or {}), **keys}, str(tmp_path / "report.yaml"))

    return made


ONE = {"A": {"scale": "probability"}}


def test_keys_that_are_left_out_are_filled_in(plan):
    study = plan(profile="stratos", models=ONE | {"B": {"scale": "logit"}}).study
    assert (str(study.primary.measure), study.criteria, study.epc) == ("auc", (), None)
    assert [curve.key for curve in study.curves[:2]] == ["calibration", "decision"]
    assert study.draws("benefit_difference")
    assert study.vocabulary == "medical"
    assert study.sections == ("summary", "core-set", "rest")
    assert {"ici", "calibration_slope", "brier"} <= {measure.key for measure in study.measures}


def test_what_the_config_names_stays_as_it_is(plan):
    named = plan(
        profile="stratos",
        models=ONE,
        measures=["auc", "brier"],
        curves=["decision"],
        report={"vocabulary": "ml", "sections": ["summary", "rest"]},
    )
    assert [measure.key for measure in named.study.measures] == ["auc", "brier"]
    assert [curve.key for curve in named.study.curves] == ["decision"]
    assert (named.report.vocabulary, named.report.sections) == ("ml", ("summary", "rest"))
    empty = plan(profile="stratos", models=ONE, measures=None, report={"vocabulary": None})
    assert empty.study == plan(profile="stratos", models=ONE).study


def test_no_threshold_is_chosen_unless_the_config_asks_for_one(plan):
    assert plan(profile="stratos", models=ONE).study.thresholds.policy == "none"
    for keys in (
        {"criteria": ["min_hter"]},
        {"thresholds": {"ties": "balanced"}},
        {"primary": {"measure": "hter"}},
    ):
        assert plan(profile="stratos", models=ONE, **keys).study.thresholds.policy == "dev", keys


def test_one_model_has_no_difference_to_draw(plan):
    assert not plan(profile="stratos", models=ONE).study.draws("benefit_difference")


def test_what_is_resolved_gives_the_same_plan_and_plain_configs_know_no_profile(plan, tmp_path):
    first = plan(profile="stratos", models=ONE)
    again = plan_of(first.resolved, str(tmp_path / "report.yaml"))
    assert again.study == first.study
    assert again.resolved == first.resolved
    assert "profile" not in plan(models=ONE).resolved


def test_the_order_is_that_of_the_guidance(results):
    section = core_set(results)
    assert isinstance(section.blocks[0], Prose)
    parts = [block for block in section.blocks if isinstance(block, Section)]
    assert [part.title for part in parts] == [
        "Discrimination", "Calibration", "Clinical utility", "Predicted probabilities by outcome",
    ]  # fmt: skip
    names = [block.name for block in flat(section) if isinstance(block, (Figure, Table))]
    assert names == [
        "core_discrimination", "calibration", "core_calibration", "decision", "benefit_difference",
        "core_net_benefit", "risk_distribution_m1", "risk_distribution_m2",
    ]  # fmt: skip
    assert not any(block.folded for block in flat(section) if isinstance(block, (Figure, Table)))


def test_nothing_is_shown_twice(results):
    drawn = {block.name for block in flat(curve_figures(results)) if isinstance(block, Figure)}
    assert drawn == {"standardised_benefit"}
    titles = {
        column.title
        for block in flat(other_measures(results))
        if isinstance(block, Table)
        for column in block.columns
    }
    assert titles & {"ICI", "calibration slope", "AUC"} == set()


def test_benefits_are_those_of_the_frames(results):
    (view,) = views(results)
    (table,) = (
        block for block in flat(core_set(results)) if getattr(block, "name", "") == "core_net_benefit"
    )
    first, second = view.finalists
    titles = [column.title for column in table.columns]
    assert titles == ["threshold probability", "treat all", *view.ranked, f"{first} − {second}"]
    at = {row[0].text: [cell.order for cell in row[1:]] for row in table.rows}
    assert list(at) == ["5%", "10%", "20%", "30%", "50%"]
    plain = results.frame(NET_BENEFIT).filter(~pl.col("standardised"), probability=0.2)
    values = dict(plain.select("model", "net_benefit").iter_rows())
    expected = [plain["treat_all"][0], *(values[m] for m in view.ranked), values[first] - values[second]]
    assert at["20%"] == pytest.approx([100 * value for value in expected], abs=1e-9)
    (pair,) = (
        results.frame(NET_BENEFIT_DIFFERENCES).filter(~pl.col("standardised"), probability=0.2).to_dicts()
    )
    assert abs(at["20%"][-1]) == pytest.approx(100 * abs(pair["difference"]), abs=1e-9)


def texts(results):
    return [each.text for each in cautions(views(results)[0]) if each.code == "TR328"]


def test_improper_measures_are_named(results, tmp_path):
    assert texts(results) == []
    keys = (
        STRATOS
        + 'measures: [auc, f1, accuracy, ap_dg, net_benefit, brier]\ncriteria: ["fixed(threshold=0.2)"]\n'
    )
    classified, areas = sorted(texts(results_of(tmp_path / "with", keys)), key=lambda text: "area" in text)
    assert classified.startswith(
        "F1 and accuracy are improper at thresholds other than 50% or the prevalence"
    )
    assert "is an area in which" in areas
    without = keys.replace("profile: stratos\n", "primary: {measure: auc}\n")
    assert texts(results_of(tmp_path / "without", without)) == []


def test_a_primary_measure_that_is_improper_is_a_grave_caution(tmp_path):
    keys = STRATOS + "primary: {measure: accuracy, criterion: fixed(threshold=0.2)}\n"
    found = [c for c in cautions(views(results_of(tmp_path, keys))[0]) if c.code == "TR328"]
    assert [caution.grave for caution in found] == [True]


def test_no_thresholds_are_missed(results):
    assert not any("thresholds" in each.text for each in cautions(views(results)[0]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "profile: strato\n" + MODELS,
            "'strato' is not allowed; did you mean 'stratos'? (allowed: stratos, readers,",
        ),
        ("profile: [stratos]\n" + MODELS, "'release', found a list"),
        (
            "profile: stratos\n",
            "name the models that state them, such as models: {NAME: {scale: probability}}",
        ),
        (
            "profile: stratos\nmodels: {A: {}, B: {scale: llr}, C: {scale: logit}}\n",
            "models without: 'A', 'B'; declare their scale, such as models: {NAME: {scale: probability}}"
            " (likelihood ratios become probabilities by trials.prevalence)",
        ),
        ("profile: stratos\nmodels: {A: {scale: chance}}\n", "models.A.scale"),
        ("profile: stratos\nmodels: 3\n", "models"),
        ("profile: stratos\nreport: 3\n" + MODELS, "report"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    config = tmp_path / "report.yaml"
    (tmp_path / "trials.csv").touch()
    config.write_text("trials: {source: trials.csv}\n" + text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read_plan(config)
    assert message in str(refused.value)


def test_likelihood_ratios_with_a_declared_share_are_probabilities(plan):
    of_ratios = {"A": {"scale": "llr"}}
    assert plan(trials={"prevalence": 0.1}, profile="stratos", models=of_ratios).study.profile == "stratos"


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_and_one_model_say_what_is_missing(tmp_path, label):
    one = [row | {"label": label} for row in rows("A")]
    text = STRATOS.replace(", B: {scale: probability}", "")
    section = core_set(build(tmp_path, one, text, FULL).results)
    why = [block.text for block in flat(section) if isinstance(block, Prose)]
    assert any(text.startswith("The calibration curve needs patients") for text in why), why
    assert not any(block.name == "core_net_benefit" for block in flat(section) if isinstance(block, Table))


def test_hostile_names_are_text_in_every_format(tmp_path):
    names = {"A": "<script>alert(1)</script>", "B": r"a_b % & # $ ^ ~ \ { } \input{/etc/passwd}"}
    models = ", ".join(
        f"{key}: {{scale: probability, name: {json.dumps(name)}}}" for key, name in names.items()
    )
    text = STRATOS.replace(MODELS, f"models: {{{models}}}\n")
    made = results_of(tmp_path, text)
    files = render_all(compose(made), made.provenance, ("html", "latex", "json"), interactive=True)
    page = files["report.html"].decode()
    assert page.count("<script>") == 1
    assert "alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert r"\input{/etc" not in files["report.tex"].decode()


def test_calibration_and_net_benefit_have_a_sentence_each(results):
    report = compose(results)
    (calibration,), (judged, benefit) = report.lead, report.below
    (view,) = views(results)
    for model in view.ranked:
        limits = [view.metric(model, MEASURES[key], None) for key in ("oe_ratio", "calibration_slope")]
        off = any(row.ci_low is not None and not row.ci_low <= 1 <= row.ci_high for row in limits)
        assert (model in calibration.removeprefix("Miscalibrated")) == off
    assert benefit.startswith(f"{view.names[view.ranked[0]]} has the highest observed net benefit at ")
    assert judged == "Area under the ROC curve (AUC)."
    assert re.match(r"[AB] (is|looks) best by AUC \(0\.\d+\)", compose(results).headline)
