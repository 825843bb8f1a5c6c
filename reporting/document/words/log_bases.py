"""Score columns whose names speak of another logarithm than their declared scale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from reporting.core.engine.study import Study
from reporting.errors import listed, quoted

NAMED = {
    "llr": re.compile(r"(?<![A-Za-z])([Ll][Nn]|[Ll][Oo][Gg]_?[Ee]|[Nn][Aa][Tt][Uu][Rr][Aa][Ll])(?![a-z])"),
    "log10_llr": re.compile(r"(log[ _-]?10|lr10)(?!\d)", re.IGNORECASE),
}
"""What names of columns say of the base, by the scale that it belongs to: ``lnLR`` and ``log10_lr``."""
ADJECTIVES = {"llr": "natural", "log10_llr": "base-10"}
MOST_NAMED = 3


def named_base(column: str) -> str | None:
    """Return the scale whose base the name of a column speaks of; None where it is none, or both."""
    scales = [scale for scale, pattern in NAMED.items() if pattern.search(column)]
    return scales[0] if len(scales) == 1 else None


def misread_logs(study: Study, columns: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each scale that contradicts the names of columns; ``columns`` are by model."""
    for scale, other in (("llr", "log10_llr"), ("log10_llr", "llr")):
        misread = {
            model: column
            for model, column in columns.items()
            if study.scale_of(model) == scale and named_base(column) == other
        }
        if misread:
            from reporting.document.words.codes import CAUTIONS  # which few tables need

            named = list(dict.fromkeys(map(quoted, misread.values())))
            texts = CAUTIONS["another_base"].texts
            yield texts["several_columns" if len(named) > 1 else "one_column"].format(
                models=listed(map(study.name_of, misread), MOST_NAMED),
                columns=listed(named, MOST_NAMED),
                adjective=ADJECTIVES[scale],
                other_adjective=ADJECTIVES[other],
                other=other,
            )
