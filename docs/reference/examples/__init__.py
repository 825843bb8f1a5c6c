"""Short examples that give a code, by kind; the tests and the build of the site run each of them.

An example is what follows ``import reporting`` in a session of Python, or Markdown that begins with a fence:
files, and commands with what they print. ``docs/snippets.py`` describes the fences.
"""

from __future__ import annotations

from docs.reference.examples import cautions, errors, flags, gates, statuses

ROOMS = (statuses, flags, cautions, gates, errors)
EXAMPLES = {key: example for room in ROOMS for key, example in room.EXAMPLES.items()}
"""By code."""
WITHOUT_EXAMPLE = {key: reason for room in ROOMS for key, reason in room.WITHOUT_EXAMPLE.items()}
"""By code: why a short example does not give it."""
