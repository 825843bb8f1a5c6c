"""Profiles fill in keys that a config leaves out, as if the user had written them."""

from __future__ import annotations

import json

import pytest

from reporting.app.config.profiles import PROFILES, with_profile
from reporting.core.measures.catalogue import MEASURES
from tests.app.config.conftest import Faults, Read

PAIR = {"a": {"scale": "probability"}, "b": {"scale": "probability"}}
BARE = {"trials": {"source": "trials.parquet"}, "models": PAIR}


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_means_its_keys(read: Read, name: str) -> None:
    profile = PROFILES[name]
    said = read(json.dumps({**BARE, "profile": name}))
    keys = {**profile.keys, "trials": {**profile.keys.get("trials", {}), **BARE["trials"]}, "models": PAIR}
    if profile.without_dev:
        keys["thresholds"] = {"policy": "none"}
    written = read(json.dumps(keys))
    assert {**said.resolved, "profile": None} == {**written.resolved, "profile": None}
    assert said.study.profile == name
    assert said.report.sections == written.report.sections


@pytest.mark.parametrize("name", PROFILES)
def test_what_the_config_names_is_left_as_it_is(read: Read, name: str) -> None:
    own = {"curves": ["roc"], "measures": ["far"], "epc": "none", "criteria": ["eer"]}
    named = {"formats": ["json"], "sections": ["rest"]}
    plan = read(json.dumps({**BARE, **own, "report": named, "profile": name}))
    assert [curve.key for curve in plan.study.curves] == ["roc"]
    assert MEASURES["far"] in plan.study.measures
    assert len(plan.study.measures) <= 2
    assert (plan.report.formats, plan.report.sections) == (("json",), ("rest",))
    filled = PROFILES[name].keys.get("report", {})
    assert plan.report.vocabulary == filled.get("vocabulary", "detection")


@pytest.mark.parametrize("wrong", ["biometric", "", 3, ["release"], {"release": 1}])
def test_another_name_is_one_message(faults: Faults, wrong: object) -> None:
    [fault] = faults(json.dumps({**BARE, "profile": wrong}))
    assert "profile (" in fault
    assert "release" in fault


@pytest.mark.parametrize("section", ["trials", "report"])
def test_a_section_that_is_no_mapping_is_left_to_the_schema(section: str) -> None:
    data = {**BARE, section: "x", "profile": "readers"}
    assert with_profile(data)[section] == "x"


def test_only_some_profiles_need_probabilities(faults: Faults, read: Read) -> None:
    bare = {"trials": {"source": "trials.parquet"}, "profile": "stratos"}
    assert "predicted probabilities" in faults(json.dumps(bare))[0]
    assert read(json.dumps({**bare, "profile": "release"})).study.profile == "release"
