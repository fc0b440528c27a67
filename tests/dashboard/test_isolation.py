"""Two custodians at one server: neither sees a value, a name or a count of the other's table."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import upload
from tests.dashboard.conftest import APP
from tests.dashboard.test_people import HOW, ONE
from understudy_dashboard import sign_in

_TWO = {**ONE, "sub": "2", "name": "Two", "email": "two@example.org", "groups": ["custodians"]}
ROWS = {"zebrawood": 1371, "quillfeather": 1523}
Said = Callable[[AppTest], str]


def table(name: str) -> bytes:
    """A table whose columns and categories are called by a name, with rows as nobody else's."""
    kinds = [f"{name}-{kind}" for kind in ("a", "b", "c")]
    lines = [f"{name}_kind,{name}_size"]
    lines += [f"{kinds[row % 3]},{row % 7}" for row in range(ROWS[name])]
    return "\n".join(lines).encode()


@pytest.fixture(autouse=True)
def shared() -> Iterator[None]:
    """People sign in."""
    sign_in.configure(HOW)
    yield
    sign_in.configure(None)


def seen(page: AppTest, said: Said) -> str:
    """All that can be read in the pages where tables are named, and all that fields hold."""
    everything = []
    for step in ("start", "data", "ledger"):
        page.switch_page(f"views/{step}.py").run()
        assert not page.exception
        fields = (*page.text_input, *page.number_input, *page.selectbox, *page.text_area)
        everything += [
            said(page),
            str(page.main),
            str(page.sidebar),
            *(str(e.value) for e in fields),
        ]
    return "\n".join(everything).lower()


def test_neither_of_two_sees_anything_of_the_other(
    said: Said, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    pages = {}
    for name, who in zip(ROWS, (ONE, _TWO), strict=True):
        page = pages[name] = AppTest.from_file(str(APP), default_timeout=30)
        page.user = {**who, "iat": time.time() - 60}
        page.switch_page("views/data.py").run()
        upload(page, f"{name}.csv", table(name))
    for own, strange in zip(ROWS, reversed(ROWS), strict=True):
        text = seen(pages[own], said)
        assert own in text
        assert f"{ROWS[own]:,}" in text
        assert strange not in text
        # A folder of these tests may have the number in its name, and so may a hash.
        assert not re.search(rf"(?<![\w-])({ROWS[strange]:,}|{ROWS[strange]})(?!\w)", text)
    assert "signed in: a custodian" in caplog.text
    assert not re.search("|".join((*ROWS, "One", "two@example.org")), caplog.text)
