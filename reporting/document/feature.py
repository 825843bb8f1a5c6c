"""What a feature is: one question of a report, and what answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from reporting.base.contents import Named
from reporting.base.extensions import imported
from reporting.base.records import dataclass
from reporting.document.needs import Need, TrialFacts
from reporting.document.sections import SectionSpec

if TYPE_CHECKING:
    from reporting.base.execution import Executor
    from reporting.core.counts.count import Counts
    from reporting.core.engine.curves import Curve
    from reporting.core.engine.study import Study
    from reporting.core.measures.measure import Measure
    from reporting.document.blocks import Caution, InWords
    from reporting.document.frames.recipe import Recipe
    from reporting.document.frames.results import Results
    from reporting.document.words.codes import Code, QuestionWords
    from reporting.document.words.view import DatasetView
    from reporting.inputs.spec import TrialSpec
    from reporting.inputs.table import TrialTable


@dataclass(frozen=True, kw_only=True)
class Feature(Named):
    """One question of a report: the sections and frames that answer it.

    A feature imports nothing that computes or draws before it is asked, because every config is checked
    against the names of sections. ``frames`` are modules, each with its ``RECIPES``; ``keys`` is the module
    whose ``KEYS`` of the config belong to it. ``cautions`` are functions of a view as ``module:function``,
    ``lines`` of the results, which add lines to the answer. ``measures`` are those of other packages; the
    program's are in the catalogue of ``core``.
    """

    sections: tuple[SectionSpec, ...] = ()
    frames: tuple[str, ...] = ()
    keys: str = ""
    cautions: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    """Functions of a counted run that raise DataError where the trials lack what the key of its name asks."""
    held: tuple[str, ...] = ()
    """Functions of the results that yield why the run is held back, before the answer."""
    lines: tuple[str, ...] = ()
    """Functions of the results that yield what the answer adds under its headline, a sentence each."""
    below: tuple[str, ...] = ()
    """Functions of the results that yield what the answer adds and a page has below its first table."""
    answer: str = ""
    """``module:name`` of a function of the results: the answer in words that opens the first screen."""
    summary: tuple[str, ...] = ()
    """Functions of a view whose blocks are on the first screen, above its cautions."""
    over_datasets: tuple[str, ...] = ()
    """Functions of the views of several datasets whose blocks sum these up, above those of each."""
    measures: tuple[Measure, ...] = ()
    curves: tuple[Curve, ...] = ()
    fits: str = ""
    """``module:name`` of the smooth curves that it fits."""
    figures: tuple[str, ...] = ()
    """Functions of a view whose figures open the section of curves."""
    words: str = ""
    """The package with its ``words.yaml``: codes, cautions and texts."""
    memory: str = ""
    """``module:name`` of a function of a study and its config's folder: the memory of a run, if any."""
    judge: str = ""
    """``module:name`` of a function of a study: what judges a run of it."""
    verdicts: tuple[str, ...] = ()
    """Functions of the results that yield its verdicts on the run."""
    commands: tuple[str, ...] = ()
    """Commands, of the program's own questions alone: functions as typer reads them, that return text."""
    files: tuple[str, ...] = ()
    """Functions of the results and of what the trials are (``TrialSpec``): further files by name."""
    asks: str = ""
    """The question in words; empty where it is none about trials."""
    needs: tuple[Need, ...] = ()
    """What trials must have, so that it can be answered."""
    by_key: bool = False
    """Whether a report has nothing of it unless a config gives one of its ``keys``: it is not loaded then."""

    def is_asked(self, study: Study) -> bool:
        """Return whether a report of a study may have something of it."""
        return not self.by_key or any(key.of(study) != key.default for key in imported(f"{self.keys}:KEYS"))

    def lacking(self, facts: TrialFacts) -> list[str]:
        """Return what trials lack for it; nothing where it can be answered."""
        return [text for need in self.needs if (text := need.lacking(facts))]

    def section(self, key: str) -> SectionSpec:
        """Return the section of an anchor."""
        return next(section for section in self.sections if section.key == key)

    def spoken(self) -> QuestionWords:
        """Return its words, which are read when the first is needed."""
        from reporting.document.words.codes import NO_WORDS, words_of

        return words_of(self.words) if self.words else NO_WORDS

    def code(self, name: str) -> Code:
        """Return a code of its ``words.yaml`` by its name."""
        return self.spoken().codes[name]

    def text(self, view: DatasetView, name: str, **facts: object) -> str:
        """Return a text of its ``words.yaml`` with facts, in the vocabulary of the report."""
        words = self.spoken()
        return words.fill(words.texts[name], view, **facts)

    def caution(self, view: DatasetView, name: str, grave: bool = False, **facts: object) -> Caution:
        """Return a caution of its ``words.yaml``: ``name``, or ``name.text`` where it has several texts."""
        return self.spoken().caution(view, name, grave, **facts)

    def in_words(self, results: Results) -> InWords:
        """Return the answer that opens the first screen."""
        answer: InWords = imported(self.answer)(results)
        return answer

    def written(self, results: Results, trials: TrialSpec) -> dict[str, bytes]:
        """Return its own files of a report, by name."""
        return {name: file for make in self.files for name, file in imported(make)(results, trials).items()}

    def check(self, table: TrialTable, counts: Counts, study: Study, pool: Executor) -> None:
        """Raise DataError where counted trials lack what its key, if it is there, names."""
        if not self.checks or self.key not in study.question_keys:
            return
        from reporting.document.frames.judged import JudgedRun

        for name in self.checks:
            imported(name)(JudgedRun(table, counts, study, pool=pool))

    def recipes(self) -> Iterator[Recipe]:
        """Yield what makes its frames."""
        for module in self.frames:
            yield from imported(f"{module}:RECIPES")


def called(names: Iterable[str], of: DatasetView | Sequence[DatasetView] | Results) -> Iterator[Any]:
    """Yield all that functions by ``module:function``, such as those of ``summary``, yield."""
    for name in names:
        yield from imported(name)(of)
