"""The questions that decide what a promise is about: of what, of whom, of how many.

Each is open, answered in half, or answered, by what the page knows at the moment: no answer waits
for a button, and as long as one is open nothing that comes after them can be done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from understudy.core.refusal import Refusal
from understudy.mechanisms.plan import PUBLIC_RECORDS
from understudy.mechanisms.registry import mechanisms
from understudy.projects.state import Answers
from understudy.table.authoring.record_owner import (
    Likely,
    likely_order,
    likely_people,
    order_of,
)
from understudy.table.people import People
from understudy.table.positions.likely import likely as likely_positions
from understudy_dashboard.ledger_status import find_unsaid
from understudy_dashboard.session import Session

State = Literal["open", "half", "answered"]

_REASON: Final = "how you know that nobody in this table is in one that looks like it"


@dataclass(frozen=True)
class Standing:
    """How far a question is answered.

    Attributes:
        state: whether it is.
        missing: what has still to be said, as the rest of “still to be said: …”.
        refusal: why what was said cannot be; None where it can.
    """

    state: State
    missing: str = ""
    refusal: Refusal | None = None


ANSWERED: Final = Standing("answered")


@dataclass(frozen=True)
class PromiseQuestion:
    """A question that decides what a promise is about.

    Attributes:
        name: tells it from the others.
        asked: whether it is asked of what is open.
        standing: how far it is answered.
    """

    name: str
    asked: Callable[[Session], bool]
    standing: Callable[[Session], Standing]


def _is_of_positions(session: Session) -> bool:
    """Return whether the table is days on a map that were made of positions."""
    if session.data.table is not None:
        return session.data.table.raw.reading.positions is not None
    return session.settings.schema is not None and session.settings.schema.made_of_positions


def _needs_rows(session: Session) -> bool:
    """Return whether the open rows are those that something will be promised about."""
    return (
        session.settings.schema is not None
        and not session.data.simulated
        and not _is_of_positions(session)
        and session.answers.positions is not True
    )


def _needs_sizes(session: Session) -> bool:
    """Return whether numbers of records matter: to the promise about the open rows, or at least to
    the method in use."""
    if _needs_rows(session):
        return True
    method = mechanisms().get(session.settings.method)
    counts = method is not None and any(each.name == PUBLIC_RECORDS for each in method.fields)
    return session.settings.schema is not None and counts and _follows_positions(session)


def _may_be_positions(session: Session) -> bool:
    table = session.data.table
    if table is None or table.sample or _is_of_positions(session):
        return False
    return likely_positions(table.raw.names).found


def _judge_positions(session: Session) -> Standing:
    said = session.answers.positions
    if said is None:
        return Standing("open", "whether these are positions of people")
    if said:
        return Standing("half", "how the positions are read; then make days on a map of them")
    return ANSWERED


def _judge_unit(session: Session) -> Standing:
    assert session.settings.schema is not None
    said = session.answers
    if said.several is None:
        return Standing("open", "whether one person has several rows")
    if said.says(session.settings.schema.people):
        return ANSWERED
    lacking = _describe_lack(said)
    if lacking:
        return Standing("half", lacking)
    try:
        people = find_people(session)
        session.under_people(people)
    except Refusal as refusal:
        return Standing("half", "whose each row is, as what was said cannot be", refusal)
    return Standing("half", "whose each row is")


def _describe_lack(said: Answers) -> str:
    """Return what is not answered yet of people with several rows."""
    if not said.several:
        return ""
    if said.person is None:
        return "which column says who a row belongs to"
    if said.order is None:
        return "what orders a person’s rows"
    if said.records_at_most is None:
        return "how many rows of one person are kept at most"
    return ""


def _judge_records(session: Session) -> Standing:
    if session.settings.sizes.records is None and _needs_rows(session):
        return Standing("open", "how many records everybody may know to be in the table")
    return ANSWERED


def _is_open(session: Session) -> bool:
    return (
        session.data.table is not None
        and not session.data.table.sample
        and _follows_positions(session)
    )


def _follows_positions(session: Session) -> bool:
    return session.answers.positions is not True or _is_of_positions(session)


def _judge_whose(session: Session) -> Standing:
    asked = find_unsaid(session)
    if asked is None:
        return ANSWERED
    if session.belongs_to is not None or session.new_people == asked.dataset.table:
        return Standing("half", _REASON)
    return Standing("open", "whose records these are")


QUESTIONS: Final = (
    PromiseQuestion("positions", _may_be_positions, _judge_positions),
    PromiseQuestion("unit", _needs_rows, _judge_unit),
    PromiseQuestion("records", _needs_sizes, _judge_records),
    PromiseQuestion("whose", _is_open, _judge_whose),
)
"""In the order in which they are asked."""


_HALF_RULE: Final = Standing("half", "the rest of a rule that was begun, or that it is not needed")


def list_questions(session: Session) -> tuple[PromiseQuestion, ...]:
    """Return the questions that apply to what is open."""
    return tuple(each for each in QUESTIONS if each.asked(session))


def list_open_questions(session: Session) -> tuple[Standing, ...]:
    """Return how far the questions are answered that are not fully answered; nothing if all are.

    Raises:
        Refusal: the ledger cannot be used.
    """
    found = [each.standing(session) for each in list_questions(session)]
    if session.rule_draft is not None and session.rule_draft.is_begun:
        found.append(_HALF_RULE)
    return tuple(each for each in found if each.state != "answered")


def name_missing(left: Sequence[Standing]) -> str:
    """Return a sentence on what has still to be said."""
    missing = [standing.missing for standing in left]
    listed = missing[0] if len(missing) == 1 else f"{'; '.join(missing[:-1])}; and {missing[-1]}"
    return f"**Still to be said: {listed}.**"


def check_answered(session: Session) -> None:
    """Check that nothing is left to be answered.

    Raises:
        Refusal: something is.
    """
    left = list_open_questions(session)
    if left:
        raise Refusal(
            f"It is still to be said {left[0].missing}.", "Say it on the Data page.", field="unit"
        )


def answer(session: Session, **given: Any) -> None:
    """Take an answer about whose the rows are, whole or half; a whole one holds at once.

    Args:
        session: the page's state.
        given: settings of `Answers`; those left out stay.
    """
    session.answers = session.answers.model_copy(update=given)
    settle(session)


def settle(session: Session) -> None:
    """Have a whole answer about whose the rows are hold, where it could not when it was given, such
    as when too few columns were left."""
    said = session.answers
    if said.several is None or _describe_lack(said) or session.settings.schema is None:
        return
    try:
        people = find_people(session)
        if people != session.settings.schema.people:
            session.say_whose(people)
    except Refusal:
        # It stands beside the question, which stays open.
        return
    session.answers = said


def find_people(session: Session) -> People | None:
    """Return whose the rows are by the answers; None if each row stands for itself.

    Raises:
        Refusal: it cannot be.
    """
    said, table = session.answers, session.data.table
    if not said.several:
        return None
    if table is None:
        raise Refusal("No table is open.", "Open one on the Data page.", field="table")
    assert said.person is not None
    assert said.order is not None
    assert said.records_at_most is not None
    for name in (said.person, said.order):
        if name not in table.raw.names:
            raise Refusal(
                f"The table has no column “{name}”.", "Choose another column.", field=name
            )
    raw, order = table.raw, said.order
    order_as = session.cache.keep("order is", (id(raw), order), lambda: order_of(raw, order))
    return People(
        person=said.person,
        order=order,
        **order_as._asdict(),
        records_at_most=said.records_at_most,
    )


def say_several(session: Session, several: bool | None) -> None:
    """Answer whether one person has several rows; columns that look like it are filled in."""
    found = find_likely_people(session) if several else None
    if found is None or session.answers.person is not None:
        answer(session, several=several)
    else:
        answer(session, several=several, person=found.person, order=found.order)


def say_person(session: Session, name: str | None) -> None:
    """Answer which column says who a row belongs to; one that looks like the order is filled in."""
    table = session.data.table
    order = None if name is None or table is None else _guess_order(session, name)
    answer(session, person=name, order=order)


def find_likely_people(session: Session) -> Likely | None:
    """Return which columns may say whose a row is, found once a table. Internal."""
    assert session.data.table is not None
    raw = session.data.table.raw
    found: Likely | None = session.cache.keep("likely people", id(raw), lambda: likely_people(raw))
    return found


def _guess_order(session: Session, person: str) -> str | None:
    assert session.data.table is not None
    raw = session.data.table.raw
    found: str | None = session.cache.keep(
        "likely order", (id(raw), person), lambda: likely_order(raw, person)
    )
    return found
