"""Terms of the glossary where a page uses them: the first in a section carries its definition."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from reporting.document.blocks import Report
from reporting.document.numbers import unbroken
from reporting.render.render_input import tables

GLOSSARY = "glossary"
"""The table whose rows are terms with their meanings."""

LONGEST_NAME = 60


class Explained:
    """A filter of templates: escapes a text, and marks the terms in it that the section has not had yet."""

    def __init__(self, report: Report) -> None:
        self.meanings: dict[str, str] = {}
        for table in tables(report):
            if table.name == GLOSSARY:
                for term, meaning, *_ in table.rows:
                    self._add(term.text, meaning.text)
        every = sorted(self.meanings, key=len, reverse=True)
        self.pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, every))})(?![\w-])", re.IGNORECASE)
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
        """Return the text with its terms marked."""
        text = unbroken(text)
        if not self.meanings:
            return escape(text)
        pieces, at = [], 0
        for match in self.pattern.finditer(text):
            meaning = self.meanings[match[0].casefold()]
            if meaning in self.met:
                continue
            self.met.add(meaning)
            pieces += [escape(text[at : match.start()]), MARKED.format(meaning, match[0])]
            at = match.end()
        return Markup().join([*pieces, escape(text[at:])])


MARKED = Markup('<abbr class="term" tabindex="0" title="{}">{}</abbr>')
