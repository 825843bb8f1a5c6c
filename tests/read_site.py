"""What a built page points to: links, and what a browser loads with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": "src",
    "img": "src",
    "source": "srcset",
    "iframe": "src",
    "object": "data",
    "video": "src",
}
LOADED_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "manifest"}
EXTERNAL = re.compile(r"(?:https?:)?//", re.I)


class Page(HTMLParser):
    """The links, anchors and loaded files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read one element."""
        values = {name: value or "" for name, value in attrs}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.add(values["href"])
        if tag == "link" and LOADED_RELATIONS & set(values.get("rel", "").split()):
            self.loaded.add(values["href"])
        if tag in LOADED and LOADED[tag] in values:
            self.loaded.add(values[LOADED[tag]])
        self.loaded.update(re.findall(r"url\(['\"]?([^)'\"]+)", values.get("style", "")))


@cache
def pages(site: Path) -> dict[Path, Page]:
    """Return every page that the program wrote; live reports have tests of their own."""
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if "reports" not in path.parts}


def dead_links(site: Path) -> Iterator[str]:
    """Yield every link and loaded file that is not there, and every anchor that its page lacks."""
    every = pages(site)
    for path, page in every.items():
        for link in sorted(page.links | page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(site)}: {link}"
            elif parts.fragment and target in every and unquote(parts.fragment) not in every[target].anchors:
                yield f"{path.relative_to(site)}: {link} has no such place"


def external_files(site: Path) -> Iterator[str]:
    """Yield what pages and styles load from elsewhere."""
    for path, page in pages(site).items():
        yield from (f"{path.name}: {name}" for name in sorted(page.loaded) if EXTERNAL.match(name))
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?:url\(\s*['\"]?|@import\s+['\"])([^)'\"\s]+)", text):
            if EXTERNAL.match(name):
                yield f"{path.name}: {name}"
