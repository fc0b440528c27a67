"""Every method is decided on one screen that a custodian can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.seen import seen
from understudy.mechanisms.registry import mechanisms
from understudy.projects.state import Sizes
from understudy.samples.city import SCHEMA
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard.methods.seedbased import planner
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.privacy import MANY
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Sessions = Callable[..., Session]

WORDS: Final = 350
BUTTONS: Final = 12
MANY_WORDS: Final = 400
_TRADE: Final = ("nats", "crossed", "against the prior", "posterior", "sensitivity", "ρ")
_FLAGS: Final = 60
pytestmark = pytest.mark.usefixtures("installed")


def flags() -> tuple[bytes, Schema]:
    """Many columns of yes or no."""
    names = [f"flag{place}" for place in range(_FLAGS)]
    both = Categories(values=("no", "yes"))
    schema = Schema(columns=tuple(Column(name=each, domain=both) for each in names))
    random = np.random.default_rng(3).random((1_500, _FLAGS)) < 0.1
    rows = [",".join("yes" if each else "no" for each in row) for row in random]
    return "\n".join([",".join(names), *rows]).encode(), schema.declare_public()


def of(kind: str, sessions: Sessions, city: bytes) -> Session:
    """A table that a method is for, with how many records it has said to be public."""
    if "traces" in kind:
        session = sessions(city, Schema.load(SCHEMA))
    elif kind == "latent":
        session = sessions(*flags())
    else:
        session = sessions()
    plan_choice(session).follow()
    session.settings.method = kind
    session.settings.set_sizes(Sizes(records=900, rows=500))
    return session


@pytest.mark.parametrize("kind", [*sorted(mechanisms()), "noisy-histogram"])
def test_a_method_is_decided_in_few_words_and_buttons(
    opened: Opened, said: Said, sessions: Sessions, city: bytes, kind: str
) -> None:
    session = of(kind, sessions, city)
    page = opened("privacy", session)
    assert not page.exception
    found = seen(page)
    assert found.words <= WORDS, found
    assert found.buttons <= BUTTONS, found
    text = said(page)
    for heading in ("What may be spent?", "What comes of it?"):
        assert heading in text
    assert not [word for word in _TRADE if word in text]


@pytest.mark.parametrize("purpose", ["table", "alike"])
def test_many_plans_open_with_a_chart_and_few_words(
    opened: Opened, sessions: Sessions, city: bytes, purpose: str
) -> None:
    session = of("seedbased", sessions, city)
    session.settings.set_sizes(Sizes(records=60_000, rows=500))
    plan_choice(session).asked(None).purpose = purpose
    page = opened("privacy", session, detail=MANY)
    assert not page.exception
    found = seen(page)
    assert found.words <= MANY_WORDS, found
    page.selectbox(key="budgets-chosen").select_index(8).run()
    page.button(key="budgets-adopt").click().run()
    assert not page.exception
    assert not page.error
    adopted = session.settings.planned_run()
    every = planner.list_choices(
        plan_choice(session).wish, plan_choice(session).planned.draft, adopted.schema
    )
    plan = adopted.plan
    assert plan.model.kind == every[8].kind
    assert bool(plan.shares.seeds) == (purpose == "alike")
    assert adopted.guarantee.total.epsilon == pytest.approx(every[8].epsilon, rel=0.05)


@pytest.mark.parametrize("kind", ["imputation", "latent", "pmse", "scored", "noisy-histogram"])
def test_one_budget_is_what_the_plan_spends_on_a_person(
    opened: Opened, sessions: Sessions, city: bytes, kind: str
) -> None:
    session = of(kind, sessions, city)
    page = opened("privacy", session)
    wanted = 3.0 if kind == "imputation" else 40.0
    page.number_input(key="wish-epsilon").set_value(wanted).run()
    assert not page.exception
    assert not page.error
    total = session.settings.planned_run().guarantee.total.epsilon
    assert 0.9 * wanted < total <= wanted * (1 + 1e-9)
    assert page.number_input(key="wish-epsilon").value == wanted
