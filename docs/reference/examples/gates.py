"""Examples of verdicts."""

from __future__ import annotations

EXAMPLES = {
}
WITHOUT_EXAMPLE: dict[str, str] = {}
