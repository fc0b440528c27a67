"""Seeds of a sub-population: one attempt, written out, on tables of records in it and not.

A record is a group and a code on a tiny grid (`small_space`). Who may be a seed comes from the
shipped `Subpopulation`, scores and the coin from the test. One more record of every group and code
is put to each table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Final

import numpy as np

from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, Scores, pairs, shipped_scores, worst
from understudy.assurance.check import GUARANTEE, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs
from understudy.assurance.scored.small_space import PART, law_of_codes
from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.privacy.accounting.unit import unit_of
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy.table.subpopulation import Subpopulation

_KINDS: Final[tuple[TestKind, ...]] = ("plausible-deniability", "relative-sensitivity")
_GROUPS: Final = ("in", "also in", "out")
_TEXT: Final = "GROUP = in or also in"
_TABLES: Final = 16
_DEALT: Final = 4
_SHARE: Final = 0.5

_Ratio = Callable[[Pairs], FloatArray]


def list_checks() -> tuple[Check, ...]:
    """Check that one attempt keeps its statement, whoever is added: for the known number of seeds
    of the sub-population, and where each of them is dealt by its coin."""
    found = []
    for kind in _KINDS:
        name = kind.replace("-", " ")
        for said, claim, ratio in (
            ("a candidate that passed", "the statement for one attempt", attempt.with_seeds),
            ("rejections seen", "the same under the pass cap", attempt.rejections_seen),
        ):
            found.append(
                Check(
                    PART,
                    f"{name}, seeds of a sub-population, {said}",
                    f"{claim}, n being the seeds of the sub-population that are known of",
                    GUARANTEE,
                    partial(_measure_ratio, kind, ratio),
                )
            )
        found.append(
            Check(
                PART,
                f"{name}, seeds of a sub-population, each dealt by its coin",
                "the statement for one attempt where n is not known",
                GUARANTEE,
                partial(_deal_ways, kind),
            )
        )
    return tuple(found)


def list_mutants() -> tuple[Check, ...]:
    """Return the sub-population broken in the ways that would matter."""
    return (
        Check.mutant(
            "sub-population, the rarer group of the table",
            "seeds are of whichever group has fewer records, as the table shows",
            _rarer,
        ),
        Check.mutant(
            "sub-population, all records counted on as seeds",
            "n is the number of all records, those that cannot be seeds too",
            _all_counted,
        ),
        Check.mutant(
            "sub-population, plausible seeds among all records",
            "seeds are of the sub-population, and those that vouch for them need not be",
            _vouched_for_by_all,
        ),
    )


def _measure_ratio(kind: TestKind, ratio: _Ratio, effort: Effort) -> MeasuredValue:
    draw = RandomInputs(effort.seed + 31)
    return worst(_try_tables(kind, draw, effort.of(_TABLES)), ratio)


def _try_tables(kind: TestKind, draw: RandomInputs, count: int) -> Iterator[Pairs]:
    alike = _table({("in", 0): 10, ("out", 4): 10})
    yield _attempt(privacy_test(kind, 8, 1.0, 2.0 if kind == _KINDS[0] else None), alike)
    for _ in range(count):
        test = draw.test(kind)
        yield _attempt(test, draw.table(len(_records()), 3 * test.k))


def _attempt(test: PrivacyTest, table: IntArray, scores: Scores | None = None) -> Pairs:
    """Return the laws on a table of all records, and with one more of each kind."""
    inside = _inside().astype(np.int64)
    added = np.diag(inside)
    return pairs(test, _law(), table * inside, added=added, scores=scores, name="a sub-population")


def _deal_ways(kind: TestKind, effort: Effort) -> MeasuredValue:
    """Return two kinds of records, one or both of them inside; every way to deal them is written
    out."""
    draw, found = RandomInputs(effort.seed + 37), MeasuredValue(0, 0.0)
    for _ in range(effort.of(_DEALT)):
        test = draw.test(kind)
        table = np.zeros(len(_records()), dtype=np.int64)
        table[draw.several(0, len(table) - 1, 2)] = draw.several(1, 5, 2)
        unit = unit_of(test)
        assert unit is not None
        t = np.arange(1, test.k)
        one = _mix_attempts(test, table)
        for more in range(len(table)):
            other = table.copy()
            other[more] += 1
            apart = hockey_stick(one, _mix_attempts(test, other)[None], unit.epsilon(t))
            ratio = float(over(apart, unit.delta(t)).max())
            found |= MeasuredValue(1, ratio, f"{test.kind}, records {table.tolist()}")
    return found


def _mix_attempts(test: PrivacyTest, table: IntArray) -> FloatArray:
    """Return (Y,) what one attempt releases, where each record of the sub-population is a seed by a
    coin; nothing where none is."""
    inside = np.flatnonzero(table * _inside())
    found = np.zeros(_law().shape[1])
    for dealt in itertools.product(*(range(int(table[each]) + 1) for each in inside)):
        if not sum(dealt):
            continue
        chance = math.prod(
            math.comb(int(table[each]), some) * _SHARE ** int(table[each])
            for each, some in zip(inside, dealt, strict=True)
        )
        seeds = np.zeros(len(table), dtype=np.int64)
        seeds[inside] = dealt
        nobody = np.zeros((0, len(table)), dtype=np.int64)
        found += chance * pairs(test, _law(), seeds, added=nobody).released[0]
    return found


def _rarer(_: Effort) -> MeasuredValue:
    """Return ten of one group and ten of another, far apart; one more decides which are the
    seeds."""
    table = _table({("in", 0): 10, ("also in", 4): 10})
    test = privacy_test("plausible-deniability", 8, 1.0, 2.0)
    released, rejected, tables = [], [], []
    for more in (0, 1):
        held = table.copy()
        held[_row("in", 0)] += more
        many = {group: int(held[_of_group(group)].sum()) for group in ("in", "also in")}
        seeds = np.where(_of_group(min(many, key=lambda each: many[each])), held, 0)
        one = pairs(test, _law(), seeds, added=np.zeros((0, len(held)), dtype=np.int64))
        released.append(one.released[0])
        rejected.append(one.rejected[0])
        tables.append(seeds)
    tried = Pairs(test, np.array(tables), np.array(released), np.array(rejected))
    return worst([tried], attempt.with_seeds)


def _all_counted(_: Effort) -> MeasuredValue:
    """Return ten that may be seeds, and five hundred that may not."""
    table = _table({("in", 0): 10, ("out", 0): 500})
    test = privacy_test("plausible-deniability", 8, 1.0, 2.0)
    tried = _attempt(test, table)
    unit = unit_of(test, int(table.sum()))
    assert unit is not None
    apart = hockey_stick(tried.released[0], tried.released[1:, None], unit.epsilon(tried.t))
    return worst([tried], lambda each: over(apart, unit.delta(each.t)))


def _vouched_for_by_all(_: Effort) -> MeasuredValue:
    """Return ten that may be seeds, and far from them ten that may not and vouch for one more that
    may."""
    table = _table({("in", 0): 10, ("out", 4): 10})
    every = np.vstack([table, table + np.eye(len(table), dtype=np.int64)])

    def scores(test: PrivacyTest, model: FloatArray, _: IntArray) -> IntArray:
        return shipped_scores(test, model, every)

    test = privacy_test("plausible-deniability", 8, 1.0, 2.0)
    return worst([_attempt(test, table, scores)], attempt.with_seeds)


@cache
def _records() -> tuple[tuple[str, int], ...]:
    """Return every group with every code."""
    return tuple(itertools.product(_GROUPS, _codes()))


def _codes() -> range:
    return range(len(law_of_codes(1)))


def _of_group(group: str) -> BoolArray:
    return np.array([each == group for each, _ in _records()])


def _row(group: str, code: int) -> int:
    return _records().index((group, code))


def _table(held: dict[tuple[str, int], int]) -> IntArray:
    return np.array([held.get(each, 0) for each in _records()], dtype=np.int64)


@cache
def _law() -> FloatArray:
    """Return p_d(z′) of every record, which follows from its code."""
    return law_of_codes(1)[[code for _, code in _records()]]


@cache
def _inside() -> IntArray:
    """Return whether each record may be a seed, as the shipped reading of the text has it."""
    schema = Schema(
        columns=(
            Column(name="GROUP", domain=Categories(values=_GROUPS)),
            Column(name="CODE", domain=Categories(values=tuple(map(str, _codes())))),
        )
    )
    rows = [[_GROUPS.index(group), code] for group, code in _records()]
    found = Subpopulation.of(_TEXT, schema, "").holds(np.array(rows, dtype=np.uint16))
    return found.astype(np.int64)
