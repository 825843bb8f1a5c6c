"""Groups have rows on dev too: those of their own trials there."""

from __future__ import annotations

from build import build

from reporting.document.frames.trials import TRIALS


def test_a_group_on_dev_holds_its_own_trials(tmp_path):
    rows = [
        {
            "model": "a",
            "split": split,
            "trial": str(i),
            "label": i % 3 == 0,
            "score": i % 5 / 2,
            "gender": "fm"[i < 8],
        }
        for split in ("dev", "test")
        for i in range(20 if split == "dev" else 30)
    ]
    counted = {
        row.group: (row.n_target, row.n_nontarget)
        for row in build(tmp_path, rows, "by: [gender]\n").rows(TRIALS)
        if row.split == "dev" and row.group
    }
    assert counted == {"gender=f": (4, 8), "gender=m": (3, 5)}
