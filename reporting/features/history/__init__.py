"""The store of runs, and what it shows.

- ``store``: runs in a folder or an object store, written whole.
- ``past``: the runs before this one, as far as they can be compared.
- ``memory``: what a run has of them, and that it is kept.
- ``trends``: values run by run, and marks where something changed.
- ``differences``, ``outcomes``: this run less an earlier one, on the trials that both have.
- ``page``, ``terminal``: the history as a page, and on the terminal; ``command``: who asks for them.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import EARLIER_RUN
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="history",
    asks="What has changed since the last run?",
    needs=(EARLIER_RUN,),
    sections=(
        SectionSpec(
            key="since-last", title="Since last time", writer=f"{__name__}.section:since_last", answer=True
        ),
        SectionSpec(key="trends", title="Trends", writer=f"{__name__}.trends_section:trends"),
    ),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
    commands=(f"{__name__}.command:history",),
    memory=f"{__name__}.memory:memory_of",
    below=(f"{__name__}.section:change_lines",),
    cautions=(f"{__name__}.section:stale",),
    words=__name__,
)
