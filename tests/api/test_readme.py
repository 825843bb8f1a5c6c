"""The examples of the README's section on Python, executed."""

from __future__ import annotations

import doctest
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_examples_print_what_they_say():
    section = README.read_text().partition("\n## From Python\n")[2].partition("\n## ")[0]
    found = doctest.DocTestParser().get_doctest(section, {}, "From Python", str(README), 0)
    assert len(found.examples) > 8
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(found, out=said.append)
    assert not said, "".join(said)
