"""Slides of made traces: what a person means, whether anybody could tell, and what was kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from understudy.charts.enlarging import enlarged
from understudy.charts.public import PublicPicture, public_pictures
from understudy.mechanisms.planned_run import PlannedRun
from understudy.mechanisms.traces.charts.close import close, close_table, in_words
from understudy.mechanisms.traces.looking import DaysFigures
from understudy.runs.folder import RunFolder
from understudy_dashboard.slides import Chart, Slide

_LARGER: Final = 1.4
_SHOWN: Final = ("person", "guesses")
"""The pictures of a plan that a board is shown."""


def protected(decided: PlannedRun) -> tuple[Slide, ...]:
    """Return what a person means here, and how often the best guess is right. Public."""
    if not decided.guarantee.total.bounded:
        return ()
    return tuple(_pictures(decided))


def _pictures(decided: PlannedRun) -> Iterator[Slide]:
    for each in public_pictures(decided):
        if each.name in _SHOWN:
            yield Slide(
                each.name,
                each.title,
                text=_SAID[each.name],
                chart=partial(_large, each),
                alt=each.alt,
            )


def _large(found: PublicPicture) -> Chart:
    return enlarged(found.figure, _LARGER), found.table


_SAID: Final = {
    "person": "Two tables: in one, somebody is there with every day that was recorded of them; in "
    "the other, never. What is released looks much the same from both.",
    "guesses": "Somebody knows everybody’s days, and has to say whether one person was in the "
    "table. A coin is right 50 times of 100; no guess is right more often than the line says.",
}


def kept(run: RunFolder) -> tuple[Slide, ...]:
    """Return how close made people are to real ones, as the run measured when it ended.
    Internal."""
    with run.intact():
        found = DaysFigures.load(run.internal)
    if found is None:
        return ()
    return (
        Slide(
            "kept",
            "What was kept",
            text=in_words(found)[0],
            chart=(lambda: (enlarged(close(found), _LARGER), close_table(found)))
            if found.made
            else None,
            alt="How far made people and other real people are off, by what is measured",
            internal=True,
        ),
    )
