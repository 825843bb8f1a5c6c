"""Generated reports with several features at once end well, keep the laws, and agree with the oracle."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from fits_of_questions import FITS

from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.settings import Test as TestWord
from reporting.document.words.terms import VOCABULARIES
from reporting.features.catalogue import CURVES
from reporting.features.codes import codes
from reporting.features.sections import NAMES
from reporting.render import formats
from tests.research.combinations import names
from tests.research.combinations.campaign import campaign, judged, summary
from tests.research.combinations.coverage import AT_LEAST, all_leaves, all_names, possible_pairs, reached
from tests.research.combinations.generator import draw, make

SEEDS = (
    3, 9, 13, 20, 37, 43, 44, 48, 53, 69, 72, 87, 97, 98, 101, 106, 120, 135, 163, 167, 171, 186, 195, 208,
    215, 220, 236, 241, 244, 247, 248, 259, 267, 276, 278, 279, 300, 307, 336, 337, 342, 344, 356, 366, 370,
    376, 378, 384, 385, 399, 401, 404, 420, 450, 487, 496, 498, 542, 670, 701, 740, 745, 881, 1066, 1103,
    1182, 1402, 1412, 1462, 1539, 1675, 1708, 1848, 1877, 2012, 2048, 2061, 2113, 2118, 2129,
)  # fmt: skip
"""Of reports that take little time; together they have every key, word and name."""
CHUNK = 10


def test_the_generator_knows_all_that_a_config_may_name() -> None:
    for ours, theirs in ((names.MEASURES, MEASURES), (names.CRITERIA, CRITERIA), (names.FITS, FITS)):
        assert list(ours) == list(theirs)
    for key, offered in names.MEASURES.items():
        measure = MEASURES[key]
        known = {parameter.name for parameter in measure.parameters} if key != "zero_fmr" else set()
        assert (offered.over, offered.better, {*offered.parameters}) == (
            measure.over,
            measure.better,
            known,
        ), key
        low, high = measure.bounds
        assert all(low < limit < high for limit in offered.limits), key
    for key, parameters in names.CRITERIA.items():
        assert {*parameters} == {parameter.name for parameter in CRITERIA[key].parameters}, key
    for key, parameters in names.FITS.items():
        assert {*parameters} == {parameter.name for parameter in FITS[key].parameters}, key
    assert tuple(CURVES) == names.CURVES
    assert {*names.SECTIONS, "summary", "rest"} == {*NAMES}
    assert {*names.CODES} <= {
        code.key for code in codes().values() if code.can_be_ignored
    }  # later codes are no new key
    assert tuple(VOCABULARIES) == names.VOCABULARIES
    assert get_args(TestWord) == names.TESTS
    assert {*names.FORMATS} == {*formats.FORMATS}


def test_a_seed_makes_the_same_files_each_time(tmp_path: Path) -> None:
    for seed in range(5):
        one, other = (make(seed, tmp_path / f"{seed}{time}") for time in "ab")
        assert (one.config, one.hints) == (other.config, other.hints)
        assert one.frame.equals(other.frame)
        texts = [(tmp_path / f"{seed}{time}" / "report.yaml").read_bytes() for time in "ab"]
        assert texts[0] == texts[1]


def test_scores_are_tied_in_every_table() -> None:
    for seed in range(40):
        frame = draw(seed).frame
        for (model,), rows in frame.partition_by("model", as_dict=True).items():
            assert rows["score"].n_unique() < len(rows), (seed, model)


def test_3000_seeds_reach_every_key_20_times_and_every_pair_of_keys() -> None:
    found = reached(1, 3000)
    assert [leaf for leaf in all_leaves() if found.leaves[leaf] < AT_LEAST] == []
    assert [name for name in all_names() if found.names[name] < AT_LEAST] == []
    assert [pair for pair in possible_pairs() if not found.pairs[pair]] == []
    assert {*found.leaves} <= {*all_leaves()}


def test_the_seeds_reach_every_key_word_and_name() -> None:
    found = [reached(seed, 1) for seed in SEEDS]
    missing = {*all_leaves()}.difference(*(each.leaves for each in found))
    missing |= {*all_names()}.difference(*(each.names for each in found))
    assert not missing, f"seed {_first_with(missing)} has the most of {sorted(missing)}"


def _first_with(missing: set[str]) -> int:
    """Return the seed of a small report that reaches most of what the others lack."""
    found = ((seed, reached(seed, 1)) for seed in range(1, 1000))
    return max(found, key=lambda each: len(missing & (each[1].leaves | each[1].names).keys()))[0]


@pytest.mark.parametrize("start", range(0, len(SEEDS), CHUNK))
def test_combinations_end_well(start: int, tmp_path: Path) -> None:
    for seed in SEEDS[start : start + CHUNK]:
        outcome = judged(seed, tmp_path / str(seed), laws=True)
        assert outcome.faults == (), seed
        assert outcome.code in (0, 1), (seed, outcome.message)


@pytest.mark.long
def test_3000_combinations_end_well(tmp_path: Path) -> None:
    found = campaign(1, 3000, tmp_path / "outcomes.jsonl", laws=True)
    assert not any(one.faults for one in found), summary(found)
    assert sum(one.code in (0, 1) for one in found) >= 0.85 * len(found), summary(found)
