import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from reporting.core.resampling.paired import adjust


def test_anchors():
    p = [0.01, 0.04, 0.03, 0.005]
    assert adjust(p, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjust(p, "bh") == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjust(p, "none") == p
    assert adjust([], "holm") == []
    assert adjust([0.66807189, 0.15730254, 0.34191006], "holm") == pytest.approx(
        [0.68382011, 0.47190763, 0.68382011]
    )


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05]), min_size=1, max_size=20))
def test_agrees_with_statsmodels(p):
    for ours, theirs in (("holm", "holm"), ("bh", "fdr_bh")):
        np.testing.assert_allclose(adjust(p, ours), multipletests(p, method=theirs)[1], atol=1e-12)
