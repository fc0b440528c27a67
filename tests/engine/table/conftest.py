"""A real PostgreSQL, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import postgres as server


@pytest.fixture(scope="session")
def postgres() -> Iterator[server.Postgres]:
    """A server with nothing in it."""
    if server.find() is None:
        pytest.fail(server.HOW, pytrace=False)
    with server.serving() as started:
        yield started
