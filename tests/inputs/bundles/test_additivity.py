"""However trials are dealt to sites, the bundles of the sites add up to that of the whole."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.app.run.counts import make_bundle
from reporting.app.run.tabulate import Naming
from reporting.inputs.bundle import open_bundle
from reporting.inputs.spec import TrialSpec
from tests.inputs.bundles.sites import SPEAKER_OF, Sites, table_of_sites

FEW = table_of_sites().filter(pl.col("trial").is_in([f"{s}{i}" for s in ("dev", "test") for i in range(12)]))
KINDS = [
    kind["trial"].unique(maintain_order=True).to_list()
    for _, kind in FEW.group_by("split", "label", maintain_order=True)
]
"""The trials of dev and test, targets and nontargets."""


@st.composite
def dealt_trials(draw):
    """The site of each trial; every site has trials of every kind."""
    sites = range(draw(st.integers(1, 3)))
    site_of = {}
    for trials in KINDS:
        spare = len(trials) - len(sites)
        site_of |= zip(
            draw(st.permutations(trials)),
            [*sites, *draw(st.lists(st.sampled_from(sites), min_size=spare, max_size=spare))],
            strict=True,
        )
    return site_of


@pytest.mark.parametrize("paired", [False, True])
@settings(max_examples=10)
@given(site_of=dealt_trials())
def test_bundles_of_sites_add_up_to_that_of_the_whole(site_of, paired):
    table = FEW.with_columns(site=pl.col("trial").replace_strict(site_of, return_dtype=pl.Int64))
    with tempfile.TemporaryDirectory() as folder:
        made = Sites(Path(folder), table)
        options = {"paired": paired, "naming": Naming("names")}
        names = made.bundles(SPEAKER_OF, **options)
        whole = make_bundle(made.joined(SPEAKER_OF), made.folder / "whole.parquet", **options)
        added = open_bundle(TrialSpec(tuple(made.folder / name for name in names), layout="counts"))
        assert added.rows.equals(pl.read_parquet(whole))
        assert sum(one.rows_read for one in added.about.read) == table.height
