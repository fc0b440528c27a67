"""Labels on charts: shortened, and kept distinct."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

NOT_FOR_RELEASE = "INTERNAL · not for release"
"""The mark of figures of internal numbers."""


def shortened(text: str, most: int) -> str:
    """Return the text in at most `most` characters, an ellipsis standing for what is cut."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: max(1, most - 1)].rstrip(" ,;:") + "…"


def shortened_apart(texts: Sequence[str], most: int) -> list[str]:
    """Return every text in about `most` characters, no two alike.

    Where cutting the ends makes twins, those lose their middle instead, as what tells them apart
    is often at the end; where that makes twins too, most of what they begin with in common.
    """
    cut = [shortened(text, most) for text in texts]
    middles = _mended(texts, cut, lambda text: _without_middle(text, most))
    times = Counter(middles)
    alike = [text for text, short in zip(texts, middles, strict=True) if times[short] > 1]
    same = _same([" ".join(text.split()) for text in alike])
    return distinct(_mended(texts, middles, lambda text: _from(text, same, most)))


def _mended(texts: Sequence[str], cut: Sequence[str], mend: Callable[[str], str]) -> list[str]:
    """Return what was cut, the twins among it cut in another way."""
    times = Counter(cut)
    return [
        mend(text) if times[short] > 1 else short for text, short in zip(texts, cut, strict=True)
    ]


def _same(texts: Sequence[str]) -> int:
    """Return how many letters all of them begin with in common."""
    one, other = min(texts, default=""), max(texts, default="")
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _from(text: str, same: int, most: int) -> str:
    """Return how a text begins, and what follows on the letters that it has in common with
    others."""
    text = " ".join(text.split())
    head = most // 3
    if len(text) <= most or same <= head or len(text) <= same:
        return _without_middle(text, most)
    return f"{text[:head].rstrip()}…{shortened(text[same:].lstrip(), most - head - 1)}"


def _without_middle(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail].rstrip()}…{text[-tail:].lstrip() if tail else ''}"


def distinct(texts: Iterable[str]) -> list[str]:
    """Return the same texts, each later twin with a number, as equal names would share one
    place."""
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    named = []
    for text in texts:
        name = text
        while name in taken:
            seen[text] += 1
            name = f"{text} ({seen[text] + 1})"
        taken.add(name)
        named.append(name)
    return named


def two_lines(text: str, most: int) -> list[str]:
    """Return the text on one line or two, of at most `most` characters each."""
    lines = textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False) or [""]
    if len(lines) == 1 or len(lines[0]) > most:
        return [shortened(text, most)]
    return [lines[0], shortened(" ".join(lines[1:]), most)]


def ends_kept(text: str, most: int) -> list[str]:
    """Return the beginning and the end of a text, on two lines of at most `most` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return [text]
    return [text[:most].rstrip(), "…" + text[max(most, len(text) - most + 1) :].lstrip()]


def pair(one: str, other: str) -> str:
    """Return a pair of attributes."""
    return f"{one} × {other}"
