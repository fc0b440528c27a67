"""Every command that a document shows runs, on small tables; those that cannot are listed with the
reason, and are at least complete."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.documented import Command, Play, every_command, why_not_run
from tests.engine.front.conftest import small_evaluation
from tests.plays import PLAYS
from understudy.cli import main
from understudy.cli.application import command
from understudy.projects.catalogue import list_every_run

COMPLETE = "test_every_command_is_complete"
TYPED = [each for each in every_command() if each.text.startswith("understudy ")]


def named(each: Any) -> str:
    return f"{each.document}: {getattr(each, 'text', each.heading)}"[:70]


def complete(words: list[str]) -> None:
    """Take a command apart as the program does, and do nothing.

    Raises:
        Exception: something is missing or cannot be read.
    """
    verb: Any = command()
    context = verb.make_context("understudy", list(words))
    while getattr(verb, "commands", None) and (rest := [*context._protected_args, *context.args]):
        _, verb, rest = verb.resolve_command(context, rest)
        context = verb.make_context(verb.name, rest, parent=context)


@pytest.mark.parametrize("typed", TYPED, ids=named)
def test_every_command_is_complete(typed: Command) -> None:
    complete(typed.words)


def test_what_is_missing_is_noticed() -> None:
    with pytest.raises(Exception, match="title"):
        complete(["packet", "RUN", "--out", "packets"])


def test_every_command_is_run_or_listed_with_the_reason() -> None:
    left = [
        f"{each.document}: {each.text}"
        for each in every_command()
        if not why_not_run(each) and not any(play.has(each) for play in PLAYS)
    ]
    assert left == []
    assert all(play.commands for play in PLAYS)


def meant(word: str, folder: Path) -> str:
    """What a reader puts in place of a word."""
    if word == "RUN":
        return list_every_run()[0].identity
    if "PACKET" in word or "packet-…" in word:
        (found,) = folder.glob(word.replace("PACKET", "packet-*[!z][!i][!p]").replace("…", "*"))
        return str(found)
    return word.replace("…/", "sample_data/")


def run(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command; its status, and what it said."""
    words = [meant(word, folder) for word in shlex.split(text)[1:]]
    status = main(words)
    said = capsys.readouterr()
    return status, said.err if status else said.out


@pytest.mark.parametrize(
    "play",
    [
        pytest.param(
            play,
            id=f"{play.document} {play.heading}".strip(),
            marks=[pytest.mark.thorough("test_every_command_is_complete")] if play.long else [],
        )
        for play in PLAYS
    ],
)
def test_commands_run_one_after_another(
    play: Play,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    in_this_process: None,
    few_trees: None,
) -> None:
    monkeypatch.chdir(tmp_path)
    # Few records are looked at, and no browser prints reports.
    monkeypatch.setattr("understudy.runs.inquiry.evaluation_of", small_evaluation)
    monkeypatch.setattr("understudy.report.packet.print_pdf", lambda _: None)
    (tmp_path / "sample_data").symlink_to(Path(__file__).parents[1] / "sample_data")
    for name, make in play.files.items():
        make(tmp_path / name)
    for each in (*play.before, *play.commands):
        text = play.typed(each)
        status, said = run(text, tmp_path, capsys)
        assert status == (2 if each.refused else 0), f"{text}: {said}"


def test_a_refusal_that_a_document_shows_is_known() -> None:
    refused = [each for each in every_command() if each.refused]
    assert len(refused) >= 4
    assert all(re.match("understudy ", each.text) for each in refused)
    assert json.dumps([each.text for each in refused])
