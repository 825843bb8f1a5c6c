"""How many tables are simulated: so many, or as many as some minutes allow."""

from __future__ import annotations

import math
import time

import numpy as np
import polars as pl

from reporting.document.frames.judged import JudgedRun
from reporting.errors import ConfigError
from reporting.features.passport.frame import PASSPORT, exchanged, rows_of, with_remedies
from reporting.features.passport.keys import FEWEST, MOST, PASSPORT_KEY, USUAL
from reporting.features.passport.simulate import BLOCK, simulated, simulation_of


def passport_frame(run: JudgedRun, simulations: int | None, minutes: float | None) -> pl.DataFrame:
    """Return the passport of a run; what is tried for broken promises comes on top of the minutes."""
    if simulations is not None and minutes is not None:
        raise ConfigError("passport: give --simulations or --minutes, not both")
    if simulations is not None and not FEWEST <= simulations <= MOST:
        raise ConfigError(f"passport: --simulations must be {FEWEST} to {MOST:,}, found {simulations}")
    if minutes is not None and not (math.isfinite(minutes) and minutes > 0):
        raise ConfigError(f"passport: --minutes must be above 0, found {minutes:g}")
    start = time.monotonic()
    simulation, observed = simulation_of(run.counts, run.study, run.pool, run.cache, "passport")
    number = simulations or PASSPORT_KEY.of(run.study) or USUAL
    if minutes is not None:
        number = FEWEST
    own = simulated(simulation, 0, number, run.pool, run.cache)
    if minutes is not None:
        # The clock decides how many blocks there are, and nothing in them.
        shared = 2 if simulation.world.exchangeable else 1
        while (passed := time.monotonic() - start) < 60 * minutes / shared * len(own) / (len(own) + BLOCK):
            if len(own) >= MOST or passed <= 0:
                break
            # To the end of a block, so that a number of tables has the same blocks.
            end = len(own) + BLOCK - len(own) % BLOCK
            more = simulated(simulation, len(own), end, run.pool, run.cache)
            own = np.concatenate([own, more])
    null = exchanged(simulation, len(own), run) if simulation.world.exchangeable else None
    rows = rows_of(simulation, observed, own, null, run.study.inference.margin)
    return PASSPORT.build(with_remedies(rows, simulation, run))
