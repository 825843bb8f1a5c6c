"""What a report says and how: a view of the results, its terms, its phrases, how values are printed."""

from reporting.wording.codes import P_METHODS
from reporting.wording.oriented import contrast, turned
from reporting.wording.phrases import CHOSEN, RESAMPLED, basis, level_text, listing, method_name, reason
from reporting.wording.printing import NARROW_SPACE, Printing
from reporting.wording.view import View, views

__all__ = [
    "CHOSEN",
    "NARROW_SPACE",
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
