"""Examples of undefined numbers."""

from __future__ import annotations

from docs.reference.examples.noisy_counts import NOISY_COUNTS

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
    "TR103": """
>>> trials = reporting.trial_table([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1])
>>> reporting.fit(trials, "binormal_ordinal").filter(parameter="goodness_of_fit")["status"].item()
'unresolvable'
""",
    "TR104": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])
>>> reporting.metrics(trials, ["precision"], ["fixed(threshold=9)"])["status"].item()
'degenerate'
""",
    "TR105": """
>>> trials = reporting.trial_table([0, 1, 0, 1], [4, 3, 2, 1])
>>> reporting.metrics(trials, ["recall_at(precision=0.9)"])["status"].item()
'no_such_precision'
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
    "TR109": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [float("inf"), 3, 2, 1])
>>> reporting.fit(trials, "binormal")["status"].unique().to_list()
['infinite_scores']
""",
    "TR110": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [2, 1, -1, -2])
>>> reporting.fit(trials, "binormal(transform=box_cox)")["status"].unique().to_list()
['not_positive']
""",
    "TR112": """
>>> trials = reporting.trial_table([1, 1, 0, 0], {"A": [4, 2, 3, 1], "B": [3, 4, 1, 2]})
>>> reporting.compare(trials.drop("trial"), "A", ["auc"])["status"].item()
'no_trial_key'
""",
    "TR113": """
>>> speakers, bands = ["Ann", "Bob", "Ann", "Bob"], {"bands": "sjr", "replicates": 99}
>>> report = reporting.make_report(
...     [1, 1, 0, 0], {"A": [4, 2, 3, 1]}, cluster=speakers, curves=["roc"], significance=bands
... )
>>> report.frames["bands"]["status"].to_list()
['dependent']
""",
    "TR114": """
>>> labels, scores = [1, 0, 1, 0], {"A": [2, 1, 2, 1], "B": [1, 2, 2, 1]}
>>> table = reporting.trial_table(labels, scores, trial=["x", "y"] * 2, seed=[1, 1, 2, 2])
>>> trials = {"source": table.drop("split"), "columns": {"run": "seed"}}
>>> tests = {"tests": ["venkatraman"], "replicates": 99}
>>> report = reporting.make_report(trials=trials, curves=[], significance=tests)
>>> report.frames["tests"]["status"].to_list()
['several_runs']
""",
    "TR115": """
>>> scores, sites = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}, ["x", "x", "y", "y"]
>>> table = reporting.trial_table([1, 0, 1, 0], scores, stratum=sites).drop("split")
>>> trials = {"source": table, "weights": {"stratum": {"x": 1, "y": 2}}}
>>> tests = {"tests": ["venkatraman"], "replicates": 99}
>>> report = reporting.make_report(trials=trials, curves=[], significance=tests)
>>> report.frames["tests"]["status"].to_list()
['weighted']
""",
    "TR116": """
>>> scores = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}
>>> tests = {"tests": ["mcnemar"], "replicates": 99}
>>> report = reporting.make_report(
...     [1, 0, 1, 0], scores, curves=[], significance=tests
... )
>>> report.frames["tests"].select("part", "status").rows()
[('both', 'no_criterion'), ('nontargets', 'no_criterion'), ('targets', 'no_criterion')]
""",
    "TR117": """
>>> scores = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}
>>> tests = {"tests": ["null_z"], "replicates": 99}
>>> report = reporting.make_report(
...     [1, 0, 1, 0], scores, primary={"measure": "auc"}, curves=[], significance=tests
... )
>>> report.frames["tests"]["status"].to_list()
['not_linear']
""",
    "TR118": """
>>> speakers, scores = ["Ann", "Ann", "Bob", "Bob"], {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}
>>> tests, primary = {"tests": ["delong"], "replicates": 99}, {"measure": "eer_rocch"}
>>> report = reporting.make_report(
...     [1, 0, 1, 0], scores, cluster=speakers, curves=[],
...     measures=[], primary=primary, significance=tests
... )
>>> report.frames["tests"]["status"].to_list()
['not_measured']
""",
    "TR119": """
>>> scores, primary = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}, {"measure": "det_slope"}
>>> tests = {"tests": ["non_inferiority"], "margin": 0.1, "replicates": 99}
>>> report = reporting.make_report(
...     [1, 0, 1, 0], scores, primary=primary, curves=[], significance=tests
... )
>>> report.frames["tests"]["status"].to_list()
['no_direction']
""",
    "TR120": """
>>> scores = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}
>>> sides = {"one": [1, 1, 2, 2], "other": [3, 4, 3, 4]}
>>> table = reporting.trial_table([1, 0, 1, 0], scores, **sides).drop("split")
>>> trials = {"source": table, "columns": {"cluster": ["one", "other"]}}
>>> primary = {"measure": "hter", "criterion": "fixed(threshold=2.5)"}
>>> tests = {"tests": ["fragility"], "replicates": 99}
>>> report = reporting.make_report(
...     trials=trials, primary=primary, curves=[], significance=tests
... )
>>> report.frames["tests"].filter(unit="cluster")["status"].item()
'pair_trials'
""",
    "TR121": """
>>> scores = {"A": [4, 2, 3, 1], "B": [4, 3, 1, 2]}
>>> primary = {"measure": "hter", "criterion": "fixed(threshold=2.5)"}
>>> tests = {"tests": ["fragility"], "replicates": 99}
>>> report = reporting.make_report(
...     [1, 0, 1, 0], scores, primary=primary, curves=[], significance=tests
... )
>>> report.frames["tests"]["status"].item()
'not_reversible'
""",
    "TR122": """
>>> split = ["dev", "dev", "test", "test"]
>>> trials = reporting.trial_table([1, 0, 1, 0], [2, 1, 2, 1], split=split)
>>> gate = {"measure": "hter", "model": "A", "against": "reference", "not_worse_by": 0.01}
>>> report = reporting.make_report(
...     trials, gates=[gate], curves=[], significance={"replicates": 99}
... )
>>> report.frames["gates"]["status"].item()
'no_reference'
""",
    "TR123": """
>>> split = ["dev", "dev", "test", "test"]
>>> table = reporting.trial_table([1, 0, 1, 0], [2, 1, 2, 1], split=split)
>>> gate = {"measure": "hter", "model": "A", "at_most": 0.1, "always_valid": True, "independent": True}
>>> trials, few = table.drop("trial"), {"replicates": 99}
>>> report = reporting.make_report(trials, gates=[gate], curves=[], significance=few)
>>> report.frames["gates"]["status"].item()
'no_outcomes'
""",
    "TR124": """
>>> split, days = ["dev", "dev", "test", "test"], ["Monday", "Monday", "Tuesday", "Tuesday"]
>>> trials = reporting.trial_table([1, 0, 1, 0], [2, 1, 2, 1], split=split, day=days)
>>> gate = {"measure": "hter", "model": "A", "at_most": 0.1, "always_valid": True, "independent": True}
>>> report = reporting.make_report(
...     trials, gates=[gate], curves=[], averaged_over="day", significance={"replicates": 99}
... )
>>> report.frames["gates"]["status"].item()
'clustered'
""",
    "TR125": """
>>> places = {"dataset": ["x", "x", "y", "y"], "sex": ["f", "f", "m", "m"]}
>>> trials = reporting.trial_table([1, 0, 1, 0], [2, 1, 2, 1], **places)
>>> gate = {"measure": "auc", "model": "A", "at_least": 0.9, "group": "sex=f"}
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> report = reporting.make_report(trials, gates=[gate], by=["sex"], **quick)
>>> report.frames["gates"].select("dataset", "status").rows()
[('x', None), ('y', 'no_such_group')]
""",
    "TR128": """
>>> gates = [{"measure": "ap_step", "model": "A", "at_least": bound} for bound in (0.8, 0.9)]
>>> few = {"replicates": 39, "interval": "percentile"}
>>> report = reporting.make_report(
...     [1, 1, 0, 0], [4, 2, 3, 1], gates=gates, curves=[],
...     thresholds={"policy": "none"}, significance=few
... )
>>> report.frames["gates"].select("outcome", "reason").rows()
[('undecided', 'too_few_replicates'), ('undecided', 'too_few_replicates')]
""",
    "TR129": """
>>> gate = {"measure": "auc", "model": "A", "at_least": 0.75}
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> report = reporting.make_report([1, 1, 0, 0], [4, 2, 3, 1], gates=[gate], **quick)
>>> report.frames["gates"].select("estimate", "outcome", "reason").rows()
[(0.75, 'undecided', 'on_the_bound')]
""",
    "TR130": """
>>> gate = {"measure": "auc", "model": "A", "at_least": 0.7}
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> report = reporting.make_report([1, 1, 0, 0], [4, 2, 3, 1], gates=[gate], **quick)
>>> report.frames["gates"].select("estimate", "outcome", "reason").rows()
[(0.75, 'undecided', 'straddles')]
""",
    "TR131": """
>>> split = ["dev", "dev", "test", "test"]
>>> trials = reporting.trial_table([1, 0, 1, 0], [2, 1, 2, 1], split=split)
>>> gate = {"measure": "hter", "model": "A", "at_most": 0.1, "always_valid": True, "independent": True}
>>> report = reporting.make_report(
...     trials, gates=[gate], curves=[], significance={"replicates": 99}
... )
>>> report.frames["gates"].select("outcome", "reason").rows()
[('undecided', 'not_yet')]
""",
    "TR132": """
>>> gates = [{"measure": "auc", "model": "A", "at_least": bound} for bound in (0.64, 0.8)]
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> report = reporting.make_report(
...     [1, 1, 1, 0, 0, 0] * 5, [5, 4, 2, 3, 2, 1] * 5, gates=gates, **quick
... )
>>> report.frames["gates"].select("outcome", "reason").rows()
[('undecided', 'after_adjustment'), ('undecided', 'straddles')]
""",
    "TR133": """
>>> trials = reporting.trial_table([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
>>> reporting.metrics(trials, ["cllr"], models={"A": {"scale": "probability"}})["status"].item()
'no_prevalence'
""",
    "TR134": """
>>> trials = reporting.trial_table([1, 0] * 24, [1, 0, 0, 1] * 12, site=["a"] * 20 + ["b"] * 20 + ["c"] * 8)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "criteria": ["fixed(threshold=0.5)"]}
>>> report = reporting.make_report(
...     trials, across="site", significance={"replicates": 99}, **quick
... )
>>> report.frames["group_metrics"].filter(measure="far").select("group", "left_out").rows()
[('site=a', None), ('site=b', None), ('site=c', 'few_units')]
""",
    "TR135": """
>>> trials = reporting.trial_table([1, 0] * 24, [1, 0, 1, 0, 0, 1] * 8, site=["a"] * 24 + ["b"] * 24)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "criteria": ["fixed(threshold=0.5)"]}
>>> report = reporting.make_report(
...     trials, across="site", significance={"replicates": 99}, **quick
... )
>>> report.frames["group_metrics"].filter(measure="far").select("group", "left_out").rows()
[('site=a', 'few_errors'), ('site=b', 'few_errors')]
""",
    "TR136": """
>>> trials = reporting.trial_table([1, 0] * 24, [1, 0, 0, 1] * 12, site=["a"] * 48)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "criteria": ["fixed(threshold=0.5)"]}
>>> report = reporting.make_report(
...     trials, across="site", significance={"replicates": 99}, **quick
... )
>>> report.frames["disparities"].filter(measure="far", statistic="range")["status"].item()
'one_group'
""",
    "TR137": """
>>> trials = reporting.trial_table([1, 0] * 48, [1, 0] * 24 + [0, 1] * 24, site=["a"] * 48 + ["b"] * 48)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "criteria": ["fixed(threshold=0.5)"]}
>>> report = reporting.make_report(
...     trials, across="site", significance={"replicates": 99}, **quick
... )
>>> report.frames["disparities"].filter(measure="far", statistic="ratio")["status"].item()
'zero_rate'
""",
    "TR138": """
>>> trials = reporting.trial_table([1, 0] * 24, [1, 0, 0, 1] * 12, site=["a"] * 40 + ["b"] * 8)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "criteria": ["fixed(threshold=0.5)"]}
>>> report = reporting.make_report(
...     trials, across={"columns": "site", "reference": "b"}, significance={"replicates": 99}, **quick
... )
>>> report.frames["group_metrics"].filter(measure="far").select("group", "status").rows()
[('site=a', 'reference_left_out'), ('site=b', 'few_units')]
""",
    "TR139": """
>>> scores = {"A": [1, 0, 0, 1] * 170, "B": [0, 0, 1, 1] * 170}
>>> trials = reporting.trial_table([1, 0] * 340, scores, site=list("abcdefghijklmnopq") * 40)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "criteria": ["fixed(threshold=0.5)"]}
>>> report = reporting.make_report(
...     trials, across="site", significance={"replicates": 99}, **quick
... )
>>> compared = report.frames["disparity_comparisons"]
>>> compared.filter(measure="far", statistic="range")["status"].item()
'too_many_groups'
""",
    "TR140": """
>>> import polars as pl
>>> trials = pl.DataFrame({"kind": ["t", "n", "s"] * 4, "score": [3, 1, 2] * 4})
>>> trials = trials.with_columns(model=pl.lit("A"), trial=pl.int_range(12), split=pl.lit("test"))
>>> values = {"target": "t", "nontarget": "n", "spoof": "s"}
>>> source = {"source": trials, "columns": {"label": "kind"}, "values": values}
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> report = reporting.make_report(trials=source, measures=["minadcf"], **quick)
>>> report.frames["metrics"].filter(measure="minadcf").select("group", "status").rows()
[('', None), ('attempt=spoof', 'lacks_kind'), ('attempt=zero-effort', 'lacks_kind')]
""",
    "TR141": """
>>> split = ["dev"] * 8 + ["test"] * 4
>>> trials = reporting.trial_table([0, 1] * 6, [0, 1, 3, 2, 2, 3, 4, 5, 2, 3, 2, 3], split=split)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> report = reporting.make_report(trials, abstention={"cost": {"review": 0.01}}, **quick)
>>> decided = report.frames["abstention"].filter(rule="dev")
>>> dict(decided.select("quantity", "status").drop_nulls().iter_rows())
{'error': 'nothing_decided', 'far': 'nothing_decided', 'frr': 'nothing_decided'}
""",
    "TR142": NOISY_COUNTS
    + """\
gates: [{measure: eer_rocch, model: A, at_most: 0.4}]
```

```console
$ reporting counts -q site.yaml -o noisy.parquet --noise 1 --range 0 400 --bins 8
noisy.parquet
$ reporting run -q report.yaml
...
```

```python
>>> import polars as pl
>>> pl.read_parquet("report/frames/gates.parquet").select("outcome", "reason").row(0)
('undecided', 'noise_unknown')

```
""",
    "TR143": """
>>> labels, scores = [1, 0] * 6, {"A": [4, 2, 3, 1] * 3, "B": [2, 4, 1, 3] * 3}
>>> tests = {"tests": ["equivalence"], "margin": 0.1, "comparisons": "given_thresholds", "replicates": 99}
>>> folds = {"policy": "kfold", "folds": 3}
>>> report = reporting.make_report(labels, scores, curves=[], thresholds=folds, significance=tests)
>>> report.frames["tests"]["status"].to_list()
['folds_held']
""",
    "TR144": """
>>> trials = reporting.trial_table([1, 0, 1, 0], [0.0, 0.2, 0.8, 0.4])
>>> lost = reporting.metrics(trials, ["log_loss"], models={"A": {"scale": "probability"}})
>>> lost.select("status", "ruled_out_targets", "ruled_out_nontargets").row(0)
('ruled_out', 1, 0)
""",
    "TR145": """
>>> labels, scores = [1, 0] * 6, {"A": [4, 2, 3, 1] * 3, "B": [2, 4, 1, 3] * 3}
>>> trials = reporting.trial_table(labels, scores, cluster=["Ann"] * 8 + ["Bob", "Cy"] * 2)
>>> rows = reporting.compare(trials, "A", ["auc"], significance={"replicates": 99})
>>> rows.select("difference", "p_value", "status").row(0)
(-1.0, None, 'too_few_clusters')
""",
}
WITHOUT_EXAMPLE = {
    "TR111": "no small table is known on which the fit does not converge; of 6,000 random ones none did.",
    "TR126": "it takes two runs that a history keeps, of the same trials.",
    "TR127": "it takes several always-valid gates, and trials that change between their looks.",
}
