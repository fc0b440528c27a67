"""A run outlives its page: closed midway, it is found again, and can be cancelled. A run whose
process is killed goes on where it was, and is paid for once. A run that the budget does not hold
is refused in words, and the ways out are there to click. Whoever presses twice has asked once: a
second run would be a second spend, and a second project a second table. That one run is started is
seen at the end of `test_keyboard`'s way to it. From the sample to a finished run by the keyboard
alone, its last key pressed again and again.
"""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server, list_every_run
from understudy.ledger.ledger import Ledger
from understudy.projects.catalogue import list_every_run as list_catalogued_runs
from understudy.projects.catalogue import list_projects
from understudy.runs.folder import RunFolder


@pytest.mark.thorough(
    "dashboard/views/test_generate_page.py::test_a_run_under_way_is_found_again_from_a_fresh_page"
)
def test_a_run_is_found_again_after_a_reload_and_cancelled(
    person: Custodian, server: Server
) -> None:
    person.open_sample()
    person.as_published()
    person.enter("N · attempts, exactly", "50000000")
    expect(person.main.get_by_text("50,000,000 attempts").first).to_be_visible()
    person.go("Generate")
    person.start()
    expect(person.main.get_by_text(re.compile("^[1-9].* of 50,000,000$"))).to_be_visible()
    person.page.reload()
    person.at("Generate")
    expect(person.main.get_by_text("Under way")).to_be_visible()
    person.press("Cancel")
    expect(person.main.get_by_text("Nothing was released.")).to_be_visible()
    person.unfold("Recent runs (1)")
    listed = person.main.get_by_text(re.compile("50,000,000 attempts .* cancelled$"))
    expect(listed).to_have_count(2)
    person.go("Release")
    expect(person.main.get_by_text("This run has released nothing")).to_be_visible()
    assert not list(server.home.rglob("*.csv"))


ATTEMPTS = 600_000
READY = "The table and its guarantee are ready."


@pytest.mark.thorough(
    "dashboard/parts/generate/test_resuming.py::test_the_page_says_what_happened_and_resumes_it_for_nothing"
)
def test_a_killed_run_is_resumed_and_debited_once(person: Custodian, server: Server) -> None:
    person.open_sample()
    person.as_published()
    person.enter("N · attempts, exactly", str(ATTEMPTS))
    expect(person.main.get_by_text(f"{ATTEMPTS:,} attempts").first).to_be_visible()
    person.go("Generate")
    person.start()
    expect(person.main.get_by_text("Under way")).to_be_visible()
    (run,) = list_every_run(server.home)
    _kill(run)

    interrupted = person.main.get_by_text("A run was interrupted.")
    expect(interrupted).to_be_visible()
    expect(person.main.get_by_text("Resuming it spends nothing further.")).to_be_visible()
    assert not run.release.exists()
    # It waits for whoever comes back, also after the page was loaded afresh.
    person.page.reload()
    person.at("Generate")
    expect(interrupted).to_be_visible()
    person.press("Resume the run")
    expect(person.main.get_by_text(READY)).to_be_visible()
    assert run.artefacts() is not None
    assert not run.unfinished.exists()

    book = Ledger(server.home / "ledger.sqlite").book()
    assert [each.resumed for each in book.runs.values()] == [1]
    assert book.balances[0].runs == 1
    person.go("Ledger")
    expect(person.main.get_by_text("One run: what it promises is what was spent.")).to_be_visible()
    person.go("Generate")
    person.press("Plan another run")
    person.unfold("History: settings and differences (1)")
    expect(person.main.get_by_text("Run again", exact=True)).to_be_visible()
    expect(person.main.get_by_text(re.compile("a new spend")).first).to_be_visible()


def _kill(run: RunFolder) -> None:
    """Kill the process of a run in the middle of its attempts, with every thread it has."""
    while (now := run.progress()).state != "attempting" or not run.unfinished.exists():
        assert not now.ended, now.message
    os.killpg(now.process, signal.SIGKILL)


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

    person.press("No columns copied, and ε = 0.54 for the model")
    expect(refused).to_be_hidden()
    expect(person.total_epsilon).to_have_text(re.compile(r"^0\.49\d+$"))
    person.press("Generate")
    expect(person.main.get_by_text("The table and its guarantee are ready.")).to_be_visible()
    person.press("Plan another run")
    expect(person.main.get_by_text("This is a further spend.")).to_be_visible()
    expect(refused).to_contain_text("Left: ε = 0.00")
    expect(person.main.get_by_text("holds no plan like this one")).to_be_visible()
    assert len(ledger.book().runs) == 1

    person.follow("See or change the budget on the Ledger page", "Ledger")
    person.unfold("Change the budget")
    person.write("ε of the budget", "1.5")
    person.press("Save the budget")
    expect(person.figure("Left, ε")).to_have_text(re.compile(r"^1\.00\d+$"))
    person.go("Generate")
    expect(refused).to_have_count(0)
    assert person.traffic.errors == []


_TABLE = "age,sex\n" + "".join(f"{age},{'fm'[age % 2]}\n" for age in range(20, 80))
_AGAIN = """
one => one.addEventListener('click', () => {
  for (const after of [0, 20, 60, 120, 240]) setTimeout(() => one.click(), after);
}, {once: true})
"""


def pressed_again(button: Locator) -> None:
    """Whoever presses this button, in whatever way, presses it again and again while what that set
    off is under way."""
    button.evaluate(_AGAIN)


def test_a_table_makes_one_project(person: Custodian, server: Server, tmp_path: Path) -> None:
    table = tmp_path / "ages.csv"
    table.write_text(_TABLE)
    person.ready(person.main.get_by_role("tab", name="A file on this machine")).click()
    box = person.ready(person.main.get_by_label("The path of a file on this machine", exact=True))
    box.fill(str(table))
    button = person.ready(person.main.get_by_role("button", name="Open this path"))
    pressed_again(button)
    button.dispatch_event("click")
    # The last press may find the page of projects still there, or Data already.
    person.sees(person.main.get_by_text("ages.csv").first)
    person.settled()
    assert len(list_projects(server.home / "projects")) == 1


_MOST = 120


def walk_to(person: Custodian, thing: Locator) -> None:
    """Press Tab until the thing, or what is in it, has the focus; it shows where it is."""
    person.settled()
    expect(thing).to_be_visible()
    for _ in range(_MOST):
        person.page.keyboard.press("Tab")
        if thing.evaluate("each => each.contains(document.activeElement)"):
            seen = person.page.evaluate(
                """() => {
                  const at = getComputedStyle(document.activeElement);
                  const box = document.activeElement.getBoundingClientRect();
                  return [at.outlineStyle, at.boxShadow, box.width];
                }"""
            )
            assert seen[0] != "none" or seen[1] != "none" or seen[2] < 2, "nothing shows the focus"
            return
    raise AssertionError("The Tab key does not lead there.")


def test_from_the_sample_to_a_finished_run(person: Custodian, server: Server) -> None:
    page, main = person.page, person.main
    steps = page.get_by_role("navigation")
    walk_to(person, steps.get_by_role("link", name="Data", exact=True))
    page.keyboard.press("Enter")
    person.at("Data")
    walk_to(person, main.get_by_role("button", name="Try it with the sample census"))
    page.keyboard.press("Enter")
    person.sees(main.get_by_text("Nobody in it exists."))
    walk_to(person, steps.get_by_role("link", name="Generate", exact=True))
    page.keyboard.press("Enter")
    person.at("Generate")
    agreed = main.get_by_role("checkbox", name="I have read what this run spends")
    walk_to(person, agreed)
    page.keyboard.press("Space")
    expect(agreed).to_be_checked()
    start = main.get_by_role("button", name="Generate", exact=True)
    expect(start).to_be_enabled()
    walk_to(person, start)
    pressed_again(start)
    page.keyboard.press("Enter")
    person.sees(main.get_by_text("The table and its guarantee are ready."))
    assert len(list_catalogued_runs(server.home)) == 1, "whoever presses again has asked once"
    assert person.traffic.errors == []
