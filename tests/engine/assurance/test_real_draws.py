"""What is drawn is listened to where OpenDP is asked, and what is amiss is named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from understudy.assurance.transcript import RealDraws
from understudy.privacy import gaussian
from understudy.privacy.noise import Noise, gaussian_measurement, measurement, selection
from understudy.privacy.randomness import RandomSource

VALUES = np.array([3, 1, 4], dtype=np.int64)


def noise(draws: RealDraws) -> Noise:
    return Noise(RandomSource.secure(), draws)


def ask(using: Noise) -> tuple[list[int], list[int], int, int]:
    return (
        using.integers(VALUES, 2.5).tolist(),
        using.gaussians(VALUES, 4.0).tolist(),
        using.best(VALUES, 3.0, concentrated=True),
        using.best(VALUES, 5.0, concentrated=False),
    )


def test_every_question_is_written_down_with_the_scale_of_its_noise() -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        told = ask(noise(draws))
    assert [each.law for each in draws.asked] == [
        "geometric",
        "Gaussian",
        "exponential",
        "permute and flip",
    ]
    assert [each.scale for each in draws.asked] == pytest.approx([2.5, 4.0, 3.0, 5.0])
    assert all(np.array_equal(each.values, VALUES) for each in draws.asked)
    assert [each.tolist() for each in draws.answers[:2]] == list(told[:2])
    assert not draws.amiss


def test_a_neighbour_is_told_the_same() -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        told = ask(noise(draws))
    again = RealDraws.from_answers(draws.answers, silent=True)
    with again.listen():
        neighbour = noise(again)
        assert neighbour.integers(VALUES + 1, 2.5).tolist() == told[0]
        assert neighbour.gaussians(VALUES - 1, 4.0).tolist() == told[1]
        assert neighbour.best(VALUES[::-1].copy(), 3.0, concentrated=True) == told[2]
    assert [
        first.cost(second) for first, second in zip(draws.asked, again.asked, strict=False)
    ] == (pytest.approx([3 / 2.5, 3 / 32, 1 / 18]))


def test_noise_of_a_network_is_written_down_and_made_up_for() -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        told = gaussian.add_noise(VALUES, 4, RandomSource.secure())
    again = RealDraws.from_answers(draws.answers)
    with again.listen():
        assert gaussian.add_noise(VALUES + 5, 4, RandomSource.secure()).tolist() == told.tolist()
    assert draws.asked[0].scale == again.asked[0].scale == 16.0


def beside(draws: RealDraws) -> None:
    Noise(RandomSource.secure()).integers(VALUES, 1.0)


def at_another_scale(draws: RealDraws) -> None:
    draws.drawn("integers", VALUES, 2.0, lambda: np.array(measurement(1.0)(VALUES)) - VALUES)


def at_another_deviation(draws: RealDraws) -> None:
    broken = gaussian_measurement(1.0)
    draws.drawn("gaussians", VALUES, 2.0, lambda: np.array(broken(VALUES)) - VALUES)


def on_other_values(draws: RealDraws) -> None:
    draws.drawn("integers", VALUES, 1.0, lambda: np.array(measurement(1.0)(VALUES + 1)) - VALUES)


def another_choice(draws: RealDraws) -> None:
    chosen = selection(1.0, concentrated=False)
    draws.drawn("flipped", VALUES, 2.0, lambda: np.array([chosen(VALUES)]))


def nothing_drawn(draws: RealDraws) -> None:
    draws.drawn("integers", VALUES, 1.0, lambda: np.zeros(3, dtype=np.int64))


@pytest.mark.parametrize(
    "broken",
    [
        beside,
        at_another_scale,
        at_another_deviation,
        on_other_values,
        another_choice,
        nothing_drawn,
    ],
)
def test_what_is_not_as_the_tape_is_told_is_amiss(broken: Callable[[RealDraws], None]) -> None:
    draws = RealDraws.from_answers()
    with draws.listen():
        broken(draws)
    assert len(draws.amiss) == 1
