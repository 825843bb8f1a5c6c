"""Every card of the gallery has what its report is made of; the long form makes all reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.gallery import tables
from docs.gallery.cards import CARDS, CONFIGS, make_one
from docs.gallery.page import pages
from docs.snippets import blocks, refused
from reporting.app.example.catalogue import EXAMPLES

PAPERS = ("epc_authentication", "rocanalysis")


def test_every_config_belongs_to_a_card_and_is_accepted() -> None:
    names = {path.stem for path in CONFIGS.glob("*.yaml")}
    # The gallery has weekly reports of its own, of several weeks.
    assert names | (set(EXAMPLES) - {"periodic"}) | set(PAPERS) | {"plan"} == set(CARDS)
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
    text = pages(made=True)["gallery.md"]
    assert text.count('<div class="card">') == len(CARDS)
    for key, card in CARDS.items():
        assert f'href="reports/{key}.html"' in text
        assert card.sentence.endswith((".", "data."))
    assert "href" not in pages(made=False)["gallery.md"]


@pytest.mark.long
@pytest.mark.parametrize("key", CARDS)
def test_a_report_is_made(key: str, tmp_path: Path) -> None:
    make_one(key, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{key}.{end}" for end in ("html", "svg", "yaml")
    ]
    assert (tmp_path / f"{key}.html").stat().st_size > 500_000
