"""One bar per stage on a terminal: what is counted, where a stage counts, and the time it took."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from reporting.app.terminal.log import Voice, line_of
from reporting.base.progress import Event


class Bars(Voice):
    """Bars that stay, settled, when their stages end; messages appear above them."""

    def __init__(self, stream: TextIO, *, verbose: bool = False) -> None:
        super().__init__(stream, verbose=verbose)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[counted]}", markup=False),
        )
        self._console = _Console(file=stream, force_terminal=True, highlight=False)
        self._progress = Progress(
            *columns, console=self._console, refresh_per_second=5, redirect_stdout=False
        )
        self._task: TaskID | None = None

    def tell(self, event: Event) -> None:
        """Move the bar of the stage, or write the event's line above all bars."""
        if event.kind == "begin":
            self._progress.start()
            self._task = self._progress.add_task(str(event.stage), total=None, counted="")
        elif event.kind == "step" and self._task is not None:
            counted = f"{event.done:,} of {event.of:,} {event.message}"
            self._progress.update(self._task, completed=event.done, total=event.of, counted=counted)
        elif event.kind == "end" and self._task is not None:
            self._progress.update(self._task, completed=1, total=1, counted="")
            self._task = None
        elif line := line_of(event):
            self._console.print(Text(line), soft_wrap=True)

    def close(self) -> None:
        """Settle every bar where it is."""
        if self._task is not None:
            self._progress.stop_task(self._task)
            self._task = None
        self._progress.stop()


class _Console(Console):
    """A console that leaves the cursor alone: a run that is killed cannot bring it back."""

    def show_cursor(self, show: bool = True) -> bool:
        """Do nothing."""
        return False
