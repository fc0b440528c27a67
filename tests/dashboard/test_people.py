"""Who gets which role, by what a sign-in provider vouches for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from understudy_dashboard.people import Listed, Nobody, Person, SignIn, recognise

NOW = 1_700_000_000.0
HOW = SignIn(
    metadata="https://login.example.org/.well-known/openid-configuration",
    client_id="understudy",
    client_secret="not to be printed",
    cookie_secret="neither is this one",
    address="https://understudy.example.org",
    custodians=Listed(frozenset({"one@example.org"}), frozenset({"custodians"})),
    reviewers=Listed(frozenset({"three@example.org"}), frozenset({"board"})),
)
ONE = {
    "is_logged_in": True,
    "iss": "https://login.example.org",
    "sub": "1",
    "iat": NOW - 60,
    "name": "One",
    "email": "One@Example.org",
    "email_verified": True,
}


def seen(**claims: Any) -> Person | Nobody:
    return recognise({**ONE, **claims}, HOW, NOW)


def role(**claims: Any) -> str | None:
    found = seen(**claims)
    return found.role if isinstance(found, Person) else None


def test_by_address_or_by_group() -> None:
    assert role() == "custodian"
    assert role(email="three@example.org") == "reviewer"
    assert role(email="nobody@example.org") is None
    assert role(email=None, groups=["board", "others"]) == "reviewer"
    assert role(email=None, groups="custodians") == "custodian"


def test_who_is_on_both_lists_is_a_custodian() -> None:
    assert role(groups=["board"]) == "custodian"
    assert role(email="three@example.org", groups=["custodians"]) == "custodian"


def test_an_address_counts_only_where_the_provider_vouches_for_it() -> None:
    for claim in (False, None, "true", 1):
        assert role(email_verified=claim) is None
    trusting = replace(HOW, trust_emails=True)
    assert isinstance(recognise({**ONE, "email_verified": None}, trusting, NOW), Person)


def test_a_sign_in_ends() -> None:
    lasts = HOW.hours * 3600
    assert role(iat=NOW - lasts + 1) == "custodian"
    assert role(iat=NOW - lasts) is None
    assert role(iat=NOW + 299) == "custodian"
    assert role(iat=NOW + 301) is None
    for claim in (None, "now", True):
        assert role(iat=claim) is None


def test_projects_follow_the_subject_and_the_issuer_and_nothing_else() -> None:
    one = seen()
    assert isinstance(one, Person)
    assert one.key == getattr(seen(name="Renamed", groups=["custodians"], email=None), "key", "")
    keys = {getattr(seen(**other), "key", "") for other in ({"sub": "2"}, {"iss": "https://b"})}
    assert len(keys | {one.key}) == 3
    assert "" not in keys


def test_nobody_who_has_not_signed_in() -> None:
    assert seen(is_logged_in=False) == Nobody()
    assert recognise({}, HOW, NOW) == Nobody()


anything = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.floats()


@given(
    claims=st.dictionaries(
        st.sampled_from([*ONE, "groups", "preferred_username"]),
        anything | st.lists(anything, max_size=3),
    )
)
def test_whatever_a_provider_says_nobody_gets_in_by_it_who_is_not_listed(
    claims: dict[str, Any],
) -> None:
    found = recognise(claims, HOW, NOW)
    if isinstance(found, Person):
        assert claims["is_logged_in"] is True
        address = str(claims.get("email")).strip().lower()
        groups = claims.get("groups")
        named = {groups} if isinstance(groups, str) else {str(each) for each in groups or ()}
        known = {"one@example.org", "three@example.org"}
        assert address in known or named & {"custodians", "board"}


def test_secrets_are_not_printed() -> None:
    for text in (repr(HOW), str(HOW), f"{HOW}"):
        assert "not to be printed" not in text
        assert "neither" not in text
