"""The figure that a custodian signs for is the same everywhere: in the meter, on the command line
for the same plan, on Generate, in the statement that goes with the table, and in the ledger."""

from __future__ import annotations

import json
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.browser.command_line import account
from tests.dashboard.left_behind import agree
from understudy.core.home import home
from understudy.ledger.chain import verify_export
from understudy.mechanisms.seedbased.plan import Plan
from understudy.privacy.accounting.published_figures import published_record
from understudy.runs.control import home_ledger, runs
from understudy_dashboard import words
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def shown(page: AppTest, label: str) -> str:
    return str(next(each.value for each in page.metric if each.label == label))


def test_the_total_is_one_from_the_page_to_the_ledger(
    opened: Opened, said: Said, session: Session
) -> None:
    # The model costs less than the attempts, so that these decide; and omega is one number.
    plan_choice(session).draft.model_epsilon, plan_choice(session).draft.omega_ranges = 0.5, False
    plan_choice(session).draft.omega_high = 2
    page = opened("privacy", session, by_hand=True)
    page.number_input(key="attempts-box").set_value(150).run()
    plan = session.settings.plan()
    assert isinstance(plan, Plan)
    assert plan.attempts == 150
    total = json.loads(account(plan, "--json"))["total"]
    meter = words.epsilon(total["epsilon"])
    assert shown(page, "Total ε") == meter
    published = published_record(plan.test, plan.delta)
    assert published is not None
    assert f"One record by {published.name}" in said(page)
    page.switch_page("views/generate.py").run()
    assert f"This run spends ε = {meter}" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = runs(home())
    stated = json.loads(run.guarantee.read_text(encoding="utf-8"))
    assert stated["guarantee"]["epsilon"] == total["epsilon"]
    assert stated["parts"]["attempts"]["total"] == total
    assert stated["guarantee"]["delta"] == plan.delta
    assert stated["published"]["record"] == published.stated()
    page.switch_page("views/release.py").run()
    assert shown(page, "ε") == meter
    page.switch_page("views/ledger.py").run()
    assert shown(page, "Spent, ε") == meter
    (spent,) = home_ledger().book().balances
    assert spent.spent.epsilon == total["epsilon"]
    assert verify_export(home_ledger().export()).head == home_ledger().book().head
