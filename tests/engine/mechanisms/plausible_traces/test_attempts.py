"""The test, over keys. What is kept of a day. Candidates, and how likely each is. One weekday of
each person, by a coin of their own.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.plausible_traces import slow
from tests.engine.mechanisms.plausible_traces.town import law, some_schedules, told
from tests.engine.models.mobility.town import TOWN, days, lives, of_lives
from understudy.assurance.plausible_traces.claims import law as law_of_two_cells
from understudy.assurance.plausible_traces.claims import universe
from understudy.mechanisms.plausible_traces.attempts import (
    Decision,
    KeptSchedules,
    Seeds,
    decode_candidates,
    encode_candidates,
    make_attempts,
)
from understudy.mechanisms.plausible_traces.keys import (
    CARDINALITIES,
    KEEPS,
    NONE,
    Keeps,
    keys_of,
    one_weekday,
    outline,
    schedules_of,
)
from understudy.models.mobility.stays import LETTERS, LISTED, LONGEST, anchors, patterns_of, stays
from understudy.models.scores import SeedbasedProposer, scan_scores
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.randomness import RandomSource

BLANK = 3


def people(keeps: Keeps, seed: int, number: int) -> Seeds:
    """Some of them more than once, and some without a day."""
    kept = keys_of(some_schedules(), keeps)
    found = kept[np.random.default_rng(seed).integers(0, len(kept), number)]
    found[:BLANK] = 0
    return Seeds(found)


@given(keeps=st.sampled_from(KEEPS), seed=st.integers(0, 999), number=st.integers(4, 90))
def test_the_index_counts_what_a_scan_of_every_seed_counts(
    keeps: Keeps, seed: int, number: int
) -> None:
    seeds, model = people(keeps, seed, number), KeptSchedules(law(), keeps)
    test = RelativeSensitivity(k=3, epsilon0=1.0)
    source = RandomSource.fixed(seed)
    keys, sharers = seeds.draw_seeds(12, source)
    usable = keys[:, 1] > 0
    keys, sharers = np.ascontiguousarray(keys[usable]), sharers[usable]
    made = model.propose(keys, source)
    own = np.array([int((seeds.keys == key).all(axis=1).argmax()) for key in keys], dtype=np.int64)
    scanned = scan_scores(test, model, seeds.keys, own, made)
    assert test.scores(sharers).tolist() == scanned.tolist()


def test_seeds_are_drawn_as_often_as_there_are_of_a_key() -> None:
    seeds = people("pattern", 1, 40)
    keys, sharers = seeds.draw_seeds(8000, RandomSource.fixed(4))
    for key, size in zip(*seeds.distinct, strict=True):
        of = (keys == key).all(axis=1)
        assert set(sharers[of].tolist()) == {int(size)}
        assert of.mean() == pytest.approx(size / 40, abs=0.03)


def test_as_many_pass_as_the_probability_says_and_none_without_a_day() -> None:
    seeds, model = people("outline", 2, 60), KeptSchedules(law(), "outline")
    decision = Decision(RelativeSensitivity(k=6, epsilon0=0.5), pass_cap=0.2)
    keys, sizes = seeds.distinct
    chances = decision.chance(keys, sizes)
    assert chances[keys[:, 1] == 0].tolist() == [0.0]
    passed, made = make_attempts(model, seeds, decision, 6000, RandomSource.fixed(5))
    mean = float(sizes @ chances) / len(seeds)
    assert len(passed) / 6000 == pytest.approx(mean, abs=0.03)
    assert len(passed) == len(made.works)
    kept, counts = np.unique(model.keys(encode_candidates(made)), axis=0, return_counts=True)
    assert (kept[:, 1] > 0).all()
    for key, count in zip(kept, counts.tolist(), strict=True):
        at = int((keys == key).all(axis=1).argmax())
        assert count / 6000 == pytest.approx(sizes[at] * chances[at] / len(seeds), abs=0.02)


@pytest.mark.parametrize(
    ("pattern", "short"),
    [
        ("H", "H"),
        ("HOH", "HOH"),
        ("HOOOH", "HOH"),
        ("HOHOOHOH", "HOH"),
        ("HWOWOWH", "HWOWH"),
        ("HWOOH", "HWOH"),
        ("HOHWHOH", "HOHWHOH"),
        ("OHO", "OHO"),
    ],
)
def test_the_outline_of_a_pattern(pattern: str, short: str) -> None:
    assert outline(pattern) == short


@given(pattern=st.text("HWO", min_size=1, max_size=12))
def test_the_outline_of_an_outline_is_itself(pattern: str) -> None:
    assert outline(outline(pattern)) == outline(pattern)
    assert ("W" in outline(pattern)) == ("W" in pattern)
    assert all(outline(outline(each)) == outline(each) for each in LISTED)


@pytest.mark.parametrize("keeps", KEEPS)
def test_two_days_have_one_key_where_what_is_kept_of_them_is_the_same(keeps: Keeps) -> None:
    told = some_schedules()
    found = keys_of(told, keeps)
    assert (found < CARDINALITIES).all()
    plain = []
    for row in range(len(told)):
        stays = int((told.sort[row] >= 0).sum())
        day = {
            "works": bool(told.works[row]),
            "sort": told.sort[row, :stays].tolist(),
            "start": told.start[row, :stays].tolist(),
        }
        plain.append(slow.key(day, keeps))
    pairs = list(itertools.combinations(range(len(told)), 2))
    same = [bool((found[one] == found[other]).all()) for one, other in pairs]
    assert same == [plain[one] == plain[other] for one, other in pairs]
    assert 0 < np.mean(same) < 1


def seeds(keeps: Keeps) -> np.ndarray:
    return keys_of(some_schedules(), keeps)


@pytest.mark.parametrize("keeps", KEEPS)
def test_a_candidate_has_the_key_of_its_seed(keeps: Keeps) -> None:
    model: SeedbasedProposer = KeptSchedules(law(), keeps)
    kept = seeds(keeps)
    made = model.propose(kept, RandomSource.fixed(1))
    assert (KeptSchedules(law(), keeps).keys(made) == kept).all()


@pytest.mark.parametrize("keeps", KEEPS)
def test_the_likelihood_is_that_of_plain_loops(keeps: Keeps) -> None:
    model = KeptSchedules(law(), keeps)
    kept = seeds(keeps)
    made = model.propose(kept, RandomSource.fixed(2))
    found = model.log_likelihood(kept, made)
    drafts = decode_candidates(made)
    for row in range(len(made)):
        day = told(drafts, row)
        assert model.log_chance(made)[row] == pytest.approx(
            slow.log_chance(law(), day, keeps), rel=1e-6
        )
        alike = (kept == kept[row]).all(axis=1)
        assert np.isfinite(found[:, row]).tolist() == alike.tolist()
        assert set(found[alike, row].tolist()) == {float(model.log_chance(made)[row])}


@given(seed=st.integers(0, 10**6), keeps=st.sampled_from(KEEPS))
def test_a_likelihood_is_the_same_to_the_last_bit_whatever_else_is_asked(
    seed: int, keeps: Keeps
) -> None:
    random = np.random.default_rng(seed)
    model, kept = KeptSchedules(law(), keeps), seeds(keeps)
    made = model.propose(kept[random.integers(0, len(kept), 17)], RandomSource.fixed(seed))
    whole = model.log_likelihood(kept, made)
    some = np.sort(random.choice(17, random.integers(1, 17), replace=False))
    rows = random.permutation(len(kept))[: random.integers(1, len(kept))]
    part = model.log_likelihood(kept[rows], made[some])
    assert (part.view(np.int64) == whole[np.ix_(rows, some)].view(np.int64)).all()


@pytest.mark.parametrize("keeps", ["hours", "departure"])
def test_all_candidates_of_a_key_sum_to_one(keeps: Keeps) -> None:
    every = universe(keeps)
    sums = np.bincount(every.kind, weights=every.chance)
    assert np.abs(sums - 1).max() < 1e-9
    assert len(np.unique(every.codes, axis=0)) == len(every.codes)


def test_candidates_are_drawn_as_likely_as_is_said() -> None:
    every, model = universe("hours"), KeptSchedules(law_of_two_cells(), "hours")
    for kind, key in enumerate(every.keys):
        own = np.flatnonzero(every.kind == kind)
        place = {every.codes[each].tobytes(): at for at, each in enumerate(own)}
        made = model.propose(np.tile(key, (4000, 1)), RandomSource.fixed(3))
        counts = np.bincount([place[row.tobytes()] for row in made], minlength=len(own))
        chance = every.chance[own]
        bound = 5 * np.sqrt(4000 * chance * (1 - chance)) + 4
        assert (np.abs(counts - 4000 * chance) < bound).all()


def test_nothing_is_as_likely_as_what_cannot_be() -> None:
    model, kept = KeptSchedules(law(), "pattern"), seeds("pattern")
    made = model.propose(kept[:1], RandomSource.fixed(1))
    blank = np.zeros((1, kept.shape[1]), dtype=np.uint16)
    assert model.log_likelihood(blank, made).tolist() == [[-math.inf]]
    assert model.propose(kept[:0], RandomSource.fixed(1)).shape == (0, made.shape[1])
    assert model.log_likelihood(kept, made[:0]).shape == (len(kept), 0)


@given(people=st.lists(lives(most_days=8), min_size=1, max_size=3))
def test_a_schedule_has_the_stays_of_its_day_in_order(people: list[list[list[int]]]) -> None:
    told = of_lives(people)
    found = schedules_of(told, TOWN)
    each = stays(told, anchors(told, TOWN.cells), TOWN.cells)
    for day, pattern in enumerate(patterns_of(each, len(told.cells))):
        usable = 0 < len(pattern) <= LONGEST
        assert found.usable[day] == usable
        kept = found.sort[day][found.sort[day] != NONE]
        assert "".join(LETTERS[sort] for sort in kept) == (pattern if usable else "")
        starts = each.start[each.day == day].tolist() if usable else []
        assert found.start[day].tolist() == starts + [72] * (LONGEST - len(starts))


@given(people=st.lists(lives(most_days=9), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_it_is_a_weekday_of_the_person_and_hangs_on_nobody_else(
    people: list[list[list[int]]], seed: int
) -> None:
    told = of_lives(people)
    every, found = schedules_of(told, TOWN), one_weekday(told, TOWN, RandomSource.fixed(seed))
    assert len(found) == len(people)
    for person in range(len(people)):
        own = np.flatnonzero((told.person == person) & ~told.weekend & every.usable)
        if not len(own):
            assert not found.usable[person]
            continue
        alike = (every.sort[own] == found.sort[person]).all(axis=1)
        alike &= (every.start[own] == found.start[person]).all(axis=1)
        assert alike.any()
    alone = one_weekday(of_lives(people[:1]), TOWN, RandomSource.fixed(seed))
    assert alone.sort[0].tolist() == found.sort[0].tolist()
    assert alone.start[0].tolist() == found.start[0].tolist()


def test_every_weekday_is_as_likely() -> None:
    week = [[(0, 0), (20 + day, 5), (50, 0)] for day in range(7)]
    found = one_weekday(days(*[week] * 3000), TOWN, RandomSource.fixed(1))
    counts = np.bincount(found.start[:, 1], minlength=27)[20:27]
    assert counts[5:].tolist() == [0, 0]
    assert np.abs(counts[:5] - 600).max() < 110
