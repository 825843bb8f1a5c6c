"""Wherever work runs the bytes are the same; a worker that dies costs time alone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import reporting
from reporting.app.config.read import read_plan
from reporting.app.run.check import check_report
from reporting.base.execution import WORTH_THREADS, AutoExecutor, SerialExecutor, ThreadExecutor, array_store
from reporting.base.execution.kinds import open_executor
from reporting.base.execution.processes import ProcessExecutor
from reporting.errors import ConfigError, OutputError, ReportingError
from tests.base.execution import studied, tasks


class Told(list):
    """Lines that were told."""

    def __call__(self, line):
        self.append(line)


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return studied.study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def expected(config):
    return {more: studied.digests(config, SerialExecutor(), *more) for more in ((), studied.OTHERWISE)}


@pytest.fixture(scope="module")
def small_shelf():
    """Arrays of a small study go through files too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(array_store, "LARGE", 1500)
        yield


@pytest.fixture(scope="module")
def processes(tmp_path_factory, small_shelf):
    folder, told = tmp_path_factory.mktemp("work"), Told()
    with ProcessExecutor(2, folder, told) as pool:
        pool.told = told
        yield pool
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.admin.low-level-log-length": 100}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as started,
    ):
        yield started


@pytest.fixture(scope="module")
def dask_pool(tmp_path_factory, cluster, small_shelf):
    folder, told = tmp_path_factory.mktemp("shared"), Told()
    with open_executor("dask", None, folder, address=cluster.scheduler_address, tell=told) as pool:
        pool.told = told
        yield pool
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def lent_pool(tmp_path_factory, small_shelf):
    """An executor of another library, whose processes stay when the run is over."""
    loky = pytest.importorskip("loky", reason="loky is missing")
    folder, told = tmp_path_factory.mktemp("lent"), Told()
    workers = loky.ProcessPoolExecutor(2)
    with open_executor("auto", None, folder, pool=workers, tell=told) as pool:
        pool.told = told
        yield pool
    assert workers.submit(int, "7").result() == 7
    workers.shutdown(kill_workers=True)
    assert list(folder.iterdir()) == []


@pytest.fixture(params=["processes", "dask_pool", "lent_pool"])
def elsewhere(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("workers", [1, 2])
def test_threads_give_the_bytes_of_a_serial_run(config, expected, workers):
    with ThreadExecutor(workers) as pool:
        assert studied.digests(config, pool, *studied.OTHERWISE) == expected[studied.OTHERWISE]


@pytest.mark.parametrize("more", [(), studied.OTHERWISE], ids=["clusters", "trials"])
def test_other_processes_give_the_bytes_of_a_serial_run(config, expected, elsewhere, more):
    assert studied.digests(config, elsewhere, *more) == expected[more]
    assert elsewhere.told == []
    assert list(elsewhere.folder.iterdir()) == []


def test_a_table_in_memory_is_written_for_other_processes_and_stays_for_threads(config, elsewhere):
    rows = pl.read_parquet(config.parent / "trials.parquet")
    from reporting.app.api.query import plan_for
    from reporting.app.run.inputs import open_table
    from reporting.core.counts.count import count_trials

    plan = plan_for("metrics", rows, {"trials": {"columns": {"cluster": "speaker"}}})
    table = open_table(plan)
    counted, alone = count_trials(table, elsewhere), count_trials(table, SerialExecutor())
    for key, cuts in alone.cuts.items():
        np.testing.assert_array_equal(counted.cuts[key].n_target, cuts.n_target)
    (written,) = elsewhere.folder.iterdir()
    assert (written.name.startswith("trials-"), written.suffix) == (True, ".parquet")
    written.unlink()


def test_results_come_in_order_and_the_first_fault_is_raised(elsewhere):
    array = np.arange(3000.0)
    for pool in (SerialExecutor(), elsewhere, elsewhere.here):
        assert pool.run(tasks.scaled, array, [3, 1, 2]) == [float((array * k).sum()) for k in (3, 1, 2)]
        assert pool.run(tasks.scaled, array, []) == []
        with pytest.raises(ValueError, match=r"^no 3$"):
            pool.run(tasks.refused, None, [2, 3, 4, 5])


def test_large_results_come_as_files_that_are_taken_away(elsewhere):
    array = np.arange(2.0**15)
    found = elsewhere.run(tasks.repeated, array, [8, 8, 1])
    assert [len(one) for one in found] == [2**18, 2**18, 2**15]
    np.testing.assert_array_equal(found[0], np.tile(array, 8))
    assert list(elsewhere.folder.iterdir()) == []


def test_nobody_can_write_to_what_is_shared(elsewhere):
    with pytest.raises(ValueError, match="read-only"):
        elsewhere.run(tasks.written, np.zeros(9000), [1])


def test_workers_start_few_threads_of_their_own(processes):
    before = dict(os.environ)
    found = processes.run(tasks.threads_of, None, range(4))
    assert {threads for threads, _ in found} == {max(1, len(os.sched_getaffinity(0)) // 2)}
    assert str(os.getpid()) not in {pid for _, pid in found}
    assert dict(os.environ) == before


def test_a_folder_that_workers_cannot_see_is_one_message(cluster, tmp_path):
    here = os.open(tmp_path, os.O_RDONLY)  # a path that leads there in this process alone
    with pytest.raises(ReportingError, match=r"^run.folder: worker tcp://\S+ cannot see /proc/self/fd"):
        open_executor("dask", None, Path(f"/proc/self/fd/{here}"), address=cluster.scheduler_address)
    os.close(here)


def test_what_a_killed_process_leaves_undone_runs_again(processes, tmp_path):
    found = processes.run(tasks.killed_once, (str(tmp_path), 5), range(12))
    assert found == [(k, k**2) for k in range(12)]
    (line,) = processes.told
    assert re.fullmatch(r"a worker died; \d+ of 12 tasks run again", line)
    processes.told.clear()


def test_tasks_that_kill_every_process_end_with_a_message(processes):
    with pytest.raises(OutputError, match="worker processes died 4 times over the same tasks"):
        processes.run(tasks.always_killed, None, [1])
    assert len(processes.told) == 3
    processes.told.clear()
    assert processes.run(tasks.scaled, np.ones(3), [2]) == [6.0]


def test_a_worker_of_the_cluster_that_is_killed_costs_time_alone(config, expected, dask_pool, cluster):
    victim = next(iter(cluster.workers.values())).process.process.pid
    threading.Timer(0.4, os.kill, (victim, signal.SIGKILL)).start()
    assert studied.digests(config, dask_pool, *studied.OTHERWISE) == expected[studied.OTHERWISE]


def test_the_log_names_the_worker_of_the_cluster_that_is_gone(dask_pool, tmp_path):
    dask_pool.told.clear()
    found = dask_pool.run(tasks.killed_once, (str(tmp_path), 5), range(12))
    assert found == [(k, k**2) for k in range(12)]
    (line,) = dask_pool.told
    assert re.fullmatch(r"worker tcp://\S+ is gone; \d+ of 12 tasks run again", line)
    dask_pool.told.clear()


class EndsLate:
    """A task that ends in the moment in which the look at it ends."""

    def __init__(self, status, *answers):
        self.status, self.answers = "pending", iter(answers)
        self.last = status

    def done(self):
        return self.status != "pending"

    def result(self, timeout):
        self.status = self.last
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_task_that_ends_with_the_look_at_it_is_looked_at_again(dask_pool):
    assert dask_pool._result(EndsLate("finished", TimeoutError(), 7)) == 7
    with pytest.raises(TimeoutError, match="its own"):
        dask_pool._result(EndsLate("error", TimeoutError("of the look"), TimeoutError("its own")))


def test_a_task_that_kills_every_worker_of_the_cluster_ends_with_a_message(dask_pool):
    with pytest.raises(OutputError, match="workers died again and again over one task"):
        dask_pool.run(tasks.always_killed, None, [1])
    dask_pool.told.clear()


def test_an_address_that_nobody_answers_is_told_soon(tmp_path, monkeypatch):
    from reporting.base.execution import cluster as room

    assert room.CONNECT < 10
    monkeypatch.setattr(room, "CONNECT", 0.5)
    with pytest.raises(
        ReportingError, match=r"^run.address: no Dask scheduler answers at tcp://127.0.0.1:9 "
    ):
        open_executor("dask", None, tmp_path, address="tcp://127.0.0.1:9")


@pytest.mark.parametrize("address", ["nonsense://x", "", "tcp://", "tcp://127.0.0.1:port", "tcp://a b:1"])
def test_an_address_that_is_none_is_one_message(tmp_path, address):
    with pytest.raises(
        ReportingError, match=r"^run.address: '.*' is no address of a Dask scheduler; it looks"
    ):
        open_executor("dask", None, tmp_path, address=address)


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ReportingError, match=r"^run.executor: dask needs the extra trial-reporting\[dask\]$"):
        open_executor("dask", None, tmp_path, address="tcp://127.0.0.1:9")


def test_auto_takes_threads_where_tables_are_large(tmp_path):
    with open_executor("auto", 2, tmp_path) as pool:
        assert isinstance(pool, AutoExecutor)
        assert isinstance(pool.suited(WORTH_THREADS - 1), SerialExecutor)
        assert pool.suited(WORTH_THREADS) is pool
    assert isinstance(open_executor("auto", 1, tmp_path), SerialExecutor)
    with open_executor("thread", 2, tmp_path) as pool:
        assert pool.suited(1) is pool


PROGRAM = """
import sys
sys.path[:0] = {path!r}
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tests.base.execution import tasks
from reporting.base.execution.kinds import open_executor

shutdown = ProcessPoolExecutor.shutdown

def late(pool, **how):
    time.sleep(0.3)
    shutdown(pool, **how)

ProcessPoolExecutor.shutdown = late  # so that the pool's thread sees the workers die before it hears of an end
if __name__ == "__main__":
    with open_executor("process", 2, Path(sys.argv[1])) as pool:
        pool.run(tasks.slow, sys.argv[1], range(4))
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_working_when_a_run_is_interrupted_or_killed(tmp_path, end):
    root = Path(reporting.__file__).parents[1]
    (tmp_path / "program.py").write_text(PROGRAM.format(path=[str(Path(__file__).parents[3]), str(root)]))
    run = subprocess.Popen(
        [sys.executable, tmp_path / "program.py", tmp_path], stderr=subprocess.PIPE, text=True
    )
    _until(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
    workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
    run.send_signal(end)
    _, said = run.communicate(timeout=20)
    assert run.returncode != 0
    assert said.count("Traceback") <= 1
    _until(lambda: not any(_is_alive(pid) for pid in workers))


def _until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def _is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_folder_of_the_config_is_relative_to_it_and_must_be_there(config):
    plan = read_plan(config, ("run.folder=scratch", "run.executor=process"))
    assert plan.execution.folder == config.parent.absolute() / "scratch"
    with pytest.raises(ReportingError, match=r"^run.folder: no folder can be made in \S+scratch \(No such"):
        check_report(config, ("run.folder=scratch",))


def test_a_lent_pool_runs_a_report_from_python(config, tmp_path):
    """The frames have the bytes of the program's own executor; the pool is open afterwards."""
    own = reporting.make_report(config, tmp_path / "own", studied.FAST)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, get_context("spawn")) as workers:
        for number, pool in enumerate((threads, workers)):
            report = reporting.make_report(config, tmp_path / str(number), studied.FAST, executor=pool)
            for path in sorted((own / "frames").iterdir()):
                assert (report / "frames" / path.name).read_bytes() == path.read_bytes(), path.name
            assert pool.submit(int, "7").result() == 7


def test_a_lent_pool_whose_workers_die_is_named(tmp_path):
    refused = r"executor \(reporting.make_report\): it takes no more tasks \(BrokenProc"
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as workers,
        open_executor("auto", None, tmp_path, pool=workers) as pool,
        pytest.raises(OutputError, match=refused),
    ):
        pool.run(tasks.killed, None, [1, 2])
    assert list(tmp_path.iterdir()) == []


def test_what_takes_no_tasks_is_no_executor(config):
    with pytest.raises(ConfigError, match=r"executor \(reporting.make_report\): expected what has submit"):
        reporting.make_report(config, executor=4)
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(ConfigError, match=r"run.executor names 'serial' already"),
    ):
        reporting.make_report(config, None, ["run.executor=serial"], executor=pool)
