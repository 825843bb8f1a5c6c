from pathlib import Path
from typing import Any

import numpy as np
import pytest
from build import Built, build
from hypothesis import given
from hypothesis import strategies as st
from ranks_by_column import ACROSS, FIXED, PLAIN, RATES, ranks_of

from reporting.core.engine.partition import Partition, errors_of_cells, finite_values, members_of
from reporting.core.measures.threshold import FAR
from reporting.document.frames.metrics import METRICS
from reporting.features.groups.group_metrics import GROUP_METRICS
from reporting.features.groups.members import outside


def test_counts_of_members_and_of_what_is_outside_each() -> None:
    ranks = ranks_of([1, 1, 0, 0, 1, 0], sex=list("ffffmm"))
    every = Partition.of(ranks, ("sex",))
    assert (every.values, [each.tolist() for each in every.members]) == (
        [("f",), ("m",)],
        [[0, 1, 2, 3], [4, 5]],
    )
    accepted = np.array([1, 0, 1, 0, 0, 0], dtype=bool)
    counts = every.counts(accepted, ranks.label, None)
    assert [each.tolist() for each in counts.counts] == [[[1, 1]], [[1, 0]], [[2, 1]], [[2, 1]]]
    assert [each.tolist() for each in outside(counts).counts] == [[[1, 1]], [[0, 1]], [[1, 2]], [[1, 2]]]
    assert finite_values(counts, FAR).tolist() == [[1 / 2, 0.0]]
    weighted = every.counts(accepted, ranks.label, np.array([3, 1, 2, 5, 1, 1]))
    assert [each.tolist() for each in weighted.counts] == [[[1, 1]], [[2, 0]], [[4, 1]], [[7, 1]]]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from("xyz"), st.booleans(), st.booleans(), st.integers(1, 4)
        ),
        min_size=1,
        max_size=30,
    )
)
def test_members_are_disjoint_and_their_counts_add_up(trials: list[tuple[Any, ...]]) -> None:
    first, second, label, accepted, weight = (list(each) for each in zip(*trials, strict=True))
    ranks = ranks_of(label, first=first, second=second)
    every = Partition.of(ranks, ("first", "second"))
    assert sorted(np.concatenate(every.members).tolist()) == list(range(len(trials)))
    for values, members in zip(every.values, every.members, strict=True):
        assert members.tolist() == members_of(ranks, every.columns, values).tolist()
    counts = every.counts(np.array(accepted), ranks.label, np.array(weight))
    for at, member in enumerate(every.members):
        rest = every.rest(at)
        assert sorted([*member, *rest]) == list(range(len(trials)))
        for own, others in zip(counts.counts, outside(counts).counts, strict=True):
            assert own[0, at] + others[0, at] == own.sum()
    cells = [
        np.bincount(every.cells(np.array(accepted))[ranks.label == of], minlength=2 * every.n)[None]
        for of in (True, False)
    ]
    plain = every.counts(np.array(accepted), ranks.label, None)
    for one, other in zip(errors_of_cells(*cells).counts, plain.counts, strict=True):
        assert one.tolist() == other.tolist()


def _rows(seed: int = 3, **more: Any) -> list[dict[str, Any]]:
    """Return trials of 24 speakers, three of four of whom are in both groups, with ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for speaker in range(24):
        own = rng.normal(0, 0.7)
        for at in range(16):
            label, group = at % 2, "ab"[(at // 2) % 2 if speaker % 4 else speaker // 4 % 2]
            score = round(float(2 * label - 1 + own + rng.normal(0, 1.1)), 1)
            trial = {"model": "M", "trial": f"{speaker}-{at}", "split": "test", "label": label}
            trial |= {"speaker": f"s{speaker:02}", "group": group, "kind": "hl"[at % 4 // 2], "score": score}
            rows.append(trial | more)
    return rows


def _pairs(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        row | {"other": f"s{(int(row['speaker'][1:]) + 1 + at % 5) % 24:02}"} for at, row in enumerate(rows)
    ]


DESIGNS: dict[str, tuple[list[dict[str, Any]], tuple[str, ...]]] = {
    "trials": (_rows(), ()),
    "clusters across groups": (_rows(), ("trials.columns.cluster=speaker",)),
    "weights": (
        _rows(),
        ("trials.columns.stratum=kind", "trials.weights={stratum: {h: 3, l: 1}}"),
    ),
    "clusters and weights": (
        _rows(),
        (
            "trials.columns.cluster=speaker",
            "trials.columns.stratum=kind",
            "trials.weights={stratum: {h: 3, l: 1}}",
        ),
    ),
    "pairs of speakers": (_pairs(_rows()), ("trials.columns.cluster=[speaker, other]",)),
    "two datasets": (
        [row for seed in (3, 4) for row in _rows(seed, corpus=f"c{seed}")],
        ("trials.columns.dataset=corpus",),
    ),
    "a member of one class": ([row for row in _rows() if row["label"] or row["group"] == "a"], ()),
    "two models": (_rows() + _rows(4, model="N"), ("trials.columns.cluster=speaker",)),
}


def _of_breakdown(built: Built) -> dict[tuple[Any, ...], Any]:
    return {(row.dataset, row.group, row.model, row.run, row.measure): row for row in built.rows(METRICS)}


@pytest.mark.parametrize("design", DESIGNS)
def test_a_group_has_the_number_and_the_interval_of_its_breakdown(tmp_path: Path, design: str) -> None:
    rows, more = DESIGNS[design]
    built = build(tmp_path, rows, f"{FIXED}{ACROSS}by: [group]\n", *PLAIN, *more)
    by_group, compared = _of_breakdown(built), 0
    for row in built.rows(GROUP_METRICS):
        other = by_group[row.dataset, row.group, row.model, row.run, row.measure]
        assert (row.value, row.misses, row.false_alarms) == (other.value, other.misses, other.false_alarms)
        assert (row.n_target, row.n_nontarget, row.unit) == (
            other.n_target,
            other.n_nontarget,
            other.unit or row.unit,
        )
        if row.measure in RATES and row.value is not None:
            limits = row.ci_low, row.ci_high, row.ci_method
            assert limits == (other.ci_low, other.ci_high, other.ci_method), (row.group, row.measure)
            compared += row.ci_method is not None
    assert compared >= 8


def test_groups_of_three_kinds_of_trials_have_the_numbers_of_their_breakdown(tmp_path: Path) -> None:
    """The breakdown has the cost of three kinds, too; contrasts are of both kinds of non-targets together."""
    kinds = "trials: {source: trials.parquet, values: {target: t, nontarget: n, spoof: s}}\n"
    rows = [row | {"label": "t" if row["label"] else "ns"[at % 4 // 2]} for at, row in enumerate(_rows())]
    top = kinds + FIXED.replace("[far", "[adcf, far") + ACROSS + "by: [group]\n"
    built = build(tmp_path, rows, top, *PLAIN)
    by_group = _of_breakdown(built)
    found = built.rows(GROUP_METRICS)
    assert {row.measure for row in found} == RATES
    for row in found:
        other = by_group[row.dataset, row.group, row.model, row.run, row.measure]
        assert (row.value, row.ci_low, row.ci_high) == (other.value, other.ci_low, other.ci_high)


@pytest.mark.parametrize("more", [("trials.columns.cluster=speaker",), ()])
def test_groups_at_thresholds_of_folds_have_the_numbers_of_their_breakdown(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    """Intervals of the breakdown choose thresholds again; here they are given."""
    top = "primary: {measure: far, criterion: min_hter}\nmeasures: [far, frr, hter]\n"
    top += "across: {columns: group, measures: [far, frr, hter]}\nby: [group]\nthresholds: {policy: kfold}\n"
    built = build(tmp_path, _rows(), top, *PLAIN[:1], *PLAIN[2:], *more)
    by_group = {
        (r.group, r.measure): r
        for r in built.rows(METRICS)
        if r.split == "test" and r.criterion == "min_hter"
    }
    rows = built.rows(GROUP_METRICS)
    assert {row.threshold_source for row in rows} == {"cv"}
    for row in rows:
        other = by_group[row.group, row.measure]
        assert (row.value, row.misses, row.false_alarms) == (other.value, other.misses, other.false_alarms)
        assert row.inference == "given_thresholds"


def test_a_mean_over_runs_has_the_number_of_its_breakdown(tmp_path: Path) -> None:
    """Its interval does not: here replicates of all groups are drawn together, there those of each alone."""
    rows = _rows(run="1") + _rows(4, run="2")
    built = build(tmp_path, rows, f"{FIXED}{ACROSS}by: [group]\n", *PLAIN)
    by_group = _of_breakdown(built)
    for row in built.rows(GROUP_METRICS):
        assert row.run == "mean"
        assert row.value == pytest.approx(
            by_group[row.dataset, row.group, "M", "mean", row.measure].value, rel=1e-12
        )


def test_a_group_of_one_cluster_has_one_unit(tmp_path: Path) -> None:
    rows = [row | {"group": "alone" if row["speaker"] == "s05" else row["group"]} for row in _rows()]
    built = build(tmp_path, rows, FIXED + ACROSS, *PLAIN, "trials.columns.cluster=speaker")
    (row,) = (r for r in built.rows(GROUP_METRICS) if (r.group, r.measure) == ("group=alone", "far"))
    assert (row.n_units, row.left_out, row.ci_low) == (1, "few_units", None)
