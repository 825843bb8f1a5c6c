"""Tables, captions and methods of a composed report."""

import re

import polars as pl
import pytest
from reading import column, every_block, section, table
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.document.blocks import HEARS_OF_FIGURES, Caution, Figure, Prose, Section, Table
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.compose import compose, reorder

FIVE = tuple(f"TC{number}" for number in range(1, 6))


def test_a_report_answers_first_and_explains_last():
    report = compose(simulate(World(models=FIVE, baseline="TC1", cluster="speaker")))
    assert [section.title for section in report.sections] == [
        "Summary",
        "Curves",
        "Operating points",
        "Other measures",
        "Comparisons",
        "How this was done",
    ]
    how = report.sections[-1]
    assert how.folded
    assert [part.title for part in how.blocks] == ["Methods", "Data", "Glossary", "Provenance"]
    assert report.data_line.startswith("Test set: 1,000 trials (300 targets, 700 non-targets), 50 speakers.")
    assert report.signature.startswith("reporting 0.1.0 | seed 1 | HTER at minimum HTER | ")


@pytest.mark.parametrize("datasets", [("all",), ("b/../", "a\\b")])
def test_names_and_anchors_are_unique_and_safe_whatever_the_datasets_are_called(datasets):
    report = compose(simulate(World(datasets=datasets, n_target=30, n_nontarget=30)))
    names = [block.name for kind in (Figure, Table) for block in every_block(report, kind)]
    anchors = [section.anchor for section in all_sections(report.sections)]
    for found in (names, anchors):
        assert len(found) == len(set(found))
        assert all(re.fullmatch(r"[a-z0-9_-]+", one) for one in found)


@pytest.mark.parametrize("order", [("summary",), ("comparisons", "summary", "glossary"), ("curves", "rest")])
def test_what_is_not_named_is_not_written_and_what_is_named_is_as_in_the_whole(order):
    results, written = simulate(World(models=FIVE, baseline="TC1", cluster="speaker")), []

    def by_site(_):
        written.append("by-site")

    pictures = HEARS_OF_FIGURES.set(lambda figure: written.append(figure.name))
    report = reorder(compose(results, [by_site], order), results, order, ())
    HEARS_OF_FIGURES.reset(pictures)
    assert report == reorder(compose(results), results, order, ())
    shown = {figure.name for figure in every_block(report, Figure)}
    assert {*written} - shown == ({"by-site"} if "rest" in order else set())


def all_sections(parts):
    for part in parts:
        yield part
        yield from all_sections([b for b in part.blocks if isinstance(b, Section)])


def test_every_undefined_cell_says_why():
    results = simulate(World(models=FIVE, n_target=0, pictures=False))
    for t in every_block(compose(results), Table):
        for row in t.rows:
            for cell in row:
                assert cell.text != "—" or cell.reason, t.name


def test_the_summary_is_sorted_and_drawn_on_one_axis():
    found = table(compose(simulate(World(models=FIVE, baseline="TC3"))), "summary")
    values = [cell.order for cell in column(found, "HTER")]
    assert values == sorted(values)
    drawn_columns = [n for n, c in enumerate(found.columns) if c.kind == "drawn"]
    for place in drawn_columns:
        low, high = found.columns[place].axis
        for row in found.rows:
            drawn = row[place].drawn
            if drawn is not None:
                assert low < drawn.low <= drawn.value <= drawn.high < high
    zero = found.columns[drawn_columns[1]]
    assert zero.zero_line
    assert zero.axis[0] < 0 < zero.axis[1]
    assert zero.group == "difference from TC3 (points)"
    assert "verdict" in [c.title for c in found.columns]


def test_a_summary_of_one_model_has_no_differences():
    found = table(compose(simulate(World(models=("only",)))), "summary")
    assert [c.title for c in found.columns] == ["model", "", "HTER", "false alarms + misses"]


def test_without_a_baseline_differences_are_to_the_first_in_rank():
    found = table(compose(simulate(World(models=("a", "b", "c"), step=1.0))), "summary")
    leader = found.rows[0][0].text
    place = [c.title for c in found.columns].index("difference")
    assert found.columns[place].group == f"behind {leader} (points)"
    differences = [row[place].order for row in found.rows]
    assert differences[0] is None
    assert all(value > 0 for value in differences[1:])


def test_the_head_over_the_decisions_fits_them():
    found = table(compose(simulate(World(models=FIVE, cluster="speaker"))), "summary")
    assert column(found, "verdict")[0].text in ("best", "in contention")


def test_what_thick_and_thin_lines_are_is_no_note_of_the_numbers():
    best = table(compose(simulate(World(models=FIVE, cluster="speaker"))), "summary")
    snapshot(
        "features/sections_what_thick_and_thin_lines_are_is_no_note_of_the_numbers",
        "\n".join(best.drawn_notes),
    )
    assert not [note for note in best.notes if "hin" in note]
    against = table(compose(simulate(World(models=FIVE, baseline="TC1"))), "summary")
    snapshot(
        "features/sections_what_thick_and_thin_lines_are_is_no_note_of_the_numbers_2",
        "\n".join(against.drawn_notes),
    )
    alone = table(compose(simulate(World(models=("only",)))), "summary")
    assert alone.drawn_notes == ("Lower is better. Dot: value; line and brackets: 95% CI.",)


@pytest.mark.parametrize("extra", [0.0, 0.00006])
def test_a_difference_that_rounding_sets_off_from_its_values_has_a_note(extra):
    results = simulate(World(models=("TC1", "TC2"), baseline="TC1", cluster="speaker"))
    exact = {"TC1": 0.0213, "TC2": 0.0540}
    values = pl.col("model").replace_strict(exact, return_dtype=pl.Float64)
    moved = results.frame(METRICS).with_columns(value=values, ci_low=values - 0.0100, ci_high=values + 0.0100)
    compared = results.frame(COMPARISONS).with_columns(
        difference=pl.lit(0.0327 + extra), ci_low=pl.lit(0.02), ci_high=pl.lit(0.04)
    )
    report = compose(results.with_frames({METRICS: moved, COMPARISONS: compared}))
    notes = [
        n for n in table(report, "summary").notes if n == "Differences may not match the rounded values."
    ]
    assert bool(notes) == bool(extra)


@pytest.mark.parametrize(("step", "noted"), [(1e-7, False), (1e-12, True)])
def test_thresholds_that_print_alike_have_a_note(step, noted):
    """1.0000 twice, of two thresholds."""
    results = simulate(World(models=("a", "b"), cluster="speaker"))
    near = 1.0 + step * pl.col("model").replace_strict({"a": 0, "b": 1}, return_dtype=pl.Float64)
    moved = results.frame(METRICS).with_columns(
        threshold=pl.when(pl.col("threshold").is_not_null()).then(near)
    )
    found = table(compose(results.with_frames({METRICS: moved})), "operating_points_1")
    assert (len({cell.text for cell in column(found, "threshold")}) == 1) == noted
    assert any("digits that are not printed" in note for note in found.notes) == noted


def test_highest_first_where_higher_is_better():
    found = table(compose(simulate(World(models=FIVE, primary=AUC, pictures=False))), "summary")
    values = [cell.order for cell in column(found, "AUC")]
    assert values == sorted(values, reverse=True)
    assert next(c for c in found.columns if c.title == "AUC").sense == "higher is better"


def test_a_posteriori_is_said_wherever_test_chose():
    report = compose(simulate(World()))
    for t in every_block(report, Table):
        assert "oracle" not in " ".join([t.caption, *t.notes, *(c.title for c in t.columns)])
    captions = {f.name: f.caption for f in every_block(report, Figure)}
    assert "Dots: thresholds set on the development set (minimum HTER). Rings" in captions["det"]
    assert "(optimistic)" in captions["det"]
    assert "(optimistic)" in captions["epc"]


def test_comparisons_separate_the_family_from_the_rest():
    report = compose(simulate(World(models=("a", "b", "c"), baseline="a")))
    family = table(report, "comparisons")
    assert [len(family.rows), family.caption.split(":")[0]] == [2, "Comparisons with the baseline"]
    (note, fixed) = family.notes
    snapshot("features/sections_comparisons_separate_the_family_from_the_rest", note)
    assert fixed.startswith("With thresholds fixed: the two systems as deployed")
    rest = [t for t in every_block(report, Table) if t.name.startswith("differences_")]
    assert [t.caption.split(" on the")[0] for t in rest] == ["Differences from a"] * len(rest)
    assert all(t.notes[0].startswith("Exploratory; not adjusted for multiple comparisons.") for t in rest)
    titles = [c.title for t in rest for c in t.columns[1:]]
    assert titles == ["FAR", "FRR", "HTER", "EER", "AUC", "minDCF (prior 50%)"]


def test_alphas_of_the_epc_are_not_listed_as_comparisons():
    results = simulate(World(pictures=False))
    alphas = results.frame(COMPARISONS).head(1).with_columns(parameter=pl.lit(0.25), measure=pl.lit("hter"))
    more = results.with_frames({COMPARISONS: pl.concat([results.frame(COMPARISONS), alphas])})
    one, other = (next(s for s in compose(r).sections if s.anchor == "comparisons") for r in (more, results))
    assert one == other


def test_digits_follow_the_smallest_error_and_are_the_same_everywhere():
    view = views(simulate(World(n_target=50, n_nontarget=50)))[0]
    printed = view.printing(HTER)
    assert printed.decimals == 1
    assert printed.value(0.12345) == "12.3"
    assert views(simulate(World(n_target=5000, n_nontarget=5000)))[0].printing(HTER).decimals == 2
    assert view.printing(AUC).value(0.98765) in ("0.988", "0.9877")
    assert view.printing(WEIGHTED_ERROR).decimals == 2


def test_the_methods_say_what_every_report_must():
    methods = section(compose(simulate(World(models=FIVE, baseline="TC1"))), "methods")
    text = " ".join(block.text for block in methods.blocks)
    for said in (
        "The primary measure is the half total error rate (HTER), on the test set, HTER = (FAR + FRR) / 2.",
        "threshold was set on the development set, minimising HTER",
        "95% CIs: percentile bootstrap (2,000 resamples of trials)",
        "Trials were treated as independent.",
        "All models and the baseline TC1 were compared on the same trials",
        "In each of 2,000 random exchanges, chance decides for every trial of both sets whether the two models",
        "both re-select their thresholds, and their difference on the test set is computed again",
        "so it excludes 0 exactly where p ≤ .05",
        "Results with thresholds fixed, which compare the systems as deployed, are also reported",
        "simultaneous bands are CIs of a higher level",
        "p-values are adjusted over 4 comparisons (Holm).",
        "exploratory and not adjusted for multiple comparisons",
        "Monte-Carlo standard error",
        "no miss for α ≤",
        "random seed 1",
    ):
        assert said in text, said


def test_the_provenance_holds_the_digests_and_versions_and_the_signature_ends_the_report():
    report = compose(simulate(World(pictures=False)))
    assert column(table(report, "inputs"), "sha256")[0].text == "0123456789abcdef" * 4
    (made_with,) = (block.text for block in section(report, "provenance").blocks if isinstance(block, Prose))
    assert made_with.startswith("Made with reporting 0.1.0 as of 2026-11-20, seed 1; numpy 2.4.0")
    assert report.signature.startswith("reporting 0.1.0 | seed 1 | ")
    assert not [block for block in every_block(report, Prose) if report.signature in block.text]


def test_alternative_texts_repeat_the_numbers_of_the_tables():
    report = compose(simulate(World()))
    alts = {f.name: f.alt for f in every_block(report, Figure)}
    summary = table(report, "summary")
    for row, value in zip(summary.rows, column(summary, "HTER"), strict=True):
        assert f"{row[0].text} {value.text}%" in alts["epc"]
    rates = column(table(report, "operating_points_1"), "FAR")
    place = [cell.text for cell in column(table(report, "operating_points_1"), "model")].index("TC1")
    assert f"TC1 FAR {rates[place].text.split()[0]}%" in alts["det"]


def test_a_report_without_pictures_or_comparisons_still_composes():
    results = simulate(World(pictures=False))
    bare = results.with_frames(
        {
            COMPARISONS: results.frame(COMPARISONS).clear(),
            EPC: results.frame(EPC).clear(),
            ROC: results.frame(ROC).clear(),
        }
    )
    titles = [section.title for section in compose(bare).sections]
    assert "Curves" not in titles
    assert "Comparisons" not in titles
    assert every_block(compose(bare), Caution)
