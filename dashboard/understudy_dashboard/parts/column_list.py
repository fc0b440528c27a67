"""Every column in a line: those with problems first, to search, to choose one or many from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import streamlit as st

from understudy.charts.lettering import shortened
from understudy.table.authoring.attention import Attention
from understudy.table.encoding import Fitting
from understudy.table.fitting import Outside
from understudy.table.schema import Column
from understudy_dashboard import words
from understudy_dashboard.components import component
from understudy_dashboard.session import Session

_KEY: Final = "columns"
_LONGEST, _NAMED, _SEARCHED = 18, 3, 40
_ACTION = {"missing": "as missing", "clip": "moved inside"}
_PRESSING: Final[Mapping[Attention, str]] = {
    "identifier": "identifier?",
    "date": "dates",
    "codes": "codes?",
    "derived": "derived?",
    "list": "list from file",
    "bounds": "bounds from file",
}
_FILTERS = (
    ("all", "All"),
    ("attention", "Needs attention"),
    ("numbers", "Numbers"),
    ("categories", "Categories"),
    ("out", "Left out"),
)

_mount = component("columns")


def column_list(session: Session, names: Sequence[str]) -> None:
    """Draw the list, and follow what is chosen in it.

    Args:
        session: the page's state.
        names: the columns of the schema in the order they stand in.
    """
    editing = session.editing
    rows = [*(_used(session, name) for name in names), *_left_out(session)]

    def follow() -> None:
        answer(session, st.session_state[_KEY]["deeds"])

    _mount(
        key=_KEY,
        data={
            "rows": rows,
            "filters": [
                {"name": name, "label": label, "count": _count(rows, name)}
                for name, label in _FILTERS
            ],
            "chosen": editing.aside or session.column,
            "picked": editing.picked,
            "turn": editing.turn,
            "search": editing.search,
            "shown": editing.shown,
            "answered": editing.answered.get(_KEY, 0),
        },
        on_deeds_change=follow,
    )


def answer(session: Session, told: Any) -> None:
    """Do what somebody did in the list.

    Args:
        session: the page's state.
        told: what the component told, deeds that were answered before among them.
    """
    for deed in session.editing.unanswered(_KEY, told):
        _follow(session, deed)


def _follow(session: Session, deed: dict[str, Any]) -> None:
    editing, schema = session.editing, session.schema
    assert schema is not None
    known = {*schema.names, *session.left_out}
    editing.search, editing.shown = str(deed.get("search", "")), str(deed.get("shown", "all"))
    editing.refused = {}
    if deed["act"] == "pick" and isinstance(deed.get("names"), list):
        editing.picked = tuple(name for name in deed["names"] if name in known)
        editing.changed_together = False
    if deed["act"] == "open" and deed.get("name") in known:
        editing.look_at(session, deed["name"])


def _count(rows: Sequence[dict[str, Any]], name: str) -> int:
    return len(rows) if name == "all" else sum(name in row["groups"] for row in rows)


def _used(session: Session, name: str) -> dict[str, Any]:
    """Return the row of a column of the schema, made again only when something in it changes."""
    assert session.schema is not None
    column = session.schema.column(name)
    attention = session.attention().get(name, ())
    key = (column, session.policies.get(name, "refuse"), open_notes(session, name), attention)
    row: dict[str, Any] = session.keep(f"row {name}", key, lambda: _row(session, column))
    return row


def _row(session: Session, column: Column) -> dict[str, Any]:
    found = session.fitting(column)
    problem = _problem(session, column, found.outside)
    notes = len(open_notes(session, column.name))
    pressing = session.attention().get(column.name, ()) if notes else ()
    note = _PRESSING[pressing[0]] if pressing else words.count(notes, "note") if notes else ""
    return {
        "name": column.name,
        "title": column.title,
        "says": f"{column.domain.words.title}: {domain_in_words(column)}",
        "missing": _missing(column, found),
        "mark": problem or note,
        "strong": undecided(session, column, found.outside),
        "groups": [
            "numbers" if column.ordered else "categories",
            *(["attention"] if problem or notes else []),
        ],
        "text": _searched(column),
    }


def open_notes(session: Session, name: str) -> tuple[str, ...]:
    """Return what the suggestion wants looked at in a column, until somebody has."""
    return () if name in session.editing.checked else tuple(session.notes.get(name, ()))


def undecided(session: Session, column: Column, found: Outside) -> bool:
    """Return whether values lie outside a column and nobody has said what becomes of them."""
    return bool(found.total) and session.policies.get(column.name, "refuse") == "refuse"


def _problem(session: Session, column: Column, found: Outside) -> str:
    if not found.total:
        return ""
    if undecided(session, column, found):
        return f"{found.total:,} outside"
    return f"{found.total:,} outside, {_ACTION[session.policies[column.name]]}"


def _missing(column: Column, found: Fitting) -> str:
    if not column.missing:
        return "never missing"
    code = column.missing_code
    assert code is not None
    return f"{int(found.counts[code]):,} missing"


def _searched(column: Column) -> str:
    """Return what a search looks through, in small letters."""
    labels = () if column.ordered else column.labels[:_SEARCHED]
    return " ".join((column.name, column.title, *labels)).lower()


def _left_out(session: Session) -> Iterator[dict[str, Any]]:
    for name, (column, why) in session.left_out.items():
        yield {
            "name": name,
            "title": "" if column is None else column.title,
            "says": f"Left out: {why}",
            "missing": "",
            "mark": "left out",
            "strong": False,
            "groups": ["out"],
            "text": name.lower(),
        }


def domain_in_words(column: Column) -> str:
    """Return what a column may contain, in a few words."""
    domain, ranged = column.domain, column.domain.ranged
    if ranged is None:
        listed = ", ".join(
            shortened(label, _LONGEST) for label in (domain.given_labels or domain.texts)[:_NAMED]
        )
        more = f", and {domain.size - _NAMED:,} more" if domain.size > _NAMED else ""
        return f"{domain.size:,}: {listed}{more}"
    span = f"{ranged.minimum:,f} to {ranged.maximum:,f}"
    if ranged.measured:
        unit = f" {ranged.units}" if ranged.units else ""
        nearest = f"to the nearest {ranged.resolution:,f}"
        return f"{span}{unit}, {nearest}, in cells of {ranged.step:,f}"
    return span if ranged.step == 1 else f"{span} in steps of {ranged.step:,f}"
