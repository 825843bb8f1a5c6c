"""The ``comparisons`` frame: every difference between two models on test, with interval and p-values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from reporting.criteria.criterion import Criterion
from reporting.frames.contrasts import Decisions, Pair, compare_sweeps
from reporting.frames.epc import at_alpha
from reporting.frames.macro import Macro, macro_comparison
from reporting.frames.metrics import dev_flags
from reporting.frames.operations import Operating, alphas
from reporting.frames.parts import Part
from reporting.frames.resampling import Resampling
from reporting.frames.study import Study
from reporting.frames.values import defined, status_of
from reporting.measures.measure import Measure
from reporting.significance.adjust import adjust
from reporting.significance.compare import Comparison


@dataclass(frozen=True, eq=False)
class Question:
    """One comparison to make. ``criterion`` None: over the sweep; ``parameter``: one alpha of an EPC."""

    measure: Measure
    criterion: Criterion | None = None
    parameter: float | None = None
    at: int = 0
    """Which of the operation's thresholds: the index of the alpha."""

    @property
    def at_its_alpha(self) -> Measure:
        """The measure with the row's own alpha where it is written bare along an EPC."""
        return self.measure if self.parameter is None else at_alpha(self.measure, self.parameter)


def comparison_rows(
    models: list[Operating], drawn: Resampling, study: Study, pool: Executor
) -> list[dict[str, Any]]:
    """Return every comparison on one dataset or group; p-values are not yet adjusted."""
    done = pool.map(lambda pair: list(_pair_rows(pair, drawn, study)), model_pairs(models, study))
    return [row for rows in done for row in rows]


def model_pairs(models: list[Operating], study: Study) -> list[Pair]:
    """Every model against the baseline; without one, every later model against every earlier one."""
    by_key = {m.key.model: m for m in models}
    ordered = [by_key[key] for key in study.in_order(list(by_key))]
    if study.baseline is not None:
        base = by_key[study.baseline]
        return [Pair(m, base) for m in ordered if m is not base]
    return [Pair(later, earlier) for earlier, later in itertools.combinations(ordered, 2)]


def _pair_rows(pair: Pair, drawn: Resampling, study: Study) -> Iterator[dict[str, Any]]:
    for question, found in _answers(pair, drawn, study):
        row = _row(pair, question, study)
        yield row if found is None else row | _found(pair, question, drawn, study, pair.turned(found))


def _answers(pair: Pair, drawn: Resampling, study: Study) -> Iterator[tuple[Question, Comparison | None]]:
    """Every question with its answer; None where trials have no key and cannot be paired."""
    for name, questions in _questions(pair, study).items():
        decisions = Decisions(pair, name, drawn, study) if name and drawn.ranks.paired else None
        for question in questions:
            if not drawn.ranks.paired:
                yield question, None
            elif decisions is None:
                yield question, compare_sweeps(pair, question.measure, drawn, study)
            else:
                yield question, decisions.compare(question.at_its_alpha, question.at)


def _questions(pair: Pair, study: Study) -> dict[str, list[Question]]:
    """All questions by the name of the operation that sets their thresholds ("" over the sweep)."""
    asked = {"": [Question(measure) for measure in study.measures if measure.over != "threshold"]}
    for criterion, operation in pair.model.single.items():
        if criterion in study.criteria and criterion in pair.baseline.single:
            asked[operation.name] = [Question(m, criterion) for m in study.measures if m.over == "threshold"]
    for criterion, operation in pair.model.along.items():
        if criterion not in pair.baseline.along:
            continue
        asked[operation.name] = [
            Question(measure, criterion, float(alpha), at)
            for measure in (study.epc.measures if study.epc else ())
            for at, alpha in enumerate(alphas(study))
        ]
    return asked


def _row(pair: Pair, question: Question, study: Study) -> dict[str, Any]:
    """The columns that do not depend on the answer."""
    key, criterion = pair.model.key, question.criterion
    return {
        "dataset": key.dataset,
        "split": key.split,
        "group": key.group,
        "measure": str(question.measure),
        "criterion": None if criterion is None else str(criterion),
        "parameter": question.parameter,
        "model": key.model,
        "baseline": pair.baseline.key.model,
        "inference": "given_thresholds" if criterion else None,
        "family": _family(question, key.group, study),
        "status": "no_trial_key",
        "flags": [],
    }


def macro_rows(macro: Macro, part: Part, study: Study) -> Iterator[dict[str, Any]]:
    """Yield the comparisons of macro means: the values of the column are the units."""
    for pair in model_pairs(part.models, study):
        first, second = (model.key.model for model in pair.ordered)
        for measure, criterion in macro.values:
            made, n_units = macro_comparison(macro, (measure, criterion), first, second, study)
            row = _row(pair, Question(measure, criterion), study) | {"group": macro.group}
            found = pair.turned(made)
            units = {"family": "descriptive", "unit": "cluster", "n_units": n_units}
            yield row | units | _answer(found, study)


def _family(question: Question, group: str, study: Study) -> str:
    """The alphas of an EPC are a curve, and groups a breakdown: never single members of a family."""
    if question.parameter is not None or group:
        return "descriptive"
    if study.inference.family == "all":
        return "all"
    asked = study.primary
    at_its_thresholds = question.criterion is None or question.criterion == asked.criterion
    return "primary" if question.measure == asked.measure and at_its_thresholds else "descriptive"


def _found(
    pair: Pair, question: Question, drawn: Resampling, study: Study, found: Comparison
) -> dict[str, Any]:
    """The columns of an answer."""
    made = found.p_value is not None
    return _answer(found, study) | {
        "unit": drawn.units.name if made else None,
        "n_units": drawn.units.n_units if made else None,
        "status": found.status or status_of(found.difference, *pair.model.test.trials),
        "flags": sorted({*found.flags, *drawn.flags, *_dev_flags(pair, question)}),
    }


def _answer(found: Comparison, study: Study) -> dict[str, Any]:
    """The columns that any answer has."""
    return {
        "difference": defined(found.difference),
        "ci_low": found.low,
        "ci_high": found.high,
        "level": study.inference.level if found.ci_method else None,
        "ci_method": found.ci_method,
        "p_value": found.p_value,
        "p_method": found.p_method,
        "p_percentile": found.p_percentile,
        "p_exact": found.p_exact,
        "replicates": found.replicates,
        "mc_error": found.mc_error,
        "design_effect": found.design_effect,
        "status": found.status,
        "flags": sorted(found.flags),
    }


def _dev_flags(pair: Pair, question: Question) -> list[str]:
    criterion = question.criterion
    if criterion is None:
        return []
    models = (pair.model, pair.baseline)
    chosen = [(m.single if question.parameter is None else m.along)[criterion] for m in models]
    return [flag for m, o in zip(models, chosen, strict=True) for flag in dev_flags(m, o, question.at)]


def with_adjusted(rows: list[dict[str, Any]], study: Study) -> list[dict[str, Any]]:
    """Adjust the p-values of the family over all datasets; the rest stays descriptive, unadjusted.

    With the correction ``none`` no adjusted p stands in the frame.
    """
    order = ("dataset", "group", "measure", "criterion", "model", "baseline")
    rows = sorted(rows, key=lambda row: [row[name] or "" for name in order])
    members = [row for row in rows if row["family"] != "descriptive" and row["status"] != "no_trial_key"]
    correction = study.inference.correction
    # A comparison that cannot be tested keeps its place in the family: it must not ease the others.
    p_values = [1.0 if row["p_value"] is None else row["p_value"] for row in members]
    for row, p in zip(members, adjust(p_values, correction), strict=True):
        tested = row["p_value"] is not None and correction != "none"
        row |= {
            "p_adjusted": p if tested else None,
            "correction": correction,
            "family_size": len(members),
        }
    return rows
