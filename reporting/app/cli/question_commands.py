"""The commands of questions: each a function that returns what is printed, or a page to write."""

from __future__ import annotations

from reporting.app.cli.app import BROUGHT, command
from reporting.app.terminal.log import Voice
from reporting.base.extensions import imported
from reporting.document.commands import AnalysesOf, TrialsCounted
from reporting.features.catalogue import FEATURES


def _repeated(voice: Voice) -> AnalysesOf:
    from reporting.app.run.analyses import repeated_analyses

    return repeated_analyses


def _counted(voice: Voice) -> TrialsCounted:
    from reporting.app.run.counted import TrialsOfConfig
    from reporting.base.progress import Stages

    return TrialsOfConfig(Stages(voice))


BROUGHT |= {AnalysesOf: _repeated, TrialsCounted: _counted}

# Packages of others are loaded for what needs them; no command of theirs is known before.
for _feature in FEATURES.own.values():
    for _place in _feature.commands:
        command()(imported(_place))
