"""SciPy's special functions, imported when one is first called.

A config, the catalogue of measures and a check of trials name formulas that take them, and call none; their
import takes as long as that of all of NumPy.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.special import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return partial(_call, name)


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return _function(name)(*args, **kwargs)


@cache
def _function(name: str) -> Any:
    from scipy import special

    return getattr(special, name)
