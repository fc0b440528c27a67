"""The parameters both tests take, the names they are chosen by, and how they are written. The
plausible-deniability score against a record-by-record count. The relative-sensitivity score
against Definition 4.2, record by record and in fractions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.privacy.plausibility.privacy_test import (
    USUAL_GAMMA,
    LikelihoodClasses,
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
    privacy_test,
)
from understudy.privacy.plausibility.threshold import LARGEST_K, NoisyThreshold

DENIABILITY = PlausibleDeniability(k=50, gamma=3.0, epsilon0=1.0)
RELATIVE = RelativeSensitivity(k=50, epsilon0=1.0)
EITHER: TypeAdapter[PrivacyTest] = TypeAdapter(PrivacyTest)

BAD_EITHER = [
    *(("k", value) for value in (0, -1, 2.5, LARGEST_K + 1, 10**40, math.nan, "50", True, None)),
    *(("epsilon0", value) for value in (0, -1, 1e-9, math.inf, math.nan, "1", False)),
]
BAD_GAMMA = [("gamma", value) for value in (0, 1, 1.0, 0.5, -4, math.inf, math.nan, "4")]


class Holder(Frozen, what="the holder"):
    test: PrivacyTest


def test_each_kind_by_its_name() -> None:
    assert privacy_test("plausible-deniability", 50, 1.0, 3.0) == DENIABILITY
    assert privacy_test("relative-sensitivity", 50, 1.0) == RELATIVE
    usual = privacy_test("plausible-deniability", 50, None)
    assert usual == PlausibleDeniability(k=50, gamma=USUAL_GAMMA, epsilon0=None)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [("relative-sensitivity", *each) for each in BAD_EITHER]
    + [("plausible-deniability", *each) for each in BAD_EITHER + BAD_GAMMA],
)
def test_parameters_that_cannot_be_used(kind: Any, field: str, value: Any) -> None:
    parameters = {"k": 50, "epsilon0": 1.0, field: value}
    with pytest.raises(Refusal) as by_name:
        privacy_test(kind, **parameters)
    of_kind = {"plausible-deniability": PlausibleDeniability}.get(kind, RelativeSensitivity)
    given = {"gamma": 4.0} | parameters if of_kind is PlausibleDeniability else parameters
    with pytest.raises(Refusal) as direct:
        of_kind(**given)
    for refusal in (by_name.value, direct.value):
        assert refusal.field == field
        assert refusal.problem.endswith(".")
        assert refusal.remedy.endswith(".")


def test_the_relative_sensitivity_test_has_no_gamma() -> None:
    with pytest.raises(Refusal, match="γ") as refusal:
        privacy_test("relative-sensitivity", 50, 1.0, 4.0)
    assert refusal.value.field == "gamma"


def test_a_kind_that_does_not_exist() -> None:
    unknown: Any = "absolute-sensitivity"
    with pytest.raises(Refusal, match=r"plausible-deniability or relative-sensitivity") as refusal:
        privacy_test(unknown, 50, 1.0)
    assert refusal.value.field == "kind"


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
def test_parameters_are_frozen_and_closed(test: NoisyThreshold) -> None:
    with pytest.raises(ValidationError):
        test.k = 60
    with pytest.raises(Refusal) as refusal:
        type(test)(**test.model_dump(), omega=3)
    assert refusal.value.field == "omega"


def test_what_is_missing_is_named() -> None:
    with pytest.raises(Refusal) as refusal:
        PlausibleDeniability(k=50, epsilon0=1.0)
    assert refusal.value.field == "gamma"


@pytest.mark.parametrize(
    "test",
    [
        DENIABILITY,
        RELATIVE,
        PlausibleDeniability(k=7, gamma=2.0, epsilon0=None),
        RelativeSensitivity(k=7, epsilon0=None),
    ],
    ids=repr,
)
def test_parameters_survive_a_file_as_the_kind_they_are(test: PrivacyTest) -> None:
    text = Holder(test=test).model_dump_json()
    assert json.loads(text)["test"]["kind"] == test.kind
    assert Holder.model_validate_json(text).test == test
    assert type(EITHER.validate_json(test.model_dump_json())) is type(test)


def test_tests_of_two_kinds_are_two_tests() -> None:
    assert PlausibleDeniability(k=50, gamma=4.0, epsilon0=1.0) != RELATIVE
    assert hash(RELATIVE) == hash(RelativeSensitivity(k=50, epsilon0=1.0))


@pytest.mark.parametrize("test", [DENIABILITY, RELATIVE], ids=lambda each: each.kind)
def test_the_coin_has_the_parameters_of_the_test(test: PrivacyTest) -> None:
    coin = test.coin
    assert (coin.k, coin.epsilon0, coin.noise) == (50, 1.0, test.noise)


def test_numbers_of_any_library_will_do() -> None:
    test = privacy_test("plausible-deniability", np.int64(50), np.float64(1.0), 3)
    assert test == DENIABILITY


def of_gamma(gamma: float) -> PlausibleDeniability:
    return PlausibleDeniability(k=50, gamma=gamma, epsilon0=1.0)


def scan(test: PlausibleDeniability, likelihoods: list[float], own: float) -> int:
    """One record at a time: which interval (γ^{−i−1}, γ^{−i}] holds each likelihood?"""

    def interval(probability: float) -> int:
        index, gamma = 0, Fraction(test.gamma)
        while Fraction(probability) <= gamma ** -(index + 1):
            index += 1
        return index

    if own == 0:
        return 0
    alike = [p for p in likelihoods if p > 0 and interval(p) == interval(own)]
    return len(alike)


def classes_of(sizes: list[int], likelihoods: list[float], own: int) -> LikelihoodClasses:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([likelihoods]))
    return LikelihoodClasses(np.array([sizes]), logs, np.array([own]))


@st.composite
def candidates(draw: st.DrawFn) -> tuple[float, list[int], list[float], int]:
    gamma = draw(st.sampled_from([1.3, 2.0, math.e, 4.0, 10.0]))

    # A power of γ is the edge of an interval; logarithms decide it to within their rounding.
    def off_edge(probability: float) -> bool:
        power = -math.log(probability, gamma)
        return probability == 1 or abs(power - round(power)) > 1e-11

    edge = st.integers(0, 30).map(lambda i: gamma**-i)
    beside = st.tuples(edge, st.sampled_from([1 - 1e-9, 1 + 1e-9]))
    likelihood = st.one_of(
        st.just(0.0),
        st.floats(1e-12, 1.0).filter(off_edge),
        beside.map(lambda pair: min(1.0, pair[0] * pair[1])),
    )
    columns = draw(st.integers(1, 7))
    likelihoods = draw(st.lists(likelihood, min_size=columns, max_size=columns))
    sizes = draw(st.lists(st.integers(0, 20), min_size=columns, max_size=columns))
    own = draw(st.integers(0, columns - 1))
    sizes[own] += 1
    return gamma, sizes, likelihoods, own


@given(candidates())
def test_score_is_the_count_over_records(
    candidate: tuple[float, list[int], list[float], int],
) -> None:
    gamma, sizes, likelihoods, own = candidate
    test = of_gamma(gamma)
    records = [p for size, p in zip(sizes, likelihoods, strict=True) for _ in range(size)]
    (counted,) = test.scores(classes_of(sizes, likelihoods, own))
    assert counted == scan(test, records, likelihoods[own])


@given(candidates(), st.data())
def test_one_record_more_changes_the_score_by_at_most_one(
    candidate: tuple[float, list[int], list[float], int], data: st.DataObject
) -> None:
    gamma, sizes, likelihoods, own = candidate
    test = of_gamma(gamma)
    (before,) = test.scores(classes_of(sizes, likelihoods, own))
    sizes[data.draw(st.integers(0, len(sizes) - 1))] += 1
    (after,) = test.scores(classes_of(sizes, likelihoods, own))
    assert after - before in (0, 1)


@pytest.mark.parametrize("gamma", [2.0, 4.0])
def test_the_upper_edge_belongs_to_an_interval_and_the_lower_does_not(gamma: float) -> None:
    test = of_gamma(gamma)
    likelihoods = [1.0, 1 / gamma, 1 / gamma**2]
    for own in range(3):
        assert test.scores(classes_of([10, 20, 40], likelihoods, own)) == [[10, 20, 40][own]]


def test_a_batch_is_scored_candidate_by_candidate() -> None:
    test = of_gamma(4.0)
    logs = np.log([[0.9, 0.5, 0.1], [0.2, 0.2, 0.2], [0.01, 0.9, 0.02]])
    logs[2, 1] = -math.inf
    sizes = np.array([[3, 4, 5], [1, 1, 1], [7, 9, 2]])
    counted = test.scores(LikelihoodClasses(sizes, logs, np.array([0, 2, 1])))
    assert counted.tolist() == [7, 3, 0]
    assert counted.dtype == np.int64


def test_classes_of_different_shapes_are_an_error() -> None:
    sizes, logs = np.ones((2, 3), dtype=np.int64), np.zeros((2, 3))
    with pytest.raises(ValueError, match="shape"):
        LikelihoodClasses(sizes, logs[:, :2], np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="shape"):
        LikelihoodClasses(sizes, logs, np.zeros(3, dtype=np.int64))


def test_where_all_are_equally_likely_they_are_counted() -> None:
    counts = np.array([7, 1, 10**9])
    assert of_gamma(4.0).scores(counts).tolist() == [7, 1, 10**9]


def test_the_similarity_and_the_noise() -> None:
    test = of_gamma(3.5)
    assert (test.similarity, test.noise, test.coin.noise) == (3.5, "laplace", "laplace")


TEST = RelativeSensitivity(k=5, epsilon0=1.0)

pytestmark = pytest.mark.filterwarnings("error")


def weight(log_likelihood: float) -> Fraction:
    """The number that stands for a likelihood: 2^⌊u⌋·fl(2^{u−⌊u⌋}), u = ln p/ln 2."""
    if log_likelihood == -math.inf:
        return Fraction(0)
    power = log_likelihood / math.log(2)
    whole = math.floor(power)
    return Fraction(float(np.exp2(power - whole))) * Fraction(2) ** whole


def kappa(weights: Sequence[Fraction], own: Fraction) -> Fraction:
    """κ by the definition: rank the records, and take the largest ms down to the seed's rank."""
    largest = Fraction(0)
    for rank, each in enumerate(weights):
        if each >= own and each > 0:
            others = [w for place, w in enumerate(weights) if place != rank and w <= each]
            largest = max(largest, sum(others, Fraction(0)) / each)
    return largest


def records(sizes: Sequence[int], logs: Sequence[float]) -> list[Fraction]:
    return [weight(log) for size, log in zip(sizes, logs, strict=True) for _ in range(size)]


def scores(sizes: Sequence[int], logs: Sequence[float], own: Sequence[int]) -> list[int]:
    batch = len(own)
    classes = LikelihoodClasses(
        np.tile(np.array(sizes), (batch, 1)), np.tile(np.array(logs), (batch, 1)), np.array(own)
    )
    return TEST.scores(classes).tolist()


def plain_floor(sizes: Sequence[int], logs: Sequence[float]) -> int:
    """The score of a seed in the first and likeliest class, in floating point as it comes."""
    first, *lighter = (float(weight(log)) for log in logs)
    total = float(np.dot(lighter, sizes[1:]))
    return sizes[0] - 1 + math.floor(total / first)


logs = st.one_of(
    st.just(-math.inf),
    st.sampled_from([1, 1 / 2, 1 / 3, 2 / 3, 1 / 5, 0.1, 0.3, 3 / 7, 1 / 49]).map(math.log),
    st.tuples(st.sampled_from([0.0, -1.0, -5.5]), st.integers(1, 5)).map(
        lambda near: near[0] - near[1] * 2.0**-53
    ),
    st.floats(-6, 0.5),
    st.floats(-900, -60),
    st.sampled_from([-88.0, -90.0, -277.0, -278.0, -620.0, -630.0, -5e3, 30.0]),
)


@st.composite
def relative_candidates(draw: st.DrawFn) -> tuple[list[int], list[float]]:
    """Classes of up to six records with likelihoods that meet, nearly meet and lie far apart."""
    pool = draw(st.lists(logs, min_size=1, max_size=6))
    chosen = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=6))
    sizes = st.lists(st.integers(0, 6), min_size=len(chosen), max_size=len(chosen))
    return draw(sizes), chosen


@given(relative_candidates())
def test_score_is_the_whole_part_of_the_definition(
    candidate: tuple[list[int], list[float]],
) -> None:
    sizes, likelihoods = candidate
    seeds = range(len(sizes))
    found = scores(sizes, likelihoods, seeds)
    weights = records(sizes, likelihoods)
    assert found == [math.floor(kappa(weights, weight(likelihoods[own]))) for own in seeds]


@given(relative_candidates(), st.data())
def test_one_record_more_leaves_the_score_or_raises_it_by_one(
    candidate: tuple[list[int], list[float]], data: st.DataObject
) -> None:
    sizes, likelihoods = candidate
    seeds = [place for place, size in enumerate(sizes) if size] or [0]
    sizes[seeds[0]] += 1
    before = scores(sizes, likelihoods, seeds)
    sizes[data.draw(st.integers(0, len(sizes) - 1))] += 1
    after = scores(sizes, likelihoods, seeds)
    assert {new - old for new, old in zip(after, before, strict=True)} <= {0, 1}


def test_a_plain_floor_jumps_by_two_where_the_score_rises_by_one() -> None:
    jumps = 0
    for first, part, twins, others in product((-0.5, -1.0, -3.0), (1.5, 2, 3), range(7), range(7)):
        likelihoods = [first, math.nextafter(first, -1e9), first - math.log(part)]
        sizes, more = [1, twins, others], [1, twins + 1, others]
        if weight(likelihoods[1]) == weight(first):
            continue
        jumps += plain_floor(more, likelihoods) - plain_floor(sizes, likelihoods) == 2
        assert scores(more, likelihoods, [0])[0] - scores(sizes, likelihoods, [0])[0] in (0, 1)
    assert jumps


def test_a_sum_that_floating_point_rounds_up_to_a_whole_number() -> None:
    crossing = [
        count
        for count in range(2, 200)
        if weight(-math.log(count)) * count < 1 == float(weight(-math.log(count))) * count
    ]
    assert crossing
    for count in crossing:
        sizes, likelihoods = [1, count], [0.0, -math.log(count)]
        assert plain_floor(sizes, likelihoods) == 1
        assert scores(sizes, likelihoods, [0]) == [0]


def test_ties_count_each_other_and_not_the_seed_itself() -> None:
    assert scores([4], [-3.0], [0]) == [3]
    assert scores([4, 3], [-3.0, -3.0], [0, 1]) == [6, 6]
    assert scores([1, 3, 2], [-1.0, -3.0, -3.0], [1]) == [4]


def test_a_likelier_rank_lends_its_score_to_those_below() -> None:
    half = math.log(1 / 2)
    assert scores([1, 40, 1], [0.0, half, -9.0], [0, 1, 2]) == [20, 39, 39]


def test_nobody_is_nobody() -> None:
    assert scores([0, 3], [0.0, -1.0], [0, 1]) == [0, 2]
    assert scores([0, 0], [0.0, -1.0], [0, 1]) == [0, 0]
    assert scores([0, 30], [0.0, -1.0], [0]) == [0]
    assert scores([0, 0, 30], [0.0, -1000.0, -1001.0], [1]) == [0]
    assert scores([0, 5], [-2.0, -2.0], [0]) == [4]


def test_a_seed_that_cannot_make_the_candidate() -> None:
    assert scores([2], [-math.inf], [0]) == [0]
    assert scores([2, 3], [-math.inf, 0.0], [0, 1]) == [2, 2]
    assert scores([9, 1], [-math.inf, 0.0], [1]) == [0]


@pytest.mark.parametrize("apart", [100.0, 300.0, 700.0, 5e3, 1e9])
def test_likelihoods_worlds_apart(apart: float) -> None:
    assert scores([2, 3, 4], [0.0, -apart, -2 * apart], [0, 1, 2]) == [1, 2, 3]
    near = math.log(1 / 4)
    likelihoods = [0.0, -apart, near - apart]
    assert scores([1, 2, 13], likelihoods, [0, 1, 2]) == [0, 4, 12]


@pytest.mark.parametrize("scale", [-5000.0, -700.0, 0.0, 700.0])
def test_the_largest_class_need_not_be_near_one(scale: float) -> None:
    likelihoods = [scale, scale - math.log(2) * 3, scale - 7]
    weights = records([3, 50, 9], likelihoods)
    expected = [math.floor(kappa(weights, weight(each))) for each in likelihoods]
    assert scores([3, 50, 9], likelihoods, [0, 1, 2]) == expected


def test_what_others_weigh_does_not_change_a_weight() -> None:
    """A record far likelier than all leaves every other ratio as it was, to the last bit."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        likelihoods = [*(-5 * rng.random(6)).tolist(), 0.0]
        sizes = rng.integers(1, 10**6, 7).tolist()
        sizes[-1] = 0
        before = scores(sizes, likelihoods, range(6))
        likelihoods[-1] = 300.0
        assert scores(sizes, likelihoods, range(6)) == before


def test_a_score_does_not_depend_on_the_batch_nor_on_the_layout() -> None:
    rng = np.random.default_rng(3)
    batch, columns = 9_001, 7
    log = np.sort(-30 * rng.random((batch, columns)), axis=1)
    sizes = rng.integers(0, 1000, (batch, columns))
    own = rng.integers(0, columns, batch)
    found = TEST.scores(LikelihoodClasses(sizes, log, own))
    turned = LikelihoodClasses(np.asfortranarray(sizes), np.asfortranarray(log), own)
    assert TEST.scores(turned).tolist() == found.tolist()
    shuffled = rng.permutation(batch)
    order = rng.permutation(columns)
    mixed = LikelihoodClasses(
        sizes[shuffled][:, order], log[shuffled][:, order], np.argsort(order)[own[shuffled]]
    )
    assert TEST.scores(mixed).tolist() == found[shuffled].tolist()
    assert found.dtype == np.int64
    for place in range(0, batch, 900):
        assert scores(sizes[place].tolist(), log[place].tolist(), [int(own[place])]) == [
            found[place]
        ]


def test_every_record_its_own_class() -> None:
    rng = np.random.default_rng(8)
    log = np.round(-4 * rng.random(150), 1)
    own = rng.integers(0, 150, 6)
    ones = np.ones((6, 150), dtype=np.int64)
    found = TEST.scores(LikelihoodClasses(ones, np.tile(log, (6, 1)), own))
    weights = [weight(each) for each in log.tolist()]
    assert found.tolist() == [math.floor(kappa(weights, weights[place])) for place in own]


def test_where_all_are_equally_likely_the_others_are_counted() -> None:
    counts = np.array([7, 1, 0, 10**9])
    assert TEST.scores(counts).tolist() == [6, 0, 0, 10**9 - 1]


def test_no_candidates() -> None:
    none = LikelihoodClasses(
        np.zeros((0, 3), dtype=np.int64), np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
    )
    assert TEST.scores(none).shape == (0,)


def test_the_similarity_and_the_noise_of_relative() -> None:
    assert (TEST.similarity, TEST.noise, TEST.coin.noise) == (1.0, "geometric", "geometric")
