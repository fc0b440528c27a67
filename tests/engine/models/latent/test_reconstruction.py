"""What a small space keeps of records."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from engine.models.latent.decoding import Decoder
from engine.models.latent.factors import Factors
from engine.models.latent.features import Features
from engine.models.latent.flags import FlagMoments
from engine.models.latent.implied import Encoder
from engine.models.latent.latent_noise import LatentNoise
from engine.models.latent.learning import ProjectedLearner, Shape, grid_of
from engine.models.latent.reconstruction import as_codes, decoded, hidden, of_coordinates, of_hidden
from engine.models.latent.standardised import S, Standardised
from engine.privacy.budget import Budget
from engine.privacy.noise import Noise
from engine.privacy.randomness import RandomSource
from engine.table.records import Records
from engine.table.schema import Categories, Column, Grid, Schema
from tests.support import category_schema


def test_the_chance_of_a_flag_is_that_among_records_of_the_same_code() -> None:
    """Rows are drawn of a model; of those whose codes are alike, as many have a flag as is said."""
    loadings = np.array([[0.8], [0.8], [0.7], [0.6]])
    model = Factors(np.array([0.0, -0.4, 0.3, -1.0]), np.zeros(0), np.zeros(0), loadings)
    encoder = Encoder.of(model)
    bits, _ = model.draw(60_000, RandomSource.fixed(1))
    other, _ = model.draw(60_000, RandomSource.fixed(2))
    codes = encoder.encode(bits)
    # Another draw of the same hidden numbers is not to be had: neighbours by code stand for it.
    chances, _ = decoded(model, encoder, codes)
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
    kept = of_hidden(model, encoder, features, hidden(encoder, features, records))
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
        model = LatentNoise(grid, Decoder.of(moments, grid))
        found = of_coordinates(model, Records(schema, codes[:200]))
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
    found = of_coordinates(model, records.take(np.arange(50)))
    assert np.isnan(found.kept[:, 3]).all()
    assert np.abs(found.kept[:, :3] - codes[:50, :3]).mean() < 1.0
