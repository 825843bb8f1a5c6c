"""The words of run history: how values of several runs are printed, and how two runs and a trend are put."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reporting.base.records import dataclass
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.frames.history import SinceLastRow
from reporting.document.words.codes import CI_METHODS, FLAGS, P_METHODS, Method
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.terms import DETECTION, Terms
from reporting.errors import ConfigError
from reporting.features.history.frame import ChangeRow


@dataclass(frozen=True)
class LabelledPrinting(Printing):
    """The texts of one measure over several runs, with the measure's name."""

    label: str

    @property
    def title(self) -> str:
        """The measure with its unit, for the head of a column or an axis."""
        return f"{self.label} (%)" if self.percent else self.label

    def interval(self, low: float | None, high: float | None) -> str:
        """Print an interval without its unit; nothing where there is none."""
        return "" if low is None or high is None else super().interval(low, high)

    def value_and_interval(self, value: float | None, low: float | None, high: float | None) -> str:
        """Print a value and its interval."""
        return f"{self.value(value)} {self.interval(low, high)}".rstrip()


def known_measure(text: str) -> Measure | None:
    """Return the measure of a name; None where this version does not know it."""
    try:
        return read_measure(text)
    except ConfigError:
        return None


def labelled_printing(
    text: str, limits: Iterable[tuple[float | None, float | None, float | None]]
) -> LabelledPrinting:
    """Return how a measure is printed with these limits and their level: two digits of the typical error."""
    measure = known_measure(text)
    printing = Printing.of(measure, (standard_error(*each) for each in limits))
    label = text if measure is None else DETECTION.measure(measure)
    return LabelledPrinting(printing.percent, printing.decimals, label)


def place_phrase(dataset: str, group: str = "") -> str:
    """Name a dataset and group; empty where there is only one dataset."""
    return ", ".join(name for name in ("" if dataset == "all" else dataset, group) if name)


def bands_phrase(levels: Iterable[float | None]) -> str:
    """Return what the bands of a trend are: the intervals of the runs, of one level or of several."""
    known = {level for level in levels if level is not None}
    level = f"{100 * known.pop():.10g}% " if len(known) == 1 else ""
    return f"; bands: {level}CI of each run"


def methods_of(
    rows: Sequence[SinceLastRow], names: Mapping[str, str], spoken: Terms = DETECTION
) -> list[str]:
    """Return how rows were made, once for all that were made alike, and which contradict themselves."""
    disagreeing = [row for row in rows if "ci_p_disagree" in row.flags]
    models = ", ".join(names.get(row.model, row.model) for row in disagreeing)
    notes = [FLAGS["ci_p_disagree"].runs.format(models=models)] if disagreeing else []
    return [*dict.fromkeys(method_of(row, spoken) for row in rows), *notes]


def method_of(row: SinceLastRow, spoken: Terms) -> str:
    """Return whether a difference is paired, on which trials, and how its interval was made."""
    shared, now, then = row.n_shared, row.n_trials, row.n_trials_then
    if row.pairing == "paired":
        method = _between_runs(row.p_method, P_METHODS) or "no test"
        whole = (
            f" (this run has {_count(now)}, the previous one {_count(then)})"
            if not shared == now == then
            else ""
        )
        return f"Paired on {_count(shared)} shared {spoken.trials}{whole}: {method}."
    method = _between_runs(row.ci_method, CI_METHODS) or "no interval"
    some = f" ({_count(shared)} of {_count(now)} {spoken.trials} are shared)" if shared is not None else ""
    return f"Not paired{some}, treating the runs as independent: {method}."


def _between_runs(method: str | None, methods: Mapping[str, Method]) -> str:
    known = methods.get(method or "")
    return known.between_runs if known else ""


def change_phrase(row: ChangeRow, spoken: Terms = DETECTION) -> str:
    """Return one row of ``changes`` in a few words; empty for what is no difference."""
    place, n = "" if row.name == "all" else f" of {row.name}", _count(row.count)
    match row.kind:
        case "input":
            return f"input {row.name}: {_kind_of_change(row)}"
        case "config":
            then, now = ("the default" if value is None else value for value in (row.then, row.now))
            return f"configuration {row.name}: {now}, previously {then}"
        case "test":
            now, then = (
                ", ".join(
                    P_METHODS[key].name if key in P_METHODS else key for key in (methods or "").split(", ")
                )
                for methods in (row.now, row.then)
            )
            return f"{row.name}: {now}, previously {then}; p-values of the two runs are not comparable"
        case "model":
            return f"model {row.name}: {_kind_of_change(row)}"
        case "trials.shared":
            return f"{spoken.trials}{place}: {n} shared"
        case "trials.new" | "trials.gone":
            return f"{spoken.trials}{place}: {n} {'new' if row.kind == 'trials.new' else 'removed'}"
        case "trials.relabelled":
            relabelled = spoken.say("shared trials have another label and are excluded from pairs")
            return f"{spoken.trials}{place}: {n} {relabelled}"
    return ""


def stale_sentence(row: ChangeRow, spoken: Terms = DETECTION) -> str:
    """Return what a run repeats: the inputs, or the decisions, of an earlier one."""
    whose = f"those of the run of {row.then} ({row.name[:SHORT]})"
    what = "The input files are"
    if row.now == "decisions":
        what = f"All {_count(row.count)} test {spoken.trials}, and every decision on them, are"
    return f"{what} {whose}: nothing new was tested, and values, gates and trends repeat that run."


SHORT = 8
"""So many digits of the id of a run are printed."""


def _kind_of_change(row: ChangeRow) -> str:
    if row.then is None:
        return "new"
    return "removed" if row.now is None else "contents changed"


def _count(n: int | None) -> str:
    return "—" if n is None else numbers.count(n)
