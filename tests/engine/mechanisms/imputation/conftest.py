from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

N = 400


@pytest.fixture(scope="session")
def schema() -> Schema:
    """Two categories, four, whole numbers, and measured ones."""
    return Schema(
        columns=(
            Column(name="sex", domain=Categories(values=("f", "m"))),
            Column(name="town", domain=Categories(values=("a", "b", "c")), missing=True),
            Column(
                name="age",
                domain=Grid(minimum=Decimal(18), maximum=Decimal(90), step=Decimal(1)),
            ),
            Column(
                name="pay",
                domain=Continuous(
                    minimum=Decimal(0),
                    maximum=Decimal(100),
                    precision=Decimal("0.5"),
                    step=Decimal(10),
                ),
            ),
        )
    )


@pytest.fixture(scope="session")
def records(schema: Schema) -> Records:
    random = np.random.default_rng(7)
    pay = np.clip(np.rint(random.normal(55, 12, N) * 2), 0, 200) / 2
    codes = np.column_stack(
        [
            random.integers(0, 2, N),
            random.choice(4, N, p=[0.5, 0.3, 0.15, 0.05]),
            np.clip(np.rint(random.normal(27, 12, N)), 0, 72).astype(int),
            np.minimum(pay // 10, 9).astype(int),
        ]
    ).astype(np.uint16)
    return Records(schema, codes, pay[:, None])


@pytest.fixture
def planned(schema: Schema) -> Callable[..., ImputationPlan]:
    """A plan for the table, with some settings changed."""

    def made(**settings: Any) -> ImputationPlan:
        usual: dict[str, Any] = {
            "domain": schema.fingerprint,
            "records": N,
            "public_records": N,
            "strength": 4.0,
            "deviations": {"age": 12.0, "pay": 15.0},
            "rows": 50,
            "tables": 3,
            "delta": 1e-6,
        }
        return ImputationPlan(**{**usual, **settings})

    return made
