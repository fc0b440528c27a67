"""Who may do what: people as a sign-in provider describes them, and the roles they get here.

Pure: no page, no clock, no network. `sign_in.py` asks the provider, and
`sign_in_file.py` reads the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

Role = Literal["custodian", "reviewer"]


@dataclass(frozen=True)
class Person:
    """Somebody who may be here.

    Attributes:
        role: a custodian works on tables of their own; a reviewer reads issued packets.
        name: as the provider knows them; "" where nobody signs in.
        key: tells this person's projects from those of others; "" where nobody signs in.
    """

    role: Role
    name: str = ""
    key: str = ""


LOCAL: Final = Person("custodian")
"""Everybody, where no sign-in is configured: whoever can reach the page sits at its machine."""


@dataclass(frozen=True)
class Nobody:
    """Somebody who may not be here.

    Attributes:
        why: a sentence for them; "" where they have only not signed in yet.
    """

    why: str = ""


@dataclass(frozen=True)
class ListedPerson:
    """Who has a role.

    Attributes:
        emails: e-mail addresses, in lower case.
        groups: names of groups, as the provider writes them.
    """

    emails: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SignIn:
    """How people sign in on a shared server, and who is what.

    Attributes:
        metadata: the address where the provider describes itself (OpenID Connect discovery).
        client_id: what the provider calls this server.
        client_secret: what this server proves to the provider that it is itself with.
        cookie_secret: what the cookie of a signed-in browser is signed with.
        address: the address that people type, such as https://understudy.example.org.
        custodians, reviewers: who is what.
        groups_claim: the name of the claim that lists somebody's groups.
        trust_emails: whether an address counts that the provider does not call verified.
        hours: how long a sign-in lasts.
        idle_minutes: after how long without a click a page is closed and its table forgotten.
        folders: the only folders that tables on the server's disk may be opened from.
    """

    metadata: str
    client_id: str
    client_secret: str
    cookie_secret: str
    address: str
    custodians: ListedPerson
    reviewers: ListedPerson
    groups_claim: str = "groups"
    trust_emails: bool = False
    hours: float = 8.0
    idle_minutes: float = 60.0
    folders: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        # Whatever prints this, a log or a traceback, must not print the secrets.
        return f"SignIn({self.address!r})"


def recognise(claims: Mapping[str, Any], how: SignIn, now: float) -> Person | Nobody:
    """Say who somebody is by what the provider vouches for.

    Args:
        claims: the provider's statement about them, its signature checked already.
        how: who is what.
        now: seconds since 1970.
    """
    if claims.get("is_logged_in") is not True:
        return Nobody()
    issuer, subject = claims.get("iss"), claims.get("sub")
    if not (isinstance(issuer, str) and issuer and isinstance(subject, str) and subject):
        return Nobody("Your sign-in provider did not say who you are.")
    if not _is_fresh(claims.get("iat"), how.hours * 3600.0, now):
        return Nobody("Your sign-in is too old. Sign in again.")
    role = _find_role(claims, how)
    if role is None:
        return Nobody(
            "You are signed in, but nobody has given you a part here. Ask whoever runs this "
            "server to add you as a custodian or as a reviewer."
        )
    return Person(role, _find_name(claims), _key_of(issuer, subject))


def _is_fresh(issued: Any, lasts: float, now: float) -> bool:
    """Return whether a sign-in is not too old; one from the future is none, except for clocks that
    differ."""
    if isinstance(issued, bool) or not isinstance(issued, int | float):
        return False
    return -300.0 <= now - issued < lasts


def _find_role(claims: Mapping[str, Any], how: SignIn) -> Role | None:
    """Return the role somebody is listed for; the larger one where both lists name them."""
    if _is_among(claims, how.custodians, how):
        return "custodian"
    return "reviewer" if _is_among(claims, how.reviewers, how) else None


def _is_among(claims: Mapping[str, Any], listed: ListedPerson, how: SignIn) -> bool:
    email, groups = claims.get("email"), claims.get(how.groups_claim)
    vouched = how.trust_emails or claims.get("email_verified") is True
    if vouched and isinstance(email, str) and email.strip().lower() in listed.emails:
        return True
    named = [groups] if isinstance(groups, str) else groups
    if not isinstance(named, list | tuple):
        return False
    return any(isinstance(each, str) and each in listed.groups for each in named)


def _find_name(claims: Mapping[str, Any]) -> str:
    names = (claims.get(each) for each in ("name", "preferred_username", "email"))
    return next((name for name in names if isinstance(name, str) and name.strip()), "")[:200]


def _key_of(issuer: str, subject: str) -> str:
    """Return a key that stays the same for a person at a provider, whatever they are called."""
    return hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()[:32]
