"""``llms.txt``: the pages of the site as a list for programs that read them, each with its first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from docs.markdown import page

INTRODUCTION = (
    "# trial-reporting",
    "",
    "> From a table of scored trials to a statistical report: which of several systems that make yes/no"
    " decisions makes the fewest errors, at what cost, and how sure you can be. Command `reporting`, Python"
    " module `reporting`, config in YAML.",
    "",
    "Each link leads to the Markdown of a page; the page itself has the same place with the ending `.html`.",
    "",
)
TITLES = {
    "": "Start",
    "tasks": "Tasks",
    "guide": "Guide",
    "from": "Coming from another tool",
    "reference": "Reference",
    "methods": "Methods",
}


def llms_txt(texts: Mapping[str, str]) -> str:
    """Return the list of all pages."""
    return page([*INTRODUCTION, *_sections(texts)])


def _sections(texts: Mapping[str, str]) -> Iterator[str]:
    for folder, title in TITLES.items():
        yield from (f"## {title}", "")
        for name, text in texts.items():
            if name.rpartition("/")[0] == folder:
                yield f"- [{_title(text)}](_sources/{name}): {_lead(text)}"
        yield ""


def _title(text: str) -> str:
    return re.search(r"^# (.+)$", text, re.M)[1].replace("`", "")  # type: ignore[index]


def _lead(text: str) -> str:
    """Return the first sentence below the title, without links."""
    parts = map(str.strip, text.partition("# ")[2].split("\n\n")[1:])
    paragraph = next(part for part in parts if part and part[0] not in "`({:|!")
    words = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
    return re.split(r"(?<=[.:?]) ", words)[0]
