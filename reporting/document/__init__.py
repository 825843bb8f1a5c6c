"""What a report is made of, whatever its question: blocks, numbers, frames, pictures and words.

``blocks`` is the whole vocabulary of a page, ``numbers`` prints, ``lines`` lays texts out for a terminal,
``formula`` reads a formula, and ``sandbox`` bounds what a user's templates may do. ``feature`` and
``sections`` are what a question and a section of it are, ``keys`` the kinds of fields of a config.
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
