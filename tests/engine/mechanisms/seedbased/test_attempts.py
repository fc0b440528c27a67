from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema, random_network
from understudy.mechanisms.seedbased.attempts import (
    BATCH,
    Candidates,
    Decision,
    Synthesizer,
    release,
)
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import (
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

SCHEMA = category_schema(3, 4, 2)
TEST = PlausibleDeniability(k=5, gamma=4.0, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=5, epsilon0=1.0)


def network() -> BayesianNetwork:
    """Dependency order c2, c0, c1: not the order of the schema."""
    structure = Structure(((2,), (0,), ()), (2, 0, 1))
    return random_network(SCHEMA, structure, np.random.default_rng(5))


def records(count: int = 200) -> Records:
    rng = np.random.default_rng(6)
    codes = np.column_stack([rng.integers(0, size, count) for size in (3, 4, 2)])
    return Records(SCHEMA, codes.astype(np.uint16))


def synthesizer(omega: Omega) -> Synthesizer:
    return Synthesizer(KeptAttributes(network(), omega), records())


@pytest.mark.parametrize("test", [TEST, RELATIVE], ids=lambda each: each.kind)
@pytest.mark.parametrize("omega", [Omega(low=1, high=1), Omega(low=1, high=3)], ids=str)
def test_what_is_released_is_what_passed_in_the_order_of_the_attempts(
    omega: Omega, test: PrivacyTest
) -> None:
    made, decision = synthesizer(omega), Decision(test, 0.05)
    released = release(made, decision, 0, 500, RandomSource.fixed(1))
    source = RandomSource.fixed(1)
    candidates = made.propose(0, 500, source)
    passed = decision.passes(candidates, 3, omega.per_attempt, source)
    by_attempt = made.model.in_schema_order(candidates.codes)
    expected = [
        by_attempt[place].tolist()
        for _, place in sorted(zip(candidates.attempt, range(500), strict=True))
        if passed[place]
    ]
    assert 0 < len(expected) < 500
    assert released.tolist() == expected


def test_batches_follow_one_another() -> None:
    made = synthesizer(Omega(low=3, high=3))
    decision = Decision(TEST, 0.0)
    whole = release(made, decision, 0, 2 * BATCH + 7, RandomSource.fixed(2))
    assert len(whole) == 2 * BATCH + 7
    source = RandomSource.fixed(2)
    parts = [
        release(made, decision, first, count, source)
        for first, count in ((0, BATCH), (BATCH, BATCH), (2 * BATCH, 7))
    ]
    assert np.concatenate(parts).tolist() == whole.tolist()


def test_every_code_is_in_its_domain_and_in_its_column() -> None:
    codes = release(
        synthesizer(Omega(low=0, high=3)), Decision(TEST, 0.0), 0, 3_000, RandomSource.fixed(3)
    )
    assert (codes < SCHEMA.cardinalities).all()
    assert Records(SCHEMA, codes).codes.flags["C_CONTIGUOUS"]


def handmade(scores: list[int], omegas: list[int]) -> Candidates:
    count = len(scores)
    return Candidates(
        np.zeros((3, count), dtype=np.uint16),
        np.array(omegas),
        np.arange(count),
        np.array(scores),
    )


def test_a_seedless_candidate_passes_untested_only_where_its_omega_is_known() -> None:
    decision = Decision(PlausibleDeniability(k=10**6, gamma=4.0, epsilon0=1.0), 0.5)
    candidates = handmade([1] * 400, [3] * 200 + [2] * 200)
    known = decision.passes(candidates, 3, True, RandomSource.fixed(1))
    assert known.tolist() == [True] * 200 + [False] * 200
    assert not decision.passes(candidates, 3, False, RandomSource.fixed(1)).any()


def test_the_pass_cap_turns_away_its_share_of_what_passes() -> None:
    candidates = handmade([10**6] * 40_000, [1] * 40_000)
    passed = Decision(TEST, 0.3).passes(candidates, 3, True, RandomSource.fixed(4))
    assert abs(passed.mean() - 0.7) < 0.012


class Scripted(RandomSource):
    """Draws the same word every time."""

    def __init__(self, word: int) -> None:
        self.word = word

    def words(self, count: int) -> np.ndarray:
        return np.full(count, self.word, dtype=np.uint64)


def test_without_a_pass_cap_no_draw_turns_a_candidate_away() -> None:
    sure = PlausibleDeniability(k=1, gamma=4.0, epsilon0=None)
    for word in (0, 1, 2**64 - 1):
        assert Decision(sure, 0.0).passes(handmade([5], [1]), 3, True, Scripted(word)).all()


@pytest.mark.parametrize("cap", [2.0**-64, 1e-12, 0.3, 1.0])
def test_a_pass_cap_is_never_undercut(cap: float) -> None:
    sure = PlausibleDeniability(k=1, gamma=4.0, epsilon0=None)
    last = min(2**64 - 2, int(cap * 2**64))
    assert not Decision(sure, cap).passes(handmade([5], [1]), 3, True, Scripted(last)).any()


def test_the_deterministic_test_is_the_threshold() -> None:
    counts = handmade([3, 4, 5, 6], [1] * 4)
    for test, expected in (
        (PlausibleDeniability(k=5, gamma=4.0, epsilon0=None), [False, False, True, True]),
        (RelativeSensitivity(k=5, epsilon0=None), [False, False, False, True]),
    ):
        passed = Decision(test, 0.0).passes(counts, 3, True, RandomSource.fixed(1))
        assert passed.tolist() == expected


def test_a_fixed_seed_repeats_and_a_release_does_not() -> None:
    made, decision = synthesizer(Omega(low=1, high=3)), Decision(TEST, 0.0)
    draws = [
        release(made, decision, 0, 200, source).tolist()
        for source in (
            RandomSource.fixed(1),
            RandomSource.fixed(1),
            RandomSource.fixed(2),
            RandomSource.secure(),
            RandomSource.secure(),
        )
    ]
    assert draws[0] == draws[1]
    assert len({str(draw) for draw in draws}) == 4


def test_classes_count_every_record_once() -> None:
    candidates = synthesizer(Omega(low=0, high=3)).propose(0, 300, RandomSource.fixed(8))
    assert isinstance(candidates.plausible, LikelihoodClasses)
    assert (candidates.plausible.sizes >= 0).all()
    assert (candidates.plausible.sizes.sum(axis=1) == 200).all()
