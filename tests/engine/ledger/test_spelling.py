"""One way of writing a value."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.ledger.likeness import one_way, settled

ALIKE = (
    ("3", "3.0", "+3", "03", "3.", "3,0", " 3 ", "0.3e1", "30E-1"),
    ("-0.5", "-.5", "-0,50", "-5e-1"),
    ("0", "-0", "0.000", "00"),
    ("", "NA", "nan", "NULL", " "),
    ("true", "TRUE", "True"),
    ("2020-03-01", "2020-03-01 00:00:00", "2020-03-01T00:00:00.000Z", "2020-03-01 00:00"),
    ("2020-03-01 10:30:00", "2020-03-01T10:30", "2020-03-01 10:30:00.000000Z"),
    ("two words", " two words\n"),
)
APART = ("3", "-3", "3.5", "0", "", "a", "A", "true", "2020-03-01", "2020-03-02", "1e500", "a b")


@pytest.mark.parametrize("texts", ALIKE)
def test_texts_that_may_mean_the_same_are_one(texts: tuple[str, ...]) -> None:
    assert set(map(one_way, texts)) == {texts[0]}
    assert settled(pa.array(texts)).to_pylist() == [texts[0]] * len(texts)


def test_others_stay_apart() -> None:
    assert len(set(map(one_way, APART))) == len(APART)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4), st.integers(0, 3))
def test_a_number_keeps_its_value(number: Decimal, zeros: int) -> None:
    text = f"{number:f}"
    longer = (text if "." in text else text + ".") + "0" * zeros
    assert Decimal(one_way(longer)) == number
    assert one_way(longer) == one_way(text)


@given(st.lists(st.text(alphabet="01.,-+eE \nZT:aN", max_size=8) | st.sampled_from(sum(ALIKE, ()))))
def test_a_column_is_settled_as_each_of_its_texts_is(texts: list[str]) -> None:
    assert settled(pa.array(texts, pa.string())).to_pylist() == [one_way(each) for each in texts]


@pytest.mark.parametrize("text", ["1e999999999999", "1e500", "9" * 500])
def test_what_no_program_keeps_as_a_number_stays_as_it_is(text: str) -> None:
    assert one_way(text) == text
