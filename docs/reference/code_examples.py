"""Short examples that give a code; the tests run each of them after ``import reporting``."""

from __future__ import annotations

EXAMPLES = {
    "TR101": """
>>> trials = reporting.trial_table([0, 0, 0], [0.1, 0.2, 0.3])
>>> reporting.metrics(trials, ["auc"])["status"].item()
'no_targets'
""",
    "TR102": """
>>> trials = reporting.trial_table([1, 1, 1], [0.1, 0.2, 0.3])
>>> reporting.metrics(trials, ["auc"])["status"].item()
'no_nontargets'
""",
    "TR104": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])
>>> reporting.metrics(trials, ["precision"], ["fixed(threshold=9)"])["status"].item()
'degenerate'
""",
    "TR106": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.4, 0.2, 0.3, 0.1])
>>> reporting.metrics(trials, ["hter"], ["min_hter"]).select("criterion", "status").rows()
[('min_hter', 'no_dev'), ('oracle(min_hter)', None)]
""",
    "TR107": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.4, 0.2, 0.3, 0.1])
>>> reporting.metrics(trials, ["cllr"])["status"].item()
'not_calibrated_scale'
>>> reporting.metrics(trials, ["cllr"], models={"A": {"scale": "llr"}})["status"].item() is None
True
""",
    "TR108": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.4, 0.2, 0.3, 0.1])
>>> reporting.metrics(trials, ["brier"])["status"].item()
'not_probability'
""",
    "TR112": """
>>> trials = reporting.trial_table([1, 1, 0, 0], {"A": [4, 2, 3, 1], "B": [3, 4, 1, 2]}).drop("trial")
>>> reporting.compare(trials, "A", ["auc"])["status"].item()
'no_trial_key'
""",
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
"""By code: statements with what they print."""
