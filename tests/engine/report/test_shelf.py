from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.engine.report.conftest import COVER, Making, resummed
from understudy.core.refusal import Refusal
from understudy.report import verify as checking
from understudy.report.cover import Cover
from understudy.report.packet import packet_as_zip
from understudy.report.packet_process import PacketMaking as MakingFolder
from understudy.report.packet_process import begin_packet, find_making, make_and_check
from understudy.report.shelf import discard_packet, find_packet, issue_packet, list_packets
from understudy.report.verify import check_packet
from understudy.runs.control import wait
from understudy.runs.work_folder import Progress


def test_an_empty_shelf(tmp_path: Path) -> None:
    assert list_packets(tmp_path / "nowhere") == ()
    assert list_packets(tmp_path) == ()
    with pytest.raises(Refusal):
        find_packet(tmp_path, "packet-1")


def test_packets_stand_newest_first(run_of: Making) -> None:
    made = run_of()
    one = made.packet()
    other = made.packet(Cover(**{**COVER.model_dump(), "title": "Another"}))
    for place, packet in enumerate((one, other)):
        record = made.place / ".shelf" / f"{packet.identity}.json"
        said = json.loads(record.read_text())
        record.write_text(json.dumps({**said, "made": f"2026-11-2{place}T10:00:00+00:00"}))
    assert [each.identity for each in list_packets(made.place)] == [other.identity, one.identity]
    assert list_packets(made.place)[1].cover == COVER
    assert list_packets(made.place)[1].shelved.run == made.run.identity


def test_an_issued_packet_is_said_to_be_so_and_stays(run_of: Making) -> None:
    made = run_of()
    packet = issue_packet(made.packet(), "A. Custodian, data office")
    assert packet.issued is not None
    assert packet.issued.by == "A. Custodian, data office"
    assert packet.whole
    for again in (lambda: discard_packet(packet), lambda: issue_packet(packet, "Somebody else")):
        with pytest.raises(Refusal):
            again()
    assert made.packet().issued == packet.issued
    assert find_packet(made.place, packet.identity).whole
    assert not any(path.stat().st_mode & 0o222 for path in packet.path.iterdir())


@pytest.mark.parametrize("how", ["a file changed", "sums made anew", "a file more", "a file less"])
def test_an_issued_packet_that_was_changed_is_seen_on_listing(run_of: Making, how: str) -> None:
    made = run_of()
    packet = issue_packet(made.packet(), "A. Custodian")
    assert list_packets(made.place)[0].whole
    for path in packet.path.iterdir():
        path.chmod(0o644)
    plan = packet.path / "plan.json"
    match how:
        case "a file changed":
            plan.write_text(plan.read_text() + " ")
        case "sums made anew":
            plan.write_text(plan.read_text() + " ")
            resummed(packet.path)
        case "a file more":
            (packet.path / "more.txt").write_text("4711")
        case _:
            plan.unlink()
    assert not list_packets(made.place)[0].whole


def test_a_change_that_keeps_size_and_time_is_seen_too(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    assert list_packets(made.place)[0].whole
    plan = packet.path / "plan.json"
    before = plan.stat()
    plan.write_text(plan.read_text().replace("400", "399"))
    os.utime(plan, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert plan.stat().st_size == before.st_size
    assert not list_packets(made.place)[0].whole


def test_nobody_issues_what_is_not_whole_or_without_a_name(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    with pytest.raises(Refusal) as refused:
        issue_packet(packet, "  ")
    assert refused.value.field == "by"
    (packet.path / "plan.json").write_text("{}")
    with pytest.raises(Refusal):
        issue_packet(packet, "A. Custodian")


def test_a_draft_can_be_deleted(run_of: Making) -> None:
    made = run_of()
    discard_packet(made.packet())
    assert list_packets(made.place) == ()
    assert not any((made.place / ".shelf").iterdir())


def test_what_is_no_packet_is_passed_over(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    (made.place / "folder").mkdir()
    (made.place / "file.txt").write_text("x")
    (made.place / "broken").mkdir()
    (made.place / "broken" / "packet.json").write_text("[]")
    assert [each.identity for each in list_packets(made.place)] == [packet.identity]


def test_a_changed_draft_is_made_again_and_a_changed_issue_is_not(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    (packet.path / "plan.json").write_text("{}")
    assert not list_packets(made.place)[0].whole
    packet = issue_packet(made.packet(), "A. Custodian")
    assert packet.whole
    (packet.path / "plan.json").chmod(0o644)
    (packet.path / "plan.json").write_text("{}")
    with pytest.raises(Refusal, match="issued"):
        made.packet()
    assert (packet.path / "plan.json").read_text() == "{}"


def test_a_draft_whose_hashes_were_made_anew_is_seen_and_made_again(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    report = packet.path / "report.html"
    text = report.read_text()
    report.write_text(text.replace("ε", "E"))
    resummed(packet.path)
    changed = find_packet(made.place, packet.identity)
    assert not changed.whole
    with pytest.raises(Refusal):
        issue_packet(changed, "A. Custodian")
    assert made.packet().whole
    assert report.read_text() == text


def test_a_link_in_a_packet_is_seen(run_of: Making, tmp_path: Path) -> None:
    made = run_of()
    packet = made.packet()
    plan = packet.path / "plan.json"
    plan.rename(tmp_path / "plan.json")
    plan.symlink_to(tmp_path / "plan.json")
    assert not find_packet(made.place, packet.identity).whole


def test_a_packet_names_no_files_but_its_own(run_of: Making) -> None:
    made = run_of()
    packet = made.packet()
    about = packet.path / "packet.json"
    said = json.loads(about.read_text())
    about.write_text(json.dumps({**said, "files": [*said["files"], "../../ledger.sqlite"]}))
    found = find_packet(made.place, packet.identity)
    assert (packet.path / "../../ledger.sqlite").is_file()
    assert found.files
    assert not any("/" in name for name, _ in found.files)
    with zipfile.ZipFile(io.BytesIO(packet_as_zip(found))) as archive:
        assert not any(".." in name for name in archive.namelist())


def test_deleting_a_draft_of_an_odd_name_leaves_what_is_kept_of_others(run_of: Making) -> None:
    made = run_of()
    packet = issue_packet(made.packet(), "A. Custodian")
    odd = made.place / "*"
    shutil.copytree(packet.path, odd)
    discard_packet(find_packet(made.place, "*"))
    assert not odd.exists()
    assert find_packet(made.place, packet.identity).issued == packet.issued


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
    run_of: Making, how: str, request: pytest.FixtureRequest
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


def a_making(place: Path) -> MakingFolder:
    folder = MakingFolder(place / ".shelf" / "making-x")
    folder.path.mkdir(parents=True)
    folder.report(Progress("starting", 2))
    return folder


def test_what_goes_wrong_is_said(run_of: Making) -> None:
    made = run_of()
    made.run.table.write_text("age\n4711\n")
    making = a_making(made.place)
    assert make_and_check(made.run, made.place, COVER, made.ledger, making, pdf=False) == 1
    assert making.progress().state == "failed"
    assert "4711" not in making.progress().message
    assert making.made is None
    assert list_packets(made.place) == ()


def test_checks_are_made_once_and_again_when_a_file_changes(
    run_of: Making, monkeypatch: pytest.MonkeyPatch
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
