"""Projection and latent noise of flags: reference values, exact laws, bits, frequencies."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.assurance.attempt import Pairs, pairs, shipped_scores
from understudy.assurance.divergence import hockey_stick
from understudy.core.refusal import Refusal
from understudy.models.categorical import WHOLE
from understudy.models.latent.coordinate_noise import ProjectionShape, grid_of
from understudy.models.latent.features import S, thin_bits
from understudy.models.latent.grid import Decoder, ProjectionGrid
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.latent.moments import FlagMoments, SecondMoments, check_flags, sums
from understudy.models.latent.principal import ONE
from understudy.models.latent.projection import Projection
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource

HALF = math.log(2)
FOUR = np.array(list(product((0, 1), repeat=4)), dtype=np.uint16)
TOY = Projection(
    np.array([[1], [1], [1], [-1]]) * (ONE // 2), np.array([8, 4, 2, 12]) * (ONE // 16), 1, bits=4
)


def at(bits: str) -> int:
    return int(bits, 2)


def law_of_projection() -> np.ndarray:
    """In rationals, which doubles hold."""
    chances = TOY.chances(FOUR)[:, None] / 16
    return np.where(FOUR, chances, 1 - chances).prod(axis=2)


def kappa(law: np.ndarray, table: np.ndarray) -> np.ndarray:
    """(S, Y) ⌊κ⌋ by Definition 4.2 in whole numbers, for a law in multiples of 2^−16."""
    whole = [[int(each) for each in row] for row in (law * 2**16).T.tolist()]
    found = np.zeros(law.shape, dtype=np.int64)
    held = [(at, int(many)) for at, many in enumerate(table) if many]
    for made, p in enumerate(whole):
        own = {
            d: (sum(n * p[s] for s, n in held if p[s] <= p[d]) - p[d]) // p[d]
            for d, _ in held
            if p[d]
        }
        for d in own:
            found[d, made] = max(own[e] for e in own if p[e] >= p[d])
    return found


def exact_scores(test: object, law: np.ndarray, tables: np.ndarray) -> np.ndarray:
    return np.array([kappa(law, table) for table in tables])


def test_chances_of_the_reference_projection() -> None:
    found = TOY.chances(FOUR)
    for bits, chances in {
        "0001": [4, 1, 1, 15], "1110": [15, 15, 14, 1], "1001": [8, 4, 2, 12]
    }.items():  # fmt: skip
        assert found[at(bits)].tolist() == chances


def test_candidates_of_every_record_have_the_chance_1_together() -> None:
    law = law_of_projection()
    scored = np.exp(TOY.log_likelihood(FOUR, FOUR))
    np.testing.assert_allclose(scored, law, rtol=2.0**-32)
    np.testing.assert_allclose(scored.sum(axis=1), 1, rtol=2.0**-32)
    assert law[at("0001"), at("0001")] == pytest.approx(10125 / 16384, rel=2.0**-32)


def test_an_attempt_of_the_reference_projection() -> None:
    """In rationals: where κ is a whole number, logarithms come to the one below it."""
    table = np.zeros(16, dtype=np.int64)
    for bits, count in {"0001": 5, "1001": 3, "1101": 2, "1110": 2}.items():
        table[at(bits)] = count
    test, law = RelativeSensitivity(k=4, epsilon0=HALF), law_of_projection()
    scores = kappa(law, table)
    reference = {
        ("0001", "1101"): Fraction(5),
        ("1001", "1101"): Fraction(1217, 320),
        ("1110", "1110"): Fraction(28627, 23625),
    }
    for (seed, made), each in reference.items():
        assert scores[at(seed), at(made)] == math.floor(each)
    found = pairs(test, law, table, scores=exact_scores)
    assert found.passing[0] == pytest.approx(0.634918, abs=5e-7)
    assert found.released[0, at("0001")] == pytest.approx(53335 / 196608, rel=1e-9)


def test_rejections_of_the_reference_projection_need_the_pass_cap() -> None:
    table = 12 * (np.arange(16) == at("0001"))
    test = RelativeSensitivity(k=4, epsilon0=HALF)
    added = np.arange(16) == at("1110")
    found = pairs(test, law_of_projection(), table, added=added, scores=exact_scores)
    unit, t = found.unit(), np.array([1])
    epsilon, claimed = float(unit.epsilon(t)[0]), float(unit.delta(t)[0])
    assert claimed == pytest.approx(0.006410, abs=5e-7)

    def apart(laws: np.ndarray) -> float:
        return float(hockey_stick(laws[0], laws[1], epsilon).max())

    assert apart(found.released) == pytest.approx(0.002124, abs=5e-7)
    assert apart(found.cap_attempts(0.0)) == pytest.approx(0.0657, abs=5e-5)
    assert apart(found.cap_attempts(0.025)) == pytest.approx(0.002070, abs=5e-7)
    assert apart(found.cap_attempts(0.025)) < claimed < apart(found.cap_attempts(0.0))


def latent_toy(coin: PassCoin | None = None) -> tuple[Pairs, np.ndarray]:
    """Eight codes on a grid of which 0 … 8 on both axes may hold one, by moves of at most 2."""
    move = np.array([1, 4, 6, 4, 1], dtype=np.int64) * (WHOLE // 16)
    grid = ProjectionGrid(
        np.eye(2, dtype=np.int64), np.zeros(2, np.int64), np.ones(2, np.int64), move, 13
    )
    codes = np.array(list(product(range(9), repeat=2)), dtype=np.int64)
    places = np.array(list(product(range(13), repeat=2)), dtype=np.uint16)
    table = np.zeros(81, dtype=np.int64)
    for code in [(2, 2), (2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (2, 4), (6, 6)]:
        table[9 * code[0] + code[1]] += 1
    scored = np.exp(grid.log_likelihood(codes + 2, places))
    law = np.rint(scored * 2**16) / 2**16
    np.testing.assert_allclose(scored, law, rtol=2.0**-32)
    test = RelativeSensitivity(k=3, epsilon0=HALF)
    return pairs(test, law, table, coin=coin, scores=exact_scores), law


def worst(found: Pairs, t: int) -> float:
    epsilon = float(found.unit().epsilon(np.array([t]))[0])
    return float(hockey_stick(found.released[0], found.released[1:], epsilon).max())


def test_an_attempt_of_the_reference_grid() -> None:
    found, law = latent_toy()
    np.testing.assert_allclose(law.sum(axis=1), 1, rtol=2.0**-32)
    assert found.passing[0] == pytest.approx(0.319539, abs=5e-7)
    np.testing.assert_allclose(
        found.unit().delta(np.array([1, 2])), [0.018519, 0.037037], atol=1e-6
    )
    assert worst(found, 1) == pytest.approx(0.009223, abs=5e-7)
    assert worst(found, 2) == pytest.approx(0.009246, abs=5e-7)


@pytest.mark.parametrize(("epsilon0", "is_worst"), [(None, 0.262), (2 * HALF, 0.0222)])
def test_a_reference_grid_with_too_little_noise_is_caught(
    epsilon0: float | None, is_worst: float
) -> None:
    found, _ = latent_toy(PassCoin(3, epsilon0, "geometric"))
    broken = worst(found, 1) if epsilon0 else max(worst(found, 1), worst(found, 2))
    assert broken == pytest.approx(is_worst, rel=5e-3)
    assert worst(found, 1) > 0.018519


def test_a_second_candidate_of_a_tested_seed_is_not_covered() -> None:
    """Each record makes what all can, or its own mark, a half each: two draws, one test."""
    single = np.array([[0.5, 0.5, 0], [0.5, 0, 0.5]])
    double = np.einsum("sa,sb->sab", single, single).reshape(2, 9)

    def first_alone(test, model, tables):  # type: ignore[no-untyped-def]
        return np.repeat(shipped_scores(test, single, tables), 3, axis=2)

    test = RelativeSensitivity(k=20, epsilon0=HALF)
    added = np.array([0, 1])
    found = pairs(test, double, [100, 0], added=added, scores=first_alone)
    claimed = float(found.unit().delta(np.array([5]))[0])
    assert claimed == pytest.approx(2.0e-7, rel=0.02)
    assert worst(found, 5) == pytest.approx(0.00248, abs=5e-6)
    assert worst(pairs(test, single, [100, 0], added=added), 5) <= claimed


def learned() -> tuple[Projection, LatentNoise, np.ndarray]:
    rng = np.random.default_rng(5)
    hidden = rng.normal(0, 1, (4000, 2)) @ rng.normal(0, 1, (2, 42)) - 1.2
    bits = (hidden + rng.normal(0, 1, hidden.shape) > 0).astype(np.uint16)
    asked = FlagMoments.within(42, 42, Budget(20.0, 1e-9))
    source = RandomSource.fixed(1)
    moments = asked.measure(bits, Noise(source), source.child())
    grid = grid_of(moments, ProjectionShape(3, True, 0.5, 1.0))
    return Projection.of(moments, 3, 16), LatentNoise(grid, Linear(Decoder.of(moments, grid))), bits


@pytest.mark.parametrize("which", [0, 1], ids=["projection", "latent-noise"])
def test_a_score_has_the_same_bits_whatever_else_is_asked(which: int) -> None:
    *models, bits = learned()
    model, seeds = models[which], bits[:700]
    made = model.propose(seeds[:90], RandomSource.fixed(2))
    whole = model.log_likelihood(seeds, made)
    assert np.isfinite(whole).any()
    order = np.random.default_rng(1).permutation(700)
    shuffled = model.log_likelihood(np.asfortranarray(seeds[order]), made[::-1])
    assert (shuffled == whole[order][:, ::-1]).all()
    for one in (0, 13, 699):
        assert (model.log_likelihood(seeds[one : one + 1], made)[0] == whole[one]).all()
        assert (model.log_likelihood(seeds, made[one % 90][None])[:, 0] == whole[:, one % 90]).all()
    again = type(model).restore(model.arrays())
    assert (again.log_likelihood(seeds, made) == whole).all()


def test_candidates_are_proposed_by_the_very_law_that_is_scored() -> None:
    count = 60_000
    made = TOY.propose(np.repeat(FOUR[5:6], count, axis=0), RandomSource.fixed(2))
    often = np.bincount(made.astype(np.int64) @ [8, 4, 2, 1], minlength=16) / count
    law = law_of_projection()[5]
    assert (np.abs(often - law) <= 5 * np.sqrt(law * (1 - law) / count)).all()


def test_rows_of_codes_have_the_shares_of_the_table() -> None:
    _, model, bits = learned()
    codes = np.repeat(model.propose(bits, RandomSource.fixed(3)), 3, axis=0)
    rows = model.decode(codes, RandomSource.fixed(4))
    np.testing.assert_allclose(rows.mean(axis=0), bits.mean(axis=0), atol=0.06)
    assert (rows[0::3] != rows[1::3]).any()


@pytest.mark.parametrize(("columns", "most", "moved"), [(4, 2, 6), (4, 4, 15), (7, 7, 36)])
def test_one_record_moves_the_sums_by_what_is_claimed(columns: int, most: int, moved: int) -> None:
    every = np.array(list(product((0, 1), repeat=columns)), dtype=np.uint16)
    source = RandomSource.fixed(1)
    kept = [thin_bits(each[None], most, source).astype(np.int64) * S for each in every]
    squares = [int(((sums(each) // S**2) ** 2).sum()) for each in kept]
    assert max(squares) == moved


@given(most=st.integers(1, 6), seed=st.integers(0, 99))
def test_ones_are_left_out_and_none_is_added(most: int, seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2, (20, 6)).astype(np.uint16)
    found = thin_bits(bits, most, RandomSource.fixed(seed))
    assert (found <= bits).all()
    assert (found.sum(axis=1) == np.minimum(bits.sum(axis=1), most)).all()


def test_moments_without_noise_are_those_of_the_records() -> None:
    bits = learned()[2]
    source = RandomSource.fixed(1)
    found = FlagMoments.within(42, 42, Budget.unbounded()).measure(bits, Noise(source), source)
    assert isinstance(found, SecondMoments)
    np.testing.assert_allclose(found.mean / S, bits.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.covariance / S**2, np.cov(bits.T, bias=True), atol=1e-9)


@pytest.mark.parametrize("sizes", [(2, 3), (2,) * 256])
def test_other_tables_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(Refusal):
        check_flags(category_schema(*sizes))
