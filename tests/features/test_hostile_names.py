"""Names that are code in some format, through tables and pictures of comparisons, to the last file."""

import re
import subprocess

import pytest
from simulated_results import World, simulate

from reporting.features.compose import compose
from reporting.render.formats import render_all

HOSTILE = {
    "k1": "<script>alert(1)</script>",
    "k2": r"a_b % & # $ ^ ~ \ { } \input{/etc/passwd}",
    "k3": "two\nlines * [x] − p",
    "k4": "]]> 中文 </td>",
}


@pytest.fixture(scope="module", params=[None, "k2"])
def files(request):
    results = simulate(
        World(models=tuple(HOSTILE), names=HOSTILE, baseline=request.param, alphas=11, step=0.4)
    )
    return render_all(compose(results), results.provenance, ("html", "latex", "json"), interactive=True)


def test_pages_hold_no_tag_of_a_name(files):
    page = files["report.html"].decode()
    assert page.count("<script>") == 1
    assert "alert(1)</script>" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 10
    assert page.count("<table>") == page.count("</table>")
    assert page.count("<td") == page.count("</td>")


def test_the_document_compiles(files, pdflatex, tmp_path):
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    far = [float(size) for size in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", done.stdout)]
    assert max(far, default=0.0) < 40
