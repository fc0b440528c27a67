"""How many candidates pass at least: against every way that few seeds can be spread."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.mechanisms.seedbased.evaluation.pass_rate import at_least, surely_passing
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import TestKind, privacy_test


def spreads(seeds: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Every way to spread seeds over cells."""
    if cells == 1:
        yield (seeds,)
        return
    for first in range(seeds + 1):
        yield from ((first, *rest) for rest in spreads(seeds - first, cells - 1))


@given(
    kind=st.sampled_from(["plausible-deniability", "relative-sensitivity"]),
    k=st.integers(1, 9),
    epsilon0=st.sampled_from([0.3, 1.0, 4.0, None]),
    cells=st.integers(1, 3),
    seeds=st.integers(1, 9),
    rho=st.sampled_from([0.0, 0.2]),
)
def test_it_holds_however_seeds_are_spread(
    kind: TestKind, k: int, epsilon0: float | None, cells: int, seeds: int, rho: float
) -> None:
    test = privacy_test(kind, k, epsilon0)
    sizes = np.arange(1, seeds + 1)
    each = (1 - rho) * test.coin.probability(test.scores(sizes)) * sizes / seeds
    passing = [sum(each[one - 1] for one in spread if one) for spread in spreads(seeds, cells)]
    (found,) = at_least(test, np.array([k]), cells, seeds, rho)
    assert found <= min(passing) + 1e-12
    # Where all seeds are alike it is all that passes.
    if cells == 1:
        assert found == pytest.approx(passing[0])


def test_one_coarse_column_is_said_something_of_and_a_range_of_omega_nothing() -> None:
    schema = category_schema(2, 30, 40)
    ks = np.array([10, 100, 1_000])
    test = privacy_test("relative-sensitivity", 100, 1.0)
    plan = Plan.of(schema, test=test, omega=Omega(low=2, high=2), seeds_at_least=10_000)
    found = surely_passing(plan, schema, promise(plan, schema), ks)
    assert found is not None
    assert 1 > found[0] > found[1] > found[2] > 0.5
    other = plan.change(schema, omega=Omega(low=1, high=2))
    assert surely_passing(other, schema, promise(other, schema), ks) is None
    # Of the wide ones nothing is sure, as whichever of them may be copied.
    more = plan.change(schema, omega=Omega(low=0, high=0), seeds_at_least=1_000)
    assert surely_passing(more, schema, promise(more, schema), np.array([900])) is None
