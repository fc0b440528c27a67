"""What the server needs when a setting moves on the Privacy page, rehearsal and charts included."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest

from engine.runs.control import home, runs, wait

_APP = Path(__file__).parents[1] / "dashboard" / "app.py"
_PRIVACY = "views/privacy.py"


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Open the sample census, rehearse, then move k and time each run of the page."""
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"UNDERSTUDY_HOME": place, "UNDERSTUDY_DEMO": "1"}
        page = AppTest.from_file(str(_APP), default_timeout=60).run()
        page.switch_page(_PRIVACY).run()
        moves = 10 if quick else 30
        asked = _moves(page, "wish-epsilon", [1 + place / 100 for place in range(moves)])
        page.session_state["privacy-tab"] = "Set every parameter yourself"
        page.run()
        page.button(key="preset-published").click().run()
        page.button(key="rehearse").click().run()
        wait(runs(home())[0])
        page.run()
        moved = _moves(page, "k-box", [60 + place for place in range(moves)])
    return {
        "planner_milliseconds": 1000 * float(np.median(asked)),
        "median_milliseconds": 1000 * float(np.median(moved)),
        "slowest_milliseconds": 1000 * max(moved),
    }


def _moves(page: AppTest, key: str, values: Sequence[float]) -> list[float]:
    """Seconds of each script run after a change of a number, AppTest's own work left out."""
    seconds: list[float] = []
    run = ScriptRunner._run_script

    def timed(self: ScriptRunner, *arguments: Any, **named: Any) -> None:
        start = time.perf_counter()
        run(self, *arguments, **named)
        seconds.append(time.perf_counter() - start)

    with patch.object(ScriptRunner, "_run_script", timed):
        for value in values:
            page.number_input(key=key).set_value(value).run()
    return seconds


def table(figures: dict[str, Any]) -> str:
    """The figures as a sentence."""
    return (
        f"A setting moves on the Privacy page: {figures['median_milliseconds']:.0f} ms of server "
        f"time (slowest {figures['slowest_milliseconds']:.0f} ms), pass rates and charts included. "
        f"The planner answers another question: {figures['planner_milliseconds']:.0f} ms."
    )
