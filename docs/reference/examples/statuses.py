"""Examples of undefined numbers."""

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
}
WITHOUT_EXAMPLE: dict[str, str] = {}
