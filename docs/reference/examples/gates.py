"""Examples of gates that do not pass."""

from __future__ import annotations

EXAMPLES = {
    "TR401": """
```python
>>> import reporting
>>> reporting.trial_table([1, 0] * 20, [1, 2] * 20).write_csv("trials.csv")
```

```{code-block} yaml
:caption: report.yaml
title: A gate
trials: {source: trials.csv}
thresholds: {policy: none}
gates: [{measure: auc, model: A, at_least: 0.9}]
curves: []
```

```console
$ reporting run -q report.yaml
gate failed: auc of A at least 0.9 (A): the AUC of A is below 0.9 (...). [TR401]
report/report.html
$ echo $?
1
```
""",
    "TR402": """
```python
>>> import reporting
>>> reporting.trial_table([1, 0] * 20, [2, 1] * 20).write_csv("trials.csv")
```

```{code-block} yaml
:caption: report.yaml
title: A gate
trials: {source: trials.csv}
thresholds: {policy: none}
gates: [{measure: auc, model: A, at_least: 0.95}]
curves: []
```

```console
$ reporting run -q report.yaml
gate undecided (counts as failed): auc of A at least 0.95 (A): it is open ... [TR402]
report/report.html
$ echo $?
1
```
""",
}
WITHOUT_EXAMPLE: dict[str, str] = {}
