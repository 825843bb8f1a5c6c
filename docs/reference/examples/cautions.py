"""Examples of cautions about a whole report."""

from __future__ import annotations

EXAMPLES = {
}
WITHOUT_EXAMPLE: dict[str, str] = {}
