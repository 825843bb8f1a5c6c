"""What examples of counts with noise begin with: a table, the config of its counts and that of a report."""

NOISY_COUNTS = """
```python
>>> import reporting
>>> reporting.trial_table([1, 0] * 200, range(400), model="A").write_csv("trials.csv")

```

```{code-block} yaml
:caption: site.yaml
trials: {source: trials.csv, coarse: 30}
thresholds: {policy: none}
```

```{code-block} yaml
:caption: report.yaml
trials: {layout: counts, source: noisy.parquet}
thresholds: {policy: none}
primary: {measure: eer_rocch}
curves: []
"""
