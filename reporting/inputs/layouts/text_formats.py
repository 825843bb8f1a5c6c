"""The field's text formats: lines split into fields, under the names that the table uses.

Compressed files are read too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import polars as pl

from reporting.base.records import dataclass, field, replace
from reporting.errors import UnreadableError, did_you_mean, instead, listed, quoted, refuse, repeated
from reporting.inputs.files import UNREADABLE, first_line, open_file
from reporting.inputs.formats.catalogue import word_of
from reporting.inputs.formats.copies import plain
from reporting.inputs.layouts.keyed import Keyed
from reporting.inputs.layouts.raw import LayoutRows, Opened, Raw, path_values, size_of, source_name
from reporting.inputs.spec import TRUE_WORDS, File, InMemory, Layout, Source, TrialSpec, readable
from reporting.inputs.values import are_numbers, is_number

Shape = tuple[str, ...]
"""What the fields of a line are called; "" is not kept."""

BLANKS = " \t\r\n\f\v"
FIELD = f"[^{BLANKS}]+"
SHOWN = 3


@dataclass(frozen=True, eq=False)
class Lines:
    """The lines of a file that are not blank: ``at`` (from 1) and ``fields``, a list of texts; lazy."""

    source: Source
    shape: Shape
    rows: pl.LazyFrame

    def columns(self) -> pl.LazyFrame:
        """Return a text column for every field that has a name, and one for all that the path gives."""
        values = path_values(self.source)
        twice = [quoted(name) for name in values if name in self.shape]
        if twice:
            raise UnreadableError(
                f"{source_name(self.source)}: {listed(twice)} is both in the file and in its path"
            )
        return self.rows.select(
            *(_field(self.shape, name).alias(name) for name in self.shape if name),
            *(pl.lit(text).alias(name) for name, text in values.items()),
        )

    def faults(self, score: str | None = None) -> list[str]:
        """Read all lines; report those of another number of fields, and scores that are not numbers."""
        rules = {f"have not {_fields_of(self.shape)}": pl.col("fields").list.len() != len(self.shape)}
        if score:
            text = _field(self.shape, score)
            rules["hold a score that is not a number"] = text.is_not_null() & ~is_number(text)
        first = [pl.col("at").filter(bad).min().alias(what) for what, bad in rules.items()]
        numbers = [bad.sum().alias(f"n {what}") for what, bad in rules.items()]
        counted = _collected(self.source, self.rows.select(pl.len(), *first, *numbers)).row(0, named=True)
        if not counted["len"]:
            return [f"{source_name(self.source)}: it holds no lines"]
        faults = []
        for what in (what for what in rules if counted[what] is not None):
            fields = _collected(self.source, self.rows.filter(pl.col("at") == counted[what]))["fields"][0]
            faults.append(
                f"{source_name(self.source)}: {counted[f'n {what}']} of {counted['len']} lines {what}; first"
                f" line {counted[what]}, {quoted(' '.join(fields))}"
            )
        return faults


def cut(source: Source, shapes: Sequence[Shape], head: Shape = ()) -> Lines:
    """Split lines at blanks; the first one decides which of the shapes the file has.

    ``head`` holds the names of fields as some files have them in their first line, which is no row then.
    """
    rows = _lines(source, pl.col("line").str.extract_all(FIELD))
    if head:
        rows = rows.filter(pl.col("fields") != pl.lit(list(head), dtype=pl.List(pl.String)))
    by_width = {len(shape): shape for shape in reversed(shapes)}
    n = len(first_fields(source, rows))
    if n and n not in by_width:
        raise UnreadableError(
            f"{source_name(source)}: its first line has {n} fields; expected are"
            f" {' or '.join(map(_fields_of, shapes))}"
        )
    return Lines(source, by_width.get(n, shapes[0]), rows)


def cut_labelled(source: Source, shapes: Sequence[Shape], head: Shape = ()) -> Lines:
    """Split lines at blanks; of shapes of one width, the first lines show which field is the score.

    UnreadableError where two fields could be, or none. The score is a number in all of them; the other field
    is a label, so a word, or 1 or 0.
    """
    lines = cut(source, shapes, head)
    likely = [shape for shape in shapes if len(shape) == len(lines.shape)]
    if len(likely) < 2:
        return lines
    rows = list(_collected(source, lines.rows.head(FIRST))["fields"])
    fitting = [shape for shape in likely if _is_labelled(shape, rows)]
    if len(fitting) != 1:
        raise UnreadableError(
            f"{source_name(source)}: its first line is {quoted(' '.join(rows[0]))}, and"
            f" {'two fields' if fitting else 'no field'} could be the score; expected are"
            f" {' or '.join(map(' '.join, likely))}"
        )
    return replace(lines, shape=fitting[0])


FIRST = 400
"""Lines that show which field is which."""


def _is_labelled(shape: Shape, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the fields that a shape calls score and label can be these."""
    held = [row for row in rows if len(row) == len(shape)]
    label, score = ([row[shape.index(name)] for row in held] for name in ("label", "score"))
    is_word = {*label} <= ONE_OR_ZERO or not any(are_numbers([text]) for text in {*label})
    return bool(held and are_numbers(score) and is_word)


ONE_OR_ZERO = {"1", "0", "1.0", "0.0"}


def cut_at_tabs(source: Source) -> Lines:
    """Split lines at tabs; the first one names the fields."""
    rows = _lines(source, pl.col("line").str.strip_suffix("\r").str.split("\t"))
    names = tuple(first_fields(source, rows))
    if twice := sorted(map(quoted, repeated(names))):
        raise UnreadableError(
            f"{source_name(source)}: column {listed(twice)} occurs more than once in the header"
        )
    header = _collected(source, rows.select(pl.col("at").min())).item()
    return Lines(source, names, rows.filter(pl.col("at") > (header or 0)))


def first_fields(source: Source, rows: pl.LazyFrame) -> list[str]:
    """Return the fields of the first line; none in an empty file."""
    head = _collected(source, rows.head(1))["fields"]
    return list(head[0]) if len(head) else []


def _lines(source: Source, fields: pl.Expr) -> pl.LazyFrame:
    if isinstance(source, InMemory):
        raise UnreadableError(f"{source.name}: this layout is one of text files, not of tables in memory")
    lines = pl.scan_lines(
        plain(source.path), name="line", row_index_name="at", row_index_offset=1, glob=False
    )
    lines = lines.with_columns(pl.col("line").str.strip_prefix("\ufeff"))  # a byte order mark
    return lines.filter(pl.col("line").str.strip_chars(BLANKS) != "").select("at", fields.alias("fields"))


def _field(shape: Shape, name: str) -> pl.Expr:
    return pl.col("fields").list.get(shape.index(name), null_on_oob=True)


def _fields_of(shape: Shape) -> str:
    return f"{len(shape)} fields ({' '.join(name or '...' for name in shape)})"


def _collected(source: Source, query: pl.LazyFrame) -> pl.DataFrame:
    try:
        return query.collect(engine="streaming")
    except UNREADABLE as error:
        raise UnreadableError(f"{source_name(source)}: cannot be read: {first_line(error)}") from None


@dataclass(frozen=True)
class TextLayout:
    """A format of key files and score files; ``trial``: the fields that are the key, with blanks between."""

    trial: Shape
    keys: Callable[[Source], Lines]
    scores: Callable[[Source], Lines]
    label: str = "label"
    score: str = "score"
    words: Mapping[str, str] = field(default_factory=dict)
    """The format's own labels, and what they mean where the config has no ``values``."""

    def rows(self, spec: TrialSpec) -> LayoutRows:
        """Return the rows of score files, with the labels of key files, or their own without these."""
        if spec.keys:
            return Keyed(self.open_keys, self.open_scores).rows(spec)
        return labelled_rows(spec, self._open_labelled)

    def _open_labelled(self, spec: TrialSpec, source: Source) -> Opened:
        opened = self.open_scores(spec, source)
        if spec.column("label") not in opened.rows.collect_schema():
            raise UnreadableError(
                f"{opened.name}: it holds scores without labels; name the files of the labels in trials.keys"
            )
        return opened

    def open_keys(self, spec: TrialSpec, source: Source) -> Opened:
        """Open a list of trials with their labels."""
        return self._opened(spec, self.keys(source), self.label, None)

    def open_scores(self, spec: TrialSpec, source: Source) -> Opened:
        """Open a file of scores."""
        lines = self.scores(source)
        label = self.label if self.label in lines.shape else None
        return self._opened(spec, lines, label, self.score)

    def _opened(self, spec: TrialSpec, lines: Lines, label: str | None, score: str | None) -> Opened:
        columns = []
        if {*self.trial} <= {*lines.shape}:
            columns.append(pl.concat_str(self.trial, separator=" ").alias(spec.column("trial")))
        if label:
            text = pl.col(label)
            if self.words and spec.values.target == TRUE_WORDS:
                text = text.replace(dict(self.words))
            columns.append(text.alias(spec.column("label")))
        if score:
            columns.append(pl.col(score).alias(spec.column("score")))
        return Opened(lines.source, lines.columns().with_columns(columns), lambda: lines.faults(score))


PAIR = ("enroll", "test")
KALDI_SCORES = (
    (*PAIR, "score"),
    (*PAIR, "score", "label"),
    (*PAIR, "label", "score"),
    ("score", "label"),
    ("label", "score"),
)
KALDI = TextLayout(PAIR, partial(cut, shapes=[(*PAIR, "label")]), partial(cut_labelled, shapes=KALDI_SCORES))
"""The layout ``kaldi``: trials and scores as the recipes of the Kaldi toolbox and of its heirs write them.

Key files, ``trials`` there, have lines ``enroll test target|nontarget``; score files ``enroll test score``.
Score files that hold the labels need no key files: ``enroll test score label`` (WeSpeaker), ``enroll test
label score`` (SpeechBrain), or ``score label`` alone, as Kaldi's compute-eer reads them, in either order;
the trials of the last have no keys. Columns for clusters and breakdowns: enroll, test.
"""

NIST_TRIAL = ("modelid", "segmentid", "side")
NIST_OTHERWISE = {"segment": "segmentid"}
"""Names of other years."""


def _nist_table(source: Source, value: str) -> Lines:
    lines = cut_at_tabs(source)
    if "segmentid" not in lines.shape:
        lines = replace(lines, shape=tuple(NIST_OTHERWISE.get(name, name) for name in lines.shape))
    faults = [
        f"{source_name(source)}: column {name!r} is missing{did_you_mean(name, lines.shape)}"
        f" (found: {listed(lines.shape)}; expected is a header, and tabs between columns)"
        for name in (*NIST_TRIAL, value)
        if name not in lines.shape
    ]
    refuse(faults, UnreadableError)
    return lines


NIST = TextLayout(
    NIST_TRIAL,
    partial(_nist_table, value="targettype"),
    partial(_nist_table, value="LLR"),
    label="targettype",
    score="LLR",
)
"""The layout ``nist``: keys and scores of the NIST speaker recognition evaluations since 2016.

Both are separated by tabs and have a header. Key files hold modelid, segmentid (segment in 2016), side,
targettype (target or nontarget), and further columns such as gender, all of which serve clusters and
breakdowns; score files hold modelid, segmentid, side and LLR.
"""

SCORE_FIRST, SCORE_LAST = ("score", *PAIR), (*PAIR, "score")


def _voxsrc_scores(source: Source) -> Lines:
    """Split a file of scores; DataError where two fields could be the score, or none."""
    lines = cut(source, [SCORE_FIRST])
    fields = first_fields(source, lines.rows)
    numbers = [are_numbers([field]) for field in fields]
    if fields and numbers[0] == numbers[-1]:
        numeric = "both its first and its last field are" if numbers[0] else "neither end of it is"
        raise UnreadableError(
            f"{source_name(source)}: its first line is {quoted(' '.join(fields))}, and {numeric} a number;"
            f" expected are {' '.join(SCORE_FIRST)}, or {' '.join(SCORE_LAST)}"
        )
    return replace(lines, shape=SCORE_LAST if fields and numbers[-1] else SCORE_FIRST)


VOXSRC = TextLayout(PAIR, partial(cut, shapes=[("label", *PAIR)]), _voxsrc_scores)
"""The layout ``voxsrc``: lists and scores as in the VoxCeleb speaker recognition challenges.

Key files have lines ``label enroll test``, where label is 1 or 0; score files ``score enroll test``, or
``enroll test score``: the first line shows by which of its fields is a number. Columns for clusters and
breakdowns: enroll, test.
"""

PHYSICAL = ("speaker", "utterance", "environment", "attack", "label")
LOGICAL = ("speaker", "utterance", "codec", "transmission", "attack", "label", "trim", "subset")
DEEPFAKE = ("speaker", "utterance", "codec", "corpus", "attack", "label", "trim", "subset", "vocoder")
FIFTH = ("speaker", "utterance", "gender", "codec", "quality", "seed", "condition", "attack", "label", "")
ASVSPOOF_PROTOCOLS = (PHYSICAL, LOGICAL, (*DEEPFAKE, "", "", "", ""), FIFTH)
ASVSPOOF_SCORES = (("utterance", "score"), ("utterance", "attack", "label", "score"))
ASVSPOOF_HEAD = ("filename", "cm-score")
ASVSPOOF = TextLayout(
    ("utterance",),
    partial(cut, shapes=ASVSPOOF_PROTOCOLS),
    partial(cut_labelled, shapes=ASVSPOOF_SCORES, head=ASVSPOOF_HEAD),
    words={"bonafide": "target", "spoof": "nontarget"},
)
"""The layout ``asvspoof``: protocols and scores of countermeasures, ASVspoof challenges 2019, 2021 and 5.

A line of a protocol is a trial: ``speaker utterance environment attack bonafide|spoof`` (2019; the
environment is ``-`` for logical access), ``speaker utterance codec transmission attack bonafide|spoof trim
subset`` (2021, logical access), or the 13 fields of 2021's deepfakes: ``speaker utterance codec corpus attack
bonafide|spoof trim subset vocoder`` and four that are not kept, or the 10 of ASVspoof 5: ``speaker utterance
gender codec quality seed condition attack bonafide|spoof`` and one that is not kept. Score files have lines
``utterance score``, below the names ``filename cm-score`` or not; or ``utterance attack bonafide|spoof
score``, which need no protocol. Bona fide speech is the target. All fields of the protocol serve clusters and
breakdowns by the names above.
"""

TEXT_LAYOUTS: Mapping[Layout, TextLayout] = {
    "kaldi": KALDI,
    "nist": NIST,
    "voxsrc": VOXSRC,
    "asvspoof": ASVSPOOF,
}
"""By the word of the config."""


BOB_FOUR = ("claimed_id", "real_id", "probe_label", "score")
BOB_FIVE = ("claimed_id", "model_id", "real_id", "probe_label", "score")
"""The layout ``bob``: score files of the bob toolbox's biometric packages, which hold labels and scores.

A line has 4 fields, ``claimed_id real_id probe_label score``, or 5, ``claimed_id model_id real_id
probe_label score``, between blanks. A trial is a target where both identities are the same; its key is the
model, or in 4 fields the claimed identity, and the probe. Paths say model and split. Tables of CSV hold
``bio_ref_subject_id``, ``probe_subject_id`` and ``score``, and are read by the names of their columns.
"""


BOB_TABLE = ("bio_ref_subject_id", "probe_subject_id", "score")
"""The columns that a table of bob.bio.base, a CSV file, has in any case."""
BOB_REFERENCES = ("bio_ref_template_id", "bio_ref_subject_id")
BOB_PROBES = ("probe_key", "probe_template_id", "probe_subject_id")
"""The columns whose first is one half of the key of a trial."""


def bob_rows(spec: TrialSpec) -> LayoutRows:
    """Return the rows of every score file; the fields are columns for clusters and ``by``.

    Their faults are lines of another number of fields, and scores that are not numbers.
    """
    return labelled_rows(spec, _bob_file)


def labelled_rows(spec: TrialSpec, opener: Callable[[TrialSpec, Source], Opened]) -> LayoutRows:
    """Return the rows of files that hold both labels and scores."""
    column = spec.column("model")
    files = [opener(spec, source) for source in readable(spec.sources)]
    return LayoutRows(
        [
            Raw(file.name, file.rows, path_values(file.source).get(column), size=size_of(file.source))
            for file in files
        ],
        lambda: [fault for file in files for fault in file.faults()],
    )


def _bob_file(spec: TrialSpec, source: Source) -> Opened:
    if isinstance(source, File) and word_of(source.path.name) in ("csv", "tsv"):
        return _bob_table(spec, source)
    lines = cut(source, (BOB_FOUR, BOB_FIVE))
    template = "model_id" if lines.shape == BOB_FIVE else "claimed_id"
    rows = lines.columns().with_columns(
        pl.concat_str(template, "probe_label", separator=" ").alias(spec.column("trial")),
        _bob_label(spec, pl.col("claimed_id") == pl.col("real_id")),
        pl.col("score").alias(spec.column("score")),
    )
    return Opened(source, rows, lambda: lines.faults("score"))


def _bob_table(spec: TrialSpec, source: File) -> Opened:
    """Open a table with a header; its key is the template, or the subject, and the probe."""
    rows = open_file(source, replace(spec.reading, names=frozenset((*BOB_REFERENCES, *BOB_PROBES))))
    names = rows.collect_schema().names()
    faults = [
        f"{source_name(source)}: column {quoted(name)} is missing{instead(name, names)}"
        for name in BOB_TABLE
        if name not in names
    ]
    refuse(faults, UnreadableError)
    ours, theirs = (next(name for name in likely if name in names) for likely in (BOB_REFERENCES, BOB_PROBES))
    reference, probe, score = BOB_TABLE
    return Opened(
        source,
        rows.with_columns(
            pl.concat_str(ours, theirs, separator=" ").alias(spec.column("trial")),
            _bob_label(spec, pl.col(reference) == pl.col(probe)),
            pl.col(score).alias(spec.column("score")),
        ),
    )


def _bob_label(spec: TrialSpec, genuine: pl.Expr) -> pl.Expr:
    target, others = spec.values.target[0], spec.values.nontarget
    nontarget = others[0] if isinstance(others, tuple) else "nontarget"
    return pl.when(genuine).then(pl.lit(target)).otherwise(pl.lit(nontarget)).alias(spec.column("label"))
