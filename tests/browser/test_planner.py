"""From what may be spent to a release, and what it took in the ledger. The figure that a custodian
signs for is the same everywhere: in the meter, in the statement that goes with the table, in the
ledger, and on the command line for the same plan.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.checks import released
from tests.browser.command_line import account
from tests.browser.custodian import BY_HAND, Custodian
from tests.browser.serving import Server
from understudy.ledger.chain import verify_export
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased.plan import Plan
from understudy.samples import census


@pytest.fixture(scope="module")
def server(whole_sample: Server) -> Server:
    """The dashboard as it is."""
    return whole_sample


def planned(person: Custodian) -> Plan:
    """Ask the planner, and give the model less by hand, so that the seeds decide."""
    person.open_sample()
    person.follow("Next: Buckets", "Buckets")
    person.follow("Next: Privacy", "Privacy")
    person.enter("ε at most, exactly", "10")
    expect(person.total_epsilon).to_have_text("10")
    person.pick("Records like given ones")
    person.enter("How many attempts?", "100")
    person.enter("Columns copied", "1")
    # k is a whole number, so the seeds stay a little under what they may cost.
    nearly = re.compile(r"^9\.9\d+$")
    expect(person.total_epsilon).to_have_text(nearly)
    person.look_into(BY_HAND)
    person.enter("ε of the model, exactly", "0.5")
    expect(person.total_epsilon).not_to_have_text(nearly)
    person.press("Save or load a plan")
    saved = person.download("Save the plan")
    person.page.keyboard.press("Escape")
    return Plan.from_json(saved.read_text(encoding="utf-8"))


@pytest.mark.thorough(
    "dashboard/methods/seedbased/test_planner_page.py::test_the_total_is_one_from_the_page_to_the_ledger"
)
def test_the_pages_total_is_that_of_the_command_line_and_of_every_paper_after_it(
    person: Custodian, server: Server
) -> None:
    plan = planned(person)
    figures: dict[str, Any] = json.loads(account(plan, "--json"))
    shown = person.total_epsilon.inner_text()
    assert f"ε = {shown}, " in account(plan)
    assert abs(float(shown) - figures["total"]["epsilon"]) < 1e-3
    person.follow("Next: Generate", "Generate")
    expect(person.main.get_by_text(f"This run spends ε = {shown}, δ = 1e-9")).to_be_visible()
    person.unfold("What does this promise?")
    expect(person.main.get_by_text("Who is protected.")).to_be_visible()
    person.generate()
    person.go("Release")
    expect(person.figure("ε")).to_have_text(shown)
    person.unfold("What does this promise?")
    expect(person.main.get_by_text("Who is protected.")).to_be_visible()
    table = person.download("Download the table")
    guarantee = person.download("Download its guarantee")
    _, said = released(table, guarantee, census.schema(ruled=True))
    assert said["guarantee"]["epsilon"] == figures["total"]["epsilon"]
    assert said["parts"]["attempts"]["total"] == figures["total"]
    assert said["guarantee"]["delta"] == plan.delta
    person.go("Ledger")
    expect(person.figure("Spent, ε")).to_have_text(shown)
    expect(person.main.get_by_text("knows this very table by its fingerprint")).to_be_visible()
    exported = person.download("Export the ledger").read_text(encoding="utf-8")
    ledger = Ledger(server.home / "ledger.sqlite")
    assert verify_export(exported).head == ledger.book().head
    person.go("Release")
    again = person.download("Download the table")
    assert again.read_bytes() == table.read_bytes()
    assert verify_export(exported).events == ledger.book().events
    assert person.traffic.abroad == []
    assert person.traffic.errors == []
