"""Limits along curves, in few runs: at a point and in the band they hold the truth as often as they say."""

import math

import pytest

from tests.research.studies.along import SHOWN, along_alpha, along_roc, clustered, independent

RUNS = 60
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize("design", [independent(50, 50), clustered(6)], ids=lambda design: design.name)
def test_an_epc_is_covered(design):
    found = along_alpha(design, RUNS)
    for measure in ("weighted_error", "hter"):
        assert min(found[f"{measure} {alpha}"] for alpha in SHOWN) > LEAST
        assert found[f"{measure} band"] > LEAST
        assert 1 < found[f"{measure} width"] < 2


def test_a_roc_of_clusters_is_covered():
    found = along_roc(clustered(6), 20)
    assert min(found[kind] for kind in ("fixed_width", "sup_t", "difference")) > 0.8
