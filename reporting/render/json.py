"""The complete report model as JSON: nothing that the other formats print is missing here."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from reporting.render.material import Material


def json_files(material: Material) -> dict[str, bytes]:
    """Return the model and its provenance: sorted keys, UTF-8, infinities as ``"inf"`` and ``"-inf"``."""
    whole = {**_plain(material.report), "provenance": _plain(material.provenance)}
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return {"report.json": f"{text}\n".encode()}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return _with_kind(type(value).__name__.lower(), fields)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _with_kind(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Tell blocks apart; columns and series have a kind of their own, which stays."""
    return fields if "kind" in fields else {"kind": kind, **fields}
