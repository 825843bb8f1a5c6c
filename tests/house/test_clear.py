"""What must not come back: one name for two classes, a dialect of our own, rows without a type, code nobody calls."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "reporting"

DIALECT = {"said", "told", "asked", "made", "found", "one"}
MOST_DIALECT = 13
MOST_UNTYPED_ROWS = 21
TYPED = ("features", "document")
"""The rooms that read rows of frames as typed values."""

READ_BY_TEXT = {"features/own_sections.py"}
"""Templates of a user see rows as mappings."""
TESTED_ALONE_LEFT = set()


@cache
def trees() -> dict[Path, ast.Module]:
    """Return every module of the program, read once."""
    return {path.relative_to(PACKAGE): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def test_one_class_has_one_name() -> None:
    places = defaultdict(list)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path))
    assert len(places) > 100
    assert not {name: where for name, where in places.items() if len(where) > 1}


def test_data_classes_share_their_methods() -> None:
    """A class that may be changed is a standard data class, and so are the rows that other packages derive from."""
    own = {Path("base/records.py"), Path("document/frames/contract.py")}
    standard = [
        f"{path}: {ast.unparse(node)}"
        for path, tree in trees().items()
        if path not in own
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if "dataclass" in {name.name for name in node.names}
    ]
    frozen = [
        f"{path}: {ast.unparse(call)}"
        for path, tree in trees().items()
        if path not in own
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if call.func.attr == "dataclass" and ast.unparse(call.func) == "dataclasses.dataclass"
    ]
    assert not standard + frozen


def test_names_say_what_things_hold() -> None:
    dialect = [
        f"{path}: {name}"
        for path, tree in trees().items()
        for name in names_of_values(tree)
        if name in DIALECT
    ]
    assert len(dialect) <= MOST_DIALECT, Counter(dialect).most_common()


def names_of_values(tree: ast.Module) -> Iterator[str]:
    """Yield the names of variables, parameters, functions and classes, without a leading underscore."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id.strip("_")
        elif isinstance(node, ast.arg):
            yield node.arg.strip("_")
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name.strip("_")


def test_rows_have_types() -> None:
    untyped = Counter({str(path): _source(path).count("dict[str, Any]") for path in trees()})
    assert untyped.total() < MOST_UNTYPED_ROWS, untyped.most_common()


def test_no_row_is_read_by_a_text() -> None:
    by_text = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        if path.parts[0] in TYPED and str(path) not in READ_BY_TEXT
        for node in ast.walk(tree)
        if reads_a_row_by_text(node)
    ]
    assert not by_text


def reads_a_row_by_text(node: ast.AST) -> bool:
    """Tell whether a node is ``row["..."]``, ``.to_dicts()`` or ``.iter_rows(named=True)``."""
    if isinstance(node, ast.Subscript):
        column, value = node.slice, node.value
        by_text = isinstance(column, ast.Constant) and isinstance(column.value, str)
        return by_text and isinstance(value, ast.Name) and value.id.strip("_").endswith("row")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        named = any(keyword.arg == "named" for keyword in node.keywords)
        return node.func.attr == "to_dicts" or (node.func.attr == "iter_rows" and named)
    return False


CALLED_FROM_OUTSIDE = {
    "app/api": "what a notebook calls",
}
CALLED_BY_LIBRARIES = {
    "compose_node",
    "resolve_command",
    "persistent_id",
    "persistent_load",
    "is_safe_attribute",
    "wrap_str_format",
    "call_binop",
}
CALLED_BY_LIBRARIES |= {"handle_exception", "get_source", "show_cursor", "writable", "_parse"}
CALLED_BY_LIBRARIES |= {"get_source_checksum", "load_bytecode", "dump_bytecode"}


def test_nothing_is_reached_by_tests_alone() -> None:
    """Every function, class, method and constant is named somewhere else in the package or in a paper."""
    used: Counter[str] = Counter()
    for tree in trees().values():
        used.update(names_read(tree))
    for path in (*(ROOT / "configs").rglob("*.py"), *(ROOT / "configs").rglob("*.ipynb")):
        used.update(set(re.findall(r"\w+", path.read_text())))
    alone = [
        f"{path}:{node.lineno} {name}"
        for path, tree in trees().items()
        if not any(str(path).startswith(room) for room in CALLED_FROM_OUTSIDE)
        for name, node in definitions(tree)
        if name not in TESTED_ALONE_LEFT and not used[name] - Counter(names_read(node))[name]
    ]
    assert not alone


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield functions, classes and methods with their names, but those that a decorator or library calls."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not _is_registered(node):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not _is_registered(member):
                    yield member.name, member


def _is_registered(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether something else calls it: Python, a library, or the room that its decorator belongs to."""
    ours = {
        "property",
        "cached_property",
        "staticmethod",
        "classmethod",
        "dataclass",
        "contextmanager",
        "cache",
    }
    decorators = {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}
    return node.name.startswith("__") or node.name in CALLED_BY_LIBRARIES or bool(decorators - ours - OURS)


OURS = {"of_counts", "at_prevalence", "override", "lru_cache", "wraps", "total_ordering", "njit", "final"}


def names_read(tree: ast.AST) -> Iterator[str]:
    """Yield the names that code reads: variables, attributes, and texts that name something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (part for part in re.split(r"[.:]", node.value) if part.isidentifier())


def _source(path: Path) -> str:
    return (PACKAGE / path).read_text()


def test_files_import_each_other_in_no_circle() -> None:
    """Nor inside of functions."""
    dotted = {path: ".".join(("reporting", *path.with_suffix("").parts)) for path in trees()}
    names = {path: name.removesuffix(".__init__") for path, name in dotted.items()}
    graph: dict[str, set[str]] = {name: set() for name in names.values()}
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in graph:
                named = {f"{node.module}.{alias.name}" for alias in node.names} & graph.keys()
                graph[names[path]] |= named or {node.module}
    list(TopologicalSorter(graph).static_order())
