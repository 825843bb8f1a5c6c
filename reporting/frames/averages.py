"""Means over the values of a column: rows of ``metrics``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reporting.engine.macro import MacroMean, macro_of
from reporting.engine.operations import why_unplaced
from reporting.engine.values import defined
from reporting.frames.judged import JudgedPart
from reporting.frames.metrics import MetricRow


def macro_metrics(judged: JudgedPart) -> Iterator[MetricRow]:
    """Yield the rows of ``metrics``: the mean of every measure, with a percentile interval over its units."""
    macro = judged.once(macro_of, judged.part, judged.study)
    if macro is None:
        return
    for question, means in macro.means.items():
        criterion = question.criterion
        for model in judged.models:
            n_target, n_nontarget = model.test.trials
            row = MetricRow(
                **model.key._replace(group=macro.group)._asdict(),
                measure=str(question.measure),
                criterion=None if criterion is None else str(criterion),
                n_target=n_target,
                n_nontarget=n_nontarget,
            )
            of = means.get(model.key.model)
            if criterion is not None and of is not None:
                source = model.single[criterion].chosen.source
                row = replace(row, threshold_source=source, inference="given_thresholds")
            if of is not None:
                yield _with_mean(row, of)
            elif criterion is not None:
                yield replace(row, status=why_unplaced(criterion))


def _with_mean(row: MetricRow, of: MacroMean) -> MetricRow:
    if of.status:
        return replace(row, status=of.status)
    interval = of.interval()
    return replace(
        row,
        value=defined(of.point),
        ci_low=interval.low,
        ci_high=interval.high,
        level=of.design.level if interval.method else None,
        ci_method=interval.method,
        unit=of.design.unit,
        n_units=of.n,
        replicates=interval.replicates,
        flags=sorted({*of.design.flags, *([interval.withheld] if interval.withheld else [])}),
    )
