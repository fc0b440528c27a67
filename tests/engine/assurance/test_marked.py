from __future__ import annotations

import pytest

from understudy.assurance import marked
from understudy.assurance.finding import Check, Effort

LESS = Effort(0.2)


@pytest.mark.parametrize("check", marked.checks(), ids=lambda each: each.name)
def test_marks_change_no_price(check: Check) -> None:
    found = check.find(LESS)
    assert found.passed, found.measured
    assert found.measured.worst > 0.8


def test_triples_and_both_currencies_are_asked_about() -> None:
    asked = {
        (round_.asked[0].law, len(round_.asked[0].values), len(round_.asked))
        for budget in marked.BUDGETS
        for marks in marked._WAYS[:3:2]
        for learner in [marked.shipped(budget, marks.importance(marked._COINS), marked._NONE)]
        for round_ in [marked._round(learner, marked._NONE, frozenset({0, 3}))]
    }
    assert {law for law, _, _ in asked} == {"geometric", "Gaussian"}
    assert {scores for _, scores, _ in asked} == {3, 4}
    assert all(questions > 1 for _, _, questions in asked)
