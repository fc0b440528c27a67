"""Released tables of other columns: what is measured of them, and what is said not to be."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.evaluation.evaluation import Evaluation, other_table
from understudy.evaluation.measure import Study, Table
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema

WARD = Column(name="ward", domain=Categories(values=("A", "B")))
SEX = Column(name="sex", domain=Categories(values=("m", "f")))
AGED = Column(name="sex", domain=Categories(values=("m", "f", "x")))
NEW = Column(name="n", domain=Categories(values=("1", "2")))
OWN = Schema(columns=(WARD, SEX))


def records(schema: Schema, ones: int, rows: int = 100) -> Records:
    """The first so many records have code 1 everywhere, the others 0."""
    codes = np.zeros((rows, len(schema)), np.uint16)
    codes[:ones] = 1
    return Records(schema, codes)


def study(*, held_out: int = 40, real: int | None = 50) -> Study:
    tables = () if real is None else (Table("other real records", "reals", records(OWN, real)),)
    return Study(tables, records(OWN, held_out), records(OWN, 30), {}, "sex", 1, key=3)


def test_shared_columns_are_measured_beside_real_ones_and_others_named() -> None:
    found = other_table("wards", records(Schema(columns=(NEW, WARD)), 70), study())
    (column,) = found.shared
    assert (column.name, column.distance, column.real) == (
        "ward",
        pytest.approx(0.3),
        pytest.approx(0.1),
    )
    assert found.unmeasured == ("n",)
    assert "ward 30" in found.said
    assert "not measured: n." in found.said
    assert "columns together is not measured" in found.said


def test_a_column_of_the_same_name_and_other_values_is_not_shared() -> None:
    found = other_table("sexes", records(Schema(columns=(AGED, WARD)), 70), study(real=None))
    assert found.unmeasured == ("sex",)
    assert [(each.name, each.real) for each in found.shared] == [("ward", None)]


def test_a_short_table_is_said_to_be_too_short() -> None:
    found = other_table("wards", records(Schema(columns=(NEW, WARD)), 1, 49), study())
    assert found.shared == ()
    assert "too few to measure" in found.said


def test_an_evaluation_keeps_them_in_its_file(tmp_path: object) -> None:
    found = other_table("wards", records(Schema(columns=(NEW, WARD)), 70), study())
    made = Evaluation((), 100, "sex", (), (found,), 2)
    made.save(tmp_path)  # type: ignore[arg-type]
    again = Evaluation.load(tmp_path)  # type: ignore[arg-type]
    assert again == made
    assert "2 further released tables" in made.remarks[-1]
