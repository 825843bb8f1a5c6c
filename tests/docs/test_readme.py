"""The README fits a screen, its snippets run, its commands exist, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

from english import faults

from docs.gallery.cards import make_one
from docs.screens import ON_README, SCHEMES, description
from docs.snippets import blocks, unexpected

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def test_the_snippets_print_what_they_show(tmp_path: Path) -> None:
    kinds = [block.kind for block in blocks(README)]
    assert kinds == ["sh", "yaml", "python"]
    assert unexpected(README, tmp_path) == []


def test_the_commands_are_targets_of_make() -> None:
    [commands] = [block.text for block in blocks(README) if block.kind == "sh"]
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^make (\w+)", commands, re.M)
    assert targets == ["example", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README)
    assert len(links) > 12
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_the_pictures_show_the_headline_that_the_report_has_today(tmp_path: Path) -> None:
    headline = make_one(ON_README, tmp_path)
    assert f'alt="{headline}"' in README
    for scheme in SCHEMES:
        picture = (ROOT / "docs" / f"first_screen_{scheme}.png").read_bytes()
        assert description(picture) == headline, "renew them: python -m docs.screens"
        assert f"docs/first_screen_{scheme}.png" in README


def test_it_fits_a_screen_and_speaks_the_language_of_the_reports() -> None:
    assert len(README.splitlines()) <= 75
    prose = re.sub(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)", "", README, flags=re.M | re.S)
    assert faults(prose) == []
