"""The file ``thresholds.json`` of a report."""

from __future__ import annotations

import json
from itertools import groupby

from reporting.core.criteria.catalogue import read_criterion
from reporting.document.frames.results import Results
from reporting.document.words.terms import VOCABULARIES
from reporting.features.handover.frame import HANDOVER, SCORES, HandoverRow, ScoresRow
from reporting.features.handover.handed import (
    SCHEMA,
    DevelopmentSet,
    ExpectedRate,
    ExpectedRates,
    HandedThreshold,
    Handover,
    ObservedEvent,
    ScoreShare,
    TrialColumns,
)
from reporting.inputs.spec import TrialSpec

NAME = "thresholds.json"
VALID = (
    "while new trials come from the population of the test set: reporting drift thresholds.json NEW_SCORES"
    " checks it"
)


def thresholds_file(results: Results, trials: TrialSpec) -> dict[str, bytes]:
    """Return the file by its name; nothing where the config does not ask for it."""
    rows = results.rows(HANDOVER)
    if not rows:
        return {}
    scores: dict[tuple[str, str, str], list[ScoreShare]] = {}
    for row in results.rows(SCORES):
        shown = ScoreShare(**{name: getattr(row, name) for name in ScoreShare.model_fields})
        scores.setdefault(_place(row), []).append(shown)
    by_threshold = groupby(rows, key=lambda row: (_place(row), row.criterion))
    handed = [_threshold(results, list(of), scores.get(place, [])) for (place, _), of in by_threshold]
    order = {model: at for at, model in enumerate(results.models)}
    handed.sort(key=lambda each: (each.dataset, order.get(each.model, 0)))
    inference = results.study.inference
    clustered = results.cluster is not None and inference.unit != "trial"
    whole = Handover.model_validate(
        {
            "$schema": SCHEMA,
            "title": results.study.title,
            "version": results.provenance.version,
            "as_of": results.provenance.as_of,
            "vocabulary": results.study.vocabulary,
            "level": inference.level,
            "unit": "cluster" if clustered else "trial",
            "valid": VALID,
            "trials": _columns(results, trials),
            "thresholds": handed,
        }
    )
    text = json.dumps(whole.model_dump(by_alias=True), indent=2, ensure_ascii=False, allow_nan=False)
    return {NAME: f"{text}\n".encode()}


def _place(row: HandoverRow | ScoresRow) -> tuple[str, str, str]:
    return row.dataset, row.model, row.run


def _threshold(results: Results, rows: list[HandoverRow], scores: list[ScoreShare]) -> HandedThreshold:
    first, study = rows[0], results.study
    criterion = read_criterion(first.criterion)
    lower, spoken = first.model in study.negated, VOCABULARIES[study.vocabulary]
    expected = {row.rate: _expected(row) for row in rows}
    dev = None
    if first.dev_digest is not None:
        dev = DevelopmentSet(
            dataset=results.dev_of.get(first.dataset, first.dataset),
            targets=first.dev_targets or 0,
            nontargets=first.dev_nontargets or 0,
            sha256=first.dev_digest,
        )
    return HandedThreshold(
        model=first.model,
        run=first.run,
        dataset=first.dataset,
        criterion=first.criterion,
        rule=f"{spoken.threshold} {spoken.rule(criterion)}"
        if criterion.rule
        else spoken.criterion(criterion),
        primary=criterion == study.point_criterion,
        threshold=first.threshold,
        higher_is="nontarget" if lower else "target",
        accept=f"score {'<=' if lower else '>='} threshold",
        source=first.threshold_source,  # type: ignore[arg-type]
        dev=dev,
        expected=ExpectedRates(**expected),
        scores=scores,
    )


def _expected(row: HandoverRow) -> ExpectedRate:
    return ExpectedRate(**{name: getattr(row, name) for name in ExpectedRate.model_fields})


def _columns(results: Results, trials: TrialSpec) -> TrialColumns:
    """Return what columns are called; of layouts that are no tables new scores come in long form."""
    table, wide = trials.layout in ("long", "wide"), trials.layout == "wide"
    columns = dict(trials.columns) if table else {}
    clusters = {"cluster": results.cluster, "cluster_b": results.cluster_b} if table else {}
    values = trials.values
    return TrialColumns(
        layout="wide" if wide else "long",
        columns=columns | {name: called for name, called in clusters.items() if called is not None},
        without=sorted(trials.without) if table else [],
        scores=dict(results.score_columns) if wide else {},
        target=list(values.target),
        nontarget=list(values.nontarget) if isinstance(values.nontarget, tuple) else values.nontarget,
        spoof=list(values.spoof),
        event=values.event and ObservedEvent(bound=values.event[0], number=values.event[1]),
        missing=trials.missing,
        pools=trials.pools,
        cluster_pattern=trials.cluster_pattern,
    )
