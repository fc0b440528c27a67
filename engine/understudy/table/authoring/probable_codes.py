"""Values that are probably codes for missing: numbers that lie apart from all others and look like
codes, such as −8 among incomes and 999 among ages, and values whose labels say so.

All of it depends on which values occur, and not on how often or in which order. Computed from
confidential texts: internal, until the custodian has confirmed each.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from understudy.table.cells import parse_number, without_trailing_zeros
from understudy.table.kinds import recognise_domain
from understudy.table.missing_codes import NOT_APPLICABLE, MissingCode
from understudy.table.number_spellings import suggest_number_spelling

_MOST: Final = 8
"""So many codes for missing are suggested at either end of the numbers."""
_PAIR: Final = 2
_GAP: Final = 4
"""More than a pair of negative numbers are codes only if somewhere beside one so many are left
out, as between −8 and 0."""
_SCALE: Final = 3
"""A scale around 0, such as −2 to 2, reaches less far than so many times beyond 0."""
_NEGATIVE = re.compile(r"[1-9]|([789])\1+|9+[0-9]")
_POSITIVE = re.compile(r"([789])\1+|9+[5-8]")
_DECIMAL = re.compile(r"9{2,}\.9+")
_LAST_DAY = re.compile(r"9999-.*|9998-.*")
_UNKNOWN = re.compile(
    r"\b(refus|don.?t know|do not know|not asked|not answer|no answer|no response|missing|"
    r"not stated|not known|unknown|not available|not ascertained|proxy|"
    r"keine angabe|weiß nicht|weiss nicht|verweigert|nicht gefragt)",
    re.I,
)
_NO_VALUE = re.compile(r"\b(inapplicable|not applicable|does not apply|trifft nicht zu)", re.I)
_TOP = re.compile(r"(\bor (more|over|above|older)\b|\+|≥|>)", re.I)


def find_probable_codes(texts: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the texts that are probably codes for missing, by code: words that say so first, then
    those of one number together, the lowest number first.

    Args:
        texts: all that occur in a column, those known to be missing left out.
    """
    texts = sorted(texts)
    words = {text for text in texts if parse_number(text) is None and says_missing(text)}
    rest = [text for text in texts if text not in words]
    if not words:
        return _find_among(rest)
    if len(words) > _MOST or len(rest) <= _PAIR or not _are_ranged(rest):
        return ()
    return (*((word,) for word in sorted(words)), *_find_among(rest))


def _are_ranged(texts: Sequence[str]) -> bool:
    """Return whether texts are numbers in some spelling, or of a kind that tells itself."""
    if all(parse_number(text) is not None for text in texts):
        return True
    return recognise_domain(texts) is not None or suggest_number_spelling(texts) is not None


def _find_among(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the numbers and days that are probably codes for missing, by code."""
    plain = {text: parse_number(text) for text in texts}
    if all(number is not None for number in plain.values()):
        return _find_lone(plain)
    codes = [text for text in texts if _LAST_DAY.fullmatch(text) or _is_code(plain[text])]
    if len(codes) > _MOST:
        return ()
    others = [text for text in texts if text not in codes]
    if codes and recognise_domain(others) is not None:
        return tuple((text,) for text in codes)
    spelling = suggest_number_spelling(others)
    if spelling is None:
        return ()
    read = spelling.patterns[0].read
    return _find_lone({text: plain[text] if text in codes else read(text) for text in texts})


def _find_lone(numbers: Mapping[str, Decimal | None]) -> tuple[tuple[str, ...], ...]:
    """Return the texts of numbers that lie apart from all others and look like codes, by number."""
    by_number: dict[Decimal, list[str]] = {}
    for text, number in numbers.items():
        if number is not None:
            by_number.setdefault(number, []).append(text)
    low = _find_negative_codes(by_number)
    high = _find_high_codes([number for number in by_number if number not in low])
    ranked = sorted({*low, *high})
    return tuple(tuple(sorted(by_number[number], key=_rank)) for number in ranked)


def _rank(text: str) -> tuple[int, str]:
    return len(text), text


def _find_negative_codes(numbers: Collection[Decimal]) -> Collection[Decimal]:
    """Return the negative numbers if they are few, look like codes and all others are not
    negative."""
    codes = sorted(number for number in numbers if number < 0)
    others = [number for number in numbers if number >= 0]
    if not codes or len(codes) > _MOST or len(others) < _PAIR:
        return ()
    if not all(_has_form(-number, _NEGATIVE) for number in codes):
        return ()
    widest = max(above - below for below, above in pairwise([*codes, min(others)]))
    if len(codes) > _PAIR and widest < _GAP:
        return ()
    is_scale = widest == 1 and max(others) <= _SCALE * -codes[0]
    return () if is_scale else codes


def _find_high_codes(numbers: Collection[Decimal]) -> Collection[Decimal]:
    """Return the highest numbers that look like codes and lie further from all others than half of
    these are apart."""
    ordered = sorted(numbers)
    found: Sequence[Decimal] = ()
    for count in range(1, min(_MOST, len(ordered) - _PAIR) + 1):
        codes, others = ordered[-count:], ordered[:-count]
        if not _has_form(codes[0], _POSITIVE):
            break
        if 2 * (codes[0] - others[-1]) > others[-1] - others[0] + 2:
            found = codes
    return found


def _has_form(number: Decimal, form: re.Pattern[str]) -> bool:
    """Return whether the digits of a positive number are those of a code."""
    if number == number.to_integral_value():
        return form.fullmatch(f"{int(number)}") is not None
    return _DECIMAL.fullmatch(f"{without_trailing_zeros(number):f}") is not None


def looks_like_code(number: Decimal) -> bool:
    """Return whether the digits of a number are those of a code for missing, such as −8 and 999."""
    return _has_form(abs(number), _NEGATIVE if number < 0 else _POSITIVE)


def _is_code(number: Decimal | None) -> bool:
    return number is not None and looks_like_code(number)


def says_missing(label: str) -> bool:
    """Return whether the label of a value says that the value is missing."""
    return bool(_UNKNOWN.search(label) or _NO_VALUE.search(label)) and not is_top_code(label)


def is_top_code(label: str) -> bool:
    """Return whether the label of a value says that it stands for all from it on."""
    return _TOP.search(label) is not None


def label_codes(
    codes: Iterable[Sequence[str]], labels: Mapping[str, str]
) -> tuple[MissingCode, ...]:
    """Return codes for missing with the labels of a file, each told from the others.

    Args:
        codes: the texts of each.
        labels: of texts; not every one has one.
    """
    found = []
    for texts in codes:
        label = next((labels[text].strip() for text in texts if labels.get(text, "").strip()), "")
        if _NO_VALUE.search(label) and not label.casefold().startswith(NOT_APPLICABLE):
            label = f"{NOT_APPLICABLE}: {label}"
        found.append(MissingCode(values=tuple(texts), label=label))
    taken: set[str] = set()
    for place, code in enumerate(found):
        while found[place].label_among(found) in taken:
            label = f"{found[place].meaning} ({code.written})"
            found[place] = MissingCode(values=code.values, label=label.strip())
        taken.add(found[place].label_among(found))
    return tuple(found)


def group_declared(texts: Sequence[str], labels: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the texts that a file declares to be missing, each a code; those without a label
    together where they are many, as of a range."""
    bare = tuple(text for text in texts if not labels.get(text, "").strip())
    if len(bare) <= _MOST:
        return [(text,) for text in texts]
    return [*((text,) for text in texts if text not in bare), bare]
