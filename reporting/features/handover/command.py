"""The command ``drift``: new scores against thresholds that were handed over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reporting.document.commands import Verdict


def _schema(wanted: bool) -> None:
    if wanted:
        import json

        from reporting.features.handover.handed import json_schema

        typer.echo(json.dumps(json_schema(), indent=2))
        raise typer.Exit


def drift(
    thresholds: Annotated[Path, typer.Argument(metavar="THRESHOLDS.json", help="The file of a report.")],
    scores: Annotated[
        list[Path],
        typer.Argument(metavar="NEW_SCORES...", help="Tables of new trials, with or without labels."),
    ],
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="One model, by key. [default: all]")
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            "--criterion", metavar="C", help="What chose the threshold. [default: the primary criterion]"
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="D", help="The dataset whose thresholds are meant.")
    ] = None,
    independent: Annotated[
        bool,
        typer.Option("--independent", help="Take trials as independent, though the report had clusters."),
    ] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", callback=_schema, is_eager=True, help="Print the JSON Schema of THRESHOLDS.json."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> Verdict:
    """Check new scores against a thresholds.json; exit 1 where they differ more than chance allows."""
    import json

    from reporting.document.lines import prints_unicode, terminal_width
    from reporting.features.handover.check import check_scores
    from reporting.features.handover.handed import load_thresholds
    from reporting.features.handover.text import check_text

    handed = load_thresholds(thresholds)
    check = check_scores(
        handed, scores, model=model, criterion=criterion, dataset=dataset, independent=independent
    )
    status = 1 if check.drifted else 0
    if as_json:
        return Verdict(json.dumps(check.to_dict(), indent=2, ensure_ascii=False, allow_nan=False), status)
    width = terminal_width()
    return Verdict(check_text(check, width, unicode=prints_unicode()), status)
