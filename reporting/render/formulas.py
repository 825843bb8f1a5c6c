"""Formulas in mathematical type: MathML for pages, TeX for papers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from reporting.document.blocks import Prose
from reporting.document.formula import (
    COMMA,
    Enclosed,
    Fraction,
    Name,
    Node,
    Root,
    Row,
    Subscript,
    Superscript,
    formula,
)
from reporting.render.tex import Tex
from reporting.render.tex import escape as tex_escape


def mathml(node: Node) -> Markup:
    """Return a formula as a ``math`` element."""
    return Markup("<math>{}</math>").format(_mathml(node))


def _mathml(node: Node | str) -> Markup:
    match node:
        case str():
            if node == " ":
                return Markup('<mspace width="0.25em"></mspace>')
            return Markup("<mo>{}</mo>").format(node)
        case Name():
            number = node.text[:1].isdigit()
            tag = "mn" if number else "mtext" if " " in node.text or "-" in node.text else "mi"
            return Markup(f"<{tag}>{escape(node.text)}</{tag}>")
        case Subscript():
            return Markup("<msub><mi>{}</mi><mi>{}</mi></msub>").format(node.base, node.index)
        case Fraction():
            return Markup("<mfrac>{}{}</mfrac>").format(_one(node.over), _one(node.under))
        case Superscript():
            return Markup("<msup>{}{}</msup>").format(_one(node.base), _one(node.exponent))
        case Root():
            return Markup("<msqrt>{}</msqrt>").format(_mathml(node.inside))
        case Enclosed():
            inside = _mathml(node.inside)
            return Markup("<mrow><mo>{}</mo>{}<mo>{}</mo></mrow>").format(node.ends[0], inside, node.ends[1])
        case Row():
            return Markup("").join(_mathml(part) for part in node.parts)


def _one(node: Node) -> Markup:
    return Markup("<mrow>{}</mrow>").format(_mathml(node)) if isinstance(node, Row) else _mathml(node)


def tex_formula(node: Node) -> Tex:
    """Return a formula between dollar signs."""
    return Tex(f"${_tex(node)}$")


TEX_SIGNS = {"−": "-", "·": r"\,", " ": r"\;", "≤": r"\le ", "≥": r"\ge "}
TEX_GREEK = {"α": r"\alpha", "β": r"\beta"}


def _tex(node: Node | str) -> str:
    match node:
        case str():
            sign = TEX_SIGNS.get(node, node)
            return f"{sign} " if node == COMMA else sign if node in ("·", " ") else f" {sign} "
        case Name():
            if node.text[:1].isdigit() or len(node.text) == 1:
                return TEX_GREEK.get(node.text, node.text)
            return rf"\text{{{tex_escape(node.text)}}}"
        case Subscript():
            return rf"{node.base}_\text{{{tex_escape(node.index)}}}"
        case Fraction():
            return rf"\frac{{{_tex(node.over)}}}{{{_tex(node.under)}}}"
        case Superscript():
            return rf"{{{_tex(node.base)}}}^{{{_tex(node.exponent)}}}"
        case Root():
            return rf"\sqrt{{{_tex(node.inside)}}}"
        case Enclosed():
            return rf"{node.ends[0]}{_tex(node.inside)}{node.ends[1]}"
        case Row():
            return "".join(_tex(part) for part in node.parts)


def parts(prose: Prose) -> Iterator[str | Node]:
    """Yield the text of a paragraph in pieces: what is a formula as what it means."""
    known = {text: node for text in prose.formulas if (node := formula(text)) is not None}
    if not known:
        yield prose.text
        return
    pattern = "|".join(re.escape(text) for text in sorted(known, key=len, reverse=True))
    for piece in re.split(f"({pattern})", prose.text):
        if piece:
            yield known.get(piece, piece)


def tex_prose(prose: Prose) -> Tex:
    """Return a paragraph with its formulas in mathematical type."""
    pieces = (tex_escape(part) if isinstance(part, str) else tex_formula(part) for part in parts(prose))
    return Tex("".join(pieces))
