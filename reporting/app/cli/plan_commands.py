"""The command ``plan``: how many trials, clusters or readers a question needs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from reporting.app.cli.app import ConfigPath, Overrides, Quiet, Verbose, add_command, app, guarded
from reporting.app.terminal import voice_for
from reporting.app.terminal.log import Log, Voice
from reporting.features.planning.options import OPTIONS, PlanOption
from reporting.features.planning.questions import PILOT, QUESTIONS, PlanQuestion

if TYPE_CHECKING:
    from reporting.features.planning.sample_plan import SamplePlan

CONFIGS = (".yaml", ".yml")
SWITCHES = ("as_json", "quiet", "verbose", "unpaired")


class PlanGroup(TyperGroup):
    """Questions by name or synonym; the config of a pilot needs no word before it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word is for."""
        word, *rest = args
        known = QUESTIONS.called(word)
        if known:
            return super().resolve_command(ctx, [known[0], *rest])
        if word.lower().endswith(CONFIGS) or Path(word).is_file():
            return super().resolve_command(ctx, [PILOT.key, *args])
        return super().resolve_command(ctx, args)


plans = typer.Typer(
    cls=PlanGroup,
    help="Plan how many trials, clusters or readers a question needs, before data are collected."
    " CONFIG alone plans from a pilot: reporting plan report.yaml --difference 0.01.",
    no_args_is_help=True,
)
app.add_typer(plans, name="plan")

Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", metavar="FILE", help="Write a page (.html) or the picture (.svg, .pdf, .png)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")]


def _declared(option: PlanOption) -> Any:
    """Return an option of the command line; its value is read by the question, which has the messages."""
    switches = [option.switch, *("--" + name.replace("_", "-") for name in option.synonyms)]
    if option.flag:
        return Annotated[bool, typer.Option(option.switch, help=option.help)]
    metavar = "|".join(word.replace("_", "-") for word in option.words) or ("TEXT" if option.text else "N")
    return Annotated[str | None, typer.Option(*switches, metavar=metavar, help=option.help)]


def _add(question: PlanQuestion, work: Callable[..., None], **more: Any) -> None:
    """Add the command of a question, with an option for each that it takes, and ``more`` parameters."""
    kinds = {name: _declared(OPTIONS[name]) for name in question.options}
    kinds = {**more, **kinds, "out": Out, "as_json": AsJson, "verbose": Verbose}
    defaults = {name: False if name in SWITCHES else None for name in kinds if name != "config"}
    add_command(plans, question.key, question.help, work, kinds, defaults)


def _question(key: str) -> Callable[..., None]:
    def work(out: Path | None, as_json: bool, verbose: bool, **given: Any) -> None:
        def planned() -> str:
            from reporting.features.planning.questions import plan_question

            return _written(plan_question(key, given), out, as_json=as_json)

        guarded(planned, Voice(sys.stderr, verbose=verbose))

    return work


def _written(plan: SamplePlan, out: Path | None, *, as_json: bool) -> str:
    """Write the file, where one is wanted, and return what is printed."""
    import json

    from reporting.document.lines import prints_unicode, terminal_width
    from reporting.features.planning.text import plan_text

    if out is not None:
        from reporting.app.run.plan_file import write_plan

        write_plan(plan, out)
    if as_json:
        return json.dumps(plan.to_dict(), indent=2, ensure_ascii=False)
    width = terminal_width()
    text = plan_text(plan, width, unicode=prints_unicode())
    return text if out is None else f"{text}\n\n{out}"


for _each in QUESTIONS.values():
    _add(_each, _question(_each.key))


def _pilot(
    config: Path,
    overrides: list[str] | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **given: Any,
) -> None:
    voice = voice_for(Log.TEXT, sys.stderr, quiet=quiet, verbose=verbose)

    def planned() -> str:
        from reporting.app.run.pilot import plan_pilot

        return _written(plan_pilot(config, given, overrides or (), voice), out, as_json=as_json)

    guarded(planned, voice)


_add(PILOT, _pilot, config=ConfigPath, overrides=Overrides, quiet=Quiet)
