"""What people call the columns, labels and splits of trial tables."""

from __future__ import annotations

import re
from collections.abc import Mapping

COLUMN_WORDS: Mapping[str, tuple[str, ...]] = {
    "split": ("split", "set", "partition", "subset", "fold", "part", "phase"),
    "label": (
        "label", "labels", "target", "truth", "groundtruth", "gt", "ytrue", "y", "class", "genuine", "key",
        "istarget", "targettype", "outcome", "diagnosis", "disease", "same", "match", "bonafide", "gold",
    ),
    "model": (
        "model", "system", "algorithm", "classifier", "method", "detector", "matcher", "modelname", "engine",
        "approach",
    ),
    "score": (
        "score", "scores", "llr", "yscore", "yprob", "yproba", "prob", "proba", "probability", "logit",
        "prediction", "predictions", "pred", "ypred", "similarity", "distance", "confidence", "decision",
        "rating",
    ),
    "run": ("run", "seed", "repetition", "repeat", "replicate", "reader", "rater", "observer", "fold"),
    "dataset": ("dataset", "corpus", "database", "testset", "evalset", "evaluationset", "benchmark"),
    "cluster": (
        "cluster", "speaker", "spk", "subject", "client", "patient", "person", "user", "individual",
        "identity", "participant", "writer", "donor", "enroll", "enrol",
    ),
    "trial": (
        "trial", "utt", "utterance", "id", "pair", "image", "segment", "file", "filename", "path", "sample",
        "case", "item", "index", "row", "rownumber", "key", "uuid", "recording", "respondent", "document",
    ),
    "stratum": ("stratum", "strata"),
    "count": ("count", "n", "freq", "frequency"),
}  # fmt: skip
"""By our name of the column, the words for it, the likeliest first."""

DEV = ("dev", "development", "devel", "val", "valid", "validation", "tune", "tuning", "calibration")
TEST = ("test", "eval", "evaluation", "tst", "testing", "heldout")
TRAIN = ("train", "training", "trn")
SPLITS = (*DEV, *TEST, *TRAIN)

PAIRS = (
    ("target", "nontarget"), ("tgt", "non"), ("target", "impostor"), ("genuine", "impostor"),
    ("genuine", "imposter"), ("genuine", "fake"), ("genuine", "forgery"), ("client", "impostor"),
    ("bonafide", "spoof"), ("bonafide", "attack"), ("real", "attack"), ("mated", "nonmated"),
    ("match", "nonmatch"), ("match", "mismatch"), ("same", "different"), ("positive", "negative"),
    ("pos", "neg"), ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("1", "0"), ("1", "-1"),
    ("10", "-10"), ("malignant", "benign"), ("diseased", "healthy"), ("disease", "healthy"),
    ("sick", "healthy"), ("abnormal", "normal"), ("case", "control"), ("spam", "ham"),
    ("relevant", "irrelevant"),
)  # fmt: skip
"""Labels of targets and of non-targets that go together."""


FILLERS = ("id", "ids", "no", "nr", "number", "name", "code")
"""Words of a column's name that say nothing of what it names."""


def plain(text: str) -> str:
    """Return the letters and digits of a name, in small letters; a sign before a digit stays."""
    return re.sub(r"(?!-\d)[\W_]+", "", text.strip()).lower()


def words(name: str) -> tuple[str, ...]:
    """Cut a name into its words: ``testSpeaker_id`` is test, speaker, id."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return tuple(word.lower() for word in re.findall(r"[A-Za-z]+|\d+", parted))


def rank(name: str, role: str) -> int | None:
    """Return how well a name suits a role, 0 best; None where it does not.

    The name itself comes before one that holds the word among others.
    """
    known = COLUMN_WORDS[role]
    if name == role:
        return 0
    if plain(name) in known:
        return 1 + known.index(plain(name))
    bare = "".join(word for word in words(name) if word not in FILLERS)
    if bare in known:
        return 50 + known.index(bare)
    # "n", "y", "id" and the like among other words say too little.
    found = [known.index(word) for word in words(name) if word in known and (len(word) > 2 or word == "id")]
    return 100 + min(found) if found else None
