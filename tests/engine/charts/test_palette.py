"""Colours: contrast on both pages, and what colour-blind people are left with."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from understudy.charts import palette
from understudy.core.arrays import FloatArray

SEVERE = {
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB."""

MARKS = (*palette.SERIES, palette.REAL, palette.MARGINALS, palette.INTERNAL, palette.QUIET)
PAGES = ("#ffffff", "#0e1117", "#12161b")
DARK = ("#12161b", "#1d242c")


def linear(colour: str) -> FloatArray:
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    light = sorted(float(linear(each) @ [0.2126, 0.7152, 0.0722]) + 0.05 for each in (one, other))
    return light[1] / light[0]


def lab(rgb: FloatArray) -> FloatArray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("colour", MARKS)
def test_marks_stand_out_on_both_pages(colour: str, page: str) -> None:
    assert contrast(colour, page) >= 3


@pytest.mark.parametrize("words", [palette.LETTERS, palette.WARNING])
@pytest.mark.parametrize(("dark", "pages"), [(False, ("#ffffff", "#f2f5f8")), (True, DARK)])
def test_words_can_be_read_in_either_theme(words: str, dark: bool, pages: tuple[str, ...]) -> None:
    colour = palette.apply_theme(words, dark=dark)
    assert all(contrast(colour, page) >= 4.5 for page in pages)


def test_words_of_both_themes_are_told_apart_and_other_text_is_left_alone() -> None:
    text = f'{{"color": "{palette.LETTERS}", "said": "light-dark"}}'
    light, dark = (palette.apply_theme(text, dark=each) for each in (False, True))
    assert light != dark
    assert '"light-dark"' in light
    assert "light-dark(" not in light + dark


@pytest.mark.parametrize("kind", [*SEVERE, "none"])
def test_colours_of_one_chart_differ_for_everybody(kind: str) -> None:
    seen = np.array(SEVERE.get(kind, np.eye(3)))
    colours = (*palette.SERIES, palette.REAL, palette.MARGINALS)
    for one, other in combinations(colours, 2):
        apart = np.linalg.norm(lab(seen @ linear(one)) - lab(seen @ linear(other)))
        assert apart > 12, (one, other)


def test_reference_tables_have_colours_of_their_own() -> None:
    assert palette.colour_of("other real records") == palette.REAL
    assert palette.colour_of("marginals") == palette.MARGINALS
    assert palette.colour_of("released") == palette.RELEASED


def test_an_omega_has_one_colour_in_every_chart() -> None:
    omegas = ["ω = 5-11", "ω = 11", "ω = 10"]
    tables = ["other real records", "marginals", "released", *omegas]
    alone = [palette.colour_of(name, omegas) for name in omegas]
    assert alone == [palette.colour_of(name, tables) for name in tables[3:]]
    assert alone == [palette.colour_of(name, ["ordinary", *tables]) for name in tables[3:]]
    assert len({palette.RELEASED, *alone}) == 4


def test_dashes_and_shapes_tell_six_things_apart() -> None:
    names = [str(number) for number in range(6)]
    assert len({tuple(palette.dash_of(name, names)) for name in names}) == 6
    assert len({palette.shape_of(name, names) for name in names}) == 6


def test_more_names_than_looks_begin_again() -> None:
    names = [str(number) for number in range(9)]
    assert palette.colour_of("4", names) == palette.SERIES[0]
    assert palette.shape_of("6", names) == palette.SHAPES[0]


def test_scales_run_from_zero_to_one() -> None:
    assert palette.stops(palette.DIVERGING) == [0, 0.25, 0.5, 0.75, 1]
    assert palette.stops(palette.DIVERGING, bend=2.0) == [0, 0.0625, 0.25, 0.5625, 1]


def test_sequential_colours_grow_lighter() -> None:
    light = [float(lab(linear(colour))[0]) for colour in palette.SEQUENTIAL]
    assert light == sorted(light)


@pytest.mark.parametrize("share", np.linspace(-0.1, 1.1, 61))
def test_ink_can_be_read_on_every_colour_of_a_scale(share: float) -> None:
    colours = np.array([[int(each[at : at + 2], 16) for at in (1, 3, 5)] for each in _SCALE])
    places = np.linspace(0, 1, len(colours))
    mixed = [round(float(np.interp(share, places, colours[:, each]))) for each in range(3)]
    shown = "#" + "".join(f"{channel:02x}" for channel in mixed)
    assert contrast(palette.ink_on(_SCALE, share), shown) >= 4.3


_SCALE = palette.SEQUENTIAL
