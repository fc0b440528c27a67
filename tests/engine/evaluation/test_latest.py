"""Which distances count where a table was measured twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.dashboard.evaluated import COLUMNS, evaluation
from understudy.evaluation.comparison import Compared, Distances, latest
from understudy.evaluation.measure import CANDIDATES, REALS, RELEASED

QUICK = (Compared(RELEASED, 50, Distances(np.full(3, 0.5), np.full((3, 3), 0.5))),)


def test_what_was_measured_since_counts() -> None:
    whole = evaluation()
    found = {each.name: each for each in latest(QUICK, whole, COLUMNS)}
    assert {RELEASED, REALS} <= set(found)
    assert CANDIDATES not in found
    for key, of in (("total-variation", 1), ("total-variation-pairs", 2)):
        finding = whole.finding(key)
        assert finding is not None
        for part in finding.by_subject[RELEASED].parts:
            places = [COLUMNS.index(name) for name in part.of]
            assert len(places) == of
            assert found[RELEASED].distances.pairs[places[0], places[-1]] == part.value
            assert found[RELEASED].distances.pairs[places[-1], places[0]] == part.value
    assert found[RELEASED].records == 180


def test_where_it_does_not_say_all_what_the_run_measured_counts() -> None:
    nothing = replace(evaluation(), findings=())
    assert latest(QUICK, None, COLUMNS) == QUICK
    assert latest(QUICK, nothing, COLUMNS) == QUICK
    assert latest(QUICK, evaluation(), (*COLUMNS, "town")) == QUICK
