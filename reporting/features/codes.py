"""Every code that a report, its log or a message can show, also those of other packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NoReturn

from reporting.base.extensions import extensions
from reporting.document.words.codes import CAUTIONS, FLAGS, REASONS, Code, errors
from reporting.errors import ConfigError, UnknownNameError, did_you_mean, quoted
from reporting.features.catalogue import FEATURES


@cache
def codes() -> Mapping[str, Code]:
    """Return every code with its texts by its key, in the order of the numbers.

    Raises ConfigError where two questions have the same code, or another package has one of the program's.
    """
    every = dict(own_codes())
    for feature in extensions():
        for code in feature.spoken().codes.values():
            if code.key.startswith(OURS):
                raise ConfigError(
                    f"{code.key} ({code.name}): codes of other packages do not begin with {OURS}"
                )
            _add(code, every)
    return dict(sorted(every.items()))


@cache
def own_codes() -> Mapping[str, Code]:
    """Return the program's own codes, as ``codes``."""
    every = {code.key: code for part in (REASONS, FLAGS, CAUTIONS, errors()) for code in part.values()}
    for feature in FEATURES.own.values():
        for code in feature.spoken().codes.values():
            _add(code, every)
    return dict(sorted(every.items()))


def _add(code: Code, every: dict[str, Code]) -> None:
    if code.key in every:
        raise ConfigError(f"the code {code.key} is that of {every[code.key].name} and of {code.name}")
    every[code.key] = code


OURS = "TR"


def find_code(text: str) -> Code:
    """Return the code of this number or name, in any letter case; ConfigError with the nearest guess."""
    # Packages are asked only for what is not the program's: one that cannot be loaded has a code, too.
    return _in(own_codes(), text) or _in(codes(), text) or _refuse(text)


def _in(every: Mapping[str, Code], text: str) -> Code | None:
    named = {code.name: code for code in reversed([*every.values()])}
    return every.get(text.strip().upper()) or named.get(text.strip().lower())


def _refuse(text: str) -> NoReturn:
    word, every = text.strip(), codes()
    is_number = re.fullmatch("[A-Za-z]{2}[0-9]+", word)
    names = [code.name for code in every.values()]
    guess = did_you_mean(word.upper(), every) if is_number else did_you_mean(word, names)
    raise UnknownNameError(f"{quoted(text)} is not a code{guess}; `reporting explain` lists them all")
