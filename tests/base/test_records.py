"""Data classes with shared methods against those of the standard library."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from reporting.base import records
from reporting.document.frames.contract import FrameRow


class NoFields:
    pass


class OneField:
    value: object


class Several:
    name: str
    size: float = 1.0
    drawn: Any = dataclasses.field(default=None, compare=False, repr=False)


class OwnText:
    name: str

    def __repr__(self) -> str:
        return "own"


class OwnEquality:
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnEquality)


CLASSES: dict[type, list[tuple[Any, ...]]] = {
    NoFields: [()],
    OneField: [(1,), ("1",), (float("nan"),), ((),)],
    Several: [("a",), ("a", 2.0), ("a", 2.0, [1]), ("b", 1.0), ("a", float("nan"))],
    OwnText: [("a",), ("b",)],
    OwnEquality: [("a",), ("b",)],
}


def made(decorator: Any, cls: type, **options: bool) -> Any:
    again = type(cls.__name__, (), {**vars(cls), "__qualname__": cls.__qualname__})
    return decorator(frozen=True, **options)(again)


@pytest.mark.parametrize("options", [{}, {"eq": False}, {"repr": False}])
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_values_compare_and_print_like_those_of_the_standard_library(
    cls: type, options: dict[str, bool]
) -> None:
    standard, shared = made(dataclasses.dataclass, cls, **options), made(records.dataclass, cls, **options)
    same = options.get("repr", True) or "__repr__" in vars(cls)
    for one in CLASSES[cls]:
        if same:
            assert repr(shared(*one)) == repr(standard(*one))
        if options.get("eq", True):
            assert hash(shared(*one)) == hash(standard(*one))
        for other in CLASSES[cls]:
            expected = standard(*one) == standard(*other)
            assert (shared(*one) == shared(*other)) is expected


@records.dataclass(frozen=True, kw_only=True, slots=True)
class Row(FrameRow):
    model: str
    value: float


def test_rows_are_frozen_slots_and_travel() -> None:
    row = Row(model="a", value=1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        row.value = 2.0  # type: ignore[misc]
    assert not hasattr(row, "__dict__")
    assert pickle.loads(pickle.dumps(row)) == copy.copy(row) == row == records.replace(row)
    assert records.replace(row, value=2.0) != row
    assert repr(row) == "Row(model='a', value=1.0)"


def test_a_class_of_others_by_the_standard_decorator_derives_a_row() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
    class Theirs(Row):
        more: int

    assert Theirs(model="a", value=1.0, more=2).more == 2
