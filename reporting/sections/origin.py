"""Where scores that are not exact come from, and what may be asked of them."""

from __future__ import annotations

from reporting.errors import listed
from reporting.frames.bundled import Origin
from reporting.report import numbers

SUPPORTS = {
    "trials": "They hold which scores of the models belong to one trial: all measures, intervals and"
    " comparisons can be computed",
    "clusters": "They hold sums over clusters, not which scores of two models belong to one trial: all"
    " measures, intervals, and comparisons by clusters can be computed; the design effect of a comparison,"
    " the caution about few trials that are decided differently, and tests that pair trials cannot",
    "none": "They hold every model by itself: all measures and intervals can be computed, comparisons cannot",
}


def flooring(origin: Origin) -> str:
    """Say to how many bits scores were floored, and how far an area may have moved; no full stop."""
    said = f"Scores were floored to {origin.bits} of their 64 bits, so that some of them are tied"
    if origin.bound is None:
        return said
    bound = numbers.significant(origin.bound, 2)
    return (
        f"{said}; an AUC is within about {bound} of that of the exact scores (the largest bound over models)"
    )


def origin_sentences(origin: Origin | None) -> list[str]:
    """Say where scores come from, in sentences without their stop, how they were floored first."""
    if origin is None:
        return []
    said = [flooring(origin)]
    if origin.bundles:
        n = len(origin.bundles)
        files = f"{n} bundles of counts" if n > 1 else "a bundle of counts"
        said += [f"The numbers come from {files} ({listed(origin.bundles)}), not from scores"]
        said += [SUPPORTS[origin.pairing]]
    if origin.names == "digests":
        said += ["Clusters are known by digests of their names"]
    return said
