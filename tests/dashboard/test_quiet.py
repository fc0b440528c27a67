"""Logs, warnings and unforeseen errors say what happened where, and quote no value."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from understudy_dashboard.silence_output import describe_error, silence_record

ROOT = Path(__file__).resolve().parents[2]
CANARY = "zebrawood"


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    before = logging.getLogRecordFactory()
    logging.setLogRecordFactory(silence_record)
    yield caplog
    logging.setLogRecordFactory(before)


def failing() -> None:
    raise ValueError(f"the value {CANARY} cannot be read")


def error() -> ValueError:
    with pytest.raises(ValueError, match=CANARY) as raised:
        failing()
    return raised.value


def test_an_error_is_its_kind_and_place() -> None:
    told = describe_error(error())
    assert told.startswith("ValueError at test_quiet.py:")
    assert describe_error(ValueError(CANARY)) == "ValueError"


def test_a_log_quotes_no_error(heard: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("streamlit.something")
    raised = error()
    try:
        failing()
    except ValueError:
        log.exception("it failed for %s of 100%%", "a page")
    log.warning("it failed: %s", raised)
    log.warning("it failed: %(why)s", {"why": raised})
    log.error(raised)
    log.error("without its argument: %s", exc_info=raised)
    heard.set_level(logging.INFO)
    log.info("3 runs, 100%")
    assert CANARY not in heard.text
    assert heard.text.count("ValueError at test_quiet.py") == 5
    assert "it failed for a page of 100% (ValueError" in heard.text
    assert "3 runs, 100%" in heard.text


WAYS = {
    "uncaught": "raise ValueError(CANARY)",
    "thread": "import threading; threading.Thread(target=lambda: {}[CANARY]).start()",
    "unraisable": ("class A:\n    def __del__(self): raise ValueError(CANARY)\na = A()\ndel a"),
    "warning": "import warnings; warnings.warn(CANARY)",
    "log": (
        "import logging\ntry: {}[CANARY]\n"
        "except KeyError: logging.getLogger('uvicorn.error').exception('no')"
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_process_says_nothing_of_a_value(way: str) -> None:
    script = (
        f"CANARY = '{CANARY[:4]}' + '{CANARY[4:]}'\n"
        "from understudy_dashboard.silence_output import be_quiet\nbe_quiet(1)\n"
        "import resource, os\n"
        "assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)\n"
        "assert os.umask(0) == 0o077\n" + WAYS[way]
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert CANARY not in said
    assert said.strip()
    assert "Assertion" not in said
