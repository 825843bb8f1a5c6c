"""The errors at each threshold of an EPC, which the roc frame does not always hold."""

from build import build, trials_of

from reporting.document.frames.epc import EPC
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.methods.section import _blind_alphas, _Stated

DEV = [("1", 9), ("1", 6), ("1", 5), ("1", 4), ("0", 3), ("0", 2), ("0", 1), ("1", 0.5)]
"""Of the four thresholds between the targets of dev none is a corner: misses alone change there."""
LINES = [
    f"t{number} {model} {split} {label} {score}"
    for model in ("a", "b")
    for split in ("dev", "test")
    for number, (label, score) in enumerate(DEV)
]
CONFIG = "baseline: a\nepc: {criteria: [target_frr], measures: [hter]}\n"


def test_thresholds_that_are_no_corners_keep_their_errors(tmp_path):
    results = build(tmp_path, trials_of(*LINES), CONFIG, "epc.alphas=3").results
    rows = [row for row in results.rows(EPC) if row.model == "a"]
    corners = {row.threshold for row in results.rows(ROC) if row.model == "a" and row.split == "dev"}
    lost = [row for row in rows if row.threshold not in corners]
    assert lost
    for row in rows:
        accepted = [(label, score) for label, score in DEV if score >= row.threshold]
        hits, alarms = (sum(label == wanted for label, _ in accepted) for wanted in "10")
        assert (row.misses_dev, row.false_alarms_dev) == (5 - hits, alarms)
        assert (row.misses, row.false_alarms) == (5 - hits, alarms)


def test_alphas_where_dev_shows_no_false_alarm_are_read_from_counts(tmp_path):
    results = build(tmp_path, trials_of(*LINES), CONFIG, "epc.alphas=3").results
    rows = results.rows(EPC)
    least = min(row.alpha for row in rows if row.false_alarms_dev == 0)
    (sentence,) = _blind_alphas(views(results)[0], _Stated())
    corners = {row.threshold for row in results.rows(ROC) if row.split == "dev"}
    joined = [row.alpha for row in rows if row.threshold in corners and row.false_alarms_dev == 0]
    assert least < min(joined, default=2)
    assert f"α ≥ {least:.2f}" in sentence
