"""The commands ``run``, ``check`` and ``counts``: what is made of a config."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from reporting.app.cli.app import ConfigPath, Overrides, command
from reporting.app.terminal.log import Voice
from reporting.document.commands import Verdict
from reporting.errors import OutputError
from reporting.inputs.spec import Dialect, Paired

if TYPE_CHECKING:
    from reporting.inputs.bundle import Noise

Names = Literal["names", "digests"]


@command(is_run=True)
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
    *,
    voice: Voice,
) -> Verdict:
    """Build the report described by a config."""
    from reporting.base.provenance import report_date

    report_date()  # reported here, because libraries read SOURCE_DATE_EPOCH when they are imported
    from reporting.app.run.report import make_report
    from reporting.app.run.run_history import is_held_back

    without = ["run.cache=null"] if no_cache else []
    folder = make_report(config, out, [*(overrides or ()), *without], voice)
    pages = [folder / name for name in ("report.html", "report.tex", "report.json")]
    page = next((page for page in pages if page.exists()), folder)
    return Verdict(str(page), int(is_held_back(folder)))


@command(is_run=True)
def check(config: ConfigPath, overrides: Overrides = None, *, voice: Voice) -> str:
    """Validate a config and its data without computing anything."""
    from reporting.app.run.check import check_report

    return check_report(config, overrides or (), voice)


@command(is_run=True)
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
    *,
    voice: Voice,
) -> str:
    """Write aggregate counts without scores, to be pooled and evaluated elsewhere."""
    if paired and blocks:
        raise OutputError("--paired keeps joint counts and --blocks does not; leave one of them out")
    pairs: Paired = "blocks" if blocks else paired
    if sql is not None:
        from reporting.app.run.counts import statements

        if noise is not None:
            raise OutputError("--noise is added to a file that is written here; leave it out with --sql")
        if least is not None:
            raise OutputError("--least merges scores of a file that is written here; leave it out with --sql")
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
