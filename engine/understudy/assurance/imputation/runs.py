"""Runs of Bayesian imputation: those that draw noise, on a record replaced by one that hurts, and
the exact law of all rows that runs draw of categories, by scripted random words.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any, Final
from unittest import mock

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr
from scipy.stats import binom

from understudy.assurance.check import NOTHING, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.imputation.claims import neighbours
from understudy.assurance.random_inputs import ScriptedSource
from understudy.assurance.real_runs import (
    PART,
    Asked,
    Begun,
    Break,
    Pair,
    Runs,
    Spend,
    Trial,
    pair_codes,
    patch_source,
)
from understudy.core.arrays import FloatArray, IntArray, TextArray
from understudy.mechanisms.defaults import HELD_OUT
from understudy.mechanisms.imputation import draws as drawing
from understudy.mechanisms.imputation import mechanism
from understudy.mechanisms.imputation.draws import ColumnLattice, Sampler, Urn
from understudy.mechanisms.imputation.mechanism import MECHANISM, Imputation
from understudy.mechanisms.imputation.parts import Mean, parts
from understudy.mechanisms.imputation.plan import ImputationPlan, ReleaseType
from understudy.mechanisms.mechanism import Arrays, PlannedRun
from understudy.mechanisms.registry import plan_run
from understudy.privacy.randomness import RandomSource, Secret, Use
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema

_STEPS: Final = 5
_SCHEMA: Final = Schema(
    columns=(
        Column(name="flag", domain=Categories(values=("no", "yes"))),
        Column(name="kind", domain=Categories(values=("a", "b", "c")), missing=True),
        Column(name="size", domain=Grid(minimum=Decimal(0), maximum=Decimal(_STEPS))),
    )
)
_SIGMA: Final = 2.0
_PRIOR: Final = 1.0
_ROWS: Final = 7
_TABLES: Final = 3
_MADE: Final = 4
_USED: Final = 4


def _trials() -> tuple[Trial, ...]:
    free: tuple[ReleaseType, ...] = (
        "posterior-draw",
        "rows-from-mode",
        "rows-from-own-draws",
        "rows-from-one-draw",
        "imputations",
    )
    return (
        _add_noise_trial("the mode with noise"),
        _add_noise_trial("the mode with noise, one column by another", given={"kind": ("flag",)}),
        _add_noise_trial("the mode with noise, some records", used=_USED),
        *(_drawn_trial(each) for each in free),
        *(_within(each) for each in free[:3]),
    )


def _plan(release: ReleaseType, **settings: Any) -> PlannedRun[ImputationPlan]:
    usual: dict[str, Any] = {
        "domain": _SCHEMA.fingerprint,
        "release": release,
        "records": _ROWS,
        "rows": _MADE,
        "tables": _TABLES,
        "deviations": {"size": _SIGMA},
        "prior_records": _PRIOR,
        "strength": 0.5,
        "delta": 1e-3,
    }
    return plan_run(ImputationPlan(**{**usual, **settings}), _SCHEMA)


def _parts(kept: Arrays) -> TextArray:
    return np.where(kept[HELD_OUT].astype(bool), "left out", "used")


def _pairs() -> tuple[Pair, ...]:
    """Return pairs that move every column from one end to the other, and to missing, alone and
    among equals."""
    low, high, missing = [0, 0, 0], [1, 2, _STEPS], [1, 3, _STEPS]
    cases = (
        ("from all lows to a high", [low] * (_ROWS - 1), low, high),
        ("from all highs to a low", [high] * (_ROWS - 1), high, low),
        ("to missing", [low, high, missing] * 2, low, missing),
    )

    return tuple(pair_codes(_SCHEMA, *each) for each in cases)


def _trial(
    name: str, decided: PlannedRun[ImputationPlan], spend: Spend, least: Mapping[str, float]
) -> Trial:
    plan = decided.plan
    others = ("left out",) if plan.used_records < plan.records else ()
    return Trial(name, decided, _pairs(), _parts, {"used": spend}, others, least)


def _add_noise_trial(name: str, **settings: Any) -> Trial:
    """Return the trial of Laplace noise on the counts of each column and on the sum, a third of ε
    for each."""
    decided = _plan("noised-mode", epsilon=1.5, **settings)
    whole = decided.plan.epsilon

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        each = [first.cost(second) for first, second in zip(one, other, strict=True)]
        names = (f"column {place}" for place in range(len(each)))
        shares = {name: cost * 3 / whole for name, cost in zip(names, each, strict=True)}
        return {**shares, "all": math.fsum(each) / whole}

    return _trial(name, decided, spend, {"all": 0.999})


def _drawn_trial(release: ReleaseType) -> Trial:
    """Return the trial of Gaussian noise on the mean, or on rows about it: what one record moves,
    in deviations of what is released."""
    decided = _plan(release, columns=("size",))
    paid = decided.guarantee.record
    (part,) = decided.guarantee.parts

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        moved = _sensitivity(release, one, other)
        return {
            "μ": moved / part.native["mu"],
            "all": _epsilon(moved, paid.delta) / paid.epsilon,
        }

    return _trial(f"{release}, numbers", decided, spend, {"μ": 0.999, "all": 0.999})


def _sensitivity(release: ReleaseType, one: Asked, other: Asked) -> float:
    """Return μ of all that is released. A mean that rows are drawn about is not: they have its
    noise and their own, of which so many rows leave a part."""
    if release in ("rows-from-one-draw", "imputations"):
        squares = []
        for at in range(0, len(one), 2):
            mean, rows = one[at], one[at + 1]
            shift = float(np.abs(mean.values - other[at].values).max())
            noise = math.hypot(mean.scale, rows.scale / math.sqrt(rows.values.size))
            squares.append((shift / noise) ** 2)
        return math.sqrt(math.fsum(squares))
    each = (first.cost(second) for first, second in zip(one, other, strict=True))
    return math.sqrt(2 * math.fsum(each))


def _epsilon(moved: float, delta: float) -> float:
    """Return ε at a δ of Gaussian noise by which tables are so many deviations apart (Balle and
    Wang 2018, Theorem 8)."""

    def over(epsilon: float) -> float:
        near, far = moved / 2 - epsilon / moved, -moved / 2 - epsilon / moved
        return float(ndtr(near) - math.exp(epsilon + log_ndtr(far))) - delta

    if not moved or over(0.0) <= 0:
        return 0.0
    return float(brentq(over, 0.0, moved**2 / 2 + moved * 40))


def _within(release: ReleaseType) -> Trial:
    """Return the trial of numbers that are drawn again until they lie within the bounds, without a
    δ."""
    decided = _plan(release, columns=("size",), conditioned=True, delta=0.0)
    base = decided.guarantee.record

    def spend(one: Asked, other: Asked) -> Mapping[str, float]:
        end = _end(release)
        first, second = (float(each.values[0] / one[0].scale) for each in (one[0], other[0]))
        once = _ratio(first, second, end)
        return {"all": one[0].values.size * once / base.epsilon}

    found = _trial(f"{release}, numbers within their bounds", decided, spend, {"all": 0.99})
    return replace(found, later={"used": _all_within})


def _all_within(
    decided: PlannedRun[ImputationPlan], pair: Pair, secret: Secret, first: Begun, second: Begun
) -> tuple[Mapping[str, float], bool]:
    """Return whether everything beyond the bounds was drawn again, and nothing else."""
    (part,) = parts(decided.plan, decided.schema)
    assert isinstance(part, Mean)
    end = part.steps * ColumnLattice.of(part).per_step
    numbers, *again = first.draws.answers
    left = numbers.copy()
    for each in again:
        beyond = np.flatnonzero(2 * np.abs(left) > end)
        if beyond.size != each.size:
            return {}, False
        left[beyond] = each
    return {}, bool((2 * np.abs(left) <= end).all())


def _end(release: ReleaseType) -> float:
    """Return half of the bounds in deviations of what is drawn, by the model alone."""
    mean = _SIGMA / math.sqrt(_ROWS + _PRIOR)
    noise = {"posterior-draw": mean, "rows-from-mode": _SIGMA}
    return _STEPS / 2 / noise.get(release, math.hypot(_SIGMA, mean))


def _ratio(one: float, other: float, end: float) -> float:
    """Return the largest log-ratio of two normal laws of deviation 1 within ±end."""

    def inside(centre: float) -> float:
        return math.log(float(ndtr(end - centre) - ndtr(-end - centre)))

    def ratio(at: float) -> float:
        return ((at - other) ** 2 - (at - one) ** 2) / 2 - inside(one) + inside(other)

    return max(abs(ratio(end)), abs(ratio(-end)))


RUNS: Final = Runs(
    ImputationPlan.kind,
    "Bayesian imputation",
    _trials,
    (
        Break(
            "half the noise on counts",
            "a replaced record counts once less and once more, and noise is for one of both",
            Sampler._add_noise,
            "2 / share",
            "1 / share",
        ),
        Break(
            "the whole ε for every part",
            "parts do not share what may be spent",
            Sampler._add_noise,
            "self.plan.epsilon / len(self.parts)",
            "self.plan.epsilon",
        ),
        Break(
            "noise of numbers beside the tape",
            "a run that goes on draws its noise anew, on the same debit",
            Imputation.begin,
            "Noise(source.child(), tape)",
            "Noise(source.child())",
        ),
        Break(
            "records left out are used",
            "those that are only compared with are counted too",
            Imputation.begin,
            "np.flatnonzero(~apart)",
            "np.arange(len(held))",
            "the mode with noise, some records",
        ),
        Break(
            "rows closer than their model",
            "a row's deviation is taken for that of the mean",
            Sampler._numbers,
            "lattice.row if mode else lattice.own_row",
            "lattice.mean",
            "rows-from-mode",
        ),
        Break(
            "numbers beyond the bounds stay",
            "they are not drawn again, and the ε is that of numbers that are",
            ColumnLattice.around,
            "while conditioned:",
            "while False:",
            "rows-from-mode, numbers within",
        ),
        Break(
            "a lattice of half the step",
            "the mean moves by twice as many units as its deviation is for",
            ColumnLattice.centre,
            "self.per_sum * (2 * total",
            "self.per_sum * (4 * total",
            "posterior-draw",
        ),
    ),
)


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
