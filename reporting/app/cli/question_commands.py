"""The commands of questions: each a function that returns what is printed, or a page to write."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

from reporting.app.cli.app import Verbose, app, guarded
from reporting.app.terminal import voice_for
from reporting.app.terminal.log import Log, Voice
from reporting.base.extensions import imported
from reporting.document.commands import AnalysesOf, PageToWrite, TrialsCounted, Verdict
from reporting.features.catalogue import FEATURES


def _add(function: Callable[..., str | PageToWrite | Verdict]) -> None:
    """Add a command with the parameters of a function, ``--verbose`` and the ends that all commands have."""

    def command(verbose: bool, **given: Any) -> None:
        voice = voice_for(Log.TEXT, sys.stderr, verbose=verbose)
        status: list[int] = []

        def work() -> str:
            done = function(**given, **{name: brings(voice) for name, brings in brought.items()})
            if isinstance(done, Verdict):
                status.append(done.status)
                return done.text
            return _written(done) if isinstance(done, PageToWrite) else done

        guarded(work, voice, status)

    kinds = {**get_type_hints(function, include_extras=True), "verbose": Verbose}
    brought = {name: BROUGHT[kind] for name, kind in kinds.items() if kind in BROUGHT}
    for name in ("return", *brought):
        del kinds[name]
    taken = inspect.signature(function).parameters
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=taken[name].default if name in taken else False,
                annotation=kind,
            )
            for name, kind in kinds.items()
        ]
    )
    command.__annotations__ = kinds
    name, about = function.__name__, inspect.getdoc(function)
    app.command(name, help=about, context_settings={"allow_extra_args": False})(command)


def _repeated(voice: Voice) -> AnalysesOf:
    from reporting.app.run.analyses import repeated_analyses

    return repeated_analyses


def _counted(voice: Voice) -> TrialsCounted:
    from reporting.app.run.counted import TrialsOfConfig
    from reporting.base.progress import Stages

    return TrialsOfConfig(Stages(voice))


BROUGHT: Mapping[object, Callable[[Voice], AnalysesOf | TrialsCounted]] = {
    AnalysesOf: _repeated,
    TrialsCounted: _counted,
}
"""What a command is given by the type of its parameter."""


def _written(page: PageToWrite) -> str:
    """Write a page to a temporary file, then move it into place; return its name."""
    from reporting.base.publish import replacing
    from reporting.errors import unwritable
    from reporting.render.formats import render_all

    content = render_all(page.report, page.provenance, ["html"], interactive=True)["report.html"]
    try:
        with replacing(page.file) as new:
            new.write_bytes(content)
    except OSError as error:
        raise unwritable(page.file, error) from None
    return str(page.file)


# Packages of others are loaded for what needs them; no command of theirs is known before.
for _feature in FEATURES.own.values():
    for _place in _feature.commands:
        _add(imported(_place))
