"""The acceptance test of a plan: what is measured with noise of held-out records, and released."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from understudy.acceptance.asked import MOST_STATISTICS, AcceptanceTest, MeanOf, in_words
from understudy.acceptance.foreseen import widths
from understudy.core.numerals import percent, significant
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.frame import Fields, refuse
from understudy_dashboard.methods.seedbased.draft import Draft
from understudy_dashboard.methods.seedbased.own import own
from understudy_dashboard.parts.controls import fill
from understudy_dashboard.session import Session

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


def acceptance(session: Session, plan: Plan | None, fields: Fields) -> None:
    """What is to be measured, how wide the intervals will be, and a form to add to it."""
    schema, draft = session.schema, own(session).planned.draft
    assert schema is not None
    asked = fields.about("acceptance", "noisy_tables")
    with st.expander("Figures of accuracy that may be published", expanded=asked):
        st.caption(_SAID)
        _tables(draft)
        fields.beside("acceptance", "noisy_tables")
        if draft.acceptance is not None:
            _named(draft, schema, plan)
        if draft.acceptance is None or len(draft.acceptance["statistics"]) < MOST_STATISTICS:
            _added(draft, schema)


def _tables(draft: Draft) -> None:
    """Whether the tables that the model is learned from are released."""
    key = "release-noisy-tables"

    def taken() -> None:
        draft.noisy_tables = bool(st.session_state[key])

    fill(key, draft.noisy_tables)
    st.checkbox(
        "Release the noisy tables that the model is learned from",
        key=key,
        on_change=taken,
        help="Counts of every column, and of those pairs that the model counts, with the noise "
        "that was paid for anyway, and how far each may be off. Releasing them costs nothing "
        "further.",
    )


def _named(draft: Draft, schema: Schema, plan: Plan | None) -> None:
    """The statistics so far, and the ε of all of them."""
    test = AcceptanceTest.read(draft.acceptance)
    titles = {each.name: each.title or each.name for each in schema.columns}
    found = _widths(test, schema, plan)
    for place, statistic in enumerate(test.statistics):
        told = significant if isinstance(statistic, MeanOf) else percent
        said = words.plain(in_words(statistic, titles))
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
                on_click=_remove,
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
        on_change=lambda: _change(draft, epsilon=float(st.session_state[key])),
        help="Divided evenly. The total of the plan is the larger of this and of the rest.",
    )


def _widths(test: AcceptanceTest, schema: Schema, plan: Plan | None) -> tuple[float, ...] | None:
    if plan is None or plan.public_records is None:
        return None
    held = max(1, round(plan.public_records * plan.shares.held_out))
    return widths(test, schema, held)


def _added(draft: Draft, schema: Schema) -> None:
    """A form for one statistic more."""
    kind = st.segmented_control(
        "Measure",
        list(_KINDS),
        format_func=_KINDS.__getitem__,
        default="share",
        required=True,
        key="acceptance-kind",
    )
    titles = {each.name: each.title or each.name for each in schema.columns}
    numbers = [each.name for each in schema.columns if each.ordered]
    choices = numbers if kind == "mean" else list(titles)
    if not choices:
        st.caption("No column holds numbers.")
        return
    made: dict[str, Any] = {"kind": kind}
    column = st.selectbox(
        "Column", choices, format_func=titles.__getitem__, key=f"acceptance-column-{kind}"
    )
    if kind == "share":
        made |= {"column": column, "values": _values(schema, column)}
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
        _add(draft, schema, made)


def _values(schema: Schema, column: str) -> list[str]:
    found = schema.column(column)
    labels = dict(zip(found.texts, found.labels, strict=True))
    chosen: list[str] = st.multiselect(
        "Values, counted together",
        list(labels),
        format_func=labels.__getitem__,
        key=f"acceptance-values-{column}",
    )
    return chosen


def _add(draft: Draft, schema: Schema, made: dict[str, Any]) -> None:
    before = draft.acceptance or {"epsilon": _USUAL, "statistics": []}
    try:
        test = AcceptanceTest.read({**before, "statistics": [*before["statistics"], made]})
        test.check(schema)
    except Refusal as refusal:
        refuse(refusal)
        return
    draft.acceptance = test.model_dump(mode="json")
    st.rerun()


def _remove(draft: Draft, place: int) -> None:
    assert draft.acceptance is not None
    left = [each for at, each in enumerate(draft.acceptance["statistics"]) if at != place]
    draft.acceptance = {**draft.acceptance, "statistics": left} if left else None


def _change(draft: Draft, **settings: Any) -> None:
    assert draft.acceptance is not None
    draft.acceptance = {**draft.acceptance, **settings}
