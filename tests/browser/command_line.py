"""What the command line says of the same things, asked in this process."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass

from engine.cli import main


@dataclass(frozen=True)
class Ended:
    """How a verb ended, and what it printed."""

    status: int
    out: str


def understudy(*arguments: str) -> Ended:
    """Run a verb."""
    out = io.StringIO()
    with redirect_stdout(out):
        status = main(arguments)
    return Ended(status, out.getvalue())
