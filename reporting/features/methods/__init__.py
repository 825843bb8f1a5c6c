"""How a report was made: data, methods, terms, checklists, provenance."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import HOW, SectionSpec

FEATURE = Feature(
    key="methods",
    sections=(
        SectionSpec(key="methods", title="Methods", writer=f"{__name__}.section:methods", within=HOW),
        SectionSpec(key="data", title="Data", writer=f"{__name__}.data:data", within=HOW),
        SectionSpec(key="glossary", title="Glossary", writer=f"{__name__}.glossary:glossary", within=HOW),
        SectionSpec(
            key="crosswalk",
            title="Reporting checklists",
            writer=f"{__name__}.crosswalk:crosswalk",
            within=HOW,
            on_request=lambda results: results.study.vocabulary != "medical",
        ),
        SectionSpec(
            key="provenance", title="Provenance", writer=f"{__name__}.provenance:provenance", within=HOW
        ),
    ),
    cautions=tuple(
        f"{__name__}.data:{name}"
        for name in ("development_set", "unlabelled", "missing_dropped", "weighted_rates")
    ),
    words=__name__,
)
