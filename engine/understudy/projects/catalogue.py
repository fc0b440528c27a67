"""The projects of a home folder: creating, listing, copying, archiving and deleting them, finding a
run by its name, and dropping old rehearsals, which cost nothing to repeat.
"""

from __future__ import annotations

import re
import secrets
import shutil
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.core import clock
from understudy.core.files import make_private
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.projects.project import (
    LONGEST_NAME,
    Project,
    ProjectAbout,
    check_name,
    refuse_unwritable,
)
from understudy.projects.state import copy_plans, load_state, save_state
from understudy.runs.control import home_ledger, list_runs
from understudy.runs.folder import ABOUT, RunFolder
from understudy.runs.handover import Handovers
from understudy.runs.inquiry import InquiryFolder
from understudy.runs.work_folder import Watched

_HIDDEN = "."
_MARK_LETTERS = 8
_COPIED = ("sample", "dataset", "called", "source", "tables", "connection", "query")


@dataclass(frozen=True)
class ListedProject:
    """A project in a list.

    Attributes:
        project: its places.
        about: what it is.
        used: when it was last used, in seconds since the epoch.
    """

    project: Project
    about: ProjectAbout
    used: float


class Catalogue:
    """The projects of one person in a home folder.

    Args:
        owner: whose; "" on a machine of one's own.
        place: the home folder; that of the environment if left out.
    """

    def __init__(self, owner: str = "", place: Path | None = None) -> None:
        self.owner = owner
        self.place = (place or home()) / "projects"

    def list_projects(self) -> tuple[ListedProject, ...]:
        """Return the projects that can be read, newest used first, those put away included."""
        found = [
            ListedProject(project, about, project.used())
            for project in list_projects(self.place)
            if (about := _about(project)) is not None and about.owner == self.owner
        ]
        return tuple(sorted(found, key=lambda each: (-each.used, each.project.identity)))

    def unreadable(self) -> tuple[str, ...]:
        """Return the folders of projects that cannot be read, nobody can say whose.

        Where people sign in, only the end of each folder's name: it begins as its project is
        called.
        """
        found = [each.identity for each in list_projects(self.place) if _about(each) is None]
        return tuple(f"…{each[-_MARK_LETTERS:]}" if self.owner else each for each in found)

    def find_project(self, name: str) -> Project | None:
        """Return the project of a name, capitals or not, one not put away first; None without
        one."""
        wanted = name.strip().casefold()
        found = [each for each in self.list_projects() if each.about.name.casefold() == wanted]
        found.sort(key=lambda each: each.about.archived)
        return found[0].project if found else None

    def find(self, identity: str) -> Project | None:
        """Return the project of a folder's name, if it is this person's."""
        found = (each.project for each in self.list_projects() if each.project.identity == identity)
        return next(found, None)

    def about_table(self, fingerprint: str) -> tuple[ListedProject, ...]:
        """Return the projects that a table belongs to, newest used first; not those put away."""
        return tuple(
            each
            for each in self.list_projects()
            if fingerprint in each.about.tables and not each.about.archived
        )

    def newest_sample(self, called: str) -> Project | None:
        """Return the project about a simulated sample that was used last; None without one.

        Args:
            called: what projects call the people in that sample.
        """
        found = (
            each
            for each in self.list_projects()
            if each.about.sample and each.about.called == called and not each.about.archived
        )
        return next((each.project for each in found), None)

    def create(self, name: str, **settings: Any) -> Project:
        """Make a project.

        Args:
            name: what it is called.
            settings: others of `ProjectAbout`.

        Raises:
            Refusal: the name is empty, too long or taken, or the folder cannot be made.
        """
        self._check_free(name)
        now = clock.now().isoformat(timespec="seconds")
        about = ProjectAbout(name=name, created=now, owner=self.owner, **settings)
        return self._make_folder(about)

    def take_back(self, project: Project) -> None:
        """Delete a project whose first run could not be started. A project with runs stays."""
        with suppress(OSError):
            # A folder with anything in it cannot be removed so.
            project.runs.rmdir()
            shutil.rmtree(project.path)

    def free_name(self, wanted: str) -> str:
        """Return a name that is not taken: the one wanted or, failing that, with a number after
        it."""
        plain = " ".join(wanted.split())[: LONGEST_NAME - 5].strip() or "Project"
        taken = {each.about.name.casefold() for each in self.list_projects()}
        numbers = range(2, len(taken) + 3)
        names = (plain, *(f"{plain} {number}" for number in numbers))
        return next(each for each in names if each.casefold() not in taken)

    def rename(self, project: Project, name: str) -> None:
        """Call a project otherwise. Its folder stays where it is.

        Raises:
            Refusal: the name is empty, too long or taken, or the folder cannot be written.
        """
        self._check_free(name, but=project)
        project.change(name=name)

    def duplicate(self, project: Project) -> Project:
        """Make another project of the same decisions about the same table.

        What was decided and the plans kept under a name are copied; runs, packets and a copy of
        the table never are. Both spend from the one budget of their dataset.

        Raises:
            Refusal: it cannot be read, or no folder can be made.
        """
        before = project.about()
        state = load_state(project)
        fresh = self.create(
            self.free_name(f"{before.name} copy"),
            **{name: getattr(before, name) for name in _COPIED},
        )
        save_state(fresh, state, since=0)
        copy_plans(project, fresh)
        return fresh

    def archive(self, project: Project, *, away: bool = True) -> None:
        """Put a project away, or take it out again.

        Raises:
            Refusal: a run of it is under way, or the folder cannot be written.
        """
        if away:
            _check_idle(project)
        else:
            self._check_free(project.about().name, but=project)
        project.change(archived=away)

    def delete(self, project: Project) -> None:
        """Delete a project that was put away, with its runs and packets.

        What its runs spent stays spent: the ledger is not in the folder.

        Raises:
            Refusal: it was not put away, a run of it is under way, or it cannot be deleted.
        """
        about = project.about()
        if not about.archived:
            raise Refusal(
                f"The project “{about.name}” is not archived.",
                "Archive it first, then delete it.",
                field="project",
            )
        _check_idle(project)
        hidden = project.path.with_name(f"{_HIDDEN}deleted-{project.identity}")
        try:
            project.path.rename(hidden)
        except OSError:
            raise refuse_unwritable(project.path) from None
        shutil.rmtree(hidden, ignore_errors=True)

    def _check_free(self, name: str, but: Project | None = None) -> None:
        plain = check_name(name)
        for each in self.list_projects():
            if each.project != but and each.about.name.casefold() == plain.casefold():
                archived = " It is among the archived ones." if each.about.archived else ""
                raise Refusal(
                    f"There is a project “{each.about.name}” already.{archived}",
                    "Choose another name.",
                    field="name",
                )

    def _make_folder(self, about: ProjectAbout) -> Project:
        """Return a folder for a project, which appears whole."""
        identity = f"{_slug(about.name)}-{secrets.token_hex(_MARK_LETTERS // 2)}"
        hidden = Project(self.place / f"{_HIDDEN}{identity}")
        try:
            make_private(self.place.parent)
            make_private(self.place)
            hidden.path.mkdir(mode=0o700)
            for folder in (hidden.runs, hidden.packets):
                folder.mkdir(mode=0o700)
            hidden.describe(about)
            hidden.path.rename(self.place / identity)
        except OSError:
            raise refuse_unwritable(self.place) from None
        finally:
            if hidden.path.exists():
                shutil.rmtree(hidden.path, ignore_errors=True)
        return Project(self.place / identity)


def list_projects(place: Path) -> tuple[Project, ...]:
    """Return every project of a folder of projects, whosever it is."""
    with suppress(OSError):
        paths = sorted(each for each in place.iterdir() if not each.name.startswith(_HIDDEN))
        return tuple(project for path in paths if (project := Project(path)).exists)
    return ()


def list_every_run(place: Path | None = None) -> tuple[RunFolder, ...]:
    """Return the runs of a home folder, in projects and outside any, newest first.

    Raises:
        Refusal: a folder cannot be read.
    """
    place = place or home()
    places = [place, *(project.runs for project in list_projects(place / "projects"))]
    found = [run for each in places for run in list_runs(each)]
    return tuple(sorted(found, key=lambda run: run.identity, reverse=True))


def _about(project: Project) -> ProjectAbout | None:
    try:
        return project.about()
    except Refusal:
        return None


def _check_idle(project: Project) -> None:
    """Refuse as long as a process works in a project."""
    if not all(_has_ended(run) for run in list_runs(project.runs)):
        raise Refusal(
            "A run of this project is under way.",
            "Wait until it has ended, or cancel it on the Generate page.",
            field="project",
        )


def _slug(name: str) -> str:
    """Return a name as part of a folder's name."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:40] or "project"


def find_run(name: str) -> RunFolder | None:
    """Return the run of a folder, or of a name: in the home folder or a project of it, or not
    handed over yet, wherever it is; None if there is none."""
    if (Path(name) / ABOUT).is_file():
        return RunFolder(Path(name).absolute())
    for each in Handovers(home_ledger()).waiting():
        if each.run.identity == name and (each.run.path / ABOUT).is_file():
            return each.run
    return next((each for each in list_every_run() if each.identity == name), None)


KEPT = 6


def list_rehearsals(project: Project) -> tuple[RunFolder, ...]:
    """Return the rehearsals of a project, newest first."""
    return tuple(run for run in list_runs(project.runs) if _is_rehearsal(run))


def prune_rehearsals(project: Project, most: int = KEPT) -> None:
    """Remove all but the newest rehearsals; one that a process works on stays."""
    for run in list_rehearsals(project)[most:]:
        if _is_idle(run):
            shutil.rmtree(run.path, ignore_errors=True)


def _is_rehearsal(run: RunFolder) -> bool:
    with suppress(Refusal):
        return run.about().purpose == "rehearsal"
    return False


def _is_idle(run: RunFolder) -> bool:
    """Return whether no process works on it, nor on an inquiry into it."""
    asked = [InquiryFolder(path.parent) for path in run.internal.glob("*/progress.json")]
    return all(_has_ended(each) for each in (run, *asked))


def _has_ended(work: Watched) -> bool:
    with suppress(Refusal):
        return work.progress().ended
    return True
