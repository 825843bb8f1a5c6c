"""Every code that a report, its log or a message can show, also those of other packages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from reporting.base.extensions import extensions
from reporting.document.words.codes import CAUTIONS, FLAGS, REASONS, Code, errors
from reporting.errors import ConfigError, UnknownNameError, did_you_mean, quoted
from reporting.features.catalogue import FEATURES


@cache
def codes() -> Mapping[str, Code]:
    """Return every code with its texts by its key, in the order of the numbers.

    Raises ConfigError where two questions have the same code, or another package has one of the program's.
    """
    every = {code.key: code for part in (REASONS, FLAGS, CAUTIONS, errors()) for code in part.values()}
    for feature in FEATURES.values():
        for code in feature.spoken().codes.values():
            if code.key in every:
                raise ConfigError(f"the code {code.key} is that of {every[code.key].name} and of {code.name}")
            if code.key.startswith(OURS) and feature in extensions():
                raise ConfigError(
                    f"{code.key} ({code.name}): codes of other packages do not begin with {OURS}"
                )
            every[code.key] = code
    return dict(sorted(every.items()))


OURS = "TR"


def find_code(text: str) -> Code:
    """Return the code of this number or name, in any letter case; ConfigError with the nearest guess."""
    word, every = text.strip(), codes()
    named = {code.name: code for code in reversed(every.values())}
    code = every.get(word.upper()) or named.get(word.lower())
    if code is None:
        is_number = re.fullmatch("[A-Za-z]{2}[0-9]+", word)
        guess = did_you_mean(word.upper(), every) if is_number else did_you_mean(word, named)
        raise UnknownNameError(f"{quoted(text)} is not a code{guess}; `reporting explain` lists them all")
    return code
