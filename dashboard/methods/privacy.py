"""The Privacy page of any method: its form, and what the plan promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import sentences, words
from dashboard.frame import Fields, link, showing_refusals
from dashboard.methods.choosing import Chosen, Filled
from dashboard.methods.words import words_of
from dashboard.parts.panel import Scope, panel
from dashboard.parts.pictures import picture
from dashboard.parts.privacy.belief import beliefs, others
from dashboard.parts.privacy.counting import said_on_data
from dashboard.parts.privacy.form import Extra, Form
from dashboard.parts.privacy.plan_file import plan_file
from dashboard.session import Session
from engine.charts.public import PublicPicture, public_pictures
from engine.core import numerals
from engine.core.refusal import Refusal
from engine.mechanisms.derived import in_letters
from engine.mechanisms.planned_run import PlannedRun
from engine.privacy.accounting.guarantee import Part

_FEW_PARTS: Final = 6
"""A longer list of parts stays folded, so that it does not hide what comes below it."""


@dataclass(frozen=True)
class Parts:
    """What a method adds to the page.

    Attributes:
        help: above the form.
        extras: what it knows of some fields of the form, by name.
        more: below what the plan promises.
    """

    help: Callable[[Session, Chosen], None]
    extras: Callable[[Session, Chosen], Mapping[str, Extra]]
    more: Callable[[Session, PlannedRun], None]


def plain_privacy(session: Session, parts: Parts) -> None:
    """Draw the page.

    Raises:
        Refusal: the method is not for these columns.
    """
    chosen = session.settings()
    decided, refusal = _decided(session)
    fields = Fields(refusal)
    settings, figures = st.columns([2, 3], gap="large")
    with settings:
        parts.help(session, chosen)
        if isinstance(chosen, Filled):
            form(session, chosen, fields, parts.extras(session, chosen))
    with figures:
        fields.rest()
        if decided is None:
            st.info("Mend the field marked in red, and the figures come back.")
        else:
            promised(session, decided)
            with showing_refusals():
                parts.more(session, decided)
    with st.container(horizontal=True, vertical_alignment="center"):
        if decided is not None:
            link("generate", "Next: Generate")
        plan_file(session, None if decided is None else decided.plan)


def form(session: Session, chosen: Filled, fields: Fields, extras: Mapping[str, Extra]) -> None:
    """The settings of a method, a widget each; what few need in a fold, which is
    open where the refusal is about something in it."""
    schema = session.schema
    assert schema is not None
    followed = said_on_data(session, chosen)
    drawn = Form(chosen.held, len(schema), fields, {**followed, **extras}, schema)
    table = chosen.fields
    for group in table.groups:
        shown = [each for each in table.within(group) if each.stands == "open" and each.places]
        if shown:
            st.subheader(group.title, anchor=False)
        for each in shown:
            drawn.draw(each)
    folded = [each for each in table if each.stands == "folded" and each.places]
    if folded:
        with st.expander(
            "Further settings", expanded=fields.about(*(each.name for each in folded))
        ):
            for each in folded:
                drawn.draw(each)


def promised(session: Session, decided: PlannedRun) -> None:
    """The total, what it covers, what a reader sees, its parts, and pictures of it."""
    found = decided.guarantee
    said = words_of(decided.plan.kind)
    with st.container(border=True):
        st.markdown("**The whole release**")
        if found.total.bounded:
            with st.container(horizontal=True, gap="medium"):
                st.metric("ε", words.epsilon(found.total.epsilon), width="content")
                st.metric("δ", words.delta(found.total.delta), width="content")
        else:
            st.markdown("No figure.")
        st.caption(f"**What it covers.** {said.covers(decided)}")
        if found.total.bounded:
            st.caption(f"**Between which tables.** {sentences.between(found)}")
    st.markdown(sentences.promised(decided))
    population = sentences.of_population(found.population)
    if population is not None:
        st.markdown(population)
    warning = said.advice(decided)
    if warning:
        st.warning(warning, icon=":material/balance:")
    if found.parts:
        with st.expander("How the total comes about", expanded=1 < len(found.parts) <= _FEW_PARTS):
            st.table(parts_table(found.parts), border="horizontal")
    _pictures(decided)
    st.subheader("What the promise means", anchor=False)
    panel(Scope.of(found), "plain")
    if found.total.bounded:
        with st.expander("What a reader may learn"):
            beliefs(session, found.total, found.neighbours)
        with st.expander("What others published"):
            others(found.total, found.neighbours)


def parts_table(parts: tuple[Part, ...]) -> pd.DataFrame:
    """What each part costs one record, with the figures that it was worked out from."""
    rows = [
        {
            "Part": words.plain(each.of),
            "ε": words.epsilon(each.cost.epsilon) if each.cost.bounded else "no promise",
            "δ": words.delta(each.cost.delta) if each.cost.bounded else "",
            "From": _figures(each.native),
        }
        for each in parts
    ]
    frame = pd.DataFrame(rows).set_index("Part")
    return frame if any(each.native for each in parts) else frame.drop(columns="From")


def _figures(native: Mapping[str, float]) -> str:
    """Figures with what they are called, Greek letters as such."""
    return " · ".join(
        f"{in_letters(name)} = {numerals.significant(value)}" for name, value in native.items()
    )


def _pictures(decided: PlannedRun) -> None:
    """The pictures that the method has of its plans, some of them in folds."""
    with showing_refusals():
        for fold, each in groupby(public_pictures(decided), lambda one: one.fold):
            with st.expander(fold) if fold else nullcontext():
                _drawn(tuple(each))


def _drawn(several: Sequence[PublicPicture]) -> None:
    """Pictures that stand together, after what they warn of."""
    for warning in dict.fromkeys(each.warning for each in several if each.warning):
        st.error(warning, icon=":material/gpp_bad:")
    for each in several:
        st.subheader(each.title, anchor=False)
        st.markdown(each.said)
        picture(
            each.figure, each.table, key=f"public-{each.name}", alt=each.alt, confidential=False
        )


def _decided(session: Session) -> tuple[PlannedRun | None, Refusal | None]:
    try:
        return session.planned_run(), None
    except Refusal as refusal:
        return None, refusal
