"""The Privacy page of any method whose settings are a form: one budget, and all else folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from understudy.charts.public import PublicPicture, public_pictures
from understudy.core import numerals
from understudy.core.refusal import Refusal
from understudy.evaluation.fitness import Fitness, fitness
from understudy.mechanisms.expected_utility import foreseen_stakes
from understudy.mechanisms.fields import EPSILON
from understudy.mechanisms.mechanism import PlannedRun
from understudy.mechanisms.plan import PUBLIC_RECORDS
from understudy.mechanisms.registry import method_named
from understudy.mechanisms.setting import in_letters
from understudy.mechanisms.spending import by_budget, follows, list_budgeted
from understudy.privacy import wording
from understudy.privacy.accounting.guarantee import Part
from understudy_dashboard import words
from understudy_dashboard.frame import FieldRefusals, showing_refusals
from understudy_dashboard.methods.method_settings import FormSettings, MethodSettings
from understudy_dashboard.methods.words import plan_words
from understudy_dashboard.parts.belief import draw_belief_change, draw_published
from understudy_dashboard.parts.controls import draw_number
from understudy_dashboard.parts.form import Extra, Form
from understudy_dashboard.parts.panel import PanelScope, draw_fitness, draw_panel, draw_uses
from understudy_dashboard.parts.pictures import KeptPicture, draw_kept_picture, draw_picture
from understudy_dashboard.parts.plan_decision import (
    BY_HAND,
    MEANING,
    TOTAL,
    PlanDecision,
    draw_decision,
    find_open_detail,
)
from understudy_dashboard.parts.record_counts import draw_counts, list_followed
from understudy_dashboard.session import Session

PICTURES: Final = "More pictures of this plan"
_CONDITIONS: Final = ("delta", "records_per_person")


@dataclass(frozen=True)
class MethodParts:
    """What a method adds to the page.

    Attributes:
        serves: what a table that it makes is for, in a sentence; "" for what the method says.
        asked: the settings that stand beside the budget, by name.
        extras: what it knows of some settings, by name.
        warns: what has to be known before anything is decided; "" for nothing.
        details: what else it folds, by title, of a plan.
    """

    serves: str
    asked: Sequence[str]
    extras: Callable[[Session, MethodSettings], Mapping[str, Extra]]
    warns: Callable[[Session], str]
    details: Callable[[Session, PlannedRun], Mapping[str, Callable[[], object]]]


def draw_privacy(session: Session, parts: MethodParts) -> None:
    """Draw the page.

    Raises:
        Refusal: the method is not for these columns.
    """
    chosen = session.settings.of_method()
    if not isinstance(chosen, FormSettings):
        return
    decided, refusal = _plan_run(session)
    page = _Page(session, parts, chosen, decided, FieldRefusals(refusal))
    draw_decision(
        session,
        PlanDecision(
            purpose=page.draw_purpose,
            spending=page.draw_spending,
            outcome=page.draw_outcome,
            keeping=page.draw_keeping,
            plan=None if decided is None else decided.plan,
            details=page.list_details(),
        ),
    )


class BudgetState:
    """What may be spent, as a widget holds it: what was said, or else what the plan comes to."""

    def __init__(self, chosen: FormSettings, decided: PlannedRun | None) -> None:
        self._chosen, self._decided = chosen, decided

    @property
    def epsilon(self) -> float:
        """ε for one person in all."""
        if self._chosen.budget is not None:
            return self._chosen.budget
        if self._decided is None or not self._decided.guarantee.total.bounded:
            return 1.0
        return float(f"{self._decided.guarantee.total.epsilon:.4g}")

    @epsilon.setter
    def epsilon(self, value: float) -> None:
        self._chosen.spend(value)


@dataclass(frozen=True)
class _Page:
    """Everything that stands on the page.

    Attributes:
        session: the page's state.
        parts: what the method adds.
        chosen: its settings.
        decided: the plan, with what it promises; None where the settings make none.
        fields: shows why, beside the setting that it is about.
    """

    session: Session
    parts: MethodParts
    chosen: FormSettings
    decided: PlannedRun | None
    fields: FieldRefusals

    def draw_purpose(self) -> None:
        """Draw what a table by this method is for."""
        st.markdown(words.escape(self.parts.serves or method_named(self.chosen.kind).purpose))
        with st.container():
            warning = self.parts.warns(self.session)
            if warning:
                st.warning(warning, icon=":material/groups:")

    def draw_spending(self) -> None:
        """Draw the budget, what it means, and what is asked beside it."""
        form = self._make_form()
        st.subheader("What may be spent?", anchor=False)
        if self._is_by_budget():
            held = BudgetState(self.chosen, self.decided)
            draw_number(held, EPSILON, EPSILON.words, key="wish-epsilon")
        following = () if self.decided is None else list_budgeted(self.decided.plan)
        self.fields.beside("epsilon", *following)
        with st.container():
            if self.decided is not None and self.decided.guarantee.total.bounded:
                found = self.decided.guarantee
                said = wording.in_short(found.total, neighbours=found.neighbours)
                st.markdown(words.keep_together(said))
        draw_counts(self.session, self.chosen)
        for name in self.parts.asked:
            form.draw(self.chosen.fields[name])
        conditions = [
            each
            for each in self.chosen.fields
            if each.name in _CONDITIONS and each.applies(self.chosen.held.values())
        ]
        if conditions:
            names = [each.name for each in conditions]
            with st.expander("Further conditions", expanded=self.fields.about(*names)):
                for each in conditions:
                    form.draw(each)
        with st.container():
            if self.decided is not None:
                warning = plan_words(self.decided.plan.kind).advice(self.decided)
                if warning:
                    st.warning(warning, icon=":material/balance:")
                short = _describe_shortage(self.decided)
                if short:
                    st.warning(short, icon=":material/group_remove:")
        if find_open_detail() != BY_HAND:
            self.fields.rest()

    def _is_by_budget(self) -> bool:
        """Return whether the method's settings follow from a budget."""
        if self.chosen.budget is not None:
            return True
        return by_budget(self.chosen.kind) if self.decided is None else follows(self.decided)

    def draw_outcome(self) -> None:
        """Draw what comes of the plan, as the method foresees it."""
        st.subheader("What comes of it?", anchor=False)
        if self.decided is None:
            st.info("Correct what is marked in red to see the figures again.")
            return
        made = plan_words(self.decided.plan.kind).describe_release(self.decided)
        if made:
            st.markdown(f"**{words.escape(made)}**")
        with showing_refusals():
            first = next((each for each in self._load_pictures() if each.foresees), None)
            if first is None:
                self._draw_outputs()
                return
            st.markdown(words.escape(first.in_short or first.said))
            self._draw_public_picture(first)

    def _draw_outputs(self) -> None:
        assert self.decided is not None
        made = plan_words(self.decided.plan.kind).describe_plan(self.decided.plan)
        for each in self.decided.outputs:
            st.markdown(f"- {words.escape(each.about)}")
        if not self.decided.outputs:
            st.markdown(words.escape(made))

    def draw_keeping(self) -> None:
        """Draw what the release is fit for, and what not."""
        if self.decided is None:
            return
        decided = self.decided
        told: Fitness | None = self.session.cache.keep(
            "fitness foreseen",
            (decided.plan.to_json(), decided.schema),
            lambda: _foresee_fitness(decided),
        )
        fit, unfit = plan_words(decided.plan.kind).uses(decided)
        if told is None and not (fit or unfit):
            return
        st.subheader("What will be kept, and what not?", anchor=False)
        if told is None:
            draw_uses(fit, unfit)
        else:
            draw_fitness(told)

    def list_details(self) -> Mapping[str, Callable[[], object]]:
        """Return what is folded, by title."""
        found: dict[str, Callable[[], object]] = {}
        if self.decided is not None:
            decided = self.decided
            found[MEANING] = partial(draw_meaning, self.session, decided)
            found[TOTAL] = partial(draw_total, decided)
            for title, shown in self._list_folds().items():
                found[title] = partial(self._draw_all, shown)
            found |= self.parts.details(self.session, decided)
        found[BY_HAND] = self._draw_settings
        return found

    def _list_folds(self) -> Mapping[str, Sequence[PublicPicture]]:
        """Return the pictures that are folded, by the title of their fold."""
        try:
            found = self._load_pictures()
        except Refusal:
            return {}
        first = next((each for each in found if each.foresees), None)
        folds: dict[str, list[PublicPicture]] = {}
        for each in found:
            if each is not first:
                folds.setdefault(each.fold or PICTURES, []).append(each)
        return folds

    def _load_pictures(self) -> tuple[PublicPicture, ...]:
        assert self.decided is not None
        decided = self.decided
        found: tuple[PublicPicture, ...] = self.session.cache.keep(
            "public pictures",
            (decided.plan.to_json(), decided.schema),
            lambda: public_pictures(decided),
        )
        return found

    def _draw_public_picture(self, each: PublicPicture) -> None:
        drawn: KeptPicture = self.session.cache.keep(
            f"picture {each.name}", id(each), lambda: KeptPicture(each.figure, each.table)
        )
        draw_kept_picture(drawn, key=f"public-{each.name}", alt=each.alt, confidential=False)

    def _draw_all(self, several: Sequence[PublicPicture]) -> None:
        """Draw pictures one below another, and say once what they warn of."""
        warned = set[str]()
        for each in several:
            if each.warning and each.warning not in warned:
                st.error(each.warning, icon=":material/gpp_bad:")
                warned.add(each.warning)
            st.subheader(each.title, anchor=False)
            st.markdown(each.said)
            draw_picture(
                each.figure, each.table, key=f"public-{each.name}", alt=each.alt, confidential=False
            )

    def _make_form(self) -> Form:
        schema = self.session.settings.schema
        assert schema is not None
        extras = self.parts.extras(self.session, self.chosen)
        followed = list_followed(self.session, self.chosen)
        return Form(self.chosen.held, len(schema), self.fields, {**followed, **extras}, schema)

    def _draw_settings(self) -> None:
        """Draw every other setting, those that few need at the end."""
        table = self.chosen.fields
        beside = {*self.parts.asked, *_CONDITIONS}
        listed = [each for each in table if each.places and each.name not in beside]
        form = self._make_form()
        form.draw_by_group(table, [each for each in listed if each.stands == "open"])
        folded = [each for each in listed if each.stands == "folded"]
        if folded:
            st.subheader("What few need", anchor=False)
            for each in folded:
                form.draw(each)
        self.fields.rest()


def draw_meaning(session: Session, decided: PlannedRun) -> None:
    """Draw what a total promises, whom it covers, what a reader learns, and what others published.

    Args:
        session: the page's state.
        decided: the plan, with what it promises.
    """
    found = decided.guarantee
    st.markdown(words.describe_promise(decided))
    st.caption(f"**What it covers.** {plan_words(decided.plan.kind).covers(decided)}")
    if found.total.bounded:
        st.caption(f"**Between which tables.** {words.describe_neighbours(found)}")
    population = words.describe_population(found.population)
    if population is not None:
        st.markdown(population)
    draw_panel(PanelScope.of(found), "plain")
    if found.total.bounded:
        with st.expander("What a reader may learn"):
            draw_belief_change(session, found.total, found.neighbours)
        with st.expander("What others published"):
            draw_published(found.total, found.neighbours)


def draw_total(decided: PlannedRun) -> None:
    """Draw the total, and what each part of it costs."""
    found = decided.guarantee
    if not found.total.bounded:
        st.markdown("No figure.")
        return
    with st.container(horizontal=True, gap="medium"):
        st.metric("ε", words.epsilon(found.total.epsilon), width="content")
        st.metric("δ", words.delta(found.total.delta), width="content")
    if found.parts:
        st.table(_parts_table(found.parts), border="horizontal")


def _parts_table(parts: tuple[Part, ...]) -> pd.DataFrame:
    """Return what each part costs one record, with the figures that it was worked out from."""
    rows = [
        {
            "Part": words.escape(each.of),
            "ε": words.epsilon(each.cost.epsilon) if each.cost.bounded else "no promise",
            "δ": words.delta(each.cost.delta) if each.cost.bounded else "",
            "From": _format_figures(each.native),
        }
        for each in parts
    ]
    frame = pd.DataFrame(rows).set_index("Part")
    return frame if any(each.native for each in parts) else frame.drop(columns="From")


def _format_figures(native: Mapping[str, float]) -> str:
    """Return figures with what they are called, Greek letters as such."""
    return " · ".join(
        f"{in_letters(name)} = {numerals.significant(value)}" for name, value in native.items()
    )


def _foresee_fitness(decided: PlannedRun) -> Fitness | None:
    """Return what the table will be fit for; None if the method foresees nothing."""
    ahead = foreseen_stakes(decided)
    if ahead is None:
        return None
    return fitness(ahead, [each.title or each.name for each in decided.schema.columns])


def _describe_shortage(decided: PlannedRun) -> str:
    """Say that a plan counts on more records than the table is known to have; "" if it does not."""
    needed = decided.guarantee.records_at_least
    known = getattr(decided.plan, PUBLIC_RECORDS, None)
    if needed is None or known is None or needed <= known:
        return ""
    return (
        f"This plan counts on {needed:,} records, and the table is known to have {known:,}: it "
        "cannot be run. A larger ε takes fewer."
    )


def _plan_run(session: Session) -> tuple[PlannedRun | None, Refusal | None]:
    try:
        return session.settings.planned_run(), None
    except Refusal as refusal:
        return None, refusal
