"""``python -m docs.build [OUT]``: the site of written pages, pages made of the values, and reports.

Sphinx makes HTML of all of them. Every snippet is executed first, and the site is not built while a page
shows what its snippets do not print. ``--quick`` leaves out the reports of the gallery and executes nothing.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from docs import screens
from docs.figures import with_figures
from docs.gallery import audits
from docs.gallery import page as gallery
from docs.gallery.cards import CARDS, make_one
from docs.gallery.leaderboards import LEADERBOARDS
from docs.llms import llms_txt
from docs.markdown import with_index
from docs.reference import (
    codes,
    commands,
    config_keys,
    curves,
    formats,
    frames,
    measures,
    profiles,
    python_names,
)
from docs.snippets import unexpected

HERE = Path(__file__).parent
PAGES = HERE / "pages"
WORKERS = 2
"""Processes that make reports and run snippets."""
REFERENCE = (measures, config_keys, formats, profiles, frames, codes, commands, python_names)


class SiteError(Exception):
    """A site that cannot be built: a snippet prints something else, or Sphinx warns."""


def build(out: Path, *, quick: bool = False) -> Path:
    """Build the site into a folder, which is replaced; return its first page."""
    with tempfile.TemporaryDirectory() as room:
        source = Path(shutil.copytree(PAGES, Path(room) / "pages"))
        reports = Path(room) / "reports"
        drawings = {} if quick else curves.drawings()
        headlines, audited = ({}, {}) if quick else _execute(reports)
        texts = {**texts_alone(), **curves.pages(drawings), **gallery.pages(headlines, reports)}
        texts |= audits.pages(audited)
        texts["index.md"] = gallery.with_screens(texts["index.md"], headlines, reports)
        for name, text in texts.items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for word, drawing in drawings.items():
            (source / "reference" / curves.picture_name(word)).write_bytes(drawing.svg)
        shutil.rmtree(out, ignore_errors=True)
        _sphinx(source, out, Path(room) / "doctrees")
        if not quick:
            shutil.copytree(reports, out / "reports")
    (out / "llms.txt").write_text(llms_txt(texts), encoding="utf-8")
    return out / "index.html"


def texts_alone() -> Mapping[str, str]:
    """Return the text of every page without pictures: written ones, then those made of the values."""
    return {
        **{name: with_index(with_figures(path.read_text(encoding="utf-8"))) for name, path in written()},
        **{f"{name.lower()}.md": of_checkout(name) for name in ("PROMISES", "SECURITY")},
        **{name: text for room in REFERENCE for name, text in room.pages().items()},
    }


def written() -> Iterator[tuple[str, Path]]:
    """Yield the written pages with their places."""
    for path in sorted(PAGES.rglob("*.md")):
        yield path.relative_to(PAGES).as_posix(), path


def of_checkout(name: str) -> str:
    """Return a page of the checkout; what it names is a page of the site, or a file of the sources."""
    text = (HERE.parent / f"{name}.md").read_text(encoding="utf-8")
    text = re.sub(r"\]\((PROMISES|SECURITY)\.md\)", lambda link: f"]({link[1].lower()}.md)", text)
    return re.sub(r"\[([^\]]+)\]\((?:tests/|CHANGELOG)[^)]*\)", r"`\1`", text)


def _execute(reports: Path) -> tuple[dict[str, str], dict[str, audits.Audited]]:
    """Make the reports and audits of the gallery and run every snippet; return headlines and audits by key.

    Where there is a browser, the first screen of each report is taken. SiteError with all snippets that print
    something else.
    """
    reports.mkdir()
    texts = {name: path.read_text(encoding="utf-8") for name, path in written()} | codes.pages()
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        made = {
            card.key: pool.submit(make_one, card.key, reports) for card in CARDS.values() if card.is_there
        }
        each_audit = {key: pool.submit(audits.audit_of, key, reports) for key in LEADERBOARDS}
        faults = list(pool.map(faults_of, texts.keys(), texts.values()))
        audited = {key: each.result() for key, each in each_audit.items()}
        headlines = {key: each.result() for key, each in made.items()}
    if any(faults):
        raise SiteError("\n\n".join(filter(None, faults)))
    if screens.browser():
        screens.take([reports / f"{key}.html" for key in headlines])
    return headlines, audited


def faults_of(name: str, text: str) -> str:
    """Return what the snippets of a page print that it does not show."""
    with tempfile.TemporaryDirectory() as room:
        faults = unexpected(text, Path(room))
    return "\n\n".join(f"{name}: {fault}" for fault in faults)


def _sphinx(source: Path, out: Path, doctrees: Path) -> None:
    from sphinx.cmd.build import main

    quiet = ("-q", "-W", "--keep-going", "-b", "html")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Sphinx about its extensions; those about pages are counted
        status = main([*quiet, "-c", str(HERE), "-d", str(doctrees), str(source), str(out)])
    if status:
        raise SiteError("Sphinx has warnings")


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--quick"]
    try:
        print(build(Path(arguments[0] if arguments else "site"), quick="--quick" in sys.argv))
    except SiteError as error:
        sys.exit(str(error))
