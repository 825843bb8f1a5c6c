"""The memory of a run: what a report has of earlier ones, and that it is kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from reporting.base.progress import Stages
from reporting.base.provenance import InputFile
from reporting.base.records import dataclass
from reporting.core.engine.study import Study
from reporting.document.frames.results import Results
from reporting.document.runs import PastRun, Sources
from reporting.errors import HistoryError
from reporting.features.history import FEATURE
from reporting.features.history.frame import CHANGES
from reporting.features.history.keys import HISTORY_KEY, History
from reporting.features.history.past import frames_of, remember
from reporting.features.history.phrases import stale_sentence
from reporting.features.history.store import Store, open_store
from reporting.inputs.remote.address import on_any_machine


def memory_of(study: Study, folder: Path) -> HistoryMemory | None:
    """Return the memory that a config names; ``folder`` is that of the config."""
    history = HISTORY_KEY.of(study)
    return None if history is None else HistoryMemory(history, folder)


@dataclass(frozen=True, eq=False)
class HistoryMemory:
    """The store of a config, opened when it is first asked."""

    history: History
    folder: Path

    @cached_property
    def store(self) -> Store:
        """The store; one that is not there has no runs yet."""
        return open_store(self.history.place(self.folder), may_be_new=True)

    @property
    def address(self) -> str:
        """The store as a report names it."""
        return on_any_machine(self.history.store, self.folder)

    @property
    def as_of(self) -> str | None:
        """The date of the run, where the config has one."""
        return self.history.as_of

    @property
    def salt(self) -> str:
        """What digests of keys are made with here."""
        return self.store.salt

    def prepare(self) -> None:
        """Raise HistoryError where the place can hold no store."""
        _ = self.store

    def earlier(self, results: Results) -> list[PastRun]:
        """Return the runs of this report at earlier dates, with all frames that are kept of them."""
        before = self.store.before(results.provenance.as_of)
        mine = [run for run in before if run.facts.title == results.study.title]
        return [PastRun(run.name, frames_of(run, self.store.salt)) for run in mine]

    def remember(
        self, sources: Sources, results: Results, resolved: Mapping[str, object], stages: Stages
    ) -> tuple[Results, Callable[[], object]]:
        """Return the results with what has changed since earlier runs, and what keeps this one."""
        remembered = remember(self.store, self.address, self.history.reference, sources, results, resolved)
        for row in remembered.results.rows(CHANGES):
            if row.kind == "stale":
                sentence = stale_sentence(row)
                if self.history.stale == "error":
                    raise HistoryError(
                        f"history.stale: {sentence} Nothing is written, and the run is not kept."
                    )
                # Also where only errors are written.
                stages.caution(sentence, FEATURE.code("stale_trials").key, also_quiet=True)
        return remembered.results, remembered.keep

    def snapshot(self, as_of: str) -> InputFile | None:
        """Return the earlier runs that a report of a date depends on; None without any."""
        store = open_store(self.history.place(self.folder))
        return store.snapshot(as_of, self.address) if store.before(as_of) else None
