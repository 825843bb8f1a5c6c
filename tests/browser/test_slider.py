"""The control of prior and costs in a browser: its numbers and sets are those of the frames."""

import math

import polars as pl
import pytest
from simulated_parts import rows_of

from reporting.config.read import read_plan
from reporting.counts.count import count_trials
from reporting.execution import SerialExecutor
from reporting.frames import STEPS, TRIALS, WINNERS
from reporting.frames.compute import compute_frames
from reporting.render.formats import render_all
from reporting.report import numbers
from reporting.report.blocks import Report
from reporting.run.inputs import open_trials
from reporting.run.report import gather
from reporting.sections.cost_choice import cost_choice

playwright = pytest.importorskip("playwright.sync_api")

MODELS = ("plain", "<img src=x onerror=alert(1)>", "αβ </script> & \\ 中文")
CONFIG = """
trials: {source: trials.parquet}
measures: [hter]
criteria: [min_hter]
curves: []
epc: {criteria: [weighted_error], measures: [weighted_error], alphas: 21}
significance: {replicates: 199, bands: none}
operating_points: [{name: rare, p_target: 0.05, c_miss: 2}, {name: "<b>dear</b>", p_target: 0.4, c_fa: 3}]
"""
FIELDS = {"p": "#winners-p-target", "miss": "#winners-c-miss", "fa": "#winners-c-fa"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slider")
    pl.DataFrame(rows_of(models=MODELS, step=0.9)).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(CONFIG)
    plan, pool = read_plan(folder / "report.yaml"), SerialExecutor()
    read = open_trials(plan)
    return gather(plan, read, compute_frames(read, count_trials(read, pool), plan.study, pool))


@pytest.fixture(scope="module")
def address(results, tmp_path_factory):
    report = Report("Slider", "test", "verdict", (cost_choice(results),), "signature")
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
    rows = page.locator(".explorer tbody tr")
    cells = [row.locator("th, td").all_text_contents() for row in rows.all()]
    alpha = float(page.locator(".explorer").get_attribute("data-alpha"))
    return alpha, {row[0]: dict(zip(heads, row, strict=True)) for row in cells}


@pytest.mark.parametrize(
    ("p", "miss", "fa"),
    [(0.5, 1, 1), (0.05, 1, 1), (0.95, 1, 1), (0.05, 2, 1), (0.4, 1, 3), (0.25, 3, 4), (0.5, 3, 1)],
)
def test_numbers_and_sets_are_those_of_the_frame(page, results, p, miss, fa):
    alpha, rows = ask(page, p, miss, fa)
    assert alpha == pytest.approx(fa * (1 - p) / (fa * (1 - p) + miss * p))
    frame = results.frame(WINNERS).filter((pl.col("alpha") - alpha).abs() < 1e-9)
    assert frame.height == 3
    least, lowest = min(alpha, 1 - alpha), frame["value"].min()
    for row in frame.iter_rows(named=True):
        said = rows[row["model"]]
        assert said["weighted error (%)"] == numbers.percent(row["value"], 1)
        assert said["95 % interval (%)"] == numbers.bracket(row["ci_low"], row["ci_high"], 1, 100)
        assert said["p: as good as the best"] == numbers.p_value(row["p_best"])
        assert float(said["expected cost, normalised"]) == pytest.approx(row["value"] / least, abs=6e-4)
        standing = "worse at all α too" if not row["may_be_best_joint"] else "worse here"
        standing = "may be the best" if row["may_be_best"] else standing
        lead = "lowest; " if row["value"] == lowest else ""
        assert said["standing"] == lead + standing
    told = page.locator(".explorer .answer").text_content()
    members = frame.filter("may_be_best")["model"].to_list()
    for model in MODELS:
        is_told = model in told.split("worse than the best:")[1] or told.endswith(": all models.")
        assert is_told == (model in members)


@pytest.mark.parametrize(("p", "miss", "fa"), [(0.37, 1, 1), (0.013, 1, 1), (0.6, 1, 7), (0.002, 0.5, 1)])
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
    assert ("the nearest that was resampled" in notes) == known
    assert ("not known so far from every α" in notes) == (not known)
    assert all((row["standing"].endswith("—")) == (not known) for row in rows.values())


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
    page.get_by_role("button", name="equal weights").click()
    assert answer(page)[0] == 0.5


def test_nonsense_is_marked_and_changes_nothing(page):
    before = ask(page, 0.3)
    for nonsense in ("0", "1", "-1", ""):
        page.fill(FIELDS["p"], nonsense)
        assert page.locator(FIELDS["p"]).get_attribute("aria-invalid") == "true"
        assert answer(page) == before
    page.fill(FIELDS["p"], "0.3")
    assert page.locator(FIELDS["p"]).get_attribute("aria-invalid") is None


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
    assert opened.locator("#figure-winners img").first.is_visible()
    context.close()
