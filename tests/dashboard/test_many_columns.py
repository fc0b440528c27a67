"""Columns chosen in the list of the Data page, and changed together. A schema suggested for the
page: no refusal covers what has to be mended.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import answer_all, keyed, say_sources
from tests.dashboard.conftest import tiny_schema, tiny_session
from understudy.core.refusal import Refusal
from understudy.table.authoring.first_schema import suggest_first_schema
from understudy.table.grid import Grid
from understudy.table.schema import MOST_COLUMNS, Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.parts import columns
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def undeclared() -> Session:
    return tiny_session(schema=tiny_schema(declared=False))


def pick(session: Session, *names: str, number: int = 1) -> None:
    columns.take_list_deeds(session, [{"act": "pick", "names": [*names, 7], "number": number}])


def test_many_columns_are_changed_as_one_step_and_put_back(
    opened: Opened, said: Said, session: Session
) -> None:
    before = session.settings.schema
    page = opened("data", session)
    assert "undo" not in {each.key for each in page.button}
    pick(session, "age", "job", "pay", "nobody")
    page.run()
    assert "3 columns chosen" in said(page)
    page.selectbox(key="bulk-what").select("Range and steps of numbers").run()
    page.text_input(key="bulk-maximum").input("99").run()
    page.button(key="bulk-apply").click().run()
    text = said(page)
    assert "1 column changed." in text
    assert "2 columns stayed as before." in text
    assert "job: It holds categories" in text.replace("*", "")
    assert session.settings.schema is not None
    domain = session.settings.schema.column("age").domain
    assert isinstance(domain, Grid)
    assert domain.maximum == 99
    page.button(key="undo").click().run()
    assert session.settings.schema == before
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
    page.selectbox(key="bulk-what").select(what).run()
    if fill is not None:
        assert page.button(key="bulk-apply").disabled
        page.text_input(key=fill[0]).input(fill[1]).run()
    page.button(key="bulk-apply").click().run()
    assert session.settings.schema is not None
    assert check(session.settings.schema)
    # It is done once: nothing is left to press by mistake, and no field keeps what was typed.
    assert "bulk-apply" not in {each.key for each in page.button}
    page.selectbox(key="bulk-more").select(what).run()
    if fill is not None:
        assert page.text_input(key=fill[0]).value == ""


def test_codes_for_missing_are_named_in_many_columns_at_once(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("data", session)
    pick(session, "age", "job")
    page.run()
    page.selectbox(key="bulk-what").select("Missing values").run()
    page.checkbox(key="bulk-own-tokens").check().run()
    page.text_area(key="bulk-tokens").input("(blank)\n-8\n-9").run()
    page.button(key="bulk-apply").click().run()
    page.selectbox(key="bulk-more").select("Meanings of codes for missing").run()
    page.text_area(key="bulk-meanings").input("-8 = not asked\n-7 = refused").run()
    page.button(key="bulk-apply").click().run()
    assert not page.exception
    assert session.settings.schema is not None
    for name in ("age", "job"):
        codes = session.settings.schema.column(name).missing_codes
        assert [(code.written, code.label) for code in codes] == [
            ("", ""),
            ("-8", "not asked"),
            ("-9", ""),
        ]
    page.selectbox(key="bulk-more").select("Meanings of codes for missing").run()
    page.text_area(key="bulk-meanings").input("-8 = refused\n-9 = refused too = ").run()
    page.text_area(key="bulk-meanings").input("\0 = x").run()
    page.button(key="bulk-apply").click().run()
    assert not page.exception
    assert "2 columns stayed as before" in said(page)


def test_where_columns_are_known_from_is_said_of_some_and_then_of_the_rest(
    opened: Opened, said: Said, undeclared: Session
) -> None:
    session = undeclared
    pick(session, "age", "job")
    page = opened("data", session)
    page.selectbox(key="bulk-what").select("Where they are known from").run()
    page.selectbox(key="bulk-origin").select("law").run()
    page.button(key="bulk-apply").click().run()
    say_sources(page, "codebook")
    assert session.settings.schema is not None
    keyed(page, "checkbox", session.settings.schema.fingerprint).check().run()
    page.button(key="confirm-data").click().run()
    assert session.settings.declared
    assert [each.origin for each in session.settings.schema.columns] == ["law", "law", "codebook"]
    assert session.editing.checked >= {"age", "job", "pay"}
    assert "- A published codebook: pay\n- A law or regulation: age, job" in said(page)


def test_other_columns_are_changed_by_a_form_of_their_own(opened: Opened, session: Session) -> None:
    pick(session, "age", "job")
    page = opened("data", session)
    page.button(key="bulk-apply").click().run()
    pick(session, "pay", number=2)
    assert "bulk-apply" in {each.key for each in page.run().button}


def test_a_field_of_a_change_of_many_that_cannot_be_read_is_answered(
    opened: Opened, session: Session
) -> None:
    pick(session, "age", "pay")
    page = opened("data", session)
    page.selectbox(key="bulk-what").select("Range and steps of numbers").run()
    page.text_input(key="bulk-step").input("often").run()
    assert "not a number" in page.error[0].value
    assert page.button(key="bulk-apply").disabled
    assert page.text_input(key="bulk-step").value == "often"


def test_many_columns_are_left_out_and_used_again(opened: Opened, session: Session) -> None:
    pick(session, "age", "pay")
    page = opened("data", session)
    page.selectbox(key="bulk-what").select("Leave them out").run()
    page.button(key="bulk-apply").click().run()
    assert "only" in page.error[0].value or "2 to" in page.error[0].value
    assert session.settings.schema is not None
    assert len(session.settings.schema) == 3
    pick(session, "age", number=2)
    page.run()
    page.button(key="bulk-apply").click().run()
    assert session.settings.schema.names == ("job", "pay")
    page.selectbox(key="bulk-more").select("Use them again").run()
    page.button(key="bulk-apply").click().run()
    assert session.settings.schema.names == ("age", "job", "pay")


@pytest.mark.parametrize(
    "told", [None, [{"act": "open", "name": "nobody", "number": 1}], [{"act": "pick", "number": 1}]]
)
def test_what_the_list_cannot_have_told_changes_nothing(session: Session, told: object) -> None:
    columns.take_list_deeds(session, told)
    assert (session.column, session.editing.picked) == ("age", ())


_FREE = [f"text number {number} of its own" for number in range(3000)]


def test_the_columns_that_cannot_be_used_are_named_where_too_few_are_left() -> None:
    lines = ["income,group", *(f"{text},{'ab'[at % 2]}" for at, text in enumerate(_FREE))]
    with pytest.raises(Refusal) as refused:
        suggest_first_schema(read_table("\n".join(lines).encode(), name="t.csv"))
    assert "Only 1 column of this table can be used" in refused.value.problem
    assert "“income”" in refused.value.problem
    assert "column(s)" not in str(refused.value)


def test_of_many_some_reasons_are_given_and_all_are_named() -> None:
    rows = [",".join([f"{text} {letter}" for letter in "abcdef"]) for text in _FREE]
    with pytest.raises(Refusal) as refused:
        suggest_first_schema(read_table("\n".join(["a,b,c,d,e,f", *rows]).encode(), name="t.csv"))
    assert refused.value.problem.startswith("No column of this table can be used")
    assert "the like holds of d, e, f." in refused.value.problem


def open_wide(columns: int = 300) -> Session:
    """A page with a table of so many columns, the first of them an e-mail address."""
    names = [f"q{at // 10}_{at % 10}" for at in range(columns)]
    rows = [
        ",".join([f"p{row}@example.org", *(str((row * at) % 5) for at in range(columns))])
        for row in range(40)
    ]
    session = Session()
    session.open(
        LoadedTable(
            "w.csv",
            read_table("\n".join([",".join(["mail", *names]), *rows]).encode(), name="w.csv"),
        )
    )
    return session


def test_a_table_of_more_columns_than_can_be_used_opens_and_is_narrowed(
    opened: Opened, said: Said
) -> None:
    session = open_wide()
    schema = session.settings.require_schema()
    assert schema.names == tuple(f"q{at // 10}_{at % 10}" for at in range(MOST_COLUMNS))
    assert "mail (e-mail addresses" in session.notices[0]
    assert session.left_out["mail"][1].startswith("Its values look like e-mail addresses")
    with pytest.raises(Refusal, match="256 columns"):
        session.bring_back("q29_9")
    answer_all(session)
    page = opened("data", session)
    pick(session, *(name for name in session.data.table.raw.names if name.startswith("q29_")))
    page.run()
    page.selectbox(key="bulk-what").select("Use only these").run()
    page.button(key="bulk-apply").click().run()
    assert "10 columns in use." in said(page)
    assert session.settings.require_schema().names == tuple(f"q29_{at}" for at in range(10))
    omissions = session.settings.require_schema().omissions
    assert [each.name for each in omissions] == [
        "mail",
        *(f"q{at // 10}_{at % 10}" for at in range(290)),
    ]
    assert {each.name: each.why for each in omissions}["mail"] == "contact"
    page.button(key="undo").click().run()
    assert session.settings.require_schema() == schema


def test_a_column_that_is_left_out_is_kept_empty_and_used_after_all(
    opened: Opened, said: Said
) -> None:
    session = open_wide(12)
    answer_all(session)
    columns.take_list_deeds(session, [{"act": "open", "name": "mail", "number": 1}])
    page = opened("data", session)
    assert "Use it only if they are none" in said(page)
    next(each for each in page.checkbox if str(each.key).startswith("empty-mail")).check().run()
    assert session.settings.require_schema().header[0] == "mail"
    page.button(key="undo").click().run()
    assert session.settings.require_schema().header[0] == "q0_0"
    page.button(key="back-mail").click().run()
    assert session.settings.require_schema().names[0] == "mail"
    assert not session.settings.require_schema().omissions


def test_columns_are_kept_empty_together_and_the_list_says_so(opened: Opened, said: Said) -> None:
    session = open_wide(12)
    answer_all(session)
    page = opened("data", session)
    session.leave_out("q0_3")
    pick(session, "mail", "q0_3", "q0_4")
    page.run()
    page.selectbox(key="bulk-what").select("Keep them as empty columns").run()
    page.button(key="bulk-apply").click().run()
    assert "2 columns changed." in said(page)
    schema = session.settings.require_schema()
    assert schema.header == ("mail", *(f"q{at // 10}_{at % 10}" for at in range(12)))
    assert [each["mark"] for each in columns._list_left_out(session)] == ["kept empty"] * 2
    rows = [*columns._list_left_out(session)]
    assert [each["role"] for each in rows] == ["identifier", "out"]
    assert dict(columns._list_filters(rows))["identifier"] == "Identifier"


def test_roles_are_said_of_many_and_narrow_the_list(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("data", session)
    pick(session, "age", "pay")
    page.run()
    page.selectbox(key="bulk-what").select("What they are to the table").run()
    page.radio(key="bulk-role").set_value("target").run()
    page.button(key="bulk-apply").click().run()
    assert "2 columns changed." in said(page)
    schema = session.settings.require_schema()
    assert [each.role for each in schema.columns] == ["target", "", "target"]
    assert schema.declared
    rows = [columns._row_of(session, each) for each in schema.columns]
    assert [row["role"] for row in rows] == ["target", "", "target"]
    filters = dict(columns._list_filters(rows))
    assert (filters["target"], filters["ordinary"]) == ("Target", "Ordinary")
    assert "weight" not in filters
    assert [columns._count_shown(rows, each) for each in ("target", "ordinary")] == [2, 1]
