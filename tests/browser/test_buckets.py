"""A table of 200 columns: found, narrowed down, changed together, taken back. Buckets by hand:
cuts that are dragged, pushed and typed, categories that are carried about. Five hundred codes are
put into groups from a suggestion, and mended with a search. What is typed stays typed, whatever
else the page redraws.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.custodian import Custodian
from tests.browser.grouper import grouped, trades
from tests.browser.test_every_page import too_wide

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
    person.choose("Change something else in them", "looked through")
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
    expect(names).to_have_count(12)
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
    expect(rows(person)).to_have_count(12)


_FIRST_CUT = "Cut 1 of"


def cut(person: Custodian, label: str = _FIRST_CUT) -> Locator:
    """The handle of a cut."""
    return person.main.get_by_role("slider", name=label)


def carried(person: Custodian, thing: Locator, *, by: float = 0, to: Locator | None = None) -> None:
    """Drag something with the mouse: so many pixels to the right, or onto something else."""
    person.settled()
    thing.scroll_into_view_if_needed()
    box = thing.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    there = None if to is None else to.bounding_box()
    end = (
        (x + by, y)
        if there is None
        else (there["x"] + there["width"] / 2, there["y"] + there["height"] / 2)
    )
    mouse = person.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move((x + end[0]) / 2, (y + end[1]) / 2)
    mouse.move(*end, steps=4)
    mouse.up()


def step(person: Custodian, label: str) -> None:
    """Go back or forth; the button also says its keys."""
    person.press(re.compile(rf"\b{label}\b"))
    person.settled()


def bucketing(person: Custodian, column: str) -> None:
    """The Buckets page of the sample, which is open, at a column."""
    person.go("Buckets")
    # A choice that is typed while the page is still drawn may be lost.
    person.settled()
    person.choose("Column (", column)
    person.settled()


def test_cuts_are_dragged_and_pushed_and_categories_are_carried(person: Custodian) -> None:
    person.open_sample()
    the_list_is_walked(person)
    bucketing(person, "AGEP")
    _push_a_cut_while_the_page_answers(person)
    _drag_a_cut(person)
    person.choose("Column (", "COW")
    _carry_categories(person)
    assert person.traffic.errors == []


def _push_a_cut_while_the_page_answers(person: Custodian) -> None:
    """It ends where it was pushed."""
    handle = cut(person)
    before = int(handle.get_attribute("aria-valuenow") or 0)
    handle.focus()
    for _ in range(4):
        handle.press("ArrowLeft")
    # Leaving a cut tells its move at once.
    handle.blur()
    expect(person.main.get_by_role("radio", name="Cut points")).to_be_checked()
    expect(handle).to_have_attribute("aria-valuenow", str(before - 4))


def _drag_a_cut(person: Custodian) -> None:
    person.settled()
    handle = cut(person)
    before = handle.get_attribute("aria-valuenow") or ""
    carried(person, handle, by=30)
    expect(handle).not_to_have_attribute("aria-valuenow", before)
    expect(person.main.get_by_role("radio", name="Cut points")).to_be_checked()


def _carry_categories(person: Custodian) -> None:
    """Drag one into a group, and move two by the list."""
    person.pick("Groups of values")
    configurations = person.figure("Configurations")
    expect(configurations).to_have_text("2")
    rest = person.main.get_by_role("region", name="Group everything else")
    first = person.main.get_by_role("region", name="Group group 1")
    chips = rest.get_by_role("group").get_by_role("button")
    expect(chips).to_have_count(6)
    named = chips.first.inner_text()
    carried(person, chips.first, to=first)
    expect(first.get_by_role("button", name=named, exact=True)).to_be_visible()
    expect(chips).to_have_count(5)
    chips.nth(0).press("Enter")
    chips.nth(1).press("Space")
    person.main.get_by_label(re.compile("^Move 2 chosen to")).select_option("a new group")
    person.press("Move")
    expect(configurations).to_have_text("3")
    expect(chips).to_have_count(3)
    step(person, "Undo")
    expect(configurations).to_have_text("2")
    expect(chips).to_have_count(5)


@pytest.mark.thorough("test_cuts_are_dragged_and_pushed_and_categories_are_carried")
def test_a_cut_is_dragged_pushed_typed_added_and_removed_and_undone(person: Custodian) -> None:
    person.open_sample()
    bucketing(person, "AGEP")
    configurations, buckets = person.figure("Configurations"), person.figure("Buckets")
    expect(buckets).to_have_text("8")
    expect(configurations).to_have_text("8")
    handle = cut(person)
    before = int(handle.get_attribute("aria-valuenow") or 0)
    carried(person, handle, by=30)
    moved = re.compile(rf"^(?!{before}$)\d+$")
    expect(handle).to_have_attribute("aria-valuenow", moved)
    expect(person.main.get_by_role("radio", name="Cut points")).to_be_checked()
    typed = person.main.get_by_label("Cut points, separated by commas", exact=True).first
    person.settled()
    now = int(handle.get_attribute("aria-valuenow") or 0)
    first = (handle.get_attribute("aria-valuetext") or "").split(".")[0]
    expect(typed).to_have_value(re.compile(rf"^{first}, "))
    handle.focus()
    handle.press("ArrowRight")
    handle.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuenow", str(now + 2))
    expect(typed).to_have_value(re.compile(rf"^{int(first) + 2}, "))
    expect(handle).to_be_focused()
    person.enter("Cut points, separated by commas", "30, 50, 65")
    expect(buckets).to_have_text("4")
    expect(configurations).to_have_text("4")
    expect(cut(person, "Cut 1 of 3")).to_have_attribute("aria-valuetext", re.compile(r"^30\."))
    person.press("Add a cut")
    expect(buckets).to_have_text("5")
    focused = cut(person, "of 4").and_(person.page.locator(":focus"))
    expect(focused).to_have_count(1)
    focused.press("Delete")
    expect(buckets).to_have_text("4")
    expect(typed).to_have_value("30, 50, 65")
    step(person, "Undo")
    expect(buckets).to_have_text("5")
    step(person, "Undo")
    step(person, "Undo")
    expect(configurations).to_have_text("8")
    step(person, "Redo")
    expect(buckets).to_have_text("4")
    assert person.traffic.errors == []
    assert person.traffic.abroad == []


@pytest.mark.thorough(
    "dashboard/parts/buckets/test_group_editor.py::"
    "test_five_hundred_codes_are_grouped_and_split_in_ten_clicks"
)
def test_a_stranger_groups_five_hundred_codes_from_a_suggestion_in_ten_clicks(
    person: Custodian, tmp_path: Path
) -> None:
    table = tmp_path / "trades.csv"
    table.write_bytes(trades(2_000))
    given, taken, ahead = grouped(person, table)
    assert (given.page, taken.page, ahead.page) == ("Buckets", "Buckets", "Privacy")
    assert given.clicks < taken.clicks < ahead.clicks <= given.clicks + 10
    person.go("Buckets")
    expect(person.main.get_by_text("500 codes shown")).to_be_visible()
    expect(person.main.get_by_text("Group these columns first")).to_have_count(0)
    search = person.main.get_by_label("Search codes, labels and groups")
    person.ready(search).fill("11-109")
    search.press("Enter")
    expect(person.main.get_by_text("1 code shown")).to_be_visible()
    person.settled()
    into = person.main.get_by_label("Into the group")
    person.ready(into).fill("Chiefs")
    into.press("Enter")
    person.press("Move 1 code")
    # The list of categories has it as well, in cells that only screen readers see.
    expect(person.main.get_by_text("Chiefs").filter(visible=True).first).to_be_visible()
    assert too_wide(person, widths=(900, 1280)) == []


@pytest.mark.thorough(
    "dashboard/methods/seedbased/test_planner_page.py::"
    "test_a_refusal_moves_no_box_when_it_appears_nor_when_it_goes"
)
def test_a_refusal_that_appears_does_not_swallow_what_is_typed_next(person: Custodian) -> None:
    person.open_sample()
    person.as_published()
    k = person.page.get_by_label("k · plausible seeds needed, exactly")
    attempts = person.page.get_by_label("N · attempts, exactly")
    k.fill("0")
    attempts.click()
    attempts.press("ControlOrMeta+a")
    attempts.press_sequentially("77", delay=50)
    expect(person.main.get_by_text("k has to be a whole number")).to_be_visible()
    # Typed at whatever has the focus: a box that was built anew has lost it.
    person.page.keyboard.type("7777")
    person.page.keyboard.press("Enter")
    expect(person.main.get_by_text("800,000")).to_be_visible()
    person.settled()
    k.fill("60")
    k.press("Enter")
    expect(person.main.get_by_text("k has to be a whole number")).to_have_count(0)
    expect(attempts).to_have_value("777777")


def test_the_meter_moves_while_a_number_is_typed_and_nothing_of_it_is_lost(
    person: Custodian,
) -> None:
    person.open_sample()
    person.go("Privacy")
    box = person.page.get_by_label("ε at most, exactly")
    person.ready(box).click()
    box.press("ControlOrMeta+a")
    box.press_sequentially("2")
    expect(person.total_epsilon).to_have_text("2")
    person.settled()
    # Typed at whatever has the focus, with no Enter, and no other box gone to.
    person.page.keyboard.type(".05")
    expect(person.total_epsilon).to_have_text("2.05")
    expect(box).to_be_focused()
    person.settled()
    expect(box).to_have_value("2.05")
