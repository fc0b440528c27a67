"""Candidates, and how likely each is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.plausible_traces import slow
from tests.engine.mechanisms.plausible_traces.town import law, some_schedules, told
from understudy.assurance.plausible_traces.town import law as law_of_two_cells
from understudy.assurance.plausible_traces.town import universe
from understudy.mechanisms.plausible_traces.attempts import KeptSchedules, read
from understudy.mechanisms.plausible_traces.keys import KEEPS, Keeps, keys_of
from understudy.models.scores import SeedbasedProposer
from understudy.privacy.randomness import RandomSource


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
    drafts = read(made)
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
