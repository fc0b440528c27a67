import numpy as np
import pytest

from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=(
        Column(name="a", domain=Grid(minimum=0, maximum=9), missing=True),
        Column(name="b", domain=Categories(values=("x", "y"))),
    )
)


def test_codes_are_kept_compact_and_read_only():
    records = Records(SCHEMA, np.asfortranarray([[10, 1], [0, 0], [3, 1]]))
    assert len(records) == 3
    assert records.codes.dtype == np.uint16
    assert records.codes.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        records.codes[0, 0] = 1


def test_the_array_given_stays_writable():
    codes = np.zeros((2, 2), np.uint16)
    Records(SCHEMA, codes)
    codes[0, 0] = 1


def test_records_are_taken_by_index_or_mask():
    records = Records(SCHEMA, np.array([[10, 1], [0, 0], [3, 1]]))
    assert records.take(np.array([2, 0])).codes.tolist() == [[3, 1], [10, 1]]
    assert records.take(np.array([False, True, False])).codes.tolist() == [[0, 0]]


def test_there_may_be_no_records():
    assert len(Records(SCHEMA, np.zeros((0, 2), np.uint16))) == 0


@pytest.mark.parametrize(
    "codes",
    [
        np.zeros((3, 1), np.uint16),
        np.zeros(4, np.uint16),
        np.zeros((2, 2)),
        np.array([[11, 0]]),
        np.array([[0, 2]]),
        np.array([[0, -1]]),
        np.array([[0, 65536]]),
    ],
)
def test_codes_that_do_not_fit_the_schema_are_refused(codes):
    with pytest.raises(ValueError, match=r"codes|outside its domain"):
        Records(SCHEMA, codes)


def test_counts_are_those_of_every_code_absent_ones_too():
    schema = Schema(
        columns=tuple(
            Column(name=name, domain=Categories(kind="categories", values=("a", "b", "c")))
            for name in ("x", "y")
        )
    )
    records = Records(schema, np.array([[0, 2], [0, 1], [1, 2]], dtype=np.uint16))
    assert records.counts(0).tolist() == [2, 1, 0]
    assert records.counts(1).tolist() == [0, 1, 2]
