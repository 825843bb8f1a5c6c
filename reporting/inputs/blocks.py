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

from reporting.inputs.digests import LONGEST, first_words

if TYPE_CHECKING:
    import polars as pl

BLOCKS = 2048
"""The variance of a mean is estimated from so many random groups with the relative error sqrt(2 / 2048)."""
MOST_ALONE = 4096
"""Units up to which they are drawn one by one."""

DIGITS = 4
"""Those of a block, with which keys begin that are made from counts by block."""

FEW = 1000
"""Keys of one length that are quicker digested one by one."""

BlockArray = npt.NDArray[np.uint16]


def blocks_of(keys: pl.Series | Iterable[str]) -> BlockArray:
    """Return the block of every key: the first 32 bits of the MD5 of its UTF-8 bytes, modulo ``BLOCKS``."""
    import polars as pl  # which a config that is read alone does not need

    texts = keys if isinstance(keys, pl.Series) else pl.Series(list(keys), dtype=pl.String)
    length = texts.str.len_bytes().to_numpy()
    word = np.empty(len(texts), dtype=np.uint32)
    for size in np.unique(length):
        at = np.flatnonzero(length == size)
        alike = texts.gather(at)
        if size > LONGEST or len(at) < FEW:
            digests = b"".join([md5(key.encode(), usedforsecurity=False).digest()[:4] for key in alike])
            word[at] = np.frombuffer(digests, dtype=">u4")
        else:
            joined = np.frombuffer(alike.str.join("").item().encode(), dtype=np.uint8)
            word[at] = first_words(joined.reshape(len(at), size))
    return (word % BLOCKS).astype(np.uint16)


def blocks_in(keys: pl.Series) -> BlockArray:
    """Return the blocks with which keys begin that are made from counts by block."""
    return keys.str.slice(0, DIGITS).str.to_integer().to_numpy().astype(np.uint16)
