"""Plans of hostile options end by the contract, and names that attack survive on the page and the terminal."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import reporting as run

import reporting
from reporting.errors import ReportingError
from reporting.features.planning.options import OPTIONS
from reporting.features.planning.questions import QUESTIONS
from tests.hostile.ending import READERS, faults_of
from tests.hostile.test_injection import write_attack
from tests.hostile.texts import PAYLOADS

VALUES = (
    *("0", "1", "-1", "0.5", "0.01", "1%", "100%", "1e-9", "0.999999", "3", "20", "1000", "1e12", "1e400", "-inf", "nan", "inf"),
    *("", " ", "0x1", "1_000", "٣", "½", "1,5", "True", "None", "half \ud800", "\0", "<script>alert(1)</script>", "x" * 5000),
    *("exact", "obuchowski", "rule-of-3"),
)  # fmt: skip
GOOD = {
    "rate": "0.02", "auc": "0.8", "eer": "0.05", "sensitivity": "0.8", "at_specificity": "0.9", "width": "0.02", "bound": "0.05",
    "against": "0.1", "difference": "0.03", "margin": "0.04", "correlation": "0.3", "score_correlation": "0.3", "power": "0.9", "level": "0.9",
    "ratio": "3", "prevalence": "0.2", "targets": "50", "trials": "500", "per_cluster": "5", "per_pair": "2", "icc": "0.1", "readers": "6",
    "design_effect": "1.5", "var_tr": "0.0002", "error_variance": "0.0008", "cov1": "0.0003", "cov2": "0.0003", "cov3": "0.0002",
    "pilot_cases": "100", "within": "0.3", "errors": "1", "disagreement": "0.05", "nontargets": "80", "unit": "speakers", "spread": "1.2",
}  # fmt: skip
OWN = {
    "rate": ("rate",), "far": ("rate",), "frr": ("rate",), "auc": ("auc",), "eer": ("eer",), "sensitivity": ("sensitivity", "at_specificity"),
    "readers": ("difference", "readers", "var_tr", "error_variance", "cov1", "cov2", "cov3", "pilot_cases"),
}  # fmt: skip


def commands(rng: random.Random) -> Iterator[list[str]]:
    """Yield commands of every question: its own options, some others, and hostile values among them."""
    while True:
        question = rng.choice(list(QUESTIONS.values()))
        others = [name for name in question.options if name not in OWN[question.key]]
        names = [*OWN[question.key], *rng.sample(others, rng.randint(0, 3))]
        words = [question.key]
        strange = rng.choice((0.0, 0.1, 0.4))
        for name in dict.fromkeys(names):
            option = OPTIONS[name]
            value = rng.choice(VALUES) if rng.random() < strange else GOOD.get(name, rng.choice(VALUES))
            words.append(option.switch if option.flag else f"{option.switch}={value}")
        yield words


@pytest.mark.parametrize("seed", range(2))
def test_every_command_ends_by_the_contract(seed):
    found = commands(random.Random(seed))
    ends = []
    for _ in range(25):
        words = next(found)
        ended = run("plan", *words, "--json")
        assert list(faults_of(ended)) == [], words
        ends.append(ended.returncode)
        if ended.returncode == 0:
            assert "NaN" not in ended.stdout
            assert "Infinity" not in ended.stdout
            json.loads(ended.stdout)
    assert {0, 2} <= set(ends)


ODD = (None, [], {}, float("nan"), float("inf"), 10**400, 1j, b"1", object(), -0.0, True, "0.5", [0.5])


@pytest.mark.parametrize("seed", range(1))
def test_every_call_ends_by_the_contract(seed):
    rng = random.Random(seed)
    for _ in range(40):
        question = rng.choice([*QUESTIONS, "acu", None, 3, Path("no.yaml"), "\0", PAYLOADS["path"]])
        names = (
            QUESTIONS[question].options
            if isinstance(question, str) and question in QUESTIONS
            else ["difference"]
        )
        given = {name: rng.choice((*ODD, *VALUES)) for name in rng.sample(list(names), 1)}
        given |= {name: float(GOOD[name]) for name in OWN.get(str(question), ())}
        assert all(fault and "\n" not in fault for fault in faults_of_call(question, given))


def faults_of_call(question, given):
    """Return the messages of a plan; none where it works."""
    try:
        reporting.plan(question, **given).to_dict()
    except ReportingError as error:
        return error.faults
    return ()


ATTACKS = ("script", "attribute", "address", "tex shell", "json", "lines", "long text")


@pytest.mark.parametrize("name", ATTACKS)
def test_units_that_attack(name, tmp_path):
    """Names of units reach sentence, table, picture and page."""
    options = ("--rate", "0.02", "--width", "0.05", "--per-cluster", "5", "--icc", "0.1")
    ended = run("plan", "rate", *options, f"--unit={PAYLOADS[name]}", "-o", tmp_path / "plan.html")
    assert list(faults_of(ended)) == []
    if name == "long text":
        assert "--unit: expected at most 200 characters" in ended.stderr
        return
    assert list(READERS[".html"]((tmp_path / "plan.html").read_text())) == []


def test_a_picture_has_no_unit_that_attacks(tmp_path):
    plan = reporting.plan("rate", rate=0.02, width=0.05, per_cluster=5, icc=0.1, unit=PAYLOADS["tex shell"])
    plan.save(tmp_path / "plan.svg")
    drawn = (tmp_path / "plan.svg").read_text()
    assert list(READERS[".svg"](drawn)) == []
    assert "Clusters" in drawn


def test_models_of_a_pilot_that_attack(tmp_path):
    write_attack(tmp_path)
    ended = run("plan", "report.yaml", "-q", "--difference", "0.2", "-o", "plan.html", cwd=tmp_path)
    assert list(faults_of(ended)) == []
    assert ended.returncode == 0, ended.stderr
    assert list(READERS[".html"]((tmp_path / "plan.html").read_text())) == []
