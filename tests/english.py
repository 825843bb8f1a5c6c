"""What no text for readers says, as patterns, and where such texts are found.

A static text is a string of the program, with ``{}`` where something is filled in.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]

WORDS: Mapping[str, str] = {
    r"tells?|told|telling": "show, report",
    r"said|says": "show, report; name the subject",
    r"stands?|stood": "is; is also reported",
    r"beside": "next to; also",
    r"ours|of us": "name the owner",
    r"by itself|by themselves|for itself": "alone; pointwise; separately",
    r"at once": "simultaneous; jointly",
    r"(?:is|are) to be|to be (?:had|got|added up)": "give the verb a subject",
    r"(?:than|as|of|are those of) then": "in the previous run",
    r"shown to be\b|[Nn]ot shown(?! to beat)|is shown, of": "better, worse, inconclusive",
    r"cuts?": "threshold",
    r"chosen (?:again|afresh)|tuned afresh": "re-selected in each resample",
    r"tuned systems?": "thresholds fixed",
    r"sup-t": "simultaneous band",
    r"(?:on|of|from|to|for|than|that) dev(?! (?:set|thresholds|rows))|dev (?:chose|and test|has|shows|too)": "the development set",
    r"test itself|trials of test|(?:on|of) test for": "the test set",
    r"replicates": "resamples",
    r"without scores": "ignoring the scores",
    r"turned round": "inverted",
    r"hardly": "unlikely to",
    r"dearest|frail": "costliest; fragile",
    r"as good as": "best",
    r"may (?:still )?be the (?:best|one|lowest|highest)|may be the best": "in contention",
    r"(?:are|is) (?:known only )?(?:rough|coarse)(?:ly)?|known only roughly": "approximate; imprecise",
    r"nobody": "none",
    r"decided,? (?:or ranked, )?alike|decided differently|decides every": "identical decisions; disagree",
    r"so that (?:models|there)|so few": "so",
    r"called otherwise|taken for": "has another name",
    r"[Uu]pright": "vertical",
    r"as they (?:are|were asked for)": "unchanged; requested",
    r"of a kind": "name the kind of error",
    r"aim(?:ed|s)? at|at thresholds that aim": "targeted",
    r"asked for": "requested",
    r"every stretch": "each score",
    r"nowhere": "no model ... at any",
    r"the very": "leave it out",
    r"whole curves? at once|holds? (?:a|the) whole|hold at once": "simultaneous",
    r"(?:hold|holds) (?:the bound|no cache|it as|which|whole|none)|the rest of it": "include; is not",
    r"lowest (?:HTER|weighted error|value) is that": "name the model first",
    r"not whole yet|not what was run|no report of|no estimate of|no part of|not known so far": "say what it is",
    r"what (?:is had|was possible|to expect|the words|they are)|what is (?:chosen|taken|found)": "name it",
    r"(?:act|acting|acted) on|speaks? for": "treat; favour",
    r"lies on the|may lie below": "is drawn on; is below",
    r"over (?:false acceptance|every|the one|that of|the stated|the cost)|over its own": "against; relative to",
    r"behind the numbers|what it prints|what stderr": "name it",
    r"(?:one|a) question that|depends on the question|which model at which": "one question",
    r"would find|times as many|times in 5": "detectable difference with 80% power",
    r"sorted by value|descriptive, unadjusted|the family of comparisons": "best first; exploratory; primary comparisons",
    r"too \(dashed\)|thin dashed|given the thresholds|at given thresholds": "dashed; thresholds fixed",
    r"one object a line|one row a|one a line": "per",
    r"[Tt]ake (?:it|every)|taken (?:over|even|as they)": "use; remove",
    r"goes on|(?:report|which) goes": "output; continue",
    r"do not carry over|left out of|leaves? 0 out": "not comparable; exclude; include",
    r"is expected|are expected": "expected X, found Y",
    r"a guess:|recognise what|remember nothing|compute nothing": "guessed; infer",
    r"files made again|make a report again|every output follows": "rebuilt",
    r"because the data are degenerate|without spread": "the actual reason",
    r"trials treated as|probit axes|sh?are the (?:highest|lowest)": "name the subject",
    r"for the first \d|of the first \d": "shown",
    r"Thin dashed|darker,|Full colour": "a key",
}
"""Words between word boundaries, and what replaces them."""

PHRASES = (
    *("difference to", "adjusted by", "independent: no", "bins of equal width", "Name a prior", "worse here"),
    *(
        "worse at all",
        "Every model at this",
        "saw the test data",
        "exact areas of",
        "no interval is computed",
    ),
    *("how many times the variance", "have one", "which are framed", "made larger", "each a replicate"),
    *("how often trials", "resampled whole", "less one", "that were read", "capital", "Make the report"),
    *("Errors alone", "the program itself", "belong to one trial", "Of a database", "all about one"),
    *("to start from", "rows outside", "Does it still follow", "that are others", "never stops"),
    *("not allowing for the choice", "not settle", "no say in", "not cover them", "first of the pair"),
    *("computed before rounding", "exchanges of scores", "rows looked at", "only you can know"),
)
"""Old phrases that no word gives away."""

PATTERNS: Mapping[str, str] = {
    r"\d[  ]%": "closed up: 95%",
    r"\d [ ]?\d{3}\b": "a comma between thousands",
    r"\{\} %": "closed up: 95%",
    r"\btest: \d": "Test set: ... trials",
    r"\(1 - α\)": "a minus sign",
}
"""The same with patterns of their own."""

BANNED = re.compile(
    "|".join(
        [
            *(rf"(?<![\w`.-])(?i:{word})(?![\w`-])" for word in WORDS),
            *(rf"\b{re.escape(phrase)}" for phrase in PHRASES),
            *PATTERNS,
        ]
    ),
)


def faults(text: str) -> list[str]:
    """Return what a text holds that the style sheet bans, with what to write instead."""
    return [f"{match[0]} -> {_instead(match[0])}" for match in BANNED.finditer(text)]


def _instead(hit: str) -> str:
    words = (instead for word, instead in WORDS.items() if re.fullmatch(word, hit, re.I))
    patterns = (instead for pattern, instead in PATTERNS.items() if re.fullmatch(pattern, hit))
    return next(words, None) or next(patterns, "other words")


def static_texts(folder: Path) -> Iterator[tuple[str, int, str]]:
    """Yield every string with a blank in it that is no docstring: file, line, and text."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        left_out = {id(node) for node in _documents(tree)} | {id(node) for node in _inside_joined(tree)}
        for node in ast.walk(tree):
            if id(node) in left_out:
                continue
            text = _text(node)
            if " " in text.strip():
                yield str(path.relative_to(ROOT)), getattr(node, "lineno", 0), text


def documents(folder: Path) -> Iterator[tuple[str, int, str]]:
    """Yield every line of a docstring, or of what a string says of a name, and every comment: file, line, and text."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text()
        place = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                lines = str(node.value.value).splitlines()
                yield from ((place, node.lineno + number, line) for number, line in enumerate(lines))
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield place, token.start[0], token.string


def _documents(tree: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, and the strings that follow a name to say what it is."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                yield child.value
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == "Literal"
        ):
            yield from ast.walk(node)


def _inside_joined(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from node.values


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) or "{}" for value in node.values)
    return ""
