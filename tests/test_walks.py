"""Walks through the house climb as seldom as they do now, or less."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.walks import Climb, walk_all, watched
from understudy.core.progress import on_stage, report_stage
from understudy.table.column import origin_read

MOST_CLIMBS = {
    "file to records": 0,
    "plan to debit": 0,
    "records to release": 2,
    "release to packet": 20,
}
"""How many calls of each walk may climb; whoever removes some lowers it."""


@pytest.fixture
def walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Counter[Climb]]:
    monkeypatch.setenv("UNDERSTUDY_HOME", str(tmp_path))
    return walk_all(tmp_path)


def test_walks_climb_no_more_than_they_did(walks: Mapping[str, Counter[Climb]]) -> None:
    most = {walk: len(climbs) for walk, climbs in walks.items()}
    assert most.keys() == MOST_CLIMBS.keys()
    assert {walk: sorted(walks[walk]) for walk in most if most[walk] > MOST_CLIMBS[walk]} == {}


def test_a_call_from_a_lower_room_is_a_climb() -> None:

    with watched() as climbs, on_stage(origin_read):
        report_stage("Counting")
    assert [str(climb) for climb in climbs] == [
        "understudy.core.progress:report_stage -> understudy.table.column:origin_read"
    ]
