"""Who pays for a run: the dataset of the people that its table is about, and the run's project.

A project holds a copy of the ledger's entries about its runs. The ledger itself is one book in the
home folder, as a budget belongs to people and not to a project: two projects about the same table
spend from the same budget. The copy is for people; nothing reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from understudy.core.refusal import Refusal
from understudy.ledger.book import Balance, Book, Dataset, PeopleStatement, Run
from understudy.ledger.ledger import Ledger
from understudy.ledger.likeness import Likeness
from understudy.ledger.people import require_answers
from understudy.privacy.budget import Budget
from understudy.projects.catalogue import Catalogue
from understudy.projects.project import Project, ProjectAbout, check_name, write_versioned
from understudy.projects.state import LeftOut, ProjectState, save_state
from understudy.runs.control import home_ledger, list_runs
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.streamed_table import StreamedTable


def owns_table(about: ProjectAbout, fingerprint: str, book: Book) -> bool:
    """Return whether this very table is one of the project's, or of the dataset that it is
    about."""
    known = book.tables.get(fingerprint)
    return fingerprint in about.tables or (known is not None and known == about.dataset)


def name_project_dataset(about: ProjectAbout, book: Book) -> str:
    """Return what the dataset of a project is called in the ledger, or will be; "" before a
    table."""
    known = book.datasets.get(about.dataset or "")
    return about.called if known is None else known.name


EXTRACT = "ledger.json"


def make_extract(book: Book, project: Project) -> dict[str, Any]:
    """Return the runs of a project as the ledger has them, and the balance of each of their
    datasets."""
    here = {run.identity for run in list_runs(project.runs)}
    found = [run for run in book.runs.values() if run.id in here]
    datasets = [book.datasets[each] for each in dict.fromkeys(run.dataset for run in found)]
    return {
        "about": "A copy of what the ledger says. The ledger in the home folder is what counts.",
        "ledger": {"events": book.events, "head": book.head},
        "runs": [_run(run) for run in found],
        "datasets": [_balance(book.balance(each)) for each in datasets],
    }


def write_extract(book: Book, project: Project) -> None:
    """Bring the extract of a project up to date, and whose records it is about.

    Raises:
        Refusal: it cannot be written.
    """
    found = make_extract(book, project)
    write_versioned(project.path / EXTRACT, found)
    if found["runs"]:
        project.change(dataset=found["runs"][-1]["dataset"])


def _run(run: Run) -> dict[str, Any]:
    return {
        "run": run.id,
        "dataset": run.dataset,
        "planned": run.planned.isoformat(),
        "state": run.state,
        "since": run.changed.isoformat(),
        "protocol": run.debit.protocol,
        "count": run.debit.count,
        "promised": _budget(run.promised),
        "stained": run.debit.stained,
        "artefacts": dict(run.artefacts),
    }


def _balance(balance: Balance) -> dict[str, Any]:
    spent = balance.spent
    return {
        "dataset": balance.dataset.id,
        "name": balance.dataset.name,
        "runs": balance.runs,
        "spent": _budget(spent) if spent.bounded else None,
        "runs_without_promise": balance.unpromised,
        "budget": _budget(balance.dataset.budget),
    }


def _budget(budget: Budget | None) -> dict[str, float] | None:
    return None if budget is None else {"epsilon": budget.epsilon, "delta": budget.delta}


def find_project(name: str) -> Project | None:
    """Return the project of a name; None if it is still to be made.

    Raises:
        Refusal: it is archived, or no project can be called so.
    """
    found = Catalogue().find_project(check_name(name))
    if found is not None and found.about().archived:
        raise Refusal(
            f"The project “{name}” is archived.",
            "Restore it on the page Projects of `understudy dashboard`, or choose another name.",
            field="project",
        )
    return found


def find_payer(
    project: Project | None,
    raw: RawTable | StreamedTable,
    name: str | None,
    dataset: str | None,
    said: PeopleStatement,
) -> Dataset:
    """Return the dataset that pays for a run of a project on a table.

    Args:
        project: of the run, where there is one.
        raw: the table.
        name: what its dataset is called if nobody says otherwise; None makes a name of its content.
        dataset: what somebody says.
        said: what else is said of the people in the table.

    Raises:
        Refusal: the table is not the project's, and nobody said that its people are; or it is not
            said whose records it holds, where the ledger does not know it.
    """
    ledger = home_ledger()
    known = ledger.likeness(raw)
    called = name if project is None else _people_of(project, ledger, known, name, dataset)
    paid = ledger.identify(known, called, dataset=dataset, said=said)
    # The ledger asks again before it pays; a table is not prepared for nothing meanwhile.
    require_answers(ledger.list_open_questions(paid))
    return paid


def _people_of(
    project: Project, ledger: Ledger, known: Likeness, name: str | None, dataset: str | None
) -> str | None:
    """Return what the dataset of a project is called, or will be; None if nothing names it.

    Raises:
        Refusal: the table is not the project's, and nobody said that its people are.
    """
    about = project.about()
    if not about.tables:
        return name
    book = ledger.book()
    people = name_project_dataset(about, book)
    if not owns_table(about, known.fingerprint, book) and not _same(dataset, people):
        raise Refusal(
            f"This table is not the one that the project “{about.name}” is about.",
            "Name another project. If it is a newer table of the same people, name their dataset "
            f"too: “{people}”.",
            field="dataset",
        )
    return people


@contextmanager
def project_of_run(
    project: Project | None, name: str, raw: RawTable, called: str, schema: Schema, paid: Dataset
) -> Iterator[Project]:
    """Provide the project of a run: the one there is, or a new one with this schema.

    At the end, what it says of its runs is brought up to date. A new one that no run was made in,
    such as where the ledger refused to pay, is gone again.

    Args:
        project: where there is one.
        name: of a new one.
        raw, called: the table, and what it is called, such as its file's name.
        schema, paid: what its columns may contain, and the dataset that pays.

    Raises:
        Refusal: it cannot be made or written.
    """
    catalogue = Catalogue()
    found = project or catalogue.create(name, called=paid.name)
    try:
        if project is None:
            reasons = {each.name: each.reason for each in schema.omissions}
            unused = {
                name: LeftOut(why=reasons.get(name, "The schema does not describe it."))
                for name in raw.names
                if name not in schema.full.names
            }
            save_state(found, ProjectState(frame=schema, left_out=unused), since=0)
        assert paid.table is not None
        found.recognise(paid.table, called)
        yield found
    finally:
        if project is None:
            catalogue.take_back(found)
        if found.exists:
            with suppress(Refusal):
                write_extract(home_ledger().book(), found)


def _same(dataset: str | None, people: str) -> bool:
    return dataset is not None and dataset.strip().casefold() == people.casefold()
