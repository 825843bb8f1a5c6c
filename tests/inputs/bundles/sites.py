"""A small table split over sites, its bundles, and the frames that come of either."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from build import FAST, built_from

from reporting.app.run.counts import make_bundle

SPEAKER_OF = ", columns: {cluster: speaker, trial: trial}"
"""What a config says of columns, behind the source."""


def table_of_sites() -> pl.DataFrame:
    """Two models whose speakers met two of three sites each; scores of either sign, some infinite."""
    rng = np.random.default_rng(7)
    trials = [(split, i) for split in ("dev", "test") for i in range(150)]
    rows = [
        {
            "model": model,
            "split": split,
            "trial": f"{split}{i}",
            "label": int(i % 5 < 2),
            "score": np.inf if i == 9 else float(rng.normal(1.3 * (i % 5 < 2) + 0.2 * (model == "b"))),
            "speaker": f"s{i % 17}",
            "gender": "fm"[i % 17 % 2],
            "site": i % 3,
        }
        for model in "ab"
        for split, i in trials
    ]
    return pl.DataFrame(rows)


class Sites:
    """Bundles of the sites in a folder, the joined table beside them, and the frames of both."""

    def __init__(self, folder: Path, table: pl.DataFrame) -> None:
        self.folder, self.table = folder, table

    def config(self, name: str, trials: str, *said: str) -> Path:
        """Write a config whose key ``trials`` holds this."""
        path = self.folder / f"{name}.yaml"
        path.write_text(f"trials: {{{trials}}}\n" + "".join(f"{line}\n" for line in said))
        return path

    def joined(self, trials: str = "", *said: str) -> Path:
        """Write the joined table and a config of it."""
        self.table.drop("site").write_parquet(self.folder / "joined.parquet")
        return self.config("joined", f"source: joined.parquet, coarse: 17{trials}", *said)

    def bundles(self, trials: str = "", *said: str, **options: Any) -> list[str]:
        """Count every site and return the names of the bundles."""
        names = []
        for (site,), rows in self.table.group_by("site", maintain_order=True):
            rows.drop("site").write_parquet(self.folder / f"site{site}.parquet")
            config = self.config(f"site{site}", f"source: site{site}.parquet, coarse: 17{trials}", *said)
            names.append(make_bundle(config, self.folder / f"site{site}.counts.parquet", **options).name)
        return sorted(names)

    def counted(self, names: list[str], trials: str = "", *said: str) -> Path:
        """Write a config of bundles."""
        return self.config("counted", f"layout: counts, source: [{', '.join(names)}]{trials}", *said)


def frames(config: Path, *overrides: str) -> dict[str, pl.DataFrame]:
    """Return the frames of a config."""
    return built_from(config, *FAST, *overrides).frames


def stored(frame: pl.DataFrame) -> bytes:
    """Return the bytes of a frame's file."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", statistics=True)
    return file.getvalue()


def differing(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> dict[str, list[str]]:
    """Return the frames that are not the same to the byte, each with the columns that differ."""
    assert one.keys() == other.keys()
    return {
        name: [c for c in one[name].columns if stored(one[name].select(c)) != stored(other[name].select(c))]
        for name in one
        if stored(one[name]) != stored(other[name])
    }
