"""Makes untrusted text printable: what no reader can see must not act on a page, a picture or a table."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

T = TypeVar("T")

REPLACEMENT = 0xFFFD

_INVISIBLE = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), REPLACEMENT),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), REPLACEMENT),
    **dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), REPLACEMENT),
}
"""Control characters become their pictures (one of them in a chart aborts the whole process inside
the SVG reader); C1 codes, text-direction overrides, lone surrogates and non-characters become U+FFFD."""


def legible(text: str) -> str:
    """Return the text with every control character made visible; tabs and line ends stay."""
    return text.translate(_INVISIBLE)


def all_legible(value: T) -> T:
    """Return the same value with every text in it made legible, through dataclasses and containers."""
    return _rebuilt(value)  # type: ignore[no-any-return]


def _rebuilt(value: Any) -> Any:
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, tuple | list):
        return type(value)(_rebuilt(item) for item in value)
    if isinstance(value, dict):
        return {_rebuilt(key): _rebuilt(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _rebuilt(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    return value
