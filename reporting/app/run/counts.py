"""The command ``counts``: a trial table as one file of counts, which may go where scores may not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from reporting import __version__
from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import counted_trials, work_folder
from reporting.app.run.merging import bounds, merged_bundle
from reporting.app.run.tabulate import Naming, bundle_of
from reporting.base.extensions import extra
from reporting.base.legible import counted
from reporting.base.progress import Stages
from reporting.base.publish import parquet, write_in_place
from reporting.errors import ConfigError, DataError, OutputError, listed, quoted, refuse, unwritable
from reporting.inputs.bundle import METADATA, NUMBER, PLACE, Bundle, Form, Noise, described, uncountable
from reporting.inputs.spec import Dialect, Paired

FEW = 5
"""Trials below which a cell is reported, because people may be known by it."""
ENDS = (".parquet", ".pq")


def make_bundle(
    config: Path,
    out: Path,
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
    *,
    paired: Paired = False,
    naming: Naming | None = None,
    least: int | None = None,
    noise: Noise | None = None,
) -> Path:
    """Count the trials of a config into the one file ``out`` and return it.

    ``paired`` keeps which scores of the models share a trial, or a block of trials. ``least`` merges
    neighbouring scores until no cell has fewer trials, and ``tell`` hears how far that may move each measure.
    ``noise`` is added to every count, at random whatever the seed.
    Raises ConfigError, DataError or OutputError, and then leaves what was there. ``tell`` hears of stages,
    and of small cells.
    """
    plan = read_plan(config, overrides)
    if faults := [f"{key} ({plan.source}): {why}" for key, why in _refusals(plan)]:
        raise ConfigError(*faults)
    _refuse_target(plan, out)
    if paired == "blocks" and least is not None:
        raise OutputError(f"--least {least}: cells of blocks have few trials each; leave --blocks out")
    if noise is not None:
        _refuse_with_noise(noise, paired=paired, least=least)
        with extra("privacy", "--noise"):
            from reporting.app.run.noising import noisy
    bundle = _counted(plan, tell, paired, naming or Naming())
    if least is not None:
        bundle = _merged(plan, bundle, least, tell)
    if noise is not None:
        _refuse_columns(bundle)
        bundle = noisy(bundle, noise, frozenset(bundle.about.turned or ()))
        scored = len(bundle.about.scores)
        tell(
            f"privacy: epsilon {noise.epsilon:g} for each score; a person with k trials scored by"
            f" {scored} models and runs has k x {scored} x {noise.epsilon:g}"
        )
    else:
        n, what = bundle.rows[NUMBER], "pattern" if bundle.about.form == "patterns" else "cell"
        tell(f"cell counts: {counted(len(n), what)}, {(n < FEW).sum()} of them with fewer than {FEW} trials")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(out, error) from error
    write_in_place(out, parquet(bundle.rows, {METADATA: bundle.about.to_json()}))
    return out


def statements(
    config: Path, dialect: Dialect, overrides: Sequence[str] = (), *, paired: Paired = False
) -> str:
    """Return the SQL that surveys and counts the trials of a config, to be pasted where they are.

    Raises ConfigError for what counts cannot hold.
    """
    plan = read_plan(config, overrides)
    with extra("sql", "--sql"):
        from reporting.inputs.pushdown.by_hand import sql_to_paste
    models = [entry.key for entry in plan.study.models]
    return sql_to_paste(plan.trials, dialect, models, paired=paired).rstrip("\n")


def _refusals(plan: Plan) -> Iterator[tuple[str, str]]:
    spec = plan.trials
    if spec.layout == "counts":
        yield "trials.layout", "these are counts already; a report pools count files, list them all as source"
    yield from uncountable(spec)


def _refuse_with_noise(noise: Noise, *, paired: Paired, least: int | None) -> None:
    faults = [f"--noise: {fault}" for fault in noise.faults]
    if paired == "blocks":
        faults.append("--noise: counts by block are too many to hide; leave --blocks out")
    elif paired:
        faults.append("--noise: joint patterns of several models are too many to hide; leave --paired out")
    if least is not None:
        faults.append("--noise: noise hides small counts already; leave --least out")
    refuse(faults, OutputError)


def _refuse_columns(bundle: Bundle) -> None:
    """Raise DataError for counts by clusters or groups, whose presence noise would not hide."""
    faults = []
    if bundle.about.clusters:
        faults.append(
            "--noise: that a cluster is in the file cannot be hidden; set trials.columns.cluster: none"
        )
    if bundle.about.breakdowns:
        names = listed(map(quoted, bundle.about.breakdowns))
        faults.append(f"--noise: counts by {names} would show which values occur; leave 'by' out")
    refuse(faults)


def _refuse_target(plan: Plan, out: Path) -> None:
    if out.suffix.lower() not in ENDS:
        raise OutputError(f"{out}: expected a name that ends in {' or '.join(ENDS)}")
    if out.is_dir():
        raise OutputError(f"{out} is a folder; name the file to write")
    if out.exists():
        if any(path.exists() and path.samefile(out) for path in (plan.source, *plan.trials.files)):
            raise OutputError(f"{out} is read by this config; name another file with -o")
        try:
            described(out, str(out))
        except DataError:
            raise OutputError(f"{out} exists and is not a count file; name another file with -o") from None


def _counted(plan: Plan, tell: Callable[[str], None], paired: Paired, naming: Naming) -> Bundle:
    plan = replace(plan, trials=replace(plan.trials, needs_dev=False))
    with counted_trials(plan, Stages(tell)) as counted:
        table, counts = counted.table, counted.counts
        if paired and not table.has_trial and len(table.tally.select("model", "run").unique()) > 1:
            option = "--blocks" if paired == "blocks" else "--paired"
            raise DataError(
                f"{option} needs a trial key that links the scores of one trial;"
                f" name it in trials.columns, or leave {option} out"
            )
        form: Form = "patterns" if paired is True else "cuts"
        bundle = bundle_of(table, counts, form, naming, __version__, blocks=paired == "blocks")
    if bundle.about.clusters and naming.names == "digests" and not naming.salt:
        tell("salt: none, so anybody who guesses a cluster name can confirm it; use --salt TEXT")
    return bundle


def _merged(plan: Plan, bundle: Bundle, least: int, tell: Callable[[str], None]) -> Bundle:
    if not (bundle.rows[NUMBER] < least).any():
        return bundle
    file, ends = merged_bundle(bundle, least)
    before, after = (each.rows.select("model", "run", *PLACE, "key").n_unique() for each in (bundle, file))
    tell(f"scores merged: {before} distinct scores became {after}")
    with work_folder(plan.execution.folder) as work:
        for bound in bounds(plan, file, ends, work):
            tell(f"change by merging, {bound}")
    return file
