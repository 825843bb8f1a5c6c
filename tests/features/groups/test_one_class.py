"""Breakdowns by what describes one class: each attack against all bona fide trials, and the worst of them."""

from fractions import Fraction

import polars as pl
import pytest
from build import FAST, build, built_from
from from_config import frames_from, only
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from snapshot import snapshot

from reporting.app.run.counts import make_bundle
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.study import Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.settings import Inference
from reporting.document.words.view import views
from reporting.errors import ConfigError, DataError
from reporting.features.cautions import cautions
from reporting.features.groups.worst import WORST, WorstRow, with_limits

BONA_FIDE = {"dev": [3, 4, 5, 6], "test": [2, 4, 5, 7]}
ATTACKS = {
    "dev": {"A1": [0, 1], "A2": [1, 2, 4]},
    "test": {"A1": [0, 1, 3], "A2": [1, 4, 5], "A3": [6, 6]},
}
BY_ATTACK = "by: [{attack: nontarget}]\nmeasures: [far, frr, auc, eer_rocch, bpcer10]\n"


def rows(bona_fide=BONA_FIDE, attacks=ATTACKS, model="a", **more):
    """Rows of bona fide trials, whose attack is empty, and of attacks."""
    table = []
    for split in bona_fide:
        table += [
            {"split": split, "label": 1, "attack": None, "score": float(score)} for score in bona_fide[split]
        ]
        for attack, scores in attacks[split].items():
            table += [
                {"split": split, "label": 0, "attack": attack, "score": float(score)} for score in scores
            ]
    return [{"model": model, "trial": str(number)} | row | more for number, row in enumerate(table)]


def test_every_attack_is_judged_with_all_bona_fide_trials(tmp_path):
    """By hand: at the dev threshold of least HTER, between 2 and 3 (FRR 0, FAR 1/5), and over all thresholds."""
    built = build(tmp_path, rows(), BY_ATTACK + "criteria: [min_hter]\n")
    metrics = built.frames["metrics"].filter(split="test")
    counts = metrics.select("group", "n_target", "n_nontarget").unique().sort("group").rows()
    assert counts == [("", 4, 8), ("attack=A1", 4, 3), ("attack=A2", 4, 3), ("attack=A3", 4, 2)]
    far = {group: Fraction(n, of) for group, n, of in [("A1", 1, 3), ("A2", 2, 3), ("A3", 2, 2)]}
    for group, expected in far.items():
        row = only(metrics, group=f"attack={group}", measure="far", criterion="min_hter")
        assert (row["threshold"], row["value"]) == (2.5, float(expected))
        row = only(metrics, group=f"attack={group}", measure="frr", criterion="min_hter")
        assert row["value"] == 1 / 4
    # Pairs of a bona fide trial and an attack in order, of 4 x 3 or 4 x 2; equal scores count half.
    for group, pairs in {"A1": 11, "A2": 4 + Fraction(5, 2) + Fraction(3, 2), "A3": 2}.items():
        total = 8 if group == "A3" else 12
        row = only(metrics, group=f"attack={group}", measure="auc")
        assert row["value"] == float(Fraction(pairs) / total)
    # APCER of at most 10 % means no error among 3 attacks: all bona fide scores from 4 on pass A1.
    assert only(metrics, group="attack=A1", measure="frr_at_far(far=0.1)")["value"] == 1 / 4
    assert only(metrics, group="attack=A2", measure="frr_at_far(far=0.1)")["value"] == 3 / 4


def test_what_describes_bona_fide_trials_has_all_attacks(tmp_path):
    table = [row | {"phone": "xy"[number % 2] if row["label"] else ""} for number, row in enumerate(rows())]
    metrics = frames_from(tmp_path, table, "by: [{phone: target}]\nmeasures: [far, frr]\n")["metrics"]
    counts = metrics.filter(split="test").select("group", "n_target", "n_nontarget").unique().sort("group")
    assert counts.rows() == [("", 4, 8), ("phone=x", 2, 8), ("phone=y", 2, 8)]


def test_a_crossing_takes_the_other_class_by_the_columns_that_describe_both(tmp_path):
    table = [row | {"sex": "fm"[number % 2]} for number, row in enumerate(rows())]
    metrics = frames_from(tmp_path, table, "by: [[sex, {attack: nontarget}]]\nmeasures: [auc]\n")["metrics"]
    for sex in "fm":
        alone = [row for row in table if row["sex"] == sex and row["attack"] in (None, "A2")]
        own = [(row["label"], row["score"]) for row in alone if row["split"] == "test"]
        counted = only(metrics, group=f"attack=A2,sex={sex}", measure="auc", split="test")
        labels = [label for label, _ in own]
        assert (counted["n_target"], counted["n_nontarget"]) == (labels.count(1), labels.count(0))


def test_a_group_is_the_report_of_its_own_trials(tmp_path):
    """What is taken over all thresholds is that of a table with this attack alone, interval and all."""
    metrics = frames_from(tmp_path / "all", rows(), BY_ATTACK)["metrics"]
    kept = [row for row in rows() if row["attack"] in (None, "A2")]
    alone = frames_from(tmp_path / "one", kept, "measures: [auc, eer_rocch]\n")["metrics"]
    for measure in ("auc", "eer_rocch"):
        row = only(metrics, group="attack=A2", measure=measure, split="test")
        other = only(alone, group="", measure=measure, split="test")
        of_group = ("group", "group_columns", "group_values", "optimism")  # optimism is drawn by name
        assert {key: row[key] for key in row if key not in of_group} == {
            key: other[key] for key in other if key not in of_group
        }


def test_the_order_of_rows_and_what_others_hold_changes_nothing(tmp_path):
    table = rows() + rows(model="b")
    frames = frames_from(tmp_path / "one", table, BY_ATTACK)
    named = [row | {"attack": "-" if row["attack"] is None else row["attack"]} for row in reversed(table)]
    other = frames_from(tmp_path / "two", named, BY_ATTACK)
    for name in ("metrics", "worst", "trials", "comparisons"):
        assert frames[name].equals(other[name])


def test_models_that_differ_in_the_attack_of_a_trial_are_refused(tmp_path):
    odd = [row | {"attack": "A9"} if row["attack"] == "A3" else row for row in rows(model="b")]
    with pytest.raises(DataError, match="attack"):
        frames_from(tmp_path, rows() + odd, BY_ATTACK)


def test_an_attack_without_a_name_is_a_fault_and_a_bona_fide_trial_without_one_is_not(tmp_path):
    odd = [row | {"attack": None} if row["attack"] == "A3" else row for row in rows()]
    with pytest.raises(
        DataError,
        match="column 'attack' .the breakdown.: 2 of 21 rows empty .write a value there, .*; first '' at row 20",
    ):
        frames_from(tmp_path, odd, BY_ATTACK)


def test_what_was_read_is_told_by_attack(tmp_path):
    """Bona fide rows are in every group; a row without a label counts where its attack says."""
    table = [*rows(), {**rows()[-1], "trial": "x", "label": None}]
    table = [row | {"label": None if row["label"] is None else str(row["label"])} for row in table]
    built = build(tmp_path, table, "trials: {source: trials.parquet, unlabelled: drop}\n" + BY_ATTACK)
    trials = built.frames["trials"].filter(split="test").select("group", "rows_read", "rows_dropped").rows()
    assert trials == [("", 13, 1), ("attack=A1", 7, 0), ("attack=A2", 7, 0), ("attack=A3", 7, 1)]


def test_the_worst_attack_by_hand(tmp_path):
    """FAR 1/3, 2/3 and 2/2: exact limits of Clopper and Pearson, each at the level .95^(1/3)."""
    frame = frames_from(tmp_path, rows(), BY_ATTACK + "criteria: [min_hter]\n")["worst"]
    tail = (1 - 0.95 ** (1 / 3)) / 2
    by_hand = {"A1": (1, 3), "A2": (2, 3), "A3": (2, 2)}
    for attack, (k, n) in by_hand.items():
        row = only(frame, group=f"attack={attack}", criterion="min_hter")
        assert (row["errors"], row["n_described"], row["value"]) == (k, n, k / n)
        assert row["low"] == pytest.approx(beta.ppf(tail, k, n - k + 1), rel=1e-9)
        high = 1.0 if k == n else beta.ppf(1 - tail, k + 1, n - k)
        assert row["high"] == pytest.approx(high, rel=1e-9)
        assert (row["is_worst"], row["bound"]) == ((True, 1.0) if attack == "A3" else (False, None))
        assert (row["ci_method"], row["unit"], row["n_groups"]) == ("clopper_pearson", "trial", 3)


def test_the_bound_is_the_largest_one_sided_limit(tmp_path):
    """No attack succeeds: 1 - .05^(1/n) of the attack with the fewest trials, as in the rule of 3."""
    attacks = {"dev": ATTACKS["dev"], "test": {"A1": [0] * 30, "A2": [0] * 10}}
    frame = frames_from(tmp_path, rows(attacks=attacks), BY_ATTACK + "criteria: [min_hter]\n")["worst"]
    assert frame["is_worst"].to_list() == [True, True]
    assert frame["bound"].to_list() == pytest.approx([1 - 0.05 ** (1 / 10)] * 2, rel=1e-9)


def row_of(errors, n, group, df=None):
    return WorstRow(
        **{"model": "a", "run": "0", "dataset": "all", "split": "test", "group": group, "measure": "far"},
        **{"criterion": "eer", "errors": errors, "n_described": n, "value": errors / n, "level": 0.95},
        **{"unit": "trial" if df is None else "cluster", "effective": float(n), "df": df},
    )


RATES = st.lists(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1)


@given(rates=RATES.map(lambda rates: rates[:8]), df=st.none() | st.integers(2, 40), seed=st.randoms())
def test_laws_of_the_worst(study, rates, df, seed):
    made = [row_of(errors, n, f"attack={number}", df) for number, (errors, n) in enumerate(rates)]
    limited = with_limits(made, study)
    worst = [row for row in limited if row.is_worst]
    assert {row.value for row in worst} == {max(row.value for row in limited)}
    assert all(row.low <= row.value <= row.high for row in limited)
    # The bound asks less than the limits of all, and is never below the highest rate that was seen.
    assert worst[0].value <= worst[0].bound <= max(row.high for row in limited)
    shuffled = list(made)
    seed.shuffle(shuffled)
    assert {row.group: row for row in with_limits(shuffled, study)} == {row.group: row for row in limited}
    # One attack more makes the limits of the others wider, not narrower.
    more = with_limits([*made, row_of(0, 5, "attack=more", df)], study)
    for row, other in zip(limited, more, strict=False):
        assert other.low <= row.low
        assert other.high >= row.high


@pytest.fixture(scope="module")
def study():
    class OfLevel(Study):
        def __init__(self):
            object.__setattr__(self, "inference", Inference())

    return OfLevel()


def test_clusters_take_effective_sizes(tmp_path):
    """Every attack twice by one speaker, with the same score: worth no more than half of the trials."""
    table = [
        row | {"trial": f"{row['trial']}{take}", "cluster": f"s{number % 7}"}
        for number, row in enumerate(rows())
        for take in "xy"
    ]
    frame = frames_from(tmp_path, table, BY_ATTACK + "criteria: [min_hter]\n")["worst"]
    row = only(frame, group="attack=A1")
    assert (row["ci_method"], row["unit"], row["n_described"]) == ("korn_graubard", "cluster", 6)
    assert row["effective"] <= 3.001


def test_an_attack_that_development_lacks_is_a_caution(tmp_path):
    built = build(tmp_path, rows(), BY_ATTACK)
    (view,) = views(built.results)
    (text,) = [each.text for each in cautions(view) if each.code == "TR321"]
    snapshot("groups/one_class_an_attack_that_development_lacks_is_a_caution", text)
    on_dev = only(built.frames["metrics"], group="attack=A3", measure="auc", split="dev")
    assert (on_dev["value"], on_dev["status"]) == (None, "no_nontargets")


def test_thresholds_that_hold_for_every_attack_of_dev(tmp_path):
    """FAR of at most 40 %: A1 may pass 0 of 2 (from 1 on), A2 1 of 3 (from 2 on); the higher of the two holds."""
    config = BY_ATTACK + 'criteria: ["worst_far(far=0.4)", "target_far(far=0.4,how=at_most)", bpcer20]\n'
    metrics = frames_from(tmp_path, rows(), config)["metrics"]
    dev = metrics.filter(split="dev", group="")
    row = only(dev, measure="far", criterion="worst_far(far=0.4)")
    assert (row["threshold"], row["value"]) == (2.5, 1 / 5)
    assert only(dev, measure="far", criterion="target_far(far=0.4,how=at_most)")["threshold"] == 1.5
    # No attack of dev passes: 4 is the highest of them.
    row = only(dev, measure="frr", criterion="worst_far")
    assert (row["threshold"], row["value"]) == (4.5, 2 / 4)
    test = metrics.filter(split="test", measure="frr", criterion="worst_far(far=0.4)", group="")
    assert test["inference"].to_list() == ["given_thresholds"]


SCORES = st.lists(st.integers(0, 5), min_size=1, max_size=6)


@given(bona_fide=SCORES, attacks=st.dictionaries(st.sampled_from(["x", "y", "z"]), SCORES, min_size=1))
def test_the_highest_far_of_dev_is_within_the_limit(tmp_path_factory, bona_fide, attacks):
    folder = tmp_path_factory.mktemp("worst")
    both = {"dev": bona_fide, "test": bona_fide}, {"dev": attacks, "test": attacks}
    config = "by: [{attack: nontarget}]\nmeasures: [far]\ncriteria: ['worst_far(far=0.3)']\nepc: none\n"
    built = build(folder, rows(*both), config)
    (part, *groups) = built.parts
    (criterion,) = [one for one in part.models[0].single if one.key == "worst_far"]
    (threshold,) = part.models[0].single[criterion].chosen.threshold
    rates = [sum(score >= threshold for score in scores) / len(scores) for scores in attacks.values()]
    assert max(rates) <= 0.3
    assert len(groups) == len(attacks)


def test_names_of_the_standard_are_read():
    assert str(read_measure("BPCER20")) == "frr_at_far(far=0.05)"
    assert str(read_measure("bpcer at apcer 1%")) == "frr_at_far"
    assert [str(read_measure(name)) for name in ("APCER", "bpcer", "ACER")] == ["far", "frr", "hter"]
    assert [str(read_criterion(f"bpcer{n}")) for n in (10, 20, 100)] == [
        "worst_far(far=0.1)",
        "worst_far",
        "worst_far(far=0.01)",
    ]


def test_a_threshold_for_every_attack_needs_to_know_attacks(tmp_path):
    with pytest.raises(ConfigError, match=r"such as by: \[\{attack: nontarget\}\]"):
        frames_from(tmp_path, rows(), "criteria: [bpcer20]\n")


def test_without_such_columns_there_is_no_such_frame(tmp_path):
    frames = frames_from(tmp_path, [row | {"attack": "-"} for row in rows()], "by: [attack]\n")
    assert WORST.name not in frames


def test_counts_that_are_pooled_keep_attacks(tmp_path):
    frames = frames_from(tmp_path, rows(), BY_ATTACK)
    keys = "trials: {source: trials.parquet, coarse: 40}\nby: [{attack: nontarget}]\nepc: {alphas: 5}\n"
    (tmp_path / "site.yaml").write_text(keys)
    make_bundle(tmp_path / "site.yaml", tmp_path / "a.counts.parquet", paired=True)
    (tmp_path / "pooled").mkdir()
    pooled = "trials: {source: ../a.counts.parquet, layout: counts}\n" + BY_ATTACK
    (tmp_path / "pooled" / "report.yaml").write_text(pooled)
    other = built_from(tmp_path / "pooled" / "report.yaml", *FAST).frames
    kept = ["group", "measure", "criterion", "value", "n_target", "n_nontarget"]
    assert other["metrics"].select(kept).equals(frames["metrics"].select(kept))
    assert other["worst"].drop("flags").equals(frames["worst"].drop("flags"))


def test_hidden_between_signs_of_ours(tmp_path):
    """A value may hold anything; groups stay apart by their columns and values."""
    odd = {"A1": "=cmd|x", "A2": "a,b=1", "A3": "<b>\\"}
    table = [row | {"attack": odd.get(row["attack"])} for row in rows()]
    frame = frames_from(tmp_path, table, BY_ATTACK)["worst"]
    assert set(frame["group_values"].explode()) == set(odd.values())
    assert isinstance(frame, pl.DataFrame)
