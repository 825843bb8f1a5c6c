"""Print the versions that an environment is built with: `python .ci/constraints.py locked|lowest|newest`.

locked: those of constraints.txt, with which results were recorded. lowest: the least that pyproject.toml
allows of each library that users install, with or without extras. newest: whatever the index has.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def constraints(kind: str) -> str:
    """Return the lines of a constraints file; ValueError for an unknown kind."""
    match kind:
        case "locked":
            return (ROOT / "constraints.txt").read_text(encoding="utf-8")
        case "lowest":
            return "".join(f"{line}\n" for line in _floors())
        case "newest":
            return ""
    raise ValueError(f"{kind!r}: locked, lowest or newest is allowed")


def _floors() -> list[str]:
    """Return the least version of each library for users: ``psycopg[binary]>=3.2.1`` as psycopg==3.2.1."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for_users = [own for extra, own in project["optional-dependencies"].items() if extra != "dev"]
    lines = {line for own in (project["dependencies"], *for_users) for line in own}
    return sorted(re.sub(r"(\[.*\])?>=", "==", line) for line in lines)


if __name__ == "__main__":
    print(constraints(sys.argv[1]), end="")
