"""Addresses of pages and providers: nothing secret goes over a wire in the clear."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from understudy.core.refusal import Refusal

_THIS_MACHINE = ("localhost", "127.0.0.1")


def public_address(text: str) -> str:
    """Return the address that people type, without a slash at its end.

    Raises:
        Refusal: it has a path, or goes in the clear to another machine.
    """
    parts = _safe(text)
    if parts is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise Refusal(
            "The address of the page cannot be used.",
            "Write the one that people type, such as https://understudy.example.org, with https "
            "and without a path.",
            field="page.address",
        )
    return f"{parts.scheme}://{parts.netloc}".lower()


def safe_address(text: str) -> bool:
    """Return whether what goes to an address cannot be overheard."""
    return _safe(text) is not None


def _safe(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.username is not None or parts.password is not None:
        return None
    if parts.scheme == "https" or (parts.scheme == "http" and host in _THIS_MACHINE):
        return parts
    return None
