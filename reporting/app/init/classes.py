"""Tables with a column for each class: of its scores, or of its numbers of trials at every score."""

from __future__ import annotations

from collections.abc import Sequence

from reporting.app.init.columns import BARE_PAIRS, PAIRS, SampleColumn, class_word, has_word, rank, words
from reporting.app.init.evidence import one_model
from reporting.app.init.labels import NONTARGET, TARGET
from reporting.app.init.lines import Line, column_line
from reporting.app.init.splits import split_lines
from reporting.app.init.table import SampleTable
from reporting.base.records import dataclass
from reporting.errors import listed, quoted

COUNTED = (
    "n", "num", "number", "count", "counts", "freq", "frequency", "of", "score", "scores", "hist", "trials",
)  # fmt: skip
"""Words in the name of a column of a class that do not name the class."""
EDGES = (
    "bin", "bins", "threshold", "edge", "edges", "center", "centre", "mid", "midpoint", "low", "lower",
    "from", "value",
)  # fmt: skip
"""Words in the name of the scores of a histogram, besides those of scores."""
FEWEST_BINS = 5
"""Rows from which numbers that only rise or only fall are more likely running totals."""


@dataclass(frozen=True, eq=False)
class ClassTable:
    """A table whose columns of numbers are its classes; ``score`` is None where they hold the scores."""

    target: SampleColumn
    nontarget: SampleColumn
    score: SampleColumn | None
    others: tuple[SampleColumn, ...]
    """Further columns that might be the scores of a histogram."""

    @property
    def layout(self) -> str:
        """The word of its layout."""
        return "classes" if self.score is None else "histogram"

    @property
    def doubt(self) -> str:
        """What leaves it open; empty where nothing does."""
        both = f"{quoted(self.target.name)} and {quoted(self.nontarget.name)}"
        if self.score is None:
            same = self.target.n_missing == self.nontarget.n_missing
            return f"do {both} each hold the scores of the trials of one class?" if same else ""
        if self.others:
            names = listed(quoted(column.name) for column in (self.score, *self.others))
            return f"which of {names} is the score of a row? the columns of classes count trials"
        order = self.score.numbers.arg_sort()
        steps = [each.numbers[order].diff().drop_nulls() for each in (self.target, self.nontarget)]
        if all(len(each) >= FEWEST_BINS and ((each >= 0).all() or (each <= 0).all()) for each in steps):
            return f"are {both} the numbers of trials at each score, and not running totals?"
        return ""


def class_table(table: SampleTable) -> ClassTable | None:
    """Return the classes of a table without labels, by the names of its columns; None where it has none."""
    numbers = [column for column in table.columns if column.is_numeric]
    pair, label = _pair(numbers), table.roles.get("label")
    if pair is None or (label is not None and (label not in pair or len(label.values) <= len(pair))):
        return None
    left = [column for column in numbers if column not in pair]
    if left and all(not it.is_fractional and (it.numbers.drop_nulls() >= 0).all() for it in pair):
        named = [it for it in left if rank(it.name, "score") is not None or has_word(it.name, EDGES)] or left
        return ClassTable(*pair, named[0], tuple(named[1:]))
    # Probabilities of two classes are no scores of trials of one class each.
    return None if one_model(pair, None) else ClassTable(*pair, None, ())


def _pair(columns: Sequence[SampleColumn]) -> tuple[SampleColumn, SampleColumn] | None:
    """Return the columns of targets and of non-targets, where names show one of each."""
    by_word: dict[str, list[SampleColumn]] = {}
    for column in columns:
        bare = " ".join(word for word in words(column.name) if word not in COUNTED)
        by_word.setdefault(class_word(bare), []).append(column)
    held = [
        pair for pair in PAIRS if pair not in BARE_PAIRS and all(len(by_word.get(it, ())) == 1 for it in pair)
    ]
    return (by_word[held[0][0]][0], by_word[held[0][1]][0]) if held else None


def class_lines(table: SampleTable, classes: ClassTable) -> list[Line]:
    """Write the keys that such a table needs."""
    of_row = (
        "a column of scores for each class"
        if classes.score is None
        else "a column of numbers of trials a class"
    )
    lines = [Line(("trials", "layout"), classes.layout, classes.doubt or of_row, bool(classes.doubt))]
    if classes.score is not None and classes.score.name != "score":
        lines.append(column_line("score", classes.score.name, classes.score.summary))
    lines += [
        column_line(ours, column.name, column.summary)
        for ours, column in table.roles.items()
        if ours in ("split", "run", "dataset") and column.name != ours
    ]
    why = "columns of the classes, by their names"
    lines += [Line(TARGET, classes.target.name, why), Line(NONTARGET, classes.nontarget.name)]
    return [*lines, *split_lines(table.splits, None, can_part=False)]
