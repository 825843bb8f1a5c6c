"""What tells lines apart: hues for readers who see fewer colours, contrast on both pages, lightness on paper."""

import itertools
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from simulated_results import World, simulate

from reporting.document.blocks import (
    CONTEXT_GREY,
    HUES,
    NEUTRAL,
    TONES,
    colour,
    darkened,
    dash,
    in_colour,
    in_context,
    is_context,
)
from reporting.document.frames.metrics import METRICS
from reporting.document.words.view import solid, views

# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
SEEN_BY = {
    "all": np.eye(3),
    "deuteranopes": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopes": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
STYLE = (Path(__file__).parents[3] / "templates" / "html" / "chart_dark.css").read_text(encoding="utf-8")
LIT = dict(re.findall(r'\[stroke="(#\w{6})"\] \{ stroke: (#\w{6});', STYLE))
WHITE, DARK_PAGE = "#FFFFFF", "#15171B"


def linear(code):
    channels = np.array([int(code[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    low, high = sorted(float(linear(code) @ TO_XYZ[1]) for code in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(code, seen_by):
    xyz = TO_XYZ @ np.clip(np.array(SEEN_BY[seen_by]) @ linear(code), 0, 1) / (TO_XYZ @ np.ones(3))
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one, other):
    """Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    middle = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    delta_h = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cosines = ((-0.17, 1, 30), (0.24, 2, 0), (0.32, 3, -6), (-0.20, 4, 63))
    t = 1 + sum(w * np.cos(np.radians(n * middle - off)) for w, n, off in cosines)
    s_l = 1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    s_c, s_h = 1 + 0.045 * chroma, 1 + 0.015 * chroma * t
    bend = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    r_t = bend * np.sin(np.radians(60 * np.exp(-(((middle - 275) / 25) ** 2))))
    parts = (l2 - l1) / s_l, (c2 - c1) / s_c, delta_h / s_h
    return float(np.sqrt(sum(part**2 for part in parts) + r_t * parts[1] * parts[2]))


def least_difference(codes, seen_by):
    seen = [lab(code, seen_by) for code in codes]
    return min(ciede2000(*pair) for pair in itertools.combinations(seen, 2))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ],
)
def test_the_distance_is_that_of_its_paper(one, other, expected):
    assert ciede2000(one, other) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("seen_by", "least"), [("all", 23), ("deuteranopes", 15), ("protanopes", 11)])
def test_any_two_hues_can_be_told_apart(seen_by, least):
    assert least_difference(HUES, seen_by) >= least


@pytest.mark.parametrize(("seen_by", "least"), [("all", 22), ("deuteranopes", 14), ("protanopes", 10)])
def test_so_can_their_lighter_forms_in_the_dark(seen_by, least):
    assert least_difference([LIT[hue] for hue in HUES], seen_by) >= least


def test_every_line_has_a_contrast_of_three_on_either_page():
    for ink in (NEUTRAL, CONTEXT_GREY, *TONES, *HUES):
        assert contrast(ink, WHITE) >= 3
        assert contrast(LIT.get(ink, ink), DARK_PAGE) >= 3


def test_every_name_in_a_picture_can_be_read_on_either_page():
    for style in (*range(1, len(HUES) + 1), in_context(1)):
        assert contrast(darkened(style), WHITE) >= 4.5
        assert contrast(LIT[darkened(style)], DARK_PAGE) >= 4.5


def test_finalists_differ_in_lightness_and_the_context_is_one_solid_grey():
    lightness = [lab(colour(style), "all")[0] for style in (1, 2)]
    assert abs(lightness[0] - lightness[1]) > 15
    assert {(colour(in_context(place)), dash(in_context(place))) for place in range(3, 30)} == {
        (CONTEXT_GREY, (1, 0))
    }


def test_models_in_colour_are_solid_and_none_takes_the_hue_of_another():
    own = solid({"a": 1, "g": 7, "n": 14})
    assert own == {"a": 1, "g": 2, "n": 3}
    assert {dash(style) for style in own.values()} == {(1, 0)}
    assert solid({f"m{n}": n for n in range(1, 9)})["m8"] == 8


def test_no_two_of_the_first_styles_look_alike():
    assert (colour(0), colour(1), colour(2)) == (NEUTRAL, "#D55E00", "#00558B")
    looks = [(colour(style), dash(style)) for style in range(25)]
    assert len(set(looks)) == 25
    assert len({(colour(style), dash(style)) for style in (-1, -2, -3)}) == 3


def test_the_finalists_are_in_colour_and_the_others_grey():
    view = views(simulate(World(models=("A", "B", "C", "D"))))[0]
    assert all(is_context(style) == (key not in view.finalists) for key, style in view.styles.items())
    assert [in_colour(view.styles[key]) for key in "ABCD"] == [1, 2, 3, 4]


def test_colours_begin_with_the_baseline_and_follow_the_names_whichever_is_best():
    view = views(simulate(World(models=("A", "B", "C", "D"), baseline="C")))[0]
    assert [in_colour(view.styles[key]) for key in "CABD"] == [1, 2, 3, 4]
    assert view.ranked[0] != "C"


def test_a_model_keeps_its_colour_where_another_week_ranks_it_otherwise():
    one = simulate(World(models=("A", "B")))
    swapped = one.frame(METRICS).with_columns(pl.col("model").replace({"A": "B", "B": "A"}))
    weeks = [views(week)[0] for week in (one, one.with_frames({METRICS: swapped}))]
    assert [week.ranked for week in weeks] == [["B", "A"], ["A", "B"]]
    assert all(week.styles == {"A": 1, "B": 2} for week in weeks)


def test_a_model_has_one_colour_in_all_datasets():
    first, second = views(simulate(World(models=("A", "B", "C", "D"), datasets=("x", "y"))))
    for model, style in first.styles.items():
        assert in_colour(style) == in_colour(second.styles[model])
    for view in (first, second):
        assert not any(is_context(view.styles[model]) for model in view.finalists)
