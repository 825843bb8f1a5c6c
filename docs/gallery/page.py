"""The page of the gallery: a card per report, with a picture and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from docs.gallery.cards import CARDS, Card
from docs.markdown import heading, page

LEAD = (
    "The program made each of these reports when this site was built. A card opens the live report, one HTML"
    " file; *config* is what it was made of."
)


def pages(*, made: bool) -> dict[str, str]:
    """Return the page of the gallery; without reports its cards lead nowhere."""
    return {"gallery.md": page(_lines(made))}


def _lines(made: bool) -> Iterator[str]:
    yield from heading(1, "Gallery")
    yield from (LEAD, "", '<div class="cards">')
    for card in CARDS.values():
        yield from _card(card, made)
    yield from ("</div>", "")


def _card(card: Card, made: bool) -> Iterator[str]:
    """Yield the HTML of a card; no line of it is empty, which would end it."""
    title = escape(card.title)
    yield '<div class="card">'
    if made:
        place = f"reports/{card.key}"
        yield f'<a href="{place}.html"><img src="{place}.svg" alt="" loading="lazy">{title}</a>'
    else:
        yield f"<strong>{title}</strong>"
    config = f' <a class="config" href="reports/{card.key}.yaml">config</a>' if made else ""
    yield f"<p>{escape(card.sentence)}{config}</p>"
    yield "</div>"
