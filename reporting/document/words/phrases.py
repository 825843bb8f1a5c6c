"""Phrases that several sections share. Texts are plain; every format escapes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reporting.base.legible import elided, plural
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import MEAN
from reporting.core.engine.study import Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.blocks import Sense
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words import codes
from reporting.document.words.one_kind import paid_by
from reporting.document.words.terms import DETECTION, Terms, capitalised, terms, with_article
from reporting.document.words.view import DatasetView
from reporting.inputs.spec import ACROSS_FOLDS

TUNED = "with thresholds fixed"
UNROUNDED = "Differences may not match the rounded values."
AFRESH = "thresholds re-selected in each resample"

SWAP = "swap"
"""The method of the permutation test that swaps the scores of two models."""
CLOSED_FORMS = ("delong", "logit_delong", "newcombe_delong", "logit_weighted", "item_t")
"""The methods of intervals that draw nothing, whatever else was resampled for a row."""
RESAMPLED = tuple(method.key for method in codes.P_METHODS.values() if method.resampled)


def method_name(method: str | None, methods: Mapping[str, codes.Method]) -> str:
    """Return how an interval or a p-value was made."""
    known = methods.get(method or "")
    return known.name if known else "not computed"


def interval_name(row: MetricRow | ComparisonRow) -> str:
    """Return how a row's interval was made."""
    return PAIRED_T if _compares_means(row) else method_name(row.ci_method, codes.CI_METHODS)


PAIRED_T = "Student's t of paired differences"
"""Of means over the values of a column, which are the units: no bootstrap is in their standard error."""


def test_name(row: ComparisonRow) -> str:
    """Return how a comparison's p-value was made."""
    return PAIRED_T if _compares_means(row) else method_name(row.p_method, codes.P_METHODS)


def _compares_means(row: MetricRow | ComparisonRow) -> bool:
    of_means = bool(row.group) and not row.group_columns
    return isinstance(row, ComparisonRow) and of_means and row.p_method == "t"


def adjustment(row: ComparisonRow) -> str:
    """Return how a row's p-value is adjusted: ``adjusted (Holm, 5 comparisons)``, or nothing."""
    if row.p_adjusted is None or not row.correction:
        return ""
    size = row.family_size
    return f"adjusted ({codes.CORRECTIONS[row.correction].name}, {size} comparison{'' if size == 1 else 's'})"


def over_pairs(correction: str | None, size: int | None) -> str:
    """Return how p-values of the pairs of models are adjusted, number by number; "" where none is."""
    if correction in (None, "none") or size is None or size < 2:
        return ""
    return f"Adjusted p: {codes.CORRECTIONS[str(correction)].name} over the {size} pairs, for each number."


NOT_ADJUSTED = "Exploratory: p-values are not adjusted for multiple comparisons."


def reason(status: str | None, spoken: Terms = DETECTION, *, of_spread: bool = False) -> str:
    """Return why a value is undefined, or with ``of_spread`` what needs the spread of the data."""
    if not status:
        return "it was not computed"
    if status not in codes.REASONS:
        return codes.NO_REASON
    known = codes.REASONS[status]
    return spoken.say(known.of_spread if of_spread and known.of_spread else known.sentence)


def listing(words: Iterable[str], most: int = 12, last: str = "and") -> str:
    """Join as ``A, B and C``; beyond ``most`` words the rest is counted."""
    every = list(words)
    if len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return f" {last} ".join(filter(None, (", ".join(every[:-1]), *every[-1:])))


def measure_label(text: str, spoken: Terms = DETECTION) -> str:
    """Return the printed label of a measure from its name in a frame."""
    return spoken.measure(read_measure(text))


ON_TEST_ITSELF = "on the test set itself"
CHOSEN = {
    "dev": "on the development set",
    "train": "on the development set, which the models were trained on",
    "split_clients": "on the half of the clients set aside for development",
    "leave_one_client_out": "on all other clients",
    "kfold": "on all other folds",
    "cv_test": "on the other folds of the test set",
    "none": "on a development set, of which there is none",
}
"""Where a policy chooses thresholds."""


def threshold_phrase(criterion: Criterion, study: Study) -> str:
    """Return which thresholds: ``thresholds set on the development set (minimum HTER)``."""
    spoken = terms(study.vocabulary)
    if criterion.threshold is not None:
        return f"the {spoken.criterion(criterion)}"
    if study.thresholds.policy == "kfold" and not criterion.oracle:
        return f"{spoken.thresholds} {cross_validated(study)}{by_rule(criterion, spoken)}"
    where = ON_TEST_ITSELF if criterion.oracle else CHOSEN[study.thresholds.policy]
    return f"{spoken.thresholds} set {where}{by_rule(criterion, spoken)}"


def by_rule(criterion: Criterion, spoken: Terms) -> str:
    """Return what chooses a threshold, to follow where: `` (minimum HTER)``, and that it is optimistic."""
    name = ", ".join([spoken.criterion(criterion), *([spoken.hindsight] if criterion.oracle else [])])
    return f", {name}" if "(" in name else f" ({name})"


def ratio_at(view: DatasetView, criterion: Criterion) -> str:
    """Return `` (LR = 1)`` behind a fixed threshold that is one LR for all models, else nothing."""
    factors = set(view.log10_factors.values())
    if criterion.on != "score" or criterion.threshold is None or not factors:
        return ""
    power = {float(str(criterion.arguments["threshold"])) * factor for factor in factors}
    if len(power) > 1 or abs(max(power)) > LARGEST_POWER:
        return ""
    return f" (LR = {float(f'{10 ** power.pop():.3g}'):,.10g})"


LARGEST_POWER = 4
"""Likelihood ratios beyond this power of ten are not printed."""


def cross_validated(study: Study) -> str:
    """Return how folds choose thresholds for each other: ``cross-validated over 10 folds``."""
    folds = study.thresholds.folds if study.thresholds.column is None else "the given"
    return f"cross-validated over {folds} folds"


def at_own_threshold(spoken: Terms) -> str:
    """Return at which threshold a measure over all of them is read that takes the best one."""
    return f"at the best {spoken.threshold} of the test set itself ({spoken.hindsight})"


def acceptance(view: DatasetView) -> str:
    """Return when a trial is accepted; lower scores may favour the target."""
    thing, other = capitalised(with_article(view.terms.trial)), in_order(view, view.study.negated)
    accepted, threshold = view.terms.accepted, view.terms.threshold
    if not other:
        return f"{thing} is {accepted} if its score is at or above the {threshold}."
    if len(other) == len(view.names):
        favoured = f"lower scores favour {view.terms.a_target}"
        return f"{thing} is {accepted} if its score is at or below the {threshold} ({favoured})."
    return (
        f"{thing} is {accepted} if its score is at or above the {threshold}; for {listing(other)}, whose"
        f" lower scores favour {view.terms.a_target}, if it is at or below."
    )


def sense(measure: Measure) -> Sense:
    """Return which way a measure improves, for the head of its column."""
    if measure.ideal is not None:
        return "0 is best" if measure.ideal == 0 else "1 is best"
    return "lower is better" if measure.better == "lower" else "higher is better"


def question(measure: Measure, criterion: Criterion | None, study: Study) -> str:
    """Name a measure with its thresholds, where it has any."""
    spoken = terms(study.vocabulary)
    name = spoken.measure(measure)
    if measure.optimised:
        return f"{name} {at_own_threshold(spoken)}"
    if measure.over != "threshold" or criterion is None:
        return name
    return f"{name} at {threshold_phrase(criterion, study)}"


def first_question(view: DatasetView) -> str:
    """Name the primary measure with its thresholds, and over what it is averaged."""
    primary = view.study.primary
    return f"{question(primary.measure, primary.criterion, view.study)}{averaged_over(view)}"


def averaged_over(view: DatasetView) -> str:
    """Return `` averaged over day`` where means over a column answer the first question, else nothing."""
    return f" averaged over {elided(str(view.study.averaged_over))}" if view.averaged else ""


def units(results: Results, unit: str | None = None) -> str:
    """Name the resampled things in the plural: the cluster column's name, or trials."""
    unit = unit or results.study.inference.unit
    is_clustered = results.cluster is not None and unit != "trial"
    return clusters(results) if is_clustered else terms(results.study.vocabulary).trials


def units_of(view: DatasetView, row: MetricRow | ComparisonRow) -> str:
    """Name what is resampled for a row: of a mean over the values of a column, these values."""
    if row.group and not row.group_columns:
        return f"values of {elided(str(view.study.averaged_over))}"
    return units(view.results, row.unit)


def clusters(results: Results, n: int = 0) -> str:
    """Name ``n`` clusters, in the plural but for one; of pair trials members, or of both populations."""
    names = results.study.cluster_names
    if results.cluster_b is None or two_pools(results) or names:
        return " and ".join(name if n == 1 else plural(name) for name in cluster_names(results))
    return "pair member" if n == 1 else "pair members"


def counted_clusters(results: Results, n: int) -> str:
    """Return how many clusters there are: ``1 speaker``, ``20 pair members``."""
    return f"{numbers.count(n)} {clusters(results, n)}"


def cluster_names(results: Results) -> tuple[str, ...]:
    """Name one cluster: as the config does, else by its column; of two populations one of each."""
    second = results.cluster_b
    columns = (results.cluster or "cluster", *([second] if second and two_pools(results) else []))
    return results.study.cluster_names or columns


def cluster(results: Results) -> str:
    """Name one cluster; of pair trials one of the first column."""
    return cluster_names(results)[0]


def two_pools(results: Results) -> bool:
    """Return whether the two clusters of pair trials belong to populations of their own."""
    return results.pools == "two"


def population(results: Results) -> str:
    """Return of whom CIs and p-values of the first question speak: new clusters, or new trials of these."""
    spoken, averaged = terms(results.study.vocabulary), results.study.averaged_over
    if averaged is not None:
        whom = f"new values of {elided(averaged)}"
    elif results.cluster is None:
        whom = f"new {spoken.trials} like these"
    elif results.study.inference.unit == "trial":
        whom = f"new {spoken.trials} of these {clusters(results)}"
    else:
        whom = f"new {clusters(results)}"
    readers = results.study.runs == "reader" and MEAN in results.frame(METRICS)["run"]
    return f"{whom} and new readers" if readers else whom


def one_sided(study: Study, *, called: bool) -> str:
    """Return that the primary measure can be bought with the other error rate; empty where it cannot.

    ``called``: the report was requested by a call of Python, whose keys are written so.
    """
    measure, criterion, other = study.primary.measure, study.primary.criterion, paid_by(study.primary)
    if not other:
        return ""
    spoken = terms(study.vocabulary)
    rate, more = (spoken.far, "more") if other == "far" else (spoken.frr, "fewer")
    held = f"target_{other}({other}=0.01)"
    return spoken.fill(
        codes.CAUTIONS["one_sided"].text,
        measure=capitalised(spoken.measure(measure)),
        chosen_thresholds=threshold_phrase(criterion, study),
        rate=rate,
        more=more,
        both="primary='hter'" if called else "primary: {measure: hter, criterion: min_hter}",
        key=f"criteria=['{held}']" if called else f"criterion: '{held}'",
    )


def level_text(level: float) -> str:
    """Print a confidence level: ``95%``."""
    return f"{100 * level:.10g}%"


def basis(view: DatasetView, row: ComparisonRow) -> str:
    """Return what a p-value rests on: what was resampled, or which closed-form test."""
    if row.p_method == SWAP:
        return f"{test_name(row)}, {exchanges(view, row)}"
    if _compares_means(row):
        return f"{PAIRED_T} over {units_of(view, row)}"
    if row.p_method not in RESAMPLED:
        return f"{test_name(row)}, treating {view.terms.trials} as independent"
    return resampled(view, row)


def resampled(view: DatasetView, row: ComparisonRow) -> str:
    """Return what was resampled, and what became of the thresholds."""
    if row.inference == "procedure":
        both = "" if view.study.thresholds.policy in ACROSS_FOLDS else "development and test "
        return f"{both}{units_of(view, row)} resampled{and_readers(view)}, {AFRESH}"
    return f"{units_of(view, row)} resampled{and_readers(view)}"


def and_readers(view: DatasetView) -> str:
    """Add to what was resampled that readers are a sample too, where runs are readers."""
    return ", readers random" if view.run == MEAN and view.study.runs == "reader" else ""


def exchanges(view: DatasetView, row: ComparisonRow) -> str:
    """Return what the permutation test draws: how often scores are swapped, and thresholds reset."""
    unit, times = view.terms.trial if row.unit == "trial" else cluster(view.results), row.replicates or 0
    return (
        f"the models' scores swapped {unit} by {unit} {numbers.count(times)} times, {view.terms.thresholds}"
        " reset each time"
    )


def draws(view: DatasetView, row: MetricRow | ComparisonRow, *, of: str = "") -> str:
    """Return how often what was drawn for a row, and what became of the thresholds; empty without draws."""
    if not row.replicates or row.ci_method in CLOSED_FORMS or _compares_means(row):
        return ""
    if isinstance(row, ComparisonRow) and row.p_method == SWAP:
        return exchanges(view, row)
    drawn = f"{numbers.count(row.replicates)} resamples of {of}{units_of(view, row)}"
    return f"{drawn}{and_readers(view)}{f', {AFRESH}' if row.inference == 'procedure' else ''}"


def is_tuned(row: MetricRow | ComparisonRow) -> bool:
    """Return whether a number takes thresholds as fixed that were chosen once on data.

    Limits in closed form do, also where resamples that choose again show no spread.
    """
    if row.criterion is None or read_criterion(row.criterion).threshold is not None:
        return False
    in_closed_form = isinstance(row, MetricRow) and row.ci_method is not None and not row.replicates
    return row.inference == "given_thresholds" or (row.inference == "procedure" and in_closed_form)


def p_phrase(view: DatasetView, row: ComparisonRow) -> str:
    """Print a comparison's p-values for running text, with their label and what they rest on."""
    label = f" {TUNED}" if is_tuned(row) else ""
    parts = [numbers.equation(row.p_value) + label]
    if row.p_adjusted is not None and (row.family_size or 0) > 1:
        parts.append(f"adjusted {numbers.p_value(row.p_adjusted)} for {row.family_size} comparisons")
    return ", ".join([*parts, basis(view, row)])


def few_units(view: DatasetView, row: ComparisonRow) -> str:
    """Return that interval and p rest on few clusters; empty where they do not."""
    if "few_clusters" not in row.flags:
        return ""
    named, unequal = f"{row.n_units} {units_of(view, row)}", worth_of_units(view, row.n_units or 0)
    few = f"{named} {unequal}" if unequal else f"only {named}"
    return f" ({few}: CI and p-value are approximate)"


def worth_of_units(view: DatasetView, n_units: int, *, always: bool = False) -> str:
    """Return how many clusters of equal size unequal ones count as; empty where they are about equal.

    ``always``: of equal ones too.
    """
    of_test = (row for row in view.rows(TRIALS) if row.split == "test" and row.effective_clusters is not None)
    row = next((row for row in of_test if row.n_clusters == n_units), None)
    if row is None or row.effective_clusters is None:
        return ""
    if round(row.effective_clusters) >= n_units - 1 and not always:
        return ""
    text = f"count as {numbers.significant(row.effective_clusters, 2)} of equal size"
    if row.largest_cluster is None or row.largest_cluster < NAMED_SHARE:
        return text
    return f"{text}, and the largest has {row.largest_cluster:.0%} of the trials of a class"


NAMED_SHARE = 0.25
"""From this share on the largest cluster is named."""


def in_order(view: DatasetView, keys: Iterable[str]) -> Sequence[str]:
    """Return printed names in the report's order, each once."""
    wanted = set(keys)
    return [name for key, name in view.names.items() if key in wanted]


def group_label(row: TrialsRow) -> str:
    """Return a group as ``education: PhD, sex: f``; by its name where its columns are not known."""
    pairs = zip(row.group_columns or (), row.group_values or (), strict=True)
    return ", ".join(": ".join(map(elided, pair)) for pair in pairs) or elided(row.group)


def no_threshold(view: DatasetView) -> str:
    """Return why no single threshold holds for a model."""
    thresholds = view.study.thresholds
    if thresholds.policy == "kfold" and thresholds.column is None:
        return f"each of the {thresholds.folds} folds has its own"
    if thresholds.policy in ACROSS_FOLDS:
        return "each fold has its own"
    return "each run has its own" if view.run == MEAN else "no threshold was chosen"
