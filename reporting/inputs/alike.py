"""Names that a reader cannot distinguish, and names that differ in letter case alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

import polars as pl

from reporting.errors import DataError

PLAIN = "^[!-~]*$"
"""Names of ASCII characters without spaces print unchanged."""


def refuse_alike(columns: Mapping[str, pl.Series]) -> None:
    """Raise DataError for columns, by what messages call them, with two names that print alike."""
    pairs = {called: pair for called, names in columns.items() if (pair := _alike(names)) is not None}
    if pairs:
        raise DataError(
            *(
                f"{called}: {one!a} and {other!a} print alike (they differ in spaces, invisible characters,"
                " or how a letter is composed); write one name one way"
                for called, (one, other) in pairs.items()
            )
        )


def _alike(names: pl.Series) -> tuple[str, str] | None:
    odd = names.filter(~names.str.contains(PLAIN)).sort()
    known: dict[str, str] = {}
    for name in odd:
        visible = "".join(letter for letter in name if unicodedata.category(letter) != "Cf")
        form = " ".join(unicodedata.normalize("NFC", visible).split())
        if form in known:
            return known[form], name
        known[form] = name
    plain = names.filter(names.str.contains(PLAIN) & names.is_in(list(known))).sort()
    return (plain[0], known[plain[0]]) if len(plain) else None


def in_other_case(names: pl.Series) -> tuple[str, str] | None:
    """Return the first two distinct names that differ in letter case alone."""
    lower = names.str.to_lowercase()
    if lower.n_unique() == len(names):
        return None
    first, second, *_ = names.filter(lower == lower.filter(lower.is_duplicated()).sort()[0]).sort()
    return first, second
