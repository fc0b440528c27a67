"""What is asked of a table before anything else, and always in view on Data: whose its rows are,
how many there are, and how many are to be made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import streamlit as st

from understudy.core.numerals import percent
from understudy.ledger.book import Book, Dataset
from understudy.ledger.likeness import SharedRecords
from understudy.ledger.people import Alike
from understudy.table.authoring.record_owner import Likely
from understudy.table.people import MOST_PER_PERSON, People, Tally
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals, mark_internal, showing_refusals
from understudy_dashboard.ledger_status import (
    dataset_of,
    default_dataset,
    find_unsaid,
    keep_own_datasets,
    list_similar,
    open_book,
)
from understudy_dashboard.parts.controls import ask_yes_or_no, fill_widget
from understudy_dashboard.parts.positions import draw_made_positions, draw_positions
from understudy_dashboard.parts.record_counts import draw_sizes
from understudy_dashboard.questions import (
    PromiseQuestion,
    Standing,
    answer,
    find_likely_people,
    list_questions,
    name_missing,
    say_person,
    say_several,
    settle,
)
from understudy_dashboard.session import Session
from understudy_dashboard.sign_in import current_person

_KEY, _REASON = "whose", "whose-reason"
_WHO: Final = "Who is in it?"
_NEW: Final = "new"
_NOBODY: Final = "Nobody in it is in a table that was used here before"
_FEW: Final = 6
"""So many choices stand beside one another; more are a list."""
_SOMEBODY = "a dataset of somebody else on this server"
_COMPARED = "Compared with what the ledger knows its tables by."


def ask_dataset(session: Session) -> None:
    """Ask whose records the open table holds, and show the answer; it counts as it is given.

    Raises:
        Refusal: the ledger cannot be used.
    """
    presented = dataset_of(session)
    assert presented is not None
    found = open_book(session)
    st.markdown("**Whose records are these?**")
    paid = found.datasets.get(found.tables.get(presented.table or "", ""))
    if paid is not None:
        st.markdown(
            f"The ledger knows this very table as **{name_dataset(paid, found)}**. What was spent "
            "on it "
            "counts, and so will every run."
        )
        return
    st.markdown(
        "What is spent on the same people adds up, in whatever file they come. Nobody but you can "
        "tell who is in this table."
    )
    resembling = list_similar(session)
    draw_resemblance(resembling, found)
    _ask_who(session, presented, found, [each.dataset for each in resembling])
    asked = find_unsaid(session)
    chosen = _find_choice(session, presented, found)
    if chosen is not None and ((asked is not None and asked.alike) or _find_reason(session)):
        _ask_reason(session, presented)


def draw_resemblance(alike: Sequence[Alike], found: Book) -> None:
    """Say what a table has in common with tables that were spent on."""
    if not alike:
        return
    with mark_internal("resemblance", _COMPARED):
        for each in alike:
            st.markdown(_describe_dataset(each, found))


def _describe_dataset(alike: Alike, found: Book) -> str:
    name, overlap = name_dataset(alike.dataset, found), alike.overlap
    if overlap is None:
        return (
            f"The sketch of a table of **{name}** is missing from the ledger’s folder, so this "
            f"one cannot be compared with it. {_describe_spent(alike.dataset, found)}"
        )
    parts = []
    if overlap.of_this.found:
        parts.append(
            f"**{_format_share(overlap.of_this)} of its different rows** were in a table of "
            f"**{name}**, "
            f"and {_format_share(overlap.of_other)} of that table’s are in it."
        )
    if overlap.columns:
        columns = words.count(overlap.columns, "column")
        parts.append(f"{columns} of it are identical to columns of a table of **{name}**.")
    return f"{' '.join(parts)} {_describe_spent(alike.dataset, found)} Are they the same people?"


def _format_share(share: SharedRecords) -> str:
    low, high = share.interval
    return f"{percent(share.estimate)} ({percent(low)} to {percent(high)})"


def _describe_spent(dataset: Dataset, found: Book) -> str:
    spent = found.balance(dataset).spent
    if not spent.bounded:
        return "More than any ε was spent on it."
    return f"ε = {words.epsilon(spent.epsilon)} was spent on it."


def name_dataset(dataset: Dataset, found: Book) -> str:
    """Return what a dataset is called; of other people's not even the name is shown."""
    return (
        words.escape(dataset.name)
        if dataset.id in keep_own_datasets(found, current_person()).datasets
        else _SOMEBODY
    )


def _ask_who(
    session: Session, presented: Dataset, found: Book, resembling: Sequence[Dataset]
) -> None:
    """Ask for new people, or those of a dataset."""
    usual = default_dataset(session)
    by_name = [usual] if found.has_people(usual) else []
    mine = [
        each
        for each in keep_own_datasets(found, current_person()).datasets.values()
        if found.has_people(each)
    ]
    known = {each.id: each for each in (*by_name, *resembling, *mine)}
    chosen = _find_choice(session, presented, found)
    choices = {} if by_name and chosen != _NEW else {_NEW: _NOBODY}
    for each in known.values():
        choices[each.id] = f"They are people of “{name_dataset(each, found)}”, or some of them are"
    fill_widget(_KEY, chosen if chosen in choices else None)
    settings: dict[str, Any] = {
        "index": None,
        "format_func": choices.__getitem__,
        "key": _KEY,
        "on_change": _take_who,
        "args": (session, presented.table, known),
    }
    if len(choices) <= _FEW:
        st.radio(_WHO, list(choices), **settings)
    else:
        st.selectbox(_WHO, list(choices), **settings)
    if by_name and session.belongs_to is None and chosen != _NEW:
        st.caption(
            "Its name is the same, so what was spent there counts here. Where nobody is in both, "
            "say so under Ledger."
        )


def _find_choice(session: Session, presented: Dataset, found: Book) -> str | None:
    """Return which of the choices was made."""
    if session.new_people is not None and session.new_people == presented.table:
        return _NEW
    if session.belongs_to is not None or found.has_people(presented):
        return presented.id
    return None


def _take_who(session: Session, table: str | None, known: Mapping[str, Dataset]) -> None:
    picked = st.session_state[_KEY]
    if picked == _NEW:
        session.belongs_to, session.new_people = None, table
    else:
        session.belongs_to = None if picked is None else known[picked].name
        session.new_people = None


def _find_reason(session: Session) -> str:
    """Return the reason that was given of this table; "" for none."""
    found = dataset_of(session)
    return "" if found is None else found.said.reason


def _ask_reason(session: Session, presented: Dataset) -> None:
    """Ask why the people are not those of a table that looks like theirs."""
    fill_widget(_REASON, _find_reason(session))
    st.text_input(
        "How you know that nobody is in both",
        key=_REASON,
        placeholder="such as: another clinic, whose patients are others",
        on_change=_take_reason,
        args=(session, presented),
        help="It is in the ledger, with your word that they are others.",
    )


def _take_reason(session: Session, presented: Dataset) -> None:
    session.apart_because = " ".join(st.session_state[_REASON].split())
    session.apart_table = presented.table


_ANSWERS: Final = "No, one row at most", "Yes, several"
_COUNTED: Final = "Counted in your table. The number above is public; these are not."
_ASK: Final = "Does one person have several rows?"
_SEVERAL, _PERSON, _ORDER, _MOST = (
    f"people-{name}" for name in ("several", "person", "order", "most")
)


def ask_whose_rows(session: Session, standing: Standing) -> None:
    """Ask whose the rows are, and say what follows; every answer counts as it is given.

    Args:
        session: the page's state.
        standing: how far the question is answered.
    """
    st.markdown(f"**{_ASK}**")
    said = session.answers
    likely = find_likely_people(session)
    if said.several is None and likely is not None:
        with mark_internal("likely-people", "Found in your table, as a reason to ask."):
            st.markdown(_describe_suspected(likely))
    ask_yes_or_no(_ASK, _ANSWERS, _SEVERAL, said.several, partial(say_several, session))
    if said.several:
        _ask_several(session, standing)


def _ask_several(session: Session, standing: Standing) -> None:
    """Ask the three questions about people with several rows, and draw what follows from the
    answers."""
    assert session.data.table is not None
    assert session.settings.schema is not None
    said, names = session.answers, list(session.data.table.raw.names)
    first, second, third = st.columns(3, vertical_alignment="bottom")
    for key, value in ((_PERSON, said.person), (_ORDER, said.order)):
        fill_widget(key, value if value in names else None)
    fill_widget(_MOST, said.records_at_most)
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
        on_change=_take_several,
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
        on_change=_take_several,
        args=(session, "records_at_most", _MOST),
        help="Of a person with more rows, those that come first are kept. Choose it by what is "
        "publicly known, such as the number of waves: it is published.",
    )
    fields = FieldRefusals(standing.refusal)
    # A refusal about a column of the file belongs beside the question that named it.
    fields.beside("person", *filter(None, [said.person]))
    fields.beside("order", *filter(None, [said.order]))
    fields.rest()
    people = session.settings.schema.people
    if standing.state == "answered" and people is not None:
        st.markdown(_describe_consequences(people))
        with mark_internal("people-kept", _COUNTED):
            st.markdown(_describe_kept(session.data.tally(people), people))


def _take_person(session: Session) -> None:
    say_person(session, st.session_state[_PERSON])


def _take_several(session: Session, name: str, key: str) -> None:
    given: dict[str, Any] = {name: st.session_state[key]}
    answer(session, **given)


def _describe_suspected(likely: Likely) -> str:
    said = (
        f"Values of column “{words.escape(likely.person)}” stand in several rows each, as names or "
        "numbers of people do."
    )
    if likely.order is not None:
        said += f" “{words.escape(likely.order)}” may say which row comes first."
    return f"{said} Is that so?"


def _describe_consequences(people: People) -> str:
    """Return what follows from whose the rows are, in words."""
    person, order = words.escape(people.person), words.escape(people.order)
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


def _describe_kept(tally: Tally, people: People) -> str:
    rows, persons = words.count(tally.records, "row"), words.count(tally.people, "person", "people")
    if not tally.dropped:
        return f"{rows} of {persons}. All of them are kept."
    return (
        f"{rows} of {persons}. **{words.count(tally.dropped, 'row')}** "
        f"({percent(tally.dropped / tally.records)}) of "
        f"{words.count(tally.shortened, 'person', 'people')} come after the first "
        f"{people.records_at_most:,} and are not used."
    )


_DRAWN_BY: Final[dict[str, Callable[[Session, Standing], None]]] = {
    "positions": lambda session, _: draw_positions(session),
    "unit": ask_whose_rows,
    "records": lambda session, _: draw_sizes(session),
    "whose": lambda session, _: ask_dataset(session),
}


def draw_questions(session: Session) -> bool:
    """Draw the questions that decide what is promised, with the answers that they have.

    Returns:
        Whether all of them are answered.

    Raises:
        Refusal: the ledger cannot be used.
    """
    settle(session)
    draw_made_positions(session)
    found = list_questions(session)
    if not found:
        return True
    st.subheader("What the promise is about", anchor=False)
    for each in found:
        _draw_question(session, each)
    left = [said for each in found if (said := each.standing(session)).state != "answered"]
    if not left:
        return True
    st.info(
        f"{name_missing(left)} What the columns may contain comes next.",
        icon=":material/help:",
    )
    return False


def _draw_question(session: Session, question: PromiseQuestion) -> None:
    with st.container(border=True, key=f"asked-{question.name}"), showing_refusals():
        _DRAWN_BY[question.name](session, question.standing(session))
