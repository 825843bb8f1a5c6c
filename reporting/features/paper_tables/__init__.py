"""Tables as a paper prints them, by the rows that a config names."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="paper_tables",
    sections=(SectionSpec(key="tables", title="Tables", writer=f"{__name__}.section:paper_tables"),),
    keys=f"{__name__}.keys",
)
