"""Does one person have several rows? Whose the rows of the open table are, and what follows."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dashboard import words
from dashboard.frame import Fields
from dashboard.internal import internal
from dashboard.session import Session
from engine.core.numerals import percent
from engine.core.refusal import Refusal
from engine.table.authoring.belonging import Likely, likely_order, likely_people, order_of
from engine.table.people import MOST_PER_PERSON, People, Tally

_USUAL: Final = 10
_NO, _YES = "No, one row at most", "Yes, several"
_ICON: Final = ":material/groups:"
_COUNTED: Final = "Counted in your table. The number above is public; these are not."
_PROTECTED: Final = "What is protected is now a person, with all of their rows"
_KEPT: Final = (
    f"{_PROTECTED}. The plan as it stands takes more for that: see what the Privacy page proposes."
)
_ASK: Final = "Does one person have several rows?"


def sequences(session: Session) -> None:
    """Ask whose the rows are, say what follows, and take the answer."""
    assert session.schema is not None
    people = session.schema.people
    if session.table is None or session.table.sample:
        return
    with st.container(border=True, key="people"):
        st.markdown(f"**{_ASK}**")
        likely = _likely(session)
        if people is None and likely is not None and not session.editing.alone:
            with internal("likely-people", "Found in your table, as a reason to ask."):
                st.markdown(_suspected(likely))
        answer = st.radio(
            _ASK,
            [_NO, _YES],
            index=_answered(session, likely),
            key=f"people-several-{session.revision}",
            label_visibility="collapsed",
            horizontal=True,
        )
        if answer == _YES:
            session.editing.alone = False
            _declare(session, people, likely)
        elif answer == _NO:
            session.editing.alone = True
            if people is not None:
                session.say_whose(None)
                st.rerun()


def wants_answer(session: Session) -> bool:
    """Whether something in the table is a reason to ask, and nobody has answered yet."""
    if session.schema is None or session.table is None or session.table.sample:
        return False
    return _answered(session, _likely(session)) is None


def _likely(session: Session) -> Likely | None:
    """Which columns may say whose a row is; looked for once a table. Internal."""
    assert session.table is not None
    raw = session.table.raw
    found: Likely | None = session.keep("likely people", id(raw), lambda: likely_people(raw))
    return found


def _answered(session: Session, likely: Likely | None) -> int | None:
    """Which answer stands there; none where there is a reason to ask and nobody has said."""
    assert session.schema is not None
    if session.schema.people is not None:
        return 1
    asked = likely is not None and not session.editing.alone and not session.declared
    return None if asked else 0


def _suspected(likely: Likely) -> str:
    said = (
        f"Values of column “{words.plain(likely.person)}” stand in several rows each, as names or "
        "numbers of people do."
    )
    if likely.order is not None:
        said += f" “{words.plain(likely.order)}” may say which row comes first."
    return f"{said} Is that so?"


def _declare(session: Session, people: People | None, likely: Likely | None) -> None:
    """The three questions, what follows from the answers, and the button that keeps them."""
    asked, refusal = _asked(session, people, likely)
    tally: Tally | None = None
    if asked is not None:
        try:
            tally = session.tally(asked)
        except Refusal as found:
            refusal = found
    fields = Fields(refusal)
    if asked is not None:
        # A refusal about a column of the file belongs beside the question that named it.
        fields.beside("person", asked.person)
        fields.beside("order", asked.order)
    fields.rest()
    if asked is None or tally is None:
        return
    st.markdown(_follows(asked, "is" if asked == people else "is then"))
    with internal("people-kept", _COUNTED):
        st.markdown(_counted(tally, asked))
    if asked != people:
        if st.button(
            "Keep it like this", type="primary", icon=":material/groups:", key="people-keep"
        ):
            session.say_whose(asked)
            session.notices.append(_KEPT if asked.records_at_most > 1 else f"{_PROTECTED}.")
            st.rerun()
    elif not session.declared:
        st.caption("It is confirmed as public below, with the columns.")


def _asked(
    session: Session, people: People | None, likely: Likely | None
) -> tuple[People | None, Refusal | None]:
    """What the three widgets say; or why that cannot be."""
    assert session.table is not None
    raw, turn = session.table.raw, session.revision
    names = list(raw.names)
    first, second, third = st.columns(3, vertical_alignment="bottom")
    person = first.selectbox(
        "Which column says who a row belongs to?",
        names,
        index=_place(names, people.person if people else likely.person if likely else None),
        placeholder="Choose a column",
        key=f"people-person-{turn}",
        help="A number or name of the person. It is used for this alone, and is in nothing that "
        "is released.",
    )
    if person is None:
        return None, None
    usual = people.order if people and people.person == person else _order(session, person)
    order = second.selectbox(
        "What orders a person’s rows?",
        names,
        index=_place(names, usual),
        placeholder="Choose a column",
        key=f"people-order-{turn}-{person}",
        help="A column of numbers or of points in time, such as a wave, a visit or a date. Rows "
        "that are equal in it stay in the order of the file.",
    )
    most = third.number_input(
        "Most rows kept of one person",
        min_value=1,
        max_value=MOST_PER_PERSON,
        value=people.records_at_most if people else _USUAL,
        key=f"people-most-{turn}",
        help="Of a person with more rows, those that come first are kept. Choose it by what is "
        "publicly known, such as the number of waves: it is published.",
    )
    if order is None:
        return None, None
    try:
        made = People(
            person=person, order=order, order_is=order_of(raw, order), records_at_most=int(most)
        )
    except Refusal as refusal:
        return None, refusal
    return made, None


def _order(session: Session, person: str) -> str | None:
    assert session.table is not None
    raw = session.table.raw
    found: str | None = session.keep(
        "likely order", (id(raw), person), lambda: likely_order(raw, person)
    )
    return found


def _place(names: list[str], name: str | None) -> int | None:
    return names.index(name) if name in names else None


def _follows(people: People, verb: str) -> str:
    """What follows from whose the rows are, in words."""
    person, order = words.plain(people.person), words.plain(people.order)
    most = people.records_at_most
    kept = "the first row is" if most == 1 else f"the first {most:,} rows are"
    said = [
        f"**What is protected {verb} the person**, with all of their rows. Of each person {kept} "
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
