from __future__ import annotations

from understudy.mechanisms.pmse.fields import TABLE
from understudy.mechanisms.pmse.plan import PmsePlan


def test_every_setting_stands_in_the_form_once_with_what_it_does() -> None:
    named = {place.path for each in TABLE for place in each.places}
    assert named == set(PmsePlan.model_fields) - {"domain"}
    shown = [each for each in TABLE if each.stands != "elsewhere"]
    assert all(each.words.help for each in shown)
    assert len({each.words.label for each in shown}) == len(shown)


def test_what_has_no_use_is_not_asked_for() -> None:
    assert not TABLE["delta"].applies({"accounting": "pure"})
    assert TABLE["delta"].applies({"accounting": "concentrated"})
    assert not TABLE["price"].applies({"partitions": "stump"})
    assert not TABLE["locating"].applies({"search": "whole"})
