"""What Inspect shows of a run of made traces. Internal, except for what is of made people alone."""

from __future__ import annotations

from typing import Final

import numpy as np
import streamlit as st

from understudy.charts import maps, ribbons, scales
from understudy.core.refusal import Refusal
from understudy.mechanisms.of_days import made_days
from understudy.mechanisms.statement import TABLE
from understudy.mechanisms.traces.charts import week
from understudy.mechanisms.traces.charts.close import close, close_table, in_words
from understudy.mechanisms.traces.looking import HOURS, KINDS, DaysFigures, Whereabouts
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.mechanisms.traces.reading import place_names
from understudy.models.mobility.stays import Days
from understudy.runs.released import first_records
from understudy.table.positions.slots import SLOTS
from understudy_dashboard import words
from understudy_dashboard.methods.looked import Looked
from understudy_dashboard.parts.evaluation import asking
from understudy_dashboard.parts.pictures import picture

_NOON: Final = 12
_OF_TIME: Final = "Share of the time"
_SHORT: Final = (
    "This is the short version. The full evaluation adds lives over several days, how well a "
    "forest of trees tells made days from real ones, what attacks find out about the people who "
    "were counted, and people who know nothing but the map to compare with."
)
_REAL: Final = "Real people"
_MADE: Final = "Made people"
_BESIDE: Final = (
    "Left the people who were counted, as they are: for your eyes, never to be shown or exported. "
    "Right the made ones, from the released table; that picture may be published."
)


def figures_of(looked: Looked) -> DaysFigures | None:
    """Return what the run left to be looked at."""

    def load() -> DaysFigures | None:
        with looked.run.intact():
            return DaysFigures.load(looked.run.internal)

    found: DaysFigures | None = looked.session.keep("days", looked.run.identity, load)
    return found


def density(looked: Looked, found: DaysFigures | None) -> None:
    """Where real and made people are, at an hour, side by side."""
    both = _both(looked, found)
    if both is None:
        return
    real, made = both
    where = looked.decided.plan_as(TracesPlan).where
    kind = _kind(made)
    hour = st.slider("Hour of the day", 0, HOURS - 1, _NOON, format="%d:00", key="traces-hour")
    sides = [each.hours[kind, hour] for each in (real, made)]
    st.caption(_BESIDE)
    # One scale for both, and of made people alone: their picture may be published.
    most = float(sides[1].max())
    for place, name, shares in zip(st.columns(2), (_REAL, _MADE), sides, strict=True):
        with place:
            st.markdown(f"**{name}**, {hour}:00\N{EN DASH}{hour + 1}:00")
            secret = name == _REAL
            title = scales.internal_note() if secret else scales.note("")
            picture(
                maps.density(where, shares, _OF_TIME, most, title),
                maps.density_table(where, shares, _OF_TIME),
                key=f"density-{name}",
                alt=f"Where {name.lower()} are on {KINDS[kind].lower()} from {hour}:00, by cell",
                confidential=secret,
            )


def flows(looked: Looked, found: DaysFigures | None) -> None:
    """Between which zones real and made people move, side by side."""
    both = _both(looked, found)
    if both is None:
        return
    where = looked.decided.plan_as(TracesPlan).where
    kind = _kind(both[1])
    sides = [each.flows[kind] for each in both]
    # As for `density`.
    most = float(np.triu(sides[1] + sides[1].T, 1).max())
    st.caption(
        f"Lines between zones, the thicker the more of all moves; the thickest is "
        f"{words.percent(most)} of them or more. {_BESIDE}"
    )
    for place, name, shares in zip(st.columns(2), (_REAL, _MADE), sides, strict=True):
        with place:
            st.markdown(f"**{name}**")
            secret = name == _REAL
            title = scales.internal_note() if secret else scales.note("")
            picture(
                maps.flows(where, shares, most, title),
                maps.flows_table(where, shares),
                key=f"flows-{name}",
                alt=f"Between which zones {name.lower()} move on {KINDS[kind].lower()}",
                confidential=secret,
            )


def one_person(looked: Looked) -> None:
    """The days of one made person: as ribbons, and one of them on the map."""
    made = _made(looked)
    if made is None:
        return
    plan = looked.decided.plan_as(TracesPlan)
    names = place_names(plan, looked.decided.schema)
    st.caption(
        "Nobody you see here exists. All of it is from the released table and may be published."
    )
    who, when = st.columns(2, vertical_alignment="bottom")
    person = who.number_input("Made person", 1, made.people, 1, key="traces-person")
    one = week.days_of_one(made, int(person) - 1)
    days = len(one.cells)
    day = 0
    if days > 1:
        day = when.select_slider(
            "Day on the map", range(days), format_func=ribbons.named_day, key="traces-day"
        )
    parts = week.parts(one, plan.where, names)
    picture(
        ribbons.ribbon(parts, scales.note("")),
        ribbons.ribbon_table(parts),
        key="ribbon",
        alt=f"The days of made person {person:,}: at home, at work, elsewhere, on the way",
        confidential=False,
    )
    cells, said = week.stops(day, parts, names)
    if not cells:
        st.info("On this day they are off the map.")
        return
    st.markdown(f"**{ribbons.named_day(day)}**, from place to place")
    shown = [each for each in parts if each.day == day]
    picture(
        maps.path(plan.where, cells, said, scales.note("")),
        ribbons.ribbon_table(shown),
        key="path",
        alt=f"The path of made person {person:,} on {ribbons.named_day(day)}, on the map",
        confidential=False,
    )


def how_close(looked: Looked, found: DaysFigures | None) -> None:
    """How far made people are from real ones, beside other real people."""
    if found is None:
        st.info("This run left no figures.")
        return
    for sentence in in_words(found):
        st.markdown(sentence)
    if not found.made:
        return
    st.caption(
        "The shorter the bar, the closer. Both are held against people who were not counted, on "
        "weekdays. Other real people are off too, by chance alone: nothing can be expected to come "
        "closer than they do. The table says what each figure means."
    )
    picture(
        close(found),
        close_table(found),
        key="close",
        alt="How far made people and other real people are off, by what is measured",
    )
    if looked.found is None:
        asking(looked.session, looked.run, looked.schema, _SHORT)


def _both(looked: Looked, found: DaysFigures | None) -> tuple[Whereabouts, Whereabouts] | None:
    """Real and made people's whereabouts; None, and a word, where there are none."""
    made = _made(looked)
    if found is None or made is None:
        if made is not None:
            st.info("This run left no figures of real people.")
        return None
    where = looked.decided.plan_as(TracesPlan).where
    kept: Whereabouts = looked.session.keep(
        "made whereabouts", looked.run.identity, lambda: Whereabouts.of(made, where)
    )
    return found.real, kept


def _made(looked: Looked) -> Days | None:
    """Return the released days; None, and a word, where there are none."""
    output = looked.decided.output(TABLE)
    assert output.schema is not None
    schema, plan = output.schema, looked.decided.plan_as(TracesPlan)

    def load() -> Days:
        path = looked.run.table_of(output.name)
        with looked.run.intact():
            return made_days(first_records(path, schema, plan.traces * plan.days * SLOTS))

    if not looked.run.release.exists():
        st.info("This run released no days.")
        return None
    try:
        found: Days = looked.session.keep("made days", looked.run.identity, load)
    except Refusal as refusal:
        st.error(words.plain(str(refusal)))
        return None
    return found


def _kind(made: Whereabouts) -> int:
    """Weekdays or weekends; only the first where no weekend was made."""
    if not made.hours[1].any():
        return 0
    chosen = st.segmented_control(
        "Days", KINDS, default=KINDS[0], required=True, key="traces-kind",
        label_visibility="collapsed",
    )  # fmt: skip
    return KINDS.index(chosen or KINDS[0])
