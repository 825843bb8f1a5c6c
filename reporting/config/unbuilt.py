"""What the contract promises and this version does not do yet: refused by name, never misread.

Whoever builds one of these takes its line away here.
"""

from __future__ import annotations

from pydantic_core import PydanticCustomError

MEASURES: tuple[str, ...] = ()
CRITERIA: tuple[str, ...] = ()


def fault(text: str) -> PydanticCustomError:
    """Return a fault of the schema in our own words."""
    return PydanticCustomError("told", "{text}", {"text": text})


def refuse_later(word: object, later: tuple[str, ...]) -> None:
    """Refuse a word of the contract that is not built yet."""
    if isinstance(word, str) and word in later:
        raise fault(f"{word!r} is not built yet")
