"""What methods expect of themselves before anything is spent, and what is refused by it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms.expected_utility import (
    Foreseen,
    Known,
    check_possible,
    foreseen,
    in_words,
)
from understudy.mechanisms.latent import expected_utility as latent
from understudy.mechanisms.registry import mechanisms, opening_plan, plan_run
from understudy.mechanisms.scored import expected_utility as scored
from understudy.mechanisms.seedbased import expected_utility as seedbased
from understudy.table.pictures.declared import Pictures

PICTURES = Pictures(height=4, width=4).described()
FLAGS = category_schema(*[2] * 12)


def every(known: Known, schema: Any = FLAGS) -> dict[str, Foreseen]:
    return dict(foreseen(mechanisms().values(), schema, known))


def test_ten_faces_of_each_of_forty_are_refused_with_the_remedy() -> None:
    with pytest.raises(Refusal) as caught:
        check_possible(mechanisms().values(), PICTURES, Known(400, 10))
    assert caught.value.field == "records"
    assert "up to 10" in caught.value.problem
    assert "nothing can be released" in caught.value.problem
    assert "a single candidate that is tested" in caught.value.problem
    assert "costs a person ε = 2.2" in caught.value.problem
    assert "records or more" in caught.value.remedy
    assert "at most 4 records of one person" in caught.value.remedy


def test_the_remedy_is_one() -> None:
    for known in (Known(400, 4), Known(740, 10), Known(400, 10, epsilon=2.3)):
        check_possible(mechanisms().values(), PICTURES, known)
        assert not every(known, PICTURES)["scored"].nothing


def test_the_strongest_for_these_columns_stands_first(monkeypatch: pytest.MonkeyPatch) -> None:
    few = every(Known(50_000))
    monkeypatch.setattr(seedbased, "foreseen", lambda schema, known: Foreseen("rows", ""))
    many = every(Known(50_000), category_schema(*[2] * 100))
    assert next(iter(few)) == "seedbased"
    assert next(iter(many)) == "latent"
    assert {"seedbased", "latent", "scored"} <= few.keys()
    assert "latent" not in every(Known(50_000), category_schema(2, 3))


def test_more_records_and_more_epsilon_leave_less_off() -> None:
    usual = Known(20_000)

    def column(known: Known) -> float:
        found = seedbased.foreseen(FLAGS, known)
        assert found is not None
        assert found.column is not None
        return found.column

    here = column(usual)
    for other in (replace(usual, records=200_000), replace(usual, epsilon=4.0)):
        assert column(other) < here
    assert column(replace(usual, records_per_person=5)) > here


def test_no_bound_is_stated_that_was_not_found_to_hold() -> None:
    """What a few hidden numbers cannot express comes on top of what noise does."""
    found = latent.foreseen(FLAGS, Known(20_000))
    assert found is not None
    assert found.column is found.pair is None
    assert "at most" not in in_words(found)


def test_a_latent_model_foretells_the_plan_that_it_opens_with() -> None:
    known = Known(300)
    told = latent.foreseen(FLAGS, known)
    assert told is not None
    assert told.nothing
    with pytest.raises(Refusal) as caught:
        plan_run(opening_plan("latent", FLAGS, {"public_records": known.records}), FLAGS)
    assert caught.value.remedy == told.remedy
    assert "hide every relation" in told.nothing
    needed = int(told.remedy.split("of ")[1].split(" records")[0].replace(",", ""))
    assert not latent.foreseen(FLAGS, Known(needed)).nothing
    assert latent.foreseen(FLAGS, Known(needed - 1)).nothing


def test_as_many_attempts_are_foreseen_as_a_plan_can_make() -> None:
    known = Known(3_000)
    most = scored.Outlook.of(known)
    k = most.reach.seeds
    given = {"seeds_at_least": k, "public_records": known.records, "epsilon": 0.5}
    test = {"kind": "relative-sensitivity", "k": k, "epsilon0": 0.02}
    plan = opening_plan("scored", FLAGS, {**given, "test": test, "attempts": most.attempts * 2})
    assert plan_run(plan, FLAGS).guarantee.total.epsilon > known.epsilon


def test_directions_that_would_follow_noise_alone_are_foretold() -> None:
    said = every(Known(1_797), Pictures(height=8, width=8).described())["scored"].said
    assert "follow noise alone" in said
    assert "follow noise alone" not in every(Known(1_000_000), PICTURES)["scored"].said
    assert "follow noise alone" not in every(Known(1_797), category_schema(2, 3))["scored"].said


def test_columns_that_noise_covers_are_nothing() -> None:
    assert every(Known(40, epsilon=0.1))["seedbased"].nothing
    assert "Nothing can be released" in in_words(every(Known(40, epsilon=0.1))["seedbased"])


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("records", {"records": 0}),
        ("records_per_person", {"records_per_person": 1_001}),
        ("epsilon", {"epsilon": 0.0}),
        ("delta", {"delta": 1.0}),
    ],
)
def test_what_is_known_has_to_be_possible(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as caught:
        Known(**{"records": 100, **given})
    assert caught.value.field == field
