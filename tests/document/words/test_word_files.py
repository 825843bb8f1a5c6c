"""Files of words are refused with the line that is at fault, and hold nothing that a YAML reader may read otherwise."""

from pathlib import Path

import pytest

from reporting.base.word_files import WordsError, read_words
from reporting.document.words.codes import read_question
from reporting.document.words.terms import VOCABULARIES, read_vocabularies
from reporting.errors import UnknownNameError

QUESTION = """\
terms:
  wave:
    medical: visit
    others: wave
cautions:
  too_early:
    code: XY301
    title: Too early
    facts: [models]
    text: "{models} were asked before the second {wave}."
    meaning: Answers are missing.
    detected: Dates are compared.
    matters: Rates of change are unknown.
    remedy: Wait.
gates:
  grows:
    code: XY401
    title: Grows
    meaning: A share grows.
    detected: Two shares are compared.
    matters: It was required.
    remedy: Read why.
texts:
  waves: Waves of {trials}.
  later:
    facts: [days]
    text: "{days} later."
"""
VOCABULARY_FILE = Path(read_vocabularies.__code__.co_filename).with_name("vocabularies.yaml")


def planted(folder: Path, text: str, old: str, new: str) -> Path:
    assert text.count(old) == 1, "the fault is planted in one place"
    (folder / "words.yaml").write_text(text.replace(old, new))
    return folder / "words.yaml"


def test_words_of_a_question_are_read(tmp_path):
    words = read_question(planted(tmp_path, QUESTION, "second", "second"))
    assert {name: (code.key, code.kind) for name, code in words.codes.items()} == {
        "too_early": ("XY301", "caution"),
        "grows": ("XY401", "gate"),
    }
    assert words.cautions["too_early"].facts == ("models",)
    assert words.terms == {"wave": dict.fromkeys(VOCABULARIES, "wave") | {"medical": "visit"}}
    assert words.texts == {"waves": "Waves of {trials}.", "later": "{days} later."}


FAULTS = {
    "unknown slot": ("{models} were", "{model} were", "10: nothing fills '{model}'"),
    "slot of no term": ("{trials}", "{trails}", "24: nothing fills '{trails}'; did you mean 'trials'?"),
    "slot of another text": ("{days}", "{models}", "27: nothing fills '{models}'"),
    "lone brace": ("{trials}.", "{trials.", "24: a brace of the text itself is written twice"),
    "digit of another kind": (
        "XY301",
        "XYX",
        "7: the code of a caution is like XY301: two letters, 3, two digits",
    ),
    "code of a caution": (
        "XY401",
        "XY301",
        "17: the code of a gate is like XY401: two letters, 4, two digits",
    ),
    "no code": ("    code: XY401\n", "", "16: 'grows' lacks code"),
    "missing part": ("    remedy: Wait.\n", "", "6: 'too_early' lacks remedy"),
    "unknown part of a caution": (
        "matters: Rates",
        "matter: Rates",
        "13: 'matter' is no part of a caution; did you mean 'matters'?",
    ),
    "unknown part of a question": ("gates:", "gate:", "15: 'gate' is no part of the words of a question"),
    "unknown part of a text": ("    facts: [days]", "    fact: [days]", "26: 'fact' is no part of a text"),
    "text without text": ('    text: "{days} later."\n', "", "25: it lacks its text"),
    "missing vocabulary": ("    others: wave\n", "", "2: the term is missing in "),
    "unknown vocabulary": (
        "medical:",
        "medicine:",
        "3: 'medicine' is no vocabulary; did you mean 'medical'?",
    ),
    "name twice": ("  later:", "  waves:", "25: 'waves' is already in line 24"),
    "part twice": ("    matters: It", "    meaning: It", "21: 'meaning' is already in line 19"),
    "facts in words": ("[models]", "models", "9: expected a list of names, such as [models, share]"),
    "list for a text": ("meaning: Answers are missing.", "meaning: [Answers]", "11: expected a text"),
    "several texts where one is": (
        "Waves of {trials}.",
        "{text: [Waves]}",
        "24: expected a text",
    ),
    "switch for a text": ("title: Grows", "title: true", "18: expected a text"),
    "number for a text": ("title: Grows", "title: 2", "18: '2' is no text; write it in double quotes"),
    "switch of YAML 1.1": ("title: Grows", "title: No", "18: 'No' is no text; write it in double quotes"),
    "text for a mapping": ("gates:\n", "gates: none\nrest:\n", "16: 'rest' is no part of the words"),
    "tag": ("title: Grows", "title: !!binary aGVsbG8=", "18: "),
    "unfinished list": ("[days]", "[days", "27: "),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_line(tmp_path, fault):
    old, new, message = FAULTS[fault]
    file = planted(tmp_path, QUESTION, old, new)
    with pytest.raises(WordsError) as refused:
        read_question(file)
    assert str(refused.value).startswith(f"{file}:{message}")


@pytest.mark.parametrize(
    "bad", [b"", b"# nothing\n", b"a: \xff\n", b"a: \x00\n", b"[a]\n", b"--- {}\n--- {}\n"]
)
def test_what_is_no_file_of_words_is_refused(tmp_path, bad):
    (tmp_path / "words.yaml").write_bytes(bad)
    with pytest.raises(WordsError, match="words.yaml:"):
        read_question(tmp_path / "words.yaml")


def test_a_code_is_given_once(tmp_path):
    again = QUESTION[QUESTION.index("  too_early") : QUESTION.index("gates:")].replace(
        "too_early", "too_late"
    )
    file = planted(tmp_path, QUESTION, "gates:", f"{again}gates:")
    with pytest.raises(WordsError, match=r":16: the code XY301 is already in line 7"):
        read_question(file)


OF_VOCABULARIES = {
    "unknown term": ("    miss:", "    mis:", "'mis' is no term; did you mean 'miss'?"),
    "unknown shared terms": ("like: ", "like: x", "are no shared terms; did you mean"),
    "switch in words": ("counts_correct: true", "counts_correct: yes", "'yes' is no text"),
}


@pytest.mark.parametrize("fault", OF_VOCABULARIES)
def test_a_fault_of_vocabularies_is_named_with_its_line(tmp_path, fault):
    old, new, message = OF_VOCABULARIES[fault]
    text = VOCABULARY_FILE.read_text()
    (tmp_path / "v.yaml").write_text(text.replace(old, new, 1))
    with pytest.raises(WordsError) as refused:
        read_vocabularies(tmp_path / "v.yaml")
    line = text[: text.index(old)].count("\n") + 1
    assert str(refused.value).startswith(f"{tmp_path / 'v.yaml'}:{line}: ")
    assert message in str(refused.value)


def test_detection_names_every_term(tmp_path):
    before, detection, rest = VOCABULARY_FILE.read_text().partition("  detection:\n")
    assert "    misses: misses\n" in rest
    (tmp_path / "v.yaml").write_text(before + detection + rest.replace("    misses: misses\n", "", 1))
    with pytest.raises(WordsError, match="detection lacks misses"):
        read_vocabularies(tmp_path / "v.yaml")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("trials", r"'trials' is not a title; the term is fill\('\{Trials\}'\)"),
        ("precison", "'precison' is not a title; did you mean 'precision'"),
    ],
)
def test_a_title_that_there_is_not_names_the_nearest(name, message):
    with pytest.raises(UnknownNameError, match=message):
        VOCABULARIES["biometrics"].title(name)


def test_every_text_of_a_plain_file_is_as_written(tmp_path):
    file = tmp_path / "words.yaml"
    file.write_text("a: >-\n  one\n  line\nb: [c, d]\ne: true\nf: {g: 'no'}\n")
    assert read_words(file).plain() == {"a": "one line", "b": ("c", "d"), "e": True, "f": {"g": "no"}}
