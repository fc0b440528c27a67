"""What one open page knows. By the time a page is asked for, all it needs is loaded, and out of
the search for garbage. The history of a schema: every step back, every step forth, in words.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.table.authoring.edits import forbid_missing
from understudy.table.buckets import ByWidth, EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard import methods, parts, schema_edits
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.schema_edits import MOST_STEPS, Described, History, describe_change
from understudy_dashboard.session import Session

Sessions = Callable[..., Session]


def suggested(csv: bytes) -> Session:
    session = Session()
    session.open(LoadedTable("t.csv", read_table(csv, name="t.csv")))
    return session


def test_a_table_is_opened_with_a_suggestion_that_is_not_declared(csv: bytes) -> None:
    session = suggested(csv)
    assert session.settings.schema is not None
    assert session.settings.schema.names == ("age", "job", "pay")
    assert not session.settings.declared
    assert session.column is None


def test_columns_that_cannot_be_described_are_left_out_with_the_reason() -> None:
    rows = [f"{i % 9},person {i},,{'ab'[i % 2]}" for i in range(1100)]
    session = suggested("\n".join(["n,who,empty,kind", *rows]).encode())
    assert session.settings.schema is not None
    assert session.settings.schema.names == ("n", "kind")
    assert set(session.left_out) == {"who", "empty"}
    (_, identifier), (_, missing) = session.left_out["who"], session.left_out["empty"]
    assert "1,000" in identifier
    assert "empty" not in identifier
    assert "missing in every record" in missing


def test_an_identifier_is_left_out_and_may_be_used_all_the_same() -> None:
    rows = [f"p{i},{i % 9},{'ab'[i % 2]}" for i in range(60)]
    session = suggested("\n".join(["who,n,kind", *rows]).encode())
    assert session.settings.schema is not None
    assert session.settings.schema.names == ("n", "kind")
    assert "identif" in session.left_out["who"][1]
    assert any("who" in each for each in session.notices)
    assert session.data.attention(session.settings.require_schema()) == {
        "n": ("list",),
        "kind": ("list",),
    }
    session.bring_back("who")
    assert session.settings.schema.names == ("who", "n", "kind")
    assert session.data.attention(session.settings.require_schema())["who"] == (
        "identifier",
        "list",
    )


def test_a_table_with_too_little_to_use_is_refused_and_the_open_one_kept(csv: bytes) -> None:
    session = suggested(csv)
    rows = [f"person {i},{i % 3}" for i in range(1100)]
    raw = read_table("\n".join(["who,n", *rows]).encode(), name="other.csv")
    with pytest.raises(Refusal):
        session.open(LoadedTable("other.csv", raw))
    assert session.data.table is not None
    assert session.data.table.name == "t.csv"


def test_leaving_a_column_out_and_using_it_again(session: Session) -> None:
    session.settings.policies["job"] = "missing"
    session.leave_out("job")
    assert session.settings.schema is not None
    assert session.settings.schema.names == ("age", "pay")
    assert "job" not in session.settings.policies
    assert not session.settings.declared
    assert plan_choice(session).draft.omega_high == 2
    session.bring_back("job")
    assert session.settings.schema.names == ("age", "job", "pay")
    assert session.settings.declared
    assert not session.left_out


def test_one_column_cannot_stand_alone(session: Session) -> None:
    session.leave_out("job")
    with pytest.raises(Refusal):
        session.leave_out("pay")
    assert session.settings.schema is not None
    assert session.settings.schema.names == ("age", "pay")
    assert "pay" not in session.left_out


def test_changing_buckets_asks_for_the_confirmation_again_and_keeps_the_codes(
    session: Session,
) -> None:
    before = session.records()
    assert session.settings.schema is not None
    age = session.settings.schema.column("age").with_buckets(EachValue())
    session.describe(session.settings.schema.replace(age), by_form=True)
    assert not session.settings.declared
    after = session.records()
    assert after.schema == session.settings.schema
    assert np.shares_memory(before.codes, after.codes)


def test_values_outside_are_counted_and_block_the_records(sessions: Sessions) -> None:
    narrow = Schema(
        columns=(
            Column(
                name="age",
                domain=Grid(minimum=Decimal(30), maximum=Decimal(60)),
                buckets=ByWidth(width=Decimal(10)),
            ),
            Column(name="job", domain=Categories(values=("clerk", "cook", "nurse"))),
        )
    )
    session = sessions(schema=narrow)
    assert session.data.outside(session.settings.require_schema())["age"].too_low > 0
    assert session.data.outside(session.settings.require_schema())["job"].unknown > 0
    with pytest.raises(Refusal) as caught:
        session.records()
    assert caught.value.field in ("age", "job")
    job = session.settings.schema.column("job").changed(missing=True)  # type: ignore[union-attr]
    session.describe(session.settings.schema.replace(job))  # type: ignore[union-attr]
    session.settings.policies |= {"age": "clip", "job": "missing"}
    assert len(session.records()) == session.data.table.raw.rows  # type: ignore[union-attr]


def test_a_choice_a_column_no_longer_offers_is_forgotten(session: Session) -> None:
    assert session.settings.schema is not None
    job = session.settings.schema.column("job")
    session.describe(session.settings.schema.replace(job.changed(missing=True)))
    session.settings.policies["job"] = "missing"
    session.describe(session.settings.schema.replace(job))
    assert session.settings.policies == {}


def test_a_plan_for_another_schema_is_refused_and_changes_nothing(
    session: Session, schema: Schema
) -> None:
    other = Schema(columns=schema.columns[:2])
    before = session.settings.plan()
    with pytest.raises(Refusal) as caught:
        session.settings.adopt(Plan.of(other))
    assert caught.value.field == "domain"
    assert session.settings.plan() == before


def test_a_plan_is_taken_over_whole(session: Session, schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=2, high=2), attempts=9, policies={"age": "clip"})
    session.settings.adopt(plan)
    assert session.settings.plan() == plan


def test_the_promise_follows_the_settings_and_the_records_the_choices(
    session: Session, csv: bytes, sessions: Sessions
) -> None:
    before = plan_choice(session).promise()
    plan_choice(session).draft.attempts = 1
    assert plan_choice(session).promise().total.epsilon < before.total.epsilon
    old = sessions(csv=csv + b"\n99,cook,low")
    with pytest.raises(Refusal):
        old.records()
    old.settings.policies["age"] = "clip"
    assert old.records().codes[:, 0].max() == 71


def test_closing_forgets_the_table_and_all_that_was_made_of_it(session: Session) -> None:
    session.records()
    plan_choice(session).promise()
    session.close()
    fresh = Session(revision=session.revision)
    assert vars(session) == vars(fresh)


def _file(text: str, encoding: str, *, reading_chosen: bool = False) -> LoadedTable:
    data = text.encode(encoding)
    return LoadedTable(
        "t.csv",
        read_table(data, name="t.csv"),
        again=lambda reading: read_table(data, reading, name="t.csv"),
        reading_chosen=reading_chosen,
    )


def test_a_newer_file_is_read_as_declared_and_not_as_it_seems_to_be() -> None:
    session = Session()
    session.open(_file("place;kind\n" + "Zürich;1\nGenève;2\n" * 30, "cp1252"))
    assert session.settings.schema is not None
    assert session.settings.schema.reading is not None
    assert session.settings.schema.reading.encoding == "cp1252"
    session.describe(session.settings.schema.declare_public())
    session.attach_table(_file("place;kind\n" + "Zürich;1\nGenève;2\n" * 30, "utf-8"))
    assert session.data.table is not None
    assert session.data.table.raw.reading == session.settings.schema.reading
    assert session.settings.declared
    assert session.data.outside(session.settings.require_schema())["place"].total == 60


def test_who_says_how_a_file_is_read_declares_it_anew() -> None:
    session = Session()
    session.open(_file("place;kind\n" + "Zürich;1\nGenève;2\n" * 30, "cp1252"))
    assert session.settings.schema is not None
    session.describe(session.settings.schema.declare_public())
    session.attach_table(
        _file("place;kind\n" + "Zürich;1\nGenève;2\n" * 30, "utf-8", reading_chosen=True)
    )
    assert session.settings.schema.reading is not None
    assert session.settings.schema.reading.encoding == "utf-8"
    assert not session.settings.declared
    assert session.data.outside(session.settings.require_schema())["place"].total == 0


def test_going_back_to_another_way_of_reading_reads_the_file_again() -> None:
    session = Session()
    session.open(_file("place;kind\n" + "Zürich;1\nGenève;2\n" * 30, "cp1252"))
    before = session.settings.schema
    assert before is not None
    assert before.reading is not None
    session.read_anew(before.reading.changed(encoding="cp1251"), suggest=False)
    assert session.data.outside(session.settings.require_schema())["place"].total == 60
    session.describe(before)
    assert session.data.table is not None
    assert session.data.table.raw.reading == before.reading
    assert session.data.outside(session.settings.require_schema())["place"].total == 0
    assert len(session.records()) == 60


def test_settings_of_a_method_wait_where_it_is_refused() -> None:
    session = Session()
    session.settings.method, session.settings.schema = "pmse", category_schema(3, 4, 2)
    session.settings.of_method().held.rows = 4_321
    session.describe(category_schema(3, 200, 2))
    for _ in range(2):
        with pytest.raises(Refusal, match="200"):
            session.settings.of_method()
    assert session.settings.kept_settings()["pmse"]["rows"] == 4_321
    session.describe(category_schema(3, 4, 2))
    assert session.settings.of_method().held.rows == 4_321


def test_what_is_decided_has_the_titles_of_now(session: Session, schema: Schema) -> None:
    session.settings.planned_run()
    job = schema.column("job").model_copy(update={"title": "Occupation"})
    renamed = schema.replace(job)
    session.describe(renamed)
    assert session.settings.planned_run().schema.column("job").title == "Occupation"


ROOT = Path(__file__).parents[2]
_AFTER = """
import gc, json, sys
asked = []
ways = ("socket.connect", "socket.getaddrinfo", "socket.sendto")
sys.addaudithook(lambda event, given: asked.append(str(given)) if event in ways else None)
from understudy_dashboard import __main__
from understudy_dashboard.server import load_pages
load_pages()
print(json.dumps({"modules": sorted(sys.modules), "set_aside": gc.get_freeze_count(),
                  "left": len(gc.get_objects()), "asked": asked}))
"""


@cache
def after() -> dict[str, Any]:
    """What a fresh process says of itself once it has loaded the pages."""
    said = subprocess.run(
        [sys.executable, "-c", _AFTER], cwd=ROOT, check=True, capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(said.stdout)
    return found | {"warned": said.stderr}


def test_everything_that_pages_are_made_of_is_loaded() -> None:
    made_of = {
        each.name
        for room in (parts, methods)
        for each in walk_packages(room.__path__, f"{room.__name__}.")
    }
    assert {
        "understudy_dashboard.methods.seedbased.method_settings",
        "understudy_dashboard.parts.columns",
    } <= made_of
    assert made_of - set(after()["modules"]) == set()
    assert "scipy.stats" in after()["modules"]


def test_nothing_is_said_in_the_terminal_meanwhile() -> None:
    assert after()["warned"] == ""


def test_nearly_all_of_it_is_set_aside() -> None:
    assert after()["set_aside"] > 20 * after()["left"]


def test_loading_speaks_to_nobody() -> None:
    assert after()["asked"] == []


def test_no_page_waits_for_scikit_learn() -> None:
    assert "sklearn" not in after()["modules"]


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
