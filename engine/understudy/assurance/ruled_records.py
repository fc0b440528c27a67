"""Records that break rules: with one record more in a table, what becomes of all others is as
without it.

A record is put into small tables of random ones, at every place, under rules whose records are left
out or set to missing; and so is every record there can be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from understudy.assurance.check import GUARANTEE, NOTHING, Check, Effort, MeasuredValue
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.rules.repair import repair_records, view_records
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.schema import Schema

Repairer = Callable[[Records], Records]

_PART: Final = "Reading"
_TABLES: Final = 12
_RECORDS: Final = 5
_VALUES: Final = Categories(values=("0", "1", "2"))
_PLAIN: Final = Schema(
    columns=(
        Column(name="a", domain=Categories(values=("0", "1"))),
        Column(name="b", domain=_VALUES, missing=True),
        Column(name="c", domain=_VALUES, missing=True),
    )
)
LEFT_OUT: Final = _PLAIN.with_rules(
    [Rule(text="c <= b"), Rule(text='if (a == "0") b <= 1'), Rule(text="!is.na(b) | is.na(c)")]
)
SET: Final = _PLAIN.with_rules(
    [
        Rule(text="c <= b", instead=SetMissing(column="c")),
        Rule(text='if (a == "0") b <= 1', instead=SetMissing(column="b")),
        Rule(text="!is.na(b) | is.na(c)"),
    ]
)
_UNIVERSE: Final = np.array(np.meshgrid(range(2), range(4), range(4))).reshape(3, -1).T


def list_checks() -> tuple[Check, ...]:
    """Return the checks of both things that may become of a record."""
    claim = "(0, 0): with one record more, the same becomes of all others"
    kinds = (("left out", LEFT_OUT), ("set to missing", SET))
    return tuple(
        Check(
            _PART,
            f"records that break a rule, {name}",
            claim,
            GUARANTEE,
            partial(compare_repairs, repair_records, schema),
        )
        for name, schema in kinds
    )


def list_mutants() -> tuple[Check, ...]:
    """Return what looks at other records to say what becomes of one."""
    mutants: tuple[tuple[str, str, Repairer, Schema], ...] = (
        (
            "the most frequent value",
            "one record more, and the value put in place of all that break a rule is another",
            fill_most_frequent,
            SET,
        ),
        (
            "the first record that keeps them",
            "one record more, and all that break a rule take its value",
            fill_from_neighbour,
            SET,
        ),
        (
            "rules read off the table",
            "one record more, and a combination that was taken for impossible is not",
            keep_what_occurs_twice,
            LEFT_OUT,
        ),
    )
    return tuple(
        Check.mutant(
            f"records that break a rule, {name}", what, partial(compare_repairs, repairer, schema)
        )
        for name, what, repairer, schema in mutants
    )


def compare_repairs(repairer: Repairer, schema: Schema, effort: Effort) -> MeasuredValue:
    """Return 0 where one record more changed what becomes of no other, and infinity elsewhere."""
    random, total = np.random.default_rng(effort.seed), NOTHING
    for _ in range(effort.of(_TABLES)):
        table = _UNIVERSE[random.integers(len(_UNIVERSE), size=_RECORDS)]
        for record in _UNIVERSE:
            for place in range(_RECORDS + 1):
                larger = np.insert(table, place, record, axis=0)
                same = _split(repairer, schema, larger, place) == _repair(repairer, schema, table)
                words = f"{record.tolist()} after {place} of {table.tolist()}"
                total |= MeasuredValue(1, 0.0 if same else math.inf, words)
    return total


def _repair(repairer: Repairer, schema: Schema, codes: CodeArray) -> list[list[int]]:
    """Return what becomes of records."""
    try:
        found: list[list[int]] = repairer(Records(schema, codes)).codes.tolist()
    except Refusal:
        # None is left.
        return []
    return found


def _split(repairer: Repairer, schema: Schema, larger: CodeArray, place: int) -> list[list[int]]:
    """Return what becomes of a table's records but the one at a place, which is known by what
    becomes of it alone."""
    found = _repair(repairer, schema, larger)
    before = len(_repair(repairer, schema, larger[:place])) if place else 0
    own = len(_repair(repairer, schema, larger[place : place + 1]))
    return found[:before] + found[before + own :]


# Mutants.


def _fill(records: Records, value: Callable[[int, CodeArray], int]) -> Records:
    """Return records with those that break a rule given values of others in their last column."""
    view = view_records(records)
    broken = np.any([each.judge(view).false for each in records.schema.conditions], axis=0)
    codes = records.codes.copy()
    for row in np.flatnonzero(broken):
        codes[row, 2] = value(int(row), records.codes[~broken | (np.arange(len(broken)) == row)])
    return Records(records.schema, codes)


def fill_most_frequent(records: Records) -> Records:
    """Return records with the most frequent value in place of those that break a rule."""
    return _fill(records, lambda row, kept: int(np.bincount(kept[:, 2]).argmax()))


def fill_from_neighbour(records: Records) -> Records:
    """Return records with the value of the first that keeps all rules, in place of those that break
    one."""
    return _fill(records, lambda row, kept: int(kept[0, 2]))


def keep_what_occurs_twice(records: Records) -> Records:
    """Return the records whose first two values occur in others too."""
    keys = records.codes[:, 0] * 4 + records.codes[:, 1]
    return records.take(np.bincount(keys)[keys] > 1)
