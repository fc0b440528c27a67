"""A server that has people sign in, the provider they sign in at, and a person who does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.serving import Server, serving
from tests.identity_provider import CLIENT, CUSTODIAN, SECRET, Provider, Someone, providing

_FILE = """\
[provider]
metadata = "{metadata}"
client_id = "{client}"
client_secret_file = "client-secret"

[page]
address = "{address}"
cookie_secret = "{cookie}"
idle_minutes = {idle}
folders = ["{tables}"]

[custodians]
groups = ["data-custodians"]
emails = ["two@example.org"]

[reviewers]
emails = ["three@example.org"]
"""


@dataclass(frozen=True)
class Shared:
    """A shared server.

    Attributes:
        server: the page's.
        provider: where people sign in.
        address: the address that people type.
        tables: the folder that tables may be opened from.
    """

    server: Server
    provider: Provider
    address: str
    tables: Path

    @property
    def link(self) -> None:
        """None: people sign in."""
        return None


@contextmanager
def shared(
    folder: Path, *, address: str | None = None, idle_minutes: float = 60.0
) -> Iterator[Shared]:
    """A shared server and its provider, until the block ends.

    Args:
        folder: an empty folder.
        address: the address that people type; the server's own if left out.
        idle_minutes: after how long it forgets an idle page.
    """
    tables = folder / "tables"
    tables.mkdir()
    with providing() as provider:

        def options(own: str) -> tuple[str, ...]:
            provider.client = address or own
            return ("--sign-in", str(_written(folder, provider, tables, idle_minutes)))

        # The server asks the provider, and nobody else, without any proxy of this machine.
        direct = {"NO_PROXY": "127.0.0.1"}
        with serving(folder, options=options, environment=direct) as server:
            yield Shared(server, provider, provider.client, tables)


def sign_in(page: Page, someone: Someone = CUSTODIAN) -> None:
    """Sign in from the page that is there, as somebody."""
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name=someone.name).click()
    expect(page.get_by_test_id("stSidebar").get_by_text(someone.name)).to_be_visible()


def _written(folder: Path, provider: Provider, tables: Path, idle: float) -> Path:
    path = folder / "sign-in.toml"
    text = _FILE.format(
        metadata=provider.metadata,
        client=CLIENT,
        address=provider.client,
        cookie="5" * 64,
        tables=tables,
        idle=idle,
    )
    for place, content in ((path, text), (folder / "client-secret", SECRET)):
        place.touch(mode=0o600)
        place.write_text(content, encoding="utf-8")
    return path
