"""What the Data and Buckets pages remember while columns are being edited."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from understudy.core.refusal import Refusal
from understudy.table.authoring.editing import Change, edit_columns, with_policy
from understudy.table.authoring.group_suggestions import Suggestion
from understudy.table.authoring.grouping import Grouping
from understudy.table.buckets import Buckets
from understudy.table.domain import Domain
from understudy.table.fitting import Policy
from understudy_dashboard.components import fresh
from understudy_dashboard.undo import Described, History

if TYPE_CHECKING:
    from understudy_dashboard.session import Session


@dataclass
class Editing:
    """Nothing of it is lost by going to another page.

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
    hierarchies: dict[str, tuple[Domain, tuple[Suggestion, ...]]] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    aside: str | None = None
    checked: set[str] = field(default_factory=set)
    answered: dict[str, int] = field(default_factory=dict)
    predicts: str | None = None
    beside: tuple[str, ...] = ()

    def unanswered(self, component: str, deeds: Any) -> Iterator[dict[str, Any]]:
        """Yield what a person did in a component since it was last answered; answered with this.

        Args:
            component: its key.
            deeds: what it told, deeds that were answered before among them.
        """
        for deed in fresh(deeds, self.answered.get(component, 0)):
            self.answered[component] = deed["number"]
            yield deed

    def look_at(self, session: Session, name: str) -> None:
        """Turn to one column, and let go of those picked."""
        self.picked = ()
        self.turn += 1
        self.aside = name if name in session.left_out else None
        if self.aside is None:
            session.column = name


def remember(session: Session) -> None:
    """Make a step of what changed since the page was last drawn, wherever it was changed."""
    if session.schema is None:
        return
    editing = session.editing
    now = Described(
        session.schema,
        dict(session.left_out),
        dict(session.policies),
        session.method,
        session.answers,
    )
    editing.history = editing.history.seen(now)


def undo(session: Session) -> None:
    """Take back the last step."""
    remember(session)
    _go_to(session, session.editing.history.undone())


def redo(session: Session) -> None:
    """Do again what was taken back."""
    remember(session)
    _go_to(session, session.editing.history.redone())


def _go_to(session: Session, history: History) -> None:
    there = history.now
    if there is None or history == session.editing.history:
        return
    session.editing.history = history
    session.describe(there.schema)
    session.left_out = dict(there.left_out)
    session.policies, session.method = dict(there.policies), there.method
    session.answers = there.answers
    session.editing.groups.clear()
    session.editing.refused.clear()
    _keep_picks(session)


def _keep_picks(session: Session) -> None:
    """Forget picks that are no column any more, and tell the list."""
    assert session.schema is not None
    editing, names = session.editing, {*session.schema.names, *session.left_out}
    editing.picked = tuple(name for name in editing.picked if name in names)
    editing.turn += 1
    if editing.aside not in session.left_out:
        editing.aside = None


def change_each(session: Session, names: Collection[str], change: Change) -> tuple[str, ...]:
    """Change several columns alike, as one step; which did change.

    Those that cannot stay as they were, and `editing.refused` says why.
    """
    assert session.schema is not None
    made = edit_columns(session.schema, names, change)
    session.editing.refused = dict(made.refused)
    if made.changed:
        session.describe(made.schema)
    return made.changed


def settle_each(session: Session, names: Collection[str], policy: Policy) -> tuple[str, ...]:
    """Settle values outside several columns alike; for which that changed anything."""
    assert session.schema is not None
    before = session.policies
    after, refused = with_policy(session.schema, before, names, policy)
    session.editing.refused = refused
    session.policies = after
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
    """Use columns after all, those that were described before they were left out."""
    session.bring_back(*names)
    _keep_picks(session)
