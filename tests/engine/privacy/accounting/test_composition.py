"""The rules by which guarantees add up. Decaying sums against the recurrence they solve.
Composition of unequal guarantees, against the sum of 2^m terms and an independent accountant.
Optimal composition against its formula, and against an independent accountant.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from dp_accounting.pld.common import DifferentialPrivacyParameters
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

import understudy.privacy.accounting.composition as module
from understudy.core.refusal import Refusal
from understudy.privacy.accounting.composition import (
    MOST_EXACT,
    STEPS,
    advanced_epsilon,
    amplified_by_sampling,
    any_failure,
    compose_advanced,
    compose_dealt,
    decaying_sums,
    largest_epsilon,
    optimal,
    optimal_mixed,
    parallel,
    plain_sum,
    sequential,
    solve_dealt,
    spare_delta,
    total_epsilon,
)
from understudy.privacy.budget import Budget


def test_sequential_is_the_sum() -> None:
    assert sequential(Budget(0.1, 1e-9), 7) == Budget(0.1 * 7, 1e-9 * 7)


def test_advanced_is_theorem_2_2() -> None:
    total = compose_advanced(Budget(0.01, 1e-12), 5_000, 1e-6)
    expected = 0.01 * math.sqrt(2 * 5_000 * math.log(1e6)) + 5_000 * 0.01 * (math.exp(0.01) - 1)
    assert total.epsilon == pytest.approx(expected, rel=1e-12)
    assert total.delta == pytest.approx(5_000 * 1e-12 + 1e-6)


@pytest.mark.parametrize("slack", [0.0, -1e-9, 1.0, math.nan])
def test_advanced_needs_slack(slack: float) -> None:
    with pytest.raises(Refusal) as refusal:
        compose_advanced(Budget(0.1), 10, slack)
    assert refusal.value.field == "delta"


def test_advanced_of_many_at_once() -> None:
    epsilon, slack = np.array([0.1, 0.2, 0.1]), np.array([1e-6, 1e-9, 0.0])
    totals = advanced_epsilon(epsilon, 100, slack)
    assert totals[:2].tolist() == [
        compose_advanced(Budget(e), 100, s).epsilon
        for e, s in zip(epsilon[:2].tolist(), slack[:2].tolist(), strict=True)
    ]
    assert totals[2] == math.inf


def test_optimal_stays_within_its_delta() -> None:
    each = Budget(0.01, 1e-12)
    total = optimal(each, 5_000, 1e-6)
    assert total.delta == 1e-6
    assert (
        total.epsilon
        < compose_advanced(each, 5_000, 1e-6 - 5e-9).epsilon
        < sequential(each, 5_000).epsilon
    )


def test_optimal_that_does_no_better_than_the_sum_is_the_sum() -> None:
    each = Budget(0.5, 1e-9)
    alone = -math.expm1(3 * math.log1p(-1e-9))
    assert optimal(each, 3, alone) == Budget(1.5, alone)
    assert optimal(each, 1, 1e-9) == each


def test_optimal_of_uses_that_exceed_the_target() -> None:
    assert optimal(Budget(0.1, 1e-9), 1_001, 1e-6) == Budget.unbounded()
    assert optimal(Budget(0.1, 1.0), 1, 0.5) == Budget.unbounded()
    assert optimal(Budget(0.1, 1e-9), 999, 1e-6).bounded


def test_optimal_of_nothing_costs_nothing() -> None:
    assert optimal(Budget(0.1, 1e-9), 0, 1e-6) == Budget(0.0)
    assert optimal(Budget(0.0), 100, 1e-6) == Budget(0.0)


def test_disjoint_parts_cost_the_maximum() -> None:
    assert parallel(Budget(1, 1e-9), Budget(0.5, 1e-6), Budget(0.1)) == Budget(1, 1e-6)
    assert parallel() == Budget(0)
    assert not parallel(Budget(1), Budget.unbounded()).bounded


_COSTS = st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 60)), min_size=1, max_size=4)


def _deal(costs: list[tuple[float, float]], unused: float) -> list[tuple[float, Budget]]:
    whole = math.fsum(weight for weight, _ in costs) + unused
    return [(weight / whole, Budget(epsilon, 1e-9)) for weight, epsilon in costs]


@given(costs=_COSTS, unused=st.floats(0, 2))
def test_parts_dealt_by_coins_cost_a_mean(costs: list[tuple[float, float]], unused: float) -> None:
    parts = _deal(costs, unused)
    found = compose_dealt(*parts)
    rest = 1 - math.fsum(chance for chance, _ in parts)
    mean = math.fsum(chance * math.exp(each.epsilon) for chance, each in parts) + max(0.0, rest)
    assert found.epsilon == pytest.approx(math.log(mean), rel=1e-9, abs=1e-12)
    assert found.epsilon <= max(each.epsilon for _, each in parts)
    assert found.delta == 1e-9


def test_parts_dealt_by_coins_at_the_extremes() -> None:
    assert compose_dealt() == Budget(0.0)
    assert compose_dealt((1.0, Budget(2.0, 1e-9))) == Budget(2.0, 1e-9)
    assert compose_dealt((0.5, Budget(1_000.0)), (0.4, Budget(1.0))).epsilon == pytest.approx(
        1_000 - math.log(2)
    )
    assert not compose_dealt((0.1, Budget.unbounded())).bounded
    assert compose_dealt((0.0, Budget.unbounded()), (0.5, Budget(1e-9))).epsilon == pytest.approx(
        5e-10
    )


@given(epsilon=st.floats(1e-4, 900), costs=_COSTS, unused=st.floats(0, 2), share=st.floats(0.01, 1))
def test_a_part_may_cost_what_the_others_leave(
    epsilon: float, costs: list[tuple[float, float]], unused: float, share: float
) -> None:
    """Where no other part exceeds the whole, all of it is used and no more."""
    dealt = _deal([(share, 0.0), *costs], unused)
    (chance, _), others = dealt[0], dealt[1:]
    most = solve_dealt(epsilon, chance, *others)
    assert most >= epsilon
    if all(each.epsilon <= epsilon for _, each in others):
        whole = compose_dealt((chance, Budget(most)), *others).epsilon
        assert whole <= epsilon * (1 + 1e-15)
        assert whole == pytest.approx(epsilon, rel=1e-9)


@given(
    epsilon=st.floats(0, 30), p=st.floats(1e-6, 1), delta=st.floats(0, 0.1), more=st.floats(0, 1)
)
def test_sampling_amplifies(epsilon: float, p: float, delta: float, more: float) -> None:
    total = amplified_by_sampling(Budget(epsilon, delta), p)
    assert total.epsilon == pytest.approx(math.log1p(p * math.expm1(epsilon)), rel=1e-12, abs=1e-15)
    assert total.delta == p * delta
    assert amplified_by_sampling(Budget(epsilon + more, delta), p).epsilon >= total.epsilon - 1e-14


def test_sampling_at_the_extremes() -> None:
    assert amplified_by_sampling(Budget(2.0, 1e-9), 1.0) == Budget(2.0, 1e-9)
    assert amplified_by_sampling(Budget(5_000.0), 0.5).epsilon == pytest.approx(5_000 - math.log(2))
    assert amplified_by_sampling(Budget(1e-12), 0.5).epsilon == pytest.approx(5e-13)
    assert not amplified_by_sampling(Budget.unbounded(), 0.01).bounded


@pytest.mark.parametrize("p", [0.0, -0.1, 1.01, math.nan])
def test_a_sampling_probability_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(Refusal) as refusal:
        amplified_by_sampling(Budget(1.0), p)
    assert refusal.value.field == "sampling"


@given(
    st.lists(st.floats(0, 1e6), max_size=200),
    st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1)),
)
def test_each_sum_is_the_one_before_it_faded_plus_its_term(
    terms: list[float], decay: float
) -> None:
    expected, last = [], 0.0
    for term in terms:
        last = decay * last + term
        expected.append(last)
    given_terms = np.array(terms)
    found = decaying_sums(given_terms, decay)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-290)
    assert given_terms.tolist() == terms


def test_a_term_far_back_still_counts() -> None:
    terms = np.zeros(1001)
    terms[0] = 1.0
    assert decaying_sums(terms, 0.999)[-1] == pytest.approx(0.999**1000, rel=1e-12)


DELTA = 1e-6

budgets = st.builds(Budget, st.floats(1e-3, 3), st.sampled_from([0.0, 1e-9, 1e-7]))
few = st.lists(budgets, min_size=1, max_size=7)


def total_delta(parts: list[Budget], epsilon: float) -> float:
    """1 − Π(1 − δ_i)(1 − Δ(ε')), with Δ written out over all 2^m outcomes."""
    excess = 0.0
    for signs in itertools.product((1, -1), repeat=len(parts)):
        chance = math.prod(
            1 / (1 + math.exp(-sign * part.epsilon))
            for sign, part in zip(signs, parts, strict=True)
        )
        loss = math.fsum(sign * part.epsilon for sign, part in zip(signs, parts, strict=True))
        excess += chance * max(0.0, -math.expm1(epsilon - loss))
    return 1 - math.prod(1 - part.delta for part in parts) * (1 - excess)


@given(few)
def test_the_total_holds_and_no_much_smaller_one_does(parts: list[Budget]) -> None:
    found = optimal_mixed(parts, DELTA)
    assert total_delta(parts, found.epsilon) <= DELTA * (1 + 1e-9)
    coarse = len(parts) * math.fsum(part.epsilon for part in parts) / STEPS
    smaller = found.epsilon - coarse
    if smaller > 0:
        assert total_delta(parts, smaller) > DELTA * (1 - 1e-5)


@given(few, st.floats(1e-12, 0.3))
def test_never_more_than_the_sum(parts: list[Budget], delta: float) -> None:
    plain = plain_sum(parts)
    found = optimal_mixed(parts, max(delta, plain.delta))
    assert found.epsilon <= plain.epsilon


@pytest.mark.parametrize(
    ("epsilon", "times"), [(0.5, 2), (0.1, 10), (0.1, 100), (0.01, 1_000), (3.0, 5), (0.01, 3_000)]
)
def test_equal_parts_come_to_the_closed_form(epsilon: float, times: int) -> None:
    closed = total_epsilon(epsilon, times, DELTA * (1 - 1e-6))
    found = optimal_mixed([Budget(epsilon)] * times, DELTA)
    assert found.epsilon == pytest.approx(min(closed, epsilon * times), rel=1e-9)


@pytest.mark.parametrize(
    "parts",
    [
        [Budget(0.4, 1e-9), Budget(1.1), Budget(0.05, 1e-8)] * 4,
        [Budget(0.02 * place, 1e-10) for place in range(1, 30)],
        [Budget(2.0)] + [Budget(0.1, 1e-8)] * 20,
    ],
)
def test_an_independent_accountant_agrees(parts: list[Budget]) -> None:
    interval = 1e-4
    composed = privacy_loss_distribution.identity(value_discretization_interval=interval)
    for part in parts:
        composed = composed.compose(
            privacy_loss_distribution.from_privacy_parameters(
                DifferentialPrivacyParameters(part.epsilon, part.delta),
                value_discretization_interval=interval,
            )
        )
    accounted = float(composed.get_epsilon_for_delta(DELTA))
    apart = len(parts) * (interval + plain_sum(parts).epsilon / STEPS)
    assert abs(optimal_mixed(parts, DELTA).epsilon - accounted) <= apart


def test_the_sum_is_of_the_numbers_as_they_are_written() -> None:
    assert plain_sum([Budget(0.1, 1e-9)] * 3) == Budget(0.3, 3e-9)
    assert optimal_mixed([Budget(0.1, 1e-9)] * 10, 1e-8) == Budget(1.0, 1e-8)


def test_a_delta_that_the_parts_alone_exceed_holds_nothing() -> None:
    assert not optimal_mixed([Budget(0.1, 1e-9), Budget(0.1, 1e-9)], 1.5e-9).bounded
    assert not optimal_mixed([Budget(0.1), Budget.unbounded()], 0.5).bounded
    assert not plain_sum([Budget(0.1, 0.5), Budget(0.1, 0.5)]).bounded


def test_nothing_costs_nothing_and_one_costs_itself() -> None:
    assert optimal_mixed([], 0.0) == Budget(0.0)
    assert optimal_mixed([Budget(0.7, 1e-9)], 1e-9) == Budget(0.7, 1e-9)
    assert optimal_mixed([Budget(0.0, 1e-9)] * 2, 1e-6) == Budget(0.0, 1e-6)
    # At a larger δ than its own, a single one is worth a smaller ε: that of one coin.
    coin = total_epsilon(0.7, 1, 0.01 * (1 - 1e-6))
    assert optimal_mixed([Budget(0.7)], 0.01).epsilon == pytest.approx(coin, rel=1e-9)


def test_very_large_and_very_small_parts() -> None:
    assert optimal_mixed([Budget(1_000.0), Budget(1_000.0)], DELTA).epsilon == pytest.approx(
        2_000, rel=1e-5
    )
    assert 0 <= optimal_mixed([Budget(1e-4), Budget(1e-4)], 0.4).epsilon <= 2e-4


def excess(epsilon: float, times: int, total: Decimal) -> Decimal:
    """Δ(ε') as the theorem writes it, in 100 digits: C(m, ℓ), and e^{(m−ℓ)ε} less e^{ε'+ℓε}."""
    with localcontext(prec=100):
        each = Decimal(epsilon)
        summed = Decimal(0)
        for ell in range(times + 1):
            if (times - 2 * ell) * each <= total:
                break
            apart = ((times - ell) * each).exp() - (total + ell * each).exp()
            summed += math.comb(times, ell) * apart
        return summed / (1 + each.exp()) ** times


def at(total: float, epsilon: float, times: int) -> Decimal:
    """ε' as a decimal, give or take the last place of mε."""
    return Decimal(total) + Decimal(math.ulp(times * epsilon))


@given(
    times=st.one_of(st.sampled_from([1, 2, 3]), st.integers(1, 60)),
    log_epsilon=st.one_of(st.floats(-9, 1.7), st.floats(-2, 0.3)),
    log_excess=st.one_of(st.floats(-30, -0.001), st.floats(-14, -3)),
)
def test_the_total_is_the_smallest_that_the_formula_allows(
    times: int, log_epsilon: float, log_excess: float
) -> None:
    epsilon, target = 10.0**log_epsilon, 10.0**log_excess
    total = total_epsilon(epsilon, times, target)
    assert 0 <= total <= times * epsilon
    assert excess(epsilon, times, at(total, epsilon, times)) <= Decimal(target)
    if total > 0:
        less = Decimal(total) * (1 - Decimal("1e-8")) - Decimal(math.ulp(times * epsilon))
        assert excess(epsilon, times, less) > Decimal(target) * (1 - Decimal("1e-8"))


@pytest.mark.parametrize("times", [1, 2, 500])
@pytest.mark.parametrize("epsilon", [40.0, 300.0, 800.0, 1e5])
@pytest.mark.parametrize("target", [1e-30, 1e-9, 0.5, 0.999])
def test_a_huge_epsilon(times: int, epsilon: float, target: float) -> None:
    # b(0) is 1 then, so that Δ is 1 − e^{ε' − mε} down to (m − 2)ε.
    whole = times * epsilon
    total = total_epsilon(epsilon, times, target)
    assert total == pytest.approx(whole + math.log1p(-target), rel=1e-9, abs=2e-6)


@pytest.mark.parametrize(("times", "epsilon"), [(300, 0.05), (501, 0.3), (800, 0.001)])
@pytest.mark.parametrize("target", [1e-30, 1e-12, 1e-3, 0.6])
def test_larger_counts(times: int, epsilon: float, target: float) -> None:
    total = total_epsilon(epsilon, times, target)
    assert excess(epsilon, times, at(total, epsilon, times)) <= Decimal(target)
    if total > 0:
        less = Decimal(total) * (1 - Decimal("1e-8"))
        assert excess(epsilon, times, less) > Decimal(target)


@pytest.mark.parametrize("times", [10**5, 10**6, 10**7])
@pytest.mark.parametrize("spread", [0.02, 0.5, 3.0])
def test_many_against_the_binomial_law_of_another_library(times: int, spread: float) -> None:
    epsilon = spread / math.sqrt(times)
    total = total_epsilon(epsilon, times, 1e-9)
    chance = 1 / (1 + math.exp(epsilon))
    reach = 12 * math.sqrt(times) / 2
    ell = np.arange(int(times * chance - reach), int((times - total / epsilon) / 2) + 1)
    gap = total - (times - 2.0 * ell) * epsilon
    found = -(binom.pmf(ell, times, chance) * np.expm1(np.minimum(gap, 0))).sum()
    assert found == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize("times", [1, 2, 10, 100, 1_000, 10_000, 100_000])
@pytest.mark.parametrize("spread", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_an_independent_accountant_agrees_of_optimal(
    times: int, spread: float, delta: float
) -> None:
    each = Budget(spread / math.sqrt(times), delta / (3 * times))
    # As wide as ε, the lattice holds the loss ±ε exactly; a finer one rounds it up, m times over.
    # It is for either direction of add/remove, as randomised response is the same both ways.
    loss = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(each.epsilon, each.delta),
        value_discretization_interval=each.epsilon,
    ).self_compose(times)
    total = optimal(each, times, delta).epsilon
    assert total == pytest.approx(loss.get_epsilon_for_delta(delta), rel=2e-6)
    assert loss.get_delta_for_epsilon(total * (1 + 2e-6)) <= delta
    assert loss.get_delta_for_epsilon(total * (1 - 2e-6)) >= delta


@given(
    times=st.integers(1, 10**9),
    log_epsilon=st.floats(-6, 1),
    log_delta=st.floats(-30, -0.5),
    share=st.floats(0, 1),
)
def test_never_above_the_other_compositions(
    times: int, log_epsilon: float, log_delta: float, share: float
) -> None:
    delta = 10.0**log_delta
    each = Budget(10.0**log_epsilon, share * delta / times)
    total = optimal(each, times, delta)
    assert total.delta <= delta
    assert total.epsilon <= sequential(each, times).epsilon
    slack = delta - times * each.delta
    if slack > 1e-12 * delta:
        assert total.epsilon <= compose_advanced(each, times, slack).epsilon


def exact_spare(delta: float, times: int, target: float) -> Decimal:
    """Δ with 1 − (1 − δ)^m (1 − Δ) = the target."""
    with localcontext(prec=200):
        return 1 - (1 - Decimal(target)) / (1 - Decimal(delta)) ** times


@given(times=st.integers(1, 10**7), log_delta=st.floats(-30, -1e-6), share=st.floats(0, 1.2))
def test_what_is_spare_is_never_overstated(times: int, log_delta: float, share: float) -> None:
    target = 10.0**log_delta
    delta = share * target / times
    assume(delta < 1)
    exact, found = exact_spare(delta, times, target), spare_delta(delta, times, target)
    assert Decimal(found) <= max(exact, Decimal(0))
    scale = -math.log1p(-target)
    assert abs(Decimal(found) - exact) <= Decimal(1e-14 * scale)


def test_what_is_spare_of_nothing() -> None:
    assert spare_delta(1.0, 3, 0.5) < 0
    assert any_failure(1.0, 3) == 1.0
    assert any_failure(1e-20, 7) == pytest.approx(7e-20, rel=1e-15)
    assert any_failure(0.5, 2) == pytest.approx(0.75, rel=1e-15)


@given(
    times=st.integers(1, 10**6),
    log_epsilon=st.floats(-5, 0.5),
    log_excess=st.floats(-29, -0.1),
    more=st.floats(1 + 1e-9, 3),
)
def test_it_grows_with_epsilon_and_count_and_falls_with_what_is_left(
    times: int, log_epsilon: float, log_excess: float, more: float
) -> None:
    epsilon, target = 10.0**log_epsilon, 10.0**log_excess
    total = total_epsilon(epsilon, times, target)
    hair = 1 + 1e-8
    assert total_epsilon(epsilon * more, times, target) * hair >= total
    assert total_epsilon(epsilon, math.ceil(times * more), target) * hair >= total
    assert total_epsilon(epsilon, times, min(0.99, target * more)) <= total * hair


def test_nothing_left_is_the_sum() -> None:
    assert total_epsilon(0.1, 7, 0.0) == total_epsilon(0.1, 7, -1.0) == 7 * 0.1
    assert total_epsilon(0.1, 7, 1e-200) == 7 * 0.1
    assert total_epsilon(0.0, 7, 1e-9) == 0.0


def test_so_much_left_that_nothing_is_spent() -> None:
    # Randomised response of so small an ε differs by less than Δ in total variation.
    assert total_epsilon(1e-6, 100, 0.01) == 0.0
    assert total_epsilon(1e-6, 101, 0.01) == 0.0


@given(times=st.integers(1, 10**7), log_total=st.floats(-3, 1.5), log_excess=st.floats(-29, -2))
def test_the_largest_epsilon_is_the_inverse(
    times: int, log_total: float, log_excess: float
) -> None:
    total, target = 10.0**log_total, 10.0**log_excess
    epsilon = largest_epsilon(total, times, target)
    assert total_epsilon(epsilon, times, target) <= total
    assert total_epsilon(epsilon * (1 + 1e-9), times, target) >= total * (1 - 1e-9)


@pytest.mark.parametrize("times", [1, 30, 10_000, 10**6])
@pytest.mark.parametrize("spread", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("target", [1e-12, 1e-4])
def test_the_bound_beyond_the_exact_sum_is_one(
    times: int, spread: float, target: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    epsilon = spread / math.sqrt(times)
    exact = total_epsilon(epsilon, times, target)
    monkeypatch.setattr(module, "MOST_EXACT", 0)
    bound = total_epsilon(epsilon, times, target)
    assert exact <= bound <= times * epsilon
    assert bound <= 1.2 * exact


@pytest.mark.parametrize("spread", [0.02, 0.3, 3.0])
def test_the_bound_continues_the_exact_sum(spread: float) -> None:
    epsilon = spread / math.sqrt(MOST_EXACT)
    exact, bound = (total_epsilon(epsilon, MOST_EXACT + more, 1e-9) for more in (0, 1))
    assert exact < bound < 1.07 * exact


@pytest.mark.parametrize("times", [2, 9, 15, 16, 31, 400])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_a_weight_is_that_of_the_binomial_law(times: int, epsilon: float) -> None:
    """C(m, ℓ)·e^{(m−ℓ)ε}/(1 + e^ε)^m for every ℓ between 0 and m."""
    places = np.arange(1, times)
    exact = binom.logpmf(places, times, 1 / (1 + math.exp(epsilon)))
    found = [module._log_weight(epsilon, times, int(place)) for place in places]
    np.testing.assert_allclose(found, exact, rtol=1e-11, atol=1e-11)
