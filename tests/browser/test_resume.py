"""A run whose process is killed goes on where it was, and is paid for once."""

from __future__ import annotations

import os
import re
import signal

import pytest
from playwright.sync_api import expect

from tests.browser.custodian import Custodian
from tests.browser.serving import Server, list_every_run
from understudy.ledger.ledger import Ledger
from understudy.runs.folder import RunFolder

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
