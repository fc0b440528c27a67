"""The events of the ledger, as frozen values, and the form of each in the chain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import Field, field_serializer, field_validator, model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.ledger.chain import Link
from understudy.ledger.totals import Spend
from understudy.privacy.budget import Budget, Neighbours

State = Literal["planned", "running", "released", "failed", "cancelled", "abandoned"]
"""planned: debited, and not heard of since. running: its process has begun. released: its files
are there, whole. failed, cancelled: it said so. abandoned: its process died without a report."""

ENDED: frozenset[State] = frozenset({"released", "failed", "cancelled", "abandoned"})


class Event(Frozen, what="an event of the ledger"):
    """An event. Its time, its dataset and its run stand in the link that holds it."""

    kind: ClassVar[str]

    def body(self) -> dict[str, Any]:
        """Return the particulars, ready for JSON."""
        return self.model_dump(mode="json")


class Opened(Event, what="the opening of the ledger"):
    """The ledger began.

    Attributes:
        key: tells whether a key is the one that the fingerprints here were made with.
    """

    kind: ClassVar[str] = "opened"
    key: str


People = Literal["new", "same", "named"]
"""Why a table was taken for a dataset's. new: the custodian said that its people are in no other
table. same: the custodian named the dataset. named: it was called as the dataset is."""


class Recognised(Event, what="a dataset of the ledger"):
    """A dataset was first heard of, or one of its tables was.

    Attributes:
        name: what the dataset is called.
        fingerprint: of the table, which belongs to this dataset for good.
        people: whose the custodian said its records are; None where there is no table yet.
        apart_from: the ids of datasets whose people the custodian said they are not, though their
            tables look alike or could not be compared.
        reason: why not, in the custodian's words.
    """

    kind: ClassVar[str] = "dataset"
    name: str = Field(min_length=1)
    fingerprint: str | None = None
    people: People | None = None
    apart_from: tuple[str, ...] = ()
    reason: str = ""


class Budgeted(Event, what="a budget of the ledger"):
    """The custodian set what may be spent on a dataset.

    Attributes:
        epsilon, delta: of the budget.
        neighbours: how the tables differ between which it is allowed.
    """

    kind: ClassVar[str] = "budget"
    epsilon: float = Field(gt=0, allow_inf_nan=False)
    delta: float = Field(ge=0, lt=1, allow_inf_nan=False)
    neighbours: Neighbours = Neighbours.TABLES

    @property
    def budget(self) -> Budget:
        """ε and δ, as one value."""
        return Budget(self.epsilon, self.delta)


class Debited(Event, what="a debit"):
    """A run was planned and paid for.

    Attributes:
        purpose: what the run is for; rehearsals release nothing and are not debited.
        plan: its settings, without how stray values were settled, which is confidential.
        protocol: what a reader of the release may see.
        count: how many attempts, or records where the protocol hides the attempts.
        record: the (ε, δ) of the whole run between tables that differ by one record; None where
            nothing is promised.
        neighbours: how those tables differ.
        records_per_person: the most records that one person may have.
        whole_people: whether `record` is about all records of a person together already, however
            many they are; written down only where it is.
        sampling: the chance with which each member of a population got into the table; None
            where no secret sampling is claimed.
        seedless: whether nothing is copied from a record, so that no candidate is tested.
        stained: whether a fixed seed was used; `record` is then None.
    """

    kind: ClassVar[str] = "debited"
    purpose: str
    plan: Mapping[str, Any]
    protocol: str
    count: int = Field(ge=0)
    record: Budget | None
    neighbours: Neighbours = Neighbours.TABLES
    records_per_person: int = Field(default=1, ge=1)
    whole_people: bool = False
    sampling: float | None = Field(default=None, gt=0, le=1, allow_inf_nan=False)
    seedless: bool = False
    stained: bool = False

    @field_validator("record", mode="before")
    @classmethod
    def _read_record(cls, value: Any) -> Any:
        return Budget(**value) if isinstance(value, Mapping) else value

    @field_serializer("record")
    def _record(self, record: Budget | None) -> dict[str, float] | None:
        return None if record is None else {"epsilon": record.epsilon, "delta": record.delta}

    def body(self) -> dict[str, Any]:
        """Return the particulars, ready for JSON."""
        found = super().body()
        if not self.whole_people:
            del found["whole_people"]
        return found

    @model_validator(mode="after")
    def _consistent(self) -> Debited:
        if self.record is not None and (self.stained or not self.record.bounded):
            raise Refusal("A run that promises nothing has no (ε, δ).", "Leave its budget out.")
        if "policies" in self.plan:
            raise Refusal(
                "How stray values were settled may not stand in the ledger.",
                "Leave the policies out of the plan.",
            )
        return self

    @property
    def spend(self) -> Spend | None:
        """What it adds to a total; None where nothing is promised, which no total can hold."""
        if self.record is None:
            return None
        return Spend(
            self.record,
            self.records_per_person,
            self.sampling,
            self.neighbours,
            self.whole_people,
        )


class Noted(Event, what="a note on a run"):
    """A run went on, or ended without a release."""

    state: ClassVar[State]


class Running(Noted):
    """The process of a run has begun."""

    kind: ClassVar[str] = "running"
    state: ClassVar[State] = "running"


class Resumed(Noted):
    """A run whose process was gone goes on: with the same attempts, of which it was debited all."""

    kind: ClassVar[str] = "resumed"
    state: ClassVar[State] = "running"


class Released(Noted):
    """The files of a run's release are there, whole.

    Attributes:
        artefacts: SHA-256, in hex, of each file, by its name.
    """

    kind: ClassVar[str] = "released"
    state: ClassVar[State] = "released"
    artefacts: Mapping[str, str]


class Failed(Noted):
    """A run could not go on."""

    kind: ClassVar[str] = "failed"
    state: ClassVar[State] = "failed"


class Cancelled(Noted):
    """Somebody stopped it."""

    kind: ClassVar[str] = "cancelled"
    state: ClassVar[State] = "cancelled"


class Abandoned(Noted):
    """The process of a run died without a report, and there is no complete release."""

    kind: ClassVar[str] = "abandoned"
    state: ClassVar[State] = "abandoned"


_KINDS: dict[str, type[Event]] = {
    each.kind: each
    for each in (
        Opened, Recognised, Budgeted, Debited, Running, Resumed, Released, Failed, Cancelled,
        Abandoned,
    )
}  # fmt: skip


def event_follows(event: Noted, state: State) -> bool:
    """Return whether an event changes the state of a run that is in this one.

    The first end that is put down stands, except for a run that went on after it had stopped.
    """
    if isinstance(event, Resumed):
        return state not in ("released", "cancelled")
    return state not in ENDED and state != event.state


def read_event(link: Link) -> Event:
    """Return what a link says happened.

    Raises:
        Refusal: this version does not know such events.
    """
    try:
        return _KINDS[link.kind].read(json.loads(link.body))
    except (KeyError, Refusal):
        raise Refusal(
            f"Event {link.seq:,} of the ledger was written by another version of the program.",
            "Use the newest version that this ledger was used with.",
            field="ledger",
        ) from None


def read_moment(link: Link) -> datetime:
    """Return when a link was written."""
    return datetime.fromisoformat(link.at)
