"""All columns at a glance; beside them one to look at closely, or many to change together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import streamlit as st

from understudy.charts import histogram
from understudy.charts.scales import shorten
from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import POLICIES
from understudy.table.authoring.attention import ATTENTION, Attention
from understudy.table.column import Column
from understudy.table.domain import Domain, Verdict
from understudy.table.encoding import Fitting, choices
from understudy.table.fit import Outside, Policy, list_misfits
from understudy.table.omissions import IDENTIFYING, Why
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.components import load_component
from understudy_dashboard.frame import mark_internal, show_refusal
from understudy_dashboard.parts.column_changes import draw_changes
from understudy_dashboard.parts.column_form import draw_column_form
from understudy_dashboard.parts.derivations import draw_derived, draw_suggested_derivation
from understudy_dashboard.parts.left_out_columns import draw_left_out
from understudy_dashboard.parts.pictures import KeptPicture, draw_kept_picture
from understudy_dashboard.parts.recodings import draw_recoded
from understudy_dashboard.parts.weights import draw_weight
from understudy_dashboard.schema_edits import redo, remember, undo
from understudy_dashboard.session import Session


def draw_column_preview(session: Session, column: Column) -> None:
    """Draw the values of a column as they are described, whatever is wrong with other columns."""
    counts = session.data.fitting(column, session.settings.require_schema()).counts
    drawn: KeptPicture = session.cache.keep(
        "preview",
        (column, counts.tobytes()),
        lambda: KeptPicture(
            histogram.values(column, counts, height=230), histogram.values_table(column, counts)
        ),
    )
    draw_kept_picture(
        drawn,
        key=f"histogram-{column.name}",
        alt=f"How often each value of {column.name} occurs",
    )


def draw_bucket_preview(session: Session, column: Column) -> None:
    """Draw the values of a column by bucket, as the model sees a parent."""
    counts = session.data.fitting(column, session.settings.require_schema()).counts
    drawn: KeptPicture = session.cache.keep(
        "bucket preview",
        (column, counts.tobytes()),
        lambda: KeptPicture(
            histogram.buckets(column, counts), histogram.buckets_table(column, counts)
        ),
    )
    draw_kept_picture(
        drawn,
        key=f"buckets-{column.name}",
        alt=f"How many records fall in each bucket of {column.name}",
    )
    if not counts.sum():
        st.caption("None of the table’s values fits what the column may contain.")


def draw_undoing(session: Session, said: str) -> None:
    """Draw what is said of the page and, once there is a step to take, two buttons beside it with
    what they would take back or do again.

    Beside it, so that nothing below moves when they come.
    """
    remember(session)
    history = session.editing.history
    told, steps = st.columns([4, 3])
    told.markdown(said)
    if history.undoing is None and history.redoing is None:
        return
    with steps.container(horizontal=True, vertical_alignment="center", key="undoing"):
        _draw_step(session, "Undo", undo, "Ctrl+Z", "Take back", history.undoing)
        _draw_step(session, "Redo", redo, "Ctrl+Shift+Z", "Do again", history.redoing)
        done = history.undoing
        if done is not None:
            st.caption(f"Last: {words.escape(done)}")


def _draw_step(
    session: Session,
    label: str,
    act: Callable[[Session], None],
    shortcut: str,
    verb: str,
    what: str | None,
) -> None:
    """Draw a button for a step; without one to take, it cannot be pressed."""
    st.button(
        label,
        icon=f":material/{label.lower()}:",
        key=label.lower(),
        on_click=act,
        args=(session,),
        disabled=what is None,
        shortcut=shortcut,
        help=None if what is None else f"{verb}: {words.escape(what)}",
    )


_KEY: Final = "columns"
_LONGEST, _NAMED, _SEARCHED = 18, 3, 40
_ACTION = {"missing": "as missing", "clip": "moved inside"}
_PRESSING: Final[Mapping[Attention, str]] = {
    "spelling": "written how?",
    "identifier": "identifier?",
    "date": "dates",
    "codes": "codes?",
    "missing": "missing?",
    "weight": "weight?",
    "weights": "which weight?",
    "derived": "derived?",
    "far": "far values",
    "list": "list from file",
    "bounds": "bounds from file",
    "usual": "usual bounds",
}
_FIRST_FILTERS: Final = (("all", "All"), ("attention", "Needs attention"))
_NO_SOURCE: Final = "unsourced"
_ROLE_FILTERS: Final[Mapping[str, str]] = {
    "identifier": "Identifier",
    "whose": "Whose record it is",
    "weight": "Weight",
    "other weight": "Weight not used",
    "target": "Target",
    "geography": "Geography",
    "derived": "Derived",
    "ordinary": "Ordinary",
    "out": "Left out",
}
"""What columns are to the table, those left out included; a row has the sign of its role."""
_FAMILIES: Final = ("numbers", "categories")
"""Groups of kinds that can always be chosen; others only if there is a column of them."""

_mount = load_component("columns")


def draw_column_list(session: Session, names: Sequence[str]) -> None:
    """Draw the list, and follow what is chosen in it.

    Args:
        session: the page's state.
        names: the columns of the schema in the order they stand in.
    """
    editing = session.editing
    rows = [
        *(_load_row(session, name) for name in names),
        *_list_derived(session),
        *_list_left_out(session),
    ]

    def follow() -> None:
        take_list_deeds(session, st.session_state[_KEY]["deeds"])

    _mount(
        key=_KEY,
        data={
            "rows": rows,
            "filters": [
                {
                    "name": name,
                    "label": label,
                    "count": _count_shown(rows, name),
                    "role": name if name in _ROLE_FILTERS else "",
                }
                for name, label in _list_filters(rows)
                if name != _NO_SOURCE or not session.settings.declared
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


def take_list_deeds(session: Session, told: Any) -> None:
    """Do what somebody did in the list.

    Args:
        session: the page's state.
        told: what the component told, deeds that were answered before among them.
    """
    for deed in session.editing.list_unanswered(_KEY, told):
        _follow_deed(session, deed)


def _follow_deed(session: Session, deed: dict[str, Any]) -> None:
    editing, schema = session.editing, session.settings.schema
    assert schema is not None
    known = {*schema.names, *session.left_out}
    editing.search, editing.shown = str(deed.get("search", "")), str(deed.get("shown", "all"))
    editing.refused = {}
    if deed["act"] == "pick" and isinstance(deed.get("names"), list):
        editing.picked = tuple(name for name in deed["names"] if name in known)
        editing.changed_together = False
    if deed["act"] == "open" and deed.get("name") in known | {*schema.computed_names}:
        editing.look_at(session, deed["name"])


def _list_filters(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the name and the label of each button that narrows the list."""
    yield from _FIRST_FILTERS
    families = [row["family"] for row in rows if row["family"]]
    yield from ((name, name.capitalize()) for name in dict.fromkeys((*_FAMILIES, *families)))
    groups = {group for row in rows for group in row["groups"]}
    if _NO_SOURCE in groups:
        yield _NO_SOURCE, "No source yet"
    if groups & {role for role in _ROLE_FILTERS if role not in ("ordinary", "out")}:
        yield from (each for each in _ROLE_FILTERS.items() if each[0] in groups)
    else:
        yield "out", _ROLE_FILTERS["out"]


def _name_family(domain: Domain) -> str:
    """Return what the columns are called that a column is listed with."""
    return "numbers" if domain.numeric else domain.words.plural


def _count_shown(rows: Sequence[dict[str, Any]], name: str) -> int:
    return len(rows) if name == "all" else sum(name in row["groups"] for row in rows)


def _load_row(session: Session, name: str) -> dict[str, Any]:
    """Return the row of a column of the schema, made again only when something in it changes."""
    assert session.settings.schema is not None
    column = session.settings.schema.column(name)
    attention = session.data.attention(session.settings.require_schema()).get(name, ())
    key = (
        column,
        session.settings.policies.get(name, "refuse"),
        list_open_notes(session, name),
        attention,
    )
    row: dict[str, Any] = session.cache.keep(f"row {name}", key, lambda: _row_of(session, column))
    return row


def _row_of(session: Session, column: Column) -> dict[str, Any]:
    found = session.data.fitting(column, session.settings.require_schema())
    problem = _describe_problem(session, column, found.outside)
    notes = len(list_open_notes(session, column.name))
    pressing = session.data.attention(session.settings.require_schema()).get(column.name, ())
    if not notes:
        # Which of two weights is used is asked for as long as both are.
        pressing = tuple(each for each in pressing if each == "weights")
    note = _PRESSING[pressing[0]] if pressing else words.count(notes, "note") if notes else ""
    return {
        "name": column.name,
        "title": column.title,
        "says": f"{column.domain.words.title}: {describe_domain(column)}",
        "missing": _describe_missing(column, found),
        "mark": problem or note,
        "strong": bool(column.domain.question) or is_undecided(session, column, found.outside),
        "family": _name_family(column.domain),
        "groups": [
            _name_family(column.domain),
            *(["attention"] if problem or note else []),
            column.role or "ordinary",
            *([] if column.origin else [_NO_SOURCE]),
        ],
        "role": column.role,
        "text": _write_search_text(column),
    }


def list_open_notes(session: Session, name: str) -> tuple[str, ...]:
    """Return what the suggestion wants looked at in a column, until somebody has."""
    return () if name in session.editing.checked else tuple(session.data.notes.get(name, ()))


def is_undecided(session: Session, column: Column, found: Outside) -> bool:
    """Return whether values lie outside a column and nobody has said what becomes of them."""
    return bool(found.total) and session.settings.policies.get(column.name, "refuse") == "refuse"


def _describe_problem(session: Session, column: Column, found: Outside) -> str:
    if column.domain.question:
        return _PRESSING["spelling"]
    if not found.total:
        return ""
    if is_undecided(session, column, found):
        return f"{found.total:,} outside"
    return f"{found.total:,} outside, {_ACTION[session.settings.policies[column.name]]}"


def _describe_missing(column: Column, found: Fitting) -> str:
    if not column.missing:
        return "never missing"
    return f"{int(found.counts[column.domain.size :].sum()):,} missing"


def _list_missing_codes(column: Column, found: Fitting) -> str:
    """Return how many records have each code for missing; "" where there is only one."""
    if column.missing_count < 2:
        return ""
    named = zip(found.counts[column.domain.size :], column.missing_labels, strict=True)
    return " · ".join(f"{int(records):,} {words.escape(label)}" for records, label in named)


def _write_search_text(column: Column) -> str:
    """Return what a search looks through, in small letters."""
    labels = () if column.ordered else column.labels[:_SEARCHED]
    return " ".join((column.name, column.title, *labels)).lower()


def _list_left_out(session: Session) -> Iterator[dict[str, Any]]:
    schema = session.settings.require_schema()
    omissions = {each.name: each for each in schema.omissions}
    whose = None if schema.people is None else schema.people.person
    for name, (column, why) in session.left_out.items():
        omission = omissions.get(name)
        kind: Why = "choice" if omission is None else omission.why
        if name == whose:
            kind = "people"
        empty = omission is not None and omission.empty
        yield {
            "name": name,
            "title": "" if column is None else column.title,
            "says": f"Left out: {why}",
            "missing": "",
            "mark": "kept empty" if empty else "",
            "strong": False,
            "family": "",
            "groups": ["out", _name_role_left_out(kind)],
            "role": _name_role_left_out(kind),
            "text": name.lower(),
        }


def _name_role_left_out(why: Why) -> str:
    """Return the role of a column that is left out for a reason."""
    return "whose" if why == "people" else "identifier" if why in IDENTIFYING else "out"


def _list_derived(session: Session) -> Iterator[dict[str, Any]]:
    """Yield the rows of columns that are computed from others, which are looked at below the
    list."""
    schema = session.settings.require_schema()
    computed = [(each.name, f"Put together: {each.words}") for each in schema.recodings]
    computed += [(each.name, f"Derived: {each.formula.words}") for each in schema.derived]
    for name, says in computed:
        column = schema.full.column(name)
        yield {
            "name": name,
            "title": column.title,
            "says": says,
            "missing": "" if column.missing else "never missing",
            "mark": "",
            "strong": False,
            "family": "",
            "groups": ["derived"],
            "role": "derived",
            "text": _write_search_text(column),
        }


def describe_domain(column: Column) -> str:
    """Return what a column may contain, in a few words."""
    domain, ranged = column.domain, column.domain.ranged
    if ranged is None:
        listed = ", ".join(
            shorten(label, _LONGEST) for label in (domain.given_labels or domain.texts)[:_NAMED]
        )
        more = f", and {domain.size - _NAMED:,} more" if domain.size > _NAMED else ""
        return f"{domain.size:,}: {listed}{more}"
    span = f"{ranged.show(ranged.minimum)} to {ranged.show(ranged.maximum)}"
    span += f" without {ranged.gap_words}" if ranged.gaps else ""
    if ranged.measured:
        unit = f" {ranged.units}" if ranged.units else ""
        return f"{span}{unit}, {ranged.kept_words}, in cells of {ranged.step_words}"
    return span if ranged.width == 1 else f"{span} in steps of {ranged.step_words}"


def draw_columns(session: Session) -> None:
    """Draw the columns: the list, and what is chosen in it."""
    schema = session.settings.schema
    assert schema is not None
    ordered = _order_columns(session, schema)
    if session.column is None:
        session.column = ordered[0]
    with st.container(key="describing"):
        overview, chosen = st.columns([3, 5], gap="medium")
    with overview, mark_internal("columns", "Counted in your table."):
        draw_column_list(session, ordered)
    with chosen, st.container(border=True):
        if session.editing.picked:
            draw_changes(session)
        elif session.editing.aside is not None:
            _draw_aside(session, session.editing.aside)
        else:
            _draw_one(session, schema, ordered)


def choose_column(
    session: Session, names: tuple[str, ...], said: Callable[[str], str] | None = None
) -> str:
    """Return which column to look at: from the list, or one further or back.

    Args:
        session: the page's state.
        names: the columns to choose from.
        said: how a column is called; by its name and title without.
    """
    if session.column not in names:
        session.column = names[0]
    place = names.index(session.column)

    def take() -> None:
        session.column = st.session_state["column"]

    def move(step: int) -> None:
        session.column = names[(place + step) % len(names)]

    st.session_state["column"] = session.column
    with st.container(horizontal=True, vertical_alignment="bottom", key="choosing"):
        st.selectbox(
            f"Column ({place + 1} of {len(names)})",
            names,
            key="column",
            on_change=take,
            format_func=said or (lambda name: _title_of(session, name)),
        )
        for icon, key, step in (("arrow_back", "previous", -1), ("arrow_forward", "next", 1)):
            st.button(
                f":material/{icon}:",
                key=key,
                help=f"{key.title()} column",
                on_click=move,
                args=(step,),
            )
    return session.column


def _title_of(session: Session, name: str) -> str:
    title = session.settings.schema.column(name).title if session.settings.schema else ""
    return f"{name} · {title}" if title else name


def _order_columns(session: Session, schema: Schema) -> tuple[str, ...]:
    """Return columns with values outside first, then what presses most to be looked at, then those
    with most notes, then the rest.

    The order stays while columns are mended, so that none moves away under one's hands.
    """
    editing = session.editing
    if set(editing.order) != set(schema.names):
        found = session.data.outside(session.settings.require_schema())
        troubled = {name for name, each in found.items() if each.total}
        pressing = {
            name: list(ATTENTION).index(kinds[0])
            for name, kinds in session.data.attention(session.settings.require_schema()).items()
            if kinds
        }
        editing.order = tuple(
            sorted(
                schema.names,
                key=lambda name: (
                    name not in troubled,
                    pressing.get(name, len(ATTENTION)),
                    -len(list_open_notes(session, name)),
                ),
            )
        )
    return editing.order


def _draw_one(session: Session, schema: Schema, ordered: tuple[str, ...]) -> None:
    """Draw one column: what will be declared public, beside what the table shows."""
    name = choose_column(session, ordered)
    column = schema.column(name)
    with st.container(key="one-column"):
        declared, shown = st.columns(2, gap="large")
    with declared:
        draw_column_form(session, column)
        draw_weight(session, column)
    with shown, mark_internal("preview", "Counted in your table."):
        _draw_outside(session, column)
        draw_column_preview(session, column)
        _draw_notes(session, name)
    _draw_leaving_out(session, column)


def _draw_notes(session: Session, name: str) -> None:
    """Draw what the suggestion wants looked at, until somebody says that they have."""
    for note in session.data.notes.get(name, ()):
        st.caption(f":material/search: {words.escape(note)}")
    for suggestion in session.data.derivation_suggestions(session.settings.require_schema()):
        if suggestion.column == name:
            st.caption("It seems to follow from other columns:")
            draw_suggested_derivation(session, suggestion, "column")
    if list_open_notes(session, name):
        st.button(
            "Looked through",
            key="checked",
            icon=":material/check:",
            on_click=session.editing.checked.add,
            args=(name,),
            help="Takes the column off the list of those that need attention.",
        )


def _draw_leaving_out(session: Session, column: Column) -> None:
    """Draw the button that does without a column."""
    if st.button("Leave this column out", icon=":material/remove_circle:", key="leave-out"):
        try:
            session.leave_out(column.name)
        except Refusal as refusal:
            show_refusal(refusal)
            return
        st.rerun()


def _draw_aside(session: Session, name: str) -> None:
    """Draw a column that is in no model: one that is computed from others, or left out."""
    for recoding in session.settings.require_schema().recodings:
        if recoding.name == name:
            draw_recoded(session, recoding, "aside")
            return
    for derived in session.settings.require_schema().derived:
        if derived.name == name:
            draw_derived(session, derived, "aside")
            return
    if name in session.left_out:
        draw_left_out(session, name)


def _draw_outside(session: Session, column: Column) -> None:
    """Draw how many values the form does not cover, and what to do about them; not before it is
    said how they are written."""
    if column.domain.question:
        st.caption("Values outside are counted once you say how they are written.")
        return
    fitting = session.data.fitting(column, session.settings.require_schema())
    found = fitting.outside
    with st.container():
        missing = _list_missing_codes(column, fitting)
        if missing:
            st.caption(f"{missing}.")
        if column.gap_note:
            st.caption(column.gap_note)
        if found.rounded:
            why = column.domain.outside_words[Verdict.ROUNDED]
            st.caption(f"{words.count(found.rounded, 'value')} {why}: rounded.")
        if not found.total:
            return
        st.markdown(
            f"**{words.count(found.total, 'value')} outside:** {list_misfits(column, found)}."
        )
        offered = choices(column)
        chosen = session.settings.policies.get(column.name, "refuse")
        picked: Policy = st.radio(
            "What should become of them?",
            offered,
            index=offered.index(chosen),
            format_func=words.POLICIES.__getitem__,
            key=f"policy-{column.name}-{session.revision}-{len(offered)}",
            help=POLICIES.words.help,
        )
        if picked != chosen:
            session.settings.policies[column.name] = picked
            st.rerun()
        if picked == "refuse":
            st.caption(
                "Until you choose, or the form covers them, nothing can be generated."
                + ("" if len(offered) > 1 else " Allow missing values to have a choice.")
            )
