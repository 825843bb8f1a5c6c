"""The study of the check of new scores, briefly: a large change is found, and none is found mostly where none is."""

import numpy as np
import pytest

from tests.research.studies import handover


def test_a_large_change_is_found_with_and_without_labels(tmp_path, monkeypatch):
    monkeypatch.setattr(handover, "SIZES", (1000,))
    names = ("nothing", "all scores 0.4 sd higher")
    monkeypatch.setattr(handover, "CHANGES", {name: handover.CHANGES[name] for name in names})
    found = handover.shares(range(6), clustered=False)
    assert found["all scores 0.4 sd higher", 1000] == (1, 1)
    assert max(found["nothing", 1000]) <= 1 / 3


@pytest.mark.parametrize("clustered", [False, True])
def test_new_trials_are_those_of_the_report_but_for_the_change(clustered):
    rng = np.random.default_rng(2)
    usual = handover.drawn(rng, 40_000, handover.Change(), clustered, "a")
    moved = handover.drawn(rng, 40_000, handover.Change(targets=0.3, every=0.5), clustered, "b")
    assert usual["label"].mean() == pytest.approx(0.2, abs=0.01)
    assert moved["label"].mean() == pytest.approx(0.3, abs=0.01)
    of_nontargets = [table.filter(~table["label"])["score"] for table in (usual, moved)]
    assert of_nontargets[0].std() == pytest.approx(1, abs=0.02)
    assert of_nontargets[1].mean() - of_nontargets[0].mean() == pytest.approx(0.5, abs=0.05)
