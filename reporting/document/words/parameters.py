"""How parameters of measures and criteria are printed: ``precision at 10% prevalence``, never as keys.

A parameter that a label names in braces is filled in; the prevalence follows a plain label; the others are
in parentheses, where they differ from their defaults or cannot be guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from reporting.base.contents import Named, Parameter, show_value
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.document import numbers

Say = Callable[[str], str]
"""Words a constant text in the terms of a field."""

PERCENT = (
    *("prevalence", "p_target", "p_threshold", "far", "frr", "far_min", "far_max", "tpr_min", "tpr_max"),
    *("specificity", "sensitivity", "precision", "share", "confidence"),
    *("p_nontarget", "p_spoof", "spoof_share", "asv_miss", "asv_fa", "asv_spoof_fa"),
)
"""Parameters that are shares."""

IN_PARENTHESES: Mapping[str, str] = {
    "alpha": "α = {}",
    "p_target": "prior {}",
    "p_threshold": "threshold probability {}",
    "prior_log_odds": "prior log odds {}",
    "prevalence": "prevalence {}",
    "c_miss": "miss cost {}",
    "c_fa": "false alarm cost {}",
    "p_nontarget": "zero-effort prior {}",
    "p_spoof": "spoof prior {}",
    "c_spoof": "spoof cost {}",
    "spoof_share": "spoofs {}",
    "asv_miss": "ASV FRR {}",
    "asv_fa": "ASV FAR {}",
    "asv_spoof_fa": "ASV FAR of spoofs {}",
    "severity_ratio": "severity ratio {}",
    "bins": "{} bins",
    "points": "{}",
    "calibration": "{}",
    "normalised": "{}",
    "norm": "{}",
    "laplace": "{}",
    "mcclish": "{}",
    "how": "{}",
}
"""What a parameter is called where the label does not name it."""

WORDS: Mapping[tuple[str, object], str] = {
    ("calibration", "affine"): "affine calibration",
    ("calibration", "pav"): "isotonic calibration",
    ("normalised", False): "not normalised",
    ("norm", "miss"): "relative to rejecting all",
    ("laplace", True): "Laplace smoothing",
    ("mcclish", True): "McClish",
    ("severity_ratio", "hand2014"): "of Hand and Anagnostopoulos 2014",
    ("how", "nearest"): "nearest threshold",
    ("how", "interp"): "interpolated",
}
"""Words and switches."""

IN_LABEL: Mapping[tuple[str, object], str] = {
    ("how", "nearest"): "nearest to",
    ("how", "at_most"): "of at most",
    ("how", "at_least"): "of at least",
}
"""The same inside a label."""

RANGES: Mapping[str, tuple[str, str]] = {"far_min": ("far_max", "FAR"), "tpr_min": ("tpr_max", "TPR")}
"""Parameters that bound a rate: the lower bound, the upper one, and the rate."""


def measure_text(measure: Measure, say: Say) -> str:
    """Return the printed name of a measure."""
    named = {p.name: _value(p, say) for p in measure.parameters}
    shown = _unnamed(measure, measure.label)
    behind = [p for p in shown if p.name == "prevalence" and "{" not in measure.label]
    inside = [*_ranges(measure, say), *(_phrase(p, say) for p in shown if p not in behind)]
    label = _with(say(measure.label).format_map(named), inside)
    return f"{label} at {named['prevalence']} prevalence" if behind else label


def criterion_text(criterion: Criterion, say: Say) -> str:
    """Return the printed name of a criterion: ``minimum HTER``, ``FAR of at most 1%``."""
    return _filled(criterion, criterion.label, say)


def rule_text(criterion: Criterion, say: Say) -> str:
    """Return the rule of a criterion, to follow ``thresholds``: ``minimising HTER``."""
    return _filled(criterion, criterion.rule, say)


def _filled(criterion: Criterion, template: str, say: Say) -> str:
    named = {p.name: IN_LABEL.get((p.name, p.value)) or _value(p, say) for p in criterion.parameters}
    measures = [p.value for p in criterion.parameters if isinstance(p.value, Measure)]
    if measures:
        highest = measures[0].better == "higher"
        named |= {"best": "maximum" if highest else "minimum"}
        named |= {"optimising": "maximising" if highest else "minimising"}
        if measures[0].printed_in == "percent" and "value" in named:
            named["value"] = _percent(criterion.arguments["value"])
    inside = (_phrase(p, say) for p in _unnamed(criterion, template))
    return _with(say(template).format_map(named), inside)


def _unnamed(named: Measure | Criterion, label: str) -> list[Parameter]:
    """Return the parameters that say something and that the label does not name."""
    given = [p for p in named.parameters if p.value != p.default or p.name in named.always_said]
    return [p for p in given if f"{{{p.name}}}" not in label]


def _with(label: str, inside: Iterable[str]) -> str:
    text = ", ".join(filter(None, inside))
    return f"{label} ({text})" if text else label


def _phrase(parameter: Parameter, say: Say) -> str:
    """Return a parameter in parentheses; a bound of a range means nothing alone."""
    if parameter.name not in IN_PARENTHESES:
        return ""
    return say(IN_PARENTHESES[parameter.name]).format(_value(parameter, say))


def _ranges(measure: Measure, say: Say) -> Iterator[str]:
    """Yield the range of a partial area: ``FAR ≤ 10%``; of FAR, the whole range goes without saying."""
    bound = {p.name: p for p in measure.parameters}
    for lowest, (highest, rate) in RANGES.items():
        if lowest not in bound:
            continue
        low, high = bound[lowest], bound[highest]
        if low.value != low.default and high.value != high.default:
            yield f"{say(rate)} {_percent(low.value)} to {_percent(high.value)}"
        elif low.value != low.default:
            yield f"{say(rate)} ≥ {_percent(low.value)}"
        elif high.value != high.default:
            yield f"{say(rate)} ≤ {_percent(high.value)}"
        elif rate != "FAR":
            yield f"over {say(rate)}"


def _value(parameter: Parameter, say: Say) -> str:
    value = parameter.value
    if isinstance(value, Measure):
        return measure_text(value, say)
    if isinstance(value, (bool, str, Named)):
        return WORDS.get((parameter.name, value), "" if isinstance(value, bool) else show_value(value))
    return _percent(value) if parameter.name in PERCENT else show_value(value).replace("-", numbers.MINUS)


def _percent(value: object) -> str:
    """Print a share: ``10%``; never more digits than were given."""
    return f"{100 * value:.10g}%".replace("-", numbers.MINUS) if isinstance(value, float) else str(value)
