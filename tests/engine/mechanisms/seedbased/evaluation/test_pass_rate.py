from __future__ import annotations

import math

import numpy as np
import pytest

from tests.support import category_schema, random_network, random_structure
from understudy.mechanisms.seedbased.attempts import Decision, Synthesizer, release
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
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
