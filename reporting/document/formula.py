"""Formulas as a report holds them: a text such as ``HTER = (FAR + FRR) / 2``, and what it means.

A formula travels as the text that a reader without mathematical type sees; formats that have such type read
the tree behind it. Two words that follow each other are one name; symbols that do are multiplied; a name
before a parenthesis, without space, is a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from reporting.base.records import dataclass


@dataclass(frozen=True)
class Name:
    """A symbol, a number or a name of several words."""

    text: str


@dataclass(frozen=True)
class Subscript:
    """A symbol with an index."""

    base: str
    index: str


@dataclass(frozen=True)
class Fraction:
    """One term over another."""

    over: Node
    under: Node


@dataclass(frozen=True)
class Superscript:
    """A term with an exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Node


@dataclass(frozen=True)
class Enclosed:
    """A term in parentheses, or between bars."""

    inside: Node
    ends: tuple[str, str] = ("(", ")")


@dataclass(frozen=True)
class Row:
    """Terms and the operators between them, in order."""

    parts: tuple[Node | str, ...]


Node = Name | Subscript | Fraction | Superscript | Root | Enclosed | Row

SIGNS = {
    "-": "−",
    "*": "·",
    "·": "·",
    "+": "+",
    "−": "−",
    "/": "/",
    "=": "=",
    ">": ">",
    "<": "<",
    "≤": "≤",
    "≥": "≥",
}
COMMA = ","
"""Separates the arguments of a function: ``min(a, b)``."""
GREEK = {"alpha": "α", "beta": "β"}
SYMBOLS = (
    "recall",
    "precision",
    "specificity",
    "sensitivity",
    "prevalence",
    "share",
    "fall-out",
    "miss rate",
    "false success rate",
    "failure rate",
)
"""Names in small letters that are multiplied by what is next to them."""

LEADS = (
    "min over thresholds of",
    "max over thresholds of",
    "min over cutoffs of",
    "max over cutoffs of",
    "mean of",
)
MOST_WORDS = 2

_TOKEN = re.compile(
    r"(?P<space>\s*)(?:(?P<lead>"
    + "|".join(LEADS)
    + r") |(?P<number>\d+(?:\.\d+)?)|(?P<root>sqrt|√)(?=\()|(?P<symbol>"
    + "|".join(map(re.escape, SYMBOLS))
    + r")(?![\w-])|(?P<word>[a-z]{2,}(?:-[a-z]+)*)(?![\w_])|(?P<name>[A-Za-zα-ω][A-Za-z0-9]*(?:_[a-z]+)?)"
    r"|(?P<sign>[-+−*·/=<>≤≥^()|,]))"
)


def formula(text: str) -> Node | None:
    """Return what a formula means; None where the text is none, such as a sentence."""
    tokens = _tokens(text)
    if tokens is None or not any(token in SIGNS or kind == "root" for kind, token in tokens):
        return None
    reader = _Parser(tokens)
    try:
        node = reader.row()
    except (IndexError, ValueError):
        return None
    return node if reader.at == len(tokens) else None


def _tokens(text: str) -> list[tuple[str, str]] | None:
    """Return kinds and texts; words that follow each other are one. None where something else is found."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        kind = str(match.lastgroup)
        token = GREEK.get(match[kind], match[kind])
        kind = "name" if match[kind] in GREEK else kind
        if token == "(" and tokens and tokens[-1][0] in ("name", "word") and not match["space"]:
            kind = "call"
        if kind == "word" and tokens and tokens[-1][0] == "word":
            tokens[-1] = ("word", f"{tokens[-1][1]} {token}")
            if tokens[-1][1].count(" ") >= MOST_WORDS:
                return None
        else:
            tokens.append((kind, token))
        at = match.end()
    return tokens


class _Parser:
    """Reads tokens from left to right: relations, sums, products, powers."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0

    def row(self) -> Node:
        return self._chain(self._led, ("=", "<", ">", "≤", "≥"))

    def _led(self) -> Node:
        if self.tokens[self.at][0] == "lead":
            return Row((Name(self._take()), " ", self._sum()))
        return self._sum()

    def _sum(self) -> Node:
        return self._chain(self._product, ("+", "-", "−"))

    def _chain(self, part: Callable[[], Node], signs: tuple[str, ...]) -> Node:
        parts: list[Node | str] = [part()]
        while self._next() in signs:
            parts.append(SIGNS[self._take()])
            parts.append(part())
        only = parts[0]
        return only if len(parts) == 1 and not isinstance(only, str) else Row(tuple(parts))

    def _product(self) -> Node:
        factors: list[Node | str] = [self._power()]
        while True:
            if self._next() == "/":
                self._take()
                factors = [Fraction(_bare(_row(factors)), _bare(self._power()))]
            elif self._next() in ("*", "·"):
                self._take()
                factors += ["·", self._power()]
            elif self._begins():
                factors += ["·", self._power(after_word=self.tokens[self.at - 1][0] == "word")]
            else:
                return _row(factors)

    def _power(self, after_word: bool = False) -> Node:
        kind, token = self.tokens[self.at]
        before = self.tokens[self.at - 1][0] if self.at else "sign"
        if (kind == "word" and before not in ("sign", "call", "lead")) or after_word:
            raise ValueError(token)
        base = self._atom()
        if self._next() == "^":
            self._take()
            return Superscript(base, self._atom())
        return base

    def _atom(self) -> Node:
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "root":
            return Root(_bare(self._atom()))
        if kind == "call":
            return Enclosed(self._arguments())
        if token == "(":
            return Enclosed(self._closed(")"))
        if token == "|":
            return Enclosed(self._closed("|"), ("|", "|"))
        if kind == "sign":
            raise ValueError(token)
        base, _, index = token.partition("_")
        if index:
            return Subscript(base.upper() if len(base) == 1 and base in "cp" else base, index)
        calls = self.at < len(self.tokens) and self.tokens[self.at][0] == "call"
        return Row((Name(token), self._atom())) if calls else Name(token)

    def _arguments(self) -> Node:
        parts: list[Node | str] = [self.row()]
        while self._next() == COMMA:
            parts += [self._take(), self.row()]
        if self._take() != ")":
            raise ValueError(")")
        return _row(parts)

    def _closed(self, end: str) -> Node:
        inside = self.row()
        if self._take() != end:
            raise ValueError(end)
        return inside

    def _begins(self) -> bool:
        if self.at == len(self.tokens):
            return False
        kind, token = self.tokens[self.at]
        return kind not in ("sign", "lead") or token == "("

    def _next(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]


def _row(parts: list[Node | str]) -> Node:
    only = parts[0]
    return only if len(parts) == 1 and not isinstance(only, str) else Row(tuple(parts))


def _bare(node: Node) -> Node:
    """Leave out parentheses that a bar or a root makes idle."""
    return node.inside if isinstance(node, Enclosed) and node.ends == ("(", ")") else node


def plain(node: Node | str) -> str:
    """Return a formula in one line of text."""
    match node:
        case str():
            return f"{node} " if node == COMMA else node if node in ("·", " ") else f" {node} "
        case Name():
            return node.text
        case Subscript():
            return f"{node.base}_{node.index}"
        case Fraction():
            return f"{_held(node.over)} / {_held(node.under)}"
        case Superscript():
            return f"{_held(node.base)}^{_held(node.exponent)}"
        case Root():
            return f"√({plain(node.inside)})"
        case Enclosed():
            return f"{node.ends[0]}{plain(node.inside)}{node.ends[1]}"
        case Row():
            return "".join(plain(part) for part in node.parts)


def _held(node: Node) -> str:
    called = isinstance(node, Row) and len(node.parts) == 2
    return f"({plain(node)})" if isinstance(node, Row | Fraction) and not called else plain(node)
