"""What a page weighs and how soon it is ready. No test here asserts a time: they print what they saw."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reporting.app.run.report import make_report

MOST_BYTES = 3_000_000
READY = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def page_of(folder, models, trials):
    """The page of a whole report on simulated trials, half of them dev."""
    rng = np.random.default_rng(1)
    label = rng.random(trials) < 0.2
    base = rng.normal(size=trials)
    split = np.where(np.arange(trials) % 2, "test", "dev")
    parts = [
        pl.DataFrame(
            {
                "model": [f"System {number}"] * trials,
                "split": split,
                "trial": np.arange(trials),
                "label": label,
                "score": (label * (1.5 + 0.12 * number) + 0.6 * base + 0.8 * rng.normal(size=trials)).round(
                    4
                ),
            }
        )
        for number in range(models)
    ]
    pl.concat(parts).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(
        "title: Weight\ntrials: {source: trials.parquet}\nbaseline: System 0\n"
        "significance: {replicates: 99}\nreport: {formats: [html]}\n"
    )
    return (make_report(folder / "report.yaml") / "report.html").read_bytes()


@pytest.mark.parametrize(
    ("models", "trials"),
    [(2, 10_000), pytest.param(20, 1_000_000, marks=pytest.mark.long)],
    ids=["2 x 10 k", "20 x 1 M"],
)
def test_a_page_is_light(open_page, tmp_path, models, trials):
    html = page_of(tmp_path, models, trials)
    watched = open_page(html)
    print(f"{models} x {trials}: {len(html):,} bytes, ready after {watched.page.evaluate(READY):.0f} ms")
    assert len(html) < MOST_BYTES
    watched.show_all()
    assert watched.page.locator("#figure-det .models button").count() == models
