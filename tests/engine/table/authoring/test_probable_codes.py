"""Values that are probably codes for missing."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.authoring.attention import needs_attention
from understudy.table.authoring.probable_codes import (
    find_probable_codes,
    group_declared,
    label_codes,
    says_missing,
)
from understudy.table.authoring.suggestion import Suggestion, suggest_schema
from understudy.table.column import Column
from understudy.table.encoding import outside
from understudy.table.grid import Grid
from understudy.table.missing_codes import MISSING_TOKENS, MissingCode, check_codes
from understudy.table.raw import Labels, RawTable, table_of, text_column
from understudy.table.sources.reading import read_table

INCOMES = [str(number) for number in range(20, 9000, 110)]
AGES = [str(age) for age in range(18, 91)]


def suggested(texts: Sequence[str], values: dict[str, str] | None = None) -> tuple[Column, str]:
    """The column that is suggested for some texts, and its notes."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    codes = [places[text] for text in texts]
    raw = read_table(b"a,b\n1,x\n2,y\n", name="t.csv")
    columns = [text_column(codes, list(places)), text_column([0] * len(codes), ["x"])]
    labels = Labels(values={"a": values} if values else {})
    raw = RawTable(table_of(["a", "b"], columns), raw.reading, labels=labels)
    found = suggest_schema(raw)
    assert all(each.total == 0 for each in outside(raw, found.schema))
    return found.schema.column("a"), " ".join(found.notes["a"])


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        ([*INCOMES, "-8"], [("-8",)]),
        ([*INCOMES, "-8", "-9", "-1", "-2"], [("-9",), ("-8",), ("-2",), ("-1",)]),
        ([*INCOMES, "-1", "-2", "-3"], [("-3",), ("-2",), ("-1",)]),
        ([*INCOMES, "-8", "-8.0"], [("-8", "-8.0")]),
        ([*INCOMES, "99999"], [("99999",)]),
        ([*INCOMES, "9999999"], [("9999999",)]),
        ([*AGES, "999", "998", "997"], [("997",), ("998",), ("999",)]),
        ([*AGES, "-9", "999"], [("-9",), ("999",)]),
        (["1", "2", "-8", "-9"], [("-9",), ("-8",)]),
        (["0", "1", "2", "99"], [("99",)]),
        (["0.5", "12.5", "99.9", "3.25"], [("99.9",)]),
        (["2020-01-01", "2021-05-06", *(f"2022-03-{day:02}" for day in range(1, 32)), "9999-12-31"],
         [("9999-12-31",)]),
        ([*(f"2022-03-{day:02}" for day in range(1, 32)), "-8", "9999"], [("-8",), ("9999",)]),
        ([*AGES, "refused", "Don't know"], [("Don't know",), ("refused",)]),
        ([*AGES, "refused", "not asked", "-8"], [("not asked",), ("refused",), ("-8",)]),
        (["1.234,56", "2.000,00", "17,5", "-8", "999"], [("-8",)]),
        (["1.234,56", "2.000,00", "17,50", "-8,00"], [("-8,00",)]),
        (["3,779", "4,010", "950", "999"], []),
        (["12 %", "17 %", "18 %", "refused"], [("refused",)]),
        # Values of their own.
        (["yes", "no", "refused"], []),
        ([*AGES, "refused", "90+"], []),
        ([*map(str, range(-30, 40))], []),
        ([*map(str, range(-4, 36))], []),
        (["-2", "-1", "0", "1", "2"], []),
        (["-1", "0", "1"], []),
        ([*map(str, range(100))], []),
        ([*AGES, "99"], []),
        ([*map(str, range(70)), "77"], []),
        ([*INCOMES, "12000"], []),
        ([*INCOMES, "1000000"], []),
        (["-7.7", "1.5", "3.0"], []),
        (["-8", "a", "b"], []),
        (["2020-01-01", "2021-05-06"], []),
        (["-8"], []),
        ([], []),
    ],
)  # fmt: skip
def test_a_lone_number_of_the_form_of_a_code_is_one(
    texts: list[str], codes: list[tuple[str, ...]]
) -> None:
    assert list(find_probable_codes(texts)) == codes


def test_bounds_and_steps_are_suggested_without_the_code() -> None:
    column, notes = suggested([*INCOMES, "-8"] * 3)
    assert isinstance(column.domain, Grid)
    assert (column.domain.minimum, column.domain.maximum, column.domain.step) == (0, 9000, 50)
    assert column.missing_codes == (MissingCode(values=("-8",)),)
    assert "“-8” is probably a code for missing" in notes
    column, _ = suggested([*AGES, "9999999"] * 3)
    assert isinstance(column.domain, Grid)
    assert (column.domain.minimum, column.domain.maximum, column.domain.step) == (15, 90, 1)
    column, notes = suggested(["", *AGES, "999", "998", "-7"])
    assert [code.values for code in column.missing_codes] == [("",), ("-7",), ("998",), ("999",)]
    assert "“-7”, “998”, “999” are probably codes for missing" in notes


def test_codes_padded_with_zeros_keep_their_nines() -> None:
    column, _ = suggested([*(f"{number:05}" for number in range(1000, 1100)), "99999"])
    assert not column.missing


def test_labels_say_what_a_code_means() -> None:
    labels = {"-8": "Inapplicable", "-9": "Refused", "97": "Don't know", "90": "90 or more"}
    column, notes = suggested([*AGES, "-8", "-9", "97"], labels)
    assert {code.values[0]: code.label for code in column.missing_codes} == {
        "97": "Don't know",
        "-9": "Refused",
        "-8": "not applicable: Inapplicable",
    }
    assert column.unknown_code is not None
    assert "By the labels of the file" in notes
    assert column.domain.holds("90")
    column, _ = suggested([*AGES, "40"], {"40": "unknown"})
    assert not column.missing
    column, _ = suggested(["1", "2", "-8"], {"1": "yes", "2": "no", "-8": "not asked"})
    assert not column.missing
    assert column.domain.texts == ("-8", "1", "2")


@pytest.mark.parametrize("label", ["Refused", "DON'T KNOW", "not asked", "does not apply"])
def test_words_for_missing_are_known(label: str) -> None:
    assert says_missing(label)


@pytest.mark.parametrize("label", ["male", "90 or more", "missing 3 or more days", ""])
def test_other_words_are_values(label: str) -> None:
    assert not says_missing(label)


def test_declared_codes_without_labels_are_one_where_they_are_many() -> None:
    many = [str(number) for number in range(-20, -10)]
    assert group_declared(many, {"-20": "refused"}) == [("-20",), tuple(many[1:])]
    assert group_declared(many[:3], {}) == [("-20",), ("-19",), ("-18",)]


@given(
    st.lists(st.sampled_from(["", "1", "2", "3", "4"]), min_size=1, max_size=5, unique=True),
    st.dictionaries(
        st.sampled_from("1234"),
        st.sampled_from(["", "a", "missing", "1", "2", "not applicable", "a (2)", "n/a"]),
    ),
)
def test_labelled_codes_can_always_be_told_apart(texts: list[str], labels: dict[str, str]) -> None:
    codes = label_codes([(text,) for text in texts], labels)
    assert [code.values for code in codes] == [(text,) for text in texts]
    check_codes(codes, Grid(minimum=10, maximum=20))


@given(
    st.lists(
        st.one_of(
            st.integers(-12, 1200).map(str),
            st.sampled_from(["", "-8", "-9", "999", "99999", "99.9", "refused", "NA", "n"]),
        ),
        min_size=2,
        max_size=60,
    ),
    st.randoms(use_true_random=False),
)
def test_a_suggestion_is_the_same_for_any_order_of_rows(texts: list[str], random: Random) -> None:
    # A second column that goes with the first and a third that does not.
    rows = [f"{text},{len(text)},{random.choice('xyz')}" for text in texts]
    shuffled = random.sample(rows, len(rows))
    assert _suggest(rows) == _suggest(shuffled)


def _suggest(rows: Sequence[str]) -> tuple[object, ...]:
    raw = read_table("\n".join(["a,b,c", *rows, ""]).encode(), name="t.csv")
    found: Suggestion = suggest_schema(raw, leave_out=_unusable(raw))
    attention = needs_attention(raw, found.schema, ())
    return found.schema, dict(found.notes), attention


def _unusable(raw: RawTable) -> list[str]:
    """Return the columns that are missing throughout."""
    usual = set(MISSING_TOKENS)
    return [name for name in raw.names if set(raw.distinct(name)[0]) <= usual]


def test_a_probable_code_asks_for_its_meaning_until_it_has_one() -> None:
    raw = read_table(("a,b\n" + "".join(f"{text},x\n" for text in [*AGES, "999"] * 2)).encode(),
                     name="t.csv")  # fmt: skip
    schema = suggest_schema(raw).schema
    assert needs_attention(raw, schema, ())["a"] == ("missing", "bounds")
    named = MissingCode(values=("999",), label="refused")
    schema = schema.replace(schema.column("a").changed(missing_codes=(named,)))
    assert needs_attention(raw, schema, ())["a"] == ("bounds",)


@pytest.mark.parametrize("code", ["-9", "unsure"])
def test_a_value_with_a_label_that_is_taken_for_missing_is_no_category_too(code: str) -> None:
    labels = {"1": "yes", "2": "no", code: "Wave 3 only"}
    column, _ = suggested([*["1", "2"] * 30, "999", code], labels)
    assert code in column.missing_values
    assert not column.domain.holds(code)
