"""No page contradicts itself: headline, table, pictures, comparisons, slider and gates say one thing.

The pages are those of simulated trials, read as a reader has them. What is checked is taken from the page
alone: a word against a word, a number against a number, a line against zero.
"""

import functools
import json
import re

import numpy as np
import polars as pl
import pytest
from page_places import Chart, check_held, check_limits, check_places, check_titles
from read_page import drawn, read_page

from reporting.app.run.report import make_report

FEWER = ["significance.replicates=199", "epc.alphas=5", "report.formats=[html]"]
NEAR = 0.6
"""Pixels within which a line may touch zero without a word."""


def trials(seed):
    """Return trials of two to eight models, of clusters or not, one of them at times the copy of another."""
    rng = np.random.default_rng([16, seed])
    models = [f"m{number}" for number in range(int(rng.integers(2, 9)))]
    strength = rng.uniform(0.3, 2.0) + rng.choice([0.0, 0.15, 0.5]) * rng.permutation(len(models))
    n, clusters = int(rng.integers(80, 220)), int(rng.integers(10, 30))
    rows = []
    for split in ("dev", "test"):
        label, cluster = rng.random(n) < 0.4, rng.integers(clusters, size=n)
        label[:4] = True, False, True, False
        shared = rng.normal(size=n) + 0.5 * rng.normal(size=clusters)[cluster]
        copied = None
        for model, separation in zip(models, strength, strict=True):
            score = np.round(shared + rng.normal(size=n) + separation * label, int(rng.integers(1, 3)))
            score = copied if copied is not None and rng.random() < 0.1 else score
            copied = score
            columns = {"trial": [f"{split}{i}" for i in range(n)], "label": label, "score": score}
            rows.append(pl.DataFrame(columns).with_columns(
                speaker=pl.Series([f"{split}{c}" for c in cluster]),
                model=pl.lit(model),
                split=pl.lit(split),
                gender=pl.Series(["f" if c % 2 else "m" for c in cluster]),
            ))  # fmt: skip
    return models, pl.concat(rows)


def page_of(folder, seed, baseline=None, clustered=None):
    """Return the page of one simulated report; every second has a baseline, every third is clustered."""
    models, table = trials(seed)
    folder.mkdir(exist_ok=True)
    table.write_parquet(folder / "trials.parquet")
    base = models[0] if (seed % 2 if baseline is None else baseline) else None
    clustered = seed % 3 == 0 if clustered is None else clustered
    columns = ", columns: {cluster: speaker}" if clustered else ""
    pair = f"model: {models[1]}, against: {models[0]}"
    (folder / "report.yaml").write_text(
        f"trials: {{source: trials.parquet{columns}}}\n"
        + (f"baseline: {base}\n" if base else "")
        + "curves: [det, roc]\ncriteria: [min_hter, 'target_far(far=0.2)']\nmeasures: [far, frr, hter, auc]\n"
        + "across: {columns: gender}\n"
        + ("" if base or len(models) < 3 else "report: {sections: [summary, ranking, rest]}\n")
        + f"gates:\n  - {{measure: hter, {pair}, better: true}}\n  - {{measure: hter, {pair}, not_worse_by: 0.2}}\n"
    )
    out = make_report(folder / "report.yaml", folder / "out", FEWER)
    return (out / "report.html").read_text()


def names(text):
    return re.findall(r"\bm\d\b", text)


def check(text):
    """Raise where the page contradicts itself."""
    page = read_page(text)
    decided = summary(page)
    headline(page, decided)
    numbers(page)
    operating_points(page)
    comparisons(page, decided)
    slider(page, decided)
    gates(page, decided)
    check_titles(page, decided)
    check_held(page)
    assert check_limits(page) + check_places(page) >= 10


def summary(page):
    """Return what is decided of each model; p, bold and the thin line agree with the word."""
    decided = {}
    for row in page.table("summary"):
        model, word = row[0].text(), row[5].text()
        verdict, _, p = word.partition(", ")
        decided[model] = verdict
        if p:
            small = "<" in p or float(p.split()[-1]) <= 0.05
            assert small == (verdict in ("ruled out", "better", "worse")), word
        assert bool(row[2].find("strong")) == (verdict == "best")
        line = drawn(row[3])
        if line.thin is None or line.zero is None or verdict == "identical":
            continue
        low, high = (end - line.zero for end in line.thin)
        if min(abs(low), abs(high)) > NEAR:
            apart, decides = low > 0 or high < 0, verdict in ("ruled out", "better", "worse")
            explained = decides and f"{model}'s adjusted CI includes 0" in page.notes("summary")
            assert apart == decides or explained, (word, line)
            assert not (verdict in ("ruled out", "worse") and high < 0)
            assert not (verdict == "better" and low > 0)
        low, high = interval(row[4])
        if high > low and line.thick[0] > 6.0 and line.thick[1] < 170.0:  # else it ends with the axis
            pixels = (line.thick[1] - line.thick[0]) / (high - low)
            rounding = pixels * rounded_by(row[4])
            assert abs(line.thick[0] - line.zero - pixels * low) <= NEAR + 2 * rounding, (word, line)
        apart = low > 0 or high < 0
        if apart != (verdict in ("ruled out", "better", "worse")) and min(abs(low), abs(high)) > 0:
            assert f"{model}'s CI" in page.notes("summary"), word
    return decided


def interval(cell):
    beneath = cell.find("span", class_="beneath")[0].text()
    return tuple(float(number.replace("−", "-")) for number in beneath.strip("[]").split(", "))


def rounded_by(cell):
    """Return half a unit of the last digit of an interval."""
    number = cell.find("span", class_="beneath")[0].text().strip("[]").split(", ")[0]
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def headline(page, decided):
    """The headline names those who may be best, or are better or worse, and nobody else."""
    text = page.headline
    open_ = {model for model, word in decided.items() if word in ("best", "tied", "in contention")}
    if "baseline" not in decided.values():
        best = [model for model, word in decided.items() if word == "best"]
        assert bool(best) == (text == f"{best[0] if best else ''} is best.")
        assert bool(best) == (len(open_) == 1)
        if match := re.match(r"(m\d) looks best .*? but is not shown to beat (.*?)(?:;|\.$)", text):
            assert {match[1], *names(match[2])} == open_
        if "looks best" in text:
            assert names(text)[0] == next(iter(decided))
        if match := re.search(r"(\w+) of \w+ models may be best", text):
            assert ["five", "six", "seven", "eight"].index(match[1].lower()) + 5 == len(open_)
        if "can be ruled out as best" in text:
            assert "ruled out" not in decided.values()
        if "ruled out." in text:
            assert "ruled out" in decided.values()
        if "tied" in text:
            assert [m for m, w in decided.items() if w == "tied"] == names(text.split(" are tied")[0])
        return
    (base,) = (model for model, word in decided.items() if word == "baseline")
    said = {}
    for clause in text.rstrip(".").split("; "):
        for word in ("better", "worse", "identical"):
            if word in clause:
                said[word] = {name for name in names(clause) if name != base}
    for word in ("better", "worse"):
        models = {model for model, each in decided.items() if each == word}
        assert (word in said) == bool(models), text
        assert not said.get(word) or said[word] == models, text
    if "shown to differ" in text:
        assert set(decided.values()) == {"baseline", "inconclusive"}
    if "not shown to beat" in text:
        assert decided[names(text)[0]] == "inconclusive"
        assert names(text)[0] == next(iter(decided))


def numbers(page):
    """Every number of the first sentences is in the table, with the same digits; limits have their own."""
    leads = re.sub(r"The limit of \d+% FAR .*", "", page.leads)
    cells = {cell.text("beneath") for row in page.table("summary") for cell in row}
    beneath = {
        each.text() for row in page.table("summary") for c in row for each in c.find("span", class_="beneath")
    }
    for low, high in re.findall(r"CI (\S+) to ([^\s,;)]+)", leads):
        assert f"[{low}, {high}]" in beneath
    for number in re.findall(r"(?<![\w.])−?\d+\.\d+(?=%| percentage)", leads + page.headline):
        assert number in cells, number
    for p in re.findall(r"p [=<] \.\d+", leads):
        assert any(cell.endswith(p) for cell in cells)


def operating_points(page):
    """HTER and errors are those of the table of operating points."""
    heads, rows = page.heads("operating_points_1"), page.table("operating_points_1")
    places = [
        next(n for n, head in enumerate(heads) if head.startswith(t)) for t in ("HTER", "false", "misses")
    ]
    points = {row[0].text(): [row[place].text() for place in places] for row in rows}
    for row in page.table("summary"):
        assert [row[2].text(), *row[6].text().split(" + ")] == points[row[0].text()]


def comparisons(page, decided):
    """The comparisons decide as the table does; those of pairs have its numbers."""
    rows = page.table("comparisons")
    differences = {row[0].text(): row[4].text() for row in page.table("summary")}
    if "baseline" in decided.values() and rows is not None:
        heads = page.heads("comparisons")
        for row in rows:
            model = names(row[0].text())[0]
            assert row[heads.index("decision")].text().split(",")[0] == decided[model]
            assert row[1].text() == differences[model]
    pairs = page.table("pairs")
    if pairs is not None:
        first, leader = [cell.text("beneath").split()[0] for cell in pairs[0][2:]], next(iter(decided))
        assert pairs[0][0].text() == leader
        ends = [row[4].text("beneath") for row in page.table("summary")[1:]]
        assert [each.lstrip("−") for each in first] == [each.lstrip("−") for each in ends]
        assert not any(a == b and float(a) for a, b in zip(first, ends, strict=True) if "−" not in a)


def slider(page, decided):
    """At equal weights the slider has the values, intervals and decisions of the table."""
    data = page.slider
    at = min(range(len(data["alphas"])), key=lambda n: abs(data["alphas"][n] - 0.5))
    assert data["alphas"][at] == 0.5
    by_name = {model["name"]: model for model in data["models"]}
    assert data["known"] == ("baseline" not in decided.values() and len(decided) > 2)
    for row in page.table("summary"):
        there, word = by_name[row[0].text()], decided[row[0].text()]
        assert there["error"][at] == row[2].text("beneath")
        assert there["interval"][at] == row[2].find("span", class_="beneath")[0].text()
        if data["known"]:
            assert (there["state"][at] == 2) == (word != "ruled out"), (there["p"][at], word)
            p = row[5].text().partition("p ")[2].removeprefix("= ")
            assert not p or there["p"][at] == p
    if data["known"]:
        sentence = data["verdicts"][data["verdict"][at]]
        others = re.match(r"Also in contention: ([^.]*)\.", sentence)
        leaders = {model for model, word in decided.items() if word == "tied"} | {next(iter(decided))}
        rest = {model for model, word in decided.items() if word != "ruled out"} - leaders
        if sentence.startswith("No model is ruled out"):
            assert "ruled out" not in decided.values()
        else:
            assert set(names(others[1]) if others else []) == rest, sentence
    title = next(
        (
            e.text()
            for f in page.root.find("figure", id="figure-winners")
            for e in f.find("p", class_="figure-title")
        ),
        "",
    )
    if match := re.match(r"Only (.*) stays? in contention at every", title):
        everywhere = {name for name, model in by_name.items() if all(state >= 1 for state in model["state"])}
        assert set(names(match[1])) == everywhere


def gates(page, decided):
    """A gate has the difference of the table, and never passes a model as better that the table calls worse."""
    said = page.root.find("section", id="gates")[0].find("p")[0].text()
    rows = page.table("gates")
    passed = [row for row in rows if "pass" in row[0].text()]
    if said.startswith("All"):
        assert said == f"All release checks passed ({len(passed)} of {len(rows)})."
    else:
        assert sum(map(int, re.findall(r"\b(\d+) (?:passed|failed|undecided)", said))) == len(rows)
        assert not passed or f" {len(passed)} passed" in said
    if decided.get("m0") != "baseline":
        return
    difference = next(row[4].text("beneath") for row in page.table("summary") if row[0].text() == "m1")
    for row in rows:
        assert row[3].text().split()[0] == difference
        assert not (row in passed and "better" in row[1].text() and decided["m1"] == "worse")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Returns the page of a seed, made once."""
    return functools.cache(lambda seed: page_of(tmp_path_factory.mktemp("page"), seed))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(300))
def test_no_page_contradicts_itself(page, seed):
    check(page(seed))


@pytest.fixture(scope="module", name="pages")
def _pages(page):
    """A page that asks which model is best, one with a baseline, of both some models decided, and one held back."""
    return page(4), page(5), page(HELD)


HELD = 7
"""A seed whose gates hold the run back."""


def within(text, opening, closing, change):
    """Change what stands between two marks."""
    start = text.index(opening)
    end = text.index(closing, start)
    changed = change(text[start:end])
    assert changed != text[start:end]
    return text[:start] + changed + text[end:]


def in_table(name, old, new):
    def tamper(text):
        return within(text, f'id="table-{name}"', "</table>", lambda part: re.sub(old, new, part, count=1))

    return tamper


def another_leader(text):
    return within(text, '<h2 class="headline">', "</h2>", lambda part: part.replace("m5<", "m1<"))


def better_for_worse(text):
    return within(text, '<h2 class="headline">', "</h2>", lambda part: part.replace("worse", "better"))


def another_value(text):
    return within(text, '<h2 class="headline">', "</h2>", lambda part: re.sub(r"\(\d", "(9", part, count=1))


def thin_line_over_zero(text):
    def over(part):
        rows = part.split("<tr>")
        place = max(n for n, row in enumerate(rows) if "ruled out, p" in row)
        rows[place] = re.sub(r'class="outer" x1="[\d.]+"', 'class="outer" x1="0.0"', rows[place])
        return "<tr>".join(rows)

    return within(text, 'id="table-summary"', "</table>", over)


def slider_with(key, value):
    def tamper(text):
        def change(part):
            opening, _, data = part.partition(">")
            found = json.loads(data)
            last = found["models"][-1]
            last[key][found["alphas"].index(0.5)] = value(last[key][found["alphas"].index(0.5)])
            return f"{opening}>{json.dumps(found)}"

        start = text.index('class="explorer"')
        return text[:start] + within(text[start:], '<script type="application/json"', "</script>", change)

    return tamper


def live(figure, change):
    """Change the data that a picture is drawn from."""

    def tamper(text):
        start = text.index(f'id="figure-{figure}"')

        def changed(part):
            opening, _, data = part.partition(">")
            chart = json.loads(data)
            change(chart)
            return f"{opening}>{json.dumps(chart)}"

        return text[:start] + within(
            text[start:], '<script type="application/json" class="live"', "</script>", changed
        )

    return tamper


def moved(kind, axis="x", steps=1500):
    """Move the first mark of a kind along an axis, by so many of 20,000 steps."""

    def change(chart):
        names = [name for name in Chart(chart).tables(kind) if name != "on_dev"]
        block = next(
            b
            for name in (names[::-1] if kind == "line" else names)
            if name
            for b in chart["data"].get(name, [])
            if axis in b
        )
        block[axis][0] += steps

    return change


def moved_bar(table, at, by):
    def change(chart):
        bars = chart["data"][table][0]["rows"]
        bar = [each for each in bars if each["y2"] - each["y"] > 0.6][at]
        bar["x"], bar["x2"] = bar["x"] + by, bar["x2"] + by

    return change


def in_text(old, new):
    def tamper(text):
        changed = re.sub(old, new, text, count=1)
        assert changed != text
        return changed

    return tamper


PLANTED = {
    "headline names another": (0, another_leader),
    "headline turned round": (1, better_for_worse),
    "value of the headline": (0, another_value),
    "verdict of the table": (0, in_table("summary", "ruled out, p", "in contention, p")),
    "p of the table": (0, in_table("summary", r"(ruled out, p.=.)\.005", r"\g<1>.051")),
    "thin line over zero": (0, thin_line_over_zero),
    "verdict of a comparison": (1, in_table("comparisons", ">worse, p", ">inconclusive, p")),
    "sign of a comparison": (1, in_table("comparisons", r'data-order="[\d.]+">(?=\d)', ">−")),
    "value of an operating point": (0, in_table("operating_points_1", r">(\d+)</td>", r">9\g<1></td>")),
    "state of the slider": (0, slider_with("state", lambda state: 2 if state < 2 else 0)),
    "interval of the slider": (0, slider_with("interval", lambda text: text.replace("[", "[9"))),
    "difference of a gate": (1, in_table("gates", r">(−?\d)(?=[\d.]+ points)", r">9\g<1>")),
    "a run that is held back is released": (2, in_text("the run is held back", "the run may be released")),
    "the first line has another number": (2, in_text(r'(class="held">.*?difference )(\d)', r"\g<1>9\g<2>")),
    "the first line is missing": (2, in_text(r'<p class="held">.*?</p>', "")),
    "the interval of several gates has no name": (0, in_text("CI adjusted for 2 gates", "CI")),
    "a title calls best what is observed": (0, in_text(r'(figure-title">.*?lowest) observed', r"\g<1>")),
    "costs have a second answer": (1, in_text("Verdicts are those against", "m1 is ruled out, apart from")),
    "a limit that is not met is met": (0, in_text("undecided for", "met by")),
    "a dot of the summary": (0, in_table("summary", r'(class="dot" cx=")[\d.]+', r"\g<1>3.0")),
    "a dot of the ROC": (0, live("roc", moved("symbol"))),
    "a dot of the DET": (0, live("det", moved("symbol"))),
    "a value of the ranking": (0, live("ranking", moved_bar("ranking_bars", 0, 0.2))),
    "a difference of the forest plot": (0, live("forest", moved_bar("forest_bars", 0, 1.5))),
    "a dot of a group": (0, live("groups_1", moved("symbol"))),
    "a line of costs": (0, live("winners", moved("line", "y"))),
    "a line of the difference": (0, live("cost_difference", moved("line", "y"))),
    "the lowest of costs": (0, live("winners", moved_bar("winners_bars", 0, 0.6))),
    "a line of the EPC": (0, live("epc", moved("line", "y"))),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_contradiction_is_seen(pages, planted):
    which, tamper = PLANTED[planted]
    with pytest.raises(AssertionError):
        check(tamper(pages[which]))


def test_the_pages_they_are_planted_in_have_none(pages):
    for page in pages:
        check(page)
