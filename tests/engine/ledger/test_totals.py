"""How runs of different kinds add up."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.ledger.totals import (
    Spend,
    add_up,
    add_up_population,
    can_add_up,
    compose_fixed,
    find_neighbours,
    fits_budget,
    share_total,
    total_alone,
)
from understudy.ledger.words import explain_shares
from understudy.privacy.accounting.composition import amplified_by_sampling, optimal
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.budget import Budget, Neighbours

records = st.builds(Budget, st.floats(1e-3, 2), st.sampled_from([0.0, 1e-12, 1e-9]))
spends = st.builds(Spend, records, st.integers(1, 3), st.none() | st.floats(0.01, 1))


def test_nothing_costs_nothing() -> None:
    assert add_up([]) == Budget(0.0)
    assert compose_fixed([], 1e-9).epsilon == 0


def test_one_run_costs_what_it_promises() -> None:
    assert total_alone(Spend(Budget(0.7, 1e-9))) == Budget(0.7, 1e-9)
    assert total_alone(Spend(Budget(0.7, 1e-9), 3)) == group_privacy(Budget(0.7, 1e-9), 3)
    sampled = Spend(Budget(0.7, 1e-9), 3, 0.01)
    assert total_alone(sampled) == group_privacy(Budget(0.7, 1e-9), 3)
    assert add_up_population([sampled]) == amplified_by_sampling(
        group_privacy(Budget(0.7, 1e-9), 3), 0.01
    )


def test_runs_add_up_and_fixed_beforehand_many_come_to_less() -> None:
    few = [Spend(Budget(0.1, 1e-9))] * 3
    assert add_up(few) == Budget(0.3, 3e-9)
    many = [Spend(Budget(0.1, 1e-12))] * 400
    best = optimal(Budget(0.1, 1e-12), 400, 1e-6)
    assert add_up(many).epsilon == pytest.approx(40)
    assert compose_fixed(many, 1e-6).epsilon == pytest.approx(best.epsilon, rel=1e-5)
    assert compose_fixed(many, 1e-6).epsilon < 0.4 * 40


def test_every_run_counts_for_as_many_records_as_a_person_has_in_any_of_them() -> None:
    one, three = Budget(0.2, 1e-12), Budget(0.1, 1e-12)
    found = add_up([Spend(one, 1), Spend(three, 3)])
    assert found.epsilon == pytest.approx(3 * 0.2 + 3 * 0.1, rel=1e-12)
    both = group_privacy(one, 3).delta + group_privacy(three, 3).delta
    assert found.delta == pytest.approx(both, rel=1e-12)


def test_a_person_with_too_many_records_is_promised_nothing() -> None:
    found = add_up([Spend(Budget(1.0, 1e-9), 1), Spend(Budget(0.01, 1e-30), 100)])
    assert not found.bounded
    assert not fits_budget([Spend(Budget(1.0, 1e-9), 100)], Budget(1_000.0, 0.5))


def seen_together(epsilon: float, chance: float, runs: int) -> float:
    """The exact worst log-ratio of two people's worlds, where each of some runs tells ε-privately
    whether one person is in a secret sample that took them in with a chance."""
    right = 1 / (1 + math.exp(-epsilon))
    ratios = []
    for told in itertools.product((True, False), repeat=runs):
        inside = math.prod(right if each else 1 - right for each in told)
        outside = math.prod(1 - right if each else right for each in told)
        ratios.append(math.log((chance * inside + (1 - chance) * outside) / outside))
    return max(abs(ratio) for ratio in ratios)


@pytest.mark.parametrize("chance", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("runs", [2, 3])
def test_one_secret_sample_underlies_all_runs(chance: float, runs: int) -> None:
    """Amplified figures may not be added up: the law itself exceeds their sum, and meets ours."""
    epsilon = 1.0
    exact = seen_together(epsilon, chance, runs)
    assert exact > runs * amplified_by_sampling(Budget(epsilon), chance).epsilon * 1.01
    ours = add_up_population([Spend(Budget(epsilon), 1, chance)] * runs)
    assert ours is not None
    assert ours.epsilon == pytest.approx(exact, rel=1e-12)
    assert add_up([Spend(Budget(epsilon), 1, chance)] * runs) == Budget(runs * epsilon)


def test_sampling_counts_only_where_every_run_claims_it_and_with_the_largest_chance() -> None:
    sampled = Spend(Budget(0.5, 1e-9), 1, 0.01)
    assert add_up_population([]) is None
    assert add_up_population([sampled, Spend(Budget(0.5, 1e-9))]) is None
    found = add_up_population([sampled, Spend(Budget(0.5, 1e-9), 1, 0.2)])
    assert found == amplified_by_sampling(Budget(1.0, 2e-9), 0.2)


@settings(max_examples=40, deadline=None)
@given(st.lists(spends, max_size=5), st.floats(1e-9, 1e-3))
def test_what_is_claimed_of_a_sample_changes_no_figure_of_tables(
    runs: list[Spend], delta: float
) -> None:
    plain = [Spend(each.record, each.records_per_person) for each in runs]
    assert add_up(runs) == add_up(plain)
    assert compose_fixed(runs, delta) == compose_fixed(plain, delta)


@settings(max_examples=40, deadline=None)
@given(st.lists(spends, min_size=1, max_size=5), spends)
def test_a_further_run_never_lowers_the_total(runs: list[Spend], further: Spend) -> None:
    before, after = add_up(runs), add_up([*runs, further])
    assert not after.bounded or (before.epsilon <= after.epsilon and before.delta <= after.delta)


@settings(max_examples=40, deadline=None)
@given(st.lists(spends, min_size=1, max_size=5), st.floats(0.1, 5), st.floats(1e-9, 1e-3))
def test_what_fits_is_within_the_budget(runs: list[Spend], epsilon: float, delta: float) -> None:
    found = add_up(runs)
    within = found.bounded and found.epsilon <= epsilon and found.delta <= delta
    assert fits_budget(runs, Budget(epsilon, delta)) == within


@settings(max_examples=40, deadline=None)
@given(st.lists(spends, min_size=1, max_size=5), st.floats(1e-6, 1e-3))
def test_fixed_beforehand_runs_never_come_to_more_than_their_sum(
    runs: list[Spend], delta: float
) -> None:
    found, plain = compose_fixed(runs, delta), add_up(runs)
    if found.bounded and plain.delta <= delta:
        assert found.epsilon <= plain.epsilon
        assert found.delta <= delta


def test_a_budget_is_no_filter_for_optimal_composition() -> None:
    """Runs chosen by what an earlier one told: either way they would pass, and come to too much."""
    budget, first = Budget(2.0, 1e-6), Spend(Budget(0.02))
    ways = [[first, *[Spend(Budget(0.18014))] * 11], [first, *[Spend(Budget(0.10113))] * 23]]
    for runs in ways:
        assert compose_fixed(runs, budget.delta).epsilon <= budget.epsilon
    assert adaptive_delta(ways, budget.epsilon) > 1.3 * budget.delta
    assert not any(fits_budget(runs, budget) for runs in ways)


def adaptive_delta(ways: list[list[Spend]], epsilon: float) -> float:
    """The exact δ at ε of coins told ε_i-privately, the first deciding which others are told."""
    total_delta = 0.0
    for told, (first, *rest) in zip((1, -1), ways, strict=True):
        each, count = rest[0].record.epsilon, len(rest)
        for ups in range(count + 1):
            loss = told * first.record.epsilon + (2 * ups - count) * each
            chance = _told(told > 0, first.record.epsilon) * math.comb(count, ups)
            chance *= _told(True, each) ** ups * _told(False, each) ** (count - ups)
            total_delta += chance * max(0.0, -math.expm1(epsilon - loss))
    return total_delta


def _told(right: bool, epsilon: float) -> float:
    return 1 / (1 + math.exp(-epsilon if right else epsilon))


def test_a_budget_is_met_to_the_last_digit() -> None:
    assert fits_budget([Spend(Budget(0.1, 1e-9))] * 3, Budget(0.3, 3e-9))
    assert not fits_budget([Spend(Budget(0.1, 1e-9))] * 4, Budget(0.3, 4e-9))
    assert not fits_budget([Spend(Budget(0.1, 1e-9))] * 4, Budget(4.0, 3e-9))


REPLACED = Spend(Budget(0.3), neighbours=Neighbours.REPLACEMENTS)
ADDED = Spend(Budget(0.5, 1e-9))


def test_runs_for_unlike_neighbours_are_brought_to_those_that_both_are_about() -> None:
    both = [ADDED, REPLACED]
    assert find_neighbours(both) is Neighbours.REPLACEMENTS
    assert add_up(both).epsilon == pytest.approx(2 * 0.5 + 0.3)
    assert add_up(both).delta == pytest.approx((1 + math.exp(0.5)) * 1e-9)
    assert find_neighbours([ADDED, ADDED]) is Neighbours.TABLES
    assert add_up([ADDED, ADDED]) == Budget(1.0, 2e-9)


def test_nothing_is_promised_between_tables_that_a_run_says_nothing_about() -> None:
    assert not can_add_up([ADDED, REPLACED], Neighbours.TABLES)
    assert not add_up([ADDED, REPLACED], Neighbours.TABLES).bounded
    assert not fits_budget([REPLACED], Budget(100.0, 0.1))
    assert fits_budget([REPLACED], Budget(0.3), Neighbours.REPLACEMENTS)
    assert not fits_budget([ADDED, REPLACED], Budget(1.2, 1e-8), Neighbours.REPLACEMENTS)
    assert fits_budget([ADDED, REPLACED], Budget(1.3 + 1e-12, 1e-8), Neighbours.REPLACEMENTS)


def test_a_population_is_not_spoken_of_between_replacements() -> None:
    sampled = Spend(Budget(0.3), 1, 0.5, Neighbours.REPLACEMENTS)
    assert add_up_population([sampled]) is None


def test_a_person_with_several_records_replaces_them_all() -> None:
    assert add_up([Spend(Budget(0.3), 3, None, Neighbours.REPLACEMENTS)]).epsilon == pytest.approx(
        0.9
    )
    mixed = add_up([Spend(Budget(0.5), 2), REPLACED])
    assert mixed.epsilon == pytest.approx(2 * (2 * 0.5 + 0.3))


@given(st.lists(st.builds(Spend, records, st.integers(1, 3), st.none(), st.sampled_from(
    [Neighbours.TABLES, Neighbours.REPLACEMENTS])), min_size=1, max_size=6))  # fmt: skip
def test_what_runs_add_is_the_total(found: list[Spend]) -> None:
    parts, whole = share_total(found, find_neighbours(found)), add_up(found)
    if all(part.bounded for part in parts):
        assert whole.epsilon == pytest.approx(sum(part.epsilon for part in parts), rel=1e-9)
        assert whole.delta == pytest.approx(sum(part.delta for part in parts), rel=1e-9)
    alike = len({(s.neighbours, s.records_per_person) for s in found}) == 1
    assert bool(explain_shares(found)) == (not alike)
    if not explain_shares(found):
        assert parts == [total_alone(spend) for spend in found]
