"""The rows of `table.py`: each a key, the same work done by us and by another, and the data that both read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import commands
import data
import inference
import speed_pieces as speed
import stages
from apart import Piece
from data import Size


@dataclass(frozen=True)
class Row:
    """The same computed twice. ``same`` says how near the two values should be; None: there are none.

    ``data`` writes what both read. ``once``: too long to be repeated. ``on_request``: too long for those who
    do not name it.
    """

    key: str
    what: str
    size: str
    peer: str
    ours: Piece
    theirs: Piece
    note: str
    data: Callable[[Path, Size], None]
    same: float | None = None
    once: bool = False
    on_request: bool = False


def rows_of(folder: Path, size: Size, bob: str | None) -> Iterator[Row]:
    """Yield every row, the smallest work first."""
    yield from _commands(folder)
    yield from _counts(folder, size)
    yield from _large_runs(folder, size)
    yield from _against_python(folder, size)
    yield from _against_others(folder, size, bob)


def _commands(folder: Path) -> Iterator[Row]:
    vote, hundred = "283 trials x 3 models, every default", "100 rows"
    alone = "imports"
    note = "the whole command beside `python -c 'import polars, scipy.stats, altair'`"
    peer: Piece = (commands.imports, (folder,))
    yield Row("vote", "`reporting run`", vote, alone, (commands.example, (folder,)), peer, note, data.vote)
    yield Row(
        "check", "`reporting check`", hundred, alone, (commands.check, (folder,)), peer, note, data.hundred
    )
    yield Row(
        "init", "`reporting init`", hundred, alone, (commands.init, (folder,)), peer, note, data.hundred
    )


def _counts(folder: Path, size: Size) -> Iterator[Row]:
    path = folder / data.TRIALS
    table = f"{size.models} models x {size.trials:,} trials"
    floor: Piece = (stages.floor, (path,))
    yield Row(
        "counting",
        "read, check and count every score",
        table,
        "floor",
        (stages.counting, (path,)),
        floor,
        "ours also builds hulls and ranks, and checks trial sets, labels and duplicates",
        data.trials,
    )
    yield Row(
        "points",
        "thresholds, EPC, ROC and areas from counts",
        table,
        "floor",
        (stages.measures_and_curves, (path,)),
        floor,
        "different things: the floor reads and sorts, ours starts from counts",
        data.trials,
    )


def _large_runs(folder: Path, size: Size) -> Iterator[Row]:
    table = f"{size.models} models x {size.trials:,} trials"
    note = "different things: ours is the report with intervals, tests and figures, start-up left out"
    floor: Piece = (stages.floor, (folder / data.TRIALS,))
    for key, replicates in (("large", size.replicates), ("default", data.DEFAULT_REPLICATES)):
        yield Row(
            key,
            f"`reporting run`, {replicates:,} replicates",
            table,
            "floor",
            (commands.beyond_ten_rows, data.configs(folder, str(replicates))),
            floor,
            note,
            data.trials,
        )
    trials, times = size.growth
    yield Row(
        "growth",
        f"`reporting run`, {size.replicates:,} replicates",
        f"2 models x {trials * times:,} trials",
        "proportion",
        (commands.beyond_ten_rows, data.configs(folder, "more")),
        (commands.in_proportion, (*data.configs(folder, "fewer"), times)),
        f"theirs is {times} times our seconds of {trials:,} trials; the exponent is 1 + log(ratio) / log({times})",
        data.growing,
        once=times > 10,
        on_request=times > 10,
    )
    models, trials = size.many
    yield Row(
        "many",
        f"`reporting run`, {size.replicates:,} replicates",
        f"{models} models x {trials:,} trials, one file each",
        "floor",
        (commands.beyond_ten_rows, data.configs(folder, "many")),
        (commands.floor_of_files, (folder / "trials",)),
        note,
        data.many,
        once=True,
        on_request=trials > 1_000_000,
    )


def _against_python(folder: Path, size: Size) -> Iterator[Row]:
    one = f"1 model x {size.arrays:,} trials"
    drawn = f"{one}, {size.replicates} replicates"
    draws = (folder, size.replicates)
    our_draws = (speed.our_bootstrap, draws)
    yield Row(
        "curves",
        "ROC and AUC from arrays",
        f"{size.in_memory} models x {size.arrays:,} trials",
        "scikit-learn",
        (speed.our_curves, (folder,)),
        (speed.scikit_learn_curves, (folder,)),
        "ours also builds the hull and every trial's rank",
        data.arrays,
        same=1e-9,
    )
    yield Row(
        "auc",
        "bootstrap of the AUC",
        drawn,
        "scikit-learn",
        our_draws,
        (speed.scikit_learn_bootstrap, draws),
        f"a loop over sklearn.utils.resample and roc_auc_score; {DRAWS}",
        data.arrays,
        same=0.5,
    )
    yield Row(
        "alphas",
        "one replicate at 101 given thresholds a model",
        f"{size.in_memory} models x {size.epc:,} trials",
        "NumPy",
        (speed.our_alphas, (size.epc, size.in_memory)),
        (speed.numpy_alphas, (size.epc, size.in_memory)),
        "theirs draws rows and counts them, model by model; compiling is left out",
        data.nothing,
    )
    yield Row(
        "delong",
        "AUC with DeLong's standard error",
        one,
        "confidenceinterval",
        (speed.our_delong, (folder,)),
        (speed.confidenceinterval_delong, (folder,)),
        "theirs holds placements in 32 bits",
        data.arrays,
        same=1e-6,
    )
    yield Row(
        "auc_interval",
        "bootstrap interval of the AUC",
        drawn,
        "confidenceinterval",
        our_draws,
        (speed.confidenceinterval_bootstrap, draws),
        DRAWS,
        data.arrays,
        same=0.5,
    )


def _against_others(folder: Path, size: Size, bob: str | None) -> Iterator[Row]:
    models = f"2 models x {size.arrays:,} trials"
    drawn = f"{models}, {size.replicates} replicates"
    theirs: Piece = (speed.proc, (folder, "bootstrap", size.replicates))
    yield Row(
        "pair_delong",
        "DeLong's test of two AUCs on the same trials",
        models,
        "pROC",
        (speed.our_paired_delong, (folder,)),
        (speed.proc, (folder, "delong", 0)),
        "",
        data.arrays,
        same=1e-9,
    )
    yield Row(
        "pair_auc",
        "bootstrap test of two AUCs on the same trials",
        drawn,
        "pROC",
        (speed.our_paired_bootstrap, (folder, size.replicates, ("auc",))),
        theirs,
        DRAWS,
        data.arrays,
        same=0.5,
    )
    yield Row(
        "pair",
        "the same of AUC, EER and minDCF",
        drawn,
        "pROC",
        (speed.our_paired_bootstrap, (folder, size.replicates, inference.SWEEPS)),
        theirs,
        f"theirs is the AUC alone; {DRAWS}",
        data.arrays,
        same=0.5,
    )
    yield Row(
        "epc",
        "EPC of 100 points, HTER",
        f"{size.epc:,} dev + {size.epc:,} test trials",
        "bob.measure",
        (speed.our_epc, (folder,)),
        (speed.bob_epc, (folder, bob or "")),
        "inner alphas; where two cuts cost the same, ours follows its tie rule and theirs its rounding; its"
        " compiling is left out",
        data.epc,
        same=1e-3,
    )


DRAWS = "the draws differ, so that values agree up to simulation error; compiling belongs to our time"
