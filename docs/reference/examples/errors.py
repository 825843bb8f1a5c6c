"""Examples of what ends the program."""

from __future__ import annotations

EXAMPLES = {
    "TR501": """
```{code-block} text
:caption: report.yaml
title: [a report
```

```console
$ reporting check -q report.yaml
error: report.yaml:2:1: while parsing a flow sequence: expected ',' or ']', but got
'<stream end>' (begun in line 1) [TR501]
```
""",
    "TR502": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
measurs: [auc]
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: measurs (report.yaml:2:1): unknown key; did you mean 'measures'? (allowed:
title, ...) [TR502]
```
""",
    "TR503": """
```{code-block} yaml
:caption: report.yaml
title: A report
```

```console
$ reporting check -q report.yaml
error: report.yaml:1:1: 'trials' is missing [TR503]
```
""",
    "TR504": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
significance: {level: 95}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: significance.level (report.yaml:2:23): expected less than 1.0, found 95 [TR504]
```
""",
    "TR505": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
measures: [htre]
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: measures[0] (report.yaml:2:12): 'htre' is not a measure; did you mean 'hter'?
(allowed: far, ...) [TR505]
```
""",
    "TR506": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
primary: {measure: auc, criterion: eer}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: primary (report.yaml:2:10): 'auc' is computed over all thresholds and takes no
criterion; leave 'criterion' out [TR506]
```
""",
    "TR507": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trails.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: trials.source (report.yaml:1:18): there is no file 'trails.csv' in '.'; did you
mean 'trials.csv'? [TR507]
```
""",
    "TR508": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
report: {templates: house}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```{code-block} text
:caption: house/sections/notes.md.j2
{% for
```

```console
$ reporting check -q report.yaml
error: report.templates (report.yaml:2:21): house/sections/notes.md.j2:
'sections/notes.md.j2' replaces none of our templates; did you mean
'markdown/section.md.j2'? (allowed: their names, html/house.css, latex/house.tex.j2,
sections/NAME.yaml, and parts to include, whose names begin with _) [TR508]
```
""",
    "TR509": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
baseline: B
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: baseline: 'B' is not a model of the trial table (found: A) [TR509]
```
""",
    "TR601": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv, columns: {cluster: speaker}}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score,speaker
A,dev,1,1,2,Ann
A,dev,2,0,1,
A,test,3,1,2,Bob
A,test,4,0,1,Bob
```

```console
$ reporting check -q report.yaml
error: column 'speaker' (the cluster): 1 of 4 rows empty; first row 2 of trials.csv
[TR601]
```
""",
    "TR602": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.parquet}
```

```{code-block} text
:caption: trials.parquet
no table
```

```console
$ reporting check -q report.yaml
error: trials.parquet: cannot be read: it is not Parquet: PAR1 is missing at its
beginning [TR602]
```
""",
    "TR603": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label
A,dev,1,1
```

```console
$ reporting check -q report.yaml
error: trials.csv: column 'score' (the score) is missing (found: model, split, trial,
label) [TR603]
```
""",
    "TR604": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,tets,2,0,1
```

```console
$ reporting check -q report.yaml
error: column 'split' (the split): 1 of 2 rows hold unknown values: 'tets' (row 2 of
trials.csv); did you mean 'test'? Map them: trials: {values: {dev: ..., test: ...}},
or leave rows out with unused: [...] (known: dev, test) [TR604]
```
""",
    "TR605": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,high
A,dev,2,0,1
```

```console
$ reporting check -q report.yaml
error: column 'score' (the score): 1 of 2 rows not numbers; first 'high' at row 1 of
trials.csv [TR605]
```
""",
    "TR606": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
A,test,4,0,3
```

```console
$ reporting check -q report.yaml
error: column 'trial' (the trial): one key occurs more than once for model 'A' in
split test: '4'; if the column names something else, write trial: none in
trials.columns [TR606]
```
""",
    "TR607": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
B,dev,1,1,2
B,dev,2,0,1
B,test,3,1,2
```

```console
$ reporting check -q report.yaml
error: model 'B' in split test: its trials differ from those of the other models: 1
missing, first '4'; trials.missing: shared compares the trials that all have [TR607]
```
""",
    "TR608": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,1,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting check -q report.yaml
error: split dev: no non-targets; a threshold cannot be chosen there [TR608]
```
""",
    "TR609": """
```{code-block} yaml
:caption: report.yaml
trials: {source: 'sqlite:///scores.db', table: trials}
```

```console
$ reporting check -q report.yaml
error: sqlite:///scores.db (table trials): there is no such file [TR609]
```
""",
    "TR610": """
```console
$ reporting history runs
error: there is no history in 'runs': it is no folder [TR610]
```
""",
    "TR701": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```{code-block} text
:caption: notes/monday.txt
not a report
```

```console
$ reporting run -q report.yaml -o notes
error: .../notes is not empty and is not a report folder (no manifest.json with
"program": "reporting"); name another folder with -o, or empty this one [TR701]
```
""",
    "TR702": """
```{code-block} yaml
:caption: report.yaml
trials: {source: trials.csv}
```

```{code-block} text
:caption: trials.csv
model,split,trial,label,score
A,dev,1,1,2
A,dev,2,0,1
A,test,3,1,2
A,test,4,0,1
```

```console
$ reporting run -q report.yaml -o trials.csv/report
error: .../trials.csv/report cannot be written: [Errno 17] File exists:
'.../trials.csv' [TR702]
```
""",
    "TR704": """
```{code-block} text
:caption: notes/monday.txt
not a report
```

```console
$ reporting verify notes
error: no report found in notes: manifest.json is missing [TR704]
```
""",
}
WITHOUT_EXAMPLE = {
    "TR703": "it takes a full disk, or a limit on memory or open files.",
    "TR901": "every way to it that is known has been mended.",
    "TR902": "a signal arrives from outside, as Ctrl-C sends it.",
}
