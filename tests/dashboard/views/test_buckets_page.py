"""The Buckets page: each choice counts at once, or says why not."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from understudy.mechanisms.seedbased.foresight import Precision
from understudy.mechanisms.seedbased.model_fit import promised_budget
from understudy.models.bayesnet.parameters import ParameterLearner
from understudy.projects.state import Sizes
from understudy.table.authoring.column_origins import set_origin
from understudy.table.authoring.edits import with_kind, with_range
from understudy.table.buckets import ByCuts, ByGroups, ByWidth, EachValue
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.parts import bucket_editor, group_editor
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def by_key(page: AppTest, kind: str, beginning: str) -> object:
    return next(each for each in getattr(page, kind) if str(each.key).startswith(beginning))


def column(session: Session, name: str) -> Column:
    assert session.settings.schema is not None
    return session.settings.schema.column(name)


def count(page: AppTest) -> str:
    return str(next(metric.value for metric in page.metric if metric.label == "Buckets"))


def test_without_a_table_it_leads_back(opened: Opened) -> None:
    page = opened("buckets")
    assert len(page.info) == 1
    assert not page.exception


def test_a_project_that_waits_for_its_table_shows_all_but_what_is_counted(
    opened: Opened, said: Said, session: Session
) -> None:
    session.data.table = None
    page = opened("buckets", session)
    assert [each.value for each in page.error] == []
    assert "Open the table on the Data page" in said(page)
    assert count(page) == "6"


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


def test_the_cells_of_a_continuous_column_are_bucketed_as_steps_are(
    opened: Opened, session: Session
) -> None:
    assert session.settings.schema is not None
    measured = with_kind(column(session, "age"), "continuous")
    session.describe(session.settings.schema.replace(with_range(measured, precision="0.5")))
    page = opened("buckets", session)
    assert not page.exception
    by_key(page, "radio", "buckets-").set_value("cuts").run()  # type: ignore[attr-defined]
    by_key(page, "text_input", "cuts-").input("30, 65").run()  # type: ignore[attr-defined]
    assert column(session, "age").bucket_labels == ("18.0 to 29.5", "30.0 to 64.5", "65.0 to 89.0")
    by_key(page, "text_input", "cuts-").input("30, 65.5").run()  # type: ignore[attr-defined]
    assert len(page.error) == 1


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
    before = session.settings.schema
    by_key(page, "text_input", field).input(text).run()  # type: ignore[attr-defined]
    assert len(page.error) == 1
    assert session.settings.schema == before


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
    before = session.settings.schema
    by_key(page, "checkbox", "rest-").uncheck().run()  # type: ignore[attr-defined]
    assert "miss 2 of the 4" in page.error[0].value
    assert session.settings.schema == before


def test_a_change_asks_for_the_confirmation_again_on_the_spot(
    opened: Opened, session: Session
) -> None:
    schema = session.settings.schema
    assert schema is not None
    session.describe(set_origin(schema, "design", schema.names))
    page = opened("buckets", session)
    by_key(page, "text_input", "width-").input("36").run()  # type: ignore[attr-defined]
    assert not session.settings.declared
    by_key(page, "checkbox", "public-buckets").check().run()  # type: ignore[attr-defined]
    page.button(key="confirm-buckets").click().run()
    assert session.settings.declared


def test_what_the_model_sees_can_be_read_as_a_table(opened: Opened, session: Session) -> None:
    page = opened("buckets", session)
    page.toggle(key="table-buckets-age").set_value(True).run()
    frame = next(each.value for each in page.dataframe if "Records" in each.value)
    assert list(frame["Bucket"])[:2] == ["18 to 29", "30 to 41"]
    assert frame["Records"].sum() == 900
    assert list(frame["Values"]) == [12] * 6


def test_a_column_that_does_not_fit_its_schema_keeps_no_other_from_being_seen(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    pay = schema.column("pay")
    narrower = pay.changed(domain=pay.domain.model_copy(update={"values": ("low", "mid")}))
    page = opened("buckets", sessions(schema=schema.replace(narrower)))
    page.toggle(key="table-buckets-age").set_value(True).run()
    frame = next(each.value for each in page.dataframe if "Records" in each.value)
    assert frame["Records"].sum() == 900
    assert count(page) == "6"


def figure(page: AppTest, label: str) -> str:
    return str(next(metric.value for metric in page.metric if metric.label == label))


def test_presets_follow_from_the_range_and_not_from_the_table(
    opened: Opened, session: Session, sessions: Callable[..., Session]
) -> None:
    page = opened("buckets", session)
    by_key(page, "number_input", "count-").set_value(4).run()  # type: ignore[attr-defined]
    by_key(page, "button", "parts-").click().run()  # type: ignore[attr-defined]
    made = column(session, "age").buckets
    assert made == ByCuts(cuts=(Decimal(36), Decimal(54), Decimal(72)))
    assert by_key(page, "text_input", "cuts-").value == "36, 54, 72"  # type: ignore[attr-defined]
    by_key(page, "button", "powers-of-2").click().run()  # type: ignore[attr-defined]
    assert column(session, "age").buckets == ByCuts(cuts=(Decimal(32), Decimal(64)))
    other = sessions(csv=b"age,job,pay\n" + b"20,cook,low\n" * 300)
    page = opened("buckets", other)
    by_key(page, "number_input", "count-").set_value(4).run()  # type: ignore[attr-defined]
    by_key(page, "button", "parts-").click().run()  # type: ignore[attr-defined]
    assert column(other, "age").buckets == made


def test_a_preset_that_makes_no_cut_cannot_be_pressed(opened: Opened, session: Session) -> None:
    page = opened("buckets", session)
    assert by_key(page, "button", "powers-of-10").disabled  # type: ignore[attr-defined]


def test_the_effect_follows_the_buckets_at_once(
    opened: Opened, said: Said, session: Session
) -> None:
    session.settings.set_sizes(Sizes(records=900))
    page = opened("buckets", session)
    page.selectbox(key="effect-child").set_value("pay").run()
    assert figure(page, "Configurations") == "6"
    assert figure(page, "Counts to learn") == "18"
    page.multiselect(key="effect-beside").set_value(["job"]).run()
    assert figure(page, "Configurations") == "24"
    even = float(figure(page, "Records per count"))
    assert "6 ranges: **18 to 29" in said(page)
    by_key(page, "text_input", "width-").input("36").run()  # type: ignore[attr-defined]
    assert figure(page, "Configurations") == "8"
    assert float(figure(page, "Records per count")) == pytest.approx(3 * even, rel=0.02)
    by_key(page, "text_input", "width-").input("100").run()  # type: ignore[attr-defined]
    assert "cannot help to predict" in said(page)


def test_the_noise_is_that_of_the_plan(opened: Opened, session: Session) -> None:
    assert session.settings.schema is not None
    session.settings.set_sizes(Sizes(records=900))
    for kind in ("calibrated", "network"):
        plan_choice(session).draft.kind = kind
        plan = session.settings.plan()
        deviation = Precision.of(
            plan, session.settings.schema, plan_choice(session).promise()
        ).deviation
        assert figure(opened("buckets", session), "Noise per count") == f"± {deviation:.3g}"
    learner = ParameterLearner.within(
        session.settings.schema, promised_budget(plan, plan_choice(session).promise())
    )
    assert deviation == learner.deviation


def test_without_a_plan_there_are_buckets_and_a_way_to_the_settings(
    opened: Opened, said: Said, session: Session
) -> None:
    plan_choice(session).draft.delta = 0.0
    page = opened("buckets", session)
    assert "No figures for the noise yet" in said(page)
    assert count(page) == "6"


@pytest.mark.parametrize(
    ("deed", "expected"),
    [
        ({"act": "move", "place": 12, "to": 15}, "33, 42, 54, 66, 78"),
        ({"act": "move", "place": 12, "to": 900}, "41, 42, 54, 66, 78"),
        ({"act": "remove", "place": 12}, "42, 54, 66, 78"),
        ({"act": "add", "place": 1}, "19, 30, 42, 54, 66, 78"),
        ({"act": "split"}, "24, 30, 42, 54, 66, 78"),
    ],
)
def test_what_is_done_to_a_cut_counts_once_and_reaches_the_field(
    opened: Opened, session: Session, deed: dict[str, object], expected: str
) -> None:
    told = [{**deed, "number": 1}]
    bucket_editor.take_deeds(session, "age", told)
    bucket_editor.take_deeds(session, "age", told)
    page = opened("buckets", session)
    assert by_key(page, "text_input", "cuts-").value == expected  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "told",
    [
        None,
        "cuts",
        [3],
        [{"act": "move"}],
        [{"act": "move", "number": 1}],
        [{"act": "move", "place": "12", "to": None, "number": 1}],
        [{"act": "fly", "number": 1}],
        [{"act": "add", "place": 10**9, "number": 1}],
    ],
)
def test_what_makes_no_sense_changes_nothing(session: Session, told: object) -> None:
    before = session.settings.schema
    bucket_editor.take_deeds(session, "age", told)
    group_editor.take_group_deeds(session, "job", told)
    assert session.settings.schema == before


def test_chips_and_lists_are_the_same_groups(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("buckets", session)
    by_key(page, "radio", "buckets-").set_value("groups").run()  # type: ignore[attr-defined]
    deeds = [
        {"act": "move", "values": [3, 99], "to": "0", "number": 1},
        {"act": "move", "values": [2], "to": "new", "number": 2},
        {"act": "rename", "group": 1, "label": " care ", "number": 3},
    ]
    group_editor.take_group_deeds(session, "job", deeds)
    page.run()
    lists = [each for each in page.multiselect if str(each.key).startswith("members-")]
    assert [each.value for each in lists] == [["clerk", "cook", "smith"], ["nurse"]]
    buckets = column(session, "job").buckets
    assert isinstance(buckets, ByGroups)
    assert [group.label for group in buckets.groups] == ["group 1", "care"]
    group_editor.take_group_deeds(session, "job", [{"act": "drop", "group": 0, "number": 4}])
    page.run()
    assert column(session, "job").bucket_labels == ("care", "everything else")


def test_undo_brings_back_the_groups_that_were(opened: Opened, session: Session) -> None:
    session.column = "job"
    page = opened("buckets", session)
    by_key(page, "radio", "buckets-").set_value("groups").run()  # type: ignore[attr-defined]
    first = column(session, "job").buckets
    by_key(page, "multiselect", "members-").set_value(["nurse"]).run()  # type: ignore[attr-defined]
    page.button(key="undo").click().run()
    assert column(session, "job").buckets == first
    assert by_key(page, "multiselect", "members-").value == ["clerk", "cook"]  # type: ignore[attr-defined]
    page.button(key="undo").click().run()
    assert column(session, "job").buckets == EachValue()
    assert page.button(key="undo").disabled
    page.button(key="redo").click().run()
    page.button(key="redo").click().run()
    assert column(session, "job").bucket_labels == ("group 1", "everything else")
