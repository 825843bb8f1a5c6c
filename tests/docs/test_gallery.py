"""Every card of the gallery has what its report is made of; the long form makes all reports."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from docs.gallery import audits, tables
from docs.gallery.cards import CARDS, CONFIGS, ROOT, make_one
from docs.gallery.leaderboards import LEADERBOARDS
from docs.gallery.page import FIELDS, pages, with_screens
from docs.screens import browser, described, description, take
from docs.snippets import blocks, refused
from reporting.app.example.catalogue import EXAMPLES

PAPERS = ("epc_authentication", "rocanalysis")


def test_every_config_belongs_to_a_card_and_is_accepted() -> None:
    names = {path.stem for path in CONFIGS.glob("*.yaml")}
    # The gallery has weekly reports of its own, of several weeks.
    assert names | (set(EXAMPLES) - {"periodic"}) | set(PAPERS) | {"plan", "audit"} == set(CARDS)
    assert len(CARDS) >= 12
    for name in names:
        [block] = blocks(f"```yaml\n{(CONFIGS / name).with_suffix('.yaml').read_text()}```\n")
        assert list(refused(block)) == [], name


def test_tables_hold_the_columns_that_configs_name() -> None:
    speakers, groups = tables.speakers(), tables.groups()
    assert {"model_speaker", "segment_speaker"} <= set(speakers.columns)
    assert {"group", "camera"} <= set(groups.columns)
    assert tables.ratings()["count"].sum() == 109
    assert tables.fraud().filter(model="rules")["label"].mean() == 1 / 200
    assert tables.seeds()["run"].n_unique() == 5
    assert tables.week(1).equals(tables.week(1))


def test_a_card_leads_to_its_report() -> None:
    there = {key: card for key, card in CARDS.items() if card.is_there}
    text = pages(dict.fromkeys(there, ""))["gallery.md"]
    assert text.count('<div class="card">') == len(there)
    for key, card in there.items():
        assert f'href="reports/{key}.html"' in text
        assert card.sentence.endswith(".")
    assert "href" not in pages({})["gallery.md"]


def test_cards_have_their_headline_and_say_whether_their_data_are_real(tmp_path: Path) -> None:
    for scheme in ("light", "dark"):
        (tmp_path / f"fraud.{scheme}.png").touch()
    text = pages({"fraud": "A < B is best.", "seeds": ""}, tmp_path)["gallery.md"]
    assert "“A &lt; B is best”</a>" in text
    assert '<img class="screen only-dark" src="reports/fraud.dark.png"' in text
    assert '<img src="reports/seeds.svg" alt="" loading="lazy">Several seeds</a>' in text
    assert text.count("Simulated data.") + text.count("Real data: ") == text.count('<div class="card">')
    assert {card.field for card in CARDS.values()} == set(FIELDS)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == list(FIELDS)


def test_ten_leaderboards_have_the_columns_that_are_audited() -> None:
    assert len(LEADERBOARDS) == 10
    for key, board in LEADERBOARDS.items():
        [block] = blocks(f"```yaml\n{board.config}```\n")
        assert list(refused(block)) == [], key
        table = board.table()
        assert {*board.units, board.source, "model", "label", "score"} <= set(table.columns), key
        assert table["model"].n_unique() == board.systems
        assert table.equals(board.table())
    page = audits.pages({})["audits.md"]
    assert page.count("\n## ") == 10
    assert "href" not in page


def test_an_audit_is_shown_by_its_sentence_and_its_tiers(tmp_path: Path) -> None:
    of = audits.audit_of("slides", tmp_path)
    board = LEADERBOARDS["slides"]
    page = audits.pages({"slides": of})["audits.md"]
    assert f"**{of.verdict}**" in page
    assert 'href="reports/audit_slides.html"' in page
    assert (tmp_path / "audit_slides.html").is_file()
    # Two units, with and without each hospital; every system has its place by each unit.
    assert f"of {2 * (1 + len(board.sources))} " in of.verdict
    assert list(of.by_unit) == ["patient", "trial"]
    for tiers in of.by_unit.values():
        named = [name for tier in tiers for name in tier.split(" (")[0].split(", ")]
        assert sorted(named) == [f"{number:02d}" for number in range(1, board.systems + 1)]


def test_the_first_page_shows_three_reports_that_decide_something() -> None:
    index = (ROOT / "docs" / "pages" / "index.md").read_text()
    text = with_screens(index, dict.fromkeys(CARDS, "A is best."))
    assert text.count('<div class="card">') == text.count("“A is best”") == 3
    assert "first screens" not in text


def test_a_picture_carries_its_headline() -> None:
    png = b"\x89PNG....IEND----"
    assert description(described(png, "“A” is best.")) == "“A” is best."
    assert description(png) == ""


def test_the_first_screen_is_taken_in_both_colours(tmp_path: Path) -> None:
    if not browser():
        pytest.skip("a browser or its driver is missing")
    page = tmp_path / "a.html"
    page.write_text("<style>@media (prefers-color-scheme: dark) {body {background: #000}}</style><p>A</p>")
    with ThreadPoolExecutor(1) as own:  # a driver of the session may have the loop of this thread
        own.submit(take, [page], 60, 40).result()
    light, dark = ((tmp_path / f"a.{scheme}.png").read_bytes() for scheme in ("light", "dark"))
    assert light[:4] == dark[:4] == b"\x89PNG"
    assert light != dark


@pytest.mark.long
@pytest.mark.parametrize("key", CARDS)
def test_a_report_is_made(key: str, tmp_path: Path) -> None:
    if not CARDS[key].is_there:
        pytest.skip(f"{CARDS[key].needs} is missing")
    make_one(key, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{key}.{end}" for end in ("html", "svg", "yaml")
    ]
    assert (tmp_path / f"{key}.html").stat().st_size > 500_000
