"""Numbers that stand as text."""

from __future__ import annotations

import polars as pl

MISSING_WORDS = ("", "NA", "NaN", "nan", "null", "None")


def number(text: pl.Expr) -> pl.Expr:
    """Read a text as Float64; null where it is none."""
    return text.str.strip_chars().cast(pl.Float64, strict=False)


def is_number(text: pl.Expr) -> pl.Expr:
    """Tell which texts are a number, or say that there is none."""
    return number(text).is_not_null() | text.is_null() | text.str.strip_chars().is_in(MISSING_WORDS)
