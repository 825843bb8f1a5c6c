"""Data classes whose methods are shared, where the standard ones are written and compiled for every class.

The program has over 400 of them: with the standard decorator they took a tenth of a small report.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool, eq: bool = True, repr: bool = True, **options: bool
    ) -> Callable[[type], type]:
        """Make a class a data class of the standard library that compares and prints like one.

        ``frozen`` is held by mypy. A class refuses to be changed while the program runs only where its base
        does, as the rows of frames do: packages of others derive theirs by the standard decorator.
        """

        def decorated(cls: type) -> type:
            bases = filter(dataclasses.is_dataclass, cls.__mro__[1:])
            refuses = any(base.__dataclass_params__.frozen for base in bases)
            of = dataclasses.dataclass(eq=False, repr=False, frozen=refuses, **options)(cls)
            methods = {"__repr__": _printed(of)} if repr else {}
            methods |= _comparing(of) if eq else {}
            for name, method in methods.items():
                # A class that defines __eq__ alone has None for __hash__.
                if vars(of).get(name) is None:
                    setattr(of, name, method)
            return of

        return decorated


def _printed(cls: type) -> Callable[[Any], str]:
    shown = [each.name for each in dataclasses.fields(cls) if each.repr]

    def text(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return text


def _values_of(names: Sequence[str]) -> Callable[[Any], Any]:
    return lambda of: tuple(getattr(of, name) for name in names)


def _comparing(cls: type) -> dict[str, Callable[..., Any]]:
    names = [each.name for each in dataclasses.fields(cls) if each.compare]
    values: Callable[[Any], Any] = attrgetter(*names) if len(names) > 1 else _values_of(names)

    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed}
