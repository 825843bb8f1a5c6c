"""A weight for each row: whole numbers in its proportions, and the same report as strata or repeated rows."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from build import build, trials_of
from hypothesis import given
from hypothesis import strategies as st

from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.errors import ConfigError, DataError
from reporting.features.methods.data import stratum_weights
from reporting.inputs.row_weights import rounded_weights
from reporting.inputs.spec import MOST_WEIGHTED

BY_ROW = "trials: {source: trials.parquet, weights: {column: w}}\n"
KEYS = """
criteria: [min_hter, eer]
primary: {measure: hter, criterion: min_hter}
measures: [far, frr, hter, precision, f1, auc, eer_rocch, mindcf, ap_step, brier, cllr]
models: {a: {scale: llr}, b: {scale: llr}}
significance: {replicates: 99}
trials: {source: trials.parquet, prevalence: 0.3}
epc: none
"""


def rows(weights=(1, 2, 3)):
    """Tied scores of two models; weights repeat over trials."""
    rng = np.random.default_rng(4)
    lines = []
    for split in ("dev", "test"):
        for at in range(40):
            label = at % 3 == 0
            w = weights[int(rng.integers(len(weights)))]
            for model, strength in (("a", 1.0), ("b", 1.6)):
                score = round(float(rng.normal(strength * label, 1)) * 2) / 2
                lines.append(
                    {
                        "trial": f"{split}{at:02}",
                        "model": model,
                        "split": split,
                        "label": label,
                        "score": score,
                    }
                    | {"w": w, "speaker": f"s{at % 10}"}
                )
    return lines


def values(built):
    return {
        (row.model, row.split, row.measure, row.criterion): row.value
        for row in built.rows(METRICS)
        if row.value is not None
    }


def config(**trials):
    given = ", ".join(f"{key}: {value}" for key, value in trials.items())
    return KEYS.replace("prevalence: 0.3", f"prevalence: 0.3{', ' * bool(given)}{given}")


def test_by_hand(tmp_path):
    # Targets 3, 1 with weights 2, 1; non-targets 2, 0 with weights 3, 4. From 2 on all are accepted.
    lines = trials_of(
        *("t1 a test 1 3", "t2 a test 1 1", "n1 a test 0 2", "n2 a test 0 0"),
    )
    for line, w in zip(lines, (2, 1, 3, 4), strict=True):
        line["w"] = w / 8  # proportions alone count
    keys = "primary: {measure: hter, criterion: fixed(threshold=2)}\ncriteria: [fixed(threshold=2)]\nthresholds: {policy: none}\n"
    built = build(tmp_path, lines, BY_ROW + keys + "measures: [far, frr, precision, auc]\nepc: none\n")
    found = {measure: value for (_, _, measure, _), value in values(built).items()}
    expected = {"far": Fraction(3, 7), "frr": Fraction(1, 3), "precision": Fraction(2, 5)}
    # Pairs: 2 (3 + 4) of the target with 3, 1 times 4 of that with 1, of 3 times 7.
    expected["auc"] = Fraction(2 * 7 + 4, 21)
    assert {name: found[name] for name in expected} == {name: float(of) for name, of in expected.items()}
    (row,) = [row for row in built.rows(TRIALS) if row.split == "test"]
    assert (row.n_target, row.n_nontarget) == (2, 2)
    assert row.effective_target == float(Fraction(3**2, 2**2 + 1))
    assert row.effective_nontarget == float(Fraction(7**2, 3**2 + 4**2))


def test_equal_weights_change_nothing(tmp_path):
    alike = build(tmp_path / "a", rows((0.7,)), config(weights="{column: w}")).frames
    without = build(tmp_path / "b", rows((0.7,)), config()).frames
    assert alike.keys() == without.keys()
    for name, frame in alike.items():
        assert frame.equals(without[name]), name


def test_the_same_weights_by_stratum_give_the_same_report(tmp_path):
    lines = rows((0.5, 2, 0))
    by_row = build(tmp_path / "a", lines, config(weights="w")).frames
    named = [row | {"stratum": {0.5: "half", 2: "two", 0: "none"}[row["w"]]} for row in lines]
    strata = config(weights="{stratum: {half: 0.5, two: 2, none: 0}}")
    by_stratum = build(tmp_path / "b", named, strata).frames
    for name, frame in by_row.items():
        assert frame.equals(by_stratum[name]), name


def test_whole_weights_are_rows_repeated(tmp_path):
    lines = rows()
    again = [{**row, "trial": f"{row['trial']} {copy}"} for row in lines for copy in range(row["w"])]
    weighted = values(build(tmp_path / "a", lines, config(weights="{column: w}")))
    repeated = values(build(tmp_path / "b", again, config()))
    assert weighted.keys() == repeated.keys()
    for place, value in weighted.items():
        assert value == pytest.approx(repeated[place], rel=1e-12), place


def test_clusters_are_resampled_with_their_weights(tmp_path):
    lines = rows()
    clustered = config(weights="{column: w}", columns="{cluster: speaker}")
    built = build(tmp_path, lines, clustered)
    found = {row.ci_method for row in built.rows(METRICS) if row.measure == "far" and row.ci_method}
    assert found <= {"wilson_effective", "korn_graubard"}
    assert found


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        ("x", "column 'w' (the weight): expected a number of at least 0 in every row, found 'x'"),
        ("-1", "found '-1'"),
        ("nan", "found 'nan'"),
        ("1e999", "found '1e999'"),
        (None, "found 2 rows without one"),
    ],
)
def test_what_is_no_weight_is_refused(tmp_path, weight, text):
    lines = [row | {"w": str(row["w"])} for row in rows()]
    lines[0]["w"] = lines[1]["w"] = weight
    with pytest.raises(DataError) as error:
        _ = build(tmp_path, lines, config(weights="{column: w}")).table
    assert text in str(error.value)


def test_weights_of_0_alone_a_column_that_is_missing_and_models_that_differ_are_refused(tmp_path):
    lines = rows()
    with pytest.raises(DataError, match="all weights are 0"):
        _ = build(tmp_path / "a", [row | {"w": 0} for row in lines], config(weights="{column: w}")).table
    with pytest.raises(DataError, match="column 'v' .the weight. is missing"):
        _ = build(tmp_path / "b", lines, config(weights="{column: v}")).table
    nought = [row | ({"w": 0} if row["split"] == "test" else {}) for row in lines]
    with pytest.raises(DataError, match="no rows in split test: column 'w' .the weight. is 0 in each row"):
        _ = build(tmp_path / "d", nought, config(weights="{column: w}")).counts
    lines[0]["w"] = 9
    with pytest.raises(DataError, match="'w' .the weight."):
        _ = build(tmp_path / "c", lines, config(weights="{column: w}")).counts


@pytest.mark.parametrize(
    ("trials", "text"),
    [
        ({"weights": "{}"}, "or a column with a weight for each row"),
        ({"weights": "{column: w, stratum: {a: 1}}"}, "or a column with a weight for each row"),
        ({"weights": "w", "columns": "{stratum: s}"}, "so columns.stratum has no use"),
    ],
)
def test_a_config_names_strata_or_a_column(tmp_path, trials, text):
    with pytest.raises(ConfigError, match=text):
        build(tmp_path, rows(), config(**trials))


def test_weights_of_many_digits_are_rounded_in_proportion(tmp_path):
    lines = [row | {"w": 1 / 3 if row["w"] == 1 else row["w"] * np.pi} for row in rows()]
    built = build(tmp_path, lines, config(weights="{column: w}"))
    weights = built.table.spec.weights
    total = sum(weights[str(row["w"])] for row in lines if row["model"] == "a" and row["split"] == "test")
    assert total <= MOST_WEIGHTED
    ratios = [weights[text] / float(text) for text in weights]
    assert max(ratios) / min(ratios) - 1 < 1e-7


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=8, unique=True), st.floats(1e-3, 1e3))
def test_no_weight_above_0_is_lost(weights, factor):
    rounded = rounded_weights({str(w): w for w in weights}, factor)
    assert all((rounded[str(w)] > 0) == (w > 0) for w in weights)
    assert all(abs(rounded[str(w)] - w * factor) <= 1 for w in weights)


def test_areas_are_those_of_scikit_learn(tmp_path):
    metrics = pytest.importorskip("sklearn.metrics")
    lines = rows((0.3, 1.7, 2.9, 11))
    measures = "primary: {measure: auc}\nmeasures: [auc, ap_step]\nepc: none\n"
    found = values(build(tmp_path, lines, BY_ROW + measures))
    for model in "ab":
        test = pl.DataFrame([row for row in lines if (row["model"], row["split"]) == (model, "test")])
        given = {"sample_weight": test["w"]}
        assert found[model, "test", "auc", None] == pytest.approx(
            metrics.roc_auc_score(test["label"], test["score"], **given), rel=1e-12
        )
        assert found[model, "test", "ap_step", None] == pytest.approx(
            metrics.average_precision_score(test["label"], test["score"], **given), rel=1e-12
        )


@pytest.mark.parametrize(("largest", "shown"), [(3, "1.5 times"), (5_000_000, "2,500,000 times")])
def test_how_far_weights_differ_is_legible(tmp_path, largest, shown):
    weighted = [row | {"w": largest if at // 2 % 2 else 2} for at, row in enumerate(rows())]
    results = build(tmp_path, weighted, config(weights="{column: w}")).results
    assert stratum_weights(results) == f"a weight for each row, the largest {shown} the smallest"


def test_roc_and_area_are_those_of_weighted_roc(tmp_path):
    # R package WeightedROC 2020.1.31, WeightedROC(guess, label, weight) and WeightedAUC, printed to 17 digits.
    score = (1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 2)
    target = (0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1)
    weight = (1, 2.5, 1, 0.5, 3, 1, 2, 1.5, 0.5, 0.25, 4, 0.75)
    rates = {  # false and true positive rates where scores from a threshold on are accepted
        2: (0.85185185185185186, 1.0),
        3: (0.48148148148148146, 0.84444444444444444),
        4: (0.25925925925925924, 0.57777777777777772),
        5: (0.037037037037037035, 0.40000000000000002),
        6: (0.0, 0.35555555555555551),
    }
    lines = trials_of(
        *(
            f"t{at} a test {label} {value}"
            for at, (label, value) in enumerate(zip(target, score, strict=True))
        )
    )
    weighted = [line | {"w": w} for line, w in zip(lines, weight, strict=True)]
    criteria = [f"fixed(threshold={threshold})" for threshold in rates]
    keys = (
        f"criteria: {criteria}\nprimary: {{measure: auc}}\nmeasures: [far, frr, auc]\nepc: none\ncurves: []\n"
    )
    found = values(build(tmp_path, weighted, BY_ROW + keys + "thresholds: {policy: none}\n"))
    assert found["a", "test", "auc", None] == pytest.approx(0.77037037037037037, rel=1e-14)
    shown = [
        (found["a", "test", "far", criterion], 1 - found["a", "test", "frr", criterion])
        for criterion in criteria
    ]
    assert shown == [pytest.approx(pair, abs=1e-15) for pair in rates.values()]
