"""What the contract promises and this version does not do yet: refused by name, never misread.

Whoever builds one of these takes its line away here.
"""

from __future__ import annotations

from typing import Any

from pydantic import BeforeValidator, ValidationInfo
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


def later(*words: str) -> BeforeValidator:
    """Mark a field that takes further words one day."""

    def check(value: Any) -> Any:
        refuse_later(value, words)
        return value

    return BeforeValidator(check)


def _refuse_key(value: Any, info: ValidationInfo) -> Any:
    if value:
        raise fault(f"{str(info.field_name).rstrip('_')!r} is not built yet; leave it out")
    return value


NOT_BUILT = BeforeValidator(_refuse_key)
"""Marks a whole key that is not built yet: only its empty value passes."""
