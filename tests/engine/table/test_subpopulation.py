"""Whose records a text means, read by the schema, record by record."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy.table.subpopulation import Subpopulation

SCHEMA = Schema(
    columns=(
        Column(name="REGION", domain=Categories(values=("North", "South", "to be or not to be"))),
        Column(name="REGION = A", domain=Categories(values=("no", "yes"))),
        Column(name="AGE", domain=Grid(minimum=Decimal(60), maximum=Decimal(70)), missing=True),
    )
)


@pytest.mark.parametrize(
    ("text", "place", "codes"),
    [
        ("REGION = North", 0, (0,)),
        ("REGION=South or North", 0, (0, 1)),
        ("REGION = to be or not to be", 0, (2,)),
        ("REGION = A = yes", 1, (1,)),
        ("  AGE = 65 to 67 or 60 or 66", 2, (0, 5, 6, 7)),
        ("AGE =", 2, (11,)),
    ],
)
def test_a_text_names_values_of_a_column(text: str, place: int, codes: tuple[int, ...]) -> None:
    found = Subpopulation.of(text, SCHEMA, "among")
    assert (found.place, found.codes) == (place, codes)
    rows = np.random.default_rng(1).integers(0, 3, (50, 3)).astype(np.uint16)
    rows[:, 2] *= 4
    held = found.holds(rows)
    assert held.tolist() == [int(row[place]) in codes for row in rows]
    assert all(found.holds(row[None])[0] == each for row, each in zip(rows, held, strict=True))
    put = found.put_in(rows)
    assert found.holds(put).all() or len(codes) > 1
    assert (np.delete(put, place, axis=1) == np.delete(rows, place, axis=1)).all()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("North", "does not begin with the name of a column"),
        ("SEX = f", "does not begin with the name of a column"),
        ("REGION = East", "has no value “East”"),
        ("REGION = North to South", "has no value “North to South”"),
        ("AGE = 65 to 80", "has no value “65 to 80”"),
        ("AGE = 67 to 65", "no value of “AGE”"),
        ("REGION = A = yes or no", "true of every record"),
    ],
)
def test_what_means_nobody_or_everybody_is_refused(text: str, problem: str) -> None:
    with pytest.raises(Refusal, match=problem) as refused:
        Subpopulation.of(text, SCHEMA, "among")
    assert refused.value.field == "among"
