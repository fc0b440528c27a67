from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.synthesis.index import PlausibleSeedIndex


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 300, 60_000]), min_size=1, max_size=7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 50))
    codes = np.column_stack([rng.integers(0, min(size, 4), count) for size in sizes])
    return codes.astype(np.uint16), np.array(sizes, dtype=np.int64)


@settings(max_examples=100, deadline=None)
@given(tables(), st.data())
def test_counts_are_those_of_a_scan(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    codes, sizes = table
    shortest = data.draw(st.integers(0, codes.shape[1]))
    longest = data.draw(st.integers(shortest, codes.shape[1]))
    index = PlausibleSeedIndex(codes, sizes, shortest, longest)
    assert sorted(index.seeds.tolist()) == sorted(codes.tolist())
    assert index.seeds.tolist() == sorted(index.seeds.tolist())

    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows = rng.integers(0, len(codes), 20)
    kept = np.sort(rng.integers(shortest, codes.shape[1] + 1, 20))
    made = index.seeds[rows].copy()
    for candidate, prefix in zip(made, kept, strict=True):
        candidate[prefix:] = [rng.integers(0, min(size, 4)) for size in sizes[prefix:]]
    counts = index.prefix_counts(rows, np.ascontiguousarray(made.T), kept)
    for step, length in enumerate(range(shortest, longest + 1)):
        agree = (codes[:, None, :length] == made[None, :, :length]).all(axis=2).sum(axis=0)
        assert counts[step].tolist() == agree.tolist()
        same = (codes[:, None, :length] == index.seeds[rows][None, :, :length]).all(axis=2)
        assert index.shared(rows, length).tolist() == same.sum(axis=0).tolist()
