"""Terms and names of models where a page uses them.

The first use of a term in a section carries its definition; a name carries the colour of its model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

from reporting.document.blocks import Report, colour
from reporting.document.numbers import unbroken
from reporting.render.render_input import tables

GLOSSARY = "glossary"
"""The table whose rows are terms with their meanings."""

LONGEST_NAME = 60

WORDS = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "best", "but", "by", "for", "in", "is", "it", "led", "looks"),
        *("may", "model", "models", "no", "not", "of", "on", "or", "other", "than", "the", "to", "with"),
    )
)
"""Words of every sentence: a model that is called so is not marked in one."""


class Explained:
    """A filter of templates: escapes a text, and marks the terms in it that the section has not had yet.

    Names of models are marked too, those that a sentence could hold as a word only in the answer (``named``).
    """

    def __init__(self, report: Report) -> None:
        self.meanings: dict[str, str] = {}
        styled = (cell for table in tables(report) for row in table.rows for cell in row)
        self.colours = {
            unbroken(cell.text): colour(cell.style)
            for cell in styled
            if cell.style is not None and cell.text.casefold() not in WORDS
        }
        self.all_names = _any_of(self.colours)
        self.clear_names = _any_of(name for name in self.colours if not re.fullmatch(r"[a-z]+", name))
        for table in tables(report):
            if table.name == GLOSSARY:
                for term, meaning, *_ in table.rows:
                    self._add(term.text, meaning.text)
        self.pattern = _any_of(self.meanings, re.IGNORECASE)
        self.met: set[str] = set()

    def _add(self, term: str, meaning: str) -> None:
        """Enter a term, and its full name where the meaning begins with one."""
        self.meanings[unbroken(term).casefold()] = meaning
        name, colon, _ = meaning.partition(": ")
        if colon and len(name) < LONGEST_NAME and "(" not in name:
            self.meanings.setdefault(unbroken(name).casefold(), meaning)

    def begin(self) -> None:
        """Begin a section, in which every term is explained anew."""
        self.met.clear()

    def __call__(self, text: str) -> Markup:
        """Return the text with its terms marked, and the names that no sentence holds as a word."""
        return self._marked(text, self.clear_names, self._with_terms)

    def named(self, text: str) -> Markup:
        """Return a text of the answer with every name marked, and no term."""
        return self._marked(text, self.all_names, escape)

    def _marked(self, text: str, names: re.Pattern[str], between: Callable[[str], Markup]) -> Markup:
        pieces, at, text = [], 0, unbroken(text)
        for match in names.finditer(text):
            first, *rest = re.split(r"(?=\s)", match[0], maxsplit=1)
            pieces += [between(text[at : match.start()])]
            pieces += [NAMED.format(self.colours[match[0]], first, "".join(rest))]
            at = match.end()
        return Markup().join([*pieces, between(text[at:])])

    def _with_terms(self, text: str) -> Markup:
        pieces, at = [], 0
        for match in self.pattern.finditer(text):
            meaning = self.meanings[match[0].casefold()]
            if meaning in self.met:
                continue
            self.met.add(meaning)
            pieces += [escape(text[at : match.start()]), MARKED.format(meaning, match[0])]
            at = match.end()
        return Markup().join([*pieces, escape(text[at:])])


def _any_of(texts: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return what finds any of some texts as whole words, the longest first."""
    every = sorted(filter(None, texts), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, every)) or '(?!)'})(?![\w-])", flags)


NAMED = Markup(
    '<b class="model"><span><svg class="chip" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true"'
    ' focusable="false"><circle cx="5" cy="5" r="4.5" fill="{}"/></svg>{}</span>{}</b>'
)
MARKED = Markup('<abbr class="term" title="{}">{}</abbr>')
