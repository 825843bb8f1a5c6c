"""The ready-to-run example: who votes for Dole? Three logit models of the American 1996 vote.

The data are the 944 respondents of the American National Election Study of 1996 that ship with
statsmodels (public domain). Every respondent is one trial, in exactly one of three parts: the models
are fitted on *train*; *dev* and *test* are scored, the score being the fitted log-odds of Dole.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]


MODELS: dict[str, tuple[str, ...]] = {
    "party": ("PID",),
    "issues": ("selfLR", "ClinLR", "DoleLR"),
    "everything": ("PID", "selfLR", "ClinLR", "DoleLR", "age", "educ", "income", "TVnews", "logpopul"),
}
"""The columns each model sees. Party identification and placements are ordered answers, taken as numbers."""

PARTS = {"train": 0.4, "dev": 0.3, "test": 0.3}
SEED = 1996

EDUCATION = (
    "grade school",
    "some high school",
    "high school",
    "some college",
    "college degree",
    "master's degree",
    "PhD",
)


def vote_trials() -> pl.DataFrame:
    """Return one row per model and respondent of both sets: model, split, trial, label, score, education."""
    # statsmodels takes a second to import, and only this function and the fit need it.
    from statsmodels.datasets import anes96

    table = anes96.load_pandas().data
    answers = {name: np.asarray(table[name], dtype=np.float64) for name in table.columns}
    for_dole = answers["vote"]
    part = _deal(len(for_dole))
    scored = part != "train"
    respondents = {
        "split": part[scored],
        "trial": [f"respondent {number:03d}" for number in np.flatnonzero(scored) + 1],
        "label": np.where(for_dole[scored] == 1, "Dole", "Clinton"),
    }
    education = [EDUCATION[int(level) - 1] for level in answers["educ"][scored]]
    return pl.concat(
        pl.DataFrame(
            {
                "model": [name] * len(education),
                **respondents,
                "score": _log_odds([answers[column] for column in columns], for_dole, part)[scored],
                "education": education,
            }
        )
        for name, columns in MODELS.items()
    )


def candidate_trials() -> pl.DataFrame:
    """Return the trials of two of the models, as those of one in use and of one that may replace it."""
    names = {"issues": "production", "everything": "candidate"}
    both = vote_trials().filter(pl.col("model").is_in(list(names)))
    return both.with_columns(pl.col("model").replace(names), label=pl.col("label") == "Dole")


def _deal(respondents: int) -> npt.NDArray[np.str_]:
    """Deal respondents to the parts at random, in fixed shares and by a fixed seed."""
    shares = np.cumsum(list(PARTS.values()))[:-1]
    ends = np.rint(shares * respondents).astype(int)
    shuffled = np.random.default_rng(SEED).permutation(respondents)
    part = np.empty(respondents, dtype="U5")
    for name, members in zip(PARTS, np.split(shuffled, ends), strict=True):
        part[members] = name
    return part


def _log_odds(columns: list[Floats], for_dole: Floats, part: npt.NDArray[np.str_]) -> Floats:
    """Fit a logit model on *train* and return everybody's log-odds of voting for Dole.

    Rounded to six decimals, so that the last bits of a linear algebra library do not reach the file.
    """
    from statsmodels.discrete.discrete_model import Logit

    seen = np.column_stack([np.ones_like(for_dole), *columns])
    train = part == "train"
    fit = Logit(for_dole[train], seen[train]).fit(disp=False)
    rounded: Floats = np.round(seen @ fit.params, 6)
    return rounded
