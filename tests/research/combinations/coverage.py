"""Which keys of the config the seeds reach: every leaf of the schema, words of a choice, and pairs of keys."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tests.research.combinations.generator import chosen_features, drafted

Node = dict[str, Any]
FEW = 30
"""Choices of so many words are leaves each; measures are counted by ``named`` instead."""
LEFT_OUT = {
    "trials.storage.*": "needs an object store",
    "run.executor=dask": "needs a scheduler",
    "run.address": "needs a scheduler",
}
"""Leaves that no seed can reach on one machine, and why."""
NAMES_LEFT_OUT = {"zero_fmr.far": "has one value", "zero_fmr.how": "has one value"}
FOR_LABELS = (
    *(
        "abstention",
        "alerts",
        "classes",
        "across",
        "averaged_over",
        "by",
        "epc",
        "fits",
        "handover",
        "learning.folds",
        "learning.training",
        "models.scale",
        "profile",
        "gates.always_valid",
        "gates.independent",
    ),
    *(
        "gates.at_most",
        "gates.group",
        "gates.dataset",
        "thresholds.column",
        "thresholds.folds",
        "thresholds.from",
    ),
    *("thresholds.threshold_at", "thresholds.ties", "trials.clusters", "trials.columns", "trials.values"),
    *(
        "trials.weights",
        "trials.reading",
        "trials.keys",
        "trials.scores",
        "trials.table",
        "trials.query",
        "trials.paired",
        "trials.runs",
    ),
)
"""Keys, or how they begin, that evaluation logs have no use for: every trial is a target, and none is chosen on."""
IMPOSSIBLE = {
    "trials.metric": FOR_LABELS,
    "classes.column": ("classes.scores", "trials.scores"),
    "classes.one_vs_rest": ("classes.scores", "trials.scores", "trials.table", "trials.query"),
    "trials.keys": ("trials.scores", "trials.table", "trials.query", "trials.paired", "classes"),
    "trials.paired": ("trials.scores", "trials.weights", "classes"),
    "trials.query": ("trials.table",),
    "trials.reading": ("trials.query", "trials.table", "trials.paired"),
    "thresholds.from": ("thresholds.column", "thresholds.folds"),
    "abstention": ("thresholds.column", "thresholds.folds"),
    "report.passport": (
        "averaged_over",
        "trials.metric",
        "trials.paired",
    ),
    "learning": ("averaged_over", "trials.paired"),
    "learning.folds": ("thresholds.column",),
    "report.recompute": ("trials.metric",),
    "handover": ("thresholds.column", "thresholds.folds", "trials.weights"),
}
"""Pairs that a config refuses, or that have no meaning together."""
AT_LEAST = 20


class Reached(NamedTuple):
    """How many combinations have each leaf, name, and pair of keys."""

    n: int
    leaves: Counter[str]
    names: Counter[str]
    pairs: Counter[tuple[str, str]]


def reached(first: int, n: int) -> Reached:
    """Draw ``n`` combinations, and count what they reach; nothing is written or run."""
    leaves: Counter[str] = Counter()
    named: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for seed in range(first, first + n):
        config = drafted(chosen_features(seed), seed).config
        leaves.update(set(leaves_of(config)))
        named.update(names_of(config))
        pairs.update(itertools.combinations(sorted(keys_of(config)), 2))
    return Reached(n, leaves, named, pairs)


def leaves_of(config: Node) -> Iterator[str]:
    """Yield the leaves of the schema that a config reaches."""
    yield from (leaf for leaf, _ in _walked(_schema(), config, ""))


@functools.cache
def _schema() -> Node:
    from reporting.app.config.schema import json_schema

    return json_schema()


def all_leaves() -> list[str]:
    """Return the leaves of the schema."""
    found = dict.fromkeys(_leaves(_schema(), ""))
    return [leaf for leaf in found if leaf not in LEFT_OUT]


def _of(node: Node) -> Node:
    """Return what a node of the schema refers to."""
    while "$ref" in node:
        node = _schema()["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _leaves(node: Node, path: str) -> Iterator[str]:
    node = _of(node)
    if node.get("deprecated") or node.get("type") == "null":
        return
    if "anyOf" in node:
        for one in node["anyOf"]:
            yield from _leaves(one, path)
    elif "properties" in node:
        for key, below in node["properties"].items():
            yield from _leaves(below, f"{path}.{key}" if path else key)
    elif node.get("type") == "array":
        yield from _leaves(node["items"], f"{path}[]")
    elif node.get("type") == "object":
        yield from _leaves(node["additionalProperties"], f"{path}.*")
    elif "enum" in node or "const" in node:
        words = node.get("enum", [node.get("const")])
        named = len(words) >= FEW or _is_of_names(path)
        yield from [path] if named else [f"{path}={word}" for word in words]
    else:
        yield path


def _is_of_names(path: str) -> bool:
    """Return whether a place takes measures, criteria or fits, which are counted by their names."""
    last = path.removesuffix("[]").rpartition(".")[2]
    return (
        last in ("measure", "criterion", "measures", "criteria", "fits", "columns") and "trials" not in path
    )


def _walked(node: Node, value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a value."""
    node = _of(node)
    if "anyOf" in node:
        fitting = [one for one in map(_of, node["anyOf"]) if _fits(one, value)]
        for one in fitting[:1]:
            yield from _walked(one, value, path)
    elif isinstance(value, dict) and "properties" in node:
        for key, below in value.items():
            yield from _walked(node["properties"][key], below, f"{path}.{key}" if path else key)
    elif isinstance(value, dict):
        for below in value.values():
            yield from _walked(node["additionalProperties"], below, f"{path}.*")
    elif isinstance(value, list):
        for below in value:
            yield from _walked(node["items"], below, f"{path}[]")
    elif (("enum" in node and len(node["enum"]) < FEW) or "const" in node) and not _is_of_names(path):
        yield f"{path}={value}", value
    else:
        yield path, value


def _fits(node: Node, value: Any) -> bool:
    """Return whether one of several shapes is that of a value."""
    if "anyOf" in node:
        return any(_fits(_of(one), value) for one in node["anyOf"])
    if "enum" in node or "const" in node:
        return value in node.get("enum", [node.get("const")])
    if isinstance(value, dict):
        return "properties" in node or node.get("type") == "object"
    if isinstance(value, list):
        return node.get("type") == "array"
    kinds = node.get("type", "string")
    if kinds in ("object", "array", "null"):
        return False
    return not (isinstance(value, str) and kinds in ("number", "integer", "boolean"))


def names_of(config: Node) -> set[str]:
    """Return the measures, criteria and fits that a config names, and their parameters, at each kind of place."""
    texts = _texts(
        config.get(key) for key in ("primary", "criteria", "measures", "fits", "gates", "epc", "across")
    )
    texts += _texts([config.get("report", {}).get("tables")])
    found = set()
    for text in texts:
        key, _, rest = text.partition("(")
        found.add(key)
        if key == "oracle":
            key, _, rest = rest.removesuffix(")").partition("(")
        found |= {f"{key}.{part.partition('=')[0].strip()}" for part in rest.split(",") if "=" in part}
    return found


def _texts(values: Iterable[Any]) -> list[str]:
    found: list[str] = []
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += _texts(value.values())
        elif isinstance(value, list):
            found += _texts(value)
    return found


def keys_of(config: Node) -> set[str]:
    """Return the keys of a config to the second level, and to the third below ``trials`` and ``report``."""
    found = set()
    for key, value in config.items():
        values = value if isinstance(value, list) else [value]
        below = {name for one in values if isinstance(one, dict) for name in one}
        if key == "models":
            below = {name for one in value.values() for name in one}
        found |= {f"{key}.{name}" for name in below} if below and key not in ("by", "ignore") else {key}
    return found


def table(first: int, n: int) -> str:
    """Return the table of leaves, names and pairs that ``n`` seeds reach, the rarest first."""
    found = reached(first, n)
    leaves = {leaf: found.leaves[leaf] for leaf in all_leaves()}
    names = {name: found.names[name] for name in all_names()}
    lines = [f"{n} seeds from {first}"]
    for title, counted in (("leaves of the schema", leaves), ("measures, criteria, fits, parameters", names)):
        rare = sum(times < AT_LEAST for times in counted.values())
        lines.append(f"{len(counted)} {title}, {rare} of them less than {AT_LEAST} times")
        lines += [
            f"{times:6} {name}"
            for name, times in sorted(counted.items(), key=lambda item: (item[1], item[0]))
        ]
    pairs = possible_pairs()
    never = [pair for pair in pairs if not found.pairs[pair]]
    lines.append(f"{len(pairs)} pairs of {len(all_keys())} keys, {len(never)} of them never")
    lines += [f"       {one} with {other}" for one, other in never]
    strange = [leaf for leaf in found.leaves if leaf not in leaves and leaf not in LEFT_OUT]
    lines += [f"not in the schema: {leaf}" for leaf in strange]
    return "\n".join(lines)


def possible_pairs() -> list[tuple[str, str]]:
    """Return the pairs of keys that a config can have."""
    return [pair for pair in itertools.combinations(sorted(all_keys()), 2) if not _is_impossible(pair)]


def _is_impossible(pair: tuple[str, str]) -> bool:
    """Return whether no config can have both keys of a pair."""
    ways = ((one, other) for one, others in IMPOSSIBLE.items() for other in others)
    one, other = pair
    return any(
        (one.startswith(a) and other.startswith(b)) or (one.startswith(b) and other.startswith(a))
        for a, b in ways
    )


def all_names() -> list[str]:
    """Return every measure, criterion and fit of the program, and each of their parameters."""
    from fits_of_questions import FITS

    from reporting.core.criteria.catalogue import CRITERIA
    from reporting.core.measures.catalogue import MEASURES

    offered = [*MEASURES.values(), *CRITERIA.values(), *FITS.values()]
    parameters = [f"{one.key}.{each.name}" for one in offered for each in one.parameters]
    found = dict.fromkeys([*(one.key for one in offered), *parameters, "oracle"])
    return [name for name in found if name not in NAMES_LEFT_OUT]


def all_keys() -> set[str]:
    """Return the keys of the schema to the second level."""
    found = set()
    for key, below in _schema()["properties"].items():
        inner = _inner(below)
        names = {
            name
            for node in inner
            for name, one in node.get("properties", {}).items()
            if not one.get("deprecated")
        }
        found |= {f"{key}.{name}" for name in names} if names else {key}
    return found - {"trials.storage", "run.address"}


def _inner(node: Node) -> list[Node]:
    """Return the mappings that a key may hold."""
    node = _of(node)
    if "anyOf" in node:
        return [inner for one in node["anyOf"] for inner in _inner(one)]
    if node.get("type") == "array":
        return _inner(node["items"])
    if node.get("type") == "object" and isinstance(node.get("additionalProperties"), dict):
        return _inner(node["additionalProperties"])
    return [node] if "properties" in node else []
