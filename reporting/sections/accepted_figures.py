"""The curves of the accepted trials in words: precision and recall, gain and lift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from reporting.charts.accepted import Taken, corners, reached
from reporting.charts.draw import Words
from reporting.charts.gain import gain_figure, lift_figure
from reporting.charts.pr import f1_figure, fdr_figure, pr_figure, prevalence
from reporting.charts.prg import gains, prg_figure
from reporting.charts.smooth import smooth_accepted
from reporting.report import numbers
from reporting.report.blocks import Block, Figure
from reporting.sections.figure_words import (
    by_model,
    empty_class,
    fitted,
    left_out,
    models,
    on_test,
    percent,
    with_dots,
)
from reporting.wording.view import View


@dataclass(frozen=True)
class _Telling:
    """One picture: its drawing, its caption, and the number of each model that stands for its curve."""

    figure: Callable[[View, Words], Figure]
    name: str
    caption: str
    at: str
    number: Callable[[Taken], str]


def pr(view: View) -> tuple[Block, ...]:
    """Precision over recall."""
    spoken = view.terms
    telling = _Telling(
        pr_figure,
        "precision-recall curve",
        f"{spoken.precision} over {spoken.recall} at every threshold, interpolated by counts between"
        f" thresholds; dashed: the {spoken.share}, {percent(prevalence(view))}.",
        f"{_first(spoken.precision)} at a {spoken.recall} of 90 %",
        lambda one: percent(float(reached(one, true_positives=0.9 * one.n_target).precision[0])),
    )
    return _told(view, telling)


def fdr(view: View) -> tuple[Block, ...]:
    """The false discovery rate over recall."""
    spoken = view.terms
    telling = _Telling(
        fdr_figure,
        "false discovery curve",
        f"share of {spoken.nontargets} among the accepted over {spoken.recall} at every threshold; dashed:"
        f" accepting all, {percent(1 - prevalence(view))}.",
        f"False discovery rate at a {spoken.recall} of 90 %",
        lambda one: percent(1 - float(reached(one, true_positives=0.9 * one.n_target).precision[0])),
    )
    return _told(view, telling)


def f1(view: View) -> tuple[Block, ...]:
    """F1 over recall."""
    share = prevalence(view)
    telling = _Telling(
        f1_figure,
        "F1 curve",
        f"F1 over {view.terms.recall} at every threshold, interpolated by counts between thresholds;"
        f" dashed: the F1 of accepting all, {percent(2 * share / (1 + share))}.",
        "Best F1",
        lambda one: percent(float(one.f1.max())),
    )
    return _told(view, telling)


def prg(view: View) -> tuple[Block, ...]:
    """Precision gain over recall gain."""
    telling = _Telling(
        prg_figure,
        "precision-recall-gain curve",
        "precision gain over recall gain at every threshold; 0 on either axis is the"
        f" {view.terms.share}, {percent(prevalence(view))}; dashed: the F1 of accepting all.",
        "Precision gain at a recall gain of 50 %",
        _precision_gain,
    )
    return _told(view, telling)


def gain(view: View) -> tuple[Block, ...]:
    """The share of targets found over the share of trials accepted."""
    found = view.terms.targets
    telling = _Telling(
        gain_figure,
        "gain curve",
        f"share of {found} found over the share of trials accepted, from the highest score down.",
        f"{_first(found)} found among the first 20 % of trials",
        lambda one: percent(float(reached(one, accepted=0.2 * _trials(one)).recall[0])),
    )
    return _told(view, telling)


def lift(view: View) -> tuple[Block, ...]:
    """The lift over the share of trials accepted."""
    telling = _Telling(
        lift_figure,
        "lift curve",
        f"how many times more {view.terms.targets} are found than by accepting as many trials at random.",
        "Lift at the first 20 % of trials",
        lambda one: numbers.fixed(_lift(one), 2),
    )
    return _told(view, telling)


def _told(view: View, telling: _Telling) -> tuple[Block, ...]:
    found = corners(view)
    if not found:
        return (left_out(f"The {telling.name}", empty_class(view)),)
    shares = {model: one.prevalence for model, one in found.items()}
    said = f"{on_test(view)}: {telling.caption}"
    caption = with_dots(view, said) + fitted(view, smooth_accepted(view, shares))
    number = by_model(view, {model: telling.number(one) for model, one in found.items()})
    name = f"{_first(telling.name)}s"
    alt = f"{name} of {models(view)} on test. {telling.at}: {number}."
    return (telling.figure(view, Words(caption, alt)),)


def _first(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}"


def _trials(one: Taken) -> float:
    return one.n_target + one.n_nontarget


def _lift(one: Taken) -> float:
    return float(reached(one, accepted=0.2 * _trials(one)).precision[0]) / one.prevalence


def _precision_gain(one: Taken) -> str:
    """Recall gain is 1/2 where FN/TP is half the odds against the target."""
    hits = one.n_target / (1 + 0.5 * one.n_nontarget / one.n_target)
    _, precision_gain = gains(reached(one, true_positives=hits))
    return percent(float(precision_gain[0]) / 100)
