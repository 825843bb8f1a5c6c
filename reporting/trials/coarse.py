"""Coarse keys: scores floored to their top bits, so that counts have a bounded size.

Floats have a total order as whole numbers: the 64 bits of a positive one as they are, those of a negative
one with all but the sign turned round. Flooring is done there, so it keeps the order of scores on both
sides of zero; cutting digits off the float itself would round negative scores up.
"""

from __future__ import annotations

import polars as pl

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
