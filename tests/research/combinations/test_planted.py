"""Faults planted in the program are caught by the laws or the oracle, in combinations that no single test has.

``python -m tests.research.combinations.test_planted`` plants each, makes reports until one is caught, and prints by what.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from reporting.core.curves import epc
from reporting.core.engine import macro, pairing, sample, values
from reporting.core.resampling import estimate, paired, units
from reporting.core.stats import confusion, effective_size, intervals, staircase, swap
from reporting.document.words import printing
from reporting.features.comparisons import frame as comparisons
from reporting.features.gates import collect, verdict
from reporting.features.groups import disparities
from tests.research.combinations.campaign import judged
from tests.research.combinations.generator import draw

MOST = 40
"""Reports in which a planted fault must be caught."""
ALONE = {"executor", "very_many_models", "pdf"}
"""Features that start processes, in which nothing is planted, or take long."""


class Planted(NamedTuple):
    """A fault: whose attribute is replaced, by what is made of the original, and the feature that meets it."""

    owner: Any
    name: str
    make: Callable[[Any], Any]
    features: tuple[str, ...] = ()
    word: str = ""
    """What the config has to name, too."""


def _one_sided(original: Any) -> Any:
    def planted(self: Any, level: float) -> Any:
        limits = original(self, level)
        return limits and intervals.Interval(limits.low, self.difference)

    return planted


def _lowered(limits: Any, least: float) -> Any:
    return limits if limits.low is None else replace(limits, low=min(limits.low, least - 0.1))


PLANTED: dict[str, Planted] = {
    "what is undefined is NaN": Planted(values, "defined", lambda original: float),
    "no status of what is undefined": Planted(values, "status_of", lambda original: lambda *args: None),
    "limits leave what the measure can be": Planted(estimate.ModelInterval, "of", lambda original: lambda self, value, bounds: _lowered(original(self, value, bounds), bounds[0])),
    "adjusted p-values are halved": Planted(paired, "adjust", lambda original: lambda *args: [p / 2 for p in original(*args)], ("more_models",)),
    "the mean over runs is the first run": Planted(sample.Sample, "point", lambda original: property(lambda self: self.by_run[0]), ("seeds",)),
    "a pair is not turned round": Planted(pairing.Pair, "turned", lambda original: lambda self, difference: difference, ("baseline",)),
    "limits over a family are not widened": Planted(comparisons, "_banded", lambda original: lambda row, low, high: original(replace(row, ci_low=None), row.difference, row.difference), ("more_models",)),
    "the swap test counts half of the exchanges": Planted(swap, "swap_p", lambda original: lambda *args: original(*args) / 2),
    "the limits of the swap test end at the value": Planted(swap.Swaps, "interval", _one_sided),
    "the largest of the groups is the smallest": Planted(disparities, "STATISTICS", lambda original: original | {"maximum": original["minimum"]}, ("across",)),
    "a score at the threshold is rejected": Planted(staircase, "cut_at", lambda original: lambda distinct, threshold: np.searchsorted(distinct, threshold, side="right"), ("criteria",)),
    "thresholds lie at the upper score": Planted(staircase, "threshold_of", lambda original: lambda distinct, cut, at="midpoint": original(distinct, cut, "upper"), ("criteria",)),
    "thresholds are chosen on the test set": Planted(epc, "judge", lambda original: lambda chosen, dev, test, ties, at, best_on=None: original(epc.choose(test, chosen.criterion, ties, at, chosen.alpha), dev, test, ties, at, best_on), ("criteria",)),
    "alpha runs the other way": Planted(epc, "along", lambda original: lambda criterion, alpha: {} if alpha is None else {criterion.swept: alpha[::-1]}, ("epc",)),
    "F1 is the mean of precision and recall": Planted(confusion, "_f", lambda original: lambda c, beta: (confusion.ratio(c.tp, c.accepted) + confusion.ratio(c.tp, c.target)) / 2, ("measures",), "f1"),
    "means over a column leave out values of 0": Planted(macro, "values_by_member", lambda original: lambda *args: (np.where(of == 0, np.nan, of) for of in original(*args)), ("averaged_over",)),
    "a gate knows the first run alone": Planted(collect, "data_of_value", lambda original: lambda gate, runs, drawn, study: original(gate, replace(runs, runs=runs.runs[:1]), drawn, study), ("gates", "seeds")),
    "gates pass what does not": Planted(verdict, "judge", lambda original: lambda cases: [replace(each, outcome="pass") for each in original(cases)], ("gates",)),
    "a sample without a value has no status": Planted(sample.Sample, "status", lambda original: lambda self, at=0: None, ("scales",)),
    "limits are printed in the wrong order": Planted(printing.Printing, "interval", lambda original: lambda self, low, high: original(self, high, low)),
    "marks are drawn a tenth too far out": Planted(printing.Printing, "scaled", lambda original: lambda self, value: None if value is None else 1.1 * original(self, value)),
    "replicates of clusters are not widened": Planted(units.Units, "inflation", lambda original: property(lambda self: 1.0), ("clusters",)),
    "the interval of an AUC has half the level": Planted(estimate, "auc_interval", lambda original: lambda area, placements, ranks, level, *more: original(area, placements, ranks, level / 2, *more)),
    "the unit is the trial though clusters are declared": Planted(effective_size.EffectiveRate, "limits", lambda original: lambda self, level: original(self._replace(df=None), level), ("clusters",)),
}  # fmt: skip
"""By its words."""


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(name, monkeypatch)
    assert caught(name) is not None


def plant(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace what a fault replaces, wherever a module of the program has it."""
    fault = PLANTED[name]
    original = getattr(fault.owner, fault.name)
    instead = fault.make(original)
    monkeypatch.setattr(fault.owner, fault.name, instead)
    for module in [module for key, module in sys.modules.items() if key.startswith("reporting.")]:
        for attribute, value in [*vars(module).items()]:
            if value is original:
                monkeypatch.setattr(module, attribute, instead)


def caught(name: str) -> tuple[int, str] | None:
    """Return how many reports it took until a planted fault was caught, and by what; None where it was not."""
    fault = PLANTED[name]
    for number, seed in enumerate(itertools.islice(_seeds(fault.features, fault.word), MOST), start=1):
        with tempfile.TemporaryDirectory() as folder:
            found = judged(seed, Path(folder), laws=True)
        if found.faults:
            return number, f"seed {seed}: {found.faults[0]}"
    return None


def _seeds(features: tuple[str, ...], word: str) -> Iterator[int]:
    for seed in itertools.count(1):
        combination = draw(seed)
        drawn = {*combination.features}
        if {*features} <= drawn and not drawn & ALONE and word in str(combination.config):
            yield seed


def main() -> None:
    """Print what catches each fault."""
    for name in sys.argv[1:] or PLANTED:
        with pytest.MonkeyPatch.context() as monkeypatch:
            plant(name, monkeypatch)
            print(f"{name}: {caught(name)}", flush=True)


if __name__ == "__main__":
    main()
