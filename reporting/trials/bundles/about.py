"""What a bundle of counts says of itself: how it was made, and so what may be asked of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from reporting.errors import DataError
from reporting.trials.spec import FEWEST_BITS, MOST_BITS, Policy, Pools

PROGRAM = "reporting"
METADATA = "reporting.counts"
"""Under which key the description stands in the Parquet file."""
FORMAT = 1
"""What a later version raises where this one could no longer read what it writes."""

Form = Literal["cuts", "patterns"]
"""``cuts``: targets and non-targets of every model at every key; ``patterns``: trials by the keys that all
models together give them."""
Names = Literal["names", "digests"]
"""What clusters are called: as in the table, or by SHA-256 of a salt and that name."""
Pairing = Literal["trials", "clusters", "none"]
"""What a bundle still tells of pairs: which trials of two models are one, which cluster, or nothing."""


@dataclass(frozen=True)
class Clusters:
    """The clusters of a bundle: one column or two, and what their members are called."""

    columns: int
    names: Names
    pools: Pools
    salt: str | None = None
    """A short check that bundles were salted alike; None where names are plain."""


@dataclass(frozen=True)
class Read:
    """What was read of one model, run, dataset and split."""

    model: str
    run: str
    dataset: str
    split: str
    rows_read: int
    n_unlabelled: int
    n_missing: int
    n_infinite: int


KEYS = ("model", "run", "dataset", "split")
COUNTED = ("rows_read", "n_unlabelled", "n_missing", "n_infinite")


def read_of(values: Iterable[str | int]) -> Read:
    """Return what was read from keys and counts in the order of the fields."""
    said: dict[str, Any] = dict(zip((*KEYS, *COUNTED), values, strict=True))
    return Read(**said)


@dataclass(frozen=True)
class About:
    """The description of a bundle; what two bundles must share to be summed is in ``shared``."""

    form: Form
    bits: int
    scores: tuple[tuple[str, str], ...]
    """Every model with each of its runs, in the order of the key columns of patterns."""
    breakdowns: tuple[str, ...]
    clusters: Clusters | None
    policy: Policy
    missing: str
    unlabelled: str
    read: tuple[Read, ...]
    content: str
    """SHA-256 of the counts."""
    version: str
    """Of the program that made it."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models, sorted."""
        return tuple(dict.fromkeys(model for model, _ in self.scores))

    @property
    def pairing(self) -> Pairing:
        """What it tells of pairs, where breakdowns do not stand for clusters."""
        if self.form == "patterns":
            return "trials"
        return "clusters" if self.clusters else "none"

    @property
    def shared(self) -> dict[str, object]:
        """What all bundles of one sum must say alike, by the word for it."""
        clusters = self.clusters
        named = clusters and ("as in the table" if clusters.names == "names" else "as digests")
        return {
            "the form": self.form,
            "the bits of a key": self.bits,
            "the models and runs": [f"{model} ({run})" for model, run in self.scores],
            "the breakdowns": list(self.breakdowns),
            "the columns of clusters": clusters.columns if clusters else 0,
            "the names of clusters": named,
            "the populations of clusters": clusters and clusters.pools,
            "the salt of cluster names": clusters and clusters.salt,
            "missing": self.missing,
            "unlabelled": self.unlabelled,
            "thresholds.policy": self.policy,
        }

    def to_json(self) -> str:
        """Return the description as text, the same for the same bundle."""
        said = {"program": PROGRAM, "kind": "counts", "format": FORMAT, **asdict(self)}
        said["supports"] = {key: list(words) for key, words in supports(self.pairing).items()}
        return json.dumps(said, sort_keys=True, ensure_ascii=False)


def supports(pairing: Pairing) -> Mapping[str, tuple[str, ...]]:
    """Return what can be computed from a bundle, and what cannot, in words for a reader."""
    measures = ("at thresholds", "over the sweep", "of calibration", "curves", "expected performance curves")
    of_one = ("intervals of every model",)
    if pairing == "trials":
        return {"measures": measures, "inferences": (*of_one, "comparisons by trials", "further tests")}
    by_cluster = ("comparisons by clusters", "further tests that exchange or resample clusters")
    if pairing == "clusters":
        return {"measures": measures, "inferences": (*of_one, *by_cluster)}
    return {"measures": measures, "inferences": of_one}


def read_about(name: str, text: str | None) -> About:
    """Read the description of the bundle ``name``; DataError where it is none, or of a later format."""
    said = _mapping(text)
    if said is None or (said.get("program"), said.get("kind")) != (PROGRAM, "counts"):
        raise DataError(f"{name}: is no bundle of counts; layout counts reads what 'reporting counts' wrote")
    found = said.get("format")
    if not isinstance(found, int) or found > FORMAT:
        raise DataError(
            f"{name}: is a bundle of format {found!r}, made by a newer version ({said.get('version')!r});"
            f" this one reads up to {FORMAT}"
        )
    try:
        return _about(said)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{name}: the description of the bundle is damaged ({error})") from None


def _mapping(text: str | None) -> dict[str, Any] | None:
    try:
        said = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _about(said: Mapping[str, Any]) -> About:
    clusters = said["clusters"]
    made = About(
        form=_word(said, "form", ("cuts", "patterns")),
        bits=_whole(said, "bits"),
        scores=tuple((_text(model), _text(run)) for model, run in said["scores"]),
        breakdowns=tuple(map(_text, said["breakdowns"])),
        clusters=None if clusters is None else _clusters(clusters),
        policy=_text(said["policy"]),  # type: ignore[arg-type]  # compared with the config's, never obeyed
        missing=_text(said["missing"]),
        unlabelled=_text(said["unlabelled"]),
        read=tuple(_read(one) for one in said["read"]),
        content=_text(said["content"]),
        version=_text(said["version"]),
    )
    if not FEWEST_BITS <= made.bits <= MOST_BITS:
        raise ValueError(f"bits: {made.bits}")
    if not made.scores or sorted(set(made.scores)) != list(made.scores):
        raise ValueError("scores: not sorted, or none")
    return made


def _clusters(said: Mapping[str, Any]) -> Clusters:
    salt = said["salt"]
    return Clusters(
        columns=int(_word(said, "columns", (1, 2))),
        names=_word(said, "names", ("names", "digests")),
        pools=_word(said, "pools", ("one", "two")),
        salt=None if salt is None else _text(salt),
    )


def _read(said: Mapping[str, Any]) -> Read:
    keys = [_text(said[key]) for key in KEYS]
    return read_of([*keys, *(_whole(said, key) for key in COUNTED)])


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text is expected, found {value!r:.40}")
    return value


def _whole(said: Mapping[str, Any], key: str) -> int:
    value = said[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"{key}: a whole number is expected, found {value!r:.40}")
    return value


def _word(said: Mapping[str, Any], key: str, words: Sequence[Any]) -> Any:
    if said[key] not in words:
        raise ValueError(f"{key}: {said[key]!r:.40}")
    return said[key]
