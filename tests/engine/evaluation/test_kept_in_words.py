"""Shares of what could be kept, in words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.relative_score import kept_in_words


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (1.2, "practically all"),
        (1.03, "practically all"),
        (1.004, "practically all (100 %)"),
        (0.95, "practically all (95 %)"),
        (0.949, "practically all (95 %)"),
        (0.94, "nearly all (94 %)"),
        (0.92, "nearly all (92 %)"),
        (0.87, "nearly all (87 %)"),
        (0.85, "nearly all (85 %)"),
        (0.84, "most (84 %)"),
        (0.65, "most (65 %)"),
        (0.64, "more than half (64 %)"),
        (0.55, "more than half (55 %)"),
        (0.54, "about half (54 %)"),
        (0.45, "about half (45 %)"),
        (0.44, "less than half (44 %)"),
        (0.2, "less than half (20 %)"),
        (0.19, "little (19 %)"),
        (0.05, "little (5 %)"),
        (0.04, "next to nothing (4 %)"),
        (0.0, "next to nothing (0 %)"),
        (-0.3, "nothing"),
        (math.nan, "not known"),
    ],
)
def test_every_border(share: float, said: str) -> None:
    assert kept_in_words(share).replace("\N{NO-BREAK SPACE}", " ") == said


@given(st.floats(0, 2), st.floats(0, 2))
def test_the_same_number_is_never_told_in_other_words(one: float, other: float) -> None:
    first, second = kept_in_words(one), kept_in_words(other)
    alike = first.partition("(")[2] == second.partition("(")[2]
    assert not alike or first == second


@given(st.floats(0, 3))
def test_no_more_than_all_is_said_to_be_kept(share: float) -> None:
    number = kept_in_words(share).partition("(")[2].partition("\N{NO-BREAK SPACE}")[0]
    assert not number or 0 <= int(number) <= 100
