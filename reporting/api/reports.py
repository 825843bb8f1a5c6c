"""The report from Python: of a config file, or of a table and keys of the config."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reporting.api.query import source_of
from reporting.config.read import plan_of
from reporting.errors import ConfigError
from reporting.run import report

WHERE = "reporting.make_report"


def make_report(
    config: str | Path | Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
    *,
    trials: Any = None,
    **keys: Any,
) -> Path:
    """Make a report and return the directory it stands in.

    ``config`` is the path of a config file; or ``trials`` is a table (Polars, pandas, Arrow), the path of
    one, or the config's keys under ``trials`` with such a ``source``, and ``keys`` (or a mapping as
    ``config``) hold the other keys of the config. ``out`` is needed without a config file; the report's
    title is then the folder's name, unless ``title`` says it. ``tell`` hears of every stage.

    Raises ConfigError, DataError or OutputError, and then leaves the last good report untouched.
    """
    if isinstance(config, str | Path):
        if trials is not None or keys:
            more = "trials" if trials is not None else next(iter(keys))
            raise ConfigError(
                f"{more} ({WHERE}): the config file says it; change it there, or with overrides such as"
                " 'significance.replicates=999'"
            )
        return report.make_report(Path(config), None if out is None else Path(out), overrides, tell)
    said = {**(config or {}), **keys} | ({} if trials is None else {"trials": trials})
    if out is None:
        raise ConfigError(f"out ({WHERE}): without a config file it names the folder of the report")
    target = Path(out)
    said = {"title": target.resolve().name, **said, "trials": _trials(said.get("trials"))}
    return report.report_of(plan_of(said, WHERE, overrides), target, tell)


def _trials(given: Any) -> dict[str, Any]:
    if given is None:
        raise ConfigError(f"{WHERE}: a config file is expected, or trials=, a table or the path of one")
    keys = dict(given) if isinstance(given, Mapping) else {"source": given}
    return keys | ({"source": source_of(keys["source"], WHERE)} if "source" in keys else {})
