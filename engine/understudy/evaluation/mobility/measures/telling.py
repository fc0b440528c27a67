"""How often a forest tells a day of a table from one of a held-out person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.finding import Measured
from understudy.evaluation.intervals import clopper_pearson
from understudy.evaluation.measure import About
from understudy.evaluation.mobility.seen import Seen
from understudy.evaluation.mobility.study import DaysStudy
from understudy.evaluation.study import FEWEST

MOST: Final = 3_000
"""So many days of either side are enough."""


@dataclass(frozen=True)
class ToldApart:
    """How often a forest is right, on days of people it has not learned from.

    One day of each person is looked at, drawn at random, so that no person is on both sides. Half
    of the days of each table are learned from.

    Attributes:
        about: what it says of itself.
    """

    about: About

    def measure(self, study: DaysStudy) -> Mapping[str, Measured]:
        """Return every table.

        Raises:
            Refusal: there are too few people to tell apart.
        """
        if min([len(study.held_out), *map(len, study.tables)]) < FEWEST:
            raise Refusal(
                f"There are fewer than {FEWEST} people to tell from others.",
                "Use a larger table, or hold out a larger share of it.",
            )
        real = one_day_each(study.held_out, study.random("telling, held out"))
        seed = int(study.random("telling").integers(2**31))

        def of(name: str, seen: Seen) -> Measured:
            made = one_day_each(seen, study.random(f"telling, {name}"))
            right, tried = told_apart(made, real, seed)
            return Measured(right / tried, clopper_pearson(right, tried))

        return study.each(lambda table: of(table.name, table.seen))


def one_day_each(seen: Seen, random: np.random.Generator) -> FloatArray:
    """(people, 11) the features of a day of each person."""
    each = seen.days.per_person
    begins = np.cumsum(each) - each
    found: FloatArray = seen.features[begins + (random.random(len(each)) * each).astype(np.int64)]
    return found


def told_apart(one: FloatArray, other: FloatArray, seed: int) -> tuple[int, int]:
    """Return how often a forest rightly says which of two tables a day is from, and of how many.

    Args:
        one, other: (days, features) of either, of which as many are looked at.
        seed: where chance begins.
    """
    from sklearn.ensemble import RandomForestClassifier

    random = np.random.default_rng(seed)
    size = min(len(one), len(other), MOST)
    days = np.concatenate([random.permutation(each)[:size] for each in (one, other)])
    which = np.repeat([0, 1], size)
    order = random.permutation(2 * size)
    forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=seed)
    model = forest.fit(days[order[:size]], which[order[:size]])
    right = model.predict(days[order[size:]]) == which[order[size:]]
    return int(right.sum()), len(right)


MEASURE = ToldApart(
    About(
        key="days-told-apart",
        name="Days told from real ones",
        sentence=(
            "Shown a day of the table or of a held-out person, by a coin, how often a forest of "
            "decision trees is right which it is. A coin is right half of the time."
        ),
        low=0,
        high=1,
        better="lower",
        group="distinguishing",
        ideal=0.5,
    )
)
