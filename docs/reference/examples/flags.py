"""Examples of numbers with a flag."""

from __future__ import annotations

from docs.reference.examples.noisy_counts import NOISY_COUNTS

EXAMPLES = {
    "TR201": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [4, 2, 3, 1])
>>> reporting.metrics(trials, ["hter"], ["min_hter"]).select("threshold_source", "flags").rows()
[(None, []), ('oracle', ['below_rule_of_30', 'oracle'])]
""",
    "TR202": """
>>> split, values = ["training"] * 4 + ["test"] * 4, {"dev": "training"}
>>> table = reporting.trial_table([1, 1, 0, 0] * 2, [4, 3, 2, 1, 4, 1, 2, 3], split=split)
>>> policy, few = {"policy": "train"}, {"replicates": 99}
>>> report = reporting.make_report(
...     trials={"source": table, "values": values}, thresholds=policy, curves=[], significance=few
... )
>>> report.frames["metrics"].filter(split="test", measure="hter")["flags"][0].to_list()
['below_rule_of_30', 'tiny_dev', 'train']
""",
    "TR203": """
>>> speakers = ["Ann", "Bob", "Ann", "Bob"]
>>> trials = reporting.trial_table([1, 1, 0, 0], [4, 2, 3, 1], cluster=speakers)
>>> cross, few = {"policy": "cv_test"}, {"replicates": 99}
>>> rows = reporting.metrics(
...     trials, measures=["hter"], criteria=["min_hter"], thresholds=cross, significance=few
... )
>>> rows.filter(criterion="min_hter")["flags"].item().to_list()
['below_rule_of_30', 'cv_test', 'too_few_clusters']
""",
    "TR204": """
>>> labels, split = [1, 1, 0, 0] * 2, ["dev"] * 4 + ["test"] * 4
>>> trials = reporting.trial_table(labels, [4, 3, 2, 1, 4, 1, 2, 3], split=split)
>>> rows = reporting.metrics(
...     trials, ["hter"], ["min_hter"], significance={"replicates": 99}
... )
>>> rows.filter(split="test", criterion="min_hter")["flags"].item().to_list()
['below_rule_of_30', 'tiny_dev']
""",
    "TR205": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.4, 0.2, 0.3, 0.1])
>>> rows = reporting.metrics(trials, ["far"], ["fixed(threshold=0.25)"])
>>> rows["flags"].item().to_list()
['below_rule_of_30']
""",
    "TR206": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [4, 2, 3, 1])
>>> rows = reporting.metrics(
...     trials, ["frr_at_far(far=0.1)"], significance={"replicates": 99}
... )
>>> rows["flags"].item().to_list()
['below_rule_of_30', 'unresolvable']
""",
    "TR207": """
>>> trials = reporting.trial_table([1, 0] * 20, range(40))
>>> rows = reporting.metrics(
...     trials, ["frr_at_far(far=0.1)"], significance={"replicates": 99}
... )
>>> rows.select("value", "ci_low", "flags").rows()
[(0.9, None, ['below_rule_of_30', 'interval_withheld'])]
""",
    "TR208": """
>>> labels, split = [1, 1, 0, 0] * 2, ["dev"] * 4 + ["test"] * 4
>>> trials = reporting.trial_table(labels, [4, 2, 3, 1, 4, 1, 2, 3], split=split)
>>> rows = reporting.metrics(
...     trials, ["hter"], ["min_hter"], significance={"replicates": 99}
... )
>>> rows.filter(split="test", criterion="min_hter")["flags"].item().to_list()
['below_rule_of_30', 'tied_cut', 'tiny_dev']
""",
    "TR209": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])
>>> rows = reporting.metrics(trials, ["auc"], significance={"replicates": 99})
>>> rows["flags"].item().to_list()
['below_chance']
""",
    "TR210": """
>>> speakers = ["Ann", "Bob", "Cy"] * 2
>>> trials = reporting.trial_table([1, 1, 1, 0, 0, 0], [4, 2, 5, 1, 3, 1], cluster=speakers)
>>> rows = reporting.metrics(trials, ["auc"], significance={"replicates": 99})
>>> rows["flags"].item().to_list()
['few_clusters']
""",
    "TR211": """
>>> speakers = ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"]
>>> trials = reporting.trial_table([1, 1, 1, 0, 0, 0], [4, 2, 5, 1, 3, 1], cluster=speakers)
>>> rows = reporting.metrics(trials, ["ap_step"], significance={"replicates": 99})
>>> rows["flags"].item().to_list()
['few_clusters', 'redrawn_empty_class']
""",
    "TR212": """
>>> queries = ["a", "a", "b", "b", "c"]
>>> trials = reporting.trial_table([1, 0, 1, 0, 1], [5, 2, 3, 4, 1], query=queries)
>>> rows = reporting.metrics(
...     trials, ["auc"], averaged_over="query", significance={"replicates": 99}
... )
>>> rows.filter(group="mean(query)").select("n_units", "flags").rows()
[(2, ['few_clusters', 'undefined_left_out'])]
""",
    "TR213": """
>>> cases, readers = ["x", "y"] * 2, ["Ann", "Ann", "Bob", "Bob"]
>>> trials = reporting.trial_table([1, 0] * 2, [2, 1, 1, 2], trial=cases, reader=readers)
>>> runs, few = {"columns": {"run": "reader"}, "runs": "reader"}, {"replicates": 99}
>>> rows = reporting.metrics(trials, ["auc"], trials=runs, significance=few)
>>> rows.filter(run="mean")["flags"].item().to_list()
['few_readers']
""",
    "TR214": """
>>> report = reporting.make_report(
...     [1, 1, 0, 0], [4, 2, 3, 1], curves=[], report={"formats": ["markdown"]}, out="report"
... )
>>> print((report / "report.md").read_text())
# report
...
> **No development set.** No thresholds were chosen, ... (TR214)
...
""",
    "TR215": """
>>> labels, split = [1, 0] * 40_000, ["dev"] * 40_000 + ["test"] * 40_000
>>> scores = {"A": range(80_000), "B": range(80_000, 0, -1)}
>>> speakers = [f"speaker {number % 50}" for number in range(80_000)]
>>> trials = reporting.trial_table(labels, scores, split=split, cluster=speakers)
>>> rows = reporting.compare(
...     trials, "A", ["hter"], ["min_hter"], significance={"replicates": 99}
... )
>>> rows.filter(inference="procedure")["flags"].item().to_list()
['coarse_dev', 'tied_cut']
""",
    "TR216": """
>>> speakers = [f"speaker {number % 50}" for number in range(40_000)]
>>> trials = reporting.trial_table([1, 0] * 20_000, range(40_000), cluster=speakers)
>>> rows = reporting.metrics(trials, ["eer_rocch"], significance={"replicates": 99})
>>> rows["flags"].item().to_list()
['coarse_test']
""",
    "TR217": """
>>> trials = reporting.trial_table([1, 1, 0, 0], {"A": [4, 2, 3, 1], "B": [40, 20, 30, 10]})
>>> rows = reporting.compare(trials, "A", ["auc"], significance={"replicates": 99})
>>> rows["flags"].item().to_list()
['identical_decisions', 'redrawn_empty_class']
""",
    "TR218": """
>>> trials = reporting.trial_table([1, 1, 0, 0], {"A": [4, 2, 3, 1], "B": [1, 4, 3, 2]})
>>> rows = reporting.compare(
...     trials, "A", ["hter"], ["fixed(threshold=2.5)"], significance={"replicates": 99}
... )
>>> rows["flags"].item().to_list()
['few_discordant', 'redrawn_empty_class']
""",
    "TR219": """
>>> scores = {"A": [2, 3, 0, 0, 5, 2], "B": [5, 2, 5, 0, 4, 0]}
>>> trials, few = reporting.trial_table([1, 0] * 3, scores), {"replicates": 99}
>>> rows = reporting.compare(
...     trials, "A", ["hter"], ["fixed(threshold=2.5)"], significance=few
... )
>>> rows["flags"].item().to_list()
['ci_p_disagree', 'few_discordant', 'redrawn_empty_class']
""",
    "TR220": """
>>> speakers = ["Ann", "Bob", "Ann", "Bob"]
>>> trials = reporting.trial_table([1, 1, 0, 0], [4, 2, 3, 1], cluster=speakers)
>>> reporting.fit(trials, "binormal")["flags"][0].to_list()
['assumes_independent_trials']
""",
    "TR221": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [9, 1, 4, 3])
>>> reporting.fit(trials, "binormal")["flags"][0].to_list()
['hook']
""",
    "TR222": """
>>> trials = reporting.trial_table([1, 0] * 20, range(40))
>>> reporting.fit(trials, "binormal_ordinal(categories=10)")["flags"][0].to_list()
['joined_grades']
""",
    "TR223": """
>>> scores = [1001, 1002, 1004, 1050, 1000, 1001, 1002, 1090]
>>> trials = reporting.trial_table([1, 1, 1, 1, 0, 0, 0, 0], scores)
>>> reporting.fit(trials, "binormal(transform=box_cox)")["flags"][0].to_list()
['hook', 'power_at_bound']
""",
    "TR224": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [1001, 1002, 1000, 1001])
>>> reporting.fit(trials, "binormal(transform=box_cox)")["flags"][0].to_list()
['power_flat']
""",
    "TR225": """
>>> labels, split = [1, 1, 1, 0, 0, 0, 1, 1, 0, 0], ["dev"] * 6 + ["test"] * 4
>>> trials = reporting.trial_table(labels, [4, 2, 3, 1, 3, 2, 4, 1, 2, 3], split=split)
>>> rows = reporting.metrics(
...     trials, ["brier(calibration=affine)"], significance={"replicates": 99}
... )
>>> rows.filter(split="test")["flags"].item().to_list()
['share_of_dev']
""",
    "TR226": """
>>> trials = reporting.trial_table([1, 0] * 20, {"A": range(40), "B": range(0, 80, 2)})
>>> rows = reporting.compare(
...     trials, measures=["hter"], criteria=["min_hter"], thresholds={"policy": "kfold"},
...     significance={"comparisons": "given_thresholds", "replicates": 99},
... )
>>> rows.select("p_value", "flags").row(0)
(None, ['held_folds'])
""",
    "TR227": NOISY_COUNTS
    + """\
```

```console
$ reporting counts -q site.yaml -o noisy.parquet --noise 1 --range 0 400 --bins 8
noisy.parquet
$ reporting run -q report.yaml
report/report.html
```

```python
>>> import polars as pl
>>> metrics = pl.read_parquet("report/frames/metrics.parquet")
>>> metrics.filter(measure="eer_rocch").select("ci_low", "flags").row(0)
(None, ['noise_left_out'])

```
""",
    "TR228": """
>>> trials = reporting.trial_table([1, 0] * 50, {"A": [i // 2 for i in range(100)]})
>>> rows = reporting.metrics(trials, ["ks"], significance={"interval": "percentile", "replicates": 199})
>>> rows.select("value", "ci_low", "flags").row(0)
(0.0, None, ['below_rule_of_30', 'interval_unsound'])
""",
    "TR229": """
>>> sites = ["a"] * 20 + ["b"] * 20
>>> trials = reporting.trial_table([1, 0] * 20, {"A": range(40)}, cluster=sites, site=sites)
>>> rows = reporting.metrics(
...     trials, ["far"], ["fixed(threshold=20)"], by=["site"], thresholds={"policy": "none"}
... )
>>> rows.filter(group="site=a").select("unit", "flags").row(0)
('trial', ['below_rule_of_30', 'within_cluster'])
""",
    "TR230": """
>>> days = ["mon", "tue", "wed", "thu"] * 10
>>> trials = reporting.trial_table([1, 0] * 20, {"A": [1.0, 0.0] * 20}, day=sorted(days))
>>> rows = reporting.metrics(trials, ["auc"], averaged_over="day")
>>> rows.filter(group="mean(day)").select("value", "ci_low", "flags").row(0)
(1.0, None, ['few_clusters', 'values_alike'])
""",
    "TR231": """
>>> speakers = ["Ann"] * 8 + ["Bob", "Cy"] * 2
>>> trials = reporting.trial_table([1, 0] * 6, [4, 2, 3, 1] * 3, cluster=speakers)
>>> rows = reporting.metrics(trials, ["auc"], significance={"replicates": 99})
>>> rows.select("value", "ci_low", "flags").row(0)
(1.0, None, ['too_few_clusters'])
""",
}
WITHOUT_EXAMPLE: dict[str, str] = {}
