"""The results of a reproduction, before comparison with the published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from understudy.core.arrays import IntArray
from understudy.evaluation.evaluation import Evaluation
from understudy.studies.seedbased.setting import Setting, Sizes
from understudy.studies.seedbased.stopping import EarlyStop
from understudy.table.records import Records


@dataclass(frozen=True)
class Described:
    """What a table is like. Internal.

    Attributes:
        records: how many there are.
        unique: how many of them occur once.
        possible: how many different ones the schema allows.
        cardinalities: values of each column, by its name.
    """

    records: int
    unique: int
    possible: int
    cardinalities: Mapping[str, int]

    @classmethod
    def of(cls, records: Records) -> Described:
        """Return what these records are like."""
        schema = records.schema
        # Rows as one value of so many bytes each sort faster than rows of numbers.
        rows = records.codes.view(np.dtype((np.void, 2 * len(schema)))).ravel()
        _, times = np.unique(rows, return_counts=True)
        return cls(
            len(records),
            int((times == 1).sum()),
            schema.configurations,
            {column.name: column.cardinality for column in schema.columns},
        )


@dataclass(frozen=True)
class Passing:
    """How large a share of the candidates of one ω passes at each k. Internal."""

    omega: str
    ks: tuple[int, ...]
    rates: tuple[float, ...]
    published: tuple[float, ...]
    """The same where counting stops as the published tool stops."""

    def at(self, k: int) -> float:
        """Return the share at this k, which must be one of them."""
        return self.rates[self.ks.index(k)]

    def published_at(self, k: int) -> float:
        """Return the share at this k if counting stops as published."""
        return self.published[self.ks.index(k)]


@dataclass(frozen=True)
class Timed:
    """When so many records had been released.

    Attributes:
        records: how many passed the test.
        candidates: how many were made by then, which is what the published figure counts.
        seconds: since the first attempt.
    """

    records: int
    candidates: int
    seconds: float


@dataclass(frozen=True)
class Stopped:
    """What the published tool's early stop comes to at the parameters of Figure 5. Internal.

    Attributes:
        limit: when it stops.
        looked: seeds that it looks at for a candidate, the mean.
        passing: share of candidates that pass.
        exact: the same where all plausible seeds are counted.
    """

    limit: EarlyStop
    looked: float
    passing: float
    exact: float


@dataclass(frozen=True)
class Results:
    """What a reproduction found. Internal where the table is confidential.

    Attributes:
        described: the table it was run on.
        sizes: how many records each part got.
        setting: what was tried.
        evaluation: what the measures found.
        passing: pass rates, for each ω.
        timed_omega: ω of the records whose time was taken.
        timed: their times, on one core, with the seeds indexed before.
        stopped: what the published tool would do at the parameters of these.
        passing_limit: when it stops counting where pass rates are measured.
        indexing: seconds that indexing the seeds took.
        learning: seconds that learning the private model took.
        seconds: how long all of it took.
        labels: what a reader calls each column, by its name.
    """

    described: Described
    sizes: Sizes
    setting: Setting
    evaluation: Evaluation
    passing: tuple[Passing, ...]
    timed_omega: str
    timed: tuple[Timed, ...]
    stopped: Stopped
    passing_limit: EarlyStop
    indexing: float
    learning: float
    seconds: float
    labels: Mapping[str, str]


KS: IntArray = np.unique(
    np.concatenate(
        [
            np.round(np.geomspace(1, 1_000, 46)).astype(np.int64),
            np.array([10, 20, 50, 100, 200, 500, 1_000], dtype=np.int64),
        ]
    )
)
"""Every k at which the pass rate is worked out."""
