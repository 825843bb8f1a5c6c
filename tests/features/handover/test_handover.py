"""A threshold handed over: the file by hand, what Python does with it, and new scores against it."""

import json
import textwrap
from fractions import Fraction

import jsonschema
import numpy as np
import polars as pl
import pytest
from build import build
from command import reporting as command
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier

import reporting
from reporting.app.run.report import build_results
from reporting.core.stats.effective_size import EffectiveRate
from reporting.errors import ConfigError, DataError
from reporting.features.handover.check import check_scores, two_rates_p
from reporting.features.handover.frame import HANDOVER, SCORES
from reporting.features.handover.handed import json_schema
from reporting.features.handover.section import handover
from reporting.features.handover.written import thresholds_file

CONFIG = """
handover: true
criteria: ["target_far(far=0.25)"]
primary: {measure: frr, criterion: "target_far(far=0.25)"}
curves: []
epc: none
report: {formats: [json]}
"""


def trials(n=(400, 600), models=("a",), seed=1, shift=0.0, clusters=0, **columns):
    """Normal scores, a third of them targets, those of clusters alike."""
    rng, rows = np.random.default_rng(seed), []
    for split, size in zip(("dev", "test"), n, strict=True):
        if not size:
            continue
        label, unit = np.arange(size) % 3 == 0, np.arange(size) % (clusters or size)
        for model in models:
            of_unit = 2 * rng.normal(size=size) if clusters else np.zeros(size)
            score = rng.normal(size=size) + of_unit[unit] + 2 * label + shift
            speakers = {"speaker": [f"{split}{seed}-{u}" for u in unit]} if clusters else {}
            rows.append(
                pl.DataFrame({"trial": [f"{split}{k}" for k in range(size)], "label": label, "score": score})
                .with_columns(pl.lit(model).alias("model"), pl.lit(split).alias("split"))
                .with_columns(**{name: pl.Series(values) for name, values in speakers.items()})
                .with_columns(**{name: pl.lit(value) for name, value in columns.items()})
            )
    return pl.concat(rows)


def report(folder, table, config=CONFIG):
    """Write a report of a table and return its file."""
    folder.mkdir(exist_ok=True)
    table.write_parquet(folder / "trials.parquet")
    source = "" if "trials:" in config else "trials: {source: trials.parquet}\n"
    (folder / "report.yaml").write_text(source + config)
    reporting.make_report(folder / "report.yaml", folder / "report")
    return folder / "report" / "thresholds.json"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return report(tmp_path_factory.mktemp("handover"), trials(models=("a", "b")))


def rows(*lines):
    made = []
    for line in lines:
        split, label, *scores = line.split()
        made += [
            {
                "model": "a",
                "split": split,
                "trial": f"{line}{k}",
                "label": label == "1",
                "score": float(score),
            }
            for k, score in enumerate(scores)
        ]
    return pl.DataFrame(made)


BY_HAND = (
    "dev 0 1 2 3 6",
    "dev 1 5 7 8",  # one of four non-targets at 6 is allowed: the threshold is between 3 and 5
    "test 0 1 2 3 3 5 7 2 1",
    "test 1 2 5 6 8",
)


def test_the_file_by_hand(tmp_path):
    """At 4, two of eight non-targets and three of four targets of test are accepted."""
    file = report(tmp_path, rows(*BY_HAND))
    handed = reporting.load_thresholds(file).find()
    assert handed.threshold == 4.0
    assert (handed.higher_is, handed.accept, handed.source) == ("target", "score >= threshold", "dev")
    assert (handed.criterion, handed.rule) == ("target_far(far=0.25)", "threshold with FAR nearest to 25%")
    expected = {
        "far": Fraction(2, 8),
        "frr": Fraction(1, 4),
        "alert_rate": Fraction(5, 12),
        "precision": Fraction(3, 5),
    }
    for name, value in expected.items():
        rate = getattr(handed.expected, name)
        assert (rate.value, rate.trials) == (float(value), value.denominator if name != "far" else 8)
    assert (handed.dev.targets, handed.dev.nontargets) == (3, 4)
    shares = {each.threshold: each.accepted for each in handed.scores}
    assert shares[5.0] == 5 / 12
    assert shares[2.0] == 10 / 12
    assert handed([3.9, 4.0, 8.0]).tolist() == [False, True, True]


def test_the_page_shows_what_to_expect(tmp_path):
    built = build(tmp_path, rows(*BY_HAND), CONFIG)
    (table,) = handover(built.results).blocks
    assert [column.title for column in table.columns] == [
        *("model", "threshold", "acceptance rate", "FAR", "FRR", "precision"),
    ]
    (row,) = table.rows
    assert [cell.text for cell in row[1:]] == ["4.000", "42", "25", "25", "60"]
    assert "thresholds.json" in table.notes[0]


def test_rates_after_rates_by_hand():
    """After one of four, both of two: 3 of 6 trials are marked, and both of the two: (3 over 2) / (6 over 2) = 1/5."""
    before, now = EffectiveRate(0.25, 4.0), EffectiveRate(1.0, 2.0)
    assert two_rates_p(before, now) == pytest.approx(2 * Fraction(1, 5))


def test_limits_are_those_of_scipy_and_of_the_report(file):
    whole = reporting.load_thresholds(file)
    frames = pl.read_parquet(file.parent / "frames" / "metrics.parquet").filter(
        split="test", measure="frr", threshold_source="dev"
    )
    for model in ("a", "b"):
        of = whole.find(model=model).expected.frr
        errors = round(of.value * of.trials)
        wilson = stats.binomtest(errors, of.trials).proportion_ci(method="wilson")
        assert (of.ci_low, of.ci_high) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
        row = frames.row(by_predicate=pl.col("model") == model, named=True)
        assert (of.value, of.ci_low, of.ci_high) == pytest.approx(
            (row["value"], row["ci_low"], row["ci_high"])
        )
        assert whole.find(model=model).threshold == row["threshold"]


def test_the_file_follows_its_schema_and_is_reproduced(file):
    jsonschema.validate(json.loads(file.read_text()), json_schema())
    printed = command("drift", "--schema")
    assert json.loads(printed.stdout) == json_schema()
    ended = command("verify", file.parent)
    assert ended.returncode == 0, ended.stdout


def test_scikit_learn_decides_alike(tmp_path):
    """An estimator's own probabilities: its classifier at the threshold, and the threshold itself."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(600, 2))
    y = (x[:, 0] + rng.normal(size=600) > 0.3).astype(int)
    estimator = LogisticRegression().fit(x[:200], y[:200])
    score = estimator.predict_proba(x)[:, 1]
    table = pl.DataFrame({"model": "lr", "label": y, "score": score, "trial": np.arange(600)})
    table = table.with_columns(
        split=pl.when(pl.col("trial") < 400).then(pl.lit("dev")).otherwise(pl.lit("test"))
    )
    handed = reporting.load_thresholds(report(tmp_path, table[200:])).find(model="lr")
    fixed = handed.classifier(estimator, response_method="predict_proba").fit(x[:200], y[:200])
    assert isinstance(fixed, FixedThresholdClassifier)
    assert (fixed.predict(x[400:]) == handed(score[400:])).all()
    assert 0 < handed(score[400:]).mean() < 1


@pytest.mark.parametrize(
    ("vocabulary", "rates", "rule", "things"),
    [
        ("medical", ("FPR", "FNR", "PPV"), "cutoff with FPR nearest to 25%", "patients"),
        ("pad", ("APCER", "BPCER", "precision"), "threshold with APCER nearest to 25%", "presentations"),
    ],
)
def test_the_check_has_the_words_of_the_report(tmp_path, vocabulary, rates, rule, things):
    config = CONFIG.replace("report: {", f"report: {{vocabulary: {vocabulary}, ")
    file = report(tmp_path, trials(), config)
    trials(n=(0, 60), seed=2).drop("split").write_csv(tmp_path / "new.csv")
    shown = command("drift", file, tmp_path / "new.csv").stdout
    assert f"a: {rule}" in shown
    head, *lines = shown.split(f"{rule}\n")[1].split("\n\n")[0].splitlines()
    assert f"  {things}  " in head
    assert [line.split("  ")[0] for line in lines] == ["acceptance rate", "scores, largest gap", *rates]
    assert "FAR" not in shown
    assert "target_far" not in shown


def test_a_file_without_a_vocabulary_has_the_usual_one_and_an_unknown_one_is_refused(file, tmp_path):
    whole = json.loads(file.read_text())
    del whole["vocabulary"]
    (tmp_path / "older.json").write_text(json.dumps(whole))
    assert reporting.load_thresholds(tmp_path / "older.json").vocabulary == "detection"
    (tmp_path / "odd.json").write_text(json.dumps(whole | {"vocabulary": "medicine"}))
    with pytest.raises(DataError, match=r"vocabulary: .*unknown vocabulary .*medicine.*medical"):
        reporting.load_thresholds(tmp_path / "odd.json")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 9), st.randoms())
def test_the_order_of_rows_and_their_files_change_nothing(file, tmp_path_factory, seed, random):
    folder = tmp_path_factory.mktemp("new")
    table = trials(n=(0, 90), models=("a", "b"), seed=seed).drop("split")
    whole = _checked(file, table, folder / "whole.csv")
    mixed = table.sample(fraction=1, shuffle=True, seed=random.randrange(99))
    paths = [folder / "first.parquet", folder / "second.parquet"]
    mixed[:50].write_parquet(paths[0])
    mixed[50:].write_parquet(paths[1])
    assert check_scores(reporting.load_thresholds(file), paths).to_dict() == whole.to_dict()


def _checked(file, table, path, **more):
    table.write_csv(path) if path.suffix == ".csv" else table.write_parquet(path)
    return check_scores(reporting.load_thresholds(file), [path], **more)


def test_the_test_set_itself_has_not_drifted(file, tmp_path):
    same = trials(models=("a", "b")).filter(split="test").drop("split")
    check = _checked(file, same, tmp_path / "same.parquet")
    assert not check.drifted
    assert {each.difference for each in check.compared} == {0.0}
    assert {each.p_adjusted for each in check.compared} == {1.0}


def test_lower_scores_for_targets_are_the_same_question(tmp_path):
    table = trials(n=(300, 300))
    turned = CONFIG + "models: {a: {higher_is: nontarget}}\n"
    upright = report(tmp_path / "up", table)
    down = report(tmp_path / "down", table.with_columns(-pl.col("score")), turned)
    handed, other = (reporting.load_thresholds(each).find() for each in (upright, down))
    assert other.threshold == -handed.threshold
    assert (other.higher_is, other.accept) == ("nontarget", "score <= threshold")
    assert other.expected == handed.expected
    new = trials(n=(0, 200), seed=5, shift=0.4).drop("split")
    first = _checked(upright, new, tmp_path / "up.csv").to_dict()
    assert _checked(down, new.with_columns(-pl.col("score")), tmp_path / "down.csv").to_dict() == first
    with pytest.raises(ConfigError, match="lower scores favour the target"):
        other.classifier(LogisticRegression())


def test_the_largest_gap_is_at_most_that_of_scipy(file, tmp_path):
    old = trials(models=("a", "b")).filter(split="test", model="a")["score"]
    for seed in range(5):
        new = trials(n=(0, 200), models=("a", "b"), seed=seed + 10, shift=0.2).drop("split")
        check = _checked(file, new, tmp_path / f"{seed}.csv", model="a")
        gap = next(each for each in check.compared if each.quantity == "scores")
        theirs = stats.ks_2samp(old, new.filter(model="a")["score"])
        assert 0 < abs(gap.difference) <= theirs.statistic
        assert gap.p_value >= theirs.pvalue
        assert abs(gap.difference) > theirs.statistic - 1 / 20


@pytest.mark.parametrize("labels", [True, False])
def test_scores_that_have_moved_are_found_with_and_without_labels(file, tmp_path, labels):
    new = trials(n=(0, 600), models=("a", "b"), seed=3, shift=0.6).drop("split")
    (new if labels else new.drop("label")).write_csv(tmp_path / "new.csv")
    ended = command("drift", file, tmp_path / "new.csv")
    assert ended.returncode == 1
    assert ended.stdout.startswith("Drifted: acceptance rate, scores")
    assert ("\nFAR " in ended.stdout) is labels
    alike = trials(n=(0, 600), models=("a", "b"), seed=3).drop("split")
    (alike if labels else alike.drop("label")).write_csv(tmp_path / "alike.csv")
    ended = command("drift", file, tmp_path / "alike.csv", "--json")
    assert ended.returncode == 0
    assert json.loads(ended.stdout)["verdict"] == "valid"


@pytest.mark.long
@pytest.mark.parametrize("clusters", [0, 60])
def test_no_drift_is_found_in_one_population_more_often_than_allowed(tmp_path, clusters):
    """At most 5 % of 300 pairs of sets; with clusters of ten alike, by trials, far more."""
    named = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n" if clusters else ""
    drifted = {False: 0, True: 0}
    for seed in range(300):
        built = build(tmp_path, trials(seed=2 * seed, clusters=clusters), named + CONFIG)
        results = build_results(built.plan, built.table, built.only(HANDOVER, SCORES))
        file = tmp_path / "thresholds.json"
        file.write_bytes(thresholds_file(results, built.plan.trials)["thresholds.json"])
        new = trials(n=(0, 600), seed=2 * seed + 1, clusters=clusters).drop("split")
        for independent in (False, True) if clusters else (False,):
            drifted[independent] += _checked(
                file, new, tmp_path / "new.parquet", independent=independent
            ).drifted
    print(f"clusters {clusters}: drifted {drifted}")
    assert drifted[False] <= 0.05 * 300
    assert not clusters or drifted[True] > 0.1 * 300


def test_clusters_are_asked_for(tmp_path):
    config = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n" + CONFIG
    file = report(tmp_path, trials(clusters=60), config)
    new = trials(n=(0, 600), seed=2, clusters=60).drop("split")
    assert _checked(file, new, tmp_path / "new.csv").unit == "cluster"
    with pytest.raises(DataError, match="speaker"):
        _checked(file, new.drop("speaker"), tmp_path / "without.csv")
    assert _checked(file, new.drop("speaker"), tmp_path / "without.csv", independent=True).unit == "trial"
    rate = reporting.load_thresholds(file).find().expected.alert_rate
    assert rate.effective_trials < 0.5 * rate.trials
    assert rate.df is not None


def test_new_scores_are_read_like_those_of_the_report(tmp_path):
    """A wide table with other names, clusters in a pattern, words for labels, numbers for events, two datasets."""
    long = trials(clusters=60).with_columns(
        trial=pl.col("speaker") + "/" + pl.col("trial"),
        ill=pl.when("label").then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    wide = long.rename({"score": "s1", "split": "part"}).drop("model", "label", "speaker")
    config = """
    trials:
      source: trials.parquet
      layout: wide
      columns: {label: ill, split: part, trial: trial, cluster: trial}
      scores: {a: s1}
      values: {target: "yes", nontarget: rest}
      clusters: {pattern: "^([^/]+)/"}
    """
    file = report(tmp_path / "wide", wide, textwrap.dedent(config) + CONFIG)
    check = _checked(file, wide.filter(part="test").drop("part"), tmp_path / "wide.csv")
    assert (check.unit, check.labelled, {each.difference for each in check.compared}) == (
        "cluster",
        True,
        {0.0},
    )
    observed = trials().with_columns(dose=10.0 * pl.col("label")).drop("label")
    observed = pl.concat([observed.with_columns(dataset=pl.lit(name)) for name in ("x", "y")])
    config = "trials: {source: trials.parquet, columns: {label: dose}, values: {event: {above: 5}}}\n"
    file = report(tmp_path / "event", observed, config + CONFIG)
    new = observed.filter(split="test").drop("split")
    check = _checked(file, new, tmp_path / "both.parquet")
    assert {each.of.dataset for each in check.compared} == {"x", "y"}
    assert {each.difference for each in check.compared} == {0.0}
    with pytest.raises(DataError, match="'y' is not in the new scores"):
        _checked(file, new.filter(dataset="x"), tmp_path / "one.parquet")
    check = _checked(file, new.filter(dataset="x"), tmp_path / "one.parquet", dataset="x")
    assert {each.of.dataset for each in check.compared} == {"x"}
    assert _checked(
        file, new.filter(dataset="x").drop("dataset"), tmp_path / "none.parquet", dataset="y"
    ).labelled


def test_pairs_of_clusters_are_counted_as_such(tmp_path):
    pairs = trials(clusters=40).with_columns(other=pl.col("speaker").reverse().over("split"))
    config = "trials: {source: trials.parquet, columns: {cluster: [speaker, other]}}\n" + CONFIG
    file = report(tmp_path, pairs, config)
    check = _checked(file, pairs.filter(split="test").drop("split"), tmp_path / "new.parquet")
    assert check.unit == "cluster"
    assert all(each.effective_trials < each.trials for each in check.compared)
    assert not check.drifted


HOSTILE = "=cmd|' /C'!A0\u202e<script>alert(1)</script>\\textbf{x}\x1b[31m\n" + "n" * 300


def test_hostile_names_are_kept_whole_and_shown_harmless(tmp_path):
    table = trials(models=(HOSTILE, "a"), dataset="<b>")
    file = report(tmp_path, table)
    assert reporting.load_thresholds(file).find(model=HOSTILE).dataset == "<b>"
    table.filter(split="test").drop("split", "label").write_parquet(tmp_path / "new.parquet")
    ended = command("drift", file, tmp_path / "new.parquet")
    assert ended.returncode == 0
    assert "\x1b" not in ended.stdout
    assert "\u202e" not in ended.stdout
    ended = command("drift", file, tmp_path / "new.parquet", "--model", HOSTILE + "x")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "\x1b" not in ended.stderr


def changed(file, path, change):
    whole = json.loads(file.read_text())
    change(whole)
    path.write_text(json.dumps(whole))
    return path


BAD = {
    "no number": (lambda w: w["thresholds"][0].update(threshold="NaN"), "thresholds.0.threshold"),
    "beyond 1": (lambda w: w["thresholds"][0]["expected"]["far"].update(value=1.5), "expected.far.value"),
    "unknown key": (lambda w: w.update(more=1), "more"),
    "none": (lambda w: w.update(thresholds=[]), "thresholds"),
    "another schema": (lambda w: w.update({"$schema": "urn:other:2"}), "found 'urn:other:2'"),
    "a list": (lambda w: w["thresholds"].append([[]]), "thresholds.2"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_none_is_refused_with_one_message(file, tmp_path, name):
    change, found = BAD[name]
    path = changed(file, tmp_path / "thresholds.json", change)
    ended = command("drift", path, tmp_path / "new.csv")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert found in ended.stderr


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[" * 100_000, b"[NaN]", b"{}", b"null"])
def test_a_file_that_is_no_json_is_refused(tmp_path, content):
    (tmp_path / "thresholds.json").write_bytes(content)
    with pytest.raises(DataError, match=r"thresholds\.json"):
        reporting.load_thresholds(tmp_path / "thresholds.json")


def test_new_scores_that_do_not_fit_are_refused_with_one_message(file, tmp_path):
    new = trials(n=(0, 60), models=("a",), seed=9).drop("split")
    new.write_csv(tmp_path / "a.csv")
    ended = command("drift", file, tmp_path / "a.csv")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "model 'b' has no new scores (found: 'a')" in ended.stderr
    assert command("drift", file, tmp_path / "a.csv", "--model", "a").returncode == 0
    for table, words in (
        (new.drop("score"), "score"),
        (new.with_columns(pl.lit(None, pl.Float64).alias("score")), "score"),
        (new.with_columns(label=pl.lit(7)), "label"),
        (new.clear(), "rows"),
        (pl.concat([new.with_columns(dataset=pl.lit(name)) for name in ("x", "y")]), "--dataset"),
    ):
        table.write_parquet(tmp_path / "bad.parquet")
        ended = command("drift", file, tmp_path / "bad.parquet", "--model", "a")
        assert ended.returncode == 2, words
        assert words in ended.stderr
        assert len(ended.stderr.splitlines()) == 1, ended.stderr
    ended = command("drift", file, tmp_path / "absent.csv")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)


def test_new_scores_of_more_runs_than_the_report_had_are_refused(file, tmp_path):
    new = trials(n=(0, 60), models=("a", "b"), seed=9).drop("split")
    pl.concat([new.with_columns(run=pl.lit(run)) for run in ("0", "1")]).write_csv(tmp_path / "runs.csv")
    ended = command("drift", file, tmp_path / "runs.csv")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)
    assert (
        "model 'a' has 2 runs in the new scores (found: '0', '1') and had one in the report" in ended.stderr
    )


def test_some_labels_judge_error_rates_alone_and_one_model_needs_no_name(file, tmp_path):
    new = trials(n=(0, 300), models=("a",), seed=9).drop("split")
    whole = {each.quantity: each for each in _checked(file, new, tmp_path / "whole.csv", model="a").compared}
    some = new.with_columns(label=pl.when(pl.int_range(pl.len()) % 2 == 0).then("label"))
    half = {each.quantity: each for each in _checked(file, some, tmp_path / "some.csv", model="a").compared}
    assert half["alert_rate"].observed == whole["alert_rate"].observed
    assert half["frr"].trials + half["far"].trials == 150
    for table in (
        new.drop("label"),
        new.with_columns(label=pl.lit(None, pl.Boolean)),
        new.drop("label", "model", "trial"),
    ):
        check = _checked(file, table, tmp_path / "none.csv", model="a")
        assert not check.labelled
        assert check.compared[0].observed == whole["alert_rate"].observed
        assert len(check.compared) == 2


def test_names_that_leave_several_thresholds_are_asked_for(file):
    whole = reporting.load_thresholds(file)
    with pytest.raises(DataError, match=r"2 thresholds are left: name model \(found: 'a', 'b'\)"):
        whole.find()
    with pytest.raises(DataError, match="no threshold of 'c'"):
        whole.find(model="c")
    with pytest.raises(DataError, match="missing"):
        whole.find(model="a")([0.1, float("nan")])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("thresholds: {policy: kfold}", "every fold has its own"),
        ("thresholds: {policy: none}", "chooses no threshold, and none is given"),
        ("trials: {source: trials.parquet, prevalence: 0.1}", "leave trials.prevalence out"),
    ],
)
def test_what_cannot_be_handed_over_is_refused(tmp_path, more, message):
    with pytest.raises(ConfigError, match=message):
        report(tmp_path, trials().filter(split="test").drop("split"), CONFIG + more + "\n")


def test_a_report_writes_none_unless_asked(tmp_path):
    assert not report(tmp_path, trials(), CONFIG.replace("handover: true", "")).exists()
