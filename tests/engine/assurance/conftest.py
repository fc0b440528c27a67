from __future__ import annotations

from collections.abc import Iterator

import pytest

from understudy.assurance import calibrated

_SMALL = 10_000


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The calibrated model is learned under every budget but those at whose edge a table is large,
    which take nine tenths of the time. What is learned here is not remembered afterwards."""
    small = tuple(each for each in calibrated.BUDGETS if calibrated.edge(each) < _SMALL)
    assert len(small) >= 4
    monkeypatch.setattr(calibrated, "BUDGETS", small)
    calibrated._twice.cache_clear()
    yield
    calibrated._twice.cache_clear()
