"""What can be planned: each question with the options that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from reporting.base.contents import Contents, Named
from reporting.base.records import dataclass
from reporting.errors import ConfigError, did_you_mean, listed, quoted, refuse
from reporting.features.planning.options import OPTIONS, Given

if TYPE_CHECKING:
    from reporting.features.planning.sample_plan import SamplePlan


@dataclass(frozen=True, kw_only=True)
class PlanQuestion(Named):
    """A number to be measured: its synonyms, help, the options that it takes, and the module that plans it.

    ``measured`` is its printed name with the ``article`` before it, ``of`` the trials that it is a share of.
    """

    help: str
    options: tuple[str, ...]
    planned_in: str
    measured: str
    article: str = "a"
    of: str = "trials"
    synonyms: tuple[str, ...] = ()

    @property
    def with_article(self) -> str:
        """The printed name behind its article."""
        return f"{self.article} {self.measured}"

    def read(self, given: Mapping[str, Any], where: str = "") -> Given:
        """Return the options that are given; ConfigError for one that the question does not take.

        ``where`` names the Python function; the command line is meant without one.
        """
        known = {name: OPTIONS[name] for name in self.options}
        values: dict[str, float | int | str | bool] = {}
        faults: list[str] = []
        for name, value in given.items():
            if value is None or value is False:
                continue
            option = next((o for o in known.values() if name in (o.key, *o.synonyms)), None)
            if option is None:
                faults.append(
                    f"{where or 'plan'}: {self.key!r} takes no {quoted(name)}{did_you_mean(name, known)}"
                    f" (allowed: {listed(known, 40)})"
                )
                continue
            place = f"{option.key} ({where})" if where else option.switch
            try:
                values[option.key] = option.read(value, place)
            except ConfigError as error:
                faults += error.faults
        refuse(faults, ConfigError)
        return values


RATE_OPTIONS = (
    *("rate", "width", "within", "bound", "errors", "against", "difference", "margin"),
    *("correlation", "score_correlation", "disagreement", "unpaired", "power", "level"),
    *("trials", "per_cluster", "per_pair", "icc", "design_effect", "unit", "method"),
)
CURVE_OPTIONS = (
    *("width", "against", "difference", "margin", "correlation"),
    *("unpaired", "power", "level", "ratio", "prevalence", "targets", "nontargets"),
)

QUESTIONS = Contents(
    "question",
    [
        PlanQuestion(
            key="rate",
            synonyms=("error_rate", "accuracy", "proportion"),
            help="Plan a rate: width, bound (rule of 3), one against a fixed value, or two models.",
            options=RATE_OPTIONS,
            planned_in="rates",
            measured="rate",
        ),
        PlanQuestion(
            key="far",
            synonyms=("fmr", "fpr", "false_acceptance_rate", "apcer"),
            help="Plan a false acceptance rate: as rate, of non-targets.",
            options=(*RATE_OPTIONS, "prevalence"),
            planned_in="rates",
            measured="FAR",
            of="non-targets",
        ),
        PlanQuestion(
            key="frr",
            synonyms=("fnmr", "fnr", "miss_rate", "false_rejection_rate", "bpcer"),
            help="Plan a false rejection rate: as rate, of targets.",
            options=(*RATE_OPTIONS, "prevalence"),
            planned_in="rates",
            measured="FRR",
            article="an",
            of="targets",
        ),
        PlanQuestion(
            key="auc",
            synonyms=("roc_auc", "auroc"),
            help="Plan an AUC: width, one against a fixed value (default: 0.5), or two models.",
            options=("auc", *CURVE_OPTIONS, "score_correlation", "design_effect", "method"),
            planned_in="whole_curves",
            measured="AUC",
            article="an",
        ),
        PlanQuestion(
            key="eer",
            synonyms=("equal_error_rate",),
            help="Plan an equal error rate: width, one against a fixed value, or two models.",
            options=("eer", *CURVE_OPTIONS, "score_correlation", "design_effect"),
            planned_in="whole_curves",
            measured="EER",
            article="an",
        ),
        PlanQuestion(
            key="sensitivity",
            synonyms=("tpr", "recall", "tar", "sensitivity_at"),
            help="Plan a sensitivity at a specificity, whose threshold the same data set.",
            options=("sensitivity", "at_specificity", "spread", *CURVE_OPTIONS, "design_effect"),
            planned_in="whole_curves",
            measured="sensitivity",
        ),
        PlanQuestion(
            key="readers",
            synonyms=("mrmc",),
            help="Plan readers and cases for a difference of two models, by Obuchowski and Rockette.",
            options=(
                *("difference", "readers", "trials", "var_tr", "error_variance", "cov1", "cov2", "cov3"),
                *("pilot_cases", "power", "level"),
            ),
            planned_in="readers",
            measured="mean over readers",
        ),
    ],
)

PILOT = PlanQuestion(
    key="pilot",
    help="Plan from a pilot: variances, correlation and design effect of its data.",
    options=("width", "difference", "margin", "power", "level", "model", "readers"),
    planned_in="pilot",
    measured="primary measure",
)
"""What is planned from the config and the data of a pilot."""


def plan_question(key: str, given: Mapping[str, Any], where: str = "") -> SamplePlan:
    """Return the plan of a question of ``QUESTIONS``; ConfigError for what cannot be planned.

    ``where`` names the Python function; the command line is meant without one.
    """
    question = QUESTIONS.find(key)
    module = import_module(f"reporting.features.planning.{question.planned_in}")
    planned: SamplePlan = module.plan(question, question.read(given, where))
    return planned
