"""Clusters from a second file or a pattern: the same frames as from columns, strict about every name."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from build import built_from
from command import reporting
from snapshot import snapshot

from reporting.app.run.check import check_report
from reporting.errors import ConfigError, DataError
from tests.app.init.examples import kaldi, long_table, pair

SPEAKERS = 6
TRIALS = long_table(("A", "B")).drop("speaker")
PAIRS = TRIALS.with_columns(
    enroll=pl.lit("s") + (pl.col("trial").str.slice(-2).cast(pl.Int64) % SPEAKERS).cast(pl.String) + "-e1",
    test=pl.lit("s")
    + (pl.col("trial").str.slice(-2).cast(pl.Int64) % 4).cast(pl.String)
    + "-"
    + pl.col("trial"),
)
WITH_SPEAKERS = PAIRS.with_columns(
    first=pl.col("enroll").str.extract("^(s\\d+)"), second=pl.col("test").str.extract("^(s\\d+)")
)
LIGHT = "measures: [auc]\nepc: none\ncurves: []\nsignificance: {replicates: 99}\n"


def utt2spk(table: pl.DataFrame, *columns: str) -> str:
    """Every name of the columns with its speaker, as Kaldi writes it."""
    names = pl.concat(table[column] for column in columns).unique().sort()
    return "".join(f"{name} {name.partition('-')[0]}\n" for name in names)


def config(folder: Path, trials: str, more: str = LIGHT) -> Path:
    """Write a table of pairs and its config."""
    WITH_SPEAKERS.write_csv(folder / "t.csv")
    path = folder / "report.yaml"
    path.write_text(f"trials:\n  source: t.csv\n{trials}{more}")
    return path


def frames_from(path: Path) -> dict[str, list[dict]]:
    """Return the frames of a config; columns that name the unit are of the config, not of the trials."""
    return {name: frame.to_dicts() for name, frame in built_from(path).frames.items()}


def fault(folder: Path, trials: str, kind: type[Exception] = DataError) -> str:
    with pytest.raises(kind) as caught:
        check_report(config(folder, trials))
    return str(caught.value)


BOTH = "  columns: {cluster: [enroll, test]}\n"


@pytest.fixture(scope="module")
def of_columns(tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns")
    return frames_from(config(folder, "  columns: {cluster: [first, second]}\n"))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_file_of_both_sides_gives_the_frames_of_columns(tmp_path, of_columns, ending):
    content = utt2spk(PAIRS, "enroll", "test").encode()
    (tmp_path / f"utt2spk{ending}").write_bytes(gzip.compress(content) if ending else content)
    assert frames_from(config(tmp_path, BOTH + f"  clusters: {{file: utt2spk{ending}}}\n")) == of_columns


def test_several_files_and_speakers_who_are_enrolled_by_their_own_names(tmp_path, of_columns):
    (tmp_path / "test.utt2spk").write_text(utt2spk(PAIRS, "test"))
    (tmp_path / "enroll.utt2spk").write_text("s5-e1 s5\ns4-e1\ts4\r\n\n" + utt2spk(PAIRS, "enroll"))
    trials = "  columns: {cluster: [first, test]}\n  clusters: {file: [enroll.utt2spk, test.utt2spk]}\n"
    assert frames_from(config(tmp_path, trials)) == of_columns


def test_a_pattern_gives_the_frames_of_columns(tmp_path, of_columns):
    assert frames_from(config(tmp_path, BOTH + "  clusters: {pattern: '^(s\\d+)-'}\n")) == of_columns


def test_without_columns_the_trial_names_the_speaker(tmp_path):
    table = TRIALS.with_columns(trial=pl.lit("s") + pl.col("trial").str.slice(-1) + "_" + pl.col("trial"))
    table = table.with_columns(who=pl.col("trial").str.extract("^(s.)_"))
    found = []
    for trials in (
        "  columns: {cluster: who}\n",
        "  clusters: {pattern: '^(s.)_'}\n",
        "  clusters: {file: utt2spk}\n",
    ):
        path = config(tmp_path, trials)
        table.write_csv(tmp_path / "t.csv")
        (tmp_path / "utt2spk").write_text("".join(f"{name} {name[:2]}\n" for name in table["trial"].unique()))
        found.append(frames_from(path))
    assert found[0] == found[1] == found[2]


def test_both_sides_of_trials_of_kaldi_are_looked_up(tmp_path):
    kaldi(tmp_path)
    names = sorted({name for trial in TRIALS["trial"] for name in pair(trial)})
    spoken = [name for name in names if "_" in name]  # an enrolled speaker goes by his own name
    (tmp_path / "utt2spk").write_text("".join(f"{name} {name.partition('_')[0]}\n" for name in spoken))
    trials = "{source: 'scores/{model}/{split}', keys: 'keys/{split}/trials', layout: kaldi"
    path = tmp_path / "report.yaml"
    path.write_text(f"trials: {trials}, clusters: {{file: utt2spk, name: speaker}}}}\n{LIGHT}")
    assert "9 speakers" in check_report(path)
    (tmp_path / "utt2spk").write_text("".join(f"{name} {name.partition('_')[0]}\n" for name in spoken[1:]))
    with pytest.raises(DataError, match=f"column 'test': '{spoken[0]}' \\(row"):
        check_report(path)


def test_every_name_needs_a_line(tmp_path):
    lines = utt2spk(PAIRS, "enroll", "test").splitlines(keepends=True)
    (tmp_path / "utt2spk").write_text("".join(line for line in lines if "dev-0" not in line))
    snapshot(
        "inputs/named_clusters_every_name_needs_a_line",
        fault(tmp_path, BOTH + "  clusters: {file: utt2spk}\n"),
    )


def test_every_name_needs_a_match(tmp_path):
    assert fault(tmp_path, BOTH + "  clusters: {pattern: '^(s[0-2])-'}\n").splitlines() == [
        "trials.clusters.pattern: '^(s[0-2])-' finds no cluster in 48 rows of column 'enroll': 's3-e1' (row 4 of t.csv), 's4-e1' (row 5 of t.csv), 's5-e1' (row 6 of t.csv)",
        "trials.clusters.pattern: '^(s[0-2])-' finds no cluster in 24 rows of column 'test': 's3-dev-03' (row 4 of t.csv), 's3-dev-07' (row 8 of t.csv), 's3-dev-11' (row 12 of t.csv) and 9 more",
    ]  # fmt: skip


def test_an_empty_match_is_no_cluster(tmp_path):
    assert "finds no cluster in 96 rows of column 'enroll'" in fault(
        tmp_path, BOTH + "  clusters: {pattern: '^(x*)'}\n"
    )
    assert "finds no cluster in 96 rows of column 'test'" in fault(
        tmp_path, BOTH + "  clusters: {pattern: '^(x)?s'}\n"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a s1\na s2\nb s1\n", "utt2spk: 1 names have more than one cluster; first 'a', in 's1', 's2'"),
        ("a s1\nb\n", "utt2spk: 1 of 2 lines have not 2 fields (utterance speaker); first line 2, 'b'"),
        ("a b c\n", "utt2spk: its first line has 3 fields; expected are 2 fields (utterance speaker)"),
        ("", "utt2spk: it holds no lines"),
    ],
)  # fmt: skip
def test_a_broken_file_is_told_in_one_message(tmp_path, content, message):
    (tmp_path / "utt2spk").write_text(content)
    assert fault(tmp_path, BOTH + "  clusters: {file: utt2spk}\n") == message


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ("{file: utt2spk}", "'utt2spk': there is no such file"),
        ("{file: 't.cvs'}", "'t.cvs': there is no such file; did you mean 't.csv'?"),
        ("{file: 's3://x/y'}", "'s3://x/y' is far away; expected a file on this machine"),
        ("{file: t.csv, pattern: '(.)'}", "'file' and 'pattern' both say the clusters; give one of them"),
        ("{pattern: 's.'}", "'s.' has no groups; expected one, which is the cluster, such as '^([^-]+)-' ((?:...) groups without counting)"),
        ("{pattern: '(s)(.)'}", "'(s)(.)' has 2 groups; expected one"),
        ("{pattern: '(s'}", "'(s' is no regular expression: unclosed group"),
        ("{pattern: '(?=s)(s)'}", "is no regular expression: look-around, including look-ahead and look-behind, is not supported"),
        ("{name: [a, b]}", "two names need pools: two; in one population both columns name the same thing"),
        ("{name: a, pools: two}", "pools: two needs two names, one for each column, such as [person, sensor]"),
    ],
)  # fmt: skip
def test_keys_that_cannot_be_meant_are_told_with_their_place(tmp_path, clusters, message):
    found = fault(tmp_path, BOTH + f"  clusters: {clusters}\n", ConfigError)
    assert message in found
    assert "report.yaml:4:" in found


def test_counts_hold_their_clusters_already(tmp_path):
    assert "layout counts holds clusters already" in fault(
        tmp_path, "  layout: counts\n  clusters: {pattern: '(s)'}\n", ConfigError
    )


def test_the_unit_has_the_name_that_the_config_gives_it(tmp_path):
    more = LIGHT + "report: {formats: [markdown-full]}\n"
    path = config(tmp_path, BOTH + "  clusters: {pattern: '^(s\\d+)-', name: speaker}\n", more)
    assert "6 speakers), test 24 trials" in check_report(path)
    ran = reporting("run", path, "-o", tmp_path / "out", "-q")
    assert ran.returncode == 0, ran.stderr
    (page,) = (tmp_path / "out").glob("*.md")
    text = page.read_text()
    assert "pair two speakers of one population (enroll and test)" in text.partition("# Methods")[2]
    assert "6 speakers" in text
    assert "pair member" not in text
    assert "enrolls" not in text
    unnamed = tmp_path / "report.yaml"
    unnamed.write_text(unnamed.read_text().replace(", name: speaker", ""))
    assert "6 pair members), test" in check_report(unnamed)


def test_two_populations_have_two_names(tmp_path):
    clusters = "  clusters: {pattern: '^(s\\d+)-', pools: two, name: [speaker, phone]}\n"
    assert "speakers and phones), test 24 trials" in check_report(config(tmp_path, BOTH + clusters))


def test_a_name_alone_names_a_column_too(tmp_path):
    found = check_report(config(tmp_path, "  columns: {cluster: first}\n  clusters: {name: speaker}\n"))
    assert "6 speakers), test 24 trials" in found


def test_the_file_is_an_input_that_verify_looks_at(tmp_path):
    (tmp_path / "utt2spk").write_text(utt2spk(PAIRS, "enroll", "test"))
    path = config(tmp_path, BOTH + "  clusters: {file: utt2spk}\n", LIGHT + "report: {formats: [json]}\n")
    assert reporting("run", path, "-o", tmp_path / "out", "-q").returncode == 0
    assert reporting("verify", tmp_path / "out", "--against", path, "-q").returncode == 0
    (tmp_path / "utt2spk").write_text((tmp_path / "utt2spk").read_text().replace("s5-e1 s5", "s5-e1 s4"))
    changed = reporting("verify", tmp_path / "out", "--against", path)
    assert changed.returncode == 1
    assert "utt2spk" in changed.stdout + changed.stderr


def test_a_cache_does_not_remember_the_clusters_of_another_file(tmp_path):
    content = utt2spk(PAIRS, "enroll", "test")
    path = config(tmp_path, BOTH + "  clusters: {file: utt2spk}\n", LIGHT + "run: {cache: cache}\n")
    clusters = []
    for text in (content, content.replace(" s5", " s4")):
        (tmp_path / "utt2spk").write_text(text)
        assert reporting("run", path, "-o", tmp_path / "out", "-q").returncode == 0
        clusters.append(pl.read_parquet(tmp_path / "out/frames/trials.parquet")["n_clusters"].max())
    assert clusters == [6, 5]
