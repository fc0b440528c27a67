"""Checking a packet in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.core.refusal import Refusal
from understudy.core.sandbox import Ended
from understudy.report import verdict
from understudy.report.verdict import Check, Verdict


def test_paths_are_those_of_where_they_were_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refusal, match=r"There is no packet nowhere\.zip"):
        verdict.verify_apart(Path("nowhere.zip"))
    Path("odd.zip").write_bytes(b"no zip file")
    with pytest.raises(Refusal, match="neither the folder of a packet nor a zip file"):
        verdict.verify_apart(Path("odd.zip"))
    Path("empty").mkdir()
    found = verdict.verify_apart(Path("empty"))
    assert isinstance(found, Verdict)
    assert found.outcome == "failed"
    assert all(isinstance(each, Check) for each in found.checks)


@pytest.mark.parametrize(
    ("why", "said"),
    [("memory", "more memory"), ("time", "more time"), ("crash", "ends the program")],
)
def test_a_packet_that_ends_what_checks_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str, said: str
) -> None:
    def ending(*_: object) -> None:
        raise Ended(why)  # type: ignore[arg-type]

    monkeypatch.setattr(verdict, "run_in_sandbox", ending)
    with pytest.raises(Refusal, match=said):
        verdict.verify_apart(tmp_path)
