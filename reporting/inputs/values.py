"""Values of columns: numbers written as text, scores floored to coarse keys, and texts as integer codes.

Coarse keys are scores floored to their top bits, so that counts have a bounded size. Floats have a total
order as whole numbers: the 64 bits of a positive one unchanged, those of a negative one with all but the
sign inverted. Flooring is done there, so it keeps the order of scores on both sides of zero; cutting
digits off the float itself would round negative scores up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from reporting.base.arrays import RankArray
from reporting.base.records import dataclass

MISSING_WORDS = (
    "", "NA", "N/A", "#N/A", "<NA>", "na", "n/a", "NaN", "NAN", "nan", "NaT", "null", "NULL", "Null", "None",
    "missing", "Missing", "MISSING", ".", "?",
)  # fmt: skip
"""Texts by which R, pandas, Excel, SQL, SAS and others say that there is no value, without blanks around."""

NO_NUMBERS = (
    *MISSING_WORDS, "-", "--", "\\N", "-nan", "(null)",
    "#NULL!", "#DIV/0!", "#VALUE!", "#NUM!", "#REF!", "#NAME?",
)  # fmt: skip
"""Texts that mean in a column of numbers that there is none: those, dashes, and errors of spreadsheets."""


def missing_words(named: Collection[str] = ()) -> list[str]:
    """Return the texts that mean that there is no value, but for those that a config names as one."""
    return [word for word in MISSING_WORDS if word not in named]


def stated(text: pl.Expr, named: Collection[str] = ()) -> pl.Expr:
    """Return a text, null where it is one of the words for a missing value that the config does not name."""
    return pl.when(~text.str.strip_chars().is_in(missing_words(named))).then(text)


def number(text: pl.Expr) -> pl.Expr:
    """Read a text as Float64; null where it is none."""
    return text.str.strip_chars().cast(pl.Float64, strict=False)


def is_number(text: pl.Expr) -> pl.Expr:
    """Return which texts are a number, or that there is none."""
    return number(text).is_not_null() | text.is_null() | text.str.strip_chars().is_in(NO_NUMBERS)


def are_numbers(texts: pl.Series | Sequence[str]) -> bool:
    """Return whether all texts are numbers, or say that there is none."""
    return bool(pl.Series("it", texts, pl.String).to_frame().select(is_number(pl.col("it")).all()).item())


BELOW_SIGN = 2**63 - 1


def coarse_key(score: pl.Expr, bits: int) -> pl.Expr:
    """Floor a Float64 score to the top ``bits`` bits of its place in the total order, as a float again.

    Monotone and idempotent; infinities stay, -0.0 counts as 0.0, and no finite score becomes infinite.
    """
    dropped = 64 - bits
    # The order has -0.0 and 0.0 apart, and no numbers behind either infinity. (Adding 0.0 is optimised away.)
    unsigned = pl.when(score == 0).then(pl.lit(0.0)).otherwise(score)
    whole = _turned(unsigned.reinterpret(dtype=pl.Int64))
    floored = whole & pl.lit(-(1 << dropped), dtype=pl.Int64)
    key = _turned(floored).reinterpret(dtype=pl.Float64)
    return pl.when(score.is_infinite()).then(score).otherwise(key)


def _turned(whole: pl.Expr) -> pl.Expr:
    """Turn the bits of a float into its place in the total order, or a place into the bits."""
    return pl.when(whole < 0).then(whole ^ pl.lit(BELOW_SIGN, dtype=pl.Int64)).otherwise(whole)


def codes_of(column: pl.Series, names: pl.Series) -> RankArray:
    """Return the position of every text (shape (N,)) among distinct names, which hold all of them."""
    codes = pl.DataFrame({"name": names, "code": np.arange(len(names), dtype=np.uint32)})
    return (
        pl.DataFrame({"name": column})
        .join(codes, on="name", how="left", maintain_order="left")["code"]
        .to_numpy()
    )


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts: the distinct ones in byte order, and the position of every row's among them."""

    names: pl.Series
    code: RankArray

    def among(self, names: pl.Series) -> RankArray:
        """Return the position of every row's text among more distinct names."""
        return codes_of(self.names, names)[self.code]


def coded(column: pl.Series) -> Coded:
    """Return a column as codes, at 4 bytes a row."""
    names = column.unique().sort()
    return Coded(names, codes_of(column, names))


def digest_of(column: pl.Series) -> bytes:
    """Return what distinguishes a column of texts in its order from any other, by 64 bits a row."""
    return hashlib.sha256(column.hash(seed=0).to_numpy().tobytes()).digest()
