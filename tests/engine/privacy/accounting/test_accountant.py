"""The account of a run: its figures, and what it refuses. The numbers an account is asked about,
checked in words. What an account says of itself. What a reader may see, and what is counted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.refusal import Refusal
from understudy.privacy.accounting import accountant, composition
from understudy.privacy.accounting.account import (
    READER_SEES,
    Account,
    Protocol,
    unit_name,
    units_in_words,
)
from understudy.privacy.accounting.account_words import as_data, coverage
from understudy.privacy.accounting.accountant import MOST_UNITS, account
from understudy.privacy.accounting.guarantee import group_privacy
from understudy.privacy.accounting.unit import (
    LIKELIHOOD_ROUNDING,
    Unit,
    pass_cap,
    total_epsilon_at,
    unit_delta,
    unit_epsilon,
    unit_of,
)
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)

CENSUS = PlausibleDeniability(k=50, gamma=4, epsilon0=1)
WIDE = PlausibleDeniability(k=50_000, gamma=4, epsilon0=0.001)
RELATIVE = RelativeSensitivity(k=50_000, epsilon0=0.001)
DETERMINISTIC = PlausibleDeniability(k=50, gamma=4, epsilon0=None)
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)


def options(protocol: Protocol) -> dict[str, Any]:
    """What this protocol needs to be told."""
    return {"protocol": protocol, **({"pass_floor": 0.2} if protocol == "releases" else {})}


@pytest.mark.parametrize("t", [None, 29])
def test_one_attempt_with_the_published_census_setting(t: int | None) -> None:
    figures = as_data(account(CENSUS, 1, 1e-9, t=t))
    expected = {"epsilon": 1 + math.log(1 + 4 / 29), "delta": math.exp(-21) / 2}
    assert figures["attempt"] == pytest.approx({**expected, "t": 29}, rel=1e-9)
    assert figures["composition"]["sequential"] == pytest.approx(expected, rel=1e-9)
    # Of δ = 1e-9 a little is left over, and buys a little.
    assert figures["total"]["epsilon"] == pytest.approx(expected["epsilon"], rel=1e-9)
    assert figures["total"]["delta"] <= 1e-9
    assert figures["test"] == {
        "name": "plausible-deniability",
        "k": 50,
        "gamma": 4.0,
        "epsilon0": 1.0,
    }


@pytest.mark.parametrize("test", [WIDE, RELATIVE])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("count", [1, 10, 50_000])
def test_the_smallest_composition_is_the_total(
    test: PrivacyTest, protocol: Protocol, count: int
) -> None:
    figures = account(test, count, 1e-6, **options(protocol))
    unit, t = figures.unit, figures.t
    assert unit is not None
    assert t is not None
    each = Budget(unit_epsilon(unit, t), unit_delta(unit, t))
    assert figures.each == each
    assert figures.sequential == composition.sequential(each, count)
    assert figures.advanced == composition.compose_advanced(each, count, 1e-6 - count * each.delta)
    assert figures.optimal == composition.optimal(each, count, 1e-6)
    assert figures.composition is not None
    assert figures.total == figures.record == getattr(figures, figures.composition)
    for other in (figures.sequential, figures.advanced, figures.optimal):
        assert figures.total.epsilon <= other.epsilon
    assert figures.sequential.delta <= 1e-6
    assert figures.advanced.delta == pytest.approx(1e-6)
    assert figures.total.delta <= 1e-6


@given(
    test=st.one_of(
        st.builds(
            PlausibleDeniability,
            k=st.integers(2, 300),
            gamma=st.sampled_from([1.5, 4.0]),
            epsilon0=st.floats(0.05, 5),
        ),
        st.builds(RelativeSensitivity, k=st.integers(2, 300), epsilon0=st.floats(0.05, 5)),
    ),
    count=st.integers(0, 25).map(lambda power: int(1.9**power)),
    exponent=st.floats(-20, -6.1),
    protocol=st.sampled_from(PROTOCOLS),
    seeds=st.sampled_from([None, 300, 1_000_000]),
    equal=st.booleans(),
)
def test_it_is_stated_at_the_best_t(
    test: PrivacyTest,
    count: int,
    exponent: float,
    protocol: Protocol,
    seeds: int | None,
    equal: bool,
) -> None:
    delta = 10.0**exponent
    given_ = {**options(protocol), "seeds_at_least": seeds, "equal_likelihood": equal}
    unit = unit_of(test, seeds, given_.get("pass_floor"), equal)
    assert unit is not None
    totals = [total_epsilon_at(unit, t, count, delta) for t in range(1, test.k)]
    try:
        figures = account(test, count, delta, **given_)
    except Refusal:
        assert min(totals) == math.inf
        return
    assert figures.total.epsilon <= min(totals) * (1 + 1e-12)
    assert figures.total.delta <= delta
    assert figures.t == account(test, count, delta, t=figures.t, **given_).t


def test_a_t_that_leaves_no_slack_has_no_advanced_composition() -> None:
    delta = unit_delta(Unit(50, 1.0, 4.0, "laplace"), 29)
    figures = account(CENSUS, 1, delta, t=29)
    assert not figures.advanced.bounded
    assert figures.composition == "sequential"
    assert figures.total == figures.each == figures.sequential
    assert figures.total.delta == delta
    assert as_data(figures)["composition"]["advanced"]["epsilon"] is None


def test_equal_likelihoods_count_gamma_as_one() -> None:
    figures = account(CENSUS, 1, 1e-9, t=29, equal_likelihood=True)
    assert figures.attempt.epsilon == pytest.approx(1 + math.log1p(1 / 29), rel=1e-14)
    assert as_data(figures)["equal_likelihood"] is True
    differing = account(CENSUS, 1, 1e-9, t=29)
    assert differing.attempt.epsilon == pytest.approx(
        1 + math.log1p(4 * LIKELIHOOD_ROUNDING / 29), rel=1e-14
    )


@pytest.mark.parametrize("test", [WIDE, RELATIVE])
def test_the_pass_cap_is_that_of_one_attempt(test: PrivacyTest) -> None:
    without, certain = (account(test, 1000, 1e-9, seeds_at_least=n) for n in (None, 735_000))
    assert without.pass_cap is None
    assert "pass_cap" not in as_data(without)
    assert certain.pass_cap == pass_cap(certain.attempt.epsilon, 735_000, epsilon0=0.001)
    assert as_data(certain)["pass_cap"] == certain.pass_cap
    # So many seeds make the added one's own attempts rare, which a smaller δ pays for.
    assert certain.total.epsilon < 0.99 * without.total.epsilon
    same = account(test, 1000, 1e-9, t=without.t, seeds_at_least=735_000)
    assert same.attempt.epsilon == without.attempt.epsilon
    assert same.attempt.delta * 735_001 == pytest.approx(without.attempt.delta)


@pytest.mark.parametrize("protocol", ["releases", "published"])
def test_rejections_that_are_left_aside_need_no_pass_cap(protocol: Protocol) -> None:
    figures = account(RELATIVE, 1000, 1e-9, seeds_at_least=735_000, **options(protocol))
    assert figures.pass_cap is None
    assert as_data(figures)["pass_cap"] is None


def test_a_slot_pays_for_its_attempts() -> None:
    attempts = account(RELATIVE, 1000, 1e-9, t=20_000)
    slots = account(RELATIVE, 1000, 1e-9, t=20_000, protocol="releases", pass_floor=0.2)
    delta = attempts.attempt.delta
    assert slots.attempt == attempts.attempt
    assert slots.each == Budget(attempts.each.epsilon, delta / (0.2 - delta))
    figures = as_data(slots)
    assert figures["slot"]["delta"] == slots.each.delta
    assert figures["pass_floor"] == 0.2
    assert "slot" not in as_data(attempts)


def test_published_is_the_composition_of_what_the_theorem_says() -> None:
    figures = account(RELATIVE, 1000, 1e-9, protocol="published")
    assert figures.each == figures.attempt
    assert figures.record == composition.optimal(figures.attempt, 1000, 1e-9)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_says_what_a_reader_sees(protocol: Protocol) -> None:
    figures = as_data(account(RELATIVE, 5, 1e-9, **options(protocol)))
    assert figures["protocol"] == protocol
    assert figures["reader_sees"] == READER_SEES[protocol]
    assert figures["attempts"] == 5


def test_sampling_amplifies_what_is_said_of_populations_alone() -> None:
    plain, sampled = account(CENSUS, 5, 1e-8), account(CENSUS, 5, 1e-8, sampling=0.01)
    assert sampled.attempt == plain.attempt
    assert sampled.record == sampled.person == plain.total
    assert sampled.total == plain.total
    assert sampled.population == composition.amplified_by_sampling(plain.total, 0.01)
    figures = as_data(sampled)
    assert figures["total"]["neighbours"] == "tables"
    assert figures["total"]["epsilon"] == plain.total.epsilon
    assert figures["population"]["neighbours"] == "populations"
    assert figures["population"]["sampling"] == 0.01
    assert figures["population"]["epsilon"] == sampled.population.epsilon
    assert "secret random sample" in figures["covers"]
    assert "population" not in as_data(plain)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("records", [2, 5])
def test_a_person_of_several_records(protocol: Protocol, records: int) -> None:
    given_ = {**options(protocol), "seeds_at_least": 735_000}
    figures = account(RELATIVE, 200, 1e-9, records_per_person=records, **given_)
    assert figures.total == group_privacy(figures.record, records)
    assert figures.total.delta <= 1e-9
    assert figures.record.delta <= figures.record_delta < 1e-9 / records
    # The δ for one record is the largest that leaves that much.
    assert figures.total.delta == pytest.approx(1e-9, rel=1e-3)
    more = account(RELATIVE, 200, figures.record_delta * (1 + 1e-7), **given_)
    assert group_privacy(Budget(more.record.epsilon, more.record_delta), records).delta > 1e-9
    # It is an account for one record at that δ.
    one = account(RELATIVE, 200, figures.record_delta, **given_)
    assert (one.record, one.t, one.pass_cap) == (figures.record, figures.t, figures.pass_cap)
    words = as_data(figures)
    assert words["records_per_person"] == records
    assert words["record"]["epsilon"] == figures.record.epsilon
    assert f"up to {records} seed records of one person" in words["covers"]


def test_sampling_comes_after_grouping() -> None:
    figures = account(RELATIVE, 200, 1e-9, records_per_person=3, sampling=0.1)
    assert figures.person == group_privacy(figures.record, 3)
    assert figures.population == composition.amplified_by_sampling(figures.person, 0.1)
    wrong = group_privacy(composition.amplified_by_sampling(figures.record, 0.1), 3)
    assert figures.population.epsilon > wrong.epsilon
    assert figures.total == figures.person


@pytest.mark.parametrize("test", [DETERMINISTIC, RelativeSensitivity(k=50, epsilon0=None)])
@pytest.mark.parametrize("records", [1, 3])
def test_the_deterministic_test_promises_nothing(test: PrivacyTest, records: int) -> None:
    figures = account(
        test, 100, 1e-9, seeds_at_least=10_000, sampling=0.1, records_per_person=records
    )
    nothing = (figures.unit, figures.t, figures.composition, figures.pass_cap)
    assert nothing == (None,) * 4
    assert not figures.total.bounded
    assert account(test, 100, 1e-9).total == Budget.unbounded()
    assert as_data(figures)["total"]["epsilon"] is None
    assert "no differential privacy" in coverage(figures)


@pytest.mark.parametrize("test", [CENSUS, DETERMINISTIC, RelativeSensitivity(k=50, epsilon0=1)])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "extras",
    [
        {},
        {
            "seeds_at_least": np.int64(10_000),
            "sampling": np.float64(0.5),
            "records_per_person": np.int64(2),
            "t": np.int64(20),
        },
    ],
)
def test_the_account_is_strict_json(
    test: PrivacyTest, protocol: Protocol, extras: dict[str, Any]
) -> None:
    figures = as_data(account(test, np.int64(3), np.float64(1e-9), **options(protocol), **extras))
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


REFUSED = [
    ("attempts", {"count": 0}),
    ("attempts", {"count": -5}),
    ("attempts", {"count": 2.5}),
    ("attempts", {"count": True}),
    ("attempts", {"count": MOST_UNITS + 1}),
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
    ("pass_floor", {"pass_floor": 0.1}),
    ("pass_floor", {"protocol": "releases"}),
    ("pass_floor", {"protocol": "releases", "pass_floor": 0.0}),
    ("pass_floor", {"protocol": "published", "pass_floor": 0.1}),
    ("records_per_person", {"records_per_person": 0}),
    ("records_per_person", {"records_per_person": 1.5}),
    ("records_per_person", {"records_per_person": 100, "count": 1_000}),
    ("sampling", {"sampling": 0.0}),
    ("sampling", {"sampling": 1.5}),
    ("k", {"test": PlausibleDeniability(k=1, gamma=4, epsilon0=1)}),
    (
        "k",
        {"test": PlausibleDeniability(k=1, gamma=4, epsilon0=1), "records_per_person": 2},
    ),
]


@pytest.mark.parametrize(("field", "change"), REFUSED)
def test_a_number_out_of_range_is_refused(field: str, change: dict[str, Any]) -> None:
    asked = {"test": CENSUS, "count": 1, "delta": 1e-9, **change}
    with pytest.raises(Refusal) as refusal:
        account(**asked)
    assert refusal.value.field == field
    assert refusal.value.problem.endswith(".")
    assert refusal.value.remedy.endswith(".")


def test_as_many_seeds_as_k_are_enough() -> None:
    cap = account(CENSUS, 1, 1e-9, seeds_at_least=50).pass_cap
    assert cap is not None
    assert 0 < cap < 1


@pytest.mark.parametrize(
    ("test", "count", "delta"),
    [
        (CENSUS, 1, 1e-9),
        (CENSUS, 20, 1e-7),
        (WIDE, 1, 1e-6),
        (WIDE, 100, 1e-6),
        (RELATIVE, 10_000, 1e-6),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_total_is_that_of_the_tightest_account(
    test: PrivacyTest, count: int, delta: float, protocol: Protocol
) -> None:
    figures = account(test, count, delta, **options(protocol))
    tightest = independent(figures)
    assert tightest * (1 - 1e-6) <= figures.total.epsilon <= tightest * (1 + 1e-6)


def independent(figures: Account) -> float:
    """The total by dp-accounting, on a lattice as wide as ε, where the loss is exact."""
    each = figures.each
    loss = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(each.epsilon, each.delta),
        value_discretization_interval=each.epsilon,
    ).self_compose(figures.count)
    # A hair of δ for their own rounding, as m·δ_t is all but attained.
    return float(loss.get_epsilon_for_delta(figures.total.delta * (1 + 1e-9)))


TABLE = {
    1: (0.0010278, 0.0054989, 0.0010266),
    10: (0.010333, 0.017193, 0.0093246),
    100: (0.10353, 0.054566, 0.034706),
    1_000: (1.0383, 0.17381, 0.1207),
    10_000: (10.414, 0.55887, 0.41512),
    100_000: (104.51, 1.8492, 1.4376),
    1_000_000: (1049.4, 6.6304, 5.1762),
}
"""Sequential, advanced and optimal composition as docs/guarantee.md shows them."""


@pytest.mark.parametrize("count", TABLE)
def test_optimal_composition_beats_advanced_by_the_margin_shown(count: int) -> None:
    figures = account(RELATIVE, count, 1e-6, protocol="published")
    found = [each.epsilon for each in (figures.sequential, figures.advanced, figures.optimal)]
    assert found == pytest.approx(TABLE[count], rel=5e-5)
    assert figures.composition == "optimal"
    assert figures.optimal.epsilon < 0.79 * figures.advanced.epsilon


def test_an_account_can_be_varied() -> None:
    figures = account(RELATIVE, 1000, 1e-9)
    assert replace(figures, count=2000).sequential.epsilon == 2 * figures.sequential.epsilon


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seeds", [None, 735_000])
def test_a_t_by_hand_that_costs_more_than_the_delta_asked_for_is_refused(
    protocol: Protocol, seeds: int | None
) -> None:
    asked = {**options(protocol), "seeds_at_least": seeds}
    t = account(RELATIVE, 200, 1e-9, **asked).t
    assert t is not None
    unit = unit_of(RELATIVE, seeds, asked.get("pass_floor"), False)
    spent = 200 * unit_delta(unit, t)
    assert account(RELATIVE, 200, 1.001 * spent, t=t, **asked).total.delta <= 1.001 * spent
    for share in (0.3, 0.9, 0.999):
        with pytest.raises(Refusal) as refused:
            account(RELATIVE, 200, share * spent, t=t, **asked)
        assert refused.value.field in ("t", "delta")


def refused(call: Callable[[], None]) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        call()
    assert refusal.value.problem.endswith(".")
    assert refusal.value.remedy.endswith(".")
    return refusal.value


@pytest.mark.parametrize("count", [0, -5, 2.5, True, "7", None, accountant.MOST_UNITS + 1])
@pytest.mark.parametrize(
    ("protocol", "what"),
    [("attempts", "attempts"), ("releases", "records"), ("published", "records")],
)
def test_a_count(count: object, protocol: Protocol, what: str) -> None:
    refusal = refused(lambda: accountant.check_count(count, protocol))
    assert refusal.field == "attempts"
    assert f"number of {what} has" in refusal.problem
    for allowed in (1, np.int64(3), accountant.MOST_UNITS):
        accountant.check_count(allowed, protocol)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan, math.inf, "1e-9", None, True])
def test_a_delta(delta: object) -> None:
    assert refused(lambda: accountant.check_delta(delta)).field == "delta"
    accountant.check_delta(1e-300)
    accountant.check_delta(np.float64(0.5))


@pytest.mark.parametrize("t", [0, 50, 51, 2.5, True])
def test_a_t(t: object) -> None:
    assert refused(lambda: accountant.check_t(t, 50)).field == "t"
    accountant.check_t(1, 50)
    accountant.check_t(49, 50)


@pytest.mark.parametrize("seeds", [0, -1, 99.5, True, 10**19])
def test_a_bound_on_the_seeds(seeds: object) -> None:
    assert refused(lambda: accountant.check_seeds(1e-9, seeds)).field == "seeds_at_least"  # type: ignore[arg-type]
    accountant.check_seeds(1e-9, None, 10**9)
    accountant.check_seeds(1e-9, 50, 50)


def test_a_bound_on_the_seeds_against_k_and_delta() -> None:
    assert refused(lambda: accountant.check_seeds(1e-9, 49, 50)).field == "k"
    assert refused(lambda: accountant.check_seeds(1e-3, 1_000, 50)).field == "delta"
    accountant.check_seeds(0.99e-3, 1_000, 50)


@pytest.mark.parametrize("floor", [None, 0.0, -0.1, 1.01, math.nan, "0.1", True])
def test_a_pass_floor(floor: object) -> None:
    assert refused(lambda: accountant.check_floor(floor, "releases")).field == "pass_floor"
    accountant.check_floor(0.1, "releases")
    accountant.check_floor(1, "releases")


@pytest.mark.parametrize("protocol", ["attempts", "published"])
def test_a_pass_floor_belongs_to_releases(protocol: Protocol) -> None:
    assert refused(lambda: accountant.check_floor(0.1, protocol)).field == "pass_floor"
    accountant.check_floor(None, protocol)


@pytest.mark.parametrize("records", [0, -1, 1.5, True, None, 1001])
def test_records_per_person(records: object) -> None:
    assert refused(lambda: accountant.check_group(records)).field == "records_per_person"
    accountant.check_group(1)
    accountant.check_group(np.int32(1000))


def words(count: int = 100, **options: Any) -> str:
    return coverage(account(CENSUS, count, 1e-7, **options))


def test_attempts_without_a_bound_on_the_seeds() -> None:
    assert "one seed record" in words()
    assert "100 attempts" in words()
    assert "leaves out the rejections" in words()


def test_attempts_with_one() -> None:
    said = words(1, seeds_at_least=735_000)
    assert "1 attempt can" in said
    assert "rejections alike" in said
    assert "735,000 seeds" in said
    cap = account(CENSUS, 1, 1e-7, seeds_at_least=735_000).pass_cap
    assert f"probability {cap:.3g}" in said


def test_releases_count_on_their_floor() -> None:
    said = words(protocol="releases", pass_floor=0.125, seeds_at_least=735_000)
    assert "100 released records, provided that nobody learns how many attempts" in said
    assert "at least 12.5 % of all attempts passing" in said
    assert "at least 735,000 seeds" in said
    assert "seeds." not in words(protocol="releases", pass_floor=0.125)
    assert "1 released record," in words(1, protocol="releases", pass_floor=0.125)


def test_published_is_for_comparison() -> None:
    assert "rejections ignored" in words(protocol="published")
    assert "A real reader sees more" in words(protocol="published")


def test_persons_and_samples() -> None:
    said = words(2, records_per_person=3, sampling=0.25)
    assert "up to 3 seed records of one person" in said
    assert "secret random sample" in said
    assert "probability 0.25" in said


@pytest.mark.parametrize("kind", [PlausibleDeniability, RelativeSensitivity])
def test_without_noise_nothing_is_promised(kind: type) -> None:
    more = {"gamma": 4} if kind is PlausibleDeniability else {}
    said = coverage(account(kind(k=1_234, epsilon0=None, **more), 100, 1e-7))
    assert "no differential privacy" in said
    assert "at least 1,234 plausible seeds" in said


def test_every_protocol_says_what_a_reader_sees() -> None:
    assert set(READER_SEES) == set(get_args(Protocol))
    assert "how many of them released nothing" in READER_SEES["attempts"]
    assert "not how many attempts" in READER_SEES["releases"]
    assert "no run is made" in READER_SEES["published"]


def test_what_is_counted() -> None:
    assert [unit_name(protocol) for protocol in get_args(Protocol)] == [
        "attempt",
        "record",
        "record",
    ]
    assert units_in_words(1, "attempt") == "1 attempt"
    assert units_in_words(20_000, "record") == "20,000 records"
