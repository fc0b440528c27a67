"""The encoding of a file of a statistics program, and decoding its texts one by one.

The library that reads these files decodes all texts or fails. So it is told that each byte is a
character, and every text is decoded here: one invalid text does not affect the others.
"""

from __future__ import annotations

import codecs
import re
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.declared_reading import Kind
from understudy.table.sources.source import Source
from understudy.table.unreadable import NOT_TEXT

BYTE_BY_BYTE = "LATIN1"
"""The encoding whose letters are the bytes, as the library calls it."""

_ICONV = {"mac-roman": "MACINTOSH"}
_UTF_8_FROM = 118
_RELEASE = re.compile(rb"<stata_dta><header><release>(\d{3})")


def iconv_name(encoding: str) -> str:
    """Return the name of an encoding in the library's own list, which has fewer spellings.

    Raises:
        Refusal: there is no such encoding.
    """
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise Refusal(
            "There is no text encoding of the name given.",
            "Use a name such as utf-8, windows-1252 or utf-16.",
            field="encoding",
        ) from None
    return _ICONV.get(name, name.upper())


def codec_of(source: Source, kind: Kind, about: Any, encoding: str | None) -> str:
    """Return what a file's texts are decoded with: what was named, else what the file names, else
    what files of its kind are in.

    Args:
        source: the file.
        kind: which program's.
        about: what the library says of the file.
        encoding: what was named.

    Raises:
        Refusal: the file names an encoding that is not known here.
    """
    said = encoding or about.file_encoding or _usual(source, kind)
    for name in (said, said.replace("-", ""), f"cp{said.rpartition('-')[2]}"):
        try:
            return codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
    raise Refusal(
        f"{source.name} says that its texts are in an encoding that is not known here.",
        "Name the encoding it was saved in, such as windows-1252 or utf-8, or save it in UTF-8.",
        field="encoding",
    )


def decode_letters(letters: str, codec: str) -> str:
    """Return a text from its bytes, given as one letter each; `NOT_TEXT` if it is in another
    encoding.

    Args:
        letters: each of them below U+0100.
        codec: what it is decoded with.
    """
    if letters.isascii() and codec in _OF_ASCII:
        return letters
    try:
        return letters.encode("latin-1").decode(codec)
    except UnicodeError:
        return NOT_TEXT


_OF_ASCII = ("utf-8", "cp1252")


def _usual(source: Source, kind: Kind) -> str:
    """Return what files of a kind are in where they do not say: Stata's had the one of Windows,
    until they had UTF-8."""
    if kind != "stata":
        return "utf-8"
    start = source.piece(0, 40)
    found = _RELEASE.match(start)
    release = int(found[1]) if found else start[0]
    return "utf-8" if release >= _UTF_8_FROM else "cp1252"
