"""Counts of two models' decisions: the table T2 of the methods, and any others."""

from __future__ import annotations

from hypothesis import strategies as st

from reporting.core.stats.paired import Discordant

T2 = Discordant(
    nontarget_10=16, nontarget_01=34, target_10=8, target_01=26, n_target=200, n_nontarget=800,
    nontarget_00=732, target_00=16,
)  # fmt: skip


def counts():
    return st.tuples(*[st.integers(0, 9)] * 8).filter(lambda c: sum(c[:4]) > 0 and sum(c[4:]) > 0)


def discordant(c):
    return Discordant(
        nontarget_10=c[1], nontarget_01=c[2], target_10=c[5], target_01=c[6], n_target=sum(c[4:]),
        n_nontarget=sum(c[:4]), nontarget_00=c[0], target_00=c[4],
    )  # fmt: skip
