"""The fits on offer, and how their names are read."""

from __future__ import annotations

from reporting.contents import Contents, Parameter, parameter, word, word_or_number
from reporting.fits import gaussian, ordinal
from reporting.fits.fit import Fit

INTERVAL = word("interval", "delta", "bootstrap")
SHARE = word_or_number("prevalence", "sample", 0.0, 1.0)
MOMENTS = (parameter("ddof", 0.0, 0.0, 1.0, whole=True), word("transform", "none", "box_cox", "yeo_johnson"))


def _half() -> Parameter:
    """A share of one half unless said otherwise: classes of equal size."""
    return Parameter("prevalence", 0.5, 0.5, 0.0, 1.0, words=("sample",))


BINORMAL = Fit(
    key="binormal",
    parameters=(_half(), *MOMENTS, INTERVAL),
    label="binormal",
    name="binormal curve by means and variances",
    family="moments",
    estimate=gaussian.estimate,
    definition="a normal distribution in each class: TPR = Phi(a + b Phi^-1(FAR)); precision as if both"
    " classes were of equal size",
    source="Brodersen, Ong, Stephan, Buhmann 2010, doi:10.1109/ICPR.2010.1036",
)
ALPHA_BINORMAL = Fit(
    key="alpha_binormal",
    parameters=(SHARE, *MOMENTS, INTERVAL),
    label="α-binormal",
    name="binormal curve with the share of targets",
    family="moments",
    estimate=gaussian.estimate,
    definition="the binormal curve, and precision at the share of targets of the sample or a declared one",
    source="Brodersen, Ong, Stephan, Buhmann 2010, doi:10.1109/ICPR.2010.1036, eqs. (7), (8)",
)
BINORMAL_ORDINAL = Fit(
    key="binormal_ordinal",
    parameters=(SHARE, parameter("categories", 50.0, 3.0, 1000.0, whole=True), INTERVAL),
    label="binormal on ranks",
    name="semiparametric binormal curve",
    family="ranks",
    estimate=ordinal.estimate,
    definition="maximum likelihood on the order of the scores alone; the same for any increasing map of them",
    synonyms=("rocfit", "ROCFIT", "LABROC", "Dorfman-Alf", "conventional binormal model"),
    source="Dorfman, Alf 1969, doi:10.1016/0022-2496(69)90019-4; Metz, Herman, Shen 1998",
)

FITS = Contents("fit", [BINORMAL, ALPHA_BINORMAL, BINORMAL_ORDINAL])


def read_fit(text: str) -> Fit:
    """Read ``name`` or ``name(key=value,...)``; ConfigError otherwise."""
    return FITS.read(text)
