"""Where values stand between the marginals and other real records. Shares of what could be kept,
in words.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.builders import sure
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    About,
    Direction,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.evaluation.relative_score import has_references, kept_in_words, standing


def about(better: Direction = "higher", ideal: float | None = None) -> About:
    return About("key", "Name", "Sentence.", -math.inf, math.inf, better, "distances", ideal=ideal)


def finding(real: SubjectResult, marginals: SubjectResult, **others: SubjectResult) -> Finding:
    return Finding("key", {REALS: real, MARGINALS: marginals} | others)


@given(
    st.floats(-100, 100),
    st.floats(0.1, 100),
    st.floats(-3, 3),
    st.floats(0, 2),
    st.sampled_from(["higher", "lower"]),
)
def test_a_share_of_the_way_is_found_again(
    worst: float, span: float, share: float, reach: float, better: Direction
) -> None:
    sign = 1 if better == "higher" else -1

    def at(place: float) -> float:
        return worst + sign * span * place

    ends = sorted((at(share - reach), at(share + reach)))
    released = SubjectResult(at(share), Interval(*ends))
    placed = standing(about(better), finding(sure(at(1)), sure(at(0)), released=released))
    assert placed is not None
    assert set(placed) == {RELEASED}
    found = placed[RELEASED]
    assert found.interval is not None
    assert found.value == pytest.approx(share, abs=1e-9)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (share - reach, share + reach), abs=1e-9
    )


def test_short_of_an_ideal_on_either_side_is_short_of_it() -> None:
    said = about("lower", ideal=1.0)
    for value in (1.5, 0.5):
        released = SubjectResult(value, Interval(value - 0.1, value + 0.1))
        placed = standing(said, finding(sure(1.0), sure(3.0), released=released))
        assert placed is not None
        assert placed[RELEASED].value == pytest.approx(0.75)
        assert placed[RELEASED].interval == Interval(pytest.approx(0.7), pytest.approx(0.8))


def test_an_interval_around_the_ideal_reaches_the_best_there_is() -> None:
    released = SubjectResult(0.9, Interval(0.4, 1.2))
    placed = standing(about("lower", ideal=1.0), finding(sure(1.0), sure(3.0), released=released))
    assert placed is not None
    assert placed[RELEASED].interval == Interval(pytest.approx(0.7), 1.0)


@pytest.mark.parametrize(
    ("real", "marginals"),
    [
        (sure(0.5), sure(0.5)),
        (sure(0.4), sure(0.5)),
        (SubjectResult(0.4), SubjectResult(0.5)),
        (SubjectResult(0.6, Interval(0.5, 0.7)), SubjectResult(0.4, Interval(0.3, 0.5))),
        (SubjectResult(math.nan), sure(0.5)),
        (SubjectResult(0.6, Interval(math.nan, math.nan)), sure(0.5)),
    ],
    ids=[
        "alike",
        "worse",
        "worse, intervals not known",
        "overlapping",
        "not a number",
        "interval not known",
    ],
)
def test_references_that_cannot_be_told_apart_are_no_scale(
    real: SubjectResult, marginals: SubjectResult
) -> None:
    assert standing(about(), finding(real, marginals, released=sure(0.45))) is None


@pytest.mark.parametrize(("chance", "scaled"), [(None, False), (0.41, False), (0.39, True)])
def test_references_without_intervals_have_to_be_further_apart_than_chance_moves_them(
    chance: float | None, scaled: bool
) -> None:
    by = {REALS: SubjectResult(0.8), MARGINALS: SubjectResult(0.4), RELEASED: SubjectResult(0.5)}
    placed = standing(about(), Finding("key", by, chance=chance))
    assert (placed is not None) == scaled
    if placed is not None:
        assert placed[RELEASED].value == pytest.approx(0.25)
        assert placed[RELEASED].interval is None


def test_both_references_are_needed() -> None:
    alone = Finding("key", {MARGINALS: sure(0.2), RELEASED: sure(0.3)})
    assert not has_references(alone)
    assert standing(about(), alone) is None
    assert standing(about(), Finding("key", trouble="Too few.")) is None


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
