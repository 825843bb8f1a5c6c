"""The main job from the command line: exit codes, messages, files, and what a failure leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from command import reporting
from snapshot import snapshot

from reporting import make_report
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.frames.trials import TRIALS

CONFIG = Path(__file__).parents[2] / "ru2009.yaml"
FAST = ["--set", "significance.replicates=99", "--set", "epc.alphas=11"]
EPOCH = {**os.environ, "SOURCE_DATE_EPOCH": "0"}

CONTRACTS = {frame.name: frame for frame in (TRIALS, METRICS, COMPARISONS, ROC, EPC)}


def process(*arguments, **settings):
    """The same in a process of its own."""
    command = [sys.executable, "-m", "reporting", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **settings)


def small_table(folder, models=("a", "b"), trials=40, name="trials.csv"):
    rows = [
        {"model": m, "split": s, "trial": i, "label": i % 2, "score": (i * 7919 % 23) / 10 + (i % 2) + k / 10}
        for k, m in enumerate(models) for s in ("dev", "test") for i in range(trials)
    ]  # fmt: skip
    pl.DataFrame(rows).write_csv(folder / name)
    config = folder / "report.yaml"
    config.write_text(
        f"title: Small\ntrials: {{source: {name}}}\nsignificance: {{replicates: 99}}\n"
        "epc: {alphas: 5}\nreport: {formats: [json]}\n"
    )
    return config


@pytest.fixture(scope="module")
def report(shared, tmp_path_factory):
    out = tmp_path_factory.mktemp("main") / "ru2009"
    done = reporting("run", CONFIG, "-o", out, *FAST, env=EPOCH)
    assert (done.returncode, done.stdout) == (0, f"{out}/report.html\n"), done.stderr
    return out


def test_every_promised_file_is_there(report):
    names = {p.relative_to(report).as_posix() for p in report.rglob("*") if p.is_file()}
    promised = {"report.html", "report.tex", "report.json", "manifest.json", "timings.json"}
    promised |= {f"frames/{name}.parquet" for name in CONTRACTS}
    promised |= {f"figures/{name}.{kind}" for name in ("roc", "det", "epc") for kind in ("svg", "pdf", "tex")}
    promised |= {f"tables/{name}.{kind}" for name in ("summary", "pairs", "data") for kind in ("tex", "csv")}
    assert promised <= names


def test_frames_on_disk_follow_their_contracts(report):
    for name, contract in CONTRACTS.items():
        assert pl.scan_parquet(report / "frames" / f"{name}.parquet").collect_schema() == contract.schema


def test_the_manifest_traces_every_stable_file(report):
    manifest = json.loads((report / "manifest.json").read_text())
    assert manifest["program"] == "reporting"
    assert manifest["seed"] == 1
    assert [source["name"] for source in manifest["inputs"]] == ["ru2009.parquet"]
    assert manifest["config"]["significance"]["replicates"] == 99
    assert "report.html" in manifest["outputs"]
    assert "timings.json" not in manifest["outputs"]
    assert str(report) not in json.dumps(manifest)


def test_two_runs_give_the_same_bytes(report, tmp_path):
    """One in this process, one in its own: with other hashes of texts, too."""
    again = tmp_path / "ru2009"
    done = process("run", CONFIG, "-o", again, "-q", *FAST, "--set", "run.workers=1", env=EPOCH)
    assert done.returncode == 0, done.stderr
    one, other = (
        {p.relative_to(d).as_posix(): p.read_bytes() for p in d.rglob("*") if p.is_file()}
        for d in (report, again)
    )
    assert one.keys() == other.keys()
    assert without_workers(one.pop("manifest.json")) == without_workers(other.pop("manifest.json"))
    stable = [name for name in one if name != "timings.json" and Path(name).suffix not in (".pdf", ".png")]
    assert [name for name in stable if one[name] != other[name]] == [], "two workers and one worker differ"


def without_workers(manifest):
    """The lines of a manifest without the one that says how many workers there were."""
    return [line for line in manifest.decode().splitlines() if '"workers":' not in line]


def test_progress_goes_to_stderr_and_quiet_means_quiet(tmp_path):
    config = small_table(tmp_path)
    loud, quiet = reporting("run", config), reporting("run", config, "-q")
    assert loud.stderr.splitlines() == [
        "reading trials",
        "counting",
        "measuring and comparing",
        "writing the report",
    ]
    assert quiet.stderr == ""
    assert quiet.stdout == f"{tmp_path / 'report' / 'report.json'}\n"


def test_check_says_what_it_found_and_writes_nothing(tmp_path):
    done = reporting("check", small_table(tmp_path))
    assert (done.returncode, done.stdout) == (
        0,
        "160 rows, 2 models (a, b): dev 40 trials (20 targets), test 40 trials (20 targets)\n",
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.yaml", "trials.csv"]


def test_bad_data_exits_2_and_leaves_the_last_good_report(tmp_path):
    config = small_table(tmp_path)
    assert reporting("run", config).returncode == 0
    good = (tmp_path / "report" / "report.json").read_bytes()
    table = tmp_path / "trials.csv"
    table.write_text(table.read_text().replace("test", "tset", 3))
    done = reporting("run", config, "-q")
    assert done.returncode == 2
    snapshot("run/main_job_bad_data_exits_2_and_leaves_the_last_good_report", done.stderr)
    assert (tmp_path / "report" / "report.json").read_bytes() == good
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report", "report.yaml", "trials.csv"]


def test_bad_config_exits_2_with_one_line_per_fault(tmp_path):
    config = small_table(tmp_path)
    config.write_text(config.read_text() + "measures: [htre, auc]\nbaselin: a\n")
    done = reporting("run", config, "-q")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("error: ") for line in lines)
    assert [line[-8:] for line in lines] == [" [TR505]", " [TR502]"]
    assert "did you mean 'hter'?" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["x.html", "x.PDF", "x.json"])
def test_an_output_that_is_named_as_a_file_is_refused(tmp_path, name):
    config = small_table(tmp_path)
    done = reporting("run", config, "-q", "-o", tmp_path / name)
    assert (done.returncode, (tmp_path / name).exists()) == (2, False)
    assert (
        f"is named as a file, and a report is a folder with its pages; name the folder, such as -o {tmp_path}/x"
        in done.stderr
    )


def test_a_folder_called_report_that_holds_something_else_is_refused(tmp_path):
    config = small_table(tmp_path)
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "notes.txt").write_text("mine")
    done = reporting("run", config, "-q")
    assert (done.returncode, "is not a report folder" in done.stderr) == (2, True)
    assert os.listdir(tmp_path / "report") == ["notes.txt"]


def test_a_foreign_folder_is_refused(tmp_path):
    config = small_table(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    done = reporting("run", config, "-o", tmp_path / "mine", "-q")
    assert done.returncode == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_a_report_never_replaces_its_own_inputs(tmp_path):
    config = small_table(tmp_path)
    assert reporting("run", config, "-o", tmp_path / "rep", "-q").returncode == 0
    for name in ("report.yaml", "trials.csv"):
        (tmp_path / "rep" / name).write_bytes((tmp_path / name).read_bytes())
    done = reporting("run", tmp_path / "rep" / "report.yaml", "-o", tmp_path / "rep", "-q")
    assert done.returncode == 2
    assert "holds report.yaml, and the report would replace it" in done.stderr
    assert (tmp_path / "rep" / "trials.csv").exists()


def test_a_failed_run_leaves_no_folders(tmp_path):
    config = small_table(tmp_path)
    done = reporting("run", config, "-o", tmp_path / "a" / "b" / "c", "-q", "--set", "baseline=zzz")
    assert done.returncode == 2
    assert not (tmp_path / "a").exists()


def test_messages_show_control_characters_instead_of_obeying_them(tmp_path):
    config = small_table(tmp_path)
    table = tmp_path / "trials.csv"
    table.write_text(table.read_text().replace("score", "sc\x1b[31more", 1))
    done = reporting("run", config, "-q")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    assert "sc\\x1b[31more" in done.stderr


def test_a_terminal_that_cannot_show_the_path_still_gets_it(tmp_path):
    config = small_table(tmp_path)
    out = tmp_path / "ü"
    done = process("run", config, "-o", out, "-q", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xfc" in done.stdout


def test_a_date_that_is_none_exits_2(tmp_path):
    done = reporting("run", small_table(tmp_path), "-q", env={"SOURCE_DATE_EPOCH": "abc"})
    assert (done.returncode, "SOURCE_DATE_EPOCH is 'abc'" in done.stderr) == (2, True)


def test_clusters_that_are_asked_for_must_be_there(tmp_path):
    done = reporting("run", small_table(tmp_path), "-q", "--set", "significance.unit=cluster")
    assert done.returncode == 2
    assert "the trial table has no column 'cluster'" in done.stderr


@pytest.mark.parametrize("runs", ["seed", "reader"])
def test_means_over_runs_have_no_counts_and_their_cautions_need_none(tmp_path, runs):
    rows = [
        {"model": m, "run": r, "split": s, "trial": t, "label": t % 3 == 0, "score": t % 7 + (t % 3 == 0) * k}
        for k, m in enumerate("AB", start=1)
        for r in "123"
        for s in ("dev", "test")
        for t in range(40)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "report.yaml").write_text(f"trials: {{source: trials.parquet, runs: {runs}}}\nepc: none\n")
    less = ["--set", "significance.replicates=99", "--set", "report.formats=[json]"]
    done = reporting("run", tmp_path / "report.yaml", "-q", *less)
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "report" / "report.json").read_text()
    assert ("The mean over readers rests on fewer than 5 readers" in report) == (runs == "reader")


def test_many_models_are_ranked_and_compared_with_a_baseline_where_one_is_named(tmp_path):
    config = small_table(tmp_path, models=[f"m{k:02}" for k in range(11)], trials=8)
    folder = tmp_path / "report"
    assert reporting("run", config, "-q", "-o", folder).returncode == 0
    ranks = pl.read_parquet(folder / "frames" / "ranking.parquet")
    assert ranks.height == 11
    assert pl.read_parquet(folder / "frames" / "comparisons.parquet").is_empty()
    assert reporting("run", config, "-q", "-o", folder, "--set", "baseline=m03").returncode == 0
    assert not (folder / "frames" / "ranking.parquet").exists()
    compared = pl.read_parquet(folder / "frames" / "comparisons.parquet")
    assert compared["model"].n_unique() == 10


def test_a_baseline_that_is_not_there_is_guessed(tmp_path):
    done = reporting("run", small_table(tmp_path, models=("alpha", "beta")), "-q", "--set", "baseline=aplha")
    assert done.returncode == 2
    assert "did you mean 'alpha'?" in done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["run"], ["run", "a.yaml", "--nope"], ["run", "missing.yaml"]]
)
def test_bad_usage_exits_2(arguments, tmp_path):
    done = reporting(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_fault_of_the_program_exits_3_in_one_line(tmp_path):
    config = small_table(tmp_path)
    broken = "import reporting.app.run.report, reporting.app.cli, sys\nreporting.app.run.report.make_report = lambda *a: 1 / 0\nreporting.app.cli.main()"
    for verbose, lines in (([], 1), (["-v"], 8)):
        command = [sys.executable, "-c", broken, "run", str(config), "-q", *verbose]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 3
        assert (
            done.stderr.splitlines()[-1]
            == "error: internal error: ZeroDivisionError: division by zero [TR901]"
        )
        assert (len(done.stderr.splitlines()) == 1) == (lines == 1)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (signal.SIGINT, "error: interrupted [TR902]\n"),
        (signal.SIGTERM, "error: interrupted by SIGTERM [TR902]\n"),
        (signal.SIGHUP, "error: interrupted by SIGHUP [TR902]\n"),
    ],
)
def test_an_interrupt_exits_130_and_leaves_nothing(tmp_path, number, message):
    config = small_table(tmp_path)
    slow = ["--set", "significance.replicates=2000000", "--set", "run.workers=1"]
    run = subprocess.Popen(
        [sys.executable, "-m", "reporting", "run", str(config), *slow],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # under nohup a hang-up is ignored
    )
    assert run.stderr is not None
    assert any("measuring" in line for line in run.stderr), "it ended before it measured anything"
    time.sleep(0.3)
    run.send_signal(number)
    assert run.communicate(timeout=60)[1] == message
    assert run.returncode == 130
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.yaml", "trials.csv"]


def test_a_closed_pipe_ends_quietly():
    command = f"{sys.executable} -m reporting schema | head -c 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


FAILS = "gates: [{measure: hter, model: a, at_most: 0.01}]\n"
OPEN = (
    "gates: [{name: May grow, measure: hter, model: a, against: b, not_worse_by: 1.0e-9, on_undecided: %s}]\n"
)
FAILED = "gate failed: hter of a at most 0.01 at min_hter (a): the HTER of a is above 1% ("


@pytest.mark.parametrize("closed", ["| true", ">&-"])
def test_no_closed_output_hides_a_failed_gate(tmp_path, closed):
    """Nobody reads the path of the report: the run ends as quietly as the gate allows, with what it has earned."""
    config = small_table(tmp_path)
    config.write_text(config.read_text() + FAILS)
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m reporting run -q {config} {closed}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stderr + done.stdout).splitlines()
    assert (done.returncode, [line[: len(FAILED)] for line in lines]) == (1, [FAILED])
    assert (tmp_path / "report" / "report.json").exists()


@pytest.mark.parametrize("on_undecided", ["fail", "pass"])
def test_an_undecided_gate_is_a_line_too_and_only_one_that_holds_the_run_back_is_an_error(
    tmp_path, on_undecided
):
    config = small_table(tmp_path)
    config.write_text(config.read_text() + OPEN % on_undecided)
    done = reporting("run", config)
    opening = (
        f"gate undecided (counts as {on_undecided}ed): May grow (a): it is open whether a is not worse than b"
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("gate")]
    assert (done.returncode, len(lines), lines[0][: len(opening)]) == (on_undecided == "fail", 1, opening)
    records = [json.loads(line) for line in reporting("run", config, "--log", "json").stderr.splitlines()]
    level = "error" if on_undecided == "fail" else "warning"
    assert [(r["level"], f"{r['message']} [{r['code']}]") for r in records if r["event"] == "gate"] == [
        (level, lines[0])
    ]
    cautions = [(r["level"], r["code"]) for r in records if r["event"] == "in_report"]
    assert ("warning", "TR302") in cautions
    quiet = reporting("run", config, "-q").stderr
    assert quiet == (f"{lines[0]}\n" if on_undecided == "fail" else "")


def test_a_gate_that_passes_is_no_line(tmp_path):
    config = small_table(tmp_path)
    config.write_text(config.read_text() + FAILS.replace("0.01", "0.99"))
    done = reporting("run", config)
    assert (done.returncode, "gate" in done.stderr) == (0, False)


def test_a_function_that_listens_hears_of_gates(tmp_path):
    config = small_table(tmp_path)
    config.write_text(config.read_text() + FAILS)
    lines = []
    make_report(config, tell=lines.append)
    assert lines[-1].startswith(FAILED)


def test_the_schema_is_json(tmp_path):
    done = reporting("schema")
    assert "trials" in json.loads(done.stdout)["properties"]


def test_version_and_help():
    assert process("--version").stdout.startswith("reporting 0.")
    assert "run" in process("--help").stdout


def test_help_imports_nothing_heavy():
    code = "import sys, reporting.app.cli; print([m for m in ('polars', 'numpy', 'pydantic', 'altair') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
