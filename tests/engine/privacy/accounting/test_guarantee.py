"""What a guarantee says beyond its figures for one record."""

from __future__ import annotations

from dataclasses import replace

from understudy.privacy.accounting.composition import amplified_by_sampling
from understudy.privacy.accounting.guarantee import Guarantee, Scope, group_privacy
from understudy.privacy.budget import Budget

ONE = Budget(1.0, 1e-9)
PLAIN = Guarantee(ONE, Scope("", ""), "")


def test_a_secret_sample_is_of_a_population_whose_figure_is_that_of_whole_people() -> None:
    sampled = replace(PLAIN, sampling=0.1, records_per_person=3)
    assert sampled.population == amplified_by_sampling(group_privacy(ONE, 3), 0.1)
    assert replace(sampled, whole_people=True).population == amplified_by_sampling(ONE, 0.1)


def test_of_a_population_nothing_is_claimed_without_a_sample_or_a_promise() -> None:
    assert PLAIN.population is None
    assert replace(PLAIN, sampling=0.1, record=Budget.unbounded()).population is None


def test_a_method_has_to_say_that_it_makes_outputs_of_single_records() -> None:
    made = Guarantee(ONE, Scope("", ""), "")
    assert not made.reads_records
    assert made.count == 0
    assert made.records_told == 1
