"""Letters that are not seen, shown as what they are.

A text from a file may hold letters that steer a terminal, turn the direction of writing, or have no
width, so that it looks like another. Whoever shows such a text shows these escaped, as `\\u202e`;
names, which have to be told apart, may not hold them at all.

A letter that joins or varies the ones beside it stays where a script or an emoji needs it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST_SAID: Final = 4_000
"""How many characters of a message are shown."""

LONGEST_WORD: Final = 500
"""How many of a word: no path or command that somebody is to use is longer."""

_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_WITHOUT_WIDTH: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
)
"""Fillers and the like, which count as letters and marks."""
_JOINERS: Final = frozenset("\u200c\u200d")
_LONG: Final = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_JOINED_FROM: Final = 0x590
"""Scripts whose letters are joined, and emoji, come after those of Europe."""


def visible(text: str, *, lines: bool = False) -> str:
    """A text in which every letter is seen.

    Args:
        text: any text, one with half characters included.
        lines: whether line feeds stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter if (lines and letter == "\n") or _seen(text, place) else _escaped(letter)
        for place, letter in enumerate(text)
    )


def first_unseen(text: str) -> int | None:
    """The place of the first letter that is not seen, counted from 0; None where all are."""
    if text.isascii() and text.isprintable():
        return None
    return next((place for place in range(len(text)) if not _seen(text, place)), None)


def has_halves(text: str) -> bool:
    """Whether a text holds halves of characters (lone surrogates), which no file can."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def said(text: str) -> str:
    """A message as a person reads it: every letter is seen, and what no person reads to its end is
    left out."""
    return in_brief(_LONG.sub(lambda found: in_brief(found[0], LONGEST_WORD), visible(text)))


def in_brief(text: str, most: int = LONGEST_SAID) -> str:
    """A text with what is too long for a sentence left out of its middle."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]} … {text[-most // 2 :]}"


def same_letters(text: str) -> str:
    """The one form of all texts that differ only in how Unicode writes the same letters."""
    return unicodedata.normalize("NFKC", text)


def _seen(text: str, place: int) -> bool:
    letter = text[place]
    before = text[place - 1] if place else ""
    if letter in _JOINERS:
        after = text[place + 1 : place + 2]
        # What is next to it must be seen itself, or it would be next to an escape.
        varied = not _varies(before) or _seen(text, place - 1)
        return varied and _joins(before) and _joins(after) and not _varies(after)
    if _varies(letter):
        return _joins(before) and not _varies(before)
    return unicodedata.category(letter) not in _UNSEEN and letter not in _WITHOUT_WIDTH


def _joins(letter: str) -> bool:
    """Whether a joiner or a variation beside it can be seen."""
    return (
        letter != ""
        and (ord(letter) >= _JOINED_FROM or letter in "#*0123456789©®")
        and letter not in _JOINERS
        and letter not in _WITHOUT_WIDTH
        and unicodedata.category(letter) not in _UNSEEN
    )


def _varies(letter: str) -> bool:
    """Whether it says how the letter before it is drawn."""
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def _escaped(letter: str) -> str:
    code = ord(letter)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
