"""Who pays for a run: the dataset of the people that its table is about, and the project that it is
made in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from understudy.core.refusal import Refusal
from understudy.ledger.book import Dataset, PeopleStatement
from understudy.ledger.ledger import Ledger
from understudy.ledger.likeness import Likeness
from understudy.ledger.people import check_said
from understudy.projects.catalogue import Catalogue
from understudy.projects.extract import follow
from understudy.projects.project import Project, checked_name
from understudy.projects.recognition import dataset_name, its_own
from understudy.projects.state import LeftOut, ProjectState, save
from understudy.runs.control import home_ledger
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.streamed import StreamedTable


def find_project(name: str) -> Project | None:
    """Return the project of a name; None if it is still to be made.

    Raises:
        Refusal: it is archived, or no project can be called so.
    """
    found = Catalogue().named(checked_name(name))
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
    name: str,
    dataset: str | None,
    said: PeopleStatement,
) -> Dataset:
    """Return the dataset that pays for a run of a project on a table.

    Args:
        project: of the run, where there is one.
        raw: the table.
        name: what its dataset is called where nobody says otherwise.
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
    check_said(ledger.unsaid(paid))
    return paid


def _people_of(
    project: Project, ledger: Ledger, known: Likeness, name: str, dataset: str | None
) -> str:
    """Return what the dataset of a project is called, or will be.

    Raises:
        Refusal: the table is not the project's, and nobody said that its people are.
    """
    about = project.about()
    if not about.tables:
        return name
    book = ledger.book()
    people = dataset_name(about, book)
    if not its_own(about, known.fingerprint, book) and not _same(dataset, people):
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
            unused = {
                name: LeftOut(why="The schema does not describe it.")
                for name in raw.names
                if name not in schema.names
            }
            save(found, ProjectState(frame=schema, left_out=unused), since=0)
        assert paid.table is not None
        found.recognise(paid.table, called)
        yield found
    finally:
        if project is None:
            catalogue.take_back(found)
        if found.exists:
            with suppress(Refusal):
                follow(home_ledger().book(), found)


def _same(dataset: str | None, people: str) -> bool:
    return dataset is not None and dataset.strip().casefold() == people.casefold()
