"""Hidden numbers are read off records as they were when the records were drawn."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.defaults import HELD_OUT, ArraysState
from understudy.mechanisms.latent import looking
from understudy.mechanisms.latent.looking import Reading, hidden_numbers, reconstruct_records
from understudy.mechanisms.latent.plan import LatentPlan
from understudy.mechanisms.mechanism import Evidence
from understudy.mechanisms.registry import plan_run
from understudy.models.latent.factors import Factors
from understudy.models.latent.features import S
from understudy.models.latent.principal import Principal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema


def test_hidden_numbers_are_found_again_from_records_that_directions_made() -> None:
    random = np.random.default_rng(4)
    directions = np.zeros((40, 2))
    directions[:20, 0] = directions[20:, 1] = 0.2
    mean = np.concatenate([np.full(38, 0.5), [0.2, -0.1]])
    model = Principal(mean, directions, np.full(2, 0.1))
    z = random.normal(size=(3000, 2))
    about = mean + z @ directions.T
    flags = random.random((3000, 38)) < about[:, :38]
    numbers = (about[:, 38:] + 0.1 * random.normal(size=(3000, 2))) * S
    found = Reading.of(model).encoder.encode(np.hstack([flags, numbers]))
    for place in (0, 1):
        assert np.corrcoef(found[:, place], z[:, place])[0, 1] > 0.85
        assert abs(np.corrcoef(found[:, place], z[:, 1 - place])[0, 1]) < 0.1


def test_what_is_carried_of_a_column_is_the_share_of_its_variance_along_directions() -> None:
    along = np.array([[0.4], [0.1], [0.3]])
    found = Reading.of(Principal(np.array([0.5, 0.2, 0.1]), along, np.array([0.4])))
    assert found.carried == pytest.approx([0.16 / 0.25, 0.01 / 0.16, 0.09 / 0.25])


def test_the_regression_of_directions_is_the_one_of_the_whole_covariance() -> None:
    along = np.array([[0.4], [0.1], [0.3]])
    model = Principal(np.array([0.5, 0.2, 0.1]), along, np.array([0.4]))
    x = np.random.default_rng(1).random((5, 3))
    covariance = along @ along.T + np.diag([0.25 - 0.16, 0.16 - 0.01, 0.16])
    expected = (x - model.mean) @ np.linalg.solve(covariance, along)
    assert Reading.of(model).encoder.encode(x * [1, 1, S]) == pytest.approx(expected)


BOTH = Categories(values=("no", "yes"))
AGES = Grid(minimum=Decimal(0), maximum=Decimal(100))
SCHEMA = Schema(
    columns=(
        Column(name="age", domain=AGES),
        Column(name="ill", domain=BOTH),
        Column(name="old", domain=BOTH),
    )
).declare_public()


def evidence(loadings: list[list[float]]) -> Evidence:
    """A run of three columns, of which the number stands first; 50 real records and 30 made ones,
    the first half of each young and well, the others old and ill."""
    width = len(loadings[0])
    plan = LatentPlan(domain=SCHEMA.fingerprint, width=min(2, width))
    model = Factors(np.zeros(2), np.zeros(1), np.array([300.0]), np.array(loadings))
    state = ArraysState({HELD_OUT: np.zeros(50, dtype=bool), **model.arrays()})
    real, made = (
        Records(SCHEMA, np.repeat([[10, 0, 0], [90, 1, 1]], many // 2, axis=0).astype(np.uint16))
        for many in (50, 30)
    )
    return Evidence(plan_run(plan, SCHEMA), real, state, {"table": made})


def test_columns_stand_in_the_order_of_the_schema_and_tables_are_of_one_size() -> None:
    found = hidden_numbers(evidence([[-0.9, 0.0], [0.0, 0.5], [-0.7, 0.0]]))
    assert found.carried == pytest.approx([0.49, 0.81, 0.25])
    assert found.real.shape == found.made.shape == (30, 2)
    assert found.real == pytest.approx(found.made)
    # Turned: who is old and ill stands to the right.
    assert (found.real[:15, 0] < 0).all()
    assert (found.real[15:, 0] > 0).all()


@pytest.mark.parametrize("loadings", [[[0.9], [0.5], [0.7]], [[0.9, 0.0], [0.5, 0.0], [0.7, 0.0]]])
def test_there_is_no_map_of_one_hidden_number(loadings: list[list[float]]) -> None:
    found = hidden_numbers(evidence(loadings))
    assert not found.whole
    assert len(found.real) == 0
    assert found.carried == pytest.approx([0.49, 0.81, 0.25])


def test_records_stand_beside_what_is_kept_of_them() -> None:
    found = reconstruct_records(evidence([[-0.9, 0.0], [0.0, 0.5], [-0.7, 0.0]]), 6)
    assert len(found.real) == 6
    old = found.real.codes[:, 0] == 90
    assert found.kept[old, 0].min() > found.kept[~old, 0].max()
    assert found.kept[old, 2].min() > found.kept[~old, 2].max()
    assert found.kept[:, 1:].max() < 1 < found.kept[:, 0].min()


def test_nothing_is_looked_at_of_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "space_of", lambda *_: None)
    with pytest.raises(Refusal, match="network"):
        reconstruct_records(evidence([[0.9], [0.5], [0.7]]), 3)
