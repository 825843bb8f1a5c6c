"""The points of curves, exact between the corners that counts give.

- ``roc``: counts between two corners, and what is drawn of them.
- ``epc``: thresholds along the weight of an error, and what they do on test.
- ``scores``: curves of the scores themselves.
"""

from reporting.core.curves.roc import Accepted, counts_between

__all__ = [
    "Accepted",
    "counts_between",
]
