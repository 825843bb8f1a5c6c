"""Values of large tables that were looked at last, kept only while the same ones are looked at again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_REMEMBERING: list[Any] = []


def keeps_latest(most: int) -> Callable[[F], F]:
    """Let a function remember its results for the arguments that came last, ``most`` of them."""

    def remembering(make: F) -> F:
        cached = lru_cache(maxsize=most)(make)
        _REMEMBERING.append(cached)
        return cast(F, cached)

    return remembering


def forget_latest() -> None:
    """Let go of every result that is remembered so, and of what it was made of."""
    for cached in _REMEMBERING:
        cached.cache_clear()
