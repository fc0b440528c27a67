"""What helps to settle a plan: which release, what hangs together, how strong a prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.fields import CAPTIONS
from understudy.mechanisms.imputation.fields import RELEASES as TITLES
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.imputation.weighing import Weight, all_on, countable, weights
from understudy.table.schema import Column, Schema
from understudy_dashboard import drawings, words
from understudy_dashboard.methods.choosing import Filled
from understudy_dashboard.methods.imputation.drawn import RELEASES, picture
from understudy_dashboard.parts.privacy.form import Extra
from understudy_dashboard.session import Session

_ACROSS: Final = 2


def extras(session: Session, chosen: Filled) -> Mapping[str, Extra]:
    """Pictures of the releases, the columns that each setting is for, and what they cost."""
    schema = session.schema
    assert schema is not None
    held: Any = chosen.held
    found = {
        "release": Extra(instead=partial(release_picker, held)),
        "deviations": Extra(offered=_measured(held, schema)),
    }
    try:
        plan = _plan(schema, chosen)
        counted, every = countable(plan, schema), weights(plan, schema)
    except Refusal:
        return found
    together = {name for group in plan.joint for name in group}
    alone = [name for name in counted if name not in together]
    return {
        **found,
        "joint": Extra(
            offered=[name for name in counted if name not in plan.given],
            below=partial(weighed, [each for each in every if len(each.columns) > 1]),
        ),
        "given": Extra(offered=alone, below=partial(depending, schema, chosen, alone, every)),
    }


def release_picker(held: Any) -> None:
    """A card for each release, with a small picture of it."""
    st.html(f"<style>{drawings.CSS}</style>")
    for first in range(0, len(RELEASES), _ACROSS):
        for place, release in zip(
            st.columns(_ACROSS), RELEASES[first : first + _ACROSS], strict=False
        ):
            chosen = held.release == release
            with place, st.container(border=True, height="stretch"):
                st.markdown(picture(release), unsafe_allow_html=True)
                st.button(
                    TITLES[release],
                    key=f"release-{release}",
                    type="primary" if chosen else "secondary",
                    icon=":material/check:" if chosen else None,
                    on_click=setattr,
                    args=(held, "release", release),
                    width="stretch",
                )
                st.caption(CAPTIONS[release])


def _measured(held: Any, schema: Schema) -> list[str]:
    """Return the columns of numbers that are released and may have a σ."""
    released = held.columns or schema.names
    return [each.name for each in schema.columns if each.name in released and _has_mean(each)]


def _has_mean(column: Column) -> bool:
    return column.ordered and not column.missing


def weighed(found: list[Weight]) -> None:
    """A sentence on each histogram: its cells, and what the prior puts into them."""
    for each in found:
        said = _said(each)
        if not each.carried:
            st.error(said, icon=":material/balance:")
        elif not each.telling:
            st.warning(said, icon=":material/balance:")
        else:
            st.caption(said)


def _said(found: Weight) -> str:
    names = " × ".join(f"**{words.plain(name)}**" for name in (*found.columns, *found.given))
    cells = math.prod(found.sizes)
    sizes = " × ".join(f"{size:,}" for size in found.sizes)
    said = (
        f"{names}: {sizes} = {cells:,} cells. The prior counts for {found.mass:,.0f} records in "
        f"all, beside {found.records:,} real ones"
    )
    if not found.carried:
        return f"{said}: most of what is released would be the prior. Choose fewer columns here."
    if not found.telling:
        return f"{said}: the rows will show much of the prior."
    return f"{said}."


def depending(schema: Schema, chosen: Filled, names: list[str], every: tuple[Weight, ...]) -> None:
    """What dependence costs, and a graph to begin with: all on one column."""
    weighed([each for each in every if each.given])
    if len(names) < 2:
        return
    fewest = min(names, key=lambda name: schema.column(name).cardinality)
    st.selectbox(
        "To begin with, let all others depend on",
        names,
        names.index(fewest),
        key="all-on",
        help="All that stay within a tenth of the records: with more cells, the prior would have "
        "too much of a say.",
    )
    st.button("Depend on it", key="let-all-on", on_click=_let_all_on, args=(schema, chosen))


def _let_all_on(schema: Schema, chosen: Filled) -> None:
    held: Any = chosen.held
    found = all_on(_plan(schema, chosen), schema, st.session_state["all-on"])
    held.given = {name: list(on) for name, on in found.items()}


def _plan(schema: Schema, chosen: Filled) -> ImputationPlan:
    """Return the plan of the settings.

    Raises:
        Refusal: they make none.
    """
    plan = chosen.plan(schema, {})
    assert isinstance(plan, ImputationPlan)
    return plan
