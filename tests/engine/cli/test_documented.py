"""docs/command-line.md says every option of every verb, and none that there is not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from understudy.cli.application import command

DOCUMENT = Path(__file__).parents[3] / "docs" / "command-line.md"
SHARED = "What several verbs have"


def sections() -> dict[str, str]:
    """What is said of each verb, by its name; a heading may name several."""
    found: dict[str, str] = {}
    for part in DOCUMENT.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, said = part.partition("\n")
        found |= dict.fromkeys(heading.partition(":")[0].split(", "), said)
    return found


def said_in(section: str) -> set[str]:
    """The options that a section names."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", section))


def options(verb: Any) -> set[str]:
    """The options of a verb and of all within it."""
    own = {name for each in verb.params for name in each.opts if name.startswith("--")}
    within = getattr(verb, "commands", {}).values()
    return own.union(*map(options, within))


VERBS = command().commands


def test_every_verb_has_a_section() -> None:
    assert sections().keys() - {SHARED} == VERBS.keys()


@pytest.mark.parametrize("verb", VERBS)
def test_a_section_says_every_option_of_its_verb(verb: str) -> None:
    found = sections()
    assert options(VERBS[verb]) - {"--help"} <= said_in(found[verb]) | said_in(found[SHARED])


def test_what_several_verbs_have_is_told_of_those_that_have_it() -> None:
    rows = [line.split(" | ") for line in sections()[SHARED].splitlines() if line[:4] == "| `-"]
    assert rows
    for names, verbs, *_ in rows:
        for name in said_in(names):
            has = {verb for verb in VERBS if name in options(VERBS[verb])}
            told = verbs.removeprefix("all but ")
            stated = set(re.split(", | and ", told))
            assert has == (stated if told == verbs else VERBS.keys() - stated), name


def test_no_option_is_said_that_no_verb_has() -> None:
    said = said_in(DOCUMENT.read_text(encoding="utf-8"))
    assert said <= options(command()) | {"--help"}
