"""What one open page knows."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.table.buckets import ByWidth, EachValue
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
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
    assert "identifier" in session.left_out["who"][1]
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


def _file(text: str, encoding: str, *, insisted: bool = False) -> LoadedTable:
    data = text.encode(encoding)
    return LoadedTable(
        "t.csv",
        read_table(data, name="t.csv"),
        again=lambda reading: read_table(data, reading, name="t.csv"),
        insisted=insisted,
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
        _file("place;kind\n" + "Zürich;1\nGenève;2\n" * 30, "utf-8", insisted=True)
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
