"""What a notebook shows of names that attack, in a page of somebody else's with and without a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reporting
from tests.hostile.ending import READERS
from tests.hostile.texts import PAYLOADS

NAMES = ("script", "image", "end of title", "attribute", "drawing", "style", "control", "direction", "entity")
POLICY = (
    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'unsafe-inline'\">"
)
LISTENER = """<script>
window.violations = [];
addEventListener("securitypolicyviolation", event => violations.push(event.violatedDirective + event.blockedURI));
</script>"""


@pytest.fixture(scope="module")
def report() -> reporting.make_report:
    rng = np.random.default_rng(7)
    y = np.tile([1, 0], 40)
    return reporting.make_report(
        y,
        {PAYLOADS[kind]: (y + rng.normal(size=80)).round(1) for kind in NAMES},
        split=["dev", "dev", "test", "test"] * 20,
        title="".join(PAYLOADS[kind] for kind in ("end of title", "lines", "red")),
        baseline=PAYLOADS["script"],
        models={PAYLOADS["entity"]: {"name": PAYLOADS["prototype"] + PAYLOADS["expression"]}},
        curves=["det"],
        epc="none",
        significance={"replicates": 99, "bands": "none"},
    )


@pytest.fixture(scope="module")
def fragment(report: Any) -> str:
    return str(report._repr_html_())


def test_a_fragment_holds_nothing_that_acts(fragment: str) -> None:
    assert "alert(1)" in fragment
    assert list(READERS[".html"](f"<!doctype html><html><body>{fragment}</body></html>")) == []


def test_plain_text_obeys_no_name(report: Any) -> None:
    assert not set(repr(report)) & set("\x1b\x07\x9b\x08\r\x7f\x00")
    grave = [caution for caution in report.cautions if caution.grave]
    assert len(repr(report).splitlines()) == 5 + len(grave)


@pytest.mark.parametrize("policy", [True, False], ids=["under a policy", "without one"])
def test_a_browser_runs_none_of_it(
    report: Any, fragment: str, browser: Any, tmp_path: Path, policy: bool
) -> None:
    """The policy allows no style, picture or address; the page's own script hears of what it stops."""
    twice = f"<!doctype html><meta charset=utf-8>{POLICY * policy}{LISTENER}<body>{fragment}<hr>{fragment}"
    (tmp_path / "page.html").write_text(twice, encoding="utf-8")
    dialogs: list[str] = []
    requests: list[str] = []
    page = browser.new_page()
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate(
        """() => {
          for (const one of document.querySelectorAll('.trial-report *'))
            for (const kind of ['mouseover', 'focus', 'load', 'error', 'click'])
              one.dispatchEvent(new Event(kind, {bubbles: false}));
        }"""
    )
    page.wait_for_timeout(200)
    seen = page.evaluate(
        """() => ({
          tags: [...new Set([...document.querySelectorAll('.trial-report *')].map(e => e.tagName.toLowerCase()))],
          handlers: [...document.querySelectorAll('.trial-report *')].flatMap(e => [...e.attributes])
            .filter(a => /^on|^style$|^href$|^src$/.test(a.name)).length,
          reports: document.querySelectorAll('body > .trial-report').length,
          violations: window.violations,
          curves: [...document.querySelectorAll('svg.marks path')]
            .filter(p => p.getBoundingClientRect().width > 50).length,
          text: document.querySelector('.trial-report').innerText,
        })"""
    )
    page.close()
    assert (dialogs, seen["violations"], seen["handlers"], seen["reports"]) == ([], [], 0, 2)
    assert report.table("summary")  # whose names the fragment shows
    assert [url for url in requests if not url.startswith("file:")] == []
    allowed = {
        "p",
        "strong",
        "br",
        "h3",
        "h4",
        "ul",
        "li",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "circle",
    }
    allowed |= {
        "small",
        "sup",
        "figure",
        "figcaption",
        "div",
        "svg",
        "rect",
        "g",
        "path",
        "line",
        "text",
        "defs",
    }
    assert set(seen["tags"]) <= allowed | {"clippath", "tspan"}
    assert seen["curves"] >= 2 * len(NAMES)
    assert PAYLOADS["script"] in seen["text"]
    assert PAYLOADS["prototype"] in seen["text"]


@pytest.mark.parametrize("name", ["summary", "paper"])
def test_great_tables_prints_names_as_text(report: Any, name: str) -> None:
    pytest.importorskip("great_tables")
    table = report.table(name)
    assert list(READERS[".html"](f"<!doctype html><html><body>{table.as_raw_html()}</body></html>")) == []
    assert "&lt;script&gt;alert(1)" in table.as_raw_html()
