"""What tests ask of a cache: results of a known size."""

import numpy as np


def fill(cache, *items):
    """Return those of the items (numbers) that were made, not found."""
    made = []

    def make(lacking):
        made.extend(lacking)
        return {item: {"x": np.full(970, item)} for item in lacking}

    arrays = cache.fill("test", items, lambda item: item, make)
    assert all((arrays[item]["x"] == item).all() for item in items)
    return made
