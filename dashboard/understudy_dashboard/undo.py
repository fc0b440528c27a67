"""What was done to the schema, step by step, to go back and forth in. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from understudy.mechanisms.companions import UNTAGGED
from understudy.projects.state import Answers
from understudy.table.fitting import Policy
from understudy.table.schema import Column, Schema
from understudy_dashboard import words

MOST_STEPS = 200


@dataclass(frozen=True)
class Described:
    """Everything a custodian decided about the columns at one moment.

    Attributes:
        schema: the columns.
        left_out: columns of the file that are not used, with their description and the reason.
        policies: per column, what becomes of values outside it.
        method: the kind of the method that is used.
        answers: what was answered about whose the rows are.
    """

    schema: Schema
    left_out: Mapping[str, tuple[Column | None, str]]
    policies: Mapping[str, Policy]
    method: str = UNTAGGED
    answers: Answers = field(default_factory=Answers)


@dataclass(frozen=True)
class History:
    """The moments before and after the present one.

    Attributes:
        past: oldest first, each with what was done after it.
        now: the present; None before anything was seen.
        future: what was undone, next first, each with what had led to it.
    """

    past: tuple[tuple[Described, str], ...] = ()
    now: Described | None = None
    future: tuple[tuple[Described, str], ...] = ()

    def seen(self, found: Described) -> History:
        """Return the history with what is found made the present: a step where it is something
        new."""
        if self.now is None:
            return replace(self, now=found)
        if found == self.now:
            return self
        past = (*self.past, (self.now, change(self.now, found)))
        return History(past[-MOST_STEPS:], found, ())

    @property
    def undoing(self) -> str | None:
        """What undoing takes back, in words; None where there is nothing."""
        return self.past[-1][1] if self.past else None

    @property
    def redoing(self) -> str | None:
        """What redoing does again, in words; None where there is nothing."""
        return self.future[0][1] if self.future else None

    def undone(self) -> History:
        """Return one step back; the same where there is none."""
        if not self.past or self.now is None:
            return self
        before, what = self.past[-1]
        return History(self.past[:-1], before, ((self.now, what), *self.future))

    def redone(self) -> History:
        """Return one step forth again; the same where there is none."""
        if not self.future or self.now is None:
            return self
        after, what = self.future[0]
        return History((*self.past, (self.now, what)), after, self.future[1:])


def change(before: Described, after: Described) -> str:
    """Return what was done between two moments, in a few words."""
    if before.method != after.method:
        return "another method"
    if (before.schema.people, before.answers) != (after.schema.people, after.answers):
        return "whose the rows are"
    old = {column.name: column for column in before.schema.columns}
    new = {column.name: column for column in after.schema.columns}
    gone, come = [n for n in old if n not in new], [n for n in new if n not in old]
    if gone and come:
        return "another schema"
    if gone:
        return f"{_columns(gone)} left out"
    if come:
        return f"{_columns(come)} used again"
    other = [name for name in new if new[name] != old[name]]
    if other:
        return f"{_columns(other)}: {_settings(old, new, other)}"
    settled = _unlike(before.policies, after.policies)
    if settled:
        return f"{_columns(settled)}: values outside"
    if after.schema.reading != before.schema.reading:
        return "how the file is read"
    return "confirmation" if after.schema.declaration != before.schema.declaration else "order"


def _unlike(before: Mapping[str, Policy], after: Mapping[str, Policy]) -> list[str]:
    names = dict.fromkeys((*before, *after))
    return [name for name in names if before.get(name) != after.get(name)]


def _columns(names: list[str]) -> str:
    return names[0] if len(names) == 1 else words.count(len(names), "column")


def _settings(old: Mapping[str, Column], new: Mapping[str, Column], names: list[str]) -> str:
    """Return which settings differ, of all the columns together."""
    return " and ".join(
        called
        for called, fields in _CALLED.items()
        if any(getattr(old[name], f) != getattr(new[name], f) for name in names for f in fields)
    )


_CALLED: Mapping[str, tuple[str, ...]] = {
    "title": ("title",),
    "what it may contain": ("domain",),
    "missing values": ("missing", "missing_values"),
    "buckets": ("buckets",),
}
