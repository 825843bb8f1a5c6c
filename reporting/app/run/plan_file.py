"""A plan in a file: a page, or the picture alone."""

from __future__ import annotations

from pathlib import Path

from reporting.base.publish import write_in_place
from reporting.errors import OutputError, did_you_mean, listed, quoted
from reporting.features.planning.page import PICTURE, plan_report
from reporting.features.planning.sample_plan import SamplePlan
from reporting.render.formats import render_all

ENDINGS = {
    ".html": ("html", "report.html"),
    ".md": ("markdown", "report.md"),
    ".svg": ("html", f"figures/{PICTURE}.svg"),
    ".pdf": ("html", f"figures/{PICTURE}.pdf"),
    ".png": ("png", f"figures/{PICTURE}.png"),
}
"""Endings of files, each with the format that makes it and its name there."""


def write_plan(plan: SamplePlan, file: Path) -> None:
    """Write a plan in the format of a file's ending, in place of such a file there.

    OutputError for an ending that is none of ``ENDINGS``, and for a file that cannot be written.
    """
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise OutputError(
            f"-o: {quoted(str(file))} does not end in a known format{did_you_mean(ending, ENDINGS)}"
            f" (allowed: {listed(ENDINGS)})"
        )
    form, name = ENDINGS[ending]
    write_in_place(file, render_all(*plan_report(plan), [form], interactive=True)[name])
