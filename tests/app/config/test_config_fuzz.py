"""Whatever stands in a config, the answer is a plan or one line for every fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reporting.app.config.plan import Plan
from reporting.app.config.schema import json_schema
from reporting.errors import ConfigError

SCHEMA = json_schema()
SECTIONS = [SCHEMA, *SCHEMA["$defs"].values()]
KEYS = sorted({key for section in SECTIONS for key in section["properties"]} | {"models", "A", "007"})
WORDS = ["none", "hter", "eer", "oracle(eer)", "mindcf(c_miss=10)", "dcf(", "rest", "a.csv", "*.csv", "1"]

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(WORDS), st.text(max_size=5)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner)
    ),
    max_leaves=6,
)
configs = st.dictionaries(st.sampled_from(sorted(SCHEMA["properties"])), values, max_size=4)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(config=configs)
def test_a_plan_or_one_line_a_fault(read, config: dict[str, Any]):
    answer = answer_to(read, json.dumps({"trials": {"source": "a.csv"}} | config))
    if isinstance(answer, Plan):
        json.dumps(answer.resolved, allow_nan=False)
    else:
        assert answer.faults
        assert all("\n" not in fault and "report.yaml" in fault for fault in answer.faults)


def answer_to(read: Callable[[str], Plan], text: str) -> Plan | ConfigError:
    try:
        return read(text)
    except ConfigError as error:
        return error
