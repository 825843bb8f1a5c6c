"""Calls of the Python interface: one that means well, with none, one or a few of its arguments made hostile."""

from __future__ import annotations

import array
import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl

import reporting
from reporting.app.api.notebook import NotebookReport
from reporting.errors import ReportingError
from tests.hostile.broken_files import TABLE
from tests.hostile.configs import NUMBERS, ConfigWriter
from tests.hostile.texts import PAYLOADS

N = 40
Y = [1, 0] * (N // 2)
SPLIT = ["dev", "dev", "test", "test"] * (N // 4)
LIGHT = {"curves": [], "epc": "none", "significance": {"replicates": 99}}
"""Keys of a report that takes a tenth of a second."""
NAMES = (*PAYLOADS.values(), "x" * 10_000, "e\u0301" * 5_000, "half \ud800", "\0", "", "A", "B")
MEASURES = ("hter", "roc_auc", "f1", "auc", "0.5", "accuracy", "eer", "f1_score", "AUC", "recall", "tpr@fpr=0.01", "brier",
            "roc_auc_score", "mindcf(p_target=0.01)", "average_precision", "pauc(", "hter(alpha=nan)")  # fmt: skip
CRITERIA = ("0.5", "0", "-inf", "nan", "min_hter", "eer", "youden", "fixed(threshold=0.5)", "oracle(min_hter)", "target_far(far=2)",
            "1e400", "f1")  # fmt: skip


class Call(NamedTuple):
    """A function with its arguments, and what is done with a report that it returns."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    keys: dict[str, Any]
    then: tuple[tuple[str, Any], ...] = ()
    target: str | None = None
    """The folder that a report is written to."""


def call(rng: random.Random, folder: Path) -> Call:
    """Return a call that works in a folder."""
    return rng.choice(KINDS)(_Arguments(rng, folder))


class _Arguments:
    """Arguments of calls; ``strange`` is the share of the hostile ones."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self.folder = rng, folder
        self.strange = rng.choice((0.0, 0.02, 0.05, 0.1, 0.3))

    def is_odd(self) -> bool:
        return self.rng.random() < self.strange

    def some(self, *ways: Callable[[], Any]) -> Any:
        return self.rng.choice(ways)()

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def odd(self) -> Any:
        """Return a value of any type."""
        return self.some(
            *ODD, self.name, lambda: self.rng.choice(NUMBERS), lambda: self.column(self.scores())
        )

    def labels(self) -> Any:
        if self.is_odd():
            return self.odd()
        spelt = self.rng.choice(
            (
                (1, 0),
                (True, False),
                ("target", "nontarget"),
                ("true", "false"),
                (1.0, 0.0),
                ("1", "0"),
                ("yes", "no"),
            )
        )
        return self.column([spelt[0] if label else spelt[1] for label in Y])

    def scores(self) -> list[Any]:
        """Return the scores of a model, now and then with something else among them."""
        scores: list[Any] = [label + self.rng.randint(0, 6) / 4 for label in Y]
        for _ in range(self.rng.randint(1, 3) if self.is_odd() else 0):
            scores[self.rng.randrange(N)] = self.rng.choice(VALUES)
        if self.is_odd():
            scores = self.some(lambda: scores[:-1], lambda: scores * 2, lambda: [], lambda: scores[:1])
        return scores

    def column(self, values: list[Any]) -> Any:
        """Return values in one of the forms that hold a column; the list where a form holds none of these."""
        try:
            return self.rng.choice(FORMS if self.is_odd() else FORMS[:6])(values)
        except Exception:
            return values

    def by_model(self) -> Any:
        if self.is_odd():
            return self.odd()
        names = self.rng.sample(NAMES, self.rng.randint(1, 3)) if self.is_odd() else ["A", "B"]
        scores = {name: self.column(self.scores()) for name in names}
        return self.some(
            lambda: scores, lambda: scores, lambda: self.column(self.scores()), lambda: _frame(scores)
        )

    def given(self) -> dict[str, Any]:
        """Return keywords that describe trials."""
        given: dict[str, Any] = {"split": SPLIT} if self.rng.random() < 0.7 else {}
        for name in ("split", "trial", "cluster", "dataset", "stratum"):
            if self.rng.random() < 0.2:
                words = self.rng.sample(NAMES, 4) if self.is_odd() else ["a", "b", "c", "d"]
                given[name] = self.column([self.rng.choice(words) for _ in Y])
            if self.rng.random() < self.strange / 2:
                given[name] = self.odd()
        if self.rng.random() < self.strange / 2:
            given["trial"] = self.column([self.rng.choice((f"{k}", k, *VALUES[:3])) for k in range(N)])
        return given

    def table(self) -> Any:
        """Return a table of trials in one of the forms that tables have."""
        if self.is_odd():
            return self.some(
                self.odd,
                lambda: self.rng.choice(
                    (self.folder, "trials.parquet", "no.csv", "*.parquet", ["trials.parquet"] * 2)
                ),
            )
        frame = TABLE
        if self.is_odd():
            frame = frame.with_columns(
                pl.lit(self.name().replace("\ud800", "")).alias(self.rng.choice(frame.columns))
            )
        if self.is_odd():
            frame = frame.rename({self.rng.choice(frame.columns): self.name().replace("\ud800", "")})
        return _or(self._in_a_form, frame)

    def _in_a_form(self, frame: pl.DataFrame) -> Any:
        pandas = lambda: reporting.to_pandas(frame)  # noqa: E731
        return self.some(
            lambda: frame, lambda: frame, frame.lazy, frame.to_dicts, pandas, lambda: pandas().set_index(pd.Index([7] * frame.height)),
            lambda: pandas().astype(object), lambda: frame.with_columns(pl.col("label").cast(pl.Boolean)),
            lambda: frame.with_columns(pl.col("score").cast(pl.String)),
            lambda: frame.with_columns(pl.Series("score", [self.rng.choice(VALUES) for _ in range(frame.height)], dtype=pl.Object)),
            lambda: pandas().assign(score=[self.rng.choice(VALUES) for _ in range(frame.height)]) if self.is_odd() else frame,
            lambda: [{**row, self.name(): self.odd()} for row in frame.to_dicts()] if self.is_odd() else frame,
            lambda: frame.head(self.rng.randint(0, 9)), lambda: pd.concat([pandas(), pandas()], axis=1), lambda: pandas().T,
        )  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """Return keys of a config."""
        writer = ConfigWriter(
            self.rng, self.rng.choice((0.0, self.strange / 4)), {"baseline": ("a", "b"), "models": ("a", "b")}
        )
        keys = writer.keys(0.06, ("baseline", "models", "primary", "criteria", "measures", "operating_points", "fits", "thresholds",
                                  "by", "across", "abstention", "gates", "ignore", "title", "report", "averaged_over", "run", "history"))  # fmt: skip
        for name in (
            "measures",
            "criteria",
            "title",
            "baseline",
            "ignore",
            "trials",
            "models",
            "run",
            self.name(),
        ):
            if self.rng.random() < self.strange / 4:
                keys[name] = self.odd()
        if self.rng.random() < 0.2:
            keys["measures"] = self.words(MEASURES)
        if self.rng.random() < 0.1:
            keys["ignore"] = {
                self.rng.choice(("TR205", "TR201", "tr205", "TR601", "TR999", 205)): self.rng.choice(
                    ("a pilot", "", self.name(), None)
                )
            }
        if self.rng.random() < 0.1:
            keys["trials"] = {"clusters": self.some(lambda: {"pattern": "^(.)"}, lambda: {"pattern": "("}, lambda: {"file": "utt2spk"},
                                                    lambda: {"file": self.odd()}, lambda: {"pattern": self.odd()}, self.odd)}  # fmt: skip
        return keys

    def words(self, words: tuple[str, ...]) -> Any:
        """Return names of measures or criteria in some form of a list."""
        some: list[Any] = self.rng.sample(words, self.rng.randint(1, 3))
        if self.is_odd():
            some[0] = self.odd()
        return self.some(
            lambda: some, lambda: tuple(some), lambda: some[0], lambda: iter(some), lambda: _or(set, some),
            lambda: np.array(some, dtype=object), lambda: pd.Series(some, index=[1] * len(some)), lambda: None, lambda: (word for word in some),
        )  # fmt: skip

    def reported(self, args: tuple[Any, ...], keys: dict[str, Any], function: Callable[..., Any]) -> Call:
        """Return a call that makes a report, with what is done to it."""
        target = None
        if self.rng.random() < 0.2:
            target = "out"
            keys["out"] = self.some(lambda: "out", lambda: Path("out"), lambda: self.folder / "out")
        elif self.is_odd():
            keys["out"] = self.odd()
        then = [self._step() for _ in range(self.rng.randint(0, 2))]
        return Call(function, args, keys, (("_repr_html_", ()), ("__repr__", ()), *then), target)

    def _step(self) -> tuple[str, Any]:
        name = (
            self.odd()
            if self.is_odd()
            else self.rng.choice(("metrics", "summary", "paper", "comparisons", "cautions", "trials"))
        )
        way = self.rng.choice(
            ("to_pandas", "to_pandas", "table", "table", "__truediv__", "__fspath__", "save")
        )
        if way == "save":
            name = self.some(lambda: "made/of", self.odd, lambda: "report.yaml", lambda: "trials.parquet/x")
        return way, () if way == "__fspath__" else (name,)


def _or(form: Callable[[Any], Any], values: Any) -> Any:
    try:
        return form(values)
    except Exception:
        return values


def _frame(columns: Mapping[str, Any]) -> Any:
    return _or(pd.DataFrame, columns)


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _endless() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


VALUES: tuple[Any, ...] = (
    None, "x", "", "1.5", math.nan, math.inf, -math.inf, 10**400, -(2**70), 1j, Decimal("0.5"), Decimal("NaN"), Fraction(1, 3), True, b"1",
    date(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC), timedelta(1), [1], (), {}, {"a": 1}, pd.NaT, pd.NA, np.float32(0.1), np.datetime64("NaT"),
    5e-324, 1.7e308, "<script>alert(1)</script>", "half \ud800", np.ma.masked, 10**5000,
)  # fmt: skip
"""Values that may be in a column."""
ODD: tuple[Callable[[], Any], ...] = (
    *(functools.partial(lambda value: value, value) for value in VALUES),
    object, lambda: object, lambda: len, lambda: range(3), lambda: iter("ab"), itertools.count, lambda: {1, "a"}, lambda: frozenset("ab"),
    lambda: _nested(60), lambda: _nested(5_000), _endless, lambda: {"a": _endless()}, lambda: MappingProxyType({"a": 1}), SimpleNamespace,
    lambda: np.array([]), lambda: np.zeros((2, 2)), lambda: np.array(1.0), lambda: np.array([[1, 0]] * N), lambda: np.array(["a", None], dtype=object),
    lambda: np.zeros(3, dtype=[("a", "i4")]), lambda: np.ma.masked_array([1.0] * N, mask=[True] * N), lambda: pd.Series(Y, index=[0] * N),
    lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame, lambda: pd.DataFrame({("a", "b"): [1]}), lambda: pd.Index([1, 1]),
    lambda: pd.Categorical(["a", None]), lambda: pl.Series([1, None]), pl.DataFrame, pl.LazyFrame, lambda: TABLE.lazy().select("no"), lambda: pl.col("a"),
    lambda: Path("no/../../x"), lambda: PurePosixPath("\0"), lambda: "../../x", lambda: "/proc/self/mem", lambda: "~", lambda: [[]], lambda: [{}], lambda: [{1: 2}],
    lambda: {1: 1, "1": 2}, lambda: {None: 1, (1, 2): 3}, lambda: "true", lambda: "no", lambda: array.array("d", [1.0]), lambda: memoryview(b"ab"), lambda: slice(3),
    lambda: ..., lambda: NotImplemented, lambda: Exception("x"), lambda: reporting, lambda: [["a"], ["a", "b"]], lambda: [TABLE], lambda: 2**31, lambda: -1, lambda: 0,
)  # fmt: skip
FORMS: tuple[Callable[[list[Any]], Any], ...] = (
    list, tuple, np.array, pd.Series, pl.Series, lambda values: pd.Series(values, index=[0] * len(values)),
    lambda values: np.array(values, dtype=object), lambda values: pd.Series(values, dtype=object), lambda values: pl.Series(values, strict=False),
    iter, set, lambda values: dict(enumerate(values)), lambda values: np.array(values).reshape(-1, 1), lambda values: np.array([values]),
    lambda values: [[value] for value in values], lambda values: (value for value in values), lambda values: pd.Categorical(values),
    lambda values: np.array(values, dtype="float16"), lambda values: np.array(values, dtype="U"), lambda values: pd.Series(values).astype("string"),
    lambda values: pl.Series(values, dtype=pl.Object), lambda values: np.ma.masked_invalid(np.array(values, dtype=float)), lambda values: pd.Index(values),
    lambda values: pl.DataFrame({"x": values}), lambda values: pd.DataFrame({"x": values}), lambda values: np.array(values, dtype=complex),
    lambda values: [date(2026, 1, 1)] * len(values), lambda values: map(str, values), lambda values: array.array("d", values), lambda values: pd.arrays.SparseArray(values),
    lambda values: np.array(values, dtype="datetime64[s]"), lambda values: np.array(values, dtype="S"), lambda values: np.array(values, dtype="longdouble"),
    lambda values: np.array(values)[::-1], lambda values: pl.Series(values).cast(pl.Categorical), lambda values: pl.Series([[value] for value in values]),
)  # fmt: skip
"""Ways to hold a column; the first six are those that anybody writes."""


class Fitted:
    """What looks like an estimator: ``decision_function`` returns whatever it was made with."""

    def __init__(self, scores: Any, classes: Any = (0, 1)) -> None:
        self.scores, self.classes_ = scores, classes

    def fit(self) -> None:
        """Have what an estimator has."""

    def decision_function(self, rows: Any) -> Any:
        """Return a score for each row, or what was given."""
        return [float(k % 5) for k in range((*np.shape(rows), N)[0])] if self.scores is None else self.scores


def _trial_table(of: _Arguments) -> Call:
    keys = of.given()
    if of.is_odd():
        keys[of.rng.choice(("model", "label", "score", "gender", of.name()))] = of.odd()
    if of.rng.random() < 0.7:
        return Call(reporting.trial_table, (of.labels(), of.by_model()), keys)
    keys.pop("split", None)
    return Call(reporting.trial_table, (), keys | {"targets": of.by_model(), "nontargets": of.by_model()})


def _make_report(of: _Arguments) -> Call:
    keys = {**LIGHT, **of.settings()}
    if of.rng.random() < 0.5:
        keys |= of.given()
        args: tuple[Any, ...] = (of.labels(), of.by_model())
    else:
        args = (of.table(),)
    if "trials" in keys and isinstance(keys["trials"], dict) and len(args) == 1:
        args, keys["trials"] = (), {"source": args[0], **keys["trials"]}
    for name in ("sections", "frames", "overrides", "config", "tell"):
        if of.rng.random() < of.strange / 4:
            keys[name] = of.some(of.odd, lambda: [of.odd()], lambda: {of.name(): of.table()})
    return of.reported(args, keys, reporting.make_report)


def _config(of: _Arguments) -> Call:
    config = of.rng.choice(("report.yaml", Path("report.yaml"), of.folder / "report.yaml"))
    keys: dict[str, Any] = {}
    if of.rng.random() < 0.5:
        keys["overrides"] = [
            f"{of.rng.choice(('title', 'measures.0', 'report.formats', '', of.name()))}={of.name()}"
        ]
    first = of.odd() if of.is_odd() else config
    function = of.rng.choice((reporting.make_report, reporting.check_report, reporting.read_plan))
    if function is not reporting.make_report:
        return Call(function, (first,), keys)
    return of.reported((first,), {**keys, "out": "out"}, function)._replace(target="out")


def _from_predictions(of: _Arguments) -> Call:
    keys = {**LIGHT, **of.settings(), **of.given()}
    if of.rng.random() < 0.4:
        keys["folds"] = of.odd() if of.is_odd() else of.column([k % 4 for k in range(N)])
        keys.pop("split", None)
    if of.rng.random() < 0.4:
        keys["pos_label"] = of.odd() if of.is_odd() else of.rng.choice((1, True, "1", "target", 0))
    return of.reported((of.labels(), of.by_model()), keys, reporting.from_predictions)


def _model(of: _Arguments) -> Any:
    if of.is_odd():
        return of.odd()
    return Fitted(of.odd() if of.is_odd() else None, of.odd() if of.is_odd() else (0, 1))


def _from_estimators(of: _Arguments) -> Call:
    models = of.odd() if of.is_odd() else {name: _model(of) for name in _names_of_two(of)}
    keys = {**LIGHT, **of.settings()}
    if of.rng.random() < 0.3:
        keys["pos_label"] = of.odd() if of.is_odd() else 1
    rows = [[1.0]] * N
    sets = (of.odd() if of.is_odd() else rows, of.labels()) * 2
    return of.reported((models, *sets), keys, reporting.from_estimators)


def _names_of_two(of: _Arguments) -> list[str]:
    return of.rng.sample(NAMES, 2) if of.is_odd() else ["A", "B"]


def _from_cross_validate(of: _Arguments) -> Call:
    tests = [list(range(k, N, 4)) for k in range(4)]
    if of.is_odd():
        tests[of.rng.randrange(4)] = of.odd()
    result = {
        "estimator": [_model(of) for _ in tests],
        "indices": {"test": of.odd() if of.is_odd() else tests},
    }
    results = of.odd() if of.is_odd() else {name: of.odd() if of.is_odd() else result for name in ("A", "B")}
    rows = (
        of.odd()
        if of.is_odd()
        else of.some(lambda: [[1.0]] * N, lambda: np.ones((N, 1)), lambda: pd.DataFrame({"x": Y}))
    )
    return of.reported(
        (results, rows, of.labels()), {**LIGHT, **of.settings()}, reporting.from_cross_validate
    )


def _answer(of: _Arguments) -> Call:
    function = of.rng.choice(
        (
            reporting.metrics,
            reporting.compare,
            reporting.epc,
            reporting.roc,
            reporting.cuts,
            reporting.read_trials,
            reporting.fit,
            reporting.plot,
        )
    )
    keys = {"significance": {"replicates": 99}, **of.settings()}
    if function in (reporting.metrics, reporting.compare, reporting.epc):
        for name, words in (("measures", MEASURES), ("criteria", CRITERIA)):
            if of.rng.random() < 0.4:
                keys[name] = of.words(words)
    if function is reporting.epc:
        keys["alphas"] = of.odd() if of.is_odd() else of.rng.choice((3, 5, 0, -1, 10**9))
    if function in (reporting.metrics, reporting.epc, reporting.plot) and of.rng.random() < 0.7:
        keys["intervals"] = of.odd() if of.is_odd() else False
    args: tuple[Any, ...] = (of.table(),)
    if function is reporting.plot:
        args = (
            *args,
            of.odd()
            if of.is_odd()
            else of.rng.choice(("roc", "det", "epc", "pr", "histogram", "reliability")),
        )
    return Call(function, args, keys)


class _Changed:
    """Puts a value in the first place of a column."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, column: pl.Series) -> pl.Series:
        """Return the column with the value."""
        return pl.Series(column.name, [self.value, *column[1:]], column.dtype)


def _plot_of_frame(of: _Arguments) -> Call:
    """Return a picture of a frame that was changed by hand."""
    kind, frame = of.rng.choice(
        (("roc", reporting.roc(TABLE)), ("epc", reporting.epc(TABLE, alphas=3, intervals=False)))
    )
    for _ in range(of.rng.choice((0, 1, 1, 2))):
        if frame.is_empty():
            break
        column = frame[of.rng.choice(frame.columns)]
        value = of.rng.choice((None, math.nan, math.inf, -1, 5e-324, "x", "", *PAYLOADS.values()))
        changed = _or(_Changed(value), column)
        ways = (
            frame.with_columns(changed),
            frame.drop(column.name),
            frame.head(of.rng.randint(0, 3)),
            pl.concat([frame, frame]),
        )
        frame = of.rng.choice((ways[0], *ways))
    return Call(reporting.plot, (frame, kind if of.rng.random() < 0.8 else "det"), {})


def _to_pandas(of: _Arguments) -> Call:
    return Call(reporting.to_pandas, (of.table() if of.rng.random() < 0.5 else of.odd(),), {})


KINDS: tuple[Callable[[_Arguments], Call], ...] = (
    *[_answer] * 6, *[_trial_table] * 4, *[_make_report] * 3, *[_from_predictions] * 2, _from_estimators, _from_cross_validate, _config, _to_pandas, _plot_of_frame,
)  # fmt: skip


def write_inputs(folder: Path) -> None:
    """Write what calls may name: a table, a config and a file of clusters."""
    TABLE.write_parquet(folder / "trials.parquet")
    config = "trials: {source: trials.parquet}\ncurves: []\nepc: none\nsignificance: {replicates: 99}\n"
    (folder / "report.yaml").write_text(f"{config}report: {{formats: [html, json]}}\n")
    (folder / "utt2spk").write_text("".join(f"{k:02} s{k % 4}\n" for k in range(8)))


def ended(call: Call) -> Iterator[Any]:
    """Make a call; yield what it returns, then what the steps after it do, or the error of the project's own."""
    result = _tried(lambda: call.function(*call.args, **call.keys))
    yield result
    for name, args in call.then if isinstance(result, NotebookReport) else ():
        yield _tried(lambda name=name, args=args: getattr(result, name)(*args))


def _tried(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except ReportingError as error:
        return error


def paths(call: Call) -> list[Path]:
    """Return where a call is asked to write."""
    written = [call.keys.get("out"), *(args[0] for name, args in call.then if name == "save")]
    if call.function is reporting.make_report and len(call.args) > 1:
        written.append(call.args[1])
    return [Path(path) for path in written if isinstance(path, str | Path)]
