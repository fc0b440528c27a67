"""Noisy tables that are released: their intervals, and what is found wrong with others."""

from __future__ import annotations

import copy
import math
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests.engine.runs.asked import SCHEMA as ASKED_SCHEMA
from tests.engine.runs.asked import table
from tests.engine.table.builders import grouped
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.categorical import ConditionalTable
from understudy.models.marks import EVEN, KEPT, MARKED, TARGETED, Marks
from understudy.models.noisy_tables import (
    FAILING,
    LAWS,
    Law,
    NoisyTable,
    reach,
    table_figures,
    unlike,
)
from understudy.models.tilts import CAP, LOST, Tilt, Tilts
from understudy.models.views import Rows, View
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

SIZES = (2, 4, 3)
SCHEMA = category_schema(*SIZES, halves=frozenset({1}))
UNIVERSE = np.array([*product(*map(range, SIZES))], dtype=np.uint16).T


def network(tilts: Tilts | None = None) -> BayesianNetwork:
    rng = np.random.default_rng(1)
    tables = tuple(
        ConditionalTable.from_probabilities(rng.dirichlet(np.ones(values), rows))
        for rows, values in ((1, 2), (2, 4), (2, 3))
    )
    return BayesianNetwork(SCHEMA, Structure.of([(), (0,), (1,)]), tables, tilts)


def plain() -> np.ndarray:
    """The law of the network without tilts."""
    made = network()
    return np.exp(sum(made.log_likelihood(each, list(UNIVERSE)) for each in range(3)))


def tilts(steep: float) -> tuple[Tilt, Tilt]:
    rng = np.random.default_rng(2)
    return (
        Tilt((View(0), View(2)), steep * rng.normal(size=6)),
        Tilt((View(1, level=1),), steep * np.array([-0.5, 0.5])),
    )


def tilted(steep: float) -> tuple[BayesianNetwork, np.ndarray]:
    """A network whose tilts have the exact average, and its law written out."""
    each = tilts(steep)
    logs = np.array(
        [
            each[0].logs[3 * record[0] + record[2]] + each[1].logs[record[1] // 2]
            for record in UNIVERSE.T.astype(int).tolist()
        ]
    )
    average = float(np.log(plain() @ np.exp(logs)))
    law = plain() * np.minimum(CAP, np.exp(logs - average))
    return network(Tilts(SCHEMA, each, average)), law / law.sum()


@pytest.mark.parametrize("steep", [0.0, 0.7, 4.0])
def test_records_follow_the_network_times_its_capped_tilts(steep: float) -> None:
    made, law = tilted(steep)
    drawn = made.records(60_000, RandomSource.fixed(3)).astype(int)
    counts = np.bincount(12 * drawn[0] + 3 * drawn[1] + drawn[2], minlength=24)
    assert chisquare(counts, law * counts.sum()).pvalue > 1e-3
    assert steep == 0 or chisquare(counts, plain() * counts.sum()).pvalue < 1e-3


def test_the_cap_binds_where_tilts_are_steep() -> None:
    made, law = tilted(4.0)
    assert made.tilts is not None
    uncapped = plain() * made.tilts.acceptance(list(UNIVERSE)) ** 0
    accepted = made.tilts.acceptance(list(UNIVERSE))
    assert (accepted == 1).any()
    assert (accepted > 0).all()
    assert law == pytest.approx(uncapped * accepted / (uncapped @ accepted))


def test_the_average_weight_of_what_the_network_draws_is_one() -> None:
    drawn = network().records(5_000, RandomSource.fixed(1))
    found = Tilts.of(Rows(SCHEMA, list(drawn)), tilts(0.7))
    accepted = found.acceptance(list(drawn))
    assert accepted.mean() * found.cap == pytest.approx(1)
    assert 1 < found.cap < CAP


@pytest.mark.parametrize("steep", [0.0, 0.3, 1.5])
def test_the_cap_is_the_least_that_loses_hardly_any_weight(steep: float) -> None:
    rows = Rows(SCHEMA, list(network().records(20_000, RandomSource.fixed(1))))
    found = Tilts.of(rows, tilts(steep))
    logs = sum(each.logs[rows.cell_numbers(each.marginal)] for each in found.each)
    weights = np.exp(logs) / np.exp(logs).mean()

    def lost(cap: float) -> float:
        return float(np.maximum(weights - cap, 0).mean())

    assert 1 <= found.cap <= CAP
    assert lost(found.cap) <= LOST + 1e-9 or found.cap == CAP
    below = weights[weights < found.cap * (1 - 1e-9)].max(initial=0.0)
    assert found.cap == 1 or lost(below) > LOST


@pytest.mark.parametrize("count", [0, 1, 7, 64, 1_000])
def test_as_many_records_as_are_asked_for(count: int) -> None:
    made, _ = tilted(4.0)
    drawn = made.records(count, RandomSource.fixed(4))
    assert drawn.shape == (3, count)
    assert drawn.dtype == np.uint16
    assert np.array_equal(drawn, made.records(count, RandomSource.fixed(4)))


def one_by_one(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(2, 4, 3) shares among so many records, each a batch of its own, and their law."""
    made, law = tilted(0.7)
    source = RandomSource.fixed(5)
    drawn = np.concatenate([made.records(1, source) for _ in range(count)], axis=1).astype(int)
    shares = np.bincount(12 * drawn[0] + 3 * drawn[1] + drawn[2], minlength=24) / count
    return shares.reshape(SIZES), law.reshape(SIZES)


def test_pairs_drawn_one_by_one_are_close_to_the_same_law() -> None:
    """A batch of one is chosen from 64 proposals, which leaves its law as good as it is."""
    shares, law = (each.sum(axis=1) for each in one_by_one(1_500))
    assert np.abs(shares - law).sum() / 2 < 0.04
    assert np.abs(shares - plain().reshape(SIZES).sum(axis=1)).sum() / 2 > 0.08


@pytest.mark.thorough("test_pairs_drawn_one_by_one_are_close_to_the_same_law")
def test_records_drawn_one_by_one_are_close_to_the_same_law() -> None:
    shares, law = one_by_one(6_000)
    assert np.abs(shares - law).sum() / 2 < 0.04


def test_columns_of_records_are_in_no_order() -> None:
    """The first half of a batch is as the second."""
    made, law = tilted(0.7)
    drawn = made.records(40_000, RandomSource.fixed(6)).astype(int)
    for half in (drawn[:, :20_000], drawn[:, 20_000:]):
        shares = np.bincount(12 * half[0] + 3 * half[1] + half[2], minlength=24) / 20_000
        assert np.abs(shares - law).max() < 0.015


def test_a_network_without_tilts_is_drawn_as_its_tables_say() -> None:
    drawn = network().records(40_000, RandomSource.fixed(7)).astype(int)
    counts = np.bincount(12 * drawn[0] + 3 * drawn[1] + drawn[2], minlength=24)
    assert chisquare(counts, plain() * counts.sum()).pvalue > 1e-3
    assert not network().is_tilted
    assert tilted(1.0)[0].is_tilted


def test_tilts_that_share_attributes_add_up() -> None:
    rng = np.random.default_rng(9)
    marginals = ((View(0), View(1)), (View(1, level=1), View(2)), (View(2), View(0)))
    sizes = (8, 6, 6)
    each = [
        Tilt(marginal, 0.3 * rng.normal(size=size))
        for marginal, size in zip(marginals, sizes, strict=True)
    ]
    rows = Rows(SCHEMA, list(UNIVERSE))
    logs = sum(tilt.logs[rows.cell_numbers(tilt.marginal)] for tilt in each)
    found = Tilts(SCHEMA, tuple(each), 0.1).acceptance(list(UNIVERSE))
    assert found == pytest.approx(np.minimum(1.0, np.exp(logs - 0.1) / CAP))


@pytest.mark.parametrize("steep", [0.0, 0.7, 4.0])
def test_the_effective_share_is_that_of_the_weights(steep: float) -> None:
    made, _ = tilted(steep)
    assert made.tilts is not None
    found = made.effective(50_000, RandomSource.fixed(8))
    weights = made.tilts.acceptance(list(UNIVERSE))
    expected = (plain() @ weights) ** 2 / (plain() @ weights**2)
    assert found == pytest.approx(expected, rel=0.02)
    assert (found == pytest.approx(1)) == (steep == 0)
    assert network().effective(10, RandomSource.fixed(8)) is None


NAMES = tuple("abcdef")


def groups() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True).map(tuple)


MARKS = st.builds(
    Marks,
    target=st.none() | st.sampled_from(NAMES),
    columns=st.lists(st.sampled_from(NAMES), unique=True, max_size=3).map(tuple),
    together=st.lists(groups(), max_size=3).map(tuple),
)


def plainly(marks: Marks, pair: tuple[str, str]) -> float:
    """What a pair weighs, read off the marks one by one."""
    weights = [1.0]
    weights += [MARKED for group in marks.together if {*pair} <= {*group}]
    weights += [TARGETED] if marks.target in pair else []
    weights += [KEPT] if {*pair} & {*marks.columns} else []
    return max(weights)


@given(MARKS)
def test_a_pair_weighs_as_the_strongest_of_its_marks(marks: Marks) -> None:
    found = marks.importance(NAMES)
    square = found.of_pairs(len(NAMES))
    for one, other in combinations(range(len(NAMES)), 2):
        weight = plainly(marks, (NAMES[one], NAMES[other]))
        assert found.of((one, other)) == square[one, other] == square[other, one] == weight
    for place, weight in enumerate(found.of_columns(len(NAMES))):
        marked = NAMES[place] in (*marks.columns, marks.target)
        assert weight == (KEPT if marked else 1.0)
    triples = {tuple(sorted(map(NAMES.index, each))) for each in marks.together if len(each) == 3}
    assert {*found.triples} == triples
    assert bool(found) == bool(marks)


def test_without_marks_all_weigh_the_same() -> None:
    assert Marks().importance(NAMES) is EVEN
    assert not EVEN
    assert (EVEN.of_pairs(3) == np.ones((3, 3))).all()


@pytest.mark.parametrize("group", [(), ("a",), ("a", "a"), ("a", "b", "c", "d")])
def test_two_or_three_different_columns_are_marked_together(group: tuple[str, ...]) -> None:
    with pytest.raises(Refusal, match="cannot be marked together"):
        Marks(together=(group,))


@given(MARKS)
def test_what_is_left_of_marks_fits_the_columns_that_are_there(marks: Marks) -> None:
    left = marks.among(NAMES[:3])
    left.check(NAMES[:3])
    assert left.among(NAMES) == left
    marks.check(NAMES)


@pytest.mark.parametrize(
    ("marks", "field"),
    [
        (Marks(target="z"), "marks.target"),
        (Marks(columns=("a", "z")), "marks.columns"),
        (Marks(together=(("a", "z"),)), "marks.together"),
    ],
)
def test_a_mark_on_what_is_no_column_is_refused(marks: Marks, field: str) -> None:
    with pytest.raises(Refusal, match="“z” is marked to survive, and is no column") as refused:
        marks.check(NAMES)
    assert refused.value.field == field


def test_each_mark_is_a_group_of_columns() -> None:
    marks = Marks(target="b", columns=("a",), together=(("c", "a"),))
    assert marks.groups("abc") == (("c", "a"), ("a",), ("b", "a"), ("b", "c"))


@cache
def seed() -> RandomSource:
    """Of the process that asks for it first, as a source belongs to one."""
    return RandomSource.fixed(4)


def learned(budget: Budget) -> tuple[NoisyTable, ...]:
    learner = CalibratedLearner.within(ASKED_SCHEMA, budget)
    return learner.learn(table(3000), Noise(seed().child()), seed().child()).answers


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [0.4, 1.0, 3.3, 40.0])
def test_an_interval_is_as_wide_as_the_law_asks_and_no_wider(law: Law, scale: float) -> None:
    places = np.arange(-2000, 2001)
    power = np.abs(places) / scale if law == "geometric" else places**2 / (2 * scale**2)
    weights = np.exp(-power)
    weights /= weights.sum()

    def outside(within: int) -> float:
        return math.fsum(weights[np.abs(places) > within])

    found = reach(law, scale)
    assert outside(found) <= FAILING + 1e-12
    assert found == 0 or outside(found - 1) > FAILING


def test_what_a_model_was_learned_from_lies_about_the_true_counts() -> None:
    found, rows = learned(Budget(5.0, 1e-6)), Rows.of(table(3000))
    assert {len(each.marginal) for each in found} == {1, 2}
    off = [np.abs(each.counts - rows.counts(each.marginal)) > each.within for each in found]
    shares = np.concatenate(off)
    assert (
        np.concatenate([each.counts != rows.counts(each.marginal) for each in found]).mean() > 0.0
    )
    assert shares.mean() <= 0.1
    for each in found:
        again = NoisyTable.of(each.arrays())
        assert (again.marginal, again.law, again.scale) == (each.marginal, each.law, each.scale)
        np.testing.assert_array_equal(again.counts, each.counts)


def test_without_noise_nothing_is_told() -> None:
    assert learned(Budget.unbounded()) == ()


def test_tables_that_are_changed_are_found() -> None:
    figures: dict[str, Any] = table_figures(learned(Budget(5.0)), ASKED_SCHEMA)
    assert unlike(figures, ASKED_SCHEMA) is None
    changes = (
        ("counts", [1]),
        ("counts", [0.5] * len(figures["tables"][0]["counts"])),
        ("shape", [99]),
        ("noise", "none"),
        ("noise_scale", 0.0),
        ("within", 0),
    )
    for name, value in changes:
        changed = copy.deepcopy(figures)
        changed["tables"][0][name] = value
        assert unlike(changed, ASKED_SCHEMA) is not None, name
    changed = copy.deepcopy(figures)
    changed["tables"][0]["columns"] = ["no column"]
    with pytest.raises(ValueError, match="not in tuple"):
        unlike(changed, ASKED_SCHEMA)


def test_a_table_of_further_levels_says_which_and_is_checked_by_them() -> None:
    schema = Schema(columns=(grouped((12, 6, 3)), grouped((4, 2), "other")))
    told = NoisyTable((View(0, 2), View(1, 1)), np.arange(6), "geometric", 2.0)
    assert NoisyTable.of(told.arrays()).marginal == told.marginal
    figures: dict[str, Any] = table_figures([told], schema)
    assert figures["tables"][0]["levels"] == [2, 1]
    assert unlike(figures, schema) is None
    for changed in ([1, 1], [0, 1], [2, 0]):
        figures["tables"][0]["levels"] = changed
        assert unlike(figures, schema) is not None
    usual = NoisyTable((View(0, 1), View(1)), np.arange(24), "geometric", 2.0)
    assert "levels" not in usual.as_figures(schema)
