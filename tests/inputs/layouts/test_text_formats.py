"""The field's text formats, each with an example written by hand, and what is said of broken lines."""

from __future__ import annotations

import gzip

import pytest
from small_tables import faults_of
from snapshot import snapshot

from reporting.inputs.scan import Scan
from reporting.inputs.spec import File, InMemory, TrialSpec, Values


def put(folder, name, content, **said):
    """Write a file whose path says something."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return File(path, tuple(said.items()))


def rows_of(spec, *columns):
    """Read all rows of some of our columns, sorted by trial."""
    return sorted(Scan(spec).rows().select("trial", "label", "score", *columns).collect().rows())


def spec_of(folder, layout, keys, scores, **others):
    """A key file of dev and one score file of model A."""
    key = put(folder, "keys", keys, split="dev")
    return TrialSpec((put(folder, "scores", scores, model="A"),), keys=(key,), layout=layout, **others)


def bob(folder, text, **others):
    return TrialSpec((put(folder, "scores-dev", text, model="A", split="dev"),), layout="bob", **others)


def test_bob_of_four_fields(tmp_path):
    spec = bob(tmp_path, "7 7 p1 0.5\n7 08 p2 -inf\n", columns={"cluster": "real_id"})
    assert rows_of(spec, "model", "split", "cluster") == [
        ("7 p1", "true", 0.5, "A", "dev", "7"),
        ("7 p2", "false", float("-inf"), "A", "dev", "08"),
    ]


def test_bob_of_five_fields(tmp_path):
    spec = bob(tmp_path, "7 m1 7 p1 0.5\n7 m2 8 p1 1e-3\n", attributes=("claimed_id",))
    assert rows_of(spec, "by claimed_id") == [("m1 p1", "true", 0.5, "7"), ("m2 p1", "false", 0.001, "7")]


def test_bob_calls_the_classes_as_the_config_does(tmp_path):
    values = Values(target=("genuine",), nontarget=None)
    assert rows_of(bob(tmp_path, "7 7 p 1\n7 8 q 2\n", values=values)) == [
        ("7 p", "genuine", 1, ),
        ("7 q", "nontarget", 2, ),
    ]  # fmt: skip


def test_kaldi(tmp_path):
    spec = spec_of(
        tmp_path,
        "kaldi",
        "s1 s1_u1 target\ns1 s2_u1 nontarget\n",
        "s1 s2_u1 -3.25\ns1 s1_u1 12.5\n",
        columns={"cluster": "enroll", "cluster_b": "test"},
    )
    assert rows_of(spec, "cluster", "cluster_b", "model", "split") == [
        ("s1 s1_u1", "target", 12.5, "s1", "s1_u1", "A", "dev"),
        ("s1 s2_u1", "nontarget", -3.25, "s1", "s2_u1", "A", "dev"),
    ]


KEY = "modelid\t{}\tside\ttargettype\tgender\tnum enroll\n1001_sre\tx.sph\ta\ttarget\tfemale\t3\n1001_sre\ty.sph\tb\tnontarget\tmale\t\n"
LLR = "modelid\t{}\tside\tLLR\n1001_sre\ty.sph\tb\t-1.5\n1001_sre\tx.sph\ta\t2\n"


@pytest.mark.parametrize(("ours", "theirs"), [("segmentid",) * 2, ("segment",) * 2, ("segmentid", "segment")])
def test_nist(tmp_path, ours, theirs):
    columns = {"cluster": "modelid", "cluster_b": "segmentid"}
    spec = spec_of(
        tmp_path,
        "nist",
        KEY.format(ours),
        LLR.format(theirs),
        columns=columns,
        attributes=("gender", "num enroll"),
    )
    assert rows_of(spec, "cluster_b", "by gender", "by num enroll") == [
        ("1001_sre x.sph a", "target", 2, "x.sph", "female", "3"),
        ("1001_sre y.sph b", "nontarget", -1.5, "y.sph", "male", ""),
    ]


@pytest.mark.parametrize("scores", ["2.5 a/1.wav b/2.wav\nnan a/1.wav b/3.wav\n", "a/1.wav b/2.wav 2.5\na/1.wav b/3.wav NA\n"])  # fmt: skip
def test_voxsrc_in_either_order(tmp_path, scores):
    spec = spec_of(tmp_path, "voxsrc", "1 a/1.wav b/2.wav\n0 a/1.wav b/3.wav\n", scores, missing="reject")
    rows = rows_of(spec)
    assert [row[:2] for row in rows] == [("a/1.wav b/2.wav", "1"), ("a/1.wav b/3.wav", "0")]
    assert rows[0][2] == 2.5


PROTOCOLS = {
    "environment": "LA_1 U1 - - bonafide\nLA_1 U2 - A07 spoof\n",
    "codec": "LA_1 U1 - - - bonafide notrim eval\nLA_1 U2 - ita_tx A07 spoof notrim progress\n",
    "vocoder": "LA_1 U1 low_m4a vcc2018 - bonafide notrim eval - - - - -\nLA_1 U2 - asvspoof A07 spoof notrim eval - - - - -\n",
}


@pytest.mark.parametrize("column", PROTOCOLS)
@pytest.mark.parametrize("scores", ["U2 -1\nU1 3.5\n", "U1 - bonafide 3.5\nU2 A07 spoof -1\n"])
def test_asvspoof(tmp_path, column, scores):
    columns = {"cluster": "speaker"}
    spec = spec_of(
        tmp_path, "asvspoof", PROTOCOLS[column], scores, columns=columns, attributes=("attack", column)
    )
    assert [row[:5] for row in rows_of(spec, "cluster", "by attack", f"by {column}")] == [
        ("U1", "target", 3.5, "LA_1", "-"),
        ("U2", "nontarget", -1, "LA_1", "A07"),
    ]


def test_a_config_may_turn_the_classes_of_asvspoof_round(tmp_path):
    values = Values(target=("spoof",), nontarget=("bonafide",))
    spec = spec_of(tmp_path, "asvspoof", PROTOCOLS["environment"], "U1 - bonafide 1\nU2 A07 spoof 2", values=values)  # fmt: skip
    assert [row[:2] for row in rows_of(spec)] == [("U1", "bonafide"), ("U2", "spoof")]


def test_a_label_beside_a_score_that_is_not_the_protocols(tmp_path):
    spec = spec_of(tmp_path, "asvspoof", PROTOCOLS["environment"], "U1 - spoof 1\nU2 A07 spoof 2\n")
    snapshot(
        "layouts/text_formats_a_label_beside_a_score_that_is_not_the_protocols", "\n".join(faults_of(spec))
    )


def test_marks_blank_lines_and_other_ends_of_lines_change_nothing(tmp_path):
    plain = rows_of(bob(tmp_path, "7 7 p1 0.5\n7 8 p2 1\n"))
    assert rows_of(bob(tmp_path, "\ufeff\n7  7\tp1 0.5\r\n \t\r\n\n 7 8 p2 1")) == plain
    assert rows_of(bob(tmp_path, gzip.compress(b"7 7 p1 0.5\n7 8 p2 1\n"))) == plain


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("7 7 p1\n", "its first line has 3 fields; expected are 4 fields (claimed_id real_id probe_label score) or"
         " 5 fields (claimed_id model_id real_id probe_label score)"),
        ("\n7 7 p1 1\n\n7 7 p2\n7 8 p3 1 2\n", "2 of 3 lines have not 4 fields (claimed_id real_id probe_label score);"
         " first line 4, '7 7 p2'"),
        ("\n7 7 p1 1\n\n7 7 p2 1,5\n", "1 of 2 lines hold a score that is not a number; first line 4, '7 7 p2 1,5'"),
        (b"7 7 p\x81 1\n", "cannot be read: invalid utf8"),
        ("\n", "it holds no lines"),
    ],
)  # fmt: skip
def test_lines_that_are_broken_are_told_by_number(tmp_path, text, fault):
    assert faults_of(bob(tmp_path, text)) == [f"scores-dev (model A, split dev): {fault}"]


@pytest.mark.parametrize(
    ("layout", "keys", "scores", "fault"),
    [
        ("kaldi", "a b target\n", "a b 1 2 3\n", "scores (model A): its first line has 5 fields; expected are 3"
         " fields (enroll test score) or 4 fields (enroll test score label) or 4 fields (enroll test label score) or 2"
         " fields (score label) or 2 fields (label score)"),
        ("kaldi", "a b target\na c\n", "a b 1\n",
         "keys (split dev): 1 of 2 lines have not 3 fields (enroll test label); first line 2, 'a c'"),
        ("voxsrc", "1 a b\n", "1 2 3\n", "scores (model A): its first line is '1 2 3', and both its first and its last"
         " field are a number; expected are score enroll test, or enroll test score"),
        ("voxsrc", "1 a b\n", "a b c\n", "scores (model A): its first line is 'a b c', and neither end of it is"
         " a number; expected are score enroll test, or enroll test score"),
        ("voxsrc", "1 a b\n1 a c\n", "1 a b\na c 2\n", "scores (model A): 1 of 2 lines hold a score that is not a"
         " number; first line 2, 'a c 2'"),
        ("nist", "modelid segmentid side\nm s a\n", LLR.format("segmentid"), "keys (split dev): column 'modelid' is"
         " missing; did you mean 'modelid segmentid side'? (found: modelid segmentid side; expected is a header, and"
         " tabs between columns)"),
        ("nist", KEY.format("segmentid"), LLR.format("segmentid").replace("LLR", "llr"), "scores (model A): column"
         " 'LLR' is missing; did you mean 'llr'? (found: modelid, segmentid, side, llr; expected is a header, and tabs"
         " between columns)"),
        ("nist", KEY.format("side"), LLR.format("segmentid"), "keys (split dev): column 'side' occurs more than once"
         " in the header"),
    ],
)  # fmt: skip
def test_faults_of_files_that_are_joined(tmp_path, layout, keys, scores, fault):
    found = faults_of(spec_of(tmp_path, layout, keys, scores))
    assert found[0] == fault


def test_what_path_and_file_both_say(tmp_path):
    spec = TrialSpec((put(tmp_path, "s", "7 7 p 1\n", model="A", split="dev", real_id="7"),), layout="bob")
    snapshot("layouts/text_formats_what_path_and_file_both_say", "\n".join(faults_of(spec)))


def test_a_table_in_memory_is_no_text(tmp_path):
    frame = Scan(bob(tmp_path, "7 7 p 1\n")).rows().collect()
    snapshot(
        "layouts/text_formats_a_table_in_memory_is_no_text",
        "\n".join(faults_of(TrialSpec((InMemory(frame),), layout="bob"))),
    )
