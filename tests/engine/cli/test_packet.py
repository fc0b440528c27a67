"""`understudy packet` and `understudy verify`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.cli.conftest import Ended
from tests.engine.report.tampering import resummed

Understudy = Callable[..., Ended]


@pytest.fixture
def run(understudy: Understudy, census: Path, census_schema: Path, tmp_path: Path) -> str:
    """A kept run of the census, seedless, so that its table has as many rows as attempts."""
    ended = understudy(
        "synthesize", "--new-people",
        census, "--schema", census_schema, "--out", tmp_path / "release", "--keep",
        "--attempts", "50", "--omega", "11", "--quiet", "--json",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    return str(ended.json["run"])


def test_a_packet_is_made_and_verified_and_a_changed_one_is_not(
    understudy: Understudy, run: str, home: Path, tmp_path: Path
) -> None:
    assert understudy("packet", run, "--title", " ").refusal.startswith("--title: ")
    made = understudy("packet", run, "--title", "The census", "--no-pdf", "--out", tmp_path / "o")
    assert made.status == 0, made.err
    (archive,) = (tmp_path / "o").glob("*.zip")
    assert str(archive) in made.out
    folder = archive.with_suffix("")
    for packet in (archive, folder):
        checked = understudy("verify", packet)
        assert checked.status == 0
        assert "FAILED" not in checked.out
        assert "another version" not in checked.out
    _as_of_another_version(folder)
    other = understudy("verify", folder)
    assert other.status == 3
    assert other.out.startswith("NOT CHECKED IN FULL")
    assert "another version of Understudy made it" in " ".join(other.out.split())
    assert understudy("verify", folder, "--json").json["outcome"] == "another version"
    table = folder / "synthetic.csv"
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    failed = understudy("verify", folder)
    assert failed.status == 1
    assert "FAILED" in failed.out
    said = understudy("verify", folder, "--json")
    assert said.status == 1
    assert said.json["outcome"] == "failed"
    states = {each["key"]: each["state"] for each in said.json["checks"]}
    assert states["hashes"] == states["table"] == "failed"
    assert states["total"] == "passed"
    newest = understudy("packet", "--title", "The census", "--no-pdf", "--json")
    assert newest.status == 0, newest.err
    packet = Path(newest.json["packet"])
    assert packet.parent == home / "packets"
    assert newest.json["zip"] is None
    about = json.loads((packet / "packet.json").read_text())
    assert (about["title"], about["dated"], about["by"]) == ("The census", "", "")


def _as_of_another_version(folder: Path) -> None:
    versions = folder / "versions.json"
    said = json.loads(versions.read_text())
    versions.write_text(json.dumps({**said, "understudy": "0.0.9"}, indent=2) + "\n")
    resummed(folder)


def test_what_cannot_be_made_is_refused(understudy: Understudy, tmp_path: Path) -> None:
    assert "no run" in understudy("packet", "nothing", "--title", "x").refusal
    assert "No release has finished" in understudy("packet", "--title", "x").refusal
    assert "no packet" in understudy("verify", tmp_path / "nothing").refusal
