"""Phrases that the captions and alternative texts of several pictures share."""

from __future__ import annotations

from collections.abc import Mapping, Sized

from reporting.core.engine.model_runs import MEAN
from reporting.document import numbers
from reporting.document.blocks import is_context
from reporting.document.charts.labels import MOST_CONTEXT
from reporting.document.words.phrases import listing
from reporting.document.words.view import MOST_DRAWN, DatasetView

MOST_NUMBERS = 12
"""An alternative text gives the numbers of so many models."""

EMPTY_CLASS = "needs targets and non-targets on test."


def on_test(view: DatasetView) -> str:
    """Return which test it is: the beginning of a caption."""
    test = f"Test of {view.where}" if view.where else "Test"
    return f"{test} ({view.mean_label})" if view.run == MEAN else test


def test_set(view: DatasetView) -> str:
    """Return which test set a picture is of, to follow what it shows."""
    place = f"test set of {view.where}" if view.where else "test set"
    return f"{place} ({view.mean_label})" if view.run == MEAN else place


def models(view: DatasetView) -> str:
    """Return how many models a picture shows."""
    drawn, every = len(view.drawn), len(view.results.models)
    return how_many(view.drawn) if drawn == every else f"{drawn} of {every} models"


def which_are_drawn(view: DatasetView) -> str:
    """Say which of very many models a picture shows, and which lines have no name of their own."""
    drawn, every = len(view.drawn), len(view.results.models)
    context = sum(map(is_context, (view.styles[model] for model in view.drawn)))
    grey = f"Grey: the other {context} models." if context > MOST_CONTEXT else ""
    if drawn == every:
        return grey
    baseline = " and the baseline" if drawn > MOST_DRAWN else ""
    measure = view.terms.measure(view.study.primary.measure)
    return f"Drawn: the first {MOST_DRAWN} of {every} models in order of {measure}{baseline}. {grey}".rstrip()


def how_many(models: Sized) -> str:
    """Return how many models these are."""
    return "one model" if len(models) == 1 else f"{len(models)} models"


def percent(share: float) -> str:
    """Print a proportion for an alternative text."""
    return f"{numbers.percent(share, 1)}%"


def by_model(view: DatasetView, texts: Mapping[str, str]) -> str:
    """List one text for each model that has one, in rank order."""
    return listing(f"{view.names[model]} {texts[model]}" for model in view.ranked if model in texts)


def empty_class(view: DatasetView) -> str:
    """Return that a picture needs both classes, to follow its name."""
    return view.terms.say(EMPTY_CLASS)


UNDECLARED = "needs probabilities; none of the models declares them."
