"""Every test that is shared out is done once, by the worker that it belongs to, and told of."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
_ROOT = Path(__file__).resolve().parents[1]
_SHARES_OUT = f"""
import sys
sys.path.insert(0, {str(_ROOT)!r})
import pytest
from tests import spread

@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    spread.run(session, 3, lambda file: "together" if "both" in file else file)
    return True
"""
_GOES_AHEAD = f"""
import sys
sys.path.insert(0, {str(_ROOT)!r})
import pytest
from tests import spread

def pytest_collection(session):
    session.first = spread.ahead(session, "slow/")

@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    spread.run(session, 2, lambda file: file, session.first)
    return True
"""
_OF_EVERY_KIND = """
import os, warnings, pytest

def test_passes(): print("said of what passes")
def test_fails():
    print("said of what fails")
    assert [1, 2] == [1, 3]
def test_warns(): warnings.warn("careful", stacklevel=1)
def test_skips(): pytest.skip("not here")
def test_ends_its_process(): os._exit(7)
def test_comes_after_it(tmp_path): assert tmp_path.parent.name.startswith("worker-")

@pytest.fixture
def not_taken_down():
    yield
    raise ValueError("left standing")

def test_is_not_taken_down(not_taken_down): pass
"""
_WRITES = """
import os, pathlib, pytest

@pytest.fixture(scope="session")
def once():
    yield
    if {spoilt}: raise RuntimeError("the end was reached")

@pytest.fixture(scope="module")
def of_the_file(once):
    yield
    with open("written", "a") as file: print("the end of", os.getpid(), file=file)

@pytest.mark.parametrize("number", range(3))
def test_writes(number, of_the_file):
    with open("written", "a") as file: print({name!r}, os.getpid(), file=file)
"""


def test_it_tells_what_became_of_each(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(_SHARES_OUT)
    pytester.makepyfile(test_kinds=_OF_EVERY_KIND, test_other="def test_passes(): pass")
    found = pytester.runpytest_subprocess("-ra", "-p", "no:cacheprovider")
    found.assert_outcomes(passed=5, failed=2, skipped=1, errors=1, warnings=1)
    found.stdout.fnmatch_lines_random(
        [
            "E*At index 1 diff: 2 != 3",
            "said of what fails",
            "Its process ended with 7.",
            "*UserWarning: careful",
            "FAILED test_kinds.py::test_ends_its_process*",
            "ERROR test_kinds.py::test_is_not_taken_down - ValueError: left standing",
        ]
    )
    found.stdout.no_fnmatch_line("said of what passes")
    assert found.ret == pytest.ExitCode.TESTS_FAILED


def test_what_belongs_together_is_done_by_one_and_taken_down_by_it(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest(_SHARES_OUT)
    names = ("both_a", "alone", "both_b", "else")
    pytester.makepyfile(
        **{f"test_{name}": _WRITES.format(name=name, spoilt=name == "else") for name in names}
    )
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    found.assert_outcomes(passed=12, failed=1)
    found.stdout.fnmatch_lines(["FAILED the end of a worker - RuntimeError('the end was reached')"])
    written = (pytester.path / "written").read_text().splitlines()
    by: dict[str, set[str]] = {}
    for line in written:
        *name, process = line.split()
        by.setdefault(name[-1] if len(name) == 1 else "end", set()).add(process)
    assert len(written) == 12 + len(names)
    assert by["both_a"] == by["both_b"]
    assert all(len(by[name]) == 1 for name in names)
    assert by["end"] == set().union(*(by[name] for name in names))


def test_it_stops_where_it_was_asked_to(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(_SHARES_OUT)
    pytester.makepyfile(
        test_fails="def test_it(): assert 0",
        test_waits="import time\ndef test_it(): time.sleep(600)",
    )
    found = pytester.runpytest_subprocess("-x", "-p", "no:cacheprovider", timeout=60)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*stopping after 1 failures*"])


@pytest.mark.parametrize(("ending", "failed"), [("", 0), ("os._exit(7)", 1)])
def test_one_goes_ahead_and_whoever_comes_after_it_does_the_rest(
    pytester: pytest.Pytester, ending: str, failed: int
) -> None:
    pytester.makeconftest(_GOES_AHEAD)
    pytester.makepyfile(
        **{
            "slow/test_first": f"""
                import os, pathlib
                def test_begins(): pathlib.Path("begun").touch()
                def test_ends(): {ending or "pass"}
                def test_comes_after_it(): pass
            """,
            # To load it takes as long as it takes until the other one was begun.
            "test_waits": """
                import pathlib
                while not pathlib.Path("begun").exists(): pass
                def test_passes(): pass
            """,
            "test_last": """
                def test_is_not_done_by_who_went_ahead(tmp_path):
                    assert tmp_path.parent.name != "worker-ahead"
            """,
        }
    )
    found = pytester.runpytest_subprocess("-ra", "-p", "no:cacheprovider", timeout=60)
    found.assert_outcomes(passed=5 - failed, failed=failed)
    assert ("FAILED slow/test_first.py::test_ends" in found.stdout.str()) == bool(failed)


def test_who_cannot_load_its_tests_says_so(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(_GOES_AHEAD.replace('"slow/"', '"not there/"'))
    pytester.makepyfile(test_last="def test_passes(): pass")
    found = pytester.runpytest_subprocess("-ra", "-p", "no:cacheprovider", timeout=60)
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["*UsageError*not there*", "FAILED the end of a worker*"])
