"""Who is at this page: the local custodian, somebody signed in, or nobody yet."""

from __future__ import annotations

import logging
import time
from typing import Final

import streamlit as st

from understudy.core.refusal import Refusal
from understudy_dashboard.browser_auth import SignOuts
from understudy_dashboard.people import LOCAL, Nobody, Person, Role, SignIn, recognise

__all__ = [
    "Nobody",
    "Person",
    "Role",
    "configure",
    "current_person",
    "end_sign_in",
    "find_visitor",
    "require_role",
    "sign_in_settings",
    "sign_outs_of",
]  # fmt: skip

_log = logging.getLogger("understudy.dashboard")

_how: SignIn | None = None
_ended: SignOuts | None = None

_OVER: Final = "You have signed out, and this sign-in counts no more. Sign in again."


def configure(how: SignIn | None, ended: SignOuts | None = None) -> None:
    """Have everybody of this server sign in, or nobody. Called once, before it serves.

    Args:
        how: how people sign in; None where they do not.
        ended: the sign-ins that have ended.
    """
    global _how, _ended
    _how, _ended = how, ended


def sign_outs_of() -> SignOuts | None:
    """Return the sign-ins that have ended; None where nobody signs in."""
    return _ended


def end_sign_in() -> None:
    """End the sign-in of this page, so that no copy of its cookie counts any more."""
    if _ended is None or st.user.to_dict().get("is_logged_in") is not True:
        return
    try:
        _ended.end(st.user.to_dict())
    except OSError as error:
        _log.error("a sign-out could not be written down: %s", type(error).__name__)


def sign_in_settings() -> SignIn | None:
    """Return how people sign in here; None where they do not."""
    return _how


def find_visitor() -> Person | Nobody:
    """Return who is at this page, allowed or not."""
    if _how is None:
        return LOCAL
    claims = st.user.to_dict()
    if _ended is not None and claims.get("is_logged_in") is True and _ended.has_ended(claims):
        return Nobody(_OVER)
    return recognise(claims, _how, time.time())


def current_person() -> Person:
    """Return who is at this page.

    Raises:
        Refusal: they have not signed in, or have no part here.
    """
    found = find_visitor()
    if isinstance(found, Nobody):
        raise Refusal(found.why or "You have not signed in.", "Sign in.")
    return found


def require_role(role: Role) -> Person:
    """Return the person at this page, where they have this role.

    Raises:
        Refusal: as `current_person`, or they have another role.
    """
    found = current_person()
    if found.role != role:
        raise Refusal(f"This page is for {role}s.", "Ask whoever runs this server.")
    return found
