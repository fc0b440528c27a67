"""`--project NAME`: the run is made in a project, and paid by the people that it is about."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.ledger.book import Dataset, PeopleStatement
    from understudy.ledger.ledger import Ledger
    from understudy.ledger.likeness import Likeness
    from understudy.projects.project import Project
    from understudy.table.raw import RawTable
    from understudy.table.schema import Schema
    from understudy.table.sources.streamed import StreamedTable


def project_named(name: str) -> Project | None:
    """Return the project of a name; None where it is still to be made.

    Raises:
        Refusal: it is archived, or no project can be called so.
    """
    from understudy.projects.catalogue import Catalogue
    from understudy.projects.project import checked_name

    found = Catalogue().named(checked_name(name))
    if found is not None and found.about().archived:
        raise Refusal(
            f"The project “{name}” is archived.",
            "Restore it on the page Projects of `understudy dashboard`, or choose another name.",
            field="project",
        )
    return found


def payer(
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
    from understudy.ledger.people import check_said
    from understudy.runs.control import home_ledger

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
    from understudy.projects.recognition import dataset_name, its_own

    about = project.about()
    if not about.tables:
        return name
    book = ledger.book()
    people = dataset_name(about, book)
    if not its_own(about, known.fingerprint, book) and not _same(dataset, people):
        raise Refusal(
            f"This table is not the one that the project “{about.name}” is about.",
            f"Name another project. If it is a newer table of the same people, say so with "
            f"--dataset {shlex.quote(people)}.",
            field="project",
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
    from understudy.projects.catalogue import Catalogue
    from understudy.projects.extract import follow
    from understudy.projects.state import LeftOut, ProjectState, save
    from understudy.runs.control import home_ledger

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
