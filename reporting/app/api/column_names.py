"""A table whose columns are not called as the contract calls them: the keys that would name them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reporting.app.init.starter import trial_keys
from reporting.errors import CodedFault, DataError
from reporting.inputs.files import open_file
from reporting.inputs.spec import File, InMemory, TrialSpec

MISSING = "TR603"
"""The code of a table without a column that it must have."""

WITHOUT_SPLIT = (
    "a criterion needs trials to choose its threshold on; pass split= with 'dev' for those trials,"
    " folds=cv.split(X, y) to from_predictions where the scores were predicted out of fold,"
    " thresholds={'policy': 'kfold'}, or criteria=['fixed(threshold=0.5)']"
)
"""What to write where labels and scores come without a split."""


@contextmanager
def columns_recognised(spec: TrialSpec, where: str, *, arrays: bool = False) -> Iterator[None]:
    """Name in the error for missing columns the keys that ``reporting init`` would write for such a table.

    Of ``arrays``, labels and scores, nothing but the split can be missing.
    They are proposed, not taken: only who knows the table knows which of its numbers are scores.
    """
    try:
        yield
    except DataError as error:
        if MISSING not in error.codes:
            raise
        proposed = f"{where}: {WITHOUT_SPLIT}" if arrays else _proposed(spec, where)
        if not proposed:
            raise
        raise DataError(CodedFault(proposed, MISSING)) from None


FORMS = {
    "long": "one row per trial and model",
    "wide": "one column of scores per model",
    "classes": "one column of scores per class",
    "histogram": "one column of numbers of trials per class",
}
"""What a table looks like, by the layout that would read it."""


def _proposed(spec: TrialSpec, where: str) -> str:
    """Say what a table seems to be and the keyword to write for it; empty where it seems to be no trials."""
    source = spec.sources[0] if len(spec.sources) == 1 else None
    if spec.layout != "long" or spec.columns or not isinstance(source, File | InMemory):
        return ""
    try:
        columns, keys = open_file(source, spec.written).collect_schema().names(), trial_keys(source)
    except DataError:
        return ""
    if not keys or all(spec.has(name, columns) for name in ("model", "label", "score")):
        return ""
    form = FORMS[keys.get("layout", "long")]
    return (
        f"{source.name} ({where}): its columns are not all called model, label and score; it looks like a"
        f" table with {form}. If these are its columns, write trials={keys!r}"
    )
