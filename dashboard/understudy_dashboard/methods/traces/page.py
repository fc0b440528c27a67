"""The pages of made traces: the map and the number of people, Inspect, and slides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from understudy.charts import maps, ribbons, scales
from understudy.charts.export import enlarge
from understudy.charts.public import PublicPicture, public_pictures
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.mobility_evaluation import made_days
from understudy.mechanisms.plan import PUBLIC_PEOPLE, MechanismPlan
from understudy.mechanisms.statement import TABLE
from understudy.mechanisms.traces.charts.close import (
    close,
    close_table,
    closeness_words,
    day_parts,
    day_stops,
    days_of_one,
)
from understudy.mechanisms.traces.inspection import (
    HOURS,
    KINDS,
    DaysFigures,
    Whereabouts,
    place_names,
)
from understudy.mechanisms.traces.plan import TracesPlan
from understudy.models.mobility.stays import Days
from understudy.runs.folder import RunFolder
from understudy.runs.table_file import read_first_records
from understudy.runs.work_folder import Progress
from understudy.table.positions.slots import SLOTS
from understudy_dashboard import words
from understudy_dashboard.methods.method_settings import FormSettings, MethodSettings
from understudy_dashboard.methods.page import (
    FOR_YOUR_TABLE,
    MethodPage,
    RunInspection,
    Tabs,
    draw_pace,
)
from understudy_dashboard.methods.traces.words import describe_making
from understudy_dashboard.parts.evaluation import ask_evaluation
from understudy_dashboard.parts.form import Extra
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.parts.record_counts import make_people_extra
from understudy_dashboard.session import Session
from understudy_dashboard.slides import (
    WHY_OF_DAYS,
    Chart,
    Slide,
    SlideDrawing,
    draw_noisy_counts,
    make_drawing,
)

_KEPT, _MADE, _QUIET = "var(--kept)", "var(--made)", "var(--quiet)"
_SIDE: Final = 26
_WAY: Final = ((40, 110), (118, 84), (170, 32), (118, 84), (40, 110))


def _draw_making() -> tuple[SlideDrawing, ...]:
    """Return a person's days, what is counted of all, and a made day."""
    return (
        _draw_person(
            "**One person, one say.** Of each person only the home, the work and the usual "
            "days count, and all of their days together no more than a fixed amount."
        ),
        draw_noisy_counts(
            "**Counts with noise.** How many live and work where, when they set out and "
            "how far they go: each count gets noise, empty places too."
        ),
        _draw_day(
            "**People are made** from these counts alone: a home, a work, and days between them."
        ),
    )


def _draw_person(text: str) -> SlideDrawing:
    parts = []
    for row in range(5):
        y = 14 + 26 * row
        for x, wide, colour in ((20, 60, _KEPT), (84, 66, _MADE), (154, 30, _QUIET),
                                (188, 34, _KEPT)):  # fmt: skip
            parts.append(f'<rect x="{x}" y="{y}" width="{wide}" height="16" fill="{colour}"/>')
    parts.append(f'<rect x="10" y="6" width="222" height="136" rx="6" stroke="{_KEPT}" '
                 'stroke-width="3"/>')  # fmt: skip
    return make_drawing(parts, "Days of one person in a frame.", text)


def _draw_day(text: str) -> SlideDrawing:
    parts = [
        f'<rect x="{14 + _SIDE * column}" y="{10 + _SIDE * row}" width="{_SIDE}" '
        f'height="{_SIDE}" stroke="{_QUIET}" stroke-width="1"/>'
        for row in range(5)
        for column in range(8)
    ]
    path = " L".join(f"{x} {y}" for x, y in _WAY)
    parts.append(f'<path d="M{path}" stroke="{_MADE}" stroke-width="4"/>')
    parts += [f'<circle cx="{x}" cy="{y}" r="8" fill="{_MADE}"/>' for x, y in _WAY[:3]]
    return make_drawing(parts, "A path between three places on a grid.", text)


FITTING: Final = (
    "For tables of where each person is, and since when, such as positions of phones on a public "
    "map, of about a thousand people or more. It makes people who do not exist, each with a home, "
    "days and ways, out of *noisy counts* of what real people do. Nobody's own day is copied, and "
    "one person with all of their days changes each count by no more than a fixed amount, whether "
    "they were seen for a day or for a year. What few people tell of single cells they still tell "
    "of larger ones: choose a coarse map rather than a large ε."
)


def _list_extras(session: Session, chosen: FormSettings) -> Mapping[str, Extra]:
    """Return the people of the table, and the map that they carry."""
    return {
        PUBLIC_PEOPLE: make_people_extra(session, chosen.held, PUBLIC_PEOPLE),
        "gathered": Extra(below=partial(_offer_coarser_map, session, chosen)),
    }


def _offer_coarser_map(session: Session, chosen: FormSettings) -> None:
    """Draw the map as it is, and a button that takes as many cells together as the people need."""
    assert session.settings.schema is not None
    try:
        plan = chosen.plan(session.settings.schema, {})
    except Refusal:
        return
    assert isinstance(plan, TracesPlan)
    where, by = plan.where, plan.coarse_enough
    high, wide = where.cell_km
    st.caption(f"{where.cells:,} places of {high:g} by {wide:g} km.")
    if by is not None and by > plan.gathered:
        st.button(
            f"Take {by} cells each way together: a map coarse enough for this many people",
            key="take-gathered",
            icon=":material/grid_on:",
            on_click=setattr,
            args=(chosen.held, "gathered", by),
        )


_NOON: Final = 12
_OF_TIME: Final = "Share of the time"
_SHORT: Final = (
    "This is the short version. The full evaluation adds lives over several days, how well a "
    "forest of trees tells made days from real ones, what attacks find out about the people who "
    "were counted, and people who know nothing but the map to compare with."
)
_REAL_PEOPLE: Final = "Real people"
_MADE_PEOPLE: Final = "Made people"
_BESIDE: Final = (
    "Left the people who were counted, as they are: for your eyes, never to be shown or exported. "
    "Right the made ones, from the released table; that picture may be published."
)


def load_figures(looked: RunInspection[TracesPlan]) -> DaysFigures | None:
    """Return what the run left to be looked at."""

    def load() -> DaysFigures | None:
        with looked.run.intact():
            return DaysFigures.load(looked.run.internal)

    found: DaysFigures | None = looked.session.cache.keep("days", looked.run.identity, load)
    return found


def draw_density(looked: RunInspection[TracesPlan], found: DaysFigures | None) -> None:
    """Draw where real and made people are, at an hour, side by side."""
    both = _find_both(looked, found)
    if both is None:
        return
    real, made = both
    where = looked.decided.plan.where
    kind = _choose_kind(made)
    hour = st.slider("Hour of the day", 0, HOURS - 1, _NOON, format="%d:00", key="traces-hour")
    sides = [each.hours[kind, hour] for each in (real, made)]
    st.caption(_BESIDE)
    # One scale for both, and of made people alone: their picture may be published.
    most = float(sides[1].max())
    for place, name, shares in zip(st.columns(2), (_REAL_PEOPLE, _MADE_PEOPLE), sides, strict=True):
        with place:
            st.markdown(f"**{name}**, {hour}:00\N{EN DASH}{hour + 1}:00")
            secret = name == _REAL_PEOPLE
            title = scales.internal_note() if secret else scales.note("")
            draw_picture(
                maps.density(where, shares, _OF_TIME, most, title),
                maps.density_table(where, shares, _OF_TIME),
                key=f"density-{name}",
                alt=f"Where {name.lower()} are on {KINDS[kind].lower()} from {hour}:00, by cell",
                confidential=secret,
            )


def draw_flows(looked: RunInspection[TracesPlan], found: DaysFigures | None) -> None:
    """Draw between which zones real and made people move, side by side."""
    both = _find_both(looked, found)
    if both is None:
        return
    where = looked.decided.plan.where
    kind = _choose_kind(both[1])
    sides = [each.flows[kind] for each in both]
    # As for `draw_density`.
    most = float(np.triu(sides[1] + sides[1].T, 1).max())
    st.caption(
        f"Lines between zones, the thicker the more of all moves; the thickest is "
        f"{words.percent(most)} of them or more. {_BESIDE}"
    )
    for place, name, shares in zip(st.columns(2), (_REAL_PEOPLE, _MADE_PEOPLE), sides, strict=True):
        with place:
            st.markdown(f"**{name}**")
            secret = name == _REAL_PEOPLE
            title = scales.internal_note() if secret else scales.note("")
            draw_picture(
                maps.flows(where, shares, most, title),
                maps.flows_table(where, shares),
                key=f"flows-{name}",
                alt=f"Between which zones {name.lower()} move on {KINDS[kind].lower()}",
                confidential=secret,
            )


def draw_person(looked: RunInspection[TracesPlan]) -> None:
    """Draw the days of one made person: as ribbons, and one of them on the map."""
    made = _load_days(looked)
    if made is None:
        return
    plan = looked.decided.plan
    names = place_names(plan, looked.decided.schema)
    st.caption(
        "Nobody you see here exists. All of it is from the released table and may be published."
    )
    who, when = st.columns(2, vertical_alignment="bottom")
    person = who.number_input("Made person", 1, made.people, 1, key="traces-person")
    one = days_of_one(made, int(person) - 1)
    days = len(one.cells)
    day = 0
    if days > 1:
        day = when.select_slider(
            "Day on the map", range(days), format_func=ribbons.named_day, key="traces-day"
        )
    pieces = day_parts(one, plan.where, names)
    draw_picture(
        ribbons.ribbon(pieces, scales.note("")),
        ribbons.ribbon_table(pieces),
        key="ribbon",
        alt=f"The days of made person {person:,}: at home, at work, elsewhere, on the way",
        confidential=False,
    )
    cells, said = day_stops(day, pieces, names)
    if not cells:
        st.info("On this day they are off the map.")
        return
    st.markdown(f"**{ribbons.named_day(day)}**, from place to place")
    shown = [each for each in pieces if each.day == day]
    draw_picture(
        maps.path(plan.where, cells, said, scales.note("")),
        ribbons.ribbon_table(shown),
        key="path",
        alt=f"The path of made person {person:,} on {ribbons.named_day(day)}, on the map",
        confidential=False,
    )


def draw_closeness(looked: RunInspection[TracesPlan], found: DaysFigures | None) -> None:
    """Draw how far made people are from real ones, beside other real people."""
    if found is None:
        st.info("This run left no figures.")
        return
    for sentence in closeness_words(found):
        st.markdown(sentence)
    if not found.made:
        return
    st.caption(
        "The shorter the bar, the closer. Both are held against people who were not counted, on "
        "weekdays. Other real people are off too, by chance alone: nothing can be expected to come "
        "closer than they do. The table says what each figure means."
    )
    draw_picture(
        close(found),
        close_table(found),
        key="close",
        alt="How far made people and other real people are off, by what is measured",
    )
    if looked.found is None:
        ask_evaluation(looked.session, looked.run, looked.schema, _SHORT)


def _find_both(
    looked: RunInspection[TracesPlan], found: DaysFigures | None
) -> tuple[Whereabouts, Whereabouts] | None:
    """Return real and made people's whereabouts; None, after saying why, where there are none."""
    made = _load_days(looked)
    if found is None or made is None:
        if made is not None:
            st.info("This run left no figures of real people.")
        return None
    where = looked.decided.plan.where
    kept: Whereabouts = looked.session.cache.keep(
        "made whereabouts", looked.run.identity, lambda: Whereabouts.of(made, where)
    )
    return found.real, kept


def _load_days(looked: RunInspection[TracesPlan]) -> Days | None:
    """Return the released days; None, after saying why, where there are none."""
    output = looked.decided.output(TABLE)
    assert output.schema is not None
    schema, plan = output.schema, looked.decided.plan

    def load() -> Days:
        path = looked.run.table_of(output.name)
        with looked.run.intact():
            return made_days(read_first_records(path, schema, plan.traces * plan.days * SLOTS))

    if not looked.run.release.exists():
        st.info("This run released no days.")
        return None
    try:
        found: Days = looked.session.cache.keep("made days", looked.run.identity, load)
    except Refusal as refusal:
        st.error(words.escape(str(refusal)))
        return None
    return found


def _choose_kind(made: Whereabouts) -> int:
    """Return weekdays or weekends; only the first where no weekend was made."""
    if not made.hours[1].any():
        return 0
    chosen = st.segmented_control(
        "Days", KINDS, default=KINDS[0], required=True, key="traces-kind",
        label_visibility="collapsed",
    )  # fmt: skip
    return KINDS.index(chosen or KINDS[0])


_LARGER: Final = 1.4
_SHOWN: Final = ("person", "guesses")
"""The pictures of a plan that a board is shown."""


def list_protection_slides(decided: PlannedRun[TracesPlan]) -> tuple[Slide, ...]:
    """Return what a person means here, and how often the best guess is right. Public."""
    if not decided.guarantee.total.bounded:
        return ()
    return tuple(_list_picture_slides(decided))


def _list_picture_slides(decided: PlannedRun[TracesPlan]) -> Iterator[Slide]:
    for each in public_pictures(decided):
        if each.name in _SHOWN:
            yield Slide(
                each.name,
                each.title,
                text=_SAID[each.name],
                chart=partial(_enlarge, each),
                alt=each.alt,
            )


def _enlarge(found: PublicPicture) -> Chart:
    return enlarge(found.figure, _LARGER), found.table


_SAID: Final = {
    "person": "Two tables: in one, somebody is there with every day that was recorded of them; in "
    "the other, never. What is released looks much the same from both.",
    "guesses": "Somebody knows everybody’s days, and has to say whether one person was in the "
    "table. A coin is right 50 times of 100; no guess is right more often than the line says.",
}


def list_kept_slides(run: RunFolder) -> tuple[Slide, ...]:
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
            text=closeness_words(found)[0],
            chart=(lambda: (enlarge(close(found), _LARGER), close_table(found)))
            if found.made
            else None,
            alt="How far made people and other real people are off, by what is measured",
            internal=True,
        ),
    )


class TracesPage(MethodPage):
    """As `MethodPage`."""

    serves: str = (
        "The days of made-up people on a map: where they live and work, where they go, and when."
    )
    asked: Sequence[str] = (PUBLIC_PEOPLE, "gathered")
    why: tuple[str, str] = WHY_OF_DAYS

    def details(
        self, session: Session, decided: PlannedRun[TracesPlan]
    ) -> Mapping[str, Callable[[], object]]:
        """Return the fold on what the method is for."""
        return {FOR_YOUR_TABLE: partial(st.markdown, FITTING)}

    def extras(self, session: Session, chosen: MethodSettings) -> Mapping[str, Extra]:
        """Return what `MethodPage` asks for."""
        assert isinstance(chosen, FormSettings)
        return _list_extras(session, chosen)

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return the number of people and days."""
        assert isinstance(plan, TracesPlan)
        return describe_making(plan)

    def pace(self, plan: MechanismPlan, progress: Progress) -> None:
        """Draw how many people a second."""
        draw_pace("People", progress)

    def tabs(self, looked: RunInspection[TracesPlan], usual: Tabs) -> Tabs:
        """Return maps, a made person, and the usual ones, with how close they come first of all."""
        found = load_figures(looked)
        own: Tabs = {
            "Maps": {
                "Where people are": lambda: draw_density(looked, found),
                "Moves between zones": lambda: draw_flows(looked, found),
            },
            "A made person": {"": lambda: draw_person(looked)},
        }
        overview = {
            "In short": lambda: draw_closeness(looked, found),
            "Every measure": usual["Overview"][""],
        }
        return {
            "Overview": overview,
            **own,
            **{name: parts for name, parts in usual.items() if name != "Overview"},
        }

    def summarise_run(self, looked: RunInspection[TracesPlan]) -> str:
        """Return no text: it stands under “In short”, with its chart."""
        return ""

    def describe_released(self, decided: PlannedRun[TracesPlan]) -> str:
        """Return the number of people and days."""
        return f"The days of {describe_making(decided.plan)} each, none of whom exists"

    def list_protection_slides(self, decided: PlannedRun[TracesPlan]) -> tuple[Slide, ...]:
        """Return what `MethodPage` asks for."""
        return list_protection_slides(decided)

    def list_kept_slides(
        self, run: RunFolder, decided: PlannedRun[TracesPlan]
    ) -> tuple[Slide, ...]:
        """Return what `MethodPage` asks for."""
        return list_kept_slides(run)

    def making(self, decided: PlannedRun[TracesPlan]) -> tuple[SlideDrawing, ...]:
        """Return what `MethodPage` asks for."""
        return _draw_making()


PAGE: Final = TracesPage()
