"""Precision, the false discovery rate and F1 over recall."""

from __future__ import annotations

from reporting.charts.accepted import Taken, accepted_drawn, corners
from reporting.charts.curve import Vertices
from reporting.charts.draw import Words
from reporting.charts.ticks import PERCENT
from reporting.report.blocks import Axis, Figure, Series
from reporting.wording.view import View


def pr_figure(view: View, words: Words) -> Figure:
    """Draw precision over recall, curved between the corners, above the share of targets."""
    axes = _recall(view), Axis(view.terms.title("precision"), 0.0, 100.0, PERCENT)
    level = 100 * prevalence(view)
    guide = Series(view.terms.legend("share"), "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)
    return accepted_drawn(view, "pr", axes, _precision, guide, words)


def fdr_figure(view: View, words: Words) -> Figure:
    """Draw the share of non-targets among the accepted over recall."""
    axes = _recall(view), Axis(view.terms.title("false_discovery"), 0.0, 100.0, PERCENT)
    level = 100 - 100 * prevalence(view)
    guide = Series(view.terms.legend("nontarget_share"), "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)
    return accepted_drawn(view, "fdr", axes, _false_discoveries, guide, words)


def f1_figure(view: View, words: Words) -> Figure:
    """Draw F1 over recall, above that of accepting all."""
    axes = _recall(view), Axis("F1 (%)", 0.0, 100.0, PERCENT)
    share = prevalence(view)
    level = 100 * 2 * share / (1 + share)
    guide = Series("accept all", "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)
    return accepted_drawn(view, "f1", axes, _f1, guide, words)


def _recall(view: View) -> Axis:
    return Axis(view.terms.title("recall"), 0.0, 100.0, PERCENT)


def prevalence(view: View) -> float:
    """The share of targets on test: the precision of accepting all."""
    return next((one.prevalence for one in corners(view).values()), 0.5)


def _precision(taken: Taken) -> Vertices:
    return 100 * taken.recall, 100 * taken.precision


def _false_discoveries(taken: Taken) -> Vertices:
    return 100 * taken.recall, 100 - 100 * taken.precision


def _f1(taken: Taken) -> Vertices:
    return 100 * taken.recall, 100 * taken.f1
