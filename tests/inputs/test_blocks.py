"""Units that are dealt into blocks: by their keys alone, in any order, file and process."""

import hashlib

import numpy as np
import polars as pl

from reporting.inputs.blocks import BLOCKS, FEW, blocks_of
from reporting.inputs.digests import LONGEST, first_words


def test_the_block_of_a_key_is_the_start_of_its_md5():
    """d41d8cd9... is the MD5 of nothing, 900150983cd24fb0... that of ``abc`` (RFC 1321, A.5)."""
    assert blocks_of(["", "abc"]).tolist() == [0xD41D8CD9 % BLOCKS, 0x90015098 % BLOCKS]
    keys = ["ä", "a,b", "7", " 7", "日本"]
    expected = [int(hashlib.md5(key.encode()).hexdigest()[:8], 16) % BLOCKS for key in keys]
    assert blocks_of(keys).tolist() == expected
    assert blocks_of(pl.Series(keys[::-1])).tolist() == expected[::-1]
    assert blocks_of([]).tolist() == []


def test_blocks_of_numbered_keys_are_filled_as_by_chance():
    """Of 200,000 keys the numbers in 2048 blocks spread as Poisson's do, 97.7 on average."""
    held = np.bincount(blocks_of(f"trial{i:06d}" for i in range(200_000)), minlength=BLOCKS)
    assert (held > 0).all()
    assert abs(held.var() / held.mean() - 1) < 5 * np.sqrt(2 / BLOCKS)


def test_very_many_keys_have_the_blocks_of_each_alone():
    """Lengths of up to 55 bytes fill one block of MD5, longer ones two; keys of one length are digested together."""
    stems = ["k" * 49, "k" * 50, "k", "ü" * 20]
    keys = [f"{stem}{i:06d}" for i in range(FEW) for stem in stems]
    assert {len(key.encode()) for key in keys} >= {LONGEST, LONGEST + 1}
    expected = [int(hashlib.md5(key.encode()).hexdigest()[:8], 16) % BLOCKS for key in keys]
    assert blocks_of(keys).tolist() == expected


def test_digests_of_each_length_are_those_of_the_library():
    """The mark lies behind the text, and its length in the last word but one."""
    for size in range(LONGEST + 1):
        texts = np.random.default_rng(size).integers(0, 256, (3, size), dtype=np.uint8)
        expected = [int(hashlib.md5(text.tobytes()).hexdigest()[:8], 16) for text in texts]
        assert first_words(texts).tolist() == expected
