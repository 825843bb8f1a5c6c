"""The codes of a report and their words: a page each, and the sentences that a report prints.

The first digit of a code shows what it is about. A code keeps its meaning for good: one that is no longer
used is never given to anything else, and ``tests/document/words/codes.txt`` holds what was given away.
Statuses, flags, methods and errors have their words in this folder, the cautions and gates of a question in
the ``words.yaml`` of its own.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from reporting.base.records import dataclass
from reporting.base.word_files import WordEntry, read_words
from reporting.document.blocks import Caution
from reporting.document.words.terms import SLOTS, VOCABULARIES
from reporting.errors import listed, quoted

if TYPE_CHECKING:
    from reporting.document.words.view import DatasetView

IGNORABLE = ("status", "flag", "caution")
NO_REASON = "the reason is not described"


@dataclass(frozen=True, kw_only=True)
class Code:
    """A code and its page: ``key`` is the code, ``name`` the word that frames and manifests use.

    ``facts`` fill the sentences that a report prints, with the terms of its vocabulary.
    """

    key: str
    kind: str
    name: str
    title: str
    meaning: str
    detected: str
    matters: str
    remedy: str
    facts: tuple[str, ...] = ()

    SENTENCES: ClassVar[tuple[str, ...]] = ()
    """Which fields are templates."""

    @property
    def can_be_ignored(self) -> bool:
        """Whether ``ignore`` may fold its cautions away; verdicts and errors stay."""
        return self.kind in IGNORABLE

    def caution(self, text: str, grave: bool = False, title: str = "") -> Caution:
        """Return a caution under this code, and under its title where it has no other."""
        return Caution(text, grave, title or f"{self.title}.", self.key)


@dataclass(frozen=True, kw_only=True)
class Status(Code):
    """Why a number is undefined, or a gate undecided, to follow ``because``."""

    sentence: str
    of_spread: str = ""
    """The same of a test or a gate, which needs spread, where that differs."""

    SENTENCES = ("sentence", "of_spread")


@dataclass(frozen=True, kw_only=True)
class Flag(Code):
    """What must be known of numbers with a flag, by their meaning: each in a frame of its own.

    ``{models}``, ``{pairs}``, ``{measures}``, ``{units}`` and ``{fits}`` are those concerned, ``{few_units}``
    how few units there are, and how unequal, ``{worth}`` the latter in any case, ``{dev_step}`` and
    ``{test_step}`` widths of bins. Sentences are in the words of detection.
    """

    values: str = ""
    comparisons: str = ""
    fits: str = ""
    tests: str = ""
    runs: str = ""
    """Of differences to an earlier run."""
    policy: str = ""
    """Of all numbers, whose thresholds were chosen in this way."""
    grave: bool = False
    """Where a number of the primary question has it."""

    SENTENCES = ("values", "comparisons", "fits", "tests", "runs", "policy")


@dataclass(frozen=True, kw_only=True)
class CautionPage(Code):
    """What must be known of the whole report: ``text`` is printed, ``texts`` are several by name."""

    text: str = ""
    texts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    SENTENCES = ("text", "texts")


@dataclass(frozen=True, kw_only=True)
class Method:
    """How an interval or a p-value was made, or p-values adjusted."""

    key: str
    name: str
    between_runs: str = ""
    """The same in full, of the difference between two runs."""
    resampled: bool = False
    """Whether it rests on draws of units; else trials are treated as independent."""


KINDS: Mapping[str, tuple[str, type[Code]]] = {
    "statuses": ("status", Status),
    "flags": ("flag", Flag),
    "cautions": ("caution", CautionPage),
    "gates": ("gate", Code),
    "config_errors": ("config error", Code),
    "data_errors": ("data error", Code),
    "output_errors": ("output error", Code),
    "program_errors": ("program error", Code),
}
"""What codes are about, by their part of a file: why a number is undefined, what must be known of a defined
one, what must be known of the whole report, a verdict, or what ended the program."""
DIGITS = dict(zip("12345679", KINDS, strict=True))
"""The part of a file by the first digit of a code."""
OF_A_QUESTION = ("cautions", "gates", "texts", "terms")
"""What the ``words.yaml`` of a question may hold."""
_CODE = re.compile(r"[A-Z]{2}(\d)\d\d")


@dataclass(frozen=True)
class QuestionWords:
    """The words of one question: its codes by name, its texts, and its terms by vocabulary."""

    cautions: Mapping[str, CautionPage]
    gates: Mapping[str, Code]
    texts: Mapping[str, str]
    terms: Mapping[str, Mapping[str, str]]

    @property
    def codes(self) -> Mapping[str, Code]:
        """Its codes by name."""
        return {**self.cautions, **self.gates}

    def fill(self, text: str, view: DatasetView, **facts: object) -> str:
        """Return a text of the question with facts, in the vocabulary of a report."""
        own = {name: words[view.study.vocabulary] for name, words in self.terms.items()}
        return view.terms.fill(text, **own, **facts)

    def caution(self, view: DatasetView, name: str, grave: bool = False, **facts: object) -> Caution:
        """Return a caution with its text: ``name``, or ``name.text`` where it has several."""
        word, _, which = name.partition(".")
        page = self.cautions[word]
        text = page.texts[which] if which else page.text
        return page.caution(self.fill(text, view, **facts), grave)


NO_WORDS = QuestionWords({}, {}, {}, {})


@cache
def words_of(package: str) -> QuestionWords:
    """Return the words of a package, from the ``words.yaml`` in its folder."""
    return read_question(Path(str(import_module(package).__file__)).with_name("words.yaml"))


def read_question(file: Path) -> QuestionWords:
    """Return the words of a question; WordsError with the line that is at fault."""
    whole = read_words(file).only(OF_A_QUESTION, "part of the words of a question")
    own = {name: _by_vocabulary(entry) for name, entry in _below(whole, "terms").items()}
    cautions, gates = (_codes(part, _below(whole, part), own) for part in ("cautions", "gates"))
    texts = {name: _text(entry, own) for name, entry in _below(whole, "texts").items()}
    return QuestionWords(cautions, gates, texts, own)


def _below(whole: Mapping[str, WordEntry], part: str) -> Mapping[str, WordEntry]:
    return whole[part].below() if part in whole else {}


def _by_vocabulary(entry: WordEntry) -> Mapping[str, str]:
    """Return a term in every vocabulary; ``others`` is that of vocabularies without their own."""
    words = {name: each.text() for name, each in entry.only((*VOCABULARIES, "others"), "vocabulary").items()}
    lacking = [name for name in VOCABULARIES if name not in words]
    if lacking and "others" not in words:
        raise entry.fault(f"the term is missing in {listed(lacking)}; name it there, or for all `others`")
    return {name: words.get(name, words.get("others", "")) for name in VOCABULARIES}


def _text(entry: WordEntry, own: Iterable[str]) -> str:
    """Return a text, given alone or below ``text`` with the facts that fill it."""
    if isinstance(entry.value, str):
        return entry.template((*SLOTS, *own))
    below = entry.only(("facts", "text"), "part of a text")
    if "text" not in below:
        raise entry.fault("it lacks its text")
    return below["text"].template((*SLOTS, *own, *_facts(below)))


def _facts(below: Mapping[str, WordEntry]) -> tuple[str, ...]:
    facts = below["facts"].value if "facts" in below else ()
    if not isinstance(facts, tuple):
        raise below["facts"].fault("expected a list of names, such as [models, share]")
    return facts


def _codes(part: str, entries: Mapping[str, WordEntry], own: Iterable[str] = ()) -> dict[str, Any]:
    """Return the codes of one part of a file by their names."""
    kind, page = KINDS[part]
    known = {
        field.name: field for field in dataclasses.fields(page) if field.name not in ("key", "kind", "name")
    }
    codes, keys = {}, dict[str, WordEntry]()
    for name, entry in entries.items():
        below = entry.only(("code", *known), f"part of a {kind}")
        needed = [each for each, field in known.items() if field.default is field.default_factory]
        if lacking := [each for each in ("code", *needed) if each not in below]:
            raise entry.fault(f"{quoted(name)} lacks {listed(lacking)}")
        code = below["code"]
        match = _CODE.fullmatch(code.text())
        if match is None or DIGITS.get(match[1]) != part:
            digit = next(digit for digit, each in DIGITS.items() if each == part)
            raise code.fault(f"the code of a {kind} is like XY{digit}01: two letters, {digit}, two digits")
        if code.text() in keys:
            raise code.fault(f"the code {code.text()} is already in line {keys[code.text()].line}")
        keys[code.text()] = code
        slots = (*SLOTS, *own, *_facts(below))
        values: dict[str, Any] = {"facts": _facts(below)}
        for each in known.keys() & below.keys() - {"facts"}:
            if each == "texts":
                values[each] = {name: text.template(slots) for name, text in below[each].below().items()}
            elif each in page.SENTENCES:
                values[each] = below[each].template(slots)
            else:
                is_switch = isinstance(known[each].default, bool)
                values[each] = below[each].switch() if is_switch else below[each].text()
        codes[name] = page(key=code.text(), kind=kind, name=name, **values)
    return codes


def _of_program(file: str) -> Mapping[str, WordEntry]:
    return read_words(Path(__file__).with_name(file)).below()


@dataclass(frozen=True)
class Formula:
    """The formula of a method, its section and the page of ``docs/pages/methods`` with it, and its source."""

    formula: str
    section: str
    page: str
    source: str = ""


@cache
def formulas() -> Mapping[str, Mapping[str, Formula]]:
    """Return the formula of every method by the part of ``methods.yaml`` and its word."""
    parts = _of_program("formulas.yaml")
    return {
        part: {key: Formula(**each.plain()) for key, each in parts[part].below().items()} for part in parts
    }


def _methods(part: str) -> Mapping[str, Method]:
    fields = ("name", "between_runs", "resampled")
    entries = _METHODS[part].below()
    for entry in entries.values():
        entry.only(fields, "part of a method")
    return {key: Method(key=key, **entry.plain()) for key, entry in entries.items()}


REASONS: Mapping[str, Status] = _codes("statuses", _of_program("statuses.yaml")["statuses"].below())
FLAGS: Mapping[str, Flag] = _codes("flags", _of_program("flags.yaml")["flags"].below())
"""In the order in which a report shows them."""
CAUTIONS: Mapping[str, CautionPage] = _codes("cautions", _of_program("cautions.yaml")["cautions"].below())
"""Those that several questions raise, or none."""

_METHODS = _of_program("methods.yaml")
CI_METHODS, P_METHODS, CORRECTIONS = map(_methods, ("ci_methods", "p_methods", "corrections"))


def undefined(status: str | None, text: str, grave: bool, title: str) -> Caution:
    """Return a caution about numbers without a value, with the code of their status."""
    return Caution(text, grave, title, REASONS[status].key if status and status in REASONS else "")


@cache
def errors() -> Mapping[str, Code]:
    """Return the codes of what ends the program, by name."""
    return {
        name: code
        for part, entry in _of_program("errors.yaml").items()
        for name, code in _codes(part, entry.below()).items()
    }
