"""The account of a run: figures, refusals, and the curves drawn from them."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.privacy import composition
from engine.privacy.account import MOST_ATTEMPTS, account, growth, tradeoff
from engine.privacy.budget import Budget
from engine.privacy.deniability import PlausibleDeniability, plausible_deniability_test
from engine.privacy.guarantee import pass_cap, plausible_deniability
from engine.refusal import Refusal

CENSUS = plausible_deniability_test(50, 4, 1)
WIDE = plausible_deniability_test(50_000, 4, 0.001)
DETERMINISTIC = plausible_deniability_test(50, 4, None)


@pytest.mark.parametrize("t", [None, 29])
def test_one_attempt_with_the_published_census_setting(t: int | None) -> None:
    figures = account(CENSUS, 1, 1e-9, t=t).as_dict()
    expected = {"epsilon": 1 + math.log(1 + 4 / 29), "delta": math.exp(-21)}
    assert figures["attempt"] == pytest.approx({**expected, "t": 29}, rel=1e-14)
    assert figures["total"] == pytest.approx(expected, rel=1e-14)
    assert figures["composed_by"] == "sequential"
    assert figures["test"] == {
        "name": "plausible-deniability",
        "k": 50,
        "gamma": 4.0,
        "epsilon0": 1.0,
    }


@pytest.mark.parametrize(("attempts", "wins"), [(10, "sequential"), (50_000, "advanced")])
def test_the_smaller_composition_is_the_total(attempts: int, wins: str) -> None:
    figures = account(WIDE, attempts, 1e-6)
    attempt, t = figures.attempt.budget, figures.attempt.t
    assert t is not None
    assert attempt == plausible_deniability(k=50_000, gamma=4, epsilon0=0.001, t=t)
    assert figures.sequential == composition.sequential(attempt, attempts)
    slack = 1e-6 - attempts * attempt.delta
    assert figures.advanced == composition.advanced(attempt, attempts, slack)
    assert figures.composition == wins
    assert figures.total == getattr(figures, wins)
    assert figures.total.epsilon == min(figures.sequential.epsilon, figures.advanced.epsilon)
    assert figures.sequential.delta <= 1e-6
    assert figures.advanced.delta == pytest.approx(1e-6)


def test_a_t_that_leaves_no_slack_has_no_advanced_composition() -> None:
    delta = plausible_deniability(k=50, gamma=4, epsilon0=1, t=29).delta
    figures = account(CENSUS, 1, delta, t=29)
    assert not figures.advanced.bounded
    assert figures.total.delta == delta
    assert figures.as_dict()["composition"]["advanced"]["epsilon"] is None
    curve = growth(CENSUS, [1], delta, t=29)
    assert curve.total.tolist() == [figures.total.epsilon]
    assert np.isnan(curve.advanced).all()


def test_equal_likelihoods_count_gamma_as_one() -> None:
    figures = account(CENSUS, 1, 1e-9, t=29, equal_likelihood=True)
    assert figures.attempt.budget.epsilon == pytest.approx(1 + math.log(1 + 1 / 29))
    assert figures.as_dict()["equal_likelihood"] is True


def test_the_pass_cap_is_that_of_one_attempt() -> None:
    without, given_n = (account(WIDE, 1000, 1e-9, seeds_at_least=n) for n in (None, 735_000))
    assert without.pass_cap is None
    assert "pass_cap" not in without.as_dict()
    epsilon = given_n.attempt.budget.epsilon
    assert given_n.pass_cap == pass_cap(epsilon, 735_000, epsilon0=0.001)
    assert given_n.as_dict()["pass_cap"] == given_n.pass_cap
    assert given_n.total == without.total


def test_the_account_says_what_it_covers() -> None:
    without = account(CENSUS, 100, 1e-7).covers
    assert "100 attempts" in without
    assert "leaves out the rejections" in without
    given_n = account(CENSUS, 1, 1e-7, seeds_at_least=735_000).covers
    assert "1 attempt can" in given_n
    assert "rejections alike" in given_n
    assert "735,000 seeds" in given_n
    assert "no differential privacy" in account(DETERMINISTIC, 100, 1e-7).covers


def test_sampling_amplifies_the_total_alone() -> None:
    plain, sampled = account(CENSUS, 5, 1e-8), account(CENSUS, 5, 1e-8, sampling=0.01)
    assert sampled.attempt == plain.attempt
    assert sampled.unamplified == plain.total
    assert sampled.total == composition.amplified(plain.total, 0.01)
    figures = sampled.as_dict()
    assert figures["sampling"] == 0.01
    assert figures["unamplified"]["epsilon"] == plain.total.epsilon
    assert "secret random sample" in figures["covers"]
    assert "unamplified" not in plain.as_dict()


def test_the_deterministic_test_promises_nothing() -> None:
    figures = account(DETERMINISTIC, 100, 1e-9, seeds_at_least=10_000, sampling=0.1)
    assert figures.attempt.t is None
    assert figures.composition is None
    assert figures.pass_cap is None
    assert figures.total == Budget(math.inf, 0.1)
    assert account(DETERMINISTIC, 100, 1e-9).total == Budget.unbounded()
    assert figures.as_dict()["total"]["epsilon"] is None


@pytest.mark.parametrize("test", [CENSUS, DETERMINISTIC])
@pytest.mark.parametrize("extras", [{}, {"seeds_at_least": 10_000, "sampling": 0.5}])
def test_the_account_is_strict_json(test: PlausibleDeniability, extras: dict[str, Any]) -> None:
    figures = account(test, np.int64(3), 1e-9, **extras).as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


REFUSED = [
    ("attempts", {"attempts": 0}),
    ("attempts", {"attempts": -5}),
    ("attempts", {"attempts": 2.5}),
    ("attempts", {"attempts": True}),
    ("attempts", {"attempts": MOST_ATTEMPTS + 1}),
    ("delta", {"delta": 0.0}),
    ("delta", {"delta": 1.0}),
    ("delta", {"delta": -1e-9}),
    ("delta", {"delta": math.nan}),
    ("delta", {"delta": "1e-9"}),
    ("t", {"t": 0}),
    ("t", {"t": 50}),
    ("t", {"t": 51}),
    ("t", {"t": 2.5}),
    ("seeds_at_least", {"seeds_at_least": 0}),
    ("seeds_at_least", {"seeds_at_least": 99.5}),
    ("k", {"seeds_at_least": 49}),
    ("delta", {"seeds_at_least": 1_000, "delta": 1e-3}),
    ("sampling", {"sampling": 0.0}),
    ("sampling", {"sampling": 1.5}),
    ("k", {"test": plausible_deniability_test(1, 4, 1)}),
]


@pytest.mark.parametrize(("field", "change"), REFUSED)
def test_a_number_out_of_range_is_refused(field: str, change: dict[str, Any]) -> None:
    settings_ = {"test": CENSUS, "attempts": 1, "delta": 1e-9, **change}
    with pytest.raises(Refusal) as refusal:
        account(**settings_)
    assert refusal.value.field == field
    assert refusal.value.problem.endswith(".")
    assert refusal.value.remedy.endswith(".")


def test_as_many_seeds_as_k_are_enough() -> None:
    cap = account(CENSUS, 1, 1e-9, seeds_at_least=50).pass_cap
    assert cap is not None
    assert 0 < cap < 1


@given(
    k=st.integers(2, 60),
    epsilon0=st.floats(0.05, 30),
    attempts=st.integers(1, 10**7),
    exponent=st.floats(-31, -3),
    t=st.one_of(st.none(), st.integers(1, 59)),
)
@settings(max_examples=100, deadline=None)
def test_each_remedy_for_a_delta_out_of_reach_works(
    k: int, epsilon0: float, attempts: int, exponent: float, t: int | None
) -> None:
    run: dict[str, Any] = {
        "test": plausible_deniability_test(k, 4, epsilon0),
        "attempts": attempts,
        "delta": 10.0**exponent,
        "t": None if t is None else min(t, k - 1),
    }
    remedy = ""
    try:
        account(**run)
    except Refusal as refusal:
        remedy = refusal.remedy
    for change in advice(remedy, epsilon0) if remedy else []:
        account(**{**run, **change})


def advice(remedy: str, epsilon0: float) -> list[dict[str, Any]]:
    """The changes a remedy proposes, as arguments."""
    changes: list[dict[str, Any]] = []
    if found := re.search(r"k of ([\d,]+)", remedy):
        larger = int(found[1].replace(",", ""))
        changes.append({"test": plausible_deniability_test(larger, 4, epsilon0)})
    if found := re.search(r"\bt of ([\d,]+)", remedy):
        changes.append({"t": int(found[1].replace(",", ""))})
    if found := re.search(r"δ of ([\d.e-]+)", remedy):
        changes.append({"delta": float(found[1])})
    if found := re.search(r"more than ([\d,]+) attempt", remedy):
        changes.append({"attempts": int(found[1].replace(",", ""))})
    assert changes or "larger ε0" in remedy
    return changes


def test_a_delta_out_of_reach_says_what_would_do() -> None:
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-20)
    assert refusal.value.field == "delta"
    assert "k of 54" in refusal.value.remedy
    assert "no more than 19 attempts" in refusal.value.remedy
    with pytest.raises(Refusal) as refusal:
        account(CENSUS, 1_000, 1e-20, seeds_at_least=52)
    assert "k of" not in refusal.value.remedy


@pytest.mark.parametrize(
    ("test", "attempts", "delta"),
    [(CENSUS, 1, 1e-9), (CENSUS, 20, 1e-7), (WIDE, 1, 1e-6), (WIDE, 100, 1e-6)],
)
def test_the_total_is_no_smaller_than_the_tightest_account(
    test: PlausibleDeniability, attempts: int, delta: float
) -> None:
    figures = account(test, attempts, delta)
    attempt = figures.attempt.budget
    loss = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(attempt.epsilon, attempt.delta),
        value_discretization_interval=attempt.epsilon / 200,
    ).self_compose(attempts)
    # A hair of δ for their own rounding, as N·δ_t is all but attained.
    tightest = loss.get_epsilon_for_delta(figures.total.delta * (1 + 1e-5))
    assert 0 < tightest <= figures.total.epsilon * (1 + 1e-9)


@pytest.mark.parametrize("t", [None, 20_000])
@pytest.mark.parametrize("equal_likelihood", [False, True])
def test_growth_is_the_account_at_each_count(t: int | None, equal_likelihood: bool) -> None:
    counts = [1, 7, 300, 20_000, 10**6]
    options: dict[str, Any] = {"t": t, "equal_likelihood": equal_likelihood}
    curve = growth(WIDE, counts, 1e-6, **options)
    assert curve.attempts.tolist() == counts
    for place, attempts in enumerate(counts):
        figures = account(WIDE, attempts, 1e-6, **options)
        assert curve.t[place] == figures.attempt.t
        for name in ("sequential", "advanced", "total"):
            budget: Budget = getattr(figures, name)
            assert getattr(curve, name)[place] == pytest.approx(budget.epsilon, rel=1e-12)


@pytest.mark.parametrize("t", [None, 10])
def test_growth_has_a_gap_where_nothing_is_promised(t: int | None) -> None:
    curve = growth(plausible_deniability_test(20, 4, 1), [1, 10, 10**6], 1e-4, t=t)
    assert np.isnan(curve.total).tolist() == [False, t is not None, True]
    assert (curve.t == 0).tolist() == [False, t is not None, True]
    assert np.isnan(growth(DETERMINISTIC, [1, 2], 1e-4).total).all()
    assert growth(CENSUS, [], 1e-4).total.size == 0


def test_growth_refuses_what_the_account_refuses() -> None:
    for field, arguments in (
        ("attempts", {"attempts": [1, 0]}),
        ("attempts", {"attempts": [1, MOST_ATTEMPTS + 1]}),
        ("delta", {"delta": 2.0}),
        ("t", {"t": 50}),
    ):
        with pytest.raises(Refusal) as refusal:
            growth(**{"test": CENSUS, "attempts": [1], "delta": 1e-9, **arguments})
        assert refusal.value.field == field


def test_tradeoff_runs_over_every_t() -> None:
    t, epsilon, delta = tradeoff(CENSUS)
    assert t.tolist() == list(range(1, 50))
    for place in (0, 28, 48):
        stated = plausible_deniability(k=50, gamma=4, epsilon0=1, t=int(t[place]))
        assert (epsilon[place], delta[place]) == (stated.epsilon, stated.delta)
    assert (tradeoff(CENSUS, equal_likelihood=True)[1] < epsilon).all()


def test_tradeoff_of_a_large_k_is_thinned_between_its_ends() -> None:
    t, epsilon, delta = tradeoff(WIDE, points=500)
    assert (t[0], t[-1]) == (1, 49_999)
    assert t.size == epsilon.size == delta.size == 500
    assert (np.diff(t) > 0).all()


def test_no_tradeoff_without_a_t() -> None:
    for test in (DETERMINISTIC, plausible_deniability_test(1, 4, 1)):
        assert [part.size for part in tradeoff(test)] == [0, 0, 0]
