"""The name of a fit in a config."""

from __future__ import annotations

from typing import Annotated

from pydantic import (
    PlainSerializer,
    PlainValidator,
    WithJsonSchema,
)

from reporting.core.engine.fit import Fit
from reporting.document.keys import names_of, reader_of
from reporting.features.fits.catalogue import FITS, read_fit

FitName = Annotated[
    Fit, PlainValidator(reader_of(read_fit)), PlainSerializer(str), WithJsonSchema(names_of(FITS))
]
