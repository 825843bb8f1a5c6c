"""The exception tree: every fault a user can mend, reported in one line each."""

from __future__ import annotations

import difflib
import errno
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class CodedFault(str):
    """One message with the code of its kind, where that is not the code of the whole error."""

    code: str

    def __new__(cls, text: str, code: str) -> CodedFault:
        fault = super().__new__(cls, text)
        fault.code = code
        return fault

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.code


def with_code(code: str, faults: Iterable[str]) -> list[str]:
    """Return messages with a code."""
    return [CodedFault(fault, code) for fault in faults]


class ReportingError(Exception):
    """Carries one message per fault: where, what was found, what is allowed, the nearest guess."""

    status = 2
    """The exit code of a command that it ends."""
    code = "TR601"
    """The code of a fault that has none of its own, as ``reporting explain`` knows it."""

    def __init__(self, *faults: str) -> None:
        self.faults = tuple(dict.fromkeys(_shortened(fault) for fault in faults))
        super().__init__("\n".join(self.faults))

    def __reduce__(self) -> tuple[type[ReportingError], tuple[str, ...]]:
        return type(self), self.faults

    @property
    def codes(self) -> tuple[str, ...]:
        """The code of every fault."""
        return tuple(fault.code if isinstance(fault, CodedFault) else self.code for fault in self.faults)


class ConfigError(ReportingError):
    """The configuration cannot be read or asks for something that does not exist."""

    code = "TR506"


class ConfigFileError(ConfigError):
    """The file of a configuration cannot be read."""

    code = "TR501"


class UnknownNameError(ConfigError):
    """There is no measure, criterion, fit or code of a name."""

    code = "TR505"


class SourceError(ConfigError):
    """Trials are not where the configuration looks for them, or in files that are not read."""

    code = "TR507"


class OwnTemplateError(ConfigError):
    """A template or a section of the user's own cannot be used."""

    code = "TR508"


class DataError(ReportingError):
    """The trial table breaks a rule of the contract."""


def refuse(faults: Iterable[str], error: type[ReportingError] = DataError) -> None:
    """Raise an error with all faults, where there are any."""
    if every := list(faults):
        raise error(*every)


class UnreadableError(DataError):
    """A file of trials is there but cannot be read."""

    code = "TR602"


class SeveralTablesError(UnreadableError):
    """A file holds several tables, and nothing says which is meant; ``names`` are theirs."""

    names: tuple[str, ...] = ()


class NotInTableError(DataError):
    """The configuration names what the trials do not have."""

    code = "TR509"


class TooFewError(DataError):
    """A set of trials is too small for what is asked."""

    code = "TR608"


class RemoteError(DataError):
    """A database or a store of objects does not deliver."""

    code = "TR609"


class HistoryError(DataError):
    """The store of runs, or a run in it, cannot be used."""

    code = "TR610"


class OutputError(ReportingError):
    """The output directory may not be replaced, or cannot be written."""

    code = "TR701"


class NoReportError(OutputError):
    """A folder holds no report to verify."""

    code = "TR704"


class ExhaustedError(OutputError):
    """The machine has run out of something: room on a disk, open files."""

    status = 3
    code = "TR703"


EXHAUSTED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)
"""What the system answers where no other config would help."""


def unwritable(where: object, error: OSError) -> OutputError:
    """Return what ends a run that cannot write somewhere."""
    text = f"{where} cannot be written: {error}"
    return ExhaustedError(text) if error.errno in EXHAUSTED else OutputError(CodedFault(text, "TR702"))


@contextmanager
def room_in(where: object) -> Iterator[None]:
    """Say what could not be written where the machine runs out of room or files meanwhile."""
    try:
        yield
    except OSError as error:
        if error.errno in EXHAUSTED:
            raise unwritable(where, error) from error
        raise


LONGEST_SHOWN = 80
LONGEST_MESSAGE = 3_000


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest allowed word, or an empty text.

    That is the same word in other letter case, else the most similar one, else one it begins.
    """
    words = list(allowed)
    lower = word.lower()
    same = [each for each in words if each.lower() == lower]
    near = same or _similar(word, words) or _similar(lower, words)
    near = near or [each for each in words if len(word) >= 3 and each.startswith(lower)]
    return f"; did you mean {quoted(near[0])}?" if near else ""


def instead(word: str, there: Iterable[str], most: int = 12) -> str:
    """Return what a message about a missing word ends with: the nearest guess, and what is there."""
    words = list(there)
    return f"{did_you_mean(word, words)} (found: {listed(words, most)})"


def _similar(word: str, words: list[str]) -> list[str]:
    return difflib.get_close_matches(word, words, n=1, cutoff=0.6)


def quoted(name: str) -> str:
    """Show a name of the user's in quotes, shortened where it is too long for a message."""
    return repr(_cut(name, LONGEST_SHOWN))


def kind_of_value(given: object) -> str:
    """Return what a value of Python is called in a message."""
    if given is None:
        return "nothing"
    name = type(given).__name__
    return "an array" if name == "ndarray" else _cut(one_line(name), LONGEST_SHOWN)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _shortened(fault: str) -> str:
    """Return a message on one line, its beginning and end where it holds more than anybody reads."""
    shown, half = one_line(fault), LONGEST_MESSAGE // 2
    if len(shown) > LONGEST_MESSAGE:
        shown = f"{shown[:half]} … {shown[-half:]}"
    return CodedFault(shown, fault.code) if isinstance(fault, CodedFault) else shown


def one_line(text: str) -> str:
    """Show line breaks and control characters as escapes, so that a terminal obeys none of them."""
    return "".join(
        c if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else repr(c)[1:-1] for c in text
    )


def repeated(values: Iterable[T]) -> list[T]:
    """Return the values that occur more than once."""
    return [value for value, n in Counter(values).items() if n > 1]


def listed(words: Iterable[object], most: int = 12) -> str:
    """Join words for a message, at most ``most`` of them, with a count of the rest."""
    every = [_cut(str(word), LONGEST_SHOWN + 2) for word in words]
    shown = ", ".join(every[:most])
    return f"{shown}, … ({len(every) - most} more)" if len(every) > most else shown
