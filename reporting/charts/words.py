"""The words of pictures: titles of axes, of guides and of legends, in the terms of the report's field."""

from __future__ import annotations

from collections.abc import Mapping

from reporting.charts.scope import Scope
from reporting.charts.terms import Terms, terms

TITLES: Mapping[str, str] = {
    "far": "{far_name} (%)",
    "frr": "{frr_name} (%)",
    "hits": "{hit_rate}, 1 − {frr} (%)",
    "equal_rates": "{far} = {frr}",
    "recall": "{recall} (%)",
    "precision": "{precision} (%)",
    "precision_gain": "precision gain (%)",
    "recall_gain": "recall gain (%)",
    "false_discovery": "false discovery rate, 1 − {precision} (%)",
    "targets": "{targets}",
    "nontargets": "{nontargets}",
    "share": "{share}",
    "nontarget_share": "{nontarget_share}",
    "observed_share": "observed {share} (%)",
    "found": "{targets} found, {recall} (%)",
    "lift": "lift, {precision} / {share}",
    "weight_of_misses": "weight of {misses}: effective prior of {targets} (%)",
    "net_benefit": "net benefit ({targets} per 100 trials)",
    "bayes": "α, the weight of {false_acceptance}",
    "weighted_error": "α, the weight of {false_acceptance}",
    "precision_recall": "α, the weight of {precision}",
    "target_far": "target {far} on dev",
    "target_frr": "target {frr} on dev",
    "expected_far": "expected {far}, on dev (%)",
    "expected_frr": "expected {frr}, on dev (%)",
    "obtained_far": "obtained {far}, on test (%)",
    "obtained_frr": "obtained {frr}, on test (%)",
    "false_alarms": "{false_alarms}",
    "misses": "{misses}",
    "short_far": "{far} (%)",
    "short_frr": "{frr} (%)",
}
"""Titles by name; an axis begins with a capital letter, a guide or a legend does not."""


def terms_of(scope: Scope) -> Terms:
    """Return the terms a report speaks in."""
    return terms(scope.study.vocabulary)


def title(scope: Scope, name: str) -> str:
    """Return the title of an axis in the report's words."""
    return titled(terms_of(scope), name)


def titled(spoken: Terms, name: str) -> str:
    """Return the title of an axis; a Greek letter stays small, because its capital is another."""
    said = _said(spoken, name)
    return f"{said[0].upper()}{said[1:]}" if said[0].isascii() else said


def legend(scope: Scope, name: str) -> str:
    """Return the words beside a line, or of an entry of a legend."""
    return _said(terms_of(scope), name)


def _said(spoken: Terms, name: str) -> str:
    return TITLES[name].format_map(vars(spoken))
