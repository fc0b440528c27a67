"""The Data page: opening a table, and how its file is read. The Data page with a table open: what
is said of its columns, one after another. A description on the Data page: confirmed, or loaded
from a file that has one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import keyed, open_answered, say_sources, session_of, upload, uploader
from tests.dashboard.conftest import tiny_schema
from tests.engine.table import toy_kinds
from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.buckets import ByGroups, ByWidth, Group
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.people import People
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.parts import columns
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_a_survey_weight_is_asked_about_and_used_in_two_clicks(opened: Opened) -> None:
    rows = [f"{row % 7},{1 + row % 83 / 100},{2 + row % 91 / 100}" for row in range(400)]
    content = "\n".join(["score,wt_a,wt_b", *rows]).encode()
    page = open_answered(opened("data"), "survey.csv", content)
    session = session_of(page)

    def answer(name: str, role: str) -> None:
        session.editing.look_at(session, name)
        page.run()
        next(each for each in page.radio if each.label == "Is it a survey weight?").set_value(
            role
        ).run()
        assert not page.exception

    def column(name: str) -> Column:
        return session.settings.require_schema().column(name)

    def question() -> str:
        return str(columns._row_of(session, column("wt_a"))["mark"])

    assert question() == "weight?"
    answer("wt_a", "weight")
    assert column("wt_a").measured
    assert question() != "weight?"
    assert not page.warning
    answer("wt_b", "weight")
    assert "wt\\_a" in page.warning[0].value
    session.editing.checked.add("wt_a")
    assert question() == "which weight?"
    answer("wt_b", "other weight")
    assert not page.warning
    assert session.settings.require_schema().weights == ("wt_a",)
    answer("wt_a", "weight")
    field = next(each for each in page.text_input if "add up to" in each.label)
    field.set_value("8,900,000").run()
    assert column("wt_a").population == 8_900_000
    field = next(each for each in page.text_input if "add up to" in each.label)
    field.set_value("many").run()
    assert "is no number" in page.error[0].value
    assert column("wt_a").population == 8_900_000
    answer("wt_b", "")
    assert not column("wt_b").role


def test_the_sample_is_one_click_away_and_ready(opened: Opened, said: Said) -> None:
    page = opened("data")
    page.button(key="sample").click().run()
    session = session_of(page)
    assert session.settings.declared
    assert session.settings.plan().attempts > 0
    assert "Nobody in it exists" in said(page)


def test_a_project_that_waits_for_its_table_is_offered_no_sample(
    opened: Opened, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    session_of(page).data.table = None
    page.run()
    assert "needs its table" in page.info[0].value
    assert page.file_uploader
    assert not [each for each in page.button if str(each.key).startswith("sample")]


def test_the_demonstration_opens_the_sample_by_itself(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDERSTUDY_DEMO", "1")
    page = opened("data")
    assert session_of(page).settings.declared
    page.button(key="close").click().run()
    assert session_of(page).data.table is None


def test_an_uploaded_file_is_described_and_its_bytes_are_dropped(
    opened: Opened, said: Said, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    assert session_of(page).settings.schema is not None
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
    assert session_of(page).data.table is None
    uploader(page, "CSV").set_value(("mine.csv", csv, "text/csv"))
    page.run()
    assert session_of(page).data.table is not None


def test_a_file_on_this_machine_is_opened_by_its_path(
    opened: Opened, csv: bytes, tmp_path: Path
) -> None:
    place = tmp_path / "there.csv"
    place.write_bytes(csv)
    page = opened("data")
    page.text_input(key="table-path").input(str(place))
    next(each for each in page.button if each.label == "Open this path").click().run()
    assert session_of(page).data.table is not None


def test_a_path_that_leads_nowhere_is_refused(opened: Opened, tmp_path: Path) -> None:
    page = opened("data")
    page.text_input(key="table-path").input(str(tmp_path / "none.csv"))
    next(each for each in page.button if each.label == "Open this path").click().run()
    assert len(page.error) == 1


def test_forty_columns_are_as_usable_as_three(opened: Opened) -> None:
    header = ",".join(f"c{i}" for i in range(40))
    rows = [",".join(str((i * j) % 7) for j in range(40)) for i in range(60)]
    page = open_answered(opened("data"), "wide.csv", "\n".join([header, *rows]).encode())
    assert not page.exception
    assert len(page.selectbox(key="column").options) == 40


def test_how_a_file_is_read_is_shown_changed_and_part_of_what_is_confirmed(
    opened: Opened, said: Callable[[AppTest], str]
) -> None:
    rows = "".join(f"{'Zürich' if number % 2 else 'Genève'};{number % 5}\n" for number in range(60))
    page = open_answered(opened("data"), "mine.csv", f"place;kind\n{rows}".encode("cp1252"))
    session = session_of(page)
    assert session.settings.schema is not None
    assert session.settings.schema.reading is not None
    assert session.settings.schema.reading.separator == ";"
    assert session.settings.schema.reading.encoding == "cp1252"
    assert "not UTF-8" in said(page)
    session.describe(session.settings.schema.declare_public())
    page.run()
    assert session_of(page).settings.declared
    field = next(each for each in page.text_input if each.label.startswith("Encoding: how"))
    field.set_value("cp1250")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert not page.exception
    session = session_of(page)
    assert session.settings.schema is not None
    assert session.settings.schema.reading is not None
    assert session.settings.schema.reading.encoding == "cp1250"
    assert session.data.table is not None
    assert session.data.table.raw.reading == session.settings.schema.reading
    assert not session.settings.declared
    assert "the way the file is read changed" in said(page)


def test_rows_that_are_no_records_are_noticed_and_left_out_by_a_rule(
    opened: Opened, said: Callable[[AppTest], str]
) -> None:
    rows = "".join(f"{50 + number},{number % 5},{'ab'[number % 2]}\n" for number in range(60))
    text = f"age,kind,group\n{rows}age,kind,group\nSource: a survey,,\n"
    page = open_answered(opened("data"), "mine.csv", text.encode())
    assert "Some rows look like no records" in said(page)
    next(each for each in page.button if each.label == "Leave these rows out").click()
    page.run()
    assert not page.exception
    session = session_of(page)
    lines = ["names again", "first value alone"]
    assert session.settings.schema is not None
    assert session.settings.schema.reading is not None
    assert [rule.line for rule in session.settings.schema.reading.leave_out] == lines
    assert session.data.table is not None
    assert session.data.table.raw.rows == 60
    assert "Some rows look like no records" not in said(page)
    assert "2 rows are left out, as their rules say" in said(page)
    field = next(each for each in page.text_area if each.label.startswith("Rows that are no"))
    assert field.value == "\n".join(lines)
    field.set_value("what is this?")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert [each.value for each in page.error if "rule for rows" in each.value]


def test_a_code_for_missing_among_the_values_is_typed_and_told_of(
    opened: Opened, session: Session, said: Callable[[AppTest], str]
) -> None:
    page = opened("data", session)
    keyed(page, "checkbox", "age-missing").check().run()
    keyed(page, "text_area", "age-tokens").input("(blank)\n50 = refused").run()
    assert not page.exception
    assert session.settings.schema is not None
    age = session.settings.schema.column("age")
    assert "50" not in age.domain.texts
    assert age.missing_labels == ("missing", "missing: refused")
    assert "50 stands for missing, so it is read as that and never released as a value." in said(
        page
    )


def test_an_encoding_that_does_not_exist_is_answered_beside_the_form(
    opened: Opened, csv: bytes
) -> None:
    page = upload(opened("data"), "mine.csv", csv)
    field = next(each for each in page.text_input if each.label.startswith("Encoding: how"))
    field.set_value("klingon")
    next(each for each in page.button if each.label == "Read it like this").click()
    page.run()
    assert [each.value for each in page.error if "no text encoding" in each.value]
    assert session_of(page).data.table is not None


def test_a_changed_field_changes_the_schema_at_once(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "text_input", "age-minimum").input("10").run()
    assert session.settings.schema is not None
    age = session.settings.schema.column("age")
    assert isinstance(age.domain, Grid)
    assert age.domain.minimum == 10
    assert age.buckets == ByWidth(width=Decimal(12))
    assert not session.settings.declared


@pytest.mark.parametrize(
    ("field", "text"),
    [("minimum", "a lot"), ("minimum", "200"), ("step", "0"), ("step", "0.5"), ("maximum", "1e9")],
)
def test_a_field_that_cannot_be_used_is_answered_and_changes_nothing(
    opened: Opened, session: Session, field: str, text: str
) -> None:
    before = session.settings.schema
    page = opened("data", session)
    keyed(page, "text_input", f"age-{field}").input(text).run()
    assert len(page.error) == 1
    assert session.settings.schema == before


def test_categories_are_edited_as_lines(opened: Opened, session: Session) -> None:
    session.column = "pay"
    page = opened("data", session)
    keyed(page, "text_area", "pay-values").input("low\nmid\nhigh = A lot\ntop").run()
    assert session.settings.schema is not None
    domain = session.settings.schema.column("pay").domain
    assert domain == Categories(
        values=("low", "mid", "high", "top"), labels=("low", "mid", "A lot", "top")
    )


def test_a_kind_can_be_changed_both_ways(opened: Opened, session: Session) -> None:
    assert session.settings.schema is not None
    page = opened("data", session)
    keyed(page, "radio", "age-kind").set_value("categories").run()
    assert session.settings.schema.column("age").cardinality == 72
    assert not session.settings.schema.column("age").ordered
    keyed(page, "radio", "age-kind").set_value("integers").run()
    domain = session.settings.schema.column("age").domain
    assert isinstance(domain, Grid)
    assert (domain.minimum, domain.maximum) == (18, 89)


def test_a_column_of_numbers_is_made_continuous(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "radio", "age-kind").set_value("continuous").run()
    for field, text in (("step", "12"), ("precision", "0.5"), ("unit", " years ")):
        keyed(page, "text_input", f"age-{field}").input(text).run()
    keyed(page, "text_input", "age-maximum").input("90").run()
    assert session.settings.schema is not None
    age = session.settings.schema.column("age")
    assert age.domain == Continuous(minimum=18, maximum=90, precision="0.5", step=12, unit="years")
    assert age.buckets == ByWidth(width=Decimal(12))
    assert session.records().numbers is not None
    assert not page.exception
    keyed(page, "text_input", "age-precision").input("7").run()
    assert len(page.error) == 1
    assert session.settings.schema.column("age") == age


def test_a_kind_that_the_page_never_heard_of_has_its_form(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy_kinds.register(monkeypatch)
    assert session.settings.schema is not None
    hours = Column(
        name="age", domain=toy_kinds.Hours(minimum=Decimal(6), maximum=Decimal(20)), missing=True
    )
    session.describe(session.settings.schema.replace(hours))
    page = opened("data", session)
    assert not page.exception
    assert keyed(page, "radio", "age-kind").value == "hours"
    field = keyed(page, "text_input", "age-maximum")
    assert (field.label, field.value) == ("Last hour", "20:00")
    field.input("22:00").run()
    assert session.settings.schema is not None
    assert session.settings.schema.column("age").domain.texts[-1] == "22:00"
    keyed(page, "text_input", "age-minimum").input("99:00").run()
    assert len(page.error) == 1
    keyed(page, "text_input", "age-minimum").input("06:00").run()
    keyed(page, "radio", "age-kind").set_value("categories").run()
    domain = session.settings.schema.column("age").domain
    assert (domain.kind, domain.texts[0], domain.size) == ("categories", "06:00", 17)
    assert not page.exception


def test_missing_is_allowed_by_a_tick(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "checkbox", "age-missing").check().run()
    assert session.settings.schema is not None
    assert session.settings.schema.column("age").missing
    assert "" in session.settings.schema.column("age").missing_values


def test_codes_for_missing_are_added_named_and_removed(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    keyed(page, "checkbox", "age-missing").check().run()
    lines = keyed(page, "text_area", "age-tokens")
    lines.input("(blank), NA\n-8 = not asked\n-7 = not applicable: a child\n").run()
    assert not page.exception
    assert not page.error
    assert session.settings.schema is not None
    column = session.settings.schema.column("age")
    assert column.missing_codes == (
        MissingCode(values=("", "NA")),
        MissingCode(values=("-8",), label="not asked"),
        MissingCode(values=("-7",), label="not applicable: a child"),
    )
    assert keyed(page, "text_area", "age-tokens").value.startswith("(blank), NA\n-8 = not asked")
    lines = keyed(page, "text_area", "age-tokens")
    lines.input("(blank)\n-8 = not asked\n-8 = refused").run()
    assert [error.value for error in page.error]
    assert session.settings.schema.column("age") == column
    keyed(page, "text_area", "age-tokens").input("-8 = refused").run()
    assert not page.error
    code = MissingCode(values=("-8",), label="refused")
    assert session.settings.schema.column("age").missing_codes == (code,)


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
    assert "below its minimum" in said(page)
    policy = next(each for each in page.radio if "become of them" in each.label)
    policy.set_value("clip").run()
    assert session.settings.policies == {"age": "clip"}
    assert len(session.records()) == 900


def test_a_column_is_left_out_and_used_again(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("data", session)
    page.button(key="leave-out").click().run()
    assert session.settings.schema is not None
    assert "job" not in session.settings.schema.names
    columns.take_list_deeds(session, [{"act": "open", "name": "job", "number": 1}])
    page.run()
    page.button(key="back-job").click().run()
    assert "job" in session.settings.schema.names
    assert page.selectbox(key="column").value == "job"


def test_next_and_previous_walk_the_columns(opened: Opened, session: Session) -> None:
    page = opened("data", session)
    page.button(key="next").click().run()
    assert session.column == "job"
    assert page.selectbox(key="column").value == "job"
    page.button(key="previous").click().run()
    page.button(key="previous").click().run()
    assert session.column == "pay"


def test_notes_that_were_looked_through_need_no_attention(
    opened: Opened, sessions: Callable[..., Session], csv: bytes
) -> None:
    page = open_answered(opened("data"), "mine.csv", csv)
    session = session_of(page)
    name = session.column
    # The page begins with what presses most, which is not the first column of the file.
    assert name == session.editing.order[0] == "job"
    assert columns.list_open_notes(session, name)
    page.button(key="checked").click().run()
    assert not columns.list_open_notes(session, name)
    assert not any(each.key == "checked" for each in page.button)


def test_a_column_says_where_its_bounds_are_from_and_asks_about_values_far_from_all_others(
    opened: Opened,
) -> None:
    rows = [f"{18 + place % 60},{20 + place % 30 / 2},{'ab'[place % 2]}" for place in range(200)]
    table = "\n".join(["age,x17,job", *rows, "141,61234.5,a"]).encode()
    page = open_answered(opened("data"), "mine.csv", table)
    page.selectbox(key="column").select("age").run()
    captions = " ".join(each.value for each in page.caption)
    assert "The bounds, 0 to 120, are usual for an age" in captions
    assert "A few of its values lie above" in captions
    page.selectbox(key="column").select("x17").run()
    captions = " ".join(each.value for each in page.caption)
    assert "A few values lie far above all others" in captions
    assert "61234" not in captions


def test_a_column_that_another_settles_is_asked_about_until_the_other_is_left_out(
    opened: Opened, said: Said, csv: bytes
) -> None:
    lines = csv.decode().splitlines()
    in_white = "".join(f"{each},{each.split(',')[1] == 'nurse'}\n" for each in lines[1:])
    page = open_answered(opened("data"), "mine.csv", f"{lines[0]},white\n{in_white}".encode())
    session = session_of(page)
    assert session.editing.order[0] == session.column == "white"
    assert "“job” settles this column" in said(page)
    assert session.data.attention(session.settings.require_schema())["white"] == ("derived", "list")
    session.leave_out("job")
    assert session.data.attention(session.settings.require_schema())["white"] == ("list",)


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
    keyed(page, "text_area", "pay-values").input("low\nmid\nhigh").run()
    assert session.data.outside(session.settings.require_schema())["pay"].total == 0
    assert session.editing.order[0] == "pay"


def test_a_category_added_to_grouped_buckets_falls_in_everything_else(
    opened: Opened, said: Said, sessions: Callable[..., Session], schema: Schema
) -> None:
    groups = ByGroups(groups=(Group(label="desk", values=("clerk",)),), rest="others")
    session = sessions(schema=schema.replace(schema.column("job").with_buckets(groups)))
    session.column = "job"
    page = opened("data", session)
    lines = "clerk\ncook\nnurse\nsmith\npilot"
    keyed(page, "text_area", "job-values").input(lines).run()
    assert session.settings.schema is not None
    job = session.settings.schema.column("job")
    assert job.buckets == groups
    assert job.bucket_labels[job.bucket_map[4]] == "others"
    assert "no longer fitted" not in said(page)


def test_the_confirmation_is_asked_for_and_recorded(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    session = sessions(schema=Schema(columns=schema.columns))
    page = opened("data", session)
    assert page.button(key="confirm-data").disabled
    keyed(page, "checkbox", schema.fingerprint).check().run()
    assert page.button(key="confirm-data").disabled
    say_sources(page)
    keyed(page, "text_input", schema.fingerprint).input("Codebook 2024").run()
    page.button(key="confirm-data").click().run()
    assert session.settings.declared
    assert session.settings.schema is not None
    assert session.settings.schema.declaration is not None
    assert session.settings.schema.declaration.note == "Codebook 2024"


def test_a_schema_file_is_loaded_in_place_of_the_suggestion(
    opened: Opened, csv: bytes, schema: Schema
) -> None:
    page = open_answered(opened("data"), "mine.csv", csv)
    upload(page, "schema.json", schema.to_json().encode(), "Table Schema")
    session = session_of(page)
    assert session.settings.schema == schema
    assert session.settings.declared


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
    page = open_answered(opened("data"), "mine.csv", table)
    upload(page, "schema.json", described.to_json().encode(), "Table Schema")
    assert not page.exception
    session = session_of(page)
    assert session.settings.schema == described
    assert len(session.records()) == 600
    assert session.data.fitting(described.column("age"), described).counts.sum() == 600
    assert session.settings.plan().records_per_person == 2
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
    page = open_answered(opened("data"), "mine.csv", table.decode().replace(old, new).encode())
    before = session_of(page).settings.schema
    upload(page, "schema.json", described.to_json().encode(), "Table Schema")
    assert len(page.error) == 1
    assert not page.exception
    assert session_of(page).settings.schema == before


@pytest.mark.parametrize("content", [b"{}", b"not json", b"\xff\xfe\x00"])
def test_a_bad_schema_file_is_refused(opened: Opened, session: Session, content: bytes) -> None:
    before = session.settings.schema
    page = upload(opened("data", session), "schema.json", content, "Table Schema")
    assert len(page.error) == 1
    assert session.settings.schema == before


def test_a_schema_for_another_table_is_refused(opened: Opened, session: Session) -> None:
    other = Schema(
        columns=tuple(Column(name=name, domain=Categories(values=("a", "b"))) for name in "xy")
    )
    before = session.settings.schema
    page = upload(opened("data", session), "schema.json", other.to_json().encode(), "Table Schema")
    assert len(page.error) == 1
    assert session.settings.schema == before


@pytest.mark.parametrize(
    ("texts", "choice", "spelled"),
    [
        (("03/04/2020", "12/11/2019", "07/08/2021"), "MM/DD/YYYY", "03/04/2025 is 4 March 2025"),
        (("03.04.98", "12.11.19", "07.08.21"), "DD.MM.YY from 1930", "03.04.05 is 3 April 2005"),
        (("1,761", "4,711", "6,580"), "1,234", "1,234 is more than a thousand"),
    ],
)
def test_how_values_are_written_is_asked_where_it_can_be_read_in_several_ways(
    opened: Opened,
    sessions: Callable[..., Session],
    texts: tuple[str, ...],
    choice: str,
    spelled: str,
) -> None:
    lines = [f'"{text}",{group}' for text in texts for group in "ab"]
    data = "\n".join(["it,group", *lines, ""]).encode()
    session = sessions(data, suggest_schema(read_table(data)).schema)
    session.column = "it"
    column = session.settings.require_schema().column("it")
    assert column.domain.question
    page = opened("data", session)
    assert any("Say" in each.value for each in page.warning)
    widget = next(
        each for each in (*page.radio, *page.selectbox) if "spelling-choice" in str(each.key)
    )
    assert widget.value is None
    assert spelled in column.domain.explain_choice(choice)
    widget.set_value(choice).run()
    assert not page.exception
    domain = session.settings.require_schema().column("it").domain
    assert not domain.question
    assert domain.setting_texts()["spelling"] == choice
    assert all(domain.holds(text) for text in texts)
    assert not any("spelling-choice" in str(each.key) for each in (*page.radio, *page.selectbox))
