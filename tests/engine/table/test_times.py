"""Days with times, and times of day: what is finer than a minute, and words that are no period."""

from __future__ import annotations

import pytest

from tests.engine.table.refusals import refused
from understudy.table.dates import Dates
from understudy.table.domain import Verdict
from understudy.table.moments import MomentsInTime
from understudy.table.times import DatesTimes, Times

DAYS = DatesTimes.read({"minimum": "2020-01-01", "maximum": "2021-12-31"})


@pytest.mark.parametrize(
    ("domain", "text"), [(DAYS, "2020-03-01 13:45"), (Times.read({}), "13:45")]
)
def test_a_time_with_seconds_is_rounded_to_its_minute(domain: MomentsInTime, text: str) -> None:
    read = domain.reader((), (0, Verdict.MISSING))
    place, verdict = read(text)
    assert verdict == Verdict.FITS
    assert read(text + ":30") == (place, Verdict.ROUNDED)


def test_quarters_are_cut_where_they_begin() -> None:
    cuts = [DAYS.show(cut) for cut in DAYS.cut_presets()["Quarters"]]
    assert cuts == [f"20{day} 00:00" for day in (
        "20-04-01", "20-07-01", "20-10-01", "21-01-01", "21-04-01", "21-07-01", "21-10-01",
    )]  # fmt: skip


@pytest.mark.parametrize("kind", [Dates, DatesTimes, Times])
def test_a_word_that_is_no_period_is_refused(kind: type[MomentsInTime]) -> None:
    settings = {setting.name: setting for setting in kind.settings}
    for name in ("step", "precision"):
        refusal = refused(settings[name].read, "fortnight", name)
        assert "is no period" in refusal.problem
        assert refusal.field == name
