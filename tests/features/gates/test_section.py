"""The section of gates: sentences that agree with the numbers, tables, and the files for machines."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_results import World, simulate

from reporting.app.run.junit import gate_files, gates_markdown, junit_xml
from reporting.base.records import replace
from reporting.core.measures.threshold import HTER
from reporting.document.blocks import Prose, Report, Table
from reporting.document.frames.gates import GATES
from reporting.document.runs import GateResult
from reporting.document.words.view import views
from reporting.features.cautions import cautions
from reporting.features.compose import compose
from reporting.features.gates.keys import GATES_KEY, Gate
from reporting.features.gates.section import gate_line, gate_results, gates
from reporting.render.formats import render_all


def row(**values):
    """A not worse than B by 0.02 of HTER, passed."""
    given = {
        "number": 0, "gate": "release", "model": "A", "dataset": "all", "group": "", "kind": "non_inferiority", "against": "B",
        "reference": None, "measure": "hter", "criterion": "min_hter", "inference": "procedure", "estimate": 0.001,
        "ci_low": -0.004, "ci_high": 0.006, "level": 0.95, "ci_method": "normal", "side": "below", "bound": 0.02,
        "p_value": 0.001, "p_adjusted": 0.002, "n_gates": 1, "e_pass": None, "e_fail": None, "looks": None,
        "trials_used": None, "unit": "trial", "n_units": 1000, "outcome": "pass", "counts_as": "pass", "needed": None,
        "needed_unit": None, "reason": None, "status": None,
    }  # fmt: skip
    return given | values


OPEN = {"outcome": "undecided", "counts_as": "fail", "reason": "straddles", "p_adjusted": 0.4}


def results_of(*rows, **world):
    results = simulate(World(models=("A", "B"), n_target=40, n_nontarget=60, pictures=False, **world))
    study = results.study.with_key(GATES_KEY.name, (Gate(measure=HTER, model=("A",), at_most=0.1),))
    return replace(results, study=study).with_frames({GATES: GATES.build(list(rows))})


def told(**values):
    (one,) = gate_results(results_of(row(**values)))
    return one.sentence


@pytest.mark.parametrize(("limit", "printed"), [(0.0195, "1.95"), (0.01995, "1.995"), (0.02005, "2.01")])
def test_a_limit_next_to_the_bound_is_printed_apart_from_it(limit, printed):
    """Halves are rounded up on the page: 1.95 with one decimal would be 2.0, and 1.995 with two 2.00."""
    assert f", {printed}], p" in told(ci_high=limit)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, r"^pass: A is not worse than B by 2 points of HTER \(difference 0\.1\d* points, 95% CI \[−0\.4\d*, 0\.6\d*\], p = \.002\)\.$"),
        ({"outcome": "fail", "ci_low": 0.021, "ci_high": 0.05, "estimate": 0.03}, r"^fail: A is worse than B by more than 2 points of HTER \(difference 3"),
        ({"kind": "superiority", "bound": 0.0, "estimate": -0.02, "ci_high": -0.01}, r"^pass: A is better than B in HTER "),
        ({"kind": "superiority", "bound": 0.0, "outcome": "fail"}, r"^fail: A is worse than B in HTER "),
        ({"kind": "superiority", "bound": -0.01}, r"^pass: A is better than B by more than 1 point of HTER "),
        ({"kind": "superiority", "bound": -0.01, "outcome": "fail"}, r"^fail: A is not better than B by 1 point of HTER "),
        ({"kind": "at_most", "against": None, "bound": 0.02}, r"^pass: the HTER of A is below 2% \(0\.1\d*%, 95% CI"),
        ({"kind": "at_most", "against": None, "bound": 0.02, "outcome": "fail"}, r"^fail: the HTER of A is above 2%"),
        ({"kind": "at_least", "side": "above", "measure": "auc", "against": None, "bound": 0.9}, r"^pass: the AUC of A is above 0\.9 "),
        ({"against": "reference", "reference": "2026-11-01-abc"}, r"^pass: A is not worse than in run 2026-11-01-abc by 2 points of HTER"),
        ({"n_gates": 3}, r"CI \[.*\] adjusted for 3 gates, adjusted p = \.002\)"),
        (OPEN, r"^undecided \(counts as failed\): it is open whether A is not worse than B by 2 points of HTER; the estimate meets the bound, but the confidence limits reach across it \(difference"),
        (OPEN | {"estimate": 0.03}, r"the estimate is beyond the bound, but the confidence limits reach across it"),
        (OPEN | {"estimate": 0.02}, r"the confidence limits include the bound"),
        (OPEN | {"estimate": 0.03, "needed": 500, "needed_unit": "trial"}, r"would decide: fail at the present estimate\.$"),
        (OPEN | {"kind": "at_least", "side": "above", "measure": "auc", "against": None, "bound": 0.9, "estimate": 0.91}, r"the estimate meets the bound"),
        (OPEN | {"counts_as": "pass", "needed": 12345, "needed_unit": "trial"}, r"^undecided \(counts as passed\): .*\)\. About 13,000 more trials \(at the present ratio of the classes\) would decide: pass at the present estimate\.$"),
        (OPEN | {"reason": "on_the_bound"}, r"the estimate is too close to the bound for more data to decide"),
        (OPEN | {"reason": "after_adjustment", "n_gates": 4}, r"the gate alone would decide, but not after adjustment for 4 gates"),
        (OPEN | {"reason": "no_reference", "status": "no_reference", "estimate": None, "ci_low": None, "ci_high": None, "p_adjusted": None, "against": "reference"}, r"than in the last accepted run by .*; no earlier run was accepted, so there is nothing to compare with\.$"),
        ({"looks": 3, "trials_used": 12000, "e_pass": 41.2, "e_fail": 0.034}, r"CI \[.*\] over all looks, e-values over 3 looks at 12,000 trials: 41\.2 for and 0\.0340 against\)\.$"),
    ],
)  # fmt: skip
def test_one_sentence_agrees_with_the_numbers(values, said):
    assert re.search(said, told(**values)), told(**values)


@pytest.mark.parametrize(("high", "outcome"), [(0.019999, "pass"), (0.0200001, "undecided")])
def test_a_limit_beside_the_bound_is_not_printed_as_the_bound(high, outcome):
    section = gates(results_of(row(ci_high=high, outcome=outcome, reason="straddles")))
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    limits, bound = table.rows[0][4].text, table.rows[0][5].text
    assert float(limits.strip("[]").split(", ")[1]) != 2.0
    assert bound.startswith("2.")


def test_the_table_says_verdicts_in_words_and_signs():
    section = gates(
        results_of(
            row(),
            row(gate="other", number=1, outcome="fail", counts_as="fail"),
            row(gate="third", number=2, **OPEN),
        )
    )
    opening = section.blocks[0]
    assert opening.text == "Release checks: 1 passed, 1 failed, 1 undecided; the run is held back."
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    assert sorted(cells[0].text for cells in table.rows) == [
        "? undecided (counts as fail)",
        "✓ pass",
        "✗ fail",
    ]
    assert len([block for block in section.blocks if isinstance(block, Prose)]) == 4
    assert gates(results_of(row())).blocks[0].text == "All release checks passed (1 of 1)."


def test_without_gates_there_is_no_section():
    assert gates(simulate(World(models=("A", "B"), pictures=False))) is None
    assert gate_files([]) == {}


HOSTILE = st.text(
    st.characters(codec=None) | st.sampled_from("<>&\"']]>\x00\x1b\ufffe\ud800|`*_[]()@#\n\r\t\u202e"),
    max_size=30,
)
TOLD = st.builds(
    GateResult,
    HOSTILE,
    HOSTILE,
    st.sampled_from(["pass", "fail", "undecided"]),
    st.sampled_from(["pass", "fail"]),
    HOSTILE,
)


@settings(max_examples=60)
@given(st.lists(TOLD, min_size=1, max_size=4))
def test_machine_files_survive_hostile_names(gates):
    suite = ElementTree.fromstring(junit_xml(gates))
    cases = suite.findall("testsuite/testcase")
    assert len(cases) == len(gates) == int(suite.get("tests"))
    for case, one in zip(cases, gates, strict=True):
        failed, skipped = one.counts_as == "fail", one.counts_as == "pass" and one.outcome == "undecided"
        assert (case.find("failure") is not None, case.find("skipped") is not None) == (failed, skipped)
    for kind, tag in (("failures", "failure"), ("skipped", "skipped")):
        assert int(suite.get(kind)) == sum(case.find(tag) is not None for case in cases)
    text = gates_markdown(gates).decode()
    assert len(text.splitlines()) == 4 + len(gates)
    for line in text.splitlines()[2:]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 5


def test_machine_files_by_example():
    files = gate_files(
        list(gate_results(results_of(row(), row(gate="late", **OPEN | {"counts_as": "pass"}))))
    )
    xml = files["gates.xml"].decode()
    assert '<testsuites tests="2" failures="0" errors="0" skipped="1">' in xml
    assert '<testcase name="release: A" classname="gates"><system-out>pass: A is not worse' in xml
    assert "### Gates: 2 gates, none failed" in files["gates.md"].decode()
    assert (
        "| ✓ pass | release | A | pass: A is not worse than B by 2 points of HTER"
        in files["gates.md"].decode()
    )


def test_a_summary_counts_what_failed():
    failed = row(gate="worse", outcome="fail", counts_as="fail")
    text = gates_markdown(gate_results(results_of(failed))).decode()
    assert text.startswith("### Gates: 1 gate, 1 failed\n\n| Verdict | Gate | Model | Why |\n| :- |")
    assert "| **✗ fail** | worse | A |" in text


def test_every_format_renders_the_section():
    results = results_of(
        row(gate="<b>|"), row(gate="q", **OPEN), row(gate="n", looks=2, trials_used=9, e_pass=1.0, e_fail=2.0)
    )
    report = Report("t", "d", "v", (gates(results),), "s")
    files = render_all(report, results.provenance, ("html", "latex", "markdown", "json"), interactive=False)
    assert "undecided" in files["report.html"].decode()
    assert "<b>|" not in files["report.html"].decode()


def test_the_first_screen_shows_the_gates():
    passed, late = row(), row(gate="late", **OPEN)
    assert gate_line(results_of(passed)) == ("All release checks passed (1 of 1).",)
    report = compose(results_of(passed, late))
    (line,) = report.held
    assert line.startswith(
        "Held back: late: it is undecided whether A is not worse than B by 2 points of HTER ("
    )
    assert not any("elease check" in sentence for sentence in report.answer)
    open_ = row(gate="hter of A not worse than B by 0.02 at min_hter", **OPEN | {"counts_as": "pass"})
    assert gate_line(results_of(open_)) == ("Release checks: 1 undecided; the run may be released.",)
    assert gate_line(simulate(World(pictures=False))) == ()


FAILED = {"gate": "hter of A", "outcome": "fail", "counts_as": "fail", "ci_low": 0.058, "ci_high": 0.134}


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"estimate": 0.096, "bound": 0.03},
            r"A is 9\.6\d* points worse than B in HTER \(95% CI 5\.8\d* to 13\.4\d*\); at most 3 allowed\.",
        ),
        (
            {"estimate": 0.096, "bound": 0.03, "n_gates": 2},
            r"A is .* \(95% CI 5\.8\d* to 13\.4\d*, adjusted for 2 gates\); at most 3 allowed\.",
        ),
        (
            {"estimate": 0.096, "bound": 0.0, "kind": "superiority"},
            r"A is 9\.6\d* points worse than B in HTER \(95% CI .*\); it must be better\.",
        ),
        (
            {"estimate": -0.01, "bound": -0.02, "kind": "superiority"},
            r"A is 1\.0\d* points better than B in HTER \(.*\); it must be better by more than 2 points\.",
        ),
        (
            {"estimate": 0.096, "bound": 0.05, "kind": "limit", "against": None},
            r"the HTER of A is 9\.6\d*% \(95% CI .*\); at most 5% allowed\.",
        ),
        (
            {"estimate": 0.096, "bound": 0.5, "kind": "limit", "against": None, "side": "above"},
            r"the HTER of A is 9\.6\d*% \(95% CI .*\); at least 50% required\.",
        ),
        (
            {"estimate": 0.096, "bound": 0.03, "against": "reference", "reference": "7"},
            r"A is 9\.6\d* points worse than in run 7 in HTER \(.*\); at most 3 allowed\.",
        ),
    ],
)
def test_a_failed_gate_says_what_was_observed_and_what_is_allowed(values, line):
    (held,) = compose(results_of(row(**FAILED | values))).held
    assert re.fullmatch(f"Held back: {line}", held), held


def test_the_first_line_of_every_format_is_why_the_run_is_held_back():
    results = results_of(row(**FAILED | {"estimate": 0.096}))
    report = compose(results)
    files = render_all(report, results.provenance, ("html", "latex", "markdown"), interactive=False)
    words = " ".join(report.headline.split()[1:3])  # a page sets the name before them apart
    for name in ("report.html", "report.tex", "report.md"):
        text = files[name].decode()
        assert text.index("Held back: A is 9.6") < text.index(words), name
    assert '<p class="held">Held back' in files["report.html"].decode()


def test_more_than_three_gates_that_hold_a_run_back_are_counted():
    held = compose(results_of(*[row(number=n, **FAILED) for n in range(5)])).held
    assert len(held) == 4
    assert held[-1] == "2 more release checks hold the run back: see Gates."


def test_the_head_of_the_intervals_of_several_gates_names_what_they_allow_for():
    for n, head in ((1, "CI"), (2, "CI adjusted for 2 gates")):
        (table,) = [b for b in gates(results_of(row(n_gates=n))).blocks if isinstance(b, Table)]
        assert head in [column.title for column in table.columns]


@pytest.mark.parametrize(
    ("unit", "looks", "warned"), [("trial", 3, True), ("trial", None, False), ("cluster", 3, False)]
)
def test_always_valid_gates_warn_where_they_bet_on_single_trials(unit, looks, warned):
    results = results_of(row(looks=looks, trials_used=looks and 900, unit=unit))
    found = [caution for view in views(results) for caution in cautions(view)]
    (text, *_) = [c.text for c in found if c.title == "Always-valid gates without clusters."] or [""]
    assert ("8 of 30 years had a wrong verdict" in text) == warned


def test_a_note_says_how_intervals_of_gates_are_made():
    (one,) = [b for b in gates(results_of(row(ci_method="clopper_pearson"))).blocks if isinstance(b, Table)]
    assert "CIs of gates: Clopper-Pearson." in one.notes
    (two,) = [
        b for b in gates(results_of(row(ci_method="wilson"), row(number=1))).blocks if isinstance(b, Table)
    ]
    assert any("each side has the level of its own step, so the two may differ" in note for note in two.notes)
