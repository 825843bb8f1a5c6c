"""What the engine knows of a curve picture that a report asks for: the frame it is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.base.contents import Named


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
