"""The profiles, with the keys that each fills in."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from docs.markdown import anchor, code, heading, page
from reporting.app.config.profiles import PROFILES, Profile

LEAD = (
    "`profile: forensic` fills in what a profession usually asks, where the config leaves a key out. A key"
    " that the config names stays as it is; within `trials` and `report` this holds for each of their keys."
    " The report is that of a config with these keys."
)


def pages() -> dict[str, str]:
    """Return the page of all profiles."""
    return {"reference/profiles.md": page(_lines())}


def _lines() -> Iterator[str]:
    yield from heading(1, "Profiles")
    yield from (LEAD, "")
    for name, profile in PROFILES.items():
        yield from heading(2, code(name), anchor("profile", name))
        yield from (" ".join(_described(profile)), "", "```yaml")
        yield from yaml.safe_dump(dict(profile.keys), sort_keys=False, width=100).splitlines()
        yield from ("```", "")


def _described(profile: Profile) -> Iterator[str]:
    yield f"For {profile.about}{f' ({profile.source})' if profile.source else ''}."
    if profile.probabilities:
        yield "Every model must state probabilities (`scale: probability` or `logit`)."
    if profile.without_dev:
        yield "No threshold is chosen, unless the config names a key that needs one."
