"""The files for clusters that ship: their commands are run here, on a scheduler and workers of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from ruamel.yaml import YAML

from reporting.app.run.report import make_report
from tests.base.execution import studied

ROOT = Path(__file__).resolve().parents[3]
CLUSTERS = ROOT / "configs" / "clusters"
QUICK = """\
trials: {source: trials.parquet, columns: {cluster: speaker}}
measures: [hter]
criteria: [min_hter]
curves: [roc]
epc: none
significance: {replicates: 300, bands: none, comparisons: given_thresholds}
report: {formats: [json]}
"""

STUB = """\
#!/bin/bash
# SLURM's srun, as far as one machine goes: the command once for every task.
for task in $(seq "$SLURM_NTASKS"); do "$@" & done
trap 'kill $(jobs -p)' TERM
wait
"""


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder with a config, its trials, and the commands of a cluster on the path."""
    pytest.importorskip("distributed")
    config = studied.study(tmp_path)
    config.write_text(QUICK)
    (tmp_path / "bin").mkdir()
    for name, text in {
        "srun": STUB,
        "reporting": f'#!/bin/bash\nexec "{sys.executable}" -m reporting "$@"\n',
        "dask": f'#!/bin/bash\nexec "{sys.executable}" -m dask "$@"\n',
    }.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def environment(shared: Path, **more: str) -> dict[str, str]:
    """Return the variables of a node."""
    path = f"{shared / 'bin'}:{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)} | more


def free_port() -> str:
    """Return a port that nobody has."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return str(asked.getsockname()[1])


def is_the_serial_report(config: Path, made: Path) -> bool:
    """Tell whether the frames of a report are those of a serial run, byte for byte."""
    make_report(config, config.parent / "serial", ["run.executor=serial"])
    frames = sorted((config.parent / "serial" / "frames").iterdir())
    assert len(frames) > 4
    return all(one.read_bytes() == (made / "frames" / one.name).read_bytes() for one in frames)


@pytest.mark.long
def test_the_script_for_slurm_makes_the_report_of_a_serial_run(shared: Path) -> None:
    ran = subprocess.run(
        ["bash", CLUSTERS / "slurm.sh", "report.yaml"],
        cwd=shared,
        env=environment(
            shared,
            SLURM_SUBMIT_DIR=str(shared),
            SLURM_NTASKS="2",
            SLURM_CPUS_PER_TASK="1",
            HOST="127.0.0.1",
            PORT=free_port(),
        ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1].startswith("report")
    assert is_the_serial_report(shared / "report.yaml", shared / "report")
    assert not list(shared.glob("work-*"))


def test_a_script_without_a_config_says_what_it_needs(shared: Path) -> None:
    ran = subprocess.run(["bash", CLUSTERS / "slurm.sh"], capture_output=True, text=True, check=False)
    assert (ran.returncode, "say which config" in ran.stderr) == (1, True)


def test_the_pods_belong_together(tmp_path: Path) -> None:
    assert set(containers(tmp_path, "8786")) == {"scheduler", "worker", "report"}


@pytest.mark.long
def test_the_commands_of_the_pods_make_the_report_of_a_serial_run(shared: Path) -> None:
    pods = containers(shared, free_port())
    with running(shared, pods["scheduler"]), running(shared, pods["worker"]), running(shared, pods["worker"]):
        for _ in range(6):  # as often as the Job tries
            job = subprocess.run(
                pods["report"]["command"],
                env=environment(shared),
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            if job.returncode == 0:
                break
            time.sleep(1)
    assert job.returncode == 0, job.stderr
    assert pl.read_parquet(shared / "report" / "frames" / "metrics.parquet").height
    assert is_the_serial_report(shared / "report.yaml", shared / "report")


def containers(shared: Path, port: str) -> dict[str, dict[str, Any]]:
    """Return the containers by name, with the names of a cluster as they are on this machine."""
    text = (CLUSTERS / "kubernetes.yaml").read_text()
    for old, new in (
        ("tcp://report-scheduler", "tcp://127.0.0.1"),
        ("8786", port),
        ("/shared", str(shared)),
    ):
        text = text.replace(old, new)
    found = list(YAML(typ="safe").load_all(text))
    assert [one["kind"] for one in found] == [
        "PersistentVolumeClaim",
        "Service",
        "NetworkPolicy",
        "Deployment",
        "Deployment",
        "Job",
    ]
    pods = [one["spec"]["template"] for one in found if "template" in one["spec"]]
    for one in found[3:5]:
        assert one["spec"]["selector"]["matchLabels"] == one["spec"]["template"]["metadata"]["labels"]
    assert found[1]["spec"]["selector"] == pods[0]["metadata"]["labels"]
    assert len({str(pod["spec"]["securityContext"]) for pod in pods}) == 1
    every = [container for pod in pods for container in pod["spec"]["containers"]]
    assert len({container["image"] for container in every}) == 1
    return {container["name"]: container for container in every}


@contextmanager
def running(shared: Path, container: dict[str, Any]) -> Iterator[None]:
    """Run the command of a container."""
    said = {one["name"]: one["value"] for one in container.get("env", ())}
    with (shared / "log").open("a") as log:
        started = subprocess.Popen(
            container["command"], env=environment(shared, **said), stdout=log, stderr=log
        )
    try:
        yield
    finally:
        started.terminate()
        started.wait(20)
