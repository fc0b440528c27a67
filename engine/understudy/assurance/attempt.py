"""The exact output distribution of one attempt, by enumeration on small tables, and its
divergence as a multiple of the stated one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from understudy.assurance.check import NOTHING, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.models.scores import scan_scores
from understudy.privacy.accounting.unit import Unit, pass_cap, unit_of
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, PrivacyTest
from understudy.privacy.plausibility.threshold import PassCoin

Scores = Callable[[PrivacyTest, FloatArray, IntArray], IntArray]
"""From a test, a model (S, Y) and tables (D, S) to the scores (D, S, Y) of each candidate made of
a seed of each value."""

_WHOLE = 1 << 128


@dataclass(frozen=True, eq=False)
class Pairs:
    """One attempt on a table, and on P tables with one record more: exact laws.

    Attributes:
        test: the privacy test the claims are about.
        tables: how many records have each value, shape (1 + P, S), the smaller table first.
        released: F_D(y), shape (1 + P, Y).
        rejected: F_D(⊥), shape (1 + P,).
        equal_likelihood: whether every seed that can make a candidate makes it as likely.
        model: which model, in words.
    """

    test: PrivacyTest
    tables: IntArray
    released: FloatArray
    rejected: FloatArray
    equal_likelihood: bool = False
    model: str = "a random model"

    def __len__(self) -> int:
        return len(self.tables) - 1

    @property
    def records(self) -> int:
        """n, the records of the smaller table."""
        return int(self.tables[0].sum())

    @property
    def t(self) -> IntArray:
        """Every t that the theorems allow."""
        return np.arange(1, self.test.k)

    def unit(self, *, known: bool = True, pass_floor: float | None = None) -> Unit:
        """Return the product's own claim, for a reader who knows that there are at least n seeds,
        or for one who does not."""
        unit = unit_of(
            self.test, self.records if known else None, pass_floor, self.equal_likelihood
        )
        assert unit is not None
        return unit

    @property
    def passing(self) -> FloatArray:
        """c, the pass probability on each table, shape (1 + P,)."""
        return np.asarray(self.released.sum(axis=-1))

    def against(self, at: int) -> Pairs:
        """Return the smaller table and one of the larger ones, by its number from 1."""
        two = [0, at]
        return replace(
            self, tables=self.tables[two], released=self.released[two], rejected=self.rejected[two]
        )

    def cap_attempts(self, rho: float) -> FloatArray:
        """Return the laws over U ∪ {⊥}, shape (1 + P, Y + 1), every candidate being turned away
        with probability ρ after the test."""
        turned_away = self.rejected + rho * self.passing
        return np.column_stack([self.released * (1 - rho), turned_away])

    def __str__(self) -> str:
        said = f"{self.test.kind}, k = {self.test.k}, ε0 = {self.test.epsilon0:g}"
        if hasattr(self.test, "gamma"):
            said += f", γ = {self.test.gamma:g}"
        return f"{said}, {self.model}, records {' '.join(map(str, self.tables[0].tolist()))}"


def pairs(
    test: PrivacyTest,
    model: FloatArray,
    records: npt.ArrayLike,
    *,
    added: npt.ArrayLike | None = None,
    equal_likelihood: bool = False,
    coin: PassCoin | None = None,
    scores: Scores | None = None,
    name: str = "a random model",
) -> Pairs:
    """Return the laws on a table and on its neighbours.

    Args:
        test: the privacy test.
        model: p_d(y), shape (S, Y), a row for each value that a record can have.
        records: how many records have each value, shape (S,).
        added: what each larger table has more, shape (P, S); one record of each value if left out.
        equal_likelihood: as in `Pairs`.
        coin, scores: what decides, the test's own unless broken on purpose.
        name: the model, in words.
    """
    first = np.asarray(records, dtype=np.int64)
    more = np.eye(first.size, dtype=np.int64) if added is None else np.atleast_2d(added)
    tables = np.vstack([first, first + more])
    scored = (scores or shipped_scores)(test, model, tables)
    made = (tables / tables.sum(axis=1, keepdims=True))[:, :, None] * model
    released, rejected = decide_laws(coin or test.coin, made, scored)
    return Pairs(test, tables, released, rejected, equal_likelihood, name)


def decide_laws(
    coin: PassCoin, made: FloatArray, scored: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return what is released and what is rejected.

    Args:
        coin: what decides.
        made: probability of making each candidate in each way, shape (D, W, Y).
        scored: the score it then has, same shape.

    Returns:
        (D, Y) the probability of releasing each candidate, and (D,) that of releasing none.
    """
    passes, fails = pass_probabilities(coin, int(scored.max(initial=0)))
    return (made * passes[scored]).sum(axis=1), (made * fails[scored]).sum(axis=(1, 2))


def pass_probabilities(coin: PassCoin, most: int) -> tuple[FloatArray, FloatArray]:
    """Return probabilities of passing and of failing with a score of 0 … `most`, each of them to
    full relative precision."""
    passes, fails = _odds(coin, 1 << most.bit_length())
    return passes[: most + 1], fails[: most + 1]


@lru_cache(maxsize=1024)
def _odds(coin: PassCoin, entries: int) -> tuple[FloatArray, FloatArray]:
    thresholds = [coin.threshold(score) for score in range(entries)]
    passes = np.array([each / _WHOLE for each in thresholds])
    return passes, np.array([(_WHOLE - each) / _WHOLE for each in thresholds])


def shipped_scores(test: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return the scores as a run computes them, from classes of seeds by likelihood."""
    (count, seeds), values = tables.shape, model.shape[1]
    with np.errstate(divide="ignore"):
        logs = np.log(model).T
    classes = LikelihoodClasses(
        np.repeat(tables, seeds * values, axis=0),
        np.tile(logs, (count * seeds, 1)),
        np.tile(np.repeat(np.arange(seeds), values), count),
    )
    return test.scores(classes).reshape(count, seeds, values)


def scanned_scores(test: PrivacyTest, model: FloatArray, tables: IntArray) -> IntArray:
    """Return the scores by the general path, which looks at every record."""
    scores = np.zeros((len(tables), *model.shape), dtype=np.int64)
    for at, table in enumerate(tables):
        values = np.flatnonzero(table)
        seeds = np.repeat(np.arange(len(table)), table)[:, None].astype(np.uint16)
        own = np.repeat(np.searchsorted(seeds[:, 0], values), model.shape[1])
        candidates = np.tile(np.arange(model.shape[1]), values.size)[:, None].astype(np.uint16)
        scored = scan_scores(test, _Written(model), seeds, own, candidates)
        scores[at, values] = scored.reshape(values.size, -1)
    return scores


@dataclass(frozen=True, eq=False)
class _Written:
    """A model that is written out, as the general path asks for it."""

    model: FloatArray

    def log_likelihood(self, seeds: CodeArray, candidates: CodeArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.model[seeds[:, 0]][:, candidates[:, 0]]))


def worst(tried: Iterable[Pairs], ratio: Callable[[Pairs], FloatArray]) -> MeasuredValue:
    """Return the largest ratio over all of them.

    Args:
        tried: the laws.
        ratio: the divergence as a multiple of the claim; any shape, empty where there is none.
    """
    total = NOTHING
    for each in tried:
        ratios = ratio(each)
        if ratios.size:
            found = float(ratios.max())
            at = "" if found <= total.worst else str(each)
            total |= MeasuredValue(len(each), found, at)
    return total


def published_delta(tried: Pairs) -> FloatArray:
    """Return δ = e^{−ε0(k−t)}, for every set of candidates."""
    return _on_candidates(tried, _state_published(tried))


def with_constant(tried: Pairs) -> FloatArray:
    """Return the same with the factor that the law of the noise spares."""
    return _on_candidates(tried, tried.unit(known=False).delta(tried.t))


def with_seeds(tried: Pairs) -> FloatArray:
    """Return the same divided by n + 1: what the product states where n is known."""
    return _on_candidates(tried, tried.unit().delta(tried.t))


def with_whole_scores(tried: Pairs) -> FloatArray:
    """For a score that leaves the seed out: under t it is at most t − 1, so δ falls once more."""
    unit = tried.unit()
    return _on_candidates(tried, np.exp(-unit.epsilon0) * unit.delta(tried.t))


def _state_published(tried: Pairs) -> FloatArray:
    return np.asarray(np.exp(-tried.unit().epsilon0 * (tried.test.k - tried.t)))


def _on_candidates(tried: Pairs, delta: FloatArray) -> FloatArray:
    one, more = tried.released[0], tried.released[1:, None]
    return over(hockey_stick(one, more, tried.unit().epsilon(tried.t)), delta)


def published_with_rejections(tried: Pairs) -> FloatArray:
    """Return the published statement, read as if it covered ⊥ too; no candidate is turned away."""
    laws = tried.cap_attempts(0.0)
    apart = hockey_stick(laws[0], laws[1:, None], tried.unit().epsilon(tried.t))
    return over(apart, _state_published(tried))


def rejections_seen(tried: Pairs, share_of_cap: float = 1.0) -> FloatArray:
    """Protocol A: candidates and ⊥, under the pass cap ρ, or a share of it."""
    unit = tried.unit()
    epsilon, delta = unit.epsilon(tried.t), unit.delta(tried.t)
    found = np.empty((len(tried), tried.t.size))
    for at, each in enumerate(epsilon.tolist()):
        rho = share_of_cap * pass_cap(each, tried.records, epsilon0=unit.epsilon0)
        laws = tried.cap_attempts(rho)
        found[:, at] = over(hockey_stick(laws[0], laws[1:], each), delta[at])
    return found


def released_slot(tried: Pairs, *, floor: float = 1.0, divided: bool = True) -> FloatArray:
    """Protocol B: the law of what passes, given that something does.

    Args:
        tried: the laws.
        floor: the pass floor that is declared, over the smaller of the two pass probabilities.
        divided: whether δ is divided by c − δ, as it has to be.
    """
    laws = tried.released / tried.passing[:, None]
    found = np.empty((len(tried), tried.t.size))
    for at, passing in enumerate(tried.passing[1:].tolist()):
        unit = tried.unit(pass_floor=min(1.0, floor * min(passing, float(tried.passing[0]))))
        apart = hockey_stick(laws[0], laws[1 + at], unit.epsilon(tried.t))
        slot = unit.delta(tried.t)
        if not divided:
            slot = np.where(np.isinf(slot), slot, unit.attempt_delta(tried.t))
        found[at] = over(apart, slot)
    return found
