"""The test, over keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.mechanisms.plausible_traces.town import law, some_schedules
from understudy.mechanisms.plausible_traces.attempts import (
    Decision,
    KeptSchedules,
    Seeds,
    make_attempts,
    written,
)
from understudy.mechanisms.plausible_traces.keys import KEEPS, Keeps, keys_of
from understudy.models.scores import scan_scores
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
    kept, counts = np.unique(model.keys(written(made)), axis=0, return_counts=True)
    assert (kept[:, 1] > 0).all()
    for key, count in zip(kept, counts.tolist(), strict=True):
        at = int((keys == key).all(axis=1).argmax())
        assert count / 6000 == pytest.approx(sizes[at] * chances[at] / len(seeds), abs=0.02)
