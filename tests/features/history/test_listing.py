"""What a terminal shows: the whole text, widths, dates, hostile names, and terminals that know no bars."""

import pytest
from weeks import decided, facts, filled, frames_from, frames_of

from reporting.document.lines import fitted, places
from reporting.errors import DataError
from reporting.features.history.store import open_store
from reporting.features.history.terminal import diff, listing, sparkline
from reporting.features.history.trends import Selection

LISTING = """\
weekly: 3 runs, 2026-09-04 to 2026-09-18

as of       run       model  HTER (%)  95% CI
2026-09-04  43ec4f82  TC3        10.5  [7.1, 13.9]
2026-09-11  1a20b16c  TC3         9.5  [6.2, 12.8]
2026-09-18  44e91377  TC3         9.0  [5.8, 12.2]

trend     model  oldest to latest    last  95% CI
HTER (%)  TC3    █▃▁                  9.0  [5.8, 12.2]
AUC       TC3    ▁▆█               0.9919  [0.9819, 1.0000]
FAR (%)   TC3    █▅▁                  9.0  [6.3, 12.8]
FRR (%)   TC3    █▁▁                  9.0  [4.8, 16.2]"""

DIFF = """\
44e91377 of 2026-09-18 minus 43ec4f82 of 2026-09-04

HTER (points)
model  previous    now  difference  95% CI            p  adj. p
TC1       16.00  16.00        0.00  [−1.84, 1.84]   1.0     1.0
TC2       11.50  11.50        0.00  [−1.84, 1.84]   1.0     1.0
TC3       10.50   9.00       −1.50  [−3.20, 0.20]  .008    .023
Paired on 400 shared trials: exact mid-p, studentized interval.
The CI and the p-value disagree about 0 for TC3: a borderline result.

Other differences
input trials.parquet: contents changed
trials: 400 shared"""


@pytest.fixture
def weekly(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return filled(open_store("weekly"), 3)


def test_the_listing_reads_like_this(weekly):
    assert listing(weekly, Selection(model="TC3")) == LISTING


def test_the_difference_of_two_runs_reads_like_this(weekly):
    assert diff(weekly, "2026-09-04", "44e91377") == DIFF


def test_a_terminal_without_bars_gets_ascii(weekly):
    for text in (
        listing(weekly, Selection(), unicode=False),
        diff(weekly, "2026-09-04", "44e9", unicode=False),
    ):
        assert text.isascii()
    assert "TC3    #-_" in listing(weekly, Selection(model="TC3"), unicode=False)


def test_dates_measures_and_models_are_picked(weekly):
    text = listing(weekly, Selection(measure="far", since="2026-09-05", until="2026-09-11"))
    assert text.count("2026-09-11  1a20b16c") == 1
    assert "2026-09-04" not in text
    assert "2026-09-18" not in text
    assert "HTER" not in text
    assert "FAR (%)" in text
    assert listing(weekly, Selection(since="2030-01-01")) == "weekly: no runs"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (Selection(model="TC33"), "--model: no run has 'TC33'; did you mean 'TC3'\\? .found: TC1, TC2, TC3."),
        (Selection(measure="htre"), "--measure: 'htre' is not a measure; did you mean 'hter'\\?"),
        (Selection(measure="mcc"), "--measure: no run has 'mcc'"),
        (Selection(dataset="x"), "--dataset: no run has 'x'"),
        (Selection(group="g"), "--group: no run has 'g'"),
    ],
)
def test_a_name_that_occurs_nowhere_is_told(weekly, asked, told):
    with pytest.raises(DataError, match=told):
        listing(weekly, asked)


HOSTILE = ("\x1b]0;owned\x07", "two\nlines\r\t", "中文" * 30, "\u202egnp", "e\u0301" * 9, "x" * 200, "α −")


@pytest.mark.parametrize("width", [80, 120])
def test_hostile_names_keep_to_their_lines(tmp_path, width):
    store = open_store(tmp_path)
    for week in range(2):
        keys, label, decisions = decided(week, 40, HOSTILE)
        named = tuple((name, name) for name in HOSTILE)
        config = {"\x1b[2J": "\x07" * 300 + str(week)}
        store.record(facts(week, models=named, config=config), frames_from(keys, label, decisions))
    store = open_store(tmp_path)
    shown = (
        listing(store, Selection(), width)
        + "\n"
        + diff(store, *(run.short for run in store.runs()), width=width)
    )
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert max(map(places, shown.replace(str(tmp_path), "").split("\n"))) <= width


def test_a_damaged_run_is_named_below_the_others(weekly):
    name = weekly.runs()[1].name
    next((weekly.place.runs / name).glob("metrics*")).write_bytes(b"PAR1")
    shown = listing(open_store("weekly"), Selection(model="TC3"))
    assert "2026-09-18  44e91377" in shown
    assert "2026-09-11  1a20b16c" not in shown
    assert f"caution: weekly: run {name}:\n  metrics-" in shown


def test_an_empty_store_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none").mkdir()
    assert listing(open_store("none"), Selection()) == "none: no runs"


def test_bars_share_a_scale_and_leave_gaps():
    assert sparkline([0, None, 7, 8], 0, 8) == "▁ ██"
    assert sparkline([1, 1], 1, 1) == "▅▅"
    assert sparkline([float("inf"), 2], 0, 4, unicode=False) == " ="
    assert sparkline(list(range(99)), 0, 98, most=3) == "███"


def test_a_text_is_cut_by_the_places_it_takes():
    assert fitted("中文中文", 5) == "中文…"
    assert fitted("abc", 3) == "abc"
    assert fitted("a\nb", 9) == r"a\nb"


def test_a_run_without_frames_is_listed_without_values(tmp_path):
    store = open_store(tmp_path)
    store.record(facts(0), {})
    store.record(facts(1), frames_of(1))
    assert open_store(tmp_path).runs()[0].short not in listing(open_store(tmp_path), Selection())
