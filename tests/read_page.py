"""What stands on an HTML page of a report: headline, tables with drawn intervals, the data of the slider."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@dataclass
class Element:
    """A tag with what it holds."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def find(self, tag: str = "", **attributes: str) -> list[Element]:
        """Return all elements below with this tag and these attributes, of a class any one."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        found = []
        for child in self.children:
            if isinstance(child, Element):
                right = all(value in child.attributes.get(name, "").split() for name, value in wanted.items())
                found += [child] if right and tag in ("", child.tag) else []
                found += child.find(tag, **attributes)
        return found

    def text(self, but: str = "") -> str:
        """Return the words in it, without those of elements of one class."""
        parts = [
            child if isinstance(child, str) else child.text(but)
            for child in self.children
            if isinstance(child, str) or not but or but not in child.attributes.get("class", "").split()
        ]
        return " ".join("".join(parts).split())


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if any(element.tag == tag for element in self.open[1:]):
            while self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


@dataclass
class Line:
    """A drawn interval: where zero lies, and the ends of the thick and of the thin line, in pixels."""

    zero: float | None
    thick: tuple[float, float] | None
    thin: tuple[float, float] | None


@dataclass
class Page:
    """A page, taken apart."""

    root: Element

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        return self.root.find("h2", class_="headline")[0].text()

    @property
    def leads(self) -> str:
        """The sentences under it, above and below the table of the first screen."""
        return " ".join(each.text() for of in ("lead", "below") for each in self.root.find("p", class_=of))

    def table(self, name: str) -> list[list[Element]] | None:
        """Return the cells of a table by its name, row by row; None where the page has none of it."""
        found = self.root.find("div", id=f"table-{name}")
        if not found:
            return None
        body = found[0].find("tbody")
        rows = [row for part in body for row in part.find("tr")]
        return [[c for c in row.children if isinstance(c, Element) and c.tag in ("td", "th")] for row in rows]

    def heads(self, name: str) -> list[str]:
        """Return the titles of the columns of a table."""
        row = self.root.find("div", id=f"table-{name}")[0].find("thead")[0].find("tr")[-1]
        return [each.find("span", class_="title")[0].text() for each in row.find("th")]

    def notes(self, name: str) -> str:
        """Return the notes of a table."""
        return self.root.find("div", id=f"table-{name}")[0].text()

    @property
    def slider(self) -> dict[str, Any] | None:
        """The data of the control of costs."""
        found = self.root.find("div", class_="explorer")
        return json.loads(found[0].find("script")[0].text()) if found else None


def read_page(text: str) -> Page:
    """Take a page apart."""
    tree = _Tree()
    tree.feed(text)
    return Page(tree.root)


def drawn(cell: Element) -> Line:
    """Return the lines of a drawn interval."""

    def ends(name: str) -> tuple[float, float] | None:
        lines = [each.attributes for each in cell.find("line", class_=name)]
        flat = [line for line in lines if line["y1"] == line["y2"]]
        return (float(flat[0]["x1"]), float(flat[0]["x2"])) if flat else None

    zero = [float(each.attributes["x1"]) for each in cell.find("line", class_="zero")]
    return Line(zero[0] if zero else None, ends("whisker"), ends("outer"))
