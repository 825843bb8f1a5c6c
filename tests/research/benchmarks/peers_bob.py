"""What bob.measure says of tables. It is run by an interpreter that has bob.measure, JSON in and out.

Standard input: a list of tables, each with its score, label, probability and thresholds, as lists. Standard
output: for every table its values by function, each a list; a function that raises gives its exception's name.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import bob.measure as bob
import numpy as np

COSTS = (0.1, 0.25, 0.5, 0.75, 0.9)
ALPHAS = 11


def main() -> None:
    tables = [{name: np.array(column) for name, column in table.items()} for table in json.load(sys.stdin)]
    for table in tables:
        table["neg"] = table["score"][table["label"] == 0]
        table["pos"] = table["score"][table["label"] == 1]
    json.dump([values(table, tables[i + 1 - len(tables)]) for i, table in enumerate(tables)], sys.stdout)


def values(table: dict[str, Any], following: dict[str, Any]) -> dict[str, Any]:
    """Every value of one table, the one that follows it being its test split."""
    neg, pos = table["neg"], table["pos"]

    def at(
        function: Callable[[Any, Any, float], Any], part: Callable[[Any], Any] = lambda value: value
    ) -> Any:
        return lambda: [part(function(neg, pos, t)) for t in table["thresholds"]]

    def cost(alpha: float) -> float:
        far, frr = bob.farfrr(neg, pos, bob.min_weighted_error_rate_threshold(neg, pos, alpha))
        return alpha * far + (1 - alpha) * frr

    def epc() -> Any:
        return bob.epc(neg, pos, following["neg"], following["pos"], ALPHAS)[1]

    asked: dict[str, Callable[[], Any]] = {
        "farfrr[0]": at(bob.farfrr, lambda rates: rates[0]),
        "farfrr[1]": at(bob.farfrr, lambda rates: rates[1]),
        "mean of farfrr": at(bob.farfrr, lambda rates: sum(rates) / 2),
        "precision_recall[0]": at(bob.precision_recall, lambda pair: pair[0]),
        "precision_recall[1]": at(bob.precision_recall, lambda pair: pair[1]),
        "f_score": at(bob.f_score),
        "f_score(weight=2)": at(lambda *sets: bob.f_score(*sets, weight=2.0)),
        "eer": lambda: bob.eer(neg, pos),
        "roc_auc_score(npoints=2000)": lambda: bob.roc_auc_score(neg, pos),
        "1 - sum of farfrr at min_hter_threshold": lambda: (
            1 - sum(bob.farfrr(neg, pos, bob.min_hter_threshold(neg, pos)))
        ),
        **{
            f"farfrr at min_weighted_error_rate_threshold({c})": lambda c=c: cost(c)
            for c in (0.0, *COSTS, 1.0)
        },
        "farfrr[1] at far_threshold(0.1)": lambda: bob.farfrr(neg, pos, bob.far_threshold(neg, pos, 0.1))[1],
        "farfrr[0] at frr_threshold(0.1)": lambda: bob.farfrr(neg, pos, bob.frr_threshold(neg, pos, 0.1))[0],
        "calibration.cllr": lambda: bob.calibration.cllr(neg, pos),
        "calibration.min_cllr": lambda: bob.calibration.min_cllr(neg, pos),
        "eer_rocch": lambda: bob.eer_rocch(neg, pos),
        "rmse": lambda: bob.rmse(table["probability"], table["label"]),
        "mse": lambda: bob.mse(table["probability"], table["label"]),
        "farfrr at the Bayes threshold": lambda: bayes(neg, pos),
        "ppndf": lambda: quantiles(neg, pos),
        "epc, inner alphas": lambda: epc()[1:-1],
        "epc, alpha 0 and 1": lambda: epc()[[0, -1]],
    }
    return {name: _listed(function) for name, function in asked.items()}


def bayes(neg: Any, pos: Any) -> float:
    """The normalised cost of a prior of 0.1 at its Bayes threshold."""
    far, frr = bob.farfrr(neg, pos, float(np.log(0.9) - np.log(0.1)))
    return (0.1 * frr + 0.9 * far) / 0.1


def quantiles(neg: Any, pos: Any) -> Any:
    """The axes of the DET curve at the false acceptance rates and recalls of every cut."""
    cuts = [*np.unique(np.concatenate([neg, pos])), np.inf][::-1]
    rates = np.array([bob.farfrr(neg, pos, t) for t in cuts])
    rates = np.concatenate([rates[:, 0], 1 - rates[:, 1]])
    return bob.ppndf(rates[(rates > 0) & (rates < 1)])


def _listed(function: Callable[[], Any]) -> Any:
    try:
        return np.ravel(function()).astype(float).tolist()
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    main()
