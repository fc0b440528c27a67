from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support import category_schema, random_network, random_structure
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.seedbased.state import arrays_of, network_of
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.networks import FEW_VALUES
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import View
from understudy.privacy.randomness import RandomSource

SCHEMA = category_schema(6, 4, FEW_VALUES + 4, 3, halves=frozenset({0, 1, 2}))
"""Buckets that a distilled network does not see, and some that it does."""


def distilled() -> BayesianNetwork:
    rng = np.random.default_rng(1)
    seen = SCHEMA.refined([True, True, False, True])
    plain = random_network(seen, random_structure(4, rng), rng)
    views = ((View(0), View(2, level=1)), (View(1, level=1), View(3)))
    tilts = Tilts(
        SCHEMA,
        tuple(Tilt(each, rng.normal(size=6 if i else 12)) for i, each in enumerate(views)),
        0.3,
    )
    return BayesianNetwork(seen, plain.structure, plain.tables, tilts)


def saved(path: Path, **networks: BayesianNetwork) -> Arrays:
    """Networks as arrays that went through a file."""
    arrays = {
        key: each for name, made in networks.items() for key, each in arrays_of(name, made).items()
    }
    np.savez(path / "kept.npz", **arrays)
    with np.load(path / "kept.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def test_a_distilled_network_with_tilts_comes_back_as_it_was(tmp_path: Path) -> None:
    made = distilled()
    found = network_of(saved(tmp_path, model=made, other=made), SCHEMA, "model")
    assert isinstance(found, BayesianNetwork)
    assert found.structure == made.structure
    assert [each.bucket_count for each in found.schema.columns] == [6, 4, 2, 3]
    assert all(
        np.array_equal(one.weights, other.weights)
        for one, other in zip(found.tables, made.tables, strict=True)
    )
    assert found.tilts is not None
    assert found.tilts.average == 0.3
    assert [each.marginal for each in found.tilts.each] == [
        (View(0), View(2, level=1)),
        (View(1, level=1), View(3)),
    ]
    one, other = (each.records(500, RandomSource.fixed(3)) for each in (found, made))
    assert np.array_equal(one, other)


def test_more_than_nine_tilts_keep_their_order(tmp_path: Path) -> None:
    plain = distilled()
    each = tuple(Tilt((View(3),), np.full(3, float(number))) for number in range(12))
    made = BayesianNetwork(plain.schema, plain.structure, plain.tables, Tilts(SCHEMA, each, 0.0))
    found = network_of(saved(tmp_path, model=made), SCHEMA, "model")
    assert isinstance(found, BayesianNetwork)
    assert found.tilts is not None
    assert [tilt.logs[0] for tilt in found.tilts.each] == list(range(12))


def test_a_network_without_tilts_has_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    made = random_network(SCHEMA, random_structure(4, rng), rng)
    found = network_of(saved(tmp_path, model=made, tilted=distilled()), SCHEMA, "model")
    assert isinstance(found, BayesianNetwork)
    assert found.tilts is None
    assert found.structure == made.structure
    assert [each.bucket_count for each in found.schema.columns] == [2, 2, 2, 3]
