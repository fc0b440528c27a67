"""Frequent patterns, against counting them one by one."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given

from tests.engine.evaluation.mobility.walking import People, everybody, on_map, seen
from tests.engine.models.mobility.town import TOWN
from understudy.evaluation.mobility.measures.peers import f_one, frequent, patterns


@given(everybody)
def test_patterns_are_two_or_three_cells_in_a_row(people: People) -> None:
    base = TOWN.cells + 1
    wanted: Counter[int] = Counter()
    for day in (day for person in people for day in person):
        cells = [cell + 1 for cell in on_map(day)]
        for one, other in itertools.pairwise(cells):
            wanted[one * base + other] += 1
        for one, other, third in zip(cells, cells[1:], cells[2:], strict=False):
            wanted[(one * base + other) * base + third] += 1
    assert Counter(patterns(seen(people)).tolist()) == wanted
    top = sorted(wanted, key=lambda key: (-wanted[key], key))[:100]
    assert frequent(seen(people)) == frozenset(top)


def test_precision_and_recall_together() -> None:
    found, wanted = frozenset({1, 2, 3, 4}), frozenset({3, 4, 5})
    precision, recall = 2 / 4, 2 / 3
    assert f_one(found, wanted) == pytest.approx(2 * precision * recall / (precision + recall))
    assert f_one(frozenset(), frozenset()) == 1
    assert f_one(frozenset(), wanted) == 0
