"""docs/notebook.ipynb, executed by a real kernel as a reader would: what each cell shows, and what it leaves."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    folder = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        patch.setenv("IPYTHONDIR", str(folder / ".ipython"))
        client.execute()
    return notebook, folder


def shown(notebook: Any, source: str) -> Any:
    """The only output of the cell that holds some source, by kind."""
    (cell,) = [cell for cell in notebook.cells if cell.cell_type == "code" and source in cell.source]
    (output,) = cell.outputs
    return output.data


def test_it_is_kept_without_outputs() -> None:
    assert '"outputs": []' in NOTEBOOK.read_text()
    assert re.search(r'"outputs": \[[^\]]', NOTEBOOK.read_text()) is None


def test_every_cell_shows_what_its_text_promises(executed: tuple[Any, Path]) -> None:
    notebook, folder = executed
    assert not [o for cell in notebook.cells for o in cell.get("outputs", []) if o.output_type == "stream"]
    for source in ("from_estimators", "from_cross_validate"):
        page = shown(notebook, source)["text/html"]
        assert "Target: malignant" in page
        assert re.search(r"(logistic|naive Bayes)\b.* (is|looks) best", page)
        assert page.count("<svg") >= 3
        assert "DET" in page
    assert "ci_low" in shown(notebook, "report.frames")["text/html"]
    assert "p_value" in shown(notebook, "to_pandas")["text/html"]
    assert "gt_table" in shown(notebook, 'table("paper")')["text/html"]
    assert shown(notebook, "reporting.plot")["image/svg+xml"].startswith("<svg")
    assert (folder / "tumours" / "report.html").is_file()
    assert (folder / "tumours" / "manifest.json").is_file()


def test_nothing_it_shows_needs_the_network(executed: tuple[Any, Path]) -> None:
    notebook, _ = executed
    outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    texts = [text for o in outputs for text in o.data.values() if isinstance(text, str)]
    loads = re.compile(r"""(?:src|href)=["']?(?:https?:)?//|@import|<script|url\(["']?https?:""")
    assert len(texts) > 8
    assert not [text[match.start() :][:80] for text in texts if (match := loads.search(text))]
