"""The page of the EPC paper: its numbers by plain NumPy from the trials, and verdicts either way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import paper_results
import polars as pl
import pytest
from paper_results import shipped

from configs.papers.epc_general.claims import claims
from configs.papers.epc_general.data import trials
from configs.papers.epc_general.numbers import (
    Errors,
    along,
    apart,
    bias_of_f1,
    mean_half_width,
    stretches,
    tuned,
)
from configs.papers.epc_general.page import BOTH, epc_general, paper
from configs.papers.paper import Claim
from reporting.document.blocks import Block, Caution, Figure, Prose, Report, Section, Table
from reporting.document.frames.results import Results
from reporting.document.words.view import DatasetView, views
from reporting.features.epc.exact_frames import AREAS
from reporting.render.formats import render_all

FAST = ("epc.alphas=11", "significance.bands=none")


def results_of(folder: Path, table: pl.DataFrame, *overrides: str) -> Results:
    return paper_results.results_of(folder, shipped("epc_general"), table, *FAST, *overrides)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, pl.DataFrame]:
    table = trials()
    return results_of(tmp_path_factory.mktemp("epc_general"), table), table


@pytest.fixture(scope="module")
def page(made: tuple[Results, pl.DataFrame]) -> list[Block]:
    return list(flat(epc_general(made[0])))


def flat(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Section):
            yield from flat(block.blocks)
        else:
            yield block


def tasks(results: Results) -> dict[str, DatasetView]:
    return {view.dataset: view for view in views(results)}


def told(results: Results) -> dict[str, Claim]:
    by_name = tasks(results)
    found = claims(by_name["authentication"], by_name["text"], ("A", "B"), ("B2", "B"))
    return {claim.where: claim for claim in found}


def scores(trials: pl.DataFrame, dataset: str, split: str, model: str) -> tuple[np.ndarray, np.ndarray]:
    rows = trials.filter(dataset=dataset, split=split, model=model)
    return (rows["label"] == "target").to_numpy(), rows["score"].to_numpy()


def cuts(y: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds at midpoints with accept-all and reject-all, and the errors at each, by plain counting."""
    u = np.unique(s)
    t = np.concatenate(([-np.inf], (u[1:] + u[:-1]) / 2, [np.inf]))
    alarms = (~y).sum() - np.searchsorted(np.sort(s[~y]), t)
    return t, np.searchsorted(np.sort(s[y]), t), alarms


def at(y: np.ndarray, s: np.ndarray, t: float) -> Errors:
    accepted = s >= t
    return Errors(int((y & ~accepted).sum()), int((~y & accepted).sum()), int(y.sum()), int((~y).sum()))


def percents(text: str) -> list[float]:
    return [float(word) for word in text.replace("%", "").replace(",", "").split() if word[0].isdigit()]


def test_the_page_holds_its_tables_and_figures(page: list[Block]) -> None:
    names = [block.name for block in page if isinstance(block, Figure | Table)]
    assert len(names) == len(set(names))
    assert names == [
        "paper_claims",
        "paper_break_even_authentication",
        "paper_break_even_text",
        "paper_equations",
        "paper_areas_authentication",
        "paper_areas_text",
        "paper_area_difference_authentication",
        "paper_area_difference_text",
        "paper_difference_hter_authentication",
        "paper_difference_f1_text",
        "paper_shading_1_given_authentication",
        "paper_shading_1_authentication",
        "paper_shading_2_given_authentication",
        "paper_shading_2_authentication",
    ]
    assert all(figure.caption and figure.alt for figure in page if isinstance(figure, Figure))


def test_inequality_9_by_plain_counting(made: tuple[Results, pl.DataFrame]) -> None:
    results, trials = made
    best, chosen = [], []
    for model in ("A", "B"):
        y, s = scores(trials, "authentication", "dev", model)
        t, misses, alarms = cuts(y, s)
        gap = np.abs(alarms * y.sum() - misses * (~y).sum())
        dev = t[int(np.lexsort((alarms, alarms / (~y).sum() + misses / y.sum(), gap))[0])]
        y, s = scores(trials, "authentication", "test", model)
        t, misses, alarms = cuts(y, s)
        far, frr = alarms / (~y).sum(), misses / y.sum()
        k = int(np.argmin(np.abs(far - frr)))
        best.append(100 * (far[k] + frr[k]))
        found = at(y, s, dev)
        chosen.append(100 * (found.far + found.frr))
    claim = told(results)["eq. (9), Figures 1 and 2"]
    np.testing.assert_allclose(percents(claim.ours), [*best, *chosen], atol=0.0501)
    assert claim.holds is (best[0] < best[1] and chosen[0] > chosen[1]) is True


def test_precision_and_recall_at_break_even_by_rank(made: tuple[Results, pl.DataFrame]) -> None:
    """No score is shared: break-even accepts as many as there are targets."""
    results, trials = made
    best = []
    for model in ("A", "B"):
        y, s = scores(trials, "text", "test", model)
        best.append(200 * y[np.argsort(-s)[: y.sum()]].mean())
    said = percents(told(results)["eq. (9), precision and recall"].ours)
    np.testing.assert_allclose(said[:2], best, atol=0.0501)
    assert told(results)["eq. (9), precision and recall"].holds is True


def test_areas_by_the_nearest_level_on_a_fine_grid(
    made: tuple[Results, pl.DataFrame], page: list[Block]
) -> None:
    trials = made[1]
    table = next(
        block for block in page if isinstance(block, Table) and block.name == "paper_areas_authentication"
    )
    alpha = (np.arange(20_000) + 0.5) / 20_000
    for row, model in zip(table.rows, ("A", "B", "B2"), strict=True):
        y, s = scores(trials, "authentication", "dev", model)
        t, misses, alarms = cuts(y, s)
        test_y, test_s = scores(trials, "authentication", "test", model)
        e = []
        for count, other, n in ((alarms, misses, (~y).sum()), (misses, alarms, y.sum())):
            order = np.lexsort((other, count))
            level, first = np.unique(count[order], return_index=True)
            chosen = t[order][first][np.searchsorted((level[1:] + level[:-1]) / 2 / n, alpha)]
            far = 1 - np.searchsorted(np.sort(test_s[~test_y]), chosen) / (~test_y).sum()
            frr = np.searchsorted(np.sort(test_s[test_y]), chosen) / test_y.sum()
            e.append(((far + frr) / 2).mean())
        np.testing.assert_allclose([row[1].order, row[2].order, row[3].order], [*e, np.mean(e)], atol=2e-5)
        auc = 1 - np.searchsorted(np.sort(test_s[test_y]), test_s[~test_y]).mean() / test_y.sum()
        np.testing.assert_allclose(row[7].order, auc if auc < 0.5 else 1 - auc, atol=1e-9)


def test_the_area_difference_is_no_narrower_than_the_replicates(made: tuple[Results, pl.DataFrame]) -> None:
    """The standard error of a mean is at most the mean of the standard errors, whatever the dependence."""
    rng = np.random.default_rng(1)
    draws = rng.normal(size=(500, 11)).cumsum(axis=1)
    mean = np.trapezoid(draws, dx=0.1, axis=1)
    assert mean.std() <= np.trapezoid(draws.std(axis=0), dx=0.1) + 1e-12
    view = tasks(made[0])["authentication"]
    found = along(view, *BOTH, ("A", "B"))
    assert found is not None
    half = (found.high - found.low) / 2
    assert mean_half_width(found, 0, 1) == pytest.approx(np.trapezoid(half, found.alpha))
    assert mean_half_width(found, 0.42, 0.48) is None


def test_differences_are_read_from_either_side(made: tuple[Results, pl.DataFrame]) -> None:
    view = tasks(made[0])["authentication"]
    one, other = (along(view, *BOTH, pair) for pair in (("A", "B"), ("B", "A")))
    assert one is not None
    assert other is not None
    np.testing.assert_array_equal(one.difference, -other.difference)
    np.testing.assert_array_equal(one.low, -other.high)
    np.testing.assert_array_equal(one.band_high, -other.band_low)


def test_models_and_tuned_systems_differ_by_the_same_amount(made: tuple[Results, pl.DataFrame]) -> None:
    """Whatever is resampled, the difference on the trials themselves is one."""
    view = tasks(made[0])["authentication"]
    held, found = tuned(view, ("A", "B")), along(view, *BOTH, ("A", "B"))
    assert held is not None
    assert found is not None
    np.testing.assert_allclose(found.difference[[1, 3, 5, 7, 9]], held.difference, atol=1e-12)


def test_tuned_systems_are_known_at_the_five_alphas_of_the_config(
    made: tuple[Results, pl.DataFrame],
) -> None:
    results, trials = made
    held = tuned(tasks(results)["authentication"], ("A", "B"))
    assert held is not None
    assert held.alpha.tolist() == [0.1, 0.3, 0.5, 0.7, 0.9]
    assert held.inference == "given_thresholds"
    for at_alpha, difference in zip(held.alpha, held.difference, strict=True):
        hter = []
        for model in ("A", "B"):
            y, s = scores(trials, "authentication", "dev", model)
            t, misses, alarms = cuts(y, s)
            far, frr = alarms / (~y).sum(), misses / y.sum()
            cost = at_alpha * far + (1 - at_alpha) * frr
            tied = np.flatnonzero(cost <= cost.min() + 1e-12)
            balance = np.abs(at_alpha * far - (1 - at_alpha) * frr)[tied].round(12)
            best = tied[np.lexsort((frr[tied], far[tied], balance))[0]]
            found = at(*scores(trials, "authentication", "test", model), t[best])
            hter.append((found.far + found.frr) / 2)
        assert difference == pytest.approx(hter[0] - hter[1], abs=1e-12)


def test_the_curve_itself_is_taken_where_it_is_of_tuned_systems(tmp_path: Path) -> None:
    asked = (
        "significance.comparisons=given_thresholds",
        "epc.criteria=[weighted_error]",
        "epc.measures=[hter]",
    )
    results = results_of(tmp_path, trials(), *asked)
    held = tuned(tasks(results)["authentication"], ("B2", "B"))
    assert held is not None
    assert len(held.alpha) == 11
    figures = [block.name for block in flat(epc_general(results)) if isinstance(block, Figure)]
    assert [name for name in figures if "shading" in name] == [
        "paper_shading_1_given_authentication",
        "paper_shading_2_given_authentication",
    ]


def test_equal_models_are_shaded_at_given_thresholds_only(made: tuple[Results, pl.DataFrame]) -> None:
    view = tasks(made[0])["authentication"]
    held, found = tuned(view, ("B2", "B")), along(view, *BOTH, ("B2", "B"))
    assert held is not None
    assert found is not None
    assert apart(held).any()
    assert not found.shown.any()
    assert told(made[0])["Figure 8"].holds is False


def test_stretches_reach_half_way_to_the_neighbours() -> None:
    alpha = np.array([0.1, 0.3, 0.5, 0.9])
    assert stretches(alpha, np.array([True, True, False, True])) == [(0.0, 0.4), (0.7, 1.0)]
    assert stretches(alpha, np.zeros(4, bool)) == []
    assert stretches(alpha[:1], np.array([True])) == []


def test_the_bias_of_f1_by_hand() -> None:
    """One target of rate 1/2, one non-target of rate 0: E F1 = 1/2 (F1 of 1 hit) = 1/2; F1 of none is 0."""
    one = Errors(misses=1, false_alarms=0, n_target=2, n_nontarget=1)
    # TP is 0, 1, 2 with 1/4, 1/2, 1/4: F1 0, 2/3, 1; at the rates 2/3.
    assert bias_of_f1(one) == pytest.approx(1 / 3 + 1 / 4 - 2 / 3)
    assert bias_of_f1(Errors(0, 0, 5, 7)) == 0


def test_verdicts_come_out_the_other_way_on_other_data(tmp_path: Path) -> None:
    """Classes that are apart in every model alike: nothing is biased, nothing crosses, nothing is shaded."""
    frames = []
    for dataset in ("authentication", "text"):
        for split in ("dev", "test"):
            y = np.arange(60) < 20
            frames += [
                pl.DataFrame(
                    {
                        "model": model,
                        "dataset": dataset,
                        "split": split,
                        "trial": [f"{split} {i}" for i in range(60)],
                        "label": np.where(y, "target", "nontarget"),
                        "score": np.where(y, 10.0, 0.0) + np.arange(60) / 60,
                    }
                )
                for model in ("A", "B", "B2")
            ]
    found = told(results_of(tmp_path, pl.concat(frames), "epc.alphas=5"))
    verdicts = {where: claim.holds for where, claim in found.items()}
    assert verdicts["eq. (9), Figures 1 and 2"] is verdicts["eq. (9), precision and recall"] is False
    assert verdicts["Figures 3 and 4"] is False
    for where in (
        "footnote 2",
        "section 4.1",
        "abstract, section 4",
        "eqs. (17) and (18)",
        "Figure 6",
        "Figure 8",
    ):
        assert verdicts[where] is True, where


def test_verdicts_on_the_example(made: tuple[Results, pl.DataFrame]) -> None:
    verdicts = {where: claim.holds for where, claim in told(made[0]).items()}
    for where in ("footnote 2", "section 4.1", "abstract, section 4", "eq. (17)", "eqs. (17) and (18)"):
        assert verdicts[where] is False, where
    assert verdicts["Figures 3 and 4"] is verdicts["section 4.2"] is verdicts["Figure 2"] is True


def test_the_finite_sample_identity_is_exact(made: tuple[Results, pl.DataFrame]) -> None:
    """Methods, errata E9 and E10: what E lacks to half of 1/2 + 1 - AUC is r0 / (4 N0), along FRR q0 / (4 N1)."""
    results, trials = made
    areas = results.frame(AREAS)
    assert areas is not None
    asked = {"dataset": "authentication", "split": "test", "measure": "hter", "low": 0.0, "high": 1.0}
    for model in ("A", "B", "B2"):
        y, s = scores(trials, "authentication", "test", model)
        _, misses, alarms = cuts(y, s)
        below = np.searchsorted(np.sort(s[~y]), s[y]).sum() / (y.sum() * (~y).sum())
        limit = (0.5 + 1 - below) / 2
        r0, q0 = misses[alarms == 0].min() / y.sum(), alarms[misses == 0].min() / (~y).sum()
        for criterion, gap in (("target_far", r0 / (4 * (~y).sum())), ("target_frr", q0 / (4 * y.sum()))):
            e = areas.filter(model=model, criterion=criterion, **asked)["value_oracle"].item()
            assert limit - e == pytest.approx(gap, abs=1e-12)
    said = told(results)["eqs. (17) and (18)"].ours.replace("−", "-").replace(",", "").split()
    numbers = [float(word.rstrip(";")) for word in said if word[0].isdigit() and "e-" in word]
    assert len(numbers) == 4
    assert numbers[::2] == numbers[1::2]


def test_one_model_and_one_dataset_make_a_page(tmp_path: Path, made: tuple[Results, pl.DataFrame]) -> None:
    trials = made[1].filter(pl.col("dataset") == "text", pl.col("model") != "B2").drop("dataset")
    small = ("models={}", "epc.criteria=[weighted_error]", "epc.alphas=5")
    two = list(flat(epc_general(results_of(tmp_path / "two", trials, *small))))
    assert not any(isinstance(block, Caution) for block in two)
    table = next(block for block in two if isinstance(block, Table) and block.name == "paper_claims")
    assert "Figure 8" not in [row[0].text for row in table.rows]
    one = results_of(tmp_path / "one", trials.filter(model="B"), *small)
    assert [type(block) for block in epc_general(one)] == [Prose, Prose]


def test_hostile_names_pass_through_every_format(made: tuple[Results, pl.DataFrame], tmp_path: Path) -> None:
    named = made[1].with_columns(pl.col("model").replace({"A": "<b>&_%$#{x}", "B2": "~^\\"}))
    names = ("models={}", "epc.criteria=[weighted_error]", "epc.alphas=5", "epc.measures=[hter]")
    results = results_of(tmp_path, named, *names)
    whole = paper(results)
    kept = Section(whole.title, whole.anchor, tuple(without_figures(whole.blocks)))
    report = Report("title", "data", "verdict", (kept,), "signature")
    files = render_all(report, results.provenance, ("html", "latex"), interactive=False)
    texts = {str(path): as_text(content) for path, content in files.items()}
    assert "&lt;b&gt;&amp;_%$#{x}" in texts["report.html"]
    assert "<b>&_" not in texts["report.html"]
    assert r"\&\_\%\$\#\{x\}" in texts["tables/paper_claims.tex"]


def as_text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode(errors="replace")


def without_figures(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in flat(blocks):
        if not isinstance(block, Figure):
            yield block
