"""What came of each mutant, kept so that a run goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, Literal

from tests.mutation.applying import ROOT

FOLDER: Final = ROOT / "build" / "mutants"
_NAME: Final = "results.jsonl"
Verdict = Literal["caught", "survived", "unreached", "broken"]
"""A mutant survived all checks that reach it, or all that there was time for; is reached by none;
or could not be put into place."""


@dataclass
class Result:
    """What came of a mutant.

    Attributes:
        key: which.
        verdict: what.
        by: the check that noticed, or why it could not be put into place.
        ran: the checks that did not notice.
        all: whether these are all that reach it.
    """

    key: str
    verdict: Verdict
    by: str = ""
    ran: list[str] = field(default_factory=list)
    all: bool = True


def read(folder: Path) -> dict[str, Result]:
    """Return the latest result of each mutant."""
    file = folder / _NAME
    if not file.exists():
        return {}
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = (json.loads(line) for line in lines if line.endswith("}"))
    return {row["key"]: Result(**row) for row in rows}


def keep(results: Iterable[Result], folder: Path) -> None:
    """Add results to the file."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NAME).open("a", encoding="utf-8") as lines:
        for each in results:
            lines.write(json.dumps(asdict(each), ensure_ascii=False) + "\n")


def kind(check: str) -> str:
    """Return what kind of check a test is: runs held against their guarantee, another part of the
    audit, or a test of another kind."""
    if "/test_real_runs.py" in check:
        return "real runs"
    return "audit" if "/audit/" in check else "tests"
