"""A run in steps over shards comes to what it comes to over the whole index."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import World, worlds
from understudy.mechanisms.seedbased import attempts as chunked
from understudy.mechanisms.seedbased import sharded
from understudy.mechanisms.seedbased.attempts import Chunks, Decision, Span, Synthesizer
from understudy.mechanisms.seedbased.sharded import Steps, shards
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import Secret

TESTS: tuple[PrivacyTest, ...] = (
    PlausibleDeniability(k=3, gamma=4.0, epsilon0=1.0),
    RelativeSensitivity(k=2, epsilon0=1.0),
)


@st.composite
def runs(draw: st.DrawFn) -> Chunks:
    world: World = draw(worlds())
    low = draw(st.integers(0, len(world.network.order)))
    high = draw(st.integers(low, len(world.network.order)))
    reading = draw(st.sampled_from(["hidden", "announced"]))
    model = KeptAttributes(world.network, Omega(low=low, high=high, reading=reading))
    decision = Decision(draw(st.sampled_from(TESTS)), draw(st.sampled_from([0.0, 0.1])))
    secret = Secret.fixed(draw(st.integers(0, 2**20)))
    return Chunks(Synthesizer(model, world.records), decision, secret, 100)


@given(runs(), st.integers(1, 6))
def test_the_outcome_is_that_of_the_whole_index(run: Chunks, count: int) -> None:
    with pytest.MonkeyPatch.context() as small:
        small.setattr(chunked, "BATCH", 16)
        small.setattr(sharded, "BATCH", 16)
        span = Span(32, 41)
        steps, parts = Steps.of(run), list(shards(run.synthesizer.index, count))
        drawn = steps.draw(span)
        proposed = steps.propose(drawn, [part.kept(drawn) for part in parts])
        decided = steps.decide(proposed, [part.counts(proposed) for part in parts])
        assert np.array_equal(decided, run.make(span))


@given(runs(), st.integers(1, 6))
def test_every_seed_is_in_one_shard(run: Chunks, count: int) -> None:
    index = run.synthesizer.index
    found = list(shards(index, count))
    assert len(found) <= count
    assert [shard.first for shard in found] == [
        sum(len(each.index) for each in found[:place]) for place in range(len(found))
    ]
    assert sum(len(shard.index) for shard in found) == len(index)
    leaves = np.concatenate([shard.index.leaves.codes for shard in found])
    assert np.array_equal(leaves, index.leaves.codes)
