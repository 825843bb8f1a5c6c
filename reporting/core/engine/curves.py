"""The curve pictures that a report may ask for: the frame each is drawn from, and where it is drawn.

The table, ``curves.toml``, is light, so that the config knows its words, and the frames which pictures want
them, without importing what draws (Polars and Altair take longer than all the rest of the start).
``drawn_in`` is therefore a name: the module of ``reporting/features`` that is imported once a picture is
drawn. To add a curve, write that module and add an entry there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reporting.base.contents import Contents, Named, read_words
from reporting.base.extensions import contributed


@dataclass(frozen=True, kw_only=True)
class Curve(Named):
    """A curve picture; its key is the word in ``curves:`` of the config.

    ``frame`` is the name of the frame that it is drawn from, with ``roc``, which is always there. In the
    module ``drawn_in`` the picture's drawing, caption and number are a value named as the key in upper case.
    """

    frame: str
    drawn_in: str
    synonyms: tuple[str, ...] = ()
    """Other names, which a message answers with the key."""
    bands: bool = False
    """Whether the picture shows the bands of the curves of FAR and FRR."""


CURVES: Contents[Curve] = Contents(
    "curve",
    [Curve(key=key, **entry) for key, entry in read_words(Path(__file__).with_suffix(".toml")).items()],
    added=lambda: contributed("curves"),
)
