"""What is remembered while a report is made: values that several ask for, and large ones looked at last."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class Remembering:
    """What several need, made once."""

    _remembered: dict[Any, Any]

    def once(self, make: Callable[..., T], *given: Any) -> T:
        """Return ``make(*given)``, which several need, made once."""
        key = make, *map(id, given)
        if key not in self._remembered:
            # What was given is kept, too: its id must stay its own. The one that remembers is there anyway.
            self._remembered[key] = make(*given), [each for each in given if each is not self]
        value: T = self._remembered[key][0]
        return value


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
