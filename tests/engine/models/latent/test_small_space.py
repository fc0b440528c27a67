"""What a small space keeps of records."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tests.support import category_schema
from understudy.mechanisms.latent.looking import Reading
from understudy.models.latent.factors import Encoder, Factors
from understudy.models.latent.features import Features, S, Standardised
from understudy.models.latent.grid import Decoder
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.latent.moments import FlagMoments
from understudy.models.latent.principal import Principal
from understudy.models.latent.projected import ProjectedLearner, Shape, grid_of
from understudy.models.latent.small_space import (
    OfGrid,
    OfHidden,
    Reconstruction,
    along,
    as_codes,
    attribute,
    decodings,
    walk,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema


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
        Column(name="age", domain=Grid(minimum=Decimal(0), maximum=Decimal(100))),
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
    columns = tuple(Column(name=each, domain=Grid(minimum=0, maximum=9)) for each in "no")
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
        grid = grid_of(moments, Shape(directions, True, 0.05, 1.0))
        model = LatentNoise(grid, Linear(Decoder.of(moments, grid)))
        found = Reconstruction.of(OfGrid(model), Records(schema, codes[:200]))
        off = np.abs(found.kept - codes[:200]).mean()
        assert off < most
        assert directions == 3 or off > 0.1


def test_what_does_not_go_through_is_not_made_up() -> None:
    columns = tuple(Column(name=f"n{at}", domain=Grid(minimum=0, maximum=9)) for at in range(3))
    schema = Schema(columns=(*columns, Column(name="c", domain=Categories(values=("a", "b", "d")))))
    random = np.random.default_rng(5)
    codes = np.column_stack([random.integers(0, 10, (3_000, 3)), random.integers(0, 3, 3_000)])
    records = Records(schema, codes.astype(np.uint16))
    learner = ProjectedLearner.within(schema, Budget(50.0, 1e-3))
    model = learner.learn(records, Shape(3, True, 0.05, 0.5), Noise(RandomSource.fixed(3)))
    found = Reconstruction.of(OfGrid(model), records.take(np.arange(50)))
    assert np.isnan(found.kept[:, 3]).all()
    assert np.abs(found.kept[:, :3] - codes[:50, :3]).mean() < 1.0


def space_of_numbers() -> tuple[OfHidden, Records]:
    """Directions over four numbers, two of which go together, and records of theirs."""
    schema = Schema(
        columns=tuple(Column(name=f"n{at}", domain=Grid(minimum=0, maximum=40)) for at in range(4))
    )
    along_ = np.array([[0.4, 0.0], [0.4, 0.0], [0.0, 0.3], [0.0, 0.3]])
    model = Principal(np.zeros(4), along_, np.full(4, 0.05))
    space = OfHidden(model, Reading.of(model).encoder, Features.of(schema))
    random = np.random.default_rng(3)
    drawn = random.normal(size=(300, 2)) @ along_.T + 0.05 * random.normal(size=(300, 4))
    codes = np.clip(np.rint((drawn + 1) * 20), 0, 40).astype(np.uint16)
    return space, Records(schema, codes)


def test_a_walk_goes_from_one_record_to_the_other_in_even_steps() -> None:
    space, records = space_of_numbers()
    first, last = records.take(np.arange(3)), records.take(np.arange(3, 6))
    found = walk(space, first, last, 5).codes.reshape(3, 5, 4).astype(float)
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
