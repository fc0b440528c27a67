"""Checks of what a person declares: numbers, texts, names of columns; and the limits of each."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, first_unseen, has_halves, same_letters

MOST_CATEGORIES: Final = 1000
MOST_STEPS: Final = 10_000
MOST_DIGITS: Final = 15
MOST_DECIMALS: Final = 12
LONGEST_TEXT: Final = 1000
LONGEST_UNIT: Final = 40
LONGEST_NAME: Final = 200


def check_decimal(number: Decimal, name: str, *, whole: bool = False) -> None:
    """Check that a number is small and short enough for exact arithmetic.

    Raises:
        Refusal: it is not; `field` is `name`.
    """
    short = number.is_finite() and (
        number == 0 or (number.adjusted() < MOST_DIGITS and count_decimals(number) <= MOST_DECIMALS)
    )
    if not short:
        raise Refusal(
            f"The {name} is not a number with up to {MOST_DIGITS} digits before the point and "
            f"{MOST_DECIMALS} after it.",
            "Enter a plain number.",
            field=name,
        )
    if whole and count_decimals(number) > 0:
        raise Refusal(
            f"The {name} of a column of integers is not a whole number.",
            "Enter a whole number, or choose numbers instead of integers.",
            field=name,
        )


def count_decimals(number: Decimal) -> int:
    """Return the number of digits after the point, trailing zeros left out."""
    if number == 0:
        return 0
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    trailing = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return max(0, -exponent - trailing)


def check_texts(texts: Iterable[str], what: str, field: str) -> None:
    """Check that texts can be written to a file and told from nothing.

    Raises:
        Refusal: one is blank, too long or holds a control character; it is named by position.
    """
    for place, text in enumerate(texts, 1):
        if not text.strip():
            raise Refusal(
                f"The {what} at place {place} of the list is blank.",
                "Leave it out; blanks in a file are missing values.",
                field=field,
            )
        if len(text) > LONGEST_TEXT or "\0" in text or has_halves(text):
            raise Refusal(
                f"The {what} at place {place} of the list is longer than {LONGEST_TEXT} characters "
                "or holds a null character or half of one.",
                "Shorten it in the file and in the schema.",
                field=field,
            )


def check_read(text: str, what: str, field: str) -> None:
    """Check that a text which people read is one that they see whole; it may have lines.

    Raises:
        Refusal: it is too long, or holds a character that is not seen.
    """
    place = first_unseen(text.replace("\n", " "))
    if place is not None:
        raise Refusal(
            f"The {what} holds a character that is not seen, {escape_invisible(text[place])}, at "
            f"place {place + 1}.",
            "Type it anew, without what was pasted.",
            field=field,
        )
    if len(text) > LONGEST_TEXT:
        raise Refusal(
            f"The {what} is longer than {LONGEST_TEXT} characters.", "Shorten it.", field=field
        )


def first_repeat(texts: Iterable[str]) -> tuple[int, int] | None:
    """Return the first two places that hold the same text, counted from 0."""
    seen: dict[str, int] = {}
    for place, text in enumerate(texts):
        if text in seen:
            return seen[text], place
        seen[text] = place
    return None


def name_problem(name: str) -> str | None:
    """Return what is wrong with a name, as the second half of a sentence about it; None where
    nothing is. The name is not quoted, as it may be a cell of a file without a header."""
    if len(name) > LONGEST_NAME:
        return f"has {len(name):,} characters; at most {LONGEST_NAME} can be used"
    place = first_unseen(name)
    if place is not None:
        return (
            f"holds a character that is not seen, {escape_invisible(name[place])}, at place "
            f"{place + 1}: a line break, a control character, or one without width or that turns "
            "the direction of writing"
        )
    return None


def first_lookalikes(names: Iterable[str]) -> tuple[int, int] | None:
    """Return the indices, from 0, of the first two names that differ only in their Unicode form.
    Case counts."""
    return first_repeat(map(same_letters, names))
