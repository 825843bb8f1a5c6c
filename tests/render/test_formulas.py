"""Formulas: what is one, its printed text, MathML and TeX."""

from __future__ import annotations

import pytest
from snapshot import snapshot

from reporting.core.measures.catalogue import MEASURES
from reporting.document.blocks import Prose
from reporting.document.formula import formula, plain
from reporting.render.formulas import mathml, parts, tex_formula, tex_prose


@pytest.mark.parametrize(
    ("text", "printed", "tex"),
    [
        ("(FAR + FRR) / 2", "(FAR + FRR) / 2", r"$\frac{\text{FAR} + \text{FRR}}{2}$"),
        (
            "alpha FAR + (1 - alpha) FRR",
            "α·FAR + (1 − α)·FRR",
            r"$\alpha\,\text{FAR} + (1 - \alpha)\,\text{FRR}$",
        ),
        ("sqrt(FAR^2 + FRR^2)", "√(FAR^2 + FRR^2)", r"$\sqrt{{\text{FAR}}^{2} + {\text{FRR}}^{2}}$"),
        ("false alarms / non-targets", "false alarms / non-targets", r"$\frac{\text{false alarms}}{\text{non-targets}}$"),
        ("c_miss p_target FRR", None, ""),
        ("P(equal) / 2", "P(equal) / 2", r"$\frac{P(\text{equal})}{2}$"),
        ("a / min(b, 1 - c)", "a / min(b, 1 − c)", r"$\frac{a}{\text{min}(b, 1 - c)}$"),
        ("a / log(b c)", "a / log(b·c)", r"$\frac{a}{\text{log}(b\,c)}$"),
        ("a + b, c", None, ""),
        ("the rate at which FAR = FRR", None, ""),
        ("a <script> + b", None, ""),
        ("(FAR + FRR", None, ""),
        ("", None, ""),
    ],
)  # fmt: skip
def test_by_hand(text: str, printed: str | None, tex: str) -> None:
    node = formula(text)
    assert (None if node is None else plain(node)) == printed
    if node is not None:
        assert tex_formula(node) == tex
        assert formula(plain(node)) == node


def test_every_definition_that_is_a_formula_reads_back() -> None:
    read = {key: formula(measure.definition.partition(";")[0]) for key, measure in MEASURES.items()}
    found = {key: node for key, node in read.items() if node is not None}
    assert {"far", "hter", "f1", "mcc", "youden"} & set(found) >= {"far", "hter", "f1"}
    assert "auc" in found
    for key, node in found.items():
        assert formula(plain(node)) == node, key


def test_a_paragraph_holds_its_formulas_in_type() -> None:
    prose = Prose("Here HTER = (FAR + FRR) / 2 <b>.", "Data.", ("HTER = (FAR + FRR) / 2",))
    text, node, rest = parts(prose)
    assert (text, rest) == ("Here ", " <b>.")
    assert not isinstance(node, str)
    snapshot("render/formulas_a_paragraph_holds_its_formulas_in_type", mathml(node))
    snapshot("render/formulas_a_paragraph_holds_its_formulas_in_type_2", tex_prose(prose))
