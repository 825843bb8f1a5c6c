"""Layouts in files that are not text: spreadsheets, statistics programs, arrays."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

from tests.research.layouts.layout import layout
from tests.research.layouts.truth import areas, trials


def frame() -> pd.DataFrame:
    """Return id, outcome, ours, base."""
    return pd.DataFrame(
        [{"id": t.key, "outcome": int(t.target), "ours": t.ours, "base": t.base} for t in trials()]
    )


@layout("Excel workbook, one sheet", "ours", "base")
def excel(folder: Path) -> list[str]:
    frame().to_excel(folder / "book.xlsx", index=False)
    return ["book.xlsx"]


@layout("Excel workbook with a title above the table", "ours", "base")
def excel_title(folder: Path) -> list[str]:
    frame().to_excel(folder / "book.xlsx", index=False, startrow=3)
    return ["book.xlsx"]


@layout("OpenDocument spreadsheet", "ours", "base")
def ods(folder: Path) -> list[str]:
    frame().to_excel(folder / "book.ods", index=False, engine="odf")
    return ["book.ods"]


@layout("Stata .dta", "ours", "base")
def stata(folder: Path) -> list[str]:
    frame().to_stata(folder / "study.dta", write_index=False)
    return ["study.dta"]


@layout("SPSS .sav", "ours", "base")
def spss(folder: Path) -> list[str]:
    import pyreadstat

    pyreadstat.write_sav(
        frame(), folder / "study.sav", variable_value_labels={"outcome": {0: "alive", 1: "dead"}}
    )
    return ["study.sav"]


@layout("SAS transport .xpt", "ours", "base")
def xpt(folder: Path) -> list[str]:
    import pyreadstat

    pyreadstat.write_xport(frame(), folder / "study.xpt", table_name="STUDY")
    return ["study.xpt"]


@layout("R, saveRDS of a data frame", "ours", "base")
def rds(folder: Path) -> list[str]:
    frame().to_csv(folder / "t.csv", index=False)
    _r(
        folder,
        "d <- read.csv('t.csv'); d$outcome <- factor(d$outcome, labels = c('no', 'yes')); saveRDS(d, 'study.rds')",
    )
    return ["study.rds"]


@layout("R, save of a data frame", "ours", "base")
def rda(folder: Path) -> list[str]:
    frame().to_csv(folder / "t.csv", index=False)
    _r(folder, "study <- read.csv('t.csv'); save(study, file = 'study.rda')")
    return ["study.rda"]


def _r(folder: Path, program: str) -> None:
    subprocess.run(
        [shutil.which("Rscript") or "Rscript", "-e", program], cwd=folder, check=True, capture_output=True
    )
    (folder / "t.csv").unlink()


@layout("NumPy .npz: y_true, y_score")
def npz(folder: Path) -> list[str]:
    of = frame()
    np.savez(folder / "val.npz", y_true=of.outcome.to_numpy(), y_score=of.ours.to_numpy())
    return ["val.npz"]


@layout("Two NumPy arrays: labels.npy, scores.npy")
def npy_pair(folder: Path) -> list[str]:
    of = frame()
    np.save(folder / "labels.npy", of.outcome.to_numpy())
    np.save(folder / "scores.npy", of.ours.to_numpy())
    return ["labels.npy", "scores.npy"]


@layout("One NumPy array a class: genuine.npy, impostor.npy")
def npy_classes(folder: Path) -> list[str]:
    of = frame()
    np.save(folder / "genuine.npy", of.ours[of.outcome == 1].to_numpy())
    np.save(folder / "impostor.npy", of.ours[of.outcome == 0].to_numpy())
    return ["genuine.npy", "impostor.npy"]


@layout("MATLAB .mat: labels and scores")
def mat(folder: Path) -> list[str]:
    from scipy.io import savemat

    of = frame()
    savemat(folder / "scores.mat", {"labels": of.outcome.to_numpy(), "scores": of.ours.to_numpy()})
    return ["scores.mat"]


@layout("MATLAB .mat: genuine and impostor")
def mat_classes(folder: Path) -> list[str]:
    from scipy.io import savemat

    of = frame()
    savemat(
        folder / "scores.mat",
        {"genuine": of.ours[of.outcome == 1].to_numpy(), "impostor": of.ours[of.outcome == 0].to_numpy()},
    )
    return ["scores.mat"]


@layout("Feather", "ours", "base")
def feather(folder: Path) -> list[str]:
    pl.from_pandas(frame()).write_ipc(folder / "study.feather")
    return ["study.feather"]


@layout("A CSV in a zip archive", "ours", "base")
def zipped(folder: Path) -> list[str]:
    with zipfile.ZipFile(folder / "study.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("study.csv", frame().to_csv(index=False))
    return ["study.zip"]


OF_READERS = [*areas("base"), *areas("ours")]
"""The means over readers, who differ by a constant."""


@layout("FDA iMRMC reader study: readerID, caseID, modalityID, score; truth by reader -1", values=OF_READERS)
def imrmc(folder: Path) -> list[str]:
    lines = ["A reader study", "NR: 2", "N0: 120", "N1: 60", "NM: 2", "BEGIN DATA:"]
    lines += [f"-1, {t.key}, 0, {int(t.target)}" for t in trials()]
    lines += [
        f"{reader}, {t.key}, {modality}, {round(getattr(t, column) + shift, 2)}"
        for reader, shift in (("r1", 0.0), ("r2", 0.1))
        for modality, column in (("film", "base"), ("digital", "ours"))
        for t in trials()
    ]
    (folder / "study.imrmc").write_text("\n".join(lines) + "\n")
    return ["study.imrmc"]


@layout(
    "A results archive: two CSVs of one form, dev.csv and test.csv, in a zip; the owner names one",
    "ours",
    "base",
)
def zipped_two(folder: Path) -> list[str]:
    with zipfile.ZipFile(folder / "study.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("test.csv", frame().to_csv(index=False))
        archive.writestr("dev.csv", frame()[:90].to_csv(index=False))
    return ["study.zip"]


@layout("Excel workbook of a clinic: sheets Readme, Patients and Predictions", "ours", "base")
def excel_sheets(folder: Path) -> list[str]:
    with pd.ExcelWriter(folder / "book.xlsx") as book:
        pd.DataFrame({"field": ["id", "outcome"], "meaning": ["key", "died"]}).to_excel(
            book, sheet_name="Readme"
        )
        frame()[["id"]].assign(town="x").to_excel(book, sheet_name="Patients", index=False)
        frame().to_excel(book, sheet_name="Predictions", index=False)
    return ["book.xlsx"]
