"""The reports of the gallery: what each shows, and how it is made."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl

import reporting
from docs.gallery import tables
from reporting.app.example.catalogue import write_example
from reporting.app.example.vote import vote_trials
from reporting.app.run.analyses import repeated_analyses
from reporting.app.run.counts import make_bundle
from reporting.base.contents import Contents, Named
from reporting.base.publish import parquet
from reporting.base.records import dataclass
from reporting.render.formats import render_all

ROOT = Path(__file__).parents[2]
CONFIGS = Path(__file__).parent / "configs"
RU2009 = ROOT.parent / "shared" / "data" / "ru2009.parquet"
"""Real trials that the sources do not carry."""
EVALITA = "a submission to EVALITA 2009, ROCAnalysis.jl, © 2014-2015 David A. van Leeuwen, MIT"
WISCONSIN = "Breast Cancer Wisconsin (Diagnostic), UCI, CC BY 4.0"
ANES = "American National Election Study 1996, in the public domain"
WEEKS = ("2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16")


@dataclass(frozen=True, kw_only=True)
class Card(Named):
    """A report of the gallery: its field, a title, a sentence, and what makes it.

    ``make`` writes what the report is made of into an empty folder and returns the folder of the report.
    ``figure`` is the picture of the card where no first screen can be taken. ``real`` names the source of
    real data and its licence; without it the data are simulated. ``needs`` is a file outside the checkout
    without which the report is not made.
    """

    field: str
    title: str
    sentence: str
    figure: str
    make: Callable[[Path, str], Path]
    real: str = ""
    needs: Path | None = None

    @property
    def is_there(self) -> bool:
        """Whether the report can be made here."""
        return self.needs is None or self.needs.is_file()


def _example(folder: Path, key: str) -> Path:
    """Make an example that the program ships."""
    return _report(write_example(key, folder / key))


def _paper(folder: Path, key: str) -> Path:
    """Rebuild a paper, as ``make papers`` does."""
    program = [sys.executable, "-m", f"configs.papers.{key}.page", str(folder / key)]
    printed = subprocess.run(program, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return Path(printed.splitlines()[-1]).parent


def _of(table: Callable[[], pl.DataFrame]) -> Callable[[Path, str], Path]:
    """Return what makes the report of a table and the config of the same name as the card."""

    def make(folder: Path, key: str) -> Path:
        config = _config(folder, key)
        config.with_name("trials.parquet").write_bytes(parquet(table()))
        return _report(config)

    return make


def _weekly(folder: Path, key: str) -> Path:
    """Run the weeks one after another and return the report of the last."""
    config = _config(folder, key)
    for number, date in enumerate(WEEKS, start=1):
        config.with_name("trials.parquet").write_bytes(parquet(tables.week(number)))
        report = _report(config, f"history.as_of={date}")
    return report


def _hospitals(folder: Path, key: str) -> Path:
    """Count the trials of each hospital, and make the report of the counts."""
    config = _config(folder, key)
    for number, name in enumerate("ab"):
        (config.parent / f"{name}.parquet").write_bytes(parquet(tables.hospital(number)))
        site = config.with_name(f"{name}.yaml")
        site.write_text(f"trials: {{source: {name}.parquet, coarse: 20}}\n", encoding="utf-8")
        make_bundle(site, config.parent / f"{name}.counts.parquet", paired=True)
    return _report(config)


def _evaluations(folder: Path, key: str) -> Path:
    """Write the logs of language models, a folder each, and make the report of them."""
    config = _config(folder, key)
    for (model, task), lines in tables.evaluations().items():
        place = config.parent / "logs" / model
        place.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (place / f"samples_{task}_2026-11-02T10-15-00.000000.jsonl").write_text(text, encoding="utf-8")
    return _report(config)


def _ru2009(folder: Path, key: str) -> Path:
    """Make the report of the real trials."""
    config = _config(folder, key)
    shutil.copyfile(RU2009, config.with_name("trials.parquet"))
    return _report(config)


def _audit(folder: Path, key: str) -> Path:
    """Audit the report of the real trials; return a folder with page and pictures."""
    # Imported here: all other reports are made without this question, too.
    from reporting.features.audit.analyses import audited
    from reporting.features.audit.page import audit_report

    report_folder = folder / key
    report_folder.mkdir()
    shutil.copyfile(RU2009, report_folder / "trials.parquet")
    config = shutil.copyfile(CONFIGS / "ru2009.yaml", report_folder / "report.yaml")
    with repeated_analyses([str(config)], []) as analyses:
        page = audit_report(audited(analyses, [], ["gender", "channel"]))
    for name, content in render_all(*page, ["html"], interactive=True).items():
        place = report_folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    return report_folder


def _plan(folder: Path, key: str) -> Path:
    """Plan a study from the example of the vote as its pilot; return a folder with page and picture."""
    config = write_example("vote", folder / key)
    plan, made = reporting.plan(config, difference=0.03), folder / "plan"
    (made / "figures").mkdir(parents=True)
    plan.save(made / "report.html")
    plan.save(made / "figures" / "plan.svg")
    return made


def _config(folder: Path, key: str) -> Path:
    (folder / key).mkdir()
    return Path(shutil.copyfile(CONFIGS / f"{key}.yaml", folder / key / "report.yaml"))


def _report(config: Path, *overrides: str) -> Path:
    made: Path = reporting.make_report(config, overrides=["report.formats=[html, json]", *overrides]).folder
    return made


CARDS = Contents(
    "report of the gallery",
    [
        Card(
            key="vote",
            field="Any field",
            real=ANES,
            title="A first report",
            sentence="Three models of the American vote of 1996, with a baseline and the default questions.",
            figure="epc",
            make=_example,
        ),
        Card(
            key="vote_in_depth",
            field="Any field",
            real=ANES,
            title="Nearly everything",
            sentence="The same vote with more measures, criteria, curves, breakdowns, tests and costs.",
            figure="decision",
            make=_example,
        ),
        Card(
            key="house_style",
            field="Any field",
            real=ANES,
            title="A house style",
            sentence="The same vote with colours, a logo and a section from a folder of templates.",
            figure="det",
            make=_example,
        ),
        Card(
            key="tumours",
            field="Clinical tests and models",
            real=WISCONSIN,
            title="A medical test",
            sentence="Three sets of features recognise malignant tumours: sensitivity, decision and"
            " calibration curves, in medical words.",
            figure="decision",
            make=_of(tables.tumours),
        ),
        Card(
            key="prediction",
            field="Clinical tests and models",
            title="A prediction model, validated",
            sentence="The core set for predicted probabilities: AUROC, calibration plot, net benefit, and"
            " risks by outcome. A generated cohort of 1,500 patients and two models.",
            figure="calibration",
            make=_of(tables.prediction),
        ),
        Card(
            key="ru2009",
            field="Speech and biometrics",
            real=EVALITA,
            title="Speaker verification, EVALITA 2009",
            sentence="100 speakers, resampled as wholes. The six systems are six training conditions of one;"
            " development and test are two conditions, of which test is the harder.",
            figure="det",
            make=_ru2009,
            needs=RU2009,
        ),
        Card(
            key="audit",
            field="Speech and biometrics",
            real=EVALITA,
            title="A leaderboard, audited",
            sentence="The same six systems by trials or speakers, without each gender and each channel:"
            " which is first, by how much, and where that is significant.",
            figure="audit_1",
            make=_audit,
            needs=RU2009,
        ),
        Card(
            key="speakers",
            field="Speech and biometrics",
            title="Pairs of speakers",
            sentence="Speaker verification in which both speakers of a trial are resampled.",
            figure="det",
            make=_of(tables.speakers),
        ),
        Card(
            key="fraud",
            field="Fraud and review",
            title="A rare class",
            sentence="One payment in 200 is a fraud, a miss costs fifty false alarms: alerts, money,"
            " thresholds with what a service may expect of them, and costs that readers can change.",
            figure="pr",
            make=_of(tables.fraud),
        ),
        Card(
            key="likelihood_ratios",
            field="Forensics",
            title="Forensic likelihood ratios",
            sentence="Cllr, Tippett, ECE and APE plots of three systems, one of them twice too confident.",
            figure="tippett",
            make=_of(tables.likelihood_ratios),
        ),
        Card(
            key="leaderboard",
            field="Machine learning",
            title="A leaderboard",
            sentence="40 systems without a baseline: tiers, and ranks with simultaneous limits.",
            figure="ranking",
            make=_of(tables.leaderboard),
        ),
        Card(
            key="classes",
            field="Machine learning",
            real="Optical Recognition of Handwritten Digits, UCI, CC BY 4.0",
            title="Several classes",
            sentence="Two models of ten handwritten digits: means over classes with paired differences, and"
            " which digits they mix up.",
            figure="confusion_1",
            make=_of(tables.classes),
        ),
        Card(
            key="procedures",
            field="Machine learning",
            real=WISCONSIN,
            title="Repeated cross-validation",
            sentence="Three ways of training in 4 times 5 folds: a tree that is worse on these patients need"
            " not be the worse way of training.",
            figure="roc_mean",
            make=_of(tables.procedures),
        ),
        Card(
            key="seeds",
            field="Machine learning",
            title="Several seeds",
            sentence="Two networks, each trained from five seeds; intervals include trials and seeds.",
            figure="det",
            make=_of(tables.seeds),
        ),
        Card(
            key="passport",
            field="Any field",
            real=ANES,
            title="Do the intervals keep their promise?",
            sentence="The vote again, simulated 100 times with the shapes of its own data: how often each"
            " interval holds the truth, and the size and power of the test.",
            figure="roc",
            make=_of(vote_trials),
        ),
        Card(
            key="plan",
            field="Any field",
            real=ANES,
            title="Before data are collected",
            sentence="How many trials a difference of 3 points takes, planned from the vote as a pilot.",
            figure="plan",
            make=_plan,
        ),
        Card(
            key="weekly",
            field="Machine learning",
            title="A weekly gate that fails",
            sentence="The fourth week of a history: what changed since the last, trends, and two gates.",
            figure="trend",
            make=_weekly,
        ),
        Card(
            key="groups",
            field="Speech and biometrics",
            title="Breakdowns by group",
            sentence="Errors of two face recognisers by group of people, by camera, and by both; readers can"
            " change group, thresholds and costs in the page, and all limits follow.",
            figure="det",
            make=_of(tables.groups),
        ),
        Card(
            key="attacks",
            field="Speech and biometrics",
            title="Presentation attacks",
            sentence="Each kind of attack against all bona fide presentations, and a bound for the worst, in"
            " the words of ISO/IEC 30107-3. The attacks are generated; development lacks the hardest.",
            figure="det",
            make=_of(tables.attacks),
        ),
        Card(
            key="review",
            field="Fraud and review",
            title="Accept, review or reject",
            sentence="Two thresholds by costs and by the share that people can review, chosen on development;"
            " errors among the surest decisions, with bands. Generated, so that the best rule is known.",
            figure="risk_coverage",
            make=_of(tables.review),
        ),
        Card(
            key="ages",
            field="Speech and biometrics",
            title="Error rates by age group",
            sentence="Each age group against all others with limits that hold for all groups together, how"
            " far the groups lie apart, and in which system less. The gaps are generated and known.",
            figure="groups_1",
            make=_of(tables.ages),
        ),
        Card(
            key="spoofing",
            field="Speech and biometrics",
            title="Verification under spoofing",
            sentence="Targets, zero-effort impostors and spoofs in one table: a-DCF, its minimum and the"
            " expected performance curve of both kinds of false acceptance.",
            figure="epc",
            make=_of(tables.spoofing),
        ),
        Card(
            key="evaluations",
            field="Machine learning",
            title="Language models on a benchmark",
            sentence="Logs of the LM Evaluation Harness: success rates of four models, items of one document"
            " resampled together, and each task against the others. The differences are generated and known.",
            figure="groups_1",
            make=_evaluations,
        ),
        Card(
            key="grades",
            field="Machine learning",
            title="Grades of answers",
            sentence="Marks from 0 to 5 of three language models, each question answered three times; topics"
            " are resampled as wholes. No answer is right or wrong, so means are compared.",
            figure="ranking",
            make=_of(tables.grades),
        ),
        Card(
            key="conditions",
            field="Speech and biometrics",
            title="Thresholds from other conditions",
            sentence="Thresholds of clean recordings judged on noisy ones, which moves one system only.",
            figure="det",
            make=_of(tables.conditions),
        ),
        Card(
            key="one_model",
            field="Any field",
            title="One model",
            sentence="A single detector: no comparison, only its errors, curves and scores.",
            figure="histogram",
            make=_of(tables.one_model),
        ),
        Card(
            key="no_dev",
            field="Any field",
            title="Labels and scores alone",
            sentence="No development set and no config: areas, curves and a comparison remain.",
            figure="roc",
            make=_of(tables.no_dev),
        ),
        Card(
            key="kfold",
            field="Any field",
            title="Thresholds by cross-validation",
            sentence="One set only: every trial is decided by a threshold chosen on the other folds.",
            figure="roc",
            make=_of(tables.one_set),
        ),
        Card(
            key="survey",
            field="Clinical tests and models",
            title="Survey weights",
            sentence="A survey asked one in five of the old and one in forty of the young. Weighted,"
            " sensitivity and specificity are those of the population; districts are resampled as wholes.",
            figure="roc",
            make=_of(tables.survey),
        ),
        Card(
            key="ratings",
            field="Clinical tests and models",
            real="Hanley and McNeil, Radiology 143 (1982), table I",
            title="Five-grade ratings, as counts",
            sentence="Ten counted rows of a paper of 1982, with a binormal fit of the ratings.",
            figure="roc",
            make=_of(tables.ratings),
        ),
        Card(
            key="readers",
            field="Clinical tests and models",
            title="Several readers",
            sentence="Five readers rate 120 cases with and without software; readers are a sample of all.",
            figure="roc",
            make=_of(tables.readers),
        ),
        Card(
            key="hospitals",
            field="Clinical tests and models",
            title="Counts of two sites",
            sentence="Two hospitals share counts and no scores; the report pools them.",
            figure="roc",
            make=_hospitals,
        ),
        Card(
            key="epc_authentication",
            field="Speech and biometrics",
            title="A paper: DET against EPC",
            sentence="Bengio and Mariéthoz (2004), claim by claim: the curves prefer different systems.",
            figure="det",
            make=_paper,
        ),
        Card(
            key="rocanalysis",
            field="Forensics",
            title="A paper: likelihood ratios",
            sentence="The walk-through of ROCAnalysis.jl with theoretical values next to the estimates.",
            figure="nbe",
            make=_paper,
        ),
    ],
)
"""In the order in which the gallery shows them."""


def make_one(key: str, out: Path) -> str:
    """Make a report: ``out/KEY.html``, its picture and its config; return its headline, if it has one."""
    card = CARDS[key]
    with tempfile.TemporaryDirectory() as room:
        report = card.make(Path(room), key)
        shutil.copyfile(report / "report.html", out / f"{key}.html")
        figures = report / "figures"
        picture = next(path for path in sorted(figures.glob(f"{card.figure}*.svg")))
        shutil.copyfile(picture, out / f"{key}.svg")
        shutil.copyfile(Path(room) / key / "report.yaml", out / f"{key}.yaml")
        model = report / "report.json"
        return str(json.loads(model.read_text(encoding="utf-8"))["headline"]) if model.exists() else ""
