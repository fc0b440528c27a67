"""The form of a method asks for every setting by the label of its declaration."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.engine.mechanisms.opening import open_plan
from understudy.mechanisms.registry import mechanisms, method_named
from understudy_dashboard.methods.method_settings import FormState
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.parts.run_list import SettingWords


def drawn(held, table, schema):  # type: ignore[no-untyped-def]
    """Draw every field; the script that a test runs is this text alone."""
    from understudy_dashboard.frame import FieldRefusals
    from understudy_dashboard.parts.form import Form

    form = Form(held, len(schema), FieldRefusals(None), schema=schema)
    for each in table:
        if each.stands != "elsewhere":
            form.draw(each)


def _said(page: AppTest) -> str:
    """All labels and texts of a page."""
    return "\n".join(
        str(getattr(each, "label", "") or getattr(each, "value", "")) for each in page.main
    )


@pytest.mark.parametrize("kind", sorted(mechanisms()))
def test_every_setting_is_asked_for_by_its_label(kind: str) -> None:
    schema, plan = open_plan(kind)
    table = method_named(kind).fields
    plain = FormState.of(table, table.values(plan))
    held = Draft.of_plan(plan) if kind == "seedbased" else plain  # type: ignore[arg-type]
    page = AppTest.from_function(drawn, args=(held, table, schema)).run()
    assert not page.exception
    said, values = _said(page), held.values(len(schema))
    for each in table:
        if each.stands == "elsewhere" or not each.places or not each.applies(values):
            continue
        if each.switch is not None and each.switch.on == "value":
            assert each.switch.label in said
        elif len(each.places) == 1:
            assert each.choose_words(values).title in said, each.name


@pytest.mark.parametrize("kind", sorted(mechanisms()))
def test_every_setting_is_compared_by_its_label(kind: str) -> None:
    _, plan = open_plan(kind)
    table = method_named(kind).fields
    words = SettingWords([plan, plan])
    for each in words.settings()[1:]:
        found = table.at(each.setting)
        assert found is not None
        labels = tuple(place.label or found.words.listed for place in found.places)
        assert words.label_setting(each.setting).startswith(labels)
        assert len(set(words.print_setting(each))) == 1
