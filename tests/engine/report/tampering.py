"""What somebody does who changes a packet, and how that was found."""

from __future__ import annotations

from pathlib import Path

from understudy.report.files import SUMS, Stored, list_sums
from understudy.report.verdict import Verdict


def failed(verdict: Verdict) -> set[str]:
    return {each.key for each in verdict.checks if each.state == "failed"}


def resummed(folder: Path) -> None:
    """What somebody does who changes a file and knows of the list of hashes."""
    there = {path.name: Stored.at(path) for path in folder.iterdir() if path.name != SUMS}
    (folder / SUMS).write_text(list_sums(there))
