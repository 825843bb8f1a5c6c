"""A report, or one picture, as a piece of HTML for a page that somebody else owns, such as a notebook.

It has no script, no style and no address of anything outside, so that any policy of the page lets it through;
numbers within identifiers are its own, because all cells of a notebook are one document.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from markupsafe import Markup

from reporting.base.legible import all_legible
from reporting.document.blocks import Block, Caution, Figure, Report, Section, Spec, Table
from reporting.render.drawing import submit
from reporting.render.environment import html_environment
from reporting.render.html import chip_of, lightened
from reporting.render.layout import lay_out
from reporting.render.pictures import svg_of, with_prefix
from reporting.render.render_input import figures, tables, within

ANSWER = "summary"
"""The anchor of the section that a fragment shows."""
SHOWN_FIRST = ("det", "epc", "roc")
"""How the names of pictures begin that are the best single one, the best first."""
OPEN_CAUTIONS = 3


def report_fragment(report: Report) -> str:
    """Return the answer of a report with its cautions, its summary tables and one picture."""
    shown = all_legible(report)
    answer = _answer(shown)
    cautions = cautions_of(shown)
    picture = chosen_figure(figures(shown))
    values = {
        "report": shown,
        "cautions": cautions[:OPEN_CAUTIONS],
        "more_cautions": len(cautions[OPEN_CAUTIONS:]),
        # A title over the next tables, or a table.
        "parts": [
            (block.title, None) if isinstance(block, Section) else ("", lay_out(block))
            for block in answer
            if isinstance(block, Section | Table)
        ],
        "figure": picture,
        "picture": None if picture is None else inline_picture(picture.spec, picture.alt),
        "chip_of": chip_of,
        "n_tables": len(tables(shown)),
        "n_figures": len(figures(shown)),
    }
    return html_environment().get_template("notebook.html.j2").render(**values)


def cautions_of(report: Report) -> list[Caution]:
    """Return the cautions of a report's answer, those that change how it is read first."""
    cautions = [block for block in _answer(report) if isinstance(block, Caution)]
    return sorted(cautions, key=lambda caution: not caution.grave)


def _answer(report: Report) -> list[Block]:
    answers = (section for section in report.sections if section.anchor == ANSWER)
    return [block for answer in answers for each in answer.blocks for block in within(each)]


def chosen_figure(every: Sequence[Figure]) -> Figure | None:
    """Return the picture that shows most alone: a DET curve, else an EPC, else whatever comes first."""
    for kind in SHOWN_FIRST:
        for figure in every:
            if re.fullmatch(rf"{kind}(_.*)?", figure.name):
                return figure
    return next(iter(every), None)


def inline_picture(spec: Spec, alt: str) -> Markup:
    """Return a picture as SVG that is a part of the page."""
    # The drawing library escapes names as XML, which within SVG is read as HTML reads it.
    return Markup('<div role="img" aria-label="{}">{}</div>').format(alt, Markup(drawn_alone(spec)))


def drawn_alone(spec: Spec) -> str:
    """Return a picture as SVG whose identifiers no other picture of a document has."""
    svg = lightened(submit(svg_of, spec).result())
    digest = hashlib.sha256(svg.encode()).hexdigest()[:12]
    return with_prefix(svg, f"p{digest}-")
