"""Many pairs in few lines."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from understudy.evaluation.pair_groups import grouped_pairs

PAIRS = list(combinations(range(8), 2))


@given(st.sets(st.sampled_from(PAIRS)))
def test_every_pair_stands_once(pairs: set[tuple[int, int]]) -> None:
    told = grouped_pairs(pairs)
    named = [tuple(sorted((one, other))) for one, others in told for other in others]
    assert len(named) == len(set(named))
    assert set(named) == pairs
    assert [len(others) for _, others in told] == sorted(
        (len(others) for _, others in told), reverse=True
    )
