"""What the codes of ``reporting/base/codes.py`` say to a reader: each a value with its sentences.

No code is printed: what has no words here fails a test. Sentences are templates in the words of
detection, to be worded by the ``Terms`` of a report before names are filled in.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.base.contents import Contents, Named


@dataclass(frozen=True, kw_only=True)
class Reason(Named):
    """Why a number is undefined, or a gate undecided, to follow ``because``."""

    sentence: str
    of_spread: str = ""
    """The same of a test or a gate, which needs spread, where that differs."""


@dataclass(frozen=True, kw_only=True)
class Notice(Named):
    """What must be known of numbers with a flag, by their meaning: each in a frame of its own.

    ``{models}``, ``{pairs}``, ``{measures}``, ``{units}`` and ``{fits}`` are those concerned, ``{few_units}``
    how few units there are, and how unequal, ``{worth}`` the latter in any case, ``{dev_step}`` and
    ``{test_step}`` widths of bins. Its caution has the title of its page in ``document/words/catalogue.py``.
    """

    values: str = ""
    comparisons: str = ""
    fits: str = ""
    tests: str = ""
    runs: str = ""
    """Of differences to an earlier run."""
    policy: str = ""
    """Of all numbers, whose thresholds were chosen in this way."""
    grave: bool = False
    """Where a number of the primary question has it."""


@dataclass(frozen=True, kw_only=True)
class Method(Named):
    """How an interval or a p-value was made, or p-values adjusted."""

    name: str
    between_runs: str = ""
    """The same in full, of the difference between two runs."""
    resampled: bool = False
    """Whether it rests on draws of units; else trials are treated as independent."""


NO_REASON = "the reason is not described"

REASONS = Contents(
    "status",
    [
        Reason(key="no_targets", sentence="the set or group has no targets"),
        Reason(key="no_nontargets", sentence="the set or group has no non-targets"),
        Reason(key="unresolvable", sentence="the counts are too small to resolve it"),
        Reason(
            key="degenerate",
            sentence="its formula has no finite value on these data (a denominator is zero, nothing varies,"
            " or a threshold separates the classes)",
            of_spread="the data do not vary, so there is no standard error",
        ),
        Reason(key="no_such_precision", sentence="no threshold has that precision"),
        Reason(key="no_dev", sentence="there is no development set to choose a threshold on"),
        Reason(key="not_calibrated_scale", sentence="the scores are not declared as log likelihood ratios"),
        Reason(key="not_probability", sentence="the scores are not declared as probabilities"),
        Reason(key="infinite_scores", sentence="a normal distribution cannot have infinite scores"),
        Reason(key="not_positive", sentence="the Box-Cox transform needs positive scores"),
        Reason(key="not_converged", sentence="the fit did not converge"),
        Reason(
            key="no_trial_key",
            sentence="no trial key links the scores of two models, so they cannot be paired",
        ),
        Reason(key="dependent", sentence="trials are dependent and joint regions need independent ones"),
        Reason(key="several_runs", sentence="a model has several runs and the test takes one"),
        Reason(key="weighted", sentence="strata have weights and the test counts trials"),
        Reason(key="no_criterion", sentence="the report has no criterion that sets thresholds"),
        Reason(key="not_linear", sentence="the measure is not a weighted sum of FAR and FRR"),
        Reason(
            key="not_measured",
            sentence="it needs resampled values of the AUC, which was not requested",
        ),
        Reason(key="no_direction", sentence="neither direction of the measure is better"),
        Reason(key="pair_trials", sentence="a trial of two clusters has no single cluster to leave out"),
        Reason(key="not_reversible", sentence="no such change reverses the verdict"),
        Reason(
            key="no_reference",
            sentence="no earlier run was accepted, so there is nothing to compare with",
        ),
        Reason(
            key="no_outcomes",
            sentence="decisions on single trials are missing in this run or in one that it continues",
        ),
        Reason(
            key="clustered",
            sentence="trials depend on one another in a way that bets on clusters cannot take apart",
        ),
        Reason(key="no_such_group", sentence="the dataset has no such group"),
        Reason(key="no_new_trials", sentence="no trial (or, where declared, no cluster) is new"),
        Reason(key="conflict", sentence="earlier and later looks contradict each other"),
        Reason(key="too_few_replicates", sentence="there are too few resamples for limits at this level"),
        Reason(
            key="on_the_bound",
            sentence="the estimate is too close to the bound for more data to decide",
        ),
        Reason(key="straddles", sentence="the confidence limits include the bound"),
        Reason(key="not_yet", sentence="the evidence of all looks so far is not sufficient"),
        Reason(
            key="after_adjustment",
            sentence="the gate alone would decide, but not after adjustment for {n_gates} gates",
        ),
        Reason(
            key="no_prevalence",
            sentence="no prevalence is declared that turns likelihood ratios into probabilities, or back",
        ),
        Reason(
            key="few_units",
            sentence="the group has fewer than 10 trials or clusters of a class that counts",
        ),
        Reason(
            key="too_few_clusters",
            sentence="the clusters count as at most two of equal size, which say nothing of others",
        ),
        Reason(
            key="few_errors",
            sentence="the expected number of errors of one kind is below 5, of a group at the rate of all"
            " trials or of a curve where both rates are equal",
        ),
        Reason(key="one_group", sentence="fewer than two groups are large enough"),
        Reason(key="zero_rate", sentence="a group has the value 0"),
        Reason(key="reference_left_out", sentence="the reference group is too small"),
        Reason(key="too_many_groups", sentence="ranges are compared over at most 16 groups"),
        Reason(
            key="lacks_kind",
            sentence="it needs targets, zero-effort trials and spoofs, and the set or group lacks some",
        ),
        Reason(key="nothing_decided", sentence="every trial of the set, or of a class, is left to review"),
        Reason(key="noise_unknown", sentence="the effect of the noise on the counts is not known"),
        Reason(
            key="folds_held",
            sentence="thresholds chosen across folds of the tested trials are held fixed, which no valid test"
            " allows",
        ),
        Reason(key="ruled_out", sentence="the scores give probability 0 to an outcome that occurred"),
    ],
)

_WITHIN_CLUSTER = (
    "Within a group that is one cluster the CI rests on the trials of that cluster, taken as independent."
    " It is about this cluster alone."
)
_FEW_CLUSTERS = "{few_units}, so bootstrap intervals and p-values are approximate."
_TOO_FEW_CLUSTERS = (
    "{worth}: too few to infer anything about others. There is no CI, no p-value and no verdict."
)
_TOO_FEW_TO_COMPARE = (
    "{worth}: too few to infer anything about others. There is no CI and no p-value, except where all"
    " trials of a cluster are exchanged between two models: these hold for any number and sizes of clusters."
)
_REDRAWN = (
    "A resample could miss a class entirely; such resamples were redrawn, or sampling was stratified by"
    " class."
)
_COARSE_TEST = (
    "Bootstrap resamples of {measures} use binned scores (bins at most {test_step} standard errors of FAR and"
    " FRR wide)."
)

FLAGS = Contents(
    "flag",
    [
        Notice(
            key="oracle",
            policy="The threshold was tuned on the test set itself; results are optimistic.",
        ),
        Notice(
            key="train",
            policy="Thresholds were chosen on data the models were trained on. They, and every number on the"
            " development set, are optimistic.",
        ),
        Notice(
            key="cv_test",
            policy="Thresholds were cross-validated on the test data, so the results ignore any shift between"
            " development and test and are optimistic.",
        ),
        Notice(
            key="no_dev",
            policy="No thresholds were chosen, so measures at chosen thresholds and EPCs are left out. To"
            " have them, name a column of splits in trials.columns.split, set"
            " thresholds.policy to kfold, or give thresholds in criteria: fixed(threshold=0.5), or an"
            " a posteriori threshold, oracle(best(measure=youden)), which is optimistic.",
        ),
        Notice(
            key="below_chance",
            values="{details}. Scores were not inverted: if lower ones favour {a_target}, give the model"
            " {setting} under models; or they are the column of the other class.",
            grave=True,
        ),
        Notice(
            key="identical_decisions",
            comparisons="{pairs} make identical decisions (or rankings) on every trial, so their difference"
            " on these is exactly zero; its CI shows how far they may differ on others.",
            grave=True,
        ),
        Notice(
            key="tiny_dev",
            values="The development set has fewer than 10 trials of a class for {models}, so the chosen"
            " thresholds are imprecise.",
            grave=True,
        ),
        Notice(
            key="below_rule_of_30",
            values="{details}. With fewer than 30 errors a rate can easily be off by a third or more.",
            grave=True,
        ),
        Notice(
            key="few_clusters",
            values=_FEW_CLUSTERS,
            comparisons=_FEW_CLUSTERS,
            tests="There are few {units}, so standard errors are approximate.",
            grave=True,
        ),
        Notice(
            key="too_few_clusters",
            values=_TOO_FEW_CLUSTERS,
            comparisons=_TOO_FEW_TO_COMPARE,
            tests="There are too few {units}, or one of them has most trials: there is no standard error.",
            grave=True,
        ),
        Notice(
            key="within_cluster",
            values=_WITHIN_CLUSTER,
            comparisons=_WITHIN_CLUSTER,
        ),
        Notice(
            key="few_readers",
            values="The mean over readers rests on fewer than 5 readers, so it generalises little to"
            " other readers.",
            grave=True,
        ),
        Notice(
            key="ci_p_disagree",
            comparisons="For {pairs} the CI and the p-value disagree about zero: a borderline result.",
            runs="The CI and the p-value disagree about 0 for {models}: a borderline result.",
            grave=True,
        ),
        Notice(
            key="few_discordant",
            comparisons="{pairs} disagree on fewer than 10 targets or non-targets; tests of their difference"
            " are approximate.",
            tests="Some pairs disagree on fewer than 10 trials of a class; their standard errors are"
            " approximate.",
        ),
        Notice(
            key="unresolvable",
            values="The rate at which {measures} is read is finer than one error on the test set; the value"
            " shown for {models} is the one without any such error, and has no CI.",
        ),
        Notice(
            key="interval_withheld",
            values="{measures} of {models} {have} no CI: {reason}. With few errors it would hold the true"
            " value too rarely.",
            grave=True,
        ),
        Notice(
            key="interval_unsound",
            values="Resamples of {measures} of {models} give no sound CI: a limit would be infinite, or it"
            " would exclude the value itself.",
        ),
        Notice(
            key="values_alike",
            values="The values of which {measures} of {models} is the mean are all equal, or there is only"
            " one: their spread is not known, and the mean has no CI.",
        ),
        Notice(
            key="noise_left_out",
            values="The effect of the noise on {measures} of {models} is not known, so no CI is given.",
            grave=True,
        ),
        Notice(
            key="tied_cut",
            values="For {models} several thresholds were equally good on the development set; the"
            " tie-breaking rule decided.",
        ),
        Notice(key="redrawn_empty_class", values=_REDRAWN, comparisons=_REDRAWN),
        Notice(
            key="undefined_left_out",
            values="Groups in which {measures} is undefined are excluded from the mean of {models}.",
        ),
        Notice(
            key="coarse_dev",
            comparisons="The development set has very many distinct scores; resamples choose thresholds from"
            " a grid with steps of at most {dev_step} standard errors of FAR and FRR.",
        ),
        Notice(key="coarse_test", values=_COARSE_TEST, comparisons=_COARSE_TEST),
        Notice(
            key="share_of_dev",
            values="{measures} of {models}: the probabilities are calibrated to the share of targets on the"
            " development set, because no prevalence is declared.",
        ),
        Notice(
            key="assumes_independent_trials",
            fits="CIs of fitted curves treat trials as independent and ignore clusters.",
            tests="This test treats trials as independent although {units} are declared; p may be too small.",
        ),
        Notice(
            key="held_folds",
            comparisons="Thresholds across folds were held fixed, so the difference of {pairs} has neither a"
            " CI nor a p-value: a test at thresholds that the tested trials chose rejects equal models too"
            " often. significance.comparisons: procedure re-selects them, up to 50 folds; AUC needs none.",
            values="The CIs of {measures} hold the thresholds of more than 50 folds fixed. They are too"
            " narrow: other trials would have chosen other thresholds.",
            tests="This test holds thresholds that its own trials chose across folds; it rejects equal models"
            " too often.",
            grave=True,
        ),
        Notice(
            key="hook",
            fits="{fits}: the curve crosses the diagonal between 0.1% and 99.9% false acceptance (a hook), as"
            " no likelihood ratio would do.",
        ),
        Notice(
            key="joined_grades",
            fits="{fits}: the scores have more grades than the fit has categories; neighbouring grades are"
            " joined.",
        ),
        Notice(
            key="power_at_bound",
            fits="{fits}: the power of the transform is at the end of its range.",
        ),
        Notice(
            key="power_flat",
            fits="{fits}: no power is better than another, so the scores are not transformed.",
        ),
    ],
)
"""In the order in which a report shows them."""

_BY_ERROR = "normal with bootstrap standard error"
_STUDENT = "Student's t with bootstrap standard error"

CI_METHODS = Contents(
    "method of intervals",
    [
        Method(key="percentile", name="percentile bootstrap"),
        Method(key="centred", name="centred bootstrap"),
        Method(key="basic", name="basic bootstrap"),
        Method(key="studentized", name="studentized bootstrap"),
        Method(key="bca", name="BCa bootstrap"),
        Method(key="normal", name=_BY_ERROR),
        Method(key="t", name=_STUDENT),
        Method(key="logit_delong", name="logit DeLong"),
        Method(key="delong_noise", name="Wilson with DeLong's error and the noise on the counts"),
        Method(key="logit_clustered", name="logit with cluster standard error"),
        Method(key="logit_normal", name="normal on the logit scale with bootstrap standard error"),
        Method(key="log_normal", name="normal on the log scale with bootstrap standard error"),
        Method(key="logit_t", name="Student's t on the logit scale with bootstrap standard error"),
        Method(key="log_t", name="Student's t on the log scale with bootstrap standard error"),
        Method(key="skewed_t", name="Student's t corrected for skewness"),
        Method(key="delong", name="DeLong"),
        Method(key="swap", name="swap test"),
        Method(key="newcombe", name="Newcombe", between_runs="Newcombe's interval"),
        Method(
            key="square_and_add",
            name="square-and-add",
            between_runs="square-and-add of the two intervals",
        ),
        Method(key="wilson", name="Wilson"),
        Method(key="wilson_noise", name="Wilson with the noise on the counts"),
        Method(key="best_cut", name="square-and-add of Wilson intervals at the best threshold"),
        Method(
            key="best_cut_clustered",
            name="square-and-add at the best threshold with the correlation of both rates by cluster",
        ),
        Method(key="held_cut", name="logit with bootstrap standard error, corrected for optimism"),
        Method(key="lowered", name="bootstrap, lower limit corrected for bias"),
        Method(key="wilson_effective", name="Wilson with the effective number of trials"),
        Method(
            key="korn_graubard", name="Korn-Graubard with the effective number of trials (up to 3 errors)"
        ),
        Method(key="clopper_pearson", name="Clopper-Pearson"),
        Method(key="score", name="score (variance at the limit)"),
        Method(key="betting", name="e-values"),
        Method(key="two_runs", name="square-and-add, treating the two runs as independent"),
    ],
)

P_METHODS = Contents(
    "method of p-values",
    [
        Method(key="swap", name="swap test"),
        Method(key="normal", name=_BY_ERROR, resampled=True),
        Method(
            key="t",
            name=_STUDENT,
            between_runs="clusters resampled, Student's t",
            resampled=True,
        ),
        Method(key="exact_midp", name="exact mid-p test", between_runs="exact mid-p, studentized interval"),
        Method(
            key="studentized",
            name="studentized bootstrap",
            between_runs="studentized bootstrap",
            resampled=True,
        ),
        Method(key="percentile", name="percentile bootstrap", resampled=True),
        Method(key="centred", name="centred bootstrap", resampled=True),
        Method(key="basic", name="basic bootstrap", resampled=True),
        Method(key="bca", name="BCa bootstrap", resampled=True),
        Method(key="delong", name="DeLong's test"),
        Method(key="maxt", name="one-sided max-T on joint resamples", resampled=True),
    ],
)

CORRECTIONS = Contents(
    "correction",
    [
        Method(key="holm", name="Holm"),
        Method(key="bh", name="Benjamini-Hochberg"),
        Method(key="maxt", name="max-T"),
    ],
)
