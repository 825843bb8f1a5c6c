"""Precision, the false discovery rate and F1 over recall."""

from __future__ import annotations

from reporting.charts.accepted import Taken, accepted_drawn, corners
from reporting.charts.curve import Vertices
from reporting.charts.draw import Words
from reporting.charts.scope import Scope
from reporting.charts.ticks import PERCENT
from reporting.charts.words import legend, title
from reporting.report.blocks import Axis, Figure, Series


def pr_figure(scope: Scope, words: Words) -> Figure:
    """Draw precision over recall, curved between the corners, above the share of targets."""
    axes = _recall(scope), Axis(title(scope, "precision"), 0.0, 100.0, PERCENT)
    level = 100 * prevalence(scope)
    guide = Series(legend(scope, "share"), "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)
    return accepted_drawn(scope, "pr", axes, _precision, guide, words)


def fdr_figure(scope: Scope, words: Words) -> Figure:
    """Draw the share of non-targets among the accepted over recall."""
    axes = _recall(scope), Axis(title(scope, "false_discovery"), 0.0, 100.0, PERCENT)
    level = 100 - 100 * prevalence(scope)
    guide = Series(legend(scope, "nontarget_share"), "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)
    return accepted_drawn(scope, "fdr", axes, _false_discoveries, guide, words)


def f1_figure(scope: Scope, words: Words) -> Figure:
    """Draw F1 over recall, above that of accepting all."""
    axes = _recall(scope), Axis("F1 (%)", 0.0, 100.0, PERCENT)
    share = prevalence(scope)
    level = 100 * 2 * share / (1 + share)
    guide = Series("accept all", "guide", 0, (0.0, 2.0, 100.0), (level,) * 3)
    return accepted_drawn(scope, "f1", axes, _f1, guide, words)


def _recall(scope: Scope) -> Axis:
    return Axis(title(scope, "recall"), 0.0, 100.0, PERCENT)


def prevalence(scope: Scope) -> float:
    """The share of targets on test: the precision of accepting all."""
    return next((one.prevalence for one in corners(scope).values()), 0.5)


def _precision(taken: Taken) -> Vertices:
    return 100 * taken.recall, 100 * taken.precision


def _false_discoveries(taken: Taken) -> Vertices:
    return 100 * taken.recall, 100 - 100 * taken.precision


def _f1(taken: Taken) -> Vertices:
    return 100 * taken.recall, 100 * taken.f1
