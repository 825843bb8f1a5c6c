"""Mutants: a module with one small fault planted, such as ``<`` for ``<=`` or a number that is one more.

Left out is what no test should hold: docstrings, annotations, decorators, assertions, texts of errors that are
raised, ``strict=`` of zip, and what is shown for debugging alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_PAIRS = (
    (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn),
    (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr), (ast.LShift, ast.RShift),
    (ast.And, ast.Or),
)  # fmt: skip
EXCHANGED: dict[type[ast.AST], type[ast.AST]] = {
    **dict(_PAIRS),
    **{second: first for first, second in _PAIRS},
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
}
"""An operator and the one that takes its place."""

_ALIKE = ("min max", "any all", "minimum maximum", "floor ceil", "left right", "argmin argmax", "ones zeros")
CONFUSED = {a: b for pair in map(str.split, _ALIKE) for a, b in (pair, pair[::-1])}
"""Functions and words that are easily taken for one another."""

UNSEEN = {"__repr__", "__str__"}


@dataclass(frozen=True)
class Site:
    """A place of a module and which of its changes is meant: the node by its number, the change by its own."""

    node: int
    change: int


@dataclass(frozen=True)
class Mutant:
    """A planted fault: what is changed into what, on which lines, and the whole module with it."""

    first: int
    last: int
    in_function: bool
    change: str
    source: str


def sites(source: str) -> list[Site]:
    """Return every place where a fault can be planted, in the order of the text."""
    nodes = _judged(ast.parse(source))
    return [
        Site(at, which) for at, each in enumerate(nodes) for which in range(len(list(_changes(each.node))))
    ]


def planted(source: str, site: Site) -> Mutant | None:
    """Return the module with the fault of a place, or None where it is the same module."""
    tree = ast.parse(source)
    place = _judged(tree)[site.node]
    before, plain = ast.unparse(place.node), ast.dump(tree)
    changed = list(_changes(place.node))[site.change]
    place.put(changed)
    if ast.dump(tree) == plain:
        return None
    change = " → ".join(_short(before, ast.unparse(changed)))
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return Mutant(place.first, place.last, place.in_function, change, text)


def _short(*texts: str) -> list[str]:
    """Return texts on one line each, long ones around the place where they begin to differ."""
    lines = [" ".join(text.split()) for text in texts]
    differ = next((at for at, pair in enumerate(zip(*lines, strict=False)) if len(set(pair)) > 1), 0)
    same = max(differ - 30, 0) if max(map(len, lines)) > LONGEST else 0
    return [f"{'… ' if same else ''}{line[same : same + LONGEST]}" for line in lines]


LONGEST = 90


@dataclass(frozen=True)
class _Place:
    node: ast.AST
    parent: ast.AST
    field: str
    at: int | None
    in_function: bool
    first: int
    last: int

    def put(self, changed: ast.AST) -> None:
        if self.at is None:
            setattr(self.parent, self.field, changed)
        else:
            getattr(self.parent, self.field)[self.at] = changed


def _judged(tree: ast.Module) -> list[_Place]:
    """Return the nodes that may be changed, each with the lines of its statement or condition."""
    return list(_below(tree, in_function=False, in_raise=False, lines=(1, 1)))


def _below(node: ast.AST, in_function: bool, in_raise: bool, lines: tuple[int, int]) -> Iterator[_Place]:
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list"}:
            continue
        listed = isinstance(value, list)
        for at, child in enumerate(value if listed else [value]):
            if not isinstance(child, ast.AST) or _is_left_out(child, in_raise):
                continue
            its = _lines_of(child) or lines
            yield _Place(child, node, field, at if listed else None, in_function, *its)
            inside = in_function or isinstance(child, ast.FunctionDef | ast.Lambda)
            yield from _below(child, inside, in_raise or isinstance(child, ast.Raise), its)


def _lines_of(node: ast.AST) -> tuple[int, int] | None:
    """Return the lines whose run shows that a node runs: of a block, those of its condition alone."""
    seen = node.test if isinstance(node, ast.If | ast.While) else node
    if isinstance(seen, ast.stmt) and hasattr(seen, "body"):
        return None
    if isinstance(seen, ast.stmt | ast.expr) and not isinstance(seen, ast.Lambda):
        return seen.lineno, seen.end_lineno or seen.lineno
    return None


def _is_left_out(node: ast.AST, in_raise: bool) -> bool:
    if isinstance(node, ast.Assert | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.FunctionDef) and node.name in UNSEEN:
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    return in_raise and isinstance(node, ast.JoinedStr | ast.Constant)


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may take the place of a node."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=right):
            yield ast.Compare(left, [_exchanged(operator)], right)
        case ast.BinOp(left=left, op=operator, right=other) if type(operator) in EXCHANGED:
            yield ast.BinOp(left, _exchanged(operator), other)
        case ast.AugAssign(target=target, op=operator, value=value):
            yield ast.Pass()
            if type(operator) in EXCHANGED:
                yield ast.AugAssign(target, _exchanged(operator), value)
        case ast.BoolOp(op=operator, values=values):
            yield ast.BoolOp(_exchanged(operator), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.If(test=test, body=body, orelse=orelse):
            yield ast.If(_negated(test), body, orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(_negated(test), body, orelse)
        case ast.comprehension(ifs=[test]):
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str(value)):
            yield ast.Constant(f"{value}?")
        case ast.Name(id=name, ctx=ast.Load()) if name in CONFUSED:
            yield ast.Name(CONFUSED[name], node.ctx)
        case ast.Attribute(value=owner, attr=name, ctx=ast.Load()) if name in CONFUSED:
            yield ast.Attribute(owner, CONFUSED[name], node.ctx)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(func=function, args=args, keywords=keywords):
            for at, each in enumerate(keywords):
                if each.arg not in {None, "strict"}:
                    yield ast.Call(function, args, keywords[:at] + keywords[at + 1 :])
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _exchanged(operator: ast.AST) -> ast.AST:
    return EXCHANGED[type(operator)]()


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)
