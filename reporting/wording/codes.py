"""What the codes of ``reporting/codes.py`` say to a reader: each a value with its sentences.

A code is printed nowhere: what has no words here fails a test. Sentences are templates in the words of
detection, to be worded by the ``Terms`` of a report before names are filled in.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.contents import Contents, Named


@dataclass(frozen=True, kw_only=True)
class Reason(Named):
    """Why a number is undefined, or a gate undecided, to follow ``because``."""

    sentence: str
    of_spread: str = ""
    """The same of a test or a gate, which needs spread, where that differs."""


@dataclass(frozen=True, kw_only=True)
class Notice(Named):
    """What must be known of numbers with a flag, by what they are: each in a frame of its own.

    ``{models}``, ``{pairs}``, ``{measures}``, ``{details}``, ``{units}`` and ``{fits}`` are those concerned,
    ``{dev_step}`` and ``{test_step}`` widths of bins.
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


NO_REASON = "its reason has no words here"

REASONS = Contents(
    "status",
    [
        Reason(key="no_targets", sentence="the split has no targets"),
        Reason(key="no_nontargets", sentence="the split has no non-targets"),
        Reason(key="unresolvable", sentence="the counts are too small to resolve it"),
        Reason(
            key="degenerate",
            sentence="the data are degenerate",
            of_spread="the data are degenerate, without spread to judge by",
        ),
        Reason(key="no_dev", sentence="there is no dev split to choose a threshold on"),
        Reason(key="not_calibrated_scale", sentence="the scores are not on a calibrated scale"),
        Reason(key="not_probability", sentence="the scores are not probabilities"),
        Reason(key="infinite_scores", sentence="a normal distribution has no infinite scores"),
        Reason(key="not_positive", sentence="the Box-Cox transform needs positive scores"),
        Reason(key="not_converged", sentence="the fit did not converge"),
        Reason(key="no_trial_key", sentence="the table has no trial key, so that models cannot be paired"),
        Reason(key="dependent", sentence="trials are dependent, and joint regions need independent ones"),
        Reason(key="several_runs", sentence="a model has several runs, and the test takes one"),
        Reason(key="weighted", sentence="strata have weights, and the test counts trials"),
        Reason(key="no_criterion", sentence="the report has no criterion that sets thresholds"),
        Reason(key="not_linear", sentence="the measure is no weighted sum of FAR and FRR"),
        Reason(
            key="not_measured",
            sentence="its replicates come with the measure auc, which was not asked for",
        ),
        Reason(key="no_direction", sentence="neither direction of the measure is better"),
        Reason(key="pair_trials", sentence="trials of pairs have no one cluster to leave out"),
        Reason(key="not_reversible", sentence="no such change turns the verdict"),
        Reason(
            key="no_reference",
            sentence="no earlier run was accepted, so that there is nothing to compare with",
        ),
        Reason(
            key="no_outcomes",
            sentence="the decisions on single trials are not known, of this run or of those it goes on from",
        ),
        Reason(
            key="clustered", sentence="trials are dependent, and bets on single trials need independent ones"
        ),
        Reason(key="no_such_group", sentence="the dataset has no such group"),
        Reason(key="no_new_trials", sentence="there is no trial that was not looked at before"),
        Reason(key="conflict", sentence="earlier and later looks contradict each other"),
        Reason(key="too_few_replicates", sentence="there are too few replicates for limits at this level"),
        Reason(
            key="on_the_bound",
            sentence="more data will hardly decide this: the estimate lies on the bound",
        ),
        Reason(key="straddles", sentence="the limits hold the bound"),
        Reason(key="not_yet", sentence="the evidence of all looks does not suffice yet"),
        Reason(
            key="after_adjustment",
            sentence="the gate by itself would decide, but not after adjusting for {n_gates} gates",
        ),
    ],
)

_FEW_CLUSTERS = "There are few {units}: intervals and p-values that rest on resampling them are rough."
_REDRAWN = (
    "So few trials of a class that plain draws may hold none of it; such draws were repeated,"
    " or trials were drawn class by class: "
)
_COARSE_TEST = (
    "Test has very many distinct scores: replicates of {measures} see bins of them, at most {test_step}"
    " standard errors of FAR, and of FRR, wide."
)

FLAGS = Contents(
    "flag",
    [
        Notice(key="oracle", policy="The threshold was chosen on test itself (a posteriori)."),
        Notice(
            key="train",
            policy="Thresholds were chosen on data the models were trained on: they, and every number on dev,"
            " flatter the models.",
        ),
        Notice(
            key="cv_test",
            policy="Thresholds were cross-validated on the test data: what this report calls a priori is"
            " optimistic by just the difference between dev and test that such thresholds cannot see.",
        ),
        Notice(
            key="tiny_dev",
            values="Dev has fewer than 10 trials of a class for {models}: the chosen thresholds are coarse.",
            grave=True,
        ),
        Notice(
            key="below_rule_of_30",
            values="Fewer than 30 errors of a kind (rule of 30): {details}."
            " These rates are known only roughly.",
            grave=True,
        ),
        Notice(
            key="unresolvable",
            values="The fixed rate is finer than one error of test: {details}. The value is that at no error"
            " at all.",
        ),
        Notice(
            key="tied_cut",
            values="Several cuts on dev were equally good, and the tie rule chose: {models}.",
        ),
        Notice(
            key="below_chance",
            values="Scores of {models} rank the classes below chance; they were taken as they are,"
            " not turned round.",
            grave=True,
        ),
        Notice(
            key="identical_decisions",
            comparisons="Every trial is decided, or ranked, alike: {pairs}, in {measures}."
            " Their difference is exactly zero.",
            grave=True,
        ),
        Notice(
            key="few_discordant",
            comparisons="Fewer than 10 trials of a class are decided differently: {pairs}, in {measures}.",
            tests="Some pairs decide fewer than 10 trials of a class differently: their spread is rough.",
        ),
        Notice(
            key="ci_p_disagree",
            comparisons="Interval and p-value disagree about zero: {pairs}, in {measures}.",
            runs="Interval and p disagree about 0, as few trials are decided differently: {models}.",
            grave=True,
        ),
        Notice(
            key="few_clusters",
            values=_FEW_CLUSTERS,
            comparisons=_FEW_CLUSTERS,
            tests="Few {units}: what rests on their spread is rough.",
            grave=True,
        ),
        Notice(key="redrawn_empty_class", values=_REDRAWN + "{models}.", comparisons=_REDRAWN + "{pairs}."),
        Notice(
            key="undefined_left_out",
            values="Values on which a measure is undefined are left out of its mean: {models},"
            " in {measures}.",
        ),
        Notice(
            key="few_readers",
            values="The mean over readers rests on fewer than 5 of them: {models}.",
            grave=True,
        ),
        Notice(
            key="coarse_dev",
            comparisons="Dev has very many distinct scores: a replicate chooses its thresholds among cuts"
            " that lie at most {dev_step} standard errors of FAR, and of FRR, apart: {pairs}.",
        ),
        Notice(key="coarse_test", values=_COARSE_TEST, comparisons=_COARSE_TEST),
        Notice(
            key="assumes_independent_trials",
            fits="The intervals of fits take trials to be independent and know nothing of clusters.",
            tests="Here trials are taken as independent although {units} are declared: p may be too small.",
        ),
        Notice(
            key="hook",
            fits="{fits}: the curve crosses the diagonal between 0.1% and 99.9% false acceptance (a hook), as"
            " no likelihood ratio would.",
        ),
        Notice(
            key="power_at_bound",
            fits="{fits}: the power of the transform is at the end of its range.",
        ),
        Notice(
            key="power_flat",
            fits="{fits}: no power is better than another, and the scores are left as they are.",
        ),
    ],
)
"""In the order in which a report says them."""

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
        Method(key="delong", name="DeLong"),
        Method(key="newcombe", name="Newcombe", between_runs="Newcombe's interval"),
        Method(
            key="square_and_add",
            name="square and add",
            between_runs="by square and add of the two intervals",
        ),
        Method(key="wilson", name="Wilson"),
        Method(key="clopper_pearson", name="Clopper-Pearson"),
        Method(key="none_seen", name="exact, without any error"),
        Method(key="betting", name="by betting"),
        Method(key="two_runs", name="normal, the errors of two runs taken as independent"),
    ],
)

P_METHODS = Contents(
    "method of p-values",
    [
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
