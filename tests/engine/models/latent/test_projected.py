"""The whole model: its law summed over all candidates, its bits, its privacy, and what it keeps."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from understudy.assurance import attempt
from understudy.assurance.attempt import pairs
from understudy.assurance.seedbased.universes import small_test
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import WHOLE
from understudy.models.latent.features import S, Standardised
from understudy.models.latent.grid import Decoder, Grid
from understudy.models.latent.moments import Moments
from understudy.models.latent.principal import ONE, public
from understudy.models.latent.projected import Projected, ProjectedLearner, Shape, grid_of
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    TestKind,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid as Steps
from understudy.table.records import Records
from understudy.table.schema import Schema

LEARNED = Shape(axes=2, learned=True, disturbed=0.5, redrawn=0.5)


def measured(name: str, cells: int, *, missing: bool = False) -> Column:
    domain = Continuous(minimum=0, maximum=cells, precision="0.5", step=1)
    return Column(name=name, domain=domain, missing=missing)


def kind(values: int) -> Column:
    return Column(name="kind", domain=Categories(values=tuple("abcdef"[:values])))


def toy() -> Projected:
    """One axis of twelve places over two columns of numbers, a third of which may be missing."""
    steps = Column(name="steps", domain=Steps(kind="integers", minimum=0, maximum=2, step=1))
    schema = Schema(columns=(kind(2), measured("x", 3, missing=True), steps))
    law = np.array([1, 2, 1], dtype=np.int64) * (WHOLE // 4)
    grid = Grid(public(2, 1), np.zeros(1, np.int64), np.array([S * ONE // 3]), law, places=12)
    moments = Moments(np.zeros(2), np.eye(2) * S**2 / 9)
    along = (np.array([WHOLE // 4, 3 * WHOLE // 4]), np.array([WHOLE // 8 * 7, WHOLE // 8]))
    return Projected(schema, grid, Decoder.of(moments, grid), Redrawn.of_weights(along, 0.6))


def every(sizes: list[int]) -> np.ndarray:
    return np.array(list(product(*map(range, sizes))), dtype=np.uint16)


def records_of(model: Projected) -> np.ndarray:
    return every(model.schema.cardinalities.tolist())


def candidates_of(model: Projected) -> np.ndarray:
    return every([model.grid.places, 2, 2])


def test_the_candidates_of_every_record_have_the_chance_1_together() -> None:
    model = toy()
    found = np.exp(model.log_likelihood(records_of(model), candidates_of(model)))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=2.0**-32)


def test_candidates_are_proposed_by_the_very_law_that_is_scored() -> None:
    model, count = toy(), 60_000
    seed = records_of(model)[10:11]
    made = model.propose(np.repeat(seed, count, axis=0), RandomSource.fixed(2))
    at = np.ravel_multi_index(tuple(made.T.astype(np.int64)), (12, 2, 2))
    often = np.bincount(at, minlength=48) / count
    law = np.exp(model.log_likelihood(seed, candidates_of(model)))[0]
    assert (np.abs(often - law) <= 5 * np.sqrt(law * (1 - law) / count)).all()


def learned(shape: Shape = LEARNED, epsilon: float = 1.0) -> tuple[Projected, Records]:
    rng = np.random.default_rng(5)
    columns = (kind(3), *(measured(f"x{at}", 40, missing=at == 1) for at in range(6)))
    schema = Schema(columns=columns)
    hidden = rng.normal(0, 5, (4000, 2)) @ rng.normal(0, 1, (2, 6)) + rng.normal(20, 1, (4000, 6))
    codes = np.clip(hidden, 0, 39).astype(np.uint16)
    codes[rng.random(4000) < 0.3, 1] = 40
    table = Records(schema, np.column_stack([(codes[:, 0] > 20) + 0, codes]).astype(np.uint16))
    learner = ProjectedLearner.within(schema, Budget(epsilon, 1e-9))
    return learner.learn(table, shape, Noise(RandomSource.fixed(6))), table


@pytest.mark.parametrize("is_learned", [True, False])
def test_a_score_has_the_same_bits_whatever_else_is_asked(is_learned: bool) -> None:
    shape = Shape(axes=3, learned=is_learned, disturbed=0.5, redrawn=0.3)
    model, table = learned(shape)
    seeds = table.codes[:700]
    made = model.propose(seeds[:90], RandomSource.fixed(1))
    whole = model.log_likelihood(seeds, made)
    assert np.isfinite(whole).any()
    order = np.random.default_rng(1).permutation(700)
    shuffled = model.log_likelihood(np.ascontiguousarray(seeds[order]), made[::-1])
    assert (shuffled == whole[order][:, ::-1]).all()
    for one in (0, 13, 699):
        assert (model.log_likelihood(seeds[one : one + 1], made)[0] == whole[one]).all()
        assert (model.log_likelihood(seeds, made[one % 90][None])[:, 0] == whole[:, one % 90]).all()
    assert (
        Projected.restore(model.schema, model.arrays()).log_likelihood(seeds, made) == whole
    ).all()


TESTS = [PlausibleDeniability(k=3, gamma=2.0, epsilon0=0.8), RelativeSensitivity(k=3, epsilon0=0.8)]


@pytest.mark.parametrize("test", TESTS, ids=lambda each: each.kind)
def test_an_attempt_keeps_the_claim_on_every_table_of_a_small_universe(test: PrivacyTest) -> None:
    """Every record that there is added to tables of a dozen; rejections are seen."""
    model = toy()
    held = records_of(model)
    law = np.exp(model.log_likelihood(held, candidates_of(model)))
    rng = np.random.default_rng(4)
    tables = [np.bincount(rng.integers(0, len(held), 12), minlength=len(held)) for _ in range(2)]
    tables += [12 * (np.arange(len(held)) == at) for at in (0, 17)]
    for table in tables:
        found = pairs(test, law, table)
        assert float(np.max(attempt.rejections_seen(found))) <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["plausible-deniability", "relative-sensitivity"])
def test_without_the_pass_cap_the_claim_would_not_be_kept(kind: TestKind) -> None:
    """Of forty equal records and one far from them, a rejection tells."""
    model = toy()
    held = records_of(model)
    law = np.exp(model.log_likelihood(held, candidates_of(model)))
    found = pairs(small_test(kind, 12, 1.2), law, 40 * (np.arange(len(held)) == 0))
    assert float(np.max(attempt.published_with_rejections(found))) > 1
    assert float(np.max(attempt.rejections_seen(found))) <= 1 + 1e-9


def test_what_is_decoded_has_the_moments_of_the_table() -> None:
    """As the noise on the coordinates is taken into account, and what they leave open is drawn."""
    model, table = learned(epsilon=50.0)
    made = model.propose(table.codes, RandomSource.fixed(3))
    again = Records(model.schema, model.decode(made, RandomSource.fixed(4)))
    missing = table.counts(2)[-1]
    deviation = np.sqrt(missing * (1 - missing / len(table)))
    assert again.counts(2)[-1] == pytest.approx(missing, abs=5 * deviation)
    numbers = Standardised.of(model.schema)
    there = [each.codes[each.codes[:, 1] < 40] for each in (table, again)]
    ours, theirs = (np.corrcoef(numbers.numbers(each).T) for each in there[::-1])
    np.testing.assert_allclose(ours, theirs, atol=0.1)


def test_half_of_a_column_is_as_missing_as_it_was() -> None:
    model, table = learned()
    made = model.decode(model.propose(table.codes, RandomSource.fixed(3)), RandomSource.fixed(4))
    gone = (made[:, 2] == 40).mean()
    assert gone == pytest.approx((table.codes[:, 2] == 40).mean(), abs=0.05)


def test_a_coordinate_near_its_seed_and_far_from_it() -> None:
    """The noise is so much of what the coordinate varies by."""
    for disturbed in (0.2, 2.0):
        shape = Shape(axes=1, learned=True, disturbed=disturbed, redrawn=1.0)
        model, table = learned(shape, epsilon=50.0)
        # A record of which a number is missing varies by less.
        whole = table.codes[table.codes[:, 2] < 40]
        own = model.grid.coordinates(Standardised.of(model.schema).numbers(whole))
        assert 4 / own.std() == pytest.approx(disturbed, rel=0.03)


def test_columns_that_go_together_but_for_rounding_have_a_grid() -> None:
    """Of what is left of their difference, rounding may make a variance below 0."""
    together = np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]]) * S**2
    grid = grid_of(Moments(np.zeros(2), together), LEARNED)
    assert (grid.width >= 1).all()
