"""Who tells from a release of fakes that somebody was counted."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.models.mobility.geography import Geography
from understudy.privacy.randomness import RandomSource
from understudy.studies.traces.fakes import measures
from understudy.studies.traces.fakes.measures import Told, presence, told_present
from understudy.studies.traces.fakes.synthesizer import fakes, learn_days
from understudy.studies.traces.fakes.tracking import as_days

WHERE = Geography(rows=3, columns=3, km_a_slot=2.5)


def _days() -> np.ndarray:
    """Four people: three have a place of their own, the last goes where others go."""
    parts = [(0, 1, 5, 0), (0, 2, 6, 0), (1, 2, 7, 1), (1, 2, 0, 1)]
    return np.array([np.repeat(each, 18) for each in parts])


def test_hits_are_of_the_places_that_one_alone_was_in() -> None:
    days = _days()
    found = told_present(days, WHERE, RandomSource.fixed(3))
    source = RandomSource.fixed(3)
    model = learn_days(as_days(days), WHERE, source, locations=WHERE.cells)
    shown = presence(days, fakes(days, model, 1, source)[:, 0], WHERE.cells)
    assert found.hits == pytest.approx(shown.have * shown.proven)
    assert 0 < found.hits <= 0.75


def test_each_is_left_out_once_of_what_alarms_are_counted_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where fakes are the days themselves, all with a place of their own are told, nobody else."""
    released = []

    def copies(days: np.ndarray, *_: object) -> np.ndarray:
        released.append(days)
        return days

    monkeypatch.setattr(measures, "_release_fakes", copies)
    days = _days()
    assert told_present(days, WHERE, RandomSource.fixed(1)) == Told(0.75, 0.0)
    assert [len(each) for each in released] == [4, 3, 3, 3, 3]
    for at, each in enumerate(released[1:]):
        assert (each == np.delete(days, at, axis=0)).all()


@pytest.mark.parametrize(
    ("told", "right"), [(Told(0, 0), 0.5), (Told(1, 0), 1.0), (Told(0.75, 0.25), 0.75)]
)
def test_an_alarm_costs_as_much_as_a_hit_is_worth(told: Told, right: float) -> None:
    assert told.right == right


def test_people_who_are_alike_are_told_by_chance_only() -> None:
    days = np.repeat(_days()[:1], 3, axis=0)
    assert told_present(days, WHERE, RandomSource.fixed(1)).right == 0.5
