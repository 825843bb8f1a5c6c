"""What a config means once it is read: the values the rest of the program works with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporting.base.execution import LentPool
from reporting.base.execution.kinds import Kind
from reporting.base.records import dataclass, field, replace
from reporting.base.resources import OwnTemplates
from reporting.core.engine.study import ModelEntry, Study
from reporting.core.measures.catalogue import MEASURES
from reporting.inputs.spec import TrialSpec

if TYPE_CHECKING:
    import polars as pl

    from reporting.document.sections import Writer
    from reporting.features.own_sections import OwnSection


MOST_IN_PAIRS = 10
"""Of more models without a baseline a report compares no pairs one by one; it ranks the models."""


@dataclass(frozen=True)
class ReportSpec:
    """Which formats to write, and how they speak."""

    formats: tuple[str, ...]
    interactive: bool
    vocabulary: str
    sections: tuple[str, ...] = ("rest",)
    """Anchors of sections in order; ``rest`` means all that are not named."""
    templates: OwnTemplates | None = None
    own: tuple[OwnSection, ...] = ()
    """Sections of the user's own, from that folder."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """By code, the reason why its cautions are folded away."""


@dataclass(frozen=True)
class Execution:
    """Where work runs; never changes a byte of the frames. ``workers`` None: all cores."""

    executor: Kind
    workers: int | None
    address: str | None = None
    """Of the Dask scheduler."""
    folder: Path | None = None
    """Where values pass between processes; None: the temporary folder."""
    cache: Path | None = None
    """Where results are remembered; None: not at all."""
    cache_limit: int = 4 * 2**30
    """Bytes that it may take."""
    pool: LentPool | None = field(default=None, compare=False)
    """What a Python program lends to run the work; it takes the place of ``executor``."""


@dataclass(frozen=True)
class Plan:
    """A config as values.

    ``resolved`` is the whole config with its defaults as plain JSON-able data, for the manifest;
    paths are in it as the user wrote them.
    """

    source: Path
    trials: TrialSpec
    study: Study
    report: ReportSpec
    execution: Execution
    resolved: Mapping[str, Any]
    sections: tuple[Writer, ...] = ()
    """Written by functions of the caller's, each named by ``section_name``."""
    frames: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """Of the caller's own, by name."""

    def without_dev(self) -> Plan:
        """Return the plan for a table from which no thresholds are chosen."""
        study = study_without_dev(self.study)
        resolved = {
            **self.resolved,
            "primary": {"measure": str(study.primary.measure), "criterion": None},
            "criteria": [str(criterion) for criterion in study.criteria],
            "measures": [str(measure) for measure in study.measures],
            "operating_points": [],
            "epc": "none",
            "thresholds": {**self.resolved["thresholds"], "policy": "none"},
        }
        if study.primary.measure.over == "threshold":
            resolved["primary"]["criterion"] = str(study.primary.criterion)
        return replace(self, study=study, resolved=resolved)


def study_without_dev(study: Study) -> Study:
    """Return what can be asked where no threshold is chosen before the test.

    A primary measure at a threshold is then read at the first one that is set in advance; without any,
    AUC is the primary measure.
    """
    set_in_advance = tuple(criterion for criterion in study.criteria if criterion.threshold is not None)
    primary = study.primary
    if primary.measure.over == "threshold" and primary.criterion.needs_dev:
        at_first = [replace(primary, criterion=criterion) for criterion in set_in_advance]
        primary = next(iter(at_first), replace(primary, measure=MEASURES["auc"]))
    measures = study.measures if primary.measure in study.measures else (primary.measure, *study.measures)
    return replace(
        study,
        primary=primary,
        criteria=tuple(criterion for criterion in study.criteria if not criterion.needs_dev),
        unplaced=tuple(
            criterion for criterion in study.criteria if criterion.needs_dev and criterion != study.implied
        ),
        measures=measures,
        epc=None,
        operating_points=(),
        thresholds=replace(study.thresholds, policy="none"),
    )


def study_of_all(study: Study, models: Iterable[str]) -> Study:
    """Return the study with an entry for every model whose lower scores favour the target."""
    if not study.turned:
        return study
    declared = {entry.key for entry in study.models}
    others = sorted({*models} - declared, key=lambda key: key.encode())
    return replace(
        study, models=(*study.models, *(ModelEntry(key, key, "score", "nontarget") for key in others))
    )


def study_of_models(study: Study, n: int) -> Study:
    """Return what can be asked of so many models: without a baseline, very many are not paired."""
    return replace(study, many=study.baseline is None and n > MOST_IN_PAIRS)
