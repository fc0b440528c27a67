"""The search, with its law taken apart: every path that choices can take, and how likely it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np
import pytest

from understudy.core.arrays import IntArray
from understudy.core.progress import on_stage, read_count
from understudy.mechanisms.pmse.choosing import (
    Setting,
    Stage,
    around,
    evenly,
    over,
    score_candidates,
    search,
    stages_of,
)
from understudy.mechanisms.pmse.gini import Gini
from understudy.mechanisms.pmse.simulating import Made, common
from understudy.mechanisms.pmse.units import lines_of, units_of
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=(
        Column(name="x", domain=Grid(minimum=Decimal(0), maximum=Decimal(3))),
        Column(name="y", domain=Categories(values=("a", "b"))),
    )
)
EPSILON = 1.5
CANDIDATES = 3


def setting(partitions: Any = "depth-two", made: int = 6) -> Setting:
    units = units_of(SCHEMA, SCHEMA.names, 2, narrowest=0.05, middles={})
    return Setting(SCHEMA, units, lines_of(SCHEMA, ()), common(units, made, 1), partitions, 4, 1, 1)


def stages(search: Any = "columns", rounds: int = 1) -> tuple[Stage, ...]:
    found = stages_of(setting().units, search, rounds, 4 * CANDIDATES, 0.5)
    return tuple(
        Stage(s.units, s.round, s.prior, s.share, s.width, CANDIDATES, s.shrinks) for s in found
    )


def flipped(scores: IntArray, scale: float) -> list[float]:
    """The law of permute-and-flip: accepted with e^{(score − best)/scale} in an even order."""
    accepted = np.exp((scores - scores.max()) / scale)
    found = []
    for place in range(len(scores)):
        others = np.delete(accepted, place)
        total = 0.0
        for chosen in product((0, 1), repeat=len(others)):
            size = sum(chosen)
            sign = math.prod(-float(p) for p, c in zip(others, chosen, strict=True) if c)
            total += sign / (size + 1)
        found.append(float(accepted[place]) * total)
    return found


def law(
    codes: Any, planned: tuple[Stage, ...], chances: Callable[[IntArray, float], list[float]]
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every path of choices with its probability."""
    for path in product(range(CANDIDATES), repeat=len(planned)):
        left, probability = list(path), [1.0]

        def select(
            scores: IntArray, share: float, left: Any = left, into: Any = probability
        ) -> int:
            here = left.pop(0)
            into[0] *= chances(scores, share)[here]
            return int(here)

        search(setting(), planned, codes, select)
        yield path, probability[0]


def test_the_whole_search_costs_no_more_than_is_said() -> None:
    """Over every neighbouring pair of a few tables: ln of the ratio of every path."""
    gini, planned = Gini(6), stages()[:3]
    total = sum(each.share for each in planned)

    def chances(scores: IntArray, share: float) -> list[float]:
        return flipped(scores, 2 * gini.sensitivity / (EPSILON * share / total))

    random = np.random.default_rng(2)
    widest = 0.0
    for _ in range(6):
        table = np.column_stack([random.integers(0, 4, 4), random.integers(0, 2, 4)])
        other = table.copy()
        other[0] = 3 - other[0, 0], 1 - other[0, 1]
        one, two = (dict(law(each, planned, chances)) for each in (table, other))
        assert sum(one.values()) == pytest.approx(1)
        widest = max(widest, max(abs(math.log(one[path] / two[path])) for path in one))
    assert 0.1 < widest <= EPSILON


@pytest.mark.parametrize("partitions", ["crossed", "stump", "depth-two", "forest", "guillotine"])
@pytest.mark.parametrize("search_", ["columns", "whole"])
def test_no_record_moves_a_score_further_than_is_said(partitions: Any, search_: Any) -> None:
    random = np.random.default_rng(5)
    made, gini = setting(partitions), Gini(6)
    for stage in stages(search_, 2):
        centre = None if stage.round == 0 else over(stage.prior, 1)[0]
        points = over(stage.prior, 20)
        before = Made()
        if stage.units[0]:
            first = [made.units[place].prior for place in range(stage.units[0])]
            from understudy.mechanisms.pmse.simulating import simulate

            units = made.units[: stage.units[0]]
            chosen = np.concatenate([over(each, 1) for each in first], axis=1)
            chance = made.chance[: len(units)]
            before = simulate(units, made.lines, chosen, Made(), chance)
        for _ in range(5):
            table = np.column_stack([random.integers(0, 4, 5), random.integers(0, 2, 5)])
            other = table.copy()
            other[0] = random.integers(0, 4), 1 - other[0, 1]
            one, two = (
                score_candidates(made, stage, points, before, each, centre)
                for each in (table, other)
            )
            assert np.abs(one - two).max() <= gini.sensitivity


def test_scores_do_not_hang_on_how_many_are_scored_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from understudy.mechanisms.pmse import choosing

    stage = stages("whole")[0]
    points = over(stage.prior, 30)
    codes = np.random.default_rng(1).integers(0, 2, (9, 2))
    together = score_candidates(setting(), stage, points, Made(), codes, None)
    monkeypatch.setattr(choosing, "_MOST", 1)
    alone = score_candidates(setting(), stage, points, Made(), codes, None)
    assert together.tolist() == alone.tolist()


def test_scores_of_a_first_stage_are_made_once() -> None:
    known: dict[int, IntArray] = {}
    codes = np.zeros((5, 2), dtype=np.int64)
    asked: list[IntArray] = []

    def largest(scores: IntArray, _: float) -> int:
        asked.append(scores)
        return int(np.argmax(scores))

    for _ in range(2):
        search(setting(), stages(), codes, largest, known)
    kept = known[0].copy()
    np.testing.assert_array_equal(kept, -asked[0])
    assert not np.array_equal(kept, -asked[1])
    known[0] = np.arange(CANDIDATES)[::-1].copy()
    seen: list[int] = []

    def select(scores: IntArray, _: float) -> int:
        seen.append(int(scores[0]))
        return 0

    search(setting(), stages(), codes, select, known)
    assert seen[0] == -(CANDIDATES - 1)
    assert len(kept) == CANDIDATES


def test_candidates_are_the_same_for_everybody_and_even() -> None:
    points = evenly(4096, 3)
    assert np.array_equal(points, evenly(4096, 3))
    assert ((points > 0) & (points < 1)).all()
    cells = np.ravel_multi_index((points * 4).astype(int).T, (4, 4, 4))
    assert np.abs(np.bincount(cells, minlength=64) - 64).max() <= 12
    prior = setting().units[0].prior
    near = around(prior, prior.low, 0.1, 50)
    assert len(near) == 50
    assert np.array_equal(near[0], prior.low)
    assert ((near >= prior.low) & (near <= prior.high)).all()


@pytest.mark.parametrize("search_", ["columns", "whole"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_shares_come_to_the_whole(search_: Any, rounds: int) -> None:
    found = stages(search_, rounds)
    assert sum(each.share for each in found) == pytest.approx(1, abs=1e-12)
    assert [each.units for each in found[-rounds:]] == [(0, 1)] * rounds
    assert found[0].width == 1
    widths = [each.width for each in found[-rounds:]]
    assert widths == sorted(widths, reverse=True)


def test_how_many_candidates_have_a_score_is_told_while_they_are_scored() -> None:
    """By public numbers alone: the same whatever the records are."""
    told: list[list[str]] = []
    for seed in (1, 2):
        rng, said = np.random.default_rng(seed), list[str]()
        codes = np.column_stack([rng.integers(0, 4, 50), rng.integers(0, 2, 50)])
        with on_stage(said.append):
            search(setting(), stages(), codes, lambda scores, _: int(np.argmax(scores)))
        told.append(said)
    counted = [read_count(step) for step in told[0]]
    total = len(stages()) * CANDIDATES
    assert all(each is not None and each[1] == total for each in counted)
    assert [each[0] for each in counted if each] == sorted(each[0] for each in counted if each)
    assert counted[-1] == (total, total)
    assert told[0] == told[1]
