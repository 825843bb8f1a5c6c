"""The complete report model as JSON: nothing that the other formats print is missing here."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from reporting.base.publish import SCHEMA_VERSION
from reporting.render.render_input import RenderContext


def json_files(material: RenderContext) -> dict[str, bytes]:
    """Return model and provenance as ``report.json``: UTF-8, infinities as ``"inf"`` and ``"-inf"``.

    Keys keep the order of the model, because pictures are drawn in the order of their specs.
    """
    whole = {
        "schema_version": SCHEMA_VERSION,
        **_plain(material.report),
        "provenance": _plain(material.provenance),
    }
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return {"report.json": f"{text}\n".encode()}


PRINTED = {"IntervalMark": "drawn", "LiveTable": "table", "TooltipSeries": "probe", "tooltip_titles": "told"}
"""Kinds and fields that readers of the file know by an older name."""


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        fields = {PRINTED.get(name, name): _plain(getattr(value, name)) for name in names}
        # A kind distinguishes blocks; columns and series have their own, which stays.
        name = type(value).__name__
        return fields if "kind" in fields else {"kind": PRINTED.get(name, name.lower()), **fields}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    # Free data, such as specs, are JSON already: there "inf" is a text and an infinity an error.
    return value
