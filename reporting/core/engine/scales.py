"""What a model's scores mean: its declared scale, and the maps fitted on development to likelihood ratios."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.base.codes import Status
from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.measures.measure import OF_PROBABILITIES, RATIOS, Measure, Scale
from reporting.core.stats import calibration as maps
from reporting.core.stats.calibration import AffineMap, StepMap
from reporting.core.stats.special import expit

CALIBRATIONS = ("affine", "pav")

MOST_STEPS = 16
"""Neighbouring floats that a score scale may merge into one likelihood ratio near the wanted one."""

UNSCALED: dict[str, Status] = {
    "llr": "not_calibrated_scale",
    "probability": "not_probability",
    "log_odds": "not_probability",
}
OF_OTHERS = {"llr": ("probability", "logit")} | dict.fromkeys(OF_PROBABILITIES, RATIOS)
"""Scales that a declared share of targets turns into what a measure needs."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """One model's scale, the declared share of targets, and the dev set that fits calibration maps."""

    scale: Scale
    prevalence: float | None
    dev: Cuts | None
    negated: bool = False
    """Whether the scores counted are the table's with the other sign."""

    @cached_property
    def _maps(self) -> dict[str, AffineMap | StepMap | None]:
        if self.dev is None:
            return dict.fromkeys(CALIBRATIONS)
        counted = self.dev.score, self.dev.n_target, self.dev.n_nontarget
        return {"affine": maps.fit_affine(*counted), "pav": maps.fit_pav(*counted)}

    def llr(self, score: FloatArray, calibration: str = "none") -> FloatArray | None:
        """Return scores as natural-log likelihood ratios; None where they are none and no map fits."""
        if calibration == "none":
            return maps.to_llr(score, self.scale, self.prevalence)
        fitted = self._maps[calibration]
        return None if fitted is None else fitted.apply(score)

    def probability(self, score: FloatArray, calibration: str = "none") -> FloatArray | None:
        """Return scores as probabilities of the target; a map takes the declared share, or development's."""
        if calibration == "none":
            return maps.to_probability(score, self.scale, self.prevalence)
        odds = self.log_odds(score, calibration)
        return None if odds is None else np.asarray(expit(odds))

    def log_odds(self, score: FloatArray, calibration: str = "none") -> FloatArray | None:
        """Return the log odds of ``probability``."""
        if calibration == "none":
            return maps.to_log_odds(score, self.scale, self.prevalence)
        llr = self.llr(score, calibration)
        share = self.share_of_dev if self.prevalence is None else self.prevalence
        return None if llr is None or share is None else np.asarray(llr + maps.prior_log_odds(share))

    @property
    def share_of_dev(self) -> float | None:
        """The share of targets among the trials that fit the maps."""
        if self.dev is None or not all(self.dev.totals):
            return None
        n_target, n_nontarget = self.dev.totals
        return n_target / (n_target + n_nontarget)

    def scores_for(self, measure: Measure, score: FloatArray) -> FloatArray | None:
        """Return scores on the scale that a measure of the scores needs; None where there is none."""
        if measure.needs == "probability":
            return self.probability(score, measure.calibration)
        if measure.needs == "log_odds":
            return self.log_odds(score, measure.calibration)
        if measure.needs == "llr" or measure.calibration != "none":
            return self.llr(score, measure.calibration)
        return self.of_table(score) if measure.of_grades else score

    def of_table(self, score: FloatArray) -> FloatArray:
        """Return scores, or thresholds, that are counted as those of the table, and back."""
        return -score if self.negated else score

    def why_not(self, measure: Measure) -> Status:
        """Say why ``scores_for`` has nothing: no scale, no share of targets, or no map that fits."""
        if measure.calibration == "none":
            lacks_share = self.prevalence is None and self.scale in OF_OTHERS[measure.needs]
            return "no_prevalence" if lacks_share else UNSCALED[measure.needs]
        return "no_dev" if self.dev is None else "degenerate"

    def threshold_of_llr(self, llr: FloatArray) -> FloatArray | None:
        """Return the thresholds on the model's own scale that have these likelihood ratios."""
        if self.scale == "llr":
            return llr
        if self.scale == "log10_llr":
            return self._least_reaching(llr, np.asarray(llr / np.log(10.0)))
        if self.scale == "score" or self.prevalence is None:
            return None
        odds = llr + maps.prior_log_odds(self.prevalence)
        return self._least_reaching(llr, np.asarray(expit(odds) if self.scale == "probability" else odds))

    def _least_reaching(self, llr: FloatArray, guess: FloatArray) -> FloatArray:
        """Move guesses by a few last bits to the least scores that are no smaller as likelihood ratios."""
        placed = np.where(np.isfinite(llr), guess, llr)

        def reaches(score: FloatArray) -> BoolArray:
            llrs = maps.to_llr(score, self.scale, self.prevalence)
            return np.asarray(llrs >= llr) if llrs is not None else np.ones(len(score), dtype=bool)

        for _ in range(MOST_STEPS):
            below = np.nextafter(placed, -np.inf)
            placed = np.where(np.isfinite(llr) & reaches(below), below, placed)
        for _ in range(MOST_STEPS):
            short = np.isfinite(llr) & ~reaches(placed)
            placed = np.where(short, np.nextafter(placed, np.inf), placed)
        return placed
