"""Neighbouring scores merged until no count is small (``reporting counts --least``), and what that can change."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting import metrics
from reporting.app.run.check import check_report
from reporting.app.run.counts import make_bundle
from reporting.app.run.merging import bounded
from reporting.core.measures.catalogue import MEASURES
from reporting.errors import DataError
from reporting.inputs.bundle import About, Bundle, content_of, described, summed
from reporting.inputs.merging import bins_of, merged
from tests.inputs.bundles.sites import Sites

CELL = ["model", "run", "dataset", "split", "by gender", "label"]


def bundle(counts):
    """A bundle of one model: (gender, label, key, number of trials)."""
    about = About("cuts", 64, (("a", "0"),), ("gender",), None, "dev", "error", "error", (), "", "0")
    frame = pl.DataFrame(counts, ["by gender", "label", "key", "n"], orient="row")
    whose = {"model": "a", "run": "0", "dataset": "all", "split": "test"}
    rows = frame.with_columns(
        pl.col("label").cast(pl.Boolean), pl.col("key").cast(pl.Float64), pl.col("n").cast(pl.Int64),
        **{name: pl.lit(text) for name, text in whose.items()},
    )  # fmt: skip
    rows = summed(about, rows)
    return Bundle(about, rows)


def test_bins_by_hand():
    # f0: 3 at 0, 2 at 1, 5 at 3. f1: 1 at 1, 4 at 2, 1 at 4. The bin 0 has 3 < 5 and goes on to 1 (5 and 1) and 2
    # (5 and 5): closed. The bin 3 (5 and none) is closed; 4 has 1, and no later key: it joins 3, which is then
    # (5, 1), and that joins the first.
    whole = bundle(
        [("f", 0, 0, 3), ("f", 0, 1, 2), ("f", 0, 3, 5), ("f", 1, 1, 1), ("f", 1, 2, 4), ("f", 1, 4, 1)]
    )
    assert bins_of(whole, 5).select("key", "low", "high").rows() == [(key, 0, 4) for key in (0, 1, 2, 3, 4)]
    lasting = bundle(
        [*((g, b, k, n) for g, b, k, n in [("f", 0, 0, 3), ("f", 0, 1, 2), ("f", 0, 3, 5)]), ("f", 1, 2, 5)]
    )
    bins = bins_of(lasting, 5)
    assert bins.select("key", "low", "high").rows() == [(0, 0, 1), (1, 0, 1), (2, 2, 2), (3, 3, 3)]
    assert merged(lasting, bins).rows.select("label", "key", "n").rows() == [
        (False, 0, 5), (False, 3, 5), (True, 2, 5),
    ]  # fmt: skip
    highest = merged(lasting, bins, "low", "high").rows.select("label", "key", "n").rows()
    assert highest == [(False, 1, 5), (False, 3, 5), (True, 2, 5)]


COUNTS = st.lists(
    st.tuples(st.sampled_from("fm"), st.integers(0, 1), st.integers(0, 8), st.integers(1, 9)),
    min_size=1,
    max_size=25,
)


@given(COUNTS, st.integers(1, 12))
def test_no_cell_is_small_and_no_trial_is_lost(counts, least):
    whole = bundle(counts)
    totals = whole.rows.group_by(CELL).agg(pl.col("n").sum())
    if totals["n"].min() < least:
        with pytest.raises(
            DataError, match=rf"--least {least}: model 'a'.* has {totals['n'].min()} trials? in all"
        ):
            bins_of(whole, least)
        return
    bins = bins_of(whole, least)
    file = merged(whole, bins)
    assert file.rows["n"].min() >= least
    assert file.rows.group_by(CELL).agg(pl.col("n").sum()).sort(CELL).equals(totals.sort(CELL))
    assert set(file.rows["key"]) <= set(whole.rows["key"])
    assert (bins["low"] <= bins["key"]).all()
    assert (bins["key"] <= bins["high"]).all()
    assert file.about.content == content_of(file.rows)


def value(measure, score, label, threshold):
    """A measure at a threshold, or over all of them, by counting."""
    cuts = [-np.inf, *np.unique(score)] if measure.over == "sweep" else None
    if cuts is None:
        errors = (
            ((score < threshold) & label).sum(),
            ((score >= threshold) & ~label).sum(),
            label.sum(),
            (~label).sum(),
        )
        return float(measure.formula(*map(int, errors), **measure.arguments))
    misses, false_alarms = (
        np.array([((score <= cut) & label).sum() for cut in cuts]), np.array([((score > cut) & ~label).sum() for cut in cuts])
    )  # fmt: skip
    return float(measure.formula(misses, false_alarms, **measure.arguments))


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("key", [key for key, measure in MEASURES.items() if bounded(measure)])
def test_a_measure_lies_between_the_ends_of_bins(key):
    measure, rng = MEASURES[key], np.random.default_rng(1)
    low, high = np.array([0, 3, 4, 7, 10]), np.array([2, 3, 6, 9, 11])
    compared = 0
    for _ in range(150):
        label = rng.permutation(np.arange(rng.integers(4, 30)) % 3 == 0)
        score = rng.integers(0, 12, len(label))
        bins = np.searchsorted(low, score, side="right") - 1
        threshold = rng.choice(low)
        ends = np.where(label, low[bins], high[bins]), score, np.where(label, high[bins], low[bins])
        worst, between, best = (value(measure, each, label, threshold) for each in ends)
        if not math.isnan(worst + between + best):
            assert min(worst, best) - 1e-9 <= between <= max(worst, best) + 1e-9
            compared += 1
    assert compared > 10


@pytest.fixture
def two_sites(tmp_path):
    """Two configs of 800 trials each, and their joined table."""
    rng, tables = np.random.default_rng(5), []
    for site in "ab":
        label = rng.random(800) < 0.4
        table = pl.DataFrame(
            {
                "trial": [f"{site}{i}" for i in range(800)],
                "split": ["dev", "test"] * 400,
                "label": label.astype(int),
                "model": ["m"] * 800,
                "score": rng.normal(1.4 * label).round(2),
            }
        )
        table.write_csv(tmp_path / f"{site}.csv")
        tables.append(table)
    sites = Sites(tmp_path, pl.concat(tables))
    said = "criteria: [fixed(threshold=0.5), eer, oracle(eer)]", "measures: [far, auc, brier]"
    return sites, [sites.config(site, f"source: {site}.csv, coarse: 30", *said) for site in "ab"]


def test_pooled_files_have_an_auc_within_the_printed_bound(two_sites):
    sites, configs = two_sites
    told = []
    files = [
        make_bundle(config, sites.folder / f"{config.stem}.pq", tell=told.append, least=7)
        for config in configs
    ]
    for path in files:
        assert pl.read_parquet(path)["n"].min() >= 7
        assert described(path, path.name).least == 7
    changes = [
        line.removeprefix("change by merging, ") for line in told if line.startswith("change by merging, ")
    ]
    bounds = dict(change.rsplit(": ", 1) for change in changes)
    assert {"auc", "far at eer", "far at fixed(threshold=0.5)", "hter at min_hter"} <= bounds.keys()
    assert bounds["no bound"] == "brier"
    assert not any("oracle" in what for what in bounds)
    pooled = sites.config("pooled", "layout: counts, source: [a.pq, b.pq]")
    checked = check_report(pooled)
    assert (
        "merged with neighbouring scores until no count of a file was below 7; an AUC is within about"
        in checked
    )
    bound = float(checked.split("within about ")[1].split()[0])
    exact = metrics(sites.table, ["auc"])["value"][0]
    both = pl.concat([pl.read_parquet(path) for path in files])
    counted = metrics(
        both.rename({"key": "score"}), ["auc"], trials={"columns": {"count": "n", "trial": None}}
    ).filter(split="test")["value"][0]
    assert 0 < abs(exact - counted) <= bound < 0.05


def test_without_small_cells_nothing_is_merged(two_sites):
    sites, (config, _) = two_sites
    plain, least = (
        make_bundle(config, sites.folder / "p.pq"),
        make_bundle(config, sites.folder / "l.pq", least=1),
    )
    assert plain.read_bytes() == least.read_bytes()
