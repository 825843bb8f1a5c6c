"""What the program says where a question that it asks is not there."""

from __future__ import annotations

import pytest

from reporting.app.config.profiles import answered
from reporting.document.words.view import views
from reporting.errors import ConfigError
from reporting.features.answer.datasets import matrix
from reporting.features.frames import recipe_of
from tests.simulated_results import simulate
from tests.simulated_world import World


def test_a_frame_that_no_question_makes_is_named() -> None:
    assert recipe_of("trials").key == "trials"
    with pytest.raises(ConfigError, match="the frame 'epcs' is needed here, and no question of this program"):
        recipe_of("epcs")


def test_a_profile_leaves_out_what_no_question_brings() -> None:
    keys = {"curves": ["roc", "gone"], "report": {"sections": ["summary", "gone", "rest"]}, "epc": "none"}
    assert answered(keys) == {"curves": ["roc"], "report": {"sections": ["summary", "rest"]}, "epc": "none"}


def test_runs_of_one_dataset_that_have_no_mean_are_no_datasets() -> None:
    (view,) = views(simulate(World(models=("a", "b"), pictures=False)))
    assert list(matrix([view, view])) == []
