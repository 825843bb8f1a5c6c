"""The key ``learning``: which trials each training was tested on, and how many it was trained on."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationInfo

from reporting.base.records import dataclass
from reporting.core.engine.study import Study
from reporting.document.keys import PLAIN, ConfigValues, QuestionKey, Text, fault, true_or


@dataclass(frozen=True)
class Learning(ConfigValues):
    """What is known of the trainings; a run is a training, or a repeat of a cross-validation."""

    folds: Annotated[
        Text | None,
        Field(
            description="column of the fold in which a run tested the trial, of a cross-validation or of"
            " repeated ones; default: that of thresholds.column, or the folds of trials.runs: fold, and else"
            " every run tests all trials"
        ),
    ] = None
    training: Annotated[
        Annotated[int, Field(ge=1, le=10**12), PLAIN] | None,
        Field(description="trials that each training learnt from; default: all that its fold does not test"),
    ] = None


def _has_trainings(value: Learning | None, info: ValidationInfo) -> Learning | None:
    """Refuse what is no training, and folds that are not in the rows."""
    if value is None:
        return value
    trials, thresholds = info.data.get("trials"), info.data.get("thresholds")
    runs, columns = getattr(trials, "runs", "seed"), getattr(trials, "columns", None)
    if runs == "reader":
        raise fault("runs are readers, and no trainings; expected trials.runs to be seed or fold")
    if info.data.get("averaged_over") is not None:
        raise fault("a mean over groups is not computed by training; leave averaged_over out")
    if value.folds is None:
        if value.training is not None and runs != "fold" and getattr(thresholds, "column", None) is None:
            raise fault("training needs folds: expected folds to name a column, such as {folds: fold}")
        return value
    if runs == "fold":
        raise fault("with trials.runs: fold, runs are the folds; leave folds out: {learning: true}")
    if getattr(trials, "layout", "long") == "counts" or getattr(trials, "count", "here") == "there":
        raise fault("counts do not keep in which fold each run tested a trial; expected a table of trials")
    if columns is not None and "trial" in columns.without() and getattr(trials, "layout", "") != "wide":
        raise fault("folds need a trial key; name it in trials.columns.trial")
    return value


LEARNING_KEY = QuestionKey[Learning | None](
    name="learning",
    after="averaged_over",
    kind=true_or(
        Learning,
        {},
        {
            "type": "object",
            "properties": {
                "folds": {"type": ["string", "number"]},
                "training": {"type": "integer", "minimum": 1},
            },
            "additionalProperties": False,
        },
    ),
    description="evaluate the procedure that trains each model: {folds: fold}, the column of folds of one"
    " cross-validation, or of one in each run; true where each run is a training that tests all trials",
    check=_has_trainings,
    run_folds=lambda value: None if value is None else value.folds,
    only_given=True,
    allows_noise=False,
)
KEYS = (LEARNING_KEY,)


def has_folds(study: Study) -> bool:
    """Return whether each training is tested on a fold, and not on all trials."""
    value = LEARNING_KEY.of(study)
    folded = value is not None and value.folds is not None
    return folded or study.runs == "fold" or study.thresholds.column is not None
