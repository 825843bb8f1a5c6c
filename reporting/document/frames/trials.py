"""The frame ``trials`` as a contract: what was counted."""

from __future__ import annotations

from typing import Annotated

from reporting.base.records import dataclass, field
from reporting.document.frames.contract import KEY, Frame, GroupColumns, GroupValues, KeyRow


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialsRow(KeyRow):
    """A row of ``trials``."""

    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]
    n_unlabelled: Annotated[
        int | None,
        "rows without a label; null of a group of counts, where some row of the set lacks its label or score",
    ]
    n_missing: Annotated[int | None, "rows without a score; null likewise"]
    n_infinite: Annotated[int | None, "rows with an infinite score; null likewise"]
    rows_read: Annotated[int | None, "rows read from the table; null likewise"]
    rows_dropped: Annotated[int | None, "rows read that are not trials here; null likewise"]
    n_clusters: Annotated[int | None, "distinct clusters; null without a cluster column"] = None
    effective_clusters: Annotated[
        float | None, "clusters of equal size that are worth as much, of the class with fewer; null of pairs"
    ] = None
    largest_cluster: Annotated[
        float | None, "share of the trials of that class in its largest cluster; null of pairs"
    ] = None
    shared_clusters: Annotated[
        int | None,
        "of a test set, clusters that its development set has too; null without both, and of two populations",
    ] = None
    n_strata: Annotated[int | None, "strata of the sampling design in the whole set; null without any"] = None
    least_stratum: Annotated[
        int | None,
        "clusters, or trials without a cluster column, of the stratum that has fewest; null likewise",
    ] = None
    prevalence: Annotated[float | None, "share of targets, from 0 to 1; null without trials"] = None
    n_distinct: Annotated[int, "distinct scores"]
    n_missing_target: Annotated[
        int | None,
        "rows of targets without a score; null likewise, and in files of counts of earlier versions",
    ] = None
    n_missing_nontarget: Annotated[
        int | None, "those of non-targets; null in files of counts of earlier versions"
    ] = None
    effective_target: Annotated[
        float | None, "targets of one weight that are worth as much (Kish); null where all weigh the same"
    ] = None
    effective_nontarget: Annotated[float | None, "the same of non-targets"] = None
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)


TRIALS = Frame("trials", TrialsRow, KEY)
