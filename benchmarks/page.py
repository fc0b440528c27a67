"""What the server needs when a setting moves on the Privacy page, rehearsal and charts included."""

from __future__ import annotations

import os
import tempfile
import time
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
        page.button(key="rehearse").click().run()
        wait(runs(home())[0])
        page.run()
        seconds = _moves(page, 10 if quick else 30)
    return {
        "median_milliseconds": 1000 * float(np.median(seconds)),
        "slowest_milliseconds": 1000 * max(seconds),
    }


def _moves(page: AppTest, count: int) -> list[float]:
    """Seconds of each script run after a change of k, AppTest's own work left out."""
    seconds: list[float] = []
    run = ScriptRunner._run_script

    def timed(self: ScriptRunner, *arguments: Any, **named: Any) -> None:
        start = time.perf_counter()
        run(self, *arguments, **named)
        seconds.append(time.perf_counter() - start)

    with patch.object(ScriptRunner, "_run_script", timed):
        for k in range(60, 60 + count):
            page.number_input[0].set_value(k).run()
    return seconds


def table(figures: dict[str, Any]) -> str:
    """The figures as a sentence."""
    return (
        f"A setting moves on the Privacy page: {figures['median_milliseconds']:.0f} ms of server "
        f"time (slowest {figures['slowest_milliseconds']:.0f} ms), pass rates and charts included."
    )
