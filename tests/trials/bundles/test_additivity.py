"""However trials are dealt to sites, the bundles of the sites add up to that of the whole."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from trials.bundles.sites import SPEAKER_OF, Sites, table_of_sites

from reporting.counts.tabulate import Naming
from reporting.run.counts import make_bundle
from reporting.trials.bundle import open_bundle
from reporting.trials.spec import TrialSpec

FEW = table_of_sites().filter(pl.col("trial").is_in([f"{s}{i}" for s in ("dev", "test") for i in range(12)]))
DEALT = st.lists(st.integers(0, 2), min_size=24, max_size=24)


@pytest.mark.parametrize("paired", [False, True])
@settings(max_examples=10)
@given(dealt=DEALT)
def test_bundles_of_sites_add_up_to_that_of_the_whole(dealt, paired):
    trials = FEW["trial"].unique().sort()
    site = FEW["trial"].replace_strict(dict(zip(trials, dealt, strict=True)), return_dtype=pl.Int64)
    table = FEW.with_columns(site=site)
    held = table.group_by("site").agg(pl.struct("split", "label").n_unique().alias("kinds"))
    assume((held["kinds"] == 4).all())
    with tempfile.TemporaryDirectory() as folder:
        made = Sites(Path(folder), table)
        options = {"paired": paired, "naming": Naming("names")}
        names = made.bundles(SPEAKER_OF, **options)
        whole = make_bundle(made.joined(SPEAKER_OF), made.folder / "whole.parquet", **options)
        added = open_bundle(TrialSpec(tuple(made.folder / name for name in names), layout="counts"))
        assert added.rows.equals(pl.read_parquet(whole))
        assert sum(one.rows_read for one in added.about.read) == table.height
