"""Each analysis of an audit once more by pROC, statsmodels and multcomp, from its trials alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from command import reporting
from in_r import printed_by_r
from statsmodels.api import OLS

MODELS = ("a", "b", "c", "d")
SPEAKERS, EACH = 40, 12


def trials() -> pl.DataFrame:
    """Four models of different strength on trials of speakers that are alike, from two sources."""
    draw = np.random.default_rng(5)
    n = SPEAKERS * EACH
    speaker, label = np.repeat(np.arange(SPEAKERS), EACH), np.tile([1, 0], n // 2)
    common = draw.normal(size=n) + draw.normal(0, 0.7, SPEAKERS)[speaker]
    scores = {
        model: np.where(label, 1.9, 0.25 * at) + common + draw.normal(0, 0.5 + 0.2 * at, n)
        for at, model in enumerate(MODELS)
    }
    columns = {"trial": np.arange(n), "label": label, "speaker": speaker, "source": np.arange(n) // 3 % 2}
    return pl.DataFrame(columns | {model: score.round(1) for model, score in scores.items()})


def audited(folder: Path, table: pl.DataFrame, primary: str, *more: str) -> list[dict[str, Any]]:
    """Return the analyses of these trials, in long form."""
    index = ["trial", "label", "speaker", "source"]
    long = table.unpivot(list(MODELS), index=index, variable_name="model", value_name="score")
    long.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(
        f"trials: {{source: trials.parquet}}\nprimary: {primary}\nsignificance: {{replicates: 4999}}\n"
    )
    ended = reporting("audit", folder / "report.yaml", "--json", *more)
    assert ended.returncode == 0, ended.stderr
    (audit,) = json.loads(ended.stdout)
    return audit["analyses"]  # type: ignore[no-any-return]


TUKEY = """
suppressMessages({library(pROC); library(multcomp)})
tukey <- function(value, covariance, df) {
  names(value) <- c("a", "b", "c", "d")
  dimnames(covariance) <- list(names(value), names(value))
  pairs <- glht(parm(value, covariance, df=df), contrMat(rep(1, 4), "Tukey"))
  set.seed(1)
  limits <- confint(pairs, level=0.95)$confint
  p <- function(how) summary(pairs, test=adjusted(how))$test$pvalues
  cat(sprintf("%.10g", c(value, limits[, "lwr"], limits[, "upr"], p("free"), p("single-step"))), "\\n")
}
"""
PAIRS = [(first, second) for first in range(4) for second in range(first + 1, 4)]
"""Pairs as ``contrMat`` has them, each the second less the first."""


def is_that_of_r(analysis: dict[str, Any], text: str, *, higher_is_better: bool) -> None:
    """Values are equal, limits and p within what 4,999 resamples err by, and the order follows from p.

    multcomp steps down one direction of every pair; here the other direction of a pair that is decided stays
    in the family, so that p is between its step-down and its single-step one.
    """
    values, low, high, *p = np.split(np.array(text.split(), dtype=float), [4, 10, 16, 22])
    sign = -1 if higher_is_better else 1
    order = sorted(range(4), key=lambda model: sign * values[model])
    rows = {row["model"]: row for row in analysis["models"]}
    assert [row["model"] for row in analysis["models"]] == [MODELS[model] for model in order]
    assert [rows[model]["value"] for model in MODELS] == pytest.approx(values, abs=1e-9)
    lead = [analysis["lead"][end] for end in ("value", "low", "high")]
    pair = _pair(*order[:2])
    theirs = sorted(sign * end * (1 if order[0] < order[1] else -1) for end in (low[pair], high[pair]))
    assert lead == pytest.approx([np.mean(theirs), *theirs], abs=0.05 * (theirs[1] - theirs[0]))
    for at, model in enumerate(order):
        row = rows[MODELS[model]]
        ahead, behind = (
            [_pair(model, other) for other in others] for others in (order[:at], order[at + 1 :])
        )
        least, most = (min((float(of[pair]) for pair in ahead), default=1.0) for of in p)
        assert 0.8 * least <= row["p_separated"] <= 1.2 * most + 1 / 5000
        better, surely_better = (sum(of[pair] <= 0.05 for pair in ahead) for of in p)
        worse, surely_worse = (sum(of[pair] <= 0.05 for pair in behind) for of in p)
        assert 1 + surely_better <= row["rank_low"] <= 1 + better
        assert 4 - worse <= row["rank_high"] <= 4 - surely_worse


def _pair(first: int, second: int) -> int:
    return PAIRS.index((min(first, second), max(first, second)))


def test_areas_are_those_of_proc(tmp_path: Path) -> None:
    """DeLong's covariance of all areas, whole and without each source, then multcomp's max-t."""
    table = trials()
    every = audited(tmp_path, table, "{measure: auc}", "--without", "source")
    assert [each["left_out"] for each in every] == [None, ["source", "0"], ["source", "1"]]
    for at, analysis in enumerate(every):
        kept = table if at == 0 else table.filter(pl.col("source") != int(analysis["left_out"][1]))
        df = int(kept["label"].sum()) - 1
        program = TUKEY + (
            "d <- read.csv(file('stdin'));"
            "r <- lapply(c('a','b','c','d'), function(m) roc(d$label, d[[m]], direction='<', quiet=TRUE));"
            "v <- sapply(r, function(x) sapply(r, function(y) cov(x, y)));"
            f"tukey(sapply(r, function(x) as.numeric(auc(x))), v, {df})"
        )
        text = printed_by_r(program, "multcomp", kept.write_csv())
        is_that_of_r(analysis, text, higher_is_better=True)


def test_rates_by_speaker_are_those_of_statsmodels(tmp_path: Path) -> None:
    """Non-targets at least .5: one linear model of all four, clustered by speaker, then multcomp's max-t."""
    table = trials()
    every = audited(tmp_path, table, "{measure: far, criterion: fixed(threshold=0.5)}", "--unit", "speaker")
    assert [each["unit"] for each in every] == ["trial", "speaker"]
    negative = table.filter(label=0)
    accepted = np.concatenate([negative[model].to_numpy() >= 0.5 for model in MODELS]).astype(float)
    design = np.kron(np.eye(4), np.ones((len(negative), 1)))
    for analysis in every:
        groups = np.tile(negative["speaker" if analysis["unit"] == "speaker" else "trial"].to_numpy(), 4)
        fit = OLS(accepted, design).fit(cov_type="cluster", cov_kwds={"groups": groups})
        values, covariance = (",".join(map(str, of)) for of in (fit.params, fit.cov_params().ravel()))
        df = len(np.unique(groups)) - 1
        text = printed_by_r(TUKEY + f"tukey(c({values}), matrix(c({covariance}), 4), {df})", "multcomp")
        is_that_of_r(analysis, text, higher_is_better=False)
