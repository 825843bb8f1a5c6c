"""Small tables of decisions, judged by gates as a run judges them."""

from build import build

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.document.runs import PastRun
from reporting.features.decided_trials import decisions_of, outcomes_of
from reporting.features.gates.collect import Collector
from reporting.features.gates.keys import Gate
from reporting.features.gates.past import CurrentRun
from reporting.features.gates.verdict import gates_frame

PRIMARY = read_criterion("min_hter")
GIVEN = "significance.comparisons=given_thresholds"


def decided(targets, nontargets, models=("a", "b"), night="", dataset=None):
    """Test trials with decisions as scores 0 and 1, by pattern; dev puts all thresholds at a half."""
    rows = []
    both = len(models)
    for split, classes in (
        ("dev", {True: {(1,) * both: 4}, False: {(0,) * both: 4}}),
        ("test", {True: targets, False: nontargets}),
    ):
        for label, patterns in classes.items():
            trials = [pattern for pattern, n in patterns.items() for _ in range(n)]
            for i, pattern in enumerate(trials):
                name = f"{label}{i}{night if split == 'test' else ''}"
                row = {"split": split, "trial": name, "label": label, "sex": "fm"[i % 2]}
                row |= {"dataset": dataset} if dataset else {}
                rows += [row | {"model": m, "score": float(pattern[k])} for k, m in enumerate(models)]
    return rows


BOUND_OF = {"superiority": "better_by", "non_inferiority": "not_worse_by"}


def gate(kind="non_inferiority", size=0.02, measure="hter", models=("a",), against="b", **more):
    """A gate at the primary criterion."""
    made = read_measure(measure)
    against = against if kind in ("superiority", "non_inferiority") else None
    at = {} if made.over != "threshold" else {"criterion": more.pop("criterion", PRIMARY)}
    return Gate(made, models, against, **{BOUND_OF.get(kind, kind): size}, **at, **more)


def outcomes(rows):
    """The decisions of test trials as the history keeps them."""
    test = [row for row in rows if row["split"] == "test"]
    frames = []
    for dataset in sorted({row.get("dataset", "all") for row in test}):
        mine = sorted(
            (r for r in test if r.get("dataset", "all") == dataset), key=lambda r: (r["trial"], r["model"])
        )
        by_model = {
            m: [r["score"] >= 0.5 for r in mine if r["model"] == m] for m in {r["model"] for r in mine}
        }
        first = [r for r in mine if r["model"] == min(by_model)]
        clusters = [r["cluster"] for r in first] if "cluster" in first[0] else None
        trials, labels = ([r[name] for r in first] for name in ("trial", "label"))
        frames.append(decisions_of(dataset, trials, labels, by_model, clusters))
    return outcomes_of(frames)


def judged(folder, rows, *gates, config="", past=(), overrides=(GIVEN,)):
    """The frame ``gates`` of a table; its clusters, where it has them, are units."""
    collector, models = collected(folder, rows, *gates, config=config, overrides=overrides)
    today = CurrentRun(
        outcomes(rows), past, collector.study.primary.criterion, clustered="cluster" in rows[0]
    )
    return gates_frame(collector, models, today)


def collected(folder, rows, *gates, config="", overrides=(GIVEN,)):
    """What every part says of the gates, and the models."""
    built = build(folder, rows, "epc: none\n" + config, "significance.replicates=199", *overrides)
    collector = Collector(gates, built.study)
    for at, part in enumerate(built.parts):
        collector.visit(part, built.judged(at).drawn)
    return collector, built.table.models


def kept(name, frame, rows, **frames):
    """A run as the history gives it back."""
    return PastRun(name, {"gates": frame, "outcomes": outcomes(rows), **frames})


def only(frame, **where):
    """The one row with these values."""
    rows = frame.filter(**where).to_dicts()
    assert len(rows) == 1, rows
    return rows[0]


def patterns(n, plus, minus, rest=(1, 1)):
    """n trials of which ``plus`` are accepted by the first alone and ``minus`` by the second alone."""
    return {(1, 0): plus, (0, 1): minus, rest: n - plus - minus}
