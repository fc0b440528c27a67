"""Days as they are seen, against a walk through them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.evaluation.mobility.walking import (
    People,
    everybody,
    moves_of,
    on_map,
    seen,
    walked,
)
from tests.engine.models.mobility.town import TOWN, days
from understudy.evaluation.mobility.days import Seen, first_days, people_of
from understudy.models.mobility.stays import Days


@given(everybody)
def test_moves_and_runs_are_what_a_walk_finds(people: People) -> None:
    told = seen(people)
    wanted = moves_of(people)
    found = told.moves
    assert found.before.tolist() == [one.cell for one, _ in wanted]
    assert found.after.tolist() == [other.cell for _, other in wanted]
    assert found.arrives.tolist() == [other.start for _, other in wanted]
    assert found.person.tolist() == [one.person for one, _ in wanted]
    assert found.km.tolist() == [float(TOWN.apart[one.cell, other.cell]) for one, other in wanted]
    every = [row for person in people for row in person]
    runs = told.runs
    assert [runs.cell[runs.day == day].tolist() for day in range(len(every))] == [
        on_map(row) for row in every
    ]
    assert int(runs.first.sum()) == sum(bool(on_map(row)) for row in every)


@given(everybody, st.integers(1, 5), st.randoms(use_true_random=False))
def test_some_people_and_their_first_days(people: People, length: int, random: object) -> None:
    told = seen(people)
    kept = [person for person in people if len(person) >= length]
    cut = first_days(told, length)
    assert cut.days.cells.tolist() == [row for person in kept for row in person[:length]]
    assert cut.days.person.tolist() == [who for who in range(len(kept)) for _ in range(length)]
    which = np.arange(len(people))[:: -1 if len(people) > 1 else 1][: max(1, len(people) - 1)]
    some = people_of(told, which)
    assert some.days.cells.tolist() == [row for who in sorted(which) for row in people[who]]
    assert len(some) == len(which)
    assert told.number.tolist() == [day for person in people for day in range(len(person))]


def test_a_day_in_figures() -> None:
    """Home, out to a cell 2 km east at 8, on to one 1 km north of it at 10, back at 12."""
    told = Seen(days([[(0, 0), (24, 1), (30, 5), (36, 0)]]), TOWN)
    at = TOWN.middles[[0] * 60 + [1] * 6 + [5] * 6]
    radius = math.sqrt(((at - at.mean(0)) ** 2).sum(1).mean())
    (found,) = told.features
    assert found.tolist() == pytest.approx(
        [4, 24, 36, 2 + 1 + math.hypot(1, 2), math.hypot(1, 2), 60, 1, 3, 6, 6, radius]
    )


@given(everybody)
def test_every_day_has_its_figures(people: People) -> None:
    told = seen(people)
    found = told.features
    for row, (told_day, cells) in enumerate(
        zip(walked(people), [each for person in people for each in person], strict=True)
    ):
        away = [each for each in told_day if not each.at_home]
        lasts = [each.end - each.start for each in away]
        km = [
            float(TOWN.apart[one.cell, other.cell]) for one, other in itertools.pairwise(told_day)
        ]
        assert found[row, 0] == len(told_day)
        assert found[row, 1] == (told_day[0].end if len(told_day) > 1 else 72)
        assert found[row, 2] == (told_day[-1].start if told_day else 0)
        assert found[row, 3] == pytest.approx(sum(km))
        assert found[row, 4] == max(km, default=0)
        assert found[row, 7] == len(set(cells))
        assert found[row, 8] == max(lasts, default=0)
        assert found[row, 9] == pytest.approx(sum(lasts) / max(1, len(lasts)))


def test_nobody_is_seen_to_do_nothing() -> None:
    nobody = Seen(Days(np.zeros((0, 72), np.int64), np.zeros(0, bool), np.zeros(0, np.int64)), TOWN)
    assert len(nobody) == 0
    assert len(nobody.runs.cell) == len(nobody.moves.km) == 0
