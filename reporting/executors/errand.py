"""What a worker does with one task: read the shared value, work, and hand the result back."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import Any

from reporting.executors.shelf import Shelved, get, verified

LARGE_RESULT = 2**20
"""Bytes from which a result is handed back as a file, not as a message."""

Result = bytes | Shelved


def run_errand(work: Callable[[Any, Any], Any], shared: Shelved, item: Any) -> Result:
    """Work on a worker, and return the result pickled, or where it stands."""
    result = pickle.dumps(work(get(shared), item), protocol=5)
    if len(result) < LARGE_RESULT:
        return result
    # Not by its hash: two tasks may have one result, and each file is taken away once.
    path = Path(shared.path).parent / f"{token_hex(8)}.result"
    path.write_bytes(result)
    return Shelved(str(path), hashlib.sha256(result).hexdigest())


def taken(result: Result) -> Any:
    """Return what a worker handed back, and take its file away; Unseen or Damaged where it cannot be had."""
    if isinstance(result, bytes):
        return pickle.loads(result)
    path = Path(result.path)
    with verified(path, result.digest) as file:
        value = pickle.load(file)
    path.unlink(missing_ok=True)
    return value
