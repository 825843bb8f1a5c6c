"""Configs by the grammar of the schema: every key, mostly what it allows, now and then something else."""

from __future__ import annotations

import functools
import gzip
import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from fits_of_questions import FITS

from reporting.app.config import schema
from reporting.base.contents import Contents, Parameter
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES
from tests.hostile.texts import PAYLOADS

TEXTS = list(PAYLOADS.values())
Value = Any
"""A value of a config: text, a list, a mapping, None."""

MODELS = ("a", "b", "c")
WORDS = {
    "trials.source": (
        "long.parquet",
        "long.csv",
        "long.ndjson",
        "*.csv",
        "long.{model}.csv",
        "no.csv",
        ".",
        "wide.csv",
    ),
    "trials.keys": ("keys.csv", "no.csv", "."),
    "trials.scores": MODELS,
    "trials.clusters.file": ("utt2spk", "utt2spk", "speakers.gz", "few", "long.csv", "no", "."),
    "trials.clusters.pattern": (
        "^(.)",
        "^s(.*)$",
        "([0-9]+)",
        "^(?:x|(.+))$",
        "(",
        "(.)(.)",
        "^x",
        "(a+)+$",
        "(" * 300,
        "(?<n>.)",
    ),
    "trials.clusters.name": ("speaker", "site", *TEXTS[:5]),
    "ignore": ("TR205", "TR201", "tr203", "TR301", "TR601", "TR999", "few_errors"),
    "trials.table": ("trials", "x y", 'a"b'),
    "trials.query": ("SELECT * FROM trials", "SELECT 1; DROP TABLE trials", "DELETE FROM trials"),
    "baseline": (*MODELS, "d"),
    "models": MODELS,
    "gates.model": (*MODELS, "*"),
    "gates.against": (*MODELS, "reference"),
    "gates.dataset": ("x", "y", "all"),
    "gates.group": ("gender=f", "channel=G,gender=f", "gender"),
    "thresholds.from": ("x", "y"),
    "by": ("gender", "channel", "subject", "score", "no"),
    "across": ("gender", "channel", "subject", "score", "no"),
    "averaged_over": ("gender", "channel", "subject", "trial"),
    "trials.weights.stratum": ("s", "t"),
    "trials.values.target": ("1", "true", "target", "0"),
    "trials.values.nontarget": ("0", "false", "rest", "1"),
    "trials.values.spoof": ("2", "0", "rest", "spoof"),
    "trials.values.dev": ("dev", "test", "x"),
    "trials.values.test": ("test", "dev", "x"),
    "report.templates": ("templates", "no", ".", "long.csv"),
    "history.store": ("store", "long.csv", "store/../store"),
    "history.as_of": ("2026-11-20", "2026-13-01", "20261120", "now"),
    "history.reference": ("2026-11-20", "abcdef"),
    "run.folder": (".", "no", "long.csv"),
    "run.cache": ("cache", "long.csv"),
    "run.executor": ("auto", "serial", "thread"),
    "run.address": ("nowhere", "tcp://"),
}
"""Values with a meaning, by the place of a key."""
COLUMNS = (
    "model",
    "run",
    "dataset",
    "split",
    "trial",
    "label",
    "score",
    "subject",
    "gender",
    "channel",
    "stratum",
    "no",
)
NUMBERS = ("0", "1", "2", "-1", "0.5", "1e-3", "1e400", "-1e-400", "nan", ".inf", "-.inf", "0x10", "0o7", "1_000",
           "9" * 400, "٣", "1.", ".5", "1e", "+1", "-0", "1,5", "½", "１", "2147483648", "9223372036854775808")  # fmt: skip
ODD = (
    "",
    "true",
    "no",
    "~",
    "null",
    "2026-11-20",
    "- ",
    "[",
    "{",
    "a: b",
    "12:30:45",
    "=",
    "<<",
    "%",
    "@x",
    "!t",
    "`",
)


def write_inputs(folder: Path) -> None:
    """Write what configs may name: one table in some layouts, and a folder of templates."""
    rows = [
        {
            "model": model, "run": run, "dataset": dataset, "split": split, "trial": f"{i:02}", "label": i % 2,
            "score": (i * 7 + 3 * k + int(run)) % 5 + i % 2, "subject": f"s{i % 6}", "gender": "fm"[i // 2 % 2],
            "channel": "GH"[i // 4 % 2], "stratum": "st"[i // 3 % 2],
        }
        for k, model in enumerate(MODELS)
        for run in "01"
        for dataset in "xy"
        for split in ("dev", "test")
        for i in range(16)
    ]  # fmt: skip
    table = pl.DataFrame(rows)
    table.write_parquet(folder / "long.parquet")
    table.write_csv(folder / "long.csv")
    table.write_ndjson(folder / "long.ndjson")
    for model in MODELS:
        table.filter(model=model).drop("model").write_csv(folder / f"long.{model}.csv")
    once = table.filter(run="0", dataset="x")
    wide = once.drop("run", "dataset").pivot("model", values="score")
    wide.write_csv(folder / "wide.csv")
    once.select("trial", "split", "label", "gender").unique(maintain_order=True).write_csv(
        folder / "keys.csv"
    )
    (folder / "templates").mkdir()
    lines = "".join(f"{i:02} s{i % 6}\ns{i % 6} g{i % 2}\n" for i in range(16))
    (folder / "utt2spk").write_text(lines)
    (folder / "speakers.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    (folder / "few").write_text(lines[:30])


def config_text(rng: random.Random) -> str:
    """Return the YAML text of a config: from one that means well to one that is damage."""
    writer = ConfigWriter(rng, strange=rng.choice((0.0, 0.0, 0.01, 0.05, 0.3)))
    text = yaml_text(writer.config(), rng, rng.random() < 0.1, rng.choice((0.0, 0.0, 0.0, 0.1)))
    return _damaged(text, rng) if rng.random() < 0.15 else text


def overrides(rng: random.Random) -> list[str]:
    """Return a few ``--set`` of a config, most of the time none."""
    if rng.random() < 0.85:
        return []
    paths = ("title", "trials.source", "significance.level", "measures.0", "models.a.name", 'models."a.b".scale',
             "gates.0.model", "", "=", ".", "a..b", '"', "run", "report.formats", "trials.columns.cluster")  # fmt: skip
    values = (*NUMBERS, *ODD, *TEXTS, "[html]", "{a: 1}", "[" * 300, "&a [*a]", "null")
    return [f"{rng.choice(paths)}={rng.choice(values)}".replace("\0", "") for _ in range(rng.randint(1, 3))]


@functools.cache
def _grammar() -> dict[str, Any]:
    return schema.json_schema()


class ConfigWriter:
    """Writes values that a schema allows; ``strange`` is the share of those that it does not."""

    def __init__(
        self, rng: random.Random, strange: float, words: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.rng, self.strange, self.words = rng, strange, {**WORDS, **(words or {})}

    def config(self) -> Value:
        """Return a config whose table can be found, and some other keys."""
        grammar = _grammar()
        few = self.rng.choice((1, 2, 4, 8, 30))
        names = [name for name in grammar["properties"] if name not in ("trials", "significance")]
        keys = self.rng.sample(names, min(few, len(names)))
        config = {name: self.value(grammar["properties"][name], name) for name in keys}
        config["significance"] = {"replicates": "99"} | self.some("significance", 0.3)
        config["trials"] = self.trials()
        return config

    def trials(self) -> Value:
        """Return where the table is: nine times of ten, one that is there."""
        if self.strange and self.rng.random() < 0.2:
            return self.value(_grammar()["properties"]["trials"], "trials")
        long: Value = {"source": self.rng.choice(("long.parquet", "long.csv", "long.ndjson"))}
        if self.rng.random() < 0.3:
            long["columns"] = {"cluster": self.rng.choice(("subject", ["subject", "gender"], "gender"))}
        if self.rng.random() < 0.15:
            one = self.some_at("trials.clusters", ("file",) if self.rng.random() < 0.6 else ("pattern",))
            long["clusters"] = one | (
                self.some_at("trials.clusters", ("name",)) if self.rng.random() < 0.5 else {}
            )
        if self.rng.random() < 0.1:
            return {"source": "wide.csv", "layout": "wide", "scores": list(MODELS)}
        if self.rng.random() < 0.2:
            some = self.some("trials", 1)
            elsewhere = ("source", "layout", "keys", "table", "query", "scores", "storage", "weights")
            long |= {key: some[key] for key in some if key not in elsewhere}
        return long

    def keys(self, share: float, names: Iterable[str]) -> dict[str, Value]:
        """Return some of these keys of the config."""
        grammar = _grammar()["properties"]
        return {name: self.value(grammar[name], name) for name in names if self.rng.random() < share}

    def some(self, name: str, share: float) -> dict[str, Value]:
        """Return some keys of a mapping, now and then."""
        some = self.value(_grammar()["properties"][name], name) if self.rng.random() < share else {}
        return some if isinstance(some, dict) else {}

    def some_at(self, path: str, names: Iterable[str]) -> dict[str, Value]:
        """Return keys of a mapping at a place, each one of its words."""
        return {name: self._text(f"{path}.{name}") for name in names}

    def value(self, grammar: dict[str, Any], path: str) -> Value:
        """Return a value at a place of the config."""
        if self.rng.random() < self.strange:
            return self.odd(2)
        if "$ref" in grammar:
            grammar = _grammar()["$defs"][grammar["$ref"].rpartition("/")[2]]
        if "anyOf" in grammar:
            some = [one for one in grammar["anyOf"] if one.get("type") != "null" or self.rng.random() < 0.1]
            return self.value(self.rng.choice(some or grammar["anyOf"]), path)
        for key, write in self._kinds().items():
            if key in grammar:
                return write(grammar, path)
        return self._of_type(grammar, path)

    def _kinds(self) -> dict[str, Callable[[dict[str, Any], str], Value]]:
        return {
            "enum": lambda grammar, path: self._word(grammar["enum"], path),
            "const": lambda grammar, path: str(grammar["const"]),
            "properties": self._mapping,
            "pattern": lambda grammar, path: self._call(path),
        }

    def _of_type(self, grammar: dict[str, Any], path: str) -> Value:
        kinds = grammar.get("type", "string")
        kind = kinds[0] if isinstance(kinds, list) else kinds
        if kind == "object":
            names = [self._text(path) for _ in range(self.rng.randint(1, 3))]
            return {name: self.value(grammar["additionalProperties"], path) for name in names}
        if kind == "array":
            least, most = grammar.get("minItems", 1), grammar.get("maxItems", 4)
            values = [self.value(grammar["items"], path) for _ in range(self.rng.randint(least, most))]
            return (
                values if self.strange else [one for at, one in enumerate(values) if one not in values[:at]]
            )
        if kind in ("number", "integer"):
            return self._number(grammar, kind)
        if kind == "boolean":
            return self.rng.choice(("true", "false"))
        return None if kind == "null" else self._text(path)

    def _mapping(self, grammar: dict[str, Any], path: str) -> Value:
        needed = grammar.get("required", [])
        keys = [key for key in grammar["properties"] if key in needed or self.rng.random() < 0.15]
        written = {key: self.value(grammar["properties"][key], f"{path}.{key}") for key in keys}
        if self.rng.random() < self.strange:
            written[self.rng.choice(TEXTS)] = self.odd(1)
        if path == "gates" and self.rng.random() >= self.strange:
            bounds = ("better", "better_by", "not_worse_by", "at_most", "at_least")
            kept = {key: written[key] for key in written if key not in (*bounds, "against", "measure")}
            against: Value = {"measure": "hter", "against": self.words["models"][0], "not_worse_by": "0.1"}
            limit: Value = {"measure": "hter", "at_most": "0.5"}
            return kept | self.rng.choice((limit, {"measure": "f1", "at_least": "0.1"}, against))
        if path == "operating_points" and self.rng.random() >= self.strange:
            written |= {"p_target": "0.1"}
        return written

    def _number(self, grammar: dict[str, Any], kind: str) -> str:
        low = grammar.get("minimum", grammar.get("exclusiveMinimum", 0))
        high = grammar.get("maximum", grammar.get("exclusiveMaximum", low + 100))
        if kind == "integer":
            return str(self.rng.choice((low, high, self.rng.randint(low, min(high, low + 50)))))
        if "exclusiveMinimum" in grammar and self.rng.random() >= self.strange:
            return repr(self.rng.uniform(low, min(high, 1.0)) or 0.5)
        return repr(self.rng.choice((low, high, self.rng.uniform(low, min(high, 1.0)), 0.5)))

    def _word(self, words: list[str], path: str) -> str:
        word = self.rng.choice(WORDS.get(path, words) if path == "run.executor" else words)
        return word if word != "pdf" else "html"

    def _text(self, path: str) -> str:
        if self.rng.random() < self.strange:
            return self.rng.choice(TEXTS)
        if path.startswith("trials.columns."):
            return self.rng.choice(COLUMNS)
        for place, words in self.words.items():
            if path == place or path.startswith(f"{place}."):
                return self.rng.choice(words)
        return self.rng.choice(("t", "A title", *self.words["models"], *TEXTS))

    def _call(self, path: str) -> str:
        """Return a measure, criterion or fit with parameters."""
        named = self.rng.choice(list(_contents(path).values()))
        some = [one for one in named.parameters if self.rng.random() < 0.6]
        given = [f"{one.name}={self._parameter(one)}" for one in some]
        call = f"{named.key}({', '.join(given)})"
        if _contents(path) is CRITERIA and self.rng.random() < 0.1:
            call = f"oracle({call})"
        broken = (
            call[:-1],
            f"{call})",
            f"((({call})))",
            f"{named.key}(x=1)",
            f"{named.key}(,)",
            f"{call}{call}",
        )
        return self.rng.choice(broken) if self.rng.random() < self.strange else call

    def _parameter(self, parameter: Parameter) -> str:
        if self.rng.random() < self.strange:
            return self.rng.choice((*NUMBERS, "", "far(", "hter", *TEXTS))
        if isinstance(parameter.default, bool):
            return self.rng.choice(("true", "false"))
        if parameter.words and (not parameter.numeric or self.rng.random() < 0.5):
            return self.rng.choice(parameter.words)
        if parameter.read is not None:
            return self.rng.choice(("far", "frr", "hter", "f1", "precision", "recall", "accuracy"))
        low, high = max(parameter.low, -9.0), min(parameter.high, 99.0)
        if parameter.whole:
            return str(self.rng.randint(math.ceil(low), math.floor(high)))
        return repr(self.rng.choice((low, high, self.rng.uniform(low, high), (low + high) / 2)))

    def odd(self, depth: int) -> Value:
        """Return something of another kind."""
        kind = self.rng.random()
        if depth and kind < 0.2:
            return [self.odd(depth - 1) for _ in range(self.rng.randint(0, 3))]
        if depth and kind < 0.4:
            return {
                self.rng.choice((*TEXTS, *COLUMNS)): self.odd(depth - 1)
                for _ in range(self.rng.randint(0, 3))
            }
        return self.rng.choice((None, *NUMBERS, *ODD, *TEXTS, *WORDS))


def _contents(path: str) -> Contents[Any]:
    """Return what a name at a place of the config may be."""
    last = path.rpartition(".")[2]
    if last in ("criteria", "criterion"):
        return CRITERIA
    return FITS if last == "fits" else MEASURES


def yaml_text(value: Value, rng: random.Random, aliases: bool = False, bare: float = 0.0) -> str:
    """Write a value as YAML, in one of several spellings; ``bare`` is the share of texts that lack quotes."""
    spelling = _Spelling(rng, aliases, bare)
    if not isinstance(value, dict) or rng.random() < 0.1:
        return spelling.flow(value) + "\n"
    return "".join(f"{spelling.text(key)}: {spelling.flow(below)}\n" for key, below in value.items())


class _Spelling:
    """Values as YAML writes them between brackets, with anchors and aliases where wanted."""

    def __init__(self, rng: random.Random, aliases: bool, bare: float) -> None:
        self.rng, self.aliases, self.bare, self.anchors = rng, aliases, bare, 0

    def flow(self, value: Value) -> str:
        if self.aliases and self.rng.random() < 0.1:
            if self.anchors and self.rng.random() < 0.5:
                return f"*x{self.rng.randint(1, self.anchors)} "
            self.anchors += 1
            return f"&x{self.anchors} {self._plain(value)}"
        if self.aliases and self.rng.random() < 0.03:
            return f"{self.rng.choice(('!!str', '!!python/name:os.system', '!x', '!!set', '!!binary'))} {self._plain(value)}"
        return self._plain(value)

    def _plain(self, value: Value) -> str:
        if isinstance(value, dict):
            return (
                "{" + ", ".join(f"{self.text(key)}: {self.flow(below)}" for key, below in value.items()) + "}"
            )
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow, value)) + "]"
        return "null" if value is None else self.text(value)

    def text(self, text: str) -> str:
        if text.replace("_", "").replace(".", "").isalnum() and text.isascii():
            return text if self.rng.random() < 0.8 else f"'{text}'"
        if self.rng.random() < self.bare:
            return text  # whatever that means
        return json.dumps(text, ensure_ascii=self.rng.random() < 0.9)


def _damaged(text: str, rng: random.Random) -> str:
    """Return the text with something done to it that an editor, a merge or an enemy may do."""
    at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    depth = rng.choice((20, 100, 600, 3000, 50_000))
    levels = rng.randint(3, 12)
    bomb = "".join(
        f"l{k}: &l{k} [{', '.join([f'*l{k - 1}'] * 9 if k else ['x'] * 9)}]\n" for k in range(levels)
    )
    return rng.choice(
        (
            text[:at],
            text[:at] + text[end:],
            text[:at]
            + rng.choice((*ODD, *TEXTS, "\t", "\0", "\ufeff", "\x85", "&a", "*a", "? ", ": "))
            + text[at:],
            text + text,
            text.replace("\n", "\r"),
            "\ufeff" + text.replace("\n", "\r\n"),
            f"---\n{text}---\n{text}",
            f"title: {'[' * depth}\n{text}",
            f"title: {'[' * depth}{']' * depth}\n{text}",
            f"title: {'{a: ' * depth}1{'}' * depth}\n{text}",
            "".join(f"{' ' * k}a:\n" for k in range(min(depth, 600))) + text,
            bomb + text,
            f"title: &a [*a]\n{text}",
            f"title: {'x' * 10 * depth}\n{text}",
            f"models: {{{', '.join(f'm{k}: {{}}' for k in range(depth // 10))}}}\n{text}",
            f"{'#' * depth}\n{text}",
            f"measures: [{', '.join(['hter'] * (depth // 10))}]\n{text}",
            f"measures: ['{'oracle(' * depth}hter{')' * depth}']\n{text}",
            f"criteria: ['weighted(v1={'far' * depth}, v2=frr, alpha=.5)']\n{text}",
            text.replace("99", "9" * 5000),
        )
    )
