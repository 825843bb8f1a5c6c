"""Examples of what ends the program."""

from __future__ import annotations

EXAMPLES = {
    "TR504": """
>>> trials = reporting.trial_table([1, 0], [0.4, 0.2])
>>> reporting.metrics(trials, ["auc"], significance={"level": 95})
Traceback (most recent call last):
reporting.errors.ConfigError: ...
""",
    "TR505": """
>>> trials = reporting.trial_table([1, 0], [0.4, 0.2])
>>> reporting.metrics(trials, ["htre"])
Traceback (most recent call last):
reporting.errors.ConfigError: measures[0] (reporting.metrics): 'htre' is not a measure; ...
""",
    "TR606": """
>>> trials = reporting.trial_table([1, 0], [0.4, 0.2], trial=["a", "a"])
>>> reporting.metrics(trials, ["auc"])
Traceback (most recent call last):
reporting.errors.DataError: ...
""",
}
WITHOUT_EXAMPLE: dict[str, str] = {}
