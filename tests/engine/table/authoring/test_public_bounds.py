"""Bounds that everybody knows are suggested for what a column is called, where its values fit; a
few values far from all others stretch no range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.table.authoring.attention import ATTENTION, needs_attention
from understudy.table.authoring.number_ranges import choose_range, usual_buckets
from understudy.table.authoring.public_bounds import find_far_numbers, find_public_bounds
from understudy.table.authoring.suggestion import Suggestion, suggest_schema
from understudy.table.column import Column
from understudy.table.declared_reading import usual
from understudy.table.encoding import outside
from understudy.table.grid import Grid
from understudy.table.raw import Labels, RawTable, table_of, text_column


def raw(name: str, title: str, texts: Sequence[str]) -> RawTable:
    columns = [texts, ["ab"[place % 2] for place in range(len(texts))]]
    made = [text_column(np.arange(len(each)), list(each)) for each in columns]
    labels = Labels(titles={name: title})
    return RawTable(table_of([name, "other"], made), usual("csv"), labels=labels)


def suggest(name: str, title: str, texts: Sequence[str]) -> tuple[RawTable, Suggestion]:
    table = raw(name, title, texts)
    return table, suggest_schema(table)


def numbers(low: float, high: float, step: float, times: int = 2) -> list[str]:
    values = np.arange(low, high + step / 2, step)
    return [f"{value:.10g}" for value in values] * times


def ends(column: Column) -> tuple[float, float, float] | None:
    ranged = column.domain.ranged
    if ranged is None:
        return None
    return float(ranged.minimum), float(ranged.maximum), float(ranged.width)


@pytest.mark.parametrize(
    ("name", "title", "texts", "right"),
    [
        ("age", "", numbers(17, 90, 1), (0, 120, 1)),
        ("patientAge_2", "", numbers(17, 90, 1), (0, 120, 1)),
        ("q3", "Alter in Jahren", numbers(17, 90, 1), (0, 120, 1)),
        ("q3", "Âge", numbers(17, 90, 1), (0, 120, 1)),
        ("edad", "", numbers(17, 90, 1), (0, 120, 1)),
        ("year_of_birth", "", numbers(1931, 2003, 1), (1910, 2010, 1)),
        ("year", "", numbers(1890, 2003, 1), (1810, 2010, 1)),
        ("Geburtsjahr", "", numbers(1931, 1999, 1), (1900, 2000, 1)),
        ("month", "", numbers(2, 11, 1, 9), (1, 12, 1)),
        ("weekday", "", numbers(1, 6, 1, 9), (1, 7, 1)),
        ("dow", "", numbers(0, 6, 1, 9), (0, 6, 1)),
        ("day", "", numbers(1, 29, 1, 9), (1, 31, 1)),
        ("hour", "", numbers(6, 22, 1, 9), (0, 23, 1)),
        ("admission_minute", "", numbers(3, 57, 1), (0, 59, 1)),
        ("height", "", numbers(150, 195, 1), (30, 250, 1)),
        ("height_m", "", numbers(1.5, 1.95, 0.01), (0.3, 2.5, 0.02)),
        ("q9", "Körpergröße (cm)", numbers(52, 115, 1), (30, 250, 1)),
        ("weight", "", numbers(45, 120, 1), (0, 300, 1)),
        ("bmi", "", numbers(16, 44, 0.1), (10, 80, 0.5)),
        ("q4", "Body mass index", [*numbers(16, 44, 0.1), "450.2"], (10, 80, 0.5)),
        ("pct_vaccinated", "", numbers(3, 97, 1), (0, 100, 1)),
        ("x", "Anteil in %", numbers(3, 97, 1), (0, 100, 1)),
        ("share", "", numbers(0.03, 0.97, 0.01), (0, 1, 0.01)),
        ("hours_per_week", "", numbers(1, 99, 1), (0, 168, 1)),
        ("q7", "How many hours a week do you work?", numbers(1, 60, 1), (0, 168, 1)),
        ("body_temp", "", numbers(35.1, 41, 0.1), (30, 45, 0.1)),
        ("sbp", "", numbers(90, 190, 1), (20, 300, 1)),
        ("heart rate", "", numbers(48, 130, 1), (20, 250, 1)),
        ("household_size", "", numbers(1, 8, 1, 9), (1, 20, 1)),
        ("children", "", numbers(0, 6, 1, 9), (0, 15, 1)),
        ("x", "Years of schooling", numbers(0, 24, 1, 9), (0, 30, 1)),
        ("pH", "", numbers(3, 9, 0.1), (0, 14, 0.1)),
        ("lat", "", numbers(-60, 70, 1), (-90, 90, 1)),
        # What is called so and is something else keeps the bounds of the file.
        ("height", "in inches", numbers(55, 78, 1), (54, 78, 1)),
        ("height", "", numbers(55, 78, 1), (54, 78, 1)),
        ("weight", "", numbers(95, 300, 1), (80, 300, 1)),
        ("weight_lb", "", numbers(95, 300, 1), (80, 300, 1)),
        ("survey_weight", "", numbers(42, 110, 1), (40, 110, 1)),
        ("age_group", "", numbers(1, 33, 1), (0, 34, 1)),
        ("age_months", "", numbers(1, 60, 1), (0, 60, 1)),
        ("mileage", "", numbers(1, 60, 1), (0, 60, 1)),
        ("income_at_age", "", numbers(1, 60, 1), (0, 60, 1)),
        ("bmi_change", "", numbers(11, 60, 1), (10, 60, 1)),
        ("age", "", numbers(300, 900, 10), (300, 900, 1)),
        ("lat", "", numbers(52.31, 52.63, 0.01), (52.3, 52.64, 0.01)),
        # A few codes are a list, and whether children live there is no number of them.
        ("age", "", numbers(1, 6, 1, 9), None),
        ("children", "", ["0", "1"] * 20, None),
    ],
)
def test_bounds_follow_from_what_a_column_is_called_and_its_values(
    name: str, title: str, texts: list[str], right: tuple[float, float, float] | None
) -> None:
    _, found = suggest(name, title, texts)
    assert ends(found.schema.columns[0]) == right


def test_the_note_says_where_the_bounds_are_from_and_that_values_lie_outside() -> None:
    texts = [*numbers(17, 90, 1), "141"]
    table, found = suggest("age", "", texts)
    said = " ".join(found.notes["age"])
    assert "usual for an age" in said
    assert "lie above" in said
    assert "below" not in said
    assert "141" not in said
    assert "the file" not in said
    assert [each.too_high for each in outside(table, found.schema) if each.column == "age"] == [1]
    assert needs_attention(table, found.schema, ())["age"] == ("usual",)


def test_decades_that_the_file_has_are_not_called_usual() -> None:
    table, found = suggest("year", "", numbers(1961, 1993, 1))
    said = " ".join(found.notes["year"])
    assert "around what the file has" in said
    assert "usual" not in said
    assert needs_attention(table, found.schema, ())["year"] == ("bounds",)


def test_other_bounds_than_the_usual_ones_are_not_called_usual() -> None:
    table, found = suggest("age", "", numbers(17, 90, 1))
    domain = Grid(minimum=Decimal(17), maximum=Decimal(90))
    own = found.schema.column("age").changed(domain=domain, buckets=usual_buckets(domain))
    assert needs_attention(table, found.schema.replace(own), ())["age"] == ("bounds",)


def test_more_than_a_few_values_outside_are_no_mistakes() -> None:
    _, found = suggest("age", "", [*numbers(17, 90, 1), *["141"] * 4])
    assert "usual" not in " ".join(found.notes["age"])


def test_impossible_numbers_that_look_like_codes_are_probable_codes_for_missing() -> None:
    texts = [*numbers(1, 140, 1), *["998"] * 9, "300", "700"]
    _, found = suggest("hours_per_week", "", texts)
    column = found.schema.columns[0]
    assert column.missing_values == ("998",)
    assert ends(column) == (0, 168, 1)
    assert "“998” is probably a code" in " ".join(found.notes["hours_per_week"])
    assert "lie above" in " ".join(found.notes["hours_per_week"])


def test_decimal_commas_have_public_bounds_too() -> None:
    texts = [text.replace(".", ",") for text in numbers(16, 44, 0.1)]
    _, found = suggest("imc", "", [*texts, "450,2"])
    assert ends(found.schema.columns[0]) == (10, 80, 0.5)


def test_far_values_do_not_stretch_a_range_in_silence() -> None:
    texts = [*numbers(16, 44, 0.1), "450.2", "61234567"]
    table, found = suggest("x17", "", texts)
    column = found.schema.columns[0]
    assert ends(column) == (16, 44, 0.2)
    said = " ".join(found.notes["x17"])
    assert "far above all others, more than a thousand times as far off" in said
    assert "450" not in said
    assert "61234567" not in said
    assert needs_attention(table, found.schema, ())["x17"] == ("far", "bounds")
    assert "far" in ATTENTION["far"]
    wide = Grid(
        kind="numbers", minimum=Decimal(0), maximum=Decimal(70_000_000), step=Decimal(10**6)
    )
    widened = found.schema.replace(column.changed(domain=wide, buckets=usual_buckets(wide)))
    assert needs_attention(table, widened, ())["x17"] == ("bounds",)


def test_a_long_tail_and_amounts_that_few_have_are_not_far() -> None:
    rng = np.random.default_rng(4)
    amounts = [Decimal(int(amount)) for amount in rng.lognormal(8, 0.8, 3000)]
    assert find_far_numbers(count(amounts)) is None
    assert find_far_numbers({**count(amounts), Decimal(0): 497_000}) is None
    assert find_far_numbers(count([Decimal(4), Decimal(5), Decimal(900)])) is None


def count(values: Iterable[Decimal]) -> dict[Decimal, int]:
    found: dict[Decimal, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["age", "bmi", "year", "hours_per_week", "pct", "x", "height", "children"]),
    st.lists(
        st.integers(0, 130) | st.sampled_from([999, -8, 450, 1999, 2010, 10**6]),
        min_size=20, max_size=60,
    ),
    st.randoms(use_true_random=False),
)  # fmt: skip
def test_the_same_is_suggested_for_any_order_of_the_records(
    name: str, values: list[int], random: object
) -> None:
    shuffled = [*values]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    (one, first), (other, second) = (
        suggest(name, "", [str(value) for value in each]) for each in (values, shuffled)
    )
    column, same = first.schema.column(name), second.schema.column(name)
    assert column == same
    assert first.notes[name] == second.notes[name]
    attention = [
        needs_attention(table, found.schema, ())[name]
        for table, found in ((one, first), (other, second))
    ]
    assert attention[0] == attention[1]


@given(st.lists(st.integers(0, 120), min_size=20), st.integers(2, 5))
def test_bounds_that_everybody_knows_do_not_depend_on_the_records(
    ages: list[int], times: int
) -> None:
    found = find_public_bounds("age", "", count(map(Decimal, ages * times)))
    assert found is not None
    assert (found.low, found.high) == (0, 120)


def test_a_code_for_missing_does_not_cut_bounds_short_that_everybody_knows() -> None:
    counts = {Decimal(age): 5 for age in range(20, 80)}
    chosen = choose_range(("age", ""), counts, {Decimal(99)})
    assert (chosen.grid.grid.minimum, chosen.grid.grid.maximum) == (0, 120)
    # Bounds of the file leave out a code beyond all of its numbers, and hold one among them.
    own = choose_range(("score", ""), counts, {Decimal(18), Decimal(80), Decimal(50)})
    assert (own.grid.grid.minimum, own.grid.grid.maximum) == (20, 79)
