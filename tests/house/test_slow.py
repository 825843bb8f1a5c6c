"""Every test that is named as slow exists, so that no name hides another test later."""

from __future__ import annotations

from tests.conftest import ROOT, SLOW


def test_every_slow_test_exists() -> None:
    def exists(name: str) -> bool:
        file, _, test = name.partition("::")
        path = ROOT / file
        return path.is_file() and f"def {test.partition('[')[0]}(" in path.read_text(encoding="utf-8")

    assert SLOW
    assert [name for name in sorted(SLOW) if not exists(name)] == []
