"""What the engine knows of the curves that a report asks for: pictures, and fits by a family of curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from reporting.base.contents import Named, Parameter, Value, show_value
from reporting.base.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Curve(Named):
    """A curve picture of a question; its key is the word in ``curves:`` of the config.

    ``frame`` is the name of the frame that it is drawn from, with ``roc``, which is always there. In the
    module ``drawn_in``, which is imported once a picture is drawn, its drawing, caption and number are a
    value named as the key in upper case.
    """

    frame: str
    drawn_in: str
    synonyms: tuple[str, ...] = ()
    """Other names, which a message answers with the key."""
    bands: bool = False
    """Whether the picture shows the bands of the curves of FAR and FRR."""


Family = Literal["moments", "ranks"]
"""``moments``: from the scores themselves, changed by monotone maps of them; ``ranks``: unchanged."""


@dataclass(frozen=True, kw_only=True)
class Fit(Named):
    """A fit by name. ``estimate`` takes the trials, the dev trials or None, and the parameters.

    It returns the estimate, or the status that gives the reason for none.
    """

    label: str
    name: str
    family: Family
    estimate: Callable[..., Any]
    definition: str
    source: str
    synonyms: tuple[str, ...] = ()

    @property
    def printed(self) -> str:
        """The label with the parameters that differ from their defaults, in words."""
        changed = [SAID[p.name].format(SPELT.get(p.value, show_value(p.value))) for p in self._changed]
        return f"{self.label} ({', '.join(changed)})" if changed else self.label

    @property
    def _changed(self) -> list[Parameter]:
        return [p for p in self.parameters if p.value != p.default]


SAID = {
    "prevalence": "prevalence {}",
    "ddof": "ddof {}",
    "transform": "{}",
    "categories": "{} categories",
    "interval": "{}",
}
SPELT: Mapping[Value, str] = {"box_cox": "Box-Cox", "yeo_johnson": "Yeo-Johnson"}
