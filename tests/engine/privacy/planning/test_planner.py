"""The planner's answers: enough by the account, and no less would be."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.account_words import as_data
from understudy.privacy.accounting.accountant import account
from understudy.privacy.accounting.published_figures import published_k
from understudy.privacy.accounting.unit import pass_cap, total_epsilon_at, unit_of
from understudy.privacy.planning.planner import Answer, most_units, smallest_epsilon, smallest_k
from understudy.privacy.planning.question import LARGEST_EPSILON, Question
from understudy.privacy.plausibility.threshold import LARGEST_K, SMALLEST_EPSILON0

QUESTIONS = st.builds(
    Question,
    epsilon=st.floats(-1.3, 1.3).map(lambda exponent: 10.0**exponent),
    delta=st.floats(-14, -6.1).map(lambda exponent: 10.0**exponent),
    count=st.integers(0, 12).map(lambda power: int(1.9**power)),
    kind=st.sampled_from(["plausible-deniability", "relative-sensitivity"]),
    gamma=st.sampled_from([1.5, 4.0]),
    protocol=st.sampled_from(["attempts", "releases", "published"]),
    seeds_at_least=st.sampled_from([None, 900_000]),
    pass_floor=st.just(0.1),
    equal_likelihood=st.booleans(),
).map(lambda asked: asked if asked.protocol == "releases" else replace(asked, pass_floor=None))


def confirmed(answer: Answer, epsilon: float) -> None:
    """That the account says of these parameters what the answer does."""
    asked = answer.question
    figures = account(
        asked.test(answer.k, answer.epsilon0),
        answer.account.count,
        asked.delta,
        protocol=asked.protocol,
        seeds_at_least=asked.seeds_at_least,
        pass_floor=asked.pass_floor,
        equal_likelihood=asked.equal_likelihood,
    )
    assert (figures.total, figures.t, figures.pass_cap) == (
        answer.total,
        answer.t,
        answer.pass_cap,
    )
    assert answer.total.epsilon <= epsilon
    assert answer.total.delta <= asked.delta


def nothing_fits(question: Question, k: int, near: float) -> None:
    """That no t and no ε0 around the one that is best stays within the target at this k."""
    if k < 2:
        return
    turns = [*np.geomspace(0.95, 1.06, 23).tolist(), *np.geomspace(0.2, 5, 15).tolist()]
    for turn in turns:
        if near * turn < SMALLEST_EPSILON0:
            continue
        unit = unit_of(
            question.test(k, near * turn),
            question.seeds_at_least,
            question.pass_floor,
            question.equal_likelihood,
        )
        assert unit is not None
        for t in {*range(1, k, max(1, k // 12)), *range(max(1, k // 8), k // 3, max(1, k // 40))}:
            assert total_epsilon_at(unit, t, question.count, question.delta) > question.epsilon


@given(question=QUESTIONS)
def test_the_smallest_k_meets_the_target_and_one_less_does_not(question: Question) -> None:
    answer = smallest_k(question)
    confirmed(answer, question.epsilon)
    nothing_fits(question, answer.k - 1, answer.epsilon0)
    if answer.k > 2:
        assert smallest_epsilon(question, answer.k - 1).total.epsilon > question.epsilon


@given(question=QUESTIONS, k=st.integers(2, 3_000))
def test_the_smallest_epsilon_is_met_and_a_hair_less_is_not(question: Question, k: int) -> None:
    try:
        answer = smallest_epsilon(question, k)
    except Refusal:
        assert smallest_k(replace(question, epsilon=LARGEST_EPSILON)).k > k
        return
    assert answer.k == k
    confirmed(answer, answer.question.epsilon)
    assert answer.question.epsilon == answer.total.epsilon
    if answer.total.epsilon < 30:
        less = replace(question, epsilon=answer.total.epsilon * (1 - 1e-6))
        assert smallest_k(less).k > k
        nothing_fits(less, k, answer.epsilon0)
    enough = replace(question, epsilon=min(LARGEST_EPSILON, answer.total.epsilon * (1 + 1e-6)))
    assert smallest_k(enough).k <= k


@given(question=QUESTIONS, k=st.integers(2, 3_000))
def test_the_most_units_fit_and_one_more_does_not(question: Question, k: int) -> None:
    try:
        answer = most_units(question, k)
    except Refusal:
        assert smallest_k(replace(question, count=1)).k > k
        return
    most = answer.account.count
    assert (answer.k, answer.question.count) == (k, most)
    confirmed(answer, question.epsilon)
    more = replace(question, count=most + 1)
    assert smallest_k(more).k > k
    nothing_fits(more, k, answer.epsilon0)


def test_one_record_as_worked_out_by_hand() -> None:
    # λ = 40: k = 39 suffices, where k = 2t takes 452 (Example 5.1 has 40, at t = 5 and ε0 = 0.8).
    answer = smallest_k(Question(1.0, 2.0**-40, 1, protocol="published"))
    assert answer.k == 39
    assert answer.published_rule_k == 452
    assert answer.epsilon0 + math.log1p(1 / answer.t) <= 1
    assert math.exp(-answer.epsilon0 * (39 - answer.t)) <= 2 * 2.0**-40
    for t in range(1, 38):
        # ε0 + ln(1 + 1/t) ≤ 1 and e^−ε0(38−t)/(1 + e^−ε0) ≤ 2^−40 exclude each other.
        epsilon0 = 1 - math.log1p(1 / t)
        assert (
            epsilon0 <= 0 or math.exp(-epsilon0 * (38 - t)) / (1 + math.exp(-epsilon0)) > 2.0**-40
        )


TABLE_9_2 = [
    (250, 5_500),
    (1_250, 12_800),
    (2_500, 18_400),
    (5_000, 26_500),
    (7_500, 32_700),
    (10_000, 38_000),
    (12_500, 42_700),
]
"""Records of each of four parts, and k, of the published plans for ε = 1 and δ = 2^−40."""


@pytest.mark.parametrize(("count", "published"), TABLE_9_2)
def test_the_published_plans_take_a_larger_k(count: int, published: int) -> None:
    answer = smallest_k(Question(1.0, 2.0**-40, count, protocol="published"))
    confirmed(answer, 1.0)
    assert 0.8 * published < answer.k < 0.9 * published
    assert answer.published_rule_k is not None
    assert answer.published_rule_k > 1.5 * published


def test_the_published_example_of_the_issue() -> None:
    asked = Question(1.0, 9.094947017729282e-13, 1000, protocol="published")
    figures = smallest_k(asked).as_dict()
    assert {"k", "t", "epsilon0", "pass_cap", "total"} <= set(figures)
    assert (figures["k"], figures["pass_cap"]) == (9_959, None)
    assert figures["total"]["epsilon"] <= 1


def test_a_bound_on_the_seeds_brings_a_pass_cap_and_a_smaller_k() -> None:
    without = smallest_k(Question(1.0, 1e-9, 1_000))
    certain = smallest_k(Question(1.0, 1e-9, 1_000, seeds_at_least=100_000))
    assert without.pass_cap is None
    cap = pass_cap(certain.account.attempt.epsilon, 100_000, epsilon0=certain.epsilon0)
    assert certain.pass_cap == cap
    assert certain.k < 0.9 * without.k


def test_the_second_test_usually_wins() -> None:
    asked = Question(1.0, 1e-9, 1_000, seeds_at_least=100_000)
    first = replace(asked, kind="plausible-deniability", gamma=4.0)
    assert smallest_k(asked).k < 0.85 * smallest_k(first).k
    # With equal likelihoods all that is left between them is the law of the noise.
    equal = [smallest_k(replace(each, equal_likelihood=True)).k for each in (asked, first)]
    assert equal[0] == pytest.approx(equal[1], rel=0.01)


@pytest.mark.parametrize("protocol", ["attempts", "releases", "published"])
@pytest.mark.parametrize(
    "search",
    [
        smallest_k,
        lambda asked: smallest_epsilon(asked, 700),
        lambda asked: most_units(asked, 700),
    ],
)
def test_an_answer_is_strict_json(protocol: Any, search: Any) -> None:
    asked = Question(
        np.float64(2.0),
        np.float64(1e-9),
        np.int64(20),  # type: ignore[arg-type]
        protocol=protocol,
        seeds_at_least=np.int64(40_000),  # type: ignore[arg-type]
        pass_floor=0.1 if protocol == "releases" else None,
    )
    answer = search(asked)
    figures = answer.as_dict()
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures
    assert figures["attempts"] == answer.account.count
    assert figures["target"]["delta"] == 1e-9
    each = answer.account.each.delta
    assert figures["attempts_use_delta"] == pytest.approx(answer.account.count * each)
    assert figures["attempts_use_delta"] <= 1e-9
    assert figures["account"] == as_data(answer.account)
    assert figures["explanation"] == list(answer.explanation)


def test_the_published_rule_is_shown_beside_it() -> None:
    asked = Question(1.0, 1e-9, 400, kind="plausible-deniability", gamma=4.0)
    answer = smallest_k(asked)
    rule = published_k(1.0, 1e-9, 400, asked.unit.similarity)
    assert answer.published_rule_k == rule
    assert f"{rule:,}" in answer.explanation[-1]


def refused(search: Any) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        search()
    assert refusal.value.problem.endswith(".")
    assert refusal.value.remedy.endswith(".")
    return refusal.value


@pytest.mark.parametrize("k", [0, 1, 2.5, True, LARGEST_K + 1])
def test_a_k_out_of_range_is_refused(k: Any) -> None:
    asked = Question(1.0, 1e-9, 10)
    assert refused(lambda: smallest_epsilon(asked, k)).field == "k"
    assert refused(lambda: most_units(asked, k)).field == "k"


def test_a_k_beyond_the_seeds_is_refused() -> None:
    asked = Question(1.0, 1e-9, 10, seeds_at_least=500)
    assert refused(lambda: smallest_epsilon(asked, 501)).field == "k"
    assert refused(lambda: most_units(asked, 501)).field == "k"
    assert smallest_epsilon(asked, 500).k == 500


@pytest.mark.parametrize(
    "search",
    [smallest_k, lambda asked: smallest_epsilon(asked, 9), lambda asked: most_units(asked, 9)],
)
def test_a_question_out_of_range_is_refused(search: Any) -> None:
    assert refused(lambda: search(Question(0.0, 1e-9, 10))).field == "epsilon"
    assert refused(lambda: search(Question(1.0, 1e-9, 0))).field == "attempts"


def test_too_few_seeds_say_what_k_it_takes() -> None:
    asked = Question(1.0, 1e-9, 1_000, seeds_at_least=2_000)
    refusal = refused(lambda: smallest_k(asked))
    assert refusal.field == "epsilon"
    needed = asked.found().k
    assert f"takes k of {int(needed):,}, and only 2,000 seeds are certain" in refusal.problem


def test_too_many_say_what_each_may_cost() -> None:
    refusal = refused(lambda: smallest_k(Question(1.0, 1e-9, 10**7)))
    assert "10,000,000 attempts: each attempt may then cost an ε of" in refusal.problem
    assert "costs 0.0001" in refusal.problem


def test_a_delta_finer_than_the_coin_is_said_so() -> None:
    refusal = refused(lambda: smallest_k(Question(1.0, 1e-28, 1_000, protocol="published")))
    assert "no attempt is ever said to have a δ under 1e-30" in refusal.problem


def test_a_given_k_is_named() -> None:
    refusal = refused(lambda: most_units(Question(1.0, 1e-9, 77), 5))
    assert "for 1 attempt at k = 5: that takes k of" in refusal.problem


def test_at_the_very_edge_of_what_is_certain() -> None:
    asked = Question(1.0, 1e-9, 1_000, seeds_at_least=100_000)
    k = smallest_k(asked).k
    just = replace(asked, seeds_at_least=k + 1000)
    assert smallest_k(just).k <= k + 1000
    assert smallest_k(asked).k <= k
