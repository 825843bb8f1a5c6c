"""Texts that anybody may have written, as a page, a terminal or a picture can show them."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
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
    return text if text.isprintable() else text.translate(_INVISIBLE)


def all_legible(value: T) -> T:
    """Return the same value with every text in it made legible, through dataclasses and containers."""
    return _rebuilt(value)  # type: ignore[no-any-return]


def _rebuilt(value: Any) -> Any:
    """Return a value itself where all its texts are legible: of most no copy is made."""
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, tuple | list):
        # Coordinates of pictures are by far the most items.
        items = [item if type(item) is float else _rebuilt(item) for item in value]
        return value if _same(items, value) else type(value)(items)
    if isinstance(value, dict):
        pairs = [(_rebuilt(key), _rebuilt(item)) for key, item in value.items()]
        return value if all(map(_same, pairs, value.items())) else dict(pairs)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = _names(type(value))
        held = [getattr(value, name) for name in names]
        items = [_rebuilt(item) for item in held]
        if not _same(items, held):
            return dataclasses.replace(value, **dict(zip(names, items, strict=True)))
    return value


def _same(items: Iterable[Any], others: Iterable[Any]) -> bool:
    return all(map(operator.is_, items, others))


@cache
def _names(of: type) -> list[str]:
    return [field.name for field in dataclasses.fields(of)]


LONGEST_NAME = 200
"""Characters of a name that a report shows; frames hold it whole."""


def elided(name: str) -> str:
    """Return a name as a page has room for it."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


IRREGULAR = {
    "person": "people",
    "child": "children",
    "man": "men",
    "woman": "women",
    "mouse": "mice",
    "stratum": "strata",
}
UNCHANGED = re.compile(r"(?<![sui])s$|ies$|(people|children|men|mice|strata)$", re.IGNORECASE)


def plural(noun: str) -> str:
    """Return an English noun in the plural: ``families`` of ``family``, ``batches`` of ``batch``.

    What is a plural already stays (``users``); a name that is no word gets an s (``user_id``).
    """
    word = re.split(r"[\W\d_]", noun)[-1]
    if UNCHANGED.search(word):
        return noun
    if word.lower() in IRREGULAR:
        many = IRREGULAR[word.lower()]
        return noun.removesuffix(word) + (many.capitalize() if word[0].isupper() else many)
    if re.search(r"[^aeiou]y$", word, re.IGNORECASE):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(s|x|z|ch|sh)$", word, re.IGNORECASE) else f"{noun}s"


def counted(n: int, singular: str, many: str = "") -> str:
    """Return a number with its noun: ``1 target``, ``1,200 targets``; ``many`` where no rule has it."""
    return f"{n:,} {singular if n == 1 else many or plural(singular)}"


def elided_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by key as a page has room for them; equal ones get their key behind, or a number."""
    short = {key: elided(name) for key, name in names.items()}
    alike = Counter(short.values())
    with_keys = {key: name if alike[name] == 1 else f"{name} ({elided(key)})" for key, name in short.items()}
    alike = Counter(with_keys.values())
    return {
        key: name if alike[name] == 1 else f"{name} [{number}]"
        for number, (key, name) in enumerate(with_keys.items(), start=1)
    }
