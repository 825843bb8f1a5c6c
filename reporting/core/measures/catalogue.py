"""The measures on offer, in the order of ``words.yaml``, and how their names are read."""

from __future__ import annotations

import tomllib
from pathlib import Path

from reporting.base.contents import Contents, joined, parse_call
from reporting.base.extensions import contributed
from reporting.core.measures import calibration, costs, grades, spoofing, sweep, threshold
from reporting.core.measures.measure import WORDS, Measure
from reporting.core.measures.rate_names import in_own_rates, rate_at
from reporting.errors import UnknownNameError, quoted

READ_AS: dict[str, str] = tomllib.loads(Path(__file__).with_name("aliases.toml").read_text("utf-8"))[
    "read_as"
]
"""Names under which others, scikit-learn and pROC among them, have a measure, some of them at a value."""

_OWN = {
    value.key: value
    for module in (threshold, sweep, costs, spoofing, calibration, grades)
    for value in vars(module).values()
    if isinstance(value, Measure)
}
MEASURES: Contents[Measure] = Contents(
    "measure", [_OWN[key] for key in WORDS], added=lambda: contributed("measures"), taken=READ_AS
)


TWO_MEANINGS = (
    "has two meanings: calibration_error is the expected calibration error of probabilities, and"
    " ece(p_target=0.5) the empirical cross-entropy of likelihood ratios; name the one you mean"
)
MISLEADING = (
    "is far, of non-targets, and frr, of targets, where the log likelihood ratio 0 decides; write"
    " measures: [far, frr] and criteria: ['fixed(threshold=0)']"
)
NO_SINGLE_MEASURE = {
    "ece": TWO_MEANINGS,
    **dict.fromkeys(("rme", "misleading evidence", "rate of misleading evidence"), MISLEADING),
}
"""What to write where a name is not that of one measure."""

_READ_AS = {joined(name): call for name, call in READ_AS.items()}
REFUSED = {joined(name): text for name, text in NO_SINGLE_MEASURE.items()}


ASV_RATES = ("asv_miss", "asv_fa", "asv_spoof_fa")


def refuse_tandem_without_rates(key: str, text: str) -> None:
    """Raise ConfigError for a cost of a tandem that does not say how the ASV system errs: none is usual."""
    if key in ("tdcf", "mintdcf", "min_tdcf") and not all(rate in text for rate in ASV_RATES):
        raise UnknownNameError(
            f"{quoted(text.strip())} needs the error rates of the ASV system behind the countermeasure, such"
            f" as {key}(asv_miss=0.02, asv_fa=0.02, asv_spoof_fa=0.4)"
        )


def read_measure(text: str) -> Measure:
    """Read ``name`` or ``name(key=value,...)``, by a name of others too; ConfigError otherwise."""
    measure = _read(text)
    refuse_tandem_without_rates(measure.key, text)
    return measure


def _read(text: str) -> Measure:
    name, bracket, rest = text.strip().partition("(")
    refused = REFUSED.get(joined(name))
    if refused and "p_target" not in rest:
        raise UnknownNameError(f"{quoted(text.strip())} {refused}")
    if joined(text) in _READ_AS:
        return MEASURES.read(_READ_AS[joined(text)])
    at = rate_at(name)
    if at is None and MEASURES.called(text):
        return MEASURES.find(text)
    key, given = parse_call(text, MEASURES) if bracket else (text.strip(), {})
    if at is not None:
        key, shares = at
        given = {**shares, **given}
    measure = MEASURES.read(_READ_AS.get(joined(key), key))
    return measure.at(**in_own_rates(measure, given))
