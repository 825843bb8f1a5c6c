"""The page of the paper on person authentication on real trials: two systems of EVALITA 2009."""

from __future__ import annotations

import json

import polars as pl
import pytest
from paper_results import results_of, shipped

from configs.papers.epc_authentication.page import epc_authentication
from reporting.document.blocks import Section, Table

QUICK = ("significance.bands=none", "epc.alphas=21")
SYSTEMS = ("TC1", "TC2")


@pytest.fixture(scope="module")
def page(shared, tmp_path_factory):
    trials = pl.read_parquet(shared / "data" / "ru2009.parquet").filter(pl.col("system").is_in(SYSTEMS))
    table = trials.rename({"system": "model", "speaker": "client"}).with_columns(
        label=pl.when("target").then(pl.lit("target")).otherwise(pl.lit("nontarget"))
    )
    config = shipped("epc_authentication").replace("baseline: A ", "baseline: TC1 ")
    config = config.replace("A: {name: Model A}", "TC1: {}").replace("B: {name: Model B}", "TC2: {}")
    folder = tmp_path_factory.mktemp("ru2009")
    return epc_authentication(results_of(folder, config, table.drop("target"), *QUICK))


def tables(blocks):
    for block in blocks:
        if isinstance(block, Section):
            yield from tables(block.blocks)
        elif isinstance(block, Table):
            yield block


def rows(page, name):
    return [[cell.text for cell in row] for row in next(t for t in tables(page) if t.name == name).rows]


def test_table_1_of_least_hter_is_that_of_the_references(page, shared):
    known = json.loads((shared / "references" / "verification.json").read_text())["ru2009_epc_bob"]
    found = {(row[0], row[1]): row[2:5] for row in rows(page, "paper_table_1")}
    for system in SYSTEMS:
        rates = known[system]["minhter_test"]
        assert [float(text) for text in found["minimum HTER", system]] == pytest.approx(
            [100 * rates[0], 100 * rates[1], 50 * sum(rates)], abs=0.051
        )


def test_every_claim_is_decided(page):
    decided = rows(page, "paper_claims")
    assert all(row[4].split(";")[0] in ("holds", "does not hold") for row in decided)
    # Dev and test are two conditions of different difficulty: aims are missed.
    assert next(row for row in decided if row[0] == "Figs. 6 and 7")[4] == "holds"
