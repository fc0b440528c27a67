"""The project of an open page: which one a table belongs to, and keeping what is decided.

A table is recognised by its keyed fingerprint. What is decided is written to the project after each
run of a page, so that it outlives the page and two tabs agree.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final, Literal

from understudy.core.refusal import Refusal
from understudy.ledger.likeness import Likeness
from understudy.ledger.people import Alike
from understudy.projects import state, table_copy
from understudy.projects.catalogue import Catalogue, list_rehearsals
from understudy.projects.payment import name_project_dataset, owns_table, write_extract
from understudy.projects.project import Project
from understudy.projects.state import LeftOut, ProjectState
from understudy.runs.control import home_ledger
from understudy.table.authoring.derivation_edits import drop_lost_derivations
from understudy.table.authoring.first_schema import suggest_column
from understudy.table.declared_reading import Reading
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.ledger_status import name_in_ledger, open_book
from understudy_dashboard.loaded_table import LoadedTable, find_sample
from understudy_dashboard.session import ProjectQuestion, Session
from understudy_dashboard.sign_in import current_person

_ELSEWHERE = "This project was changed in another tab, and this page now shows that."
_LOST = (
    "This project was changed in another tab at the same time. What is shown here now is what was "
    "saved there; your last change on this page was not kept, so please look and make it again."
)
_GONE = "The project that was open here is no longer there. Choose another, or open a table."
_OTHER_TABLE = (
    "Another tab opened a newer table in this project. Open that one here too to go on with it."
)


def refresh(session: Session) -> None:
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
        if known is not None and state.read_revision(project) == known.revision:
            return
        session.saved = found = state.load_state(project)
    except Refusal:
        session.close()
        raise
    changed = known is not None and not read_decisions(session).says_the_same(known)
    apply_decisions(session, found)
    if known is not None:
        (session.cautions if changed else session.notices).append(_LOST if changed else _ELSEWHERE)


def save_decisions(session: Session) -> bool:
    """Save what was decided on this page.

    Returns:
        Whether the page must be drawn again, as another tab was faster.

    Raises:
        Refusal: it cannot be saved; it stays on the page.
    """
    project = session.project
    if project is None or not project.exists:
        return False
    known = session.saved or state.load_state(project)
    now = read_decisions(session)
    if not now.says_the_same(known):
        kept = state.save_state(project, now, since=known.revision)
        if kept is None:
            session.saved = state.load_state(project)
            apply_decisions(session, session.saved)
            session.cautions.append(_LOST)
            return True
        known = kept
    session.saved = known
    _record_totals(session, project)
    return False


def read_decisions(session: Session) -> ProjectState:
    """Return everything decided on this page, as a value."""
    return ProjectState(
        frame=session.settings.schema,
        notes=session.data.notes,
        left_out={
            name: LeftOut(column=column, why=why)
            for name, (column, why) in session.left_out.items()
        },
        policies=dict(session.settings.policies),
        sizes=session.settings.sizes,
        answers=session.answers,
        rule_draft=session.rule_draft,
        method=session.settings.method,
        settings=session.settings.kept_settings(),
        belongs_to=session.belongs_to,
        new_people=session.new_people,
        apart_because=session.apart_because,
        apart_table=session.apart_table,
        put_aside=session.put_aside,
        cover=dict(session.cover),
    )


def apply_decisions(session: Session, found: ProjectState) -> None:
    """Put what was decided elsewhere in the place of what was decided here."""
    session.settings.schema = schema = found.frame
    session.data.notes = found.notes
    session.left_out = {name: (each.column, each.why) for name, each in found.left_out.items()}
    session.settings.policies, session.settings.sizes = dict(found.policies), found.sizes
    session.answers = found.answers
    session.rule_draft = found.rule_draft
    if schema is not None and schema.people is not None and found.answers.several is None:
        session.answers = found.answers.follow_people(schema.people)
    session.settings.method = found.method
    session.settings.chosen, session.settings.asleep = {}, dict(found.settings)
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
    if session.data.table is not None and not set(names) <= set(session.data.table.raw.names):
        session.unload_table()
        session.cautions.append(_OTHER_TABLE)


def _record_totals(session: Session, project: Project) -> None:
    """Put down in the project what the ledger has to say of it, whenever that changes."""

    # What the ledger cannot say now, the meter says why; it is asked again on the next page.
    with suppress(Refusal):
        found = open_book(session)
        session.cache.keep(
            "followed", (project.path, found.head), lambda: write_extract(found, project)
        )


_NEW: Final = "This column is new in the table."
_FEWEST = 2
_REACHED = ("connection", "query")


def open_catalogue() -> Catalogue:
    """Return the projects of the person at this page.

    Raises:
        Refusal: they have not signed in, where that is asked for.
    """
    return Catalogue(current_person().key)


Taken = Literal["new", "known", "asked"]
"""What became of a table: it began a project, it is the project's own, or it is to be asked."""


def take_table(session: Session, table: LoadedTable, schema: Schema | None = None) -> Taken:
    """Open a table in the project that it belongs to, in a new one, or ask which it is.

    `session.question` holds what is to be asked; the table is not open then.

    Args:
        session: the page's state.
        table: what was read.
        schema: the schema that came with it; suggested or the project's own if left out.

    Returns:
        What became of it.

    Raises:
        Refusal: fewer than two columns can be used, the ledger cannot be used, or no project can
            be made.
    """
    if table.sample:
        return _take_sample(session, table, schema)
    if session.project is not None and session.project.about().sample:
        save_decisions(session)
        session.close()
    known = table.likeness or home_ledger().likeness(table.raw)
    table = replace(table, likeness=known)
    question = ProjectQuestion(table, schema, known.fingerprint, alike=_find_alike(known))
    if session.project is not None:
        return _take_into_project(session, session.project, question)
    projects = open_catalogue().about_table(known.fingerprint)
    if projects or question.alike:
        session.question = replace(question, projects=projects)
        return "asked"
    _begin_project(session, table, schema, known.fingerprint)
    return "new"


def _find_alike(known: Likeness) -> tuple[Alike, ...]:
    """Return the datasets that a table may be of, none where the ledger knows the table itself."""
    ledger = home_ledger()
    asked = ledger.list_open_questions(ledger.identify(known))
    return () if asked is None else asked.alike


def enter_project(session: Session, project: Project) -> None:
    """Open a project as it was left; its table too, where it is the sample or a copy was kept.

    Raises:
        Refusal: the project or its copy of the table cannot be read.
    """
    about = project.about()
    found = state.load_state(project)
    save_decisions(session)
    session.close()
    session.project, session.saved = project, found
    apply_decisions(session, found)
    project.touch()
    rehearsed = (
        run for run in list_rehearsals(project) if run.about().records_of == "confidential"
    )
    session.rehearsal = next((run.identity for run in rehearsed), None)
    if about.sample:
        simulated = find_sample(about.called)
        take_table(session, simulated.table, simulated.schema())
    elif table_copy.keeps_table(project):
        name, raw = table_copy.take_back_table(project)
        take_table(session, LoadedTable(name, raw))


def confirm_same_people(session: Session) -> None:
    """Answer that the table holds newer records of the people that the project is about.

    Raises:
        Refusal: fewer than two columns are the project's, or it is known to be of other people.
    """
    question, project = session.question, session.project
    assert question is not None
    assert project is not None
    about = project.about()
    people = name_project_dataset(about, home_ledger().book())
    # Refused where the ledger knows this very table to be of others.
    home_ledger().identify(question.table.likeness or question.table.raw, dataset=people)
    _attach_table(session, question)
    session.belongs_to = people
    _remember_table(project, question)
    session.notices.append(
        f"{words.escape(question.table.name)} is open in {words.escape(about.name)}. What was "
        "spent on these people so far goes on counting."
    )


def confirm_dataset(session: Session, found: Alike) -> Project:
    """Answer that the people in the table are those of a dataset, or some of them are: a project is
    made and opened with it, and what it spends adds up with what was spent on them.

    Raises:
        Refusal: as `take_table`.
    """
    made = take_other_table(session)
    session.belongs_to = found.dataset.name
    return made


def confirm_other_people(session: Session, reason: str) -> Project:
    """Answer that the people in the table are others, though they look alike.

    Args:
        session: the page's state.
        reason: why, in the custodian's words.

    Raises:
        Refusal: no reason is given, or as `take_table`.
    """
    question = session.question
    assert question is not None
    plain = read_reason(reason)
    made = take_other_table(session)
    session.new_people, session.apart_because = question.fingerprint, plain
    session.apart_table = None
    return made


def read_reason(typed: str) -> str:
    """Return a reason, in a line.

    Raises:
        Refusal: there is none.
    """
    plain = " ".join(typed.split())
    if not plain:
        raise Refusal(
            "No reason is given.",
            "Say in a sentence how you know that nobody is in both; it is in the ledger.",
            field="reason",
        )
    return plain


def read_table_again(session: Session, reading: Reading, *, suggest: bool) -> None:
    """Read the open file in another way. It holds the records of the same people then, and the
    project knows it as its own.

    Raises:
        Refusal: as `Session.read_anew`, or the ledger or the project cannot be used.
    """
    assert session.data.table is not None
    ledger = home_ledger()
    of = (session.data.table.likeness or ledger.likeness(session.data.table.raw)).fingerprint
    before = session.belongs_to or _find_payer(session.data.table)
    new, reasoned = session.new_people == of, session.apart_table == of
    reason = session.apart_because
    session.read_anew(reading, suggest=suggest)
    known = ledger.likeness(session.data.table.raw)
    session.data.table = replace(session.data.table, likeness=known)
    session.belongs_to = before
    if new or reasoned:
        session.apart_because = reason
        session.new_people = known.fingerprint if new else session.new_people
        session.apart_table = known.fingerprint if reasoned else session.apart_table
    if session.project is not None:
        _remember_table(
            session.project, ProjectQuestion(session.data.table, None, known.fingerprint)
        )


def _find_payer(table: LoadedTable) -> str | None:
    """Return what the ledger knows a table as; None where it does not."""
    ledger = home_ledger()
    book = ledger.book()
    found = ledger.identify(table.likeness or table.raw).table
    dataset = None if found is None else book.tables.get(found)
    return None if dataset is None else book.datasets[dataset].name


def take_other_table(session: Session) -> Project:
    """Answer that the table is for a project of its own; it is made, and opened with the table.

    Raises:
        Refusal: as `take_table`.
    """
    question = session.question
    assert question is not None
    save_decisions(session)
    if session.project is not None:
        session.close()
    return _begin_project(session, question.table, question.schema, question.fingerprint)


def take_into_project(session: Session, project: Project) -> None:
    """Answer that the table is to be opened in the project that it belongs to.

    Raises:
        Refusal: as `enter_project` and `take_table`.
    """
    question = session.question
    assert question is not None
    enter_project(session, project)
    if session.data.table is None:
        take_table(session, question.table, question.schema)


def _take_sample(session: Session, table: LoadedTable, schema: Schema | None) -> Taken:
    """Open the sample in its project, as it was left, or in a new one."""
    project = session.project
    if project is None or not _belongs_to(project, table):
        save_decisions(session)
        project = open_catalogue().newest_sample(name_in_ledger(table))
        session.close()
        if project is not None:
            session.project, session.saved = project, state.load_state(project)
            apply_decisions(session, session.saved)
            project.touch()
    if project is None:
        _begin_project(session, table, schema, None)
        return "new"
    if session.settings.schema is None:
        session.open(table, schema)
        return "new"
    session.attach_table(table)
    return "known"


def _belongs_to(project: Project, sample: LoadedTable) -> bool:
    """Return whether a project is about this very sample."""
    about = project.about()
    return about.sample and about.called == name_in_ledger(sample)


def _begin_project(
    session: Session, table: LoadedTable, schema: Schema | None, fingerprint: str | None
) -> Project:
    """Open a table, and make a project of it."""
    # Asking who is here lets the page be drawn anew; from then on, all of it is done or none.
    found = open_catalogue()
    session.open(table, schema)
    name = name_in_ledger(table)
    project = found.create(
        found.free_name(name[:1].upper() + name[1:] if table.sample else name),
        sample=table.sample,
        called=name,
        source=table.name,
        tables=() if fingerprint is None else (fingerprint,),
        **_describe_source(table),
    )
    session.project, session.saved = project, state.load_state(project)
    return project


def _take_into_project(session: Session, project: Project, question: ProjectQuestion) -> Taken:
    """Open a table in the open project where it is its own or its first; ask about any other."""
    about, table = project.about(), question.table
    if about.tables and not owns_table(about, question.fingerprint, home_ledger().book()):
        session.question = _make_question(session, project, question)
        return "asked"
    fresh = session.settings.schema is None
    _attach_table(session, question)
    _remember_table(project, question)
    if not about.called:
        project.change(called=name_in_ledger(table))
    return "new" if fresh else "known"


def _remember_table(project: Project, question: ProjectQuestion) -> None:
    """Have a project remember a table that belongs to it, and how it was read."""
    project.recognise(question.fingerprint, question.table.name)
    project.change(**_describe_source(question.table))


def _describe_source(table: LoadedTable) -> dict[str, str]:
    """Return how a table was reached, as a project remembers it."""
    return {} if table.connection is None else dict(zip(_REACHED, table.connection, strict=True))


def _make_question(
    session: Session, project: Project, question: ProjectQuestion
) -> ProjectQuestion:
    """Return what there is to ask about a table that the open project does not know."""
    raw, book = question.table.raw, home_ledger().book()
    found = book.tables.get(question.fingerprint)
    schema = session.settings.schema
    columns, known = ((), ()) if schema is None else (schema.names, schema.full.names)
    others = open_catalogue().about_table(question.fingerprint)
    return ProjectQuestion(
        question.table,
        question.schema,
        question.fingerprint,
        tuple(each for each in others if each.project != project),
        None if found is None else book.datasets[found].name,
        tuple(name for name in columns if name not in raw.names),
        tuple(name for name in raw.names if name not in {*known, *session.left_out}),
        question.alike,
    )


def is_usable(session: Session) -> bool:
    """Return whether enough columns of the project are in the table that is asked about."""
    question, schema = session.question, session.settings.schema
    return question is not None and (
        schema is None or len(schema) - len(question.lacking) >= _FEWEST
    )


def _attach_table(session: Session, question: ProjectQuestion) -> None:
    """Open a table for what is decided already, as far as its columns go.

    Raises:
        Refusal: fewer than two columns are left.
    """
    if session.settings.schema is None:
        session.open(question.table, question.schema)
        return
    table, schema = question.table.fit_reading(session.settings.schema)
    raw = table.raw
    there = tuple(column for column in schema.columns if column.name in raw.names)
    if len(there) < _FEWEST:
        raise Refusal(
            "The table has fewer than two of the columns that this project is about.",
            "Make a new project of it, or open the table that the project is about.",
            field="table",
        )
    further = set(raw.names) - set(schema.full.names) - set(session.left_out)
    if schema != session.settings.schema or len(there) < len(schema):
        session.describe(drop_lost_derivations(schema, raw.names).with_columns(there))
    session.attach_table(table)
    if further:
        _offer_columns(session, further)


def _offer_columns(session: Session, names: set[str]) -> None:
    """Describe columns that the project does not know yet, so that they can be used, or say of each
    why it cannot be."""
    assert session.data.table is not None
    for name in session.data.table.raw.names:
        if name in names:
            found = suggest_column(session.data.table.raw, name)
            session.left_out[name] = (found.column, f"{_NEW} {found.reason}".strip())
