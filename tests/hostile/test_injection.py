"""One report whose every name is an attack, read by what would be attacked: one test a format.

Names of models, datasets, groups, the title, a table's name of a column: all are texts of ``texts.PAYLOADS``. What
the writers do with single texts is tested in their rooms; here all come through the whole program.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import polars as pl
import pytest
from command import reporting

from reporting.features.catalogue import FEATURES
from tests.hostile.ending import READERS, faults_of_report
from tests.hostile.texts import PAYLOADS

IN_MODELS = ("script", "image", "end of title", "drawing", "tex file", "tex shell", "formula", "red", "typst")
IN_GROUPS = ("attribute", "link", "markdown", "formula @", "tex signs", "jinja")
IN_DATASETS = ("end of data", "format")
FORMATS = "[html, latex, markdown, markdown-full, json, pdf, docx, xlsx, png]"


def write_attack(folder: Path) -> Path:
    """Write a table and a config in which everything that has a name attacks; return the config."""
    groups = [PAYLOADS[kind] for kind in IN_GROUPS]
    rows = [
        {
            "model": PAYLOADS[model],
            "dataset": PAYLOADS[dataset],
            "split": split,
            "trial": f"{PAYLOADS['path']}{i}",
            "label": i // 6 % 2,
            "score": (i * 7 + at) % 5 + i // 6 % 2,
            "<b>of": groups[i % 6],
            "kind": PAYLOADS["json"],
        }
        for at, model in enumerate(IN_MODELS)
        for dataset in IN_DATASETS
        for split in ("dev", "test")
        for i in range(36)
    ]
    pl.DataFrame(rows).write_parquet(folder / "trials.parquet")
    config = {
        "title": "".join(PAYLOADS[kind] for kind in ("end of title", "tex shell", "typst", "red", "lines")),
        "trials": {"source": "trials.parquet"},
        "baseline": PAYLOADS["script"],
        "models": {PAYLOADS["typst"]: {"name": PAYLOADS["prototype"] + PAYLOADS["expression"]}},
        "significance": {"replicates": 99},
        "epc": {"alphas": 5},
        "by": ["<b>of"],
        "across": ["<b>of", {"columns": ["<b>of", "kind"], "reference": [groups[0], PAYLOADS["json"]]}],
        "report": {"formats": FORMATS, "tables": [{"columns": ["hter"], "caption": PAYLOADS["script"]}]},
    }
    gate = {"measure": "hter", "model": "*", "at_most": 0.9, "name": PAYLOADS["image"] + PAYLOADS["json"]}
    of_questions = {"abstention": {"capacity": 0.2}, "gates": [gate]}
    config |= {key: value for key, value in of_questions.items() if key in FEATURES}
    path = folder / "report.yaml"
    path.write_text(json.dumps(config).replace(f'"{FORMATS}"', FORMATS))
    return path


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the report; what its run printed is in ``printed``."""
    folder = tmp_path_factory.mktemp("attack")
    ended = reporting("run", write_attack(folder), "-o", folder / "out", "--log", "json")
    assert ended.returncode in (0, 1), ended.stderr
    (folder / "printed").write_text(ended.stderr)
    return folder / "out"


def test_no_file_holds_what_acts(attacked: Path) -> None:
    assert {path.suffix for path in attacked.rglob("*")} >= {*READERS, ".pdf", ".png", ".parquet"}
    assert list(faults_of_report(attacked)) == []


def test_no_name_of_a_file_comes_from_a_name(attacked: Path) -> None:
    names = [path.relative_to(attacked).as_posix() for path in attacked.rglob("*")]
    assert all(re.fullmatch(r"[A-Za-z0-9_./-]+", name) and ".." not in name for name in names), names


@pytest.mark.parametrize("policy", [True, False], ids=["under the policy", "without it"])
def test_a_browser_runs_none_of_it(attacked: Path, browser: Any, tmp_path: Path, policy: bool) -> None:
    """Every element is pointed at, pressed and given the keyboard; nothing answers but the page's own scripts."""
    text = (attacked / "report.html").read_text(encoding="utf-8")
    stripped = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert stripped != text
    (tmp_path / "page.html").write_text(text if policy else stripped, encoding="utf-8")
    dialogs: list[str] = []
    requests: list[str] = []
    context = browser.new_context(bypass_csp=False)
    page = context.new_page()
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate(
        """() => {
          for (const one of document.querySelectorAll('details')) one.open = true;
          for (const one of document.querySelectorAll('*')) {
            for (const kind of ['mouseover', 'focus', 'load', 'error'])
              one.dispatchEvent(new Event(kind, {bubbles: false}));
            if (one.matches('button, a[href^="#"]')) one.click();
          }
        }"""
    )
    page.wait_for_timeout(500)
    tags = page.evaluate(
        "[...document.querySelectorAll('iframe, object, embed, base, b:not(.model), img[src=x]')].length"
    )
    context.close()
    assert (dialogs, tags) == ([], 0)
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
@pytest.mark.long
def test_tex_sets_it_and_opens_no_other_file(attacked: Path, engine: str, tmp_path: Path) -> None:
    if not shutil.which(engine):
        pytest.skip(f"{engine} is missing")
    shutil.copytree(attacked, tmp_path / "tex")
    command = [
        engine,
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "-recorder",
        "report.tex",
    ]
    done = subprocess.run(command, cwd=tmp_path / "tex", capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    opened = (tmp_path / "tex" / "report.fls").read_text()
    assert "/etc/passwd" not in opened
    assert not (tmp_path / "tex" / "broken").exists()


def test_every_picture_is_xml_without_scripts_or_links(attacked: Path) -> None:
    pictures = list(attacked.rglob("*.svg"))
    assert pictures
    for path in pictures:
        for element in ElementTree.parse(path).iter():
            assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "image", "a"), path


def test_markdown_shows_names_as_text(attacked: Path) -> None:
    reader: Any = (
        pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    )
    pages = list(attacked.glob("*.md"))
    assert pages
    for path in pages:
        page = reader.render(path.read_text(encoding="utf-8"))
        assert list(READERS[".html"](page)) == [], path
        assert not re.search(r"<(script|svg|iframe)|href=.javascript:", page), path


def test_a_spreadsheet_finds_no_formula(attacked: Path) -> None:
    cells = [
        cell
        for path in attacked.rglob("*.csv")
        for row in csv.reader(path.open(encoding="utf-8", newline=""))
        for cell in row
    ]
    assert any("HYPERLINK" in cell for cell in cells)
    assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-[^\d.,]", cell)]


def test_office_programs_find_texts_alone(attacked: Path) -> None:
    """No formula, link, macro, field of another file or entity: names are the texts of cells and runs."""
    for name in ("report.docx", "report.xlsx"):
        with ZipFile(attacked / name) as archive:
            parts = {
                part: archive.read(part).decode()
                for part in archive.namelist()
                if part.endswith((".xml", ".rels"))
            }
        assert any("&lt;script&gt;alert(1)&lt;/script&gt;" in text for text in parts.values()), name
        for part, text in parts.items():
            assert not re.search(
                r"<f[ >]|<hyperlink|TargetMode=.External|<!ENTITY|<!DOCTYPE|vbaProject|oleObject", text
            ), part
            fields = re.findall(r'w:instr="([^"]*)"', text)
            assert all(re.fullmatch(r"PAGE|SEQ (Table|Figure) \\\* ARABIC", field) for field in fields), (
                fields
            )


def test_json_and_junit_hold_names_as_texts(attacked: Path) -> None:
    report = json.loads((attacked / "report.json").read_text(encoding="utf-8"))
    assert PAYLOADS["script"] in json.dumps(report, ensure_ascii=False)
    junit = ElementTree.parse(next(attacked.glob("*.xml")))
    assert PAYLOADS["image"] in " ".join(one.attrib.get("name", "") for one in junit.iter())


def test_log_lines_are_one_object_each(attacked: Path) -> None:
    lines = (attacked.parent / "printed").read_text().splitlines()
    assert lines
    assert all(isinstance(json.loads(line), dict) for line in lines)


COMMANDS: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "check": lambda config: ("check", config),
    "verbose": lambda config: ("check", "-v", config),
    "override": lambda config: ("check", config, "--set", f"title=[{PAYLOADS['red']}"),
    "no such model": lambda config: ("check", config, "--set", f"baseline='{PAYLOADS['red']}'"),
    "no such file": lambda config: ("check", config, "--set", f"trials.source='{PAYLOADS['red']}.csv'"),
}


@pytest.mark.parametrize("what", COMMANDS)
def test_a_terminal_obeys_no_name(what: str, tmp_path: Path) -> None:
    ended = reporting(*COMMANDS[what](write_attack(tmp_path)))
    printed = ended.stdout + ended.stderr
    assert printed
    assert not set(printed) & set("\x1b\x07\x9b\x08\r\x7f"), printed
