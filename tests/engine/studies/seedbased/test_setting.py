from __future__ import annotations

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.studies.seedbased import published
from understudy.studies.seedbased.setting import (
    FEWEST,
    PUBLISHED_ROWS,
    Setting,
    Sizes,
    omegas_of,
    plan_of,
)
from understudy.table.records import Records


def test_sizes_are_the_published_ones_at_full_size_and_follow_the_rows() -> None:
    assert Sizes.of(PUBLISHED_ROWS) == Sizes(735_000, 280_000, 280_000, 100_000)
    assert (
        Sizes.of(PUBLISHED_ROWS // 10) == Sizes().tenth() == Sizes(73_500, 28_000, 28_000, 10_000)
    )
    assert Sizes.of(PUBLISHED_ROWS).total < PUBLISHED_ROWS


def test_shares_of_a_table_that_is_split_by_coins() -> None:
    assert Sizes().shares.each == (0.53, 0.2, 0.2, 0.07)


def test_cut_takes_every_record_once_and_in_order() -> None:
    schema = category_schema(7, 3)
    codes = np.column_stack([np.arange(20) % 7, np.arange(20) % 3]).astype(np.uint16)
    parts = Sizes(8, 5, 4, 2).cut(Records(schema, codes))
    made = [parts.seeds, parts.structure, parts.parameters, parts.held_out]
    assert [len(each) for each in made] == [8, 5, 4, 2]
    np.testing.assert_array_equal(np.concatenate([each.codes for each in made]), codes[:19])


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (11, ["11", "10", "9", "9-11", "5-11"]),
        (4, ["4", "3", "2", "2-4"]),
        (2, ["2", "1", "1-2"]),
    ],
)
def test_omegas_are_the_published_ones_for_eleven_columns(
    attributes: int, expected: list[str]
) -> None:
    assert [str(each) for each in omegas_of(attributes)] == expected


def test_too_few_rows_are_refused() -> None:
    assert Sizes.of(FEWEST).held_out > 0
    with pytest.raises(Refusal, match=r"too few records.*2,000 or more") as refused:
        Sizes.of(FEWEST - 1)
    assert refused.value.field == "rows"


def test_quick_says_what_it_cuts_and_full_says_nothing() -> None:
    full = Setting.of(11)
    assert full.cut(PUBLISHED_ROWS) == full.cut(None) == ""
    said = full.quick().cut(PUBLISHED_ROWS // 10)
    assert "150,000 people instead of 1,500,000" in said
    assert "10,000 records of each table at most instead of 100,000" in said
    assert "people" not in full.quick().cut(None)


def test_tables_are_as_large_as_published() -> None:
    full = Setting.of(11)
    assert (full.most, full.most // 2) == (published.TRAINING, published.DISTINGUISHED)
    assert (full.repeats, full.models) == (published.RUNS, published.MODELS)


def test_the_plan_is_the_published_one() -> None:
    schema = category_schema(3, 4, 2)
    plan = plan_of(schema, Sizes().shares, 1.0)
    assert (plan.test.k, plan.test.gamma, plan.test.epsilon0) == (50, 4.0, 1.0)
    assert plan.delta == 2**-30
    assert plan.model.epsilon == 1.0
