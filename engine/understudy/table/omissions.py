"""Columns of the file that a schema leaves out: which, why in public words, and whether the
released table has them as empty columns, so that its header is that of the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, Protocol

from pydantic import Field, model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.checks import name_problem

Why = Literal[
    "choice", "people", "identifier", "name", "contact", "address", "text", "unusable", "surplus"
]

WHY: Final[Mapping[Why, str]] = {
    "choice": "not used",
    "people": "says whose a record is",
    "identifier": "a number or code that identifies",
    "name": "names of people",
    "contact": "e-mail addresses, phone numbers or the like",
    "address": "addresses",
    "text": "free text",
    "unusable": "cannot be described as it stands in the file",
    "surplus": "beyond the number of columns that are used together",
}
"""Each reason as a reader reads it. It is published, and says of what kind a column is: nothing
that was counted in it."""

IDENTIFYING: Final[frozenset[Why]] = frozenset(
    {"people", "identifier", "name", "contact", "address", "text"}
)
"""The reasons for which a column tells who somebody is, or may tell it."""
CHOSEN_REASONS: Final[tuple[Why, ...]] = (
    "choice", "identifier", "name", "contact", "address", "text",
)  # fmt: skip
"""The reasons that a custodian may give for leaving out a column."""


class Placed(Protocol):
    """A column of the file that is in no model."""

    @property
    def name(self) -> str:
        """As in the header of the file."""

    @property
    def place(self) -> int:
        """How many columns stand before it in the file."""


class Omission(Frozen, what="a column that is left out"):
    """A column of the file that is left out.

    Attributes:
        name: as in the header of the file.
        place: how many columns stand before it in the file, others that are left out included.
        why: the kind of reason.
        empty: whether the released table has it as a column without values.

    Raises:
        Refusal: the name is none that a column can have.
    """

    name: str
    place: int = Field(default=0, ge=0)
    why: Why = "choice"
    empty: bool = False

    @model_validator(mode="after")
    def _usable(self) -> Omission:
        if not can_be_named(self.name):
            wrong = name_problem(self.name) or "is blank, or begins or ends with a blank"
            raise Refusal(
                f"The name of a column that is left out {wrong}.",
                "Do not name it in the schema, or rename it in the file.",
                field="left_out",
            )
        return self

    @property
    def reason(self) -> str:
        """A sentence with the reason."""
        return f"The schema leaves it out: {WHY[self.why]}."


def can_be_named(name: str) -> bool:
    """Return whether a name is one that a column can have."""
    return bool(name) and name == name.strip() and name_problem(name) is None


def order_names(used: Sequence[str], others: Iterable[Placed]) -> tuple[str, ...]:
    """Return the names of used columns and of others of the file, in the order of the file."""
    ordered = list(used)
    for each in sorted(others, key=lambda each: each.place):
        ordered.insert(each.place, each.name)
    return tuple(ordered)


def omit(
    omissions: Sequence[Omission], order: Sequence[str], names: Collection[str], why: Why
) -> tuple[Omission, ...]:
    """Return what is left out once further columns are.

    Args:
        omissions: what is left out so far.
        order: the names of all columns in the order of the file.
        names: those that are left out as well.
        why: the reason.
    """
    known = {each.name for each in omissions}
    further = [
        Omission(name=name, place=place, why=why)
        for place, name in enumerate(order)
        if name in names and name not in known
    ]
    return tuple(sorted((*omissions, *further), key=lambda each: each.place))


def list_reasons(omissions: Iterable[Omission]) -> dict[str, tuple[str, ...]]:
    """Return the names of the columns that are left out for each reason, as a reader reads it."""
    reasons: dict[str, list[str]] = {}
    for omission in omissions:
        reasons.setdefault(describe_omission(omission), []).append(omission.name)
    return {reason: tuple(names) for reason, names in reasons.items()}


def describe_omission(omission: Omission) -> str:
    """Return why a column is left out, and whether it is kept as an empty one."""
    return WHY[omission.why] + (", kept as an empty column" if omission.empty else "")
