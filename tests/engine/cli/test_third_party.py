"""A third-party model is chosen by the name it is installed as."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import installed
from tests.support import category_schema
from understudy.cli.new_run import FIELDS, plan_of
from understudy.cli.options import Settings
from understudy.cli.verb import parser
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import ModelPlan

SCHEMA = category_schema(3, 4, 2, 5)


def test_it_is_chosen_by_name_on_the_command_line(tmp_path: Path) -> None:
    with installed(tmp_path, "toy", toy.Chained):
        made = plan_of(Settings({"model": "outside:toy"}, (FIELDS,)), SCHEMA)
    assert made.model == ModelPlan(kind="outside", outside=toy.claim())
    with pytest.raises(Refusal, match="No third-party model is installed as “toy”"):
        plan_of(Settings({"model": "outside:toy"}, (FIELDS,)), SCHEMA)


def test_the_kinds_of_model_are_read() -> None:
    read = parser(FIELDS["kind"].kind)
    for text in ("calibrated", "marginals", "outside:toy"):
        assert read(text) == text
    with pytest.raises(typer.BadParameter, match="or outside:NAME"):
        read("outside")


def test_a_refusal_stands_at_the_option() -> None:
    with pytest.raises(Refusal) as caught:
        plan_of(Settings({"model": "outside:toy"}, (FIELDS,)), SCHEMA)
    assert caught.value.field == "model"
