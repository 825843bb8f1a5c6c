import pytest
from build import build, trials_of

from reporting.document.words.origins import signature

TRIALS = [f"{split}{k} a {split} {k % 2} {k % 2 + k / 10}" for split in ("dev", "test") for k in range(10)]


@pytest.mark.parametrize(("correction", "words"), [("none", "unadjusted"), ("bh", "Benjamini")])
def test_the_line_of_a_report_names_its_correction(tmp_path, correction, words):
    built = build(tmp_path, trials_of(*TRIALS), "epc: none\n", f"significance.correction={correction}")
    assert words in signature(built.results)
