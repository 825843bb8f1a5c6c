"""Counts by block of trials: engines deal as this machine does, and pairs of models are what rows give."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from asking import frames_of
from counting import content, counted_here, counted_there, plan_there
from polars.testing import assert_frame_equal

from reporting.app.cli import main
from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.counts import make_bundle
from reporting.app.run.inputs import open_table
from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.core.engine.parts import Part
from reporting.core.engine.rechoosing import units_of
from reporting.errors import ConfigError, DataError, OutputError
from reporting.inputs.blocks import blocks_of
from reporting.inputs.bundle import Bundle, Noise, open_bundle_file
from reporting.inputs.spec import File

TABLE = "table: scores, coarse: 20"
BLOCKS = f"{TABLE}, paired: blocks"
HOSTILE = [
    "'", '"', "\\", "\n", "a\nb", "\t", " ", "ä", "日本", "a'; DROP TABLE scores; --", "%s {}", "ß", "🎲", "NULL", "007"
]  # fmt: skip


def many_trials(n: int, models: int = 3, *, gender: bool = False, few_dev: int | None = None) -> pl.DataFrame:
    """Scores of several models for the same trials, in no order, under keys that begin with hostile ones."""
    draw = np.random.default_rng(5)
    parts = []
    for split in ("dev", "test"):
        size = few_dev if few_dev and split == "dev" else n
        target, ease = draw.random(size) < 0.3, draw.normal(size=size)
        key = [HOSTILE[at] if at < len(HOSTILE) else f"{split}'é{at}" for at in range(size)]
        shared = {"trial": key, "label": target.astype(int), "split": split}
        if gender:
            shared["gender"] = np.where(draw.random(size) < 0.4, "f", "m")
        for model in range(models):
            score = 0.6 * ease + 0.8 * draw.normal(size=size) + (1.5 + 0.1 * model) * target
            parts.append(
                pl.DataFrame(shared | {"score": score.round(2)}).with_columns(model=pl.lit(f"m{model}"))
            )
    rows = pl.concat(parts)
    return rows.sample(fraction=1.0, shuffle=True, seed=2)


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return many_trials(5_000)


def database(folder: Path, rows: pl.DataFrame) -> None:
    folder.mkdir(exist_ok=True)
    with duckdb.connect(str(folder / "lab.duckdb")) as db:
        db.execute("CREATE TABLE scores AS SELECT * FROM rows")


def served(lab, rows: pl.DataFrame) -> str:
    """Put rows into the table ``scores`` of a server, and return its address."""
    import psycopg

    kinds = {pl.String: "text", pl.Float64: "float8", pl.Int64: "int"}
    columns = ", ".join(f"{name} {kinds[type(kind)]}" for name, kind in rows.schema.items())
    lab.ask("DROP TABLE scores", f"CREATE TABLE scores ({columns})", "GRANT SELECT ON scores TO reader")
    with (
        psycopg.connect(host=str(lab.folder), port=lab.port, user="owner", dbname="lab") as db,
        db.cursor().copy("COPY scores FROM STDIN") as copy,
    ):
        for row in rows.iter_rows():
            copy.write_row(row)
    return lab.url


@pytest.mark.parametrize("engine", ["duckdb", "postgresql"])
@pytest.mark.parametrize("paired", ["blocks", True])
def test_engines_deal_trials_into_the_same_blocks(tmp_path, request, engine, paired):
    rows = many_trials(60, gender=True).with_columns(
        score=pl.when((pl.col("trial") == "\n") & (pl.col("model") == "m1")).then(None).otherwise("score")
    )
    if engine == "duckdb":
        database(tmp_path, rows)
        source = "duckdb:///lab.duckdb"
    else:
        source = served(request.getfixturevalue("lab"), rows)
    rest = "by: [gender]\nmodels: {m0: {}, m1: {}, m2: {higher_is: nontarget}}\n"
    further = f"missing: drop, {TABLE}, paired: {str(paired).lower()}"
    there = counted_there(plan_there(tmp_path, source, further, rest), tmp_path / "work")
    here = counted_here(tmp_path / "here", rows, "missing: drop, coarse: 20", rest, paired=paired)
    assert content(there) == content(here)
    assert there.about.blocks
    blocks = blocks_of(rows.filter((pl.col("model") == "m0") & (pl.col("trial") != "\n"))["trial"])
    n = there.rows["n"] if paired is True else there.rows.filter(model="m0")["n"]
    held = there.rows["block"] if paired is True else there.rows.filter(model="m0")["block"]
    assert sorted(np.repeat(held.to_numpy(), n.to_numpy())) == sorted(blocks)


def plan(folder: Path, trials: str, rest: str) -> Plan:
    folder.mkdir(exist_ok=True)
    path = folder / "report.yaml"
    path.write_text(f"trials: {{{trials}}}\n{rest}")
    return read_plan(path, ["significance.replicates=99", "report.formats=[json]"])


def compared(folder: Path, rows: pl.DataFrame, rest: str, counted: str = BLOCKS) -> tuple[Frames, Frames]:
    """Return the frames of rows, and of their counts by block."""
    folder.mkdir(exist_ok=True)
    rows.write_parquet(folder / "rows.parquet")
    database(folder, rows)
    columns = counted.replace(TABLE, "").replace(", paired: blocks", "")
    here = read_frames(plan(folder, f"source: rows.parquet, coarse: 20{columns}", rest))
    return here, read_frames(plan(folder, f"source: 'duckdb:///lab.duckdb', count: there, {counted}", rest))


Frames = dict[str, pl.DataFrame]


def read_frames(plan: Plan) -> Frames:
    return {name: pl.read_parquet(content) for name, content in frames_of(plan).items()}


def unflagged(frames: Frames) -> Frames:
    """Return frames without the flag of few discordant trials: blocks do not count them."""
    counted = pl.col("flags").list.set_difference(["few_discordant"])
    return frames | {"comparisons": frames["comparisons"].with_columns(counted)}


def differing(one: Frames, other: Frames) -> dict[str, pl.DataFrame]:
    """Return the rows of every frame that are not the same in the other, which has as many."""
    one, other = unflagged(one), unflagged(other)
    assert {name: frame.height for name, frame in one.items()} == {n: f.height for n, f in other.items()}
    rows = {
        name: [at for at, (a, b) in enumerate(zip(frame.rows(), other[name].rows(), strict=True)) if a != b]
        for name, frame in one.items()
        if not frame.equals(other[name])
    }
    return {name: one[name][at] for name, at in rows.items()}


CLOSED = {"delong", "exact_midp", "studentized"}
"""How rows are compared that pair trials one by one."""


def test_frames_are_those_of_the_rows(tmp_path, rows):
    """Intervals, EPC, bands, swap tests, best set to the last bit: all but the closed forms of pairs of trials."""
    here, there = compared(tmp_path, rows, "baseline: m0\n")
    other = differing(here, there)
    assert list(other) == ["comparisons"]
    assert set(other["comparisons"]["p_method"]) == {"delong", "exact_midp"}
    exchanged = here["comparisons"].filter(p_method="swap")
    assert len(exchanged) == 12
    assert exchanged.equals(there["comparisons"].filter(p_method="swap"))
    assert set(there["comparisons"]["p_method"]) == {"swap", "normal"}
    # Those have block by block what they have trial by trial, up to the noise of 99 replicates.
    se, by_blocks = (each["comparisons"].filter(pl.col("measure") == "auc")["se"] for each in (here, there))
    assert np.allclose(se, by_blocks, rtol=0.35)


def test_frames_of_clusters_are_those_of_the_rows(tmp_path, rows):
    """More clusters than are drawn one by one: counts by their names are enough."""
    speakers = {key: f"speaker '{at % 4_800}" for at, key in enumerate(sorted(set(rows["trial"])))}
    clusters = rows.with_columns(speaker=pl.col("trial").replace_strict(speakers))
    here, there = compared(tmp_path, clusters, "baseline: m0\n", f"{BLOCKS}, columns: {{cluster: speaker}}")
    for name in differing(here, there):
        # Of comparisons, counts by cluster do not pair trials.
        frame, other = (each[name].drop("design_effect", "flags", strict=False) for each in (here, there))
        assert_frame_equal(frame, other, rel_tol=1e-12, abs_tol=1e-15)


def test_within_one_cluster_nothing_pairs_the_trials_of_counts_by_cluster(tmp_path):
    rows = many_trials(90, 2)
    of_trial = {key: f"s{at % 3}" for at, key in enumerate(sorted({*rows["trial"]}))}
    clusters = rows.with_columns(speaker=pl.col("trial").replace_strict(of_trial))
    asked = f"{BLOCKS}, columns: {{cluster: speaker}}"
    here, there = compared(tmp_path, clusters, "by: [speaker]\ncriteria: ['fixed(threshold=0.5)']\n", asked)
    group = pl.col("group") != ""
    assert set(here["comparisons"].filter(group)["status"]) <= {None, "degenerate"}
    alone = there["comparisons"].filter(group)
    assert set(alone["status"]) == {"no_trial_key"}
    assert alone["p_value"].is_null().all()
    assert there["comparisons"].filter(~group)["p_value"].is_not_null().any()
    limits = there["metrics"].filter(group, measure="frr")
    assert limits.height == here["metrics"].filter(group, measure="frr").height
    assert limits["ci_low"].is_not_null().any()


def test_counts_by_block_do_not_claim_how_few_trials_are_decided_differently(tmp_path):
    """Blocks bound from below how many are: within a block any trial may be any other of its class."""
    first = many_trials(400, 1)
    few = pl.col("trial").is_in(first.filter(split="test", label=1)["trial"].sort()[:5].to_list())
    score = pl.when(few).then(pl.col("score") - 3).otherwise("score")
    rows = pl.concat([first, first.with_columns(score=score.round(2), model=pl.lit("m1"))])
    here, there = compared(tmp_path, rows, "primary: {measure: frr, criterion: 'fixed(threshold=0.5)'}\n")
    flagged = [
        {flag for flags in each["comparisons"].filter(measure="frr")["flags"] for flag in flags}
        for each in (here, there)
    ]
    assert "few_discordant" in flagged[0]
    assert "few_discordant" not in flagged[1]


@pytest.mark.parametrize(
    "rest",
    [
        "thresholds: {policy: none}\n",
        "primary: {measure: auc}\nbaseline: m1\n",
        "significance: {correction: maxt, stratify: label}\n",
        "measures: [hter, mcc, cllr(calibration=affine), min_dcf, brier(calibration=affine)]\n",
    ],
)
def test_other_questions_have_the_same_answers(tmp_path, rows, rest):
    here, there = compared(tmp_path, rows, rest)
    other = differing(here, there)
    assert set(other) <= {"comparisons", "ranking"}
    for frame in other.values():
        assert set(frame["p_method"]) <= CLOSED


@pytest.mark.parametrize("runs", ["seed", "reader"])
def test_several_runs_have_the_same_answers(tmp_path, rows, runs):
    """But areas over readers, and minima of means over seeds, whose limits are wider as if runs erred together."""
    of_runs = {"m0": ("A", "1"), "m1": ("A", "2"), "m2": ("B", "1"), "m3": ("B", "2")}
    run = pl.col("model").replace_strict({model: run for model, (_, run) in of_runs.items()})
    model = pl.col("model").replace_strict({model: name for model, (name, _) in of_runs.items()})
    rows = many_trials(5_000, 4).with_columns(run=run, model=model)
    here, there = compared(tmp_path, rows, "", f"{BLOCKS}, runs: {runs}")
    other = differing(here, there)
    assert set(other) <= {"comparisons", "metrics"}
    assert "comparisons" not in other or set(other["comparisons"]["measure"]) == {"auc"}
    if runs == "seed":
        limits = pl.col("ci_low", "ci_high")
        minima = pl.col("ci_method") == "best_cut"
        (low, high), (lower, higher) = (
            each["metrics"].filter(minima).select(limits).to_numpy().T for each in (here, there)
        )
        assert (lower <= low).all()
        assert (high <= higher).all()
        kept = [each["metrics"].filter(~minima) for each in (here, there)]
        assert_frame_equal(*kept, rel_tol=1e-12, abs_tol=1e-15)
    else:
        assert set(other.get("metrics", here["metrics"].filter(measure="auc"))["measure"]) == {"auc"}


def test_groups_of_many_trials_have_the_same_answers(tmp_path):
    """Within a group of few trials, which the rows draw one by one, blocks are drawn, and numbers are near."""
    here, there = compared(tmp_path, many_trials(12_000, 2, gender=True), "by: [gender]\n")
    whole = {name: f.filter(pl.col("group") == "") for name, f in here.items() if "group" in f.columns}
    assert set(differing(whole, {n: there[n].filter(pl.col("group") == "") for n in whole})) <= {
        "comparisons"
    }
    groups = here["metrics"].filter(
        (pl.col("group") != "") & (pl.col("n_target") + pl.col("n_nontarget") > 4096)
    )
    assert groups.height > 20
    assert groups.equals(
        there["metrics"].filter((pl.col("group") != "") & (pl.col("n_target") + pl.col("n_nontarget") > 4096))
    )


def test_few_trials_are_drawn_in_blocks_too(tmp_path):
    """600 trials lie in some 520 blocks: pairs are compared, with what rows give up to the replicates' noise."""
    here, there = compared(tmp_path, many_trials(600, 2), "baseline: m0\n")
    by = ["measure", "criterion", "inference"]
    both = here["comparisons"].join(
        there["comparisons"], on=[*by, "model"], nulls_equal=True, suffix=" there"
    )
    both = both.filter(pl.col("inference") == "procedure", pl.col("p_method") == "swap")
    assert both.height == 6
    assert both["difference"].equals(both["difference there"])
    width, by_blocks = both["ci_high"] - both["ci_low"], both["ci_high there"] - both["ci_low there"]
    assert np.allclose(width, by_blocks, rtol=0.5)


def test_trials_of_counts_by_block_are_drawn_in_blocks_whatever_their_number(tmp_path):
    rows = many_trials(600, 2)
    database(tmp_path, rows)
    asked = plan(tmp_path, f"source: 'duckdb:///lab.duckdb', count: there, {BLOCKS}", "")
    table = open_table(asked, tmp_path)
    for (_, split), ranks in count_trials(table, SerialExecutor()).ranks.items():
        units = units_of(Part("all", "", ranks, []), asked.study).test
        blocks = blocks_of(rows.filter(model="m0", split=split)["trial"])
        assert units.dealt is not None
        assert sorted(np.bincount(units.dealt)) == sorted(np.unique(blocks, return_counts=True)[1])
        assert (units.n_units, units.degrees_of_freedom) == (600, None)


def test_bundles_of_sites_add_up_to_that_of_the_whole(tmp_path):
    rows = many_trials(300)
    bundles: list[Bundle] = []
    parts = {
        "whole": rows,
        "one": rows.filter(pl.col("trial") < "dev'é5"),
        "two": rows.filter(pl.col("trial") >= "dev'é5"),
    }
    for name, part in parts.items():
        part.write_parquet(tmp_path / f"{name}.parquet")
        config = tmp_path / f"{name}.yaml"
        config.write_text(f"trials: {{source: {name}.parquet, coarse: 20}}\n")
        made = make_bundle(config, tmp_path / f"{name}-counts.parquet", paired="blocks")
        bundles.append(open_bundle_file(File(made)))
    sites = plan(tmp_path / "a", "layout: counts, source: [../one-counts.parquet, ../two-counts.parquet]", "")
    merged = plan(tmp_path / "b", "layout: counts, source: ../whole-counts.parquet", "")
    one, other = frames_of(sites), frames_of(merged)
    assert {name for name in one if one[name] != other[name]} == set()


def test_counts_by_block_are_not_added_to_others(tmp_path):
    rows = many_trials(400)
    names = []
    for name, paired in (("one", "blocks"), ("two", False)):
        part = rows.filter(pl.col("trial").str.ends_with("1") == (name == "one"))
        part.write_parquet(tmp_path / f"{name}.parquet")
        (tmp_path / f"{name}.yaml").write_text(f"trials: {{source: {name}.parquet, coarse: 20}}\n")
        names.append(
            str(make_bundle(tmp_path / f"{name}.yaml", tmp_path / f"c-{name}.parquet", paired=paired))
        )
    with pytest.raises(DataError, match=r"the blocks of trials differ \(none, not counted\)"):
        frames_of(plan(tmp_path, f"layout: counts, source: {names}", ""))


@pytest.mark.parametrize("word", ["mcnemar", "delong", "permutation"])
def test_tests_of_pairs_of_trials_are_refused(tmp_path, word):
    database(tmp_path, many_trials(40))
    asked = plan(
        tmp_path,
        f"source: 'duckdb:///lab.duckdb', count: there, {BLOCKS}",
        f"significance: {{tests: [{word}]}}\n",
    )
    with pytest.raises(ConfigError, match="the counts link models by blocks, not by trials"):
        frames_of(asked)


def test_a_broken_block_is_named(tmp_path):
    from reporting.base.publish import parquet
    from reporting.inputs.bundle import METADATA

    bundle = counted_here(tmp_path, many_trials(40), "coarse: 20", paired="blocks")
    broken = bundle.rows.with_columns(block=pl.col("block") + 2000)
    (tmp_path / "broken.parquet").write_bytes(parquet(broken, {METADATA: bundle.about.to_json()}))
    with pytest.raises(DataError, match="rows hold no block below 2048; first"):
        open_bundle_file(File(tmp_path / "broken.parquet"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"least": 2}, "--least 2: cells of blocks have few trials each; leave --blocks out"),
        (
            {"noise": Noise(1.0, 0.0, 1.0)},
            "--noise: counts by block are too many to hide; leave --blocks out",
        ),
    ],
)
def test_blocks_do_not_go_with_what_hides_trials(tmp_path, options, told):
    many_trials(40).write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "report.yaml").write_text("trials: {source: rows.parquet, coarse: 20}\n")
    with pytest.raises(OutputError) as caught:
        make_bundle(tmp_path / "report.yaml", tmp_path / "c.parquet", paired="blocks", **options)
    assert caught.value.faults == [told] or str(caught.value) == told


def test_blocks_need_a_trial_key(tmp_path):
    many_trials(40).drop("trial").write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "report.yaml").write_text("trials: {source: rows.parquet, coarse: 20}\n")
    with pytest.raises(DataError, match="--blocks needs a trial key that links the scores of one trial"):
        make_bundle(tmp_path / "report.yaml", tmp_path / "c.parquet", paired="blocks")


def test_joint_counts_and_counts_by_block_are_two_commands(tmp_path, capsys, monkeypatch):
    (tmp_path / "report.yaml").write_text("trials: {source: rows.parquet, coarse: 20}\n")
    words = ["counts", str(tmp_path / "report.yaml"), "-o", str(tmp_path / "c.parquet")]
    monkeypatch.setattr("sys.argv", ["reporting", *words, "--paired", "--blocks"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    told = "--paired keeps joint counts and --blocks does not; leave one of them out"
    assert told in capsys.readouterr().err
