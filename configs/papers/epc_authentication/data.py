"""Two simulated speaker verification systems of which DET and EPC choose different ones.

They stand in for models A and B of Bengio and Mariethoz (2004), whose scores were not published. In a class
scores are normal with variance 1 and mean 0 for false claims, d for true ones: d = 2.7 for A and 2.45 for B.
On test the scores of A are 0.7 higher, of both classes alike, as where a system without score normalisation
hears another telephone network; those of B are not. So A separates the classes better on dev and on test,
but its threshold does not carry over. In the law the equal-error and the min-HTER cut of dev are both
d / 2, and with P the normal distribution function, s = 0.7 for A and 0 for B,

    HTER a posteriori = P(-d / 2): .0885 of A, .1103 of B;
    HTER a priori = [P(-d / 2 + s) + P(-d / 2 - s)] / 2: .1390 of A, .1103 of B.

Either gap is three to four standard errors wide at these sizes: both orders come of the law, not of the seed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]

SEPARATION = {"A": 2.7, "B": 2.45}
"""d: how far the means of the two classes lie apart, in standard deviations of a class."""
SHIFT = {"A": 0.7, "B": 0.0}
"""How much higher the scores are on test than on dev."""

CLIENTS, TRUE_CLAIMS, FALSE_CLAIMS = 120, 10, 100
"""Clients of a split, no client in both; claims made of each client."""

OF_CLIENT = 0.09
"""Share of the variance that is the client's own, drawn for true and for false claims separately."""
OF_CLAIM = 0.455
"""Share that is the claim's own and reaches both systems; what is left is that of a system and claim."""

SEED = 2004


def trials(seed: int = SEED) -> pl.DataFrame:
    """Return one row a system and claim: model, split, trial, label, score, client."""
    rng = np.random.default_rng(seed)
    return pl.concat(_split(split, rng) for split in ("dev", "test"))


def _split(split: str, rng: np.random.Generator) -> pl.DataFrame:
    """One split: claims client by client, the true ones first, heard by both systems."""
    claims = TRUE_CLAIMS + FALSE_CLAIMS
    true = np.tile(np.arange(claims) < TRUE_CLAIMS, CLIENTS)
    client = np.repeat(np.arange(CLIENTS), claims)
    names = [f"{split} {number + 1:03d}" for number in range(CLIENTS)]
    said = {
        "trial": [f"{names[one]}, claim {at % claims + 1:03d}" for at, one in enumerate(client)],
        "label": np.where(true, "target", "nontarget"),
        "client": [names[one] for one in client],
    }
    of_client = rng.standard_normal((2, CLIENTS))[true.astype(int), client]
    common = np.sqrt(OF_CLIENT) * of_client + np.sqrt(OF_CLAIM) * rng.standard_normal(len(true))
    return pl.concat(
        pl.DataFrame(
            {"model": model, "split": split, "score": _scores(model, split, true, common, rng)} | said
        )
        for model in SEPARATION
    ).select("model", "split", "trial", "label", "score", "client")


def _scores(
    model: str, split: str, true: npt.NDArray[np.bool_], common: Floats, rng: np.random.Generator
) -> Floats:
    """Scores of one system, to six decimals: the last bits of a library do not reach the file."""
    own = np.sqrt(1 - OF_CLIENT - OF_CLAIM) * rng.standard_normal(len(true))
    shift = SHIFT[model] if split == "test" else 0.0
    rounded: Floats = np.round(SEPARATION[model] * true + shift + common + own, 6)
    return rounded
