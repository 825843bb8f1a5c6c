"""What cannot be planned gets one message per fault, and exit 2."""

from __future__ import annotations

import pytest
from command import reporting as run

from reporting.errors import ConfigError
from reporting.features.planning.questions import plan_question

FAULTS = {
    "rate --rate 0.01 --against 0.02 --power 0": "--power: '0' is not between 0 and 1",
    "rate --rate 0.01 --against 0.02 --power 1": "--power: '1' is not between 0 and 1",
    "rate --rate 0.01 --margin 0 --unpaired": "--margin: '0' is not between 0 and 1",
    "rate --rate 0.01 --bound 0": "--bound: '0' is not between 0 and 1",
    "auc --auc 0.5 --against 0.5": "plan: --auc and --against are both 0.5; no sample separates them",
    "auc --auc 0.5": "plan: --auc and --against are both 0.5; no sample separates them",
    "auc --auc 1": "--auc: '1' is not between 0 and 1",
    "auc": "plan: --auc must be given",
    "auc --auc nan": "--auc: expected a number between 0 and 1, found 'nan'",
    "auc --auc 0.8 --difference 0.9 --unpaired": "plan: --auc 0.8 and --difference 0.9 make the second -0.1",
    "auc --auc 0.8 --difference 0.1": "plan: give one of --correlation, --score-correlation, --unpaired: the two models' errors are rarely independent",
    "auc --auc 0.8 --difference 0.1 --unpaired --correlation 0.2": "plan: give one of --correlation, --score-correlation, --unpaired: they contradict each other",
    "auc --auc 0.8 --margin 0.1 --difference 0.1 --unpaired": "plan: a true difference of 0.1 is not below the margin of 0.1, so non-inferiority cannot be shown",
    "auc --auc 0.8 --width 0.1 --power 0.9": "plan: --power has no part in this question (--width)",
    "auc --auc 0.8 --width 0.1 --targets 40": "plan: give --targets or --width, not both",
    "auc --auc 0.8 --ratio 2 --prevalence 0.1": "plan: give one of --ratio, --prevalence: each sets how many non-targets",
    "auc --auc 0.8 --nontargets 40": "plan: --targets must be given",
    "auc --auc 0.8 --ratio 0": "--ratio: '0' is not above 0",
    "auc --auc 0.8 --targets 0": "--targets: '0' is not from 1 to 1,000,000,000,000",
    "auc --auc 0.8 --targets 1.5": "--targets: expected a whole number from 1 to 1,000,000,000,000, found '1.5'",
    "auc --auc 0.8 --method rule-of-3": "plan: --method rule_of_3 does not plan an AUC (allowed: hanley-mcneil, obuchowski)",
    "auc --auc 0.8 --method obuchovski": "--method: 'obuchovski' is unknown; did you mean 'obuchowski'? (allowed: exact, normal, rule_of_3, rule_of_30, hanley_mcneil, obuchowski)",
    "auc --auc 0.8 --method hanley-mcneil --difference 0.1 --score-correlation 0.5": "plan: --method hanley-mcneil has no correlation of scores; give --correlation or --unpaired",
    "rate": "plan: the question is missing; give one of --width, --within, --bound, --against, --difference, --margin",
    "rate --width 0.1": "plan: --rate must be given",
    "rate --rate 0.1 --width 0.1 --bound 0.2": "plan: --width and --bound are two questions; plan one at a time",
    "rate --rate 0.1 --within 10": "plan: an interval of width 2 needs no trials",
    "rate --rate 0.1 --width 0.1 --trials 40": "plan: give --trials or a width, not both",
    "rate --rate 0.02 --bound 0.01": "plan: --bound 0.01 must be above --rate 0.02, or no sample shows it to be below",
    "rate --rate 0.1 --against 0.1": "plan: --rate and --against are both 0.1; no sample separates them",
    "rate --rate 0.6 --difference 0.4 --unpaired": "plan: --rate 0.6 and --difference 0.4 make a rate of 1",
    "rate --rate 0.02 --difference 0.01 --disagreement 0.5": "plan: models with rates of 0.02 and 0.03 disagree on 0.01 to 0.05 of the trials, not on 0.5",
    "rate --rate 0.02 --difference 0.1 --correlation 0.9": "plan: errors with rates of 0.02 and 0.12 cannot have a correlation of 0.9",
    "rate --rate 0.1 --width 0.1 --per-cluster 5": "plan: --per-cluster needs --icc, the correlation of trials of one cluster",
    "rate --rate 0.1 --width 0.1 --icc 0.1": "plan: --icc needs --per-cluster or --per-pair",
    "rate --rate 0.1 --width 0.1 --per-cluster 5 --per-pair 2": "plan: give --per-cluster or --per-pair, not both",
    "rate --rate 0.1 --width 0.1 --per-cluster 5 --icc 0.1 --design-effect 2": "plan: give --icc or --design-effect, not both",
    "rate --rate 0.1 --width 0.1 --per-pair 5 --icc 0.6": "plan: --icc 0.6 is above 0.5, the most that trials sharing one subject can have",
    "rate --bound 0.01 --errors 1 --method rule-of-3": "plan: the rule of 3 is that of no errors at a level of 95%",
    "rate --rate 0.01 --within 0.2 --method rule-of-30": "plan: the rule of 30 is that of ±30% at a level of 90%; give --within 0.3 --level 0.9, or leave out --method",
    "rate --rate 0.01 --width 0.01 --method obuchowski": "plan: --method obuchowski does not answer this question",
    "rate --rate 0.01 --width 0.01 --unit ''": "--unit: expected text, found ''",
    "sensitivity --sensitivity 0.8 --width 0.1": "plan: --at-specificity must be given",
    "readers --difference 0.1": "plan: --var-tr and --error-variance and --cov1 and --cov2 and --cov3 and --pilot-cases must be given",
}  # fmt: skip


@pytest.mark.parametrize("command", FAULTS)
def test_one_message(command, tmp_path):
    words = command.replace("''", " ").split(" ") if "''" not in command else [*command.split()[:-1], ""]
    ended = run("plan", *words, "-o", tmp_path / "plan.html")
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [f"error: {FAULTS[command]} [TR506]"]
    assert ended.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_several_faults_are_named_together():
    ended = run("plan", "auc", "--auc", "2", "--power", "1")
    assert len(ended.stderr.splitlines()) == 2


def test_other_commands():
    assert "Did you mean 'auc'?" in run("plan", "acu", "--auc", "0.8").stderr
    assert run("plan", "acu").returncode == 2
    assert "No such option: --eer" in run("plan", "auc", "--eer", "0.1").stderr
    with pytest.raises(ConfigError, match=r"'rat' is not a question; did you mean 'rate'\?"):
        plan_question("rat", {})


def test_a_file_of_no_known_kind_is_not_written(tmp_path):
    file = tmp_path / "plan.docx"
    ended = run("plan", "rate", "--bound", "0.01", "-o", file)
    assert (ended.returncode, file.exists()) == (2, False)
    assert "does not end in a known format (allowed: .html, .md, .svg, .pdf, .png)" in ended.stderr


def test_impossible_sizes_end():
    ended = run("plan", "rate", "--rate", "0.3", "--width", "1e-15")
    assert ended.returncode == 2
    assert "plan: no number of trials gives" in ended.stderr
    crossed = run("plan", "far", "--rate", "0.01", "--width", "1e-12", "--per-pair", "1", "--icc", "0.1")
    assert "plan: no number of subjects gives" in crossed.stderr
