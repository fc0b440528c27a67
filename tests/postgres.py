"""A PostgreSQL for the tests, started in a folder of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.outside import Need, packages, variable

_DEBIAN = Path("/usr/lib/postgresql")
_ACCOUNTS = ("postgres", "nobody")
_PATIENCE = 60


@dataclass(frozen=True)
class Postgres:
    """A server that answers on a socket of its own and nowhere else.

    Attributes:
        folder: of the socket.
        user: whose database it is; no password is asked of anybody who reaches the socket.
    """

    folder: Path
    user: str

    def url(self, database: str = "postgres", user: str | None = None) -> str:
        """The connection string of one of its databases."""
        return f"postgresql+psycopg://{user or self.user}@/{database}?host={self.folder}"


def _find() -> Path | None:
    """The folder of the newest server's programs on this machine."""
    named = variable("UNDERSTUDY_POSTGRES")
    if named:
        return named if (named / "initdb").exists() else None
    on_path = shutil.which("initdb")
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: _version(path.parent))
    found = [Path(on_path).parent] if on_path else [path.parent for path in versions[-1:]]
    return found[0] if found and (found[0] / "pg_ctl").exists() else None


NEED: Final = Need(
    "database server",
    _find,
    lambda: packages("postgresql"),
    """\
No PostgreSQL server was found, and none could be installed here. Do one of:
  - install Debian's or Ubuntu's package:   sudo apt-get install postgresql
  - name the folder of one you have:        export UNDERSTUDY_POSTGRES=/path/to/bin
and run `make test` again.""",
)


@contextmanager
def serving() -> Iterator[Postgres]:
    """Start a server with nothing in it, and end it with all it held.

    Raises:
        RuntimeError: it does not start; with what it wrote.
    """
    programs = NEED.demand()
    # A socket's path may have a hundred characters only, so not where the tests keep their files.
    with tempfile.TemporaryDirectory(prefix="understudy-pg-") as place:
        folder = Path(place)
        account = _account()
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        user = "keeper"
        data, log = folder / "data", folder / "log"
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        _run(
            [programs / "initdb", "-D", data, "-U", user, "-A", "trust", "-E", "UTF8", "-N"],
            account,
        )
        start = [programs / "pg_ctl", "-D", data, "-w", "-t", str(_PATIENCE), "-l", log]
        _run([*start, "-o", options, "start"], account)
        try:
            yield Postgres(folder, user)
        finally:
            _run([programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"], account)


def _account() -> pwd.struct_passwd | None:
    """Whom the server runs as; it refuses to run as the system's administrator."""
    if os.geteuid() != 0:
        return None
    return next(entry for name in _ACCOUNTS if (entry := _entry(name)) is not None)


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _run(command: Sequence[str | Path], account: pwd.struct_passwd | None) -> None:
    whose = {} if account is None else {"user": account.pw_uid, "group": account.pw_gid}
    # What the server leaves running must not hold the pipe, so what it says goes to a file.
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(
            [str(part) for part in command],
            check=False,
            cwd="/",
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            timeout=2 * _PATIENCE,
            **whose,
        )
        if done.returncode:
            said.seek(0)
            text = said.read().decode(errors="replace")
            raise RuntimeError(f"{Path(command[0]).name} failed:\n{text}")


def _version(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in folder.parent.name.split(".") if part.isdigit())
