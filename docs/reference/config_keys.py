"""The keys of a config, made of its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator

from docs.markdown import anchor, code, described, heading, page, plain, table
from reporting.app.handbook.keys import ConfigKey, KeySection, sections_of_config

LEAD = (
    "A config is a YAML file. Only `trials: {source: ...}` is required. `reporting schema` prints the same"
    " keys as a JSON Schema for editors, `reporting explain KEY` describes one of them, and"
    " `reporting check CONFIG` validates a config with its data."
)
CATALOGUES = {
    "hter": "[measure](measures_at_a_threshold.md)",
    "auc": "[measure](measures_over_thresholds.md)",
    "min_hter": "[criterion](criteria.md)",
    "binormal": "[fit](fits.md)",
    "det": "[curve](curves.md)",
    "SRE16": "[name](operating_points.md)",
}
"""A name of each catalogue, and the page that describes it."""


def pages() -> dict[str, str]:
    """Return the page of all keys."""
    lines = [line for section in sections_of_config(code, CATALOGUES) for line in _lines(section)]
    return {"reference/config.md": page([*heading(1, "Config keys"), LEAD, "", *lines])}


def _lines(section: KeySection) -> Iterator[str]:
    path = section.path
    yield from heading(2, code(path) if path else "Top level", anchor("key", path or "top"))
    if section.meaning:
        yield from (plain(section.meaning), "")
    yield from table(("key", "meaning"), map(_row, section.keys))


def _row(key: ConfigKey) -> tuple[str, str]:
    shown = f"[{code(key.name)}](#key-{anchor(key.leads_to)})" if key.leads_to else code(key.name)
    return shown, described(plain(key.meaning), (key.kind, key.default))
