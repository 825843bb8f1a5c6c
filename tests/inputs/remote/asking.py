"""Plans that ask for trials from afar: what is fetched, the frames, and the faults."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import open_table, work_folder
from reporting.base.execution import SerialExecutor
from reporting.base.provenance import InputFile
from reporting.core.counts.count import count_trials
from reporting.errors import ReportingError
from reporting.features.compute import compute_frames
from reporting.inputs.remote.fetch import fetched
from reporting.inputs.scan import inputs_of

FAST = ("significance.replicates=99", "epc=none", "report.formats=[json]", "curves=[roc]")


def plan_of(folder: Path, source: str, further: str = "") -> Plan:
    """Return the plan of a config that names a source."""
    return read_plan(config_of(folder, source, further), FAST)


def config_of(folder: Path, source: str, further: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "report.yaml"
    path.write_text(f"trials: {{source: '{source}', columns: {{cluster: speaker}}{further}}}\n")
    return path


def frames_of(plan: Plan) -> dict[str, bytes]:
    """Return all frames of a plan as the bytes of their files."""
    with work_folder() as work:
        table, pool = open_table(plan, work), SerialExecutor()
        frames = compute_frames(table, count_trials(table, pool), plan.study, pool)
    files = {name: io.BytesIO() for name in frames}
    for name, file in files.items():
        frames[name].write_parquet(file)
    return {name: file.getvalue() for name, file in files.items()}


def fetch(plan: Plan, work: Path) -> list[InputFile]:
    """Fetch the sources of a plan and return what the manifest says of them."""
    return list(inputs_of(fetched(plan.trials, work)))


def fault_of(folder: Path, source: str, further: str = "") -> str:
    """Return the one fault with which a source cannot be fetched."""
    with pytest.raises(ReportingError) as caught:
        fetched(plan_of(folder, source, further).trials, folder / "work")
    (fault,) = caught.value.faults
    assert "\n" not in fault
    return fault
