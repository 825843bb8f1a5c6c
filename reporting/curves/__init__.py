"""The points of curves, exact between the corners that counts give."""

from reporting.curves.roc import Accepted, counts_between

__all__ = [
    "Accepted",
    "counts_between",
]
