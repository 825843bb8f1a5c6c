"""Examples of cautions about a whole report, as its long form in Markdown prints them."""

from __future__ import annotations

from docs.reference.examples.noisy_counts import NOISY_COUNTS
from docs.reference.examples.several_classes import SEVERAL_CLASSES

EXAMPLES = {
    "TR301": """
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, range(80), split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Development and test differ.** At the chosen thresholds error rates on test are
not those on development: the false acceptance rate (FAR) is higher for A (50.0% on
development, 100.0% on test) and the false rejection rate (FRR) is lower for A (50.0%
on development, 0.0% on test). This is more than chance allows, so thresholds set on
development need not suit the test set. (TR301)
...
""",
    "TR302": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report([1, 0] * 20, range(40), **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Independence assumed.** Trials were treated as independent because no cluster
column was declared. If a person or session contributes several trials, CIs are too
narrow and p-values too small. (TR302)
...
""",
    "TR303": """
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> gate = {"measure": "hter", "model": "A", "at_most": 0.1, "always_valid": True, "independent": True}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     labels, [2, 1] * 40, split=split, trial=range(80), gates=[gate], **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Always-valid gates without clusters.** Always-valid gates with independent: true
assume that new trials are independent of earlier ones. In simulations of two equally
good models, with 1,000 trials of the same 40 speakers in each of 52 weeks, 8 of 30 years
had a wrong verdict at 95% confidence. Declare the cluster column: each is bet on once.
(TR303)
...
""",
    "TR304": """
>>> speakers = ["Ann", "ann", "Bob", "Bob"]
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     [1, 0, 1, 0], [4, 2, 3, 1], cluster=speakers, **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Letter case.** Ann and ann count as different clusters, though they differ in
letter case alone. If they are one, CIs are too narrow and p-values too small. (TR304)
...
""",
    "TR305": """
>>> labels, split = [1, 0, 1, 0, 1, 0, 0, 0, 0], ["dev"] * 4 + ["test"] * 5
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, range(9), split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Class shares differ.** The share of targets differs (50.0% development, 20.0%
test); precision, F1 and other prevalence-dependent measures are not comparable
between the two. (TR305)
...
""",
    "TR306": """
>>> labels, split = [1, 0] * 8, ["dev"] * 8 + ["test"] * 8
>>> scores = {"A": range(16), "B": range(16, 0, -1), "C": [1, 2, 4, 3, 6, 8, 5, 7] * 2}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, scores, split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Few resamples.** 99 resamples are too few for 3 comparisons; adjusted p-values are
imprecise. (TR306)
...
""",
    "TR307": """
>>> trials = {"source": reporting.trial_table([1, 0] * 20, range(40)), "coarse": 16}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     trials=trials, thresholds={"policy": "none"}, **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Rounded scores.** Scores were floored to 16 of their 64 bits, so that some of them
are tied; an AUC is within about 0.0050 of that of the exact scores (the largest bound
over models). (TR307)
...
""",
    "TR308": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report([1, 0] * 70_000, range(140_000), **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Thinned curves.** Curves of more than 131,072 distinct scores show the thresholds
on their hull, and others at most 0.25 standard errors of FAR and FRR apart; every
measure uses all thresholds. (TR308)
...
""",
    "TR309": """
>>> scores = {"A": [1, 2, 3, 3, 4, 2, 5, 0], "B": [1, 1, 2, 5, 0, 0, 2, 5]}
>>> primary = {"measure": "hter", "criterion": "fixed(threshold=2.5)"}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report([1, 0] * 4, scores, primary=primary, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Depends on the analysis.** Another analysis decides otherwise: B − A, p = .020 by
percentiles of the bootstrap and p = .062 by the reported test (exact mid-p test)
(both adjusted). The report takes the latter. (TR309)
...
""",
    "TR310": """
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, [2, 1] * 40, split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **No errors.** At the chosen threshold A makes no false alarm among 20 non-targets;
the true rate may still be as high as 13.91% (one-sided 95% bound). (TR310)
...
""",
    "TR311": """
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, [1] * 80, split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Constant scores.** All test scores of A are equal: decisions are identical and
nothing is ranked. (TR311)
...
""",
    "TR312": """
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> scores = [1, 2] * 20 + [float("inf"), 2] * 20
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, scores, split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Infinite scores.** A threshold of A is infinite: it rejects every trial, also one
whose score is infinite and would reach it. No finite threshold gives these rates.
(TR312)
...
""",
    "TR313": """
>>> scores = [5 * number % 13 for number in range(40)]
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     [1, 0] * 20, scores, thresholds={"policy": "kfold"}, **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Unstable thresholds.** The 10 folds of A chose thresholds from 3.500 to 6.500; 9
of 40 trials lie between them. Another partition into folds may move the error rates
and turn a borderline p-value; a run with another seed shows by how much. (TR313)
...
""",
    "TR314": """
>>> models = {"A": {"scale": "llr"}}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     [1, 0] * 10, [-9, 9] * 10, models=models, measures=["cllr"], **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Misleading likelihood ratios.** As log-likelihood ratios the scores of A (Cllr
12.9844) are worse than no scores (Cllr 1). Calibrate them before they are used as
such. (TR314)
...
""",
    "TR315": """
>>> sex = ["f", "f", "f", "f", "m"]
>>> trials = reporting.trial_table([1, 0, 1, 0, 1], [5, 4, 2, 3, 1], sex=sex)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     trials, thresholds={"policy": "none"}, by=["sex"], **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Groups of one class.** 1 of 2 groups holds trials of one class only (sex: m);
measures that need both are undefined there. (TR315)
...
""",
    "TR316": """
>>> scores, sex = [7 * number % 40 for number in range(40)], ["f", "f", "m", "m"] * 10
>>> trials = reporting.trial_table([1, 0] * 20, scores, sex=sex)
>>> none, primary = {"policy": "none"}, {"measure": "eer_rocch"}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     trials, thresholds=none, by=["sex"], primary=primary, **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Optimistic optimum.** EER is the best over all thresholds and looks better than it
is: by an estimated 12.0 to 14.7 points here, by more with fewer trials. Differences
between groups, datasets or runs of different sizes include this. (TR316)
...
""",
    "TR317": """
>>> from pathlib import Path
>>> split = ["dev"] * 20 + ["test"] * 20
>>> trials = reporting.trial_table([1, 0] * 20, range(40), split=split)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> for day in ("2026-11-09", "2026-11-16"):
...     report = reporting.make_report(trials, history={"store": "runs", "as_of": day}, **quick)
...     for manifest in Path("runs").rglob("manifest.json"):
...         _ = manifest.write_text("damaged")
>>> print((report / "report-full.md").read_text())
# report
...
> **Run history.** ...: run ... is left out: its manifest cannot be read. (TR317)
...
""",
    "TR318": """
```python
>>> import reporting
>>> reporting.trial_table([1, 0] * 20, range(40)).write_csv("trials.csv")

```

```{code-block} yaml
:caption: report.yaml
title: A small cache
trials: {source: trials.csv}
thresholds: {policy: none}
primary: {measure: eer_rocch}
curves: []
significance: {replicates: 20000}
run: {cache: cache, cache_limit: 1}
```

```console
$ reporting run report.yaml
...
caution: run.cache: results of more than 0.0625 MB are not kept; raise run.cache_limit to keep them [TR318]
...
```
""",
    "TR319": """
>>> models, fixed = {"A": {"scale": "probability"}}, ["fixed(threshold=0.5)"]
>>> scores = {"A": [0.9, 0.1] * 20, "B": [2, -2] * 20}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(
...     [1, 0] * 20, scores, models=models, criteria=fixed, **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Scores of different kinds.** The fixed threshold 0.5 is applied to scores of
different kinds: those of A are probabilities, those of B are of no declared scale.
The same number means something else to each, so do not compare models at it. (TR319)
...
""",
    "TR320": """
>>> trials = reporting.trial_table([1, 0] * 20, range(-20, 20)).rename({"score": "log10LR"})
>>> source = {"source": trials, "columns": {"score": "log10LR"}}
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> quick |= {"thresholds": {"policy": "none"}, "measures": ["cllr"]}
>>> report = reporting.make_report(trials=source, models={"A": {"scale": "llr"}}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Base of the logarithm.** The scores of A (column 'log10LR') are read as natural
log likelihood ratios, but named as base-10 ones. If the name is right, Cllr and
decisions at likelihood ratios are wrong; set 'scale: log10_llr'. (TR320)
...
""",
    "TR321": """
>>> labels, attack = [1, 0, 0] * 20, ["", "photo", "photo"] * 10 + ["", "photo", "mask"] * 10
>>> split = ["dev"] * 30 + ["test"] * 30
>>> trials = reporting.trial_table(labels, [3, 1, 2] * 20, split=split, attack=attack)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(trials, by=[{"attack": "nontarget"}], **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Values without development trials.** attack: mask occurs on the test set only;
thresholds were set without such non-targets. (TR321)
...
""",
    "TR322": """
>>> sites = ["a"] * 20 + ["b"] * 20 + ["c"] * 8
>>> trials = reporting.trial_table([1, 0] * 24, [1, 0, 0, 1] * 12, site=sites)
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> quick |= {"criteria": ["fixed(threshold=0.5)"], "across": "site"}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(trials, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Small groups.** ...(TR322)
...
""",
    "TR323": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report([1, 0] * 20, [1, 0, 1, 1] * 10, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Decisions instead of scores.** ...(TR323)
...
""",
    "TR324": """
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(labels, range(80), split=split, measures=["f1"], **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **No criterion named.** ...(TR324)
...
""",
    "TR325": """
>>> trials = reporting.trial_table([1, 0] * 20, [n * 7 % 40 for n in range(40)])
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "report": {"formats": ["markdown-full"]}}
>>> quick |= {"significance": {"replicates": 99, "interval": "percentile"}, "out": "report"}
>>> report = reporting.make_report(trials, primary={"measure": "frr_at_far(far=0.1)"}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **CI on few errors.** FRR at 10% FAR of A has a CI only because the configuration names
its method; ...(TR325)
...
""",
    "TR326": """
>>> split = ["dev"] * 20 + ["test"] * 20
>>> trials = reporting.trial_table([1, 0] * 20, range(40), split=split)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> for day in ("2026-11-09", "2026-11-16"):
...     report = reporting.make_report(trials, history={"store": "runs", "as_of": day}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Nothing new.** The input files are those of the run of 2026-11-09 (...): nothing new was
tested, and values, gates and trends repeat that run. (TR326)
...
""",
    "TR327": """
>>> import polars as pl
>>> trials = reporting.trial_table([1, 0, 1, 0] * 10, range(40))
>>> trials = trials.with_columns(label=pl.when(pl.col("score") % 4 < 3).then("label"))
>>> quick = {"curves": [], "thresholds": {"policy": "none"}, "report": {"formats": ["markdown-full"]}}
>>> quick |= {"significance": {"replicates": 99}, "out": "report"}
>>> report = reporting.make_report(trials, trials={"unlabelled": "drop"}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Rows without a label.** 10 of 40 rows on the test set (25.0%) have no label and are left
out. Results hold for all trials only if labels are missing by chance. (TR327)
...
""",
    "TR328": """
>>> trials = reporting.trial_table([1, 0] * 20, [0.9, 0.2, 0.4, 0.6] * 10)
>>> quick = {"curves": [], "significance": {"replicates": 99}, "report": {"formats": ["markdown-full"]}}
>>> quick |= {"profile": "stratos", "models": {"A": {"scale": "probability"}}, "out": "report"}
>>> quick |= {"thresholds": {"policy": "none"}}
>>> report = reporting.make_report(trials, measures=["auc", "brier", "ap_dg"], **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Improper measures.** ...(TR328)
...
""",
    "TR329": """
>>> split = ["dev"] * 20 + ["test"] * 20
>>> scores = [5, 1] * 9 + [3, 3] + [5, 1] * 6 + [3, 3] * 4
>>> trials = reporting.trial_table([1, 0] * 20, scores, split=split)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(trials, abstention={"capacity": 0.1}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **More reviews than capacity.** On the test set more trials lie between the two
thresholds than the 10% that can be reviewed: A 40.0%. The capacity is kept on the
development set only. (TR329)
...
""",
    "TR330": """
>>> split = ["dev"] * 20 + ["test"] * 20
>>> trials = reporting.trial_table([1, 0] * 20, [2, 1, 1, 2] * 10, split=split)
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> report = reporting.make_report(trials, abstention={"capacity": 0}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Nothing reviewed.** No trial is reviewed by A: the capacity is 0. (TR330)
...
""",
    "TR331": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> scores = {"probability": [0.9, 0.2, 0.6, 0.4] * 10, "marker": [31, 12, 25, 18] * 10}
>>> report = reporting.make_report([1, 0] * 20, scores, criteria=["fixed(threshold=0.5)"], **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Threshold outside the scores.** The fixed threshold 0.5 is outside the test scores
of marker: all trials are on one side of it. Perhaps the scores are on another scale; do
not compare models there. (TR331)
...
""",
    "TR332": NOISY_COUNTS
    + """\
report: {formats: [markdown-full]}
```

```console
$ reporting counts -q site.yaml -o noisy.parquet --noise 1 --range 0 400 --bins 8
noisy.parquet
$ reporting run -q report.yaml
report
$ cat report/report-full.md
...
> **Noise on the counts.** Every count carries random noise (differential privacy,
epsilon 1 per score). ... (TR332)
...
```
""",
    "TR333": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> split = ["dev"] * 20 + ["test"] * 20
>>> trials = reporting.trial_table([1, 0] * 20, [2, 1, 1, 2] * 10, split=split)
>>> asked = {"thresholds": {"policy": "none"}, "primary": {"measure": "auc"}}
>>> report = reporting.make_report(trials, **asked, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Development set left out.** 20 of 40 trials belong to the development set and are left
out, because thresholds.policy: none has no use for them. ... (TR333)
...
""",
    "TR334": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> scores = {"A": [2.0, 1.0, 1.0, None] * 10, "B": [1.0, 2.0, 3.0, 4.0] * 10}
>>> report = reporting.make_report([1, 0] * 20, scores, trials={"missing": "drop"}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Trials without a score.** Without a score of some model, trials are left out for all
models: A lacks 10 (0 targets, 10 non-targets) on the test set. ... (TR334)
...
""",
    "TR335": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> strata = ["old", "new", "new", "old"] * 10
>>> trials = reporting.trial_table([1, 0] * 20, [2, 1, 1, 2] * 10, stratum=strata)
>>> weights = {"weights": {"stratum": {"old": 1, "new": 2}}}
>>> asked = {"thresholds": {"policy": "none"}, "primary": {"measure": "auc"}}
>>> report = reporting.make_report(trials, trials=weights, **asked, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Weighted.** Rates, areas and costs are weighted: each trial counts by the
weight of its stratum (new 2 and old 1). ... (TR335)
...
""",
    "TR336": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> report = reporting.make_report(labels, range(80), split=split, primary="frr", **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **One kind of error.** FRR is the primary measure, at thresholds set on the development set
(minimum HTER), which do not hold FAR: a model may lead because more trials are
accepted. ... (TR336)
...
""",
    "TR337": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> labels, split = [1, 0] * 40, ["dev"] * 40 + ["test"] * 40
>>> speakers, trials = [n % 20 for n in range(80)], range(80)
>>> report = reporting.make_report(
...     labels, range(80), split=split, trial=trials, cluster=speakers, **quick
... )
>>> print((report / "report-full.md").read_text())
# report
...
> **Judged where thresholds were chosen.** All 20 clusters of the development set are
also in the test set: thresholds were chosen on clusters that are judged. ... (TR337)
...
""",
    "TR349": """
>>> quick = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"], "recompute": True}, "out": "report"}
>>> labels, split = [1, 0] * 16, ["dev"] * 16 + ["test"] * 16
>>> report = reporting.make_report(labels, range(32), split=split, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Small counts in the page.** The page holds counts of fewer than 10 trials; whoever has the page has
these counts. (TR349)
...
""",
    "TR341": """
>>> quick = {"curves": [], "epc": "none", "measures": ["auc"], "primary": {"measure": "auc"}}
>>> quick |= {"thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> trials = reporting.trial_table([1, 0] * 20, [n * n % 13 + n % 2 for n in range(40)], trial=range(40))
>>> trials = trials.with_columns(fold=trials["trial"].cast(int) // 10)
>>> report = reporting.make_report(trials, learning={"folds": "fold"}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Few trainings.** The limits of the learning procedure rest on 4 folds. With fewer
than 10, the estimate of how much trainings vary is imprecise. (TR341)
...
""",
    "TR342": """
>>> quick = {"curves": [], "epc": "none", "measures": ["auc"], "primary": {"measure": "auc"}}
>>> quick |= {"thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> trials = reporting.trial_table([1, 0] * 20, [n * n % 13 + n % 2 for n in range(40)], trial=range(40))
>>> trials = trials.with_columns(fold=trials["trial"].cast(int) // 4)
>>> report = reporting.make_report(trials, learning={"folds": "fold"}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Training sets overlap.** The verdict of the summary is about the trained models, not
about the procedures that trained them. The training sets of the folds share trials, so
their estimates depend on one another, and no unbiased estimate of the variance of their
mean exists. The corrected limits take the correlation to be 0.10, the share of trials
that are tested: a heuristic. (TR342)
...
""",
    "TR343": """
>>> quick = {"curves": [], "epc": "none", "measures": ["auc"], "primary": {"measure": "auc"}}
>>> quick |= {"thresholds": {"policy": "none"}, "significance": {"replicates": 99}}
>>> quick |= {"report": {"formats": ["markdown-full"]}, "out": "report"}
>>> trials = reporting.trial_table([1, 0] * 20, [n * n % 13 + n % 2 for n in range(40)], trial=range(40))
>>> number = trials["trial"].cast(int)
>>> trials = trials.with_columns(fold=number // 4, cluster=number % 20)
>>> report = reporting.make_report(trials, learning={"folds": "fold"}, **quick)
>>> print((report / "report-full.md").read_text())
# report
...
> **Clusters in several folds.** 20 clusters have trials in several folds: a training
has then seen trials of those it is tested on. Its estimates may be better than on new
clusters. (TR343)
...
""",
    **SEVERAL_CLASSES,
}
WITHOUT_EXAMPLE = {
    "TR338": "`reporting check` writes it on the terminal; no report holds it.",
    "TR339": "it takes hundreds of simulated tables; see the page on the coverage passport.",
    "TR340": "it takes hundreds of simulated tables; see the page on the coverage passport.",
}
