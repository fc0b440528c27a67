"""The Data page: opening, describing, confirming."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts import column_list
from dashboard.session import Session
from engine.table.schema import (
    ByGroups,
    ByWidth,
    Categories,
    Column,
    Continuous,
    Grid,
    Group,
    People,
    Schema,
)
from tests.dashboard.conftest import tiny_schema

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def uploader(page: AppTest, label: str) -> object:
    return next(each for each in page.file_uploader if label in each.label)


def upload(page: AppTest, name: str, content: bytes, label: str = "CSV") -> AppTest:
    uploader(page, label).upload(name, content)  # type: ignore[attr-defined]
    return page.run()


def session_of(page: AppTest) -> Session:
    session: Session = page.session_state["session"]
    return session


def keyed(page: AppTest, kind: str, ending: str) -> object:
    return next(each for each in getattr(page, kind) if str(each.key).endswith(ending))


def test_the_sample_is_one_click_away_and_ready(opened: Opened, said: Said) -> None:
    page = opened("data")
    page.button(key="sample").click().run()
    session = session_of(page)
    assert session.declared
    assert session.plan().attempts > 0
    assert "Nobody in it exists" in said(page)


def test_the_demonstration_opens_the_sample_by_itself(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")
    page = opened("data")
    assert session_of(page).declared
    page.button(key="close").click().run()
    assert session_of(page).table is None


def test_an_uploaded_file_is_described_and_its_bytes_are_dropped(
    opened: Opened, said: Said, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    assert session_of(page).schema is not None
    text = said(page)
    assert "mine.csv" in text
    assert "values separated by comma" in text
    assert "900 records" in text
    assert not any("CSV" in each.label for each in page.file_uploader)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"a,b\n"),
        ("one.csv", b"a\n1\n2\n"),
        ("twice.csv", b"a,a\n1,2\n"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("broken.parquet", b"PAR1 but no more"),
        ("broken.xlsx", b"PK\x03\x04 but no more"),
        ("gone.csv", b"a,b\n,1\n,2\n"),
    ],
)
def test_a_bad_file_is_answered_in_words_and_can_be_replaced(
    opened: Opened, csv: bytes, name: str, content: bytes
) -> None:
    page = upload(opened("data"), name, content)
    assert not page.exception
    assert len(page.error) == 1
    assert page.error[0].value.count(".") >= 2
    assert session_of(page).table is None
    uploader(page, "CSV").set_value(("mine.csv", csv, "text/csv"))  # type: ignore[attr-defined]
    page.run()
    assert session_of(page).table is not None


def test_a_file_on_this_machine_is_opened_by_its_path(
    opened: Opened, csv: bytes, tmp_path: Path
) -> None:
    place = tmp_path / "there.csv"
    place.write_bytes(csv)
    page = opened("data")
    page.text_input(key="table-path").input(str(place))
    next(each for each in page.button if each.label == "Open this path").click().run()
    assert session_of(page).table is not None


def test_a_path_that_leads_nowhere_is_refused(opened: Opened, tmp_path: Path) -> None:
    page = opened("data")
    page.text_input(key="table-path").input(str(tmp_path / "none.csv"))
    next(each for each in page.button if each.label == "Open this path").click().run()
    assert len(page.error) == 1


def test_a_changed_field_changes_the_schema_at_once(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "text_input", "age-minimum").input("10").run()  # type: ignore[attr-defined]
    assert session.schema is not None
    age = session.schema.column("age")
    assert isinstance(age.domain, Grid)
    assert age.domain.minimum == 10
    assert age.buckets == ByWidth(width=Decimal(12))
    assert not session.declared


@pytest.mark.parametrize(
    ("field", "text"),
    [("minimum", "a lot"), ("minimum", "200"), ("step", "0"), ("step", "0.5"), ("maximum", "1e9")],
)
def test_a_field_that_cannot_be_used_is_answered_and_changes_nothing(
    opened: Opened, session: Session, field: str, text: str
) -> None:
    before = session.schema
    page = opened("data", session)
    keyed(page, "text_input", f"age-{field}").input(text).run()  # type: ignore[attr-defined]
    assert len(page.error) == 1
    assert session.schema == before


def test_categories_are_edited_as_lines(opened: Opened, session: Session) -> None:
    session.column = "pay"
    page = opened("data", session)
    keyed(page, "text_area", "pay-values").input("low\nmid\nhigh = A lot\ntop").run()  # type: ignore[attr-defined]
    assert session.schema is not None
    domain = session.schema.column("pay").domain
    assert domain == Categories(
        values=("low", "mid", "high", "top"), labels=("low", "mid", "A lot", "top")
    )


def test_a_kind_can_be_changed_both_ways(opened: Opened, session: Session) -> None:
    assert session.schema is not None
    page = opened("data", session)
    keyed(page, "radio", "age-kind").set_value("categories").run()  # type: ignore[attr-defined]
    assert session.schema.column("age").cardinality == 72
    assert not session.schema.column("age").ordered
    keyed(page, "radio", "age-kind").set_value("integers").run()  # type: ignore[attr-defined]
    domain = session.schema.column("age").domain
    assert isinstance(domain, Grid)
    assert (domain.minimum, domain.maximum) == (18, 89)


def test_a_column_of_numbers_is_made_continuous(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "radio", "age-kind").set_value("continuous").run()  # type: ignore[attr-defined]
    for field, text in (("step", "12"), ("precision", "0.5"), ("unit", " years ")):
        keyed(page, "text_input", f"age-{field}").input(text).run()  # type: ignore[attr-defined]
    keyed(page, "text_input", "age-maximum").input("90").run()  # type: ignore[attr-defined]
    assert session.schema is not None
    age = session.schema.column("age")
    assert age.domain == Continuous(minimum=18, maximum=90, precision="0.5", step=12, unit="years")
    assert age.buckets == ByWidth(width=Decimal(12))
    assert session.records().numbers is not None
    assert not page.exception
    keyed(page, "text_input", "age-precision").input("7").run()  # type: ignore[attr-defined]
    assert len(page.error) == 1
    assert session.schema.column("age") == age


def test_missing_is_allowed_by_a_tick(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "checkbox", "age-missing").check().run()  # type: ignore[attr-defined]
    assert session.schema is not None
    assert session.schema.column("age").missing
    assert "" in session.schema.column("age").missing_values


def test_values_outside_are_counted_and_decided_on(
    opened: Opened, said: Said, sessions: Callable[..., Session]
) -> None:
    narrow = Schema(
        columns=(
            Column(name="age", domain=Grid(minimum=Decimal(30), maximum=Decimal(60))),
            Column(name="pay", domain=Categories(values=("low", "mid", "high"))),
        )
    )
    session = sessions(schema=narrow)
    page = opened("data", session)
    assert "below the smallest" in said(page)
    policy = next(each for each in page.radio if "become of them" in each.label)
    policy.set_value("clip").run()
    assert session.policies == {"age": "clip"}
    assert len(session.records()) == 900


def test_a_column_is_left_out_and_used_again(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("data", session)
    page.button(key="leave-out").click().run()
    assert session.schema is not None
    assert "job" not in session.schema.names
    column_list.answer(session, [{"act": "open", "name": "job", "number": 1}])
    page.run()
    page.button(key="back-job").click().run()
    assert "job" in session.schema.names
    assert page.selectbox(key="column").value == "job"


def test_next_and_previous_walk_the_columns(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    page.button(key="next").click().run()
    assert session.column == "job"
    assert page.selectbox(key="column").value == "job"
    page.button(key="previous").click().run()
    page.button(key="previous").click().run()
    assert session.column == "pay"


def test_the_confirmation_is_asked_for_and_recorded(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    session = sessions(schema=Schema(columns=schema.columns))
    page = opened("data", session)
    assert page.button(key="confirm-data").disabled
    keyed(page, "checkbox", schema.fingerprint).check().run()  # type: ignore[attr-defined]
    keyed(page, "text_input", schema.fingerprint).input("Codebook 2024").run()  # type: ignore[attr-defined]
    page.button(key="confirm-data").click().run()
    assert session.declared
    assert session.schema is not None
    assert session.schema.declaration is not None
    assert session.schema.declaration.note == "Codebook 2024"


def test_a_schema_file_is_loaded_in_place_of_the_suggestion(
    opened: Opened, csv: bytes, schema: Schema
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    upload(page, "schema.json", schema.to_json().encode(), "Table Schema")
    session = session_of(page)
    assert session.schema == schema
    assert session.declared


def of_people(csv: bytes) -> tuple[bytes, Schema]:
    """The tiny table with three records of each person, and the schema that keeps two."""
    head, *lines = csv.decode().splitlines()
    rows = [f"p{place // 3},{place % 3},{line}" for place, line in enumerate(lines)]
    people = People(person="who", order="visit", records_at_most=2)
    return "\n".join([f"who,visit,{head}", *rows]).encode(), tiny_schema().with_people(people)


def test_a_schema_that_says_whose_records_are_keeps_the_first_of_each(
    opened: Opened, said: Said, csv: bytes
) -> None:
    table, described = of_people(csv)
    page = upload(opened("data"), "mine.csv", table)
    upload(page, "schema.json", described.to_json().encode(), "Table Schema")
    assert not page.exception
    session = session_of(page)
    assert session.schema == described
    assert len(session.records()) == 600
    assert session.fitting(described.column("age")).counts.sum() == 600
    assert session.plan().records_per_person == 2
    assert session.left_out["who"] == (None, "It says whose a record is.")
    assert "the first 2 rows are kept" in said(page)
    assert "900 rows of 300 people. **300 rows** (33.3" in said(page)


@pytest.mark.parametrize(
    ("old", "new"), [("p1,", ","), (",2,", ",soon,"), ("who,", "person,"), ("visit,", "turn,")]
)
def test_a_table_that_does_not_say_whose_records_are_is_refused(
    opened: Opened, csv: bytes, old: str, new: str
) -> None:
    table, described = of_people(csv)
    page = upload(opened("data"), "mine.csv", table.decode().replace(old, new).encode())
    before = session_of(page).schema
    upload(page, "schema.json", described.to_json().encode(), "Table Schema")
    assert len(page.error) == 1
    assert not page.exception
    assert session_of(page).schema == before


@pytest.mark.parametrize("content", [b"{}", b"not json", b"\xff\xfe\x00"])
def test_a_bad_schema_file_is_refused(opened: Opened, session: Session, content: bytes) -> None:
    before = session.schema
    page = upload(opened("data", session), "schema.json", content, "Table Schema")
    assert len(page.error) == 1
    assert session.schema == before


def test_a_schema_for_another_table_is_refused(opened: Opened, session: Session) -> None:
    other = Schema(
        columns=tuple(Column(name=name, domain=Categories(values=("a", "b"))) for name in "xy")
    )
    before = session.schema
    page = upload(opened("data", session), "schema.json", other.to_json().encode(), "Table Schema")
    assert len(page.error) == 1
    assert session.schema == before


def test_forty_columns_are_as_usable_as_three(opened: Opened) -> None:
    header = ",".join(f"c{i}" for i in range(40))
    rows = [",".join(str((i * j) % 7) for j in range(40)) for i in range(60)]
    page = upload(opened("data"), "wide.csv", "\n".join([header, *rows]).encode())
    assert not page.exception
    assert len(page.selectbox(key="column").options) == 40


def test_notes_that_were_looked_through_need_no_attention(
    opened: Opened, sessions: Callable[..., Session], csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    session = session_of(page)
    name = session.column
    assert name is not None
    assert column_list.open_notes(session, name)
    page.button(key="checked").click().run()
    assert not column_list.open_notes(session, name)
    assert not any(each.key == "checked" for each in page.button)


def test_values_outside_come_first_and_stay_there_while_they_are_mended(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    pay = schema.column("pay")
    narrower = pay.changed(domain=Categories(values=("low", "mid")))
    session = sessions(schema=schema.replace(narrower))
    page = opened("data", session)
    assert session.editing.order[0] == "pay"
    session.column = "pay"
    page.run()
    keyed(page, "text_area", "pay-values").input("low\nmid\nhigh").run()  # type: ignore[attr-defined]
    assert session.outside()["pay"].total == 0
    assert session.editing.order[0] == "pay"


def test_a_category_added_to_grouped_buckets_falls_in_everything_else(
    opened: Opened, said: Said, sessions: Callable[..., Session], schema: Schema
) -> None:
    groups = ByGroups(groups=(Group(label="desk", values=("clerk",)),), rest="others")
    session = sessions(schema=schema.replace(schema.column("job").with_buckets(groups)))
    session.column = "job"
    page = opened("data", session)
    lines = "clerk\ncook\nnurse\nsmith\npilot"
    keyed(page, "text_area", "job-values").input(lines).run()  # type: ignore[attr-defined]
    assert session.schema is not None
    job = session.schema.column("job")
    assert job.buckets == groups
    assert job.bucket_labels[job.bucket_map[4]] == "others"
    assert "no longer fitted" not in said(page)


def test_how_a_file_is_read_is_shown_changed_and_part_of_what_is_confirmed(
    opened: Opened, said: Callable[[AppTest], str]
) -> None:
    rows = "".join(f"{'Zürich' if number % 2 else 'Genève'};{number % 5}\n" for number in range(60))
    page = upload(opened("data"), "mine.csv", f"place;kind\n{rows}".encode("cp1252"))
    session = session_of(page)
    assert session.schema is not None
    assert session.schema.reading is not None
    assert session.schema.reading.separator == ";"
    assert session.schema.reading.encoding == "cp1252"
    assert "not UTF-8" in said(page)
    session.describe(session.schema.declare_public())
    page.run()
    assert session_of(page).declared
    field = next(each for each in page.text_input if each.label.startswith("Encoding: how"))
    field.set_value("cp1250")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert not page.exception
    session = session_of(page)
    assert session.schema is not None
    assert session.schema.reading is not None
    assert session.schema.reading.encoding == "cp1250"
    assert session.table is not None
    assert session.table.raw.reading == session.schema.reading
    assert not session.declared
    assert "the way the file is read changed" in said(page)


def test_an_encoding_that_does_not_exist_is_answered_beside_the_form(
    opened: Opened, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    field = next(each for each in page.text_input if each.label.startswith("Encoding: how"))
    field.set_value("klingon")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert [each.value for each in page.error if "no text encoding" in each.value]
    assert session_of(page).table is not None
