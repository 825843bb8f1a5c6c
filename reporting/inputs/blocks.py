"""Blocks of units: where there are very many, units are drawn and exchanged in blocks dealt by their keys.

The block of a key is a function of its text alone, so that it is the same in every order of rows, in every
file, and in an engine that counts trials itself. An order of keys may carry structure; a hash does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import md5
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars as pl

BLOCKS = 2048
"""The variance of a mean is estimated from so many random groups with the relative error sqrt(2 / 2048)."""
MOST_ALONE = 4096
"""Units up to which they are drawn one by one."""

DIGITS = 4
"""Those of a block, with which keys begin that are made from counts by block."""

BlockArray = npt.NDArray[np.uint16]


def blocks_of(keys: Iterable[str]) -> BlockArray:
    """Return the block of every key: the first 32 bits of the MD5 of its UTF-8 bytes, modulo ``BLOCKS``."""
    digests = b"".join([md5(key.encode(), usedforsecurity=False).digest()[:4] for key in keys])
    return (np.frombuffer(digests, dtype=">u4") % BLOCKS).astype(np.uint16)


def blocks_in(keys: pl.Series) -> BlockArray:
    """Return the blocks with which keys begin that are made from counts by block."""
    return keys.str.slice(0, DIGITS).str.to_integer().to_numpy().astype(np.uint16)
