"""Who gets to which page, whatever address they type."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import APP
from tests.dashboard.test_people import HOW, ONE
from understudy.core.refusal import Refusal
from understudy_dashboard import access_control, sign_in
from understudy_dashboard.browser_auth import SignOuts
from understudy_dashboard.session import Session, current

Said = Callable[[AppTest], str]
PAGES = sorted(
    path.stem for path in (Path(access_control.__file__).with_name("views")).glob("*.py")
)


@pytest.fixture(autouse=True)
def shared() -> Iterator[None]:
    """People sign in."""
    sign_in.configure(HOW)
    yield
    sign_in.configure(None)


def arrived(session: Session | None = None, **claims: Any) -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=30)
    page.user = {**ONE, "iat": time.time() - 60, **claims}
    if session is not None:
        page.session_state["session"] = session
    return page.run()


def there_is_only(name: str, page: AppTest) -> None:
    """No other page can be gone to, as none is registered."""
    page.switch_page(f"views/{name}.py").run()
    for other in set(PAGES) - {name}:
        with pytest.raises(ValueError, match="Could not find a navigation page"):
            page.switch_page(f"views/{other}.py")


def test_nobody_sees_anything_before_signing_in(session: Session, said: Said) -> None:
    page = arrived(session, is_logged_in=False)
    assert not page.exception
    assert [each.label for each in page.button] == ["Sign in"]
    assert "tiny" not in said(page)
    assert "session" not in page.session_state
    assert session.data.table is None
    there_is_only("sign_in", page)


def test_a_stranger_is_told_so_and_sees_nothing(session: Session, said: Said) -> None:
    page = arrived(session, email="nobody@example.org")
    assert "nobody has given you a part here" in said(page)
    assert session.data.table is None


def test_a_reviewer_gets_the_packets_wherever_they_go(session: Session, said: Said) -> None:
    page = arrived(session, email="three@example.org")
    assert not page.exception
    assert page.title[0].value == "Packets"
    assert "session" not in page.session_state
    assert session.data.table is None
    there_is_only("packets", page)


def test_the_way_past_the_navigation_is_shut_too() -> None:
    """What a page of a custodian asks for first is refused to anybody else."""

    def page() -> None:
        from understudy_dashboard.session import current

        current()

    for claims in ({"is_logged_in": False}, {"email": "three@example.org"}):
        test = AppTest.from_function(page)
        test.user = {**ONE, "iat": time.time(), **claims}
        assert len(test.run().exception) == 1
        assert "session" not in test.session_state


def test_a_custodian_gets_the_pages(session: Session) -> None:
    page = arrived(session)
    assert session.data.table is not None
    assert page.button(key="sign-out").label == "Sign out"


def test_signing_out_forgets_the_table(session: Session, said: Said) -> None:
    page = arrived(session)
    page.button(key="sign-out").click().run()
    assert session.data.table is None
    assert session.settings.schema is None
    assert [each.label for each in page.button] == ["Sign in"]


def test_a_copied_cookie_counts_no_more_after_signing_out(
    session: Session, said: Said, tmp_path: Path
) -> None:
    place = tmp_path / "sign-outs.json"
    sign_in.configure(HOW, SignOuts(place))
    at = time.time() - 60
    page = arrived(session, iat=at)
    page.button(key="sign-out").click().run()
    sign_in.configure(HOW, SignOuts(place))
    again = Session()
    assert "this sign-in counts no more" in said(arrived(again, iat=at))
    assert "session" not in arrived(again, iat=at).session_state
    later = arrived(again, iat=at + 1)
    assert later.button(key="sign-out").label == "Sign out"


def test_somebody_who_has_no_part_here_can_end_the_sign_in(said: Said, tmp_path: Path) -> None:
    sign_in.configure(HOW, SignOuts(tmp_path / "sign-outs.json"))
    stranger = {"email": "nobody@example.org", "iat": time.time() - 60}
    page = arrived(**stranger)
    (way_out,) = (each for each in page.button if each.label == "Sign out")
    way_out.click().run()
    assert "this sign-in counts no more" in said(arrived(**stranger))


def test_a_page_left_alone_ends_the_sign_in(session: Session, said: Said, tmp_path: Path) -> None:
    sign_in.configure(HOW, SignOuts(tmp_path / "sign-outs.json"))
    at = time.time() - 60
    page = arrived(session, iat=at)
    page.session_state["last-seen"] = time.monotonic() - HOW.idle_minutes * 60 - 1
    page.run()
    assert "this sign-in counts no more" in said(arrived(Session(), iat=at))


def test_a_page_left_alone_is_forgotten(session: Session, said: Said) -> None:
    page = arrived(session)
    page.session_state["last-seen"] = time.monotonic() - HOW.idle_minutes * 60 - 1
    page.run()
    assert session.data.table is None
    assert "left alone" in said(page)


def test_a_sign_in_that_ran_out_is_none(session: Session) -> None:
    arrived(session, iat=time.time() - HOW.hours * 3600 - 1)
    assert session.data.table is None


def test_without_sign_in_everybody_is_the_local_custodian() -> None:
    sign_in.configure(None)
    assert sign_in.current_person() == sign_in.Person("custodian")
    assert "sign-out" not in [each.key for each in arrived().button]


def test_no_page_is_anybodys_without_a_sign_in() -> None:
    with pytest.raises(Refusal):
        current()
