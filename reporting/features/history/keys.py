"""The key ``history``: the store of earlier runs."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from reporting.base.records import dataclass
from reporting.core.engine.study import Study
from reporting.document.keys import ConfigValues, Declare, PathText, QuestionKey, Text, fault
from reporting.errors import quoted
from reporting.inputs.remote.address import check_address


def _as_date(value: object) -> object:
    """YAML reads 2026-11-20 as a date."""
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise fault(f"expected a date such as 2026-11-20, found {quoted(str(value))}") from None


@dataclass(frozen=True)
class History(ConfigValues):
    """The store of runs: what the report is compared with, and where it is kept."""

    store: Annotated[PathText, Field(description="a folder, relative to this file, or s3://bucket/prefix")]
    as_of: Annotated[
        str | None,
        BeforeValidator(_as_date),
        Field(description="date of the run; default: SOURCE_DATE_EPOCH, or today in UTC"),
    ] = None
    reference: Annotated[
        Text | None, Field(description="run to compare with, by id or date; default: the last earlier one")
    ] = None
    stale: Annotated[
        Literal["caution", "error"],
        Field(
            description="where the inputs, or all test trials with their decisions, are those of an earlier"
            " run; an error ends with status 2 and keeps no run"
        ),
    ] = "caution"

    def place(self, folder: Path) -> str:
        """Return the store as a whole path, or an address; ``folder`` is that of the config."""
        return self.store if "://" in self.store else str((folder / self.store).absolute())


def _with_history(
    key: QuestionKey[History | None], study: Study, history: History | None, _: Declare
) -> Study:
    if history is None:
        return study
    check_address(history.store)
    return study.with_key(key.name, history)


HISTORY_KEY = QuestionKey[History | None](
    name="history",
    after="gates",
    kind=History | None,
    description="the store of earlier runs",
    extend=_with_history,
    serves_strata=True,
    # Even a new one: the report would soon replace it.
    kept=lambda history, folder: (
        [] if history is None or "://" in history.store else [Path(history.place(folder))]
    ),
    places=("store",),
)
KEYS = (HISTORY_KEY,)
