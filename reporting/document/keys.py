"""The kinds of fields the schema is made of: from the text of the file to values.

Scalars arrive as text. In the JSON Schema a text field also admits numbers and booleans, because an
editor sees ``target: 1`` as a number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import reduce
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    get_type_hints,
)

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError

from reporting.base.contents import Contents, Named, is_plain
from reporting.base.records import dataclass
from reporting.core.criteria.catalogue import CRITERIA, read_criterion
from reporting.core.criteria.catalogue import READ_AS as NAMES_OF_OTHERS
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.catalogue import MEASURES, READ_AS, read_measure
from reporting.core.measures.measure import Measure
from reporting.errors import ConfigError, quoted, repeated

if TYPE_CHECKING:
    from reporting.core.engine.study import Study


def fault(text: str, code: str = ConfigError.code) -> PydanticCustomError:
    """Return a fault of the schema in our own words."""
    return PydanticCustomError("told", "{text}", {"text": text, "code": code})


CONFIG = ConfigDict(
    extra="forbid",
    defer_build=True,  # sections are parts of others, and most commands need none
    frozen=True,
    allow_inf_nan=False,
    validate_default=True,
    model_title_generator=lambda section: section.__name__.removesuffix("Keys"),
)


class ConfigSection(BaseModel):
    """A mapping of the config: unknown keys are faults, a key with nothing after it keeps its default."""

    model_config = CONFIG

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty_keys(cls, data: Any) -> Any:
        return _without_empty(data, key_names(cls))


class ConfigValues:
    """A mapping of the config that is read into a frozen dataclass, the value that a report works with.

    What a config may say is checked where one is read; a value that a program makes is taken as it is.
    """

    __pydantic_config__ = CONFIG

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty_keys(cls, data: Any) -> Any:
        return _without_empty(data, key_names(cls))


def key_names(section: type) -> list[str]:
    """Return the keys of a section of the config that a user may write."""
    if issubclass(section, BaseModel):
        models = section.model_fields
        return [field.alias or name for name, field in models.items() if not field.deprecated]
    return [each.name.rstrip("_") for each in fields(section)]  # type: ignore[arg-type]


def annotations_of(section: type) -> Mapping[str, object]:
    """Return the types of a section's fields."""
    if issubclass(section, BaseModel):
        return {name: field.annotation for name, field in section.model_fields.items()}
    return get_type_hints(section, include_extras=True)


def _without_empty(data: Any, names: Collection[str]) -> Any:
    if data is None:
        return {}
    if not isinstance(data, dict):
        return data
    return {key: value for key, value in data.items() if value is not None or key not in names}


N = TypeVar("N", bound=Named)
T = TypeVar("T")

SCALAR = {"type": ["string", "number", "boolean"], "minLength": 1}


def as_list(value: Any) -> Any:
    """Take one text as a list of one."""
    return [value] if isinstance(value, str) else value


def _true_or_false(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value not in ("true", "True", "TRUE", "false", "False", "FALSE"):
        raise fault(f"expected true or false, found {value!r}")
    return str(value).lower() == "true"


def _plainly(value: Any) -> Any:
    if isinstance(value, str) and not is_plain(value):
        raise fault(f"expected a number (digits 0 to 9, without underscores), found {quoted(value)}")
    return value


def names_of(contents: Contents[Any], extra: Iterable[str] = ()) -> JsonSchemaValue:
    """The JSON Schema of a name: complete bare ones and synonyms, allow any parameters and rates."""
    other = (name for value in contents.values() for name in getattr(value, "synonyms", ()))
    names = list(dict.fromkeys([*contents, *extra, *other]))
    call = {"type": "string", "pattern": r"^\s*[A-Za-z][A-Za-z0-9_ @-]*\s*\(.*\)\s*$"}
    rate = {"type": "string", "pattern": r"^[A-Za-z -]+([ _-]at[ _-]|@)[A-Za-z0-9%. _-]+$"}
    return {"anyOf": [{"enum": names}, call, *([rate] if contents is MEASURES else [])]}


def reader_of(read: Callable[[str], N]) -> Callable[[Any], N]:
    def value_of(text: Any) -> N:
        if not isinstance(text, str):
            raise fault("expected a name, such as hter or 'weighted_error(alpha=0.5)'")
        try:
            return read(re.sub(r"\(\s*\)\s*$", "", text))
        except ConfigError as error:
            raise fault(str(error), "TR505") from None

    return value_of


def _distinct(values: list[T]) -> list[T]:
    for value in repeated(values):
        raise fault(f"{str(value)!r} is given twice")
    return values


LONGEST_NAME, LONGEST_PATH = 255, 4095
"""Bytes of a file's name and of a path, as Linux has them."""


def path_fault(text: str) -> str:
    """Return why no file can have a path; an empty text where one can."""
    if "\0" in text:
        return f"{quoted(text)} is no path: it holds a NUL"
    longest = max(len(os.fsencode(part)) for part in text.split("/"))
    if longest > LONGEST_NAME or len(os.fsencode(text)) > LONGEST_PATH:
        return f"{quoted(text)} is no path: a name may have {LONGEST_NAME} bytes, a path {LONGEST_PATH}"
    return ""


def _can_be_a_path(text: str) -> str:
    if wrong := path_fault(text):
        raise fault(wrong)
    return text


Text = Annotated[str, Field(min_length=1), WithJsonSchema(SCALAR)]
PathText = Annotated[Text, AfterValidator(_can_be_a_path)]
Words = Annotated[
    list[Text],
    Field(min_length=1),
    BeforeValidator(as_list),
    WithJsonSchema({"anyOf": [SCALAR, {"type": "array", "items": SCALAR, "minItems": 1}]}),
]
PLAIN = BeforeValidator(_plainly)
Number = Annotated[float, PLAIN]
Whole = Annotated[int, PLAIN]
Flag = Annotated[bool, BeforeValidator(_true_or_false)]
MeasureName = Annotated[
    Measure,
    PlainValidator(reader_of(read_measure)),
    PlainSerializer(str),
    WithJsonSchema(names_of(MEASURES, READ_AS)),
]
THRESHOLD = "threshold"
MeasureOrThreshold = Annotated[
    Measure | Literal["threshold"],
    PlainValidator(lambda text: THRESHOLD if text == THRESHOLD else reader_of(read_measure)(text)),
    PlainSerializer(str),
    WithJsonSchema(names_of(MEASURES, (*READ_AS, THRESHOLD))),
]
"""A measure, or the threshold at which some are read."""
CriterionName = Annotated[
    Criterion,
    PlainValidator(reader_of(read_criterion)),
    PlainSerializer(str),
    WithJsonSchema(names_of(CRITERIA, NAMES_OF_OTHERS)),
]
DISTINCT = AfterValidator(_distinct)


def true_or(kind: Any, true: object, schema: JsonSchemaValue) -> Any:
    """Return the type of a key that is false (None) or a value; ``true`` is the value that true means."""
    words = {"true": true, "false": None}
    return Annotated[
        kind | None,
        BeforeValidator(lambda value: words.get(str(value).lower(), value)),
        WithJsonSchema({"anyOf": [{"type": "boolean"}, schema]}),
    ]


def written(default: str | list[str]) -> Any:
    """Give a default as it would be in the file; it is read like any other text."""
    return default


Declared = TypeVar("Declared", bound=Named)


class Declare(Protocol):
    """Gives a declared share of targets to what takes one."""

    def __call__(self, value: Declared) -> Declared:
        """Return the same with the share."""


def _in_question_keys(key: QuestionKey[Any], study: Study, value: Any, _: Declare) -> Study:
    return study if value == key.default else study.with_key(key.name, value)


class HeldByTrials(NamedTuple):
    """What a trial table holds that keys may name."""

    models: Sequence[str]
    datasets: Sequence[str]
    """Those with test trials."""
    clustered: bool
    """Whether clusters are declared and are the unit."""


@dataclass(frozen=True, kw_only=True)
class QuestionKey(Generic[T]):
    """A key of the config that belongs to one question, as its ``keys`` module lists it in ``KEYS``."""

    name: str
    """With the section that holds it, such as ``report.tables``."""
    after: str
    """The key that it follows in its section; of two such keys that of the later question is the nearer."""
    kind: Any
    """The type of its value."""
    description: str
    default: Any = None
    check: Callable[[T, ValidationInfo], T] = lambda value, _: value
    """Returns a valid value; ``fault`` where it does not suit the keys before it."""
    needs_dev: Callable[[T], bool] = lambda _: False
    """Whether a value needs thresholds of a development set."""
    extend: Callable[[QuestionKey[T], Study, T, Declare], Study] = _in_question_keys
    """Returns the study with the value."""
    judged: Callable[[T], Iterable[Measure | Criterion]] = lambda _: ()
    """What the value in the study needs measured, besides what the report shows."""
    unknown: Callable[[T, HeldByTrials], Iterable[str]] = lambda value, held: ()
    """Returns what the value in the study names that the trials do not hold, a line each."""
    kept: Callable[[T, Path], Iterable[Path]] = lambda value, folder: ()
    """Returns folders that runs keep, even new ones: no report may replace them. With the config's folder."""
    run_folds: Callable[[T], str | None] = lambda _: None
    """The table's column of the fold in which each run tested a trial, where a value names one."""
    class_column: Callable[[T], str | None] = lambda _: None
    """The table's column of the class that the score of a row is of, where a value names one."""
    own_class: Callable[[T], str | None] = lambda _: None
    """The label of rows whose class is that of their trial, where labels are of one class each."""
    places: tuple[str, ...] = ()
    """The keys below it that name files and folders."""
    only_given: bool = False
    """Whether the config that a report spells out leaves it out where it has no value."""
    allows_noise: bool = True
    """Whether it can be asked of counts with noise."""
    serves_strata: bool = False
    """Whether its numbers are right in strata of a sampling design."""

    @property
    def section(self) -> str:
        """The section that holds it; empty at the top."""
        return self.name.rpartition(".")[0]

    @property
    def field(self) -> str:
        """Its name within the section."""
        return self.name.rpartition(".")[2]

    def value_in(self, config: BaseModel) -> T:
        """Return its value in a valid config."""
        below: Any = reduce(getattr, self.name.split("."), config)
        value: T = below
        return value

    def of(self, study: Study) -> T:
        """Return its value in a study."""
        value: T = study.question_keys.get(self.name, self.default)
        return value
