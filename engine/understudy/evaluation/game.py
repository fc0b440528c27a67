"""The distinguishing game: which of two tables is a record from? (Definition 5.1, §8.3.3)

A classifier of accuracy a has the advantage γ = 2|a − ½|: 0 for guessing, 1 for no errors. No
advantage exceeds the total variation of the two distributions, so the low end of its interval is a
lower bound on that distance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import Classifier, with_headline
from understudy.evaluation.finding import Measured, Part
from understudy.evaluation.intervals import advantage
from understudy.evaluation.study import FEWEST, Study, Table
from understudy.table.records import Records


def held_out_table(study: Study) -> Table:
    """Return the held-out records as a table of the game."""
    return Table("held-out records", "reals", study.held_out)


def distinguishing_advantage(
    study: Study, one: Table, other: Table, classifiers: Sequence[Classifier]
) -> Measured:
    """Return the advantage of classifiers that tell records of `one` from records of `other`.

    The larger table is cut to the smaller. Half of each is learned from and half is tested on,
    dealt at random, so both halves are 50/50 and share no record. A pair of tables is computed
    once in a study.

    Raises:
        Refusal: a table has fewer than `FEWEST` records.
    """
    if min(len(one.records), len(other.records)) < FEWEST:
        raise Refusal(
            f"There are fewer than {FEWEST} records to tell from others.",
            "Use a larger table, or hold out a larger share of it.",
        )
    names = ", ".join(each.key for each in classifiers)
    return study.once(
        f"“{one.name}” told from “{other.name}” by {names}",
        lambda: _told_apart(study, one.records, other.records, classifiers),
    )


def _told_apart(
    study: Study, one: Records, other: Records, classifiers: Sequence[Classifier]
) -> Measured:
    size = min(len(one), len(other))
    halves = [_dealt(study, side, each, size) for side, each in (("one", one), ("other", other))]
    known, what = _mixed([each[0] for each in halves])
    asked, truth = _mixed([each[1] for each in halves])
    parts = []
    for classifier in classifiers:
        seed = int(study.random(f"distinguishing by {classifier.name}").integers(2**31))
        right = classifier.learn(known, what, seed)(asked) == truth
        accuracy = float(right.mean())
        interval = advantage(int(right.sum()), len(right))
        parts.append(Part((classifier.name,), 2 * abs(accuracy - 0.5), interval))
    return with_headline(parts)


def _dealt(study: Study, side: str, records: Records, size: int) -> tuple[Records, Records]:
    """Return two halves of `size` of the records, in random order."""
    mixed = study.random(f"distinguishing, {side} side").permutation(len(records))[:size]
    return records.take(mixed[: size // 2]), records.take(mixed[size // 2 :])


def _mixed(tables: Sequence[Records]) -> tuple[Records, IntArray]:
    """Return the records of both tables, and which of the two each is from."""
    codes = np.concatenate([each.codes for each in tables])
    sizes = [len(each) for each in tables]
    return Records(tables[0].schema, codes), np.repeat(np.arange(2), sizes)
