"""Every code that a report, its log or a message can show, each with a page of its own.

``all_codes()`` returns them all with their texts, in the order of their numbers; ``find_code`` finds one. The
first digit shows what a code is about (``KINDS``). A code keeps its meaning for good: one that is no longer
used is never given to anything else, and ``tests/document/words/codes.txt`` holds what was given away.
"""

from __future__ import annotations

from dataclasses import dataclass

from reporting.base.contents import Contents, Named
from reporting.document.blocks import Caution
from reporting.errors import UnknownNameError, did_you_mean, quoted

KINDS = {
    "1": "status",
    "2": "flag",
    "3": "caution",
    "4": "gate",
    "5": "config error",
    "6": "data error",
    "7": "output error",
    "9": "program error",
}
"""What a code is about, by its first digit: why a number is undefined, what must be known of a defined one,
what must be known of the whole report, a verdict, or what ended the program."""
IGNORABLE = ("status", "flag", "caution")


@dataclass(frozen=True, kw_only=True)
class Code(Named):
    """A code and its page. ``key`` is the code, ``name`` the word that frames and manifests use."""

    name: str
    title: str
    meaning: str
    detected: str
    matters: str
    remedy: str

    @property
    def kind(self) -> str:
        """What it is about."""
        return KINDS[self.key[2]]

    @property
    def can_be_ignored(self) -> bool:
        """Whether ``ignore`` may fold its cautions away; verdicts and errors stay."""
        return self.kind in IGNORABLE


def all_codes() -> tuple[Code, ...]:
    """Return every code with its texts, in the order of the numbers."""
    return tuple(CODES.values())


def find_code(text: str) -> Code:
    """Return the code of this number or name, in any letter case; ConfigError with the nearest guess."""
    word = text.strip()
    named = {code.name: code for code in reversed(all_codes())}
    code = CODES.get(word.upper()) or named.get(word.lower())
    if code is None:
        guess = did_you_mean(word.upper(), CODES) if word[:2].upper() == "TR" else did_you_mean(word, named)
        raise UnknownNameError(f"{quoted(text)} is not a code{guess}; `reporting explain` lists them all")
    return code


def code_of(kind: str, name: str) -> str:
    """Return the code of a name of this kind."""
    return next(code.key for code in CODES.values() if (code.kind, code.name) == (kind, name))


def caution(name: str, text: str, grave: bool = False) -> Caution:
    """Return a caution under the title and the code of its flag or family."""
    code = _CAUTIONARY[name]
    return Caution(text, grave, f"{code.title}.", code.key)


def undefined(status: str | None, text: str, grave: bool, title: str) -> Caution:
    """Return a caution about numbers without a value, with the code of their status."""
    return Caution(text, grave, title, _UNDEFINED[status].key if status in _UNDEFINED else "")


def _page(key: str, name: str, title: str, meaning: str, detected: str, matters: str, remedy: str) -> Code:
    return Code(
        key=key, name=name, title=title, meaning=meaning, detected=detected, matters=matters, remedy=remedy
    )


_NO_CLASS = "A rate of a class that has no trials is 0 / 0."
_GIVE_TRIALS = "Add such trials, or leave out the split, dataset or group."
_FROM_COUNTS = "It is read off the counts of the set; nothing is estimated."

_STATUSES = [
    _page(
        "TR101",
        "no_targets",
        "No targets",
        "The set has no targets, so whatever needs them is undefined.",
        _FROM_COUNTS,
        _NO_CLASS,
        f"Check trials.values.target against the labels of the table. {_GIVE_TRIALS}",
    ),
    _page(
        "TR102",
        "no_nontargets",
        "No non-targets",
        "The set has no non-targets, so whatever needs them is undefined.",
        _FROM_COUNTS,
        _NO_CLASS,
        f"Check trials.values.nontarget against the labels of the table. {_GIVE_TRIALS}",
    ),
    _page(
        "TR103",
        "unresolvable",
        "Too few trials to resolve it",
        "The counts are too small to resolve the number.",
        "The number asks for a step finer than one trial of its class.",
        "A value read between two trials would be a guess.",
        "Ask for a less extreme rate, or add trials of that class.",
    ),
    _page(
        "TR104",
        "degenerate",
        "Degenerate",
        "The formula has no value on these data, or their spread is zero.",
        "A denominator or a standard error is zero, nothing varies between resamples, or a threshold"
        " separates the classes, which leaves a fit without a finite maximum.",
        "A number printed in its place would be an artefact.",
        "Look at the counts behind the number: a class without errors, a constant score, separated classes or"
        " a single unit explains it.",
    ),
    _page(
        "TR105",
        "no_such_precision",
        "Precision never reached",
        "No threshold has the precision at which the number is read.",
        "Every threshold of the set was tried, on the exact counts.",
        "Recall at that precision does not exist on these data.",
        "Ask for a lower precision, or declare the prevalence of the application in trials.prevalence.",
    ),
    _page(
        "TR106",
        "no_dev",
        "No development set",
        "There is no development set on which a threshold could be chosen.",
        "The table has no rows of the development split for this dataset, or thresholds.policy is none.",
        "A threshold chosen on the test set would make its error rates optimistic.",
        "Name the column of splits in trials.columns.split, choose another thresholds.policy, or fix the"
        " threshold in advance: criteria: ['fixed(threshold=0.5)'].",
    ),
    _page(
        "TR107",
        "not_calibrated_scale",
        "Not log-likelihood ratios",
        "The scores are not declared as log-likelihood ratios, which the number needs.",
        "The model's scale is score, and the measure has no calibration parameter that was set.",
        "Cllr and the cost of Bayes decisions judge the values of the scores, not only their order.",
        "Declare the scale (models: {A: {scale: llr}}), or let the measure calibrate on the development set:"
        " cllr(calibration=affine). For a threshold from the development set use dcf(p_target=...) with"
        " criterion min_dcf(p_target=...) in place of actdcf.",
    ),
    _page(
        "TR108",
        "not_probability",
        "Not probabilities",
        "The scores are not declared as probabilities, which the number needs.",
        "The model's scale is neither probability nor logit, and the measure does not calibrate.",
        "The Brier score and its kin judge the values of probabilities, not only their order.",
        "Declare the scale (models: {A: {scale: probability}}), or let the measure calibrate on the"
        " development set: brier(calibration=affine).",
    ),
    _page(
        "TR109",
        "infinite_scores",
        "Infinite scores",
        "Some scores are infinite, and a normal distribution cannot have them.",
        "The scores of the set are scanned for infinities before the fit.",
        "Mean and variance of such scores do not exist.",
        "Use the fit by ranks (binormal_ordinal), or replace infinities by large finite scores.",
    ),
    _page(
        "TR110",
        "not_positive",
        "Scores not positive",
        "The Box-Cox transform needs positive scores, and some are not.",
        "The smallest score of the set is at most zero.",
        "Powers of such scores are not defined.",
        "Shift or exponentiate the scores, or use transform=yeo_johnson where it is offered.",
    ),
    _page(
        "TR111",
        "not_converged",
        "Fit did not converge",
        "The iterations of the fit ended without reaching a maximum.",
        "The steps reached their limit while the likelihood still rose.",
        "The parameters where it ended are not the maximum-likelihood estimates.",
        "Look at the histogram: classes apart from each other, or few distinct scores, cause it. Try another"
        " fit.",
    ),
    _page(
        "TR112",
        "no_trial_key",
        "No trial key",
        "No trial key links the scores of two models, so their trials cannot be paired.",
        "No column was named or recognised as trials.columns.trial, or a group of counts by cluster is a"
        " single cluster, whose trials they do not link.",
        "An unpaired comparison of models on the same trials wastes most of the data's power.",
        "Name the column of trial keys in trials.columns.trial, or use layout wide: its rows are the trials.",
    ),
    _page(
        "TR113",
        "dependent",
        "Trials are dependent",
        "Trials share clusters, and the joint region needs independent trials.",
        "A cluster column is declared, and significance.unit does not say trial.",
        "A region that ignores dependence is too small.",
        "Ask for bands that resample clusters: significance.bands: fixed_width or sup_t.",
    ),
    _page(
        "TR114",
        "several_runs",
        "Several runs",
        "A model has several runs, and this test takes one run per model.",
        "The column of runs holds more than one value for the model.",
        "Which run should be tested against which is not defined.",
        "Read the comparison of the means over runs, or filter the table to one run.",
    ),
    _page(
        "TR115",
        "weighted",
        "Strata have weights",
        "Strata have weights, and the test counts trials.",
        "trials.weights gives unequal weights.",
        "Counts of trials do not estimate the weighted error rates.",
        "Use the resampling comparison, which knows the weights, or leave trials.weights out.",
    ),
    _page(
        "TR116",
        "no_criterion",
        "No criterion",
        "The report has no criterion that sets thresholds, and the test needs decisions.",
        "criteria is empty, or thresholds.policy is none.",
        "Without a threshold there is no decision to compare.",
        "Add a criterion, such as criteria: [min_hter].",
    ),
    _page(
        "TR117",
        "not_linear",
        "Not a sum of error rates",
        "The measure is not a weighted sum of FAR and FRR, which the test needs.",
        "The measure declares its weights of both rates; this one has none.",
        "The exact tests of decisions on trials hold for such sums only.",
        "Choose hter, far, frr, weighted_error or dcf as the measure, or use the resampling comparison.",
    ),
    _page(
        "TR118",
        "not_measured",
        "Not resampled",
        "The number needs resampled values of a measure that was not requested.",
        "No resamples of that measure were kept in this run.",
        "Its standard error is unknown.",
        "Add the measure to measures, such as auc.",
    ),
    _page(
        "TR119",
        "no_direction",
        "Neither direction is better",
        "Neither a higher nor a lower value of the measure is better.",
        "The measure declares an ideal value instead of a direction, as a calibration slope does.",
        "Equivalence and non-inferiority are defined only for measures with a better direction.",
        "Choose a measure whose lower or higher values are better.",
    ),
    _page(
        "TR120",
        "pair_trials",
        "Trials of two clusters",
        "Each trial belongs to two clusters, so no single cluster can be left out.",
        "cluster and cluster_b are both declared.",
        "Leaving one out would also remove trials of many others.",
        "Read the comparison with both clusters resampled instead.",
    ),
    _page(
        "TR121",
        "not_reversible",
        "Verdict cannot be reversed",
        "No change of single decisions reverses the verdict.",
        "All changes up to the number of trials were tried.",
        "The fragility index is then undefined, which is good news.",
        "Nothing: the verdict does not hang on single trials.",
    ),
    _page(
        "TR122",
        "no_reference",
        "No earlier run",
        "No earlier run was accepted, so there is nothing to compare with.",
        "The history holds no earlier run of this title whose gates passed.",
        "A gate against the reference cannot be judged.",
        "Nothing on the first run; later check history.store, history.as_of and the title.",
    ),
    _page(
        "TR123",
        "no_outcomes",
        "Decisions not kept",
        "Decisions on single trials are missing in this run or in one that it continues.",
        "The history of one of the runs holds no outcomes, or the table has no trial key.",
        "Always-valid gates and paired comparisons with earlier runs need them.",
        "Give the table a trial key, and let the history start anew with it.",
    ),
    _page(
        "TR124",
        "clustered",
        "Clusters and e-values",
        "Trials depend on one another in a way that bets on clusters cannot take apart.",
        "Trials pair two clusters, or a mean over the values of a column is judged.",
        "Dependent trials would count the same evidence several times.",
        "Use an ordinary gate (always_valid: false).",
    ),
    _page(
        "TR125",
        "no_such_group",
        "No such group",
        "The dataset has no such group.",
        "The gate's group does not occur among the breakdowns of this dataset.",
        "There is nothing to judge.",
        "Correct the gate's group, or limit the gate to datasets that have it.",
    ),
    _page(
        "TR126",
        "no_new_trials",
        "No new trials",
        "All trials, or all clusters where they are declared, were seen by an earlier look.",
        "Digests of the keys of trials and clusters are compared with those in the history.",
        "The same trials give no new evidence, nor do new trials of the same clusters about others.",
        "Run again with new trials, of clusters that were not seen yet.",
    ),
    _page(
        "TR127",
        "conflict",
        "Looks contradict",
        "Earlier and later looks contradict each other.",
        "The evidence for and the evidence against the gate are both decisive.",
        "The model or the trials have changed between looks.",
        "Find out what changed, and start a new sequence of looks under another name.",
    ),
    _page(
        "TR128",
        "too_few_replicates",
        "Too few resamples",
        "There are too few resamples for limits at this level.",
        "The tail that the adjusted level needs holds less than one resample.",
        "The limit would be the most extreme resample, whatever their number.",
        "Raise significance.replicates, or ask for fewer gates or a lower level.",
    ),
    _page(
        "TR129",
        "on_the_bound",
        "Estimate on the bound",
        "The estimate is too close to the bound for more data to decide.",
        "Deciding would take more than 1,000 times the present data.",
        "The gate asks a question at the value that the model has, or next to it.",
        "Reconsider the bound or the margin.",
    ),
    _page(
        "TR130",
        "straddles",
        "Limits include the bound",
        "The confidence limits include the bound.",
        "Neither side of the bound is ruled out at the gate's level, after adjustment.",
        "The data allow both answers.",
        "Add data (the verdict prints how many more), or decide what on_undecided should mean.",
    ),
    _page(
        "TR131",
        "not_yet",
        "Evidence not sufficient yet",
        "The evidence of all looks so far is not sufficient.",
        "Neither e-value has reached its ceiling.",
        "The always-valid gate stays open until one of them does.",
        "Keep looking as new trials arrive.",
    ),
    _page(
        "TR132",
        "after_adjustment",
        "Undecided after adjustment",
        "The gate alone would decide, but not after adjustment for all gates.",
        "Its own p-value is below its error rate, its Holm-adjusted one is not.",
        "Several gates together err more often than one.",
        "Ask for fewer gates, or add data.",
    ),
    _page(
        "TR133",
        "no_prevalence",
        "No declared prevalence",
        "The number needs probabilities from likelihood ratios, or the reverse, without a prevalence.",
        "The model's scale is of the other kind, and trials.prevalence is sample.",
        "Bayes' rule turns one into the other only with a share of targets.",
        "Declare trials.prevalence: the share of targets that the probabilities were made for, or will meet.",
    ),
    _page(
        "TR134",
        "few_units",
        "Group with few units",
        "A group has fewer than 10 trials, or clusters, with trials of a class that counts.",
        "Units that hold trials of the class are counted in every group on test.",
        "Limits that hold for all groups together would not hold, so the group takes no part in claims.",
        "Add trials of the group, or join groups.",
    ),
    _page(
        "TR135",
        "few_errors",
        "Few errors expected",
        "The expected number of errors of one kind is below 5, of a group or of a curve where FAR = FRR.",
        "Trials of the group times the rate of all trials; trials of the smaller class times the EER.",
        "A rate that rests on fewer errors is imprecise: the group takes no part in claims, and a band by"
        " standard errors would hold the curve too rarely.",
        "Add trials, join groups, read the measure at another threshold, or ask for bands of fixed width.",
    ),
    _page(
        "TR136",
        "one_group",
        "Nothing to contrast",
        "Fewer than two groups are large enough to be contrasted.",
        "Groups on test that take part in claims are counted.",
        "A single group has no other that it could differ from.",
        "Name a column with several values, or add trials.",
    ),
    _page(
        "TR137",
        "zero_rate",
        "A group without errors",
        "A ratio or a Gini coefficient is undefined because a group, or all, have the value 0.",
        "The values of the groups that take part are compared with 0.",
        "Nothing can be divided by 0; differences and the range are defined.",
        "Read the range, or add trials of the group.",
    ),
    _page(
        "TR138",
        "reference_left_out",
        "Reference group too small",
        "The reference group takes no part in claims.",
        "The reference is judged by the same rule as all groups.",
        "No group can be held against it.",
        "Name a larger group in across.reference, or leave it out: groups are then held against the rest.",
    ),
    _page(
        "TR139",
        "too_many_groups",
        "Too many groups",
        "Ranges of two models are compared over at most 16 groups.",
        "Groups that take part in both models are counted.",
        "Every pair of groups of one model is held against every pair of the other.",
        "Join groups, or read how each group differs from the rest in both models.",
    ),
    _page(
        "TR140",
        "lacks_kind",
        "A kind of trials is missing",
        "The number needs targets, zero-effort trials and spoofs, and some of them are missing here.",
        _FROM_COUNTS,
        "A cost of three kinds of errors has no value without one of the rates.",
        "Check trials.values against the labels. In a breakdown by attempt each group has one kind of"
        " non-targets: read FAR and EER there.",
    ),
    _page(
        "TR141",
        "nothing_decided",
        "Nothing decided",
        "All trials of a set or class lie between the two thresholds.",
        "Test trials below, between and above the thresholds are counted.",
        "Without decisions their error rate is 0 / 0.",
        "Give a review a cost (abstention.cost), or lower abstention.capacity.",
    ),
    _page(
        "TR142",
        "noise_unknown",
        "Effect of noise unknown",
        "A gate has no interval because its counts carry noise.",
        "The counts were made by reporting counts --noise, and the measure has no CI under noise.",
        "Without an interval that includes the noise the gate is undecided.",
        "Ask the gate about a rate at a given threshold, a weighted sum of such rates, or the AUC.",
    ),
    _page(
        "TR143",
        "folds_held",
        "No test with thresholds of folds held fixed",
        "A gate or a test of a margin has no result, because thresholds across folds are held fixed.",
        "significance.comparisons is given_thresholds, or there are more than 50 folds.",
        "Such a test rejects equal models too often, as the tested trials chose the thresholds.",
        "Set significance.comparisons to procedure and use at most 50 folds, or ask about the AUC.",
    ),
    _page(
        "TR144",
        "ruled_out",
        "An outcome was ruled out",
        "The scores give probability 0 to an outcome that occurred.",
        "A target has probability 0 or a log-likelihood ratio of minus infinity, or a non-target has"
        " probability 1 or plus infinity. The columns ruled_out_targets and ruled_out_nontargets count them.",
        "Such trials have likelihood 0: a logarithmic score is infinite, and a calibration slope or intercept"
        " has no maximum-likelihood estimate. The other extreme, a non-target with probability 0, does no"
        " harm.",
        "Look at these trials. Probabilities that were rounded to 0 or 1 need more decimals; a model must not"
        " exclude what can occur.",
    ),
    _page(
        "TR145",
        "too_few_clusters",
        "Too few clusters",
        "The clusters count as at most two of equal size, which say nothing of others.",
        "Effective clusters, 1 / sum of squared shares of trials, of the class that has fewer.",
        "There is no CI, no p-value and no verdict of a gate. The caution TR231 names the number of clusters"
        " and the share of the largest.",
        "Add trials of other speakers, subjects or sessions, or ask about these ones alone with"
        " significance.unit: trial.",
    ),
]

_OPTIMISTIC = "Error rates at such thresholds are lower than in use."

_FLAGS = [
    _page(
        "TR201",
        "oracle",
        "Tuned on test",
        "The threshold was tuned on the test set itself.",
        "The primary criterion is an oracle(...).",
        _OPTIMISTIC,
        "Choose thresholds on a development set, and keep oracle values for comparison.",
    ),
    _page(
        "TR202",
        "train",
        "Thresholds saw the training data",
        "Thresholds were chosen on data that the models were trained on.",
        "thresholds.policy is train.",
        "Scores of training data are too good: thresholds and every number on that set are optimistic.",
        "Set part of the data aside before training, and choose thresholds there.",
    ),
    _page(
        "TR203",
        "cv_test",
        "Tuned on test",
        "Thresholds were cross-validated on the test data.",
        "thresholds.policy is cv_test.",
        "The results ignore any shift between development and test, and are optimistic.",
        "Use a development set, or a policy that keeps every trial out of its own threshold, such as kfold.",
    ),
    _page(
        "TR204",
        "tiny_dev",
        "Little development data",
        "The development set has fewer than 10 trials of a class.",
        "Trials of each class on the development set are counted.",
        "The chosen thresholds are imprecise, and so are error rates at them in another sample.",
        "Add development trials, or fix thresholds in advance.",
    ),
    _page(
        "TR205",
        "below_rule_of_30",
        "Few errors",
        "A rate rests on fewer than 30 errors (rule of 30, Doddington 2000).",
        "False alarms and misses at the threshold, or at the rate at which a measure is read, are counted.",
        "With fewer than 30 errors a rate can easily be off by a third or more.",
        "Read the CI instead of the value, or add trials of that class.",
    ),
    _page(
        "TR206",
        "unresolvable",
        "Rate too fine",
        "The rate at which a measure is read is finer than one error on the test set.",
        "The rate times the number of trials of its class is less than one.",
        "The value shown is the one without any such error, and it has no CI.",
        "Read the measure at a higher rate, or add trials of that class.",
    ),
    _page(
        "TR207",
        "interval_withheld",
        "Too few errors for a CI",
        "An interval is left out because too few errors support it.",
        "Fewer than 7 errors of a class where FAR = FRR, or fewer than 4 allowed at the fixed rate.",
        "In simulations such intervals held the true value too rarely.",
        "Read the measure at a higher rate, or add trials.",
    ),
    _page(
        "TR208",
        "tied_cut",
        "Tied thresholds",
        "Several thresholds were equally good on the development set.",
        "The minimum of the criterion is attained at more than one threshold, compared on integers.",
        "The tie-breaking rule (thresholds.ties) decided which of them is used on the test set.",
        "Nothing, if error rates on test depend little on it; else add development trials.",
    ),
    _page(
        "TR209",
        "below_chance",
        "Worse than chance",
        "A model ranks non-targets above targets more often than not.",
        "Its AUC on the test set is below 0.5.",
        "Scores with reversed polarity make a good model look useless.",
        "If lower scores favour the target, set higher_is: nontarget for the model. If they are a column of"
        " predict_proba, take that of the target's class. Scores are never inverted without being set so.",
    ),
    _page(
        "TR210",
        "few_clusters",
        "Few clusters",
        "There are fewer than 20 clusters, or unequal ones that count as fewer than 20 equal ones.",
        "Effective clusters are counted, 1 / sum of squared shares of trials; of the class that has fewer.",
        "Bootstrap intervals and p-values are approximate below that number.",
        "Add speakers, subjects or sessions rather than trials of the same ones.",
    ),
    _page(
        "TR211",
        "redrawn_empty_class",
        "Small classes",
        "A resample could miss a class entirely; such resamples were redrawn, or classes sampled apart.",
        "The probability of an empty class under resampling is not negligible.",
        "Intervals refer to samples in which both classes occur.",
        "Add trials, or clusters, of the small class.",
    ),
    _page(
        "TR212",
        "undefined_left_out",
        "Groups left out",
        "Groups in which a measure is undefined are excluded from its mean.",
        "Values over the column averaged_over are missing for some groups.",
        "The mean is that of the other groups, whose difficulty may differ.",
        "Add trials to those groups, or choose a measure that they define.",
    ),
    _page(
        "TR213",
        "few_readers",
        "Few readers",
        "The mean over readers rests on fewer than 5 readers.",
        "trials.runs is reader, and a model has fewer than 5 runs.",
        "The mean generalises little to other readers.",
        "Add readers.",
    ),
    _page(
        "TR214",
        "no_dev",
        "No development set",
        "No thresholds were chosen, so measures at chosen thresholds and EPCs are left out.",
        "The table has no column of splits or thresholds.policy is none, and a criterion needs a development"
        " set, or there is no criterion.",
        "The report shows what scores could achieve, not what a system in use achieves.",
        "Name a column of splits, set thresholds.policy to kfold, or give thresholds in criteria:"
        " fixed(threshold=0.5), or an a posteriori threshold, oracle(best(measure=youden)), which is"
        " optimistic.",
    ),
    _page(
        "TR215",
        "coarse_dev",
        "Binned scores",
        "Resamples choose thresholds from a grid instead of from every score.",
        "At most 4,096 clusters have more than 32,768 distinct scores in the development set.",
        "The caution prints the width of a step; estimates always use every score.",
        "Nothing, or significance.replicate_on: scores, which takes longer.",
    ),
    _page(
        "TR216",
        "coarse_test",
        "Binned scores",
        "Resamples of measures over all thresholds use binned scores.",
        "At most 4,096 clusters have more than 32,768 distinct scores in the test set.",
        "The caution prints the width of a bin; estimates always use every score.",
        "Nothing, or significance.replicate_on: scores, which takes longer.",
    ),
    _page(
        "TR217",
        "identical_decisions",
        "Identical decisions",
        "Two models make identical decisions, or rankings, on every trial.",
        "Decisions at the thresholds, or ranks, are compared trial by trial.",
        "The difference on these trials is zero: most often one model was given twice. On other trials the"
        " models may differ; the CI has how far, by the rule of 3.",
        "Check that the score files of the two models are not the same.",
    ),
    _page(
        "TR218",
        "few_discordant",
        "Few disagreements",
        "Two models disagree on fewer than 10 trials of a class.",
        "Trials on which their decisions differ are counted by class.",
        "Tests of their difference are approximate.",
        "Read the exact p-value where it is given, or add trials.",
    ),
    _page(
        "TR219",
        "ci_p_disagree",
        "CI and p-value disagree",
        "The CI and the p-value disagree about zero.",
        "One of them excludes zero at the report's level, the other does not.",
        "The two come from different approximations: the result is borderline.",
        "Treat the comparison as inconclusive, or add data.",
    ),
    _page(
        "TR220",
        "assumes_independent_trials",
        "Clusters not used",
        "A test or a fit treats trials as independent although clusters are declared.",
        "The method has no form for clusters.",
        "Its p-values may be too small and its intervals too narrow.",
        "Rely on the comparisons that resample clusters.",
    ),
    _page(
        "TR221",
        "hook",
        "Hook of a fitted curve",
        "A fitted curve crosses the diagonal between 0.1% and 99.9% false acceptance.",
        "The crossing follows from the slope and the intercept of the fit.",
        "No likelihood ratio behaves so: the normal shape does not suit the data there.",
        "Trust the fit in the middle of the curve only, or use another one.",
    ),
    _page(
        "TR222",
        "joined_grades",
        "Grades joined",
        "The scores have more grades than the ordinal fit has categories.",
        "Runs of scores of one class are counted against the limit of categories.",
        "Neighbouring grades are fitted as one.",
        "Nothing, as a rule: the loss is small.",
    ),
    _page(
        "TR223",
        "power_at_bound",
        "Power at its bound",
        "The power of the transform is at the end of its range.",
        "The likelihood still rises there.",
        "The transform is not the best one of its family.",
        "Transform the scores yourself, for instance by a logarithm, or use the fit by ranks.",
    ),
    _page(
        "TR224",
        "power_flat",
        "Power undetermined",
        "No power of the transform is better than another, so scores are not transformed.",
        "The likelihood is flat in the power.",
        "The data say nothing about the shape.",
        "Nothing; or add development trials.",
    ),
    _page(
        "TR225",
        "share_of_dev",
        "Share of the development set",
        "Calibrated probabilities use the share of targets on the development set.",
        "The measure calibrates, and trials.prevalence is sample.",
        "The probabilities are right only where targets are as frequent as on the development set.",
        "Declare the prevalence of the application in trials.prevalence.",
    ),
    _page(
        "TR226",
        "held_folds",
        "Thresholds of folds held fixed",
        "Thresholds set across folds of the test data are held fixed in the resamples.",
        "significance.comparisons is given_thresholds, or there are more than 50 folds.",
        "Comparisons at them have no CI and no p-value; CIs of single models are too narrow, and further"
        " tests, such as McNemar's, reject equal models too often.",
        "Set significance.comparisons to procedure and use at most 50 folds, or compare by AUC.",
    ),
    _page(
        "TR227",
        "noise_left_out",
        "No CI under noise",
        "A value has no CI because its counts carry noise.",
        "The counts were made by reporting counts --noise, and the measure is neither a share of trials, nor"
        " a sum of FAR and FRR at a given threshold, nor the AUC.",
        "How far noise moves an optimum over thresholds, or a measure of the scores, is not known.",
        "Read the rates at a threshold that is set in advance or on the development set, or the AUC.",
    ),
    _page(
        "TR228",
        "interval_unsound",
        "No sound CI",
        "An interval is left out because a limit would be infinite, or because it would exclude the value.",
        "The limits are compared with the value.",
        "Resamples of an optimum over thresholds, or of a distance from what is best, are biased: they repeat"
        " a part of the optimism of the value. A quantile of them is no limit of the value then.",
        "Leave out significance.interval: auto has intervals that take the bias off. Where a limit is"
        " infinite, add trials.",
    ),
    _page(
        "TR229",
        "within_cluster",
        "Within one cluster",
        "A group is one cluster, and its CIs are those of its own trials.",
        "A breakdown by the column of clusters, or a group that happens to lie within one cluster.",
        "Trials within the cluster are taken as independent. The CI is conditional on that cluster: others"
        " may differ from it, and it is too narrow if the trials of the cluster depend on each other.",
        "Declare the units within the cluster as the clusters if its trials share them.",
    ),
    _page(
        "TR230",
        "values_alike",
        "Values of a mean are alike",
        "A mean over the values of a column has no CI because these are all equal, or there is only one.",
        "averaged_over: the measure is the same for every value of the column, as where none has an error.",
        "Draws of equal values are equal: they say nothing of other values of the column.",
        "Read the value of all trials together, which has a CI, or add values.",
    ),
    _page(
        "TR231",
        "too_few_clusters",
        "Too few clusters for a CI",
        "CIs and p-values are left out: clusters count as at most two of equal size.",
        "Effective clusters, 1 / sum of squared shares of trials, of the class that has fewer: one cluster,"
        " two, or more of which one has about 70% of the trials or more.",
        "In simulations with two equal clusters a CI of HTER held the true value in 91% of tables; with one"
        " cluster that has most trials a CI reached over nearly the whole range.",
        "Add trials of other speakers, subjects or sessions, or ask about these ones alone with"
        " significance.unit: trial.",
    ),
]

BETS_ON_TRIALS = (
    "In simulations of two equally good models, with 1,000 trials of the same 40 speakers in each of 52"
    " weeks, 8 of 30 years had a wrong verdict at 95% confidence"
)
"""``tests/research/studies/weekly.py``, the same speakers, who speak equally often."""

_TOO_NARROW = "CIs are too narrow and p-values too small if trials are dependent."

_CAUTIONS = [
    _page(
        "TR301",
        "drift",
        "Development and test differ",
        "Error rates at the chosen thresholds differ between development and test.",
        "Two-sample tests of FAR and FRR at the chosen thresholds, adjusted over models and rates.",
        "Thresholds set on development need not suit the test set.",
        "Look at the rings in the DET curve: they show what a matched threshold would give.",
    ),
    _page(
        "TR302",
        "independence",
        "Independence assumed",
        "Trials were treated as independent.",
        "No cluster column is declared, significance.unit is trial, or one side of a pair alone is declared.",
        _TOO_NARROW,
        "Name the speaker, subject or session in trials.columns.cluster (and cluster_b for pair trials).",
    ),
    _page(
        "TR303",
        "bets_without_clusters",
        "Always-valid gates without clusters",
        "Always-valid gates with independent: true assume that new trials are independent of earlier ones.",
        "A gate is always_valid and independent, so that it bets on single trials.",
        f"{BETS_ON_TRIALS}.",
        "Declare the cluster column, and leave independent out.",
    ),
    _page(
        "TR304",
        "letter_case",
        "Letter case",
        "Two names differ in letter case alone and count as different.",
        "Names of clusters and groups are compared without regard to case.",
        "If they are one, intervals are too narrow and a group is torn apart.",
        "Spell the name in one way in the table.",
    ),
    _page(
        "TR305",
        "prevalence_differs",
        "Class shares differ",
        "The share of targets differs between development and test.",
        "The odds of a target differ by a factor of 1.5 or more.",
        "Precision, F1 and other prevalence-dependent measures are not comparable between the two.",
        "Declare the prevalence of the application in trials.prevalence.",
    ),
    _page(
        "TR306",
        "few_replicates",
        "Few resamples",
        "There are too few resamples for the number of comparisons.",
        "Resamples are compared with what the smallest adjusted level needs.",
        "Adjusted p-values are imprecise.",
        "Raise significance.replicates.",
    ),
    _page(
        "TR307",
        "floored_scores",
        "Rounded scores",
        "Scores were rounded down to their leading bits before they were counted.",
        "trials.coarse is set, or the counts were made so.",
        "Areas may move by what the caution prints.",
        "Leave trials.coarse out where scores may be shared.",
    ),
    _page(
        "TR308",
        "thinned_curves",
        "Thinned curves",
        "Curves show some of their points only.",
        "A set has more than 131,072 distinct scores.",
        "Pictures and the frame roc lack points too close to be seen apart; measures use all thresholds.",
        "Nothing.",
    ),
    _page(
        "TR309",
        "another_analysis",
        "Another analysis",
        "Another reasonable analysis decides otherwise, or the resamples do not settle a p-value.",
        "The comparison is repeated with thresholds fixed, by percentiles, and for independent trials.",
        "A verdict that depends on the method is weak.",
        "Report both, or add data.",
    ),
    _page(
        "TR310",
        "no_errors",
        "No errors",
        "A model makes no false alarm, or no miss, at the chosen threshold.",
        "False alarms and misses on the test set are counted.",
        "The true rate may be as high as the bound that the caution prints (rule of 3).",
        "Add trials of that class, or report the bound.",
    ),
    _page(
        "TR311",
        "constant_scores",
        "Constant scores",
        "All test scores of a model are equal.",
        "Distinct scores are counted.",
        "Decisions are identical and nothing is ranked.",
        "Check the column or the file of scores.",
    ),
    _page(
        "TR312",
        "infinite_threshold",
        "Infinite scores",
        "A chosen threshold is infinite and rejects every trial, also one with an infinite score.",
        "The threshold is compared with the scores of the test set.",
        "No finite threshold gives these rates.",
        "Replace infinite scores by large finite ones, or choose another criterion.",
    ),
    _page(
        "TR313",
        "unstable_thresholds",
        "Unstable thresholds",
        "The folds of a model chose thresholds that part many trials.",
        "Trials between the lowest and the highest threshold outnumber the square root of the errors.",
        "Another partition into folds may move the error rates and turn a borderline p-value.",
        "Run again with another significance.seed; where the table names the folds, make them anew (another"
        " random_state of the splitter). Or use a development set.",
    ),
    _page(
        "TR314",
        "misleading_ratios",
        "Misleading likelihood ratios",
        "As log-likelihood ratios the scores of a model are worse than no scores.",
        "Cllr and its lower confidence limit are above 1.",
        "Decisions by Bayes' rule with these scores lose against ignoring them.",
        "Calibrate the scores before they are used as such; cllr(calibration=affine) shows what it brings.",
    ),
    _page(
        "TR315",
        "groups_of_one_class",
        "Groups of one class",
        "Groups of a breakdown hold trials of one class only.",
        "Targets and non-targets of every group on test are counted.",
        "Measures that need both classes are undefined there.",
        "Break down by a column that describes both classes. Where a column describes one, such as the attack"
        " of non-targets, write by: [{attack: nontarget}]: each value is then judged with all targets.",
    ),
    _page(
        "TR316",
        "optimistic_optimum",
        "Optimistic optimum",
        "The best value over all thresholds looks better than it is.",
        "The bias is estimated from the resamples.",
        "Differences between groups, datasets or runs of different sizes include it.",
        "Compare sets of equal size, or measures at thresholds chosen on development.",
    ),
    _page(
        "TR317",
        "run_history",
        "Run history",
        "A run of the history is left out, or could not be compared.",
        "Manifests and digests of the store are checked when it is read.",
        "Changes since that run are missing from the report.",
        "Restore the run, or remove its folder from the store.",
    ),
    _page(
        "TR318",
        "cache_unusable",
        "Cache",
        "A cached result was damaged, the cache could not be used, or results were deleted to keep its size.",
        "Every entry is checked against its digest; bytes are counted after a run.",
        "Nothing but time: what is lacking is computed again.",
        "Make the folder writable, or raise run.cache_limit.",
    ),
    _page(
        "TR319",
        "mixed_scales",
        "Scores of different kinds",
        "A fixed threshold is applied to models whose scores are on different scales.",
        "A criterion is fixed(threshold=...), and the scales of models differ.",
        "A threshold of 0.5 is a probability to one model and a log-odds or a margin to another.",
        "Give all models scores of one kind (response_method='decision_function', or calibrated"
        " probabilities), or let the threshold be chosen for each model.",
    ),
    _page(
        "TR320",
        "another_base",
        "Base of the logarithm",
        "The column of scores is named after another logarithm than the declared scale.",
        "The scale is llr and the column's name holds log10 or lr10; or it is log10_llr, and the name holds"
        " ln, loge or natural as a word.",
        "Cllr and decisions at likelihood ratios are wrong if the name is right: base-10 logarithms are 2.3"
        " times smaller than natural ones.",
        "Declare the scale that the scores have (log10_llr: base 10, llr: natural), or ignore the code if"
        " the name is the one that is wrong.",
    ),
    _page(
        "TR321",
        "unseen_values",
        "Values without development trials",
        "A value of a column that describes one class occurs on the test set only.",
        "Trials of the class are counted by value on both sets.",
        "Thresholds were set without such trials: error rates at that value say how the system meets what it"
        " was not tuned for.",
        "Nothing, where that is the question, as with unknown attacks; else add such trials to the"
        " development set.",
    ),
    _page(
        "TR322",
        "groups_left_out",
        "Small groups",
        "Groups are too small to take part in claims over groups.",
        "Units and expected errors of every group on test are counted.",
        "Statements about all groups, such as the range, do not cover these.",
        "Add trials of the group, or join groups.",
    ),
    _page(
        "TR323",
        "hard_decisions",
        "Decisions instead of scores",
        "The test scores of a model have two values only.",
        "Distinct scores of every model are counted; ten trials or fewer may have two by chance.",
        "One threshold lies between two values: AUC, EER and curves speak of that one alone.",
        "Report the scores from before the decision; of scikit-learn predict_proba or decision_function, not"
        " predict.",
    ),
    _page(
        "TR324",
        "unnamed_criterion",
        "No criterion named",
        "The primary measure is judged at thresholds that suit another measure.",
        "primary names a measure at a threshold, and no criterion; the measure is best elsewhere than HTER.",
        "Models are compared at the least HTER: one that has the higher F1 at thresholds chosen for F1 may"
        " have the lower F1 there.",
        "Name the criterion: primary.criterion, such as best(measure=f1), or in Python criteria.",
    ),
    _page(
        "TR325",
        "ci_on_few_errors",
        "CI on few errors",
        "A CI is printed that would be left out by default, because the config names the method of CIs.",
        "Fewer than 7 errors of a class where FAR = FRR, or fewer than 4 allowed at the fixed rate.",
        "In simulations percentile intervals of such values held the true value too rarely.",
        "Remove significance.interval, or add trials.",
    ),
    _page(
        "TR326",
        "stale_trials",
        "Nothing new",
        "The input files, or all test trials with every decision, are those of an earlier run.",
        "Digests of the input files are compared with those of all earlier runs of the same report, and the"
        " decisions on every test trial with those of the last one.",
        "A file that did not arrive looks like a good week: values, gates and trends repeat the earlier run.",
        "Check that the source was replaced; dated names (week-48.parquet) make it visible. With"
        " history: {stale: error} such a run ends with status 2 and is not kept.",
    ),
    _page(
        "TR327",
        "unlabelled",
        "Rows without a label",
        "Rows without a label were left out (trials.unlabelled: drop).",
        "They are 2% or more of the rows of a model on the development or the test set.",
        "Labels are seldom missing by chance: those that exist may be of easier, or of suspicious, trials.",
        "Find out why labels are missing, and complete them.",
    ),
    _page(
        "TR328",
        "improper_measures",
        "Improper measures",
        "A report on predicted probabilities has measures that wrong probabilities may improve.",
        "The measures of a config with profile: stratos are looked through: those that count decisions at a"
        " threshold without costs, and areas without costs.",
        "Chosen by such a measure, the model with the better probabilities may lose.",
        "Compare models by the AUROC, the calibration curve and net benefit, or name the costs of errors.",
    ),
    _page(
        "TR329",
        "over_capacity",
        "More reviews than capacity",
        "On test a larger share of trials is left to review than abstention.capacity allows.",
        "Test trials between the two thresholds, chosen on development, are counted.",
        "In use some of them would have to be decided, or wait.",
        "Set a lower capacity, so that chance and drift have room, or add development data.",
    ),
    _page(
        "TR330",
        "nothing_reviewed",
        "Nothing reviewed",
        "The two thresholds of a model are equal: every trial is accepted or rejected.",
        "The pair of least cost on development has no trial in between.",
        "The model is judged as if there were no review.",
        "Lower abstention.cost.review, or give a capacity above 0.",
    ),
    _page(
        "TR331",
        "outside_scores",
        "Threshold outside the scores",
        "A fixed threshold is below or above all test scores of a model: all trials are on one side of it.",
        "At a criterion fixed(threshold=...) the model rejects no trial, or accepts none.",
        "The scores are probably on another scale than the threshold. Rates and comparisons there are no"
        " property of the model.",
        "Give the scores the scale of the threshold, choose a threshold for each model"
        " (oracle(best(measure=youden)), or a development set), or compare AUCs.",
    ),
    _page(
        "TR332",
        "noisy_counts",
        "Noise on the counts",
        "Random noise was added to the counts before they were shared (differential privacy).",
        "The files were written by reporting counts --noise.",
        "Every number moves by chance that no trial explains. CIs that include the noise are wider; values"
        " without one move too.",
        "Pool more trials, or count with a larger epsilon or fewer bins where privacy allows it.",
    ),
    _page(
        "TR333",
        "dev_left_out",
        "Development set left out",
        "The table has rows of a development set, and none of them is counted.",
        "thresholds.policy is none or cv_test, which choose nothing on a development set.",
        "Results rest on the test set alone, which is smaller than the table.",
        "To choose thresholds on those rows write thresholds: {policy: dev}; to judge all rows as one set,"
        " trials: {columns: {split: none}}.",
    ),
    _page(
        "TR334",
        "missing_dropped",
        "Trials without a score",
        "Trials without a score of some model were left out for all models (trials.missing: drop).",
        "A model lacks the score of a trial on the development or the test set.",
        "Scores are seldom missing by chance: a model may fail on the hardest trials, which then no model is"
        " judged on.",
        "Complete the scores, or set trials.missing to reject, which counts them as rejected.",
    ),
    _page(
        "TR335",
        "weighted_rates",
        "Weighted by stratum",
        "Rates, areas and costs are weighted by the strata of the trials, and counts are not.",
        "trials.weights gives weights to strata.",
        "A rate is not its errors divided by its trials, and rests on fewer trials than are counted where"
        " weights differ much.",
        "Nothing needs mending; for rates of the sample itself, leave trials.weights out.",
    ),
    _page(
        "TR336",
        "one_sided",
        "One kind of error",
        "The primary measure improves with more, or with fewer, acceptances, and its thresholds do not hold"
        " the other error rate.",
        "Measures of one class (FAR, FRR, recall, specificity) or of one decision (precision, NPV, ...) at a"
        " criterion that chooses thresholds by both rates, or that holds the rate of the measure itself.",
        "The model in the lead may only have traded the other rate away.",
        "Take a measure of both kinds of errors (primary: {measure: hter, criterion: min_hter}), or hold the"
        " other rate: FRR, recall or precision at target_far, FAR or precision at target_frr.",
    ),
    _page(
        "TR337",
        "same_clusters",
        "Judged where thresholds were chosen",
        "Every cluster of the development set also has trials in the test set.",
        "The clusters of both sets are compared.",
        "Thresholds suit these clusters better than others. CIs at them hold the thresholds fixed, or draw"
        " each cluster for both sets together: neither includes the step to clusters without a choice.",
        "Choose thresholds on other speakers, subjects or sessions (thresholds.policy: split_clients, or"
        " kfold), or read the rates as those of known ones.",
    ),
]

_GATES = [
    _page(
        "TR401",
        "gate_failed",
        "Gate failed",
        "A gate failed: the number is on the bad side of its bound.",
        "Its whole confidence interval, adjusted for all gates, is beyond the bound.",
        "The run exits with status 1.",
        "Improve the model, or change the gate; a failed gate cannot be ignored.",
    ),
    _page(
        "TR402",
        "gate_undecided",
        "Gate undecided",
        "The data do not decide a gate.",
        "The estimate meets the bound or is beyond it, but the confidence interval reaches across it; or the"
        " number is undefined.",
        "on_undecided sets what it counts as; by default failed, and the run exits with status 1.",
        "Add data: the line prints how many more would decide. Or set on_undecided: pass for this gate.",
    ),
]

_STOPS = "Nothing was computed, and the last good report stays."

_CONFIG_ERRORS = [
    _page(
        "TR501",
        "config_unreadable",
        "Config cannot be read",
        "The config file is missing, is not UTF-8, is not YAML, or exceeds a bound.",
        "The file is read and parsed before anything else.",
        _STOPS,
        "Mend the place that the message names; quote names with commas in YAML lists.",
    ),
    _page(
        "TR502",
        "unknown_key",
        "Unknown key",
        "The config has a key that does not exist.",
        "Keys are compared with the schema.",
        "A misspelt key would be ignored silently otherwise.",
        "Take the nearest guess, or look at `reporting schema`.",
    ),
    _page(
        "TR503",
        "missing_key",
        "Missing key",
        "A key that has no default is missing.",
        "Keys are compared with the schema.",
        _STOPS,
        "Add the key; `reporting init` writes a config that has them all.",
    ),
    _page(
        "TR504",
        "value_not_allowed",
        "Value not allowed",
        "A value is of another kind, out of its range, or not one of the allowed words.",
        "Values are compared with the schema, place by place.",
        _STOPS,
        "The message lists what is allowed.",
    ),
    _page(
        "TR505",
        "unknown_name",
        "Unknown name",
        "A measure, criterion, fit or code of this name does not exist, or a parameter of it is not allowed.",
        "Names are looked up in their catalogues, with synonyms.",
        _STOPS,
        "Take the nearest guess; `reporting measures` lists all measures, criteria and fits, `reporting"
        " explain` all codes.",
    ),
    _page(
        "TR506",
        "not_possible",
        "Not possible",
        "Keys or arguments contradict each other, or ask for what these trials or this machine cannot give.",
        "Keys are compared with each other and with the table.",
        _STOPS,
        "The message names the keys and the ways out.",
    ),
    _page(
        "TR507",
        "source_not_found",
        "Trials not found",
        "A file, folder, pattern or address of trials does not exist, or has a format that is not read.",
        "Sources are looked up before they are read; paths are relative to the config.",
        _STOPS,
        "Correct trials.source or trials.keys.",
    ),
    _page(
        "TR508",
        "template_refused",
        "Template refused",
        "A template or section of your own cannot be used.",
        "Templates run in a sandbox, with bounds, and may not load or run anything.",
        "A page that loads code from elsewhere would not be safe to open.",
        "Mend the line that the message names.",
    ),
    _page(
        "TR509",
        "not_in_table",
        "Not in the table",
        "The config names a model, dataset or group that the trials do not have.",
        "Names are compared with those of the table.",
        _STOPS,
        "Take the nearest guess, or leave the name out.",
    ),
]

_DATA_ERRORS = [
    _page(
        "TR601",
        "data_rule",
        "Rule of the table broken",
        "The trials break a rule of the trial table.",
        "Every row is checked in one pass.",
        _STOPS,
        "Mend the rows that the message names.",
    ),
    _page(
        "TR602",
        "file_unreadable",
        "Trials cannot be read",
        "A file or an address of trials exists but cannot be read.",
        "The reader of its format refuses it.",
        _STOPS,
        "The message names the place and the fault.",
    ),
    _page(
        "TR603",
        "missing_column",
        "Missing column",
        "The table lacks a column that is needed.",
        "Columns are looked up by the names in trials.columns.",
        _STOPS,
        "Name the column in trials.columns, or name the layout of the files. Without a column of splits,"
        " choose another thresholds.policy, or criteria that need no development set, such as"
        " fixed(threshold=0.5) or an a posteriori threshold, oracle(best(measure=youden)), which is"
        " optimistic.",
    ),
    _page(
        "TR604",
        "unknown_value",
        "Unknown label or split",
        "Rows hold labels, splits or strata that are not known.",
        "Values are compared with trials.values and trials.weights.",
        "Rows that are neither target nor non-target cannot be counted.",
        "Map them: trials: {values: {target: ..., nontarget: ..., dev: ..., test: ...}}.",
    ),
    _page(
        "TR605",
        "bad_score",
        "Missing or unusable scores",
        "Scores are missing, are not numbers, or lie outside what their scale allows.",
        "Every score is checked.",
        "A score that is left out silently would change the error rates.",
        "Mend them; trials.missing: drop leaves trials out for all models, reject counts them as rejected.",
    ),
    _page(
        "TR606",
        "repeated_trial",
        "Trial occurs twice",
        "A trial key occurs more than once for one model, or in several folds.",
        "Keys are sorted and compared.",
        "A trial that counts twice has twice the weight, and cannot be paired.",
        "Remove the repeats, or name the columns of datasets and runs that distinguish them.",
    ),
    _page(
        "TR607",
        "trials_differ",
        "Models have different trials",
        "Models do not have the same trials, or disagree about a label, cluster or group.",
        "Keys and columns of every model are compared with those of the first.",
        "Models can be compared only on the same trials.",
        "Add the missing rows, or set trials.missing to drop or reject.",
    ),
    _page(
        "TR608",
        "too_little_data",
        "Too little data",
        "A set has no rows, lacks a class, or is too small for what was asked.",
        "Trials and clusters are counted before anything is computed.",
        "A threshold cannot be chosen on a set that lacks a class.",
        "Add trials, use fewer folds, or choose another thresholds.policy.",
    ),
    _page(
        "TR609",
        "remote_failed",
        "Remote source failed",
        "A database or an object store did not deliver the trials.",
        "The answer of the server is shown, without credentials.",
        _STOPS,
        "Check address, credentials and network; a retry is always safe.",
    ),
    _page(
        "TR610",
        "history_unusable",
        "History cannot be used",
        "The store of runs, or a run in it, does not exist, is damaged or is ambiguous.",
        "Manifests and digests are checked when the store is read.",
        "Comparisons with earlier runs need it.",
        "Correct history.store or the run's name, or restore the run.",
    ),
]

_OUTPUT_ERRORS = [
    _page(
        "TR701",
        "not_replaced",
        "Target cannot be replaced",
        "The target is not empty and is not a report, holds inputs of the run, or exists already.",
        "A report folder is known by its manifest.",
        "What is there would be lost.",
        "Name another folder with -o, or empty this one.",
    ),
    _page(
        "TR702",
        "not_writable",
        "Cannot be written",
        "The system refuses to write the target.",
        "The answer of the system is shown.",
        "The last good report stays.",
        "Check permissions and the path.",
    ),
    _page(
        "TR703",
        "exhausted",
        "Machine exhausted",
        "The machine has no room, memory or open files left.",
        "The answer of the system is shown; the exit status is 3.",
        "The last good report stays, and nothing half written remains.",
        "Free some of it and run again.",
    ),
    _page(
        "TR704",
        "no_report",
        "Not a report",
        "The folder holds no report that can be verified.",
        "Its manifest is missing, or is not one of this program.",
        "There is nothing to compare with.",
        "Name the folder that `reporting run` printed.",
    ),
]

_PROGRAM_ERRORS = [
    _page(
        "TR901",
        "internal_error",
        "Internal error",
        "The program itself failed; the exit status is 3.",
        "An exception that no rule foresees ended the run.",
        "The last good report stays.",
        "Run again with -v and report the traceback.",
    ),
    _page(
        "TR902",
        "interrupted",
        "Interrupted",
        "The run was interrupted by a signal; the exit status is 130.",
        "SIGINT, SIGTERM or SIGHUP arrived.",
        "The last good report stays, and nothing half written remains.",
        "Run again.",
    ),
]

CODES = Contents(
    "code",
    [
        *_STATUSES,
        *_FLAGS,
        *_CAUTIONS,
        *_GATES,
        *_CONFIG_ERRORS,
        *_DATA_ERRORS,
        *_OUTPUT_ERRORS,
        *_PROGRAM_ERRORS,
    ],
)
"""By code, in the order of the numbers."""

_UNDEFINED = {code.name: code for code in _STATUSES}
_CAUTIONARY = {code.name: code for code in (*_FLAGS, *_CAUTIONS)}
