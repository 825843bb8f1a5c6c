"""The page of Bengio and Mariethoz (2004): DET curves against expected performance curves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from configs.papers.epc_authentication.claims import claims_of
from configs.papers.epc_authentication.data import trials
from configs.papers.epc_authentication.pair import Pair, pair_of
from configs.papers.epc_authentication.tables import leads, rates_figure, table_1, tests_table
from configs.papers.paper import claims_table, make
from reporting.document import Block, Prose, Section, numbers
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.words.phrases import level_text
from reporting.document.words.view import DatasetView, views
from reporting.features.epc.chart import expected_rates

CITATION = (
    "S. Bengio and J. Mariethoz, The Expected Performance Curve: a New Assessment Measure for Person"
    " Authentication, Odyssey 2004: The Speaker and Language Recognition Workshop, pages 279–284."
)
WORDS = (
    "Statements are in our words. Of the paper's own results only footnote 2 and the rounding in Table 1"
    " stand here; what else is found, is found on this report's trials."
)
ALONE = "The paper compares two models; this report has one."


def epc_authentication(results: Results) -> tuple[Block, ...]:
    """Return the page: its claims beside ours, its table, its Figure 2, and where the others stand."""
    found = views(results)
    pairs = [(view, pair_of(view)) for view in found]
    first = _first(results, found)
    if len(pairs) == 1 and pairs[0][1] is not None:
        return first, *_blocks(pairs[0][1])
    parts = tuple(
        Section(view.label, f"paper-{view.number + 1}", _blocks(pair))
        for view, pair in pairs
        if pair is not None
    )
    return first, *(parts or (Prose(ALONE),))


def _first(results: Results, found: list[DatasetView]) -> Prose:
    said = f"{CITATION} Its scores were not published: here are the models of this report"
    if len(found) != 1 or len(results.models) < 2:
        return Prose(f"{said}.")
    names = [found[0].names[model] for model in results.models]
    more = f", the first two of {len(names)}" if len(names) > 2 else ""
    row = results.frame(TRIALS).filter(split="test", group="", model=results.models[0]).row(0, named=True)
    sizes = (numbers.count(row[name]) for name in ("n_target", "n_nontarget"))
    trials = "{} targets and {} non-targets".format(*sizes)
    return Prose(f"{said}, {names[0]} and {names[1]}{more}, on a test of {trials}.")


def _blocks(pair: Pair) -> tuple[Block, ...]:
    name = pair.view.unique_name("paper_claims")
    parts = [(title, anchor, blocks) for title, anchor, made in PARTS if (blocks := made(pair))]
    where = "" if pair.view.number == 0 else f"-{pair.view.number + 1}"
    return (
        claims_table(claims_of(pair), name),
        Prose(WORDS),
        *(Section(title, f"{anchor}{where}", blocks) for title, anchor, blocks in parts),
    )


def _table_1(pair: Pair) -> tuple[Block, ...]:
    if not pair.criteria:
        return ()
    return (*((Prose(said),) if (said := leads(pair)) else ()), table_1(pair))


def _figure_2(pair: Pair) -> tuple[Block, ...]:
    drawn = rates_figure(pair)
    if not drawn:
        return ()
    said = (
        "Figure 2 of the paper is a DET with the points chosen a priori and a posteriori. It is the DET"
        " below; on its warped axes a line of constant HTER is bent. With straight axes:"
    )
    return Prose(said), *drawn


def _figures_3_to_7(pair: Pair) -> tuple[Block, ...]:
    view = pair.view
    if view.study.epc is None:
        return ()
    said = [
        "Figures 3 to 5 are the expected performance curves below: thresholds chosen by the weighted sum of"
        " FAR and FRR, by a FAR aimed at, and by a FRR aimed at. Their thin dashed lines are what a DET can"
        " promise: thresholds chosen on test."
    ]
    if expected_rates(view):
        level = level_text(view.study.inference.level)
        said.append(
            "Figures 6 and 7 are the obtained over the expected FAR and FRR below; the bands say where"
            f" {level} of tests would fall that are like dev."
        )
    return tuple(Prose(one) for one in said)


def _significance(pair: Pair) -> tuple[Block, ...]:
    if not pair.criteria:
        return ()
    said = (
        "Footnote 2 of the paper tests two equal error rates as two proportions of one sample of claims. The"
        " classification error is another quantity than the HTER: where false claims are the many, it hardly"
        " sees a false rejection."
    )
    return Prose(said), tests_table(pair)


PARTS: tuple[tuple[str, str, Callable[[Pair], tuple[Block, ...]]], ...] = (
    ("Table 1: a priori beside a posteriori", "paper-table-1", _table_1),
    ("Figure 2: what the DET shows", "paper-figure-2", _figure_2),
    ("Figures 3 to 7: what is expected, and what is obtained", "paper-figures-3-7", _figures_3_to_7),
    ("Footnote 2: is the difference significant?", "paper-footnote-2", _significance),
)


def paper(results: Results) -> Section:
    """Write the section of the paper."""
    return Section("The paper", "paper", epc_authentication(results))


HERE = Path(__file__).parent


if __name__ == "__main__":
    print(make(HERE, trials, paper, Path(sys.argv[1])) / "report.html")
