"""What a run may release, and what is refused as a fault of its method."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from tests.support import category_schema
from understudy.mechanisms.outputs import MOST_OUTPUTS, RESERVED, Output, checked_outputs
from understudy.report import files
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.records import Records
from understudy.table.schema import Schema

PLAIN = category_schema(3, 4)
MEASURED = Schema(
    columns=(
        Column(
            name="weight",
            domain=Continuous(
                minimum=Decimal(0), maximum=Decimal(10), precision=Decimal("0.1"), step=Decimal(2)
            ),
        ),
        Column(name="sex", domain=Categories(values=("m", "f"))),
    )
)
NUMBERS = np.array([[0.3], [9.9]])
CODES = np.array([[0, 1], [4, 0]], np.uint16)


def table(name: str = "synthetic", schema: Schema = PLAIN, **more: Any) -> Output:
    return Output(name, "table", "Records.", schema, 9, **more)


@pytest.mark.parametrize(
    "name",
    ["", "Table", "a/b", "../x", "a.b", "x" * 41, "demonstration-x", "x-values", *sorted(RESERVED)],
)
def test_a_name_that_another_file_has_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="name of an output"):
        table(name)


def test_no_name_of_an_output_is_that_of_a_file_of_a_packet() -> None:
    fixed = {each.casefold().partition(".")[0] for each in files.ABOUT if each != files.SUMS}
    assert fixed - {"synthetic"} <= RESERVED


def test_outputs_are_some_and_of_different_names_and_the_synthetic_table_is_first() -> None:
    figures = Output("counts", "figures", "Counts.")
    assert checked_outputs([figures, table("b"), table()]) == (table(), figures, table("b"))
    for wrong in (
        [],
        [figures, table("counts")],
        [table(f"t{n}") for n in range(MOST_OUTPUTS + 1)],
    ):
        with pytest.raises(ValueError, match="outputs"):
            checked_outputs(wrong)


@pytest.mark.parametrize(("kind", "schema"), [("table", None), ("figures", PLAIN)])
def test_a_table_has_a_schema_and_figures_have_none(kind: Any, schema: Schema | None) -> None:
    with pytest.raises(ValueError, match="figures"):
        Output("x", kind, "Something.", schema)


def test_chunks_are_what_their_output_says() -> None:
    own, drawn = table(schema=MEASURED, own_numbers=True), table(schema=MEASURED)
    measured = Records(MEASURED, CODES, NUMBERS)
    own.check(measured)
    drawn.check(CODES)
    drawn.check(Records(MEASURED, CODES))
    table(own_numbers=True).check(np.zeros((2, 2), np.uint16))
    Output("counts", "figures", "Counts.").check({"a": 1})
    wrong: list[tuple[Output, Any]] = [
        (own, CODES),
        (own, Records(MEASURED, CODES)),
        (drawn, measured),
        (drawn, {"a": 1}),
        (table(), Records(MEASURED, CODES)),
        (Output("counts", "figures", "Counts."), CODES),
    ]
    for output, content in wrong:
        with pytest.raises(ValueError, match="chunk"):
            output.check(content)


@pytest.mark.parametrize("number", [0.35, -0.1, 10.1, np.inf, 3.0])
def test_numbers_that_a_column_cannot_hold_make_no_records(number: float) -> None:
    """Off the precision, out of bounds, or in another cell than the code says."""
    with pytest.raises(ValueError, match="weight"):
        Records(MEASURED, np.array([[0, 0]], np.uint16), np.array([[number]]))
