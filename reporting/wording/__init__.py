"""What a report says and how.

- ``view``: the results of one dataset and run, as rows, names, terms and printings.
- ``terms``: the words of a field, by vocabulary.
- ``printing``: how a measure is printed: unit and digits.
- ``phrases``, ``history_phrases``, ``oriented``: what several sections say; a comparison from either side.
- ``decisions``: what is decided of every model, the p that decides, an interval that agrees.
- ``tables``: the table builder.
- ``codes``: a sentence for every status, flag and method.
"""

from reporting.wording.codes import P_METHODS
from reporting.wording.oriented import contrast, turned
from reporting.wording.phrases import CHOSEN, RESAMPLED, basis, level_text, listing, method_name, reason
from reporting.wording.printing import Printing
from reporting.wording.view import View, views

__all__ = [
    "CHOSEN",
    "P_METHODS",
    "RESAMPLED",
    "Printing",
    "View",
    "basis",
    "contrast",
    "level_text",
    "listing",
    "method_name",
    "reason",
    "turned",
    "views",
]
