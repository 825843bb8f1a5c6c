"""The report from Python: of a config file, or of a table and keys of the config."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from reporting.api.query import source_of
from reporting.config.read import plan_of, read_plan
from reporting.contents import WORD
from reporting.errors import ConfigError, quoted
from reporting.frames.catalogue import FRAMES
from reporting.frames.results import Results
from reporting.report.blocks import Section
from reporting.run.report import report_of
from reporting.sections.catalogue import NAMES, section_name

WHERE = "reporting.make_report"


def make_report(
    config: str | Path | Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
    *,
    trials: Any = None,
    sections: Sequence[Callable[[Results], Section | None]] = (),
    frames: Mapping[str, pl.DataFrame] | None = None,
    **keys: Any,
) -> Path:
    """Make a report and return the directory it stands in.

    ``config`` is the path of a config file; or ``trials`` is a table (Polars, pandas, Arrow), the path of
    one, or the config's keys under ``trials`` with such a ``source``, and ``keys`` (or a mapping as
    ``config``) hold the other keys of the config. ``out`` is needed without a config file; the report's
    title is then the folder's name, unless ``title`` says it. ``tell`` hears of every stage.

    ``sections`` are functions that write sections of your own from the results, None where there is nothing
    to say. They follow the answer, or stand where ``report.sections`` names them: ``def by_site(results)``
    is ``by-site`` there. ``frames`` are tables of your own, which stand beside ours in ``frames/`` and reach
    the sections as ``results.frames``.

    Raises ConfigError, DataError or OutputError, and then leaves the last good report untouched.
    """
    names = [section_name(write) for write in sections]
    if isinstance(config, str | Path):
        if trials is not None or keys:
            more = "trials" if trials is not None else next(iter(keys))
            raise ConfigError(
                f"{more} ({WHERE}): the config file sets it; change it there, or with overrides such as"
                " 'significance.replicates=999'"
            )
        plan = read_plan(Path(config), overrides, names)
    else:
        if out is None:
            raise ConfigError(f"out ({WHERE}): without a config file it names the folder of the report")
        settings = {**(config or {}), **keys} | ({} if trials is None else {"trials": trials})
        settings = {"title": Path(out).resolve().name, **settings, "trials": _trials(settings.get("trials"))}
        plan = plan_of(settings, WHERE, overrides, names)
    _check_sections(names, [section.name for section in plan.report.own])
    _check_frames(frames or {})
    plan = replace(plan, sections=tuple(sections), frames=frames or {})
    return report_of(plan, None if out is None else Path(out), tell)


def _check_sections(names: Sequence[str], from_templates: Sequence[str]) -> None:
    taken = {*NAMES, *from_templates}
    for name in names:
        if not name.replace("-", "_").isidentifier():
            raise ConfigError(f"sections ({WHERE}): expected a function with a name, found {quoted(name)}")
        if name in taken:
            raise ConfigError(f"sections ({WHERE}): there is a section {name!r} already; rename the function")
        taken.add(name)


def _check_frames(frames: Mapping[str, object]) -> None:
    for name, frame in frames.items():
        if not WORD.fullmatch(name) or not isinstance(frame, pl.DataFrame):
            raise ConfigError(f"frames ({WHERE}): expected a name such as 'by_site' and a Polars frame")
        if name in FRAMES:
            raise ConfigError(f"frames ({WHERE}): there is a frame {name!r} already; name it otherwise")


def _trials(given: Any) -> Mapping[str, Any]:
    if given is None:
        raise ConfigError(f"{WHERE}: expected a config file, or trials=, a table or the path of one")
    keys = dict(given) if isinstance(given, Mapping) else {"source": given}
    return keys | ({"source": source_of(keys["source"], WHERE)} if "source" in keys else {})
