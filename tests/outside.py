"""What the tests need that is no Python package: found, or installed, or said how to get."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

# No service is started by a package that brings one.
_QUIET = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}


@dataclass(frozen=True)
class Need:
    """A program or file from outside.

    Attributes:
        name: what it is to the tests.
        find: where it is on this machine, or nothing.
        install: tries to get it; whether that worked, `find` tells.
        how: what to do by hand where it could not be installed.
    """

    name: str
    find: Callable[[], Path | None]
    install: Callable[[], None]
    how: str

    def get(self) -> Path | None:
        """Where it is, installed first if need be."""
        found = self.find()
        if found is None:
            self.install()
            found = self.find()
        return found

    def demand(self) -> Path:
        """Where it is; a test that asks fails without, and says what to do."""
        found = self.find()
        if found is None:
            pytest.fail(self.how, pytrace=False)
        return found


def variable(name: str) -> Path | None:
    """The place that somebody named in the environment, there or not."""
    named = os.environ.get(name)
    return Path(named) if named else None


def packages(*names: str) -> None:
    """Install Debian's or Ubuntu's packages, where that may be done."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        attempt(["apt-get", "update", "-qq"])
        attempt(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names])


def attempt(command: Sequence[str]) -> None:
    """Run a command that may fail; what it complains of is seen."""
    print("installing:", " ".join(command), file=sys.stderr)
    try:
        subprocess.run(
            command, check=False, env={**os.environ, **_QUIET}, stdout=subprocess.DEVNULL
        )
    except OSError as error:
        print(error, file=sys.stderr)
