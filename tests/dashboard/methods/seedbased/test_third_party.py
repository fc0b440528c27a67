"""A plan for a third-party model on the Privacy page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import installed
from tests.support import category_schema
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy_dashboard.methods.seedbased import by_hand
from understudy_dashboard.methods.seedbased.planner import Draft
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]

SCHEMA = category_schema(3, 4, 2, 5)
CLAIM = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
MODEL = ModelPlan(kind="outside", epsilon=0.75, outside=CLAIM)


def test_the_page_keeps_it_while_it_is_chosen() -> None:
    plan = Plan.of(SCHEMA, model=MODEL, omega=Omega(low=4, high=4))
    draft = Draft.of_plan(plan)
    assert draft.plan(SCHEMA, {}) == plan
    draft.kind = "calibrated"
    assert draft.plan(SCHEMA, {}).model == ModelPlan(epsilon=0.75)


@pytest.fixture
def fresh() -> Iterator[None]:
    """What is installed is looked for again."""
    by_hand._list_installed.cache_clear()
    yield
    by_hand._list_installed.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_an_installed_one_is_chosen_under_advanced_and_says_whose_word_it_is(
    opened: Opened, session: Session, said: Callable[[AppTest], str], tmp_path: Path
) -> None:
    with installed(tmp_path / "packages", "toy", toy.Chained):
        page = opened("privacy", session, by_hand=True)
        page.radio(key="kind-choice").set_value("outside").run()
        assert not page.exception
        assert session.settings.plan().model.outside == toy.claim()
        assert page.selectbox(key="outside-choice").value == "toy"
        words = said(page)
        assert "On its own word" in words
        assert toy.Chained.source in words
        assert toy.Chained.covers in words
        page.radio(key="kind-choice").set_value("calibrated").run()
        assert session.settings.plan().model.outside is None
        assert all(each.key != "outside-choice" for each in page.selectbox)


@pytest.mark.usefixtures("fresh")
def test_none_is_offered_where_none_is_installed(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_hand, "claims", tuple)
    page = opened("privacy", session, by_hand=True)
    assert "third-party model" not in page.radio(key="kind-choice").options
