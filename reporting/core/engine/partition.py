"""The trials of one split by the values of some columns: groups, attacks, or what a mean is over."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.counts.ranks import Ranks, crossed
from reporting.core.measures.measure import Measure
from reporting.core.resampling.bootstrap import Replicates
from reporting.core.resampling.units import Units
from reporting.errors import ConfigError
from reporting.inputs.spec import ATTEMPT, SPOOF, OneClass

MOST_GROUPS = 500
MOST_CONTRASTED = 16
"""The most groups of a breakdown that are compared."""


@dataclass(frozen=True, eq=False)
class Partition:
    """The combinations of values that occur, in their order, with the trials that have each: P members.

    ``code`` is the member of every trial (shape (N,)), -1 where no column describes it. Where a column
    describes one class, members are those of its trials, each with all trials of the other class that have
    its values of the other columns: they overlap.
    """

    columns: tuple[str, ...]
    values: list[tuple[str, ...]]
    code: IntArray
    members: list[IntArray]
    """The trials of every member, by their indices."""

    @classmethod
    def of(
        cls,
        ranks: Ranks,
        columns: tuple[str, ...],
        one_class: Mapping[str, OneClass] | None = None,
        key: str = "",
    ) -> Partition:
        """Return the members that have trials; ConfigError of a ``key`` of the config that makes too many."""
        described = np.flatnonzero(_described(ranks, next(iter((one_class or {}).values()), None)))
        code = np.full(ranks.n_trials, -1, dtype=np.int64)
        code[described], values = crossed([ranks.attributes[column].of(described) for column in columns])
        if key and len(values) > MOST_GROUPS:
            raise ConfigError(
                f"{key}: {' and '.join(map(repr, columns))} would make {len(values)} groups;"
                f" at most {MOST_GROUPS} are {'shown' if key == 'by' else 'compared'}"
            )
        if one_class:
            members = [members_of(ranks, columns, each, one_class) for each in values]
        else:
            order = np.argsort(code, kind="stable")
            bounds = np.searchsorted(code[order], np.arange(len(values) + 1))
            members = [order[low:high] for low, high in itertools.pairwise(bounds)]
        return cls(columns, values, code, members)

    @property
    def n(self) -> int:
        """Number of members."""
        return len(self.values)

    @property
    def names(self) -> list[str]:
        """The names of the members, as in breakdowns."""
        return [group_name(self.columns, values) for values in self.values]

    def rest(self, member: int) -> IntArray:
        """Return the trials outside a member, by their indices."""
        return np.flatnonzero(self.code != member)

    def shared(self, units: Units) -> BoolArray:
        """Return which two members share units, shape (P, P); of pair trials any may."""
        if units.ends is not None:
            return np.ones((self.n, self.n), dtype=bool)
        ones, at = np.ones(len(self.code), dtype=np.int64), (units.of_trial, self.code)
        held = sparse.coo_array((ones, at), shape=(units.n_own, self.n)).tocsr()
        return np.asarray((held.T @ held).todense() > 0)

    def cells(self, accepted: BoolArray) -> IntArray:
        """Return the cell of every trial: of each member those rejected, then those accepted."""
        return 2 * self.code + accepted

    def counts(self, accepted: BoolArray, label: BoolArray, weight: IntArray | None) -> Replicates:
        """Return the errors of all members (shape (1, P)) with the trials of their classes (shape (1, P))."""
        cell, by_class = self.cells(accepted), []
        for of in (label, ~label):
            weights = None if weight is None else weight[of].astype(np.float64)  # below 2^53: exact
            by_class.append(np.bincount(cell[of], weights, 2 * self.n).astype(np.int64)[None])
        return errors_of_cells(*by_class)


def errors_of_cells(target: IntArray, nontarget: IntArray) -> Replicates:
    """Return the errors of every member; of cells (shape (M, 2 P)) each has rejected, accepted."""
    n_target, n_nontarget = (each[:, 0::2] + each[:, 1::2] for each in (target, nontarget))
    return Replicates(target[:, 0::2], nontarget[:, 1::2], n_target, n_nontarget, redrawn=False)


def finite_values(counts: Replicates, measure: Measure) -> FloatArray:
    """Return a measure of every member, shape (M, P); NaN where it is undefined."""
    values = counts.values(measure).astype(np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def group_name(columns: tuple[str, ...], values: tuple[str, ...]) -> str:
    """Name a group: ``channel=G,gender=f``, columns in text order.

    Commas, equals signs and backslashes of theirs get a backslash.
    """
    plain = [[re.sub(r"([\\,=])", r"\\\1", text) for text in pair] for pair in in_order(columns, values)]
    return ",".join(f"{column}={value}" for column, value in plain)


def in_order(columns: tuple[str, ...], values: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return columns with their values, in text order."""
    return sorted(zip(columns, values, strict=True))


def members_of(
    ranks: Ranks,
    columns: tuple[str, ...],
    values: tuple[str, ...],
    one_class: Mapping[str, OneClass] | None = None,
) -> IntArray:
    """Return the indices of the trials that have these values, where the columns describe them."""
    inside = np.ones(ranks.n_trials, dtype=bool)
    for column, value in zip(columns, values, strict=True):
        attribute = ranks.attributes[column]
        at = attribute.values.index(value) if value in attribute.values else len(attribute.values)
        of = (one_class or {}).get(column)
        has_value = _described(ranks, of) & (attribute.code == at)
        inside &= has_value if of is None else has_value | (ranks.label != (of == "target"))
    return np.flatnonzero(inside)


def _described(ranks: Ranks, one_class: OneClass | None) -> BoolArray:
    """Return which trials a column describes: all, those of one class, or the spoofs among non-targets."""
    if one_class is None:
        return np.ones(ranks.n_trials, dtype=bool)
    if one_class == "spoof":
        return spoofs_of(ranks)
    return ranks.label if one_class == "target" else ~ranks.label


def spoofs_of(ranks: Ranks) -> BoolArray:
    """Return which trials are spoofs, by their labels; none where these know no third kind."""
    attempts = ranks.attributes.get(ATTEMPT)
    if attempts is None:
        return np.zeros(ranks.n_trials, dtype=bool)
    is_spoof = np.array([value == SPOOF for value in attempts.values], dtype=bool)
    return np.asarray(is_spoof[attempts.code])
