"""Which lists are too long to be related to much."""

from __future__ import annotations

from tests.support import category_schema
from understudy_dashboard.parts.bucket_editor import list_ungrouped
from understudy_dashboard.parts.group_editor import MOST_CHIPS


def test_the_longest_ungrouped_lists_stand_first() -> None:
    schema = category_schema(60, MOST_CHIPS, MOST_CHIPS + 1, 500, 900, halves=frozenset({4}))
    assert [each.name for each in list_ungrouped(schema)] == ["c3", "c0", "c2"]
