"""Plans from Python: how many trials, clusters or readers a question needs."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from typing import Any

import polars as pl
from markupsafe import escape

from reporting.app.api.arguments import shown_value
from reporting.app.config.values import path_of
from reporting.app.run.pilot import is_config, plan_pilot
from reporting.app.run.plan_file import write_plan
from reporting.base.records import dataclass
from reporting.errors import ConfigError, did_you_mean, listed
from reporting.features.planning.page import plan_figure
from reporting.features.planning.questions import QUESTIONS, plan_question
from reporting.features.planning.sample_plan import SamplePlan
from reporting.features.planning.text import plan_text
from reporting.render.fragment import inline_picture

WHERE = "reporting.plan"


@dataclass(frozen=True)
class NotebookPlan(SamplePlan):
    """A plan as a notebook has it: numbers by name, ``sentence`` for a protocol, a table, a picture.

    ``n_trials``, ``n_target``, ``n_nontarget``, ``n_clusters`` and ``n_readers`` are the planned numbers,
    None where the question has none; ``power``, ``width`` or ``bound`` is what they give. Printing shows it.
    """

    def table(self) -> pl.DataFrame:
        """Return the sizes and what each gives, a row each, without the columns that have no number."""
        frame = pl.DataFrame(self.to_dict()["rows"], infer_schema_length=None)
        return frame.select(column for column in frame if column.null_count() < len(column))

    def save(self, file: str | PathLike[str]) -> None:
        """Write a page (.html, .md) or the picture (.svg, .pdf, .png), in place of such a file there."""
        write_plan(self, path_of(file, f"{WHERE}.save", "of a file"))

    def __repr__(self) -> str:
        return plan_text(self)

    def _repr_html_(self) -> str:
        figure = plan_figure(self)
        return f"<p>{escape(self.sentence)}</p>{inline_picture(figure.spec, figure.alt)}"


def plan(question: str | PathLike[str], /, **options: Any) -> NotebookPlan:
    """Return how many trials, clusters or readers a question needs, before data are collected.

    ``question`` is ``"rate"``, ``"far"``, ``"frr"``, ``"auc"``, ``"eer"``, ``"sensitivity"`` or
    ``"readers"``, with the options of ``reporting plan QUESTION --help``:
    ``plan("auc", auc=0.8, against=0.75)``, ``plan("far", bound=1e-4)``. Or it is the path of a pilot's
    config: ``plan("report.yaml", difference=0.01)``.
    ConfigError for what cannot be planned.
    """
    if isinstance(question, str) and QUESTIONS.called(question):
        answer = plan_question(question, options, WHERE)
    elif isinstance(question, str | PathLike) and is_config(path_of(question, WHERE, "of a config")):
        answer = plan_pilot(path_of(question, WHERE, "of a config"), options, where=WHERE)
    else:
        guess = did_you_mean(question, QUESTIONS) if isinstance(question, str) else ""
        raise ConfigError(
            f"{WHERE}: {shown_value(question)} is neither a question nor the path of a config{guess}"
            f" (allowed: {listed(QUESTIONS)}, or a .yaml file)"
        )
    return NotebookPlan(**{each.name: getattr(answer, each.name) for each in fields(answer)})
