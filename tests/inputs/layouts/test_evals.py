"""Evaluation logs of language models: an item is a target, and recall at a fixed threshold is the success rate."""

from __future__ import annotations

import json
import tempfile
from fractions import Fraction
from pathlib import Path

import eval_logs
import polars as pl
import pytest
from build import built_from
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from reporting.app.run.check import check_report
from reporting.errors import ReportingError
from tests.inputs.layouts.test_same_frames import as_bytes

QUESTION = """\
primary: {measure: recall, criterion: fixed(threshold=0.5)}
criteria: [fixed(threshold=0.5)]
measures: [recall, frr]
curves: []
epc: none
significance: {replicates: 99, tests: [mcnemar]}
"""
ARC = {"alpha": [1, 1, 1, 0, 1, 1, 0, 1], "beta": [1, 0, 1, 0, 0, 1, 0, 0]}
LAW = {"alpha": [1, 0, 0, 1], "beta": [1, 1, 0, 1]}
SCORES = {
    (model, task): {str(number): float(score) for number, score in enumerate(scores)}
    for task, of_task in (("arc", ARC), ("law", LAW))
    for model, scores in of_task.items()
}


def config(folder, trials, rest=""):
    path = folder / "report.yaml"
    path.write_text(f"trials: {{{trials}}}\n{QUESTION}{rest}", encoding="utf-8")
    return path


def frames(folder, trials, rest=""):
    return built_from(config(folder, trials, rest)).frames


def message(folder, trials, rest="", question=QUESTION):
    path = folder / "report.yaml"
    path.write_text(f"trials: {{{trials}}}\n{question}{rest}", encoding="utf-8")
    with pytest.raises(ReportingError) as caught:
        check_report(path)
    return str(caught.value)


def long_table(folder, scores=SCORES, runs=None):
    """The plain long table of the same scores, without a label."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"model": model, "trial": f"{task}/{item}", "task": task, "score": score}
        for (model, task), items in scores.items()
        for item, score in items.items()
    ]
    pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=2).write_csv(folder / "t.csv")
    return "source: t.csv, columns: {label: none}"


def lm_eval(folder, scores=SCORES):
    eval_logs.lm_eval(folder / "logs", scores)
    return "layout: lm_eval, source: logs"


def inspect_json(folder, scores=SCORES):
    for (model, task), items in scores.items():
        letters = {item: {1.0: "C", 0.0: "I"}.get(score, score) for item, score in items.items()}
        eval_logs.write_json(
            folder / "logs" / f"{task}-{model}.json", eval_logs.inspect_log(model, task, [letters])
        )
    return "layout: inspect, source: logs"


def inspect_eval(folder, scores=SCORES):
    for (model, task), items in scores.items():
        log = eval_logs.inspect_log(model, task, [{item: bool(score) for item, score in items.items()}])
        eval_logs.write_eval(folder / "logs" / f"{model}-{task}.eval", log)
    return "layout: inspect, source: logs"


def by_model(scores):
    whole: dict[str, dict[str, float]] = {}
    for (model, task), items in scores.items():
        whole.setdefault(model, {}).update({f"{task}/{item}": score for item, score in items.items()})
    return whole


def matrix(folder, scores=SCORES):
    items = by_model(scores)
    rows = [
        {"trial": trial, "task": trial.split("/")[0]} | {m: items[m][trial] for m in items}
        for trial in items["alpha"]
    ]
    folder.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows).write_csv(folder / "m.csv")
    return "layout: wide, source: m.csv, scores: [alpha, beta], columns: {label: none}"


def swe_bench(folder, scores=SCORES):
    for model, items in by_model(scores).items():
        eval_logs.write_json(folder / "logs" / f"{model}.json", eval_logs.swe_bench(items))
    return "layout: resolved, source: logs"


def lists_with_keys(folder, scores=SCORES):
    items = by_model(scores)
    resolved = {model: [trial for trial, score in of.items() if score] for model, of in items.items()}
    eval_logs.write_json(folder / "lists.json", resolved)
    table = pl.DataFrame({"instance_id": list(items["alpha"])})
    table.with_columns(task=pl.col("instance_id").str.split("/").list.first()).write_csv(folder / "items.csv")
    return "layout: resolved, source: lists.json, keys: items.csv"


def mapping(folder, scores=SCORES):
    eval_logs.write_json(folder / "all.json", by_model(scores))
    return "layout: resolved, source: all.json"


WITH_TASKS = [lm_eval, inspect_json, inspect_eval, matrix, lists_with_keys]
BY_TASK = "by: [task]\n"


@pytest.fixture(scope="module")
def long_frames(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    trials = long_table(folder)
    return {rest: {n: as_bytes(f) for n, f in frames(folder, trials, rest).items()} for rest in ("", BY_TASK)}


@pytest.mark.parametrize("layout", [*WITH_TASKS, swe_bench, mapping])
def test_a_log_gives_the_frames_of_the_long_table(tmp_path, layout, long_frames):
    found = frames(tmp_path, layout(tmp_path), rest := BY_TASK if layout in WITH_TASKS else "")
    assert {name: as_bytes(frame) for name, frame in found.items()} == long_frames[rest]


def test_success_rates_and_their_difference_by_hand(tmp_path):
    found = frames(tmp_path, lm_eval(tmp_path))
    rates = found["metrics"].filter(measure="recall")
    values = dict(rates.select("model", "value").iter_rows())
    assert values == {"alpha": float(Fraction(8, 12)), "beta": float(Fraction(6, 12))}
    row = found["comparisons"].filter(measure="recall").row(0, named=True)
    # alpha alone solves three items of arc, beta alone one of law: of 4 at 1/2, 1 or fewer on one side.
    assert (row["model"], row["difference"]) == ("beta", float(Fraction(6 - 8, 12)))
    below, at = Fraction(1, 16), Fraction(4, 16)
    assert row["p_exact"] == pytest.approx(float(2 * (below + at / 2)), abs=1e-12)
    failures = found["comparisons"].filter(measure="frr").row(0, named=True)
    for name, other in (("p_value", "p_value"), ("p_exact", "p_exact"), ("ci_low", "ci_high")):
        sign = -1 if name == "ci_low" else 1
        assert row[name] == pytest.approx(sign * failures[other], abs=1e-12)
    assert row["flags"] == failures["flags"] == ["few_discordant"]


def test_intervals_and_the_exact_test_are_those_of_statsmodels(tmp_path):
    found = frames(tmp_path, matrix(tmp_path))
    for model, solved in (("alpha", 8), ("beta", 6)):
        row = found["metrics"].filter(model=model, measure="recall").row(0, named=True)
        low, high = proportion_confint(
            solved, 12, method={"wilson": "wilson", "clopper_pearson": "beta"}[row["ci_method"]]
        )
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), abs=1e-12)
    exact = found["tests"].filter(test="mcnemar", part="targets").row(0, named=True)
    outside = mcnemar([[5, 3], [1, 3]], exact=True)
    assert exact["p_value"] == pytest.approx(outside.pvalue, abs=1e-12)


def test_ten_disagreements_are_enough_without_items_of_another_class(tmp_path):
    """No item has to be refused, so disagreements on such are not few but none."""
    scores = {
        ("a", "t"): {str(n): 1.0 for n in range(12)},
        ("b", "t"): {str(n): float(n < 1) for n in range(12)},
    }
    row = (
        frames(tmp_path, lm_eval(tmp_path, scores))["comparisons"].filter(measure="recall").row(0, named=True)
    )
    assert row["flags"] == []


def test_items_of_a_task_are_resampled_together(tmp_path):
    logs = lm_eval(tmp_path, {(m, f"{t}{k}"): v for (m, t), v in SCORES.items() for k in range(6)})
    found = frames(tmp_path, logs + ", columns: {cluster: task}")
    row = found["comparisons"].filter(measure="recall").row(0, named=True)
    assert (row["unit"], row["n_units"]) == ("cluster", 12)
    trials = found["trials"].row(0, named=True)
    assert (trials["n_clusters"], trials["n_target"], trials["n_nontarget"]) == (12, 72, 0)


def test_fields_of_items_are_columns(tmp_path):
    rows = lm_eval(tmp_path) + ", columns: {cluster: doc.subject}"
    assert frames(tmp_path, rows)["trials"]["n_clusters"].to_list() == [2, 2]
    said = message(tmp_path, rows.replace("doc.subject", "doc.subjct"))
    assert "no item has the field 'doc.subjct'; did you mean 'doc.subject'?" in said
    found = frames(
        tmp_path,
        inspect_json(tmp_path / "i").replace("logs", "i/logs") + ", columns: {cluster: metadata.source}",
    )
    assert found["trials"]["n_clusters"][0] == 8, "documents 0 to 7"


def test_epochs_are_runs_of_the_same_items(tmp_path):
    first, second = {"x": "C", "y": "I", "z": "C"}, {"x": "C", "y": "C", "z": "I"}
    for model, epochs in (("a", [first, second]), ("b", [first, first])):
        eval_logs.write_json(tmp_path / "logs" / f"{model}.json", eval_logs.inspect_log(model, "t", epochs))
    found = frames(tmp_path, "layout: inspect, source: logs")
    rates = (
        found["metrics"].filter(measure="recall").select("model", "run", "value").sort("model", "run").rows()
    )
    third = float(Fraction(2, 3))
    assert rates == [(m, run, pytest.approx(third)) for m in "ab" for run in ("1", "2", "mean")]
    assert found["trials"].filter(model="a")["n_target"].to_list() == [3, 3], (
        "items are the unit, not attempts"
    )


def test_a_second_evaluation_is_another_run(tmp_path):
    for date in ("2026-11-02T10-15-00.1", "2026-11-03T10-15-00.1"):
        eval_logs.lm_eval(tmp_path / "logs", SCORES, date=date)
    assert sorted(frames(tmp_path, "layout: lm_eval, source: logs")["trials"]["run"].unique()) == ["1", "2"]


def test_runs_of_other_items_are_refused(tmp_path):
    eval_logs.lm_eval(tmp_path / "logs", {("a", "t"): {"0": 1.0, "1": 0.0}}, date="2026-11-02T10-15-00.1")
    eval_logs.lm_eval(tmp_path / "logs", {("a", "t"): {"0": 1.0, "2": 0.0}}, date="2026-11-03T10-15-00.1")
    said = message(tmp_path, "layout: lm_eval, source: logs")
    assert "'t/1'" in said
    assert "'t/2'" in said
    assert "run" in said


def test_a_task_that_one_model_lacks_is_refused(tmp_path):
    said = message(
        tmp_path, lm_eval(tmp_path, {key: of for key, of in SCORES.items() if key != ("beta", "law")})
    )
    assert "beta" in said
    assert "law/" in said


def test_graded_scores_are_judged_at_the_threshold(tmp_path):
    scores = {("a", "t"): {"0": 0.25, "1": 0.5, "2": 0.75, "3": 1.0}, ("b", "t"): dict.fromkeys("0123", 0.5)}
    logs = lm_eval(tmp_path, scores)
    for threshold, expected in ((0.5, (0.75, 1.0)), (0.6, (0.5, 0.0))):
        path = config(tmp_path, logs)
        path.write_text(path.read_text().replace("0.5)", f"{threshold})"))
        rates = built_from(path).frames["metrics"].filter(measure="recall")
        assert tuple(rates.sort("model")["value"]) == expected


def test_without_a_threshold_the_message_names_one(tmp_path):
    logs, remedy = lm_eval(tmp_path), "as primary: {measure: recall, criterion: fixed(threshold=0.5)}"
    for question in ("measures: [recall]\n", "primary: {measure: auc}\n", "primary: {measure: recall}\n"):
        assert remedy in message(tmp_path, logs, question=question)
    assert remedy in message(tmp_path, matrix(tmp_path), question="")


def test_a_metric_is_chosen_by_name_filter_or_task(tmp_path):
    gsm = {key: of for key, of in SCORES.items() if key[1] == "arc"}
    eval_logs.lm_eval(tmp_path / "logs", gsm, "exact_match", ("strict-match", "flexible-extract"))
    logs = "layout: lm_eval, source: logs"
    assert "task 'arc' has 2 metrics: 'exact_match,strict-match', 'exact_match,flexible-extract'" in message(
        tmp_path, logs
    )
    assert "'exact_match' in 2 filters" in message(tmp_path, logs + ", metric: exact_match")
    said = message(tmp_path, logs + ", metric: exact_mach")
    assert "task 'arc' has no metric 'exact_mach'; did you mean 'exact_match'?" in said
    found = frames(tmp_path, logs + ", metric: 'exact_match,strict-match'")["metrics"].filter(
        measure="recall"
    )
    assert found.sort("model")["value"].to_list() == [6 / 8, 3 / 8]
    found = frames(tmp_path, logs + ", metric: {arc: 'exact_match,flexible-extract'}")["metrics"].filter(
        measure="recall"
    )
    assert found["value"].to_list() == [1.0, 1.0]
    assert "'ark' is no task of the logs; did you mean 'arc'?" in message(
        tmp_path, logs + ", metric: {ark: acc}"
    )


def test_tasks_of_other_metrics_are_named_one_by_one(tmp_path):
    eval_logs.lm_eval(tmp_path / "logs", {key: of for key, of in SCORES.items() if key[1] == "arc"})
    eval_logs.lm_eval(
        tmp_path / "logs", {key: of for key, of in SCORES.items() if key[1] == "law"}, "exact_match"
    )
    logs = "layout: lm_eval, source: logs"
    said = message(tmp_path, logs + ", metric: acc")
    assert "task 'law' has no metric 'acc'" in said
    assert "metric: {TASK: METRIC}" in said
    assert frames(tmp_path, logs + ", metric: {arc: acc, law: exact_match}")["trials"]["n_target"][0] == 12


def test_an_item_without_a_score_is_an_error_or_not_solved(tmp_path):
    scores = {("a", "t"): {"0": 1.0, "1": None}, ("b", "t"): {"0": 1.0, "1": 1.0}}
    logs = lm_eval(tmp_path, scores)
    said = message(tmp_path, logs)
    assert "1 of 4 rows missing" in said
    assert "trial 't/1'" in said
    values = {
        missing: frames(tmp_path, f"{logs}, missing: {missing}")["metrics"].filter(
            measure="recall", model="a"
        )["value"][0]
        for missing in ("drop", "reject")
    }
    assert values == {"drop": 1.0, "reject": 0.5}


def test_other_questions_under_one_number_are_refused(tmp_path):
    lm_eval(tmp_path)
    (path,) = (tmp_path / "logs" / "beta").glob("samples_law*")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[2]["doc_hash"] = "another"
    path.write_text("\n".join(map(json.dumps, lines)))
    said = message(tmp_path, "layout: lm_eval, source: logs")
    assert "task 'law': 1 item has another 'doc_hash'" in said
    assert "the questions are not the same: '2'" in said


BROKEN = {
    '{"doc_id": 0, "acc": 1.0}\n{"doc_id": 1, "acc"': "line 2 is not JSON",
    '{"doc_id": 0, "acc": 1.0}\n[1]': "line 2 is not an object",
    '{"docid": 0, "acc": 1.0}': "line 1 has no 'doc_id'; did you mean 'docid'?",
    "": "the log holds no items",
    '{"doc_id": 0, "acc": 1.0}\n{"doc_id": 0, "acc": 0.0}': "line 2: item '0' occurs more than once",
    '{"doc_id": 0, "doc_hash": "a"}': "its logs hold no scores that are numbers",
    '{"doc_id": 0, "acc": ' + "[" * 100_000: "line 1 is nested too deeply",
    f'{{"doc_id": 0, "acc": {"9" * 400}}}': "not a number",
}


@pytest.mark.parametrize(("text", "expected"), BROKEN.items(), ids=range(len(BROKEN)))
def test_a_broken_log_has_one_message(tmp_path, text, expected):
    path = tmp_path / "a" / "samples_t.jsonl"
    path.parent.mkdir()
    path.write_text(text)
    said = message(tmp_path, "layout: lm_eval, source: a")
    assert expected in said
    assert "samples_t.jsonl" in said or "task 't'" in said


def test_logs_of_inspect_that_are_none(tmp_path):
    logs, log = "layout: inspect, source: logs", eval_logs.inspect_log("a", "t", [{"x": "C"}])
    path = tmp_path / "logs" / "a.json"
    for held, expected in (
        (log | {"status": "cancelled"}, "the status of the evaluation is 'cancelled'; expected is 'success'"),
        (log | {"samples": []}, "the log holds no items"),
        ({"results": []}, "no log of Inspect"),
        (log | {"samples": [{"id": "x"}]}, "sample 1 has no 'id' and 'epoch'"),
        (eval_logs.inspect_log("a", "t", [{"x": "maybe"}]), "item 'x': its 'match' is 'maybe', not a number"),
        (eval_logs.inspect_log("a", "t", [{"x": [1, 2]}]), "no scores that are numbers"),
    ):
        eval_logs.write_json(path, held)
        assert expected in message(tmp_path, logs)
    path.write_bytes(b"PK\x03\x04 cut off")
    assert "a.json: cannot be read" in message(tmp_path, logs)
    path.unlink()
    eval_logs.write_eval(
        tmp_path / "logs" / "a.eval", log | {"samples": [log["samples"][0] | {"input": "x" * 2**21}]}
    )
    assert "it holds more than 1 MB of text" in message(tmp_path, logs + ", unpacked_limit: 1")


def test_archives_that_inspect_wrote_itself(tmp_path):
    """Version 0.3.285 packs with Zstandard: answers 0, 2, 4, x and, of beta, 0, x, 4, x then 0, 2, x, x."""
    source = Path(__file__).parent / "inspect_logs"
    rows = f"layout: inspect, source: {source}, metric: match, columns: {{cluster: metadata.source}}"
    found = frames(tmp_path, rows)
    rates = (
        found["metrics"].filter(measure="recall").sort("model", "run").select("model", "run", "value").rows()
    )
    alpha, beta = "mockllm/alpha", "mockllm/beta"
    assert rates == [(alpha, run, 0.75) for run in ("1", "2", "mean")] + [
        (beta, run, 0.5) for run in ("1", "2", "mean")
    ]
    assert found["trials"]["n_clusters"].unique().to_list() == [2]
    assert "'match', 'graded.quality', 'graded.style'" in message(
        tmp_path, rows.replace("metric: match, ", "")
    )


def test_lists_without_a_denominator_are_refused(tmp_path):
    lists = lists_with_keys(tmp_path).partition(", keys")[0]
    assert "only the resolved items of 'alpha', 'beta' are listed" in message(tmp_path, lists)
    eval_logs.write_json(tmp_path / "r" / "results.json", {"no_logs": ["x"], "resolved": ["y"]})
    assert "only the resolved items" in message(tmp_path, "layout: resolved, source: r")
    report = eval_logs.swe_bench({"x": 1.0}) | {"total_instances": 3}
    eval_logs.write_json(tmp_path / "r" / "results.json", report)
    assert "it has 3 items ('total_instances'), and the lists name 1" in message(
        tmp_path, "layout: resolved, source: r"
    )


def test_lists_of_items(tmp_path):
    eval_logs.write_json(tmp_path / "lists.json", {"A": ["x"], "B": []})
    (tmp_path / "items.txt").write_text("x\n\ny\n z \n")
    eval_logs.write_json(tmp_path / "items.json", ["x", "y", "z"])
    rows = "layout: resolved, source: lists.json, keys: "
    for keys in ("items.txt", "items.json"):
        values = frames(tmp_path, rows + keys)["metrics"].filter(measure="recall").sort("model")["value"]
        assert values.to_list() == [pytest.approx(1 / 3), 0.0]
    (tmp_path / "items.txt").write_text("X1\ny\n")
    assert "has items that are not in trials.keys, the list of items: 'x'" in message(
        tmp_path, rows + "items.txt"
    )
    (tmp_path / "items.txt").write_text("x\nx\n")
    assert "'x' occurs more than once in the list of items" in message(tmp_path, rows + "items.txt")


def test_an_item_that_a_report_does_not_name_is_missing(tmp_path):
    eval_logs.write_json(tmp_path / "logs" / "A.json", eval_logs.swe_bench({"x": 1.0, "y": 0.0}))
    eval_logs.write_json(tmp_path / "logs" / "B.json", eval_logs.swe_bench({"x": 1.0}))
    said = message(tmp_path, "layout: resolved, source: logs")
    assert "1 of 4 rows missing" in said
    assert "trial 'y'" in said
    assert "'B'" in said


def test_two_files_of_one_name_need_a_pattern(tmp_path):
    for system, score in (("A", 1.0), ("B", 0.0)):
        eval_logs.write_json(tmp_path / system / "results.json", eval_logs.swe_bench({"x": score, "y": 1.0}))
    said = message(tmp_path, "layout: resolved, source: '*/results.json'")
    assert "'results': more than one system has this name" in said
    found = frames(tmp_path, "layout: resolved, source: '{model}/results.json'")
    assert found["metrics"]["model"].unique().sort().to_list() == ["A", "B"]


@pytest.mark.parametrize("held", ["[]", "{}", '{"A": 3}', '{"A": [["x"]]}', '{"A": {"x": "yes"}}', "{"])
def test_what_is_no_list_has_a_message(tmp_path, held):
    (tmp_path / "lists.json").write_text(held)
    assert "lists.json: " in message(tmp_path, "layout: resolved, source: lists.json")


def test_keys_that_have_no_use_are_refused(tmp_path):
    logs = lm_eval(tmp_path)
    assert "has no labels" in message(tmp_path, logs + ", columns: {label: target}")
    assert "name the metric in 'metric'" in message(tmp_path, logs + ", columns: {score: acc}")
    assert "'metric' belongs to the layouts lm_eval, inspect" in message(
        tmp_path, matrix(tmp_path) + ", metric: acc"
    )
    assert "'keys' belongs to" in message(tmp_path, logs + ", keys: logs")


NAMES = st.text('<&>"$\\,;{}%=#é中a', min_size=1, max_size=6)
ROWS = st.dictionaries(
    st.integers(0, 30).map(str), st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=2, max_size=9
)


@few(8)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_items_and_of_files_does_not_matter(rows, random):
    frames_of = []
    for turn in range(2):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            items = list(rows.items())
            for at, model in enumerate(("alpha", "beta")):
                if turn:
                    random.shuffle(items)
                scores = {item: both[at] for item, both in items}
                log = eval_logs.inspect_log(model, "t", [scores])
                eval_logs.write_json(place / "logs" / f"{model if turn else 9 - at}.json", log)
            found = frames(place, "layout: inspect, source: logs")
            frames_of.append({name: as_bytes(frame) for name, frame in found.items()})
    assert frames_of[0] == frames_of[1]


@few(8)
@given(
    st.lists(NAMES, min_size=2, max_size=2, unique=True), st.lists(NAMES, min_size=2, max_size=4, unique=True)
)
def test_names_stay_what_they_are(models, items):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        held = {model: {item: float(at % 2) for at, item in enumerate(items)} for model in models}
        eval_logs.write_json(place / "all.json", held)
        found = frames(place, "layout: resolved, source: all.json")
        assert sorted(found["metrics"]["model"].unique()) == sorted(models, key=str.encode)
