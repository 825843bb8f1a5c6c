from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reporting.base.provenance import Provenance
from reporting.document.blocks import Report
from reporting.render.formats import render_all

MakeReport = Callable[..., Report]
Page = Callable[..., str]

VOID = {"meta", "link", "img", "br", "line", "circle", "input"}


class _Reader(HTMLParser):
    """Collects tags and texts, and checks that they nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def count(self, tag: str) -> int:
        return sum(1 for name, _ in self.tags if name == tag)


@pytest.fixture
def page(make_report: MakeReport, provenance: Provenance) -> Page:
    def build(models: int = 6, hostile: bool = False, interactive: bool = True) -> str:
        report = make_report(models, hostile=hostile)
        return render_all(report, provenance, ["html"], interactive=interactive)["report.html"].decode()

    return build


def test_hostile_names_stay_text(page: Page) -> None:
    decent, hostile = _Reader(page(13)), _Reader(page(13, hostile=True))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in decent.tags]
    assert not hostile.open
    assert '<script>alert("1")</script>' in hostile.texts
    assert not any(name.startswith("on") for _, attributes in hostile.tags for name in attributes)


def test_the_policy_allows_this_style_and_script_only(page: Page) -> None:
    text = page()
    policy = next(a["content"] or "" for tag, a in _Reader(text).tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    for kind in ("style", "script"):
        source = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(source[0].encode()).digest()).decode()
        assert len(source) == 1
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_a_static_page_has_no_script(page: Page) -> None:
    text = page(interactive=False)
    assert _Reader(text).count("script") == 0
    assert "script-src" not in text


def test_nothing_is_loaded_from_elsewhere(page: Page) -> None:
    for _, attributes in _Reader(page()).tags:
        assert (attributes.get("src") or "data:").startswith("data:")
        assert (attributes.get("href") or "#").startswith("#")


def test_tables_say_what_they_hold(page: Page) -> None:
    reader = _Reader(page())
    scopes = [a.get("scope") for tag, a in reader.tags if tag == "th"]
    assert set(scopes) == {"col", "row"}
    assert reader.count("caption") == reader.count("table") == 2
    assert "lower is better" in reader.texts
    assert [a["title"] for tag, a in reader.tags if tag == "td" and "title" in a] == [
        "no targets in test"
    ] * 4
    assert any(
        text.startswith("— no targets in test: TC2 (HTER), TC2 (95 % interval)") for text in reader.texts
    )


def test_intervals_are_drawn_in_the_rows(page: Page) -> None:
    tags = _Reader(page()).tags
    dots = [a for tag, a in tags if tag == "circle"]
    zeros = [a for tag, a in tags if a.get("class") == "zero"]
    # Five of six models are defined; the first stands at 2.1 on an axis from 0 to 8.
    assert len(dots) == 10
    assert len(zeros) == 5
    assert float(dots[0]["cx"] or "nan") == pytest.approx(6 + 164 * 2.1 / 8, abs=0.1)
    assert {a["x1"] for a in zeros} == {"88.0"}


def test_links_of_the_contents_lead_somewhere(page: Page) -> None:
    tags = _Reader(page()).tags
    targets = {a["id"] for _, a in tags if "id" in a}
    links = {(a["href"] or "")[1:] for tag, a in tags if tag == "a"}
    assert links == {"main", "summary", "curves", "points", "single", "methods"}
    assert links <= targets


@pytest.mark.parametrize("interactive", [True, False])
def test_a_browser_shows_it_without_complaint(page: Page, tmp_path: Path, interactive: bool) -> None:
    dom, log = _browse(page(20, hostile=True, interactive=interactive), tmp_path)
    assert "CONSOLE" not in log, log
    assert len(re.findall(r'<span class="title"><button', dom)) == (14 if interactive else 0)
    assert '&lt;script&gt;alert("1")&lt;/script&gt;' in dom


def test_a_click_sorts_and_undefined_stays_last(page: Page, tmp_path: Path) -> None:
    # The page allows no foreign script, so the test takes its policy away to be able to click.
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page())
    click = (
        '<script>for (const n of [1, 2]) document.querySelectorAll("th button")[1].click();</script></body>'
    )
    before, _, after = text.rpartition("</body>")
    dom, _ = _browse(before + click + after, tmp_path)
    first = dom[: dom.index("</tbody>")]
    assert re.findall(r'<th scope="row"[^>]*>(TC\d)', first) == ["TC6", "TC5", "TC4", "TC3", "TC1", "TC2"]
    assert 'aria-sort="descending"' in first


def _browse(text: str, folder: Path) -> tuple[str, str]:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("chromium is missing")
    (folder / "report.html").write_text(text, encoding="utf-8")
    quiet = "--disable-quic --no-first-run --disable-background-networking --disable-component-update"
    done = subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-sync", *quiet.split()),
            *(f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--dump-dom"),
            (folder / "report.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout, done.stderr
