"""What a paper says beside what the data of this report say."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
from ruamel.yaml import YAML

import reporting
from reporting.document import Cell, Column, Section, Table, numbers
from reporting.document.frames.results import Results


@dataclass(frozen=True)
class Claim:
    """One statement of a paper, a row of its ``claims.yaml``, and once it is judged our finding on it.

    ``where`` is its place in the paper, ``printed`` the number it prints there, ``within`` how near ours has
    to come, ``erratum`` what has to be corrected in the statement. ``ours`` is what is found here; ``holds``
    is None where nothing decides, as with data that were never published.
    """

    where: str
    says: str
    printed: str
    within: float
    erratum: str
    ours: str = ""
    holds: bool | None = None

    @property
    def number(self) -> float:
        """The printed number."""
        return float(self.printed)

    def found(self, ours: str, holds: bool | None, printed: str | None = None, **words: str) -> Claim:
        """Return the claim with our finding.

        ``printed`` takes the place of what the paper prints, where that is computed; ``words`` fill ``says``.
        """
        says = self.says.format(**words) if words else self.says
        return replace(self, says=says, ours=ours, holds=holds, printed=printed or self.printed)

    def against(self, value: float | None) -> Claim:
        """Hold the printed number against ours: they agree where they differ by at most ``within``."""
        holds = value is not None and abs(self.number - value) <= self.within
        return self.found(numbers.fixed(value, len(self.printed.partition(".")[2])), holds)


def read_claims(folder: Path) -> dict[str, Claim]:
    """Return the claims of a paper by the key of their row in its ``claims.yaml``."""
    rows = YAML(typ="safe", pure=True).load((folder / "claims.yaml").read_text(encoding="utf-8"))
    return {
        key: Claim(
            where=row["where"],
            says=row["says"],
            printed=str(row.get("printed", "")),
            within=float(row.get("within", 0)),
            erratum=row.get("erratum", ""),
        )
        for key, row in rows.items()
    }


def prepare(folder: Path, trials: pl.DataFrame, out: Path) -> Path:
    """Write the trials of a paper and the config in its folder into ``out``; return that config."""
    out.mkdir(parents=True, exist_ok=True)
    trials.write_parquet(out / "trials.parquet")
    return Path(shutil.copyfile(folder / "report.yaml", out / "report.yaml"))


def make(
    folder: Path,
    trials: Callable[[], pl.DataFrame],
    page: Callable[[Results], Section | None],
    out: Path,
    frames: Callable[[Path], Mapping[str, pl.DataFrame]] = lambda config: {},
) -> Path:
    """Make the trials, the config and the report of a paper in ``out``; return the folder of the report.

    ``folder`` is that of the paper, ``page`` the section that it is about, ``frames`` what this reads beside
    the results.
    """
    config = prepare(folder, trials(), out)
    report: Path = reporting.make_report(config, sections=[page], frames=frames(config)).folder
    return report


VERDICTS = {True: "holds", False: "does not hold", None: "not decided here"}


def claims_table(claims: Sequence[Claim], name: str = "paper_claims") -> Table:
    """Return the statements as a table, their corrections as its notes."""
    errata = list(dict.fromkeys(claim.erratum for claim in claims if claim.erratum))
    rows = []
    for claim in claims:
        corrected = f"; corrected [{errata.index(claim.erratum) + 1}]" if claim.erratum else ""
        texts = claim.where, claim.says, claim.printed, claim.ours, VERDICTS[claim.holds] + corrected
        rows.append(tuple(map(Cell, texts)))
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
        rows=tuple(rows),
        notes=tuple(f"[{number}] {erratum}" for number, erratum in enumerate(errata, start=1)),
    )
