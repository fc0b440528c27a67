"""The exact law of all rows that runs of Bayesian imputation draw of categories, by scripted random
words.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from unittest import mock

import numpy as np
from scipy.stats import binom

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.imputation.claims import neighbours
from understudy.assurance.real_runs import PART, Break, patch_source
from understudy.core.arrays import FloatArray, IntArray, WordArray
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.imputation import draws as drawing
from understudy.mechanisms.imputation import mechanism
from understudy.mechanisms.imputation.draws import Sampler, Urn
from understudy.mechanisms.imputation.mechanism import MECHANISM
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.privacy.randomness import RandomSource, Secret, Use
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.records import Records
from understudy.table.schema import Schema


class ScriptedSource(RandomSource):
    """A source whose words are given.

    A word w below a bound b picks w of b equal cases, as the rest of the range of words is far
    away. So words that run over 0 … m − 1, m a multiple of every bound, give each case as often.

    Attributes:
        left: the words that are not drawn yet.
    """

    def __init__(self, words: Sequence[int]) -> None:
        super().__init__(bytes(32), seeded=False)
        self.left = list(words)

    def words(self, count: int) -> WordArray:
        """Return the next of the words.

        Raises:
            ValueError: there are fewer.
        """
        if count > len(self.left):
            raise ValueError("more words are drawn than the script has")
        found, self.left = self.left[:count], self.left[count:]
        return np.array(found, dtype=np.uint64)

    def child(self) -> RandomSource:
        """Return a fresh source, which is no part of the script."""
        return RandomSource.secure()


class ScriptedSecret(Secret):
    """A secret of which one use draws scripted words.

    Attributes:
        use: which.
        script: its source.
    """

    use: Use
    script: ScriptedSource

    @classmethod
    def of(cls, use: Use, words: Sequence[int]) -> ScriptedSecret:
        """Return a fresh secret with a script for one use."""
        made = cls(Secret.fresh().key)
        object.__setattr__(made, "use", use)
        object.__setattr__(made, "script", ScriptedSource(words))
        return made

    def source(self, use: Use, number: int = 0, position: int = 0) -> RandomSource:
        """Return the source of a use; of the one use, the script."""
        return self.script if use == self.use else super().source(use, number, position)


_SOURCE: Final = "docs/imputation.md, “The figures”"
_TITLE: Final = "Bayesian imputation"
_DELTAS: Final = (0.2, 0.05, 0.01)
_REACHED: Final = 0.95
"""How near to its claim the worst pair of tables has to come."""


@dataclass(frozen=True)
class DrawnRows:
    """A column of so many values, from so many records.

    Attributes:
        release: what is drawn.
        values: of the column.
        records: n.
        strength: α.
        rows, tables: of the release.
    """

    release: ReleaseType
    values: int
    records: int
    strength: float
    rows: int
    tables: int = 2

    @property
    def schema(self) -> Schema:
        """A schema of the column and one that is not released."""
        names = tuple(f"v{each}" for each in range(self.values))
        other = Column(name="other", domain=Categories(values=("no", "yes")))
        return Schema(columns=(Column(name="value", domain=Categories(values=names)), other))

    def planned_run(
        self, delta: float, release: ReleaseType | None = None
    ) -> PlannedRun[ImputationPlan]:
        """Plan a run at a δ, of this release or another."""
        schema = self.schema
        plan = ImputationPlan(
            domain=schema.fingerprint,
            columns=("value",),
            release=release or self.release,
            records=self.records,
            rows=self.rows,
            tables=self.tables,
            strength=self.strength,
            delta=delta,
        )
        return plan_run(plan, schema)

    def claim_epsilon(self, delta: float) -> float:
        """Return the ε that is claimed at a δ. Shares are released as those of rows, here of so few
        rows that they cost the same."""
        rows: ReleaseType = "rows-from-one-draw"
        shares = self.release == "posterior-draw"
        return self.planned_run(delta, rows if shares else None).guarantee.record.epsilon

    @property
    def all_rows(self) -> int:
        """The number of rows in all, each drawn with a random word."""
        return self.rows * (self.tables if self.release == "imputations" else 1)

    @property
    def words(self) -> range:
        """Return words that give each case equally often: a multiple of every bound drawn below."""
        prior = self.strength - (self.release == "rows-from-mode")
        first = round(self.records + self.values * prior)
        one_draw = self.release in ("rows-from-one-draw", "imputations", "posterior-draw")
        return range(math.lcm(*(first + each * one_draw for each in range(self.rows))))

    def law(self, table: IntArray) -> FloatArray:
        """Return (outcomes,) the chance of every outcome of a run on these records."""
        decided, records = self.planned_run(_DELTAS[0]), self._records(table)
        found = np.zeros(self.values**self.all_rows)
        for words in itertools.product(self.words, repeat=self.all_rows):
            with mock.patch.object(drawing, "RESOLUTION", self.rows):
                state = MECHANISM.begin(decided, records, ScriptedSecret.of("model", words), None)
            place = 0
            for value in self._values(state.arrays()):
                place = place * self.values + value
            found[place] += 1
        return np.asarray(found / found.sum())

    def _values(self, kept: Arrays) -> list[int]:
        """Return the values of all rows, of shares in order."""
        if self.release == "posterior-draw":
            (said,) = json.loads(kept["figures"].tobytes())["parameters"]
            often = [round(each * self.rows) for each in said["shares"]]
            return [value for value, many in enumerate(often) for _ in range(many)]
        rows = [kept[name].ravel() for name in sorted(kept) if name.startswith("table.")]
        return [int(value) for value in np.concatenate(rows).tolist()]

    def tables_of(self) -> Iterator[IntArray]:
        """Return every (n, 1) table, up to the order of its records."""
        every = itertools.combinations_with_replacement(range(self.values), self.records)
        return (np.array(each, dtype=np.int64).reshape(-1, 1) for each in every)

    def _records(self, table: IntArray) -> Records:
        codes = np.column_stack([table, np.zeros(len(table), dtype=np.int64)])
        return Records(self.schema, codes.astype(np.uint16))


_CASES: Final = (
    DrawnRows("rows-from-one-draw", 2, 3, 1.0, 2),
    DrawnRows("rows-from-own-draws", 2, 3, 1.0, 2),
    DrawnRows("rows-from-own-draws", 3, 3, 1.0, 1),
    DrawnRows("rows-from-mode", 2, 4, 2.0, 2),
    DrawnRows("imputations", 2, 3, 1.0, 1),
    DrawnRows("posterior-draw", 2, 3, 1.0, 2),
)


def list_checks() -> tuple[Check, ...]:
    """Return the checks of the law of the rows against its claim, and of which records are used."""
    return (*_laws(), _LEFT_OUT)


def _laws() -> tuple[Check, ...]:
    return tuple(
        Check(
            PART,
            f"{_TITLE}, {each.release}, {each.values} values",
            "ε at δ, of the exact law of the rows that a run draws from every table, and not more "
            "than that by far",
            _SOURCE,
            partial(_measure, each),
        )
        for each in _CASES
    )


def list_mutants() -> tuple[Check, ...]:
    """Return the same checks of runs that draw otherwise."""
    return tuple(
        Check.mutant(f"{_TITLE}, {each.name}", each.what, partial(_measure_broken, measure, each))
        for measure, each in _BREAKS
    )


def _measure_broken(
    measure: Callable[[Effort], MeasuredValue], each: Break, effort: Effort
) -> MeasuredValue:
    with patch_source(each.function, each.old, each.new):
        return measure(effort)


def _measure(of: DrawnRows, _: Effort) -> MeasuredValue:
    tables = list(of.tables_of())
    laws = [of.law(table) for table in tables]
    pairs = list(neighbours(tables))
    one, other = (np.array([laws[pair[way]] for pair in pairs]) for way in (0, 1))
    found, most = NOTHING, 0.0
    for delta in _DELTAS:
        apart = hockey_stick(one, other, of.claim_epsilon(delta))
        worst = float(over(apart, delta).max())
        most = max(most, worst)
        found |= MeasuredValue(len(pairs), worst, f"{of.release}, δ = {delta:g}")
    reached = _REACHED / most if most else math.inf
    return found | MeasuredValue(len(pairs), reached, f"{of.release}, the nearest to its claim")


def _left_out(_: Effort) -> MeasuredValue:
    """Measure how often each record is left out when some are used, and how many are."""
    schema = _CASES[0].schema
    plan = ImputationPlan(
        domain=schema.fingerprint,
        columns=("value",),
        records=_RECORDS,
        used=_USED,
        rows=1,
        strength=1.0,
        delta=_DELTAS[-1],
    )
    decided = plan_run(plan, schema)
    records = Records(schema, np.zeros((_RECORDS, 2), dtype=np.uint16))
    out = np.zeros(_RECORDS, dtype=np.int64)
    for _turn in range(_TURNS):
        apart = MECHANISM.begin(decided, records, Secret.fresh(), None).arrays()[HELD_OUT]
        if int(apart.sum()) != _RECORDS - _USED:
            return MeasuredValue(_TURNS, math.inf, "another number of records is used")
        out += apart.astype(np.int64)
    share = 1 - _USED / _RECORDS
    most, least = binom.isf(_MISS, _TURNS, share), binom.ppf(_MISS, _TURNS, share)
    worst = max(float(out.max() / most), float(least / max(1, out.min())))
    return MeasuredValue(_TURNS, worst, f"{_USED} of {_RECORDS} records")


_RECORDS: Final = 7
_USED: Final = 4
_TURNS: Final = 2_000
_MISS: Final = 1e-10
_LEFT_OUT: Final = Check(
    PART,
    f"{_TITLE}, which records are used",
    "each is left out as often as all others, within bounds that a sound run leaves once in 10⁹ "
    "times",
    "docs/imputation.md, “Some of the records”",
    _left_out,
)
_BREAKS: Final[tuple[tuple[Callable[[Effort], MeasuredValue], Break], ...]] = (
    (
        _left_out,
        Break(
            "the first records are used",
            "everybody can know who is left out, and a share of ε is paid as if by chance",
            mechanism._left_out,
            "np.argsort(keys)",
            "np.arange(records)",
        ),
    ),
    (
        partial(_measure, _CASES[0]),
        Break(
            "a record counts twice",
            "weights of two for each record, under the price of one",
            Sampler.urn,
            "ones * counted",
            "2 * ones * counted",
        ),
    ),
    (
        partial(_measure, _CASES[3]),
        Break(
            "the mode without the prior",
            "shares as they are, without what the prior adds",
            Sampler.urn,
            "int(prior * ones)",
            "0",
        ),
    ),
    (
        partial(_measure, _CASES[0]),
        Break(
            "a row weighs nothing",
            "all rows as if each had a draw of its own",
            Urn.rows,
            "if not one_draw:",
            "if True:",
        ),
    ),
)
