"""Connection strings: what may be kept and shown of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import URL

from understudy.core.refusal import Refusal
from understudy.table.sources.databases.address import address, password_in, without_password

_NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=10)


@settings(deadline=None)
@given(user=_NAMES, database=_NAMES, name=st.sampled_from(["password", "sslPassword", "pwd"]))
def test_no_password_is_kept(user: str, database: str, name: str) -> None:
    secret = "4711-sesame @:/?&="
    made = URL.create(
        "postgresql", user, secret, "host", 5432, database, {name: secret, "sslmode": "require"}
    )
    connection = made.render_as_string(hide_password=False)
    assert password_in(connection) == secret
    kept = without_password(connection)
    assert "4711" not in kept
    assert "sslmode=require" in kept
    again = address(kept, secret)
    assert (again.username, again.password, again.database) == (user, secret, database)
    assert "4711" not in str(again)
    assert "4711" not in repr(again)


def test_a_string_without_a_password_stays() -> None:
    for connection in (
        "postgresql://anna@host:5432/clinic?connect_timeout=3",
        "sqlite:////data/clinic.db",
    ):
        assert without_password(connection) == connection
        assert password_in(connection) is None


def test_the_driver_of_this_project_is_taken() -> None:
    assert address("postgres://host/x").drivername == "postgresql+psycopg"
    assert address("postgresql+other://host/x").drivername == "postgresql+other"


@pytest.mark.parametrize("connection", ["", "  ", "clinic.db", "http", "postgresql://h:p:q/x"])
def test_what_is_none_is_refused(connection: str) -> None:
    for ask in (address, without_password, password_in):
        with pytest.raises(Refusal) as caught:
            ask(connection)
        assert caught.value.field == "connection"
