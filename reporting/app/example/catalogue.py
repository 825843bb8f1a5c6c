"""The ready-to-run examples, and how one is written into a folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl

from reporting.app.example.vote import candidate_trials, vote_trials
from reporting.base.contents import Contents, Named
from reporting.base.publish import parquet
from reporting.base.records import dataclass
from reporting.base.resources import folder as packaged
from reporting.errors import OutputError, unwritable


@dataclass(frozen=True, kw_only=True)
class Example(Named):
    """An example by name: the config it ships, the function that makes its trials, other files with them.

    ``config`` and ``files`` are paths within ``configs/``; ``written_as`` is the config's name there.
    """

    about: str
    config: str
    make_trials: Callable[[], pl.DataFrame]
    files: tuple[str, ...] = ()
    written_as: str = "report.yaml"


EXAMPLES = Contents(
    "example",
    [
        Example(
            key="vote",
            about="three models of a vote, with a commented config",
            config="vote.yaml",
            make_trials=vote_trials,
        ),
        Example(
            key="vote_in_depth",
            about="the same models with many measures, curves, fits and tests",
            config="vote_in_depth.yaml",
            make_trials=vote_trials,
        ),
        Example(
            key="house_style",
            about="the same models in templates and sections of your own",
            config="house_style/house_style.yaml",
            make_trials=vote_trials,
            files=(
                "house_style/house/README.md",
                "house_style/house/html/house.css",
                "house_style/house/html/section.html.j2",
                "house_style/house/latex/house.tex.j2",
                "house_style/house/sections/pollsters.yaml",
            ),
        ),
        Example(
            key="periodic",
            about="a weekly report with gates and history, and files that start it: cron, systemd, CI",
            config="periodic/weekly.yaml",
            make_trials=candidate_trials,
            files=(
                "periodic/Dockerfile",
                "periodic/action.yml",
                "periodic/crontab",
                "periodic/github-actions.yml",
                "periodic/gitlab-ci.yml",
                "periodic/orchestrator_task.py",
                "periodic/pre-commit-config.yaml",
                "periodic/pull-request.yml",
                "periodic/reporting.service",
                "periodic/reporting.timer",
            ),
            written_as="weekly.yaml",
        ),
    ],
)


def list_of_examples() -> str:
    """Return the examples by name, a line each."""
    width = max(map(len, EXAMPLES)) + 2
    lines = [f"  {example.key:<{width}}{example.about}" for example in EXAMPLES.values()]
    return "\n".join(["Examples", "", *lines, "", "`reporting example NAME` writes one into a folder NAME."])


def write_example(name: str, folder: Path) -> Path:
    """Write ``trials.parquet`` and the config of an example and return the path of the config.

    Other files have the same place relative to the config as they do in ``configs/``.

    ConfigError for an unknown name, OutputError for a folder that is not empty or cannot be written.
    """
    example = EXAMPLES.find(name)
    configs = packaged("configs")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise OutputError(f"{folder} is not empty; name a new or an empty folder for the example")
        (folder / "trials.parquet").write_bytes(parquet(example.make_trials()))
        for file in example.files:
            copy = folder / Path(file).relative_to(Path(example.config).parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(configs / file, copy)
        return Path(shutil.copyfile(configs / example.config, folder / example.written_as))
    except OSError as error:
        raise unwritable(folder, error) from error
