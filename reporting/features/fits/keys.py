"""The key ``fits``: smooth curves by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from reporting.core.engine.curves import Fit
from reporting.document.keys import DISTINCT, QuestionKey, names_of, reader_of
from reporting.features.fits.catalogue import FITS, read_fit

FitName = Annotated[
    Fit, PlainValidator(reader_of(read_fit)), PlainSerializer(str), WithJsonSchema(names_of(FITS))
]
KEYS = (
    QuestionKey[tuple[Fit, ...]](
        name="fits",
        after="significance",
        kind=Annotated[tuple[FitName, ...], DISTINCT],
        default=(),
        description="smooth curves to fit; quote a name with parameters",
        extend=lambda _, study, fits, declare: replace(study, fits=tuple(dict.fromkeys(map(declare, fits)))),
        serves_strata=True,
    ),
)
