"""What cannot be known stands open in a config that is written all the same; what is no trial table is told."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from command import reporting
from snapshot import snapshot

from reporting.app.config.document import read_document
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.base.publish import PROGRAM
from reporting.errors import ConfigError, DataError, OutputError
from tests.app.init.examples import lines, long_table, pair, wide_table


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def started(table: pl.DataFrame, name: str = "t.csv") -> tuple[str, dict]:
    """Write a table and its config; what was said, and the config's keys."""
    table.write_csv(name)
    said = write_starter([name], Path("report.yaml"), force=True)
    return said, read_document(Path("report.yaml"), []).plain()


def questions(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith("? ")]


def relabelled(target: str, nontarget: str) -> pl.DataFrame:
    return long_table().with_columns(pl.col("label").replace_strict({True: target, False: nontarget}))


@pytest.mark.parametrize(
    ("target", "nontarget"),
    [("genuine", "impostor"), ("bona-fide", "Spoof"), ("1", "-1"), ("Positive", "negative"), ("pos", "neg")],
)
def test_labels_that_go_together_are_known(target, nontarget):
    said, config = started(relabelled(target, nontarget))
    assert config["trials"]["values"] == {"target": target, "nontarget": nontarget}
    assert not questions(said)
    assert "(24 targets" not in check_report(Path("report.yaml"))


def test_other_labels_are_guessed_by_their_scores_and_asked_for():
    said, config = started(relabelled("Dole", "Clinton"))
    assert config["trials"]["values"] == {"target": "Dole", "nontarget": "Clinton"}
    snapshot(
        "init/questions_other_labels_are_guessed_by_their_scores_and_asked_for", "\n".join(questions(said))
    )
    assert "# ? which of" in Path("report.yaml").read_text()
    assert "(8 targets" in check_report(Path("report.yaml"))


def test_labels_of_several_kinds_leave_the_rest_to_the_non_targets():
    table = relabelled("genuine", "zero effort").with_columns(
        pl.when(pl.col("trial").str.ends_with("1")).then(pl.lit("mask")).otherwise("label").alias("label")
    )
    said, config = started(table)
    assert config["trials"]["values"] == {"target": "genuine", "nontarget": "rest"}
    assert len(questions(said)) == 1
    check_report(Path("report.yaml"))


def test_scores_that_are_lower_for_targets_are_asked_about_not_turned():
    said, config = started(long_table().with_columns(-pl.col("score")))
    asked = "? models.A.higher_is, models.B.higher_is, models.C.higher_is"
    assert questions(said) == [f"{asked}: targets have lower scores: do higher scores favour non-targets?"]
    assert "models" not in config


def test_many_models_need_no_baseline():
    said, config = started(long_table([f"M{at:02d}" for at in range(11)]))
    assert "baseline" not in config
    assert not questions(said)
    assert "left out: the 11 models are ranked" in Path("report.yaml").read_text()
    check_report(Path("report.yaml"))


def test_rows_of_labels_and_scores_are_their_own_names():
    table = long_table(("A",), ("test",)).select(y_true=pl.col("label").cast(pl.Int8), y_prob="score")
    said, config = started(table)
    assert config["thresholds"] == {"policy": "kfold"}
    assert questions(said) == []
    check_report(Path("report.yaml"))


def test_without_names_of_rows_no_thresholds_are_chosen():
    said, config = started(long_table(("A", "B"), ("test",)).drop("trial", "speaker"))
    assert config["thresholds"] == {"policy": "none"}
    snapshot("init/questions_without_names_of_rows_no_thresholds_are_chosen", questions(said)[-1])
    check_report(Path("report.yaml"))


def test_trials_that_repeat_are_told_apart_by_another_column():
    table = pl.concat(long_table().with_columns(pl.lit(one).alias("channel")) for one in ("tel", "mic"))
    said, config = started(table)
    assert config["trials"]["columns"]["dataset"] == "channel"
    snapshot("init/questions_trials_that_repeat_are_told_apart_by_another_column", "\n".join(questions(said)))
    check_report(Path("report.yaml"))


def test_a_model_by_another_name_is_guessed_where_it_tells_rows_apart():
    said, config = started(long_table().rename({"model": "recogniser"}))
    assert config["trials"]["columns"] == {"model": "recogniser", "cluster": "speaker"}
    snapshot(
        "init/questions_a_model_by_another_name_is_guessed_where_it_tells_rows_apart",
        "\n".join(questions(said)),
    )
    assert "3 models (A, B, C)" in check_report(Path("report.yaml"))


def test_readers_with_two_modalities():
    one = long_table(("A",)).drop("model")
    table = pl.concat(
        one.with_columns(reader=pl.lit(reader), modality=pl.lit(kind), rating=(pl.col("score") * 2).round())
        for reader in ("r1", "r2")
        for kind in ("CT", "MR")
    )
    said, config = started(table.drop("score").rename({"trial": "case_id", "label": "disease"}))
    columns = {"label": "disease", "score": "rating", "run": "reader", "trial": "case_id", "model": "modality", "cluster": "speaker"}  # fmt: skip
    assert config["trials"]["columns"] == columns
    assert config["trials"]["runs"] == "reader"
    assert not questions(said)
    assert "2 models (CT, MR)" in check_report(Path("report.yaml"))


def test_one_row_a_patient_names_the_trial():
    table = long_table(("A",), ("test",)).drop("model", "split", "speaker").rename({"trial": "patient_id"})
    said, config = started(table.rename({"label": "disease"}))
    assert config["trials"]["columns"] == {"label": "disease", "trial": "patient_id"}
    assert not questions(said)
    assert "test 24 trials (8 targets)" in check_report(Path("report.yaml"))


def test_counted_rows_need_no_keys():
    table = long_table().group_by("model", "split", "label", "score").len("n").sort(pl.all())
    said, config = started(table)
    assert config["trials"]["columns"] == {"count": "n"}
    assert not questions(said)
    assert "24 trials (8 targets)" in check_report(Path("report.yaml"))


def test_rows_without_names_are_asked_for():
    said, _ = started(long_table().drop("trial", "speaker"))
    snapshot("init/questions_rows_without_names_are_asked_for", "\n".join(questions(said)))
    check_report(Path("report.yaml"))


def test_a_count_beside_keys_is_asked_about_and_left_out():
    said, config = started(long_table().with_columns(count=1))
    snapshot("init/questions_a_count_beside_keys_is_asked_about_and_left_out", "\n".join(questions(said)))
    assert config["trials"]["columns"]["count"] == "none"
    assert "dev 24 trials (8 targets" in check_report(Path("report.yaml"))


def test_features_are_not_taken_for_scores_unasked():
    many = long_table(("A",)).drop("score").with_columns(pl.lit(at + 0.5).alias(f"f{at}") for at in range(12))
    said, _ = started(many.drop("model"))
    assert questions(said)[0] == "? trials.scores: are these scores of models, all of them?"
    classes = pl.DataFrame({"petal": [0.5, 1.5, 2.5], "target": [0, 1, 2]})
    with pytest.raises(DataError, match="no column can be the label"):
        started(classes)


def test_one_folder_may_hold_trials_config_and_report():
    """A second command in the folder sees what the first one saw."""
    for model in "AB":
        long_table((model,)).write_csv(f"{model}.csv")
    first = write_starter(["."], Path("report.yaml"))
    assert read_document(Path("report.yaml"), []).plain()["trials"]["source"] == ["A.csv", "B.csv"]
    Path("report/frames").mkdir(parents=True)
    long_table(("C",)).write_parquet("report/frames/epc.parquet")
    assert "2 models (A, B)" in check_report(Path("report.yaml"))
    assert first.startswith("2 files: layout long")


def test_an_earlier_report_in_the_folder_is_not_looked_into():
    """Text files count where a folder holds no table; those of a report are none."""
    for model in "AB":
        for label in ("genuine", "impostor"):
            Path(model).mkdir(exist_ok=True)
            lines(Path(model, f"{label}.txt"), [(at,) for at in range(9)])
    first = write_starter(["."], Path("report.yaml"))
    Path("report/frames").mkdir(parents=True)
    Path("report/manifest.json").write_text(json.dumps({"program": PROGRAM}))
    long_table(("C",)).write_parquet("report/frames/metrics.parquet")
    assert write_starter(["."], Path("report.yaml"), force=True) == first
    assert "4 files" in first


def test_lines_without_names_are_led_to_what_pairs_them():
    for model in "AB":
        for label in ("genuine", "impostor"):
            Path(model).mkdir(exist_ok=True)
            lines(Path(model, f"{label}.txt"), [(at,) for at in range(9)])
    said = write_starter(["."], Path("report.yaml"))
    assert "in Python pairs them" in questions(said)[0]


@pytest.mark.parametrize(("folders", "asked"), [(("id1", "id2"), True), (("wav", "wav"), False)])
def test_folders_of_utterances_may_be_speakers(folders, asked):
    pairs = [(at % 2, f"{folders[at % 2]}/{at}.wav", f"{folders[0]}/{at + 9}.wav") for at in range(8)]
    lines(Path("trials.txt"), pairs)
    lines(Path("A.scores"), [(one, other, at) for at, (_, one, other) in enumerate(pairs)])
    said = write_starter(["."], Path("report.yaml"))
    assert any("is the folder, such as 'id1', the speaker?" in each for each in questions(said)) is asked
    text = Path("report.yaml").read_text()
    assert ('# clusters: {pattern: "^([^/]+)/", name: speaker}' in text) is asked
    assert "# profile: null" in text


def test_trials_and_scores_of_kaldi_beside_the_config():
    table = long_table(("A",), ("test",))
    word = {True: "target", False: "nontarget"}
    lines(Path("trials"), [(*pair(t), word[label]) for t, label in table.select("trial", "label").rows()])
    lines(Path("scores"), [(*pair(t), score) for t, score in table.select("trial", "score").rows()])
    for _ in range(2):
        write_starter(["."], Path("report.yaml"), force=True)
        assert "24 trials (8 targets)" in check_report(Path("report.yaml"))


def test_seeds_of_a_model_are_runs():
    table = pl.concat(long_table().with_columns(pl.lit(one).alias("seed")) for one in (1, 2))
    said, config = started(table)
    assert config["trials"]["columns"] == {"cluster": "speaker", "run": "seed"}
    assert not questions(said)
    check_report(Path("report.yaml"))


def test_missing_scores_and_labels_are_asked_about():
    table = long_table().with_columns(
        pl.when(pl.int_range(pl.len()) == 5).then(None).otherwise("score").alias("score"),
        pl.when(pl.col("trial") == "dev-07").then(None).otherwise("label").alias("label"),
    )
    said, config = started(table)
    assert (config["trials"]["missing"], config["trials"]["unlabelled"]) == ("drop", "drop")
    assert [line.split(": ")[1][:2] for line in questions(said)] == ["1 ", "3 "]
    check_report(Path("report.yaml"))


@pytest.mark.parametrize(
    ("splits", "values", "policy"),
    [
        (("val", "test"), {"dev": "val"}, None),
        (("train", "test"), {"dev": "train"}, "train"),
        (("Development", "Evaluation"), {"dev": "Development", "test": "Evaluation"}, None),
        (("eval",), {"test": "eval"}, "kfold"),
    ],
)
def test_splits_go_by_many_names(splits, values, policy):
    said, config = started(long_table(splits=splits).rename({"split": "partition"}))
    assert config["trials"]["values"] == values
    assert config.get("thresholds", {}).get("policy") == policy
    assert not questions(said)
    check_report(Path("report.yaml"))


def test_a_third_split_is_told():
    said, _ = started(long_table(splits=("train", "dev", "test")))
    snapshot("init/questions_a_third_split_is_told", "\n".join(questions(said)))
    assert check_report(Path("report.yaml")).startswith("144 rows, 3 models")


def test_pairs_of_speakers_are_two_clusters():
    table = (
        long_table()
        .rename({"speaker": "enroll_speaker"})
        .with_columns(test_speaker=pl.lit("s") + pl.col("trial"))
    )
    _, config = started(table)
    assert config["trials"]["columns"] == {"cluster": ["enroll_speaker", "test_speaker"]}
    check_report(Path("report.yaml"))


def test_probabilities_are_offered_not_claimed():
    started(wide_table().with_columns(pl.col("A", "B", "C") / 4))
    text = Path("report.yaml").read_text()
    assert "# models: {A: {scale: probability}, B: {scale: probability}, C: {scale: probability}}" in text


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"name": ["a", "b", "c"], "weight": [1, 2, 3]}, "t.csv: no column can be the label (found: 'name' (text), 'weight' (whole numbers)); a trial table has a label of two values"),
        ({"name": ["a", "b", "c"], "label": [1, 0, 1]}, "t.csv: no column can be the score (found: "),
        ({"a": ["x", "y", "z"]}, "t.csv: no column can be the label or the score"),
    ],
)  # fmt: skip
def test_what_is_no_trial_table_is_told(table, message):
    with pytest.raises(DataError) as caught:
        started(pl.DataFrame(table))
    assert caught.value.faults[0].startswith(message)
    assert not Path("report.yaml").exists()


def test_a_text_in_no_known_format_is_told():
    Path("notes").write_text("just\nsome words of mine\n")
    with pytest.raises(DataError, match="notes: not a table by its name, nor in a format that is known"):
        write_starter(["notes"], Path("report.yaml"))


def test_scores_without_keys_are_told():
    Path("A.txt").write_text("s1 u1 0.5\ns1 u2 0.25\n")
    with pytest.raises(DataError, match="scores of kaldi, scores of voxsrc; show key files and score files"):
        write_starter(["A.txt"], Path("report.yaml"))


def test_a_database_lists_its_tables():
    with closing(sqlite3.connect("lab.db")) as connection:
        connection.execute("CREATE TABLE runs (a)")
        connection.execute("CREATE VIEW every AS SELECT * FROM runs")
    for address in ("lab.db", "sqlite:///lab.db"):
        with pytest.raises(ConfigError, match="name a table of it with --table \\(found: 'every', 'runs'\\)"):
            write_starter([address], Path("report.yaml"))


def test_a_table_needs_a_database():
    long_table().write_csv("t.csv")
    with pytest.raises(ConfigError, match="--table needs a database"):
        write_starter(["t.csv"], Path("report.yaml"), table="t")


def test_nothing_is_overwritten_unasked():
    long_table().write_csv("t.csv")
    Path("report.yaml").write_text("mine")
    with pytest.raises(
        OutputError, match="report.yaml exists; name another file with -o, or replace it with --force"
    ):
        write_starter(["t.csv"], Path("report.yaml"))
    assert Path("report.yaml").read_text() == "mine"
    before = Path("t.csv").read_bytes()
    with pytest.raises(OutputError, match="t.csv is one of the files that hold the trials"):
        write_starter(["t.csv"], Path("t.csv"), force=True)
    assert Path("t.csv").read_bytes() == before
    with pytest.raises(OutputError, match="there is no folder 'none'"):
        write_starter(["t.csv"], Path("none/report.yaml"))
    write_starter(["t.csv"], Path("report.yaml"), force=True)
    assert sorted(path.name for path in Path().iterdir()) == ["report.yaml", "t.csv"]


def test_the_command_says_what_it_saw_and_what_comes_next():
    long_table().write_csv("t.csv")
    ran = reporting("init", "t.csv", "-o", "my report.yaml")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-2:] == [
        "  reporting check 'my report.yaml'",
        "  reporting run 'my report.yaml'",
    ]
    again = reporting("init", "t.csv", "-o", "my report.yaml")
    assert (again.returncode, again.stdout) == (2, "")
    assert "exists" in again.stderr
    assert "Traceback" not in again.stderr


@pytest.mark.parametrize("splits", [("dev", "test"), ("test",)])
def test_speakers_of_utterances_are_taken_from_their_file(splits):
    for (model, split), rows in (
        long_table(("A", "B"), splits).partition_by("model", "split", as_dict=True).items()
    ):
        trials = rows.select("trial", "label", "score").rows()
        lines(
            Path(f"data/{split}/trials"), [(*pair(t), "target" if y else "nontarget") for t, y, _ in trials]
        )
        lines(Path(f"scores/{model}/{split}"), [(*pair(t), score) for t, _, score in trials])
        lines(Path(f"data/{split}/utt2spk"), [(pair(t)[1], pair(t)[1][:2]) for t, _, _ in trials])
    said = write_starter(["data", "scores"], Path("report.yaml"))
    keys = read_document(Path("report.yaml"), []).plain()
    assert keys["trials"]["clusters"]["name"] == "speaker"
    assert keys.get("thresholds") == (None if "dev" in splits else {"policy": "none"})
    assert "speakers of utterances" in said
    assert "speakers)" in check_report(Path("report.yaml"))


def test_a_list_of_utterances_is_led_to_their_speakers():
    for split in ("dev", "test"):
        rows = long_table(("A",), (split,)).select("trial", "label", "score").rows()
        lines(Path(f"{split}.trials"), [(*pair(t), "target" if y else "nontarget") for t, y, _ in rows])
        lines(Path(f"A-{split}.txt"), [(*pair(t), score) for t, _, score in rows])
    write_starter(["dev.trials", "test.trials", "A-dev.txt", "A-test.txt"], Path("report.yaml"))
    assert "# clusters: {file: utt2spk, name: speaker}" in Path("report.yaml").read_text()
    check_report(Path("report.yaml"))


def proposed(**columns: pl.Expr) -> list[str]:
    """Return what is proposed as clusters of trials that have these columns."""
    said, config = started(long_table().drop("speaker").with_columns(**columns))
    assert "cluster" not in config["trials"].get("columns", {})
    check_report(Path("report.yaml"))
    lines = [line.strip() for line in Path("report.yaml").read_text().splitlines()]
    written = [line for line in lines if "cluster: " in line and line.startswith("# ")]
    assert len([line for line in questions(said) if line.startswith("? trials.columns.cluster: ")]) == len(
        written
    )
    return written


NUMBER = pl.col("trial").str.slice(-2).cast(pl.Int64)
"""Of a trial within its split, 0 to 23."""


def test_a_column_whose_values_repeat_is_proposed_as_cluster():
    said, config = started(long_table().drop("speaker").with_columns(customer=NUMBER % 8))
    snapshot("init/questions_a_column_whose_values_repeat_is_proposed_as_cluster", "\n".join(questions(said)))
    assert "cluster" not in config["trials"].get("columns", {})
    text = Path("report.yaml").read_text()
    offered = (
        "# columns: {cluster: customer}  # ? 'customer': 8 values repeat; are trials of one value alike?"
    )
    assert offered in text
    Path("report.yaml").write_text(text.replace(offered, offered.removeprefix("# ")))
    check_report(Path("report.yaml"))


def test_of_several_such_columns_a_telling_name_comes_first_then_the_most_values():
    assert "cluster: questioned_source" in proposed(questioned_source=NUMBER % 6, lot=NUMBER % 8)[0]
    shelf, lot = ("s" + (NUMBER % n).cast(pl.String) for n in (6, 8))
    assert "cluster: lot" in proposed(shelf=shelf, lot=lot)[0]


def test_numbers_repeat_as_ages_do_and_are_clusters_by_their_name_alone():
    assert proposed(age=40 + NUMBER % 8) == []
    assert proposed(wfns=1 + NUMBER % 5) == []
    assert "cluster: hospital_id" in proposed(age=40 + NUMBER % 8, hospital_id=NUMBER % 6)[0]


def test_what_a_folder_holds_besides_trials_is_left_out_and_named():
    rows = long_table(("A",), ("dev", "test")).select("split", "trial", "label", "score").rows()
    for split in ("dev", "test"):
        mine = [(trial, label, score) for its, trial, label, score in rows if its == split]
        lines(
            Path(f"corpus/{split}/trials"), [(*pair(t), "target" if y else "nontarget") for t, y, _ in mine]
        )
        lines(Path(f"corpus/{split}/scores_A"), [(*pair(t), score) for t, _, score in mine])
    Path("corpus/make_data.py").write_text("import numpy as np\n")
    said = write_starter(["corpus"], Path("report.yaml"))
    assert "left out, in no format of trials: make_data.py" in said.splitlines()
    assert read_document(Path("report.yaml"), []).plain()["trials"]["layout"] == "kaldi"
    assert "24 trials (8 targets" in check_report(Path("report.yaml"))
    with pytest.raises(DataError, match="make_data.py: not a table by its name"):
        write_starter(["corpus/dev", "corpus/make_data.py"], Path("report.yaml"), force=True)
    Path("only").mkdir()
    for name in ("a.py", "b.py"):
        Path("only", name).write_text("import numpy as np\n")
    with pytest.raises(DataError, match="a.py: not a table by its name"):
        write_starter(["only"], Path("report.yaml"), force=True)


def test_speaker_verification_is_offered_its_costs():
    for split in ("dev", "test"):
        rows = long_table(("A",), (split,)).select("trial", "label", "score").rows()
        lines(Path(f"{split}.trials"), [(*pair(t), "target" if y else "nontarget") for t, y, _ in rows])
        lines(Path(f"A-{split}.txt"), [(*pair(t), score) for t, _, score in rows])
    write_starter(["dev.trials", "test.trials", "A-dev.txt", "A-test.txt"], Path("report.yaml"))
    text = Path("report.yaml").read_text()
    offered = [line for line in text.splitlines() if line.startswith("# ") and "p_target=0.01" in line]
    assert [line.split(":")[0] for line in offered] == ["# primary", "# criteria", "# measures"]
    for line in offered:
        text = text.replace(line, line.removeprefix("# "))
    Path("report.yaml").write_text(text)
    check_report(Path("report.yaml"))


def test_without_dev_rows_the_question_needs_no_threshold():
    _, config = started(wide_table().filter(pl.col("split") == "test").drop("split"))
    assert (config["primary"], config["thresholds"]["policy"]) == ({"measure": "auc"}, "kfold")
    _, config = started(wide_table())
    assert "primary" not in config


def test_what_is_constant_fractional_unique_rare_or_the_label_is_no_cluster():
    assert proposed(customer=pl.lit("c")) == []
    assert proposed(customer=NUMBER % 4) == []
    assert proposed(customer=NUMBER % 8 + 0.5) == []
    assert proposed(customer=(NUMBER % 8).cast(pl.Float64)) == []
    assert proposed(customer=pl.col("split") + (NUMBER // 2 * 2 % 22).cast(pl.String) + pl.when(NUMBER < 20).then((NUMBER % 2).cast(pl.String)).otherwise(pl.lit(""))) == []  # fmt: skip
    assert proposed(customer=NUMBER % 8 + pl.col("model").replace_strict({"A": 0, "B": 1, "C": 2})) == []
    kinds = (NUMBER % 6).cast(pl.String)
    assert proposed(label=kinds, customer=pl.lit("kind ") + kinds) == []


def test_rows_of_a_wide_table_have_clusters_proposed_too():
    said, _ = started(wide_table().drop("trial", "speaker").with_row_index("n").with_columns(account=pl.col("n") % 9).drop("n"))  # fmt: skip
    assert "? trials.columns.cluster: 'account': 9 values repeat" in said
    check_report(Path("report.yaml"))


@pytest.mark.parametrize("name", ["log10LR", "log10_lr", "llr10", "log10_llr", "Log10(LR)"])
def test_scores_called_log10_lr_are_likelihood_ratios_to_base_10(name):
    said, config = started(long_table(("A", "B")).rename({"score": name}))
    assert config["models"] == {"A": {"scale": "log10_llr"}, "B": {"scale": "log10_llr"}}
    asked = "log10_llr: logarithm to base 10; llr: natural"
    assert questions(said) == [f"? models.A.scale, models.B.scale: {asked}"]
    assert f"scale: log10_llr  # ? {asked}" in Path("report.yaml").read_text()
    assert config["primary"] == {"measure": "cllr"}
    assert config["curves"] == ["tippett", "cross_entropy"]


@pytest.mark.parametrize("name", ["llr", "loglr", "logLR", "log_lr", "LLR"])
def test_scores_called_llr_are_natural_logarithms(name):
    said, config = started(long_table(("A",)).drop("model").rename({"score": name}))
    assert config["trials"]["scores"] == {"t": name}
    assert config["models"] == {"t": {"scale": "llr"}}
    assert questions(said) == ["? models.t.scale: log10_llr: logarithm to base 10; llr: natural"]
    assert config["primary"] == {"measure": "cllr"}


def test_numbers_of_models_are_no_bases_and_other_scores_keep_the_question():
    names = {"A": "llr_9", "B": "llr_10", "C": "llr_11"}
    _, config = started(wide_table().rename(names))
    assert config["models"] == {name: {"scale": "llr"} for name in names.values()}
    _, config = started(wide_table().rename({"A": "llr", "B": "score_b", "C": "score_c"}))
    assert config["models"] == {"llr": {"scale": "llr"}}
    assert not config.keys() & {"primary", "curves"}
    check_report(Path("report.yaml"))


def of_classes(*counts: tuple[str, int, int]) -> pl.DataFrame:
    """A table of two models with so many targets and non-targets in each split."""
    return pl.DataFrame(
        {"trial": f"{split}{at}", "split": split, "model": model, "label": int(at < n), "score": at * 7 % 31}
        for split, n, m in counts
        for at in range(n + m)
        for model in "AB"
    )


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ([("dev", 100, 200), ("test", 50, 400)], "round numbers of targets and non-targets (50 and 400, 100 and 200)"),
        ([("test", 37, 37)], "as many targets as non-targets (37 and 37)"),
        ([("dev", 100, 200), ("test", 51, 400)], ""),
        ([("test", 37, 38)], ""),
        ([("test", 10, 10)], ""),
    ],
)  # fmt: skip
def test_classes_that_look_fixed_by_design_are_offered(counts, why):
    _, config = started(of_classes(*counts))
    text = Path("report.yaml").read_text()
    assert "significance" not in config
    assert ("stratify: label" in text) == bool(why)
    assert why in text
    clustered = of_classes(*counts).with_columns(speaker=pl.col("trial").str.slice(-1))
    started(clustered)
    assert "stratify" not in Path("report.yaml").read_text()


def test_two_clusters_are_offered_with_the_policy_that_they_need():
    head = ("modelid", "segmentid", "side", "targettype")
    lines(Path("key.tsv"), [head, *((f"m{at % 3}", f"u{at}", "a", "target" if at % 2 else "nontarget") for at in range(30))], "\t")  # fmt: skip
    lines(Path("system.tsv"), [(*head[:3], "LLR"), *((f"m{at % 3}", f"u{at}", "a", at % 7) for at in range(30))], "\t")  # fmt: skip
    write_starter(["key.tsv", "system.tsv"], Path("report.yaml"))
    config = Path("report.yaml").read_text()
    assert "policy: kfold" in config
    assert "trials of two clusters cannot be parted: then thresholds.policy: none" in config


@pytest.mark.parametrize("name", ["weight", "sampling_weight", "wt"])
@pytest.mark.parametrize("has_trials", [True, False])
def test_weights_of_rows_are_no_model_of_a_wide_table(name, has_trials):
    draw = random.Random(1)
    rows = [
        {"id": f"t{at}", "label": at % 3 == 0, "old": draw.gauss(at % 3 == 0, 1), "new": draw.gauss(0, 1)}
        | {name: draw.choice((0.5, 1.3, 4.0))}
        for at in range(60)
    ]
    said, config = started(pl.DataFrame(rows).drop([] if has_trials else ["id"]))
    assert [*config["trials"]["scores"]] == ["old", "new"]
    assert [line for line in questions(said) if line.startswith("? trials.weights.column: does a row count")]
    assert f"weights: {{column: {name}}}" in Path("report.yaml").read_text()


@pytest.mark.parametrize(
    ("name", "weighted", "is_asked"),
    [
        ("SDMVSTRA", False, True),
        ("vstrat", False, True),
        ("strata_id", False, True),
        ("region", True, True),
        ("region", False, False),
        ("site", True, False),
    ],
)
def test_strata_of_a_survey_are_asked_about_by_other_names(name, weighted, is_asked):
    """NHANES and the GSS call them so; a region is asked about where rows have weights, and never taken."""
    draw = random.Random(1)
    rows = [
        {"trial": f"t{at}", "label": at % 3 == 0, name: "nsew"[at % 4]}
        | ({"weight": draw.choice((0.5, 4.0))} if weighted else {})
        | {"model": model, "score": draw.gauss(at % 3 == 0, 1)}
        for at in range(60)
        for model in ("old", "new")
    ]
    said, config = started(pl.DataFrame(rows))
    asked = [line for line in questions(said) if line.startswith("? trials.columns.sampling_stratum")]
    assert len(asked) == is_asked
    assert f"drawn from each {name!r}" in "".join(asked) or not is_asked
    assert "sampling_stratum" not in str(config)
    check_report(Path("report.yaml"))


@pytest.mark.parametrize("shared", [True, False])
def test_a_model_whose_trials_no_other_has_is_asked_about(shared):
    """What is called model may be who was enrolled; its trials are then its own."""
    draw = random.Random(1)
    rows = [
        {"trial": f"t{at}" if shared else f"{model}{at}", "label": at % 3 == 0, "model": model}
        | {"score": draw.gauss(at % 3 == 0, 1)}
        for at in range(60)
        for model in ("m1", "m2", "m3")
    ]
    said, _ = started(pl.DataFrame(rows))
    asked = [line for line in questions(said) if line.startswith("? trials.columns.model")]
    assert len(asked) == (not shared)
    assert "no value of 'trial' occurs with two of 'model': does it name systems" in "".join(asked) or shared


@pytest.mark.parametrize("weighted", [True, False])
def test_a_stratum_may_be_one_of_the_sampling_design(weighted):
    draw = random.Random(1)
    rows = [
        {
            "trial": f"t{at}",
            "label": at % 3 == 0,
            "stratum": "nsew"[at % 4],
            "weight": draw.choice((0.5, 4.0)),
        }
        | {"model": model, "score": draw.gauss(at % 3 == 0, 1)}
        for at in range(60)
        for model in ("old", "new")
    ]
    said, _ = started(pl.DataFrame(rows).drop([] if weighted else ["weight"]))
    (asked,) = [line for line in questions(said) if line.startswith("? trials.columns.sampling_stratum")]
    assert "drawn from each 'stratum'" in asked
    text = Path("report.yaml").read_text()
    assert "sampling_stratum: stratum" in text
    assert ("weights: {column: weight}" in text) == weighted
    assert ("weights: {stratum: {" in text) == (not weighted)


def test_rows_of_patients_offer_groups_and_a_noun_and_no_weight_is_the_label():
    draw = random.Random(1)
    rows = [
        {
            "patient_id": f"P{at // 2}",
            "site": "ABC"[at % 3],
            "died": int(at % 5 == 0),
            "wt": draw.choice((1, 4)),
        }
        | {"old": draw.gauss(at % 5 == 0, 1), "new": draw.gauss(at % 5 == 0, 1)}
        for at in range(90)
    ]
    said, config = started(pl.DataFrame(rows))
    assert config["trials"]["columns"] == {"label": "died", "cluster": "patient_id"}
    assert "? trials.columns.label: is 'died' the label? its name does not say so" in said
    text = Path("report.yaml").read_text()
    assert "# clusters: {name: patient}" in text
    assert "# by: [site]" in text


def test_a_weight_is_the_score_where_a_table_has_no_other_and_never_below_0():
    draw = random.Random(1)
    rows = [{"id": f"t{at}", "label": at % 3 == 0, "weight": draw.gauss(at % 3 == 0, 1)} for at in range(60)]
    alone = pl.DataFrame(rows).with_columns(pl.col("weight").abs())
    assert [*started(alone)[1]["trials"]["scores"].values()] == ["weight"]
    beside = pl.DataFrame(rows).with_columns(other=pl.col("weight") * 2)
    assert [*started(beside)[1]["trials"]["scores"]] == ["weight", "other"]
