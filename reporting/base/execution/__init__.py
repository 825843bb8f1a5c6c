"""Where work runs; it never changes a result.

Work is a function of a module, one big value that all its tasks share, and one small item a task.
``array_store`` keeps large arrays on disk while they are not in use.
"""

from __future__ import annotations

from reporting.base.execution.executor import (
    AutoExecutor,
    Executor,
    Kind,
    LentPool,
    SerialExecutor,
    ThreadExecutor,
    open_executor,
)

__all__ = [
    "AutoExecutor",
    "Executor",
    "Kind",
    "LentPool",
    "SerialExecutor",
    "ThreadExecutor",
    "open_executor",
]
