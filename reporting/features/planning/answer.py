"""A question and what is given of it, as a plan."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from reporting.features.planning.questions import QUESTIONS
from reporting.features.planning.sample_plan import SamplePlan


def plan_question(key: str, given: Mapping[str, Any], where: str = "") -> SamplePlan:
    """Return the plan of a question of ``QUESTIONS``; ConfigError for what cannot be planned.

    ``where`` names the Python function; the command line is meant without one.
    """
    question = QUESTIONS.find(key)
    module = import_module(f"reporting.features.planning.{question.planned_in}")
    planned: SamplePlan = module.plan(question, question.read(given, where))
    return planned
