"""Does one person have several rows? Whose the rows of the open table are, and what follows."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import streamlit as st

from understudy.core.numerals import percent
from understudy.table.authoring.belonging import Likely
from understudy.table.people import MOST_PER_PERSON, People, Tally
from understudy_dashboard import words
from understudy_dashboard.frame import Fields
from understudy_dashboard.internal import internal
from understudy_dashboard.parts.controls import ask_yes_or_no, fill
from understudy_dashboard.questions import Standing, answer, likely_in, say_person, say_several
from understudy_dashboard.session import Session

_ANSWERS: Final = "No, one row at most", "Yes, several"
_COUNTED: Final = "Counted in your table. The number above is public; these are not."
_ASK: Final = "Does one person have several rows?"
_SEVERAL, _PERSON, _ORDER, _MOST = (
    f"people-{name}" for name in ("several", "person", "order", "most")
)


def sequences(session: Session, standing: Standing) -> None:
    """Ask whose the rows are, and say what follows; every answer counts as it is given.

    Args:
        session: the page's state.
        standing: how far the question is answered.
    """
    st.markdown(f"**{_ASK}**")
    said = session.answers
    likely = likely_in(session)
    if said.several is None and likely is not None:
        with internal("likely-people", "Found in your table, as a reason to ask."):
            st.markdown(_suspected(likely))
    ask_yes_or_no(_ASK, _ANSWERS, _SEVERAL, said.several, partial(say_several, session))
    if said.several:
        _several(session, standing)


def _several(session: Session, standing: Standing) -> None:
    """Ask the three questions about people with several rows, and draw what follows from the
    answers."""
    assert session.table is not None
    assert session.schema is not None
    said, names = session.answers, list(session.table.raw.names)
    first, second, third = st.columns(3, vertical_alignment="bottom")
    for key, value in ((_PERSON, said.person), (_ORDER, said.order)):
        fill(key, value if value in names else None)
    fill(_MOST, said.records_at_most)
    first.selectbox(
        "Which column says who a row belongs to?",
        names,
        index=None,
        placeholder="Choose a column",
        key=_PERSON,
        on_change=_take_person,
        args=(session,),
        help="A number or name of the person; of the household, where whole households are to be "
        "protected. It is used for this alone, and is in nothing that is released.",
    )
    second.selectbox(
        "What orders a person’s rows?",
        names,
        index=None,
        placeholder="Choose a column",
        key=_ORDER,
        on_change=_take,
        args=(session, "order", _ORDER),
        help="A column of numbers or of points in time, such as a wave, a visit or a date. Rows "
        "that are equal in it stay in the order of the file.",
    )
    third.number_input(
        "Most rows kept of one person",
        min_value=1,
        max_value=MOST_PER_PERSON,
        value=None,
        step=1,
        placeholder="such as 4",
        key=_MOST,
        on_change=_take,
        args=(session, "records_at_most", _MOST),
        help="Of a person with more rows, those that come first are kept. Choose it by what is "
        "publicly known, such as the number of waves: it is published.",
    )
    fields = Fields(standing.refusal)
    # A refusal about a column of the file belongs beside the question that named it.
    fields.beside("person", *filter(None, [said.person]))
    fields.beside("order", *filter(None, [said.order]))
    fields.rest()
    people = session.schema.people
    if standing.state == "answered" and people is not None:
        st.markdown(_follows(people))
        with internal("people-kept", _COUNTED):
            st.markdown(_counted(session.tally(people), people))


def _take_person(session: Session) -> None:
    say_person(session, st.session_state[_PERSON])


def _take(session: Session, name: str, key: str) -> None:
    given: dict[str, Any] = {name: st.session_state[key]}
    answer(session, **given)


def _suspected(likely: Likely) -> str:
    said = (
        f"Values of column “{words.plain(likely.person)}” stand in several rows each, as names or "
        "numbers of people do."
    )
    if likely.order is not None:
        said += f" “{words.plain(likely.order)}” may say which row comes first."
    return f"{said} Is that so?"


def _follows(people: People) -> str:
    """Return what follows from whose the rows are, in words."""
    person, order = words.plain(people.person), words.plain(people.order)
    most = people.records_at_most
    kept = "the first row is" if most == 1 else f"the first {most:,} rows are"
    said = [
        f"**What is protected is the person**, with all of their rows. Of each person {kept} "
        f"kept, in the order of “{order}”; no others are counted or used. Column “{person}” says "
        "whose each is, and is in nothing that is released."
    ]
    if most > 1:
        said.append(
            f"The promise is for {most:,} rows together, so that it costs about {most:,} times "
            "what it would for one: keep no more than you need."
        )
    return " ".join(said)


def _counted(tally: Tally, people: People) -> str:
    rows, persons = words.count(tally.records, "row"), words.count(tally.people, "person", "people")
    if not tally.dropped:
        return f"{rows} of {persons}. All of them are kept."
    return (
        f"{rows} of {persons}. **{words.count(tally.dropped, 'row')}** "
        f"({percent(tally.dropped / tally.records)}) of "
        f"{words.count(tally.shortened, 'person', 'people')} come after the first "
        f"{people.records_at_most:,} and are not used."
    )
