"""Methods are cited by number in one form, and every number has its place on the pages of methods.

``methods 8.4``, ``methods 6.1 to 6.4``, ``methods, decision (viii)``, ``methods, erratum E16`` and ``methods,
properties P4, P7``, with a capital at the start of a sentence. Claims of papers name errata alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.build import PAGES
from reporting.document.words.codes import CI_METHODS, CORRECTIONS, P_METHODS, formulas

HERE = Path(__file__)
ROOT = HERE.parents[2]
FOLDERS = ("reporting", "tests", "docs", "configs")
OWN = PAGES / "methods"
ERRATUM = r"E(?<![\w.-]E)(?:[1-9]|[1-3]\d|4[0-3])\b"
"""E50 and E90 are measures. Patterns begin with letters that are searched for fast."""


def listed(number: str) -> str:
    """Return the pattern of one number, or of several: ``1, 2``, ``1 and 2``, ``1 to 3``."""
    return f"{number}(?:(?:,|,? and| to) {number})*"


FORMS = {
    "section": re.compile(rf"ethods ({listed(r'[0-9]{1,2}(?:[.][0-9]{1,2})?')})"),
    "decision": re.compile(rf"ethods, decisions? ({listed(r'[(][ivx]+[)]')})"),
    "erratum": re.compile(rf"ethods, errat(?:um|a) ({listed(ERRATUM)})"),
    "property": re.compile(rf"ethods, propert(?:y|ies) ({listed(r'P[0-9]{1,2}')})"),
}
MEANT = [
    re.compile(pattern)
    for pattern in (
        *(r"ethods,? (?:sec\w*\.? )?[0-9]", r"decisions? [(][ivx]+[)]"),
        *(ERRATUM, r"\"\"\"P[0-9]", r"propert(?:y|ies) P[0-9]"),
    )
]
"""What cites, in whatever form."""
NUMBER = re.compile(rf"[0-9]+(?:[.][0-9]+)?|[(][ivx]+[)]|{ERRATUM}|P[0-9]+")


@cache
def places() -> frozenset[str]:
    """Return every number that has a place: sections, decisions in brackets, errata and properties."""
    text = "\n".join(page.read_text() for page in OWN.glob("*.md"))
    headings = re.findall(r"^## (?:Decision )?([0-9.]+(?= )|[(][ivx]+[)])", text, re.M)
    return frozenset([*headings, *re.findall(r'id="(?:erratum|property)-[ep][0-9]+">(\w+)<', text)])


def cited(text: str, *, errata_alone: bool = False) -> Iterator[tuple[int, int, str]]:
    """Yield the citations of a text that have the form, as its start, its end, and a number in it."""
    forms = [*FORMS.values(), *([re.compile(f"({ERRATUM})")] if errata_alone else [])]
    for form in forms:
        for match in form.finditer(text):
            for number in NUMBER.findall(match[1]):
                yield *match.span(), number


def faults(text: str, *, errata_alone: bool = False) -> list[str]:
    """Return what a text cites in another form, or by a number without a place."""
    text = re.sub(r"\n\s*(?:# ?)?", " ", text)
    found = list(cited(text, errata_alone=errata_alone))
    spans = [(start, end) for start, end, _ in found]
    unlike = [
        text[match.start() : match.start() + 30]
        for meant in MEANT
        for match in meant.finditer(text)
        if not any(start <= match.start() < end for start, end in spans)
    ]
    return [*(f"form: {each}" for each in unlike), *(f"no {n}" for *_, n in found if n not in places())]


def files() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".md", ".yaml") and OWN not in path.parents and path != HERE:
                yield path


def test_every_citation_has_one_form_and_a_place():
    found = {
        str(path.relative_to(ROOT)): faults(path.read_text(), errata_alone=path.name == "claims.yaml")
        for path in files()
    }
    assert {name: of_file for name, of_file in found.items() if of_file} == {}


def test_citations_are_found():
    text = (ROOT / "reporting/features/curves/formulas.py").read_text()
    assert {"11", "11.3", "11.6"} <= {number for *_, number in cited(text)}
    assert {"8.4", "(viii)", "E16", "P4", "10"} <= places()


def test_every_method_has_a_formula_with_a_place():
    words = {"ci_methods": CI_METHODS, "p_methods": P_METHODS, "corrections": CORRECTIONS}
    assert {part: sorted(of) for part, of in formulas().items()} == {
        part: sorted(of) for part, of in words.items()
    }
    pages = {page.stem: page.read_text() for page in OWN.glob("*.md")}
    for of in formulas().values():
        for key, each in of.items():
            anchor = "-".join(re.findall(r"\w+", each.section))
            assert f"({anchor})=" in pages[each.page], key


METHODS = "methods"
"""Apart from its numbers, which would be citations of this file."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"({METHODS} 8.4, 8.8).", []),
        (f"by {METHODS}\n    # 8.4", []),
        (f"{METHODS} 8.4, 8.3", ["no 8.3"]),
        (f"{METHODS}, section 2", ["form: ethods, section 2"]),
        (f"{METHODS}, decision (ix)", ["no (ix)"]),
        ("by decision " + "(vi)", ["form: decision (vi)"]),
        (f"{METHODS}, errata E3 and E2", ["no E2"]),
        ("of E" + "16", ["form: E16"]),
        (f"{METHODS}, properties P4, P40", ["no P40"]),
    ],
)
def test_other_forms_and_numbers_without_a_place_are_noticed(text: str, expected: list[str]) -> None:
    assert faults(text) == expected
