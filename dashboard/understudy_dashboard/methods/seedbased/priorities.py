"""What must survive in the released table, and what an acceptance test measures of it."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import streamlit as st

from understudy.acceptance.intervals import widths
from understudy.acceptance.statistics import (
    MOST_STATISTICS,
    AcceptanceTest,
    MeanOf,
    statistic_words,
)
from understudy.core.numerals import percent, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.foresight import predict_table
from understudy.mechanisms.seedbased.marks import ForeseenMarks, check_marks, foreseen_of_marks
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.marks import Marks
from understudy.models.prediction import Predicted
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import (
    FieldRefusals,
    IconButton,
    draw_with_buttons,
    show_refusal,
)
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.parts.controls import fill_widget
from understudy_dashboard.session import Session

_NONE: Final = "none"
_ENDS: Final = ("One column", "with", "and (optional)")


def draw_marks(session: Session) -> None:
    """Ask what matters most, so that it gets budget first."""
    schema = session.settings.schema
    assert schema is not None
    draft = plan_choice(session).planned.draft
    with st.expander(_write_heading(draft.marks), icon=":material/star:", key="must-survive"):
        st.markdown(
            "Mark what your table is for, and it is measured first and more precisely, all else a "
            "little less so: ε stays the same, and is only divided otherwise. Marks are part of "
            "the plan and public. Choose them by the questions to be answered, not by looking at "
            "the table."
        )
        target, columns = st.columns(2)
        with target:
            _ask_target(session, schema)
        with columns:
            _ask_columns(session, schema)
        _ask_groups(session, schema)
        _draw_groups(session, schema)


def _write_heading(marks: Marks) -> str:
    if not marks:
        return "What must survive: nothing is marked"
    many = len(marks.together)
    told = [
        f"target {words.escape(marks.target)}" if marks.target else "",
        words.count(len(marks.columns), "column") if marks.columns else "",
        f"{many:,} pair{'' if many == 1 else 's'} or triple{'' if many == 1 else 's'}"
        if many
        else "",
    ]
    return f"What must survive: {', '.join(filter(None, told))}"


def _ask_target(session: Session, schema: Schema) -> None:
    said = FIELDS["target"].words
    fill_widget("mark-target", plan_choice(session).planned.draft.target or _NONE)

    def take() -> None:
        chosen = st.session_state["mark-target"]
        plan_choice(session).planned.draft.target = None if chosen == _NONE else chosen

    st.selectbox(
        said.label,
        [_NONE, *schema.names],
        key="mark-target",
        format_func=lambda name: "no target" if name == _NONE else _name_column(schema, name),
        on_change=take,
        help=said.help,
    )


def _ask_columns(session: Session, schema: Schema) -> None:
    said = FIELDS["survive"].words
    fill_widget("mark-columns", list(plan_choice(session).planned.draft.survive))

    def take() -> None:
        plan_choice(session).planned.draft.survive = list(st.session_state["mark-columns"])

    st.multiselect(
        said.label,
        schema.names,
        key="mark-columns",
        format_func=lambda name: _name_column(schema, name),
        placeholder="none",
        on_change=take,
        help=said.help,
    )


def _ask_groups(session: Session, schema: Schema) -> None:
    """Draw two or three boxes to search columns in, and a button that marks them together."""
    st.markdown(f"**{FIELDS['together'].words.label}**", help=FIELDS["together"].words.help)
    *boxes, button = st.columns([3, 3, 3, 2], vertical_alignment="bottom")
    chosen: list[str | None] = [
        box.selectbox(
            label,
            schema.names,
            index=None,
            key=f"mark-end-{place}",
            format_func=lambda name: _name_column(schema, name),
            placeholder="Search a column",
        )
        for place, (box, label) in enumerate(zip(boxes, _ENDS, strict=True))
    ]
    group = [name for name in chosen if name is not None]
    draft = plan_choice(session).planned.draft
    known = {frozenset(each) for each in draft.together}

    def take() -> None:
        draft.together = [*draft.together, group]
        for place in range(len(_ENDS)):
            st.session_state[f"mark-end-{place}"] = None

    button.button(
        "Mark",
        key="mark-together",
        icon=":material/star:",
        disabled=not 2 <= len(set(group)) == len(group) or frozenset(group) in known,
        on_click=take,
        width="stretch",
    )


def _draw_groups(session: Session, schema: Schema) -> None:
    """Draw each mark with what is foreseen of it, and a button that takes a pair or triple away."""
    draft = plan_choice(session).planned.draft
    if not draft.marks:
        return
    found, trouble = _foresee_marks(session, schema)
    told = (
        {}
        if found is None
        else {each.names: each for each in _foresee_each_mark(found, draft, schema)}
    )
    for place, group in enumerate(draft.together):
        each = told.get(tuple(group)) or ForeseenMarks(tuple(group), None)
        draw_with_buttons(
            words.escape(each.describe(schema)) if told else _name_group(schema, group),
            IconButton(
                key=f"unmark-{place}",
                icon=":material/close:",
                help=f"Take the mark off {' with '.join(group)}",
                on_click=partial(_remove_mark, draft, place),
            ),
        )
    rest = [each for names, each in told.items() if list(names) not in draft.together]
    if rest:
        st.markdown("\n".join(f"- {words.escape(each.describe(schema))}" for each in rest))
    if trouble is not None:
        show_refusal(trouble)
    elif found is None:
        st.caption(
            "How near each will come is shown here once it is said how many records the table is "
            "publicly known to have."
        )
    else:
        st.caption(
            "Off by noise and chance, foreseen from public numbers: 1 % means that 1 row in 100 "
            "would have to change. After a run, Inspect measures what is marked first."
        )


def _remove_mark(draft: Draft, place: int) -> None:
    draft.together = [each for index, each in enumerate(draft.together) if index != place]


def _foresee_marks(session: Session, schema: Schema) -> tuple[Predicted | None, Refusal | None]:
    """Return what is foreseen under the settings in use, and what cannot be measured."""
    mine = plan_choice(session)
    try:
        plan, made = mine.plan(), mine.promise()
    except Refusal as refusal:
        return None, refusal
    records = plan.public_records or mine.wish.records_at_least
    if records is None:
        return None, None
    key = (schema.fingerprint, plan.to_json(), made.record_delta, records)
    found = session.cache.keep(
        "foreseen of marks",
        key,
        lambda: predict_table(plan, schema, made, records, plan.attempts),
    )
    try:
        check_marks(plan.change(schema, public_records=records), schema, made)
    except Refusal as refusal:
        return found, refusal
    return found, None


def _foresee_each_mark(found: Predicted, draft: Draft, schema: Schema) -> tuple[ForeseenMarks, ...]:
    return foreseen_of_marks(found, draft.marks, schema)


def _name_group(schema: Schema, group: list[str]) -> str:
    return " with ".join(f"**{words.escape(_name_column(schema, name))}**" for name in group)


def _name_column(schema: Schema, name: str) -> str:
    title = schema.column(name).title
    return f"{name} · {title}" if title else name


_KINDS: Final = {
    "share": "A share",
    "mean": "A mean",
    "distance": "How far off two columns are together",
}
_USUAL: Final = 0.5
_SAID: Final = (
    "Whatever is measured without noise stays with you. These few figures may be published: they "
    "are measured with noise on the records that are held out, of which nothing else is made, so "
    "they add nothing to a total that is larger than their ε. Name them, and their limits, before "
    "the run."
)


def draw_acceptance(session: Session, plan: Plan | None, fields: FieldRefusals) -> None:
    """Draw what is to be measured, how wide the intervals will be, and a form to add to it."""
    schema, draft = session.settings.schema, plan_choice(session).planned.draft
    assert schema is not None
    asked = fields.about("acceptance", "noisy_tables")
    with st.expander("Figures of accuracy that may be published", expanded=asked):
        st.caption(_SAID)
        _ask_noisy_tables(draft)
        fields.beside("acceptance", "noisy_tables")
        if draft.acceptance is not None:
            _draw_statistics(draft, schema, plan)
        if draft.acceptance is None or len(draft.acceptance["statistics"]) < MOST_STATISTICS:
            _draw_new_statistic(draft, schema)


def _ask_noisy_tables(draft: Draft) -> None:
    """Ask whether the tables that the model is learned from are released."""
    key = "release-noisy-tables"

    def take_answer() -> None:
        draft.noisy_tables = bool(st.session_state[key])

    fill_widget(key, draft.noisy_tables)
    st.checkbox(
        "Release the noisy tables that the model is learned from",
        key=key,
        on_change=take_answer,
        help="Counts of every column, and of those pairs that the model counts, with the noise "
        "that was paid for anyway, and how far each may be off. Releasing them costs nothing "
        "further.",
    )


def _draw_statistics(draft: Draft, schema: Schema, plan: Plan | None) -> None:
    """Draw the statistics so far, and the ε of all of them."""
    test = AcceptanceTest.read(draft.acceptance)
    titles = {each.name: each.title or each.name for each in schema.columns}
    found = _list_widths(test, schema, plan)
    for place, statistic in enumerate(test.statistics):
        told = significant if isinstance(statistic, MeanOf) else percent
        said = words.escape(statistic_words(statistic, titles))
        if found is not None:
            said += f", to within about {told(found[place])}"
        if statistic.limit is not None:
            said += f"; limit {told(statistic.limit)}"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(said)
            st.button(
                "Remove",
                key=f"acceptance-remove-{place}",
                type="tertiary",
                icon=":material/close:",
                on_click=_remove_statistic,
                args=(draft, place),
                help=f"Do not measure: {said}",
            )
    key = "acceptance-epsilon"
    st.number_input(
        "ε of all of them together",
        min_value=0.01,
        max_value=100.0,
        value=test.epsilon,
        step=0.1,
        key=key,
        on_change=lambda: _change_test(draft, epsilon=float(st.session_state[key])),
        help="Divided evenly. The total of the plan is the larger of this and of the rest.",
    )


def _list_widths(
    test: AcceptanceTest, schema: Schema, plan: Plan | None
) -> tuple[float, ...] | None:
    if plan is None or plan.public_records is None:
        return None
    held = max(1, round(plan.public_records * plan.shares.held_out))
    return widths(test, schema, held)


def _draw_new_statistic(draft: Draft, schema: Schema) -> None:
    """Draw a form for one statistic more."""
    kind = st.segmented_control(
        "Measure",
        list(_KINDS),
        format_func=_KINDS.__getitem__,
        default="share",
        required=True,
        key="acceptance-kind",
    )
    titles = {each.name: each.title or each.name for each in schema.columns}
    numbers = [each.name for each in schema.columns if each.domain.numeric]
    choices = numbers if kind == "mean" else list(titles)
    if not choices:
        st.caption("No column holds numbers.")
        return
    made: dict[str, Any] = {"kind": kind}
    column = st.selectbox(
        "Column", choices, format_func=titles.__getitem__, key=f"acceptance-column-{kind}"
    )
    if kind == "share":
        made |= {"column": column, "values": _ask_values(schema, column)}
    elif kind == "mean":
        made |= {"column": column}
    else:
        others = [name for name in titles if name != column]
        other = st.selectbox(
            "With", others, format_func=titles.__getitem__, key=f"acceptance-with-{column}"
        )
        made |= {"columns": [column, other]}
    unit = "in units of the column" if kind == "mean" else "in %"
    limit = st.number_input(
        f"May be off by, at most ({unit}; leave empty for no limit)",
        min_value=0.0,
        value=None,
        key=f"acceptance-limit-{kind}",
    )
    if limit:
        made["limit"] = limit if kind == "mean" else limit / 100
    if st.button("Add it", icon=":material/add:", key="acceptance-add"):
        _add_statistic(draft, schema, made)


def _ask_values(schema: Schema, column: str) -> list[str]:
    found = schema.column(column)
    labels = dict(zip(found.texts, found.labels, strict=True))
    chosen: list[str] = st.multiselect(
        "Values, counted together",
        list(labels),
        format_func=labels.__getitem__,
        key=f"acceptance-values-{column}",
    )
    return chosen


def _add_statistic(draft: Draft, schema: Schema, made: dict[str, Any]) -> None:
    before = draft.acceptance or {"epsilon": _USUAL, "statistics": []}
    try:
        test = AcceptanceTest.read({**before, "statistics": [*before["statistics"], made]})
        test.check(schema)
    except Refusal as refusal:
        show_refusal(refusal)
        return
    draft.acceptance = test.model_dump(mode="json")
    st.rerun()


def _remove_statistic(draft: Draft, place: int) -> None:
    assert draft.acceptance is not None
    left = [each for at, each in enumerate(draft.acceptance["statistics"]) if at != place]
    draft.acceptance = {**draft.acceptance, "statistics": left} if left else None


def _change_test(draft: Draft, **settings: Any) -> None:
    assert draft.acceptance is not None
    draft.acceptance = {**draft.acceptance, **settings}
