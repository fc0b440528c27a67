"""A small table of every kind of column, and a plan for it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from understudy.mechanisms.pmse.plan import PmsePlan
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

ROWS = 800


def schema() -> Schema:
    """A measured number, whole numbers, and three categories; declared public."""
    height = Continuous(
        minimum=Decimal(140), maximum=Decimal(220), precision=Decimal("0.1"), step=Decimal(2)
    )
    return Schema(
        columns=(
            Column(name="height", domain=height),
            Column(name="age", domain=Grid(minimum=Decimal(18), maximum=Decimal(90))),
            Column(name="kind", domain=Categories(values=("a", "b", "c"))),
        )
    ).declare_public()


def records(rows: int = ROWS, seed: int = 3) -> Records:
    """Simulated records: taller ones are older, and more often of kind a."""
    random = np.random.default_rng(seed)
    declared = schema()
    first = declared.columns[0].domain
    assert isinstance(first, Continuous)
    height = np.clip(random.normal(172, 8, rows), 140, 220)
    age = np.clip(np.rint(45 + (height - 172) + random.normal(0, 8, rows)), 18, 90) - 18
    kind = np.where(random.random(rows) < 1 / (1 + np.exp(-(height - 172) / 4)), 0, 1)
    kind = np.where(random.random(rows) < 0.2, 2, kind)
    places = np.rint((height - 140) * 10).astype(np.int64)
    codes = np.column_stack([first.lattice.cells_of(places), age.astype(np.int64), kind])
    return Records(declared, codes.astype(np.uint16), first.lattice.numbers(places)[:, None])


def plan(**changed: Any) -> PmsePlan:
    """One that is quickly run, and spends enough for so few records."""
    usual: dict[str, Any] = {
        "domain": schema().fingerprint,
        "epsilon": 20.0,
        "public_records": ROWS,
        "rows": 300,
        "candidates": 800,
        "bins": 8,
        "ratio": 1,
        "locating": 0.4,
    }
    return PmsePlan(**{**usual, **changed})
