"""What a paper says beside what the data of this report say."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from reporting.report import numbers
from reporting.report.blocks import Cell, Column, Table


@dataclass(frozen=True)
class Claim:
    """One statement of a paper and our finding on it.

    ``where`` is its place in the paper, ``printed`` the number it prints there, ``ours`` what is found
    here; ``holds`` None where nothing decides, as with data that were never published. ``erratum`` is
    what has to be corrected in the statement.
    """

    where: str
    says: str
    ours: str
    holds: bool | None
    printed: str = ""
    erratum: str = ""


def compared(
    where: str,
    says: str,
    printed: float,
    ours: float | None,
    within: float,
    decimals: int,
    erratum: str = "",
) -> Claim:
    """Hold a printed number against ours: they agree where they differ by at most ``within``."""
    holds = ours is not None and abs(printed - ours) <= within
    return Claim(where, says, numbers.fixed(ours, decimals), holds, numbers.fixed(printed, decimals), erratum)


def prepare(folder: Path, trials: pl.DataFrame, out: Path) -> Path:
    """Write the trials of a paper and the config in its folder into ``out``; return that config."""
    out.mkdir(parents=True, exist_ok=True)
    trials.write_parquet(out / "trials.parquet")
    return Path(shutil.copyfile(folder / "report.yaml", out / "report.yaml"))


VERDICTS = {True: "holds", False: "does not hold", None: "not decided here"}


def claims_table(claims: Sequence[Claim], name: str = "paper_claims") -> Table:
    """Return the statements as a table, their corrections as its notes."""
    return Table(
        name=name,
        caption="What the paper says, what it prints, and what is found here.",
        columns=(
            Column("in the paper"),
            Column("it says"),
            Column("it prints", "number"),
            Column("here"),
            Column("verdict"),
        ),
        rows=tuple(_cells(claim, claims) for claim in claims),
        notes=tuple(f"[{mark}] {erratum}" for erratum, mark in _marks(claims).items()),
    )


def _cells(claim: Claim, claims: Sequence[Claim]) -> tuple[Cell, ...]:
    mark = _marks(claims).get(claim.erratum)
    verdict = VERDICTS[claim.holds] + (f"; corrected [{mark}]" if mark else "")
    return Cell(claim.where), Cell(claim.says), Cell(claim.printed), Cell(claim.ours), Cell(verdict)


def _marks(claims: Sequence[Claim]) -> dict[str, int]:
    """Number the corrections in the order in which they are needed."""
    said = dict.fromkeys(claim.erratum for claim in claims if claim.erratum)
    return {erratum: number for number, erratum in enumerate(said, start=1)}
