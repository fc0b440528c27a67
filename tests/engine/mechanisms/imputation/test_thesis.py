"""Every error of the source: what is printed fails or asks too much, ours holds and suffices."""

from __future__ import annotations

import math

import pytest

from engine.mechanisms.imputation.curves.drawn import Cells, Drawn, delta
from engine.mechanisms.imputation.curves.gaussian import Gaussian
from engine.mechanisms.imputation.thesis import (
    ERRATA,
    average_case,
    delta_of_range,
    exact_range,
    exact_strength,
    noised_mode_of_a_mean,
    noised_mode_of_two,
    printed_range,
    printed_strength,
    tail_bound,
)

BY_NUMBER = {each.number: each for each in ERRATA}


@pytest.mark.parametrize("number", [*BY_NUMBER])
def test_each_is_as_wrong_as_is_said(number: str) -> None:
    erratum = BY_NUMBER[number]
    assert erratum.excess() > 1
    assert erratum.prints
    assert erratum.instead


def test_6_2() -> None:
    assert noised_mode_of_two(10, 1.5, 1.5) == pytest.approx(1.18, abs=5e-3)
    assert noised_mode_of_two(100, 1, 1) == pytest.approx(1.02, abs=5e-4)


def test_6_5_is_seven_and_27_times_too_large() -> None:
    assert tail_bound(5, 200, 1.0) == pytest.approx(5.9e-2, rel=0.01)
    assert tail_bound(50, 1000, 0.5) == pytest.approx(9.5e-4, rel=0.01)


@pytest.mark.parametrize("release", ["rows-from-mode", "rows-from-own-draws", "rows-from-one-draw"])
def test_6_9_to_6_13_a_weaker_prior_does(release: str) -> None:
    for epsilon in (0.1, 1.0):
        printed = printed_strength(release, 2, 1000, epsilon)  # type: ignore[arg-type]
        needed = exact_strength(release, 1000, epsilon)  # type: ignore[arg-type]
        assert printed is not None
        assert needed is not None
        assert printed == pytest.approx(needed + 1)
    wanted = {"rows-from-mode": 1000.5, "rows-from-own-draws": 999.5, "rows-from-one-draw": 582.0}
    assert needed_at_one(release) == pytest.approx(wanted[release], abs=0.05)


def needed_at_one(release: str) -> float:
    found = exact_strength(release, 1000, 1.0)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_6_10_at_the_right_prior_delta_is_0_and_just_below_it_is_not() -> None:
    alpha = exact_strength("rows-from-own-draws", 3, 1.0)
    assert alpha is not None
    assert delta(Cells(2, alpha * 1.0001, 20), Drawn(3, 1), 1.0) == 0.0
    assert delta(Cells(2, alpha * 0.99, 20), Drawn(3, 1), 1.0) > 0.0


def test_6_19_only_rare_events_break_the_average_case() -> None:
    found = [average_case(1000, share, 0.5) for share in (0.5, 0.1, 0.01, 1e-3, 1e-4)]
    assert found == pytest.approx([4e-17, 6e-7, 0.02, 0.37, 0.905], rel=0.1)


def test_7_3() -> None:
    assert noised_mode_of_a_mean(1000, 0.0) == 2.0


@pytest.mark.parametrize(
    ("records", "epsilon", "target", "range_78", "range_716", "true"),
    [
        (1000, 1.0, 1e-6, 6.016, 1.226, 8.3e-4),
        (1000, 0.5, 1e-6, 3.008, 0.867, 3.3e-4),
        (10_000, 0.1, 1e-8, 1.648, 0.642, 1.2e-5),
    ],
)
def test_7_8_and_7_16(
    records: int, epsilon: float, target: float, range_78: float, range_716: float, true: float
) -> None:
    printed = printed_range("posterior-draw", records, records, epsilon, target)
    assert printed == pytest.approx(range_78, abs=1e-3)
    assert delta_of_range("posterior-draw", printed, records, 1, epsilon) == pytest.approx(
        true, rel=0.03
    )
    ours = exact_range("posterior-draw", records, records, epsilon, target)
    assert ours < printed
    assert delta_of_range("posterior-draw", ours, records, 1, epsilon) == pytest.approx(target)
    rows = printed_range("rows-from-mode", records, records, epsilon, target)
    assert rows == pytest.approx(range_716, abs=1e-3)
    assert delta_of_range("rows-from-mode", rows, records, records, epsilon) < 1e-6 * target


def test_7_8_for_rows_from_one_draw() -> None:
    printed = printed_range("rows-from-one-draw", 1000, 1000, 1.0, 1e-6)
    assert delta_of_range("rows-from-one-draw", printed, 1000, 1000, 1.0) == pytest.approx(
        1.06e-5, rel=0.01
    )


def test_7_12_to_7_14_the_right_range_keeps_to_epsilon() -> None:
    model = Gaussian(math.sqrt(1000) / 2, 1.0, 1e-12, 1000)
    for mode in (True, False):
        assert model.conditioned_row(mode=mode) <= 1.0
