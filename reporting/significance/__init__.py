"""Replicates and tests: streams of random numbers, p-values of a family."""

from reporting.significance.draws import stream
from reporting.significance.paired import adjust

__all__ = [
    "adjust",
    "stream",
]
