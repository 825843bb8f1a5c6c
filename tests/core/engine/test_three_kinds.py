"""Targets, zero-effort trials and spoofs: a-DCF as a report has it, against sums over the scores themselves."""

import itertools
import re

import numpy as np
import polars as pl
import pytest
from build import build
from from_config import frames_from, only
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from reporting.core.counts.ranks import MixedKinds
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.cell_tables import Summed, Weights, cells_of
from reporting.core.resampling.units import trial_units
from reporting.core.stats.rates import ratio
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.errors import ConfigError, DataError

KINDS = "trials: {source: trials.parquet, values: {target: t, nontarget: n, spoof: s}}\n"
ASKED = KINDS + (
    "measures: [adcf, minadcf, far, frr, eer]\ncriteria: [min_adcf, min_hter]\n"
    "epc: {criteria: [spoofing_error, weighted_error], measures: [spoofing_error, hter], alphas: 5}\n"
)
GIVEN = {"p_nontarget": 0.05, "p_spoof": 0.05, "c_miss": 1.0, "c_fa": 10.0, "c_spoof": 20.0}


def rows(seed=1, models=("a", "b"), n=(12, 20, 9), clusters=0):
    """Scores that are often equal; spoofs lie between zero-effort trials and targets."""
    rng = np.random.default_rng(seed)
    table = []
    for split in ("dev", "test"):
        for number, kind in enumerate(
            itertools.chain(*(word * count for word, count in zip("tns", n, strict=True)))
        ):
            easy = rng.normal()
            for place, model in enumerate(models):
                score = {"t": 2.0, "n": 0.0, "s": 1.0}[kind] + easy / 2 + (1 + place / 4) * rng.normal() / 2
                row = {"model": model, "split": split, "trial": f"{split}{number}", "label": kind}
                row |= {"cluster": f"c{number % clusters}"} if clusters else {}
                table.append(row | {"score": round(float(score), 1)})
    return table


def scores(table, model, split):
    return {
        kind: np.array(
            [r["score"] for r in table if (r["model"], r["split"], r["label"]) == (model, split, kind)]
        )
        for kind in "tns"
    }


def a_dcf(of, threshold, p_nontarget=0.05, p_spoof=0.05, c_miss=1.0, c_fa=10.0, c_spoof=20.0):
    """The normalised a-DCF at a threshold, from scores by kind."""
    miss, false_alarm, attack = c_miss * (1 - p_nontarget - p_spoof), c_fa * p_nontarget, c_spoof * p_spoof
    cost = miss * np.mean(of["t"] < threshold)
    cost += false_alarm * np.mean(of["n"] >= threshold) + attack * np.mean(of["s"] >= threshold)
    return cost / min(miss, false_alarm + attack)


def levels(of):
    return [*np.unique(np.concatenate(list(of.values()))), np.inf]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("kinds"), rows(), ASKED)


def test_actual_and_least_costs_are_those_of_the_scores(built):
    table, metrics = rows(), built.frames["metrics"].filter(group="")
    for model in "ab":
        dev, test = scores(table, model, "dev"), scores(table, model, "test")
        for split, of in (("dev", dev), ("test", test)):
            least = only(metrics, model=model, split=split, measure="minadcf")
            assert least["value"] == pytest.approx(min(a_dcf(of, at) for at in levels(of)), rel=1e-12)
        for criterion in ("min_adcf", "min_hter"):
            row = only(metrics, model=model, split="test", measure="adcf", criterion=criterion)
            assert row["value"] == pytest.approx(a_dcf(test, row["threshold"]), rel=1e-12)
            assert row["ci_low"] < row["value"] < row["ci_high"]
        # The threshold of dev has the least cost there.
        chosen = only(metrics, model=model, split="dev", measure="adcf", criterion="min_adcf")
        least = only(metrics, model=model, split="dev", measure="minadcf")["value"]
        assert chosen["value"] == pytest.approx(least, rel=1e-12)
        # Chosen on test itself, each criterion sees its own costs: min HTER those of two classes.
        best = only(metrics, model=model, split="test", measure="adcf", criterion="oracle(min_adcf)")
        least = only(metrics, model=model, split="test", measure="minadcf")["value"]
        assert best["value"] == pytest.approx(least, rel=1e-12)
        hter = [
            np.mean(test["t"] < at) + np.mean(np.append(test["n"], test["s"]) >= at) for at in levels(test)
        ]
        oracle = only(metrics, model=model, split="test", measure="adcf", criterion="oracle(min_hter)")
        at = oracle["threshold"]
        chosen_hter = np.mean(test["t"] < at) + np.mean(np.append(test["n"], test["s"]) >= at)
        assert chosen_hter == pytest.approx(min(hter), rel=1e-12)
        assert oracle["value"] == pytest.approx(a_dcf(test, at), rel=1e-12)


def of_kinds():
    """Scores on a grid of quarters, most of them shared by several trials of several kinds."""
    number = np.arange(40)
    zero_effort = np.concatenate([5 * number % 19, 3 * number[:25] % 17])
    return {"t": (7 * number % 23 + 14) / 4, "n": zero_effort / 4, "s": (11 * number[:33] % 29 + 4) / 4}


def as_rows(of, **labels):
    return [
        {"model": "a", "split": split, "trial": f"{split}{kind}{place}", "label": labels.get(kind, kind)}
        | {"score": score}
        for split in ("dev", "test")
        for kind, scores_of in of.items()
        for place, score in enumerate(scores_of.tolist())
    ]


def test_least_costs_of_the_authors_own_code(tmp_path):
    """compute_a_det_curve and normalize of github.com/shimhz/a_DCF at 0560623, run on these scores.

    It puts a cut between any two trials, also between equal scores; targets come first there, so no such cut
    costs less than those between distinct scores, and the minima agree.
    """
    theirs = {
        "minadcf": 0.705050505050505,
        "minadcf(p_nontarget=0.0095,c_spoof=10)": 0.5691484985602633,
        "minadcf(p_nontarget=0.01,p_spoof=0.1,c_miss=10)": 0.6163170163170163,
    }
    names = ", ".join(f"'{name}'" for name in theirs)
    metrics = frames_from(tmp_path, as_rows(of_kinds()), KINDS + f"measures: [{names}]\nepc: none\n")[
        "metrics"
    ]
    for name, least in theirs.items():
        row = only(metrics, group="", split="test", measure=str(read_measure(name)))
        assert row["value"] == pytest.approx(least, rel=1e-12)


def test_least_tandem_costs_of_the_challenge_s_own_code(tmp_path):
    """compute_tDCF of github.com/asvspoof-challenge/2021 at 9b33f5e, run on these scores."""
    theirs = {
        "mintdcf(asv_miss=0.02,asv_fa=0.04,asv_spoof_fa=0.3)": 0.6839959762154305,
        "mintdcf(asv_miss=0.05,asv_fa=0.05,asv_spoof_fa=0.95)": 0.6721042708418723,
        "mintdcf(p_nontarget=0.01,p_spoof=0.1,c_miss=10,c_spoof=20,asv_miss=0.1,asv_fa=0.01,asv_spoof_fa=0.5)": 0.8077015528099611,
    }  # fmt: skip
    of = {kind: scores_of for kind, scores_of in of_kinds().items() if kind != "n"}
    names = ", ".join(f"'{name}'" for name in theirs)
    config = f"trials: {{source: trials.parquet}}\nmeasures: [{names}]\nepc: none\n"
    metrics = frames_from(tmp_path, as_rows(of, t="target", s="nontarget"), config)["metrics"]
    for name, least in theirs.items():
        row = only(metrics, split="test", measure=str(read_measure(name)))
        assert row["value"] == pytest.approx(least, rel=1e-12)


def test_rates_of_two_classes_are_what_they_were(built, tmp_path):
    """Spoofs are non-targets: what does not mix kinds is the report of a table that knows no third kind."""
    two = [row | {"label": row["label"] == "t"} for row in rows()]
    plain = frames_from(tmp_path, two, "measures: [far, frr, eer]\ncriteria: [min_hter]\n")["metrics"]
    wanted = pl.col("measure").is_in(["far", "frr", "eer_rocch"]) & (pl.col("group") == "")
    same = built.frames["metrics"].filter(
        wanted, pl.col("criterion").is_in(["min_hter", "oracle(min_hter)"]) | pl.col("criterion").is_null()
    )
    assert same.equals(plain.filter(wanted).select(same.columns))


def test_the_kinds_are_a_breakdown(built):
    metrics = built.frames["metrics"].filter(split="test", model="a", measure="eer_rocch")
    counts = metrics.select("group", "n_target", "n_nontarget").sort("group").rows()
    assert counts == [("", 12, 29), ("attempt=spoof", 12, 9), ("attempt=zero-effort", 12, 20)]
    lacking = built.frames["metrics"].filter(
        pl.col("group") != "", measure="adcf", criterion="min_adcf", split="test"
    )
    assert set(lacking["status"]) == {"lacks_kind"}


@pytest.mark.parametrize(
    ("name", "spoofs"), [("spoofing_error", 0.5), ("spoofing_error(spoof_share=0.1)", 0.1)]
)
def test_along_the_curve_alpha_weighs_both_kinds_of_false_acceptance(tmp_path, name, spoofs):
    table = rows()
    curves = [
        row
        for row in build(
            tmp_path, table, KINDS + f"epc: {{criteria: ['{name}'], measures: ['{name}'], alphas: 5}}\n"
        ).rows(EPC)
        if row.group == ""
    ]
    assert {row.measure for row in curves} == {name}
    for row in curves:
        dev, test = scores(table, row.model, "dev"), scores(table, row.model, "test")

        def error(of, at, alpha=row.alpha):
            far = (1 - spoofs) * np.mean(of["n"] >= at) + spoofs * np.mean(of["s"] >= at)
            return alpha * far + (1 - alpha) * np.mean(of["t"] < at)

        assert row.value == pytest.approx(error(test, row.threshold), abs=1e-12)
        assert row.value_dev == pytest.approx(min(error(dev, at) for at in levels(dev)), abs=1e-12)
        assert row.value_oracle == pytest.approx(min(error(test, at) for at in levels(test)), abs=1e-12)


def test_a_cost_is_the_weighted_error_at_its_alpha(tmp_path):
    """With equal weights of both kinds, a-DCF and the weighted error have the same two rates."""
    cost, error = "adcf(c_spoof=10)", "spoofing_error"
    names = f"measures: ['{cost}', '{error}']\ncriteria: ['min_adcf(c_spoof=10)', min_hter]\nepc: none\n"
    metrics = frames_from(tmp_path, rows(3), KINDS + names)["metrics"]
    metrics = metrics.filter(split="test", group="", model="a")
    for criterion in ("min_adcf(c_spoof=10)", "min_hter"):
        # w_miss = 0.9 and w_far = 0.5 + 0.5, over 0.9; the bare error weighs both by a half.
        row = only(metrics, measure=cost, criterion=criterion)
        far, frr = (1.0 / 0.9, 1.0)
        of, at = scores(rows(3), "a", "test"), row["threshold"]
        mix = (np.mean(of["n"] >= at) + np.mean(of["s"] >= at)) / 2
        assert row["value"] == pytest.approx(far * mix + frr * np.mean(of["t"] < at), rel=1e-12)
        halves = only(metrics, measure=error, criterion=criterion)["value"]
        assert halves == pytest.approx((mix + np.mean(of["t"] < at)) / 2, rel=1e-12)


@pytest.mark.parametrize("clusters", [0, 8])
def test_comparisons_of_models(tmp_path, clusters):
    table = rows(5, clusters=clusters)
    config = ASKED + "primary: {measure: adcf, criterion: min_adcf}\n"
    frames = frames_from(tmp_path, table, config)
    compared = frames["comparisons"].filter(group="", measure="adcf", criterion="min_adcf")
    assert compared["family"].to_list() == ["descriptive", "primary"]
    values = {
        model: only(
            frames["metrics"], group="", measure="adcf", criterion="min_adcf", split="test", model=model
        )["value"]
        for model in "ab"
    }
    for row in compared.iter_rows(named=True):
        assert row["difference"] == pytest.approx(values[row["model"]] - values[row["baseline"]], abs=1e-12)
        assert row["ci_low"] < row["difference"] < row["ci_high"]
        assert 0 < row["p_value"] <= 1
    assert compared["inference"].to_list() == ["given_thresholds", "procedure"]
    assert "standing" in frames
    assert set(frames["standing"].filter(group="")["measure"]) == {"adcf"}
    twin = [*table, *({**row, "model": "c"} for row in table if row["model"] == "a")]
    same = frames_from(tmp_path / "twin", twin, config)["comparisons"]
    row = same.filter(
        pl.col("model").is_in(["a", "c"]) & pl.col("baseline").is_in(["a", "c"]),
        group="",
        measure="adcf",
        criterion="min_adcf",
        inference="procedure",
    )
    assert row["difference"].item() == 0


@given(
    kinds=st.lists(st.sampled_from("tns"), min_size=4, max_size=14),
    cells=st.lists(st.integers(0, 3), min_size=14, max_size=14),
    shares=st.sampled_from([(1, 2), (19, 100), (1, 1), (0, 1), (3, 1)]),
    data=st.data(),
)
@settings(max_examples=60)
def test_replicates_mix_the_rates_of_what_they_drew(kinds, cells, shares, data):
    """Under any weights of trials, FAR of the mixed counts is the mean of the two rates under these weights."""
    n, label = len(kinds), np.array([kind == "t" for kind in kinds])
    spoof, cell = np.array([kind == "s" for kind in kinds]), np.array(cells[:n])
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.uint8)[
        :, None
    ]
    units = trial_units(label, ("all", "test"), by_class=False)
    table = cells_of(units, label, None, cell, 4, mix=MixedKinds(spoof, shares))
    misses, false_alarms = Summed(table.resample(Weights(weights))).errors
    drawn = weights[:, 0]
    for cut in range(5):
        frr = ratio((drawn * label * (cell < cut)).sum(), (drawn * label).sum())
        np.testing.assert_allclose(ratio(misses[0, cut], misses[0, -1]), frr)
        rates = [
            (drawn * kind * (cell >= cut)).sum() / total if (total := (drawn * kind).sum()) else None
            for kind in (~label & ~spoof, spoof)
        ]
        far = ratio(false_alarms[0, cut], false_alarms[0, 0])
        known = [rate for rate in rates if rate is not None]
        if len(known) == 2:
            np.testing.assert_allclose(
                far, (shares[0] * rates[0] + shares[1] * rates[1]) / sum(shares), rtol=1e-12
            )
        elif known:  # drawn none of a kind: the other's rate
            np.testing.assert_allclose(far, known[0])


def test_the_interval_at_a_threshold_has_three_rates(built):
    """Square-and-add of FRR, FAR of zero-effort trials and of spoofs, each with Wilson's limits."""
    row = only(
        built.frames["metrics"], group="", model="a", split="test", measure="adcf", criterion="min_adcf"
    )
    of = scores(rows(), "a", "test")
    miss, zero, attack = 1.0, 0.5 / 0.9, 1.0 / 0.9
    counts = [
        (miss, int((of["t"] < row["threshold"]).sum()), len(of["t"])),
        (zero, int((of["n"] >= row["threshold"]).sum()), len(of["n"])),
        (attack, int((of["s"] >= row["threshold"]).sum()), len(of["s"])),
    ]
    down = up = 0.0
    for weight, k, n in counts:
        limits = binomtest(k, n).proportion_ci(method="exact" if k in (0, n) else "wilson")
        down += (weight * (k / n - limits.low)) ** 2
        up += (weight * (limits.high - k / n)) ** 2
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(
        (max(0, row["value"] - down**0.5), row["value"] + up**0.5), rel=1e-6
    )
    assert row["ci_method"] == "square_and_add"


def test_attacks_of_spoofs_are_broken_down_without_zero_effort_trials(tmp_path):
    table = [
        row | {"attack": "xy"[number // 2 % 2] if row["label"] == "s" else None}
        for number, row in enumerate(rows())
    ]
    frames = frames_from(tmp_path, table, KINDS + "by: [{attack: spoof}]\nmeasures: [eer]\n")
    counts = frames["metrics"].filter(split="test", model="a").select("group", "n_target", "n_nontarget")
    spoofs = {group: (t, n) for group, t, n in counts.unique().iter_rows() if group.startswith("attack")}
    assert spoofs == {"attack=x": (12, 4), "attack=y": (12, 5)}
    read = frames["trials"].filter(split="test", model="a").filter(pl.col("group").str.starts_with("attack"))
    assert read["rows_dropped"].to_list() == [0, 0]
    assert (read["rows_read"] == read["n_target"] + read["n_nontarget"]).all()


def test_tandem_costs_of_a_countermeasure(tmp_path):
    rates = "asv_miss=0.02,asv_fa=0.04,asv_spoof_fa=0.3"
    two = [row | {"label": row["label"] == "t"} for row in rows(4)]
    names = f"measures: ['tdcf({rates})', 'mintdcf({rates})']\ncriteria: ['min_tdcf({rates})']\nepc: none\n"
    frames = frames_from(tmp_path, two, names)
    measure = read_measure(f"tdcf({rates})")
    for model in "ab":
        of = scores(rows(4), model, "test")
        spoofs = np.append(of["n"], of["s"])

        def cost(at, of=of, spoofs=spoofs):
            return float(0.02261 + 0.91789 * np.mean(of["t"] < at) + 0.15 * np.mean(spoofs >= at)) / 0.17261

        metrics = frames["metrics"].filter(model=model, split="test")
        row = only(metrics, measure=str(measure), criterion=f"min_tdcf({rates})")
        assert row["value"] == pytest.approx(cost(row["threshold"]), rel=1e-12)
        assert measure.constant <= row["ci_low"] < row["value"] < row["ci_high"]
        least = only(metrics, measure=f"mintdcf({rates})")
        assert least["value"] == pytest.approx(min(map(cost, levels(of))), rel=1e-12)
        assert measure.constant <= least["ci_low"] < least["value"] <= least["ci_high"]
    compared = frames["comparisons"].filter(measure=str(measure))
    assert compared["difference"].is_not_null().all()


@pytest.mark.parametrize(
    ("label", "fault"),
    [
        ("n", "trials.values.spoof: no row is a spoof in column 'label' (the label) (found: 'n', 't'); where there"
         " are two kinds of trials only, leave it out"),
        ("s", "trials.values.nontarget: every non-target is a spoof in column 'label' (the label) (found: 's', 't');"
         " where there are two kinds of trials only, name spoofs as values.nontarget, without values.spoof"),
    ],
)  # fmt: skip
def test_a_kind_without_a_row(tmp_path, label, fault):
    table = [row | {"label": label if row["label"] != "t" else "t"} for row in rows()]
    with pytest.raises(DataError) as raised:
        frames_from(tmp_path, table, KINDS)
    assert list(raised.value.faults) == [fault]


def test_a_kind_that_development_lacks(tmp_path):
    table = [row for row in rows() if (row["split"], row["label"]) != ("dev", "s")]
    with pytest.raises(
        DataError, match="'min_adcf' needs targets, zero-effort trials and spoofs on development"
    ):
        frames_from(tmp_path, table, ASKED)
    # The cost at other thresholds has a value on test, and a reason on dev.
    frames = frames_from(tmp_path, table, KINDS + "measures: [adcf]\ncriteria: [min_hter]\n")
    adcf = frames["metrics"].filter(measure="adcf", group="", criterion="min_hter", model="a").sort("split")
    assert adcf["status"].to_list() == ["lacks_kind", None]


def test_two_kinds_where_three_are_needed(tmp_path):
    two = [row | {"label": row["label"] == "t"} for row in rows()]
    for key, text in {
        "measures: 'adcf'": "measures: [adcf]\n",
        "criteria: 'min_adcf'": "criteria: [min_adcf]\n",
        "primary: 'minadcf'": "primary: {measure: minadcf}\n",
        "epc: 'spoofing_error'": "epc: {criteria: [spoofing_error]}\n",
        "report.tables: 'adcf'": "report: {tables: [{columns: [adcf]}]}\n",
        "report.tables: 'min_adcf'": "report: {tables: [{columns: [{measure: far, criterion: min_adcf}]}]}\n",
    }.items():
        with pytest.raises(
            ConfigError, match=f"^{re.escape(key)} needs three kinds of trials; name the label of spoofs"
        ):
            frames_from(tmp_path / key[:3], two, text)


@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ("by: [attempt]\n", "'attempt' is what values.spoof makes"),
        ("thresholds: {policy: kfold}\nmeasures: [minadcf]\n", "thresholds.policy: not computed of costs of three kinds"),
        ("across: attempt\n", "'attempt' is what values.spoof makes"),
        ("averaged_over: attempt\n", "'attempt' is what values.spoof makes"),
        ("across: {columns: trial, measures: [adcf]}\n", "'adcf' is a cost of three kinds of trials; expected a measure"),
        ("criteria: ['best(measure=adcf)']\n", "mixes two kinds of non-targets; write min_adcf or spoofing_error"),
        ("averaged_over: trial\nmeasures: [adcf]\n", "averaged_over: not computed of costs of three kinds"),
        ("primary: {measure: adcf, criterion: min_adcf}\nsignificance: {tests: [mcnemar]}\n", "significance.tests: not"),
        ("gates: [{measure: adcf, model: a, at_most: 1}]\n", "gates take measures of two classes"),
    ],
)  # fmt: skip
def test_what_takes_no_third_kind(tmp_path, config, fault):
    with pytest.raises(ConfigError) as raised:
        frames_from(tmp_path, rows(), KINDS + config)
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ("{spoof: s}", "'spoof' is given without 'target'; give target and nontarget too"),
        ("{target: t, nontarget: n, spoof: s}, columns: {label: none}", "'columns.label' cannot be none"),
        ("{target: t, nontarget: n, spoof: n}", "'n' cannot be both nontarget and spoof"),
        ("{target: t, nontarget: n, spoof: t}", "'t' cannot be both target and spoof"),
    ],
)
def test_labels_are_of_one_kind(tmp_path, values, fault):
    with pytest.raises(ConfigError) as raised:
        frames_from(tmp_path, rows(), f"trials: {{source: trials.parquet, values: {values}}}\n")
    assert fault in str(raised.value)


def test_three_labels_without_the_third_name(tmp_path):
    """The message names the key that takes it."""
    with pytest.raises(DataError, match="label attacks, next to zero-effort impostors, as values.spoof"):
        frames_from(tmp_path, rows(), "trials: {source: trials.parquet, values: {target: t}}\n")


def test_counts_beyond_whole_numbers_are_refused():
    spoof = np.zeros(4000, dtype=bool)
    spoof[:1000] = True
    label = np.zeros(4000, dtype=bool)
    label[-1000:] = True
    with pytest.raises(DataError, match="round priors and costs"):
        MixedKinds(spoof, (10**13 + 7, 10**13 + 9)).weights(label)
    weights = MixedKinds(spoof, (1, 2)).weights(label)
    assert weights.tolist() == [4] * 1000 + [1] * 3000  # a N_spoof : b N_zero = 1000 : 4000


def test_the_order_of_rows_changes_nothing(tmp_path):
    table = rows()
    one, other = (
        build(tmp_path / name, each, ASKED) for name, each in (("one", table), ("two", table[::-1]))
    )
    for name in ("metrics", "comparisons", "epc"):
        assert one.frames[name].equals(other.frames[name])
    assert one.rows(METRICS)
