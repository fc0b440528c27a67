"""When stays begin, against sums over all days that a pattern allows."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from understudy.models.mobility.stays import HOME, LETTERS, LISTED
from understudy.models.mobility.tables import CONTEXTS, HOURS, PERIODS, SORTS, STATES, period, state
from understudy.models.mobility.timing import Timing, ahead, expect_moves, fit_timing, list_patterns
from understudy.table.positions.slots import SLOTS


def some(seed: int = 0) -> Timing:
    """Weights without any order in them."""
    random = np.random.default_rng(seed)
    return Timing(
        random.gamma(1.0, 1.0, (CONTEXTS, SLOTS)),
        random.gamma(1.0, 1.0, (STATES, PERIODS, SLOTS)),
        random.gamma(1.0, 1.0, (STATES, SORTS, HOURS)),
    )


def only(text: str, context: int = 1) -> np.ndarray:
    found = np.zeros((CONTEXTS, len(LISTED)))
    found[context, LISTED.index(text)] = 1
    return found


def by_enumeration(timing: Timing, text: str, context: int) -> dict[tuple[int, ...], float]:
    """Of all starts of the later stays, two slots or more apart, the chance."""
    sorts = [LETTERS.index(letter) for letter in text]
    found: dict[tuple[int, ...], float] = {}
    for starts in combinations(range(2, SLOTS - 1), len(text) - 1):
        if any(b - a < 2 for a, b in pairwise(starts)):
            continue
        weight = (
            timing.departures[context, starts[0]] * timing.pulls[HOME, sorts[1], starts[0] // 3]
        )
        for turn in range(2, len(text)):
            own = int(state(np.array(sorts[turn - 1]), np.array(sorts[turn - 2])))
            begun, then = starts[turn - 2], starts[turn - 1]
            weight *= timing.durations[own, period(np.array(begun)), then - begun]
            weight *= timing.pulls[own, sorts[turn], then // 3]
        found[starts] = float(weight)
    total = sum(found.values())
    return {starts: weight / total for starts, weight in found.items()}


@pytest.mark.parametrize("text", ["HOH", "HWH"])
def test_expected_moves_are_those_of_all_days(text: str) -> None:
    timing, context = some(), 1
    ours = expect_moves(timing, only(text, context))
    departures, hours = np.zeros(SLOTS), np.zeros((STATES, SORTS, HOURS))
    sorts = [LETTERS.index(letter) for letter in text]
    for starts, chance in by_enumeration(timing, text, context).items():
        departures[starts[0]] += chance
        for turn, slot in enumerate(starts, 1):
            earlier = sorts[turn - 2] if turn > 1 else HOME
            own = int(state(np.array(sorts[turn - 1]), np.array(earlier)))
            hours[own, sorts[turn], slot // 3] += chance
    assert np.allclose(ours.departures[context], departures, atol=1e-9)
    assert np.allclose(ours.hours, hours, atol=1e-9)
    assert ours.durations.sum() == pytest.approx(len(text) - 2)


def test_what_is_to_come_is_the_sum_over_all_ways_to_go_on() -> None:
    timing = some(1)
    number = LISTED.index("HWOH")
    move = int(list_patterns().move[number, 2])
    sums = np.zeros(SLOTS)
    for begun in range(2, 60):
        for one in range(begun + 2, SLOTS - 3):
            for other in range(one + 2, SLOTS - 1):
                sums[begun] += (
                    timing.durations[1, period(np.array(begun)), one - begun]
                    * timing.pulls[1, 2, one // 3]
                    * timing.durations[3, period(np.array(one)), other - one]
                    * timing.pulls[3, 0, other // 3]
                )
    found = ahead(timing)[move]
    assert np.allclose(found[2:60] / found[2], sums[2:60] / sums[2], rtol=1e-6)
    assert (ahead(timing)[-1] == 1).all()


def test_moves_come_before_those_that_lead_to_them() -> None:
    of = list_patterns()
    assert (of.then < np.arange(len(of.then))).all()
    for number, text in enumerate(LISTED):
        assert (of.move[number] >= 0).sum() == max(0, len(text) - 2)


def test_departures_durations_and_hours_come_out() -> None:
    """Those of other weights, for all patterns alike."""
    truth, patterns = some(2), np.ones((CONTEXTS, len(LISTED)))
    told = expect_moves(truth, patterns)
    start = Timing(
        told.departures / told.departures.sum(axis=1, keepdims=True),
        told.durations / np.maximum(told.durations.sum(axis=2, keepdims=True), 1e-12),
        np.ones((STATES, SORTS, HOURS)),
    )
    found = expect_moves(fit_timing(start, patterns, 1e6 * told.hours, 1e-3), patterns)
    before = expect_moves(start, patterns)
    for ours, wanted, plain in (
        (found.hours, told.hours, before.hours),
        (found.departures, told.departures, before.departures),
    ):
        assert np.abs(ours - wanted).sum() < 0.03 * wanted.sum()
        assert np.abs(ours - wanted).sum() < 0.4 * np.abs(plain - wanted).sum()
