"""The canonical text of a value, whichever program wrote the file that it stands in.

A table that was saved again as another kind of file has the same values under other texts: 3 as
3.0, a day as its midnight, nothing as “NA”. To know it again, values that may mean the same are
taken for the same; nothing else is done with these texts.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.column import MISSING_TOKENS

_MOST_DIGITS = 400
"""More than any number has that a program keeps in eight bytes."""

_NUMBER = r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?"
_PLAIN = r"^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$"
_MOMENT = r"([0-9]{4,}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)Z?"
_OTHERWISE = rf"^(\s.*|.*\s|(?i:true|false)|{_NUMBER}|{_MOMENT})$"

_IS_NUMBER, _IS_MOMENT = re.compile(_NUMBER), re.compile(_MOMENT)


def settled(texts: pa.Array) -> pa.Array:
    """Return each text in its canonical form; most have it already."""
    texts = texts.cast(pa.string())
    may = pc.match_substring_regex(texts, f"(?s){_OTHERWISE}")
    plain = pc.match_substring_regex(texts, _PLAIN)
    missing = pc.is_in(texts, pa.array(MISSING_TOKENS, pa.string()))
    to_do = pc.or_(missing, pc.and_not(may, plain))
    if not pc.any(to_do).as_py():
        return texts
    changed = [one_way(text) for text in texts.filter(to_do).to_pylist()]
    return pc.replace_with_mask(texts, to_do, pa.array(changed, pa.string()))


def one_way(text: str) -> str:
    """Return the canonical form of a text."""
    text = text.strip()
    if text in MISSING_TOKENS:
        return ""
    if text.lower() in ("true", "false"):
        return text.lower()
    if _IS_NUMBER.fullmatch(text):
        return _number(text.replace(",", "."))
    found = _IS_MOMENT.fullmatch(text)
    return text if found is None else _moment(found[1], found[2])


def _number(text: str) -> str:
    """Return a number without sign, point or digits that it can do without."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if not number:
        return "0"
    if abs(number.adjusted()) > _MOST_DIGITS:
        return text
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _moment(day: str, time: str) -> str:
    """Return a point in time; a midnight is its day."""
    seconds = time if time.count(":") > 1 else f"{time}:00"
    seconds = seconds.rstrip("0").rstrip(".") if "." in seconds else seconds
    return day if seconds == "00:00:00" else f"{day} {seconds}"
