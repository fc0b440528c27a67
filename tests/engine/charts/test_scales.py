"""Logarithmic axes and their ticks. Cutting labels and telling them apart. Colours: contrast on
both pages, and what colour-blind people are left with.
"""

from __future__ import annotations

import ast
import math
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.charts import palette, scales
from understudy.core.arrays import FloatArray

_ENGINE: Final = Path(scales.__file__).parents[1]
_LEGENDS: Final = {"charts/scales.py", "charts/grids.py"}
"""Make the legends of all charts: of names, and of shades."""


@given(st.floats(1e-30, 1e12, allow_subnormal=False), st.floats(1.0, 1e30, allow_subnormal=False))
def test_ticks_are_few_and_within_the_axis(low: float, ratio: float) -> None:
    domain = scales.log_domain([low, low * ratio])
    ticks = scales.log_ticks(domain)
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(ticks)
    assert ticks[0] >= domain[0] * 0.94
    assert ticks[-1] <= domain[1] * 1.06


def test_wide_axes_are_ticked_by_powers_of_ten() -> None:
    assert scales.log_ticks([1, 1e6]) == pytest.approx([10.0**power for power in range(7)])


def test_narrow_axes_are_ticked_by_ones_twos_and_fives() -> None:
    assert scales.log_ticks([15, 150]) == pytest.approx([20, 50, 100])


def test_a_single_value_stands_in_the_middle() -> None:
    low, high = scales.log_domain([50])
    assert low < 50 < high
    assert math.sqrt(low * high) == pytest.approx(50)


def test_what_a_logarithm_cannot_show_is_left_out() -> None:
    assert scales.log_domain([np.nan, np.inf, 0, -1, 2, 200]) == [2, 200]
    assert scales.log_domain([]) == [1, 10]


def test_a_long_name_gets_a_row_of_the_legend() -> None:
    assert scales.key(["ω = 9", "ω = 10", "ω = 11"]).to_dict()["columns"] == 3
    assert scales.key(["n" * 60, "m" * 60, "o" * 60]).to_dict()["columns"] == 1
    # Beside a form on a small screen, a chart is some 390 pixels wide without its axis.
    three = ["Rows from one draw", "A draw for each row", "The parameter itself"]
    columns = scales.key(three).to_dict()["columns"]
    assert columns * (max(map(len, three)) * 6.5 + 40) < 390


def test_legends_of_names_are_made_in_one_place() -> None:
    """One that does not know how much room there is stands cut on a small screen."""
    found = set()
    for path in _ENGINE.rglob("charts/**/*.py"):
        calls = (
            each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.Call)
        )
        if any(ast.unparse(each.func).endswith("alt.Legend") for each in calls):
            found.add(path.relative_to(_ENGINE).as_posix())
    assert found == _LEGENDS


TITLES = st.lists(st.text(alphabet="ab (2)…", max_size=12), max_size=12)


@given(st.text(max_size=60), st.integers(2, 20))
def test_a_cut_text_fits(text: str, most: int) -> None:
    assert len(scales.shorten(text, most)) <= most
    assert all(len(line) <= most for line in scales.two_lines(text, most))
    assert all(len(line) <= most for line in scales.ends_kept(text, most))


def test_a_short_text_is_left_alone() -> None:
    assert scales.shorten("Marital  status", 14) == "Marital status"
    assert scales.two_lines("Age", 8) == ["Age"]
    assert scales.ends_kept("Age", 8) == ["Age"]


def test_a_cut_text_says_so() -> None:
    assert scales.shorten("Class of worker", 9) == "Class of…"
    assert scales.two_lines("Hours worked per week", 12) == ["Hours worked", "per week"]
    assert scales.ends_kept("Place of birth of mother", 10) == ["Place of b", "…of mother"]


@given(TITLES)
def test_no_two_labels_are_alike(texts: list[str]) -> None:
    for labels in (scales.distinct(texts), scales.shortened_apart(texts, 5)):
        assert len(labels) == len(texts)
        assert len(set(labels)) == len(labels)


def test_a_number_that_is_taken_is_passed_over() -> None:
    assert scales.distinct(["a", "a (2)", "a", "a"]) == ["a", "a (2)", "a (3)", "a (4)"]


def test_twins_keep_their_ends() -> None:
    born = ["Place of birth of father", "Place of birth of mother"]
    first, second = scales.shortened_apart(born, 16)
    assert first.endswith("father")
    assert second.endswith("mother")


def test_twins_that_begin_and_end_alike_show_where_they_part() -> None:
    working = ["Self-employed, not incorporated", "Self-employed, incorporated"]
    first, second = scales.shortened_apart(working, 20)
    assert "not" in first
    assert "not" not in second
    assert "(2)" not in second
    assert max(len(first), len(second)) <= 20


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
