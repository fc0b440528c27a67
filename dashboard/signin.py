"""Who is at this page: the local custodian, somebody signed in, or nobody yet."""

from __future__ import annotations

import time

import streamlit as st

from dashboard.people import LOCAL, Nobody, Person, Role, SignIn, recognise
from engine.core.refusal import Refusal

__all__ = ["Nobody", "Person", "Role", "configure", "only", "person", "signing_in", "visitor"]

_how: SignIn | None = None


def configure(how: SignIn | None) -> None:
    """Have everybody of this server sign in, or nobody. Called once, before it serves."""
    global _how
    _how = how


def signing_in() -> SignIn | None:
    """How people sign in here; None where they do not."""
    return _how


def visitor() -> Person | Nobody:
    """Who is at this page, allowed or not."""
    if _how is None:
        return LOCAL
    return recognise(st.user.to_dict(), _how, time.time())


def person() -> Person:
    """Who is at this page.

    Raises:
        Refusal: they have not signed in, or have no part here.
    """
    found = visitor()
    if isinstance(found, Nobody):
        raise Refusal(found.why or "You have not signed in.", "Sign in.")
    return found


def only(role: Role) -> Person:
    """The person at this page, where they have this role.

    Raises:
        Refusal: as `person`, or they have another role.
    """
    found = person()
    if found.role != role:
        raise Refusal(f"This page is for {role}s.", "Ask whoever runs this server.")
    return found
