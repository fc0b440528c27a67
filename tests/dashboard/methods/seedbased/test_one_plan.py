"""The meter equals the plan that Next would run, after any sequence of edits.

The page is driven beside a model of it, which knows nothing of how pages hold settings: answers and
settings by hand, of which the last said counts, and the engine's plan for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased import proposal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.proposal import Wanted
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.projects.state import Sizes
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.planner import Wish
from understudy_dashboard.parts.plan_decision import BY_HAND, KEY
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Edit = tuple[str, Any]

EDITS = st.one_of(
    st.tuples(st.just("wish-epsilon"), st.sampled_from([0.0, 0.4, 1.0, 2.7])),
    st.tuples(st.just("wish-epsilon-slider"), st.sampled_from([0.3, 2.0, 10.0])),
    st.tuples(st.just("wish-delta"), st.sampled_from([1e-8, 1e-10])),
    st.tuples(st.just("wish-purpose"), st.sampled_from(["table", "alike"])),
    st.tuples(st.just("wish-count"), st.sampled_from([0, 40, 700])),
    st.tuples(st.just("wish-kept"), st.sampled_from([0, 1, 2])),
    st.tuples(st.just("wish-seeds_at_least"), st.sampled_from([None, 300, 40_000])),
    st.tuples(st.just("model_epsilon-box"), st.sampled_from([0.3, 1.9])),
    st.tuples(st.just("k-box"), st.sampled_from([0, 30, 900])),
    st.tuples(st.just("attempts-box"), st.sampled_from([25, 3000])),
    st.tuples(st.just("use-planner"), st.none()),
    st.tuples(st.just("sizes-records"), st.sampled_from([None, 5_000, 90_000])),
    st.tuples(st.just("sizes-rows"), st.sampled_from([None, 77])),
)
"""What somebody may do, by the widget."""


@dataclass
class Model:
    """What was said so far.

    Attributes:
        schema: the columns.
        answers: to the planner.
        sizes: what the Data page was told.
        base, by_hand: the plan that settings were set by hand in, and those; None and empty where
            the planner is followed.
    """

    schema: Schema
    answers: dict[str, Any] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=lambda: Sizes(records=90_000))
    base: Plan | None = None
    by_hand: dict[str, Any] = field(default_factory=dict)

    def say(self, widget: str, value: Any) -> None:
        """Take down an edit."""
        if widget.endswith("-box"):
            self.base = self.base or self.plan()
            self.by_hand[widget.removesuffix("-box")] = value
            return
        if widget.startswith("sizes-"):
            self.sizes = self.sizes.model_copy(update={widget.removeprefix("sizes-"): value})
            return
        self.base, self.by_hand = None, {}
        if widget != "use-planner":
            name = widget.removeprefix("wish-").removesuffix("-slider")
            self.answers[name] = value

    def plan(self) -> Plan | None:
        """The plan that a run would be of; None where there is none."""
        try:
            return self._by_hand(self.base) if self.base is not None else self._planned()
        except Refusal:
            return None

    def total(self) -> Budget | None:
        """What it promises."""
        plan = self.plan()
        try:
            return None if plan is None else promise(plan, self.schema).total
        except Refusal:
            return None

    def _planned(self) -> Plan:
        said = self.answers
        whole = said.get("purpose", "table") == "table" or said.get("kept", 1) == 0
        wanted = Wanted(
            epsilon=said.get("epsilon", 1.0),
            delta=said.get("delta", 1e-9),
            records=self.sizes.records,
            rows=self.sizes.to_make,
        )
        if whole:
            return proposal.whole_table(self.schema, wanted).plan
        alike = replace(
            wanted,
            attempts=said.get("count", 500),
            kept=said.get("kept", 1),
            seeds_at_least=said.get("seeds_at_least"),
        )
        return proposal.alike(self.schema, alike).plan

    def _by_hand(self, base: Plan) -> Plan:
        changed: dict[str, Any] = {}
        if "model_epsilon" in self.by_hand:
            changed["model"] = base.model.at(self.by_hand["model_epsilon"])
        if "attempts" in self.by_hand:
            changed["attempts"] = self.by_hand["attempts"]
        if "k" in self.by_hand:
            changed["test"] = RelativeSensitivity(k=self.by_hand["k"], epsilon0=base.test.epsilon0)
        return base.change(self.schema, **changed)


def done(page: AppTest, edit: Edit) -> bool:
    """Do an edit on the page; whether its widget is there and shows something else."""
    widget, value = edit
    if widget.startswith("sizes-"):
        page.switch_page("views/data.py").run()
    kinds = (page.number_input, page.select_slider, page.radio, page.button)
    found = next((each for kind in kinds for each in kind if each.key == widget), None)
    # Who picks what is picked already has changed nothing.
    same = found is not None and widget != "use-planner" and found.value == value
    if found is not None and not same:
        (found.click() if widget == "use-planner" else found.set_value(value)).run()
    if widget.startswith("sizes-"):
        page.switch_page("views/privacy.py")
        page.session_state[KEY] = BY_HAND
        page.run()
    assert not page.exception
    return found is not None and not same


def metered(page: AppTest) -> tuple[str, str] | None:
    """What the meter shows."""
    found = {each.label: str(each.value) for each in page.metric}
    return (found["Total ε"], found["Total δ"]) if "Total ε" in found else None


def agrees(page: AppTest, model: Model, session: Session) -> None:
    """The meter, the plan and the way on say what the model says."""
    total = model.total()
    shown = None if total is None else (words.epsilon(total.epsilon), words.delta(total.delta))
    assert metered(page) == shown
    onward = any(each.proto.label == "Next: Generate" for each in page.get("page_link"))
    assert onward == (total is not None)
    if total is not None:
        run, plan = session.settings.plan(), model.plan()
        assert plan is not None
        assert (run.test, run.attempts, run.omega) == (plan.test, plan.attempts, plan.omega)
        assert (run.model, run.shares, run.delta) == (plan.model, plan.shares, plan.delta)


def follows(opened: Opened, said: Said, session: Session, edits: list[Edit]) -> None:
    """Drive the page through edits, and look after each; in the end go on to Generate."""
    assert session.settings.schema is not None
    plan_choice(session).planned.wish = Wish(count=500)
    plan_choice(session).follow()
    session.settings.set_sizes(Sizes(records=90_000))
    model, page = Model(session.settings.schema), opened("privacy", session, by_hand=True)
    agrees(page, model, session)
    for edit in edits:
        if edit[0].endswith("-box") and model.plan() is None and model.base is None:
            continue
        if done(page, edit):
            model.say(*edit)
            agrees(page, model, session)
    total = model.total()
    if total is not None:
        page.switch_page("views/generate.py").run()
        assert f"This run spends {words.format_budget(total)}" in said(page)


_PATIENT: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}


@settings(max_examples=1, **_PATIENT)
@example([("wish-purpose", "alike"), ("k-box", 900), ("wish-epsilon", 0.4)])
@given(st.lists(EDITS, min_size=1, max_size=1))
def test_the_meter_is_what_next_would_run(
    opened: Opened, said: Said, sessions: Callable[..., Session], edits: list[Edit]
) -> None:
    follows(opened, said, sessions(), edits)


@pytest.mark.thorough("test_the_meter_is_what_next_would_run")
@settings(max_examples=15, **_PATIENT)
@given(st.lists(EDITS, min_size=3, max_size=8))
def test_the_meter_is_what_next_would_run_after_any_sequence_of_edits(
    opened: Opened, said: Said, sessions: Callable[..., Session], edits: list[Edit]
) -> None:
    follows(opened, said, sessions(), edits)
