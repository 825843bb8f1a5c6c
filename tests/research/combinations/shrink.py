"""A failing combination made small: ``python -m tests.research.combinations.shrink SEED [--kind KIND] [--out FOLDER]``.

Keys of the config, models, runs, datasets, columns and trials are left out as long as the report fails in the
same way. The small report is printed, and written into a folder with its table.
"""

from __future__ import annotations

import argparse
import copy
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
NEEDED = ("trials", "source")


class Shrinking:
    """A combination that gets smaller; ``tries`` bounds how many reports that may take."""

    def __init__(self, combination: Any, kind: str, laws: bool, tries: int) -> None:
        self.small, self.kind, self.laws, self.tries = combination, kind, laws, tries

    def run(self) -> Any:
        """Return the smallest combination that is found; each pass begins with what leaves out most."""
        while self._passes():
            pass
        return self.small

    def _passes(self) -> bool:
        changed = False
        for smaller in (self._values_of_columns, self._trials, self._configs, self._columns):
            changed |= self._first_of(smaller)
        return changed and self.tries > 0

    def _first_of(self, smaller: Any) -> bool:
        """Try what a pass proposes, and begin it again where one of them fails in the same way."""
        changed, again = False, True
        while again and self.tries > 0:
            again = False
            for candidate in smaller():
                if self.tries <= 0:
                    break
                if self._fails(candidate):
                    self.small, changed, again = candidate, True, True
                    break
        return changed

    def _fails(self, candidate: Any) -> bool:
        from tests.research.combinations.campaign import outcome_of

        self.tries -= 1
        folder = Path(tempfile.mkdtemp(prefix="shrink-"))
        try:
            outcome = outcome_of(candidate, folder, self.laws)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return self.kind in (outcome.kinds or (outcome.message[-80:],))

    def _configs(self) -> Iterator[Any]:
        """Propose the config without a key, or without an entry of a list."""
        for trail in sorted(_trails(self.small.config), key=len):
            config = copy.deepcopy(self.small.config)
            _drop(config, trail)
            yield self.small.at(config=config)
        for key, plain in (("formats", ["json"]),):
            if self.small.config.get("report", {}).get(key, plain) != plain:
                config = copy.deepcopy(self.small.config)
                config["report"][key] = plain
                yield self.small.at(config=config)

    def _values_of_columns(self) -> Iterator[Any]:
        """Propose the table without a model, run or dataset."""
        import polars as pl

        for column in ("model", "run", "dataset"):
            frame = self.small.frame
            if column not in frame.columns:
                continue
            for value in sorted(frame[column].unique()):
                kept = frame.filter(pl.col(column) != value)
                config = copy.deepcopy(self.small.config)
                if column == "model":
                    config.get("models", {}).pop(value, None)
                    scores = config["trials"].get("scores")
                    if isinstance(scores, list | dict) and value in scores:
                        scores.pop(value) if isinstance(scores, dict) else scores.remove(value)
                if not kept.is_empty():
                    yield self.small.at(config=config, frame=kept)

    def _columns(self) -> Iterator[Any]:
        """Propose the table without a column that not all tables have."""
        from tests.research.combinations.tables import ATTRIBUTES

        for column in ("run", "dataset", "cluster_b", "cluster", "stratum", *ATTRIBUTES):
            if column in self.small.frame.columns:
                yield self.small.at(frame=self.small.frame.drop(column))

    def _trials(self) -> Iterator[Any]:
        """Propose the table without a part of its trials, halves first."""
        import polars as pl

        frame = (
            self.small.frame.with_columns(at=pl.int_range(pl.len()))
            if "trial" not in self.small.frame.columns
            else self.small.frame
        )
        key = "trial" if "trial" in frame.columns else "at"
        keys = frame[key].unique().sort().to_list()
        size = len(keys) // 2
        while size >= 1:
            for start in range(0, len(keys), size):
                lost = keys[start : start + size]
                kept = frame.filter(~pl.col(key).is_in(lost))
                if not kept.is_empty():
                    yield self.small.at(frame=kept.drop("at", strict=False))
            size //= 2


def _trails(config: Any, trail: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of keys and entries that can be left out."""
    items: Any = (
        config.items() if isinstance(config, dict) else enumerate(config) if isinstance(config, list) else ()
    )
    for key, value in items:
        if key not in NEEDED:
            yield (*trail, key)
        yield from _trails(value, (*trail, key))


def _drop(config: Any, trail: tuple[Any, ...]) -> None:
    for key in trail[:-1]:
        config = config[key]
    del config[trail[-1]]


def shrunk(seed: int, kind: str, laws: bool, tries: int) -> tuple[Any, str]:
    """Return the small combination of a seed, and the kind of failure that it keeps."""
    from tests.research.combinations.campaign import judged
    from tests.research.combinations.generator import draw

    folder = Path(tempfile.mkdtemp(prefix="shrink-"))
    outcome = judged(seed, folder, laws)
    shutil.rmtree(folder, ignore_errors=True)
    kinds = [one for one in outcome.kinds or (outcome.message[-80:],) if kind in one]
    if not kinds or not kinds[0]:
        raise SystemExit(f"seed {seed} has no such failure; it has {outcome.kinds or outcome.code}")
    return Shrinking(draw(seed), kinds[0], laws, tries).run(), kinds[0]


def main() -> int:
    """Make a failing combination small, print it, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--kind", default="", help="a part of the kind of failure; left out: the first one")
    parser.add_argument("--laws", action="store_true")
    parser.add_argument("--tries", type=int, default=250)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--program", type=Path, help="the checkout whose program makes the reports")
    asked = parser.parse_args()
    if asked.program:
        from tests.research.combinations.campaign import take_program

        take_program(asked.program)
    start = time.perf_counter()
    small, kind = shrunk(asked.seed, asked.kind, asked.laws, asked.tries)
    out = asked.out or Path(tempfile.gettempdir()) / f"combination-{asked.seed}"
    shutil.rmtree(out, ignore_errors=True)
    small.write(out)
    print(f"seed {asked.seed}: {kind} ({time.perf_counter() - start:.0f} s)")
    print((out / "report.yaml").read_text())
    print(small.frame.write_csv())
    print(f"written to {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
