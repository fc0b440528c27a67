"""The file that says who may sign in, and the addresses it may name."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit

from pydantic import Field

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy_dashboard.people import ListedPerson, SignIn

_THIS_MACHINE = ("localhost", "127.0.0.1")


def public_address(text: str) -> str:
    """Return the address that people type, without a slash at its end.

    Raises:
        Refusal: it has a path, or goes in the clear to another machine.
    """
    parts = _split_safe(text)
    if parts is None or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise Refusal(
            "The address of the page cannot be used.",
            "Write the one that people type, such as https://understudy.example.org, with https "
            "and without a path.",
            field="page.address",
        )
    return f"{parts.scheme}://{parts.netloc}".lower()


def is_safe_address(text: str) -> bool:
    """Return whether what goes to an address cannot be overheard."""
    return _split_safe(text) is not None


def _split_safe(text: str) -> SplitResult | None:
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


_SHORTEST = 32
_HERE = "the sign-in file"

_Text = Annotated[str, Field(min_length=1, max_length=2000)]


class _Provider(Frozen, what=_HERE):
    metadata: _Text
    client_id: _Text
    client_secret: str = ""
    client_secret_file: str = ""
    groups_claim: _Text = "groups"
    trust_unverified_emails: bool = False


class _Page(Frozen, what=_HERE):
    address: _Text
    cookie_secret: str = ""
    cookie_secret_file: str = ""
    hours: float = Field(default=8.0, gt=0, le=24 * 30)
    idle_minutes: float = Field(default=60.0, gt=0, le=24 * 60)
    folders: tuple[str, ...] = ()


class _Role(Frozen, what=_HERE):
    emails: tuple[_Text, ...] = ()
    groups: tuple[_Text, ...] = ()


class _File(Frozen, what=_HERE):
    provider: _Provider
    page: _Page
    custodians: _Role
    reviewers: _Role = _Role()


def read_sign_in(path: Path) -> SignIn:
    """Read how people sign in, and who is what.

    Args:
        path: a TOML file that nobody but its owner may read; `docs/shared-server.md` shows one.

    Raises:
        Refusal: it cannot be read, others may read it, or a setting of it cannot be used.
    """
    file = _File.read(_read_toml(path))
    address = public_address(file.page.address)
    _check_provider(file.provider.metadata)
    if not (file.custodians.emails or file.custodians.groups):
        raise Refusal(
            "The sign-in file names no custodian.",
            "List e-mail addresses or groups under [custodians].",
            field="custodians",
        )
    return SignIn(
        metadata=file.provider.metadata,
        client_id=file.provider.client_id,
        client_secret=_read_secret("provider", "client_secret", file.provider, path, shortest=1),
        cookie_secret=_read_secret("page", "cookie_secret", file.page, path, shortest=_SHORTEST),
        address=address,
        custodians=_read_listed(file.custodians),
        reviewers=_read_listed(file.reviewers),
        groups_claim=file.provider.groups_claim,
        trust_emails=file.provider.trust_unverified_emails,
        hours=file.page.hours,
        idle_minutes=file.page.idle_minutes,
        folders=tuple(_read_folder(each) for each in file.page.folders),
    )


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_read_private(path))
    except tomllib.TOMLDecodeError as error:
        # The library's sentence may quote the line, and the line may be a secret.
        raise Refusal(
            f"The sign-in file {path.name} is not valid TOML.",
            f"Correct {_name_line(error)}, and start again.",
        ) from None


def _name_line(error: tomllib.TOMLDecodeError) -> str:
    _, found, rest = str(error).rpartition("(at line ")
    number = rest.partition(",")[0]
    return f"line {number}" if found and number.isdigit() else "it"


def _read_private(path: Path) -> str:
    """Return the text of a file that only its owner may read.

    Raises:
        Refusal: others may read it too, or nobody can.
    """
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read(1 << 20)
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise Refusal(
            f"The file {path.name} cannot be read.",
            "Check that it is there, that it is text, and that you may read it.",
        ) from None
    if mode & 0o077:
        raise Refusal(
            f"Others on this machine may read {path.name}, and it holds a secret.",
            f"Take that right away, with “chmod 600 {path}”, and start again.",
        )
    return text


def _read_secret(section: str, name: str, given: Frozen, path: Path, *, shortest: int) -> str:
    """Return a secret that stands in the file, or in another that the file names."""
    here, elsewhere = getattr(given, name), getattr(given, f"{name}_file")
    if bool(here) == bool(elsewhere):
        raise Refusal(
            f"The sign-in file needs either {name} or {name}_file under [{section}].",
            "Give one of the two.",
            field=f"{section}.{name}",
        )
    secret = here or _read_private(path.parent / Path(elsewhere).expanduser()).strip()
    if len(secret) < shortest:
        raise Refusal(
            f"The {name} of the sign-in file is too short to be a secret.",
            f"Use {shortest} characters or more, such as those that “openssl rand -hex 32” prints.",
            field=f"{section}.{name}",
        )
    return str(secret)


def _check_provider(metadata: str) -> None:
    if not is_safe_address(metadata):
        raise Refusal(
            "The address of the provider's metadata cannot be used.",
            "Give the one that ends in /.well-known/openid-configuration, with https.",
            field="provider.metadata",
        )


def _read_listed(role: _Role) -> ListedPerson:
    return ListedPerson(
        frozenset(each.strip().lower() for each in role.emails),
        frozenset(each.strip() for each in role.groups),
    )


def _read_folder(text: str) -> Path:
    folder = Path(text).expanduser()
    if not folder.is_absolute() or not folder.is_dir():
        raise Refusal(
            f"“{text}”, which the sign-in file lists under folders, is no folder.",
            "Name folders on this server by their whole path.",
            field="page.folders",
        )
    return folder.resolve()
