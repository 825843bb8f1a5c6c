"""The blocks that a report is made of, and how its numbers are printed.

``blocks`` is the whole vocabulary of a page, ``numbers`` prints, ``lines`` lays texts out for a terminal,
``formula`` reads a formula, ``provenance`` records where a report comes from, and ``sandbox`` bounds what a
user's templates may do.
"""

from reporting.document import numbers
from reporting.document.blocks import (
    HUES,
    UNDEFINED,
    Axis,
    Block,
    Caution,
    Cell,
    Column,
    Figure,
    Prose,
    Report,
    Section,
    Series,
    Table,
)

__all__ = [
    "HUES",
    "UNDEFINED",
    "Axis",
    "Block",
    "Caution",
    "Cell",
    "Column",
    "Figure",
    "Prose",
    "Report",
    "Section",
    "Series",
    "Table",
    "numbers",
]
