"""The page of "The binormal assumption on precision-recall curves" (ICPR 2010)."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import reporting
from configs.papers.brodersen import figures
from configs.papers.brodersen.ap_estimators import AP_ESTIMATORS, ap_estimators_frame
from configs.papers.brodersen.claims import FIGURE_ALPHA, claims, signed
from configs.papers.brodersen.data import trials
from configs.papers.brodersen.estimators import ESTIMATORS, Law
from configs.papers.brodersen.sample import COUNTED, NAMES, Sample, Simulated, samples
from configs.papers.paper import claims_table, make
from reporting.document import UNDEFINED, Block, Cell, Column, Prose, Section, Table, numbers
from reporting.document.frames.results import Results
from reporting.document.words.phrases import listing
from reporting.features.fits.binormal import auc, average_precision

CITATION = (
    "K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann: The binormal assumption on precision-recall"
    " curves. 20th International Conference on Pattern Recognition (ICPR), Istanbul 2010, pages 4263 to 4266,"
    " doi:10.1109/ICPR.2010.1036."
)
DATA = (
    "Figure 1 is one sample of the paper's law, drawn anew: normal scores about +1 and −1 with standard"
    " deviation 2, 40 targets among 100 trials. Figure 2 repeats it 1000 times at twelve shares of targets;"
    " 100 trials, of which a fixed number are targets, is how copies of the authors' program draw them, for"
    " the paper does not say."
)


def brodersen(results: Results) -> tuple[Block, ...]:
    """Return the page: claims, Figure 1 from the first model of the report, Figure 2 from the simulations."""
    if AP_ESTIMATORS.name not in results.frames:
        return (Prose(f"{CITATION} {DATA}"), Prose("The simulations are not in these results."))
    law, found = Law(), samples(results)
    simulated = Simulated(results.frame(AP_ESTIMATORS))
    return (
        Prose(f"{CITATION} {DATA}"),
        claims_table(claims(found, simulated, law)),
        *_figure_1(found, law),
        *_figure_2(simulated),
    )


def _figure_1(found: list[Sample], law: Law) -> tuple[Block, ...]:
    if not found:
        return (Prose("Figure 1 needs targets and non-targets on test."),)
    sample = found[0]
    drawn = (
        figures.density_figure(sample, law),
        figures.roc_figure(sample, law),
        figures.pr_figure(sample, law),
        figures.zoom_figure(sample, law),
    )
    more = Prose(
        "The same trials under Curves below: their ROC and precision with every fit of the report, the false"
        " discovery rate (the paper's mirror image of precision), and the scores as histograms."
    )
    return (
        Section("Figure 1: one sample", "paper_figure_1", drawn, beside=True),
        _areas_table(sample, law),
        more,
    )


def _areas_table(sample: Sample, law: Law) -> Table:
    truth = float(auc(*law.curve)), law.average_precision(FIGURE_ALPHA)
    rows = [_areas_row("truth", truth, truth)]
    rows += [
        _areas_row(f"trials, {NAMES[name]}", (sample.auc, sample.areas[name]), truth)
        for name in COUNTED
        if name in sample.areas
    ]
    fits = (
        ("binormal", NAMES["binormal"], 0.5),
        ("binormal", NAMES["alpha_binormal"], sample.share),
        ("binormal_ordinal", "α-binormal on ranks", sample.share),
    )
    for fit, label, share in fits:
        if fit in sample.fits:
            a, b = sample.fits[fit]["a"], sample.fits[fit]["b"]
            areas = float(auc(a, b)), float(average_precision(a, b, share))
            rows.append(_areas_row(label, areas, truth))
    return Table(
        name="paper_areas",
        caption=(
            f"Figure 1 in numbers: areas of {sample.name} on test, beside those of the law at"
            f" α = {numbers.fixed(FIGURE_ALPHA, 1)}."
        ),
        columns=(
            Column("curve"),
            Column("area under the ROC", "number"),
            Column("average precision", "number"),
            Column("minus the truth", "number"),
        ),
        rows=tuple(rows),
    )


def _areas_row(label: str, areas: tuple[float, float], truth: tuple[float, float]) -> tuple[Cell, ...]:
    roc, precision = areas
    less = "" if areas is truth else signed(precision - truth[1], 3)
    return (
        Cell(label),
        Cell(numbers.fixed(roc, 3), roc),
        Cell(numbers.fixed(precision, 3), precision),
        Cell(less),
    )


def _figure_2(simulated: Simulated) -> tuple[Block, ...]:
    drawn = (
        figures.bias_figure(simulated),
        figures.bias_zoom_figure(simulated),
        figures.rmse_figure(simulated),
        figures.rmse_zoom_figure(simulated),
    )
    return (
        Section("Figure 2: how well the area is estimated", "paper_figure_2", drawn, beside=True),
        _study_table(simulated, "bias", "Bias: mean estimate minus the true average precision."),
        _study_table(simulated, "rmse", "Root mean squared error about the true average precision."),
    )


def _study_table(simulated: Simulated, key: str, caption: str) -> Table:
    """One row a share of targets, one column an estimator, and the largest standard error of the row."""
    heads = [Column(NAMES[name], "number") for name in ESTIMATORS]
    empty = [alpha for alpha in simulated.every_alpha if alpha not in simulated.alphas]
    notes = [f"{NAMES['alpha_binormal_ddof1']}: variances over n − 1 instead of n."]
    if empty:
        where = listing(numbers.fixed(alpha, 0) for alpha in empty)
        notes.append(f"At α = {where} a class is empty: no simulation has an estimate (degenerate).")
    return Table(
        name=f"paper_{key}",
        caption=caption,
        columns=(
            Column("α", "number"),
            Column("truth", "number"),
            *heads,
            Column("standard error at most", "number"),
        ),
        rows=tuple(_study_row(simulated, alpha, key) for alpha in simulated.alphas),
        notes=tuple(notes),
    )


def _study_row(simulated: Simulated, alpha: float, key: str) -> tuple[Cell, ...]:
    values = [simulated.number(alpha, name, key) for name in ESTIMATORS]
    errors = [simulated.number(alpha, name, f"{key}_se") for name in ESTIMATORS]
    known = [error for error in errors if error is not None]
    worst = max(known) if known else None
    return (
        Cell(numbers.fixed(alpha, 2), alpha),
        _cell(simulated.number(alpha, ESTIMATORS[0], "truth"), signs=False),
        *(_cell(value, signs=key == "bias") for value in values),
        _cell(worst, signs=False),
    )


def _cell(value: float | None, signs: bool) -> Cell:
    if value is None:
        return Cell(UNDEFINED, reason="a class is empty")
    return Cell(signed(value, 3) if signs else numbers.fixed(value, 3), value)


def paper(results: Results) -> Section:
    """Write the section of the paper."""
    return Section("The paper", "paper", brodersen(results))


HERE = Path(__file__).parent


def simulated(config: Path) -> dict[str, pl.DataFrame]:
    """Return the frame of the simulations, drawn by the seed of the config."""
    return {AP_ESTIMATORS.name: ap_estimators_frame(reporting.read_plan(config).study.inference.seed)}


if __name__ == "__main__":
    print(make(HERE, trials, paper, Path(sys.argv[1]), simulated) / "report.html")
