"""A 100-point EPC: ours beside bob.measure, each a script for an interpreter of its own; `table.py` runs them.

Both start from arrays of scores, unsorted, and print the seconds they took. bob.measure gives the HTER alone;
at alpha 0 and 1 its threshold is not the optimum (methods 7.3). It compiles itself when first called, and is
given that call for nothing.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

POINTS = 100

PEER = """
import sys, time
import numpy as np
from bob.measure import epc
data = np.load(sys.argv[1])
sets = [data[name] for name in ("dev_neg", "dev_pos", "test_neg", "test_pos")]
epc(*(scores[:9] for scores in sets), n_points=3)  # it compiles itself first
start = time.perf_counter()
curve = epc(*sets, n_points=int(sys.argv[2]))
print(time.perf_counter() - start)
np.save(sys.argv[3], curve)
"""

OURS = """
import sys, time
import numpy as np
sys.path.insert(0, sys.argv[4])
from reporting.core.counts.cuts import count_cuts
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.curves.epc import alpha_grid, choose, judge
from reporting.core.stats.rates import hter
data = np.load(sys.argv[1])
sides = {
    split: (
        np.concatenate([data[f"{split}_neg"], data[f"{split}_pos"]]),
        np.repeat([False, True], [len(data[f"{split}_neg"]), len(data[f"{split}_pos"])]),
    )
    for split in ("dev", "test")
}
start = time.perf_counter()
dev, _ = count_cuts(*sides["dev"])
test, _ = count_cuts(*sides["test"])
thresholds = choose(dev, CRITERIA["weighted_error"], "balanced", "midpoint", alpha_grid(int(sys.argv[2])))
errors = judge(thresholds, dev, test, "balanced", "midpoint").test
curve = hter(errors.misses, errors.false_alarms, *test.totals)
print(time.perf_counter() - start)
np.save(sys.argv[3], curve)
"""


def write_scores(path: Path, n: int) -> None:
    rng = np.random.default_rng(1)
    sets = {
        f"{split}_{name}": rng.normal(mean, 1, n // 2)
        for split in ("dev", "test")
        for name, mean in (("neg", 0.0), ("pos", 2.0))
    }
    np.savez(path, **sets)


def run(python: str, script: str, data: Path, out: Path) -> float:
    root = str(Path(__file__).resolve().parents[3])
    command = [python, "-c", script, str(data), str(POINTS), str(out), root]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
