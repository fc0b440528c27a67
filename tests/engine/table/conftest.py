"""A real PostgreSQL, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import postgres as server


@pytest.fixture(scope="session")
def postgres() -> Iterator[server.Postgres]:
    """A server with nothing in it."""
    server.NEED.demand()
    with server.serving() as started:
        yield started
