"""`python -m tests.browser.small`: the dashboard, its sample census and its evaluations cut short,
no waiting for the disk, and what a page starts forked where the server was.

`test_sample` and `test_planner` go through the whole of the sample.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests import forks
from tests.support import few_people
from understudy.ledger import store
from understudy.runs import process
from understudy_dashboard import __main__ as dashboard
from understudy_dashboard.parts import evaluation

_MEASURED, _REPEATS = 600, 2


def main() -> int:
    """Cut both short, then serve; a server that is ended tidies nothing up, its test does."""
    folder = Path(os.environ["UNDERSTUDY_HOME"]).parent
    with (
        few_people(folder),
        patch.object(evaluation, "ask", _ask),
        patch.object(store, "_SYNCHRONOUS", "OFF"),
        patch.object(os, "fsync", lambda _: None),
        patch.object(process, "subprocess", forks if forks.AT in os.environ else subprocess),
    ):
        return dashboard.main()


_asked_in_full = evaluation.ask


def _ask(asked: Any, *rest: Any) -> Any:
    """Everything is measured that would be, of fewer records and repeated less often."""
    return _asked_in_full(replace(asked, most=_MEASURED, repeats=_REPEATS), *rest)


if __name__ == "__main__":
    sys.exit(main())
