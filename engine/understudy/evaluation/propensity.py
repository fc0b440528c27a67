"""Propensity scores: how well a classifier separates a table from held-out records (pMSE).

pMSE = (1/N) Σ(p̂ᵢ − c)² over the N records of both, p̂ᵢ being the probability that record i is of
the table, as fitted to these very records, and c the share that is. It is 0 where nothing tells
them apart and c(1 − c) = 0.25 where everything does; what a classifier fits by chance is in it
too. So it is also given beside its null: the expectation and the standard deviation for a table
that is as unlike the held-out records as other records of the same law.

Snoke, Raab, Nowok, Dibben and Slavković (2018) give that null for a table made from the very
records it is compared with: their expectation is (k − 1)(1 − c)²c/N for a logistic regression of
k parameters. Ours is compared with records that nothing was made from, so the differences by
chance of *both* count, and all of it is 1/(1 − c) = 2 times as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.evaluation.finding import Interval, Measured, Part
from understudy.evaluation.intervals import BLOCKS, deal, within
from understudy.evaluation.measure import About
from understudy.evaluation.study import Study, Table, sample_of
from understudy.table.records import Records

Form = Literal["pMSE", "ratio", "standardised"]

LARGEST = 0.25
"""pMSE where the separation is perfect and both tables have the same number of records."""

SOURCE = "Snoke, Raab, Nowok, Dibben and Slavković (2018)"


@dataclass(frozen=True, eq=False)
class Pooled:
    """Records of a table pooled with as many held-out ones. Confidential.

    Attributes:
        records: N of them.
        made: (N,) whether each is of the table.
        block: (N,) the block of each; every block has records of both.
        blocks: how many blocks there are.
    """

    records: Records
    made: BoolArray
    block: IntArray
    blocks: int

    @classmethod
    def of(cls, table: Records, study: Study) -> Pooled:
        """Return the pooled records of one table; the larger side is cut to the smaller at random.

        Raises:
            Refusal: there are fewer than two records on a side.
        """
        size = min(len(table), len(study.held_out))
        if size < 2:
            raise Refusal(
                "Fewer than two records were held out.", "Hold more out, to compare tables with."
            )
        random = study.random("propensity")
        sides = [sample_of(each, size, random) for each in (study.held_out, table)]
        blocks = min(BLOCKS, size)
        return cls(
            Records(study.held_out.schema, np.concatenate([each.codes for each in sides])),
            np.repeat([False, True], size),
            np.concatenate([deal(size, random, blocks) for _ in sides]),
            blocks,
        )

    def __len__(self) -> int:
        return len(self.made)

    def halves(self, times: int, random: np.random.Generator) -> Iterator[BoolArray]:
        """`times` masks (N,) of half the records of either side, drawn at random."""
        size = len(self) // 2
        for _ in range(times):
            yield np.concatenate([deal(size, random, 2) for _ in range(2)]) == 0


@dataclass(frozen=True)
class PropensityFit:
    """The fit of one classifier to one table. Internal.

    Attributes:
        value: pMSE.
        interval: where pMSE lies.
        expected: of pMSE under the null.
        error: its standard deviation under the null.
        parts: pMSE by column.
    """

    value: float
    interval: Interval
    expected: float
    error: float
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Propensity:
    """A measure by one classifier: pMSE, or pMSE relative to its null.

    Attributes:
        about: what it says of itself.
        told: fits the classifier.
        form: pMSE; how many times the null's expectation it is; or by how many standard
            deviations of the null it exceeds that.
    """

    about: About
    told: Callable[[Pooled, Study], PropensityFit]
    form: Form

    def measure(self, study: Study) -> dict[str, Measured]:
        """Return what it says of every table.

        Raises:
            Refusal: there are too few held-out records.
        """
        return study.each(lambda table: self._of(table, study))

    def _of(self, table: Table, study: Study) -> Measured:
        told = study.once(
            f"propensity {self.told.__module__} {table.name}",
            lambda: self.told(Pooled.of(table.records, study), study),
        )
        ends = Interval(*(self._form(told, end) for end in (told.interval.low, told.interval.high)))
        return Measured(
            self._form(told, told.value),
            within(ends, self.about.low, self.about.high),
            told.parts if self.about.parts else (),
        )

    def _form(self, told: PropensityFit, value: float) -> float:
        if self.form == "pMSE":
            return value
        if self.form == "ratio":
            return value / told.expected if told.expected else 1.0
        return (value - told.expected) / told.error if told.error else 0.0


def three_forms(
    told: Callable[[Pooled, Study], PropensityFit],
    *,
    key: str,
    classifier: str,
    seen: str,
    breakdown: str,
    by: str,
) -> tuple[Propensity, Propensity, Propensity]:
    """pMSE of a classifier, pMSE as a ratio to its null, and pMSE standardised by it.

    Args:
        told: fits the classifier.
        key: of the first; the others add “-ratio” and “-standardised”.
        classifier: what fits the probabilities, with its article.
        seen: what the classifier tells records apart by, in the plural.
        breakdown: what pMSE of each column is, as the end of a sentence.
        by: what a table cannot be told from real records by, where it is close to 0.
    """

    def about(form: Form, name: str, sentence: str, low: float, high: float) -> About:
        return About(
            key=key if form == "pMSE" else f"{key}-{form}",
            name=f"{name} of {classifier}",
            sentence=sentence,
            low=low,
            high=high,
            better="lower",
            group="propensity",
            unit="number",
            parts="column" if form == "pMSE" else "",
            source=SOURCE,
            ideal={"pMSE": None, "ratio": 1.0, "standardised": 0.0}[form],
        )

    raw = (
        f"How well {seen} give away whether a record is of the table or a held-out one: 0 if not "
        f"at all, 0.25 if always. The breakdown says {breakdown}."
    )
    ratio = (
        f"How many times as well {seen} give away a record of the table as they would by chance "
        "if it were made of other real records: 1 is as hard to tell as real ones."
    )
    standardised = (
        "By how many standard deviations pMSE exceeds what it is by chance for other real "
        f"records: between −2 and 2 the table cannot be told from them by {by}."
    )
    return (
        Propensity(about("pMSE", "pMSE", raw, 0, LARGEST), told, "pMSE"),
        Propensity(about("ratio", "pMSE ratio", ratio, 0, math.inf), told, "ratio"),
        Propensity(
            about("standardised", "Standardised pMSE", standardised, -math.inf, math.inf),
            told,
            "standardised",
        ),
    )


def pmse(probability: FloatArray, made: BoolArray) -> float:
    """(1/N) Σ(p̂ᵢ − c)², c being the share of `made`; in [0, c(1 − c)] for a fitted classifier."""
    return float(np.square(probability - made.mean()).mean())
