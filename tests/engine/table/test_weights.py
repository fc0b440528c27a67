"""What records weigh by a survey weight, and what the weights of a released table come to."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.table.authoring.edits import with_population, with_role
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.weights import read_weights, scale_weights, total_weights

SCHEMA = category_schema(4, 4)
WEIGHT = Column(
    name="w",
    domain=Grid(kind="numbers", maximum=Decimal(2), minimum=Decimal(0), step=Decimal("0.5")),
    missing=True,
    missing_codes=(MissingCode(label="unknown"),),
    role="weight",
)


def test_measured_weights_are_the_numbers_or_the_middles_of_their_cells() -> None:
    domain = Continuous(
        minimum=Decimal(0), maximum=Decimal(10), precision=Decimal("0.5"), step=Decimal(2), unit=""
    )
    column = Column(name="w", domain=domain, missing=True, role="weight")
    schema = Schema(columns=(column, SCHEMA.columns[0]))
    codes = np.array([[0, 0], [2, 0], [5, 0]])
    numbers = np.array([[0.5], [5.5], [np.nan]])
    assert read_weights(Records(schema, codes, numbers), 0).tolist() == [0.5, 5.5, 0.0]
    assert read_weights(Records(schema, codes), 0).tolist() == [1.0, 5.0, 0.0]


def test_a_weight_below_zero_counts_as_nothing() -> None:
    below = WEIGHT.changed(domain=Grid(minimum=Decimal(-3), maximum=Decimal(3)))
    schema = Schema(columns=(below, SCHEMA.columns[0]))
    codes = np.array([[0, 0], [4, 0], [7, 0]])
    assert read_weights(Records(schema, codes), 0).tolist() == [0, 1, 0]


@given(
    st.lists(st.integers(0, 5), max_size=40),
    st.decimals(1, 10**9, places=2),
)
def test_weights_times_the_factor_add_up_to_the_population(
    codes: list[int], population: Decimal
) -> None:
    schema = Schema(columns=(with_population(WEIGHT, population), SCHEMA.columns[0]))
    records = Records(
        schema, np.array([[each, 0] for each in codes], dtype=np.int64).reshape(-1, 2)
    )
    (found,) = total_weights(records)
    weigh = read_weights(records, 0)
    assert found.rows == len(codes)
    assert found.total == pytest.approx(sum(weigh))
    if found.total:
        assert found.factor is not None
        scaled = scale_weights(records, schema.column("w"))
        assert math.fsum(scaled) == pytest.approx(float(population))
        assert scaled == pytest.approx(weigh * found.factor)
        assert f"multiply each weight by {found.factor:.8g}" in found.sentence
    else:
        assert found.factor is None
    shuffled = Records(schema, records.codes[::-1])
    assert total_weights(shuffled) == (found,)


def test_without_a_public_number_totals_are_said_to_be_none() -> None:
    schema = Schema(columns=(WEIGHT, SCHEMA.columns[0]))
    (found,) = total_weights(Records(schema, np.array([[1, 0], [2, 1]])))
    assert (found.total, found.factor) == (1.5, None)
    assert "no public number" in found.sentence


def test_a_weight_that_is_not_used_comes_to_nothing() -> None:
    column = with_role(with_population(WEIGHT, Decimal(9)), "other weight")
    assert column.population is None
    schema = Schema(columns=(column, SCHEMA.columns[0]))
    assert schema.weights == ()
    assert total_weights(Records(schema, np.array([[1, 0]]))) == ()


@pytest.mark.parametrize("population", ["0", "-1", "1e300"])
def test_a_population_is_a_number_above_0(population: str) -> None:
    with pytest.raises(Refusal) as refused:
        with_population(WEIGHT, Decimal(population))
    assert refused.value.field == "population"


def test_only_a_weight_adds_up_to_a_population() -> None:
    for column in (WEIGHT.changed(role=""), SCHEMA.columns[0].changed(role="weight")):
        with pytest.raises(Refusal, match="no survey weight"):
            with_population(column, Decimal(5))


def test_the_population_is_declared_and_comes_back_from_the_file() -> None:
    schema = Schema(columns=(WEIGHT, SCHEMA.columns[0])).declare_public()
    known = schema.replace(with_population(WEIGHT, Decimal("8900000.5")))
    assert schema.declared
    assert not known.declared
    back = Schema.from_json(known.to_json())
    assert back.column("w").population == Decimal("8900000.5")
    assert back.fingerprint == known.fingerprint
    assert "population" not in schema.to_json()


@given(
    st.sampled_from(["integers", "numbers"]),
    st.integers(-50, 50),
    st.integers(1, 2_000),
    st.sampled_from(["1", "2", "5", "20", "37"]),
)
def test_a_weight_in_many_steps_is_measured_in_few_cells(
    kind: str, low: int, steps: int, step: str
) -> None:
    width = Decimal(step) if kind == "integers" else Decimal(step) / 100
    ends = {"minimum": Decimal(low), "maximum": low + steps * width, "step": width}
    grid = Grid.read({"kind": kind, **ends, "spelling": "1234,5"})
    column = with_role(Column(name="w", domain=grid), "weight")
    assert column.role == "weight"
    if grid.size <= 50:
        assert column.domain == grid
        return
    cells = column.domain
    assert isinstance(cells, Continuous)
    assert 15 <= cells.size <= 41
    assert (cells.minimum, cells.maximum) == (grid.numbers[0], grid.numbers[-1])
    assert all(cells.value_of(text) is not None for text in grid.texts)
    assert cells.spelling == "1234,5"
    assert with_role(column, "weight") == column
