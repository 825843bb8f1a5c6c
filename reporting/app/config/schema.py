"""Every key of the config: its type, its default, what it means. ``json_schema`` is made of this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Self, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue

from reporting.app.config import study_keys
from reporting.app.config.across_keys import AcrossEntries, AcrossKeys, check_different
from reporting.app.config.profiles import PROFILES, states_probabilities, with_profile
from reporting.app.config.question_keys import with_question_keys
from reporting.app.config.templates import SectionNames, TemplateFolder
from reporting.app.config.trial_keys import TrialsKeys
from reporting.document.keys import (
    DISTINCT,
    PLAIN,
    SCALAR,
    ConfigSection,
    CriterionName,
    Flag,
    MeasureName,
    PathText,
    Text,
    fault,
    written,
)
from reporting.document.words.terms import VOCABULARIES
from reporting.errors import did_you_mean, listed, quoted, repeated
from reporting.features.catalogue import CURVES
from reporting.inputs.spec import ATTEMPT, OneClass
from reporting.render.extras import missing


def _can_be_written(name: str) -> str:
    if fault_text := missing(name):
        raise fault(fault_text)
    return name


def _is_gone(paper: object) -> None:
    """Refuse a key that earlier versions had; where it is empty, as in their manifests, it means nothing."""
    if paper is not None:
        raise fault(
            f"{quoted(str(paper))}: pages of papers are not configured here any more: leave the key out"
            " and run `make papers`, or pass your own section to"
            " reporting.make_report(config, sections=[...])"
        )


if TYPE_CHECKING:
    Vocabulary = str
    ProfileName = str
else:
    Vocabulary = Literal[tuple(VOCABULARIES)]
    ProfileName = Literal[tuple(PROFILES)]


@with_question_keys("report")
class ReportKeys(ConfigSection):
    """The report's formats and how it speaks."""

    formats: Annotated[
        list[
            Annotated[
                Literal["html", "latex", "markdown", "markdown-full", "json", "pdf", "docx", "xlsx", "png"],
                AfterValidator(_can_be_written),
            ]
        ],
        Field(min_length=1),
        DISTINCT,
    ] = Field(
        default=["html", "latex", "json"],
        description="markdown is short, for a comment on a pull request; markdown-full is the whole report."
        " pdf needs the extra trial-reporting[pdf]; docx (for Word) and xlsx (for Excel, every frame a sheet)"
        " need trial-reporting[office]. png writes the figures as PNG too, as markdown-full does.",
    )
    templates: TemplateFolder | None = Field(
        default=None, description="folder with your own templates, sections and styles, relative to this file"
    )
    sections: SectionNames | None = Field(
        default=None, description="sections and their order; rest means all that are not named"
    )
    paper: Annotated[None, BeforeValidator(_is_gone)] = Field(
        default=None, deprecated=True, description="removed: write your own section instead"
    )
    interactive: Flag = Field(default=True, description="interactive charts in HTML")
    vocabulary: Vocabulary = Field(
        default="detection", description="vocabulary of the report; numbers do not change"
    )


class RunKeys(ConfigSection):
    """Where work runs; never changes a number."""

    executor: Literal["auto", "serial", "thread", "process", "dask"] = Field(
        default="auto", description="dask needs an address and the extra trial-reporting[dask]."
    )
    address: Text | None = Field(
        default=None,
        description="address of the Dask scheduler, such as tcp://host:8786; its workers are used",
    )
    workers: Annotated[int, Field(ge=1), PLAIN] | None = Field(
        default=None, description="number of workers; default: all cores"
    )
    folder: PathText | None = Field(
        default=None,
        description="folder for exchange between processes, relative to this file; every worker of a cluster"
        " must see it under the same path; default: the temporary folder",
    )
    cache: PathText | None = Field(
        default=None,
        description="cache folder, relative to this file: the next run computes only what is new",
    )
    cache_limit: Annotated[int, Field(ge=1), PLAIN] = Field(
        default=4096,
        description="megabytes that the cache may take; beyond, results not used for longest are deleted",
    )

    @model_validator(mode="after")
    def _can_run(self) -> Self:
        if self.executor == "dask" and self.address is None:
            raise fault("executor dask needs the address of its scheduler, such as tcp://host:8786")
        return self


def _by_its_name(word: Any) -> Any:
    """Refuse another name of a curve with its own: ``ece`` may also mean the calibration error."""
    if isinstance(word, str) and word not in CURVES and (meant := CURVES.meant(word)) in CURVES:
        raise fault(f"{quoted(word)} is not allowed; did you mean {meant!r}? (allowed: {listed(CURVES, 20)})")
    return word


if TYPE_CHECKING:
    CurveWord = str
else:
    CurveWord = Annotated[Literal[tuple(CURVES) or (None,)], BeforeValidator(_by_its_name)]


class ByColumn(NamedTuple):
    """A column of a breakdown, and the class whose trials it describes; empty: it describes all."""

    column: str
    of: str = ""

    @classmethod
    def read(cls, entry: Any) -> ByColumn:
        """Read a column, alone or as ``{column: class}``."""
        entry = {entry: ""} if isinstance(entry, str) else entry
        if (
            not isinstance(entry, dict)
            or len(entry) != 1
            or not all(isinstance(w, str) for w in entry.values())
        ):
            raise fault("expected a column, or a column and a class, such as {attack: nontarget}")
        ((column, of),) = entry.items()
        if not column:
            raise fault("expected the name of a column, found an empty text")
        return cls(column, of)

    def written(self) -> str | dict[str, str]:
        """Return the column as it is read."""
        return {self.column: self.of} if self.of else self.column


def _as_crossing(entry: Any) -> Any:
    entries = [entry] if isinstance(entry, (str, dict)) else entry
    if not isinstance(entries, list):
        return entries
    apart = ([{k: v} for k, v in each.items()] if isinstance(each, dict) else [each] for each in entries)
    return [column for columns in apart for column in columns]


def _each_once(crossing: list[ByColumn]) -> list[ByColumn]:
    for column in repeated(each.column for each in crossing):
        raise fault(f"{column!r} is given twice")
    return crossing


_OF_CLASS = {"type": "object", "additionalProperties": {"enum": [*get_args(OneClass)]}, "minProperties": 1}
_BY = {"anyOf": [SCALAR, _OF_CLASS]}
Crossing = Annotated[
    list[Annotated[ByColumn, PlainValidator(ByColumn.read), PlainSerializer(ByColumn.written)]],
    Field(min_length=1),
    BeforeValidator(_as_crossing),
    AfterValidator(_each_once),
    WithJsonSchema({"anyOf": [*_BY["anyOf"], {"type": "array", "items": _BY, "minItems": 1}]}),
]
NO_BREAKDOWN = ("model", "run", "split", "label", "score")


def _different(crossings: list[list[ByColumn]]) -> list[list[ByColumn]]:
    check_different([[each.column for each in crossing] for crossing in crossings])
    return crossings


def _of_one_class(crossings: list[list[ByColumn]], info: ValidationInfo) -> list[list[ByColumn]]:
    """A column describes all trials or those of one class throughout; a crossing knows one class at most."""
    of_column: dict[str, str] = {}
    folds = getattr(info.data.get("thresholds"), "column", None)
    spoofs = getattr(getattr(info.data.get("trials"), "values", None), "spoof", None)
    for crossing in crossings:
        for column, of in crossing:
            if of and of not in get_args(OneClass):
                raise fault(
                    f"{column}: expected target, nontarget or spoof, found {quoted(of)}{_class_of(of, info)}"
                )
            if column == ATTEMPT and spoofs:
                raise fault(
                    f"{ATTEMPT!r} is what values.spoof makes, and is broken down by without being named"
                )
            if of == "spoof" and not spoofs:
                raise fault(f"{column}: trials.values.spoof names no label, so no trial is a spoof")
            if of and column == folds:
                raise fault(f"{column!r} names the folds, in which trials of both classes are")
            if of_column.setdefault(column, of) != of:
                raise fault(
                    f"{column!r} is broken down in two ways; a column is of one class or of all trials"
                )
        if len(classes := {of for _, of in crossing if of}) > 1:
            raise fault(f"a crossing has columns of one class, found {' and '.join(sorted(classes))}")
    return crossings


def _class_of(word: str, info: ValidationInfo) -> str:
    """Guess which class a word means: as the labels of the table call it, or by its letters."""
    trials = info.data.get("trials")
    for of in get_args(OneClass):
        if trials is not None and word in (getattr(trials.values, of) or ()):
            return f"; {quoted(word)} is the {of} of trials.values"
    return did_you_mean(word, get_args(OneClass))


def _tells_trials_apart(column: str, info: ValidationInfo) -> str:
    """Models must agree on what is broken down by, and both classes must stay in a group."""
    trials = info.data.get("trials")
    if trials is not None:
        for name in NO_BREAKDOWN:
            if column == (getattr(trials.columns, name) or name):
                raise fault(f"{column!r} is the {name} of a row; expected a column that describes trials")
    return column


def _can_be_ignored(text: str) -> str:
    from reporting.features.codes import codes  # few configs ignore any

    key, every = text.strip().upper(), codes()
    if key not in every:
        by_name = {code.name: code.key for code in every.values()}
        guess = did_you_mean(key, [code.key for code in every.values() if code.can_be_ignored])
        guess = f"; did you mean {quoted(by_name[text])}?" if text in by_name else guess
        raise fault(f"{quoted(text)} is not a code{guess} `reporting explain` lists them all")
    if not every[key].can_be_ignored:
        raise fault(f"{key} ({every[key].title.lower()}) cannot be ignored; cautions, flags and statuses can")
    return key


@with_question_keys()
class Config(ConfigSection):
    """A report: its trials, its questions, its formats."""

    title: Text | None = Field(default=None, description="of the report; left out: the name of this file")
    trials: TrialsKeys = Field(description="the trial table")
    baseline: Text | None = Field(
        default=None,
        description="the model the others are compared with; left out: all pairs, or of more than 10 models"
        " their ranks",
    )
    models: study_keys.Models = Field(
        default_factory=dict,
        description="models in the report's order; only what needs saying; 'higher_is: nontarget', or"
        " '*: {higher_is: nontarget}', holds for every model whose own entry does not say otherwise",
    )
    profile: ProfileName | None = Field(
        default=None,
        description="the profession for which keys left out are filled in: "
        + "; ".join(f"{name}: {profile.about}" for name, profile in PROFILES.items()),
    )
    primary: study_keys.PrimaryQuestion = Field(
        default_factory=study_keys.PrimaryQuestion, description="the first question"
    )
    criteria: Annotated[list[CriterionName], DISTINCT] = Field(
        default=written(["min_hter", "eer"]),
        description="how the thresholds of measures at a threshold are chosen",
    )
    measures: Annotated[list[MeasureName], DISTINCT] = Field(
        default=written(["far", "frr", "hter", "eer_rocch", "auc", "mindcf"]),
        description="what is reported; quote a name with parameters: 'mindcf(p_target=0.01, c_miss=10)'",
    )
    operating_points: study_keys.OperatingPoints = Field(
        default=[], description="priors and costs of interest, or names of evaluations, such as SRE16"
    )
    thresholds: study_keys.ThresholdsKeys = Field(default_factory=study_keys.ThresholdsKeys)
    curves: Annotated[list[CurveWord], DISTINCT] = Field(
        default=[word for word in ("roc", "det") if word in CURVES], description="which curves are drawn"
    )
    epc: study_keys.EpcOrNone = Field(
        default_factory=study_keys.EpcKeys, description="expected performance curves; none leaves them out"
    )
    significance: study_keys.SignificanceKeys = Field(default_factory=study_keys.SignificanceKeys)
    by: Annotated[list[Crossing], AfterValidator(_different)] = Field(
        default=[],
        description="breakdowns by columns of the table; a list of columns is a crossing; {attack: nontarget}"
        " is a column that describes one class, each value against all trials of the other class",
    )
    across: AcrossEntries = Field(
        default=[],
        description="groups by columns of the table whose values are contrasted; a list of columns is a"
        " crossing, and a mapping names columns, reference, measures, alpha",
    )
    averaged_over: Text | None = Field(
        default=None,
        description="the column over whose values measures are averaged; also the cluster, where the"
        " table has none",
    )
    report: ReportKeys = Field(default_factory=ReportKeys)
    run: RunKeys = Field(default_factory=RunKeys)
    ignore: dict[Annotated[str, AfterValidator(_can_be_ignored)], Text] = Field(
        default_factory=dict,
        description="cautions to fold away, by code, each with the reason that is printed: {TR205: pilot}",
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_in_the_profile(cls, data: Any) -> Any:
        return with_profile(data)

    @field_validator("profile")
    @classmethod
    def _states_probabilities(cls, profile: str | None, info: ValidationInfo) -> str | None:
        if profile and PROFILES[profile].probabilities and {"models", "trials"} <= info.data.keys():
            shares = info.data["trials"].prevalence != "sample"
            states_probabilities(profile, info.data["models"], shares)
        return profile

    @field_validator("by")
    @classmethod
    def _broken_down_by_trials(
        cls, crossings: list[list[ByColumn]], info: ValidationInfo
    ) -> list[list[ByColumn]]:
        for crossing in crossings:
            for column, _ in crossing:
                _tells_trials_apart(column, info)
        return _of_one_class(crossings, info)

    @field_validator("across")
    @classmethod
    def _groups_of_trials(cls, entries: list[AcrossKeys], info: ValidationInfo) -> list[AcrossKeys]:
        of_class = {by.column: by.of for crossing in info.data.get("by", ()) for by in crossing}
        for entry in entries:
            for column in entry.columns:
                _tells_trials_apart(column, info)
                if of_class.get(column):
                    raise fault(f"{column!r} describes trials of one class in by; groups are of both classes")
        return entries

    @field_validator("averaged_over")
    @classmethod
    def _averaged_over_trials(cls, column: str | None, info: ValidationInfo) -> str | None:
        if any(
            column == each.column and each.of for crossing in info.data.get("by", ()) for each in crossing
        ):
            raise fault(f"{column!r} describes trials of one class in by; a mean is over groups of both")
        return column if column is None else _tells_trials_apart(column, info)

    @model_validator(mode="after")
    def _success_has_a_threshold(self) -> Self:
        """Refuse trials without labels whose primary question is none at a threshold that is given."""
        is_given, primary = "primary" in self.model_fields_set, self.primary
        is_fixed = primary.measure.over == "threshold" and not primary.criterion.needs_dev
        if not self.trials.has_labels and not (is_given and (is_fixed or primary.measure.of_grades)):
            raise fault(
                "trials without labels are all targets, and nothing chooses a threshold for them: name the"
                " score from which one is solved, as primary: {measure: recall, criterion:"
                " fixed(threshold=0.5)}, or compare mean scores, as primary: {measure: mean_score}"
            )
        return self


SCHEMA_ID = "urn:trial-reporting:config:1"
"""The name of the schema; its number rises where a config that was accepted no longer is."""


def json_schema() -> JsonSchemaValue:
    """Return the JSON Schema of the config, for editors."""
    schema = Config.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID} | schema
