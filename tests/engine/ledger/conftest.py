from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import category_schema, uniform_records
from understudy.ledger.book import Dataset
from understudy.ledger.events import Debited
from understudy.ledger.ledger import Debit, Ledger
from understudy.privacy.budget import Budget
from understudy.table.records import Records

Debits = Callable[..., Debit]
Tables = Callable[[int], Records]

DATASET = Dataset("d-1", "census")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger that has no file yet."""
    return Ledger(tmp_path / "home" / "ledger.sqlite")


@pytest.fixture
def table() -> Tables:
    """Tables that differ by their number."""

    def make(number: int) -> Records:
        return uniform_records(category_schema(3, 4), 20, number)

    return make


@pytest.fixture
def debit() -> Debits:
    """Debits of a small plan."""

    def make(
        run: str,
        record: Budget | None = Budget(0.1, 1e-9),
        dataset: Dataset = DATASET,
        **more: object,
    ) -> Debit:
        plan = {"test": {"k": 50}, "attempts": 10}
        settings = {"purpose": "release", "plan": plan, "protocol": "attempts", "count": 10}
        return Debit(run, dataset, Debited(**{**settings, "record": record, **more}))

    return make
