"""The file ``thresholds.json`` as values: what is handed over, read with every field checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue

from reporting.base.arrays import BoolArray
from reporting.core.stats.effective_size import EffectiveRate
from reporting.document.words.terms import VOCABULARIES
from reporting.errors import ConfigError, DataError, did_you_mean, listed, quoted

SCHEMA = "urn:trial-reporting:thresholds:1"
"""The number rises where a field is renamed, removed or means something else."""
LARGEST = 50_000_000
"""Bytes of a file that is read."""

INFINITE = {"inf": float("inf"), "-inf": float("-inf")}


def _infinity(value: Any) -> Any:
    return INFINITE.get(value, value) if isinstance(value, str) else value


def _written(value: float) -> float | str:
    return next((text for text, number in INFINITE.items() if number == value), value)


def _known(vocabulary: str) -> str:
    if vocabulary not in VOCABULARIES:
        raise ValueError(f"unknown vocabulary {quoted(vocabulary)}{did_you_mean(vocabulary, VOCABULARIES)}")
    return vocabulary


Number = Annotated[
    Annotated[float, Field(allow_inf_nan=True)],
    BeforeValidator(_infinity, json_schema_input_type=float | Literal["inf", "-inf"]),
    PlainSerializer(_written, return_type=float | Literal["inf", "-inf"]),
]
Rate = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Size = Annotated[float, Field(ge=0)]


class _HandedFields(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ExpectedRate(_HandedFields):
    """A rate on the test set, its limits, and how many independent trials its trials are worth."""

    value: Rate | None
    ci_low: Rate | None
    ci_high: Rate | None
    trials: Count
    effective_trials: Size
    df: Annotated[float, Field(gt=0)] | None = None

    @property
    def rate(self) -> EffectiveRate:
        """The rate for formulas."""
        value = float("nan") if self.value is None else self.value
        return EffectiveRate(value, self.effective_trials, self.df)


class ExpectedRates(_HandedFields):
    """The rates of new trials of the population of the test set, as the test set shows them."""

    alert_rate: ExpectedRate
    far: ExpectedRate
    frr: ExpectedRate
    precision: ExpectedRate


class DevelopmentSet(_HandedFields):
    """The trials that chose a threshold."""

    dataset: str
    targets: Count
    nontargets: Count
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ScoreShare(_HandedFields):
    """The share of all test trials that a threshold at one of their scores accepts."""

    threshold: float
    accepted: Rate
    effective_trials: Size


class HandedThreshold(_HandedFields):
    """One threshold of one model: call it with scores, and it returns which are accepted."""

    model: str
    run: str
    dataset: str
    criterion: str
    rule: str
    primary: bool
    threshold: Number
    higher_is: Literal["target", "nontarget"]
    accept: str
    source: Literal["dev", "fixed", "bayes"]
    dev: DevelopmentSet | None
    expected: ExpectedRates
    scores: list[ScoreShare]

    def __call__(self, scores: Any) -> BoolArray:
        """Return which scores are accepted, an array of their shape; DataError where one is NaN."""
        given = np.asarray(scores, dtype=np.float64)
        if np.isnan(given).any():
            raise DataError(f"{int(np.isnan(given).sum())} of the scores are missing (NaN)")
        accepted = given >= self.threshold if self.higher_is == "target" else given <= self.threshold
        # An infinite threshold that rejects all rejects a score of its own, too.
        refuses_all = self.threshold == (np.inf if self.higher_is == "target" else -np.inf)
        return np.asarray(accepted & (not refuses_all))

    def classifier(self, estimator: Any, **options: Any) -> Any:
        """Return the estimator as scikit-learn's ``FixedThresholdClassifier`` at this threshold.

        ``options`` are its own, such as ``response_method`` and ``pos_label``. ConfigError without
        scikit-learn, or where lower scores favour the target.
        """
        if self.higher_is == "nontarget":
            raise ConfigError(
                f"model {quoted(self.model)}: lower scores favour the target, and scikit-learn accepts higher"
                " ones; call the threshold itself with the scores"
            )
        try:
            from sklearn.model_selection import FixedThresholdClassifier
        except ImportError:
            raise ConfigError(
                "classifier() needs scikit-learn 1.5 or later, which is not installed: pip install"
                " 'scikit-learn>=1.5'"
            ) from None
        return FixedThresholdClassifier(estimator, threshold=self.threshold, **options)


class ObservedEvent(_HandedFields):
    """Which observed numbers make a trial a target."""

    bound: Literal["above", "at_least", "below", "at_most"]
    number: float


class TrialColumns(_HandedFields):
    """What the columns and values of the trials are called, so that new scores are read alike."""

    layout: Literal["long", "wide"]
    columns: dict[str, str]
    without: list[str]
    scores: dict[str, str]
    target: list[str]
    nontarget: list[str] | Literal["rest"] | None
    spoof: list[str]
    event: ObservedEvent | None
    missing: Literal["error", "drop", "reject", "shared"]
    pools: Literal["one", "two"]
    cluster_pattern: str | None


class Handover(_HandedFields):
    """Everything that one report hands over."""

    schema_name: Annotated[Literal["urn:trial-reporting:thresholds:1"], Field(alias="$schema")]
    title: str
    version: str
    as_of: str
    vocabulary: Annotated[str, AfterValidator(_known)] = "detection"
    level: Annotated[float, Field(gt=0, lt=1)]
    unit: Literal["trial", "cluster"]
    valid: str
    trials: TrialColumns
    thresholds: Annotated[list[HandedThreshold], Field(min_length=1)]

    def find(
        self,
        model: str | None = None,
        criterion: str | None = None,
        dataset: str | None = None,
        run: str | None = None,
    ) -> HandedThreshold:
        """Return the one threshold of these names; what is left out must leave one, primary ones first.

        DataError where there is none, or where several are left.
        """
        left = self.chosen(model, criterion, dataset, run)
        if len(left) > 1:
            names = ("model", "dataset", "run", "criterion")
            apart = [name for name in names if len({getattr(each, name) for each in left}) > 1]
            there = (", ".join(quoted(getattr(each, name)) for name in apart) for each in left)
            raise DataError(
                f"{len(left)} thresholds are left: name {' and '.join(apart)} (found: {listed(there)})"
            )
        return left[0]

    def chosen(
        self, model: str | None, criterion: str | None, dataset: str | None, run: str | None
    ) -> list[HandedThreshold]:
        """Return all thresholds of these names, of the primary criterion where none is named."""
        left = list(self.thresholds)
        for name, wanted in (("model", model), ("dataset", dataset), ("run", run), ("criterion", criterion)):
            if wanted is None:
                continue
            there = list(dict.fromkeys(getattr(each, name) for each in left))
            if wanted not in there:
                raise DataError(
                    f"{name}: no threshold of {quoted(wanted)}{did_you_mean(wanted, there)} (found:"
                    f" {listed(map(quoted, there))})"
                )
            left = [each for each in left if getattr(each, name) == wanted]
        if criterion is None:
            left = [each for each in left if each.primary] or left
        return left


def load_thresholds(path: str | Path) -> Handover:
    """Read and check the ``thresholds.json`` of a report; DataError for any other file."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > LARGEST:
        raise DataError(f"{path}: has more than {LARGEST:,} bytes")
    try:
        whole = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: is no JSON: {error}") from None
    schema = whole.get("$schema") if isinstance(whole, dict) else None
    if schema != SCHEMA:
        other = quoted(schema) if isinstance(schema, str) else "none"
        raise DataError(
            f"{path}: is no thresholds.json of this program: expected $schema {SCHEMA!r}, found {other}"
        )
    return _checked(lambda: Handover.model_validate(whole, by_alias=True), path)


V = TypeVar("V")


def _checked(read: Callable[[], V], path: str | Path) -> V:
    try:
        return read()
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        place = ".".join(map(str, first["loc"]))
        rest = f" ({len(more)} more)" if more else ""
        raise DataError(f"{path}: {place}: {first['msg']}{rest}") from None


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def json_schema() -> JsonSchemaValue:
    """Return the JSON Schema of the file."""
    schema = Handover.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **schema}
