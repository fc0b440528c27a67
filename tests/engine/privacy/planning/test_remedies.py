"""Each remedy, applied, makes the question fit."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.planning.planner import most_units, smallest_epsilon, smallest_k
from understudy.privacy.planning.question import Question, Remedy, advice, remedies

SHORT = Question(1.0, 1e-9, 1_000, seeds_at_least=1_000)
DENIABLE = Question(
    1.0, 1e-9, 10_000, kind="plausible-deniability", gamma=4.0, seeds_at_least=17_200
)


_OTHERS = pytest.mark.thorough("test_what_nothing_fits_gets_remedies_that_work")


def applied(question: Question, remedy: Remedy) -> Question:
    assert remedy.change != "k"
    change: dict[str, Any] = {remedy.change: remedy.value}
    return replace(question, **change)


def refused(question: Question) -> Refusal | None:
    try:
        smallest_k(question)
    except Refusal as refusal:
        return refusal
    return None


@pytest.mark.parametrize(
    ("question", "changes"),
    [
        (SHORT, {"count", "epsilon", "seeds_at_least"}),
        (DENIABLE, {"count", "epsilon", "delta", "seeds_at_least", "kind"}),
        pytest.param(Question(1.0, 1e-9, 10**7), {"count", "epsilon"}, marks=_OTHERS),
        (Question(1.0, 1e-9, 10**12, seeds_at_least=735_000), {"count"}),
        (Question(1.0, 1e-28, 1_000), {"count", "delta", "seeds_at_least"}),
        (
            Question(
                0.5,
                1e-9,
                5_000,
                protocol="releases",
                pass_floor=0.02,
                seeds_at_least=9_000,
            ),
            {"count", "epsilon", "seeds_at_least"},
        ),
    ],
)
def test_what_nothing_fits_gets_remedies_that_work(question: Question, changes: set[str]) -> None:
    with pytest.raises(Refusal) as refusal:
        smallest_k(question)
    found = remedies(question, question.largest_k)
    assert {each.change for each in found} == changes
    for each in found:
        assert each.said in refusal.value.remedy
        smallest_k(applied(question, each))
    assert "seedless" in refusal.value.remedy


@pytest.mark.thorough("test_what_nothing_fits_gets_remedies_that_work")
@given(
    epsilon=st.floats(-2, 1).map(lambda exponent: 10.0**exponent),
    delta=st.floats(-26, -6).map(lambda exponent: 10.0**exponent),
    count=st.integers(0, 40).map(lambda power: int(1.9**power)),
    seeds=st.sampled_from([50, 1_000, 20_000, 900_000]),
    kind=st.sampled_from(["plausible-deniability", "relative-sensitivity"]),
    protocol=st.sampled_from(["attempts", "releases", "published"]),
    equal=st.booleans(),
)
def test_every_remedy_works(
    epsilon: float,
    delta: float,
    count: int,
    seeds: int,
    kind: Any,
    protocol: Any,
    equal: bool,
) -> None:
    question = Question(
        epsilon,
        delta,
        count,
        kind,
        protocol=protocol,
        seeds_at_least=seeds,
        pass_floor=0.05 if protocol == "releases" else None,
        equal_likelihood=equal,
    )
    refusal = refused(question)
    if refusal is None or refusal.field != "epsilon":
        return
    for each in remedies(question, question.largest_k):
        assert each.said in refusal.remedy
        smallest_k(applied(question, each))


def test_no_delta_of_the_order_of_one_seed_is_advised() -> None:
    question = Question(1.0, 1e-7, 1, "plausible-deniability", seeds_at_least=100_000)
    for delta, advised in ((1e-7, True), (5e-7, False)):
        # What fits at this δ, asked for at a smaller one.
        most = most_units(replace(question, delta=delta), 100_000).account.count
        asked = replace(question, delta=1e-12, count=most - most // 100)
        found = {each.change: each.value for each in remedies(asked, 100_000)}
        assert ("delta" in found) == advised
        assert float(found.get("delta", delta)) <= 1e-7 or not advised


def test_remedies_are_not_far_from_the_least() -> None:
    found: dict[str, Any] = {each.change: each.value for each in remedies(DENIABLE, 17_200)}
    for less in (
        replace(DENIABLE, epsilon=0.98 * found["epsilon"]),
        replace(DENIABLE, delta=0.8 * found["delta"]),
        replace(DENIABLE, seeds_at_least=int(0.94 * found["seeds_at_least"])),
        replace(DENIABLE, count=int(1.1 * found["count"])),
    ):
        assert refused(less) is not None


@pytest.mark.parametrize("kind", ["plausible-deniability", "relative-sensitivity"])
def test_a_given_k_that_carries_nothing_names_a_larger_one(kind: Any) -> None:
    question = Question(1.0, 1e-9, 50, kind, seeds_at_least=17_200)
    with pytest.raises(Refusal) as refusal:
        most_units(question, 5)
    one = replace(question, count=1)
    found = remedies(one, 5, given=True)
    assert {"k", "epsilon"} <= {each.change for each in found}
    for each in found:
        assert each.said in refusal.value.remedy
        if each.change == "k":
            assert most_units(question, int(each.value)).account.count == 1
            assert most_units(question, int(each.value)).k == smallest_k(one).k
        else:
            most_units(applied(question, each), 5)


def test_a_k_beyond_the_seeds_is_no_remedy() -> None:
    question = Question(1.0, 1e-9, 50, seeds_at_least=10)
    with pytest.raises(Refusal) as refusal:
        most_units(question, 5)
    assert "k = 5: that takes k of" in refusal.value.problem
    assert "k of" not in refusal.value.remedy


def test_an_epsilon_beyond_any_that_is_searched() -> None:
    question = Question(1.0, 1e-9, 10**6, seeds_at_least=17_200)
    with pytest.raises(Refusal) as refusal:
        smallest_epsilon(question, 20)
    assert "no more than" in refusal.value.remedy
    far = replace(question, epsilon=1000.0)
    for each in remedies(far, 20, given=True):
        assert each.said in refusal.value.remedy
        if each.change == "k":
            smallest_epsilon(question, int(each.value))
        else:
            smallest_epsilon(applied(question, each), 20)


def test_what_fits_needs_no_remedy_of_its_own() -> None:
    # Only a seedless plan is left where nothing else is known to help.
    question = Question(1.0, 1e-9, 1_000, seeds_at_least=17_200)
    changes = {each.change for each in remedies(question, question.largest_k)}
    assert not changes & {"count", "epsilon", "delta"}
    assert advice(remedies(question, question.largest_k)).endswith(
        "a seedless plan, whose attempts cost nothing."
    )


def test_with_one_seed_for_certain_only_more_of_them_help() -> None:
    found = refused(replace(SHORT, seeds_at_least=1))
    assert found is not None
    assert found.field == "epsilon"
    (more,) = remedies(replace(SHORT, seeds_at_least=1), 1)
    assert refused(applied(SHORT, more)) is None
