"""The control of prior and costs in a browser: its numbers and sets are those of the frames."""

import math

import polars as pl
import pytest
from build import build
from simulated_parts import rows_of

from reporting.core.criteria.rates import MIN_HTER
from reporting.core.measures.threshold import HTER
from reporting.document import numbers
from reporting.document.blocks import Report
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.features.epc.choice_section import cost_choice
from reporting.features.epc.exact_frames import STEPS
from reporting.features.epc.winners import WINNERS
from reporting.features.pictures import curve_figures
from reporting.render.formats import render_all

playwright = pytest.importorskip("playwright.sync_api")

MODELS = ("plain", "<img src=x onerror=alert(1)>", "αβ </script> & \\ 中文")
CONFIG = """
measures: [hter]
criteria: [min_hter]
curves: []
epc: {criteria: [weighted_error], measures: [weighted_error], alphas: 21}
significance: {bands: none}
operating_points: [{name: rare, p_target: 0.05, c_miss: 2}, {name: "<b>dear</b>", p_target: 0.4, c_fa: 3}]
"""
FIELDS = {"p": "#winners-p-target", "miss": "#winners-c-miss", "fa": "#winners-c-fa"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    rows = rows_of(models=MODELS, step=0.9)
    folder, more = tmp_path_factory.mktemp("slider"), ("epc.alphas=21", "significance.replicates=199")
    return build(folder, rows, CONFIG, *more).results


@pytest.fixture(scope="module")
def address(results, tmp_path_factory):
    # What models cost is drawn with the choice, and this report has no other curve.
    assert curve_figures(results) is None
    sections = (cost_choice(results),)
    report = Report("Slider", "test", "verdict", sections, "signature")
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(render_all(report, results.provenance, ("html",), interactive=True)["report.html"])
    return path.as_uri()


@pytest.fixture(scope="module")
def opened(browser, address):
    """The page, and what no page should do: errors, requests, dialogs."""
    opened, said = browser.new_page(), []
    opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("dialog", lambda dialog: said.append(dialog.message))
    opened.on("request", lambda one: None if one.url.startswith(("file:", "data:")) else said.append(one.url))
    opened.goto(address)
    return opened, said


@pytest.fixture
def page(opened):
    """The page at its first operating point."""
    found, said = opened
    found.get_by_role("button", name="rare").click()
    yield found
    assert said == []


def ask(page, p, miss=1.0, fa=1.0):
    """Type a prior and two costs; return the alpha, and the rows of the answer as texts by head."""
    for name, value in (("p", p), ("miss", miss), ("fa", fa)):
        page.fill(FIELDS[name], repr(value))
    return answer(page)


def answer(page):
    heads = page.locator(".explorer thead th").all_text_contents()
    alpha = float(page.locator(".explorer").get_attribute("data-alpha"))
    told = {}
    for row in page.locator(".explorer tbody tr").all():
        cells = row.locator("th, td").all()
        texts = [
            cell.evaluate(
                "cell => [...(cell.querySelector('.named > span') ?? cell).childNodes].find((node) => node.data).data"
            )
            for cell in cells
        ]
        verdict, interval = row.locator(".beneath").all_text_contents()
        told[texts[0]] = dict(zip(heads, texts, strict=True)) | {"verdict": verdict, "CI": interval}
    return alpha, told


@pytest.mark.parametrize(
    ("p", "miss", "fa"),
    [(0.5, 1, 1), (0.05, 1, 1), (0.95, 1, 1), (0.05, 2, 1), (0.4, 1, 3), (0.25, 3, 4), (0.5, 3, 1)],
)
def test_numbers_and_sets_are_those_of_the_frame(page, results, p, miss, fa):
    alpha, rows = ask(page, p, miss, fa)
    assert alpha == pytest.approx(fa * (1 - p) / (fa * (1 - p) + miss * p))
    frame = results.frame(WINNERS).filter((pl.col("alpha") - alpha).abs() < 1e-9)
    assert frame.height == 3
    view = views(results)[0]
    printed = view.printing(HTER)
    least, lowest = min(alpha, 1 - alpha), frame["value"].min()
    for row in frame.iter_rows(named=True):
        said = rows[row["model"]]
        interval = row["ci_low"], row["ci_high"]
        if abs(alpha - 0.5) < 1e-9:
            same = view.metric(row["model"], HTER, MIN_HTER)
            interval = same.ci_low, same.ci_high
        assert said["weighted error (%)"] == printed.value(row["value"])
        assert said["CI"] == printed.interval(*interval)
        assert said["p-value (best)"] == numbers.p_value(row["p_best"])
        verdict = "ruled out jointly" if not row["may_be_best_joint"] else "ruled out at this ratio"
        verdict = "in contention" if row["may_be_best"] else verdict
        assert said["verdict"] == ("best observed" if row["value"] == lowest else verdict)
    assert list(rows) == [row["model"] for row in frame.sort("value").iter_rows(named=True)]
    told = page.locator(".explorer .answer").text_content()
    leader = frame.sort("value")["model"][0]
    cost = f"{float(f'{100 * lowest / least:.3g}'):g}%"
    assert told.startswith(
        f"{leader} has the lowest observed cost: {cost} of the cost of deciding without scores (weighted error "
    )
    members = frame.filter("may_be_best")["model"].to_list()
    if len(members) == 3:
        assert "No model is ruled out at this ratio." in told
    elif members == [leader]:
        assert "All other models are ruled out at this ratio" in told
    else:
        also = told.split("Also in contention: ")[1]
        assert [model for model in MODELS if model in also.split(". ")[0]] == [
            model for model in MODELS if model in members and model != leader
        ]


@pytest.mark.parametrize(("p", "miss", "fa"), [(0.37, 1, 1), (0.013, 1, 1), (0.6, 1, 7)])
def test_between_the_alphas_values_follow_from_the_steps(page, results, p, miss, fa):
    alpha, rows = ask(page, p, miss, fa)
    inside = results.frame(STEPS).filter(
        pl.col("alpha_low") <= alpha, pl.col("alpha_high") > alpha, criterion="weighted_error"
    )
    for model in MODELS:
        step = inside.filter(model=model).row(0, named=True)
        sizes = results.frame(TRIALS).filter(model=model, split="test").row(0, named=True)
        far, frr = step["false_alarms"] / sizes["n_nontarget"], step["misses"] / sizes["n_target"]
        said = rows[model]
        assert float(said["weighted error (%)"]) == pytest.approx(
            100 * (alpha * far + (1 - alpha) * frr), abs=0.051
        )
        assert float(said["FAR (%)"]) == pytest.approx(100 * far, abs=0.051)
        assert float(said["FRR (%)"]) == pytest.approx(100 * frr, abs=0.051)
        assert said["threshold"] == numbers.significant(step["threshold"])
    notes = page.locator(".explorer .notes").text_content()
    known = any(
        abs(math.log(a / (1 - a) * (1 - alpha) / alpha)) < 0.69 for a in results.frame(WINNERS)["alpha"]
    )
    assert ("the nearest α that was resampled" in notes) == known
    assert ("are available for α from 0.05 to 0.95 only" in notes) == (not known)
    assert all((row["verdict"] in ("—", "best observed")) == (not known) for row in rows.values()) or known
    told = page.locator(".explorer .answer").text_content()
    assert ("the nearest tested: " in told) == known


@pytest.mark.parametrize(
    ("p", "miss", "fa", "trials"),
    [(0.000001, 1, 1, "non-targets"), (0.999999, 1, 1, "targets"), (0.5, 1, 1e6, "non-targets")],
)
def test_beyond_one_error_there_is_no_winner(page, results, p, miss, fa, trials):
    _, rows = ask(page, p, miss, fa)
    sizes = results.frame(TRIALS).filter(split="test").row(0, named=True)
    n = sizes["n_target" if trials == "targets" else "n_nontarget"]
    told = page.locator(".explorer .answer").text_content()
    assert told == f"{n} {trials} cannot separate the models at this prior and these costs."
    assert {row["verdict"] for row in rows.values()} == {"—"}
    assert not page.locator(".rule").first.is_visible()


def test_sliders_answer_to_the_keyboard(page):
    ask(page, 0.5)
    before, _ = answer(page)
    assert before == 0.5
    page.locator(".explorer input[type=range]").nth(0).focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    after, _ = answer(page)
    assert float(page.input_value(FIELDS["p"])) == pytest.approx(1 / (1 + math.exp(0.2)), abs=0.006)
    assert after == pytest.approx(1 - float(page.input_value(FIELDS["p"])))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert page.input_value(FIELDS["miss"]) == "1000"
    assert page.locator(".explorer input[type=range]").nth(1).get_attribute("aria-valuetext") == "1000"
    assert answer(page)[0] < 0.01


def test_an_operating_point_is_one_click(page):
    page.reload()
    assert answer(page)[0] == pytest.approx(0.95 / 1.05)
    page.get_by_role("button", name="<b>dear</b>").click()
    assert answer(page)[0] == pytest.approx(1.8 / 2.2)
    assert page.input_value(FIELDS["fa"]) == "3"
    page.get_by_role("button", name="equal costs").click()
    assert answer(page)[0] == 0.5


@pytest.mark.parametrize("nonsense", ["0", "1", "-1", "2", ""])
def test_nonsense_gets_a_message_and_the_answer_is_greyed(page, nonsense):
    ask(page, 0.3)
    page.fill(FIELDS["p"], nonsense)
    assert page.locator(FIELDS["p"]).get_attribute("aria-invalid") == "true"
    assert page.locator(".explorer .wrong").text_content() == "A prior lies between 0 and 1."
    assert float(page.locator(".explorer .answers").evaluate("one => getComputedStyle(one).opacity")) < 0.5
    assert page.locator(".rule:visible").count() == 0
    page.fill(FIELDS["miss"], "-2")
    assert "A cost lies between" in page.locator(".explorer .wrong").text_content()
    ask(page, 0.3)
    assert page.locator(FIELDS["p"]).get_attribute("aria-invalid") is None
    assert page.locator(".explorer .wrong").text_content() == ""
    assert page.locator(".explorer .answers").evaluate("one => getComputedStyle(one).opacity") == "1"


def line(page):
    """The line on the rows, once it is drawn."""
    page.locator("#figure-winners").scroll_into_view_if_needed()
    found = page.locator("#figure-winners .rule")
    found.wait_for(state="visible")
    return found


def middle(box):
    return box["x"] + box["width"] / 2


def frame_of(page, figure):
    frame = page.locator(f"#figure-{figure} .drawing .root > g > .background").first
    return frame.evaluate("one => one.getBoundingClientRect().toJSON()")


@pytest.mark.parametrize("p", [0.5, 0.9, 0.05, 0.25])
def test_the_line_lies_at_the_cost_ratio_on_every_picture(page, results, p):
    ask(page, 0.5)
    line(page)
    ask(page, p)
    (figure,) = [
        block for block in cost_choice(results).blocks if getattr(block, "name", "") == "cost_difference"
    ]
    axis = figure.x_axis
    share = (math.log10((1 - p) / p) - axis.low) / (axis.high - axis.low)
    for name in ("winners", "cost_difference"):
        box = frame_of(page, name)
        at = middle(page.locator(f"#figure-{name} .rule").bounding_box())
        assert at == pytest.approx(box["x"] + share * box["width"], abs=1)


def test_dragging_the_line_asks_the_alphas_of_the_frame(page, results):
    ask(page, 0.4, 1, 3)
    found, box = line(page), frame_of(page, "winners")
    handle = found.bounding_box()
    alphas = results.frame(WINNERS)["alpha"].unique().sort().to_list()
    seen = []
    page.mouse.move(middle(handle), handle["y"] + handle["height"] / 2)
    page.mouse.down()
    for share in (0.2, 0.35, 0.6, 0.8):
        page.mouse.move(box["x"] + share * box["width"], handle["y"] + 20)
        alpha, rows = answer(page)
        assert min(abs(alpha - each) for each in alphas) < 1e-4
        row = results.frame(WINNERS).filter((pl.col("alpha") - alpha).abs() < 1e-4)
        printed = views(results)[0].printing(HTER)
        for model, value in row.select("model", "value").iter_rows():
            assert rows[model]["weighted error (%)"] == printed.value(value)
        assert middle(found.bounding_box()) == pytest.approx(
            box["x"] + share * box["width"], abs=box["width"] / 20
        )
        seen.append(alpha)
    page.mouse.up()
    assert seen == sorted(set(seen))
    assert page.input_value(FIELDS["fa"]) == "3"
    page.mouse.move(10, 10)
    assert answer(page)[0] == seen[-1]


def test_the_line_answers_to_the_keyboard(page, results):
    ask(page, 0.5)
    found = line(page)
    alphas = results.frame(WINNERS)["alpha"].unique().sort().to_list()
    at = alphas.index(0.5)
    found.focus()
    page.keyboard.press("ArrowRight")
    assert answer(page)[0] == pytest.approx(alphas[at + 1], abs=1e-4)
    page.keyboard.press("Home")
    assert answer(page)[0] == pytest.approx(alphas[0], abs=1e-4)
    assert found.get_attribute("aria-valuetext") == "1:19, false acceptance to false rejection"
    assert (found.get_attribute("role"), found.get_attribute("aria-valuenow")) == ("slider", "0")


def test_on_a_phone_every_model_is_a_card(page):
    ask(page, 0.5)
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        box = page.locator(".explorer .scroll")
        assert box.evaluate("one => one.scrollWidth <= one.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        cell = page.locator(".explorer tbody td").first
        label = cell.evaluate("one => getComputedStyle(one, '::before').content")
        assert label == '"weighted error (%)"'
        assert line(page).is_visible()
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("width", [1440, 1280, 1024])
def test_the_block_fits_its_page(page, width):
    ask(page, 0.5)
    page.set_viewport_size({"width": width, "height": 900})
    try:
        assert page.locator(".explorer .scroll").evaluate("one => one.scrollWidth <= one.clientWidth")
        picture, control = page.locator("#figure-winners"), page.locator(".explorer")
        assert picture.bounding_box()["x"] < control.bounding_box()["x"]
        drawing = picture.locator(".drawing").bounding_box()
        assert control.bounding_box()["y"] < drawing["y"] + drawing["height"]
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_every_control_has_a_name(page):
    for one in page.locator(".explorer input").all():
        name = one.evaluate("one => one.ariaLabel || one.labels[0]?.textContent")
        assert name.startswith(("prior of targets", "cost of a "))
    assert page.locator(".explorer table").evaluate("table => table.caption.textContent")
    assert page.locator(".explorer [role=status]").count() == 1


def test_without_script_the_picture_is_there_and_the_control_is_not(browser, address):
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(address)
    assert not opened.locator(".explorer").is_visible()
    picture = opened.locator("#figure-winners img").first
    assert picture.is_visible()
    assert picture.bounding_box()["width"] > 450
    assert opened.locator("#table-winners").count() == 1
    context.close()
