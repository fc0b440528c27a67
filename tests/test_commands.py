"""Every command and option that a document names is there: the program's, a benchmark's, make's."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import BENCHES
from understudy.cli.application import command

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("sample_data/*.md")])
named = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = {
    "--thorough": "pytest",
    "--only": "benchmarks.peers",
    "--table": "benchmarks.peers",
    "--schema": "benchmarks.peers",
    "--method": "tests.browser.stranger",
    "--records": "tests.browser.stranger",
    "--shots": "tests.browser.stranger",
    "--told": "benchmarks.wide",
    "--shape": "benchmarks.shapes",
    "--file": "benchmarks.shapes",
    "--against": "benchmarks.shapes",
    "--tiny": "benchmarks",
    "--quick": "benchmarks",
}
"""Options of other programs of this repository that documents name, and which."""


@cache
def text_of(document: Path) -> str:
    """The document, with lines that a backslash or a code span continues put together."""
    text = document.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.sub(r"`[^`\n]*\n[^`\n]*`", lambda found: found[0].replace("\n", " "), text)


def pieces(document: Path) -> Iterator[str]:
    """Code: spans between backticks, and lines that are indented or fenced."""
    text = text_of(document)
    yield from re.findall(r"`([^`\n]+)`", text)
    yield from (line[4:] for line in text.splitlines() if line.startswith("    "))
    for block in FENCE.findall(text):
        yield from block.splitlines()


def typed(piece: str, program: str) -> Iterator[list[str]]:
    """The words after a program's name, wherever it begins a command."""
    for part in re.split(r"[|&;]|\(or: ", piece):
        part = part.split(" #")[0].strip().removeprefix("$ ").removeprefix(".venv/bin/")
        if part.startswith(f"{program} "):
            try:
                yield shlex.split(part)[len(program.split()) :]
            except ValueError:
                yield part.split()[len(program.split()) :]


@cache
def options_of(verb: Any) -> frozenset[str]:
    """The options of a verb and of all within it."""
    own = {name for each in verb.params for name in each.opts if name.startswith("--")}
    within = getattr(verb, "commands", {}).values()
    return frozenset(own | {"--help"}).union(*map(options_of, within))


@named
def test_every_command_of_the_program_is_there_with_its_options(document: Path) -> None:
    for piece in pieces(document):
        for words in typed(piece, "understudy"):
            verb = command()
            for word in words:
                if not getattr(verb, "commands", None) or not re.fullmatch(r"[a-z][a-z-]*", word):
                    break
                assert word in verb.commands, f"{piece!r} names no verb"
                verb = verb.commands[word]
            given = set(OPTION.findall(" ".join(words)))
            assert given <= options_of(verb), f"{piece!r}: {given - options_of(verb)}"


@named
def test_every_benchmark_is_there(document: Path) -> None:
    for piece in pieces(document):
        for words in typed(piece, "python -m benchmarks"):
            assert words[0] in BENCHES, piece
            assert set(OPTION.findall(piece)) <= {"--quick", "--tiny", "--json"}, piece


@named
def test_every_target_of_make_is_there(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    for piece in pieces(document):
        for words in typed(piece, "make"):
            named_ = {word.rstrip(").") for word in words if re.match(r"[a-z][\w-]*[).]*$", word)}
            assert named_ <= targets, piece


@named
def test_every_option_that_is_named_alone_is_some_program_of_ours(document: Path) -> None:
    known = options_of(command()) | ELSEWHERE.keys()
    spans = re.findall(r"`(--[a-z][^`\n]*)`", text_of(document))
    for span in spans:
        assert set(OPTION.findall(span)) <= known, span


@pytest.mark.parametrize(
    ("text", "check", "said"),
    [
        (
            "Type `understudy reproduce census --fast`.",
            test_every_command_of_the_program_is_there_with_its_options,
            "--fast",
        ),
        (
            "    $ understudy conjure TABLE",
            test_every_command_of_the_program_is_there_with_its_options,
            "names no verb",
        ),
        ("    python -m benchmarks nothing", test_every_benchmark_is_there, "nothing"),
        ("    make haste", test_every_target_of_make_is_there, "haste"),
        (
            "Say `--no-such-thing`.",
            test_every_option_that_is_named_alone_is_some_program_of_ours,
            "no-such",
        ),
    ],
)
def test_what_is_not_there_is_found(
    tmp_path: Path, text: str, check: Callable[[Path], None], said: str
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=said):
        check(page)
