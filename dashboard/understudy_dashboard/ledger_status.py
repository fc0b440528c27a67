"""What the ledger says about the open table, and the runs of this folder in a line each."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import PurePath

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book, Dataset, PeopleStatement
from understudy.ledger.ledger import Ledger
from understudy.ledger.people import Alike, OpenQuestions
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_from_json, plan_run
from understudy.projects.catalogue import Catalogue
from understudy.projects.payment import name_project_dataset
from understudy.report.papers import PaperMeasurements, find_papers
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.debit import reconcile
from understudy.runs.folder import RunAbout, RunFolder
from understudy.runs.work_folder import Progress
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.people import Person
from understudy_dashboard.session import Session

_SIMULATED = PeopleStatement(new=True, reason="Simulated: nobody in it exists.")


def open_book(session: Session) -> Book:
    """Return all that the ledger says, the ends of runs that stopped without a word included.

    Raises:
        Refusal: it cannot be read, or was changed from outside.
    """
    ledger = home_ledger()
    found: Book = session.cache.keep("book", _stamp_of(ledger), ledger.book)
    if found.unended or ledger.underway.runs():
        reconcile(ledger)
        found = session.cache.keep("book", _stamp_of(ledger), ledger.book)
    return found


def keep_own_datasets(book: Book, person: Person) -> Book:
    """Return what the ledger says of the datasets that somebody has projects about; of all of them
    where nobody signs in. Of other people's not even the names are shown.

    Args:
        book: all that it says.
        person: who looks at it.
    """
    if not person.key:
        return book
    about = {each.about.dataset for each in Catalogue(person.key).list_projects()}
    return replace(
        book,
        datasets={name: each for name, each in book.datasets.items() if name in about},
        runs={name: each for name, each in book.runs.items() if each.dataset in about},
    )


def _stamp_of(ledger: Ledger) -> tuple[str, str, int]:
    """Return a stamp that changes whenever the ledger does, and whenever its file is touched from
    outside."""
    try:
        touched = ledger.path.stat().st_mtime_ns
    except OSError:
        touched = 0
    return str(ledger.path), ledger.head, touched


def dataset_of(session: Session) -> Dataset | None:
    """Return the dataset that the open table, or else the open project, is of; None without either.

    Raises:
        Refusal: the ledger cannot be used.
    """
    table, project = session.data.table, session.project
    if table is None:
        known = None if project is None else project.about().dataset
        return None if known is None else open_book(session).datasets.get(known)

    found = _identify_table(session, table, session.belongs_to)
    return replace(found, said=_read_statement(session, table, found))


def default_dataset(session: Session) -> Dataset:
    """Return the dataset that the open table belongs to unless somebody says otherwise.

    Raises:
        Refusal: no table is open, or the ledger cannot be used.
    """
    if session.data.table is None:
        raise Refusal("No table is open.", "Open one on the Data page.", field="table")
    return _identify_table(session, session.data.table, None)


def list_similar(session: Session) -> tuple[Alike, ...]:
    """Return the datasets, without the usual one, whose tables have enough in common with the open
    table. Internal.

    Raises:
        Refusal: as `default_dataset`.
    """
    ledger, usual = home_ledger(), default_dataset(session)

    def compare() -> tuple[Alike, ...]:
        asked = ledger.list_open_questions(usual)
        return () if asked is None else asked.alike

    found: tuple[Alike, ...] = session.cache.keep(
        "alike", (usual.table, usual.id, *_stamp_of(ledger)), compare
    )
    return found


def _identify_table(session: Session, table: LoadedTable, belongs_to: str | None) -> Dataset:
    def identify_now() -> Dataset:
        # A renamed file stays with the people that its project is about.
        name = "" if project is None else name_project_dataset(project.about(), open_book(session))
        name = name or name_in_ledger(table)
        return home_ledger().identify(table.likeness or table.raw, name, dataset=belongs_to)

    project = session.project
    key = (id(table), project, belongs_to, str(home_ledger().path))
    found: Dataset = session.cache.keep(f"dataset {belongs_to is None}", key, identify_now)
    return found


def _read_statement(session: Session, table: LoadedTable, found: Dataset) -> PeopleStatement:
    """Return what the custodian says of the people in the open table."""
    if table.sample:
        return _SIMULATED
    new = session.new_people is not None and session.new_people == found.table
    reasoned = found.table == (session.apart_table or session.new_people)
    return replace(found.said, new=new, reason=session.apart_because if reasoned else "")


def find_unsaid(session: Session) -> OpenQuestions | None:
    """Return what has still to be said of the open table before anything is spent on it.

    Raises:
        Refusal: the ledger cannot be used.
    """
    found = dataset_of(session)
    if session.data.table is None or found is None:
        return None
    ledger = home_ledger()
    key = (found.table, found.id, found.said, *_stamp_of(ledger))
    asked: OpenQuestions | None = session.cache.keep(
        "unsaid", key, lambda: ledger.list_open_questions(found)
    )
    return asked


def name_in_ledger(table: LoadedTable) -> str:
    """Return what the dataset of a table is called in the ledger, where nobody says otherwise."""
    if table.sample:
        return table.name.removeprefix("the ")
    return PurePath(table.name).stem or table.name


def balance_of(session: Session) -> Balance | None:
    """Return what was spent on the open table's dataset; None without a table.

    Raises:
        Refusal: as `open_book` and `dataset_of`.
    """
    found = dataset_of(session)
    return None if found is None else open_book(session).balance(found)


def runs_of_purpose(session: Session, purpose: str) -> tuple[RunFolder, ...]:
    """Return the runs of one purpose of the open project, newest first."""
    found = list_runs(session.runs_at)
    return tuple(run for run in found if (about := read_about(run)) and about.purpose == purpose)


def read_about(run: RunFolder) -> RunAbout | None:
    """Return what a run is; None where its folder can no longer be read."""
    try:
        return run.about()
    except Refusal:
        return None


def read_progress(run: RunFolder) -> Progress | None:
    """Return how far a run is; None where its folder can no longer be read."""
    try:
        return run.progress()
    except Refusal:
        return None


def read_run_plan(run: RunFolder) -> MechanismPlan | None:
    """Return what a run was to do; None where its folder can no longer be read."""
    try:
        return plan_from_json(run.read_text("plan.json"))
    except (OSError, Refusal):
        return None


def load_planned_run(run: RunFolder) -> PlannedRun:
    """Return what a run was to do, with what that promises.

    Raises:
        Refusal: its files can no longer be read.
    """
    with run.intact():
        plan = plan_from_json(run.read_text("plan.json"))
        return plan_run(plan, Schema.from_json(run.read_text("schema.json")))


def load_measurements(session: Session, run: RunFolder) -> PaperMeasurements | None:
    """Return what a run measured as it ended, its files read once; None where it left nothing.
    Internal.

    Raises:
        Refusal: its files can no longer be read.
    """
    found: PaperMeasurements | None = session.cache.keep(
        f"measured {run.identity}", stamp_figures(run), lambda: _read_measurements(run)
    )
    return found


def stamp_figures(run: RunFolder) -> tuple[str, int]:
    """Return which figures there are: of which run, and when its folder of them changed last."""
    folder = run.internal
    return run.identity, folder.stat().st_mtime_ns if folder.exists() else 0


def _read_measurements(run: RunFolder) -> PaperMeasurements | None:
    made = load_planned_run(run)
    with run.intact():
        return find_papers(made.plan.kind).measurements(run.internal, made)


def title_of_run(session: Session, run: RunFolder, *, with_state: bool = True) -> str:
    """Return a run in a line, for a list."""
    about, plan = read_about(run), read_run_plan(run)
    when = run.identity if about is None else format_moment(datetime.fromisoformat(about.at))
    parts = [when]
    if plan is not None:
        parts.append(describe_plan(session, run, plan))
    parts.append(_format_price(session, run, about))
    if with_state:
        parts.append(describe_state(run))
    return " · ".join(parts)


def describe_plan(session: Session, run: RunFolder, plan: MechanismPlan) -> str:
    """Return what a run was to make, in a word or a few: as its debit counts it, if it was paid
    for, as only that knows whether anything was copied from a record."""
    said = plan_words(plan.kind)
    try:
        paid = open_book(session).runs.get(run.identity)
    except Refusal:
        paid = None
    counted = "" if paid is None else said.ledger(paid.debit).get("Counted", "")
    return counted or said.describe_plan(plan)


def describe_state(run: RunFolder) -> str:
    """Return how a run stands, in a word or a few."""
    progress = read_progress(run)
    if progress is None:
        return "unreadable"
    if progress.state == "failed" and run.can_go_on:
        return "interrupted"
    return words.STATES[progress.state].lower()


def format_moment(at: datetime) -> str:
    """Return a moment, in this computer's time."""
    return f"{at.astimezone():%-d %B %Y, %H:%M:%S}"


def _format_price(session: Session, run: RunFolder, about: RunAbout | None) -> str:
    if about is not None and about.stained:
        return "demonstration, not private"
    try:
        found = open_book(session).runs.get(run.identity)
    except Refusal:
        return "not to be read in the ledger"
    promised = None if found is None else found.promised
    return "no promise" if promised is None else f"ε = {words.epsilon(promised.epsilon)}"
