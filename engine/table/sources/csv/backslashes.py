"""Lines in which a quotation mark within a text seems to be marked by a backslash.

No reading here knows such marks: a quotation mark within a text is doubled. The mark after the
backslash closes the quotation, and what follows is part of the cell, the backslash too.
"""

from __future__ import annotations

import re

from engine.table.sources.csv.dialect import Dialect

_LONGEST = 1 << 16
"""Bytes before a mark in which the beginning of its line is looked for."""


def count_backslash_quotes(data: memoryview, start: int, signs: Dialect) -> int:
    """How many lines there are of the kind.

    Args:
        data: a file in UTF-8.
        start: where its first record begins.
        signs: what tells its cells apart.
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
