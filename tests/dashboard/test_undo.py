"""The history of a schema: every step back, every step forth, in words."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.table.authoring.editing import forbid_missing
from understudy.table.buckets import ByWidth, EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy_dashboard import schema_edits
from understudy_dashboard.schema_edits import MOST_STEPS, Described, History, describe_change
from understudy_dashboard.session import Session


def described(number: int) -> Described:
    """A schema that is another for each number."""
    columns = (
        Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(number + 1))),
        Column(name="y", domain=Categories(values=("a", "b"))),
    )
    return Described(Schema(columns=columns), {}, {})


@settings(deadline=None, max_examples=50)
@given(st.lists(st.one_of(st.integers(0, 5), st.sampled_from(["undo", "redo"])), max_size=30))
def test_it_goes_back_and_forth_like_a_list_with_a_place_in_it(
    steps: list[int | str],
) -> None:
    history, seen, place = History().record(described(99)), [99], 0
    for step in steps:
        if step == "undo":
            history, place = history.undo(), max(0, place - 1)
        elif step == "redo":
            history, place = history.redo(), min(len(seen) - 1, place + 1)
        elif isinstance(step, int):
            history = history.record(described(step))
            if step != seen[place]:
                seen = [*seen[: place + 1], step]
                place += 1
        assert history.now == described(seen[place])
        assert (history.undoing is None) == (place == 0)
        assert (history.redoing is None) == (place == len(seen) - 1)


def test_it_does_not_grow_for_ever() -> None:
    history = History()
    for number in range(MOST_STEPS + 20):
        history = history.record(described(number))
    assert len(history.past) == MOST_STEPS


def test_what_was_done_is_said_in_a_few_words(schema: Schema) -> None:
    before = Described(schema, {}, {})
    age = schema.column("age")

    def after(made: Schema) -> str:
        return describe_change(before, Described(made, {}, {}))

    assert after(schema.replace(age.changed(title="Years"))) == "age: title"
    assert after(schema.replace(age.with_buckets(EachValue()))) == "age: buckets"
    both = schema.replace(age.changed(missing=True, buckets=EachValue()))
    assert after(both) == "age: missing values and buckets"
    assert after(Schema(columns=schema.columns[:2])) == "pay left out"
    assert after(Schema(columns=schema.columns)) == "confirmation"
    assert describe_change(before, Described(schema, {}, {"age": "clip"})) == "age: values outside"
    assert describe_change(Described(Schema(columns=schema.columns[1:]), {}, {}), before) == (
        "age used again"
    )
    other = tuple(Column(name=name, domain=Categories(values=("a",))) for name in "uv")
    assert after(Schema(columns=other)) == "another schema"


def test_undoing_brings_back_columns_policies_and_the_confirmation(session: Session) -> None:
    schema_edits.remember(session)
    session.settings.policies["age"] = "clip"
    schema_edits.remember(session)
    schema_edits.leave_out_each(session, ["age"])
    schema_edits.remember(session)
    assert not session.settings.declared
    schema_edits.undo(session)
    assert session.settings.schema is not None
    assert session.settings.schema.names == ("age", "job", "pay")
    assert session.settings.policies == {"age": "clip"}
    assert session.left_out == {}
    assert session.settings.declared
    schema_edits.undo(session)
    assert session.settings.policies == {}
    schema_edits.redo(session)
    schema_edits.redo(session)
    assert session.settings.schema.names == ("job", "pay")
    assert "age" in session.left_out


def test_a_change_that_was_never_drawn_is_undone_too(session: Session) -> None:
    schema_edits.remember(session)
    assert session.settings.schema is not None
    age = session.settings.schema.column("age").with_buckets(ByWidth(width=Decimal(36)))
    session.describe(session.settings.schema.replace(age))
    schema_edits.undo(session)
    assert session.settings.schema.column("age").buckets == ByWidth(width=Decimal(12))


def test_a_change_of_many_columns_is_one_step(
    sessions: Callable[..., Session], schema: Schema
) -> None:
    columns = tuple(column.changed(missing=True) for column in schema.columns)
    session = sessions(schema=Schema(columns=columns))
    schema_edits.remember(session)
    assert schema_edits.change_each(session, ("age", "pay"), forbid_missing) == ("age", "pay")
    schema_edits.remember(session)
    assert session.editing.history.undoing == "2 columns: missing values"
    schema_edits.undo(session)
    assert session.settings.schema is not None
    assert all(column.missing for column in session.settings.schema.columns)
