"""The pages of Bayesian imputation: what helps to settle a plan, what it costs, and what is
released."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import pandas as pd
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation.charts.public import (
    averages,
    by_others,
    costliest,
    errata,
    rows_curve,
    tabulate_distortion,
)
from understudy.mechanisms.imputation.parts import Histogram, Weight, all_on, countable, weights
from understudy.mechanisms.imputation.plan import CAPTIONS, RELEASES, ImputationPlan, ReleaseType
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import MechanismPlan
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard import slides, words
from understudy_dashboard.methods.method_settings import FormSettings, MethodSettings
from understudy_dashboard.methods.page import MethodPage
from understudy_dashboard.parts.form import Extra
from understudy_dashboard.parts.pictures import draw_picture
from understudy_dashboard.session import Session
from understudy_dashboard.slides import SlideDrawing, make_drawing

_KEPT, _MADE, _QUIET = "var(--kept)", "var(--made)", "var(--quiet)"
_HEIGHT: Final = 84

ORDER: Final[tuple[ReleaseType, ...]] = (
    "rows-from-one-draw",
    "imputations",
    "rows-from-own-draws",
    "rows-from-mode",
    "posterior-draw",
    "noised-mode",
)
"""All of them, the usual ones first."""


ALT: Final[dict[ReleaseType, str]] = {
    "rows-from-one-draw": "A table, a hill over one dot, and rows from it.",
    "imputations": "A table, a hill over several dots, and rows from each.",
    "rows-from-own-draws": "A table, a hill over a dot for each row, and the rows.",
    "rows-from-mode": "A table, the peak of a hill, and rows from it.",
    "posterior-draw": "A table, a hill over one dot, and a number.",
    "noised-mode": "A table, the peak of a hill, and a number with noise.",
}


def draw_release(release: ReleaseType) -> str:
    """Return the picture of a release, as SVG in the colours of either theme."""
    draw = {
        "rows-from-one-draw": lambda: _draw_drops(1) + _draw_rows(1),
        "imputations": lambda: _draw_drops(3) + _draw_rows(3),
        "rows-from-own-draws": lambda: _draw_drops(6) + _draw_rows(6),
        "rows-from-mode": lambda: _draw_peak() + _draw_rows(1),
        "posterior-draw": lambda: _draw_drops(1) + _draw_number("0.31"),
        "noised-mode": lambda: _draw_peak() + _draw_number("0.31 ± noise"),
    }[release]()
    parts = _draw_table() + _draw_hill() + draw
    return (
        f'<svg class="drawing" viewBox="0 0 240 {_HEIGHT}" role="img" '
        f'aria-label="{ALT[release]}" fill="none">{"".join(parts)}</svg>'
    )


def draw_prior(text: str) -> SlideDrawing:
    """Draw bars of counts, each standing on a block of the same height: the prior."""
    parts = []
    for at, height in enumerate((46, 82, 64, 98, 30, 56)):
        x = 18 + 36 * at
        parts += [
            f'<rect x="{x}" y="118" width="24" height="20" fill="{_QUIET}"/>',
            f'<rect x="{x}" y="{116 - height}" width="24" height="{height}" fill="{_KEPT}"/>',
        ]
    return make_drawing(parts, "Bars of counts, each on a block of the same height.", text)


def _draw_table() -> list[str]:
    return [
        f'<rect x="6" y="{14 + 11 * row}" width="44" height="8" rx="2" fill="{_KEPT}"/>'
        for row in range(5)
    ] + [f'<path d="M56 40 h14 m-6 -5 l6 5 l-6 5" stroke="{_QUIET}" stroke-width="2"/>']


def _draw_hill() -> list[str]:
    """Draw the posterior."""
    return [f'<path d="M76 66 C96 66 98 18 111 18 S126 66 146 66" stroke="{_KEPT}" '
            'stroke-width="3"/>']  # fmt: skip


def _draw_peak() -> list[str]:
    return [
        f'<path d="M111 12 v56" stroke="{_MADE}" stroke-width="3" stroke-dasharray="4 3"/>',
        f'<circle cx="111" cy="18" r="5" fill="{_MADE}"/>',
    ]


def _draw_drops(count: int) -> list[str]:
    """Draw points on the axis under the hill, as far apart as draws are."""
    places = {1: (104,), 3: (98, 113, 123), 6: (95, 101, 108, 114, 119, 127)}[count]
    return [f'<circle cx="{at}" cy="74" r="4" fill="{_MADE}"/>' for at in places]


def _draw_rows(groups: int) -> list[str]:
    arrow = f'<path d="M152 40 h14 m-6 -5 l6 5 l-6 5" stroke="{_QUIET}" stroke-width="2"/>'
    each = 6 // groups
    apart = 5 if 1 < groups < 6 else 0
    rows = [
        f'<rect x="176" y="{8 + 11 * row + apart * (row // each)}" width="56" height="8" rx="2" '
        f'fill="{_MADE}"/>'
        for row in range(6)
    ]
    return [arrow, *rows]


def _draw_number(text: str) -> list[str]:
    size = 20 if len(text) < 6 else 13
    return [
        f'<path d="M152 40 h12 m-6 -5 l6 5 l-6 5" stroke="{_QUIET}" stroke-width="2"/>',
        f'<text x="168" y="45" font-size="{size}" font-weight="bold" fill="{_MADE}">{text}</text>',
    ]


_ACROSS: Final = 2


def _list_extras(session: Session, chosen: FormSettings) -> Mapping[str, Extra]:
    """Return pictures of the releases, the columns that each setting is for, and what they cost."""
    schema = session.settings.schema
    assert schema is not None
    held: Any = chosen.held
    found = {
        "release": Extra(instead=partial(pick_release, held)),
        "deviations": Extra(offered=_list_measured(held, schema)),
    }
    try:
        plan = _plan_of(schema, chosen)
        counted, every = countable(plan, schema), weights(plan, schema)
    except Refusal:
        return found
    together = {name for group in plan.joint for name in group}
    alone = [name for name in counted if name not in together]
    return {
        **found,
        "joint": Extra(
            offered=[name for name in counted if name not in plan.given],
            below=partial(draw_weights, [each for each in every if len(each.columns) > 1]),
        ),
        "given": Extra(offered=alone, below=partial(draw_dependence, schema, chosen, alone, every)),
    }


def pick_release(held: Any) -> None:
    """Draw a card for each release, with a small picture of it."""
    st.html(f"<style>{slides.CSS}</style>")
    for first in range(0, len(ORDER), _ACROSS):
        for place, release in zip(
            st.columns(_ACROSS), ORDER[first : first + _ACROSS], strict=False
        ):
            chosen = held.release == release
            with place, st.container(border=True, height="stretch"):
                st.markdown(draw_release(release), unsafe_allow_html=True)
                st.button(
                    RELEASES[release],
                    key=f"release-{release}",
                    type="primary" if chosen else "secondary",
                    icon=":material/check:" if chosen else None,
                    on_click=setattr,
                    args=(held, "release", release),
                    width="stretch",
                )
                st.caption(CAPTIONS[release])


def _list_measured(held: Any, schema: Schema) -> list[str]:
    """Return the columns of numbers that are released and may have a σ."""
    released = held.columns or schema.names
    return [each.name for each in schema.columns if each.name in released and _has_mean(each)]


def _has_mean(column: Column) -> bool:
    return column.domain.numeric and not column.missing


def draw_weights(found: list[Weight]) -> None:
    """Draw a sentence on each histogram: its cells, and what the prior puts into them."""
    for each in found:
        said = _describe_weight(each)
        if not each.carried:
            st.error(said, icon=":material/balance:")
        elif not each.telling:
            st.warning(said, icon=":material/balance:")
        else:
            st.caption(said)


def _describe_weight(found: Weight) -> str:
    names = " × ".join(f"**{words.escape(name)}**" for name in (*found.columns, *found.given))
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


def draw_dependence(
    schema: Schema, chosen: FormSettings, names: list[str], every: tuple[Weight, ...]
) -> None:
    """Draw what dependence costs, and a graph to begin with: all on one column."""
    draw_weights([each for each in every if each.given])
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
    st.button("Depend on it", key="let-all-on", on_click=_let_all_depend, args=(schema, chosen))


def _let_all_depend(schema: Schema, chosen: FormSettings) -> None:
    held: Any = chosen.held
    found = all_on(_plan_of(schema, chosen), schema, st.session_state["all-on"])
    held.given = {name: list(on) for name, on in found.items()}


def _plan_of(schema: Schema, chosen: FormSettings) -> ImputationPlan:
    """Return the plan of the settings.

    Raises:
        Refusal: they make none.
    """
    plan = chosen.plan(schema, {})
    assert isinstance(plan, ImputationPlan)
    return plan


ROWS: Final = (1, 10, 30, 100, 300, 1000, 3000, 10_000)


def draw_row_costs(decided: PlannedRun[ImputationPlan]) -> None:
    """Draw the curve of rows from one draw, rising to that of the parameter."""
    st.subheader("One draw, and more and more rows", anchor=False)
    most = costliest(decided)
    plan = decided.plan
    assert isinstance(plan, ImputationPlan)
    if by_others(most.part):
        st.markdown(
            f"**{most.name}** depends on other columns, so its rows cost as much as the parameter "
            "that they are drawn from, whether they are few or many."
        )
        return
    usual = min(ROWS, key=lambda each: abs(each - plan.rows))
    rows = st.select_slider("Rows", ROWS, usual, format_func="{:,}".format, key="seen-rows")
    found = rows_curve(most.part, plan.delta, rows)
    st.markdown(
        f"Of **{most.name}** alone: with {rows:,} rows from one draw ε is "
        f"{found.one:.3g} at this δ. It rises with the rows, but never above the "
        f"{found.parameter:.3g} of the parameter that they are drawn from"
        + ("." if found.own is None else f"; rows with draws of their own cost {found.own:.3g}.")
    )
    draw_picture(found.figure, found.table, key="rows-curve", confidential=False,
            alt="δ against ε for rows from one draw, from draws of their own, and the parameter",
    )  # fmt: skip


def draw_distortion(decided: PlannedRun[ImputationPlan]) -> None:
    """Draw what the prior does to shares."""
    most = costliest(decided)
    plan = decided.plan
    assert isinstance(plan, ImputationPlan)
    if not isinstance(most.part, Histogram) or not plan.copies:
        return
    st.subheader("What the prior distorts", anchor=False)
    st.markdown(
        f"Of **{most.name}**: the rows show a share drawn towards {1 / most.part.count:.3g}. The "
        "intervals released beside the rows know that, and are as wide as the last column says."
    )
    st.dataframe(tabulate_distortion(plan, most.part), hide_index=True)


def draw_average_case(decided: PlannedRun[ImputationPlan]) -> None:
    """Draw when other records hide one, if they are random to a reader."""
    plan = decided.plan
    assert isinstance(plan, ImputationPlan)
    st.subheader("What if nobody knew the other records?", anchor=False)
    st.markdown(
        "The promise holds whatever a reader knows of all other records. To one who knows only "
        "that each has a value with the same chance, a plain count already hides a single "
        "record, without made-up ones, as long as the value is common. Rare values break it, and "
        "nobody promises that readers know so little: this is no guarantee of the release."
    )
    share = st.select_slider(
        "Of a thousand, so many have the value", (0.1, 1, 3, 10, 30, 100, 300, 500), 100,
        key="seen-share",
    )  # fmt: skip
    found = averages(plan.records, share / 1000)
    st.markdown(f"At ε = ½, δ of a plain count is then **{found.here:.2g}**.")
    draw_picture(found.figure, found.table, key="average-case", confidential=False,
            alt="δ of a plain count among random others by how common a value is")  # fmt: skip


def draw_source() -> None:
    """Draw what the source prints wrongly."""
    st.subheader("Bounds of the source, and what is wrong with them", anchor=False)
    st.markdown(
        "Zheng (2015) proves bounds for these releases. The figures here are exact instead. "
        "These of its statements promise too much, or ask for too much:"
    )
    st.dataframe(pd.DataFrame(errata()), hide_index=True)


STATISTICIANS: Final = "What a statistician may ask"


class ImputationPage(MethodPage):
    """What pages draw of plans of Bayesian imputation."""

    serves: str = (
        "Shares and averages of a few columns, or rows drawn from them, with intervals that say "
        "how far they may be off."
    )
    empty: str = "Nothing was drawn."

    def extras(self, session: Session, chosen: MethodSettings) -> Mapping[str, Extra]:
        """Return what `MethodPage` asks for."""
        assert isinstance(chosen, FormSettings)
        return _list_extras(session, chosen)

    def details(
        self, session: Session, decided: PlannedRun[ImputationPlan]
    ) -> Mapping[str, Callable[[], object]]:
        """Return the folds: what rows cost and what is distorted, the average case, and the
        source."""
        return {STATISTICIANS: partial(_draw_questions, decided)}

    def describe_steps(self, plan: MechanismPlan) -> str:
        """Return rows, or parameters."""
        assert isinstance(plan, ImputationPlan)
        if not plan.copies:
            return "the parameters"
        tables = f"{plan.copies} × " if plan.copies > 1 else ""
        return f"{tables}{plan.rows:,} rows"

    def making(self, decided: PlannedRun[ImputationPlan]) -> tuple[SlideDrawing, ...]:
        """Return the prior, what is drawn, and what comes of it."""
        plan = decided.plan
        return (
            draw_prior(
                "**Counts, and a prior.** The records of every cell are counted, and the prior "
                "puts the same number of made-up ones into each."
            ),
            SlideDrawing(
                draw_release(plan.release),
                f"**{RELEASES[plan.release]}.** {CAPTIONS[plan.release]}",
            ),
        )


def _draw_questions(decided: PlannedRun[ImputationPlan]) -> None:
    """Draw what more rows cost, what the prior distorts, the average case, and the source."""
    if decided.plan.release != "noised-mode":
        draw_row_costs(decided)
    draw_distortion(decided)
    draw_average_case(decided)
    draw_source()


PAGE: Final = ImputationPage()
