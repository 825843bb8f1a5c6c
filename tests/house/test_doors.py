"""Every room names its face, and what it does not name is protected: nobody outside can import it."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = sorted(
    init.parent for init in (ROOT / "reporting").glob("*/__init__.py") if init.parent.name != "stats"
)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_module_is_named_by_its_room_or_protected(room: Path) -> None:
    face = ast.parse((room / "__init__.py").read_text())
    named = set(re.findall(r"``([\w.]+)``", ast.get_docstring(face) or ""))
    for node in face.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    protected = set(contracts().get(room.name, ()))
    modules = {
        ".".join(path.relative_to(room).with_suffix("").parts)
        for path in room.rglob("*.py")
        if path.name != "__init__.py"
    }
    assert modules
    open_to_all = {module for module in modules if f"reporting.{room.name}.{module}" not in protected}
    unnamed = {
        module
        for module in open_to_all
        if not {module, f"{room.name}.{module}", f"reporting.{room.name}.{module}"} & {*named, *dotted(named)}
    }
    assert not unnamed


def dotted(named: set[str]) -> set[str]:
    """Return the modules of names such as ``layouts.catalogue`` and ``report.make_report``."""
    return {name.rpartition(".")[0] for name in named if "." in name}


def contracts() -> dict[str, list[str]]:
    """Return the protected modules by the name of their room."""
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    doors = (contract for contract in configured if contract["type"] == "protected")
    return {
        contract["allowed_importers"][0].removeprefix("reporting."): contract["protected_modules"]
        for contract in doors
    }
