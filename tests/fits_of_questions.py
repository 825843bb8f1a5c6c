"""Every fit that a question brings, by name; none where the question is taken away."""

from typing import Any

from reporting.base.extensions import imported
from reporting.features.catalogue import FEATURES

FITS: dict[str, Any] = {
    name: fit for feature in FEATURES.values() if feature.fits for name, fit in imported(feature.fits).items()
}
