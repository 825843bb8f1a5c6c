"""The campaign in short, what it once found, and that it finds what is planted."""

from __future__ import annotations

import pytest

from tests.hostile.campaign import campaign, run_here, summary

SHORT = {"configs": 40, "tables": 10, "templates": 10, "files": 30, "python": 25, "manifests": 8}
LONG = {
    "configs": 6_000,
    "tables": 2_500,
    "templates": 500,
    "files": 1_000,
    "python": 4_000,
    "manifests": 1_000,
}


@pytest.mark.parametrize("kind", SHORT)
def test_every_case_ends_by_the_contract(kind):
    found = list(run_here(kind, 1, SHORT[kind]))
    assert not any(one.faults for one in found), summary(found)
    assert {one.code for one in found} >= ({1, 2} if kind == "manifests" else {0, 2})


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG)
def test_the_long_campaign(kind, tmp_path):
    found = campaign(kind, 1, LONG[kind], tmp_path / "found.jsonl")
    assert not any(one.faults for one in found), summary(found)
