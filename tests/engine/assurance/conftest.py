from __future__ import annotations

from collections.abc import Iterator

import pytest

from understudy.assurance import model_queries

_SMALL = 10_000


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The calibrated model is learned under every budget but those at whose edge a table is large,
    which take nine tenths of the time. What is learned here is not remembered afterwards."""
    small = tuple(
        each for each in model_queries.CALIBRATED_BUDGETS if model_queries.edge(each) < _SMALL
    )
    assert len(small) >= 4
    monkeypatch.setattr(model_queries, "CALIBRATED_BUDGETS", small)
    model_queries._replay_budget.cache_clear()
    yield
    model_queries._replay_budget.cache_clear()
