"""Tables and records for the property that one record more changes how no other is read."""

from __future__ import annotations

from datetime import date, datetime

from hypothesis import strategies as st

from understudy.assurance.hostile_files import Record
from understudy.assurance.reading import TYPED
from understudy.table.sources.csv.neighbour_files import reads_alike

_FROM, _TO = date(1900, 3, 1), date(2200, 12, 31)
_DAYS = st.dates(_FROM, _TO)
_LETTERS = st.characters(codec="latin-1", exclude_categories=["Cc"])
_WORDS = st.text(_LETTERS, max_size=12)

KEPT: st.SearchStrategy[list[Record]] = st.lists(
    st.tuples(
        st.none() | _WORDS,
        st.none() | _DAYS,
        st.none() | st.integers(-999, 999),
        st.none() | st.integers(-9_999, 9_999).map(lambda each: each / 100),
    ),
    min_size=1,
    max_size=5,
)
"""Records as of people like others: words, days, whole numbers and numbers with few digits."""

_MOMENTS = st.datetimes(datetime(1900, 3, 1), datetime(2200, 12, 31))
_NUMBERS = st.integers(-(2**53), 2**53) | st.floats(-1e30, 1e30)
_ODD_WORDS = _WORDS | st.sampled_from(["x" * 180, "\u4e2d\u6587", b"Z\xfcrich", b"\xe9t\xe9s"])

ODD: st.SearchStrategy[Record] = st.tuples(
    st.none() | _ODD_WORDS,
    st.none() | _DAYS | _MOMENTS,
    st.none() | _NUMBERS,
    st.none() | _NUMBERS,
)
"""A record of anything that a file may hold in place of these."""

ODD_TEXTS = ODD.filter(lambda record: not isinstance(record[0], bytes))
"""The same in one encoding."""


def check_alike(name: str, kept: list[Record], odd: Record, place: int) -> None:
    """Check that a table of the kind reads as before, with one record more.

    Args:
        name: the kind of file, of `TYPED`.
        kept: the others.
        odd: the one.
        place: after how many of the others it stands, counted round.
    """
    kind = TYPED[name]
    place %= len(kept) + 1
    smaller = kind.read(kind.write(kept))
    larger = kind.read(kind.write([*kept[:place], odd, *kept[place:]]))
    assert reads_alike(smaller, larger, place if kind.ordered else None)
