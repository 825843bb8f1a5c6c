"""Text files that hold both labels and scores: which field is which, and what is said where that is unknown."""

from __future__ import annotations

import pytest
from small_tables import faults_of

from reporting.inputs.scan import Scan
from reporting.inputs.spec import File, TrialSpec


def spec_of(folder, layout, text, name="scores"):
    path = folder / name
    path.write_text(text)
    return TrialSpec((File(path, (("model", "A"), ("split", "dev"))),), layout=layout)


def rows_of(spec, *columns):
    return Scan(spec).rows().select(*columns, "label", "score").collect().rows()


@pytest.mark.parametrize(
    "text",
    [
        "a b 0.5 target\na c 1.0 nontarget\n",
        "a b target 0.5\na c nontarget 1.0\n",
        "a\tb\t1\t0.5\na\tc\t0\t1.0\n",
        "a b 1.0 0.5\na c 0.0 1.0\n",
        "a b 0.5 1\na c 1 0\n",
    ],
)
def test_a_score_stands_before_or_after_the_label_of_a_pair(tmp_path, text):
    rows = rows_of(spec_of(tmp_path, "kaldi", text), "trial", "model")
    assert [(*row[:2], row[2] in ("target", "1", "1.0"), row[3]) for row in rows] == [
        ("a b", "A", True, 0.5),
        ("a c", "A", False, 1.0),
    ]


@pytest.mark.parametrize("text", ["0.5 target\n-2 nontarget\n", "target 0.5\nnontarget -2\n"])
def test_lines_of_a_score_and_a_label_have_no_trial_keys(tmp_path, text):
    assert rows_of(spec_of(tmp_path, "kaldi", text)) == [("target", 0.5), ("nontarget", -2)]


def test_scores_of_countermeasures_hold_their_labels(tmp_path):
    spec = spec_of(tmp_path, "asvspoof", "U1 - bonafide 3\nU2 A07 spoof -1\n")
    assert rows_of(spec, "trial") == [("U1", "target", 3), ("U2", "nontarget", -1)]


FIFTH = "S1 U1 F - - - AC1 bonafide bonafide -\nS2 U2 M C01 1 7 AC3 A20 spoof -\n"


def test_the_fifth_challenge_names_the_fields_of_its_scores(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text(FIFTH)
    spec = spec_of(tmp_path, "asvspoof", "filename\tcm-score\nU2\t-1\nU1\t3\n")
    spec = TrialSpec(spec.sources, keys=(File(keys),), layout="asvspoof", attributes=("condition", "gender"))
    assert rows_of(spec, "trial", "by condition", "by gender") == [
        ("U1", "AC1", "F", "target", 3),
        ("U2", "AC3", "M", "nontarget", -1),
    ]


BOB = "probe_subject_id,probe_key,bio_ref_subject_id,bio_ref_template_id,score\n07,p1,07,m1,0.5\n8,p2,07,m1,0.25\n"


def test_bob_writes_tables_too(tmp_path):
    spec = spec_of(tmp_path, "bob", BOB, "scores.csv")
    assert rows_of(spec, "trial") == [("m1 p1", "true", 0.5), ("m1 p2", "false", 0.25)]


@pytest.mark.parametrize(
    ("layout", "name", "text", "said"),
    [
        ("kaldi", "scores", "a b 1 0\n", "its first line is 'a b 1 0', and two fields could be the score"),
        ("kaldi", "scores", "a b c d\n", "its first line is 'a b c d', and no field could be the score"),
        ("kaldi", "scores", "a b 0.5\n", "without labels; name the files of the labels in trials.keys"),
        ("bob", "s.csv", BOB.replace("bio_ref_subject", "ref_subject"), "column 'bio_ref_subject_id' is missing; did you mean 'ref_subject_id'?"),
    ],
)  # fmt: skip
def test_what_is_said_where_labels_or_scores_are_not_known(tmp_path, layout, name, text, said):
    assert said in str(faults_of(spec_of(tmp_path, layout, text, name)))
