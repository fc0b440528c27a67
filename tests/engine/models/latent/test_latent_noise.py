"""Codes that are disturbed by a model's own posterior: exact, and with the model's own law. The
whole model: its law summed over all candidates, its bits, its privacy, and what it keeps. What a
small space keeps of records.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from tests.engine.models.latent.toy import toy
from tests.support import category_schema
from understudy.assurance import attempt
from understudy.assurance.attempt import pairs
from understudy.assurance.seedbased.one_attempt import small_test
from understudy.mechanisms.latent.inspection import ModelReading
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import WHOLE
from understudy.models.latent.coordinate_noise import Projected, ProjectedLearner, Riding, grid_of
from understudy.models.latent.coordinate_noise import ProjectionShape as ProjectedShape
from understudy.models.latent.factors import Encoder, Factors, share_both
from understudy.models.latent.features import Features, S, Standardised
from understudy.models.latent.grid import DEVIATION, Decoder, ProjectionGrid
from understudy.models.latent.latent_noise import LatentNoise, Linear, OfFactors, OfNetwork
from understudy.models.latent.moments import FlagMoments, SecondMoments
from understudy.models.latent.networks.autoencoder import UNIT, Network, NetworkShape
from understudy.models.latent.networks.variational import Variational
from understudy.models.latent.principal import ONE, Principal, public
from understudy.models.latent.small_space import (
    OfGrid,
    OfHidden,
    Reconstruction,
    along,
    as_codes,
    attribute,
    decodings,
    walk_between,
)
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
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.schema import Schema

FACTORS = toy(5, 0, 2)
EVERY = np.array(list(product((0, 1), repeat=5)), dtype=np.uint16)


def network() -> Variational:
    rng = np.random.default_rng(3)
    shape = NetworkShape(5, 4, 2)
    made = Network.of(shape, rng.normal(0, 1, shape.weights))
    return Variational(made, np.zeros(2), np.eye(2) * UNIT)


def models() -> list[LatentNoise]:
    source = RandomSource.fixed(1)
    return [
        LatentNoise(*OfFactors.with_grid(FACTORS, 1.0)),
        LatentNoise(*OfNetwork.with_grid(network(), 1.0, source)),
    ]


both = pytest.mark.parametrize("which", [0, 1], ids=["factors", "network"])


@both
def test_a_score_has_the_same_bits_whatever_else_is_asked(which: int) -> None:
    model = models()[which]
    seeds = EVERY[np.random.default_rng(1).integers(0, 32, 300)]
    made = model.propose(seeds[:60], RandomSource.fixed(2))
    whole = model.log_likelihood(seeds, made)
    assert np.isfinite(whole.diagonal()).all()
    order = np.random.default_rng(1).permutation(300)
    shuffled = model.log_likelihood(np.asfortranarray(seeds[order]), made[::-1])
    assert (shuffled == whole[order][:, ::-1]).all()
    for one in (0, 13, 299):
        assert (model.log_likelihood(seeds[one : one + 1], made)[0] == whole[one]).all()
        assert (model.log_likelihood_of(model.locate(seeds[:60]), made) == whole.diagonal()).all()


@both
def test_a_model_is_kept_whole(which: int) -> None:
    model, restore = models()[which], (OfFactors.restore, OfNetwork.restore)[which]
    again = LatentNoise.restore(model.arrays(), restore)
    made = model.propose(EVERY, RandomSource.fixed(2))
    assert (again.log_likelihood(EVERY, made) == model.log_likelihood(EVERY, made)).all()
    rows = model.decode(made, RandomSource.fixed(3))
    assert (again.decode(made, RandomSource.fixed(3)) == rows).all()


@pytest.mark.parametrize("disturbed", [1.0, 2.0])
def test_disturbed_codes_of_factors_are_draws_given_the_record(disturbed: float) -> None:
    """The deviation along each axis is the model's, and rows of records have its shares."""
    grid, _ = OfFactors.with_grid(FACTORS, disturbed)
    encoder = Encoder.of(FACTORS)
    scale = float(np.linalg.norm(grid.directions)) / float(np.linalg.norm(encoder.weights))
    open_ = np.sqrt(np.linalg.eigvalsh(encoder.left))
    found = grid.width * DEVIATION / scale / 1024
    np.testing.assert_allclose(found, open_ * disturbed, rtol=0.01)
    model = LatentNoise(*OfFactors.with_grid(FACTORS, disturbed))
    bits, _ = FACTORS.draw(60_000, RandomSource.fixed(4))
    rows = model.decode(model.propose(bits, RandomSource.fixed(5)), RandomSource.fixed(6))
    together = rows.T.astype(float) @ rows / len(rows)
    np.testing.assert_allclose(together, share_both(FACTORS), atol=0.02)


def test_the_noise_on_codes_of_a_network_is_its_mean_posterior() -> None:
    model = network()
    grid, space = OfNetwork.with_grid(model, 2.0, RandomSource.fixed(7))
    rows = model.draw(20_000, RandomSource.fixed(8)).astype(np.float64) * UNIT
    deviation = np.sqrt((model.network.deviations(rows) ** 2).mean(axis=0))
    np.testing.assert_allclose(grid.width * DEVIATION, 2 * deviation, rtol=0.03)
    means = model.network.law(EVERY.astype(np.float64) * UNIT)[0]
    assert (space.numbers(EVERY) == means).all()
    middles = grid.middles(grid.coordinates(space.numbers(EVERY)).astype(np.uint16))
    assert (np.abs(middles - means) <= grid.width / 2 + 1).all()


def test_what_a_record_tells_whole_is_disturbed_all_the_same() -> None:
    certain = Factors(np.zeros(3), np.zeros(0), np.zeros(0), np.full((3, 1), 0.97))
    grid, _ = OfFactors.with_grid(certain, 1.0)
    assert (grid.width > 1000).all()


LEARNED = ProjectedShape(axes=2, learned=True, disturbed=0.5, redrawn=0.5)


def measured(name: str, cells: int, *, missing: int = 0) -> Column:
    """A column of numbers with so many codes for missing."""
    domain = Continuous(minimum=0, maximum=cells, precision="0.5", step=1)
    codes = tuple(MissingCode(values=(f"-{1 + code}",)) for code in range(max(1, missing)))
    return Column(name=name, domain=domain, missing=missing > 0, missing_codes=codes)


def kind(values: int) -> Column:
    return Column(name="kind", domain=Categories(values=tuple("abcdef"[:values])))


def projected_toy(missing: int = 1) -> Projected:
    """One axis of twelve places over two columns of numbers, one of which may be missing in so many
    ways."""
    steps = Column(name="steps", domain=Steps(kind="integers", minimum=0, maximum=2, step=1))
    schema = Schema(columns=(kind(2), measured("x", 3, missing=missing), steps))
    law = np.array([1, 2, 1], dtype=np.int64) * (WHOLE // 4)
    grid = ProjectionGrid(
        public(2, 1), np.zeros(1, np.int64), np.array([S * ONE // 3]), law, places=12
    )
    moments = SecondMoments(np.zeros(2), np.eye(2) * S**2 / 9)
    there = WHOLE // 8 * (8 - missing)
    gone = [WHOLE // 8] * missing
    along = (np.array([WHOLE // 4, 3 * WHOLE // 4]), np.array([there, *gone]))
    return Projected(schema, grid, Decoder.of(moments, grid), Redrawn.of_weights(along, 0.6))


def every(sizes: list[int]) -> np.ndarray:
    return np.array(list(product(*map(range, sizes))), dtype=np.uint16)


def records_of(model: Projected) -> np.ndarray:
    return every(model.schema.cardinalities.tolist())


def candidates_of(model: Projected) -> np.ndarray:
    ways = model.schema.columns[1].missing_count
    return every([model.grid.places, 2, 1 + ways])


@pytest.mark.parametrize("missing", [1, 3])
def test_the_candidates_of_every_record_have_the_chance_1_together(missing: int) -> None:
    model = projected_toy(missing)
    found = np.exp(model.log_likelihood(records_of(model), candidates_of(model)))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=2.0**-32)


@pytest.mark.parametrize("missing", [1, 2])
def test_candidates_are_proposed_by_the_very_law_that_is_scored(missing: int) -> None:
    model, count = projected_toy(missing), 60_000
    seed = records_of(model)[10:11]
    made = model.propose(np.repeat(seed, count, axis=0), RandomSource.fixed(2))
    at = np.ravel_multi_index(tuple(made.T.astype(np.int64)), (12, 2, 1 + missing))
    often = np.bincount(at, minlength=24 * (1 + missing)) / count
    law = np.exp(model.log_likelihood(seed, candidates_of(model)))[0]
    assert (np.abs(often - law) <= 5 * np.sqrt(law * (1 - law) / count)).all()


def test_each_code_for_missing_rides_along_and_comes_back() -> None:
    model = projected_toy(missing=2)
    riding = Riding.of(model.schema, Standardised.of(model.schema))
    assert riding.sizes == (2, 3)
    records = records_of(model)
    along = riding.codes(records)
    assert along[:, 1].tolist() == np.maximum(0, records[:, 1].astype(int) - 2).tolist()
    candidates = candidates_of(model)
    decoded = model.decode(candidates, RandomSource.fixed(1))
    gone = candidates[:, 2] > 0
    assert (decoded[gone, 1] == 2 + candidates[gone, 2]).all()
    assert (decoded[~gone, 1] < 3).all()


def learned(shape: ProjectedShape = LEARNED, epsilon: float = 1.0) -> tuple[Projected, Records]:
    rng = np.random.default_rng(5)
    columns = (kind(3), *(measured(f"x{at}", 40, missing=int(at == 1)) for at in range(6)))
    schema = Schema(columns=columns)
    hidden = rng.normal(0, 5, (4000, 2)) @ rng.normal(0, 1, (2, 6)) + rng.normal(20, 1, (4000, 6))
    codes = np.clip(hidden, 0, 39).astype(np.uint16)
    codes[rng.random(4000) < 0.3, 1] = 40
    table = Records(schema, np.column_stack([(codes[:, 0] > 20) + 0, codes]).astype(np.uint16))
    learner = ProjectedLearner.within(schema, Budget(epsilon, 1e-9))
    return learner.learn(table, shape, Noise(RandomSource.fixed(6))), table


@pytest.mark.parametrize("is_learned", [True, False])
def test_a_score_has_the_same_bits_whatever_else_is_asked_of_projected(is_learned: bool) -> None:
    shape = ProjectedShape(axes=3, learned=is_learned, disturbed=0.5, redrawn=0.3)
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
    model = projected_toy()
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
    model = projected_toy()
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
        shape = ProjectedShape(axes=1, learned=True, disturbed=disturbed, redrawn=1.0)
        model, table = learned(shape, epsilon=50.0)
        # A record of which a number is missing varies by less.
        whole = table.codes[table.codes[:, 2] < 40]
        own = model.grid.coordinates(Standardised.of(model.schema).numbers(whole))
        assert 4 / own.std() == pytest.approx(disturbed, rel=0.03)


def test_columns_that_go_together_but_for_rounding_have_a_grid() -> None:
    """Of what is left of their difference, rounding may make a variance below 0."""
    together = np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]]) * S**2
    grid = grid_of(SecondMoments(np.zeros(2), together), LEARNED)
    assert (grid.width >= 1).all()


def test_the_chance_of_a_flag_is_that_among_records_of_the_same_code() -> None:
    """Rows are drawn of a model; of those whose codes are alike, as many have a flag as is said."""
    loadings = np.array([[0.8], [0.8], [0.7], [0.6]])
    model = Factors(np.array([0.0, -0.4, 0.3, -1.0]), np.zeros(0), np.zeros(0), loadings)
    encoder = Encoder.of(model)
    bits, _ = model.draw(60_000, RandomSource.fixed(1))
    other, _ = model.draw(60_000, RandomSource.fixed(2))
    codes = encoder.encode(bits)
    # Another draw of the same hidden numbers is not to be had: neighbours by code stand for it.
    features = Features.of(category_schema(2, 2, 2, 2))
    chances = OfHidden(model, encoder, features).decode(codes)
    assert chances.mean(axis=0) == pytest.approx(other.mean(axis=0), abs=0.02)
    high, low = codes[:, 0] > 0.5, codes[:, 0] < -0.5
    assert (chances[high].mean(axis=0) > chances[low].mean(axis=0) + 0.2).all()


def test_columns_stand_in_the_order_of_the_schema() -> None:
    columns = (
        Column(name="age", domain=Steps(minimum=Decimal(0), maximum=Decimal(100))),
        Column(name="ill", domain=Categories(values=("no", "yes"))),
    )
    schema = Schema(columns=columns)
    features = Features.of(schema)
    model = Factors(np.array([0.0]), np.array([0.0]), np.array([200.0]), np.array([[0.9], [0.9]]))
    encoder = Encoder.of(model)
    records = Records(schema, np.array([[50, 1], [90, 1], [10, 0]], dtype=np.uint16))
    kept = Reconstruction.of(OfHidden(model, encoder, features), records).kept
    assert kept[1, 0] > kept[0, 0] > kept[2, 0]
    assert kept[1, 1] > 0.5 > kept[2, 1]
    assert kept[:, 0].min() >= 0
    assert kept[:, 0].max() <= 100


def test_numbers_become_the_codes_that_they_were() -> None:
    columns = tuple(Column(name=each, domain=Steps(minimum=0, maximum=9)) for each in "no")
    standard = Standardised.of(Schema(columns=columns))
    codes = np.column_stack([np.arange(10), np.arange(10)[::-1]]).astype(np.uint16)
    assert as_codes(standard, standard.numbers(codes).astype(float)) == pytest.approx(
        codes, abs=0.01
    )
    assert as_codes(standard, np.array([[-S, S]])).tolist() == [[0.0, 9.0]]


def test_with_as_many_directions_as_columns_hardly_anything_is_lost() -> None:
    schema = category_schema(2, 2, 2)
    random = np.random.default_rng(7)
    codes = (random.random((4_000, 3)) < [0.3, 0.5, 0.6]).astype(np.uint16)
    moments = FlagMoments.within(3, 3, Budget(100.0, 1e-3)).measure(
        codes, Noise(RandomSource.fixed(1)), RandomSource.fixed(2)
    )
    for directions, most in ((3, 0.1), (1, 0.6)):
        grid = grid_of(moments, ProjectedShape(directions, True, 0.05, 1.0))
        model = LatentNoise(grid, Linear(Decoder.of(moments, grid)))
        found = Reconstruction.of(OfGrid(model), Records(schema, codes[:200]))
        off = np.abs(found.kept - codes[:200]).mean()
        assert off < most
        assert directions == 3 or off > 0.1


def test_what_does_not_go_through_is_not_made_up() -> None:
    columns = tuple(Column(name=f"n{at}", domain=Steps(minimum=0, maximum=9)) for at in range(3))
    schema = Schema(columns=(*columns, Column(name="c", domain=Categories(values=("a", "b", "d")))))
    random = np.random.default_rng(5)
    codes = np.column_stack([random.integers(0, 10, (3_000, 3)), random.integers(0, 3, 3_000)])
    records = Records(schema, codes.astype(np.uint16))
    learner = ProjectedLearner.within(schema, Budget(50.0, 1e-3))
    model = learner.learn(records, ProjectedShape(3, True, 0.05, 0.5), Noise(RandomSource.fixed(3)))
    found = Reconstruction.of(OfGrid(model), records.take(np.arange(50)))
    assert np.isnan(found.kept[:, 3]).all()
    assert np.abs(found.kept[:, :3] - codes[:50, :3]).mean() < 1.0


def space_of_numbers() -> tuple[OfHidden, Records]:
    """Directions over four numbers, two of which go together, and records of theirs."""
    schema = Schema(
        columns=tuple(Column(name=f"n{at}", domain=Steps(minimum=0, maximum=40)) for at in range(4))
    )
    along_ = np.array([[0.4, 0.0], [0.4, 0.0], [0.0, 0.3], [0.0, 0.3]])
    model = Principal(np.zeros(4), along_, np.full(4, 0.05))
    space = OfHidden(model, ModelReading.of(model).encoder, Features.of(schema))
    random = np.random.default_rng(3)
    drawn = random.normal(size=(300, 2)) @ along_.T + 0.05 * random.normal(size=(300, 4))
    codes = np.clip(np.rint((drawn + 1) * 20), 0, 40).astype(np.uint16)
    return space, Records(schema, codes)


def test_a_walk_goes_from_one_record_to_the_other_in_even_steps() -> None:
    space, records = space_of_numbers()
    first, last = records.take(np.arange(3)), records.take(np.arange(3, 6))
    found = walk_between(space, first, last, 5).codes.reshape(3, 5, 4).astype(float)
    assert np.abs(found[:, 0] - first.codes).max() <= 4
    assert np.abs(found[:, -1] - last.codes).max() <= 4
    steps = np.diff(found, axis=1)
    assert np.abs(steps - steps.mean(axis=1, keepdims=True)).max() <= 1.0


def test_decodings_of_a_point_differ_by_what_it_leaves_open() -> None:
    space, records = space_of_numbers()
    one = records.take(np.arange(1))
    found = decodings(space, one, 2_000, RandomSource.fixed(4)).codes.astype(float)
    inside = (found.min(axis=0) > 0) & (found.max(axis=0) < 40)
    assert found.std(axis=0)[inside] == pytest.approx(0.05 * 20, rel=0.1)
    middle = space.decode(space.encode(one))[0]
    assert found.mean(axis=0)[inside] == pytest.approx(middle[inside], abs=0.2)


def test_the_way_of_a_label_is_what_those_with_it_have_more_of() -> None:
    space, records = space_of_numbers()
    high = records.codes[:, 0] > 20
    having, others = (records.take(np.flatnonzero(each)) for each in (high, ~high))
    way = attribute(space, having, others)
    moved = along(space, others.take(np.arange(2)), way, np.array([-1.0, 0.0, 1.0]))
    first = moved.codes[:, 0].reshape(2, 3).astype(int)
    assert (np.diff(first, axis=1) >= 0).all()
    assert (first[:, 2] > first[:, 0] + 5).all()
    third = moved.codes[:, 2].reshape(2, 3).astype(int)
    assert np.abs(third[:, 2] - third[:, 0]).max() <= 4


def test_flags_are_drawn_by_the_chance_of_their_point() -> None:
    loadings = np.array([[0.8], [0.8], [0.7]])
    model = Factors(np.array([0.0, -0.4, 0.3]), np.zeros(0), np.zeros(0), loadings)
    space = OfHidden(model, Encoder.of(model), Features.of(category_schema(2, 2, 2)))
    points = np.repeat([[0.7]], 20_000, axis=0)
    drawn = space.draw(points, RandomSource.fixed(1))
    assert set(np.unique(drawn)) == {0.0, 1.0}
    assert drawn.mean(axis=0) == pytest.approx(space.decode(points[:1])[0], abs=0.015)
