"""Every snippet of the site prints what its page shows; pages that make reports are run in the long form."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from docs.build import PAGES
from docs.reference import codes as code_pages
from docs.reference.examples import EXAMPLES, WITHOUT_EXAMPLE
from docs.snippets import Printed, blocks, executed, refused, renewed, unexpected
from reporting.document.words.codes import Code
from reporting.features.codes import codes

QUICK = ("guide/python.md", "guide/questions.md", "tasks/clusters.md", "from/bob_measure.md")
"""Pages whose snippets take about a second."""
NEEDS = {"from/proc.md": "Rscript"}
EVERY = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.rglob("*.md"))


def test_the_quick_pages_are_pages() -> None:
    assert set(QUICK) <= set(EVERY)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in EVERY]
)
def test_snippets_print_what_the_page_shows(name: str, tmp_path: Path) -> None:
    if name in NEEDS and shutil.which(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is missing")
    assert unexpected((PAGES / name).read_text(), tmp_path) == []


@pytest.mark.parametrize("name", EVERY)
def test_parts_of_configs_are_accepted(name: str) -> None:
    assert [fault for block in blocks((PAGES / name).read_text()) for fault in refused(block)] == []


CODE_PAGES = code_pages.pages()


def gives(printed: list[Printed], code: Code) -> bool:
    """Whether a code or its name is printed by something that does not hold it already."""
    word = re.compile(rf"\b({code.key}|{code.name})\b")
    return any(word.search(one.printed) and not word.search(one.command) for one in printed)


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_gives_its_code(key: str, tmp_path: Path) -> None:
    printed = executed(CODE_PAGES[code_pages.place(codes()[key])], tmp_path)
    assert [one for one in printed if not one.agrees] == []
    assert gives(printed, codes()[key])


def test_what_merely_mentions_a_code_does_not_give_it(tmp_path: Path) -> None:
    page = "```python\n>>> 'no_dev'\n'no_dev'\n>>> 'dev'[:0] + 'x'  # TR106\n'x'\n```\n"
    assert not gives(executed(page, tmp_path), codes()["TR106"])
    page = "```python\n>>> '_'.join(['no', 'dev'])\n'no_dev'\n```\n"
    assert gives(executed(page, tmp_path), codes()["TR106"])


def test_every_code_has_an_example_or_a_reason_why_not() -> None:
    listed = sorted([*EXAMPLES, *WITHOUT_EXAMPLE])
    assert listed == [code.key for code in codes().values()]


PAGE = """# A page

```{code-block} yaml
:caption: deep/a.yaml
title: A
```

```console
$ cat deep/a.yaml \\
    deep/a.yaml
title: A
...
$ reporting measures htre
$ echo $?
2
```

```python
>>> x = 1
>>> x + 1
3
>>> {}["a"]
Traceback (most recent call last):
KeyError: 'a'
```

```python
>>> x
1
```

```yaml
curves: [roc]
curves: [rok]
```

```text
$ not executed
```
"""


def test_what_is_printed_otherwise_is_noticed(tmp_path: Path) -> None:
    printed = executed(PAGE, tmp_path)
    assert [one.command for one in printed] == [
        "cat deep/a.yaml deep/a.yaml", "reporting measures htre", "echo $?", "x = 1", "x + 1", '{}["a"]', "x",
    ]  # fmt: skip
    assert [one.agrees for one in printed] == [True, False, True, True, False, True, True]
    wrong, sum_, curve = unexpected(PAGE, tmp_path)
    assert "'htre' is not a measure, criterion or fit" in wrong
    assert sum_ == "x + 1\nexpected:\n3\nprinted:\n2\n"
    assert "'rok' is not one of" in curve


def test_a_renewed_page_shows_what_is_printed(tmp_path: Path) -> None:
    page = renewed(PAGE, tmp_path)
    assert all(one.agrees for one in executed(page, tmp_path))
    assert ">>> x + 1\n2\n>>> {}" in page
    assert "    deep/a.yaml\ntitle: A\n...\n$" in page  # what agrees stays as it was written
