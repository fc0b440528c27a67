from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.pmse.gini import MOST_MADE, Gini, largest, sensitivity
from understudy.mechanisms.pmse.partitions import Axis, Stump


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
