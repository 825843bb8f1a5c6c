"""The commands ``run``, ``check`` and ``counts``: what is made of a config."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from reporting.app.cli.app import ConfigPath, Logged, Overrides, Quiet, Verbose, app, guarded
from reporting.app.terminal import voice_for
from reporting.app.terminal.log import Log
from reporting.errors import OutputError
from reporting.inputs.spec import Dialect, Paired

if TYPE_CHECKING:
    from reporting.inputs.bundle import Noise

Names = Literal["names", "digests"]


@app.command()
def run(
    config: ConfigPath,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Output folder (default: report for report.yaml, else NAME-report).",
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Ignore the cache: recompute everything, store nothing.")
    ] = False,
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: Logged = Log.TEXT,
) -> None:
    """Build the report described by a config."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)
    status: list[int] = []

    def work() -> str:
        from reporting.base.provenance import report_date

        report_date()  # reported here, because libraries read SOURCE_DATE_EPOCH when they are imported
        from reporting.app.run.report import make_report
        from reporting.app.run.run_history import is_held_back

        without = ["run.cache=null"] if no_cache else []
        folder = make_report(config, out, [*(overrides or ()), *without], voice)
        status.extend([1] if is_held_back(folder) else [])
        pages = [folder / name for name in ("report.html", "report.tex", "report.json")]
        return str(next((page for page in pages if page.exists()), folder))

    guarded(work, voice, status)


@app.command()
def check(
    config: ConfigPath,
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: Logged = Log.TEXT,
) -> None:
    """Validate a config and its data without computing anything."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)

    def work() -> str:
        from reporting.app.run.check import check_report

        return check_report(config, overrides or (), voice)

    guarded(work, voice)


@app.command()
def counts(
    config: ConfigPath,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The Parquet file to write.")
    ] = None,
    sql: Annotated[
        Dialect | None,
        typer.Option(help="Print the statements that count, for an engine that only you can ask."),
    ] = None,
    paired: Annotated[
        bool, typer.Option("--paired", help="Keep joint counts of all models (needed for paired tests).")
    ] = False,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="Keep counts by block of trials (enough for paired comparisons).")
    ] = False,
    least: Annotated[
        int | None,
        typer.Option(
            "--least",
            metavar="N",
            min=1,
            help="Merge neighbouring scores until no cell has fewer than N trials.",
        ),
    ] = None,
    noise: Annotated[
        float | None,
        typer.Option(
            "--noise",
            metavar="EPSILON",
            help="Add random noise to every count (differential privacy): EPSILON for each score, so"
            " k x m x EPSILON for a person with k trials scored by m models. Needs --range.",
        ),
    ] = None,
    score_range: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--range",
            metavar="LOW HIGH",
            help="With --noise: the scores that equal bins part, chosen without a look at the data.",
        ),
    ] = None,
    bins: Annotated[
        int | None, typer.Option("--bins", metavar="B", help="With --noise: how many bins (default: 64).")
    ] = None,
    clusters: Annotated[Names, typer.Option(help="How clusters are named in the file.")] = "digests",
    salt: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            envvar="REPORTING_SALT",
            help="Salt for hashing cluster names; use the same at every site. Others see a command's words.",
        ),
    ] = "",
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: Logged = Log.TEXT,
) -> None:
    """Write aggregate counts without scores, to be pooled and evaluated elsewhere."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)

    def work() -> str:
        if paired and blocks:
            raise OutputError("--paired keeps joint counts and --blocks does not; leave one of them out")
        pairs: Paired = "blocks" if blocks else paired
        if sql is not None:
            from reporting.app.run.counts import statements

            if noise is not None:
                raise OutputError("--noise is added to a file that is written here; leave it out with --sql")
            if least is not None:
                raise OutputError(
                    "--least merges scores of a file that is written here; leave it out with --sql"
                )
            return statements(config, sql, overrides or (), paired=pairs)
        if out is None:
            raise OutputError("counts: name the file to write with -o")
        from reporting.app.run.counts import make_bundle
        from reporting.app.run.tabulate import Naming

        return str(
            make_bundle(
                config,
                out,
                overrides or (),
                voice,
                paired=pairs,
                naming=Naming(clusters, salt),
                least=least,
                noise=_noise(noise, score_range, bins),
            )
        )

    guarded(work, voice)


def _noise(epsilon: float | None, score_range: tuple[float, float] | None, bins: int | None) -> Noise | None:
    """Return the noise that the options ask for; OutputError where one lacks the other."""
    if epsilon is None:
        for option, value in (("--range", score_range), ("--bins", bins)):
            if value is not None:
                raise OutputError(
                    f"{option} parts scores for --noise; give --noise EPSILON with it, or leave it out"
                )
        return None
    if score_range is None:
        raise OutputError(
            "--noise: give the range of the scores, such as --range 0 1; it is public, so choose it without"
            " a look at the data"
        )
    from reporting.inputs.bundle import Noise

    return Noise(epsilon, *score_range, *(() if bins is None else (bins,)))
