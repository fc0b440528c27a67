"""Named plans saved in a project."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer

from understudy.core import clock
from understudy.core.files import make_private
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.mechanisms.plan import MechanismPlan
from understudy.mechanisms.registry import plan_of
from understudy.projects.project import (
    LONGEST_NAME,
    Project,
    checked_name,
    read_versioned,
    unwritable,
    write_versioned,
)

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


def keep(project: Project, name: str, plan: MechanismPlan, *, instead: bool = False) -> KeptPlan:
    """Keep a plan.

    Args:
        project: where.
        name: what to call it.
        plan: it.
        instead: whether it may take the place of one of the same name.

    Raises:
        Refusal: the name is empty or too long, or taken, or the folder cannot be written.
    """
    kept = KeptPlan(
        name=checked_name(name), at=clock.now().isoformat(timespec="seconds"), plan=plan
    )
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
        raise unwritable(place.parent) from None
    write_versioned(place, kept.model_dump(mode="json"))
    return kept


def plans_of(project: Project) -> tuple[KeptPlan, ...]:
    """Return the plans of a project that can be read, newest first."""
    found = []
    for path in sorted((project.path / _PLANS).glob("*.json")):
        try:
            found.append(KeptPlan.read(read_versioned(path, project.identity)))
        except Refusal:
            continue
    return tuple(sorted(found, key=lambda each: (each.at, each.name), reverse=True))


def forget(project: Project, name: str) -> None:
    """Delete a kept plan, where there is one.

    Raises:
        Refusal: the folder cannot be written.
    """
    try:
        _place(project, name).unlink(missing_ok=True)
    except OSError:
        raise unwritable(project.path) from None


def copy_all(project: Project, into: Project) -> None:
    """Copy every plan of one project into another.

    Raises:
        Refusal: the folder cannot be written.
    """
    for each in plans_of(project):
        keep(into, each.name, each.plan, instead=True)


def _place(project: Project, name: str) -> Path:
    """Return the file of a name; names that differ in capitals only are the same."""
    mark = hashlib.sha256(name.strip().casefold().encode()).hexdigest()[:16]
    return project.path / _PLANS / f"{mark}.json"
