"""Counting lines that seem to escape quotation marks by a backslash, for a note to a person.

This escape is not supported: a quotation mark within a text is doubled. The mark after the
    backslash
closes the quotation, and the rest, with the backslash, is part of the cell.
"""

from __future__ import annotations

import re

from understudy.table.sources.csv.dialect import Dialect

_LONGEST = 1 << 16
"""How many bytes before a mark are searched for the beginning of its line."""


def count_backslash_quotes(data: memoryview, start: int, signs: Dialect) -> int:
    """Return the number of such lines.

    Args:
        data: a file in UTF-8.
        start: where its first record begins.
        signs: the dialect.
    """
    if not signs.quote:
        return 0
    found, after = 0, start
    for hit in re.compile(re.escape(b"\\" + signs.quote)).finditer(data, start):
        if hit.start() < after:
            continue
        before = max(after, hit.start() - _LONGEST)
        begins = before + bytes(data[before : hit.start()]).rfind(signs.end) + 1
        end, after = signs.line_at(data, begins)
        found += signs.runs_on(data[begins:end])
    return found
