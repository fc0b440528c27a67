from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.prefix_index import PlausibleSeedIndex, Prefixes


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 300, 60_000]), min_size=1, max_size=7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 50))
    codes = np.column_stack([rng.integers(0, min(size, 4), count) for size in sizes])
    return codes.astype(np.uint16), np.array(sizes, dtype=np.int64)


@given(tables(), st.data())
def test_counts_are_those_of_a_scan(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    codes, sizes = table
    shortest = data.draw(st.integers(0, codes.shape[1]))
    longest = data.draw(st.integers(shortest, codes.shape[1]))
    index = PlausibleSeedIndex.of(codes, sizes, shortest, longest)
    assert len(index) == len(codes)
    every = index.leaf(np.arange(len(codes)))
    assert index.take_kept(every).T.tolist() == sorted(codes[:, :longest].tolist())

    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    leaves = every[rng.integers(0, len(codes), 20)]
    kept = np.sort(rng.integers(shortest, longest + 1, 20))
    made = rng.integers(0, np.minimum(sizes, 4), size=(20, len(sizes))).astype(np.uint16)
    own = index.take_kept(leaves).T
    for candidate, prefix, seed in zip(made, kept, own, strict=True):
        candidate[:prefix] = seed[:prefix]
    counts = index.prefix_counts(leaves, np.ascontiguousarray(made.T), kept)
    for step, length in enumerate(range(shortest, longest + 1)):
        agree = (codes[:, None, :length] == made[None, :, :length]).all(axis=2).sum(axis=0)
        assert counts[step].tolist() == agree.tolist()
        same = (codes[:, None, :length] == own[None, :, :length]).all(axis=2)
        assert index.count_shared(leaves, length).tolist() == same.sum(axis=0).tolist()


@given(tables(), st.data())
def test_prefixes_of_two_parts_are_those_of_the_whole(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    codes, sizes = table
    cut = data.draw(st.integers(0, len(codes)))
    parts = [Prefixes.of(part, sizes) for part in (codes[:cut], codes[cut:])]
    merged, whole = parts[0].merge(parts[1], sizes), Prefixes.of(codes, sizes)
    assert merged.codes.tolist() == whole.codes.tolist()
    assert merged.counts.tolist() == whole.counts.tolist()
    found = np.repeat(whole.codes, whole.counts, axis=0).tolist()
    assert found == sorted(codes.tolist())


def test_without_a_seed_there_is_nothing_to_draw_from() -> None:
    none = Prefixes.of(np.zeros((0, 2), np.uint16), np.array([2, 2]))
    with pytest.raises(ValueError, match="needs a seed"):
        PlausibleSeedIndex(none, np.array([2, 2]), 0)
