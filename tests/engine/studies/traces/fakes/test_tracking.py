"""Adversaries, against sums over all ways; and the order of who hides a user how well."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.mobility.geography import Geography
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import SIDE, simulate
from understudy.studies.traces.fakes import synthesizer, tracking
from understudy.studies.traces.fakes.profiles import Aggregate
from understudy.studies.traces.fakes.synthesizer import learn_days
from understudy.studies.traces.fakes.tracking import as_days, privacy_of_published

PLACES = 3


@given(st.integers(0, 2**32 - 1))
def test_beliefs_are_sums_over_all_ways(start: int) -> None:
    random = np.random.default_rng(start)
    known = Aggregate(random.dirichlet(np.ones(PLACES)), random.dirichlet(np.ones(PLACES), PLACES))
    sent = random.integers(0, PLACES, (1, 3, 72))
    asks = np.zeros((1, 72), dtype=bool)
    slots = np.sort(random.choice(72, 4, replace=False))
    asks[0, slots] = True
    new = tracking.first_of_equals(sent)
    longest = tracking.longest_gap(asks)
    steps = tracking.powers(known.chances, longest)
    found = tracking.posterior(sent, new, asks, known.shares, steps)
    sums = [dict.fromkeys(set(sent[0, :, slot].tolist()), 0.0) for slot in slots]
    for way in product(*sums):
        weight = known.shares[way[0]]
        for at in range(3):
            gap = slots[at + 1] - slots[at]
            weight *= np.linalg.matrix_power(known.chances, gap)[way[at], way[at + 1]]
        for at, place in enumerate(way):
            sums[at][place] += weight
    for slot, each in zip(slots, sums, strict=True):
        for trace in np.flatnonzero(new[0, :, slot]):
            expected = each[sent[0, trace, slot]] / sum(each.values())
            assert found[0, trace, slot] == pytest.approx(expected)
    assert not found[~np.broadcast_to(asks[:, None], found.shape)].any()
    assert not found[~new].any()


def test_who_is_alone_is_found_by_all_and_who_sends_the_same_twice_too() -> None:
    known = Aggregate(np.full(4, 0.25), np.full((4, 4), 0.25))
    trace = RandomSource.fixed(1).below(4, 72)
    asks = np.ones((1, 72), dtype=bool)
    knows = tracking.knowledge(known, known, 1)
    for sent in (trace[None, None], np.stack([trace, trace])[None]):
        lost = tracking.measure_misses(sent, asks, knows)
        assert set(lost) == set(tracking.ADVERSARIES)
        assert all(each[0] == pytest.approx(0) for each in lost.values())


def test_one_who_guesses_misses_all_but_one_in_the_set() -> None:
    known = Aggregate(np.full(4, 0.25), np.full((4, 4), 0.25))
    sent = np.array([[[0] * 72, [1] * 72, [2] * 72, [2] * 72]])
    lost = tracking.measure_misses(
        sent, np.ones((1, 72), dtype=bool), tracking.knowledge(known, known, 1)
    )
    assert lost["guessing"][0] == pytest.approx(2 / 3)
    assert lost["weighted"][0] == pytest.approx(3 / 4)


WHERE = Geography(rows=SIDE // 2, columns=SIDE // 2, cell_km=(2.0, 2.0), km_a_slot=2.5)
"""The city in cells of two kilometres."""


def test_the_published_order_holds_and_the_contrarian_sees_through_the_published() -> None:
    """For the naive adversary: uniform, then by popularity, then walks, then published fakes, which
    whoever takes the least likely place misses less than one who guesses."""
    row, column = np.divmod(simulate(20, days=2)[:, 1].astype(np.int64), SIDE)
    days = row // 2 * WHERE.columns + column // 2
    source = RandomSource.fixed(5)
    shown = {
        (each.adversary, each.fakes): each.missed
        for each in privacy_of_published(days, WHERE, source, numbers=(1, 5), repeats=2)
    }
    model = learn_days(as_days(days), WHERE, source)
    shape = (20, 5, 72)
    naive = []
    for made in (
        synthesizer.uniform(100, WHERE.cells, source),
        synthesizer.by_popularity(100, model.known, source),
        synthesizer.walks(100, model.known, source),
    ):
        found = tracking.privacy_by_fakes(
            days, made.reshape(shape), model.known, model.known, (5,), source, 2
        )
        naive.append(found[0].missed)
    assert naive[0] <= naive[1] < 0.1 < naive[2] <= shown["naive", 5]
    assert shown["contrarian", 1] < shown["guessing", 1]
    assert shown["ratio", 5] < shown["guessing", 5]
    assert shown["naive", 5] > shown["guessing", 5]


def test_own_walks_stay_where_one_was_and_others_are_never_oneself() -> None:
    day = np.repeat([4, 9, 4], 24)
    walks = synthesizer.own_walks(5, day, RandomSource.fixed(1))
    assert set(np.unique(walks)) <= {4, 9}
    days = np.arange(6)[:, None].repeat(72, axis=1)
    found = synthesizer.others(days, 5, RandomSource.fixed(1))[:, :, 0]
    for at, each in enumerate(found):
        assert set(each.tolist()) == set(range(6)) - {at}
