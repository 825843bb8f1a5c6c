"""First screens of reports as pictures, light and dark, taken by a browser of this machine.

``python -m docs.screens`` renews those of the README. Each carries its headline: a test
notices an old one.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCHEMES = ("light", "dark")
WIDTH, HEIGHT = 1020, 690
"""The size of a first screen in the gallery, in pixels."""
ON_README = "tumours"
"""The card whose first screen the README shows."""
HERE = Path(__file__).parent
README_SIZE = (1020, 620)


def browser() -> str | None:
    """Return the path of a browser that can be driven, if there is one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    return found if find_spec("playwright") else None


def take(pages: Iterable[Path], width: int = WIDTH, height: int = HEIGHT) -> None:
    """Write the first screen of each page as ``NAME.light.png`` and ``NAME.dark.png`` next to it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        for scheme in SCHEMES:
            context = opened.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            for path in pages:
                page = context.new_page()
                page.goto(path.as_uri())
                page.screenshot(path=path.with_suffix(f".{scheme}.png"))
                page.close()
        opened.close()


def described(png: bytes, text: str) -> bytes:
    """Return a PNG with a description in it."""
    chunk = b"iTXtDescription\0\0\0\0\0" + text.encode()
    at = len(png) - 12  # before the chunk that ends it
    return (
        png[:at] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[at:]
    )


def description(png: bytes) -> str:
    """Return the description in a PNG; empty where it has none."""
    start = png.find(b"iTXtDescription\0")
    if start < 0:
        return ""
    (length,) = struct.unpack(">I", png[start - 4 : start])
    return png[start + 4 : start + 4 + length].rpartition(b"\0")[2].decode()


def renew() -> str:
    """Take the pictures of the README and return the headline that they show."""
    from docs.gallery.cards import make_one

    with tempfile.TemporaryDirectory() as room:
        headline = make_one(ON_README, Path(room))
        page = Path(room) / f"{ON_README}.html"
        take([page], *README_SIZE)
        for scheme in SCHEMES:
            picture = page.with_suffix(f".{scheme}.png").read_bytes()
            (HERE / f"first_screen_{scheme}.png").write_bytes(described(picture, headline))
    return headline


if __name__ == "__main__":
    print(renew())
