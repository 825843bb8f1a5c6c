"""Where the marks of a page lie, compared with the numbers that it prints: what is drawn is what is said."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate

import numpy as np
from read_page import Element, Page
from scipy.special import ndtri

NUMBER = r"[−-]?\d+(?:,\d{3})*(?:\.\d+)?"
PIXEL = 0.01
"""What a place may be off, as a share of its axis."""
BEST = r"\b(lowest|highest|largest|smallest|most|least)\b"


def numbers(text: str) -> list[float]:
    """Return the numbers of a text."""
    return [float(each.replace("−", "-").replace(",", "")) for each in re.findall(NUMBER, text)]


def value(cell: Element) -> float | None:
    """Return the number of a cell; None where it is undefined."""
    found = numbers(cell.text("beneath").partition("(")[0])
    return found[0] if found else None


def rounded(cell: Element) -> float:
    """Return half a unit of the last digit of a cell."""
    text = re.findall(NUMBER, cell.text("beneath"))[0]
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


class Chart:
    """A picture of a page: its axes, and the rows of its marks in drawn units."""

    def __init__(self, data: dict, name: str = "", title: str = "") -> None:
        self.data, self.name, self.title = data, name, title
        self.sources = {table["name"]: table.get("source") for table in self.data["vega"]["data"]}

    def axis(self, name: str) -> tuple[float, float]:
        """Return the ends of an axis."""
        return tuple(next(s["domain"] for s in self.data["vega"]["scales"] if s["name"] == name))

    def span(self, name: str) -> float:
        """Return the length of an axis."""
        low, high = self.axis(name)
        return high - low

    def ticks(self, scale: str = "x") -> list[tuple[float, str]]:
        """Return the places of the ticks of an axis with their texts."""
        (axis,) = (a for a in self.data["vega"]["axes"] if a["scale"] == scale and "encode" in a)
        texts = re.search(r"\[.*?\](?=\[)", axis["encode"]["labels"]["update"]["text"]["signal"])[0]
        return list(zip(axis["values"], json.loads(texts), strict=True))

    def tables(self, kind: str) -> list[str]:
        """Return the tables that marks of a kind are drawn from."""

        def found(marks: list[dict]) -> list[str]:
            names = []
            for mark in marks:
                if "marks" in mark:
                    names += (
                        [mark["from"]["facet"]["data"]]
                        if any(inner["type"] == kind for inner in mark["marks"])
                        else []
                    )
                elif mark["type"] == kind:
                    names.append(mark["from"]["data"])
            return names

        every = found(self.data["vega"]["marks"])
        return [self.sources.get(name) or name for name in every if name]

    def blocks(self, table: str) -> list[dict]:
        """Return the blocks of a table with their places in drawn units."""
        blocks = []
        for block in self.data["data"].get(table, []):
            placed = dict(block)
            for name, (low, step) in self.data["grid"].items():
                if name in block:
                    placed[name] = [low + step * at for at in accumulate(block[name])]
            blocks.append(placed)
        return blocks

    def lines(self) -> dict[str, tuple[list[float], list[float]]]:
        """Return the line of every model, the first where it has several."""
        table = next(t for t in self.tables("line") if len({b.get("model") for b in self.blocks(t)} - {""}))
        tables = [t for t in self.tables("line") if t not in ("on_dev",)]
        curves = [t for t in tables if any(b.get("model") in self.models for b in self.blocks(t))]
        table = curves[-1] if curves else table
        return {b["model"]: (b["x"], b["y"]) for b in reversed(self.blocks(table))}

    @property
    def models(self) -> list[str]:
        """The names of the legend."""
        return [model["name"] for model in self.data["models"]]

    @property
    def greys(self) -> list[str]:
        """The names of the models in grey."""
        inks = {
            model["name"]: {model["colour"][i : i + 2] for i in (1, 3, 5)} for model in self.data["models"]
        }
        return [name for name, ink in inks.items() if len(ink) == 1]

    def arrows(self) -> list[str]:
        """Return the texts of arrows."""
        texts = [row["text"] for each in self.data.get("names", [])[:1] for row in each[0].get("names", [])]
        texts += [
            row.get("text", "")
            for blocks in self.data["data"].values()
            for b in blocks
            for row in b.get("rows", [])
        ]
        return [text for text in texts if re.search("[←→↑↓↙↘↖↗]", text)]


def charts(page: Page) -> dict[str, Chart]:
    """Return the pictures of a page by name."""
    drawn = {}
    for figure in page.root.find("figure"):
        for script in figure.find("script", class_="live"):
            title = " ".join(each.text() for each in figure.find("p", class_="figure-title"))
            name = figure.attributes["id"].removeprefix("figure-")
            drawn[name] = Chart(json.loads(script.text()), name, title)
    return drawn


def within(got: float, wanted: float, room: float, what: object) -> None:
    """Raise where a place is not where its number is."""
    assert abs(got - wanted) <= room, (what, got, wanted)


def check_places(page: Page) -> int:
    """Compare every mark with its number; return how many were compared."""
    drawn = charts(page)
    return (
        summary_dots(page)
        + dots_of_rates(page, drawn)
        + ranking_marks(page, drawn)
        + forest_marks(page, drawn)
        + group_dots(page, drawn)
        + cost_lines(page, drawn)
        + cost_bars(page, drawn)
        + epc_lines(page, drawn)
    )


def summary_dots(page: Page) -> int:
    """The dots and whiskers of the summary lie on one scale, which the printed numbers fix."""
    places: list[tuple[float, float, float]] = []
    for row in page.table("summary"):
        (svg,) = row[1].find("svg")
        dot = svg.find("circle")
        whisker = [each.attributes for each in svg.find("line", class_="whisker")]
        if not dot or not whisker:
            continue
        ends = numbers(row[2].find("span", class_="beneath")[0].text())
        half = rounded(row[2])
        places += [(value(row[2]), float(dot[0].attributes["cx"]), half)]
        caps = {each["x1"] for each in whisker if each["x1"] == each["x2"]}  # none at the end of the axis
        flat = next(each for each in whisker if each["y1"] == each["y2"])
        for number, at in zip(ends, (flat["x1"], flat["x2"]), strict=True):
            places += [(number, float(at), half)] if at in caps else []
    if len(places) < 3:
        return 0
    number, at, half = map(np.array, zip(*places, strict=True))
    slope, start = np.polyfit(number, at, 1)
    for each, place, room in zip(number, at, half, strict=True):
        within(place, start + slope * each, 0.8 + 2.5 * abs(slope) * room, "summary")
    return len(places)


def points(page: Page) -> dict[str, tuple[float, float]]:
    """Return FAR and FRR of every model at the first thresholds, in percent, from counts."""
    heads, rows = page.heads("operating_points_1"), page.table("operating_points_1")
    n = {
        kind: next(int(numbers(head)[0]) for head in heads if head.startswith(kind))
        for kind in ("false", "misses")
    }
    at = {kind: next(i for i, head in enumerate(heads) if head.startswith(kind)) for kind in n}
    return {
        row[0].text(): tuple(100 * value(row[at[kind]]) / n[kind] for kind in ("false", "misses"))
        for row in rows
    }


def dots_of_rates(page: Page, drawn: dict[str, Chart]) -> int:
    """The dots of ROC and DET are the rates of the operating points; what has no place is an arrow."""
    compared = 0
    for name, place in (
        ("roc", lambda far, frr: (far, 100 - frr)),
        ("det", lambda far, frr: tuple(float(ndtri(rate / 100)) for rate in (far, frr))),
    ):
        if name not in drawn:
            continue
        chart = drawn[name]
        blocks = [b for b in chart.blocks(next(iter(chart.tables("symbol")))) if "x" in b]
        there = {b["model"]: (b["x"][0], b["y"][0]) for b in blocks}
        for model, rates in points(page).items():
            wanted = place(*rates)
            inside = all(
                low - 1e-9 <= at <= high + 1e-9
                for at, (low, high) in zip(wanted, map(chart.axis, "xy"), strict=True)
            )
            if model not in there and model in chart.greys:
                continue  # of many models those in grey have no dots
            if inside:
                for got, at, axis in zip(there[model], wanted, "xy", strict=True):
                    within(got, at, PIXEL * chart.span(axis), (name, model))
            else:
                assert chart.arrows(), (name, model, rates)
                if model in there and not chart.data.get("windows"):
                    raise AssertionError((name, model, "is drawn within the frame"))
            compared += 1
        lines = chart.lines()
        for model in points(page):
            if name == "roc" and model in there:
                away = _away(there[model], *lines[model])
                assert away <= 1.0, (name, model, "is off its curve", away)
    return compared


def _away(at: tuple[float, float], x: list[float], y: list[float]) -> float:
    """Return how far a place is from a polyline."""
    corners = np.stack([x, y], axis=1)
    start, along = corners[:-1], np.diff(corners, axis=0)
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((at - start) * along).sum(axis=1) / length, 0, 1)
    return float(np.hypot(*(start + share[:, None] * along - at).T).min())


def ranking_marks(page: Page, drawn: dict[str, Chart]) -> int:
    """The values and ranks of the ranking lie where its axes have their numbers."""
    if "ranking" not in drawn or page.table("ranks") is None:
        return 0
    chart, rows = drawn["ranking"], page.table("ranks")
    ticks = [(at, float(text.split("\n")[0].replace("−", "-"))) for at, text in chart.ticks()]
    values, ranks = [t for t in ticks if t[0] <= 1], [t for t in ticks if t[0] > 1]
    bars = [row for block in chart.blocks("ranking_bars") for row in block["rows"]]
    top = max(bar["y"] for bar in bars)
    compared = 0
    for line, row in enumerate(rows):
        mine = [
            bar
            for bar in bars
            if abs((bar["y"] + bar["y2"]) / 2 - (chart.axis("y")[1] - 0.4 - line - 0.5)) < 0.01
        ]
        marks = [bar for bar in mine if bar["y2"] - bar["y"] > 0.6]
        for scale, cell, inside in (
            (values, row[2], lambda x: x < 1.06),
            (ranks, row[0], lambda x: x > 1.06),
        ):
            of_scale = [(bar["x"] + bar["x2"]) / 2 for bar in marks if inside(bar["x"])]
            (x0, v0), (x1, v1) = scale[0], scale[-1]
            slope = (x1 - x0) / (v1 - v0) if v1 != v0 else 0.0
            wanted = x0 + slope * (value(cell) - v0)
            if scale is values and not 0 <= wanted <= 1:
                assert not of_scale, (row[1].text(), "is drawn on its axis")
                assert any(cell.text("beneath") in text for text in chart.arrows())
            elif scale is values:
                within(of_scale[0], wanted, 0.012 + abs(slope) * rounded(cell), ("ranking", row[1].text()))
            compared += 1
    assert top
    return compared


def forest_marks(page: Page, drawn: dict[str, Chart]) -> int:
    """The differences of the forest plot lie at those of the summary, and so do their intervals."""
    rows = page.table("summary")
    if "forest" not in drawn or rows is None:
        return 0
    chart = drawn["forest"]
    bars = [row for block in chart.blocks("forest_bars") for row in block["rows"]]
    place = page.heads("summary").index("difference")
    compared = [row[place] for row in rows if len(numbers(row[place].text())) == 3]
    for line, cell in enumerate(compared):
        middle = chart.axis("y")[1] - 0.4 - line - 0.5
        mine = [bar for bar in bars if abs((bar["y"] + bar["y2"]) / 2 - middle) < 0.01]
        (mark,) = (bar for bar in mine if bar["y2"] - bar["y"] > 0.6)
        room = 0.003 * chart.span("x") + rounded(cell)
        within((mark["x"] + mark["x2"]) / 2, value(cell), room, ("forest", line))
        (alone,) = (bar for bar in mine if 0.3 < bar["y2"] - bar["y"] < 0.4)
        for got, wanted in zip((alone["x"], alone["x2"]), numbers(cell.text())[-2:], strict=True):
            within(got, wanted, room, ("forest", line, "limits"))
    return len(compared)


def group_dots(page: Page, drawn: dict[str, Chart]) -> int:
    """The dots of groups lie at the values of their table, and so do their intervals."""
    if "groups_1" not in drawn or page.table("groups_1_1") is None:
        return 0
    chart, model, compared = drawn["groups_1"], "", 0
    heads = page.heads("groups_1_1")
    at = next(i for i, head in enumerate(heads) if head.endswith("(%)"))
    dots = {b["model"]: sorted(b["x"]) for b in chart.blocks(chart.tables("symbol")[0])}
    texts: dict[str, list[Element]] = {}
    for row in page.table("groups_1_1"):
        if len(row) == 1:
            model = row[0].text()
        elif value(row[at]) is not None:
            texts.setdefault(model, []).append(row[at])
    for model, cells in texts.items():
        if model not in dots:
            continue
        assert len(cells) == len(dots[model]), model
        for cell, got in zip(sorted(cells, key=value), dots[model], strict=True):
            within(got, value(cell), rounded(cell) + PIXEL * chart.span("x"), ("groups", model))
            compared += 1
    return compared


def cost_lines(page: Page, drawn: dict[str, Chart]) -> int:
    """The costs of every model lie at its weighted error, where the axis above the rows has that number."""
    slider, chart, compared = page.slider, drawn.get("winners"), 0
    if slider is None or chart is None:
        return 0
    by_name = {model["name"]: model["value"] for model in slider["models"]}
    above = [(at, float(text[:-1]) / 100) for at, text in chart.ticks("y") if re.fullmatch(r"\d+%", text)]
    (low, first), (high, last) = above[0], above[-1]
    for model, (x, y) in chart.lines().items():
        for alpha, error in zip(slider["alphas"], by_name[model], strict=True):
            cost = error / min(alpha, 1 - alpha)
            if first <= cost <= last:
                wanted = low + (cost - first) / (last - first) * (high - low)
                got = np.interp(math.log10(alpha / (1 - alpha)), x, y)
                within(got, wanted, PIXEL * (high - low), ("costs", model, alpha))
                compared += 1
    return compared + difference_line(slider, drawn.get("cost_difference"))


def difference_line(slider: dict, chart: Chart | None) -> int:
    """The line is the difference of two errors; its title says of the band what the band shows."""
    if chart is None:
        return 0
    values = {model["name"]: model["value"] for model in slider["models"]}
    compared = 0
    for label, (x, y) in chart.lines().items():
        first, second = label.split(" − ")
        for alpha, a, b in zip(slider["alphas"], values[first], values[second], strict=True):
            at = math.log10(alpha / (1 - alpha))
            within(np.interp(at, x, y), 100 * (a - b), PIXEL * chart.span("y"), ("difference", alpha))
            compared += 1
    bands = [block for name in chart.data["data"] for block in chart.blocks(name) if "y2" in block]
    room = chart.span("y") / 10_000
    apart = any(low > room or high < -room for b in bands for low, high in zip(b["y"], b["y2"], strict=True))
    near = any(min(abs(v) for v in pair) <= room for b in bands for pair in zip(b["y"], b["y2"], strict=True))
    if bands and not near:
        assert apart == ("inconclusive" not in chart.title), chart.title
    return compared


def cost_bars(page: Page, drawn: dict[str, Chart]) -> int:
    """Thick bars of the rows of models are where their error is the lowest."""
    slider, chart = page.slider, drawn.get("winners")
    if slider is None or chart is None or "winners_bars" not in chart.data["data"]:
        return 0
    bars = [row for block in chart.blocks("winners_bars") for row in block["rows"]]
    models, compared = slider["models"], 0
    lowest = [min(model["value"][n] for model in models) for n in range(len(slider["alphas"]))]
    rows = {text.replace("\n", " "): at for at, text in chart.ticks("y")}
    for model in (each for each in models if each["name"] in rows):
        middle = rows[model["name"]]
        thick = [b for b in bars if abs((b["y"] + b["y2"]) / 2 - middle) < 0.01 and b["y2"] - b["y"] > 0.6]
        for alpha, error, least in zip(slider["alphas"], model["value"], lowest, strict=True):
            at = math.log10(alpha / (1 - alpha))
            covered = any(b["x"] - 1e-6 <= at <= b["x2"] + 1e-6 for b in thick)
            assert covered == (error - least <= 1e-9), ("winners", model["name"], alpha)
            compared += 1
    return compared


def epc_lines(page: Page, drawn: dict[str, Chart]) -> int:
    """At equal weights the curve has the value of the summary."""
    chart, compared = drawn.get("epc"), 0
    if chart is None:
        return 0
    for row in page.table("summary"):
        model = row[0].text()
        if model in (lines := chart.lines()) and value(row[2]) is not None:
            got = np.interp(0.5, *lines[model])
            within(got, value(row[2]), rounded(row[2]) + PIXEL * chart.span("y"), ("epc", model))
            compared += 1
    return compared


def check_titles(page: Page, decided: dict[str, str]) -> None:
    """A title that ranks models calls it observed; it names nobody best whom the table does not."""
    for figure in page.root.find("figure"):
        for title in (each.text() for each in figure.find("p", class_="figure-title")):
            if re.search(BEST, title):
                assert "observed" in title or "found the most" in title, title
    if "baseline" in decided.values():
        for section in page.root.find("section", id="cost-choice"):
            words = re.search(r"in contention|ruled out|is best", section.text())
            assert words is None, words


def check_held(page: Page) -> None:
    """The first line names each gate that holds the run back, with its number; a released run has none."""
    held = [each.text() for each in page.root.find("p", class_="held")]
    rows = page.table("gates") or []
    failed = [row for row in rows if "fail" in row[0].text()]
    assert bool(held) == bool(failed), held
    said = page.root.find("section", id="gates")[0].find("p")[0].text()
    assert ("held back" in said) == bool(failed), said
    for sentence, row in zip(held, failed, strict=False):
        estimate = row[3].text().split()[0].removeprefix("−").removesuffix("%")
        assert re.search(rf"(?<![\d.]){re.escape(estimate)}(?![\d.]\d)", sentence), sentence
        ends = [re.escape(end) for end in row[4].text().strip("[]").split(", ")]
        assert re.search(f"{ends[0]}(,| to) {ends[1]}", sentence), sentence
    if len(rows) > 1:
        assert f"CI adjusted for {len(rows)} gates" in page.heads("gates")


def check_limits(page: Page, table: str = "operating_points_2") -> int:
    """Every verdict on a limit that was asked is that of the interval in the table of operating points."""
    compared = 0
    for line in re.findall(r"The limit of (\d+)% FAR is (.*?)\.(?= |$)(?! ?\d)", page.leads):
        allowed = float(line[0])
        for verdict, models in re.findall(
            r"(met by|undecided for|not met by) (.*?\))(?=;|$| and \d+ more)", line[1]
        ):
            for model, text in re.findall(r"(\w+) \((.*?)\)", models):
                number, _, low, high = numbers(text.replace("95% CI", "95 CI"))
                row = next(row for row in page.table(table) if row[0].text() == model)
                assert value(row[1]) == number, (model, text)
                assert numbers(row[1].find("span", class_="beneath")[0].text()) == [low, high]
                right = "met by" if high <= allowed else "not met by" if low > allowed else "undecided for"
                assert verdict == right or allowed in (low, high), (model, text, verdict)
                compared += 1
    return compared
