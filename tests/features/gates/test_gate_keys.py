"""The keys of a gate: what each says, what is refused and in which words."""

import dataclasses

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.catalogue import read_measure
from reporting.errors import ConfigError
from reporting.features.gates.keys import GATES_KEY, Gate, GateList, beyond_primary


class Holder(BaseModel):
    gates: GateList


def gate(**keys):
    """A gate as a config says it: every scalar is text."""
    said = TypeAdapter(Gate).validate_python({"measure": "hter", "model": "a", **keys})
    study = Study("t", Primary(read_measure("hter"), read_criterion("min_hter")), (), (), None)
    return with_gates(study, said)[0]


def with_gates(study, *gates):
    """The gates as the study has them."""
    return GATES_KEY.of(GATES_KEY.extend(GATES_KEY, study, gates, lambda value: value))


def refused(**keys):
    with pytest.raises(ValidationError) as caught:
        gate(**keys)
    return " ".join(str(error.get("ctx", {}).get("text", error["msg"])) for error in caught.value.errors())


@pytest.mark.parametrize(
    ("keys", "kind", "side", "bound"),
    [
        ({"against": "b", "not_worse_by": "0.002"}, "non_inferiority", "below", 0.002),
        ({"against": "b", "better": "true"}, "superiority", "below", 0.0),
        ({"against": "b", "better_by": "0.01"}, "superiority", "below", -0.01),
        ({"measure": "auc", "against": "b", "not_worse_by": "0.01"}, "non_inferiority", "above", -0.01),
        ({"measure": "auc", "against": "b", "better_by": "0.01"}, "superiority", "above", 0.01),
        ({"at_most": "0.05"}, "at_most", "below", 0.05),
        ({"measure": "auc", "at_least": "0.9"}, "at_least", "above", 0.9),
    ],
)
def test_each_kind_has_its_side_and_bound(keys, kind, side, bound):
    found = gate(**keys)
    assert (found.kind, found.side, found.bound) == (kind, side, bound)
    assert (found.criterion is None) == (keys.get("measure") == "auc")


def test_the_example_of_the_contract():
    found = gate(model="TC6", against="TC5", not_worse_by="0.002", on_undecided="fail")
    assert found.model == ("TC6",)
    assert found.title == "hter of TC6 not worse than TC5 by 0.002 at min_hter"
    assert (found.level, found.error, found.on_undecided) == (0.95, 0.025, "fail")
    assert gate(model=["a", "c"], at_most="0.1", name="limit", level="0.9").title == "limit"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "expected one of better, better_by, not_worse_by, at_most, at_least, found none"),
        ({"against": "b"}, "found none"),
        ({"against": "b", "better": "true", "better_by": "0.1"}, "found better, better_by"),
        ({"not_worse_by": "0.1"}, "'not_worse_by' compares with another model; name it in against"),
        ({"against": "b", "at_most": "0.1"}, "'at_most' is a limit for the model alone; leave against out"),
        ({"against": "b", "not_worse_by": "-0.1"}, "greater than 0"),
        ({"against": "b", "better_by": "0"}, "greater than 0"),
        ({"measure": "auc", "at_most": "0.9"}, "'auc' is better when higher, so at_most would pass bad models; use at_least"),
        ({"at_least": "0.1"}, "'hter' is better when lower, so at_least would pass bad models; use at_most"),
        ({"at_most": "2"}, "at_most: 2 is outside the range of 'hter', 0 to 1"),
        ({"at_most": "0"}, "outside the range"),
        ({"against": "a", "better": "true"}, "'a' is compared with itself"),
        ({"against": "*", "better": "true"}, "against: expected one model, or reference"),
        ({"model": ["*", "a"], "at_most": "0.1"}, "model: '*' means all models; leave a out"),
        ({"measure": "auc", "at_least": "0.9", "criterion": "eer"}, "'auc' takes no criterion"),
        ({"at_most": "0.1", "criterion": "oracle(eer)"}, "chosen on the test data, which allows no valid verdict"),
        ({"measure": "auc", "at_least": "0.9", "always_valid": "true"}, "always_valid needs a weighted sum of FAR and FRR"),
        ({"at_most": "0.1", "group": "sex=f", "always_valid": "true"}, "leave 'group' out"),
        ({"at_most": "0.1", "independent": "true"}, "independent: it needs always_valid: true"),
        ({"measure": "calibration_slope", "against": "b", "better": "true"}, "neither direction is better"),
        ({"at_most": "0.1", "level": "1"}, "less than 1"),
        ({"at_most": "0.1", "on_undecided": "skip"}, "'fail' or 'pass'"),
        ({"measure": "htre", "at_most": "0.1"}, "did you mean 'hter'?"),
    ],
)  # fmt: skip
def test_what_is_refused(keys, message):
    assert message in refused(**keys)


def test_gates_are_told_apart_by_their_names():
    one = {"measure": "hter", "model": "a", "at_most": "0.1"}
    with pytest.raises(ValidationError, match="is given twice; give each gate a name"):
        Holder(gates=[one, one | {"level": "0.99"}])
    Holder(gates=[one, one | {"name": "strict"}, one | {"at_most": "0.2"}])


def test_always_valid_gates_stand_at_the_primary_thresholds():
    usual, fixed = (
        Gate(read_measure("hter"), ("a",), at_most=0.1, criterion=read_criterion(name), always_valid=True)
        for name in ("min_hter", "eer")
    )
    (said,) = beyond_primary([usual, fixed], read_criterion("min_hter"))
    assert said.startswith("gates[1].criterion: always_valid gates use the decisions that the history keeps")


def test_a_gate_travels_with_its_canonical_measure():
    found = gate(measure="weighted_error(alpha=0.8)", at_most="0.1")
    assert found.measure == read_measure("weighted_error(alpha=0.8)")


def test_the_study_measures_what_its_gates_judge():
    study = Study(
        "t",
        Primary(read_measure("auc"), read_criterion("min_hter")),
        (read_criterion("eer"),),
        (read_measure("auc"),),
        None,
    )
    said = [
        Gate(read_measure("far"), ("a",), at_most=0.1),
        Gate(read_measure("auc"), ("a",), at_least=0.9, level=0.99),
    ]
    made = with_gates(study, *said)
    assert [(gate.level, str(gate.criterion)) for gate in made] == [(0.95, "eer"), (0.99, "None")]
    more = study.measuring(GATES_KEY.judged(made))
    assert ([str(m) for m in more.measures], [str(c) for c in more.criteria]) == (["auc", "far"], ["eer"])
    with pytest.raises(
        ConfigError,
        match=r"gates\[0\].criterion: 'far' is measured at a threshold, but the report has no criterion",
    ):
        with_gates(dataclasses.replace(study, criteria=()), *said)
