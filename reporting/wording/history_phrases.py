"""The words of run history: how values of several runs are printed, and how two runs and a trend are put."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reporting.errors import ConfigError
from reporting.frames import ChangeRow, SinceLastRow
from reporting.measures.catalogue import read_measure
from reporting.measures.measure import Measure
from reporting.report import numbers
from reporting.wording.codes import CI_METHODS, FLAGS, P_METHODS, Method
from reporting.wording.printing import Printing, standard_error
from reporting.wording.terms import terms


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
    text: str, limits: Iterable[tuple[float | None, float | None]], vocabulary: str = "detection"
) -> LabelledPrinting:
    """Return how a measure is printed beside these intervals: two digits of their typical error."""
    measure = known_measure(text)
    printing = Printing.of(measure, (standard_error(low, high) for low, high in limits))
    label = text if measure is None else terms(vocabulary).measure(measure)
    return LabelledPrinting(printing.percent, printing.decimals, label)


def place_phrase(dataset: str, group: str = "") -> str:
    """Name a dataset and group; empty where there is only one dataset."""
    return ", ".join(name for name in ("" if dataset == "all" else dataset, group) if name)


def bands_phrase(levels: Iterable[float | None]) -> str:
    """Return what the bands of a trend are: the intervals of the runs, of one level or of several."""
    known = {level for level in levels if level is not None}
    level = f"{100 * known.pop():g} % " if len(known) == 1 else ""
    return f"; bands: the {level}interval of each run"


def methods_of(rows: Sequence[SinceLastRow], names: Mapping[str, str]) -> list[str]:
    """Say once for all rows that were made alike how they were, and which of them contradict themselves."""
    disagreeing = [row for row in rows if "ci_p_disagree" in row.flags]
    models = ", ".join(names.get(row.model, row.model) for row in disagreeing)
    notes = [FLAGS["ci_p_disagree"].runs.format(models=models)] if disagreeing else []
    return [*dict.fromkeys(map(method_of, rows)), *notes]


def method_of(row: SinceLastRow) -> str:
    """Say whether a difference is paired, on which trials, and how its interval was made."""
    shared, now, then = row.n_shared, row.n_trials, row.n_trials_then
    if row.pairing == "paired":
        method = _between_runs(row.p_method, P_METHODS) or "no test"
        whole = f" of {_count(now)} now and {_count(then)} then" if not shared == now == then else ""
        return f"Paired on {_count(shared)} shared trials{whole}: {method}."
    method = _between_runs(row.ci_method, CI_METHODS) or "no interval"
    beside = f" ({_count(shared)} of {_count(now)} trials are shared)" if shared is not None else ""
    return f"Unpaired, as if no trial were shared{beside}: {method}."


def _between_runs(method: str | None, methods: Mapping[str, Method]) -> str:
    known = methods.get(method or "")
    return known.between_runs if known else ""


def change_phrase(row: ChangeRow) -> str:
    """Put one row of ``changes`` in a few words; empty for what is no difference."""
    place, n = "" if row.name == "all" else f" of {row.name}", _count(row.count)
    match row.kind:
        case "input":
            then, now = ("absent" if digest is None else digest[:8] for digest in (row.then, row.now))
            return f"input {row.name}: {then} then, {now} now"
        case "config":
            then, now = ("not said" if value is None else value for value in (row.then, row.now))
            return f"config {row.name}: {then} then, {now} now"
        case "model":
            return f"model {row.name}: {'new' if row.then is None else 'gone'}"
        case "trials.shared":
            return f"trials{place}: {n} shared"
        case "trials.new" | "trials.gone":
            return f"trials{place}: {n} {row.kind.partition('.')[2]}"
        case "trials.relabelled":
            return f"trials{place}: {n} shared ones have another label, and are left out of pairs"
    return ""


def _count(n: int | None) -> str:
    return "—" if n is None else numbers.count(n)
