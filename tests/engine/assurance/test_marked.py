from __future__ import annotations

import pytest

from understudy.assurance import marks
from understudy.assurance.finding import Check, Effort

LESS = Effort(0.2)


@pytest.mark.parametrize("check", marks.list_checks(), ids=lambda each: each.name)
def test_marks_change_no_price(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.worst > 0.8


def test_triples_and_both_currencies_are_asked_about() -> None:
    asked = {
        (round_.asked[0].law, len(round_.asked[0].values), len(round_.asked))
        for budget in marks.BUDGETS
        for way in marks._WAYS[:3:2]
        for learner in [marks.shipped_marked(budget, way.importance(marks._COINS), marks._NONE)]
        for round_ in [marks._round(learner, marks._NONE, frozenset({0, 3}))]
    }
    assert {law for law, _, _ in asked} == {"geometric", "Gaussian"}
    assert {scores for _, scores, _ in asked} == {3, 4}
    assert all(questions > 1 for _, _, questions in asked)
