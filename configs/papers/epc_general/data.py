"""Trials for the paper on the Expected Performance Curve: an authentication task and a text task.

Two datasets in one table, three models in each. ``A`` separates the classes better than ``B``, but what its
scores mean drifts between dev and test, as happens to scores that nobody normalises; ``B`` does not drift.
``B2`` has the law of ``B``: the same model trained again. No seed was sought out: by its law A wins at the
break-even point of *authentication* and loses at the threshold that dev chooses, with nearly every seed.

*authentication* stands for the paper's speaker verification. Every score is d [target] + c / sqrt 2 +
e / sqrt 2 with c a standard normal of the trial that all models share and e one of their own, d = 2.6 for A
and 2.4 for B and B2; on test A's scores of both classes are 0.65 higher. Break-even errors are
Phi(-d / 2): 9.7 % and 11.5 %.

*text* stands for the paper's text categorisation: a category of 6 % of the documents. Words fall as 1 / (rank
+ 10); in the category log rates are moved by N(0, 0.5^2), a word's rate in a document is exponential about
its mean (words come in bursts) and lengths are log-normal. Naive Bayes weights are learnt on documents of
their own. A takes the mean weight of a document's words, from 4,000 documents; B the sum of the weights, from
2,000. Documents of test are three times as long: a mean comes nearer to its expectation, so that the
threshold that dev chooses for it is too strict.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

Floats = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Scored = tuple[Truths, dict[str, Floats]]
"""Which trials are targets, and the scores of every model."""

SEED = 2005
DECIMALS = 6

SEPARATION = {"A": 2.6, "B": 2.4, "B2": 2.4}
DRIFT = {"test": {"A": 0.65}}
SPEECH = {"dev": (600, 3000), "test": (1000, 5000)}
"""Targets and non-targets."""

WORDS = 300
TILT = 0.5
SPREAD = 0.5
"""Standard deviation of the logarithm of a document's length."""
SHARE = 0.06
TRAINING = {"A": 4000, "B": 2000, "B2": 2000}
DOCUMENTS = {"dev": (3000, 40.0), "test": (4000, 120.0)}
"""How many, and their median length in words."""


def trials() -> pl.DataFrame:
    """Return one row a model and trial: model, dataset, split, trial, label, score."""
    made = {"authentication": authentication(SEED), "text": text(SEED)}
    return pl.concat(
        pl.DataFrame(
            {
                "model": [model] * len(is_target),
                "dataset": [dataset] * len(is_target),
                "split": [split] * len(is_target),
                "trial": [f"{split} {number:05d}" for number in range(1, len(is_target) + 1)],
                "label": np.where(is_target, "target", "nontarget"),
                "score": np.round(score, DECIMALS),
            }
        )
        for dataset, splits in made.items()
        for split, (is_target, scores) in splits.items()
        for model, score in scores.items()
    )


def authentication(seed: int) -> dict[str, Scored]:
    """Return dev and test of the authentication task: normal scores, half their variance shared."""
    rng = np.random.default_rng([seed, 1])
    made = {}
    for split, (n_target, n_nontarget) in SPEECH.items():
        is_target = np.arange(n_target + n_nontarget) < n_target
        shared = rng.normal(size=len(is_target))
        drift = DRIFT.get(split, {})
        made[split] = (
            is_target,
            {
                model: d * is_target
                + (shared + rng.normal(size=len(is_target))) / np.sqrt(2)
                + drift.get(model, 0.0)
                for model, d in SEPARATION.items()
            },
        )
    return made


def text(seed: int) -> dict[str, Scored]:
    """Return dev and test of the text task: naive Bayes on simulated documents of a rare category."""
    rng = np.random.default_rng([seed, 2])
    common = 1 / (np.arange(WORDS) + 10.0)
    tilted = common * np.exp(rng.normal(0.0, TILT, WORDS))
    rates = common / common.sum(), tilted / tilted.sum()

    def written(number: int, length: float) -> tuple[Truths, Floats]:
        """Documents as counts of words, those of the category first."""
        of_category = np.arange(number) < round(SHARE * number)
        rate = np.where(of_category[:, None], rates[1], rates[0]) * rng.exponential(1.0, (number, WORDS))
        lengths = length * np.exp(rng.normal(0.0, SPREAD, number))
        return of_category, rng.poisson(rate * lengths[:, None]).astype(np.float64)

    length = DOCUMENTS["dev"][1]
    weights = {model: _weights(*written(number, length)) for model, number in TRAINING.items()}
    return {split: _scored(*written(*size), weights) for split, size in DOCUMENTS.items()}


def _weights(of_category: Truths, words: Floats) -> Floats:
    """Logarithm of a word's share in the category over that outside it, each count raised by one."""
    inside, outside = (words[of].sum(axis=0) + 1 for of in (of_category, ~of_category))
    return np.asarray(np.log(inside / inside.sum()) - np.log(outside / outside.sum()))


def _scored(of_category: Truths, words: Floats, weights: dict[str, Floats]) -> Scored:
    totals = {model: np.asarray((words * weight).sum(axis=1)) for model, weight in weights.items()}
    return of_category, totals | {"A": totals["A"] / np.maximum(words.sum(axis=1), 1)}
