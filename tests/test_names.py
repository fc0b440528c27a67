"""Names and docstrings: shares that may only become smaller, and words that no page may hold.

The limits are what the source has now; whoever improves it lowers them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.counts import (
    ASKS_FOR_CLASS,
    ASKS_FOR_NAME,
    PRODUCT,
    ROOT,
    begins_with_verb,
    count_matches,
    is_participle,
    list_functions,
    list_stale_references,
    list_texts,
    paths,
    repeated_names,
    share_participles,
    share_verbs,
)

MOST_PARTICIPLES = 0.01
LEAST_VERBS = 0.95
COMMANDS = """
account declare evaluate export fakes intervals packet plan read reproduce resume schema
suggest_schema synthesize verify
"""
"""What a custodian types or a notebook calls: the name of a verb, and of what carries it out."""
COMPANIONS = """
Decision Promise claims draw_privacy foreseen guarantee learner_of list_budgeted list_checks
list_coin_checks list_coin_mutants list_mutants main pictures prepare promise reconstruct_records
release seconds simulate space_of spend suits work write
"""
"""What several rooms define alike, each for its own method, process or sample, and one caller finds
by its name."""
MOST_TEXTS = {
    r"\bhangs? on\b": 0,
    r"\bbut for\b": 0,
    r"\bin turn\b": 2,
    r"\bstands? (?:here|under|there|beside)\b": 8,
    r"\bby (?:itself|themselves)\b": 30,
    r"\bmay stay open\b": 0,
    r"\bfrom top to bottom\b": 0,
    r"\bthe other way round\b": 3,
    r"\banew\b": 20,
}
"""How many texts of pages and messages may still hold a phrase."""


def test_functions_are_seldom_named_by_a_lone_participle() -> None:
    assert share_participles(*PRODUCT) <= MOST_PARTICIPLES


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    assert share_verbs(*PRODUCT) >= LEAST_VERBS


def test_a_public_name_is_defined_in_one_module_unless_it_is_listed() -> None:
    assert set(repeated_names()) == {*COMMANDS.split(), *COMPANIONS.split()}


def test_every_name_in_a_docstring_is_in_the_code() -> None:
    assert list_stale_references(*PRODUCT) == []


def test_kinds_of_columns_are_objects() -> None:
    assert count_matches(ASKS_FOR_CLASS, *PRODUCT) == (0, 0)
    assert count_matches(ASKS_FOR_NAME, *PRODUCT)[0] <= 8


def _ends_like_a_verb(path: Path) -> bool:
    word = path.stem.rpartition("_")[2]
    return bool(re.fullmatch(r"\w{2,}(?:ing|ed)", word)) and word not in _NOUNS


_NOUNS = {
    *("timing", "encoding", "setting", "string", "seed", "feed", "seeded", "reading", "wording"),
    *("accounting", "binning", "distinguishing", "spending", "training"),
}
"""Nouns, and terms of the field: privacy accounting, training, a distinguishing game."""


def test_no_module_is_named_by_a_gerund_or_participle() -> None:
    found = sorted(
        str(path.relative_to(ROOT)) for path in paths(*PRODUCT) if _ends_like_a_verb(path)
    )
    assert found == []


@pytest.mark.parametrize(
    ("name", "participle"),
    [
        ("counted", True),
        ("_told", True),
        ("count_rows", False),
        ("seed", False),
        ("drawn_rows", False),
    ],
)
def test_a_lone_participle_is_seen(name: str, participle: bool) -> None:
    assert is_participle(name) is participle


@pytest.mark.parametrize(
    ("docstring", "verb"),
    [("Return the rows.", True), ("What a reader sees.", False), ("The rows.", False)],
)
def test_a_verb_is_seen(docstring: str, verb: bool) -> None:
    assert begins_with_verb(docstring) is verb


def test_functions_are_counted() -> None:
    assert len(list_functions(*PRODUCT)) > 1_000


@pytest.mark.parametrize(("phrase", "most"), MOST_TEXTS.items())
def test_few_texts_hold_a_phrase_that_readers_stumble_over(phrase: str, most: int) -> None:
    found = [place for place, text in list_texts(*PRODUCT) if re.search(phrase, text, re.I)]
    assert len(found) <= most, found
