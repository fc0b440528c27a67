"""Two browsers at one server: neither sees a value, a name or a count of the other's table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.custodian import PAGES, Custodian, custodian
from tests.browser.signing_in import Shared, sign_in
from tests.dashboard.test_isolation import ROWS, table
from tests.identity_provider import ANOTHER, CUSTODIAN, Someone

_STEPS = tuple(page for page in PAGES if page != "Present")


@contextmanager
def signed_in(
    server: Shared, browser: Browser, folder: Path, someone: Someone
) -> Iterator[Custodian]:
    """Somebody who has signed in, in a browser of their own."""
    with custodian(browser, server, folder) as person:
        person.page.goto(server.address)
        sign_in(person.page, someone)
        person.settled()
        yield person


def opens(person: Custodian, name: str) -> None:
    person.go("Data")
    person.upload(f"{name}.csv", table(name))
    expect(person.main.get_by_text(f"{name}.csv").first).to_be_visible()
    person.answer_questions()
    person.settled()


def seen(person: Custodian, steps: Sequence[str]) -> str:
    """All that can be read in some pages, and all that fields hold."""
    everything = []
    for step in steps:
        person.go(step)
        everything.append(person.page.inner_text("body"))
        everything += person.page.locator("input, textarea").evaluate_all(
            "all => all.map(each => each.value)"
        )
    return "\n".join(everything)


@pytest.mark.thorough("dashboard/test_isolation.py::test_neither_of_two_sees_anything_of_the_other")
def test_two_custodians_at_once(signing_in: Shared, browser: Browser, tmp_path: Path) -> None:
    with (
        signed_in(signing_in, browser, tmp_path / "1", CUSTODIAN) as one,
        signed_in(signing_in, browser, tmp_path / "2", ANOTHER) as other,
    ):
        opens(one, "zebrawood")
        opens(other, "quillfeather")
        for person, own, strange in (
            (one, "zebrawood", "quillfeather"),
            (other, "quillfeather", "zebrawood"),
        ):
            text = seen(person, _STEPS)
            assert own in text.lower()
            assert f"{ROWS[own]:,}" in text
            assert strange not in text.lower()
            assert not re.search(f"{ROWS[strange]:,}|{ROWS[strange]}", text)
    _the_log_tells_nothing_of_either(signing_in)


def _the_log_tells_nothing_of_either(server: Shared) -> None:
    said = server.server.log.read_text(encoding="utf-8")
    assert "signed in: a custodian" in said
    assert not re.search("|".join((*ROWS, CUSTODIAN.name, ANOTHER.email, "Traceback")), said)
