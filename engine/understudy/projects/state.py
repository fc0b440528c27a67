"""All decisions of a project, as one value and one file, and the plans that were saved by a name.

The file also holds suggestions from the table that are not declared public yet, and the policies
for values outside the schema: only its owner may read it, and it is never exported.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field, PlainSerializer

from understudy.core import clock
from understudy.core.files import make_private
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.mechanisms.companions import UNTAGGED
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_of
from understudy.projects.project import (
    LONGEST_NAME,
    Project,
    check_name,
    read_versioned,
    refuse_unwritable,
    write_versioned,
)
from understudy.table.authoring.rule_patterns import RuleDraft
from understudy.table.column import Column
from understudy.table.fit import Policy
from understudy.table.people import MOST_PER_PERSON, People
from understudy.table.schema import Schema

STATE = "state.json"

_BEGINNING = re.compile(rb'\{\s*"version": 1,\s*"revision": (\d+)[,\s]')
_ENOUGH = 128
_WITHOUT_METHOD = ("wish", "draft")
USUAL_ROWS: Final = 10_000
"""So many rows are made where nobody says how many, or how many records there are."""


class LeftOut(Frozen, what="a column that was left out"):
    """A column of the table that is not used.

    Attributes:
        column: its description, where it has one.
        why: why it is out. Internal.
    """

    column: Column | None = None
    why: str = ""


class Sizes(Frozen, what="how many records there are and are made"):
    """How many records the table is publicly known to have, and how many are to be made.

    Attributes:
        records: how many the table is publicly known to have at least; None where nobody said.
        rows: how many the synthetic table is to have; None for about as many as the real one.
    """

    records: int | None = Field(default=None, ge=1)
    rows: int | None = Field(default=None, ge=1)

    @property
    def to_make(self) -> int:
        """How many records a synthetic table is to have."""
        return self.rows or self.records or USUAL_ROWS


class Answers(Frozen, what="what was answered about whose the rows are"):
    """What a custodian answered about whose the rows of a table are, as far as they have come.

    Attributes:
        positions: whether the rows are positions of people; None where nobody has said.
        several: whether one person has several rows; None where nobody has said.
        person: where they have, the column that says whose a row is.
        order: the column that orders a person's rows.
        records_at_most: how many rows of a person are kept.
    """

    positions: bool | None = None
    several: bool | None = None
    person: str | None = None
    order: str | None = None
    records_at_most: int | None = Field(default=None, ge=1, le=MOST_PER_PERSON)

    def says(self, people: People | None) -> bool:
        """Return whether this is the whole answer that a schema with these people follows from."""
        if people is None:
            return self.several is False
        mine = (self.several, self.person, self.order, self.records_at_most)
        return mine == (True, people.person, people.order, people.records_at_most)

    def follow_people(self, people: People | None) -> Answers:
        """Return the answers with the one that these people follow from; with none if each row may
        stand for itself, which a schema alone does not say."""
        if people is None:
            return Answers(positions=self.positions)
        return Answers(
            positions=self.positions,
            several=True,
            person=people.person,
            order=people.order,
            records_at_most=people.records_at_most,
        )


class ProjectState(Frozen, what="the state of the project"):
    """What a custodian decided so far.

    Attributes:
        revision: how often it was saved; two pages tell by it which of them knows the newer.
        frame: what the columns may contain, declared public or not; None before a table.
        notes: per column, what the suggestion wants looked at. Internal.
        left_out: the columns that are not used.
        policies: per column, what becomes of values outside the schema. Confidential.
        sizes: how many records the table has, publicly, and how many are to be made.
        answers: whose the rows are, half an answer included.
        rule_draft: a rule that is being written; None where none is.
        method: the kind of the method that is used.
        settings: of each method that was looked at, by its kind, as a page has them, plans or not.
        belongs_to: the dataset that the table was said to belong to; None leaves it to the ledger.
        new_people: the fingerprint of the table whose people were said to be new.
        apart_because: why they are not those of a table that looks alike.
        apart_table: the fingerprint of the table that this was said of; None for `new_people`.
        put_aside: the name of the newest run whose end was seen and put aside; "" for none.
        cover: what was typed for the title page of packets, by field; not checked yet.
    """

    revision: int = Field(default=0, ge=0)
    frame: Schema | None = None
    notes: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    left_out: Mapping[str, LeftOut] = Field(default_factory=dict)
    policies: Mapping[str, Policy] = Field(default_factory=dict)
    sizes: Sizes = Sizes()
    answers: Answers = Answers()
    rule_draft: RuleDraft | None = None
    method: str = UNTAGGED
    settings: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)
    belongs_to: str | None = None
    new_people: str | None = None
    apart_because: str = ""
    apart_table: str | None = None
    put_aside: str = ""
    cover: Mapping[str, str] = Field(default_factory=dict)

    def says_the_same(self, other: ProjectState) -> bool:
        """Return whether the decisions are the same, whichever revision they are."""
        return all(
            mine is its or mine == its
            for name in type(self).model_fields
            if name != "revision"
            for mine, its in [(getattr(self, name), getattr(other, name))]
        )


def read_revision(project: Project) -> int:
    """Return the revision on disk, read off the beginning of the file; 0 where there is none yet.

    Raises:
        Refusal: as `load_state`.
    """
    try:
        with (project.path / STATE).open("rb") as file:
            found = _BEGINNING.match(file.read(_ENOUGH))
    except FileNotFoundError:
        return 0
    except OSError:
        found = None
    return load_state(project).revision if found is None else int(found[1])


def load_state(project: Project) -> ProjectState:
    """Return the state on disk; an empty one where there is none yet.

    Raises:
        Refusal: it cannot be read, is damaged, or is of another version.
    """
    path = project.path / STATE
    if not path.exists():
        return ProjectState()
    return ProjectState.read(_add_sizes(_by_method(read_versioned(path, project.identity))))


def _by_method(found: dict[str, Any]) -> dict[str, Any]:
    """Return a state in which settings stand by their method; those of a file that names none are
    of the first there was."""
    first = {name: found.pop(name) for name in _WITHOUT_METHOD if name in found}
    return {"settings": {UNTAGGED: first}, **found} if first.get("draft") else found


def _add_sizes(found: dict[str, Any]) -> dict[str, Any]:
    """Return a state that says how many records there are; a file that does not say it has it among
    the settings of the first method there was."""
    wish = found.get("settings", {}).get(UNTAGGED, {}).get("wish")
    if "sizes" in found or not isinstance(wish, dict):
        return found
    said = {"records": wish.get("records_at_least"), "rows": wish.get("rows")}
    whole = {name: number for name, number in said.items() if _is_count(number)}
    return {"sizes": whole, **found}


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def save_state(project: Project, state: ProjectState, since: int) -> ProjectState | None:
    """Save a state under the next revision, unless somebody else saved one in between.

    Args:
        project: where to.
        state: what to save.
        since: the revision that it was made from.

    Returns:
        What is on disk now; None where that is another's and nothing was written.

    Raises:
        Refusal: the folder cannot be written, or what is there cannot be read.
    """
    with project.lock():
        if read_revision(project) != since:
            return None
        saved = state.model_copy(update={"revision": since + 1})
        write_versioned(project.path / STATE, saved.model_dump(mode="json"))
        return saved


_PLANS = "plans"


KeptSettings = Annotated[
    MechanismPlan,
    BeforeValidator(lambda found: found if isinstance(found, MechanismPlan) else plan_of(found)),
    PlainSerializer(lambda plan: plan.as_dict()),
]
"""A plan of any method, with its kind, as in a plan file."""


class KeptPlan(Frozen, what="the kept plan"):
    """A plan under a name.

    Attributes:
        name: its name.
        at: when it was saved, in UTC, as ISO 8601.
        plan: the plan.
    """

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    at: str
    plan: KeptSettings


def keep_plan(
    project: Project, name: str, plan: MechanismPlan, *, instead: bool = False
) -> KeptPlan:
    """Keep a plan.

    Args:
        project: where.
        name: what to call it.
        plan: it.
        instead: whether it may take the place of one of the same name.

    Raises:
        Refusal: the name is empty or too long, or taken, or the folder cannot be written.
    """
    kept = KeptPlan(name=check_name(name), at=clock.now().isoformat(timespec="seconds"), plan=plan)
    place = _place(project, kept.name)
    if place.exists() and not instead:
        raise Refusal(
            f"There is a kept plan “{kept.name}” already.",
            "Choose another name, or delete that one first.",
            field="name",
        )
    try:
        make_private(place.parent)
    except OSError:
        raise refuse_unwritable(place.parent) from None
    write_versioned(place, kept.model_dump(mode="json"))
    return kept


def list_plans(project: Project) -> tuple[KeptPlan, ...]:
    """Return the plans of a project that can be read, newest first."""
    found = []
    for path in sorted((project.path / _PLANS).glob("*.json")):
        try:
            found.append(KeptPlan.read(read_versioned(path, project.identity)))
        except Refusal:
            continue
    return tuple(sorted(found, key=lambda each: (each.at, each.name), reverse=True))


def forget_plan(project: Project, name: str) -> None:
    """Delete a kept plan, where there is one.

    Raises:
        Refusal: the folder cannot be written.
    """
    try:
        _place(project, name).unlink(missing_ok=True)
    except OSError:
        raise refuse_unwritable(project.path) from None


def copy_plans(project: Project, into: Project) -> None:
    """Copy every plan of one project into another.

    Raises:
        Refusal: the folder cannot be written.
    """
    for each in list_plans(project):
        keep_plan(into, each.name, each.plan, instead=True)


def _place(project: Project, name: str) -> Path:
    """Return the file of a name; names that differ in capitals only are the same."""
    mark = hashlib.sha256(name.strip().casefold().encode()).hexdigest()[:16]
    return project.path / _PLANS / f"{mark}.json"
