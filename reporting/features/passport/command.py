"""The command ``passport``: whether the intervals and the test of a report keep their promises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reporting.document.commands import TrialsCounted

if TYPE_CHECKING:
    import polars as pl

    from reporting.document.frames.judged import JudgedRun


def passport(
    counted: TrialsCounted,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The YAML file of the report.")],
    simulations: Annotated[
        int | None,
        typer.Option(
            "--simulations", metavar="N", help="Simulated tables; default: those of the config, or 200."
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes", metavar="M", help="Simulate for about so long; the number of tables is printed."
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY.PATH=VALUE", help="Replace one value of the config."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the passport as JSON.")] = False,
) -> str:
    """Measure on simulated tables how often the intervals of a report hold the truth."""
    import json
    from dataclasses import asdict

    from reporting.features.passport.budget import passport_frame
    from reporting.features.passport.frame import PASSPORT
    from reporting.features.passport.text import passport_text

    def frames(run: JudgedRun) -> dict[str, pl.DataFrame]:
        return {PASSPORT.name: passport_frame(run, simulations, minutes)}

    results = counted(config, overrides or (), frames)
    if as_json:
        rows = (asdict(row) for row in PASSPORT.rows(results.frame(PASSPORT)))
        return json.dumps(list(rows), indent=2, ensure_ascii=False)
    return passport_text(results)
