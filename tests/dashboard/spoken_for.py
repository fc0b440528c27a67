"""The custodian's word for the people in a table of a test."""

from __future__ import annotations

from dashboard.session import Session
from engine.runs.control import home_ledger


def say_new(session: Session) -> None:
    """Say that the people in the open table are new, and others than any that look alike."""
    assert session.table is not None
    session.new_people = home_ledger().likeness(session.table.raw).fingerprint
    session.apart_because = "Nobody in a table of a test exists."
