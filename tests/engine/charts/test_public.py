"""Pictures from public numbers that a method brings."""

from __future__ import annotations

import sys
from types import ModuleType

import altair as alt
import pandas as pd
import pytest

from tests.support import category_schema
from understudy.charts.public import PublicPicture, public_pictures
from understudy.mechanisms import companions
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.registry import method_named, opening_plan, plan_run

SCHEMA = category_schema(3, 4)
FLAGS = category_schema(2, 2, 2)


def _pictures(asked: PlannedRun) -> list[PublicPicture]:
    table = pd.DataFrame({"ε": [asked.guarantee.total.epsilon], "rows": [1]})
    figure = alt.Chart(table).mark_point().encode(x=alt.X("ε"), y=alt.Y("rows"))
    return [
        PublicPicture("cost", "What it costs", "It costs that.", lambda: figure, table, "A point.")
    ]


def test_the_pictures_of_a_method_are_found_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("charts.public")
    vars(module)["pictures"] = _pictures
    asked = plan_run(opening_plan("scored", SCHEMA), SCHEMA)
    name = f"{type(method_named('scored')).__module__.rpartition('.')[0]}.charts.public"
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(
        companions, "_import_if_there", lambda wanted: module if wanted == name else None
    )
    (found,) = public_pictures(asked)
    assert found.table["ε"][0] == asked.guarantee.total.epsilon
    exported = found.export("a plan")
    assert not exported.internal
    assert b"<svg" in exported.svg()
    assert "INTERNAL" not in exported.name(found.name, "svg")


def test_a_plan_of_which_nothing_is_known_has_none() -> None:
    alone = opening_plan("latent", FLAGS, {"model": "principal"})
    assert tuple(public_pictures(plan_run(alone, FLAGS))) == ()
