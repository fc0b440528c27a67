"""What the planner is asked is what its question holds."""

from __future__ import annotations

from dataclasses import fields

from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.fields.wanted import MARKED, PURPOSES, WANTED
from understudy.mechanisms.seedbased.proposal import Wanted

OF_A_PLAN = {"test", "protocol", "pass_floor", "policies"}
"""What a question has of the plan itself, and is asked as the plan's field."""


def test_every_part_of_the_question_is_asked_once() -> None:
    held = {each.name for each in fields(Wanted)}
    asked = {each.name for each in WANTED} - {"purpose"}
    assert asked >= {*MARKED}
    assert (asked - {*MARKED}) | {"marks"} | OF_A_PLAN == held
    assert not asked & OF_A_PLAN
    assert all(name in FIELDS for name in OF_A_PLAN)


def test_what_a_plan_has_too_is_the_plans_field() -> None:
    assert WANTED["delta"].option is FIELDS["delta"].option
    assert WANTED["records_per_person"] is FIELDS["records_per_person"]
    assert WANTED["seeds_at_least"].words is FIELDS["seeds_at_least"].words


def test_a_purpose_is_chosen_by_its_words() -> None:
    assert {word: WANTED["purpose"].show(word) for word in PURPOSES} == PURPOSES


def test_candidates_are_records_where_their_attempts_are_hidden() -> None:
    asked = WANTED["attempts"]
    assert asked.choose_words({"protocol": "attempts"}).title == "How many attempts?"
    assert asked.choose_words({"protocol": "releases"}).title == "How many records?"
    assert asked.choose_words({"protocol": "releases"}).help != asked.words.help
