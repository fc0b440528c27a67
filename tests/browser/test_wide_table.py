"""A table of 200 columns: found, narrowed down, changed together, taken back."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.custodian import Custodian

_COLUMNS, _ROWS = 200, 300


def wide() -> bytes:
    """Answers of people who do not exist: 150 questions, 50 incomes, one of them with a stray."""
    rng = np.random.default_rng(5)
    names = [f"income_{n:03}" if n % 4 == 3 else f"question_{n:03}" for n in range(_COLUMNS)]
    answers = rng.integers(1, 6, (_ROWS, _COLUMNS))
    money = rng.integers(0, 900, (_ROWS, _COLUMNS)) * 100
    lines = [
        ",".join(str(money[row, n] if n % 4 == 3 else answers[row, n]) for n in range(_COLUMNS))
        for row in range(_ROWS)
    ]
    return "\n".join([",".join(names), *lines]).encode()


def rows(person: Custodian) -> Locator:
    """The columns that the list shows."""
    return person.main.get_by_role("list", name="Columns").get_by_role("listitem")


@pytest.mark.thorough(
    "dashboard/test_many_columns.py::test_many_columns_are_changed_as_one_step_and_put_back"
)
def test_two_hundred_columns_are_searched_changed_together_and_put_back(
    person: Custodian,
) -> None:
    person.go("Data")
    person.upload("wide.csv", wide())
    person.answer_questions()
    expect(rows(person)).to_have_count(_COLUMNS)
    search = person.main.get_by_label("Search columns")
    everything = person.main.get_by_label("Choose all that are shown")
    person.ready(search).fill("income_00")
    expect(rows(person)).to_have_count(2)
    person.ready(search).fill("income")
    person.ready(everything).check()
    expect(person.main.get_by_text("50 columns chosen")).to_be_visible()
    person.choose("What to change", "Range and steps")
    person.write("Largest", "50000")
    person.press("Change 50 columns")
    expect(person.main.get_by_text("50 columns changed.")).to_be_visible()
    # Which now lie outside comes first and stands out.
    needing = person.main.get_by_role("button", name="Needs attention")
    person.press("Change something else in them")
    person.choose("What to change", "looked through")
    person.ready(search).fill("")
    person.ready(everything).check()
    person.press("Mark 200 columns")
    expect(needing).to_have_text("Needs attention 50")
    person.ready(needing).click()
    expect(rows(person)).to_have_count(50)
    expect(rows(person).first).to_contain_text("outside")
    person.press("Choose none")
    person.ready(rows(person).first.get_by_role("button")).click()
    expect(person.main.get_by_text("above its maximum")).to_be_visible()
    expect(person.main.get_by_label("Largest", exact=True)).to_have_value("50000")
    person.settled()
    person.page.keyboard.press("Control+z")
    expect(needing).to_have_text("Needs attention 0")
    expect(person.main.get_by_text("There is no such column.")).to_be_visible()
    person.press(re.compile(r"\bRedo\b"))
    expect(rows(person)).to_have_count(50)
    person.ready(everything).check()
    person.choose("What to change", "Values outside")
    person.pick("Move to the nearest allowed value")
    person.press("Change 50 columns")
    expect(rows(person).first).to_contain_text("moved inside")
    assert person.traffic.errors == []


def the_list_is_walked(person: Custodian) -> None:
    """By the keyboard, from the first column of the sample; typing in it undoes nothing."""
    list_ = person.main.get_by_role("list", name="Columns")
    names = list_.get_by_role("button")
    expect(names).to_have_count(11)
    person.settled()
    names.first.focus()
    person.page.keyboard.press("ArrowDown")
    expect(names.nth(1)).to_be_focused()
    person.page.keyboard.press("Enter")
    expect(names.nth(1)).to_have_attribute("aria-current", "true")
    expect(person.main.get_by_text("Column (2 of 11)")).to_be_visible()
    person.enter("Title, for people to read", "Employer")
    expect(names.nth(1)).to_contain_text("Employer")
    search = person.main.get_by_label("Search columns")
    person.ready(search).fill("emp")
    person.page.keyboard.press("Control+z")
    expect(names.nth(1)).to_contain_text("Employer")
    person.ready(search).fill("")
    expect(rows(person)).to_have_count(11)
