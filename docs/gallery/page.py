"""The page of the gallery, and the first screens on the first page: a card per report, under its headline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from docs.gallery.cards import CARDS, Card
from docs.markdown import heading, page

LEAD = (
    "The program made each of these reports when this site was built. A card shows the first screen under the"
    " report's headline and opens the live report, one HTML file; *config* is what it was made of."
    " [Ten leaderboards](audits.md) show what other analyses would put first."
)
SCREENS = re.compile(r"^<!-- first screens: (?P<keys>.+) -->$", re.M)
FIELDS = (
    "Speech and biometrics",
    "Clinical tests and models",
    "Machine learning",
    "Fraud and review",
    "Forensics",
    "Any field",
)
"""The headings of the gallery in their order."""

Headlines = Mapping[str, str]
"""The headline of each report that was made, by its key; empty where it has none."""


def pages(headlines: Headlines, reports: Path | None = None) -> dict[str, str]:
    """Return the page of the gallery; cards of reports that were not made lead nowhere.

    ``reports`` is the folder of the reports with their pictures.
    """
    return {"gallery.md": page(_lines(headlines, reports))}


def with_screens(text: str, headlines: Headlines, reports: Path | None = None) -> str:
    """Return a page with the cards that it names: ``<!-- first screens: KEY, KEY or KEY -->``.

    Of several the first is shown that can be made here.
    """

    def cards(mark: re.Match[str]) -> str:
        wanted = ([CARDS[key] for key in keys.split(" or ")] for keys in mark["keys"].split(", "))
        chosen = [next(card for card in cards if card.is_there) for cards in wanted]
        return "\n".join(_cards(chosen, headlines, reports))

    return SCREENS.sub(cards, text)


def _lines(headlines: Headlines, reports: Path | None) -> Iterator[str]:
    yield from ("---", "hide-toc: true", "---", "")
    yield from heading(1, "Gallery")
    yield from (LEAD, "")
    for field in FIELDS:
        chosen = [card for card in CARDS.values() if card.field == field and (card.is_there or not headlines)]
        yield from heading(2, field)
        yield from _cards(chosen, headlines, reports)
        yield ""


def _cards(chosen: list[Card], headlines: Headlines, reports: Path | None) -> Iterator[str]:
    yield '<div class="cards">'
    for card in chosen:
        yield from _card(card, headlines.get(card.key), reports)
    yield "</div>"


def _card(card: Card, headline: str | None, reports: Path | None) -> Iterator[str]:
    """Yield the HTML of a card; no line of it is empty, which would end it."""
    title = escape(card.title)
    yield '<div class="card">'
    if headline is None:
        yield f"<strong>{title}</strong>"
    else:
        place = f"reports/{card.key}"
        shown = f"“{escape(headline.rstrip('.'))}”" if headline else title
        yield f'<a href="{place}.html">{"".join(_pictures(card, reports))}{shown}</a>'
    data = escape(f"Real data: {card.real}." if card.real else "Simulated data.")
    yield f'<p class="about">{title} · {data}</p>'
    config = f' <a class="config" href="reports/{card.key}.yaml">config</a>' if headline is not None else ""
    yield f"<p>{escape(card.sentence)}{config}</p>"
    yield "</div>"


def _pictures(card: Card, reports: Path | None) -> Iterator[str]:
    """Yield the first screen in both colours, else the figure of the card."""
    place = f"reports/{card.key}"
    screens = [f"{card.key}.{scheme}.png" for scheme in ("light", "dark")]
    if reports is not None and all((reports / name).exists() for name in screens):
        for name in screens:
            scheme = name.split(".")[1]
            yield f'<img class="screen only-{scheme}" src="reports/{name}" alt="" loading="lazy">'
    else:
        yield f'<img src="{place}.svg" alt="" loading="lazy">'
