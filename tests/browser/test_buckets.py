"""Buckets by hand: cuts that are dragged, pushed and typed, categories that are carried about."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.custodian import Custodian
from tests.browser.test_wide_table import the_list_is_walked

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
    person.main.get_by_label("Width of a bucket", exact=True).focus()
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
