"""A run that the budget does not hold is refused in words, and the ways out are there to click."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server
from understudy.ledger.ledger import Ledger


@pytest.mark.thorough(
    "dashboard/test_questions.py::test_what_the_budget_still_holds_is_offered_and_taken"
)
def test_a_run_beyond_the_budget_is_refused_and_a_smaller_one_is_made(
    person: Custodian, server: Server
) -> None:
    ledger = Ledger(server.home / "ledger.sqlite")
    person.open_sample()
    person.go("Ledger")
    person.unfold("Set a budget")
    person.write("ε of the budget", "0.5")
    person.write("δ of the budget", "1e-8")
    person.press("Save the budget")
    expect(person.figure("Budget, ε")).to_have_text("0.5")
    expect(person.page.get_by_role("row", name="Left after that run not enough")).to_be_visible()

    person.go("Generate")
    refused = person.main.get_by_text(re.compile("The budget of “sample census” is ε = 0.5"))
    expect(refused).to_be_visible()
    expect(refused).to_contain_text("This run takes ε = 1")
    person.tick("I have read what this run spends")
    expect(person.main.get_by_role("button", name="Generate", exact=True)).to_be_disabled()
    expect(person.main.get_by_role("link", name="Spend less: change the plan")).to_be_visible()
    assert ledger.book().runs == {}
    person.follow("See or change the budget on the Ledger page", "Ledger")
    person.unfold("Change the budget")
    expect(person.page.get_by_label("ε of the budget", exact=True)).to_have_value("0.5")
    person.go("Generate")
    person.tick("I have read what this run spends")

    person.press("No columns copied, and ε = 0.5 for the model")
    expect(refused).to_be_hidden()
    expect(person.total_epsilon).to_have_text("0.5")
    person.press("Generate")
    expect(person.main.get_by_text("The table and its guarantee are ready.")).to_be_visible()
    person.press("Plan another run")
    expect(person.main.get_by_text("This is a further spend.")).to_be_visible()
    expect(refused).to_contain_text("Left: ε = 0,")
    expect(person.main.get_by_text("holds no plan like this one")).to_be_visible()
    assert len(ledger.book().runs) == 1

    person.follow("See or change the budget on the Ledger page", "Ledger")
    person.unfold("Change the budget")
    person.write("ε of the budget", "1.5")
    person.press("Save the budget")
    expect(person.figure("Left, ε")).to_have_text("1")
    person.go("Generate")
    expect(refused).to_have_count(0)
    assert person.traffic.errors == []
