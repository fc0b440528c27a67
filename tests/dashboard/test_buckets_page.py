"""The Buckets page: each choice counts at once, or says why not."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.session import Session
from engine.table.schema import ByCuts, ByGroups, ByWidth, Column, EachValue, Schema

Opened = Callable[..., AppTest]


def by_key(page: AppTest, kind: str, beginning: str) -> object:
    return next(each for each in getattr(page, kind) if str(each.key).startswith(beginning))


def column(session: Session, name: str) -> Column:
    assert session.schema is not None
    return session.schema.column(name)


def count(page: AppTest) -> str:
    return str(next(metric.value for metric in page.metric if metric.label == "Buckets"))


def test_without_a_table_it_leads_back(opened: Opened) -> None:
    page = opened("buckets")
    assert len(page.info) == 1
    assert not page.exception


def test_a_width_counts_at_once(opened: Opened, session: Session) -> None:
    page = opened("buckets", session)
    assert count(page) == "6"
    by_key(page, "text_input", "width-").input("36").run()  # type: ignore[attr-defined]
    assert column(session, "age").buckets == ByWidth(width=Decimal(36))
    assert count(page) == "2"


def test_each_value_and_cut_points(opened: Opened, session: Session) -> None:
    page = opened("buckets", session)
    by_key(page, "radio", "buckets-").set_value("each").run()  # type: ignore[attr-defined]
    assert column(session, "age").buckets == EachValue()
    assert count(page) == "72"
    by_key(page, "radio", "buckets-").set_value("cuts").run()  # type: ignore[attr-defined]
    by_key(page, "text_input", "cuts-").input("30, 65").run()  # type: ignore[attr-defined]
    assert column(session, "age").buckets == ByCuts(cuts=(Decimal(30), Decimal(65)))
    assert count(page) == "3"


@pytest.mark.parametrize(
    ("kind", "field", "text"),
    [
        ("width", "width-", "0"),
        ("width", "width-", "wide"),
        ("cuts", "cuts-", "65, 30"),
        ("cuts", "cuts-", "5"),
        ("cuts", "cuts-", ""),
    ],
)
def test_buckets_that_do_not_fit_are_refused_and_change_nothing(
    opened: Opened, session: Session, kind: str, field: str, text: str
) -> None:
    page = opened("buckets", session)
    by_key(page, "radio", "buckets-").set_value(kind).run()  # type: ignore[attr-defined]
    before = session.schema
    by_key(page, "text_input", field).input(text).run()  # type: ignore[attr-defined]
    assert len(page.error) == 1
    assert session.schema == before


def test_categories_are_grouped(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("buckets", session)
    by_key(page, "radio", "buckets-").set_value("groups").run()  # type: ignore[attr-defined]
    assert count(page) == "2"
    by_key(page, "multiselect", "members-").set_value(["nurse"]).run()  # type: ignore[attr-defined]
    buckets = column(session, "job").buckets
    assert isinstance(buckets, ByGroups)
    assert buckets.groups[0].values == ("nurse",)
    assert buckets.rest == "everything else"
    by_key(page, "button", "add-").click().run()  # type: ignore[attr-defined]
    second = [each for each in page.multiselect if str(each.key).startswith("members-")][1]
    assert "nurse" not in second.options
    second.set_value(["cook"]).run()
    assert count(page) == "3"
    by_key(page, "button", "drop-").click().run()  # type: ignore[attr-defined]
    assert count(page) == "2"


def test_a_category_in_no_group_is_refused(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("buckets", session)
    by_key(page, "radio", "buckets-").set_value("groups").run()  # type: ignore[attr-defined]
    before = session.schema
    by_key(page, "checkbox", "rest-").uncheck().run()  # type: ignore[attr-defined]
    assert "miss 2 of the 4" in page.error[0].value
    assert session.schema == before


def test_a_change_asks_for_the_confirmation_again_on_the_spot(
    opened: Opened, session: Session
) -> None:
    page = opened("buckets", session)
    by_key(page, "text_input", "width-").input("36").run()  # type: ignore[attr-defined]
    assert not session.declared
    by_key(page, "checkbox", "public-buckets").check().run()  # type: ignore[attr-defined]
    page.button(key="confirm-buckets").click().run()
    assert session.declared


def test_the_histogram_can_be_read_as_a_table(opened: Opened, session: Session) -> None:
    page = opened("buckets", session)
    page.toggle(key="table-histogram-age").set_value(True).run()
    frame = next(each.value for each in page.dataframe if "Records" in each.value)
    assert list(frame["Value"])[:2] == ["18", "19"]
    assert frame["Records"].sum() == 900
    assert frame["Bucket"].nunique() == 6


def test_a_table_that_does_not_fit_its_schema_has_no_picture_but_still_buckets(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    pay = schema.column("pay")
    narrower = pay.changed(domain=pay.domain.model_copy(update={"values": ("low", "mid")}))
    page = opened("buckets", sessions(schema=schema.replace(narrower)))
    assert any("No picture yet" in each.value for each in page.info)
    assert count(page) == "6"
