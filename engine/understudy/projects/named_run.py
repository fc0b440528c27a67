"""A run by its folder or its name, wherever it is kept."""

from __future__ import annotations

from pathlib import Path

from understudy.projects.catalogue import every_run
from understudy.runs.control import home_ledger
from understudy.runs.folder import ABOUT, RunFolder
from understudy.runs.handover import Handovers


def find_run(name: str) -> RunFolder | None:
    """Return the run of a folder, or of a name: in the home folder or a project of it, or not
    handed over yet, wherever it is; None if there is none."""
    if (Path(name) / ABOUT).is_file():
        return RunFolder(Path(name).absolute())
    for each in Handovers(home_ledger()).waiting():
        if each.run.identity == name and (each.run.path / ABOUT).is_file():
            return each.run
    return next((each for each in every_run() if each.identity == name), None)
