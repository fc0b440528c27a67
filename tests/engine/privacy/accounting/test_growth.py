"""The curves drawn from an account."""

from typing import Any

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.privacy.accounting.accountant import MOST_UNITS, account
from understudy.privacy.accounting.growth import growth, tradeoff
from understudy.privacy.accounting.unit import unit_of
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)

CENSUS = PlausibleDeniability(k=50, gamma=4, epsilon0=1)
WIDE = PlausibleDeniability(k=50_000, gamma=4, epsilon0=0.001)
RELATIVE = RelativeSensitivity(k=50_000, epsilon0=0.001)
DETERMINISTIC = PlausibleDeniability(k=50, gamma=4, epsilon0=None)


@pytest.mark.parametrize("test", [WIDE, RELATIVE])
@pytest.mark.parametrize("t", [None, 20_000])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"equal_likelihood": True, "seeds_at_least": 735_000},
        {"protocol": "releases", "pass_floor": 0.1},
        {"protocol": "published"},
    ],
)
def test_growth_is_the_account_at_each_count(
    test: PrivacyTest, t: int | None, options: dict[str, Any]
) -> None:
    counts = [1, 7, 300, 20_000, 10**6]
    curve = growth(account(test, 1, 1e-6, **options), counts, t=t)
    assert curve.count.tolist() == counts
    for place, count in enumerate(counts):
        figures = account(test, count, 1e-6, t=t, **options)
        assert curve.t[place] == figures.t
        for name in ("sequential", "advanced", "optimal", "total"):
            epsilon = getattr(figures, name).epsilon
            assert getattr(curve, name)[place] == pytest.approx(epsilon, rel=1e-12)


def test_growth_of_a_person_is_for_one_record() -> None:
    figures = account(RELATIVE, 100, 1e-6, records_per_person=3)
    assert growth(figures, [100]).total[0] == pytest.approx(figures.record.epsilon, rel=1e-12)


@pytest.mark.parametrize("t", [None, 10])
def test_growth_has_a_gap_where_nothing_is_promised(t: int | None) -> None:
    narrow = account(PlausibleDeniability(k=20, gamma=4, epsilon0=1), 1, 1e-4)
    curve = growth(narrow, [1, 10, 10**6], t=t)
    assert np.isnan(curve.total).tolist() == [False, t is not None, True]
    assert (curve.t == 0).tolist() == [False, t is not None, True]
    assert np.isnan(growth(account(DETERMINISTIC, 1, 1e-4), [1, 2]).total).all()
    assert growth(account(CENSUS, 1, 1e-9), []).total.size == 0


def test_a_t_that_leaves_no_slack_has_no_advanced_composition() -> None:
    unit = unit_of(CENSUS)
    assert unit is not None
    delta = float(unit.delta(np.array(29)))
    figures = account(CENSUS, 1, delta, t=29)
    curve = growth(figures, [1], t=29)
    assert curve.total.tolist() == [figures.total.epsilon]
    assert np.isnan(curve.advanced).all()


def test_growth_refuses_what_the_account_refuses() -> None:
    figures = account(CENSUS, 1, 1e-9)
    for field, arguments in (
        ("attempts", {"counts": [1, 0]}),
        ("attempts", {"counts": [1, MOST_UNITS + 1]}),
        ("t", {"counts": [1], "t": 50}),
        ("t", {"counts": [1], "t": 0}),
    ):
        with pytest.raises(Refusal) as refusal:
            growth(figures, **arguments)
        assert refusal.value.field == field


@pytest.mark.parametrize(
    "options", [{}, {"seeds_at_least": 735_000}, {"protocol": "releases", "pass_floor": 0.1}]
)
def test_tradeoff_runs_over_every_t(options: dict[str, Any]) -> None:
    figures = account(CENSUS, 1, 1e-9, **options)
    t, epsilon, delta = tradeoff(figures)
    assert t.tolist() == list(range(1, 50))
    for place in (0, 28, 40):
        stated = account(
            CENSUS, 1, 1e-6 if "seeds_at_least" in options else 0.9, t=int(t[place]), **options
        ).each
        assert (epsilon[place], delta[place]) == (stated.epsilon, stated.delta)
    equal = account(CENSUS, 1, 1e-9, equal_likelihood=True)
    assert (tradeoff(equal)[1] < epsilon).all()


def test_tradeoff_of_a_large_k_is_thinned_between_its_ends() -> None:
    t, epsilon, delta = tradeoff(account(WIDE, 1, 1e-9), points=500)
    assert (t[0], t[-1]) == (1, 49_999)
    assert t.size == epsilon.size == delta.size == 500
    assert (np.diff(t) > 0).all()


def test_no_tradeoff_without_a_t() -> None:
    assert [part.size for part in tradeoff(account(DETERMINISTIC, 1, 1e-9))] == [0, 0, 0]
