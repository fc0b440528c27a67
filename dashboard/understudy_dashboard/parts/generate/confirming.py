"""What the start of a run would refuse, said before it can be pressed; and the one thing that is
confirmed here: how many records or people everybody may know to be in the table."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import PUBLIC_PEOPLE, PUBLIC_RECORDS
from understudy.mechanisms.registry import method_named
from understudy.privacy.budget import Neighbours
from understudy.runs.control import check_start
from understudy.runs.work import Job
from understudy_dashboard import words
from understudy_dashboard.frame import link, refuse
from understudy_dashboard.parts.controls import fill
from understudy_dashboard.session import Session

_PUBLIC = (PUBLIC_RECORDS, PUBLIC_PEOPLE)


@dataclass(frozen=True)
class Counted:
    """A number that a promise counts on to be public knowledge.

    Attributes:
        needed: it.
        said: the number that was confirmed; None for none.
        what: what is counted, such as “records”.
        exactly: whether it is this very number that counts, and not that there are as many.
        help: what the method says of it.
    """

    needed: int
    said: int | None
    what: str
    exactly: bool
    help: str | None

    @property
    def is_confirmed(self) -> bool:
        """Return whether the confirmed number is enough."""
        if self.said is None:
            return False
        return self.said == self.needed if self.exactly else self.said >= self.needed

    @classmethod
    def of(cls, session: Session, records: int) -> Counted:
        """Return the number of records as entered on the Data page, if no plan can be made before
        it is confirmed."""
        return cls(records, None, "records", exactly=False, help=_help(session, PUBLIC_RECORDS))

    @classmethod
    def by(cls, session: Session, decided: PlannedRun) -> Counted | None:
        """Return what the promise of a plan counts on; None for nothing.

        Where it counts on nothing before a number is confirmed, the one that was said on the Data
        page is what there is to confirm.
        """
        found, plan = decided.guarantee, decided.plan
        of_people = found.people_at_least is not None
        setting, what = (PUBLIC_PEOPLE, "people") if of_people else (PUBLIC_RECORDS, "records")
        if found.records_among:
            what = f"records {words.plain(found.records_among)}"
        needed = found.people_at_least if of_people else found.records_at_least
        if needed is None and _refused_public(decided, _PUBLIC) is not None:
            needed = session.sizes.records
        if needed is None or not found.total.bounded:
            return None
        exactly = found.neighbours is Neighbours.REPLACEMENTS
        said = getattr(plan, setting, None)
        return cls(needed, said, what, exactly=exactly, help=_help(session, setting))


def draw_confirmations(session: Session, job: Job, decided: PlannedRun) -> bool:
    """Draw what there is to confirm, and what the start of a run would refuse.

    Args:
        session: the page's state.
        job: what would be started.
        decided: its plan, with what it promises.

    Returns:
        Whether it would refuse nothing.
    """
    counted = None if job.seed is not None else Counted.by(session, decided)
    if counted is not None:
        ask_public(session, counted)
    try:
        check_start(job, decided)
    except Refusal as refusal:
        # An open box beside it says already that nobody has confirmed it.
        asked = counted is not None and not counted.is_confirmed
        if not (asked and _refused_public(decided, _PUBLIC) is not None):
            refuse(refusal)
            _mend(session, refusal)
        return False
    return True


def ask_public(session: Session, counted: Counted) -> None:
    """Ask for a number to be confirmed as public knowledge, or show that it was."""
    if counted.is_confirmed and counted.said != counted.needed:
        st.caption(
            f"It counts on {counted.needed:,} {counted.what}, and you said that {counted.said:,} "
            "are publicly known to be there."
        )
        return
    key = f"public-{counted.needed}"
    fill(key, counted.is_confirmed)
    st.checkbox(
        f"It is public knowledge that the table has {counted.needed:,} {counted.what}"
        if counted.exactly
        else f"It is public knowledge that the table has at least {counted.needed:,} "
        f"{counted.what}, whoever is taken out of it",
        key=key,
        on_change=_confirm,
        args=(session, key, counted.needed),
        help=counted.help,
    )
    if counted.what == "people" and counted.said is None:
        link("privacy", "It has fewer: say how many on the Privacy page", ":material/arrow_back:")


def _confirm(session: Session, key: str, records: int) -> None:
    """Keep what was confirmed, or that it no longer is."""
    session.settings().confirm(records if st.session_state[key] else None)


def _refused_public(decided: PlannedRun, fields: tuple[str, ...]) -> Refusal | None:
    """Return why something is called public knowledge that nobody confirmed, if it is about one of
    these settings."""
    try:
        decided.mechanism.check_public(decided)
    except Refusal as refusal:
        return refusal if refusal.field in fields else None
    return None


def _mend(session: Session, refusal: Refusal) -> None:
    """Lead to where a refusal can be answered."""
    fields = method_named(session.method).fields
    if refusal.field in ("records", PUBLIC_RECORDS) and session.sizes.records is not None:
        link("data", "Correct the number of records on the Data page", ":material/arrow_back:")
    elif refusal.field is not None and refusal.field in fields:
        title = fields[refusal.field].words.title
        link("privacy", f"Mend “{title}” on the Privacy page", ":material/arrow_back:")
    else:
        link("privacy", "Mend it on the Privacy page", ":material/arrow_back:")


def _help(session: Session, setting: str) -> str | None:
    fields = method_named(session.method).fields
    return (fields[setting].words.help or None) if setting in fields else None
