"""Where work runs; it never changes a result.

Work is a function of a module, one big value that all its tasks share, and one small item a task.
"""

from __future__ import annotations

from reporting.executors.executor import Executor
from reporting.executors.here import AutoExecutor, SerialExecutor, ThreadExecutor
from reporting.executors.opening import Kind, open_executor

__all__ = ["AutoExecutor", "Executor", "Kind", "SerialExecutor", "ThreadExecutor", "open_executor"]
