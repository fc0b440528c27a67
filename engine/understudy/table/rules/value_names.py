"""How rules name the values of a column and its codes for missing, and what is near a name that is
none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches

from understudy.core.text_escape import escape_invisible, shorten_text
from understudy.table.cells import parse_number
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.missing_codes import NOT_APPLICABLE
from understudy.table.rules.conditions import ColumnValues


def describe_values(values: ColumnValues) -> str:
    """Return what a column holds, in a phrase."""
    domain = values.column.domain
    words = domain.words.plural if domain.ordered else "numbers"
    return f"“{values.column.name}” holds {words}"


def find_missing_code(column: Column, value: Decimal | str) -> int | None:
    """Return the code for missing that a constant names, by a text, a number or its meaning."""
    allowed = column.missing_codes[: column.missing_count]
    if isinstance(value, Decimal):
        places = [
            place
            for place, code in enumerate(allowed)
            if any(parse_number(text) == value for text in code.values)
        ]
    else:
        name = value.strip().casefold()
        places = [place for place, code in enumerate(allowed) if value in code.values]
        places = places or [
            place
            for place, code in enumerate(allowed)
            if name in (code.label.casefold(), column.missing_labels[place].casefold())
        ]
        if not places and name == NOT_APPLICABLE:
            places = [place for place, code in enumerate(allowed) if code.not_applicable]
    return column.domain.size + places[0] if len(places) == 1 else None


def list_missing_names(column: Column) -> Iterable[str]:
    """Return what names the codes for missing of a column."""
    for code in column.missing_codes[: column.missing_count]:
        yield from filter(None, (*code.values, code.label))
    yield from column.missing_labels


def find_near(text: str, known: Iterable[str] | Mapping[str, int]) -> str | None:
    """Return the text that is most like another, whatever its letters' size; None if none is."""
    by_fold = {each.casefold(): each for each in reversed(list(known))}
    near = get_close_matches(text.casefold(), list(by_fold), n=1)
    return show_part(by_fold[near[0]]) if near else None


def list_some_values(column: Column) -> str:
    """Return some values of a column in a phrase."""
    texts = [f'"{show_part(text)}"' for text in column.domain.texts[:5]]
    more = column.domain.size - len(texts)
    return ", ".join(texts) + (f" and {more:,} more" if more > 0 else "")


def word_steps(values: ColumnValues) -> str:
    ranged = range_of(values.column.domain)
    return ranged.kept_words if values.is_measured else f"in steps of {ranged.step_words}"


def show_part(text: str) -> str:
    return shorten_text(escape_invisible(text, lines=True), 60)
