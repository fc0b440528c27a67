"""Every class against all its partitions, one by one, in exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.pmse.gini import MOST_MADE, Gini, largest, sensitivity
from understudy.mechanisms.pmse.partitions import (
    Axis,
    Crossed,
    DepthTwo,
    Forest,
    Guillotine,
    Partitions,
    Stump,
)

AXES = (Axis(3), Axis(4, ordered=False), Axis(2))
Leaves = list[int]


def score(gini: Gini, leaves: Sequence[Leaves], price: int = 0) -> int:
    """Σ ⌊2^k·a²/m⌋ by whole numbers, of leaves of (made, real) counts."""
    found = sum((a * a << gini.bits) // (a + b) for a, b in leaves if a + b)
    return found - len(leaves) * (price << gini.bits)


def cuts_of(axes: Sequence[Axis], places: Sequence[int]) -> Iterator[Callable[[Any], bool]]:
    for place in places:
        for row in axes[place].tests:
            yield lambda record, place=place, row=row: bool(row[record[place]])


def counted(made: Any, real: Any, leaf: Callable[[Any], int], leaves: int) -> list[Leaves]:
    found = [[0, 0] for _ in range(leaves)]
    for side, table in enumerate((made, real)):
        for record in table:
            found[leaf(record)][side] += 1
    return found


def stumps(axes: Any, focus: Any, made: Any, real: Any, gini: Gini) -> int:
    return max(
        score(gini, counted(made, real, lambda r, t=t: int(t(r)), 2)) for t in cuts_of(axes, focus)
    )


def trees(axes: Any, focus: Any, made: Any, real: Any, gini: Gini) -> int:
    every = list(cuts_of(axes, range(len(axes))))
    focused = list(cuts_of(axes, focus))
    best = 0
    for roots, others in ((every, focused), (focused, every)):
        for root in roots:
            sides = []
            for side in (True, False):
                m, r = ([x for x in t if root(x) is side] for t in (made, real))
                sides.append(
                    max(score(gini, counted(m, r, lambda x, t=t: int(t(x)), 2)) for t in others)
                )
            best = max(best, sum(sides))
    return best


def boxes(sizes: Any, price: int, made: Any, real: Any, gini: Gini) -> int:
    """The best guillotine partition, recursively."""

    def within(low: tuple[int, ...], high: tuple[int, ...]) -> int:
        m, r = (
            sum(all(a <= x < b for a, x, b in zip(low, rec, high, strict=True)) for rec in table)
            for table in (made, real)
        )
        best = score(gini, [[m, r]], price)
        for axis, (a, b) in enumerate(zip(low, high, strict=True)):
            for cut in range(a + 1, b):
                upper = (*high[:axis], cut, *high[axis + 1 :])
                lower = (*low[:axis], cut, *low[axis + 1 :])
                best = max(best, within(low, upper) + within(lower, high))
        return best

    return within((0,) * len(sizes), tuple(sizes))


def scored(partitions: Partitions, gini: Gini, real: Any, made: Any) -> Any:
    """(tables,) as the search asks: tables of one axis each, some of them of all tables alike."""
    ours = partitions.counts([each[None] for each in real.T])
    theirs = partitions.counts([made[:, :, place] for place in range(made.shape[2])])
    found = partitions.best(gini, ours, theirs)
    assert (found == np.floor(found)).all()
    return found.astype(np.int64)


def tables(seed: int, axes: Sequence[Axis], real: int, made: int, count: int) -> Any:
    random = np.random.default_rng(seed)
    sizes = [each.bins for each in axes]
    lower = random.integers(1, np.array(sizes) + 1)
    return (
        random.integers(0, lower, (real, len(axes))),
        random.integers(0, sizes, (count, made, len(axes))),
    )


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 9))
@pytest.mark.parametrize("focus", [(0, 1, 2), (1,), (0, 2)])
def test_the_best_stump_and_the_best_tree_are_found(
    focus: tuple[int, ...], seed: int, n: int, n_s: int
) -> None:
    real, made = tables(seed, AXES, n, n_s, 2)
    gini = Gini(n_s)
    for partitions, slow in ((Stump(AXES, focus), stumps), (DepthTwo(AXES, focus), trees)):
        found = scored(partitions, gini, real, made)
        assert found.tolist() == [slow(AXES, focus, each, real, gini) for each in made]


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 9), st.integers(0, 2))
def test_the_best_guillotine_partition_is_found(seed: int, n: int, n_s: int, price: int) -> None:
    axes = (Axis(3), Axis(2), Axis(2))[: 2 + seed % 2]
    real, made = tables(seed, axes, n, n_s, 2)
    gini = Gini(n_s)
    found = scored(Guillotine(axes, price), gini, real, made)
    sizes = [each.bins for each in axes]
    assert found.tolist() == [boxes(sizes, price, each, real, gini) for each in made]


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 4))
def test_the_best_of_a_forest_is_that_of_its_trees(seed: int, trees: int, depth: int) -> None:
    real, made = tables(seed, AXES, 7, 6, 3)
    gini, forest = Gini(6), Forest(AXES, (1,), trees=trees, depth=depth, seed=seed)
    axes, left = forest._grown

    def leaf(tree: int, record: Any) -> int:
        node = 0
        for _ in range(forest.depth):
            node = 2 * node + (1 if left[tree, node, record[axes[tree, node]]] else 2)
        return node - (2**forest.depth - 1)

    wanted = [
        max(
            score(gini, counted(each, real, lambda r, t=tree: leaf(t, r), 2**depth))
            for tree in range(forest.trees)
        )
        for each in made
    ]
    assert scored(forest, gini, real, made).tolist() == wanted
    assert (axes[:, 0] == 1).all()


def test_no_tree_has_more_leaves_than_a_word_has_bits() -> None:
    with pytest.raises(ValueError, match="leaves"):
        Forest(AXES, (1,), depth=5)


@given(st.integers(0, 2**32), st.sampled_from([(0, 1, 2), (1,), (0, 2)]))
def test_the_mean_over_pairs_is_that_of_all_cells(seed: int, focus: tuple[int, ...]) -> None:
    real, made = tables(seed, AXES, 8, 7, 2)
    gini, sizes = Gini(7), [each.bins for each in AXES]
    pairs = [(a, b) for a in range(3) for b in range(a + 1, 3) if a in focus or b in focus]

    def mean(table: Any) -> int:
        found = 0
        for a, b in pairs:

            def cell(record: Any, a: int = a, b: int = b) -> int:
                return int(record[a] * sizes[b] + record[b])

            found += score(gini, counted(table, real, cell, sizes[a] * sizes[b]))
        return found // len(pairs)

    assert scored(Crossed(AXES, focus), gini, real, made).tolist() == [mean(each) for each in made]


def test_one_column_alone_is_told_by_its_bins() -> None:
    assert Crossed((Axis(3),), (0,)).pairs == ((0,),)


def test_a_forest_is_the_same_whatever_the_records() -> None:
    one, two = (Forest(AXES, (0,), seed=4)._grown for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize(
    "made_of",
    [
        lambda axes: Stump(axes, (0, 1)),
        lambda axes: Crossed(axes, (0, 1)),
        lambda axes: Crossed((*axes, Axis(2)), (0, 1)),
        lambda axes: DepthTwo(axes, (0, 1)),
        lambda axes: DepthTwo(axes, (1,)),
        lambda axes: Forest(axes, (0, 1), trees=6, depth=2),
        lambda axes: Guillotine(axes, 0),
    ],
)
def test_one_record_moves_no_score_further_than_is_said(made_of: Any) -> None:
    """Every pair of tables of two records, and every table made of two."""
    axes = (Axis(2), Axis(3))
    partitions, cells = made_of(axes), list(product(range(2), range(3)))
    if len(partitions.axes) > len(axes):
        cells = [(*each, each[0]) for each in cells]
    pairs = [np.array([one, two]) for one in cells for two in cells]
    gini = Gini(2)
    made = np.array(pairs)
    found = {
        (one, two): scored(partitions, gini, np.array([one, two]), made)
        for one in cells
        for two in cells
    }
    moved = max(
        int(np.abs(found[one, two] - found[one, other]).max())
        for one in cells
        for two in cells
        for other in cells
    )
    assert 0 < moved <= gini.sensitivity


def test_more_than_three_axes_are_refused() -> None:
    with pytest.raises(Refusal, match="for 3 columns"):
        Guillotine((Axis(2),) * 4)


@given(st.integers(1, MOST_MADE), st.data())
def test_the_score_of_a_leaf_is_exact(made: int, data: st.DataObject) -> None:
    gini = Gini(made)
    a = data.draw(st.integers(0, made))
    b = data.draw(st.integers(0, 10**7))
    found = gini.leaf(np.array([float(a)]), np.array([float(b)]))[0]
    assert int(found) == ((a * a << gini.bits) // (a + b) if a + b else 0)
    assert (made * made << gini.bits) < 2**53


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_one_record_moves_two_leaves_by_no_more_than_is_said(
    made: int, real: int, data: st.DataObject
) -> None:
    """Any two leaves of any partition, the others staying as they are."""
    gini = Gini(made)
    a = data.draw(st.integers(0, made))
    c = data.draw(st.integers(0, made - a))
    b = data.draw(st.integers(1, real))
    d = data.draw(st.integers(0, real - b))

    def score(first: int, second: int) -> int:
        counts = np.array([float(a), float(c)]), np.array([float(first), float(second)])
        return int(gini.leaf(*counts).sum())

    assert abs(score(b, d) - score(b - 1, d + 1)) <= gini.sensitivity


@pytest.mark.parametrize("n", [*range(2, 201, 11), 200, 5000])
def test_the_bound_is_attained(n: int) -> None:
    """All real records are 0, all made ones 10: GI is 0, and n/(n + 1) once a real one is 10."""
    gini, stump = Gini(n), Stump((Axis(2),), (0,))
    real, made = np.zeros((1, n), dtype=np.int64), np.ones((1, n), dtype=np.int64)
    moved = real.copy()
    moved[0, 0] = 1
    scores = [
        stump.best(gini, stump.counts([each]), stump.counts([made]))[0] for each in (real, moved)
    ]
    assert scores[0] - scores[1] == gini.sensitivity
    assert Fraction(gini.sensitivity, 1 << gini.bits) - Fraction(n, n + 1) < Fraction(
        1, 1 << gini.bits
    )
    assert sensitivity(n, n) == Fraction(1, 2 * (n + 1)) < Fraction(1, 2 * n)
    apart = gini.pmse(scores[0], n) - gini.pmse(scores[1], n)
    assert apart == pytest.approx(float(sensitivity(n, n)), rel=1e-4)


def test_the_bound_of_the_published_simulations() -> None:
    """2, n = n_s = 5,000: half of the published 1/n, which the simulations of its section 5 reach
    to ten digits."""
    assert float(sensitivity(5000, 5000)) == pytest.approx(9.998000399920e-05, rel=1e-12)
    assert float(sensitivity(5000, 5000)) == pytest.approx(9.998000399919e-05, rel=1e-11)
    assert largest(5000, 5000) == Fraction(1, 4)


@pytest.mark.parametrize(("made", "gain"), [(5000, 0.5), (100_000, 0.95), (MOST_MADE, 0.997)])
def test_how_much_there_is_to_tell_apart(made: int, gain: float) -> None:
    """2: u_max/Δu is n/2 where n_s = n, and goes to n."""
    ratio = largest(5000, made) / sensitivity(5000, made)
    assert float(ratio) / 5000 == pytest.approx(gain, abs=3e-3)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_pmse_is_what_it_is_by_definition(leaves: list[tuple[int, int]]) -> None:
    made, real = (sum(each) for each in zip(*leaves, strict=True))
    if not made or not real:
        return
    gini, both = Gini(made), made + real
    share = Fraction(made, both)
    exact = sum((a + b) * (Fraction(a, a + b) - share) ** 2 for a, b in leaves if a + b) / Fraction(
        both
    )
    score = gini.leaf(*(np.array(each, dtype=float) for each in zip(*leaves, strict=True))).sum()
    assert float(gini.pmse(score, real)) == pytest.approx(float(exact), abs=1e-6)
    gi = sum(a * (1 - Fraction(a, a + b)) for a, b in leaves if a + b)
    assert exact == largest(real, made) - gi / both
    assert 0 <= exact <= largest(real, made)


@pytest.mark.parametrize("made", [0, MOST_MADE + 1])
def test_too_many_made_records_are_refused(made: int) -> None:
    with pytest.raises(Refusal) as refused:
        Gini(made)
    assert refused.value.field == "ratio"
