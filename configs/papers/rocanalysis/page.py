"""The README of ROCAnalysis.jl: its walk-through on synthetic likelihood ratios, with theory beside it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from configs.papers.paper import claims_table, make
from configs.papers.rocanalysis.claims import claims
from configs.papers.rocanalysis.data import trials
from configs.papers.rocanalysis.figures import pictures
from configs.papers.rocanalysis.seen import Seen, seen
from configs.papers.rocanalysis.tables import calls, priors
from reporting.document import Block, Prose, Section, numbers
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views

CITED = (
    "David A. van Leeuwen: ROCAnalysis.jl, README and annotated notebook ROCAnalysis.ipynb,"
    " https://github.com/davidavdav/ROCAnalysis.jl."
)
LAW = (
    "The trials here are drawn anew by the README's recipe, targets from N(2, 2²) and non-targets from"
    " N(−2, 2²): every score is then its own log likelihood ratio, and every number has a theoretical value."
)
VALUES = (
    "Theory follows by formula from the two normal classes; Cllr by quadrature. Now and then an interval"
    " misses it; as all numbers come from one draw, several then miss together."
)

SHOWN = {
    "roc_error": "plot(r), misses over false alarms: the error ROC",
    "roc": "plot(r, traditional=true): the ROC",
    "det": "detplot(r): the DET",
    "ape": "apeplot(r) and, of doubled scores, apeplot(r2): the APE",
    "nbe": "nbeplot(r): the NBE",
    "llr": "llrplot(r) and llrplot(r2): the optimal log likelihood ratios",
}
"""What the plots of the walk-through are called in the section of curves."""


def rocanalysis(results: Results) -> tuple[Block, ...]:
    """Return the page: claims, calls, costs along priors, and the pictures that the report has not."""
    view = views(results)[0]
    one, doubled = seen(view)
    return (
        Prose(f"{CITED} {LAW} {_sizes(one, doubled)}"),
        claims_table(claims(one, doubled), view.unique_name("paper_claims")),
        Section(
            "The walk-through in numbers", "paper-calls", (Prose(VALUES), calls(one, doubled), priors(one))
        ),
        Section("The walk-through in pictures", "paper-pictures", (Prose(_where(one)),)),
        Section("The DET on its theory, the NBE in parts", "paper-parts", pictures(one), beside=True),
    )


def _sizes(one: Seen, doubled: Seen | None) -> str:
    rows = one.view.part(one.view.results.frame(TRIALS)).filter(model=one.model, split="test")
    said = (
        f"Test holds {numbers.count(int(rows['n_target'].sum()))} targets and"
        f" {numbers.count(int(rows['n_nontarget'].sum()))} non-targets of {one.view.names[one.model]}"
    )
    if doubled is not None:
        said += f"; {doubled.view.names[doubled.model]} has the same scores times two, as the notebook tries"
    return f"{said}. No threshold of the walk-through is chosen on trials, so dev chooses none."


def _where(one: Seen) -> str:
    """Say where each plot of the walk-through stands."""
    found = [words for key, words in SHOWN.items() if one.view.study.draws(key)]
    if not found:
        return "The plots of the walk-through were not asked for under curves."
    return f"Under Curves: {'; '.join(found)}."


def paper(results: Results) -> Section:
    """Write the section of the paper."""
    return Section("The paper", "paper", rocanalysis(results))


HERE = Path(__file__).parent


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(make(HERE, trials, paper, folder) / "report.html")
    for name in ("rocanalysis.ipynb", "calibrated_normal.py"):
        shutil.copyfile(HERE / name, folder / name)
