"""Tilts settled on fresh records."""

from __future__ import annotations

import numpy as np

from tests.support import category_schema
from understudy.models.calibrated.measured import Measured
from understudy.models.calibrated.particles import Particles
from understudy.models.calibrated.settling import settled_tilts
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import Marginal, Rows, View

SCHEMA = category_schema(40, 50, 3)
COLUMNS: list[Marginal] = [(View(place),) for place in range(3)]
RECORDS = 20_000


def drawn(seed: int, many: int = 200_000) -> Particles:
    rng = np.random.default_rng(seed)
    sizes = SCHEMA.cardinalities.tolist()
    columns = [rng.integers(0, size, many).astype(np.uint16) for size in sizes]
    return Particles.of(Rows(SCHEMA, columns), float(RECORDS))


def tables() -> list[Measured]:
    """Even columns, and a pair that is far from even."""
    rng = np.random.default_rng(9)
    whole = [
        Measured(each, np.full(size, RECORDS / size), 1.0, settled=True)
        for each, size in zip(COLUMNS, SCHEMA.cardinalities.tolist(), strict=True)
    ]
    uneven = rng.gamma(0.4, size=2_000)
    return [*whole, Measured((View(0), View(1)), RECORDS * uneven / uneven.sum(), 1.0)]


def accepted(tilts: Tilts, fresh: Particles) -> Particles:
    return fresh.weighted(tilts.acceptance(fresh.rows.columns), 0.01)


def off(model: Particles, tilts: Tilts) -> float:
    """How far columns are off among other records of the same law, as they are accepted."""
    now = accepted(tilts, model)
    return max(
        float(np.abs(now.counts(each.marginal) - each.counts).sum()) / RECORDS / 2
        for each in tables()[:3]
    )


def test_columns_are_as_they_were_told_among_records_that_the_tilts_were_not_found_on() -> None:
    found = drawn(1, RECORDS)
    found.calibrate(tables())
    fresh = drawn(2)
    plain = Tilts.of(fresh.rows, [Tilt(*each) for each in found.tilts])
    again = settled_tilts(plain, fresh, accepted(plain, fresh), tables())
    assert off(drawn(3), again) < 0.012
    assert off(drawn(3), plain) > 1.5 * off(drawn(3), again)


def test_where_no_sweep_was_kept_nothing_is_settled() -> None:
    found = drawn(1, RECORDS)
    found.calibrate(tables(), sweeps=0)
    plain = Tilts.of(found.rows, [Tilt(*each) for each in found.tilts])
    even = found.weighted(found.weights, found.trust)
    assert settled_tilts(plain, found, even, tables()) is plain


def test_what_chance_explains_is_left_alone() -> None:
    """Chance in fresh records would be taken for the truth."""
    fresh = drawn(2, RECORDS)
    plain = Tilts.of(fresh.rows, [Tilt((View(0),), np.zeros(40))])
    assert settled_tilts(plain, fresh, accepted(plain, fresh), tables()) is plain
