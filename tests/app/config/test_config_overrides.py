"""``--set key.path=value``."""

from __future__ import annotations

import pytest
from config_keys import TOP, keys_of

from reporting.core.measures.catalogue import MEASURES
from reporting.errors import listed

BARE = "trials: {source: trials.parquet}\n"
FULL = BARE + "title: old\nmeasures: [hter, far]\nmodels: {a.b: {name: x}}\n"


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("title=new", "title", "new"),
        ("title='a: b'", "title", "a: b"),
        ("title=a=b", "title", "a=b"),
        ("measures.0=auc", "measures", ["hter", "auc", "far"]),
        ("measures=[auc, 'mindcf(c_fa=2)']", "measures", ["hter", "auc", "mindcf(c_fa=2)"]),
        ("measures.1=mindcf(p_target=0.01, c_miss=10)", "measures",
         ["hter", "mindcf(p_target=0.01,c_miss=10)"]),
        ("significance.seed=7", "significance.seed", 7),
        ("epc=none", "epc", "none"),
        ("baseline=007", "baseline", "007"),
        ("run={executor: serial}", "run.executor", "serial"),
        ("models.007.scale=llr", "models.007.scale", "llr"),
        ("trials.columns.model=system", "trials.columns.model", "system"),
        ("title=", "title", "report"),
    ],
)  # fmt: skip
def test_a_value_is_put_in_its_place(read, override, path, value):
    found = read(FULL, override).resolved
    for part in path.split("."):
        found = found[part]
    if override == "measures.0=auc":
        value = ["hter", "auc", "far"]  # the primary measure, no longer listed, comes first
    assert found == value


def test_a_key_with_dots_is_quoted(read):
    assert read(FULL, 'models."a.b".name=y').study.name_of("a.b") == "y"


def test_the_last_override_wins(read):
    assert read(FULL, "title=a", "title=b").study.title == "b"


@pytest.mark.parametrize(
    ("override", "fault"),
    [
        ("title", "--set title: expected key.path=value"),
        ("=x", "--set =x: expected key.path=value"),
        ("title.x=1", "--set title.x: 'old' (report.yaml:2:8) has no entries to set"),
        ("title.x.y=1", "--set title.x.y: 'old' (report.yaml:2:8) has no entries to set"),
        ("measures.2=auc", "--set measures.2: '2' is not the number of an entry (0 to 1)"),
        ("measures.x=auc", "--set measures.x: 'x' is not the number of an entry (0 to 1)"),
        (
            "criteria.0=eer",
            "--set criteria.0: the config gives no list 'criteria'; set it whole, such as"
            " --set 'criteria=[...]'",
        ),
        (
            "curves=[roc",
            "--set curves: while parsing a flow sequence: expected ',' or ']', but got '<stream end>'",
        ),
        ("significance.level=2", "significance.level (--set significance.level): expected less than 1.0,"
         " found 2"),
        ("measures.1=htre", "measures[1] (--set measures.1): 'htre' is not a measure; did you mean 'hter'?"
         f" (allowed: {listed(MEASURES)})"),
        ("runn.x=1", "runn (--set runn.x): unknown key; did you mean 'run'? (allowed:"
         f" {', '.join(keys_of(TOP))})"),
    ],
)  # fmt: skip
def test_a_fault_names_the_override(faults, override, fault):
    assert faults(FULL, override) == [fault]


def test_faults_of_file_and_overrides_are_told_together(faults):
    said = faults(FULL + "curves: [rok]\n", "nonsense", "run.workers=0")
    assert [fault.partition(":")[0] for fault in said] == [
        "--set nonsense", "run.workers (--set run.workers)", "curves[0] (report.yaml",
    ]  # fmt: skip
