"""Examples of numbers with a flag."""

from __future__ import annotations

EXAMPLES = {
    "TR205": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.4, 0.2, 0.3, 0.1])
>>> reporting.metrics(trials, ["far"], ["fixed(threshold=0.25)"])["flags"].item().to_list()
['below_rule_of_30']
""",
    "TR209": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])
>>> "below_chance" in reporting.metrics(trials, ["auc"])["flags"].item()
True
""",
    "TR217": """
>>> trials = reporting.trial_table([1, 1, 0, 0], {"A": [4, 2, 3, 1], "B": [40, 20, 30, 10]})
>>> "identical_decisions" in reporting.compare(trials, "A", ["auc"])["flags"].item()
True
""",
}
WITHOUT_EXAMPLE: dict[str, str] = {}
