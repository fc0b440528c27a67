"""Changes of the schema on the Data and Buckets pages: what is picked, and going back and forth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import UNTAGGED
from understudy.projects.state import Answers
from understudy.table.authoring.edits import Change, edit_columns, with_policy
from understudy.table.authoring.group_suggestions import GroupSuggestion
from understudy.table.authoring.partial_groups import Grouping
from understudy.table.buckets import Buckets
from understudy.table.column import Column
from understudy.table.domain import Domain
from understudy.table.fit import Policy
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.components import list_new_deeds

if TYPE_CHECKING:
    from understudy_dashboard.session import Session


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

    def record(self, found: Described) -> History:
        """Return the history with what is found made the present: a step where it is something
        new."""
        if self.now is None:
            return replace(self, now=found)
        if found == self.now:
            return self
        past = (*self.past, (self.now, describe_change(self.now, found)))
        return History(past[-MOST_STEPS:], found, ())

    @property
    def undoing(self) -> str | None:
        """What undoing takes back, in words; None where there is nothing."""
        return self.past[-1][1] if self.past else None

    @property
    def redoing(self) -> str | None:
        """What redoing does again, in words; None where there is nothing."""
        return self.future[0][1] if self.future else None

    def undo(self) -> History:
        """Return one step back; the same where there is none."""
        if not self.past or self.now is None:
            return self
        before, what = self.past[-1]
        return History(self.past[:-1], before, ((self.now, what), *self.future))

    def redo(self) -> History:
        """Return one step forth again; the same where there is none."""
        if not self.future or self.now is None:
            return self
        after, what = self.future[0]
        return History((*self.past, (self.now, what)), after, self.future[1:])


def describe_change(before: Described, after: Described) -> str:
    """Return what was done between two moments, in a few words."""
    if before.method != after.method:
        return "another method"
    if (before.schema.people, before.answers) != (after.schema.people, after.answers):
        return "whose the rows are"
    if before.schema.computed_names != after.schema.computed_names or (
        before.schema.derived != after.schema.derived
    ):
        return _describe_computed(before.schema, after.schema)
    if before.schema.header != after.schema.header and before.schema.names == after.schema.names:
        return "columns that are kept empty"
    old = {column.name: column for column in before.schema.columns}
    new = {column.name: column for column in after.schema.columns}
    gone, come = [n for n in old if n not in new], [n for n in new if n not in old]
    if gone and come:
        return "another schema"
    if gone:
        return f"{_name_columns(gone)} left out"
    if come:
        return f"{_name_columns(come)} used again"
    other = [name for name in new if new[name] != old[name]]
    if other:
        return f"{_name_columns(other)}: {_name_settings(old, new, other)}"
    settled = _list_unlike(before.policies, after.policies)
    if settled:
        return f"{_name_columns(settled)}: values outside"
    return next(
        (
            what
            for what, setting in _SAID_OF_A_SCHEMA.items()
            if getattr(after.schema, setting) != getattr(before.schema, setting)
        ),
        "order",
    )


def _describe_computed(before: Schema, after: Schema) -> str:
    """Return which columns were derived or modelled by a distance, or are so no longer."""
    if before.sums != after.sums:
        names = [name for name in {**before.sums, **after.sums} if name not in before.sums]
        gone = [name for name in before.sums if name not in after.sums]
        return (
            f"{_name_columns(names)} modelled by a distance"
            if names
            else f"{_name_columns(gone)} modelled as it is"
        )
    old, new = ({each.name: each.formula for each in it.derived} for it in (before, after))
    come = [name for name in new if new[name] != old.get(name)]
    if come:
        return f"{_name_columns(come)} derived"
    return f"{_name_columns([name for name in old if name not in new])} no longer derived"


_SAID_OF_A_SCHEMA: Mapping[str, str] = {
    "rules": "rules",
    "known totals": "totals",
    "how the file is read": "reading",
    "confirmation": "declaration",
    "why columns are left out": "omissions",
}
"""What was changed of a schema as a whole, each with its setting."""


def _list_unlike(before: Mapping[str, Policy], after: Mapping[str, Policy]) -> list[str]:
    names = dict.fromkeys((*before, *after))
    return [name for name in names if before.get(name) != after.get(name)]


def _name_columns(names: list[str]) -> str:
    return names[0] if len(names) == 1 else words.count(len(names), "column")


def _name_settings(old: Mapping[str, Column], new: Mapping[str, Column], names: list[str]) -> str:
    """Return which settings differ, of all the columns together."""
    return " and ".join(
        called
        for called, fields in _CALLED.items()
        if any(getattr(old[name], f) != getattr(new[name], f) for name in names for f in fields)
    )


_CALLED: Mapping[str, tuple[str, ...]] = {
    "title": ("title",),
    "what it may contain": ("domain",),
    "missing values": ("missing", "missing_codes"),
    "buckets": ("buckets",),
    "role": ("role",),
    "where it is known from": ("origin", "source"),
}


@dataclass
class Editing:
    """What is being edited; nothing of it is lost by going to another page.

    Attributes:
        history: every change of the schema so far.
        picked: the columns chosen to be edited together.
        changed_together: whether those picked were changed and nothing more was asked for since.
        turn: raised whenever `picked` changes by other hands than the list's own, so that it takes
            that over.
        search, shown: what the list of columns is narrowed to.
        refused: why the last change of many columns left some as they were, by column.
        groups: by column, groups of categories that are being made, and the buckets the column
            has meanwhile.
        hierarchies: by column, what a file of groups suggested, and the domain it was for.
        order: the columns as the list has them.
        aside: the column that is looked at though it is left out.
        checked: columns whose notes were looked through.
        answered: by component, the number of the last deed that was dealt with.
        predicts, beside: on the Buckets page, the column looked at as a child and the other
            parents it has.
    """

    history: History = field(default_factory=History)
    picked: tuple[str, ...] = ()
    changed_together: bool = False
    turn: int = 0
    search: str = ""
    shown: str = "all"
    refused: dict[str, Refusal] = field(default_factory=dict)
    groups: dict[str, tuple[Buckets, Grouping]] = field(default_factory=dict)
    hierarchies: dict[str, tuple[Domain, tuple[GroupSuggestion, ...]]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    aside: str | None = None
    checked: set[str] = field(default_factory=set)
    answered: dict[str, int] = field(default_factory=dict)
    predicts: str | None = None
    beside: tuple[str, ...] = ()

    def list_unanswered(self, component: str, deeds: Any) -> Iterator[dict[str, Any]]:
        """Yield what a person did in a component since it was last answered; answered with this.

        Args:
            component: its key.
            deeds: what it told, deeds that were answered before among them.
        """
        for deed in list_new_deeds(deeds, self.answered.get(component, 0)):
            self.answered[component] = deed["number"]
            yield deed

    def look_at(self, session: Session, name: str) -> None:
        """Turn to one column, and let go of those picked."""
        self.picked = ()
        self.turn += 1
        schema = session.settings.require_schema()
        self.aside = name if name in session.left_out or name in schema.computed_names else None
        if self.aside is None:
            session.column = name


def try_change(session: Session, change: Callable[[], object]) -> None:
    """Make a change, or say at the top of the page why it cannot be made."""
    try:
        change()
    except Refusal as refusal:
        session.cautions.append(f"{words.escape(refusal.problem)} {words.escape(refusal.remedy)}")


def remember(session: Session) -> None:
    """Make a step of what changed since the page was last drawn, wherever it was changed."""
    if session.settings.schema is None:
        return
    editing = session.editing
    now = Described(
        session.settings.schema,
        dict(session.left_out),
        dict(session.settings.policies),
        session.settings.method,
        session.answers,
    )
    editing.history = editing.history.record(now)


def undo(session: Session) -> None:
    """Take back the last step."""
    remember(session)
    _go_to(session, session.editing.history.undo())


def redo(session: Session) -> None:
    """Do again what was taken back."""
    remember(session)
    _go_to(session, session.editing.history.redo())


def _go_to(session: Session, history: History) -> None:
    there = history.now
    if there is None or history == session.editing.history:
        return
    session.editing.history = history
    session.describe(there.schema)
    session.left_out = dict(there.left_out)
    session.settings.policies, session.settings.method = dict(there.policies), there.method
    session.answers = there.answers
    session.editing.groups.clear()
    session.editing.refused.clear()
    _keep_picks(session)


def _keep_picks(session: Session) -> None:
    """Forget picks that are no column any more, and tell the list."""
    assert session.settings.schema is not None
    editing, names = session.editing, {*session.settings.schema.names, *session.left_out}
    editing.picked = tuple(name for name in editing.picked if name in names)
    editing.turn += 1
    if editing.aside not in session.left_out:
        editing.aside = None


def change_each(session: Session, names: Collection[str], change: Change) -> tuple[str, ...]:
    """Change several columns alike, as one step; which did change.

    Those that cannot stay as they were, and `editing.refused` says why.
    """
    assert session.settings.schema is not None
    made = edit_columns(session.settings.schema, names, change)
    session.editing.refused = dict(made.refused)
    if made.changed:
        session.describe(made.schema)
    return made.changed


def settle_each(session: Session, names: Collection[str], policy: Policy) -> tuple[str, ...]:
    """Settle values outside several columns alike; for which that changed anything."""
    assert session.settings.schema is not None
    before = session.settings.policies
    after, refused = with_policy(session.settings.schema, before, names, policy)
    session.editing.refused = refused
    session.settings.policies = after
    session.revision += 1
    return tuple(name for name in after if after[name] != before.get(name, "refuse"))


def leave_out_each(session: Session, names: Collection[str]) -> None:
    """Do without several columns.

    Raises:
        Refusal: fewer than two would remain.
    """
    session.leave_out(*names)
    _keep_picks(session)


def bring_back_each(session: Session, names: Collection[str]) -> None:
    """Use columns after all; of those that cannot be described, `editing.refused` says why.

    Raises:
        Refusal: they would be more than can be used together.
    """
    session.editing.refused = session.bring_back(*names)
    _keep_picks(session)


def use_only(session: Session, names: Collection[str]) -> None:
    """Use these columns, and do without all others.

    Raises:
        Refusal: they are fewer than two, or more than can be used together.
    """
    session.editing.refused = session.use_only(*names)
    _keep_picks(session)
