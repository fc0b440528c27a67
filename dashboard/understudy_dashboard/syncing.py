"""What is decided on a page, kept in its project; so that it outlives the page, and two tabs agree.

At the start of each run of a page what another tab saved is taken over, and at its end what changed
here is saved. Where both changed, what is on disk wins, and the page says so.
"""

from __future__ import annotations

from contextlib import suppress

from understudy.core.refusal import Refusal
from understudy.projects import state
from understudy.projects.extract import follow
from understudy.projects.project import Project
from understudy.projects.state import LeftOut, ProjectState
from understudy_dashboard.session import Session
from understudy_dashboard.spending import book

_ELSEWHERE = "This project was changed in another tab, and this page now shows that."
_LOST = (
    "This project was changed in another tab at the same time. What is shown here now is what was "
    "saved there; your last change on this page was not kept, so please look and make it again."
)
_GONE = "The project that was open here is no longer there. Choose another, or open a table."
_OTHER_TABLE = (
    "Another tab opened a newer table in this project. Open that one here too to go on with it."
)


def freshen(session: Session) -> None:
    """Take over what another tab saved since.

    Raises:
        Refusal: the project can no longer be read; the page has left it then.
    """
    project = session.project
    if project is None:
        return
    if not project.exists:
        session.close()
        session.cautions.append(_GONE)
        return
    known = session.saved
    try:
        if known is not None and state.revision_of(project) == known.revision:
            return
        session.saved = found = state.load(project)
    except Refusal:
        session.close()
        raise
    changed = known is not None and not decisions_on_page(session).says_the_same(known)
    take_over(session, found)
    if known is not None:
        (session.cautions if changed else session.notices).append(_LOST if changed else _ELSEWHERE)


def save(session: Session) -> bool:
    """Save what was decided on this page.

    Returns:
        Whether the page must be drawn again, as another tab was faster.

    Raises:
        Refusal: it cannot be saved; it stays on the page.
    """
    project = session.project
    if project is None or not project.exists:
        return False
    known = session.saved or state.load(project)
    now = decisions_on_page(session)
    if not now.says_the_same(known):
        kept = state.save(project, now, since=known.revision)
        if kept is None:
            session.saved = state.load(project)
            take_over(session, session.saved)
            session.cautions.append(_LOST)
            return True
        known = kept
    session.saved = known
    _follow(session, project)
    return False


def decisions_on_page(session: Session) -> ProjectState:
    """Everything decided on this page, as a value."""
    return ProjectState(
        frame=session.schema,
        notes=session.notes,
        left_out={
            name: LeftOut(column=column, why=why)
            for name, (column, why) in session.left_out.items()
        },
        policies=dict(session.policies),
        sizes=session.sizes,
        answers=session.answers,
        method=session.method,
        settings=session.kept_settings(),
        belongs_to=session.belongs_to,
        new_people=session.new_people,
        apart_because=session.apart_because,
        apart_table=session.apart_table,
        put_aside=session.put_aside,
        cover=dict(session.cover),
    )


def take_over(session: Session, found: ProjectState) -> None:
    """Put what was decided elsewhere in the place of what was decided here."""
    session.schema = schema = found.frame
    session.notes = found.notes
    session.left_out = {name: (each.column, each.why) for name, each in found.left_out.items()}
    session.policies, session.sizes = dict(found.policies), found.sizes
    session.answers = found.answers
    if schema is not None and schema.people is not None and found.answers.several is None:
        session.answers = found.answers.follow_people(schema.people)
    session.method = found.method
    session.chosen, session.asleep = {}, dict(found.settings)
    session.belongs_to = found.belongs_to
    session.new_people = found.new_people
    session.apart_because, session.apart_table = found.apart_because, found.apart_table
    session.put_aside = found.put_aside
    session.cover = dict(found.cover)
    session.revision += 1
    session.editing.groups.clear()
    names = () if schema is None else schema.names
    if session.column not in names:
        session.column = names[0] if names else None
    if session.table is not None and not set(names) <= set(session.table.raw.names):
        session.put_away()
        session.cautions.append(_OTHER_TABLE)


def _follow(session: Session, project: Project) -> None:
    """Put down in the project what the ledger has to say of it, whenever that changes."""

    # What the ledger cannot say now, the meter says why; it is asked again on the next page.
    with suppress(Refusal):
        found = book(session)
        session.keep("followed", (project.path, found.head), lambda: follow(found, project))
