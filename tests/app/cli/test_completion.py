"""What a shell offers behind ``reporting plan``: the questions, and the options of one."""

import pytest
from command import reporting


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("reporting plan ", {"rate", "far", "frr", "auc", "eer", "sensitivity", "readers"}),
        ("reporting plan se", {"sensitivity"}),
        ("reporting plan auc --score", {"--score-correlation"}),
        ("reporting plan readers --cov", {"--cov1", "--cov2", "--cov3"}),
    ],
)
def test_questions_and_options_are_completed(words, offered):
    env = {
        "_REPORTING_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    printed = reporting(env=env).stdout.split()
    assert offered <= set(printed)
    assert words.endswith(" ") or set(printed) == offered
