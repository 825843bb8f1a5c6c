"""Where scores come from: flooring, what their counts can show, noise; the line that goes with numbers."""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.frames.results import Results
from reporting.document.words.codes import CORRECTIONS
from reporting.document.words.phrases import level_text, units
from reporting.document.words.terms import Terms, terms
from reporting.errors import listed
from reporting.inputs.bundle import Added, Origin

SUPPORTS = {
    "trials": "They link the scores of one trial across models: all measures, intervals and"
    " comparisons can be computed",
    "clusters": "They hold sums over clusters and do not link the scores of one trial across models: all"
    " measures, intervals, and comparisons by clusters can be computed; the design effect of a comparison,"
    " the caution about few discordant trials, and tests that pair trials cannot",
    "blocks": "They hold sums over blocks of trials and do not link the scores of one trial across models:"
    " all measures, intervals, and comparisons by blocks can be computed; joint decisions of two models, and"
    " tests that pair trials, cannot",
    "none": "They hold every model separately: all measures and intervals can be computed, comparisons"
    " cannot",
}


def flooring(origin: Origin) -> str:
    """Return to how many bits scores were floored, and how far an area may have moved; no full stop."""
    statement = f"Scores were floored to {origin.bits} of their 64 bits, so that some of them are tied"
    if origin.least is not None:
        statement += (
            f", and merged with neighbouring scores until no count of a file was below {origin.least}"
        )
    if origin.noise is not None:
        statement += f", and counted in {origin.noise.bins} equal bins"
    if origin.bound is None:
        return statement
    bound = numbers.significant(origin.bound, 2)
    return (
        f"{statement}; an AUC is within about {bound} of that of the exact scores"
        " (the largest bound over models)"
    )


def noise_sentences(added: Added, spoken: Terms) -> list[str]:
    """Return what noise on the counts does, in sentences without a full stop."""
    epsilons = listed(f"{epsilon:g}" for epsilon in added.epsilons)
    return [
        spoken.say(sentence)
        for sentence in (
            f"Every count carries random noise (differential privacy, epsilon {epsilons} per score). Its"
            f" standard deviation is {numbers.significant(added.of_trials, 2)} for the number of targets or"
            f" of non-targets, and at most {numbers.percent(added.of_rate, 2)} percentage points for FAR and"
            " FRR on the test set",
            "CIs of rates at a given threshold, of their weighted sums and of the AUC include the noise;"
            " other values have no CI, and models are not compared",
        )
    ]


def origin_sentences(origin: Origin | None, spoken: Terms) -> list[str]:
    """Return where scores come from, in sentences without a full stop; the first is on flooring."""
    if origin is None:
        return []
    statements = [flooring(origin)]
    if origin.bundles:
        n = len(origin.bundles)
        files = f"{n} bundles of counts" if n > 1 else "a bundle of counts"
        statements += [f"The numbers come from {files} ({listed(origin.bundles)}), not from scores"]
        statements += [] if origin.noise else [spoken.say(SUPPORTS[origin.pairing])]
    if origin.noise is not None:
        statements += noise_sentences(origin.noise, spoken)
    if origin.names == "digests":
        statements += ["Clusters are known by digests of their names"]
    return statements


def signature(results: Results) -> str:
    """Return the line that travels with every number of the report."""
    primary, inference = results.study.primary, results.study.inference
    spoken = terms(results.study.vocabulary)
    at = f" at {spoken.criterion(primary.criterion)}" if primary.measure.over == "threshold" else ""
    return results.provenance.signature(
        f"{spoken.measure(primary.measure)}{at}",
        f"{numbers.count(inference.replicates)} resamples of {units(results)}",
        f"{level_text(inference.level)} confidence",
        "unadjusted" if inference.correction == "none" else CORRECTIONS[inference.correction].name,
    )
