"""Columns chosen in the list of the Data page, and changed together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from dashboard.parts import column_list
from dashboard.session import Session
from engine.table.schema import Grid, Schema

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def change(page: AppTest) -> Selectbox:
    """What to change in all the columns that are chosen."""
    return next(each for each in page.selectbox if each.label.startswith("What to change"))


def pick(session: Session, *names: str, number: int = 1) -> None:
    column_list.answer(session, [{"act": "pick", "names": [*names, 7], "number": number}])


def test_many_columns_are_changed_as_one_step_and_put_back(
    opened: Opened, said: Said, session: Session
) -> None:
    before = session.schema
    page = opened("data", session)
    pick(session, "age", "job", "pay", "nobody")
    page.run()
    assert "3 columns chosen" in said(page)
    change(page).select("Range and steps of numbers").run()
    page.text_input(key="bulk-maximum").input("99").run()
    page.button(key="bulk-apply").click().run()
    text = said(page)
    assert "1 column changed." in text
    assert "2 columns stayed as before." in text
    assert "job: It holds categories" in text.replace("*", "")
    assert session.schema is not None
    domain = session.schema.column("age").domain
    assert isinstance(domain, Grid)
    assert domain.maximum == 99
    page.button(key="undo").click().run()
    assert session.schema == before
    assert session.editing.picked == ("age", "job", "pay")


@pytest.mark.parametrize(
    ("what", "fill", "check"),
    [
        ("Missing values", None, lambda schema: all(c.missing for c in schema.columns)),
        (
            "Add a category",
            ("bulk-value", "other"),
            lambda schema: schema.column("job").domain.values[-1] == "other",
        ),
        ("What they contain", None, lambda schema: not schema.column("age").ordered),
    ],
)
def test_each_change_of_many_does_what_it_says(
    opened: Opened,
    session: Session,
    what: str,
    fill: tuple[str, str] | None,
    check: Callable[[Schema], bool],
) -> None:
    pick(session, "age", "job", "pay")
    page = opened("data", session)
    change(page).select(what).run()
    if fill is not None:
        assert page.button(key="bulk-apply").disabled
        page.text_input(key=fill[0]).input(fill[1]).run()
    page.button(key="bulk-apply").click().run()
    assert session.schema is not None
    assert check(session.schema)


def test_a_field_of_a_change_of_many_that_cannot_be_read_is_answered(
    opened: Opened, session: Session
) -> None:
    pick(session, "age", "pay")
    page = opened("data", session)
    change(page).select("Range and steps of numbers").run()
    page.text_input(key="bulk-step").input("often").run()
    assert "not a number" in page.error[0].value
    assert page.button(key="bulk-apply").disabled
    assert page.text_input(key="bulk-step").value == "often"


def test_many_columns_are_left_out_and_used_again(opened: Opened, session: Session) -> None:
    pick(session, "age", "pay")
    page = opened("data", session)
    change(page).select("Leave them out").run()
    page.button(key="bulk-apply").click().run()
    assert "only" in page.error[0].value or "2 to" in page.error[0].value
    assert session.schema is not None
    assert len(session.schema) == 3
    pick(session, "age", number=2)
    page.run()
    page.button(key="bulk-apply").click().run()
    assert session.schema.names == ("job", "pay")
    assert change(page).value is None, "a second press would leave out what is chosen next"
    assert not [each for each in page.button if each.key == "bulk-apply"]
    change(page).select("Use them again").run()
    page.button(key="bulk-apply").click().run()
    assert session.schema.names == ("age", "job", "pay")


@pytest.mark.parametrize(
    "told", [None, [{"act": "open", "name": "nobody", "number": 1}], [{"act": "pick", "number": 1}]]
)
def test_what_the_list_cannot_have_told_changes_nothing(session: Session, told: object) -> None:
    column_list.answer(session, told)
    assert (session.column, session.editing.picked) == ("age", ())
