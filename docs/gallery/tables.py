"""The trial tables of the gallery: simulated, printed in a paper, or of models fitted to real data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import norm

import reporting

Floats = npt.NDArray[np.float64]
Targets = npt.NDArray[np.bool_]

RATINGS = {"normal": (33, 6, 6, 11, 2), "abnormal": (3, 2, 2, 11, 33)}
"""Ratings 1 to 5 of 109 CT images by one reader (Hanley and McNeil, Radiology 143, 1982, table I)."""


def tumours() -> pl.DataFrame:
    """Return three logistic models of the Wisconsin breast cancer data, on patients they never saw."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = load_breast_cancer()
    part = np.random.default_rng(1992).permutation(np.arange(len(data.target)) % 3)
    seen = {"size": [0, 2, 3], "texture": [1, 21], "all features": list(range(30))}
    scores = {}
    for name, columns in seen.items():
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1))
        model.fit(data.data[part == 0][:, columns], data.target[part == 0] == 0)
        scores[name] = np.round(model.predict_proba(data.data[part > 0][:, columns])[:, 1], 6)
    split = np.where(part[part > 0] == 1, "dev", "test")
    return _table(data.target[part > 0] == 0, scores, split=split)


def procedures() -> pl.DataFrame:
    """Return three ways of training on the Wisconsin breast cancer data: 5 folds, dealt anew 4 times."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedStratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = load_breast_cancer()
    malignant = data.target == 0
    ways = {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.1)),
    }
    tables = []
    splits = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0).split(data.data, malignant)
    for number, (train, test) in enumerate(splits):
        fitted = {name: way.fit(data.data[train], malignant[train]) for name, way in ways.items()}
        scores = {name: way.predict_proba(data.data[test])[:, 1] for name, way in fitted.items()}
        repeat, fold = divmod(number, 5)
        names = {"run": str(repeat + 1), "fold": f"fold {fold + 1}"}
        tables.append(_table(malignant[test], scores, split="test", trial=test, **names))
    return pl.concat(tables)


def classes() -> pl.DataFrame:
    """Return the probabilities of ten digits from two models, which were trained on half of the images."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    images, digit = load_digits(return_X_y=True)
    half = len(digit) // 2
    table = {"image": np.arange(half, len(digit)), "digit": digit[half:].astype(str)}
    logistic = make_pipeline(StandardScaler(), LogisticRegression(C=0.01))
    for name, model in (("naive Bayes", GaussianNB(var_smoothing=0.02)), ("logistic", logistic)):
        scores = model.fit(images[:half], digit[:half]).predict_proba(images[half:])
        table |= {f"{name} {at}": np.round(column, 6) for at, column in enumerate(scores.T)}
    return pl.DataFrame(table)


def prediction() -> pl.DataFrame:
    """Return two models of a generated cohort: one overconfident, and one calibrated that ranks worse."""
    draw = np.random.default_rng(2025)
    hospital = np.arange(1500) % 30
    odds = -1.8 + draw.normal(0, 0.4, 30)[hospital] + draw.normal(0, 1.2, 1500)
    died = draw.random(1500) < 1 / (1 + np.exp(-odds))
    logits = {
        "original": 1.6 * (odds + draw.normal(0, 0.5, 1500)) + 0.4,
        "refitted": 0.75 * (odds + draw.normal(0, 0.9, 1500)) - 0.4,
    }
    risks = {name: np.round(1 / (1 + np.exp(-each)), 6) for name, each in logits.items()}
    return _table(died, risks, hospital=[f"hospital {number:02d}" for number in hospital])


def speakers() -> pl.DataFrame:
    """Return three systems on pairs of recordings; either speaker of a pair moves its scores."""
    draw = np.random.default_rng(2016)
    tables = []
    for split, count in (("dev", 30), ("test", 40)):
        model, segment = (each.ravel() for each in np.meshgrid(np.arange(count), np.arange(count)))
        repeats = np.where(model == segment, 12, 1)
        model, segment = np.repeat(model, repeats), np.repeat(segment, repeats)
        target = model == segment
        own = draw.normal(0, 0.35, count)
        common = own[model] + own[segment] + draw.normal(0, 0.6, len(target))
        scores = {
            name: d * target + common + draw.normal(0, 0.6, len(target))
            for name, d in (("i-vector", 2.0), ("x-vector", 2.5), ("fusion", 2.65))
        }
        names = {
            "model_speaker": [f"{split} {number:02d}" for number in model],
            "segment_speaker": [f"{split} {number:02d}" for number in segment],
        }
        keys = [f"{split} {number:05d}" for number in range(len(target))]
        tables.append(_table(target, scores, split=split, trial=keys, **names))
    return pl.concat(tables)


def fraud() -> pl.DataFrame:
    """Return three detectors on 40,000 payments of which one in 200 is a fraud."""
    draw = np.random.default_rng(200)
    target = np.arange(40_000) % 200 == 0
    common = draw.normal(0, 0.6, len(target))
    scores = {
        name: d * target + common + draw.normal(0, 0.8, len(target))
        for name, d in (("rules", 2.0), ("forest", 2.6), ("network", 2.9))
    }
    return _table(target, scores, split=_halves(len(target)))


def likelihood_ratios() -> pl.DataFrame:
    """Return forensic likelihood ratios: well calibrated, twice too confident, and of less information."""
    draw = np.random.default_rng(2013)
    target = np.arange(3000) % 10 == 0
    x = draw.normal(0, 1, len(target))
    ratios = {name: d * (d * target + x) - d * d / 2 for name, d in (("calibrated", 2.6), ("simple", 1.8))}
    return _table(target, {**ratios, "overconfident": 2 * ratios["calibrated"]}, split=_halves(len(target)))


def seeds() -> pl.DataFrame:
    """Return two networks, each trained from five random seeds."""
    draw = np.random.default_rng(5)
    target = np.arange(1200) % 2 == 0
    hard = draw.normal(0, 0.8, len(target))
    runs = []
    for run in range(5):
        scores = {
            name: (quality + draw.normal(0, 0.15)) * target + hard + draw.normal(0, 0.8, len(target))
            for name, quality in (("small", 1.8), ("large", 2.1))
        }
        runs.append(_table(target, scores, split=_halves(len(target)), run=str(run)))
    return pl.concat(runs)


def leaderboard() -> pl.DataFrame:
    """Return 40 systems on the recordings of 200 speakers; one was submitted twice under two names."""
    draw = np.random.default_rng(40)
    speaker = np.repeat(np.arange(200), 12)
    target = np.tile(np.arange(12) < 4, 200)
    hard = draw.normal(0, 0.3, 200)[speaker] + draw.normal(0, 0.7, len(target))
    quality = np.concatenate((np.full(5, 3.0), 3.0 - 1.6 * draw.beta(1.3, 1.6, 34)))
    scores = {
        f"system {number:02d}": d * target + hard + draw.normal(0, 0.7, len(target))
        for number, d in enumerate(draw.permutation(quality), start=1)
    }
    scores["system 40"] = scores["system 07"]
    split = np.where(speaker < 100, "dev", "test")
    return _table(target, scores, split=split, speaker=[f"speaker {number:03d}" for number in speaker])


def groups() -> pl.DataFrame:
    """Return two face recognisers on two groups of people and two cameras, one of them worse in the dark."""
    draw = np.random.default_rng(8)
    target = np.arange(4000) % 4 == 0
    group, camera = draw.choice(["A", "B"], len(target)), draw.choice(["day", "night"], len(target))
    loss = 0.9 * (camera == "night") + 0.5 * (group == "B")
    scores = {
        name: (3 - weight * loss) * target + draw.normal(0, 1, len(target))
        for name, weight in (("before", 1.0), ("after", 0.3))
    }
    return _table(target, scores, split=_halves(len(target)), group=group, camera=camera)


ATTACKS = {"photo": 4.0, "video": 3.0, "mask": 2.0, "silicone": 1.2}
"""How many standard deviations each attack lies below bona fide presentations, to the first detector."""


def attacks() -> pl.DataFrame:
    """Return two detectors of presentation attacks of known difficulty; development lacks the hardest one."""
    draw = np.random.default_rng(30107)
    tables = []
    for split, people in (("dev", 40), ("test", 60)):
        known = [name for name in ATTACKS if split == "test" or name != "silicone"]
        attack = np.repeat(["", *known], [people * 6, *[people * 3] * len(known)])
        person = np.concatenate(
            [np.arange(people * 6) % people, *[np.arange(people * 3) % people] * len(known)]
        )
        own = draw.normal(0, 0.3, people)[person]
        below = np.array([ATTACKS.get(name, 0.0) for name in attack])
        rest = 0.91**0.5
        scores = {
            "texture": own - below + draw.normal(0, rest, len(attack)),
            "depth": own - np.where(attack == "mask", 1.0, 1.3) * below + draw.normal(0, rest, len(attack)),
        }
        names = [f"{split} {number:02d}" for number in person]
        keys = [f"{split} {number:05d}" for number in range(len(attack))]
        tables.append(_table(attack == "", scores, split=split, trial=keys, attack=attack, person=names))
    return pl.concat(tables)


AGES = {"18-30": 0.0, "31-45": 0.0, "46-60": 0.25, "over 60": 0.7}
"""How much lower the first system scores genuine attempts of each age; the second loses a third of that."""
PEOPLE = {"18-30": 40, "31-45": 50, "46-60": 30, "over 60": 24}


def ages() -> pl.DataFrame:
    """Return two systems whose misses depend on age by known amounts; a few people did not give theirs."""
    draw = np.random.default_rng(19795)
    tables = []
    for split, part in (("dev", 0.5), ("test", 1.0)):
        people = {age: round(part * n) for age, n in PEOPLE.items()} | {"not given": 3}
        of_person = np.repeat(list(people), list(people.values()))
        person = np.repeat(np.arange(len(of_person)), 20)
        age, target = of_person[person], np.tile(np.arange(20) < 8, len(of_person))
        own = draw.normal(0, 0.4, len(of_person))[person]
        lost = target * np.array([AGES.get(each, 0.0) for each in age])
        shared = draw.normal(0, 0.7, len(age))
        scores = {
            "first": 2.2 * target - lost + own + shared + draw.normal(0, 0.6, len(age)),
            "second": 2.1 * target - lost / 3 + own + shared + draw.normal(0, 0.6, len(age)),
        }
        names = [f"{split} {number:03d}" for number in person]
        keys = [f"{split} {number:05d}" for number in range(len(age))]
        tables.append(_table(target, scores, split=split, trial=keys, age=age, person=names))
    return pl.concat(tables)


def spoofing() -> pl.DataFrame:
    """Return two systems of speaker verification under two attacks; one was built against spoofing."""
    draw = np.random.default_rng(5)
    difficulty = {
        "target": (3.0, 3.0),
        "nontarget": (0.0, 0.0),
        "synthesis": (2.4, 1.2),
        "conversion": (1.8, 0.8),
    }
    tables = []
    for split, speakers in (("dev", 40), ("test", 60)):
        kind = np.repeat([*difficulty], [speakers * count for count in (5, 10, 4, 4)])
        speaker = np.arange(len(kind)) % speakers
        own, common = draw.normal(0, 0.4, speakers)[speaker], draw.normal(0, 0.6, len(kind))
        scores = {
            name: np.array([difficulty[each][at] for each in kind])
            + own
            + common
            + draw.normal(0, 0.6, len(kind))
            for at, name in enumerate(("verification", "spoofing-aware"))
        }
        label = np.where(np.isin(kind, ["target", "nontarget"]), kind, "spoof")
        attack = np.where(label == "spoof", kind, "")
        names = [f"{split} {number:02d}" for number in speaker]
        keys = [f"{split} {number:05d}" for number in range(len(kind))]
        table = _table(
            kind == "target", scores, split=split, trial=keys, kind=label, attack=attack, speaker=names
        )
        tables.append(table.drop("label"))
    return pl.concat(tables)


TASKS = {"algebra": 0.62, "geometry": 0.5, "history": 0.8, "law": 0.6, "medicine": 0.66}
"""The success rate of the base model on each task; every task has 20 source documents of four items."""
GAINS = {
    "base": {},
    "tuned": dict.fromkeys(TASKS, 0.05),
    "tuned on law": {"law": 0.25},
    "distilled": dict.fromkeys(TASKS, -0.12),
}


def evaluations() -> Mapping[tuple[str, str], list[dict[str, object]]]:
    """Return what four language models scored on items that come from documents, by model and task.

    A line is one of ``samples_TASK_DATE.jsonl`` as the LM Evaluation Harness writes it, but for the prompts.
    """
    draw = np.random.default_rng(2027)
    logs = {}
    for task, rate in TASKS.items():
        document = np.repeat(np.arange(20), 4)
        hardness = draw.normal(0, 0.6, 20)[document] + draw.normal(0, 0.7, 80)
        for model, gains in GAINS.items():
            limit = norm.ppf(rate + gains.get(task, 0.0)) * np.sqrt(0.6**2 + 0.7**2 + 0.5**2)
            solved = hardness + draw.normal(0, 0.5, 80) < limit
            logs[model, task] = [
                {
                    "doc_id": number,
                    "doc": {"document": f"{task} {document[number]:02d}"},
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{task} {number}",
                    "acc": float(solved[number]),
                }
                for number in range(80)
            ]
    return logs


def grades() -> pl.DataFrame:
    """Return the marks of three language models: 80 questions of 16 topics, each answered three times."""
    draw = np.random.default_rng(2028)
    question = np.repeat(np.arange(80), 3)
    topic = question // 5
    hard = draw.normal(0, 0.7, 16)[topic] + draw.normal(0, 0.6, 80)[question]
    tables = []
    for model, quality in (("base", 2.7), ("tuned", 2.9), ("larger", 3.1)):
        gain = 0.6 * ((topic % 4 == 0) & (model == "tuned"))
        marks = np.clip(np.round(quality + gain + hard + draw.normal(0, 0.7, len(question))), 0, 5)
        columns = {
            "question": [f"question {number:02d}" for number in question],
            "topic": [f"topic {number:02d}" for number in topic],
            "kind": np.array(["code", "facts", "reasoning", "writing"])[topic % 4],
            "epoch": np.tile(["1", "2", "3"], 80),
        }
        tables.append(pl.DataFrame({"model": model, **columns, "grade": marks}))
    return pl.concat(tables)


def survey() -> pl.DataFrame:
    """Return two scores of diabetes; a survey asked one in 5 of the old and one in 40 of the young."""
    draw = np.random.default_rng(1960)
    count = 60_000
    district, old = draw.integers(0, 60, count), draw.random(count) < 0.25
    ill = draw.random(count) < np.where(old, 0.12, 0.03)
    shared = draw.normal(0, 0.3, 60)[district] + draw.normal(0, 0.6, count) + 0.6 * old
    scores = {
        name: d * ill + shared + draw.normal(0, 0.7, count)
        for name, d in (("age and weight", 1.0), ("questionnaire", 1.5))
    }
    sampled = draw.random(count) < np.where(old, 1 / 5, 1 / 40)
    names = np.array([f"district {number:02d}" for number in range(60)])
    return _table(
        ill[sampled],
        {name: values[sampled] for name, values in scores.items()},
        split=np.where(district[sampled] < 25, "dev", "test"),
        district=names[district[sampled]],
        weight=np.where(old[sampled], 5.0, 40.0),
    )


def review() -> pl.DataFrame:
    """Return log-likelihood ratios of two readers of scans: of normal scores, and twice too sure."""
    draw = np.random.default_rng(1970)
    tables = []
    for split, n in (("dev", 1500), ("test", 2000)):
        target = draw.random(n) < 0.15
        shared = draw.normal(0, 0.7, n)
        scores = {}
        for name, d, trust in (("careful", 2.4, 1.0), ("hasty", 2.1, 2.0)):
            score = d * target + shared + draw.normal(0, 0.51**0.5, n)
            scores[name] = trust * (d * score - d * d / 2)  # the ratio of N(d, 1) to N(0, 1), times trust
        tables.append(_table(target, scores, split=split, trial=[f"{split} {at:04d}" for at in range(n)]))
    return pl.concat(tables)


def conditions() -> pl.DataFrame:
    """Return two systems on clean and on noisy recordings; noise moves the scores of one of them."""
    draw = np.random.default_rng(12)
    tables = []
    for dataset, moved in (("clean", 0.0), ("noisy", 0.8)):
        target = np.arange(2000) % 4 == 0
        noise = draw.normal(0, 1, len(target))
        scores = {"raw": 2.6 * target + moved + noise, "normalised": 2.4 * target + noise}
        tables.append(_table(target, scores, split=_halves(len(target)), dataset=dataset))
    return pl.concat(tables)


def one_model() -> pl.DataFrame:
    """Return a single detector."""
    draw = np.random.default_rng(31)
    target = np.arange(1500) % 3 == 0
    return _table(target, {"detector": 2 * target + draw.normal(0, 1, 1500)}, split=_halves(1500))


def no_dev() -> pl.DataFrame:
    """Return labels and scores of two classifiers on one set."""
    draw = np.random.default_rng(17)
    target = np.arange(600) % 2 == 0
    hard = draw.normal(0, 0.7, 600)
    scores = {name: d * target + hard + draw.normal(0, 0.7, 600) for name, d in (("A", 1.5), ("B", 1.9))}
    return _table(target, scores).drop("split")


def one_set() -> pl.DataFrame:
    """Return two classifiers on one set, which has to give thresholds and errors."""
    draw = np.random.default_rng(18)
    target = np.arange(900) % 3 == 0
    hard = draw.normal(0, 0.7, 900)
    scores = {name: d * target + hard + draw.normal(0, 0.7, 900) for name, d in (("old", 1.8), ("new", 2.2))}
    return _table(target, scores, split="test")


def ratings() -> pl.DataFrame:
    """Return the ratings of one reader as counts: a row per rating and diagnosis."""
    rows = [
        {"model": "reader", "split": "test", "label": label == "abnormal", "score": grade, "count": count}
        for label, counts in RATINGS.items()
        for grade, count in enumerate(counts, start=1)
    ]
    return pl.DataFrame(rows)


def readers() -> pl.DataFrame:
    """Return five readers who rated 120 cases from 1 to 5, without and with a second reading by software."""
    draw = np.random.default_rng(99)
    target = np.arange(120) % 2 == 0
    hard = draw.normal(0, 0.7, len(target))
    runs = []
    for reader in range(5):
        skill = draw.normal(0, 0.15)
        scores = {}
        for name, d in (("alone", 1.3), ("with software", 1.8)):
            seen = (d + skill) * target + hard + draw.normal(0, 0.7, len(target))
            scores[name] = np.digitize(seen, (-0.4, 0.5, 1.2, 2.0)) + 1.0
        runs.append(_table(target, scores, split="test", run=f"reader {reader + 1}"))
    return pl.concat(runs)


def week(number: int) -> pl.DataFrame:
    """Return the trials of a week; in the fourth something breaks in the candidate."""
    draw = np.random.default_rng(number)
    target = np.arange(1600) % 2 == 0
    quality = {"production": 2.2, "candidate": 1.5 if number == 4 else 2.3}
    scores = {name: d * target + draw.normal(0, 1, len(target)) for name, d in quality.items()}
    keys = [f"week {number}, trial {trial:04d}" for trial in range(len(target))]
    return _table(target, scores, split=_halves(len(target)), trial=keys)


def hospital(number: int) -> pl.DataFrame:
    """Return a marker in one of two hospitals."""
    draw = np.random.default_rng(70 + number)
    target = draw.random(1500) < 0.2
    scores = {"marker": 1.6 * target + draw.normal(0, 1, 1500), "age": 0.5 * target + draw.normal(0, 1, 1500)}
    return _table(target, scores, split=_halves(1500))


def _halves(count: int) -> npt.NDArray[np.str_]:
    return np.where(np.arange(count) < count / 2, "dev", "test")


def _table(target: Targets, scores: Mapping[str, Floats], **columns: object) -> pl.DataFrame:
    """Return a trial table with rounded scores: the last bits of a library do not reach the report."""
    rounded = {name: np.round(values, 6) for name, values in scores.items()}
    table: pl.DataFrame = reporting.trial_table(target, rounded, **columns)
    return table
