"""Distinguishing a table from real records (Table 8.5, Figure 9.1), and how much of the difference
is due to the model and to the test (Table 9.3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.classifiers import (
    ADABOOST,
    BOOSTING,
    FOREST,
    LOGISTIC,
    TREE,
    Classifier,
    with_headline,
)
from understudy.evaluation.intervals import advantage
from understudy.evaluation.measure import FEWEST, About, BreakdownEntry, Study, SubjectResult, Table
from understudy.table.records import Records

# The distinguishing game: which of two tables is a record from? (Definition 5.1, §8.3.3)
#
# A classifier of accuracy a has the advantage γ = 2|a − ½|: 0 for guessing, 1 for no errors. No
# advantage exceeds the total variation of the two distributions, so the low end of its interval is
# a lower bound on that distance.


def held_out_table(study: Study) -> Table:
    """Return the held-out records as a table of the game."""
    return Table("held-out records", "reals", study.held_out)


def distinguishing_advantage(
    study: Study, one: Table, other: Table, classifiers: Sequence[Classifier]
) -> SubjectResult:
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
) -> SubjectResult:
    size = min(len(one), len(other))
    halves = [
        _deal_halves(study, side, each, size) for side, each in (("one", one), ("other", other))
    ]
    known, what = _mix_tables([each[0] for each in halves])
    asked, truth = _mix_tables([each[1] for each in halves])
    parts = []
    for classifier in classifiers:
        seed = int(study.random(f"distinguishing by {classifier.name}").integers(2**31))
        right = classifier.learn(known, what, seed)(asked) == truth
        accuracy = float(right.mean())
        interval = advantage(int(right.sum()), len(right))
        parts.append(BreakdownEntry((classifier.name,), 2 * abs(accuracy - 0.5), interval))
    return with_headline(parts)


def _deal_halves(study: Study, side: str, records: Records, size: int) -> tuple[Records, Records]:
    """Return two halves of `size` of the records, in random order."""
    mixed = study.random(f"distinguishing, {side} side").permutation(len(records))[:size]
    return records.take(mixed[: size // 2]), records.take(mixed[size // 2 :])


def _mix_tables(tables: Sequence[Records]) -> tuple[Records, IntArray]:
    """Return the records of both tables, and which of the two each is from."""
    codes = np.concatenate([each.codes for each in tables])
    sizes = [len(each) for each in tables]
    return Records(tables[0].schema, codes), np.repeat(np.arange(2), sizes)


# How well a classifier tells a table from real records (Table 8.5, Figure 9.1).

FIVE = (FOREST, TREE, ADABOOST, BOOSTING, LOGISTIC)

_ABOUT = About(
    key="distinguishing",
    name="Telling records from real ones",
    sentence=(
        "How much better than a coin a random forest tells records of the table from real ones: "
        "0 % is no better, 100 % is never wrong."
    ),
    low=0.0,
    high=1.0,
    better="lower",
    group="distinguishing",
    parts="classifier",
    source="VLDB 2017, Table 5; dissertation 2018, Definition 5.1, Table 8.5 and Figure 9.1",
    headline=True,
)


@dataclass(frozen=True)
class Distinguishing:
    """The advantage γ̂ = 2|a − ½| over held-out records, by classifier.

    Attributes:
        classifiers: who plays.
        about: what it says of itself.
    """

    classifiers: tuple[Classifier, ...] = FIVE
    about: About = _ABOUT

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return every table.

        Raises:
            Refusal: there are too few records; see `distinguishing_advantage`.
        """
        return study.each(
            lambda table: distinguishing_advantage(
                study, held_out_table(study), table, self.classifiers
            )
        )


MEASURE = Distinguishing()


# How much of the difference from real records is due to the model, and to the test (Table 9.3).

MODEL = "model loss"
FILTERING = "filtering loss"
UTILITY = "utility loss"

_ABOUT_LOSSES = About(
    key="losses",
    name="What the model loses, and what the privacy test loses",
    sentence=(
        "How well a random forest tells real records from candidates before the test (model "
        "loss), candidates from records that passed (filtering loss), and real records from "
        "those that passed (utility loss): 0 % is no better than a coin, 100 % is never wrong."
    ),
    low=0.0,
    high=1.0,
    better="lower",
    group="distinguishing",
    parts="classifier",
    source="dissertation 2018, §5.1, §9.3.3 and Table 9.3",
)


@dataclass(frozen=True)
class Losses:
    """The three advantages, by classifier.

    Where nothing was released, records that were made and tested in the same way stand in: the
    study's first table of role "synthetic", which is that of the planned ω.

    Attributes:
        classifiers: who plays.
        about: what it says of itself.
    """

    classifiers: tuple[Classifier, ...] = FIVE
    about: About = _ABOUT_LOSSES

    def measure(self, study: Study) -> Mapping[str, SubjectResult]:
        """Return the three losses.

        Raises:
            Refusal: there are no candidates, no records that passed, or too few of them.
        """
        before = _there(study.of("candidates"), "candidates before the test")
        passed = _there(study.of("released") or study.of("synthetic"), "records that passed it")
        pairs = {
            MODEL: (held_out_table(study), before),
            FILTERING: (before, passed),
            UTILITY: (held_out_table(study), passed),
        }
        return {
            loss: distinguishing_advantage(study, *tables, self.classifiers)
            for loss, tables in pairs.items()
        }


def _there(table: Table | None, what: str) -> Table:
    if table is None:
        raise Refusal(
            f"There are no {what}, or too few, to compare.",
            "Where candidates are tested, plan more attempts, or a test that more of them pass.",
        )
    return table


LOSSES = Losses()
