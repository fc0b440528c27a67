"""The custodian's word for the people in a table of a test."""

from __future__ import annotations

from understudy.projects.state import Answers, Sizes
from understudy.runs.control import home_ledger
from understudy_dashboard.session import Session


def say_new(session: Session) -> None:
    """Say that the people in the open table are new, and others than any that look alike."""
    assert session.data.table is not None
    session.new_people = home_ledger().likeness(session.data.table.raw).fingerprint
    session.apart_because = "Nobody in a table of a test exists."


def answer_all(session: Session, records: int = 400) -> None:
    """Answer everything that a promise about the open table depends on: each row stands for a
    person of its own, so many records are publicly known, and the people in it are new."""
    assert session.settings.schema is not None
    if session.settings.schema.people is None:
        session.answers = Answers(positions=False, several=False)
    session.settings.sizes = Sizes(records=records)
    say_new(session)
