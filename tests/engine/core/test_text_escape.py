"""What is not seen is shown; what is needed to write a language stays."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.core.text_escape import (
    LONGEST_SAID,
    escape_invisible,
    first_unseen,
    same_letters,
    shorten_text,
)

HOSTILE = st.text(
    st.sampled_from(
        "ab\x1b[\r\n\x7f\x9b\u200b\u200d\u202e\u2066\ufeff\ufe0f\xad\ud800é日ک\U000e0041"
    )
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\rb\tc\0", "a\\x0db\\x09c\\x00"),
        ("\x9b1m", "\\x9b1m"),
        ("evil\u202etxt.exe", "evil\\u202etxt.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("so\xadft", "so\\xadft"),
        ("a\u200db", "a\\u200db"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\u3164", "\\u3164"),
        ("a\ufe0f", "a\\ufe0f"),
        ("☺\ufe0f\ufe0f", "☺\ufe0f\\ufe0f"),
        ("l1\u2028l2", "l1\\u2028l2"),
    ],
)
def test_letters_that_are_not_seen_are_escaped(text: str, shown: str) -> None:
    assert escape_invisible(text) == shown
    assert first_unseen(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "é e\u0301",
        "می\u200cخواهم",
        "👩\u200d⚕\ufe0f",
        "1\ufe0f\u20e3",
        "a\xa0b",
        "日本 ㊙",
    ],
)
def test_what_a_language_needs_stays(text: str) -> None:
    assert escape_invisible(text) == text
    assert first_unseen(text) is None


@given(HOSTILE | st.text())
@example("\u06a9\u200d\ufe0f")
@example("a\ufe0f\u200d\u06a9")
def test_what_is_shown_is_seen_and_steers_nothing(text: str) -> None:
    shown = escape_invisible(text)
    assert first_unseen(shown) is None
    assert (shown == text) == (first_unseen(text) is None)
    shown.encode()
    assert not {unicodedata.category(each) for each in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert escape_invisible(text, lines=True).replace("\n", "") == escape_invisible(
        text.replace("\n", "")
    )


def test_lines_may_stay() -> None:
    assert escape_invisible("a\nb\r", lines=True) == "a\nb\\x0d"


def test_a_sentence_shows_names_whole_and_is_no_book() -> None:
    refusal = Refusal("The file a\x1b[2Jb\u202e is empty.", "x" * 100_000)
    assert refusal.problem == "The file a\\x1b[2Jb\\u202e is empty."
    assert len(refusal.remedy) <= LONGEST_SAID + 3
    assert first_unseen(str(refusal)) is None
    assert shorten_text("abcdefgh", 4) == "ab … gh"


def test_one_form_of_the_same_letters() -> None:
    assert same_letters("e\u0301") == same_letters("é") == "é"
    assert same_letters("ｋｇ") == "kg"
    assert same_letters("Kg") != same_letters("kg")
