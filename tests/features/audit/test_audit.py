"""Every defensible analysis of small leaderboards: by hand, against runs of their own, and refused ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command import reporting

from reporting.app.config.plan import Plan
from reporting.app.run import analyses
from reporting.app.run.inputs import counted_trials
from reporting.app.run.report import make_report
from reporting.errors import ConfigError
from reporting.features.audit.analyses import MOST, audited, choices_of
from reporting.features.audit.page import in_words

SPEAKERS, EACH = 24, 10


def leaderboard() -> pl.DataFrame:
    """Three models on trials of many speakers and three sources; scores tie, being whole halves."""
    draw = np.random.default_rng(11)
    n = SPEAKERS * EACH
    speaker, label = np.repeat(np.arange(SPEAKERS), EACH), np.tile([1, 0], n // 2)
    own, source = draw.normal(0, 0.6, SPEAKERS)[speaker], draw.choice(["A", "B", "<C>"], n)
    frames = []
    for at, model in enumerate(("one", "two", "three")):
        score = (
            (1.8 - 0.3 * at) * label + own + draw.normal(0, 1, n) + 1.5 * label * (source == "A") * (at == 1)
        )
        frames.append(
            pl.DataFrame(
                {
                    "model": model,
                    "split": np.where(speaker % 2 == 0, "dev", "test"),
                    "trial": [f"t{k}" for k in range(n)],
                    "label": np.where(label == 1, "target", "nontarget"),
                    "score": np.round(2 * score) / 2,
                    "speaker": [f"s{k}" for k in speaker],
                    "source": source,
                }
            )
        )
    return pl.concat(frames)


def config(folder: Path, table: pl.DataFrame, more: str = "") -> Path:
    table.write_parquet(folder / "trials.parquet")
    path = folder / "report.yaml"
    path.write_text(
        "trials: {source: trials.parquet, columns: {cluster: speaker}}\n"
        f"primary: {{measure: hter, criterion: min_hter}}\nsignificance: {{replicates: 199}}\n{more}"
    )
    return path


def audit(*arguments: object) -> list[dict[str, Any]]:
    ended = reporting("audit", *arguments, "--json")
    assert ended.returncode == 0, ended.stderr
    audits: list[dict[str, Any]] = json.loads(ended.stdout)
    return audits


def ranking(folder: Path, path: Path, *overrides: str) -> list[dict[str, Any]]:
    few = ["report.sections=[summary, ranking]", "report.formats=[json]", "curves=[]"]
    make_report(path, folder, overrides=[*few, *overrides])
    frame = pl.read_parquet(folder / "frames" / "ranking.parquet").sort("rank", "model")
    return frame.select("model", "value", "rank", "rank_low", "rank_high", "tier", "p_separated").to_dicts()


def test_leads_by_hand(tmp_path: Path) -> None:
    """Errors at 0 in the test set: 1/4 and 2/4 of A's non-targets, 3/4 and 0/4 of B's."""
    rows = [
        {
            "model": model,
            "split": split,
            "trial": f"{split}{source}{k}",
            "source": source,
            "label": "nontarget",
        }
        | {"score": 1.0 if k < errors[source] else -1.0}
        for model, errors in (("a", {"A": 1, "B": 3}), ("b", {"A": 2, "B": 0}))
        for split in ("dev", "test")
        for source in "AB"
        for k in range(4)
    ]
    rows += [
        {"model": model, "split": split, "trial": f"{split}t", "source": "-", "label": "target", "score": 1.0}
        for model in "ab"
        for split in ("dev", "test")
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    (tmp_path / "r.yaml").write_text(
        "trials: {source: t.csv}\nprimary: {measure: far, criterion: fixed(threshold=0)}\n"
        "significance: {replicates: 99}\n"
    )
    (own,) = audit(tmp_path / "r.yaml", "--without", "source")
    leads = {(a["left_out"] or ["", ""])[1]: (a["leader"], a["lead"]["value"]) for a in own["analyses"]}
    # All: a errs on 4 of 8, b on 2 of 8. Without A: 3/4 and 0/4. Without B: 1/4 and 2/4. "-" is the target's.
    assert leads[""] == ("b", 4 / 8 - 2 / 8)
    assert leads["A"] == ("b", 3 / 4)
    assert leads["B"] == ("a", 1 / 4 - 2 / 4)
    assert own["verdict"].startswith("b is first in 2 of 3 analyses")
    assert own["findings"][0] == "a is first in 1 of 3 analyses: without source B."
    assert own["findings"][-1].startswith("Not analysed: without source - (split dev: no targets")


def test_each_analysis_is_a_run_of_its_own(tmp_path: Path) -> None:
    """What an audit says of a unit is what a run with its overrides says; of a source, of a table without it."""
    table = leaderboard()
    path = config(tmp_path, table)
    (own,) = audit(path, "--without", "source")
    for at, each in enumerate(a for a in own["analyses"] if a["thresholds"] == "dev"):
        folder = tmp_path / f"other{at}"
        folder.mkdir()
        column, value = each["left_out"] or ("source", "none")
        other = config(folder, table.filter(pl.col(column) != value))
        assert ranking(folder / "out", other, *each["set"]) == each["models"], each["set"]
    units = {(a["unit"], *(a["left_out"] or ())) for a in own["analyses"]}
    assert units == {
        (unit, *left)
        for unit in ("speaker", "trial")
        for left in ((), *(("source", v) for v in ("A", "B", "<C>")))
    }


def test_tuning_on_test_is_no_defensible_analysis(tmp_path: Path) -> None:
    path = config(tmp_path, leaderboard())
    (own,) = audit(path)
    (tuned,) = (a for a in own["analyses"] if a["thresholds"] == "test")
    make_report(
        path, tmp_path / "out", overrides=["criteria=[min_hter, oracle(min_hter)]", "measures=[hter]"]
    )
    metrics = pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet")
    values = dict(
        metrics.filter(split="test", measure="hter", criterion="oracle(min_hter)")
        .select("model", "value")
        .rows()
    )
    assert {m["model"]: m["value"] for m in tuned["models"]} == values
    assert all(m["tier"] is None for m in tuned["models"])
    n = len([a for a in own["analyses"] if a["thresholds"] == "dev"])
    assert f"all {n} analyses" in own["verdict"] or f"of {n} analyses" in own["verdict"]
    assert own["findings"][-1].startswith(
        "Tuning thresholds on the test set, which no report should do, puts "
    )


def test_one_audit_a_dataset_and_none_of_models_apart(tmp_path: Path) -> None:
    table = leaderboard().with_columns(
        dataset=pl.when(pl.col("source") == "A").then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    audits = audit(config(tmp_path, table))
    assert [each["dataset"] for each in audits] == ["x", "y"]


def test_means_over_runs_have_every_analysis(tmp_path: Path) -> None:
    table = leaderboard()
    noisy = pl.col("score") + (pl.col("trial").hash(1) % 3)
    path = config(
        tmp_path, pl.concat([table.with_columns(run=pl.lit("0")), table.with_columns(noisy, run=pl.lit("1"))])
    )
    (own,) = audit(path, "--without", "source")
    left_out = {(a["unit"], *(a["left_out"] or ())) for a in own["analyses"]}
    assert left_out == {
        (unit, *left)
        for unit in ("speaker", "trial")
        for left in ((), *(("source", v) for v in ("A", "B", "<C>")))
    }
    by_trial = next(a for a in own["analyses"] if a["unit"] == "trial" and not a["left_out"])
    assert ranking(tmp_path / "out", path, *by_trial["set"]) == by_trial["models"]


def test_one_analysis_is_called_the_only_one(tmp_path: Path) -> None:
    (own,) = audit(
        config(tmp_path, leaderboard()),
        "--set",
        "trials.columns.cluster=null",
        "--set",
        "primary={measure: auc}",
    )
    assert own["verdict"].endswith(
        "is first in the only analysis but not significantly better than every other model."
    )


def test_wide_files_without_a_config(tmp_path: Path) -> None:
    wide = leaderboard().pivot(on="model", index=["split", "trial", "label", "source"], values="score")
    wide.write_csv(tmp_path / "scores.csv")
    (own,) = audit(tmp_path / "scores.csv", "--without", "source", "--set", "significance.replicates=99")
    assert {m["model"] for m in own["analyses"][0]["models"]} == {"one", "two", "three"}


def test_two_crossed_columns(tmp_path: Path) -> None:
    path = config(tmp_path, leaderboard())
    (own,) = audit(path, "--unit", "trial,speaker", "--unit", "source")
    assert {a["unit"] for a in own["analyses"]} == {"speaker", "trial", "trial,speaker", "source"}
    assert "3 models with trial,speaker as the unit" in own["findings"][0]


def test_two_populations_are_analysed_each_alone(tmp_path: Path) -> None:
    """``pools: two`` needs both columns, and each analysis of one column leaves it out."""
    path = config(tmp_path, leaderboard())
    words = (
        "trials.columns.cluster=[speaker, source]",
        "trials.clusters={pools: two, name: [speaker, source]}",
    )
    (own,) = audit(path, *(word for text in words for word in ("--set", text)))
    assert {a["unit"] for a in own["analyses"]} == {"speaker,source", "speaker", "source", "trial"}


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--without", "sorce"], "there is no column 'sorce'; did you mean 'source'?"),
        (["--unit", "speker"], "there is no column 'speker'; did you mean 'speaker'?"),
        (["--set", "averaged_over=source"], "means over a column have no ranks; leave averaged_over out"),
        (["--without", "trial"], "at most 500 are run; name fewer columns"),
    ],
)
def test_refused_in_one_line(tmp_path: Path, arguments: list[str], fault: str) -> None:
    ended = reporting("audit", config(tmp_path, leaderboard()), *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert fault in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_sources_are_left_out_of_a_table_without_splits(tmp_path: Path) -> None:
    path = tmp_path / "report.yaml"
    leaderboard().drop("split").write_parquet(tmp_path / "trials.parquet")
    path.write_text("trials: {source: trials.parquet}\nprimary: {measure: auc}\n")
    (own,) = audit(path, "--without", "source", "--set", "significance.replicates=99")
    assert {(a["left_out"] or [None])[-1] for a in own["analyses"]} == {None, "A", "B", "<C>"}
    assert not any(text.startswith("Not analysed") for text in own["findings"])


def test_overrides_hold_for_the_values_that_are_left_out(tmp_path: Path) -> None:
    path = config(tmp_path, leaderboard())
    (tmp_path / "trials.parquet").rename(tmp_path / "other.parquet")
    (own,) = audit(path, "--without", "source", "--set", "trials.source=other.parquet")
    assert {(a["left_out"] or [None])[-1] for a in own["analyses"]} == {None, "A", "B", "<C>"}


def test_one_model_has_no_rank(tmp_path: Path) -> None:
    ended = reporting("audit", config(tmp_path, leaderboard().filter(model="one")))
    assert ended.returncode == 2
    assert "no two models have a value" in ended.stderr


def test_the_page_survives_hostile_names_and_says_what_the_terminal_says(tmp_path: Path) -> None:
    path = config(tmp_path, leaderboard())
    page = tmp_path / "audit.html"
    ended = reporting("audit", path, "--without", "source", "--html", page)
    assert ended.stdout.strip() == str(page), ended.stderr
    text = page.read_text()
    assert "without source <C>" not in text
    assert "source &lt;C&gt;" in text
    (own,) = audit(path, "--without", "source")
    assert own["verdict"] in text
    # Every model has its tier, ranks and p-value by each unit: two a row, for three models.
    tiers = text.split('id="caption-tiers"')[1].split("</table>")[0]
    whole = [a for a in own["analyses"] if a["left_out"] is None and a["thresholds"] == "dev"]
    shown_there = [a for a in whole if a["ties"] == own["analyses"][0]["ties"]]
    ranks = [(row["rank_low"], row["rank_high"]) for a in shown_there for row in a["models"]]
    assert len(ranks) == 2 * 3
    for low, high in ranks:
        shown = f"ranks {low}–{high}, p" if low < high else f"rank {low}, p"
        assert tiers.count(f'class="beneath">{shown}') == ranks.count((low, high))
    assert {a["unit"] for a in whole} == {"speaker", "trial"}
    lines = reporting("audit", path, "--without", "source").stdout
    assert own["verdict"] in " ".join(lines.split())


def test_no_two_analyses_have_one_label_in_the_picture(tmp_path: Path) -> None:
    with analyses.repeated_analyses([str(config(tmp_path, leaderboard()))]) as of_config:
        (found,) = audited(of_config, (), ["source"])
    labels = [in_words(each.choices, found.own.choices) for each in found.outcomes]
    assert len({each.choices.ties for each in found.outcomes}) > 1
    assert len(set(labels)) == len(labels)
    assert labels[0] == "speaker"


def test_the_same_bytes_from_rows_in_any_order(tmp_path: Path) -> None:
    table = leaderboard()
    first = audit(config(tmp_path, table), "--without", "source")
    assert (
        audit(config(tmp_path, table.sample(fraction=1, shuffle=True, seed=3)), "--without", "source")
        == first
    )


def test_more_analyses_than_are_read_are_refused(tmp_path: Path) -> None:
    from build import build

    study = build(tmp_path, leaderboard()).study
    assert len(choices_of(study, ["speaker"], [], [])) == 2
    with pytest.raises(ConfigError, match=f"at most {MOST} are run"):
        choices_of(study, ["speaker"], [], [("source", str(k)) for k in range(MOST)])


def test_rows_are_read_once_for_all_units_and_ties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And once more without each value of a column."""
    read: list[tuple[str, str] | None] = []

    def opened(plan: Plan, **settings: Any) -> Any:
        read.append(plan.trials.left_out)
        return counted_trials(plan, **settings)

    monkeypatch.setattr(analyses, "counted_trials", opened)
    with analyses.repeated_analyses([str(config(tmp_path, leaderboard()))]) as of_config:
        (audit,) = audited(of_config, (), ["source"])
    assert {outcome.choices.unit for outcome in audit.outcomes} == {"speaker", "trial"}
    assert len(audit.outcomes) > len(read)
    assert read == [None, ("source", "<C>"), ("source", "A"), ("source", "B")]
