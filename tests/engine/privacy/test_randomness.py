"""The random words: repeatable when stained, uniform, and never the same in two processes."""

import os

import numpy as np
import pytest
from scipy import stats

from engine.privacy.randomness import RandomSource


def test_a_fixed_source_repeats_and_stains() -> None:
    first, again, other = (RandomSource.fixed(seed) for seed in (3, 3, 4))
    words = first.words(100)
    assert first.stained
    np.testing.assert_array_equal(words, again.words(100))
    assert not np.array_equal(words, other.words(100))
    assert not np.array_equal(words, first.words(100))


def test_a_secure_source_neither_repeats_nor_stains() -> None:
    assert not RandomSource.secure().stained
    assert not np.array_equal(RandomSource.secure().words(4), RandomSource.secure().words(4))


def test_a_child_is_another_stream_and_as_stained() -> None:
    source = RandomSource.fixed(1)
    child = source.child()
    assert child.stained
    assert not RandomSource.secure().child().stained
    assert not np.array_equal(child.words(8), source.words(8))


def test_the_stream_does_not_depend_on_how_it_is_cut() -> None:
    whole = RandomSource.fixed(2).words(20_000)
    source = RandomSource.fixed(2)
    parts = [source.words(count) for count in (1, 0, 9_999, 10_000)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_a_forked_process_may_not_go_on_with_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    source = RandomSource.secure()
    here = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: here + 1)
    with pytest.raises(RuntimeError, match="one process"):
        source.words(1)
    assert RandomSource.secure().words(1).size == 1


@pytest.mark.parametrize("bound", [1, 2, 7, 1000])
def test_below_is_uniform(bound: int) -> None:
    drawn = RandomSource.fixed(5).below(bound, 50_000)
    counts = np.bincount(drawn, minlength=bound)
    assert counts.size == bound
    assert stats.chisquare(counts).pvalue > 1e-3 or bound == 1


def test_below_rejects_the_words_that_would_skew_it() -> None:
    # 2^64 words hold this bound two and a half times: the lower half would come up too often.
    bound = (1 << 65) // 5
    drawn = RandomSource.fixed(6).below(bound, 60_000)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    counts, _ = np.histogram(drawn.astype(np.float64), bins=8, range=(0, bound))
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("bound", [0, -1, (1 << 63) + 1])
def test_below_wants_a_bound_that_fits(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        RandomSource.fixed(1).below(bound, 1)


def test_uniforms_stay_inside_the_unit_interval() -> None:
    drawn = RandomSource.fixed(7).uniforms(50_000)
    assert drawn.min() > 0
    assert drawn.max() < 1
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
