"""A form of a mechanism that no page names, made from its table alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Field, Group, Place, Switch, Table, Values, Words
from understudy.mechanisms.kinds import AsJson, Choice, Flag, Number, Scale, Share, Span, Whole
from understudy.mechanisms.seedbased.plan import Plan
from understudy.table.schema import Schema
from understudy_dashboard.methods.method_settings import FormState
from understudy_dashboard.methods.seedbased.planner import TABLE as SEEDBASED
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.parts.controls import list_stops

GROUP = Group("Toys", "Toys")
COLUMNS = 5


def toy(name: str, kind: Any, *places: str, **other: Any) -> Field:
    where = tuple(Place(each.replace(".", "_"), each, each, each) for each in places or (name,))
    return Field(
        name, Words(name.title(), "It counts.", "What it is."), kind, GROUP, where, **other
    )


def _round(values: Values) -> bool:
    return values.get("shape") == "round"


TABLE = Table(
    (
        toy("bins", Whole(Scale(1, 100))),
        toy("shape", Choice({"round": "Round", "square": "Square"})),
        toy("radius", Number(), applies=_round, only_where_used=True, usual=2.0),
        toy("kept", Share()),
        toy("sure", Flag()),
        toy("wide", Span(), "wide.low", "wide.high"),
        toy("known", Whole(), may_be_empty=True),
        toy("noise", Number(), usual=1.0, switch=Switch("exact", "Exact", "None.", "none", "Oh.")),
        toy("depth", Whole(), usual=7, switch=Switch("deep", "Deep", "Some.", "value")),
    )
)


@dataclass
class Toy:
    """A plan of it."""

    bins: int = 10
    shape: str = "square"
    radius: float | None = None
    kept: float = 0.5
    sure: bool = False
    wide: Any = field(default_factory=lambda: SimpleNamespace(low=1, high=3))
    known: int | None = None
    noise: float | None = None
    depth: int | None = None


@pytest.fixture
def held() -> FormState:
    return FormState.of(TABLE, TABLE.values(Toy()))


def drawn(held, table, columns, refusal):  # type: ignore[no-untyped-def]
    """Draw the form; the script that a test runs is this text alone."""
    from understudy_dashboard.frame import FieldRefusals
    from understudy_dashboard.parts.form import Form

    form = Form(held, columns, FieldRefusals(refusal))
    for each in table:
        form.draw(each)
        if each.switch is not None and each.switch.on == "none":
            form.without(each)


@pytest.fixture
def page(held: FormState) -> Callable[..., AppTest]:
    def shown(refusal: Refusal | None = None) -> AppTest:
        return AppTest.from_function(drawn, args=(held, TABLE, COLUMNS, refusal)).run()

    return shown


def test_what_a_plan_lacks_is_as_usual_and_switched_off(held: FormState) -> None:
    assert (held.radius, held.noise, held.depth) == (2.0, 1.0, 7)  # type: ignore[attr-defined]
    assert (held.exact, held.deep, held.wide_ranges) == (True, False, True)  # type: ignore[attr-defined]
    assert held.settings() == {
        "bins": 10, "shape": "square", "kept": 0.5, "sure": False, "known": None,
        "wide": {"low": 1, "high": 3}, "noise": None, "depth": None,
    }  # fmt: skip


def test_a_number_comes_back_with_the_choice_that_has_a_use_for_it(held: FormState) -> None:
    held.shape, held.radius = "round", 3.0  # type: ignore[attr-defined]
    assert held.settings()["radius"] == 3.0
    held.shape = "square"  # type: ignore[attr-defined]
    assert "radius" not in held.settings()
    held.shape = "round"  # type: ignore[attr-defined]
    assert held.settings()["radius"] == 3.0


def test_unused_numbers_are_taken_from_before(held: FormState) -> None:
    before = FormState.of(TABLE, TABLE.values(Toy()))
    before.radius, before.depth, before.bins = 9.0, 4, 33  # type: ignore[attr-defined]
    held.take_unused(before)
    assert (held.radius, held.depth, held.bins) == (9.0, 4, 10)  # type: ignore[attr-defined]


def test_every_field_has_its_widget(page: Callable[..., AppTest], held: FormState) -> None:
    shown = page()
    assert not shown.exception
    assert not any(each.key == "radius-box" for each in shown.number_input)
    assert not any(each.key == "depth-box" for each in shown.number_input)
    shown.radio(key="shape-choice").set_value("round").run()
    shown.number_input(key="radius-box").set_value(4.0).run()
    shown.checkbox(key="deep-switch").check().run()
    shown.number_input(key="depth-box").set_value(3).run()
    shown.checkbox(key="exact-switch").uncheck().run()
    shown.checkbox(key="sure-switch").check().run()
    shown.number_input(key="known-box").set_value(12).run()
    shown.number_input(key="kept-box").set_value(0.25).run()
    shown.select_slider(key="bins-slider").set_value(20).run()
    shown.slider(key="wide-slider-range").set_value((2, 4)).run()
    assert not shown.exception
    assert held.settings() == {
        "bins": 20, "shape": "round", "radius": 4.0, "kept": 0.25, "sure": True, "known": 12,
        "wide": {"low": 2, "high": 4}, "noise": 1.0, "depth": 3,
    }  # fmt: skip


def test_a_text_that_cannot_be_read_is_told_and_changes_nothing() -> None:
    table = Table((toy("lists", AsJson()),))
    held = FormState.of(table, {"lists": [1, 2]})
    shown = AppTest.from_function(drawn, args=(held, table, COLUMNS, None)).run()
    shown.text_input(key="lists-text").set_value("[1, two]").run()
    (said,) = shown.error
    assert "not valid JSON" in said.value
    assert held.settings() == {"lists": [1, 2]}
    shown.text_input(key="lists-text").set_value("[3]").run()
    assert not shown.error
    assert held.settings() == {"lists": [3]}


def test_one_number_instead_of_a_range(page: Callable[..., AppTest], held: FormState) -> None:
    shown = page()
    shown.radio(key="wide_ranges-choice").set_value(False).run()
    shown.slider(key="wide-slider").set_value(4).run()
    assert held.settings()["wide"] == {"low": 4, "high": 4}


def test_a_refusal_stands_below_its_field(page: Callable[..., AppTest]) -> None:
    shown = page(Refusal("Too many bins.", "Take fewer.", field="bins"))
    order = [each.key or each.type for each in shown.main if each.type in ("error", "number_input")]
    assert len(shown.error) == 1
    assert order.index("error") == order.index("bins-box") + 1


def test_a_slider_stops_at_round_numbers_within_its_scale() -> None:
    assert list_stops(Scale(2, 12), whole=True) == (2, 3, 4, 5, 6, 8, 10, 12)
    assert list_stops(Scale(1e-3, 1e-1, powers=True)) == (1e-1, 1e-2, 1e-3)
    assert list_stops(Scale(0.1, 0.3)) == (0.1, 0.12, 0.15, 0.2, 0.25, 0.3)


def test_a_draft_has_an_attribute_for_every_place_and_switch(schema: Schema) -> None:
    names = {
        place.name
        for each in SEEDBASED
        for place in each.places
        if not each.confidential and not place.path.startswith("acceptance.")
    }
    names |= {each.switch.name for each in SEEDBASED if each.switch is not None}
    beside = {"omega_ranges", "acceptance"}
    assert names | beside == set(Draft.of_plan(Plan.of(schema)).shown())
