"""Examples of cautions about several classes: one config, and four trials each."""

from __future__ import annotations


def _example(rows: str, caution: str, *, of_sites: bool = False) -> str:
    by = "\nby: [site]" * of_sites
    return f"""
```{{code-block}} text
:caption: shapes.csv
shape,net_round,net_oval,net_flat{",site" * of_sites}
{rows}
```

```{{code-block}} yaml
:caption: report.yaml
title: Shapes
trials:
  source: shapes.csv
  layout: wide
  columns: {{label: shape}}
  values: {{target: round, nontarget: rest}}
  scores: {{net: net_round}}
thresholds: {{policy: none}}
primary: {{measure: auc}}
classes: {{labels: [round, oval, flat], scores: "{{model}}_{{class}}"}}
significance: {{replicates: 99}}
curves: []{by}
report: {{formats: [markdown-full]}}
```

```python
>>> import reporting
>>> report = reporting.make_report("report.yaml")
>>> print((report / "report-full.md").read_text())
# Shapes
...
> {caution}
...

```
"""


WITHOUT_FLAT = "round,0.7,0.2,0.1\nround,0.3,0.6,0.1\noval,0.3,0.5,0.2\noval,0.5,0.4,0.1"
SEVERAL_CLASSES = {
    "TR344": _example(
        WITHOUT_FLAT,
        "**Classes of few trials.** CIs of macro AP may be much too narrow: the test set has fewer\n"
        "than 5 trials of some classes (2 of oval and 2 of round). ... (TR344)",
    ),
    "TR350": _example(
        "round,0.7,0.2,0.1,north\nround,0.3,0.6,0.1,north\noval,0.3,0.5,0.2,north\nflat,0.2,0.1,0.7,south",
        "**Groups with classes of few trials.** ... (1 of flat in site=south, 1 of oval in site=north\n"
        "and 2 of round in site=north). ... (TR350)",
        of_sites=True,
    ),
    "TR345": _example(WITHOUT_FLAT, "**Empty classes.** The test set has no trials of flat; ... (TR345)"),
    "TR346": _example(
        "round,7,2,1\nround,3,6,1\noval,3,5,2\nflat,4,2,3",
        "**Class probabilities not calibrated.** ... (TR346)",
    ),
    "TR347": _example(
        "round,0.4,0.4,0.2\nround,0.3,0.6,0.1\noval,0.3,0.5,0.2\nflat,0.2,0.1,0.7",
        "**Tied classes.** For some trials two or more classes have the same highest score (1 of net);"
        " ... (TR347)",
    ),
}
