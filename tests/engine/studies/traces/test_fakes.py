"""Who tells from a release of fakes that somebody was counted. How alike lives are: closed forms
and assignments against slow, obvious ones. The synthesizer: ways through sets against all of them,
and what may be where. Adversaries, against sums over all ways; and the order of who hides a user
how well. What fakes keep and give away, against the printed baselines and by hand.
"""

from __future__ import annotations

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog

from tests.engine.models.mobility.town import TOWN, commuters, lives, of_lives
from understudy.core.arrays import FloatArray
from understudy.models.mobility.geography import Geography
from understudy.privacy.randomness import RandomSource
from understudy.samples.city import SIDE, simulate
from understudy.studies.traces.fakes import adversaries, measures, synthesizer
from understudy.studies.traces.fakes.adversaries import as_days, privacy_of_published
from understudy.studies.traces.fakes.measures import (
    Told,
    measure_naming,
    only_one,
    presence,
    semantic_likeness,
    shows_own,
    told_present,
)
from understudy.studies.traces.fakes.profiles import (
    NO_CLASS,
    PERIODS,
    Aggregate,
    Profile,
    aggregate,
    best_number,
    geographic,
    inside_over_across,
    location_nearness,
    person_pairs,
    profile,
    profiles,
    semantic,
    semantic_classes,
    semantic_graph,
)
from understudy.studies.traces.fakes.synthesizer import (
    USUAL,
    FakeSettings,
    allow_locations,
    fakes,
    learn_days,
    likeliest,
)

WHERE = Geography(rows=3, columns=3, km_a_slot=2.5)


def _days() -> np.ndarray:
    """Four people: three have a place of their own, the last goes where others go."""
    parts = [(0, 1, 5, 0), (0, 2, 6, 0), (1, 2, 7, 1), (1, 2, 0, 1)]
    return np.array([np.repeat(each, 18) for each in parts])


def test_hits_are_of_the_places_that_one_alone_was_in() -> None:
    days = _days()
    found = told_present(days, WHERE, RandomSource.fixed(3))
    source = RandomSource.fixed(3)
    model = learn_days(as_days(days), WHERE, source, locations=WHERE.cells)
    shown = presence(days, fakes(days, model, 1, source)[:, 0], WHERE.cells)
    assert found.hits == pytest.approx(shown.have * shown.proven)
    assert 0 < found.hits <= 0.75


def test_each_is_left_out_once_of_what_alarms_are_counted_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where fakes are the days themselves, all with a place of their own are told, nobody else."""
    released = []

    def copies(days: np.ndarray, *_: object) -> np.ndarray:
        released.append(days)
        return days

    monkeypatch.setattr(measures, "_release_fakes", copies)
    days = _days()
    assert told_present(days, WHERE, RandomSource.fixed(1)) == Told(0.75, 0.0)
    assert [len(each) for each in released] == [4, 3, 3, 3, 3]
    for at, each in enumerate(released[1:]):
        assert (each == np.delete(days, at, axis=0)).all()


@pytest.mark.parametrize(
    ("told", "right"), [(Told(0, 0), 0.5), (Told(1, 0), 1.0), (Told(0.75, 0.25), 0.75)]
)
def test_an_alarm_costs_as_much_as_a_hit_is_worth(told: Told, right: float) -> None:
    assert told.right == right


def test_people_who_are_alike_are_told_by_chance_only() -> None:
    days = np.repeat(_days()[:1], 3, axis=0)
    assert told_present(days, WHERE, RandomSource.fixed(1)).right == 0.5


PLACES = 5
LIVES = lives(cells=PLACES - 1, most_days=2)


def visits(each: Profile) -> FloatArray:
    found = np.zeros((PERIODS, PLACES))
    found[:, each.places] = each.visits
    return found


def steps(each: Profile) -> tuple[FloatArray, FloatArray]:
    """(changes, from, to) chances and (changes, from) weights."""
    chances = np.zeros((PERIODS**2, PLACES, PLACES))
    chances[each.steps, each.start, each.end] = each.chance
    weights = np.zeros((PERIODS**2, PLACES))
    weights[each.steps, each.start] = each.weight
    return chances, weights


def of(life: list[list[int]]) -> Profile:
    return profile(np.array(life))


@given(LIVES)
def test_a_twin_who_lives_elsewhere_means_the_same_and_moves_otherwise(
    life: list[list[int]],
) -> None:
    one, twin = of(life), profile(np.array(life) + 100)
    assert semantic(one, twin).similarity == pytest.approx(1)
    assert geographic(one, twin) == 0
    assert geographic(one, one) == pytest.approx(1)


@given(LIVES, LIVES)
def test_the_matching_is_the_best_of_all(mine: list[list[int]], theirs: list[list[int]]) -> None:
    one, other = of(mine), of(theirs)
    first, second = visits(one), visits(other)
    best = max(
        np.minimum(first, second[:, list(order)]).sum() / PERIODS
        for order in permutations(range(PLACES))
    )
    found = semantic(one, other)
    assert found.similarity == pytest.approx(best)
    assert semantic(other, one).similarity == pytest.approx(best)
    assert (np.minimum(first[:, found.one], second[:, found.other]).sum(axis=0) > 0).all()


@given(LIVES, LIVES)
def test_places_are_compared_by_transport(mine: list[list[int]], theirs: list[list[int]]) -> None:
    """sim_G = 1 − Σ weight · earth mover's distance, solved as a linear programme where the other
    has a chance of steps too; where not, nothing is alike."""
    one, other = of(mine), of(theirs)
    (p, weight), (q, _) = steps(one), steps(other)
    expected = 0.0
    for change, start in zip(*np.nonzero(weight), strict=True):
        if q[change, start].any():
            moved = transport(p[change, start], q[change, start])
            expected += weight[change, start] * (1 - moved)
    assert geographic(one, other) == pytest.approx(expected, abs=1e-7)


def transport(p: FloatArray, q: FloatArray) -> float:
    cost = (~np.eye(PLACES, dtype=bool)).astype(float)
    rows = np.kron(np.eye(PLACES), np.ones(PLACES))
    columns = np.kron(np.ones(PLACES), np.eye(PLACES))
    solved = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]))
    return float(solved.fun)


def test_shares_and_chances_sum_to_one_and_those_who_are_one_person_count_once() -> None:
    told = commuters(5)
    found = aggregate(told, TOWN, TOWN.cells)
    assert found.shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1)
    slow = np.zeros((TOWN.cells, TOWN.cells))
    for each in range(told.people):
        counts = np.zeros_like(slow)
        for day in told.cells[told.person == each]:
            np.add.at(counts, (day[:-1], day[1:]), 1)
        total = counts.sum(axis=1, keepdims=True)
        slow += np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    slow += 1e-3 * location_nearness(TOWN, TOWN.cells)
    np.testing.assert_allclose(found.chances, slow / slow.sum(axis=1, keepdims=True))


@given(st.lists(LIVES, min_size=1, max_size=4))
def test_a_profile_follows_from_ones_own_days(people: list[list[list[int]]]) -> None:
    for each, life in zip(profiles(of_lives(people)), people, strict=True):
        np.testing.assert_array_equal(each.keys, of(life).keys)
        np.testing.assert_array_equal(each.chance, of(life).chance)
        assert each.visits.sum(axis=1) == pytest.approx(np.ones(PERIODS))


SLOTS, SYNTHESIZER_PLACES = 4, 3


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, Aggregate]:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sets = random.random((SLOTS, SYNTHESIZER_PLACES)) < 0.6
    sets[~sets.any(axis=1)] = True
    chances = random.dirichlet(np.ones(SYNTHESIZER_PLACES), SYNTHESIZER_PLACES)
    return sets, Aggregate(random.dirichlet(np.ones(SYNTHESIZER_PLACES)), chances)


@given(problems(), st.sampled_from([1.0, 4.0]))
def test_the_way_is_the_likeliest_of_all(
    problem: tuple[np.ndarray, Aggregate], spread: float
) -> None:
    sets, known = problem
    found = likeliest(sets, known, spread, RandomSource.fixed(1))
    source = RandomSource.fixed(1)
    times = np.ones((SLOTS - 1, SYNTHESIZER_PLACES, SYNTHESIZER_PLACES))
    for at in range(SLOTS - 1):
        here, there = np.flatnonzero(sets[at]), np.flatnonzero(sets[at + 1])
        if spread > 1:
            draws = source.uniforms(len(here) * len(there)).reshape(len(here), -1)
            times[at][np.ix_(here, there)] = 1 + (spread - 1) * draws

    def weight(way: tuple[int, ...]) -> float:
        steps = [known.chances[a, b] * times[t, a, b] for t, (a, b) in enumerate(pairwise(way))]
        return float(known.shares[way[0]] * np.prod(steps))

    ways = product(*(np.flatnonzero(each).tolist() for each in sets))
    assert weight(tuple(found.tolist())) == pytest.approx(max(map(weight, ways)))


def test_without_carrying_a_slot_has_its_class_less_the_truth() -> None:
    classes = np.array([0, 0, 0, 1, 1, NO_CLASS])
    seed = np.array([0, 1, 3, 5, 5])
    how = FakeSettings(leave_out=0, hide=1, carry=0)
    expected = [{1, 2}, {0, 2}, {4}, set(range(6)), set(range(6))]
    sets = allow_locations(seed, classes, how, RandomSource.fixed(1))
    assert [set(np.flatnonzero(each).tolist()) for each in sets] == expected
    shown = allow_locations(
        seed, classes, how.model_copy(update={"hide": 0.0}), RandomSource.fixed(1)
    )
    assert shown[np.arange(3), seed[:3]].all()


def test_places_are_carried_as_far_as_the_chance_says() -> None:
    """The second slot's class is carried over the change; q slots on with the chance p_m^q."""
    classes = np.array([0, 0, 1, 1])
    seed = np.array([0, 0, 2, 2, 2])
    how, source = FakeSettings(leave_out=0, hide=1, carry=0.5), RandomSource.fixed(4)
    runs = 1500
    counts = sum(allow_locations(seed, classes, how, source).astype(int) for _ in range(runs))
    assert isinstance(counts, np.ndarray)
    assert counts[2:, 1] / runs == pytest.approx([0.5, 0.25, 0.125], abs=0.05)
    assert counts[1::-1, 3] / runs == pytest.approx([0.5, 0.25], abs=0.05)
    assert not counts[:, [0, 2]].any()


def test_classes_gather_what_means_the_same_and_leave_out_where_nobody_was() -> None:
    told = commuters(24)
    graph = semantic_graph(profiles(told), TOWN.cells, RandomSource.fixed(1))
    np.testing.assert_array_equal(graph, graph.T)
    never = np.setdiff1d(np.arange(TOWN.cells), told.cells)
    assert not graph[never].any()
    blocks = np.kron(np.eye(2), np.ones((3, 3)))
    padded = np.pad(blocks, (0, 1))
    classes = semantic_classes(padded, 5, RandomSource.fixed(2))
    assert classes[6] == NO_CLASS
    assert len(set(classes[:3])) == len(set(classes[3:6])) == 1
    assert classes[0] != classes[3]
    assert best_number(graph, (2, 3), RandomSource.fixed(1)) in (2, 3)


def test_weight_inside_over_across_by_hand() -> None:
    graph = np.array([[9.0, 4, 1, 0], [4, 9, 1, 0], [1, 1, 9, 0], [0, 0, 0, 0]])
    assert inside_over_across(graph, np.array([0, 0, 1, NO_CLASS])) == 4
    assert inside_over_across(graph, np.array([0, 1, 2, NO_CLASS])) == 0
    assert np.isinf(inside_over_across(graph, np.array([0, 0, 0, NO_CLASS])))


def test_pairs_are_all_or_a_sample_each_once() -> None:
    source = RandomSource.fixed(1)
    assert list(person_pairs(4, 6, source)) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    some = list(person_pairs(40, 100, source))
    assert len(some) == len(set(some)) == 100
    assert all(0 <= one < other < 40 for one, other in some)


def test_a_fake_is_never_where_its_seed_is_alone_in_a_class_and_differs_by_chance() -> None:
    told = commuters(8)
    model = learn_days(told, TOWN, RandomSource.fixed(1), 4)
    made = fakes(told.cells[:3], model, 2, RandomSource.fixed(2), USUAL)
    assert made.shape == (3, 2, 72)
    assert made.max() < TOWN.cells
    again = fakes(told.cells[:3], model, 2, RandomSource.fixed(2), USUAL)
    np.testing.assert_array_equal(made, again)


TRACKING_PLACES = 3


@given(st.integers(0, 2**32 - 1))
def test_beliefs_are_sums_over_all_ways(start: int) -> None:
    random = np.random.default_rng(start)
    known = Aggregate(
        random.dirichlet(np.ones(TRACKING_PLACES)),
        random.dirichlet(np.ones(TRACKING_PLACES), TRACKING_PLACES),
    )
    sent = random.integers(0, TRACKING_PLACES, (1, 3, 72))
    asks = np.zeros((1, 72), dtype=bool)
    slots = np.sort(random.choice(72, 4, replace=False))
    asks[0, slots] = True
    new = adversaries.first_of_equals(sent)
    longest = adversaries.longest_gap(asks)
    steps = adversaries.powers(known.chances, longest)
    found = adversaries.posterior(sent, new, asks, known.shares, steps)
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
    knows = adversaries.knowledge(known, known, 1)
    for sent in (trace[None, None], np.stack([trace, trace])[None]):
        lost = adversaries.measure_misses(sent, asks, knows)
        assert set(lost) == set(adversaries.ADVERSARIES)
        assert all(each[0] == pytest.approx(0) for each in lost.values())


def test_one_who_guesses_misses_all_but_one_in_the_set() -> None:
    known = Aggregate(np.full(4, 0.25), np.full((4, 4), 0.25))
    sent = np.array([[[0] * 72, [1] * 72, [2] * 72, [2] * 72]])
    lost = adversaries.measure_misses(
        sent, np.ones((1, 72), dtype=bool), adversaries.knowledge(known, known, 1)
    )
    assert lost["guessing"][0] == pytest.approx(2 / 3)
    assert lost["weighted"][0] == pytest.approx(3 / 4)


TRACKING_WHERE = Geography(rows=SIDE // 2, columns=SIDE // 2, cell_km=(2.0, 2.0), km_a_slot=2.5)
"""The city in cells of two kilometres."""


def test_the_published_order_holds_and_the_contrarian_sees_through_the_published() -> None:
    """For the naive adversary: uniform, then by popularity, then walks, then published fakes, which
    whoever takes the least likely place misses less than one who guesses."""
    row, column = np.divmod(simulate(20, days=2)[:, 1].astype(np.int64), SIDE)
    days = row // 2 * TRACKING_WHERE.columns + column // 2
    source = RandomSource.fixed(5)
    shown = {
        (each.adversary, each.fakes): each.missed
        for each in privacy_of_published(days, TRACKING_WHERE, source, numbers=(1, 5), repeats=2)
    }
    model = learn_days(as_days(days), TRACKING_WHERE, source)
    shape = (20, 5, 72)
    naive = []
    for made in (
        synthesizer.uniform(100, TRACKING_WHERE.cells, source),
        synthesizer.by_popularity(100, model.known, source),
        synthesizer.walks(100, model.known, source),
    ):
        found = adversaries.privacy_by_fakes(
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


def test_the_printed_baselines_of_table_7_1_come_out() -> None:
    """Of 2,160 visits of 400 locations with an entropy of 4.800 nats and a top share of .0534."""
    ranks = np.arange(399) / 399

    def shares(slope: float) -> np.ndarray:
        rest = np.exp(-slope * ranks)
        return np.concatenate([[0.0534], 0.9466 * rest / rest.sum()])

    def entropy(slope: float) -> float:
        each = shares(slope)
        return float(-(each * np.log(each)).sum())

    real = 2160 * shares(brentq(lambda slope: entropy(slope) - 4.8, 0.1, 60))
    single = np.zeros(400)
    single[0] = 2160
    assert measures.sorted_divergence(real, np.full(400, 5.4)) == pytest.approx(1.191, abs=0.001)
    assert measures.sorted_divergence(real, single) == pytest.approx(4.666, abs=0.001)


def test_errors_and_coverage_by_hand() -> None:
    one, other = np.array([8.0, 2, 0, 0]), np.array([4.0, 4, 2, 0])
    assert measures.count_error(one, other) == pytest.approx((0.5 + 1 + 2 / 0.01) / 4)
    assert measures.sorted_divergence(one, one[::-1]) == 0 < measures.divergence(one, one[::-1])
    np.testing.assert_allclose(measures.visit_coverage(one, one, other, 2), [0.5, 0.8])
    np.testing.assert_allclose(measures.top(one, 2), [0.8, 0.2])
    traces = np.array([[1, 1, 1, 2], [3, 3, 3, 3]])
    np.testing.assert_allclose(measures.top_shares(traces), [[0.75, 0.25, 0], [1, 0, 0]])
    assert measures.top_divergences(traces, traces) == pytest.approx([0, 0, 0])


def test_tops_in_common_by_hand() -> None:
    first, other = np.array([9.0, 8, 7, 0, 0]), np.array([1.0, 9, 0, 8, 2])
    # Its tops are 0, 1, 2; the other's 1, 3, 4, 0.
    assert measures.in_common(first, other, 4).tolist() == [0, 1, 1, 3]
    assert measures.in_common(first, first, 3).tolist() == [1, 2, 3]
    shares = measures.relative(np.array([1.0, 1, 2]), np.array([0.0, 2, 1]))
    assert np.isnan(shares[0])
    assert shares[1:].tolist() == [0.5, 1]


def test_tops_in_common_by_chance() -> None:
    random, n = np.random.default_rng(1), 5
    first = np.arange(12.0)[::-1]
    drawn = [measures.in_common(first, random.permutation(first), n) for _ in range(4_000)]
    assert measures.in_common_by_chance(12, n) == pytest.approx(np.mean(drawn, axis=0), abs=0.06)
    assert measures.in_common_by_chance(2, 4).tolist() == [0.5, 2, 2, 2]


def test_aggregates_are_alike_in_what_both_have() -> None:
    one = Aggregate(np.array([0.5, 0.5]), np.eye(2))
    other = Aggregate(np.array([1.0, 0.0]), np.full((2, 2), 0.5))
    assert measures.aggregate_likeness(one, one) == (1, 1)
    assert measures.aggregate_likeness(one, other) == (0.5, 0.5)


def test_a_cell_of_one_person_proves_them() -> None:
    seeds = np.array([[0, 1], [0, 2], [0, 0]])
    assert only_one(seeds, 4).tolist() == [False, True, True, False]
    found = presence(seeds, np.array([[1, 0], [0, 0]]), 4)
    assert (found.shown, found.have, found.proven) == (0.25, 2 / 3, 0.5)
    assert shows_own(seeds[1:], np.array([[0, 1]]), seeds[0])
    assert not shows_own(seeds[1:], np.array([[0, 2]]), seeds[0])


def test_one_who_walks_as_a_person_is_named_after_them() -> None:
    seeds = np.array([[0] * 36 + [1] * 36, [2] * 30 + [3] * 42])
    people = [profile(each[None]) for each in seeds]
    assert measure_naming(people, seeds[:, None], geographic) == 1
    assert measure_naming(people, seeds[::-1, None], geographic) == 0
    assert measure_naming(people, seeds[:, None] + 10, semantic_likeness) == 1
    assert measure_naming(people, seeds[:, None] + 10, geographic) == 0.5
