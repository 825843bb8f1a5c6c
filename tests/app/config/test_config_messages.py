"""Every fault of a config, one by one: where, what was found, what is allowed, the nearest guess."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from config_keys import REPORT, TOP, keys_of

from reporting.app.config.read import read_plan
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.costs import PRESETS
from reporting.core.resampling.settings import Test
from reporting.errors import ConfigError, listed
from reporting.inputs.paths import READABLE
from reporting.inputs.spec import KEYED

BARE = "trials: {source: trials.parquet}\n"
MEASURE_NAMES = listed(MEASURES)
CRITERION_NAMES = listed(CRITERIA)
SWEPT_NAMES = listed(key for key, value in CRITERIA.items() if value.swept)
CURVES = (
    "roc, det, pr, ape, nbe, cross_entropy, llr, cost, decision, tippett, histogram, reliability, f1, prg, fdr,"
    " gain, lift, roc_error, roc_log, roc_threshold, … (9 more)"
)
IN_CONFIG = ", ".join(keys_of(TOP))
IN_REPORT = ", ".join(key for key in keys_of(REPORT, "report") if key != "paper")
COLUMNS = (
    "model, run, dataset, split, trial, label, score, predicted, cluster, stratum, sampling_stratum, count"
)
FAR_APART = (
    "the weights are too far apart or have too many digits: as whole numbers in the same proportions, the"
    " largest may be at most 3000000000"
)
HINT = 'quote a name with parameters in YAML lists: "dcf(p_target=0.01, c_miss=10)"'


@pytest.mark.parametrize(
    ("second_line", "fault"),
    [
        ("titel: x", f"titel (report.yaml:2:1): unknown key; did you mean 'title'? (allowed: {IN_CONFIG})"),
        ("title: ''", "title (report.yaml:2:8): expected text, found ''"),
        ("title: [a]", "title (report.yaml:2:8): expected text, found a list"),
        ("measures: hter", "measures (report.yaml:2:11): expected a list, found 'hter'"),
        (
            "measures: [hter, htre]",
            "measures[1] (report.yaml:2:18): 'htre' is not a measure; did you mean 'hter'?"
            f" (allowed: {MEASURE_NAMES})",
        ),
        ("measures: [hter, eer, eer_rocch]", "measures (report.yaml:2:11): 'eer_rocch' is given twice"),
        ("measures: [[hter]]", "measures[0] (report.yaml:2:12): expected a name, such as hter or"
         " 'weighted_error(alpha=0.5)'"),
        ("measures: ['hter(a=1)']", "measures[0] (report.yaml:2:12): 'hter' has no parameter 'a';"
         " it takes no parameters"),
        ("measures: [weighted_error(alpha=2)]",
         "measures[0] (report.yaml:2:12): alpha=2 is outside [0, 1]"),
        ("measures: ['mindcf(p_target=0.01']",
         f"measures[0] (report.yaml:2:12): 'mindcf(p_target=0.01' has an unbalanced parenthesis; {HINT}"),
        ("measures: [far, mindcf(p_target=0.01, c_miss=10), auc, frr]",
         "measures[1] (report.yaml:2:17): 'mindcf(p_target=0.01, c_miss=10)' is split at its comma; " + HINT),
        ("criteria: [ere]", "criteria[0] (report.yaml:2:12): 'ere' is not a criterion; did you mean 'eer'?"
         f" (allowed: {CRITERION_NAMES})"),
        ("criteria: [orakle(eer)]",
         "criteria[0] (report.yaml:2:12): 'orakle(eer)': 'eer' is not of the form key=value"),
        ("primary: {criterion: oracle(eer)}",
         "primary.criterion (report.yaml:2:22): 'oracle(eer)' is chosen on the test data, which allows no"
         " valid interval; the primary criterion must use the development set"),
        ("primary: {measure: auc, criterion: eer}",
         "primary (report.yaml:2:10): 'auc' is computed over all thresholds and takes no criterion;"
         " leave 'criterion' out"),
        ("primary: hter", "primary (report.yaml:2:10): expected a mapping, found 'hter'"),
        ("curves: [rok]", "curves[0] (report.yaml:2:10): 'rok' is not allowed; did you mean 'roc'?"
         f" (allowed: {CURVES})"),
        ("curves: [ECE]", "curves[0] (report.yaml:2:10): 'ECE' is not allowed; did you mean 'cross_entropy'?"
         f" (allowed: {CURVES})"),
        ("curves: [roc, roc]", "curves (report.yaml:2:9): 'roc' is given twice"),
        ("epc: no", "epc (report.yaml:2:6): expected a mapping or none, found 'no'"),
        ("epc: {criteria: []}",
         "epc.criteria (report.yaml:2:17): expected at least one entry, found none"),
        ("epc: {criteria: [eer]}", "epc.criteria[0] (report.yaml:2:18): 'eer' has no parameter for a curve"
         f" to run along; allowed: {SWEPT_NAMES}"),
        ("epc: {criteria: [oracle(weighted_error)]}",
         "epc.criteria[0] (report.yaml:2:18): 'oracle(weighted_error)': the curve tuned on the test set is"
         " always computed; leave 'oracle' out"),
        ("epc: {criteria: [weighted_error(alpha=0.1)]}",
         "epc.criteria[0] (report.yaml:2:18): 'weighted_error(alpha=0.1)': the curve runs along alpha;"
         " leave it out"),
        ("epc: {measures: [auc]}", "epc.measures[0] (report.yaml:2:18): 'auc' is computed over all"
         " thresholds; an EPC shows measures at a threshold"),
        ("epc: {alphas: 1}", "epc.alphas (report.yaml:2:15): expected at least 2, found 1"),
        ("epc: {alphas: 1e9}", "epc.alphas (report.yaml:2:15): expected a whole number, found 1e9"),
        ("significance: {level: 1}", "significance.level (report.yaml:2:23): expected less than 1.0,"
         " found 1"),
        ("significance: {level: 0}", "significance.level (report.yaml:2:23): expected more than 0.0,"
         " found 0"),
        ("significance: {level: .nan}", "significance.level (report.yaml:2:23): expected a number,"
         " found '.nan'"),
        ("significance: {level: nan}", "significance.level (report.yaml:2:23): expected a finite number,"
         " found 'nan'"),
        ("significance: {replicates: 38}", "significance.replicates (report.yaml:2:28): 38 are too few for"
         " percentile limits at level 0.95; at least 39"),
        ("significance: {level: 0.9999, replicates: 10000}",
         "significance.replicates (report.yaml:2:43): 10000 are too few for"
         " percentile limits at level 0.9999; at least 19999"),
        ("significance: {replicates: 10000001}", "significance.replicates (report.yaml:2:28): expected at most"
         " 10000000, found 10000001"),
        ("significance: {replicates: many}", "significance.replicates (report.yaml:2:28): expected auto, or a whole"
         " number, found 'many'"),
        ("significance: {seed: -1}", "significance.seed (report.yaml:2:22): expected at least 0,"
         " found -1"),
        ("significance: {unit: trail}", "significance.unit (report.yaml:2:22): 'trail' is not allowed;"
         " did you mean 'trial'? (allowed: auto, trial, cluster)"),
        ("significance: {unit: [a]}", "significance.unit (report.yaml:2:22): expected one of 'auto', 'trial' or"
         " 'cluster', found a list"),
        ("significance: {tests: [mcnemar, mcnemr]}", "significance.tests[1] (report.yaml:2:33): 'mcnemr' is not"
         f" allowed; did you mean 'mcnemar'? (allowed: {', '.join(get_args(Test))})"),
        ("significance: {tests: [power, power]}", "significance.tests (report.yaml:2:23): 'power' is given twice"),
        ("significance: {tests: power}", "significance.tests (report.yaml:2:23): expected a list, found"
         " 'power'"),
        ("significance: {tests: [equivalence]}", "significance (report.yaml:2:15): 'equivalence' needs a margin:"
         " the difference in the primary measure that does not matter, such as margin: 0.01"),
        ("significance: {tests: [non_inferiority, power, equivalence]}", "significance (report.yaml:2:15):"
         " 'non_inferiority' and 'equivalence' need a margin: the difference in the primary measure that does not"
         " matter, such as margin: 0.01"),
        ("significance: {margin: 0.01}", "significance (report.yaml:2:15): no test takes the margin; ask for"
         " equivalence or non_inferiority in tests, or leave it out"),
        ("significance: {tests: [equivalence], margin: 0}", "significance.margin (report.yaml:2:46): expected more than"
         " 0.0, found 0"),
        ("significance: {tests: [equivalence], margin: 1%}", "significance.margin (report.yaml:2:46): expected a number,"
         " found '1%'"),
        ("significance: {tests: [fragility], level: 0.5}", "significance (report.yaml:2:15): 'fragility' needs a"
         " level above 0.5, found 0.5"),
        ("significance: {tests: [power], power: 0.05}", "significance (report.yaml:2:15): a power of 0.05 needs no"
         " difference at level 0.95; ask for more than 0.05"),
        ("significance: {power: 1}", "significance.power (report.yaml:2:23): expected less than 1.0, found 1"),
        ("run: {workers: 0}", "run.workers (report.yaml:2:16): expected at least 1, found 0"),
        ("report: {interactive: yes}", "report.interactive (report.yaml:2:23): expected true or false,"
         " found 'yes'"),
        ("report: {formats: []}", "report.formats (report.yaml:2:19): expected at least one entry,"
         " found none"),
        ("report: {paper: hamel}", "report.paper (report.yaml:2:17): 'hamel': pages of papers are not configured"
         " here any more: leave the key out and run `make papers`, or pass your own section to"
         " reporting.make_report(config, sections=[...])"),
        ("report: {fromats: []}", "report.fromats (report.yaml:2:10): unknown key; did you mean 'formats'?"
         f" (allowed: {IN_REPORT})"),
        ("thresholds: {form: {}}", "thresholds.form (report.yaml:2:14): unknown key; did you mean 'from'?"
         " (allowed: policy, from, folds, column, threshold_at, ties)"),
        ("thresholds: {policy: tain}", "thresholds.policy (report.yaml:2:22): 'tain' is not allowed; did you"
         " mean 'train'? (allowed: dev, train, split_clients, leave_one_client_out, kfold, cv_test, none)"),
        ("thresholds: {folds: 1}", "thresholds.folds (report.yaml:2:21): expected at least 2, found 1"),
        ("thresholds: {from: vox}", "thresholds.from (report.yaml:2:20): expected a mapping, found 'vox'"),
        ("thresholds: {policy: kfold, from: {a: b}}", "thresholds (report.yaml:2:13): policy 'kfold' chooses"
         " across folds of test; leave 'from' out"),
        ("by: [[gender, split]]", "by (report.yaml:2:5): 'split' is the split of a row; expected a column that"
         " describes trials"),
        ("averaged_over: split", "averaged_over (report.yaml:2:16): 'split' is the split of a row; expected a column"
         " that describes trials"),
        ("criteria: [oracle(oracle(eer))]",
         "criteria[0] (report.yaml:2:12): 'oracle(oracle(eer))': oracle is given twice"),
        ("criteria: [best(f1)]", "criteria[0] (report.yaml:2:12): 'best(f1)': 'f1' is not of the form"
         " key=value; parameters of 'best': measure, as in best(measure=f1)"),
        ("epc: {bounds: [0]}", "epc.bounds (report.yaml:2:15): expected 2 entries, found 1"),
        ("epc: {bounds: []}", "epc.bounds (report.yaml:2:15): expected 2 entries, found none"),
        ("epc: {bounds: [0, 1, 1]}", "epc.bounds (report.yaml:2:15): expected 2 entries, found 3"),
        ("epc: {bounds: [0, ١]}", "epc.bounds[1] (report.yaml:2:19): expected a number (digits 0 to 9,"
         " without underscores), found '١'"),
        ("run: {workers: 1_0}", "run.workers (report.yaml:2:16): expected a number (digits 0 to 9,"
         " without underscores), found '1_0'"),
        *[(f"significance: {{{key}: {word}}}", f"significance.{key} (report.yaml:2:{18 + len(key)}): expected a number"
           f" (digits 0 to 9, without underscores), found '{word}'")
          for key, word in (("level", "０.９"), ("replicates", "1_000"), ("seed", "٣"))],
        ("operating_points: [{name: SRE16, p_target: 0.4}]", "operating_points[0] (report.yaml:2:20): 'SRE16'"
         " is a known evaluation with numbers of its own; leave the numbers out, or choose another name"),
        ("models: {A: {scale: prob}}", "models.A.scale (report.yaml:2:21): 'prob' is not allowed; did you"
         " mean 'probability'? (allowed: score, llr, log10_llr, probability, logit)"),
        (f"models: {{{'m' * 100}: {{scale: lr}}}}", f"models['{'m' * 79}…'].scale (report.yaml:2:120): 'lr' is"
         " not allowed; did you mean 'llr'? (allowed: score, llr, log10_llr, probability, logit)"),
        ("by: gender", "by (report.yaml:2:5): expected a list, found 'gender'"),
        ("by: [[]]", "by[0] (report.yaml:2:6): expected at least one entry, found none"),
        ("by: [[a, a]]", "by[0] (report.yaml:2:6): 'a' is given twice"),
        ("by: [[a, b], [b, a]]", "by (report.yaml:2:5): 'b' and 'a': given twice"),
        ("by: [score]", "by (report.yaml:2:5): 'score' is the score of a row; expected a column that describes"
         " trials"),
        ("averaged_over: label", "averaged_over (report.yaml:2:16): 'label' is the label of a row; expected a column"
         " that describes trials"),
        ("averaged_over: [a]", "averaged_over (report.yaml:2:16): expected text, found a list"),
        ("operating_points: SRE16", "operating_points (report.yaml:2:19): expected a list, found 'SRE16'"),
        ("operating_points: [VoxRSC]", "operating_points[0] (report.yaml:2:20): 'VoxRSC' is not a known"
         f" evaluation; did you mean 'VoxSRC'? (known: {', '.join(PRESETS)}); or give its p_target, c_miss and"
         " c_fa"),
        ("operating_points: [{name: x}]", "operating_points[0] (report.yaml:2:20): 'x' is not a known"
         f" evaluation (known: {', '.join(PRESETS)}); or give its p_target, c_miss and c_fa"),
        ("operating_points: [{p_target: 0.1}]", "operating_points[0] (report.yaml:2:20): 'name' is missing"),
        ("operating_points: [{name: x, p_target: 0}]", "operating_points[0].p_target (report.yaml:2:40): expected at"
         " least 1e-12, found 0"),
        ("operating_points: [{name: x, c_mis: 2}]", "operating_points[0].c_mis (report.yaml:2:30): unknown"
         " key; did you mean 'c_miss'? (allowed: name, p_target, c_miss, c_fa, normalised, norm)"),
        ("operating_points: [SRE16, {name: SRE16 (0.005), c_fa: 2}]",
         "operating_points (report.yaml:2:19): 'SRE16 (0.005)' is given twice"),
        ("models: {A: {scale: probability, higher_is: nontarget}}", "models.A (report.yaml:2:13): a"
         " probability refers to the target, so higher_is: nontarget is not possible; use 1 - p in the table,"
         " or leave scale out"),
        ("primary: {measure: cllr, criterion: eer}", "primary (report.yaml:2:10): 'cllr' is computed from the"
         " scores and takes no criterion; leave 'criterion' out"),
        ("models: [A]", "models (report.yaml:2:9): expected a mapping, found a list"),
        ("models: {a b: {scale: lr}}", "models['a b'].scale (report.yaml:2:23): 'lr' is not allowed; did you"
         " mean 'llr'? (allowed: score, llr, log10_llr, probability, logit)"),
        ("models: {name: {nme: x}}", "models.name.nme (report.yaml:2:17): unknown key; did you mean 'name'?"
         " (allowed: name, higher_is, scale)"),
        ("models: {A: {name: B}, B: {}}",
         "models (report.yaml:2:9): 'B' would be the printed name of 2 models"),
        ("models: {'': {}}", "models (report.yaml:2:9): a model's key is empty"),
        ("trials: {}", "trials (report.yaml:2:1): given twice; first at report.yaml:1:1"),
        ("by: [{attack: spof}]", "by (report.yaml:2:5): attack: expected target, nontarget or spoof, found"
         " 'spof'; did you mean 'spoof'?"),
        ("by: [{attack: non-target}]", "by (report.yaml:2:5): attack: expected target, nontarget or spoof, found"
         " 'non-target'; did you mean 'nontarget'?"),
        ("by: [{label: nontarget}]", "by (report.yaml:2:5): 'label' is the label of a row; expected a column"
         " that describes trials"),
        ("by: [attack, {attack: nontarget}]", "by (report.yaml:2:5): 'attack': given twice"),
        ("by: [[attack, sex], {attack: nontarget}]", "by (report.yaml:2:5): 'attack' is broken down in two ways;"
         " a column is of one class or of all trials"),
        ("by: [{attack: nontarget, phone: target}]", "by (report.yaml:2:5): a crossing has columns of one class,"
         " found nontarget and target"),
        ("by: [{attack: [nontarget]}]", "by[0] (report.yaml:2:6): expected a column, or a column and a class,"
         " such as {attack: nontarget}"),
        ("by: [{'': nontarget}]", "by[0] (report.yaml:2:6): expected the name of a column, found an empty text"),
        # An entry that is no column does not leave its list short of one.
        ("report: {tables: [{name: a, columns: [{measure: auc, heading: 3}]}]}", "report.tables[0].columns[0]"
         ".heading (report.yaml:2:54): unknown key (allowed: measure, criterion, title, digits)"),
        ("by: [{}]", "by[0] (report.yaml:2:6): expected at least one entry, found none"),
        ("by: [{attack: nontarget}]\naveraged_over: attack", "averaged_over (report.yaml:3:16): 'attack' describes"
         " trials of one class in by; a mean is over groups of both"),
        ("by: [{fold: nontarget}]\nthresholds: {policy: kfold, column: fold}", "by (report.yaml:2:5): 'fold' names"
         " the folds, in which trials of both classes are"),
        ("? [a]\n: b", "report.yaml:2:3: a key must be plain text"),
        ("models: {A: &a {scale: llr}, B: {<<: *a}}",
         "models.B (report.yaml:2:34): merge keys (<<) are not read; write it out"),
        ('title: "\\ud800"', r"title (report.yaml:2:8): '\ud800' is not text"),
        ('title: "\\ude00\\ud83d"', r"title (report.yaml:2:8): '\ude00\ud83d' is not text"),
        ('models: {"\\ud800": {}}', "models (report.yaml:2:10): a key must be plain text"),
        ("title: !secret x", "title (report.yaml:2:8): the tag '!secret' is not read here"),
    ],
)  # fmt: skip
def test_one_fault(faults, second_line, fault):
    assert faults(BARE + second_line + "\n") == [fault]


@pytest.mark.parametrize(
    ("trials", "fault"),
    [
        ("{}", "trials (report.yaml:1:9): 'source' is missing"),
        ("x", "trials (report.yaml:1:9): expected a mapping, found 'x'"),
        ("{source: []}", "trials.source (report.yaml:1:18): expected at least one entry, found none"),
        ("{source: {}}", "trials.source (report.yaml:1:18): expected a list, found a mapping"),
        ("{source: trails.parquet}", "trials.source (report.yaml:1:18): there is no file 'trails.parquet'"
         " in '.'; did you mean 'trials.parquet'?"),
        ("{source: sub/Trails.parquet}", "trials.source (report.yaml:1:18): there is no file 'sub/Trails.parquet'"
         " in '.'"),
        ("{source: missing.csv}", "trials.source (report.yaml:1:18): there is no file 'missing.csv' in '.'"),
        ("{source: nowhere/x.csv}",
         "trials.source (report.yaml:1:18): there is no file 'nowhere/x.csv' in '.'"),
        ("{source: [a.csv, 'x*.csv']}",
         "trials.source[1] (report.yaml:1:26): no file matches 'x*.csv' in '.'"),
        ("{source: ['*.csv', a.csv]}", "trials.source (report.yaml:1:18): 'a.csv' is listed twice"),
        ("{source: notes.md}", "trials.source (report.yaml:1:18): 'notes.md' is not a kind of file that is"
         f" read (read: {READABLE})"),
        ('{source: "a\\0.csv"}',
         r"trials.source (report.yaml:1:18): there is no file 'a\x00.csv' in '.'; did you mean 'a.csv'?"),
        ("{source: sub}", "trials.source (report.yaml:1:18): 'sub' is a folder without a file that is read"
         f" (read: {READABLE})"),
        ("{source: 'ftp://h'}", "trials.source (report.yaml:1:18): 'ftp://h' is not a source; allowed:"
         " a path, a folder, a pattern, s3://, postgresql://, sqlite:///, duckdb:///, spark://, bigquery://,"
         " snowflake://"),
        *[(f"{{source: '{pattern}'}}", f"trials.source (report.yaml:1:18): '{pattern}' has a '{brace}' that is"
           f" not part of a {{column}}; a brace of the path itself is written twice: {brace * 2}")
          for pattern, brace in (("{model.csv", "{"), ("model}.csv", "}"), ("{{model}.csv", "}"), ("{}.csv", "{"))],
        ("{source: '{model}.pq'}", "trials.source (report.yaml:1:18): no file matches '{model}.pq' in '.'"),
        *[(f"{{source: a.csv, {said}}}", f"trials (report.yaml:1:9): {fault}") for said, fault in (
            ("layout: keyed", "layout keyed needs 'keys': where the labels of its trials are"),
            ("keys: b.csv", f"'keys' belongs to the layouts {listed((*KEYED, 'resolved'))}; this one is long"),
            ("metric: acc", "'metric' belongs to the layouts lm_eval, inspect, openai_evals, helm; this one is long"),
            ("scores: [x]", "'scores' belongs to the layout wide; this one is long"),
            ("table: t", "'table' and 'query' need a database as source"),
            ("storage: {region: x}", "'storage' needs a source s3://"))],
        *[(f"{{source: 'sqlite:///f'{said}}}", "trials (report.yaml:1:9): a database needs 'table' or 'query',"
           " one of them") for said in ("", ", table: t, query: q")],
        ("{source: a.csv, columns: {modle: x}}", "trials.columns.modle (report.yaml:1:35): unknown key; did"
         f" you mean 'model'? (allowed: {COLUMNS})"),
        *[(f"{{source: a.csv, columns: {{cluster: {found}}}}}", "trials.columns.cluster (report.yaml:1:44): expected one"
           f" column, or a list of two for pair trials, found {told}")
          for found, told in (("[a]", "a list of 1"), ("[]", "a list of none"), ("[a, b, c]", "a list of 3"),
                              ("{}", "a mapping"))],
        ("{source: a.csv, columns: {cluster: [a, a]}}", "trials.columns.cluster (report.yaml:1:44): 'a' is given"
         " twice"),
        ("{source: a.csv, columns: {cluster: [a, '']}}", "trials.columns.cluster[1] (report.yaml:1:48): expected text,"
         " found ''"),
        ("{source: a.csv, columns: {cluster: ''}}", "trials.columns.cluster (report.yaml:1:44): expected text,"
         " found ''"),
        ("{source: a.csv, columns: {cluster_b: x}}", "trials.columns.cluster_b (report.yaml:1:35): unknown key;"
         f" did you mean 'cluster'? (allowed: {COLUMNS})"),
        *[(f"{{source: a.csv, {columns}clusters: {{pools: two}}}}", f"trials.clusters (report.yaml:1:{at}): pools:"
           " two needs two cluster columns, each with its own population; name both in trials.columns,"
           " such as cluster: [person, sensor], or leave it out")
          for columns, at in (("", 35), ("columns: {cluster: a}, ", 58))],
        ("{source: a.csv, clusters: {pools: three}}", "trials.clusters.pools (report.yaml:1:43): 'three' is not"
         " allowed (allowed: one, two)"),
        ("{source: a.csv, runs: folds}", "trials.runs (report.yaml:1:31): 'folds' is not allowed; did you mean"
         " 'fold'? (allowed: seed, reader, fold, epoch)"),
        ("{source: a.csv, values: {nontarget: 0}}", "trials.values (report.yaml:1:33): 'nontarget' is given"
         " without 'target'; give both, or target alone"),
        ("{source: a.csv, values: {target: 1, nontarget: 1.0}}", "trials.values (report.yaml:1:33): '1'"
         " cannot be both target and nontarget"),
        ("{source: a.csv, values: {dev: a, test: a}}", "trials.values (report.yaml:1:33): 'a' cannot name"
         " both splits"),
        ("{source: a.csv, values: {target: {}}}",
         "trials.values.target (report.yaml:1:42): expected a list, found a mapping"),
        *[(f"{{source: a.csv, prevalence: {word}}}", "trials.prevalence (report.yaml:1:37): expected sample, or a"
           f" number from 1e-12 to 1 - 1e-12, found '{word}'")
          for word in ("0", "1", "nan", "half", "0.1_0", "٠.٥", "０.５")],
        ("{source: a.csv, weights: {}}",
         "trials.weights (report.yaml:1:34): expected the weight of each stratum, such as {stratum: {north: 2, south: 1}}, or a column with a weight for each row, such as {column: weight}"),
        ("{source: a.csv, weights: {stratum: {}}}",
         "trials.weights.stratum (report.yaml:1:44): expected at least one entry, found none"),
        *[(f"{{source: a.csv, weights: {{stratum: {{a: 1, b: '{word}'}}}}}}", "trials.weights.stratum"
           " (report.yaml:1:44): the weight of 'b' must be a number of at least 0,"
           f" found '{word}'") for word in ("-1", "nan", "inf", "1/3", "٠")],
        *[(f"{{source: a.csv, weights: {{stratum: {{a: 1, b: '{word}'}}}}}}", "trials.weights.stratum"
           f" (report.yaml:1:44): {FAR_APART}{of}") for word, of in (
              ("1e300", "; the weight of 'b' is '1e300'"), ("1e-999999999", "; the weight of 'b' is '1e-999999999'"),
              ("1e99", ""), ("3000000001", ""), ("9" * 300, f"; the weight of 'b' is '{'9' * 79}…'"))],
        ("{source: a.csv, weights: {stratum: {a: 1, b: 1e-99}}}", "trials.weights.stratum (report.yaml:1:44):"
         " the weights become whole numbers only when multiplied by more than 1000000000000; at most 1000000:"
         " round them to 6 decimals"),
        ("{source: a.csv, weights: {stratum: {a: 0, b: 0.0}}}",
         "trials.weights.stratum (report.yaml:1:44): no stratum has a positive weight"),
        ("{source: a.csv, weights: {stratum: {a: 1, b: 0.3333333}}}", "trials.weights.stratum"
         " (report.yaml:1:44): the weights become whole numbers only when multiplied by 10000000; at most"
         " 1000000: round them to 6 decimals"),
        ("{source: a.csv, missing: ignore}", "trials.missing (report.yaml:1:34): 'ignore' is not allowed"
         " (allowed: error, drop, reject, shared)"),
    ],
)  # fmt: skip
def test_one_fault_of_the_trials(folder, faults, trials, fault):
    (folder / "sub").mkdir()
    assert faults(f"trials: {trials}\n") == [fault]


@pytest.mark.parametrize(
    ("asked", "key", "measure"),
    [
        ("measures: [chi_squared]", "measures", "chi_squared"),
        ("measures: ['precision_at(k=5)']", "measures", "precision_at(k=5)"),
        ("measures: ['mincllr(laplace=true)']", "measures", "mincllr(laplace=true)"),
        ("criteria: ['target(measure=chi_squared, value=3)']", "criteria", "chi_squared"),
        ("epc: {measures: [chi_squared]}", "epc", "chi_squared"),
        ("across: {columns: g, measures: [chi_squared]}", "across", "chi_squared"),
        ("gates: [{measure: precision_at, model: A, at_least: 0.5}]", "gates", "precision_at"),
    ],
)
def test_weights_are_proportions(read, faults, asked, key, measure):
    """What depends on the number of trials has no value with weights 1 and 0.5, which are as well 2 and 1."""
    text = "trials: {source: trials.parquet, weights: {stratum: {a: 1, b: %s}}}\n" + asked
    assert faults(text % "0.5") == [
        f"{key}: '{measure}' depends on the number of trials, and trials.weights give proportions alone;"
        " leave one of them out"
    ]
    for equal in "1", "0":
        read(text % equal)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            "trials.prevalence",
            "{A: 0.1}",
            "a prevalence per dataset is not built yet (built: sample, or one number)",
        ),
    ],
)
def test_what_the_contract_promises_and_is_not_built_yet(faults, path, value, said):
    (fault,) = faults(BARE, f"{path}={value}")
    where, _, told = fault.partition("): ")
    assert told == said
    assert where.startswith(path)
    assert where.endswith(f"(--set {path}")


CONTRACT = """\
trials:
  source: trials.parquet
  layout: long
  columns: {model: system}
  values: {target: 1, nontarget: 0, dev: TS1, test: TS2}
  missing: error
  unlabelled: error
  prevalence: sample
  weights: {stratum: {a: 1, b: 0.5}}
  clusters: {pools: one}
  runs: seed
baseline: TC1
models:
  TC1: {}
  TC2: {name: "Condition 2", higher_is: target, scale: llr}
primary: {measure: hter, criterion: min_hter}
criteria: [min_hter, eer]
measures: [hter, eer_rocch, auc, "mindcf(p_target=0.01, c_miss=10)"]
operating_points: [{name: SRE08, p_target: 0.01, c_miss: 10, c_fa: 1}]
thresholds: {policy: dev, from: {vox-H: vox-O}, threshold_at: midpoint, ties: balanced}
curves: [roc, det, pr, ape, nbe]
epc: {criteria: [weighted_error, target_far, target_frr, precision_recall], measures: [hter], alphas: 101}
significance:
  replicates: 10000
  level: 0.95
  unit: auto
  comparisons: procedure
  intervals: given_thresholds
  correction: holm
  family: primary
  seed: 1
  tests: [mcnemar, null_z, delong, equivalence, fragility, power]
  margin: 0.01
  power: 0.8
fits: [binormal, alpha_binormal, binormal_ordinal]
by: [gender, [gender, channel]]
averaged_over: query
report: {formats: [html, latex, markdown, json, pdf], sections: [summary, rest], vocabulary: detection}
gates: [{measure: hter, model: TC6, against: TC5, not_worse_by: 0.002, on_undecided: fail}]
history: {store: DIR, as_of: 2026-11-20}
run: {executor: auto, workers: 2, cache: DIR, cache_limit: 100}
"""


def test_the_whole_contract_is_built(read):
    assert read(CONTRACT).execution.cache == Path("DIR").absolute()


def test_all_faults_are_told_at_once_in_the_order_of_the_file(faults):
    said = faults(
        "run: {workers: x}\ntitle: a\ntrials:\n  source: none.csv\n  layout: wde\ntitle: b\ncurve: [roc]\n"
    )
    assert [fault.partition(" (")[0] for fault in said] == [
        "run.workers", "trials.source", "trials.layout", "title", "curve",
    ]  # fmt: skip


def test_a_split_name_is_told_once_beside_the_other_faults(faults):
    said = faults(BARE + "criteria: [weighted_error(alpha=0.3, b=1), eer, ere]\n")
    assert sum("is split at its comma" in fault for fault in said) == 1
    assert sum("parenthesis" in fault for fault in said) == 0
    assert said[-1].startswith("criteria[2] (report.yaml:2:49): 'ere'")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "report.yaml: the file is empty; the smallest config names the trials' source"),
        ("# nothing\n", "report.yaml: the file is empty; the smallest config names the trials' source"),
        ("- a\n", "report.yaml:1:1: a config is a mapping (key: value), found a list"),
        ("\nword\n", "report.yaml:2:1: a config is a mapping (key: value), found plain text"),
        ("a: 1\n\tb: 2\n", "report.yaml:2:1: a tab cannot indent YAML; use spaces"),
        ("a:\n\t- b\n", "report.yaml:2:1: a tab cannot indent YAML; use spaces"),
        ("a: b: c\n", "report.yaml:1:5: mapping values are not allowed here"),
        (
            "a: [1,\n b: }\n",
            "report.yaml:2:5: while parsing a flow node: expected the node content, but found '}'",
        ),
        (
            "a: 'x\nb: 1\n",
            "report.yaml:3:1: while scanning a quoted scalar: found unexpected end of stream"
            " (begun in line 1)",
        ),
        ("a: *b\n", "report.yaml:1:4: found undefined alias 'b'"),
        ("a: 1\nb: \x07\n", "report.yaml:2:4: the control character U+0007 is not allowed in YAML"),
        ("a: &a [*a]\n", "report.yaml: nested more than 50 deep, or an alias that contains itself"),
        ("[" * 5000, "report.yaml: nested more than 50 deep, or an alias that contains itself"),
    ],
)
def test_a_file_that_cannot_be_read(faults, text, fault):
    assert faults(text) == [fault]


def test_a_second_document_is_a_fault(faults):
    (fault,) = faults("a: 1\n---\nb: 2\n")
    assert fault.startswith("report.yaml:2:1: expected a single document in the stream")


def test_a_missing_file(folder: Path):
    with pytest.raises(ConfigError, match=r"^sub/none\.yaml: there is no such file$"):
        read_plan(Path("sub/none.yaml"))


def test_a_folder_instead_of_a_file(folder: Path):
    with pytest.raises(ConfigError, match=r"^\.: cannot be read \(Is a directory\)$"):
        read_plan(Path())


def test_a_file_that_is_not_utf_8(folder: Path):
    Path("latin.yaml").write_bytes("a: 1\ntitle: é\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"^latin\.yaml: not UTF-8 text \(byte 0xe9 in line 2\)$"):
        read_plan(Path("latin.yaml"))


def test_a_table_in_place_of_a_config_names_init(folder: Path):
    Path("t.csv").write_text("model,label,score\na,1,0.5\n")
    with pytest.raises(
        ConfigError, match=r"found plain text; of a table of trials, 'reporting init t\.csv' writes"
    ):
        read_plan(Path("t.csv"))


def test_a_byte_order_mark_and_windows_line_ends_are_read(folder: Path):
    Path("bom.yaml").write_bytes(b"\xef\xbb\xbftitle: x\r\ntrials: {source: a.csv}\r\n")
    assert read_plan(Path("bom.yaml")).study.title == "x"
