"""A clock beyond every date is spoken of."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from understudy.core import clock
from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.privacy.budget import Budget
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema

YEAR = 365.2425 * 24 * 3600


@pytest.mark.parametrize("years", [8_029.5, 8_040, 1e6, 1e12])
def test_a_clock_beyond_the_calendar_is_refused(
    years: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Categories(values=("x", "y"))
    schema = Schema(columns=(Column(name="a", domain=kind), Column(name="b", domain=kind)))
    monkeypatch.setattr(time, "time", lambda: years * YEAR)

    def ledger() -> object:
        return Ledger(tmp_path / "l.sqlite").budget("a", Budget(1.0, 1e-9))

    for deed in (clock.now, schema.declare_public, ledger):
        with pytest.raises(Refusal, match="clock of this computer"):
            deed()


def test_the_last_year_has_a_date_in_every_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    last = datetime(9998, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
    monkeypatch.setattr(time, "time", lambda: last)
    assert clock.now().year == 9998
    assert clock.now().astimezone()


def test_a_declaration_at_no_moment_of_utc_is_refused() -> None:
    said = '{"fields": [%s, %s], "understudy": {"declared_public": {"at": "%s", "domain": "x"}}}'
    field = '{"name": "%s", "constraints": {"enum": ["x", "y"]}}'
    with pytest.raises(Refusal, match="no date in UTC"):
        Schema.from_json(said % (field % "a", field % "b", "9999-12-31T23:59:59-12:00"))
