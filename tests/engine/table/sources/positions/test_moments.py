"""Points in time, as files of positions write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.sources.positions.reading import MICROSECONDS_A_DAY, local, moment_of

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda each: timezone(timedelta(minutes=each)))


@given(st.datetimes(datetime(1902, 1, 1), datetime(2100, 1, 1), timezones=OFFSETS))
def test_messages_of_networks_say_the_same_as_iso_8601(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert moment_of(f"{whole:%a %b %d %H:%M:%S %z %Y}") == whole
    assert moment_of(moment.isoformat()) == moment


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "12:30", "Tue Foo 03 18:00:09 +0000 2012", "Tue Apr 31 18:00:09 +0000 2012",
     "2012-13-01", "0001-01-01T00:00:00", "9999-12-31T23:59:59Z", "1333476009",
     "Tue Apr 03 18:00:09 +9900 2012"],
)  # fmt: skip
def test_what_is_no_moment_is_none(text: str) -> None:
    assert moment_of(text) is None


def test_a_moment_is_counted_from_a_monday_by_the_clocks_of_the_zone() -> None:
    vienna = ZoneInfo("Europe/Vienna")
    for moment in (datetime(2024, 5, 1, 22, 30, tzinfo=UTC), datetime(2024, 5, 2, 0, 30)):
        day, within = divmod(local(moment, vienna), MICROSECONDS_A_DAY)
        assert day % 7 == 3  # A Thursday.
        assert within == 30 * 60 * 10**6
