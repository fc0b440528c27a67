"""Escapes for characters that cannot be seen.

A text from a file may hold characters that control a terminal, change the direction of writing, or
have no width, so that it looks like another text. Wherever such a text is shown they are escaped,
as `\\u202e`. Names have to be told apart, so they may not hold such characters at all.

Joiners and variation selectors stay where a script or an emoji needs them.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST_SAID: Final = 4_000
"""The most characters of a message that are shown."""

LONGEST_WORD: Final = 500
"""The most characters of a word that are shown; no useful path or command is longer."""

_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_WITHOUT_WIDTH: Final = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
)
"""Characters without width that Unicode counts as letters or marks."""
_JOINERS: Final = frozenset("\u200c\u200d")
_LONG: Final = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_JOINED_FROM: Final = 0x590
"""The first code point of scripts that use joiners; emoji come later too."""


def escape_invisible(text: str, *, lines: bool = False) -> str:
    """Return a text with every invisible character escaped.

    Args:
        text: any text, lone surrogates included.
        lines: whether line feeds stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter if (lines and letter == "\n") or _is_seen(text, place) else _escape(letter)
        for place, letter in enumerate(text)
    )


def first_unseen(text: str) -> int | None:
    """Return the index of the first invisible character, from 0; None where there is none."""
    if text.isascii() and text.isprintable():
        return None
    return next((place for place in range(len(text)) if not _is_seen(text, place)), None)


def has_halves(text: str) -> bool:
    """Return whether a text holds lone surrogates, which cannot be encoded in UTF-8."""
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def shorten_message(text: str) -> str:
    """Return a message for a person: invisible characters escaped, and what is too long
    shortened."""
    return shorten_text(
        _LONG.sub(lambda found: shorten_text(found[0], LONGEST_WORD), escape_invisible(text))
    )


def shorten_text(text: str, most: int = LONGEST_SAID) -> str:
    """Return a text of at most so many characters, the rest left out of its middle."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]} … {text[-most // 2 :]}"


def same_letters(text: str) -> str:
    """Return the normal form of a text: equal for texts that differ only in how Unicode encodes
    them."""
    return unicodedata.normalize("NFKC", text)


def _is_seen(text: str, place: int) -> bool:
    letter = text[place]
    before = text[place - 1] if place else ""
    if letter in _JOINERS:
        after = text[place + 1 : place + 2]
        # What is next to it must be seen itself, or it would be next to an escape.
        varied = not _varies(before) or _is_seen(text, place - 1)
        return varied and _joins(before) and _joins(after) and not _varies(after)
    if _varies(letter):
        return _joins(before) and not _varies(before)
    return unicodedata.category(letter) not in _UNSEEN and letter not in _WITHOUT_WIDTH


def _joins(letter: str) -> bool:
    """Return whether a joiner or a variation beside it can be seen."""
    return (
        letter != ""
        and (ord(letter) >= _JOINED_FROM or letter in "#*0123456789©®")
        and letter not in _JOINERS
        and letter not in _WITHOUT_WIDTH
        and unicodedata.category(letter) not in _UNSEEN
    )


def _varies(letter: str) -> bool:
    """Return whether it says how the letter before it is drawn."""
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"


def _escape(letter: str) -> str:
    code = ord(letter)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
