from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.report.conftest import COVER
from tests.engine.report.conftest import Making as Runs
from understudy.core.refusal import Refusal
from understudy.report import verify as checking
from understudy.report.making import Making, begin_packet, do, find_making
from understudy.report.shelf import discard_packet, find_packet, list_packets
from understudy.report.verify import check_packet
from understudy.runs.control import wait
from understudy.runs.watched import Progress


@pytest.mark.parametrize(
    "how",
    [
        "forked",
        pytest.param(
            "anew", marks=pytest.mark.thorough("test_a_process_makes_a_packet_and_checks_it")
        ),
    ],
)
def test_a_process_makes_a_packet_and_checks_it(
    run_of: Runs, how: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(how)
    made = run_of()
    making = begin_packet(made.run, made.place, COVER, ledger=made.ledger, pdf=False)
    assert wait(making).state == "finished", making.progress()
    assert find_making(made.run, made.place) == making
    (packet,) = list_packets(made.place)
    assert making.made == packet.identity
    # Its checks were made there too, so that no page has to wait for them.
    assert (made.place / ".shelf" / f"{packet.identity}.verdict.json").exists()
    making.forget()
    assert find_making(made.run, made.place) is None
    discard_packet(packet)
    assert not list((made.place / ".shelf").iterdir())


def a_making(place: Path) -> Making:
    folder = Making(place / ".shelf" / "making-x")
    folder.path.mkdir(parents=True)
    folder.report(Progress("starting", 2))
    return folder


def test_what_goes_wrong_is_said(run_of: Runs) -> None:
    made = run_of()
    made.run.table.write_text("age\n4711\n")
    making = a_making(made.place)
    assert do(made.run, made.place, COVER, made.ledger, making, pdf=False) == 1
    assert making.progress().state == "failed"
    assert "4711" not in making.progress().message
    assert making.made is None
    assert list_packets(made.place) == ()


def test_checks_are_made_once_and_again_when_a_file_changes(
    run_of: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run_of()
    packet = made.packet()
    first = check_packet(packet)
    assert first.passed
    calls: list[Path] = []
    real = checking.verify
    monkeypatch.setattr(checking, "verify", lambda path: calls.append(path) or real(path))
    assert check_packet(packet) == first
    assert not calls
    monkeypatch.setattr(checking, "__version__", "0.0.9")
    check_packet(packet)
    assert calls == [packet.path]
    (packet.path / "plan.json").write_text("{}")
    with pytest.raises(Refusal):
        check_packet(find_packet(made.place, packet.identity))
