"""The page of the paper on the Expected Performance Curve: its claims, its figures, its areas."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from configs.papers.epc_general.claims import claims
from configs.papers.epc_general.data import trials
from configs.papers.epc_general.figures import (
    break_even_figure,
    difference_figure,
    shading_figure,
)
from configs.papers.epc_general.numbers import Pair, along, apart, stretches, tuned
from configs.papers.epc_general.tables import areas_table, equations_table, mean_table
from configs.papers.paper import claims_table, make
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.rates import EER, PRECISION_RECALL, WEIGHTED_ERROR
from reporting.core.measures.threshold import F1, HTER
from reporting.document import Block, Figure, Prose, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import level_text
from reporting.document.words.view import DatasetView, views

AUTHENTICATION, TEXT = "authentication", "text"
"""The datasets of the two tasks; with others the first stands for the one and the last for the other."""
EQUAL = ("B2", "B")
"""Two models of one law in the authentication task: whatever is found between them is chance."""
BREAK_EVEN = read_criterion("break_even(v1=precision,v2=recall)")
BOTH = (WEIGHTED_ERROR, HTER)


def epc_general(results: Results) -> tuple[Block, ...]:
    """Return the page: the paper, what it claims, and its figures rebuilt."""
    first, last = _tasks(views(results))
    if len(results.models) < 2:
        return (Prose(CITATION), Prose("The paper compares two models; there is only one here."))
    pair = results.models[0], results.models[1]
    equal = EQUAL if set(EQUAL) <= set(results.models) and first.dataset == AUTHENTICATION else None
    return (
        Prose(f"{CITATION} {_data(equal is not None)}"),
        claims_table(claims(first, last, pair, equal)),
        Section(
            "Break-even points (Figures 1 and 2)",
            "paper-break-even",
            _break_even(first, last, pair),
            beside=True,
        ),
        Section("Curves (Figures 3 to 5)", "paper-curves", (Prose(WHERE), equations_table())),
        Section("Areas (eqs. 14 to 18)", "paper-areas", _areas(first, last, pair)),
        Section(
            "Differences along α (Figures 6 and 7)",
            "paper-differences",
            _differences(first, last, pair),
            True,
        ),
        Section("Shaded α (Figure 8)", "paper-shading", _shading(first, pair, equal), beside=True),
    )


CITATION = (
    "Samy Bengio, Johnny Mariéthoz and Mikaela Keller: The Expected Performance Curve. ICML 2005 Workshop on"
    " ROC Analysis in Machine Learning."
)
WHERE = (
    "Figures 3 to 5, expected performance curves by criteria (10) to (13) of a person authentication task and"
    " a text categorisation task, are in Curves below: HTER and F1 by every one of the four. Beside"
    " them stand the a posteriori curves (dashed) that the paper warns of. The equations, read with their"
    " errata, and what they are called here:"
)


def _data(simulated: bool) -> str:
    if simulated:
        return (
            "The data here are simulated, because the paper's were not published: an authentication task in"
            " which A separates better and drifts between dev and test while B does not, and a text task of a"
            " rare category with the same contrast. B trained again has the law of B in the authentication"
            " task."
        )
    return "The data here are not the paper's, whose own were not published."


def _tasks(found: list[DatasetView]) -> tuple[DatasetView, DatasetView]:
    by_name = {view.dataset: view for view in reversed(found)}
    return by_name.get(AUTHENTICATION, found[0]), by_name.get(TEXT, found[-1])


def _break_even(first: DatasetView, last: DatasetView, pair: Pair) -> tuple[Block, ...]:
    figures = break_even_figure(first, pair, EER), break_even_figure(last, pair, BREAK_EVEN)
    return (
        Prose(
            "A break-even point is read off the test data itself. What a threshold chosen on other data does"
            " lies elsewhere on the same curve, and the models may change places: inequality (9) in the table"
            " above. The whole curves with their bands are in Curves below."
        ),
        *_drawn(figures),
    )


def _drawn(figures: Iterable[Figure | None]) -> Iterable[Figure]:
    return (figure for figure in figures if figure is not None)


def _areas(first: DatasetView, last: DatasetView, pair: Pair) -> tuple[Block, ...]:
    tables = [areas_table(view) for view in dict.fromkeys((first, last))]
    means = [mean_table(view, pair) for view in dict.fromkeys((first, last))]
    return (
        Prose(
            "E of eqs. (15) and (16) is the area under the HTER along a target FAR or FRR, G of eq. (18) the"
            " mean of both: exact areas of steps, without a grid. The same over [0, ½] and by the other"
            " criteria, with the a posteriori areas, are in Mean expected performance below."
        ),
        *(table for table in (*tables, *means) if table is not None),
    )


def _differences(first: DatasetView, last: DatasetView, pair: Pair) -> tuple[Block, ...]:
    made = []
    for view, asked in ((first, BOTH), (last, (PRECISION_RECALL, F1))):
        found = along(view, *asked, pair)
        if found is not None:
            held = tuned(view, pair) if asked == BOTH and found.inference == "procedure" else None
            made.append(difference_figure(view, asked, pair, found, held))
    return (
        Prose(
            "Figure 6, the histogram of the bootstrap differences at one α (here ½, the minimum of the"
            " HTER), is in Comparisons below, for every pair. Along α their intervals make Figure 7."
        ),
        *made,
    )


def _shading(view: DatasetView, pair: Pair, equal: Pair | None) -> tuple[Block, ...]:
    figures: list[Figure | None] = []
    for number, two in enumerate(dict.fromkeys(filter(None, (pair, equal))), start=1):
        held, found = tuned(view, two), along(view, *BOTH, two)
        level = level_text(view.study.inference.level)
        if held is not None:
            grey = stretches(held.alpha, apart(held))
            said = (
                f"Grey, the paper's reading: α at which the {level} interval of the two tuned systems leaves"
                f" 0 out, known at {len(held.alpha)} α."
            )
            figures.append(shading_figure(view, BOTH, two, grey, f"paper_shading_{number}_given", said))
        if found is not None and found.inference == "procedure":
            grey = stretches(found.alpha, found.shown)
            said = (
                f"Grey: α at which the {level} sup-t band of the models' difference leaves 0 out, thresholds"
                " chosen again on resampled dev."
            )
            figures.append(shading_figure(view, BOTH, two, grey, f"paper_shading_{number}", said))
    return (Prose(SHADING), *_drawn(figures))


SHADING = (
    "The paper resamples test and keeps the thresholds. That compares two tuned systems, which differ"
    " wherever dev happened to tune them differently, also where the models are the same; and it looks at"
    " each α by itself. This report by default draws dev again too, and asks a band that holds at all α at"
    " once. The pictures with p at each α are in Comparisons below."
)


def paper(results: Results) -> Section:
    """Write the section of the paper."""
    return Section("The paper", "paper", epc_general(results))


HERE = Path(__file__).parent


if __name__ == "__main__":
    print(make(HERE, trials, paper, Path(sys.argv[1])) / "report.html")
