"""Layouts of machine learning, statistics packages, clinics and services."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.research.layouts.layout import layout
from tests.research.layouts.truth import area, trials


def table(path: Path, head: Sequence[str] | None, body: Iterable[Sequence[object]], **form: str) -> None:
    """Write a CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", **form)  # type: ignore[arg-type]
    if head:
        writer.writerow(head)
    writer.writerows(body)
    path.write_text(out.getvalue(), encoding="utf-8")


@layout("scikit-learn users: y_test, y_pred, y_pred_proba")
def y_test_pred_proba(folder: Path) -> list[str]:
    table(
        folder / "out.csv",
        ["y_test", "y_pred", "y_pred_proba"],
        ([int(t.target), int(t.decided), t.ours] for t in trials()),
    )
    return ["out.csv"]


@layout("A table of results with the class predicted: id,label,prediction,probability")
def label_prediction_probability(folder: Path) -> list[str]:
    table(
        folder / "out.csv",
        ["id", "label", "prediction", "probability"],
        ([t.key, int(t.target), int(t.decided), t.ours] for t in trials()),
    )
    return ["out.csv"]


@layout("Observed and predicted in words, and a risk")
def observed_predicted(folder: Path) -> list[str]:
    table(
        folder / "out.csv",
        ["id", "observed", "predicted", "risk"],
        ([t.key, t.word, "yes" if t.decided else "no", t.ours] for t in trials()),
    )
    return ["out.csv"]


@layout("predict_proba of two classes: proba_0, proba_1")
def two_probabilities(folder: Path) -> list[str]:
    table(
        folder / "rf.csv",
        ["y_true", "proba_0", "proba_1"],
        ([int(t.target), round(1 - t.ours, 2), t.ours] for t in trials()),
    )
    return ["rf.csv"]


@layout("caret, savePredictions = 'final', classProbs: pred, obs, no, yes, rowIndex, mtry, Resample")
def caret(folder: Path) -> list[str]:
    head = ["pred", "obs", "no", "yes", "rowIndex", "mtry", "Resample"]
    table(
        folder / "pred.csv",
        head,
        (
            ["yes" if t.decided else "no", t.word, round(1 - t.ours, 2), t.ours, i + 1, 2, f"Fold{i % 5 + 1}"]
            for i, t in enumerate(trials())
        ),
    )
    return ["pred.csv"]


@layout("tidymodels collect_predictions: .pred_no, .pred_yes, id, .row, .pred_class, truth")
def tidymodels(folder: Path) -> list[str]:
    head = [".pred_no", ".pred_yes", "id", ".row", ".pred_class", "truth", ".config"]
    table(
        folder / "predictions.csv",
        head,
        (
            [
                round(1 - t.ours, 2),
                t.ours,
                f"Fold{i % 5 + 1}",
                i + 1,
                "yes" if t.decided else "no",
                t.word,
                "Preprocessor1_Model1",
            ]
            for i, t in enumerate(trials())
        ),
    )
    return ["predictions.csv"]


@layout("cross_val_predict with its fold: row, fold, y, p")
def cross_val_predict(folder: Path) -> list[str]:
    table(
        folder / "oof.csv",
        ["row", "fold", "y", "p"],
        ([i, i % 5, int(t.target), t.ours] for i, t in enumerate(trials())),
    )
    return ["oof.csv"]


def predicted(trial: object) -> float:
    """Return the probability of the class that was predicted."""
    ours = trial.ours  # type: ignore[attr-defined]
    return max(ours, round(1 - ours, 2))


@layout("Weka, output predictions as CSV: inst#,actual,predicted,error,prediction (of the predicted class)")
def weka(folder: Path) -> list[str]:
    table(
        folder / "weka.csv",
        ["inst#", "actual", "predicted", "error", "prediction"],
        (
            [
                i + 1,
                f"{1 + t.target}:{t.word}",
                f"{1 + t.decided}:{'yes' if t.decided else 'no'}",
                "" if t.decided == t.target else "+",
                predicted(t),
            ]
            for i, t in enumerate(trials())
        ),
    )
    return ["weka.csv"]


@layout("Weka with distributions: prediction,distribution as *0.7,0.3")
def weka_distribution(folder: Path) -> list[str]:
    lines = ["inst#,actual,predicted,error,distribution,"]
    for i, t in enumerate(trials()):
        no, yes = f"{1 - t.ours:.2f}", f"{t.ours:.2f}"
        both = f"{no},*{yes}" if t.decided else f"*{no},{yes}"
        lines.append(
            f"{i + 1},{1 + t.target}:{t.word},{1 + t.decided}:{'yes' if t.decided else 'no'},{'' if t.decided == t.target else '+'},{both}"
        )
    (folder / "weka.csv").write_text("\n".join(lines) + "\n")
    return ["weka.csv"]


@layout("KNIME: class, P (class=no), P (class=yes), Prediction (class)")
def knime(folder: Path) -> list[str]:
    table(
        folder / "knime.csv",
        ["row ID", "class", "P (class=no)", "P (class=yes)", "Prediction (class)"],
        (
            [f"Row{i}", t.word, round(1 - t.ours, 2), t.ours, "yes" if t.decided else "no"]
            for i, t in enumerate(trials())
        ),
    )
    return ["knime.csv"]


@layout("RapidMiner: label, prediction(label), confidence(no), confidence(yes), semicolons")
def rapidminer(folder: Path) -> list[str]:
    table(
        folder / "rm.csv",
        ["id", "label", "prediction(label)", "confidence(no)", "confidence(yes)"],
        ([t.key, t.word, "yes" if t.decided else "no", round(1 - t.ours, 2), t.ours] for t in trials()),
        delimiter=";",
    )
    return ["rm.csv"]


@layout("Azure ML designer: Scored Labels, Scored Probabilities")
def azure(folder: Path) -> list[str]:
    table(
        folder / "scored.csv",
        ["age", "income", "Scored Labels", "Scored Probabilities"],
        ([t.age, int(t.target), int(t.decided), t.ours] for t in trials()),
    )
    return ["scored.csv"]


@layout("SPSS logistic regression, saved: died, PRE_1, PGR_1")
def spss_saved(folder: Path) -> list[str]:
    table(
        folder / "spss.csv",
        ["died", "PRE_1", "PGR_1"],
        ([int(t.target), t.ours, int(t.decided)] for t in trials()),
    )
    return ["spss.csv"]


@layout("SAS PROC LOGISTIC, output out=: _FROM_, _INTO_, P_0, P_1")
def sas_logistic(folder: Path) -> list[str]:
    table(
        folder / "sas.csv",
        ["id", "_FROM_", "_INTO_", "IP_0", "IP_1"],
        ([t.key, int(t.target), int(t.decided), round(1 - t.ours, 2), t.ours] for t in trials()),
    )
    return ["sas.csv"]


@layout("H2O predictions beside the truth: y, predict, p0, p1")
def h2o(folder: Path) -> list[str]:
    table(
        folder / "h2o.csv",
        ["y", "predict", "p0", "p1"],
        ([int(t.target), int(t.decided), round(1 - t.ours, 2), t.ours] for t in trials()),
    )
    return ["h2o.csv"]


@layout("Kaggle: solution.csv and submission.csv, joined by id")
def kaggle(folder: Path) -> list[str]:
    table(
        folder / "solution.csv",
        ["id", "target", "Usage"],
        ([t.key, int(t.target), "Private"] for t in trials()),
    )
    table(folder / "submission.csv", ["id", "target"], ([t.key, t.ours] for t in trials()))
    return ["solution.csv", "submission.csv"]


@layout("BigQuery ML.PREDICT flattened: label, predicted_label, prob, customer", "ours")
def bigquery(folder: Path) -> list[str]:
    table(
        folder / "bq.csv",
        ["customer_id", "predicted_churned", "churned_prob", "churned"],
        ([t.key, str(t.decided).lower(), t.ours, str(t.target).lower()] for t in trials()),
    )
    return ["bq.csv"]


@layout("DataRobot export: row_id, readmitted_1.0_PREDICTION, readmitted_PREDICTION, readmitted")
def datarobot(folder: Path) -> list[str]:
    table(
        folder / "dr.csv",
        [
            "row_id",
            "readmitted_1.0_PREDICTION",
            "readmitted_0.0_PREDICTION",
            "readmitted_PREDICTION",
            "THRESHOLD",
            "readmitted",
        ],
        (
            [i, t.ours, round(1 - t.ours, 2), float(t.decided), 0.5, float(t.target)]
            for i, t in enumerate(trials())
        ),
    )
    return ["dr.csv"]


@layout("MLflow eval_results_table.json: columns and data")
def mlflow_table(folder: Path) -> list[str]:
    rows = [[t.age, int(t.target), int(t.decided), t.ours] for t in trials()]
    (folder / "eval_results_table.json").write_text(
        json.dumps({"columns": ["age", "label", "prediction", "score"], "data": rows})
    )
    return ["eval_results_table.json"]


@layout("pandas to_json(orient='records'): a list of {label, score}")
def json_records(folder: Path) -> list[str]:
    (folder / "out.json").write_text(
        json.dumps([{"label": int(t.target), "score": t.ours} for t in trials()])
    )
    return ["out.json"]


@layout("pandas to_json(): columns of index to value")
def json_columns(folder: Path) -> list[str]:
    of = list(trials())
    (folder / "out.json").write_text(
        json.dumps(
            {
                "label": {str(i): int(t.target) for i, t in enumerate(of)},
                "score": {str(i): t.ours for i, t in enumerate(of)},
            }
        )
    )
    return ["out.json"]


@layout("Hugging Face text classification, with gold: the score is that of the predicted label")
def hugging_face(folder: Path) -> list[str]:
    lines = [
        json.dumps(
            {
                "gold": "POSITIVE" if t.target else "NEGATIVE",
                "label": "POSITIVE" if t.decided else "NEGATIVE",
                "score": predicted(t),
            }
        )
        for t in trials()
    ]
    (folder / "hf.jsonl").write_text("\n".join(lines) + "\n")
    return ["hf.jsonl"]


@layout("pROC's aSAH written by write.csv: outcome Good/Poor and three markers", values=[])
def asah(folder: Path) -> list[str]:
    table(
        folder / "aSAH.csv",
        ["", "gos6", "outcome", "gender", "age", "wfns", "s100b", "ndka"],
        (
            [
                i + 1,
                1 + t.target * 2,
                "Poor" if t.target else "Good",
                ["Male", "Female"][t.age % 2],
                t.age,
                1 + round(4 * t.base),
                t.ours,
                round(10 * t.base, 2),
            ]
            for i, t in enumerate(trials())
        ),
        quoting=csv.QUOTE_NONNUMERIC,
    )
    return ["aSAH.csv"]


@layout("A two-column file without head: label, score, spaces")
def two_columns(folder: Path) -> list[str]:
    (folder / "out.dat").write_text("".join(f"{int(t.target)} {t.ours}\n" for t in trials()))
    return ["out.dat"]


@layout(
    "ROCKIT, PRROC: two columns, scores of each class side by side",
    values=[
        area([t.ours for t in trials() if t.target][:50], [t.ours for t in trials() if not t.target][:50])
    ],
)
def columns_of_classes(folder: Path) -> list[str]:
    a, b = [t.ours for t in trials() if t.target][:50], [t.ours for t in trials() if not t.target][:50]
    table(folder / "classes.csv", ["diseased", "healthy"], zip(a, b, strict=True))
    return ["classes.csv"]


@layout("Score distributions of a matcher (NIST BSSR1 users, bob): bin, genuine count, impostor count")
def class_counts(folder: Path) -> list[str]:
    sides = [[t.ours for t in trials() if t.target is kind] for kind in (True, False)]
    body = [[score, *(of.count(score) for of in sides)] for score in sorted({*sides[0], *sides[1]})]
    table(folder / "distribution.csv", ["bin", "genuine_count", "impostor_count"], body)
    return ["distribution.csv"]


@layout(
    "Scores of both classes side by side in a spreadsheet, of unequal lengths: genuine, impostor",
    "ours",
    "base",
)
def unequal_columns(folder: Path) -> list[str]:
    for model in ("ours", "base"):
        a, b = ([getattr(t, model) for t in trials() if t.target is kind] for kind in (True, False))
        table(
            folder / f"{model}.csv",
            ["genuine", "impostor"],
            zip([*a, *[""] * (len(b) - len(a))], b, strict=True),
        )
    return ["ours.csv", "base.csv"]


@layout(
    "Hugging Face text classification of a file of labels: truth.csv (id, label), predictions.jsonl (id, label, score)"
)
def hugging_face_pair(folder: Path) -> list[str]:
    word = {True: "POSITIVE", False: "NEGATIVE"}
    table(folder / "truth.csv", ["id", "label"], ([t.key, word[t.target]] for t in trials()))
    lines = [json.dumps({"id": t.key, "label": word[t.decided], "score": predicted(t)}) for t in trials()]
    (folder / "predictions.jsonl").write_text("\n".join(lines) + "\n")
    return ["truth.csv", "predictions.jsonl"]


@layout(
    "Kaggle, the columns of both files alike: solution.csv (id, target), two submissions (id, target)",
    "ours",
    "base",
)
def kaggle_two(folder: Path) -> list[str]:
    table(folder / "solution.csv", ["id", "target"], ([t.key, int(t.target)] for t in trials()))
    for model in ("ours", "base"):
        table(folder / f"{model}.csv", ["id", "target"], ([t.key, getattr(t, model)] for t in trials()))
    return ["solution.csv", "ours.csv", "base.csv"]


@layout("Excel of a German lab, saved as CSV: semicolons, decimal commas, Latin-1", "ours", "base")
def german(folder: Path) -> list[str]:
    table(
        folder / "ergebnis.csv",
        ["Prüfling", "Klasse", "Modell A", "Modell B"],
        (
            [
                t.key,
                "krank" if t.target else "gesund",
                str(t.ours).replace(".", ","),
                str(t.base).replace(".", ","),
            ]
            for t in trials()
        ),
        delimiter=";",
    )
    path = folder / "ergebnis.csv"
    path.write_bytes(path.read_text(encoding="utf-8").encode("latin-1"))
    return ["ergebnis.csv"]


@layout("Unicode text saved by Excel: UTF-16, tabs")
def utf16(folder: Path) -> list[str]:
    table(
        folder / "export.txt",
        ["id", "label", "score"],
        ([t.key, t.word, t.ours] for t in trials()),
        delimiter="\t",
    )
    path = folder / "export.txt"
    path.write_bytes(path.read_text(encoding="utf-8").replace("\n", "\r\n").encode("utf-16"))
    return ["export.txt"]


@layout("Percentages and thousands separators: risk '12.5%', amount '1,234'")
def percentages(folder: Path) -> list[str]:
    table(
        folder / "risk.csv",
        ["id", "amount", "fraud", "risk"],
        ([t.key, f"{1000 + t.age * 37:,}", int(t.target), f"{100 * t.ours:.0f}%"] for t in trials()),
    )
    return ["risk.csv"]


@layout("Orange .tab: names, kinds and roles in three lines", "ours", "base")
def orange(folder: Path) -> list[str]:
    table(
        folder / "orange.tab",
        None,
        [
            ["age", "disease", "Logistic", "Tree"],
            ["continuous", "no yes", "continuous", "continuous"],
            ["", "class", "meta", "meta"],
            *([t.age, t.word, t.ours, t.base] for t in trials()),
        ],
        delimiter="\t",
    )
    return ["orange.tab"]


@layout("Orange .csv: a header of one line with prefixes: C#age, cD#disease, mC#Logistic")
def orange_prefixes(folder: Path) -> list[str]:
    head = ["C#age", "cD#disease", "mC#Logistic"]
    table(folder / "orange.csv", head, ([t.age, t.word, t.ours] for t in trials()))
    return ["orange.csv"]


@layout("Weka .arff: attributes in a head, nominal class, probability of yes")
def arff(folder: Path) -> list[str]:
    head = [
        "@relation predictions",
        "@attribute age numeric",
        "@attribute 'class' {no,yes}",
        "@attribute 'P(yes)' numeric",
    ]
    body = [f"{t.age},{t.word},{t.ours}" for t in trials()]
    (folder / "rf.arff").write_text("\n".join(["% written by Weka", *head, "@data", *body]) + "\n")
    return ["rf.arff"]


@layout("Two models side by side, wide, with hospital", "ours", "base")
def wide_hospital(folder: Path) -> list[str]:
    table(
        folder / "models.csv",
        ["patient", "hospital", "outcome", "model_a", "model_b"],
        ([t.key, t.site, int(t.target), t.ours, t.base] for t in trials()),
    )
    return ["models.csv"]


@layout("Markers of a clinic, no model: cancer, famhistory, age, marker", values=[])
def clinic_markers(folder: Path) -> list[str]:
    table(
        folder / "dca.csv",
        ["patientid", "cancer", "famhistory", "age", "marker"],
        ([i + 1, int(t.target), int(t.age % 4 == 0), t.age, t.ours] for i, t in enumerate(trials())),
    )
    return ["dca.csv"]


@layout("Fraud: card transactions with time, amount, Class and a score")
def fraud(folder: Path) -> list[str]:
    table(
        folder / "transactions.csv",
        ["Time", "Amount", "Class", "score"],
        ([i * 60, round(1.7 * t.age, 2), int(t.target), t.ours] for i, t in enumerate(trials())),
    )
    return ["transactions.csv"]


@layout("Dates as split: dev until a month, test after it")
def dates(folder: Path) -> list[str]:
    table(
        folder / "weeks.csv",
        ["id", "date", "label", "score"],
        (
            [t.key, f"2026-{1 + i % 6:02d}-{1 + i % 28:02d}", int(t.target), t.ours]
            for i, t in enumerate(trials())
        ),
    )
    return ["weeks.csv"]


@layout("Forecasts: probability of rain and the rain that fell, in millimetres", "ours")
def forecasts(folder: Path) -> list[str]:
    table(
        folder / "rain.csv",
        ["date", "station", "pop", "rain_mm"],
        (
            [
                f"2026-{1 + i // 30:02d}-{1 + i % 28:02d}",
                t.site,
                t.ours,
                round(t.age / 10, 1) if t.target else 0.0,
            ]
            for i, t in enumerate(trials())
        ),
    )
    return ["rain.csv"]


@layout("Forecasting tournament: question, forecaster, probability, resolved", "ours", "base")
def tournament(folder: Path) -> list[str]:
    table(
        folder / "forecasts.csv",
        ["question_id", "forecaster", "probability", "resolution"],
        ([t.key, name, getattr(t, name), t.word] for t in trials() for name in ("ours", "base")),
    )
    return ["forecasts.csv"]


@layout("Predictions and labels of a deep network: logits, and the loss", "ours")
def logit_and_loss(folder: Path) -> list[str]:
    import math

    table(
        folder / "eval.csv",
        ["idx", "target", "logit", "loss"],
        (
            [
                i,
                int(t.target),
                round(math.log(t.ours / (1 - t.ours)), 6),
                round(-math.log(t.ours if t.target else 1 - t.ours), 6),
            ]
            for i, t in enumerate(trials())
        ),
    )
    return ["eval.csv"]


@layout("Missing labels and scores in their spellings: NA, -999, n/a, blank")
def missing(folder: Path) -> list[str]:
    blanks = ["NA", "n/a", "", "."]
    table(
        folder / "m.csv",
        ["id", "outcome", "score"],
        [
            *([t.key, int(t.target), t.ours] for t in trials()),
            *([f"x{i}", i % 2, blank] for i, blank in enumerate(blanks)),
        ],
    )
    return ["m.csv"]


@layout("Duplicate and blank column names, trailing separators")
def ragged(folder: Path) -> list[str]:
    table(
        folder / "r.csv",
        ["id", "score", "label", "score", "", ""],
        ([t.key, t.ours, int(t.target), t.ours, "", ""] for t in trials()),
    )
    return ["r.csv"]
