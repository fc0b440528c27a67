"""How many records are expected: right on average, and between the ends as often as is said. How
many candidates pass at least: against every way that few seeds can be spread.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema, random_network, random_structure
from understudy.mechanisms.seedbased.attempts import Decision, Synthesizer, release
from understudy.mechanisms.seedbased.evaluation.pass_rate import (
    ScoreSample,
    at_least,
    expect_passing,
    surely_passing,
)
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    TestKind,
    privacy_test,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

SCHEMA = category_schema(4, 3, 5, 2)
OMEGAS = [
    Omega(low=2, high=2),
    Omega(low=1, high=4),
    Omega(low=2, high=4, reading="announced"),
    Omega(low=4, high=4),
]


def synthesizer(omega: Omega) -> Synthesizer:
    rng = np.random.default_rng(2)
    network = random_network(SCHEMA, random_structure(4, rng), rng)
    codes = np.column_stack([rng.integers(0, size, 300) for size in (4, 3, 5, 2)])
    return Synthesizer(KeptAttributes(network, omega), Records(SCHEMA, codes.astype(np.uint16)))


@pytest.mark.parametrize(
    "test",
    [
        PlausibleDeniability(k=15, gamma=3.0, epsilon0=0.4),
        RelativeSensitivity(k=15, epsilon0=0.4),
    ],
    ids=lambda each: each.kind,
)
@pytest.mark.parametrize("omega", OMEGAS, ids=lambda each: f"{each} {each.reading}")
def test_the_expected_rate_is_the_rate_of_releasing(omega: Omega, test: PrivacyTest) -> None:
    made = synthesizer(omega)
    sample = ScoreSample.draw(made, 8_000, RandomSource.fixed(1))
    released = release(made, Decision(test, 0.1), 0, 8_000, RandomSource.fixed(2))
    assert sample.pass_rate(test, 0.1) == pytest.approx(len(released) / 8_000, abs=0.025)


@pytest.mark.parametrize("kind", ["plausible-deniability", "relative-sensitivity"])
@pytest.mark.parametrize("omega", OMEGAS, ids=lambda each: f"{each} {each.reading}")
def test_a_curve_falls_with_k_and_survives_its_arrays(omega: Omega, kind: TestKind) -> None:
    sample = ScoreSample.draw(synthesizer(omega), 500, RandomSource.fixed(3))
    ks = np.array([1, 2, 5, 20, 100, 10_000])
    for epsilon0 in (1.0, None):
        test = privacy_test(kind, 5, epsilon0)
        curve = sample.curve(test, ks)
        assert (np.diff(curve) <= 1e-12).all()
        again = ScoreSample.from_arrays(sample.arrays())
        assert again.curve(test, ks).tolist() == curve.tolist()
        assert again.omega == omega
        assert len(again) == 500


def test_gamma_regroups_the_stored_classes_without_new_candidates() -> None:
    sample = ScoreSample.draw(synthesizer(Omega(low=1, high=4)), 2_000, RandomSource.fixed(4))
    rates = [
        sample.pass_rate(PlausibleDeniability(k=30, gamma=gamma, epsilon0=1.0))
        for gamma in (1.01, 100.0)
    ]
    assert rates[0] < rates[1]


def test_seedless_candidates_always_pass() -> None:
    sample = ScoreSample.draw(synthesizer(Omega(low=4, high=4)), 100, RandomSource.fixed(5))
    assert sample.pass_rate(RelativeSensitivity(k=10**6, epsilon0=1.0), 0.5) == 1.0


def test_one_sample_serves_both_tests_each_with_its_own_noise() -> None:
    sample = ScoreSample.draw(synthesizer(Omega(low=2, high=2)), 1, RandomSource.fixed(6))
    assert isinstance(sample.plausible, np.ndarray)
    k = int(sample.plausible[0])
    half = sample.pass_rate(PlausibleDeniability(k=k, gamma=2.0, epsilon0=1.0))
    # The other test leaves the seed out: one below k, where π is α/(1 + α).
    below = sample.pass_rate(RelativeSensitivity(k=k, epsilon0=1.0))
    assert (half, below) == (0.5, pytest.approx(1 / (1 + math.e)))


TEST = privacy_test("relative-sensitivity", 50, 1.0)


def sample(scores: list[int]) -> ScoreSample:
    return ScoreSample(Omega(low=1, high=1), np.array(scores), np.zeros(len(scores), dtype=bool))


def test_the_rate_is_that_of_the_sample() -> None:
    scores = sample([0, 10, 45, 50, 55, 90] * 50)
    found = expect_passing(scores, TEST, 0.1, 1_000)
    assert found.rate == pytest.approx(scores.pass_rate(TEST, 0.1))
    assert found.records == pytest.approx(1_000 * found.rate)
    assert found.passing.low < found.rate < found.passing.high
    assert found.between.low < found.records < found.between.high


def test_the_ends_hold_in_nineteen_of_twenty_runs() -> None:
    """The sample and the run are drawn again and again from a known law."""
    rng = np.random.default_rng(11)
    scores, attempts, held, rounds = np.array([40, 49, 52, 60]), 800, 0, 2_000
    chances = sample(scores.tolist()).chances(TEST)
    for _ in range(rounds):
        drawn = sample(rng.choice(scores, 400).tolist())
        found = expect_passing(drawn, TEST, 0.0, attempts)
        run = rng.binomial(attempts, chances.mean())
        held += found.between.low <= run <= found.between.high
    assert 0.93 < held / rounds < 0.97


@pytest.mark.parametrize(("scores", "rate"), [([-(10**6)] * 20, 0.0), ([10**6] * 20, 1.0)])
def test_none_and_all_stay_within_what_can_be(scores: list[int], rate: float) -> None:
    found = expect_passing(sample(scores), TEST, 0.0, 300)
    assert found.rate == pytest.approx(rate, abs=1e-9)
    assert 0 <= found.between.low <= found.between.high <= 300
    assert 0 <= found.passing.low <= found.passing.high <= 1


def spreads(seeds: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Every way to spread seeds over cells."""
    if cells == 1:
        yield (seeds,)
        return
    for first in range(seeds + 1):
        yield from ((first, *rest) for rest in spreads(seeds - first, cells - 1))


@given(
    kind=st.sampled_from(["plausible-deniability", "relative-sensitivity"]),
    k=st.integers(1, 9),
    epsilon0=st.sampled_from([0.3, 1.0, 4.0, None]),
    cells=st.integers(1, 3),
    seeds=st.integers(1, 9),
    rho=st.sampled_from([0.0, 0.2]),
)
def test_it_holds_however_seeds_are_spread(
    kind: TestKind, k: int, epsilon0: float | None, cells: int, seeds: int, rho: float
) -> None:
    test = privacy_test(kind, k, epsilon0)
    sizes = np.arange(1, seeds + 1)
    each = (1 - rho) * test.coin.probability(test.scores(sizes)) * sizes / seeds
    passing = [sum(each[one - 1] for one in spread if one) for spread in spreads(seeds, cells)]
    (found,) = at_least(test, np.array([k]), cells, seeds, rho)
    assert found <= min(passing) + 1e-12
    # Where all seeds are alike it is all that passes.
    if cells == 1:
        assert found == pytest.approx(passing[0])


def test_one_coarse_column_is_said_something_of_and_a_range_of_omega_nothing() -> None:
    schema = category_schema(2, 30, 40)
    ks = np.array([10, 100, 1_000])
    test = privacy_test("relative-sensitivity", 100, 1.0)
    plan = Plan.of(schema, test=test, omega=Omega(low=2, high=2), seeds_at_least=10_000)
    found = surely_passing(plan, schema, promise(plan, schema), ks)
    assert found is not None
    assert 1 > found[0] > found[1] > found[2] > 0.5
    other = plan.change(schema, omega=Omega(low=1, high=2))
    assert surely_passing(other, schema, promise(other, schema), ks) is None
    # Of the wide ones nothing is sure, as whichever of them may be copied.
    more = plan.change(schema, omega=Omega(low=0, high=0), seeds_at_least=1_000)
    assert surely_passing(more, schema, promise(more, schema), np.array([900])) is None
