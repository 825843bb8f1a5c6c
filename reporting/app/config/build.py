"""A valid config -> the values the other rooms take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from reporting.app.config.across_keys import AcrossKeys
from reporting.app.config.places import naming_of
from reporting.app.config.plan import Execution, Plan, ReportSpec, study_without_dev
from reporting.app.config.question_keys import KEYS
from reporting.app.config.schema import Config
from reporting.app.config.sources import find_sources
from reporting.app.config.study_keys import EVERY, EpcKeys, ModelSettings
from reporting.app.config.templates import read_own
from reporting.app.config.trial_keys import TrialsKeys, ValueNames, spellings
from reporting.base.contents import Named, Value
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import AcrossPlan, EpcPlan, ModelEntry, Primary, Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR
from reporting.core.resampling.settings import Inference
from reporting.document.sections import REST
from reporting.errors import ConfigError
from reporting.features.catalogue import CURVES
from reporting.inputs import spec
from reporting.inputs.formats.catalogue import Reading
from reporting.inputs.remote.address import as_configured, on_any_machine

QUESTION_KEYS = sorted(KEYS, key=lambda key: [*Config.model_fields].index(key.name.partition(".")[0]))
"""The keys of questions in the order of the config."""

T = TypeVar("T")
N = TypeVar("N", bound=Named)


def build_plan(config: Config, source: Path) -> Plan:
    """Turn a valid config into a plan; ``source`` is the config file."""
    keys = config.thresholds
    thresholds = spec.ThresholdPlan(keys.policy, keys.from_ or {}, keys.folds, keys.column)
    trials = _trials(config, source.parent, thresholds)
    _refuse_with_strata(config, trials)
    study = _study(config, source.stem, thresholds)
    if keys.policy == "none":
        study = study_without_dev(study)
    share = study.prevalence
    for key in QUESTION_KEYS:
        study = key.extend(key, study, key.value_in(config), lambda value: with_prevalence(value, share))
    judged = [value for key in QUESTION_KEYS for value in key.judged(key.of(study))]
    run = config.run
    work, cache = (
        None if path is None else (source.parent / path).absolute() for path in (run.folder, run.cache)
    )
    return Plan(
        source=source,
        trials=trials,
        study=study.measuring(judged),
        report=_report(config, source.parent),
        execution=Execution(run.executor, run.workers, run.address, work, cache, run.cache_limit * 2**20),
        resolved=_portable(_resolved(config, trials, study), source.parent),
    )


def _report(config: Config, folder: Path) -> ReportSpec:
    keys = config.report
    own, sections = (None, ()) if keys.templates is None else read_own(folder / keys.templates)
    order = tuple(keys.sections or (REST,))
    return ReportSpec(
        tuple(keys.formats), keys.interactive, keys.vocabulary, order, own, sections, config.ignore
    )


def _trials(config: Config, folder: Path, thresholds: spec.ThresholdPlan) -> spec.TrialSpec:
    keys = config.trials
    return spec.TrialSpec(
        sources=_places(keys, keys.source, folder),
        keys=_places(keys, keys.keys or [], folder),
        layout=keys.layout,
        scores=keys.scores or {},
        of_scores=_of_scores(keys),
        metric=keys.metric,
        columns=_columns(keys),
        without=keys.columns.without() - ({"trial"} if keys.layout == "wide" else set()),
        values=_values(keys.values),
        missing=keys.missing,
        unlabelled=keys.unlabelled,
        negated=frozenset(key for key, model in _declared(config) if model.higher_is == "nontarget"),
        probabilities=frozenset(key for key, model in config.models.items() if model.scale == "probability"),
        attributes=_attributes(config),
        one_class=_one_class(config),
        averaged_over=config.averaged_over,
        weights=spec.whole_weights(keys.weights.stratum) if keys.weights and keys.weights.stratum else {},
        row_weights=keys.weights is not None and keys.weights.column is not None,
        thresholds=thresholds,
        may_lack_split=_may_lack_split(config),
        seed=config.significance.seed,
        pools=keys.clusters.pools,
        cluster_files=tuple(spec.File(folder / path) for path in keys.clusters.file or ()),
        cluster_pattern=keys.clusters.pattern,
        runs=keys.runs,
        class_column=next((name for key in KEYS if (name := key.class_column(key.value_in(config)))), None),
        own_class=next(
            (spellings([word]) for key in KEYS if (word := key.own_class(key.value_in(config)))), None
        ),
        run_folds=next((name for key in KEYS if (name := key.run_folds(key.value_in(config)))), None),
        coarse=keys.coarse,
        written=Reading(
            decimal=keys.reading.decimal or "", header=keys.reading.header, sheet=keys.reading.sheet or ""
        ),
        unpacked_limit=keys.unpacked_limit,
        count_at=keys.count,
        paired=keys.paired,
    )


def _may_lack_split(config: Config) -> bool:
    """Return whether nothing in the config needs thresholds from a development set."""
    explicit, of_thresholds = config.model_fields_set, config.thresholds.model_fields_set
    # How ties are settled asks for no thresholds.
    if of_thresholds - {"ties", "threshold_at"} or any(key.needs_dev(key.value_in(config)) for key in KEYS):
        return False
    primary = config.primary
    criteria = list(config.criteria) if "criteria" in explicit else []
    if "primary" in explicit and primary.measure.over == "threshold":
        criteria.append(primary.criterion)
    if "epc" in explicit and config.epc:
        criteria += config.epc.criteria
    return not any(criterion.needs_dev for criterion in criteria)


def _columns(keys: TrialsKeys) -> dict[str, str]:
    """Return the table's names of columns; some of them counts have left behind."""
    named = keys.columns.by_our_names()
    if keys.weights is not None and keys.weights.column is not None:
        named["stratum"] = keys.weights.column
    left = ("trial", "score", "count", "stratum") if keys.layout == "counts" else ()
    own = {"trial": spec.OWN_KEY} if keys.layout == "wide" and "trial" in keys.columns.without() else {}
    own |= {name.strip(): name for name in _of_scores(keys)}
    named = {name: column for name, column in named.items() if name not in left} | own
    if (keys.clusters.file or keys.clusters.pattern) and "cluster" not in named:
        held = UTTERANCES.get(keys.layout, (named.get("trial", "trial"),))
        named |= dict(zip(("cluster", "cluster_b"), held, strict=False))
    return named


def _of_scores(keys: TrialsKeys) -> dict[str, str]:
    named = {"label": "label", "score": "score"} | keys.columns.by_our_names()
    same = (name for name in ("score", spec.PREDICTED) if named.get(name) == named["label"])
    return {f" {name}": named[name] for name in same} if keys.layout == "keyed" else {}


UTTERANCES: Mapping[str, tuple[str, ...]] = dict.fromkeys(("kaldi", "voxsrc"), ("enroll", "test"))
"""The columns whose clusters a file or pattern gives where none are named; of other layouts the trial key."""


def _places(keys: TrialsKeys, texts: list[str], folder: Path) -> tuple[spec.File | spec.Remote, ...]:
    """Return the files and remote places that texts name, with what there is to know of a remote one."""
    return tuple(
        as_configured(place, keys.table, keys.query, keys.storage)
        if isinstance(place, spec.Remote)
        else place
        for text in texts
        for place in find_sources(text, folder, naming_of(vars(keys)))
    )


def _declared(config: Config) -> list[tuple[str, ModelSettings]]:
    return [(key, model) for key, model in config.models.items() if key != EVERY]


def _attributes(config: Config) -> tuple[str, ...]:
    single = [name for name in (config.averaged_over, config.thresholds.column) if name is not None]
    broken_down = [by.column for crossing in config.by for by in crossing]
    contrasted = [column for entry in config.across for column in entry.columns]
    return tuple(dict.fromkeys([*broken_down, *contrasted, *single]))


def _one_class(config: Config) -> dict[str, spec.OneClass]:
    classes: tuple[spec.OneClass, ...] = get_args(spec.OneClass)
    named = {by.column: of for crossing in config.by for by in crossing for of in classes if by.of == of}
    return named | ({spec.ATTEMPT: "nontarget"} if config.trials.values.spoof else {})


def _values(keys: ValueNames) -> spec.Values:
    dates, unused = keys.dates, tuple(keys.unused or ())
    dev, test = (keys.dev, keys.test) if dates is None else ("dev", "test")
    if dates and dates[1]:
        unused = (spec.OUTSIDE,)
    of_splits = spec.Values(dev=dev, test=test, unused=unused, dates=dates)
    if keys.target is None:
        return replace(of_splits, event=keys.event.bound if keys.event else None)
    spoof = spellings(keys.spoof or [])
    nontarget: tuple[str, ...] | Literal["rest"] | None = None
    if keys.nontarget is not None:
        nontarget = "rest" if keys.nontarget == ["rest"] else spellings(keys.nontarget)
    return replace(of_splits, target=spellings(keys.target), nontarget=nontarget, spoof=spoof)


def _study(config: Config, stem: str, thresholds: spec.ThresholdPlan) -> Study:
    share = None if config.trials.prevalence == "sample" else config.trials.prevalence
    primary = Primary(
        with_prevalence(config.primary.measure, share), with_prevalence(config.primary.criterion, share)
    )
    _refuse_unsuited(config)
    at_threshold = primary.measure.over == "threshold"
    criteria = _declared_once(config.criteria, share)
    measures = _declared_once(config.measures, share)
    has_primary = "primary" in config.model_fields_set
    is_implied = at_threshold and not has_primary
    return Study(
        title=config.title or stem,
        primary=primary,
        criteria=_with_first(primary.criterion, criteria) if at_threshold else criteria,
        measures=_with_first(primary.measure, measures),
        epc=None if config.epc is None else _epc(config.epc, share),
        curves=tuple(CURVES[word] for word in config.curves),
        models=tuple(
            ModelEntry(key, model.name or key, model.scale, model.higher_is)
            for key, model in _declared(config)
        ),
        turned=EVERY in config.models and config.models[EVERY].higher_is == "nontarget",
        baseline=config.baseline,
        ties=config.thresholds.ties,
        threshold_at=config.thresholds.threshold_at,
        inference=Inference(**config.significance.model_dump()),
        vocabulary=config.report.vocabulary,
        thresholds=thresholds,
        operating_points=tuple(point for entry in config.operating_points for point in entry.points),
        prevalence=share,
        by=(
            *(((spec.ATTEMPT,),) if config.trials.values.spoof else ()),
            *(tuple(by.column for by in crossing) for crossing in config.by),
        ),
        one_class=_one_class(config),
        across=tuple(_across(entry, primary, share) for entry in config.across),
        averaged_over=config.averaged_over,
        runs=config.trials.runs,
        cluster_names=_cluster_names(config.trials),
        sections=tuple(config.report.sections or ()),
        criterion_unnamed=at_threshold and has_primary and "criterion" not in config.primary.model_fields_set,
        profile=config.profile,
        implied=primary.criterion if is_implied and primary.criterion not in criteria else None,
    )


def _cluster_names(keys: TrialsKeys) -> tuple[str, ...]:
    """Return what one cluster is called; one that a file or pattern gives is not called as its column is."""
    elsewhere = (keys.clusters.file or keys.clusters.pattern) and "cluster_b" not in _columns(keys)
    return tuple(keys.clusters.name or (("cluster",) if elsewhere else ()))


def _across(keys: AcrossKeys, primary: Primary, share: float | None) -> AcrossPlan:
    measures = _declared_once(keys.measures or (), share)
    of_two_classes = primary.measure.over == "threshold" and not primary.measure.mixed
    usual = (*((primary.measure,) if of_two_classes else ()), FAR, FRR)
    return AcrossPlan(
        columns=tuple(keys.columns),
        measures=measures or tuple(dict.fromkeys(usual)),
        reference=None if keys.reference is None else tuple(keys.reference),
        alpha=keys.alpha,
    )


def _named(config: Config) -> dict[str, list[Measure | Criterion]]:
    """Return the measures and criteria that a config names, by its keys."""
    return {
        "primary": [config.primary.measure, config.primary.criterion],
        "measures": [*config.measures],
        "criteria": [*config.criteria],
        "epc": [*config.epc.measures, *config.epc.criteria] if config.epc else [],
        **{key.name: [*_measures_in(key.value_in(config))] for key in QUESTION_KEYS},
        "across": [value for entry in config.across for value in entry.measures or ()],
    }


def _measures_in(value: object) -> Iterator[Measure | Criterion]:
    if isinstance(value, Measure | Criterion):
        yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from _measures_in(getattr(value, each.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _measures_in(part)


def _refuse_unsuited(config: Config) -> None:
    """Raise ConfigError for measures and criteria that have no meaning with the trials that are declared."""
    named = [(key, value) for key, values in _named(config).items() for value in values]
    _refuse_mixes(config, [(key, value) for key, value in named if value.mixed])
    weights = config.trials.weights
    has_weights = weights and (weights.column or max(spec.whole_weights(weights.stratum or {}).values()) > 1)
    for key, value in named:
        of_rows = key in ("primary", "measures") and isinstance(value, Measure) and not value.of_grades
        if config.trials.runs == "epoch" and of_rows:
            raise ConfigError(
                f"{key}: '{value}' judges every row, and trials.runs: epoch averages the rows of an item"
                " first; use mean_score or mean_cost alone (profile: grades), or runs: seed"
            )
        if config.trials.missing == "reject" and isinstance(value, Measure) and value.of_grades:
            raise ConfigError(
                f"{key}: '{value}' has no number for a score that is missing; leave the trial out of all"
                " models with trials.missing: drop, or write the score that it counts as, such as 0, into"
                " the table"
            )
        for measure in (value, *(p.value for p in value.parameters)) if has_weights else ():
            if isinstance(measure, Measure) and measure.of_total:
                raise ConfigError(
                    f"{key}: '{measure}' depends on the number of trials, and trials.weights give"
                    " proportions alone; leave one of them out"
                )


def _refuse_with_strata(config: Config, trials: spec.TrialSpec) -> None:
    """Raise ConfigError for what is not computed in strata of a sampling design."""
    if not trials.has_strata:
        return
    others = {key.name: key.value_in(config) for key in QUESTION_KEYS if not key.serves_strata}
    unsuited = {
        "trials.columns.cluster": trials.has_pairs,
        "trials.values.spoof": trials.values.spoof,
        "trials.runs": trials.runs != "seed",
        "trials.layout": trials.layout == "counts",
        "trials.count": trials.count_at == "there",
        "thresholds.policy": trials.thresholds.policy in spec.ACROSS_FOLDS,
        "significance.stratify": config.significance.stratify == "label",
        "averaged_over": config.averaged_over,
        "across": config.across,
    }
    for key, given in (unsuited | others).items():
        if given:
            what = "two cluster columns are" if key == "trials.columns.cluster" else "this is"
            raise ConfigError(
                f"{key}: {what} not computed in strata of a sampling design; leave it out, or"
                f" trials.columns.{spec.SAMPLED}"
            )


def _refuse_mixes(config: Config, mixed: list[tuple[str, Measure | Criterion]]) -> None:
    """Raise ConfigError for costs of three kinds of trials where two are declared, or none is defined."""
    if not config.trials.values.spoof:
        for key, value in mixed:
            raise ConfigError(
                f"{key}: '{value}' needs three kinds of trials; name the label of spoofs in"
                " trials.values, such as {target: target, nontarget: nontarget, spoof: spoof}"
            )
        return
    undefined = {
        "averaged_over": config.averaged_over and any(isinstance(value, Measure) for _, value in mixed),
        "significance.tests": config.significance.tests and config.primary.measure.mixed,
        "thresholds.policy": config.thresholds.policy in spec.ACROSS_FOLDS and mixed,
    }
    for key, of_mixes in undefined.items():
        if of_mixes:
            raise ConfigError(f"{key}: not computed of costs of three kinds of trials, such as adcf")
    if spec.ATTEMPT in _attributes(config):
        raise ConfigError(
            f"{spec.ATTEMPT!r} is what values.spoof makes of the labels of non-targets; rename the column of"
            " that name"
        )


def _epc(keys: EpcKeys, share: float | None) -> EpcPlan:
    criteria, measures = _declared_once(keys.criteria, share), _declared_once(keys.measures, share)
    return EpcPlan(criteria, measures, keys.alphas, (keys.bounds[0], keys.bounds[1]))


def with_prevalence(value: N, share: float | None) -> N:
    """Give a declared share of targets to every ``prevalence`` that is still that of the sample.

    Measures that are parameters of a criterion are reached too, so that every name shows the share.
    """
    if share is None:
        return value
    moved: dict[str, Value] = {}
    for each in value.parameters:
        if each.name == "prevalence" and each.value == "sample":
            moved[each.name] = share
        elif isinstance(each.value, Named):
            moved[each.name] = with_prevalence(each.value, share)
    return value.at(**moved) if moved else value


def _declared_once(values: Iterable[N], share: float | None) -> tuple[N, ...]:
    return tuple(dict.fromkeys(with_prevalence(value, share) for value in values))


def _with_first(value: T, values: tuple[T, ...]) -> tuple[T, ...]:
    return values if value in values else (value, *values)


def _resolved(config: Config, trials: spec.TrialSpec, study: Study) -> dict[str, Any]:
    """Return the config with all defaults and additions spelt out; read again, it gives the same plan."""
    values, plain = trials.values, config.model_dump(mode="json", by_alias=True)
    plain["title"] = study.title
    plain["trials"]["columns"] = config.trials.columns.as_said()
    labels = {
        "target": list(values.target),
        "nontarget": list(values.nontarget) if isinstance(values.nontarget, tuple) else values.nontarget,
    }
    plain["trials"]["values"] = {
        **({"event": dict([values.event])} if values.event else labels),
        "dev": config.trials.values.dev,
        "test": config.trials.values.test,
        **({"spoof": list(values.spoof)} if values.spoof else {}),
        **({"unused": list(values.unused)} if values.unused and not values.dates else {}),
    }
    if config.thresholds.column is None:
        del plain["thresholds"]["column"]
    plain["criteria"] = [str(criterion) for criterion in study.criteria]
    if study.fits:
        plain["fits"] = [str(fit) for fit in study.fits]
    plain["measures"] = [str(measure) for measure in study.measures]
    plain["primary"] = {"measure": str(study.primary.measure), "criterion": str(study.primary.criterion)}
    plain["operating_points"] = [asdict(point) for point in study.operating_points]
    if study.primary.measure.over != "threshold":
        plain["primary"]["criterion"] = None
    for entry in study.models:
        plain["models"][entry.key]["name"] = entry.name
    if study.epc:
        plain["epc"]["criteria"] = [str(criterion) for criterion in study.epc.criteria]
        plain["epc"]["measures"] = [str(measure) for measure in study.epc.measures]
    plain["epc"] = plain["epc"] or "none"
    for entry, across in zip(plain["across"], study.across, strict=True):
        entry["measures"] = [str(measure) for measure in across.measures]
    if not config.across:
        del plain["across"]
    if config.profile is None:
        del plain["profile"]
    for key in QUESTION_KEYS:
        if key.only_given and key.value_in(config) is None:
            del (plain[key.section] if key.section else plain)[key.field]
    if not config.ignore:
        del plain["ignore"]  # so that configs of earlier versions are still the same
    if trials.count_at == "here":
        del plain["trials"]["count"], plain["trials"]["paired"]
    return plain


PLACES = (
    *(("trials", "source"), ("trials", "keys"), ("trials", "clusters", "file")),
    *(("run", "cache"), ("run", "folder"), ("report", "templates")),
    *((*key.name.split("."), place) for key in KEYS for place in key.places),
)
"""The keys that name files and folders."""


def _portable(resolved: dict[str, Any], folder: Path) -> Mapping[str, Any]:
    """Return a resolved config whose paths are relative to the folder of the config."""
    for *rooms, key in PLACES:
        keys = resolved
        for room in rooms:
            keys = keys[room] or {}
        if isinstance(keys.get(key), str):
            keys[key] = on_any_machine(keys[key], folder)
        elif keys.get(key):
            keys[key] = [on_any_machine(text, folder) for text in keys[key]]
    return resolved
