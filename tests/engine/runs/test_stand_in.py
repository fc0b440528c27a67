"""A rehearsal on a table that stands in for the confidential one says so, and is held to nothing
that is promised of the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from tests.support import category_schema, declared
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import privacy_test
from understudy.runs.control import start, wait
from understudy.runs.folder import ABOUT, RecordsOf, RunFolder
from understudy.runs.work import Job
from understudy.table.records import Records

SCHEMA = category_schema(4, 3)
PLAN = Plan.of(
    SCHEMA,
    test=privacy_test("relative-sensitivity", 30, 1.0),
    omega=Omega(low=1, high=1),
    attempts=5,
    delta=1e-5,
    seeds_at_least=2_000,
)


@pytest.fixture
def few() -> Records:
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, size, 600) for size in (4, 3)])
    return Records(SCHEMA, codes.astype(np.uint16))


def test_it_may_have_fewer_records_than_the_plan_counts_on(few: Records, tmp_path: Path) -> None:
    job = Job(few, PLAN, purpose="rehearsal", records_of="public", named="open.csv")
    run = start(job, tmp_path)
    assert wait(run).state == "finished"
    assert (run.about().records_of, run.about().named) == ("public", "open.csv")
    assert not run.release.exists()


def test_a_release_may_not(few: Records, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="counts on at least 2,000 seed records"):
        start(declared(Job(few, PLAN)), tmp_path)


@pytest.mark.parametrize(
    "records_of", [each for each in get_args(RecordsOf) if each != "confidential"]
)
def test_nothing_is_released_of_a_table_that_stands_in(few: Records, records_of: RecordsOf) -> None:
    with pytest.raises(ValueError, match="only rehearsed on"):
        Job(few, PLAN, records_of=records_of)


def test_nor_may_a_rehearsal_on_the_confidential_table(few: Records, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="counts on at least 2,000 seed records"):
        start(Job(few, PLAN, purpose="rehearsal"), tmp_path)


def test_a_run_from_before_is_one_of_the_confidential_table(tmp_path: Path) -> None:
    said = {"at": "2026-01-01T00:00:00+00:00", "purpose": "rehearsal", "stained": False}
    (tmp_path / ABOUT).write_text(json.dumps(said), encoding="utf-8")
    assert RunFolder(tmp_path).about().records_of == "confidential"
