"""The tables of the EPC paper: its equations as corrected, E and G, and the difference of an area."""

from __future__ import annotations

from configs.papers.epc_general.numbers import Pair, along, area_of, mean_half_width
from reporting.core.criteria.rates import WEIGHTED_ERROR
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import HTER
from reporting.document import UNDEFINED, Cell, Column, Table, numbers
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.view import DatasetView

DECIMALS = 4

EQUATIONS = (
    ("(2)", "FAR = FP / (FP + TN), FRR = FN / (FN + TP)", "far, frr"),
    ("(4)", "precision = TP / (TP + FP), recall = TP / (TP + FN)", "precision, recall"),
    ("(6)", "sensitivity = TP / (TP + FN), specificity = TN / (TN + FP)", "recall, specificity"),
    ("(7)", "θ* = argmin g, with g = HTER or −F1 (printed without the minus)", "min_hter, best(measure=f1)"),
    ("(8)", "θ* = argmin |V1 − V2|", "eer, break_even(v1, v2)"),
    ("(9)", "V1(θ*_B) + V2(θ*_B) < V1(θ*_A) + V2(θ*_A)", "the table above"),
    ("(10)", "θ* = argmin α FAR + (1 − α) FRR", "weighted_error"),
    ("(11)", "θ* = argmin −(α precision + (1 − α) recall)", "precision_recall"),
    ("(12)", "θ* = argmin |α − FAR|", "target_far"),
    ("(13)", "θ* = argmin |α − FRR|", "target_frr"),
    ("(14)", "θ_{V1=α} = argmin |α − V1(θ)|", "target(measure, value)"),
    ("(15), (16)", "E = ½ ∫ (V1 + V2)(θ_{V1=α}) dα, and along V2", "areas: target_far, target_frr"),
    ("(18)", "G = ½ (E along V1 + E along V2)", "areas: target_far+target_frr"),
)
"""Methods, errata E3, E5, E6, E7 and E8 are in the readings."""


def equations_table() -> Table:
    """Return the equations as they are read here, with the words that ask for them."""
    return Table(
        name="paper_equations",
        caption="The equations as read here; thresholds are chosen on dev, values taken on test.",
        columns=(Column("eq."), Column("reads"), Column("in the config")),
        rows=tuple(tuple(map(Cell, row)) for row in EQUATIONS),
    )


FAR, FRR = "target_far", "target_frr"


def areas_table(view: DatasetView) -> Table | None:
    """Return E and G of every model over [0, 1], a priori and a posteriori; None where nobody asked."""
    rows = []
    for model, name in view.names.items():
        found = [area_of(view, model, criterion, 0.0, 1.0) for criterion in (FAR, FRR, f"{FAR}+{FRR}")]
        both = found[2]
        if any(row is None for row in found) or both is None:
            continue
        auc = view.metric(model, AUC, None)
        error = None if auc is None or auc.value is None else 1 - auc.value
        cells = [row.area for row in found if row is not None]
        posterior = both.value_oracle
        equivalent = [None if g is None else 2 * g - 0.5 for g in (both.area, posterior)]
        rows.append((Cell(name), *map(_number, (*cells, posterior, *equivalent, error))))
    if not rows:
        return None
    titles = (
        "E along FAR",
        "E along FRR",
        "G",
        "G a posteriori",
        "2 G − ½",
        "2 G − ½ a posteriori",
        "1 − AUC",
    )
    return Table(
        name=view.unique_name("paper_areas"),
        caption=_caption(view, "areas E and G of eqs. (15) to (18) over all targets, lower is better."),
        columns=(Column("model"), *(Column(title, "number") for title in titles)),
        rows=tuple(rows),
        notes=(
            "A posteriori a perfect system has G = ¼, chance ½, and 2 G − ½ tends to 1 − AUC, the area above"
            " the ROC curve. A priori no AUC says it, and where test is easier than dev G may be below ¼: the"
            " rates obtained are not those aimed at.",
        ),
    )


def _caption(view: DatasetView, said: str) -> str:
    return (
        f"{view.where[0].upper()}{view.where[1:]}: {said}" if view.where else f"{said[0].upper()}{said[1:]}"
    )


def _number(value: float | None) -> Cell:
    return (
        Cell(UNDEFINED, reason="not computed")
        if value is None
        else Cell(numbers.fixed(value, DECIMALS), value)
    )


def mean_table(view: DatasetView, pair: Pair) -> Table | None:
    """Return the difference of the areas under the HTER by eq. (10), with an interval that is safe."""
    found = along(view, WEIGHTED_ERROR, HTER, pair)
    plan = view.study.epc
    if found is None or plan is None:
        return None
    rows = []
    for low, high in dict.fromkeys(((0.0, 1.0), plan.bounds)):
        areas = [area_of(view, model, str(WEIGHTED_ERROR), low, high) for model in pair]
        half = mean_half_width(found, low, high)
        if half is None or areas[0] is None or areas[1] is None:
            continue
        first, second = areas[0].mean or 0.0, areas[1].mean or 0.0
        ends = first - second - half, first - second + half
        shown = "shown to differ" if ends[0] > 0 or ends[1] < 0 else "not shown to differ"
        rows.append(
            (
                Cell(f"[{low:g}, {high:g}]"),
                *(Cell(numbers.percent(value, 2), value) for value in (first, second, first - second)),
                Cell(numbers.bracket(*ends, 2, 100)),
                Cell(shown),
            )
        )
    if not rows:
        return None
    names = [view.names[model] for model in pair]
    level = level_text(view.study.inference.level)
    whose = "the models" if found.inference == "procedure" else "these two tuned systems"
    return Table(
        name=view.unique_name("paper_area_difference"),
        caption=_caption(
            view, f"mean HTER along α by eq. (10) of {listing(names)}, and the difference of {whose}."
        ),
        columns=(
            Column("α in"),
            *(Column(name, "number", "%") for name in names),
            Column("difference", "number", "points"),
            Column(f"{level} interval or wider", "interval", "points"),
            Column("finding"),
        ),
        rows=tuple(rows),
        notes=(
            "The interval is the mean of the intervals at each α: never too narrow, because a mean's standard"
            " error is at most the mean of the standard errors.",
        ),
    )
