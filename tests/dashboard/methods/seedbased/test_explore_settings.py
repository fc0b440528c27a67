"""Lists of values to try, as people write them."""

from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.evaluation.sweep import grid
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy_dashboard.methods.seedbased.score_sources import (
    parse_numbers,
    parse_omegas,
    values_around,
)
from understudy_dashboard.session import Session


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "no value to try"),
        ("1,000", "“000” is no whole number"),
        ("0", "cannot be tried"),
        ("-4", "cannot be tried"),
        ("2.5", "no whole number"),
        (", ".join(str(each) for each in range(1, 202)), "at most 200"),
    ],
)
def test_lists_that_cannot_be_tried(typed: str, answer: str) -> None:
    with pytest.raises(Refusal, match=answer) as refused:
        parse_numbers(typed, "k")
    assert refused.value.field == "k"


def test_lists_are_read_in_words_that_people_write() -> None:
    assert parse_numbers("50, 100;200  25", "k") == (25, 50, 100, 200)
    assert parse_numbers("0.5,1e-2, 0.5", "epsilon0") == (0.01, 0.5)
    assert parse_omegas("9, 5-11") == (Omega(low=9, high=9), Omega(low=5, high=11))
    with pytest.raises(Refusal, match="ω cannot be read"):
        parse_omegas("nine")
    for typed in ("inf", "nan", "-1"):
        with pytest.raises(Refusal):
            parse_numbers(typed, "epsilon0")


@pytest.mark.parametrize("name", ["k", "epsilon0", "attempts"])
def test_the_usual_values_lie_around_the_present_one(session: Session, name: str) -> None:
    plan, schema = session.settings.plan(), session.settings.schema
    assert schema is not None
    found = parse_numbers(values_around(plan, schema, name), name)  # type: ignore[arg-type]
    now = {"k": 20, "epsilon0": 1.0, "attempts": 200}[name]
    assert now in found
    assert len(found) >= 2
    for value in found:
        varied = {name: [int(value) if name != "epsilon0" else value]}
        (made,) = grid(plan, schema, varied).plans  # type: ignore[arg-type]
        assert promise(made, schema).total.bounded
